/* What a PETSc object holds of C++ under a name, and deletes when it goes. */
#pragma once
#include "compat.hpp"
#include <memory>

namespace goza {

template <class T, class Object> T *attached(Object object, const char *name) /* nullptr: nothing */
{
  PetscContainer container = NULL;
  void          *found     = nullptr;

  (void)PetscObjectQuery((PetscObject)object, name, (PetscObject *)&container);
  if (container) (void)PetscContainerGetPointer(container, &found);
  return static_cast<T *>(found);
}

template <class T> PetscErrorCode DestroyAttached(GozaDestroyContext ctx)
{
  PetscFunctionBegin;
  delete static_cast<T *>(GozaDestroyedPointer(ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class T> PetscErrorCode Attach(PetscObject object, const char *name, std::unique_ptr<T> made)
{
  PetscContainer container;

  PetscFunctionBegin;
  PetscCall(PetscContainerCreate(PetscObjectComm(object), &container));
  PetscCall(PetscContainerSetPointer(container, made.release()));
  PetscCall(PetscContainerSetCtxDestroy(container, DestroyAttached<T>));
  PetscCall(PetscObjectCompose(object, name, (PetscObject)container));
  PetscCall(PetscContainerDestroy(&container));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza
