#pragma once
#include <cstdint>
#include <petscsys.h>
#include <stdexcept>

namespace goza {

/* A number of entries as a PetscInt; an error where that cannot count them. */
inline PetscInt counted(std::int64_t entries)
{
  if (entries > static_cast<std::int64_t>(PETSC_MAX_INT))
    throw std::length_error("a matrix of the set-up has more entries than this PETSc's integers can count: use 64-bit indices or more ranks");
  return static_cast<PetscInt>(entries);
}

} // namespace goza
