/* The KSP type fusedgmres: flexible GMRES with PETSc's semantics (its `fgmres`), the basis handled a few vectors at a time. */
#include "flexible_gmres.hpp"
#include "fused.hpp"
#include "petscgoza.h"
#include "solver_object.hpp"

namespace goza::ksp {

static PetscErrorCode KSPSolve_FusedGMRES(KSP ksp)
{
  auto                          *data = static_cast<FusedGMRES *>(ksp->data);
  std::unique_ptr<FlexibleGMRES> method;

  PetscFunctionBegin;
  PetscCall(InKrylovSpace(
    data->space, ksp, 3, [&] { return Guarded([&] { method = std::make_unique<FlexibleGMRES>(ksp, *data); }); },
    [&] {
      data->running               = method.get();
      const PetscErrorCode failed = method->solve();
      data->running               = nullptr;
      return failed;
    }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* While a cycle is under way x is what it was at its beginning: monitors and tests see it with what the cycle has found. */
static PetscErrorCode KSPBuildSolution_FusedGMRES(KSP ksp, Vec given, Vec *result)
{
  auto    *data = static_cast<FusedGMRES *>(ksp->data);
  VecWrite access;
  Stage    stage;

  PetscFunctionBegin;
  if (!data->running) {
    PetscCall(KSPBuildSolution_Fused(ksp, given, result));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!given) {
    if (!data->built) PetscCall(VecDuplicate(ksp->vec_sol, &data->built));
    given = data->built;
  }
  PetscCall(VecCopy(ksp->vec_sol, given));
  PetscCall(access.get(given, data->space.space(), stage, true));
  PetscCall(data->running->add_correction(access.data()));
  PetscCall(access.restore());
  if (result) *result = given;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- the rest of its life */

static PetscErrorCode KSPReset_FusedGMRES(KSP ksp)
{
  auto *data = static_cast<FusedGMRES *>(ksp->data);

  PetscFunctionBegin;
  PetscCall(VecDestroy(&data->built));
  data->h = Array<PetscScalar>();
  data->columns.release();
  PetscCall(KSPReset_Fused<FusedGMRES>(ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPGMRESSetRestart_FusedGMRES(KSP ksp, PetscInt restart)
{
  PetscFunctionBegin;
  PetscCheck(restart >= 1, comm_of(ksp), PETSC_ERR_ARG_OUTOFRANGE, "Restart must be positive");
  static_cast<FusedGMRES *>(ksp->data)->restart = restart;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPGMRESGetRestart_FusedGMRES(KSP ksp, PetscInt *restart)
{
  PetscFunctionBegin;
  *restart = static_cast<FusedGMRES *>(ksp->data)->restart;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPGMRESSetHapTol_FusedGMRES(KSP ksp, PetscReal tol)
{
  PetscFunctionBegin;
  PetscCheck(tol >= 0, comm_of(ksp), PETSC_ERR_ARG_OUTOFRANGE, "Tolerance must be non-negative");
  static_cast<FusedGMRES *>(ksp->data)->haptol = tol;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPCopySettings_FusedGMRES(KSP from, KSP to)
{
  PetscFunctionBegin;
  static_cast<FusedGMRES *>(to->data)->restart = static_cast<FusedGMRES *>(from->data)->restart;
  static_cast<FusedGMRES *>(to->data)->haptol  = static_cast<FusedGMRES *>(from->data)->haptol;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ComposeGMRES(KSP ksp, bool attach)
{
  PetscFunctionBegin;
  PetscCall(PetscObjectComposeFunction((PetscObject)ksp, "KSPGMRESSetRestart_C", attach ? KSPGMRESSetRestart_FusedGMRES : NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)ksp, "KSPGMRESGetRestart_C", attach ? KSPGMRESGetRestart_FusedGMRES : NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)ksp, copies_settings, attach ? KSPCopySettings_FusedGMRES : NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)ksp, "KSPGMRESSetHapTol_C", attach ? KSPGMRESSetHapTol_FusedGMRES : NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPDestroy_FusedGMRES(KSP ksp)
{
  PetscFunctionBegin;
  PetscCall(KSPReset_FusedGMRES(ksp));
  PetscCall(ComposeGMRES(ksp, false));
  PetscCall(KSPDestroy_Fused<FusedGMRES>(ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPSetFromOptions_FusedGMRES(KSP ksp, GozaOptionItems PetscOptionsObject)
{
  auto     *data = static_cast<FusedGMRES *>(ksp->data);
  PetscInt  restart;
  PetscReal haptol;
  PetscBool flg;

  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "KSP fused GMRES options");
  PetscCall(PetscOptionsInt("-ksp_gmres_restart", "Number of Krylov search directions", "KSPGMRESSetRestart", data->restart, &restart, &flg));
  if (flg) PetscCall(KSPGMRESSetRestart(ksp, restart));
  PetscCall(PetscOptionsReal("-ksp_gmres_haptol", "Tolerance for exact convergence (happy breakdown)", "KSPGMRESSetHapTol", data->haptol, &haptol, &flg));
  if (flg) PetscCall(KSPGMRESSetHapTol(ksp, haptol));
  PetscOptionsHeadEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPView_FusedGMRES(KSP ksp, PetscViewer viewer)
{
  auto *data = static_cast<FusedGMRES *>(ksp->data);

  PetscFunctionBegin;
  if (is_type(viewer, PETSCVIEWERASCII)) {
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "  restart=%" PetscInt_FMT ", using classical (unmodified) Gram-Schmidt orthogonalization with no iterative refinement\n",
                                     data->restart));
    PetscCall(PetscViewerASCIIPrintf(viewer, "  happy breakdown tolerance=%g\n", (double)data->haptol));
  }
  PetscCall(KSPView_Fused<FusedGMRES>(ksp, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
   KSPFUSEDGMRES - "fusedgmres": `KSPFGMRES`, flexible GMRES, in few passes over the vectors, with all of them where the operator is, on the host or on an
   NVIDIA GPU

   Options Database Keys:
+  -ksp_gmres_restart restart - the number of Krylov directions to orthogonalize against
-  -ksp_gmres_haptol tol      - the tolerance for "happy breakdown" (exact convergence)

   Level: beginner

   Notes:
   Norm types, convergence tests, monitors, reasons and iterates are those of `KSPFGMRES` with its classical Gram-Schmidt orthogonalization without refinement,
   up to rounding. The preconditioner may change from one application to the next. What runs where is as for `KSPFUSEDCG`.

   On several ranks there is one reduction in an iteration, and a second for a new direction's norm once the basis has lost orthogonality, as it does by and by
   under a strong preconditioner.

   Only right preconditioning is supported.

.seealso: `KSPFGMRES`, `KSPFUSEDCG`, `KSPFUSEDBCGS`, `KSPGMRESSetRestart()`, `KSPGMRESSetHapTol()`
M*/
PetscErrorCode KSPCreate_FusedGMRES(KSP ksp)
{
  PetscFunctionBegin;
  ksp->pc_side = PC_RIGHT;
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_UNPRECONDITIONED, PC_RIGHT, 3));
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_NONE, PC_RIGHT, 1));
  PetscCall(SetUpObject<FusedGMRES>(ksp, KSPSolve_FusedGMRES));
  ksp->ops->reset          = KSPReset_FusedGMRES;
  ksp->ops->destroy        = KSPDestroy_FusedGMRES;
  ksp->ops->setfromoptions = KSPSetFromOptions_FusedGMRES;
  ksp->ops->view           = KSPView_FusedGMRES;
  ksp->ops->buildsolution  = KSPBuildSolution_FusedGMRES;
  PetscCall(ComposeGMRES(ksp, true));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::ksp
