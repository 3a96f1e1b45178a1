/* What of a matrix is looked at, and what of it is counted: the host gets a Report. */
#pragma once
#include "core/util/hash.hpp"
#include "locality/sample.hpp"

namespace goza::locality::sampling {

constexpr int lanes = warp_lanes, max_orders = 10, most_listed = 256, block_slices = sample_block / lanes;

/* Where a key's search begins in a table of so many places, a power of two. */
HD inline int first_place(std::int64_t key, int places) { return static_cast<int>(static_cast<std::uint64_t>(key) * golden_64 >> 40) & (places - 1); }

struct Windows {
  int      n, nblocks, nread; // n <= nblocks; blocks whose reads are followed
  PetscInt begin[sample_windows], nrows[sample_windows];
  PetscInt block[sample_blocks], block_rows[sample_blocks]; // the rows that may be a block

  HD bool read(int w) const { return (w + 1) * nread / nblocks > w * nread / nblocks; } // evenly spread
};

/* A block, with its rows from 0. Long rows are empty here, and of the others the first sample_row entries stay. */
struct Block {
  PetscInt nrows, ptr[sample_block + 1], col[sample_entries];
  short    row[sample_entries]; // of an entry
  PetscInt from[sample_block];  // the first entry of a row in the matrix
};

/* What the host gets. All counts begin at 0. */
struct BlockCounts {
  std::int64_t rows, entries;
  std::int64_t last_col, before_first_col; // the largest column + 1; the number of columns less the smallest
  std::int64_t short_gaps, short_groups;   // entries whose columns take 16 bits
  std::int64_t far_from_row;               // entries whose x is far from the place of their row
  std::int64_t in_place;                   // entries where a full block of bs x bs has them
  std::int64_t alike, repeated;            // rows whose entries lie as those of the row before do; of these, in the same columns
  std::int64_t pattern[block_slices];      // of each 32 rows, a number for where their entries are, counted from the first; 0: none
};

struct OrderCounts {
  int          requests, misses, near, far[place_bins];
  std::int64_t plain, sorted, groups, steps;
};

struct Offset {
  std::int64_t key; // offset + rows + 1; 0: none
  std::int64_t count;
};

struct Report {
  std::int64_t longest, long_rows, long_nnz;
  std::int64_t usual[sample_windows]; // the longest row of a window, of those of at most ordinary_row entries
  BlockCounts  block[sample_blocks];
  OrderCounts  order[max_orders][sample_blocks];
  std::int64_t nlisted;
  Offset       listed[most_listed];
};

/* One order of reads */
struct Order {
  Layout   layout;
  PetscInt param;
};

} // namespace goza::locality::sampling
