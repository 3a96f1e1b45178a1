/* Where C++ meets PETSc: no exception crosses. */
#pragma once
#include "compat.hpp"
#include "core/sparse/format.hpp"
#include <new>

namespace goza {

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
