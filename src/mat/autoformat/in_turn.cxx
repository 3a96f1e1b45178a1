#include "in_turn.hpp"
#include <algorithm>
#include <chrono>

namespace goza
{

static double seconds_of(const Products &make, int products)
{
  const auto begin = std::chrono::steady_clock::now();

  make(products);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::vector<double> seconds_in_turn(const std::vector<Products> &all, int rounds)
{
  constexpr double                 batch_seconds = 0.5e-3;
  std::vector<std::vector<double>> measured(all.size());
  std::vector<double>              medians;
  int                              products = 1;

  const auto slowest = [&] {
    double most = 0;

    for (const Products &make : all) most = std::max(most, seconds_of(make, products));
    return most;
  };

  (void)slowest(); // the first may set up
  while (products < 256 && slowest() < batch_seconds / 2) products *= 2;
  for (int r = 0; r < rounds; r++) {
    for (std::size_t k = 0; k < all.size(); k++) measured[k].push_back(seconds_of(all[k], products) / products);
  }
  for (std::vector<double> &times : measured) {
    const auto middle = times.begin() + times.size() / 2;

    std::nth_element(times.begin(), middle, times.end());
    medians.push_back(*middle);
  }
  return medians;
}

} // namespace goza
