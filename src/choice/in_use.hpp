/* Which of two products of the same matrix is the faster, told by those that a program asks for anyway: they take turns. */
#pragma once
#include "tuning.hpp"
#include <algorithm>
#include <vector>

namespace goza::choice {

class InUse {
public:
  void begin() { undecided_ = true; }
  bool undecided() const { return undecided_; }
  bool second_is_next() const { return made() % 4 == 1 || made() % 4 == 2; } // neither always after the other

  void took(double seconds)
  {
    if (second_is_next()) second_.push_back(seconds);
    else first_.push_back(seconds);
    undecided_ = (made() < 2 * products_in_use && !far()) || (near() && made() < 2 * most_in_use);
  }

  double first() const { return median(first_); } // seconds
  double second() const { return median(second_); }

private:
  std::size_t made() const { return first_.size() + second_.size(); }
  bool        near() const { return within(clearly_in_use); }
  bool        far() const { return made() % 4 == 0 && !within(far_in_use); } // of two of each, or four
  bool        within(double factor) const { return std::max(first(), second()) < factor * std::min(first(), second()); }

  static double median(std::vector<double> times)
  {
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);

    std::nth_element(times.begin(), middle, times.end());
    return *middle;
  }

  bool                undecided_ = false;
  std::vector<double> first_, second_;
};

} // namespace goza::choice
