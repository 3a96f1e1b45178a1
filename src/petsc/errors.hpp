/* Where C++ meets PETSc: no exception crosses. */
#pragma once
#include "compat.hpp"
#include "core/sparse/format.hpp"

namespace goza {

/* PetscValidHeaderSpecific() and PetscAssertPointer(), which are nothing in a PETSc without debugging. argument: its number; what: "Mat" */
inline PetscErrorCode CheckPointer(const void *pointer, int argument)
{
  PetscFunctionBegin;
  PetscCheck(pointer, PETSC_COMM_SELF, PETSC_ERR_ARG_NULL, "Null pointer: argument %d", argument);
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Object> PetscErrorCode CheckObject(Object object, PetscClassId id, const char *what, int argument)
{
  PetscFunctionBegin;
  PetscCheck(object, PETSC_COMM_SELF, PETSC_ERR_ARG_NULL, "Null %s: argument %d", what, argument);
  PetscCheck(((PetscObject)object)->classid == id, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG, "Argument %d is not a %s, or one that was destroyed", argument, what);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Run body(); an exception becomes a PETSc error of the right class on A's communicator-less stack (other ranks learn of it as of any PETSc error). */
template <class Body> PetscErrorCode Guarded(Body &&body)
{
  PetscFunctionBegin;
  try {
    body();
  } catch (const DeviceMemoryError &e) {
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_MEM, "%s", e.what());
  } catch (const DeviceError &e) {
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_GPU, "%s", e.what());
  } catch (const FormatRefusal &e) {
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP, "%s", e.what());
  } catch (const std::bad_alloc &) {
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_MEM, "host memory exhausted");
  } catch (const std::exception &e) {
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_LIB, "%s", e.what());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza
