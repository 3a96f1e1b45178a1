/* Differences between PETSc 3.18 and 3.26, in one place. */
#pragma once
#include "accessors.hpp"

#if PETSC_VERSION_LT(3, 19, 0)
  #define PETSC_SUCCESS ((PetscErrorCode)0)
#endif

#if PETSC_VERSION_LT(3, 23, 0)
using GozaOptionItems = PetscOptionItems *;
#else
using GozaOptionItems    = PetscOptionItems;
#endif

/* A container's destroy function: given the pointer until 3.22, the address of the pointer since. */
#if PETSC_VERSION_LT(3, 23, 0)
  #define PetscContainerSetCtxDestroy PetscContainerSetUserDestroy
using GozaDestroyContext = void *;
inline void *GozaDestroyedPointer(void *ctx) { return ctx; }
#else
  #if PETSC_VERSION_LT(3, 25, 0)
using GozaDestroyContext = void **;
  #else
using GozaDestroyContext = PetscCtxRt;
  #endif
inline void *GozaDestroyedPointer(void *ctx) { return *static_cast<void **>(ctx); }
#endif

/* Newer versions' KSPSolve() leaves out the zeros of a zero guess where a type says that it writes them itself. */
template <class Solver> auto GozaZeroesItsGuess(Solver ksp, int) -> decltype((void)(ksp->guess_not_read = PETSC_TRUE)) { ksp->guess_not_read = PETSC_TRUE; }
template <class Solver> void GozaZeroesItsGuess(Solver, long) { }

/* MatCreateMPIAIJWithSeqAIJ(), whose garray, of PetscMalloc1(), newer versions keep; older ones copy it, and want no sizes. */
template <class Create>
auto GozaMatOfBlocks(Create create, MPI_Comm comm, Mat A, Mat B, PetscInt *garray, Mat *C, int)
  -> decltype(create(comm, PETSC_DETERMINE, PETSC_DETERMINE, A, B, garray, C))
{
  return create(comm, PETSC_DETERMINE, PETSC_DETERMINE, A, B, garray, C);
}
template <class Create> PetscErrorCode GozaMatOfBlocks(Create create, MPI_Comm comm, Mat A, Mat B, PetscInt *garray, Mat *C, long)
{
  PetscFunctionBegin;
  PetscCall(create(comm, A, B, garray, C));
  PetscCall(PetscFree(garray));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if PETSC_VERSION_LT(3, 22, 0)
inline PetscErrorCode VecFlag(Vec v, PetscInt) /* 3.18 has VecSetInf(): x is marked as not to be used */ { return VecSetInf(v); }
#endif
