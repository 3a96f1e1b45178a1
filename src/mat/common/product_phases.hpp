/* Products whose phases are PETSc's, with something before and after each: functions of ours stand in for them, and what is attached to the result knows
   PETSc's. */
#pragma once
#include "petsc/attached.hpp"
#include <petsc/private/matimpl.h>

namespace goza::mat {

/* One of PETSc's phases. It may put another matrix in C's place (MatHeaderMerge(), as hypre's products), with which PETSc 3.18 drops what is attached, and
   keeps the operations. */
inline PetscErrorCode CallPhase(Mat C, const char *key, PetscErrorCode (*phase)(Mat))
{
  PetscObject attached, left;

  PetscFunctionBegin;
  PetscCall(PetscObjectQuery((PetscObject)C, key, &attached));
  PetscCall(PetscObjectReference(attached));
  const PetscErrorCode failed = phase(C);
  PetscCall(PetscObjectQuery((PetscObject)C, key, &left));
  if (!left) PetscCall(PetscObjectCompose((PetscObject)C, key, attached));
  PetscCall(PetscObjectDereference(attached));
  PetscCall(failed);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* After the symbolic phase, which says which numeric one is to come. Phases: attached under key, with a member `numeric`. */
template <class Phases> void stand_in_for_numeric(Mat C, const char *key, PetscErrorCode (*ours)(Mat))
{
  Phases *phases = attached<Phases>(C, key); // anew: a product of three may have gone through products of two

  if (!phases || !C->ops->productnumeric || C->ops->productnumeric == ours) return;
  phases->numeric        = C->ops->productnumeric;
  C->ops->productnumeric = ours;
}

} // namespace goza::mat
