#include "krylov_space.hpp"
#include "vector_kernels.hpp"
#include "mat/common/format_kind.hpp"
#include <petsc/private/matimpl.h>
#include <petsc/private/pcimpl.h>

namespace goza::ksp {

PetscErrorCode KrylovSpace::Vector::open(Space space, bool read_too)
{
  PetscFunctionBegin;
  if (vec) {
    PetscCall(access.get(vec, space, stage, read_too));
    is_open = true;
    data    = access.data();
  } else data = stage.array.data();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KrylovSpace::Vector::close()
{
  PetscFunctionBegin;
  data = nullptr;
  if (!is_open) PetscFunctionReturn(PETSC_SUCCESS);
  is_open = false;
  PetscCall(access.restore());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KrylovSpace::find_operator(KSP ksp)
{
  const PetscErrorCode here = CheckSizes(ksp);
  PetscMPIInt          failed;
  PCFailedReason       pc_reason;

  PetscFunctionBegin;
  ksp_  = ksp;
  comm_ = comm_of(ksp);
  PetscCall(use_petsc_stream());
  PetscCall(PCGetOperators(ksp->pc, &A_, NULL));
  const PetscMPIInt size = ranks_of(comm_);
  PetscCall(VecGetLocalSize(ksp->vec_sol, &n_));
  one_rank_ = size == 1;
  seen_     = SolutionIsSeen(ksp);
  PetscCall(PCSetUp(ksp->pc)); /* as PCApply() does: values may have moved with KSPSetOperators() not called again */
  PetscCall(PCGetFailedReason(ksp->pc, &pc_reason));
  pc_failed_here_ = ksp->reason == KSP_DIVERGED_PC_FAILED || pc_reason != PC_NOERROR;
  failed          = here ? 2 : pc_failed_here_;
  if (!one_rank_) PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, comm_));
  if (failed == 2) PetscCall(FailTogether(comm_, here, "take its part of the system"));
  pc_failed_  = failed;
  ksp->reason = KSP_CONVERGED_ITERATING; /* on all ranks alike: a norm will tell them, see first_residual() */
  op_.reset();
  if (!ksp->transpose_solve && !pc_failed_) PetscCall(MatFormatGetOperator(A_, &op_));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Why not, where not. */
PetscErrorCode KrylovSpace::find_pc(ShortText *why)
{
  PetscFunctionBegin;
  if (ksp_->transpose_solve) *why = ShortText("the transposed system is solved");
  else if (pc_failed_) *why = ShortText("the preconditioner's set-up has failed");
  else if (!op_) *why = ShortText("the operator is of type %s", ((PetscObject)A_)->type_name);
  else if (check_results() && op_->space() == Space::Cuda) *why = ShortText("-goza_check checks the matrix's own products");
  else PetscCall(pc_.find(ksp_, ksp_->vec_sol, op_->space(), why));
  if (!why->empty()) op_.reset();
  native_ = op_ != nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KrylovSpace::take(PetscInt nvectors)
{
  Space     space = Space::Host;
  ShortText why;

  PetscFunctionBegin;
  PetscCall(find_pc(&why));
  if (op_) space = op_->space();
  else {
    PetscBool bound;

    PetscCall(PetscInfo(ksp_, "The iteration goes through PETSc's own operations: %s\n", why.c_str()));
    const bool cuda = is_type(ksp_->vec_sol, VECSEQCUDA, VECMPICUDA);
    PetscCall(VecBoundToCPU(ksp_->vec_sol, &bound));
    if (petsc_on_device() && cuda && !bound) space = Space::Cuda;
  }
  if (space != space_) have_sums_ = false;
  space_ = space;
  PetscCall(Guarded([&] {
    if (!have_sums_) sums_ = FusedSums(space_);
    rank_sums_.open(comm_);
  }));
  have_sums_ = true;
  x_.vec     = ksp_->vec_sol;
  PetscCall(x_.open(space_, !ksp_->guess_zero));
  if (ksp_->guess_zero) PetscCall(Guarded([&] { set_zero(space_, n_, x_.data); }));
  PetscCall(b_.get(ksp_->vec_rhs, space_, staged_b_));
  b_is_open_ = true;
  for (Vector &v : vectors_) PetscCall(v.close());
  PetscCall(more_vectors(nvectors));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KrylovSpace::fail_together(PetscErrorCode here) { return FailTogether(comm_, here, "hold more vectors"); }

PetscErrorCode KrylovSpace::more_vectors(PetscInt nvectors, PetscInt without)
{
  PetscFunctionBegin;
  while ((PetscInt)vectors_.size() < nvectors) PetscCall(Guarded([&] { vectors_.emplace_back(); }));
  for (PetscInt k = 0; k < nvectors; k++) {
    Vector &v = vectors_[k];

    if (v.data || (v.is_open && !n_) || k == without) continue;
    if (op_) {
      PetscCall(VecDestroy(&v.vec));
      PetscCall(Guarded([&] {
        if (v.stage.array.space() == space_ && v.stage.array.size() == static_cast<std::size_t>(n_)) return;
        v.stage.array = Array<PetscScalar>(space_, n_);
        v.stage.array.zero();
      }));
    } else {
      PetscInt n = -1;

      if (v.vec) PetscCall(VecGetLocalSize(v.vec, &n));
      if (n != n_) {
        PetscCall(VecDestroy(&v.vec));
        PetscCall(VecDuplicate(ksp_->vec_sol, &v.vec));
        PetscCall(VecSet(v.vec, 0));
      }
    }
    PetscCall(v.open(space_, true));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KrylovSpace::close()
{
  PetscErrorCode failed = PETSC_SUCCESS;

  PetscFunctionBegin;
  for (Vector &v : vectors_) {
    const PetscErrorCode here = v.close();

    if (here) failed = here;
  }
  if (b_is_open_) PetscCall(b_.restore());
  b_is_open_ = false;
  PetscCall(x_.close());
  x_.vec = NULL;
  op_.reset(); // so that the matrix's new values go where the old ones are
  PetscCall(failed);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KrylovSpace::reset()
{
  PetscFunctionBegin;
  for (Vector &v : vectors_) PetscCall(VecDestroy(&v.vec));
  vectors_.clear();
  loop_.drop();
  leaders_.reset();
  PetscCall(rank_sums_.reset());
  native_    = false;
  pc_        = NativePC();
  sums_      = FusedSums();
  staged_b_  = Stage();
  x_.stage   = Stage();
  have_sums_ = false;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KrylovSpace::view(KSP ksp, PetscViewer viewer)
{
  std::string how;

  PetscFunctionBegin;
  PetscCall(leaders_.view(viewer));
  PetscCall(Together(comm_of(ksp), "describe its part of a solve", [&] { how = describe(); }));
  if (!leaders_.on() && !how.empty()) PetscCall(PetscViewerASCIIPrintf(viewer, "  %s\n", how.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::string KrylovSpace::describe() const
{
  if (!ksp_) return "";
  if (!native_) return "through PETSc's own operations";
  return std::string("vectors, product and ") + pc_.describe() + " on " + space_name(space_);
}

/* --- operations */

template <class Product> PetscErrorCode KrylovSpace::logged_product(const Product &product)
{
  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(events.mult, A_, 0, 0, 0));
  PetscCall(product());
  usage.products[(int)space_]++;
  PetscCall(LogFlops(space_, PetscMax(2.0 * op_->nnz() - n_, 0.0)));
  PetscCall(PetscLogEventEnd(events.mult, A_, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KrylovSpace::first_residual(PetscInt r)
{
  Vector &v = vectors_[r];

  PetscFunctionBegin;
  if (!ksp_->guess_zero) PetscCall(residual(r));
  else PetscCall(Guarded([&] { convert(space_, n_, b_.data(), v.data); }));
  if (!pc_failed_) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(v.close());
  if (pc_failed_here_) PetscCall(VecFlag(v.vec, 1));
  PetscCall(v.open(space_, true));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KrylovSpace::residual(PetscInt r)
{
  PetscFunctionBegin;
  if (op_) {
    PetscCall(logged_product([&] { return op_->apply(x_.data, Residual<PetscScalar>{b_.data(), vectors_[r].data}); }));
  } else {
    PetscCall(multiply(solution, r));
    PetscCall(Guarded([&] { subtract_from(space_, n_, b_.data(), vectors_[r].data, sums_); }));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KrylovSpace::multiply(PetscInt x, PetscInt y)
{
  Vector &from = vector(x), &to = vector(y);

  PetscFunctionBegin;
  if (op_) PetscCall(logged_product([&] { return op_->apply(from.data, Assign<PetscScalar>{to.data}); }));
  else PetscCall(through_petsc(from, to, [this](Vec x, Vec y) { return KSP_MatMult(ksp_, A_, x, y); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KrylovSpace::multiply_dot(PetscInt x, PetscInt w, PetscInt y, PetscScalar *wy, PetscScalar *yy)
{
  PetscFunctionBegin;
  if (op_ && !op_->has_others()) {
    PetscCall(logged_product([&] {
      return Guarded([&] {
        op_->diagonal_block().apply_dots(vector(x).data, {vector(w).data, vector(y).data, yy != nullptr, &sums_});
        add_up(space_, sums_, wy, yy);
      });
    }));
  } else {
    PetscCall(multiply(x, y));
    PetscCall(Guarded([&] {
      leave_dots(space_, n_, vector(w).data, vector(y).data, yy != nullptr, sums_);
      add_up(space_, sums_, wy, yy);
    }));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool KrylovSpace::has_transpose() const { return is_aij(A_) && !ksp_->transpose_solve; }

/* Once a solve: PETSc's product, whatever its vectors. */
PetscErrorCode KrylovSpace::multiply_transposed(PetscInt x, PetscInt y)
{
  const auto product = [this](Vec from, Vec to) {
    return PetscDefined(USE_COMPLEX) ? MatMultHermitianTranspose(A_, from, to) : MatMultTranspose(A_, from, to);
  };
  Vector from, to;

  PetscFunctionBegin;
  if (!op_) {
    PetscCall(through_petsc(vector(x), vector(y), product));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscErrorCode failed = PETSC_SUCCESS;
  for (Vector *v : {&from, &to}) {
    if (!failed) failed = VecDuplicate(ksp_->vec_sol, &v->vec);
    if (!failed) failed = v->open(space_, false);
  }
  failed = FailTogether(comm_, failed, "hold the vectors of a transposed product");
  if (!failed) failed = Guarded([&] { convert(space_, n_, vector(x).data, from.data); });
  if (!failed) failed = through_petsc(from, to, product);
  if (!failed) failed = Guarded([&] { convert(space_, n_, to.data, vector(y).data); });
  for (Vector *v : {&from, &to}) {
    (void)v->close();
    (void)VecDestroy(&v->vec);
  }
  PetscCall(failed);
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool KrylovSpace::recordable() const { return op_ && space_ == Space::Cuda && op_->recordable() && !seen_ && !device_time_logged() && pc_.recordable(); }

PetscErrorCode KrylovSpace::find_devices_sums(bool *found)
{
  PetscFunctionBegin;
  *found = false;
  if (!one_rank_) PetscCall(rank_sums_.find_devices(recordable(), found));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KrylovSpace::agree_on_loop(PetscErrorCode failed, bool *yes)
{
  const int   mine    = !*yes ? 0 : loop_.repeats() ? 2 : 1;
  PetscMPIInt least[] = {mine, -mine};

  PetscFunctionBegin;
  PetscCall(FailTogether(comm_, failed, "record an iteration"));
  if (!one_rank_) PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, least, 2, MPI_INT, MPI_MIN, comm_));
  *yes = least[0] > 0 && least[0] == -least[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

Footprint KrylovSpace::footprint()
{
  Footprint all;

  all.add(n_);
  for (const Vector &v : vectors_) all.add(v.data);
  all.add(sums_.part());
  all.add(sums_.left());
  all.add(rank_sums_.devices());
  all.add(op_);
  all.add(op_->builds());
  all.add(op_->bytes()); // its arrays may be laid out anew with its values
  pc_.add_to(&all);
  all.add(narrow_solution());
  return all;
}

PetscErrorCode KrylovSpace::precondition(PetscInt r, PetscInt z, bool narrow)
{
  Vector &from = vector(r), &to = vector(z);

  PetscFunctionBegin;
  if (op_) {
    PetscCall(PetscLogEventBegin(PC_Apply, ksp_->pc, 0, 0, 0));
    PetscCall(pc_.apply(from.data, to.data, sums_, narrow));
    PetscCall(PetscLogEventEnd(PC_Apply, ksp_->pc, 0, 0, 0));
  } else PetscCall(through_petsc(from, to, [this](Vec r, Vec z) { return KSP_PCApply(ksp_, r, z); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KrylovSpace::log_flops(PetscLogDouble per_row) { return LogFlops(space_, per_row * n_); }

} // namespace goza::ksp
