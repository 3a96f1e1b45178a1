/* What the types have in common as PETSc's objects. Data: what a KSP of the type holds, with its KrylovSpace as `space`. */
#pragma once
#include "krylov_space.hpp"
#include "mat/common/errors.hpp"

namespace goza
{

inline bool ksp_is_alone(KSP ksp)
{
  PetscMPIInt size = 1;

  (void)MPI_Comm_size(PetscObjectComm((PetscObject)ksp), &size);
  return size == 1;
}

template <class Data> PetscErrorCode KSPReset_Fused(KSP ksp)
{
  PetscFunctionBegin;
  PetscCall(static_cast<Data *>(ksp->data)->space.reset());
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Data> PetscErrorCode KSPDestroy_Fused(KSP ksp)
{
  PetscFunctionBegin;
  PetscCall(KSPReset_Fused<Data>(ksp));
  delete static_cast<Data *>(ksp->data);
  ksp->data = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Data> PetscErrorCode KSPView_Fused(KSP ksp, PetscViewer viewer)
{
  PetscBool ascii;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  const std::string how = static_cast<Data *>(ksp->data)->space.describe();
  if (ascii && !how.empty()) PetscCall(PetscViewerASCIIPrintf(viewer, "  %s\n", how.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

inline PetscErrorCode KSPSetUp_Fused(KSP)
{
  return PETSC_SUCCESS; /* vectors are made in the first solve, when it is known where they live */
}

template <class Data> PetscErrorCode SetUpObject(KSP ksp, PetscErrorCode (*solve)(KSP))
{
  PetscFunctionBegin;
  PetscCallCXX(ksp->data = new Data);
  ksp->ops->setup         = KSPSetUp_Fused;
  ksp->ops->solve         = solve;
  ksp->ops->reset         = KSPReset_Fused<Data>;
  ksp->ops->destroy       = KSPDestroy_Fused<Data>;
  ksp->ops->view          = KSPView_Fused<Data>;
  ksp->ops->buildsolution = KSPBuildSolutionDefault;
  ksp->ops->buildresidual = KSPBuildResidualDefault;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza
