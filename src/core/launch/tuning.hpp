/* Sizes of thread blocks. The launchers take them, and the models of src/locality count with them. */
#pragma once

namespace goza {

constexpr int warp_lanes = 32;

/* A block of for_each_row() and for_each_warp(). */
constexpr int rows_per_block = 256;

/* A block of for_each_warp_in_ranges(): as many blocks as a multiprocessor holds with the registers of Fold's kernel. */
constexpr int range_threads = 640, ranges_per_multiprocessor = 2;

/* Lines of a grid in the second direction of a block's brick, and their length in the first: of all bricks of 512 and 1024 rows for 27 points, 64 x 4 x 2 and
   64 x 4 x 4 read most of what rows share from L1. */
constexpr int brick_lines = 2, brick_line = 6, brick_short_line = 5; // log2

} // namespace goza
