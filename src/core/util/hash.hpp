/* Numbers that look random, from numbers that do not. */
#pragma once
#include "core/device/space.hpp"
#include <cstdint>

namespace goza {

/* Multiplicative hashing (Knuth, The Art of Computer Programming, 6.4): by 2^32 and 2^64 over the golden ratio; and the other factors of splitmix64 (Steele,
   Lea, Flood 2014). */
constexpr std::uint32_t golden_32 = 0x9E3779B1u;
constexpr std::uint64_t golden_64 = 0x9E3779B97F4A7C15u, splitmix_1 = 0xBF58476D1CE4E5B9u, splitmix_2 = 0x94D049BB133111EBu;

template <class Integer> HD constexpr std::uint32_t scattered(Integer k) { return static_cast<std::uint32_t>(k) * golden_32; }

/* A number somewhere in part k of n equal parts of 0 .. count - 1: a fixed stride would meet only the faces of some grids. */
HD inline PetscInt somewhere_in_part(std::int64_t k, std::int64_t n, std::int64_t count)
{
  const std::int64_t begin = k * count / n, end = (k + 1) * count / n;

  return static_cast<PetscInt>(begin + scattered(k) % (end - begin));
}

} // namespace goza
