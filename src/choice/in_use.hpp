/* Which of two products of the same matrix is the faster, told by those that a program asks for anyway: they take turns. */
#pragma once
#include "tuning.hpp"
#include <algorithm>
#include <vector>

namespace goza::choice
{

class InUse {
public:
  void begin() { begun_ = true; }
  bool undecided() const { return begun_ && made() < 2 * products_in_use; }
  bool second_is_next() const { return made() % 4 == 1 || made() % 4 == 2; } // neither always after the other

  void took(double seconds)
  {
    if (second_is_next()) second_.push_back(seconds);
    else first_.push_back(seconds);
  }

  double first() const { return median(first_); } // seconds
  double second() const { return median(second_); }

private:
  std::size_t made() const { return first_.size() + second_.size(); }

  static double median(std::vector<double> times)
  {
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);

    std::nth_element(times.begin(), middle, times.end());
    return *middle;
  }

  bool                begun_ = false;
  std::vector<double> first_, second_;
};

} // namespace goza::choice
