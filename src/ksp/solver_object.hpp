/* What the types have in common as PETSc's objects. Data: what a KSP of the type holds, with its KrylovSpace as `space`. */
#pragma once
#include "core/device/scalars.hpp"
#include "krylov_space.hpp"
#include "pc/saamg/api/pcsaamg.hpp"

namespace goza::ksp {

inline bool ksp_on_one_rank(KSP ksp) { return ranks_of(ksp) == 1; }

/* What a KSP holds of a method whose scalars these are. */
template <class S> struct FusedData {
  KrylovSpace space;
  Scalars<S>  scalars;
  bool        have_scalars = false;
};

/* One solve: Method(ksp, space, scalars).solve() with so many vectors. */
template <class S, class Method> PetscErrorCode SolveFused(KSP ksp, PetscInt nvectors)
{
  auto *data = static_cast<FusedData<S> *>(ksp->data);

  PetscFunctionBegin;
  PetscCall(InKrylovSpace(
    data->space, ksp, nvectors,
    [&] {
      return Guarded([&] {
        if (!data->have_scalars || data->scalars.space() != data->space.space()) data->scalars = Scalars<S>(data->space.space());
        data->have_scalars = true;
      });
    },
    [&] { return Method(ksp, data->space, data->scalars).solve(); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Data> PetscErrorCode KSPReset_Fused(KSP ksp) { return static_cast<Data *>(ksp->data)->space.reset(); }

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
  PetscFunctionBegin;
  if (is_type(viewer, PETSCVIEWERASCII)) PetscCall(static_cast<Data *>(ksp->data)->space.view(ksp, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x is the solution at any time, whatever the side of the preconditioner (which KSPBuildSolutionDefault() would apply once more from the right). */
inline PetscErrorCode KSPBuildSolution_Fused(KSP ksp, Vec given, Vec *result)
{
  PetscFunctionBegin;
  if (given) PetscCall(VecCopy(ksp->vec_sol, given));
  if (result) *result = given ? given : ksp->vec_sol;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Vectors are made in the first solve, when it is known where they live. */
inline PetscErrorCode KSPSetUp_Fused(KSP ksp)
{
  PetscFunctionBegin;
  if (ksp->pc) PetscCall(saamg::PCExpectTrueResiduals_SAAMG(ksp->pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Data> PetscErrorCode SetUpObject(KSP ksp, PetscErrorCode (*solve)(KSP))
{
  PetscFunctionBegin;
  PetscCall(Together(comm_of(ksp), "hold a solver of this type", [&] { ksp->data = new Data; }));
  ksp->ops->setup         = KSPSetUp_Fused;
  ksp->ops->solve         = solve;
  ksp->ops->reset         = KSPReset_Fused<Data>;
  ksp->ops->destroy       = KSPDestroy_Fused<Data>;
  ksp->ops->view          = KSPView_Fused<Data>;
  ksp->ops->buildsolution = KSPBuildSolution_Fused;
  ksp->ops->buildresidual = KSPBuildResidualDefault;
  GozaZeroesItsGuess(ksp, 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::ksp
