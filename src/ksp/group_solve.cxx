#include "group_solve.hpp"
#include "pc/saamg/api/pcsaamg.hpp"
#include "pc/saamg/api/saamg_group.hpp"
#include "petsc/errors.hpp"
#include <petsc/private/matimpl.h>
#include <petsc/private/pcimpl.h>
#include <petsc/private/vecimpl.h>

namespace goza::ksp {

bool SolutionIsSeen(KSP ksp)
{
  if (!HasTest(ksp, KSPConvergedDefault) && !HasTest(ksp, KSPConvergedSkip)) return true;
  for (PetscInt m = 0; m < ksp->numbermonitors; m++) {
    const auto monitor = reinterpret_cast<void (*)()>(ksp->monitor[m]);

    if (monitor != reinterpret_cast<void (*)()>(KSPMonitorResidual) && monitor != reinterpret_cast<void (*)()>(KSPMonitorResidualDrawLG) &&
        monitor != reinterpret_cast<void (*)()>(NoteNorm))
      return true;
  }
  return false;
}

PetscErrorCode NoteNorm(KSP, PetscInt it, PetscReal norm, void *ctx)
{
  auto *reports = static_cast<std::vector<PetscReal> *>(ctx);

  PetscFunctionBegin;
  PetscCall(Guarded([&] { reports->push_back((PetscReal)it); }));
  PetscCall(Guarded([&] { reports->push_back(norm); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Others, as those of a program that holds several as one, have no array: VecGetArray() would be the error, in the middle of a solve. */
static PetscErrorCode CheckArray(KSP ksp, Vec v)
{
  PetscFunctionBegin;
  PetscCheck(v->petscnative || v->ops->getarray, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "KSP %s works on the arrays of vectors, and those of type %s have none: take PETSc's method", ((PetscObject)ksp)->type_name,
             ((PetscObject)v)->type_name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckSizes(KSP ksp)
{
  Mat          A;
  PetscInt     rows, cols, x, n = 0;
  MatNullSpace space;
  const Vec   *vecs;

  PetscFunctionBegin;
  PetscCall(PCGetOperators(ksp->pc, &A, NULL));
  PetscCall(MatGetLocalSize(A, &rows, &cols));
  const PetscInt b = local_size(ksp->vec_rhs);
  PetscCall(VecGetLocalSize(ksp->vec_sol, &x));
  PetscCheck(rows == cols && rows == b && rows == x, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
             "KSP %s: the operator is of %" PetscInt_FMT " x %" PetscInt_FMT " on this rank, the right-hand side of %" PetscInt_FMT
             " and the solution of %" PetscInt_FMT,
             ((PetscObject)ksp)->type_name, rows, cols, b, x);
  PetscCall(CheckArray(ksp, ksp->vec_rhs));
  PetscCall(CheckArray(ksp, ksp->vec_sol));
  PetscCall(MatGetNullSpace(A, &space));
  if (space && ksp->pc_side == PC_LEFT) PetscCall(MatNullSpaceGetVecs(space, NULL, &n, &vecs));
  for (PetscInt k = 0; k < n; k++) {
    PetscCall(VecGetLocalSize(vecs[k], &x));
    PetscCheck(x == rows, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
               "KSP %s: the operator is of %" PetscInt_FMT " rows on this rank, vector %" PetscInt_FMT " of its null space of %" PetscInt_FMT,
               ((PetscObject)ksp)->type_name, rows, k, x);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Preconditioners that the leaders make for themselves. */
static bool is_simple(PC pc)
{
  PetscBool    absolute = PETSC_FALSE;
  PCJacobiType type     = PC_JACOBI_DIAGONAL;

  if (is_type(pc, PCNONE, PCPBJACOBI)) return true;
  if (!is_type(pc, PCJACOBI)) return false;
  (void)PCJacobiGetType(pc, &type);
  (void)PCJacobiGetUseAbs(pc, &absolute);
  return type == PC_JACOBI_DIAGONAL && !absolute;
}

static PetscErrorCode FindRows(Mat A, std::shared_ptr<GroupMat> *rows)
{
  PetscFunctionBegin;
  rows->reset();
  if (may_have_group_mat(A)) PetscCall(MatGetGroupMat(A, rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The operator's rows and the preconditioner of the leaders. The same answer on every rank. */
PetscErrorCode GroupSolve::find(KSP ksp, bool *found)
{
  MatNullSpace null_space;
  Mat          A, P;

  PetscFunctionBegin;
  *found = false;
  if (SolutionIsSeen(ksp) || ksp->transpose_solve) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCSetUp(ksp->pc)); /* as PCApply() does: values may have moved with KSPSetOperators() not called again */
  GroupPC *const group = saamg::group_of(ksp->pc);
  PetscCall(PCGetOperators(ksp->pc, &A, &P));
  PetscCall(MatGetNullSpace(A, &null_space));
  if ((!group && !is_simple(ksp->pc)) || (null_space && null_space->remove)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(FindRows(A, &A_));
  if (group) P_ = group->shared_rows();
  else if (A_) PetscCall(FindRows(P, &P_));
  if (!A_ || !P_) PetscFunctionReturn(PETSC_SUCCESS);
  const Known now{ksp->pc, P_.get(), P_->patterns()};
  if (!group && ksp->pc->reusepreconditioner && now != known_) PetscFunctionReturn(PETSC_SUCCESS); /* of values that are gone */
  if (now != known_) PetscCall(KSPDestroy(&there_));
  known_ = now;
  PetscCall(A_->share_null_space(A));
  pc_    = group ? group->there() : NULL;
  *found = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On a leader: a solver like the user's. */
PetscErrorCode GroupSolve::create(KSP ksp)
{
  PC own;
  PetscErrorCode (*copy)(KSP, KSP) = nullptr;

  PetscFunctionBegin;
  if (!there_) {
    PetscCall(KSPCreate(A_->group().leaders(), &there_));
    PetscCall(PetscObjectSetOptionsPrefix((PetscObject)there_, "goza_leaders_")); /* it reports to the user's, which views and tells as its options say */
    PetscCall(KSPSetType(there_, ((PetscObject)ksp)->type_name));
    PetscCall(KSPSetErrorIfNotConverged(there_, PETSC_FALSE)); /* the user's tells */
    PetscCall(KSPMonitorSet(there_, NoteNorm, &reports_, NULL));
  }
  if (pc_) PetscCall(KSPSetPC(there_, pc_));
  else {
    PetscCall(KSPGetPC(there_, &own));
    PetscCall(PCSetType(own, ((PetscObject)ksp->pc)->type_name));
    PetscCall(PCSetReusePreconditioner(own, ksp->pc->reusepreconditioner));
  }
  PetscCall(KSPSetOperators(there_, A_->there(), P_->there()));
  PetscCall(KSPSetTolerances(there_, ksp->rtol, ksp->abstol, ksp->divtol, ksp->max_it));
#if PETSC_VERSION_GE(3, 20, 0)
  there_->min_it              = ksp->min_it;
  there_->converged_neg_curve = ksp->converged_neg_curve;
#endif
  PetscCall(KSPSetPCSide(there_, ksp->pc_side));
  PetscCall(KSPSetNormType(there_, ksp->normtype));
  PetscCall(KSPSetCheckNormIteration(there_, ksp->chknorm));
  PetscCall(KSPSetInitialGuessNonzero(there_, (PetscBool)!ksp->guess_zero));
  if (HasTest(ksp, KSPConvergedSkip)) PetscCall(KSPSetConvergenceTest(there_, KSPConvergedSkip, NULL, NULL));
  else {
    const auto *from = static_cast<const KSPConvergedDefaultCtx *>(ksp->cnvP);
    void       *ctx;

    PetscCall(KSPConvergedDefaultCreate(&ctx));
    auto *to           = static_cast<KSPConvergedDefaultCtx *>(ctx);
    to->initialrtol    = from->initialrtol;
    to->mininitialrtol = from->mininitialrtol;
    to->convmaxits     = from->convmaxits;
    PetscCall(KSPSetConvergenceTest(there_, KSPConvergedDefault, ctx, KSPConvergedDefaultDestroy));
  }
  PetscCall(PetscObjectQueryFunction((PetscObject)ksp, copies_settings, &copy));
  if (copy) PetscCall(copy(ksp, there_));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupSolve::solve_there(KSP ksp)
{
  Vec b, x;

  PetscFunctionBegin;
  PetscCall(create(ksp));
  reports_.clear();
  PetscCall(Guarded([&] { history_.resize(ksp->res_hist_max); }));
  PetscCall(KSPSetResidualHistory(there_, history_.empty() ? NULL : history_.data(), (PetscInt)history_.size(), PETSC_TRUE));
  PetscCall(A_->left().there(&b));
  PetscCall(A_->right().there(&x));
  PetscCall(KSPSolve(there_, b, x));
  PetscCall(A_->right().written());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the leader has found, to the ranks of its group, and by each of them to whoever listens. */
PetscErrorCode GroupSolve::report(KSP ksp)
{
  const MPI_Comm ranks = A_->group().members();
  Outcome        outcome{};
  PetscMPIInt    counts[2];

  PetscFunctionBegin;
  if (there_) outcome = {there_->reason, there_->its, (PetscInt)reports_.size(), (PetscInt)there_->res_hist_len, there_->rnorm, there_->rnorm0};
  PetscCallMPI(MPI_Bcast(&outcome, (PetscMPIInt)sizeof(outcome), MPI_BYTE, 0, ranks));
  ksp->reason = outcome.reason;
  ksp->its    = outcome.its;
  if (ksp->numbermonitors || ksp->res_hist) {
    PetscCall(PetscMPIIntCast(outcome.reported, &counts[0]));
    PetscCall(PetscMPIIntCast(outcome.noted, &counts[1]));
    PetscCall(Guarded([&] { reports_.resize(counts[0]); }));
    PetscCall(Guarded([&] { history_.resize(counts[1]); }));
    PetscCallMPI(MPI_Bcast(reports_.data(), counts[0], MPIU_REAL, 0, ranks));
    PetscCallMPI(MPI_Bcast(history_.data(), counts[1], MPIU_REAL, 0, ranks));
    for (PetscReal norm : history_) PetscCall(KSPLogResidualHistory(ksp, norm));
    for (std::size_t k = 0; k < reports_.size(); k += 2) {
      ksp->rnorm = reports_[k + 1];
      PetscCall(KSPMonitor(ksp, (PetscInt)reports_[k], reports_[k + 1]));
    }
  }
  ksp->rnorm  = outcome.rnorm;
  ksp->rnorm0 = outcome.rnorm0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupSolve::solve(KSP ksp, bool *done)
{
  PetscErrorCode here;

  PetscFunctionBegin;
  PetscCall(find(ksp, done));
  on_ = *done;
  if (!*done) PetscFunctionReturn(PETSC_SUCCESS);
  here = CheckSizes(ksp);
  if (!here) here = A_->left().put(ksp->vec_rhs);
  if (!here && !ksp->guess_zero) here = A_->right().put(ksp->vec_sol);
  if (!here) here = A_->right().open(ksp->vec_sol);
  const PetscErrorCode failed = A_->group().on_leader(here, "solve its part of the system", [&] { return solve_there(ksp); });
  PetscCall(A_->right().get(failed));
  PetscCall(report(ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupSolve::view(PetscViewer viewer)
{
  PetscFunctionBegin;
  if (!on_) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerASCIIPrintf(viewer, "  whole on the leaders of ranks that share a GPU, %s\n", A_->group().describe().c_str()));
  PetscCall(A_->group().on_leader(PETSC_SUCCESS, "view its part of the solver",
                                  /* prints on rank 0, which leads */
                                  [&] { return there_ && there_->ops->view ? there_->ops->view(there_, viewer) : PETSC_SUCCESS; }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void GroupSolve::reset()
{
  (void)KSPDestroy(&there_);
  A_.reset();
  P_.reset();
  known_ = {};
  pc_    = NULL;
  on_    = false;
}

} // namespace goza::ksp
