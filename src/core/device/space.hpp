/* Where arrays live and kernels run, and the one macro of the project. */
#pragma once
#include "core/rooms.hpp"
#include <petscsys.h>

#if defined(__CUDACC__)
  #define HD __host__ __device__
#else
  #define HD
#endif

namespace goza
{

enum class Space {
  Host,
  Cuda
};

constexpr const char *space_name(Space space)
{
  return space == Space::Host ? "host" : "cuda";
}

} // namespace goza
