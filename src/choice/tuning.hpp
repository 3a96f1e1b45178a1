/* Of the trials between formats. How far the model errs, and how far the times of one product vary, was found on the matrices of test/bench/bench_locality. */
#pragma once
#include "core/device/space.hpp"
#include <cstddef>

namespace goza::choice {

/* The model errs: a format that it finds within this of the best may be the fastest. PETSc's CSR must be closer, since PETSc may have to bring its arrays to
   the device. On a host it is there and costs no more than its own trial, and where rows are alike in groups (I-nodes) it is faster than the model knows. */
constexpr double close_to_best = 2;

inline double csr_close_to_best(Space space) { return space == Space::Cuda ? 1.3 : 4; }

/* Products shorter than so many seconds vary by this from one trial to the next: noise counts, and what a cache holds. */
constexpr double short_product = 100e-6, short_variation = 1.25;

inline double variation(double seconds) { return seconds < short_product ? short_variation : 1; }

/* A product that asks the host for so many times as much as another has a kernel more; the times of one kernel's launch vary by less. */
constexpr double asks_for_more = 1.6;

/* Seconds from which the caches hardly matter to a product: what a device's holds is read in a fiftieth of it. */
constexpr double cached_product = 10 * short_product;

/* Seconds that a short format's own trial may take, and the last trial of all that come near the fastest. */
constexpr double trial_seconds = 0.2e-3, last_trial_seconds = 2e-3;

/* The first of two long products of the same matrix takes at most so many times as long as the second. */
constexpr double clearly_slower = 1.2;

/* On a host a format takes several products' time to build: trials end when they have cost so many of PETSc's, or so many seconds. With the sample, the model
   and the product that was asked for it is seven in all on the median, and ten at most (test/bench/README.md). */
constexpr double most_trials = 6, least_trials = 2e-3;

/* On a host long products that are within this of each other are told apart by those that the program asks for: so many of each, and as long as they are within
   the second of each other, so many; fewer do where they are farther apart than the third. */
constexpr double      near_in_use = 1.5, clearly_in_use = 1.2, far_in_use = 2;
constexpr std::size_t products_in_use = 5, most_in_use = 20;

/* On a host a format must take less than so much of PETSc's product's time to be kept beside it: what is nearer is noise where others use the machine, too, and
   a format takes memory. */
constexpr double gain_on_host = 0.95;

} // namespace goza::choice
