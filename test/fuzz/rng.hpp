/* Random numbers of the fuzzers. */
#pragma once

#include <cstdint>

namespace goza_fuzz {

/* The same on every rank and machine (splitmix64). */
class Rng {
public:
  explicit Rng(std::uint64_t seed) : state(seed * 0x9E3779B97F4A7C15u + 0x1234567) { }

  std::uint64_t bits()
  {
    std::uint64_t z = (state += 0x9E3779B97F4A7C15u);
    z               = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z               = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  long   below(long n) { return n > 0 ? (long)(bits() % (std::uint64_t)n) : 0; }
  bool   chance(int percent) { return below(100) < percent; }
  double unit() { return (double)(bits() >> 11) * 0x1p-53; }

private:
  std::uint64_t state;
};

} // namespace goza_fuzz
