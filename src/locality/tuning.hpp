/* Of the model of products, beside what is fitted to a machine (machines.cxx): found by comparing its times with those measured by test/bench/bench_locality,
   on families that are not reported. */
#pragma once
#include "core/rooms.hpp"

namespace goza::locality {

/* Bytes of x: what all that is in flight on a GPU reads of a band as wide as this stays in L2. */
constexpr double near_bytes = 8e6;

/* The same of a band that a processor's core foresees. */
constexpr double own_near_bytes = 0.25e6;

/* Steps of a thread that are partly begun before those before them end. */
constexpr double steps_ahead = 64;

/* Waits of a CDS kernel that is compiled for its number of diagonals, and so begins several loads at a time, for one of a kernel that takes one diagonal after
   the other. */
constexpr double grouped_waits = 0.43;

/* Share of the entries that must lie on diagonals for CDS to be compared: the remainder would be a second matrix. */
constexpr double least_on_diagonals = 0.6;

/* Share of rows with the columns of the row before from which PETSc multiplies by I-nodes. */
constexpr double least_repeated = 0.2;

/* Padding of slices of rows as they come, as a share of the entries, from which a processor foresees no row's length. */
constexpr double unforeseen_padding = 0.1;

/* The one width of Fold that is compared on a host: it takes 1.006 times the time of the best of all widths, on the mean over the study's matrices. */
constexpr int fold_host_width = 32;

} // namespace goza::locality
