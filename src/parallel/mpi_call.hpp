/* PETSc and MPI calls among exceptions. */
#pragma once
#include "core/rooms.hpp"
#include <petscsys.h>
#include <stdexcept>
#include <string>

namespace goza::parallel {

inline void must(PetscErrorCode code, const char *what)
{
  if (code) throw std::runtime_error(std::string(what) + " failed between ranks");
}

inline void must_mpi(int code, const char *what)
{
  if (code != MPI_SUCCESS) throw std::runtime_error(std::string(what) + " failed between ranks");
}

inline PetscMPIInt mpi_count(PetscInt n)
{
  PetscMPIInt count = 0;

  must(PetscMPIIntCast(n, &count), "PetscMPIIntCast");
  return count;
}

} // namespace goza::parallel
