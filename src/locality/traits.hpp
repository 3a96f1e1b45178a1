/* What a product in one format asks of the machine, from a sample of the pattern.

   x is read in sectors of 32 bytes (64 on a CPU: its lines). The reads of a block of threads, in the order in which its warps make them, go through a
   cache that drops the sector fetched longest ago: a read finds its sector when fewer sectors than the cache holds were fetched since. This reuse
   distance in fetches, not in reads, makes one pass enough. What the block's cache lacks is asked of L2; reads far from the row's own place in x
   come from memory as often as x does not fit in L2 (cost.hpp). */
#pragma once
#include "locality.hpp"
#include "sample.hpp"

namespace goza
{

/* A format with its choices. */
struct Way {
  Layout   layout = Layout::Csr;
  PetscInt param  = 0; // rows in a slice of sliced ELL, entries in a line of Fold, unknowns of a node of CDS
};

constexpr double near_bytes = 8e6; // of x: what all that is in flight on a GPU reads of a band stays in L2
constexpr int    place_bins = 256;

struct Caches {
  int          sector     = 32;       // bytes in which x is read
  std::int64_t per_block  = 1024;     // sectors that a block of threads can keep
  int          warps      = 8;        // of a block
  std::int64_t x_in_cache = 28 << 20; // bytes of x up to which Fold gives blocks consecutive groups
  bool         device     = true;
};

struct Traits {
  bool   possible = false;
  double stored   = 0; // values, with padding
  double matrix   = 0; // bytes of the format's arrays that a product reads
  double requests = 0; // sectors of x that warps ask for
  double misses   = 0; // of these, not in the block's cache
  double steps    = 0; // of warps: entries of up to 32 lanes
  double warps    = 0;
  double chain    = 0; // steps of the longest thread
  double kernels  = 1;
  double blocks   = 0;      // of threads
  double extra    = 0;      // bytes of y that are read and written again
  double near     = 0;      // misses whose x is within near_bytes of the place of their row
  double far[place_bins]{}; // the others, by their place in x
};

/* value_bytes: of the stored values. x has sizeof(PetscScalar). */
Traits traits_of(const Sample &sample, const Way &way, const Caches &caches, int value_bytes = sizeof(PetscScalar));

/* Of its entries the share that lies on diagonals which the sampled rows fill to `share`, and how many these are: CDS is worth a look or not. */
struct SampledDiagonals {
  double inside = 0;
  int    count  = 0;
  bool   pairs  = true; // o and -o both or neither: a symmetric matrix can be held by half
};
SampledDiagonals sampled_diagonals(const Sample &sample, PetscInt bs, double share);

} // namespace goza
