/* A small part of a pattern that stands for all of it: what a decision between formats needs to know, at the price of a few products. Where the pattern is on
   the device it is looked at there, in four kernels, and some kilobytes of counts are all that comes to the host.

   Row lengths are those of up to 16 windows of sort_window rows, which sliced ELL sorts in and Fold's chunks divide, in the middle of equal parts: of a matrix
   with at most 16 windows of rows the lengths are all there. Reads of x are those of up to 16 blocks: of at most as many rows as a GPU's block of threads
   takes, and 4096 entries; for a host, of some of them.
   The longest rows, which windows would miss, are counted in one pass over the row pointers.

   x is read in sectors of 32 bytes (64 on a CPU: its lines). The warps of a block go in step; what a step asks for goes through a cache that drops the sector
   fetched longest ago: a read finds its sector when fewer sectors than the cache holds were fetched since. This reuse distance in fetches, not in reads, makes
   one pass enough. */
#pragma once
#include "core/launch/tuning.hpp"
#include "core/sparse/csr.hpp"
#include "mat/tuning.hpp"
#include "locality.hpp"
#include "tuning.hpp"
#include <cstdint>
#include <vector>

namespace goza::locality {

constexpr PetscInt sample_window = sort_window, sample_block = rows_per_block, sample_windows = 16, sample_blocks = 16, sample_entries = 4096; // of a block
constexpr PetscInt sample_part  = 128;  // for a host, which looks at one block after the other: at one entry in so many
constexpr PetscInt sample_least = 8;    // and at so many blocks and windows, however few entries there are
constexpr PetscInt sample_row   = 128;  // entries of a row that are looked at
constexpr PetscInt ordinary_row = 1024; // entries of a row up to which windows are trusted to show its kind
constexpr int      place_bins   = 64;

/* A format with its choices. */
struct FormatChoice {
  Layout   layout = Layout::Csr;
  PetscInt param  = 0; // rows in a slice of sliced ELL, entries in a line of Fold, unknowns of a node of CDS
  PetscInt block  = 1; // unknowns of a node of sliced ELL: then slices are of nodes, and a block has one column index

  bool operator==(const FormatChoice &other) const { return layout == other.layout && param == other.param && block == other.block; }
};

struct Caches {
  int          sector      = 32;                          // bytes in which x is read
  std::int64_t per_block   = 1024;                        // sectors that a block of threads can keep
  int          warps       = rows_per_block / warp_lanes; // of a block
  int          range_warps = range_threads / warp_lanes;  // of a block that Fold gives consecutive groups
  bool         device      = true;
  int          x_bytes     = sizeof(PetscScalar); // of a value of x
};

/* The reads of x in one order, for the whole matrix; and the places that its rows take in it. */
struct SampledReads {
  Layout   layout   = Layout::Csr; // sliced ELL stands for CDS, too
  PetscInt param    = 0;
  double   requests = 0, misses = 0; // sectors that warps ask for; of these, not in the block's cache
  double   near = 0;                 // misses whose x is within near_bytes, of a core own_near_bytes, of the place of their row
  double   far[place_bins]{};        // the others, of so many parts of x, the most first
  /* of the rows of at most ordinary_row entries: */
  double plain = 0, sorted = 0; // sliced ELL: places in slices of rows as they come, and sorted inside windows
  double groups = 0, steps = 0; // Fold: of 32 lines; the sum of their lengths
};

/* Diagonals that the sampled rows fill to diagonal_share, as CDS asks by default: how many, and the share of the entries on them. */
struct SampledDiagonals {
  double inside = 0;
  int    count  = 0;
  bool   pairs  = true; // o and -o both or neither: a symmetric matrix can be held by half

  std::int64_t beyond = 0; // least offset above 1: of 27 points on a grid, one less than a line
};

struct Sample {
  PetscInt                  rows = 0, cols = 0;
  std::int64_t              nnz       = 0;
  PetscInt                  longest   = 0;                    // entries of the longest row
  PetscInt                  usual     = 0;                    // of the longest in the windows that has at most ordinary_row
  std::int64_t              long_rows = 0, long_nnz = 0;      // rows of more than ordinary_row entries
  double                    row_share = 1, nnz_share = 1;     // of the matrix, that the windows' lengths and the blocks whose reads are followed hold
  double                    short_gaps = 0, short_groups = 0; // share of the entries whose columns take 16 bits, in sliced ELL and in Fold
  double                    kinds    = 1;                     // of slices of 32 rows, for each slice: the same columns, counted from a base
  bool                      ranges   = false;                 // Fold gives blocks of range_warps warps consecutive groups, see Fold::share_out()
  PetscInt                  bs       = 1;                     // unknowns of a node, of the diagonals and blocks
  double                    repeated = 0;                     // share of the rows whose columns are those of the row before
  bool                      blocks   = false;                 // the rows consist of full blocks of bs x bs
  SampledDiagonals          diagonals;
  Caches                    caches;
  std::vector<SampledReads> reads;
};

/* Of a matrix in either space, for these ways. */
Sample take_sample(const Csr &A, const std::vector<FormatChoice> &choices, const Caches &caches);

/* Of a device's memory, while it takes a sample of so many orders of a matrix's entries. */
std::size_t bytes_of_sample(PetscInt rows, std::size_t orders);

} // namespace goza::locality
