#include "native_pc.hpp"
#include "petsc/plugin.hpp"
#include "parallel/agree.hpp"
#include "petsc/vec_access.hpp"
#include "pc/saamg/api/pcsaamg.hpp"
#include "petscgoza.h"
#include "vector_kernels.hpp"
#include <petsc/private/kspimpl.h>
#include <petsc/private/matimpl.h>
#include <petsc/private/pcimpl.h>

namespace goza::ksp {

static constexpr PetscInt most_bs = 8; // a larger block is PETSc's: its product is more than a pass over vectors

/* The preconditioner times vectors that are 1 in one component of each node are the columns of its blocks, whatever its options made of them. PETSc may set it
   up only now, for which all ranks are needed. */
PetscErrorCode NativePC::fill_blocks(PC pc, Vec ones, Vec column)
{
  VecRead access;
  Stage   stage;

  PetscFunctionBegin;
  for (PetscInt c = 0; c < bs_; c++) {
    PetscScalar *a;

    PetscCall(VecGetArrayWrite(ones, &a));
    for (PetscInt i = 0; i < n_; i++) a[i] = i % bs_ == c;
    PetscCall(VecRestoreArrayWrite(ones, &a));
    PetscCall(PCApply(pc, ones, column));
    const PetscErrorCode got = access.get(column, space_, stage);

    PetscCall(FailTogether(comm_, got, "read its preconditioner"));
    PetscCall(Guarded([&] { convert(space_, n_, access.data(), blocks_.data() + static_cast<std::size_t>(c) * n_); }));
    PetscCall(access.restore());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NativePC::fill(PC pc, Vec like)
{
  Vec ones, column;

  PetscFunctionBegin;
  if (!bs_) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDuplicate(like, &ones));
  PetscCall(VecDuplicate(like, &column));
  const PetscErrorCode failed = fill_blocks(pc, ones, column);
  PetscCall(VecDestroy(&ones));
  PetscCall(VecDestroy(&column));
  PetscCall(failed);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NativePC::find_null_space(KSP ksp, ShortText *why)
{
  Mat          A;
  MatNullSpace space;
  PetscBool    constants;
  PetscInt     n;
  const Vec   *vecs;

  PetscFunctionBegin;
  constants_ = false;
  null_.clear();
  if (ksp->pc_side != PC_LEFT) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCGetOperators(ksp->pc, &A, NULL));
  PetscCall(MatGetNullSpace(A, &space));
  if (!space) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatNullSpaceGetVecs(space, &constants, &n, &vecs));
  if (space->remove) {
    *why = ShortText("a function of the user's removes the null space");
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  constants_ = constants;
  for (PetscInt k = 0; k < n; k++) {
    VecRead access;
    Stage   stage;

    PetscCall(access.get(vecs[k], space_, stage));
    PetscCall(Guarded([&] {
      null_.emplace_back(space_, n_);
      null_.back().copy_from(access.data(), n_);
    }));
    PetscCall(access.restore());
  }
  PetscCall(Guarded([&] {
    if (sum_.space() != space_ || !sum_.size()) sum_ = Array<PetscScalar>(space_, 1);
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NativePC::find(KSP ksp, Vec like, Space space, ShortText *why)
{
  PC       pc = ksp->pc;
  PetscInt bs = 1;

  PetscFunctionBegin;
  space_    = space;
  comm_     = comm_of(ksp);
  cycle_    = nullptr;
  bs_       = 0;
  one_rank_ = ranks_of(comm_) == 1;
  PetscCall(VecGetLocalSize(like, &n_));
  PetscCall(VecGetSize(like, &global_n_));
  PetscCall(find_null_space(ksp, why));
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  const bool none = is_type(pc, PCNONE), jacobi = is_type(pc, PCJACOBI), pbjacobi = is_type(pc, PCPBJACOBI);
  if (pbjacobi) PetscCall(MatGetBlockSize(pc->pmat, &bs));
  if (saamg::PCIsSAAMG(pc)) {
    cycle_ = saamg::cycle_of(pc, space);
    if (!cycle_) *why = ShortText("saamg's cycle is not where the operator is, or the right-hand side leaves its range");
  } else if (jacobi || (pbjacobi && bs <= most_bs)) {
    bs_ = bs;
    PetscCall(Guarded([&] {
      if (blocks_.space() != space_) blocks_ = Array<PetscScalar>(space_);
      blocks_.resize(static_cast<std::size_t>(n_) * bs);
    }));
  } else if (!none) *why = ShortText("the preconditioner is of type %s", ((PetscObject)pc)->type_name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NativePC::apply(const PetscScalar *r, PetscScalar *z, FusedSums &sums, bool narrow)
{
  PetscFunctionBegin;
  if (cycle_) {
    PetscCall(cycle_->apply(r, z, narrow));
    usage.cycles[(int)space_]++;
  } else
    PetscCall(Guarded([&] {
      if (bs_) multiply_blocks(space_, n_, bs_, blocks_.data(), r, z, sums);
      else convert(space_, n_, r, z);
    }));
  if (!removes_nothing()) PetscCall(remove_null_space(z, sums));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const SingleScalar *NativePC::narrow_solution() const { return cycle_ && removes_nothing() ? cycle_->narrow_solution() : nullptr; }

bool NativePC::recordable() const { return (one_rank_ || removes_nothing()) && (!cycle_ || cycle_->recordable()); }

void NativePC::add_to(Footprint *footprint) const
{
  footprint->add(cycle_);
  footprint->add(cycle_ ? cycle_->version() : 0);
  footprint->add(blocks_.data());
  footprint->add(bs_);
  footprint->add(constants_);
  footprint->add(sum_.data());
  for (const Array<PetscScalar> &v : null_) footprint->add(v.data());
}

/* z -= factor (v'z) v for vectors that are orthogonal to one another; alone, no host waits for it. */
PetscErrorCode NativePC::remove(const PetscScalar *v, PetscScalar factor, PetscScalar *z, FusedSums &sums)
{
  PetscFunctionBegin;
  PetscCall(Guarded([&] { dot(space_, n_, z, v, sum_.data(), sums); }));
  if (!one_rank_) {
    PetscScalar sum;

    PetscCall(Guarded([&] { sum = read_value(space_, sum_.data()); }));
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPIU_SCALAR, MPIU_SUM, comm_));
    PetscCall(Guarded([&] { sum_.assign(&sum); }));
  }
  PetscCall(Guarded([&] { subtract(space_, n_, factor, sum_.data(), v, z, sums); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NativePC::remove_null_space(PetscScalar *z, FusedSums &sums)
{
  PetscFunctionBegin;
  if (constants_ && global_n_) PetscCall(remove(nullptr, PetscScalar(1) / global_n_, z, sums));
  for (const Array<PetscScalar> &v : null_) PetscCall(remove(v.data(), 1, z, sums));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::ksp
