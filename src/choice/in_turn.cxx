#include "in_turn.hpp"
#include "core/device/device_seconds.hpp"
#include <chrono>

namespace goza::choice {

ProductTime time_of(Space space, const Products &make, int products)
{
  double     asking = 0;
  const auto ask    = [&] {
    const auto begin = std::chrono::steady_clock::now();

    make(products);
    asking = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };

  if (space == Space::Host) {
    const double begin = thread_seconds();

    make(products);
    const double each = (thread_seconds() - begin) / products;
    return {each, each};
  }
  if (products > 1) make(1); // what came before has left the caches to itself
  const double working = device::seconds_of(ask);
  return {working / products, asking / products};
}

static double median(std::vector<double> times)
{
  const auto middle = times.begin() + (times.size() - 1) / 2;

  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

Turns turns_for(Space space, std::size_t products, double least, double sum, double seconds)
{
  constexpr int most = 100; // launches that wait without a wait for room
  Turns         turns{least < short_product ? 5 : space == Space::Host ? 1 : 2, 1};

  turns.batch = static_cast<int>(std::clamp(seconds / (turns.rounds * std::max(sum, 1e-7)), 1.0, static_cast<double>(most)));
  if (space == Space::Cuda && products > 1 && turns.batch == 1 && least < cached_product) turns = {std::min(turns.rounds, 3), 2};
  return turns;
}

std::vector<ProductTime> time_in_turn(Space space, const std::vector<Products> &all, double seconds, double known)
{
  std::vector<std::vector<double>> working(all.size()), asking(all.size());
  std::vector<ProductTime>         first, medians;
  double                           least = 1, sum = 0; // seconds of one product, of one of each

  for (const Products &make : all) first.push_back(known > 0 ? ProductTime{known, known} : time_of(space, make, 1)); // it may set up
  if (space == Space::Cuda) device::clear_caches();
  for (std::size_t k = 0; k < all.size(); k++) {
    if (space == Space::Cuda || first[k].working < cached_product) first[k] = time_of(space, all[k], 1);
    least = std::min(least, first[k].working);
    sum += first[k].working;
  }
  const bool  kept  = space == Space::Host && least >= short_product; // the faster of two counts
  const Turns turns = turns_for(space, all.size(), least, sum, seconds);

  for (std::size_t k = 0; kept && k < all.size(); k++) {
    working[k].push_back(first[k].working);
    asking[k].push_back(first[k].asking);
  }
  for (int r = 0; r < turns.rounds; r++) {
    for (std::size_t i = 0; i < all.size(); i++) {
      const std::size_t k    = r % 2 ? all.size() - 1 - i : i; // not always after the same one
      const ProductTime time = time_of(space, all[k], turns.batch);

      working[k].push_back(time.working);
      asking[k].push_back(time.asking);
    }
  }
  for (std::size_t k = 0; k < all.size(); k++) medians.push_back({median(working[k]), median(asking[k])});
  return medians;
}

} // namespace goza::choice
