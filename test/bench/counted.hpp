/* A number that counts what is done with it: how many operations a template takes that a compiler cannot do beforehand. */
#pragma once
#include "core/device/space.hpp"
#include <cmath>

namespace goza_bench {

class Counted {
public:
  HD Counted(double value = 0) : value_(value) { } // a constant

  static Counted input(double value) { return Counted(value, false); }
  static long    done(); // operations since it was asked for last

  HD Counted &operator+=(Counted b)
  {
    if (b.known_ && b.value_ == 0) return *this;
    return known_ && value_ == 0 ? *this = b : *this = result(*this, b, value_ + b.value_);
  }
  HD Counted &operator*=(Counted b) { return *this = *this * b; }

  HD friend Counted operator+(Counted a, Counted b) { return a += b; }
  HD friend Counted operator-(Counted a, Counted b) { return result(a, b, a.value_ - b.value_); }
  HD friend Counted operator*(Counted a, Counted b) { return result(a, b, a.value_ * b.value_); }
  HD friend Counted operator/(Counted a, Counted b) { return result(a, b, a.value_ / b.value_); }
  HD friend Counted sqrt(Counted a) { return result(a, a, std::sqrt(a.value_)); }
  HD friend Counted operator-(Counted a) { return Counted(-a.value_, a.known_); } // a sign costs nothing

private:
  HD Counted(double value, bool known) : value_(value), known_(known) { }

  HD static Counted result(Counted a, Counted b, double value)
  {
    const bool known = a.known_ && b.known_;

#if !defined(__CUDA_ARCH__)
    count_ += !known;
#endif
    return Counted(value, known);
  }

  double             value_;
  bool               known_ = true;
  static inline long count_ = 0;
};

inline long Counted::done()
{
  const long n = count_;

  count_ = 0;
  return n;
}

} // namespace goza_bench
