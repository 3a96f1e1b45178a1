/* Sizes at which a format changes what it does. Each was found by measurement on an H200, or on a core of an AMD EPYC where it is about the host;
   test/bench/results/ has the figures. The models of src/locality count with the same. */
#pragma once
#include "core/rooms.hpp"
#include <petscsystypes.h>
#include <cstddef>
#include <cstdint>

namespace goza::mat {

/* --- CDS */

/* Places of a diagonal that must be filled for it to be stored whole: below two thirds, twelve bytes an entry in the remainder are fewer. */
constexpr double diagonal_share = 0.6;

/* Nodes to a block of the device, by what a product waits for: bricks twice as thick keep more of what rows share in L1 where L2 is the limit, as for half
   storage of doubles; compared with unrolled loops and thinner bricks for 27 points on three sizes of a grid. */
constexpr int cds_brick_in_pairs = 1024, cds_brick = 512, cds_brick_blocks = 256;

/* Blocks that a multiprocessor is compiled to hold. 32 registers are enough for all values of a pair of diagonals, and two thick bricks are then resident;
   asked for two, ptxas puts some loads off, and the product is slower: it is asked for one. */
constexpr int cds_resident_in_pairs = 1, cds_resident = 2;

/* Diagonals whose values are asked for together: all of a short row, nine of 27, two of blocks; of a number that no kernel is
   compiled for five and then three: 19 points have 10 in half storage. */
constexpr int cds_together_27 = 9, cds_together_blocks = 2, cds_together_any = 5, cds_together_rest = 3;

/* Least length of a grid's lines for four rows a thread: with 27 points, and with few, of which grids of two sizes were compared. */
constexpr PetscInt four_rows_line_27 = 128, four_rows_line_few = 32;

/* Nodes that a core takes at a time, compared with half and twice as many: with vectors of 64 bytes, most of whose loads cross lines of the cache, and with
   shorter ones. */
constexpr PetscInt cds_host_nodes_wide = 1024, cds_host_nodes = 4096;

/* --- sliced ELL */

/* log2 of the host's slice height: compared with 1, 2 and 8 rows on 27 points of three sizes. */
constexpr int host_shift = 2;

/* Rows are sorted in windows of so many, where that saves a twentieth of the stored entries. */
constexpr PetscInt                    sort_window = 4096;
template <class Count> constexpr bool worth_sorting(Count stored, Count nnz) { return stored > nnz + nnz / 20; }

/* Entries for each column that is stored, from which slices share columns: where they do not, a column takes 2 or 4 bytes. */
constexpr int columns_worth_sharing = 8;

/* Threads that fill the device; fewer rows have several threads each, as long as each of them has so many entries to add. Short rows gain from it in smaller
   matrices only: compared for 12 and for 35 to 42 entries a row. */
constexpr std::int64_t ell_full = 80000, ell_full_long = 160000, ell_long_mean = 24, ell_least_each = 4;

/* Where rows are uneven the longest of them is what a product waits for: more threads share a row then, up to so many on the device, and it stays in the slices
   with so many entries a thread. Compared with 300000 and 1200000, 0 and 32 for coarse levels of stretched grids, 84 000 and 18 000 rows. */
constexpr std::int64_t ell_full_uneven  = 600000;
constexpr PetscInt     ell_longest_each = 64;

/* The same for rows of dense blocks, which give a thread more to do: two share one below ell_full rows, more where each still has 2.5 blocks. Compared with
   every height for blocks of 3 and 6, 7 to 104 in a row, 121 to 262144 rows: within 8 % of the best height where a product is no launch alone. */
constexpr std::int64_t block_ell_full = 50000, block_ell_full_long = 160000, block_ell_long_mean = 64;

/* A block of threads to each block row pays for few long rows: below so many rows from the first mean length on, else from a fifth of their number. */
constexpr std::size_t block_ell_few_rows = 320, block_ell_few_mean = 64, block_ell_rows_per_mean = 5;

/* Blocks of threads that a multiprocessor is compiled to hold. Without a number ptxas takes 64 registers for blocks of 6 x 6, of which all loads at once need
   128. */
constexpr int block_ell_resident = 2;

/* Threads that write a matrix at full speed. */
constexpr std::int64_t ell_fill_full = 300000;

/* Entries of a row beyond which it is held outside the slices: so many, or so many times the mean; and of the pieces that such rows are cut into. */
constexpr std::int64_t long_row_least = 256, long_row_means = 8;
constexpr PetscInt     piece_entries = 1024;

/* --- Fold */

/* Widths that are chosen from. */
constexpr PetscInt fold_widths[] = {8, 16, 32};

/* Rows that are packed into groups together: of many, lines are as long as one another; few write their sums near one another, which saves L2 lookups where
   nearly all of these are for far columns. A third or more of the entries are far where that pays (0.44 to 0.97), a fifth or less where it costs. */
constexpr PetscInt fold_chunk = 1024, fold_small_chunk = 128;
constexpr double   fold_far_share = 1 / 3., fold_small_chunk_row = 4;
constexpr PetscInt fold_chunk_for(double far_share, double nnz, double rows)
{
  return far_share >= fold_far_share && nnz >= fold_small_chunk_row * rows ? fold_small_chunk : fold_chunk;
}

/* Where columns are near and rows short, a block of threads gets consecutive groups, which find each other's x in the L1 cache. Where columns are far, that
   only costs: a warp with several groups waits for each head in turn. Long rows have their neighbours in the cache as it is: compared for 13 and 36 entries a
   row. Fewer entries than fold_range_entries leave multiprocessors without such a block: smaller ones, spread as they come, take less time. */
constexpr int    fold_range_row     = 20;
constexpr double fold_range_entries = 1e6;
constexpr bool   fold_in_ranges(double near_share, double nnz, double rows)
{
  return near_share > 0.5 && nnz <= fold_range_row * rows && nnz >= fold_range_entries;
}

/* What of x the L1 cache of a multiprocessor holds, and rows whose x it does not hold several times over. */
constexpr PetscInt l1_reach = 16384, l1_least_rows = 8 * l1_reach;

/* Sectors of a row that breadth-first order must bring near: 12 pay; of 3 x 3 blocks, where rows share them, 6 do not. */
constexpr double least_gain = 8;

} // namespace goza::mat
