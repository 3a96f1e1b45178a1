/* What the programs share: the clock, the time of a set-up, and the names of a box's faces. */
#pragma once
#include <petscdevice.h>
#include <petscksp.h>
#include <petscsys.h>
#include <petsctime.h>

#if PETSC_VERSION_LT(3, 19, 0)
  #define PETSC_SUCCESS 0
#endif

/* The time when all ranks, and a GPU if one is in use, have finished what came before */
static inline PetscErrorCode Now(PetscLogDouble *seconds)
{
  PetscFunctionBeginUser;
  if (PetscDeviceInitialized(PETSC_DEVICE_CUDA)) {
    PetscDeviceContext context;

    PetscCall(PetscDeviceContextGetCurrentContext(&context));
    PetscCall(PetscDeviceContextSynchronize(context));
  }
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(PetscTime(seconds));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The fastest set-up of several, each but the first from nothing again, which is that with new values where the solver was set up before; first: may be null */
static inline PetscErrorCode SetUp(PetscInt setups, KSP ksp, Mat A, PetscLogDouble *fastest, PetscLogDouble *first)
{
  PetscLogDouble start = 0, end = 0;

  PetscFunctionBeginUser;
  *fastest = PETSC_MAX_REAL;
  for (PetscInt n = 0; n < setups; n++) {
    if (n) PetscCall(KSPReset(ksp)); /* which forgets -ksp_view, too */
    PetscCall(Now(&start));
    PetscCall(KSPSetOperators(ksp, A, A)); /* again after a change of values: KSPSetUp() would not look */
    PetscCall(KSPSetUp(ksp));
    PetscCall(KSPSetUpOnBlocks(ksp));
    PetscCall(Now(&end));
    *fastest = PetscMin(*fastest, end - start);
    if (n == 0 && first) *first = end - start;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* dirichlet[face] becomes true for each of the names that -dirichlet gave; the names are freed */
static inline PetscErrorCode MarkFaces(PetscInt n, char *names[], PetscBool dirichlet[])
{
  static const char *const faces[] = {"xm", "xp", "ym", "yp", "zm", "zp"};
  PetscInt                 face;
  PetscBool                found;

  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < n; k++) {
    PetscCall(PetscEListFind(6, faces, names[k], &face, &found));
    PetscCheck(found, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "-dirichlet %s is none of xm,xp,ym,yp,zm,zp", names[k]);
    dirichlet[face] = PETSC_TRUE;
    PetscCall(PetscFree(names[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
