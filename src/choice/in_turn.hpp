/* Times of products that are made in turn, so that none has a quieter moment of the machine than another. */
#pragma once
#include "core/device/space.hpp"
#include "core/util/thread_clock.hpp"
#include "tuning.hpp"
#include <algorithm>
#include <functional>
#include <limits>
#include <vector>

namespace goza::choice {

/* Launches so many products and does not wait for them. */
using Products = std::function<void(int)>;

struct ProductTime {
  double working = 0; // seconds of the device, when the launch has been waiting
  double asking  = 0; // seconds of the host until it can ask for the next

  double seen() const { return std::max(working, asking); } // by a program that calls for one after the other

  /* By what products are told apart of which the least asking is known: the device's time, which is what counts where a solver's cycle runs as a graph; but
     what a program sees of one that asks for much more than another, as for a second kernel. */
  double beside(double least_asking) const { return asking > asks_for_more * least_asking ? seen() : working; }
};

/* What trials have cost since they began, of this thread, and what it may. */
struct TrialTime {
  double begin = thread_seconds(), most = std::numeric_limits<double>::infinity();
  bool   goes_on = false; // products that are asked for later will tell long ones apart
  bool   leaves  = false; // what is made first need not be timed, where nothing else can be afforded
  double rivals  = 0;     // seconds of the first products of what would have to be timed with it

  double used() const { return thread_seconds() - begin; }
  bool   allows(double seconds) const { return used() + seconds <= most; }
};

ProductTime time_of(Space space, const Products &make, int products);

/* How often products take turns, and how many of one are timed at a time. */
struct Turns {
  int rounds, batch;
};

/* For about `seconds` in all. least, sum: seconds of the shortest product, of one of each. On a device the first product after another format's finds the
   caches as that one left them, by which the slower of two may look faster: where they are not long, a batch is of several, before which time_of() makes one
   that does not count. */
Turns turns_for(Space space, std::size_t products, double least, double sum, double seconds);

/* Of a product of each, the medians of several batches: of about `seconds` in all where products are short, else of as few as turns_for() allows (on a host of
   two: the one that tells how long a product is, and another; known: the first has been made, and took so many seconds). All batches have as many products, so
   that what a batch costs beside its products is the same for all, and are as those of a solver in the midst of its work: matrix and x are in the caches as far
   as they fit. */
std::vector<ProductTime> time_in_turn(Space space, const std::vector<Products> &all, double seconds, double known = 0);

} // namespace goza::choice
