/* What the programs on a box share: the clock, and the names of its faces. */
#pragma once
#include <petscdevice.h>
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
