/* A column as formats hold it. */
#pragma once
#include <cstdint>
#include <limits>
#include <stdexcept>

namespace goza {

/* Of one rank, ghosts included, and so in 32 bits whatever the integers of PETSc are: with 64-bit indices a product reads no more than with 32-bit ones. */
using LocalColumn = std::int32_t;

inline void check_local_columns(std::int64_t ncols)
{
  if (ncols > std::numeric_limits<LocalColumn>::max())
    throw std::length_error("a rank's part of the matrix has more columns than 32 bits can count: use more ranks");
}

} // namespace goza
