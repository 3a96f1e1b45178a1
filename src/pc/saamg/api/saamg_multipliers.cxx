#include "saamg_multipliers.hpp"
#include "parallel/agree.hpp"
#include "petsc/accessors.hpp"
#include "petsc/compat.hpp"

namespace goza::saamg {
namespace {

/* The one entry of a row that is not 0, and not on the diagonal; col < 0: it has none, or several. */
struct OneEntry {
  PetscInt    col   = -1;
  PetscScalar value = 0;
};

PetscErrorCode FindOneEntry(Mat A, PetscInt row, OneEntry *one)
{
  const PetscInt    *col;
  const PetscScalar *val;
  PetscInt           n, there = 0;

  PetscFunctionBegin;
  *one = {};
  PetscCall(MatGetRow(A, row, &n, &col, &val));
  for (PetscInt k = 0; k < n; k++) {
    if (val[k] == PetscScalar(0)) continue;
    *one = {col[k], val[k]};
    there++;
  }
  PetscCall(MatRestoreRow(A, row, &n, &col, &val));
  if (there != 1 || one->col == row) one->col = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 1 less for each pair that names it. */
PetscErrorCode MarkKept(Mat A, const std::vector<PetscInt> &gone, Vec *keep)
{
  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, keep, NULL));
  PetscCall(VecSet(*keep, 1));
  for (const PetscInt i : gone) PetscCall(VecSetValue(*keep, i, -1, ADD_VALUES));
  PetscCall(VecAssemblyBegin(*keep));
  PetscCall(VecAssemblyEnd(*keep));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A, with the identity's rows and columns where keep is 0 and not 1. */
PetscErrorCode MakeRest(Mat A, Vec keep, Mat *rest)
{
  PetscInt           m, n, first;
  const PetscScalar *kept;
  Mat                ones;

  PetscFunctionBegin;
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, rest));
  PetscCall(MatDiagonalScale(*rest, keep, keep));
  PetscCall(MatGetLocalSize(A, &m, &n));
  PetscCall(MatCreateAIJ(comm_of(A), m, n, PETSC_DETERMINE, PETSC_DETERMINE, 1, NULL, 0, NULL, &ones));
  PetscCall(MatGetOwnershipRange(A, &first, NULL));
  PetscCall(VecGetArrayRead(keep, &kept));
  for (PetscInt i = 0; i < m; i++) PetscCall(MatSetValue(ones, first + i, first + i, PetscScalar(1) - kept[i], INSERT_VALUES));
  PetscCall(VecRestoreArrayRead(keep, &kept));
  PetscCall(MatAssemblyBegin(ones, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(ones, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAXPY(*rest, 1, ones, DIFFERENT_NONZERO_PATTERN));
  PetscCall(MatDestroy(&ones));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

/* fixed: the unknown of each pair. columns: A's rows transposed. */
PetscErrorCode MultiplierPC::look_for_pairs(Mat A, Mat columns, std::vector<PetscInt> *fixed)
{
  PetscInt first, end;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &first, &end));
  for (PetscInt j = first; j < end; j++) {
    OneEntry row, column;

    PetscCall(FindOneEntry(A, j, &row));
    if (row.col < 0) continue;
    PetscCall(FindOneEntry(columns, j, &column));
    if (column.col != row.col) continue;
    PetscCallCXX(pairs_.push_back({j - first, row.value, column.value}));
    PetscCallCXX(fixed->push_back(row.col));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MultiplierPC::read_diagonal(Mat A, const std::vector<PetscInt> &fixed)
{
  const auto         n = static_cast<PetscInt>(fixed.size());
  const PetscScalar *a;
  Vec                diagonal;
  IS                 of;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, &diagonal, NULL));
  PetscCall(MatGetDiagonal(A, diagonal));
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, n, &fixed_));
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, n, fixed.data(), PETSC_COPY_VALUES, &of));
  PetscCall(VecScatterCreate(diagonal, of, fixed_, NULL, &to_fixed_));
  PetscCall(ISDestroy(&of));
  PetscCall(VecScatterBegin(to_fixed_, diagonal, fixed_, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterEnd(to_fixed_, diagonal, fixed_, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecDestroy(&diagonal));
  PetscCall(VecGetArrayRead(fixed_, &a));
  PetscCallCXX(diagonal_.assign(a, a + n));
  PetscCall(VecRestoreArrayRead(fixed_, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MultiplierPC::setup(PC pc, Mat A, bool *found)
{
  std::vector<PetscInt> fixed, gone;
  PetscInt              first;
  PetscReal             least;
  Vec                   keep;
  Mat                   columns, rest;

  PetscFunctionBegin;
  PetscCall(MatTranspose(A, MAT_INITIAL_MATRIX, &columns));
  const PetscErrorCode failed = look_for_pairs(A, columns, &fixed);
  PetscCall(MatDestroy(&columns));
  PetscCall(FailTogether(comm_of(A), failed, "look for multipliers"));
  PetscCall(MatGetOwnershipRange(A, &first, NULL));
  PetscCallCXX(gone = fixed);
  for (const Pair &p : pairs_) PetscCallCXX(gone.push_back(first + p.multiplier));
  PetscCall(MarkKept(A, gone, &keep));
  PetscCall(VecMin(keep, NULL, &least));
  *found = least == 0;
  if (*found) PetscCall(MakeRest(A, keep, &rest));
  PetscCall(VecDestroy(&keep));
  if (!*found) PetscFunctionReturn(PETSC_SUCCESS);
  const PetscErrorCode refused = setup_inner(pc, A, rest);
  PetscCall(MatDestroy(&rest)); /* the PC has it */
  PetscCall(refused);
  PetscCall(read_diagonal(A, fixed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rest, and then [a d; c 0] of each pair, or its transpose. */
PetscErrorCode MultiplierPC::apply(PetscErrorCode (*how)(PC, Vec, Vec), bool transposed, Vec b, Vec x)
{
  const PetscScalar *from;
  PetscScalar       *to, *unknown;

  PetscFunctionBegin;
  PetscCall(how(pc(), b, x));
  PetscCall(VecScatterBegin(to_fixed_, b, fixed_, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterEnd(to_fixed_, b, fixed_, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecGetArrayRead(b, &from));
  PetscCall(VecGetArray(x, &to));
  PetscCall(VecGetArray(fixed_, &unknown));
  for (std::size_t k = 0; k < pairs_.size(); k++) {
    const Pair       &p   = pairs_[k];
    const PetscScalar own = from[p.multiplier] / (transposed ? p.d : p.c);

    to[p.multiplier] = (unknown[k] - diagonal_[k] * own) / (transposed ? p.c : p.d);
    unknown[k]       = own;
  }
  PetscCall(VecRestoreArray(fixed_, &unknown));
  PetscCall(VecRestoreArray(x, &to));
  PetscCall(VecRestoreArrayRead(b, &from));
  PetscCall(VecScatterBegin(to_fixed_, fixed_, x, INSERT_VALUES, SCATTER_REVERSE));
  PetscCall(VecScatterEnd(to_fixed_, fixed_, x, INSERT_VALUES, SCATTER_REVERSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MultiplierPC::view(PetscViewer viewer)
{
  PetscInt64 pairs = static_cast<PetscInt64>(pairs_.size());

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &pairs, 1, MPIU_INT64, MPI_SUM, comm_of(pc())));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  %" PetscInt64_FMT " multipliers that fix one unknown each, solved exactly; the rest:\n", pairs));
  PetscCall(view_inner(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

MultiplierPC::~MultiplierPC()
{
  (void)VecScatterDestroy(&to_fixed_);
  (void)VecDestroy(&fixed_);
}

} // namespace goza::saamg
