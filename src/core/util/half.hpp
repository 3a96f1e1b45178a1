/* The type of 16 bits that values of a matrix are stored in: IEEE half precision (11 bits of significand, 6.1e-5 to 65504). They are loaded, converted and
   multiplied in the type of the vectors; there is no arithmetic in it. */
#pragma once
#include "scalar_types.hpp"
#include <cstdint>
#include <cstring>

namespace goza {

/* How the values of a matrix are stored, whatever the type of the vectors. */
enum class Precision {
  Double, // PetscScalar
  Single,
  Half
};

namespace bits16 {

HD inline std::uint32_t of_float(float f)
{
  std::uint32_t u;

  std::memcpy(&u, &f, sizeof(u));
  return u;
}

HD inline float to_float(std::uint32_t u)
{
  float f;

  std::memcpy(&f, &u, sizeof(f));
  return f;
}

/* Without branches, so that loops of it become vector instructions. */
HD inline float half_to_float(std::uint16_t h)
{
#if defined(__CUDA_ARCH__)
  float f;

  asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
  return f;
#else
  const std::uint32_t size = h & 0x7fffu, sign = static_cast<std::uint32_t>(h & 0x8000u) << 16;
  const std::uint32_t finite = of_float(to_float(size << 13) * 5.192296858534828e33f); // 2^112: the bias of the exponents, and subnormals come out right

  return to_float(sign | (size < 0x7c00u ? finite : 0x7f800000u | (size & 0x3ffu) << 13));
#endif
}

/* To the nearest, ties to even; beyond 65520: infinity. */
HD inline std::uint16_t half_from_float(float f)
{
  const std::uint32_t u = of_float(f), sign = u >> 16 & 0x8000u, size = u & 0x7fffffffu;

  if (size > 0x7f800000u) return static_cast<std::uint16_t>(sign | 0x7e00u);
  if (size >= 0x477ff000u) return static_cast<std::uint16_t>(sign | 0x7c00u);
  if (size < 0x38800000u) return static_cast<std::uint16_t>(sign | (of_float(to_float(size) + 0.5f) - 0x3f000000u)); // subnormal: 0.5 + f is rounded at 2^-24
  return static_cast<std::uint16_t>(sign | (size - 0x38000000u + 0xfffu + (size >> 13 & 1u)) >> 13);
}

} // namespace bits16

struct Half {
  std::uint16_t bits;

  Half() = default;
  HD explicit Half(double v) : bits(bits16::half_from_float(static_cast<float>(v))) { }
  HD explicit operator float() const { return bits16::half_to_float(bits); }
  HD explicit operator double() const { return bits16::half_to_float(bits); }
};

using HalfScalar = ScalarOf<Half>;

/* What a type of stored values, or of their parts, can hold. Powers of two: values from 2^least up keep `rounding`, those of 2^most are held. */
template <class Store> struct StoreLimits {
  static constexpr int    least = -100, most = 100; // float, with room for the sums; a double held in PetscScalar is never asked
  static constexpr double rounding = 0x1p-24;
  static constexpr auto   name     = "single";
};

template <> struct StoreLimits<Half> {
  static constexpr int    least = -14, most = 14;
  static constexpr double rounding = 0x1p-11;
  static constexpr auto   name     = "half";
};

} // namespace goza
