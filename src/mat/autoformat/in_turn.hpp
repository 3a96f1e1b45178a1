/* Times of products that are made in turn, so that none has a quieter moment of the machine than another. */
#pragma once
#include <functional>
#include <vector>

namespace goza
{

/* Makes so many products and waits for the last. */
using Products = std::function<void(int)>;

/* Seconds of a product of each: the median of `rounds` batches. All batches have as many products, about half a millisecond of the slowest's or one, so that what a batch costs
   beside its products is the same for all. */
std::vector<double> seconds_in_turn(const std::vector<Products> &all, int rounds);

} // namespace goza
