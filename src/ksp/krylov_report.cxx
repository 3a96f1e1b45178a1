/* What the iteration tells KSP: history, monitors, tests. */
#include "krylov_space.hpp"

namespace goza::ksp {

bool KrylovSpace::tests_norm() const { return ksp_->normtype != KSP_NORM_NONE && HasTest(ksp_, KSPConvergedDefault); }

PetscErrorCode KrylovSpace::monitor(PetscInt it, PetscReal norm)
{
  PetscFunctionBegin;
  ksp_->rnorm = norm;
  PetscCall(KSPLogResidualHistory(ksp_, norm));
  if (seen_ && ksp_->numbermonitors) PetscCall(show([&] { return KSPMonitor(ksp_, it, norm); }));
  else PetscCall(KSPMonitor(ksp_, it, norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KrylovSpace::test(PetscInt it, PetscReal norm)
{
  const auto call = [&] { return (*ksp_->converged)(ksp_, it, norm, &ksp_->reason, ksp_->cnvP); };

  PetscFunctionBegin;
  if (seen_) PetscCall(show(call));
  else PetscCall(call());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckNorm(KSP ksp, PetscReal norm)
{
  PetscFunctionBegin;
  KSPCheckNorm(ksp, norm);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckDot(KSP ksp, PetscScalar xy)
{
  PetscFunctionBegin;
  KSPCheckDot(ksp, xy);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KrylovSpace::check(PetscReal norm)
{
  PetscFunctionBegin;
  if (PetscIsInfOrNanReal(norm)) PetscCall(show([&] { return CheckNorm(ksp_, norm); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KrylovSpace::check_dot(PetscScalar xy)
{
  PetscFunctionBegin;
  if (PetscIsInfOrNanScalar(xy)) PetscCall(show([&] { return CheckDot(ksp_, xy); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::ksp
