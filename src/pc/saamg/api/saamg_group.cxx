#include "saamg_group.hpp"
#include "parallel/agree.hpp"
#include "pc/saamg/setup/near_null.hpp"
#include "pcsaamg.hpp"
#include "saamg_data.hpp"
#include <petsc/private/pcimpl.h>

namespace goza::saamg {

static const char setting_up[] = "set up its part of PC saamg";

/* Coordinates that rigid-body modes come of: as many as there are rows. */
static std::vector<PetscReal> real_parts(const PetscScalar *a, PetscInt n)
{
  std::vector<PetscReal> parts(n);

  for (PetscInt i = 0; i < n; i++) parts[i] = PetscRealPart(a[i]);
  return parts;
}

PetscErrorCode GroupPC::share_coordinates(PC pc, Mat aij)
{
  SAAMG         *mg   = static_cast<SAAMG *>(pc->data);
  Vec            mine = NULL;
  MatNullSpace   near;
  PetscErrorCode here;

  PetscFunctionBegin;
  PetscCall(MatGetNearNullSpace(pc->pmat, &near));
  const bool used = !near && mg->dim > 1 && mg->dim == block_size_of(aij);
  here            = CheckNearNull(aij, mg->coordinates, mg->dim);
  if (used) {
    PetscScalar *a;

    PetscCall(MatCreateVecs(aij, &mine, NULL));
    if (!here) {
      PetscCall(VecGetArrayWrite(mine, &a));
      for (std::size_t i = 0; i < mg->coordinates.size(); i++) a[i] = mg->coordinates[i];
      PetscCall(VecRestoreArrayWrite(mine, &a));
      here = rows_->right().put(mine);
    }
  }
  here = rows_->group().on_leader(here, setting_up, [&]() -> PetscErrorCode {
    SAAMG             *there = static_cast<SAAMG *>(there_->data);
    const PetscScalar *a;
    Vec                all;

    PetscFunctionBegin;
    if (!used) {
      there->take_coordinates(0, {});
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    PetscCall(rows_->right().there(&all));
    const PetscInt n = local_size(all);
    PetscCall(VecGetArrayRead(all, &a));
    PetscCall(Guarded([&] { there->take_coordinates(mg->dim, real_parts(a, n)); }));
    PetscCall(VecRestoreArrayRead(all, &a));
    PetscFunctionReturn(PETSC_SUCCESS);
  });
  PetscCall(VecDestroy(&mine));
  PetscCall(here);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On a leader. */
PetscErrorCode GroupPC::setup_there(PC pc)
{
  SAAMG    *mg = static_cast<SAAMG *>(there_->data);
  const Mat A  = rows_->there();

  PetscFunctionBegin;
  PetscCall(Guarded([&] { mg->take_settings(*static_cast<const SAAMG *>(pc->data)); }));
  PetscCall(Guarded([&] { mg->grid = rows_->grid(); }));
  mg->automatic.used = static_cast<const SAAMG *>(pc->data)->automatic.used;      /* though this one may be new */
  if (state_of(A) == state_) PetscCall(PetscObjectStateIncrease((PetscObject)A)); /* it is set up again for another reason, a new setting perhaps */
  PetscCall(PCSetErrorIfFailure(there_, pc->erroriffailure));
  PetscCall(PCSetOperators(there_, A, A));
  PetscCall(PCSetReusePreconditioner(there_, PETSC_FALSE));
  PetscCall(PCSetUp(there_));
  PetscCall(PCSetReusePreconditioner(there_, PETSC_TRUE)); /* a solver of the leaders' does not set it up */
  PetscCall(PetscObjectStateGet((PetscObject)A, &state_));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupPC::setup(PC pc, Mat aij, std::shared_ptr<GroupMat> rows)
{
  const bool     anew   = rows != rows_ || patterns_ != rows->patterns();
  RankGroup     &group  = rows->group();
  PCFailedReason reason = PC_NOERROR;

  PetscFunctionBegin;
  rows_     = std::move(rows);
  patterns_ = -1; /* if this fails, the next one begins anew */
  PetscCall(rows_->share_near_null_space(pc->pmat));
  PetscCall(group.on_leader(PETSC_SUCCESS, setting_up, [&]() -> PetscErrorCode {
    PetscFunctionBegin;
    if (!anew && there_) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(PCDestroy(&there_));
    PetscCall(PCCreate(group.leaders(), &there_));
    PetscCall(PCSetType(there_, PCSAAMG));
    there_->ops->presolve  = NULL; /* the user's PC tells it of each solve, whoever does it: solve_begins(), solve_ends() */
    there_->ops->postsolve = NULL;
    state_                 = -1;
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  PetscCall(share_coordinates(pc, aij));
  PetscCall(group.on_leader(PETSC_SUCCESS, setting_up, [&]() -> PetscErrorCode {
    PetscFunctionBegin;
    PetscCall(setup_there(pc));
    PetscCall(PCGetFailedReason(there_, &reason));
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  PetscMPIInt failed = (PetscMPIInt)reason;
  PetscCallMPI(MPI_Bcast(&failed, 1, MPI_INT, 0, group.members()));
  PetscCall(PCSetFailedReason(pc, (PCFailedReason)failed));
  patterns_ = rows_->patterns();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupPC::apply(PetscErrorCode (*how)(PC, Vec, Vec), Vec b, Vec x)
{
  PetscErrorCode here;

  PetscFunctionBegin;
  here = rows_->left().put(b);
  if (!here) here = rows_->right().open(x);
  const PetscErrorCode failed = rows_->group().on_leader(here, "apply its part of PC saamg", [&]() -> PetscErrorCode {
    Vec from, to;

    PetscFunctionBegin;
    PetscCall(rows_->left().there(&from));
    PetscCall(rows_->right().there(&to));
    PetscCall(how(there_, from, to));
    PetscCall(rows_->right().written());
    PetscFunctionReturn(PETSC_SUCCESS);
  });
  PetscCall(rows_->right().get(failed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupPC::solve_begins(KSP ksp)
{
  return rows_->group().on_leader(PETSC_SUCCESS, setting_up, [&] { return PCPreSolve_SAAMG(there_, ksp, NULL, NULL); });
}

PetscErrorCode GroupPC::solve_ends(KSP ksp)
{
  return rows_->group().on_leader(PETSC_SUCCESS, setting_up, [&] { return PCPostSolve_SAAMG(there_, ksp, NULL, NULL); });
}

PetscErrorCode GroupPC::view(PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "  on the leaders of ranks that share a GPU, %s:\n", rows_->group().describe().c_str()));
  /* prints on rank 0, which leads */
  PetscCall(rows_->group().on_leader(PETSC_SUCCESS, "view its part of PC saamg", [&] { return there_ ? there_->ops->view(there_, viewer) : PETSC_SUCCESS; }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SetUpGroup(PC pc, Mat aij, bool *done)
{
  SAAMG                    *mg = static_cast<SAAMG *>(pc->data);
  std::shared_ptr<GroupMat> rows;

  PetscFunctionBegin;
  PetscCall(MatGetGroupMat(aij, &rows));
  *done = rows != nullptr;
  if (!rows) PetscFunctionReturn(PETSC_SUCCESS);
  if (!mg->group) PetscCall(Together(comm_of(pc), setting_up, [&] { mg->group = std::make_unique<GroupPC>(); }));
  PetscCall(mg->group->setup(pc, aij, rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

GroupPC *group_of(PC pc) { return PCIsSAAMG(pc) ? static_cast<SAAMG *>(pc->data)->group.get() : nullptr; }

} // namespace goza::saamg
