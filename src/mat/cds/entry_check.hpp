/* Whether entries are like their mirror images, told by a sum. */
#pragma once
#include "core/device/space.hpp"
#include "core/util/hash.hpp"
#include "core/util/scalar_types.hpp"
#include <cstring>
#include <type_traits>

namespace goza::mat {

template <class Pair> HD std::uint64_t bits_of_parts(const Pair &wide)
{
  const double  part[] = {wide.real() + 0., wide.imag() + 0.}; // a zero has no sign
  std::uint64_t bits[2];

  memcpy(bits, part, sizeof(bits));
  return bits[0] ^ (bits[1] * golden_64 + (bits[1] >> 32));
}

/* A number for an entry above the diagonal and its value; 0 for a value of 0. Where all entries are like their mirror images, those of both add up to 0, and
   else hardly ever: once in 2^64. */
template <class Wide> HD std::uint64_t entry_check(PetscInt i, PetscInt j, Wide wide)
{
  std::uint64_t bits;

  if (wide == 0.) return 0;
  if constexpr (std::is_same_v<Wide, double>) memcpy(&bits, &wide, sizeof(bits));
  else bits = bits_of_parts(wide);
  bits ^= static_cast<std::uint64_t>(i) * splitmix_1 + static_cast<std::uint64_t>(j) * golden_64;
  bits = (bits ^ bits >> 31) * splitmix_2;
  bits = (bits ^ bits >> 29) * splitmix_1;
  return bits ^ bits >> 32;
}

} // namespace goza::mat
