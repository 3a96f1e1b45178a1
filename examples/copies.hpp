/* How often PETSc's arrays went between host and device, by its own counters: in the first step of a solver, where things are set up, and in those after it. */
#pragma once
#include <petscsys.h>

#if PETSC_VERSION_LT(3, 19, 0) && !defined(PETSC_SUCCESS)
  #define PETSC_SUCCESS 0
#endif

typedef struct {
  PetscLogDouble begin, first, last;
  PetscInt       steps;
} Copies;

/* After each step, and as step 0 before the first */
static inline PetscErrorCode CountCopies(Copies *copies, PetscInt step)
{
  PetscLogDouble now = 0;

  PetscFunctionBeginUser;
#if PetscDefined(HAVE_CUDA) && PetscDefined(USE_LOG)
  now = petsc_ctog_ct + petsc_gtoc_ct;
#endif
  if (step == 0) copies->begin = now;
  if (step <= 1) copies->first = now;
  copies->last  = now;
  copies->steps = step;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode PrintCopies(const Copies *copies)
{
  PetscFunctionBeginUser;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "Copies between host and device: %" PetscInt_FMT " in the first step, %" PetscInt_FMT " in %" PetscInt_FMT " more\n",
                        (PetscInt)(copies->first - copies->begin), (PetscInt)(copies->last - copies->first), PetscMax(copies->steps - 1, 0)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
