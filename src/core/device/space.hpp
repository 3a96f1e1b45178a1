/* Where arrays live and kernels run, and the two macros of kernels. */
#pragma once
#include "core/rooms.hpp"
#include <petscsys.h>

#if defined(__CUDACC__)
  #define HD __host__ __device__
#else
  #define HD
#endif

/* Before a loop: the device's compiler unrolls it, whole or so many steps at a time. */
#if defined(__CUDA_ARCH__)
  #define GOZA_PRAGMA(text) _Pragma(#text)
  #define UNROLL(...)       GOZA_PRAGMA(unroll __VA_ARGS__)
#else
  #define UNROLL(...)
#endif

namespace goza {

enum class Space { Host, Cuda };

constexpr const char *space_name(Space space) { return space == Space::Host ? "host" : "cuda"; }

} // namespace goza
