#include "saamg_multipliers.hpp"
#include "parallel/agree.hpp"
#include "petsc/accessors.hpp"
#include "petsc/compat.hpp"
#include "petsc/errors.hpp"

namespace goza::saamg {
namespace {

/* A row's entries that are not 0. */
struct RowLook {
  PetscInt    n = 0, col = -1; // col: of one of them
  PetscScalar value    = 0;    // there
  PetscScalar diagonal = 0;

  bool hollow() const { return diagonal == PetscScalar(0) && n > 0; }
  bool one_entry() const { return hollow() && n == 1; }
};

PetscErrorCode LookAtRow(Mat A, PetscInt row, RowLook *look)
{
  const PetscInt    *col;
  const PetscScalar *val;
  PetscInt           n;

  PetscFunctionBegin;
  *look = {};
  PetscCall(MatGetRow(A, row, &n, &col, &val));
  for (PetscInt k = 0; k < n; k++) {
    if (val[k] == PetscScalar(0)) continue;
    if (col[k] == row) look->diagonal = val[k];
    look->n++;
    look->col   = col[k];
    look->value = val[k];
  }
  PetscCall(MatRestoreRow(A, row, &n, &col, &val));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 1 less for each multiplier that names it. */
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
PetscErrorCode MultiplierPC::look_for_them(Mat A, Mat columns, std::vector<PetscInt> *fixed)
{
  PetscInt first, end;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &first, &end));
  for (PetscInt j = first; j < end; j++) {
    RowLook row, column;

    PetscCall(LookAtRow(A, j, &row));
    if (!row.hollow()) continue;
    if (row.one_entry()) PetscCall(LookAtRow(columns, j, &column));
    if (column.one_entry() && column.col == row.col) {
      PetscCall(Guarded([&] { pairs_.push_back({j - first, row.value, column.value}); }));
      PetscCall(Guarded([&] { fixed->push_back(row.col); }));
    } else PetscCall(Guarded([&] { others_.push_back({j - first, PetscScalar(1) / PetscAbsScalar(row.value)}); }));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MultiplierPC::read_diagonal(Vec diagonal, const std::vector<PetscInt> &fixed)
{
  const auto         n = static_cast<PetscInt>(fixed.size());
  const PetscScalar *a;
  IS                 of;

  PetscFunctionBegin;
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, n, &fixed_));
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, n, fixed.data(), PETSC_COPY_VALUES, &of));
  PetscCall(VecScatterCreate(diagonal, of, fixed_, NULL, &to_fixed_));
  PetscCall(ISDestroy(&of));
  PetscCall(VecScatterBegin(to_fixed_, diagonal, fixed_, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterEnd(to_fixed_, diagonal, fixed_, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecGetArrayRead(fixed_, &a));
  PetscCall(Guarded([&] { diagonal_.assign(a, a + n); }));
  PetscCall(VecRestoreArrayRead(fixed_, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Collective. inverse: of the diagonal. other: this rank's row, or NULL. Where there is no mirror image of what the row holds, an entry of its own gives the
   scale. */
PetscErrorCode MultiplierPC::find_inverse(Mat A, Vec inverse, PetscInt row, Other *other)
{
  Vec                unit, column, s;
  const PetscScalar *a;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, &unit, &column));
  PetscCall(VecDuplicate(column, &s));
  PetscCall(VecSet(unit, 0));
  if (other) PetscCall(VecSetValue(unit, row, 1, INSERT_VALUES));
  PetscCall(VecAssemblyBegin(unit));
  PetscCall(VecAssemblyEnd(unit));
  PetscCall(MatMult(A, unit, column));
  PetscCall(VecPointwiseMult(unit, column, inverse));
  PetscCall(MatMult(A, unit, s));
  if (other) {
    PetscCall(VecGetArrayRead(s, &a));
    const PetscScalar weight = PetscScalar(1) / PetscAbsScalar(a[other->multiplier]);
    if (weight - weight == PetscScalar(0)) other->inverse = weight;
    PetscCall(VecRestoreArrayRead(s, &a));
  }
  PetscCall(VecDestroy(&unit));
  PetscCall(VecDestroy(&column));
  PetscCall(VecDestroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Collective: one of all ranks' after another. */
PetscErrorCode MultiplierPC::find_inverses(Mat A, Vec diagonal)
{
  const auto mine = static_cast<PetscInt>(others_.size());
  PetscInt   all, end = 0, first;
  Vec        inverse;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(diagonal, &inverse));
  PetscCall(VecCopy(diagonal, inverse));
  PetscCall(VecReciprocal(inverse)); /* of what is not 0 */
  PetscCall(MatGetOwnershipRange(A, &first, NULL));
  PetscCallMPI(MPI_Allreduce(&mine, &all, 1, MPIU_INT, MPI_SUM, comm_of(A)));
  PetscCallMPI(MPI_Scan(&mine, &end, 1, MPIU_INT, MPI_SUM, comm_of(A)));
  for (PetscInt k = 0; k < all; k++) {
    Other *const other = k >= end - mine && k < end ? &others_[k - (end - mine)] : nullptr;

    PetscCall(find_inverse(A, inverse, other ? first + other->multiplier : -1, other));
  }
  PetscCall(VecDestroy(&inverse));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MultiplierPC::setup(PC pc, Mat A, bool *found)
{
  std::vector<PetscInt> fixed, gone;
  PetscInt              first, others;
  PetscReal             least;
  Vec                   keep, diagonal;
  Mat                   columns, rest;

  PetscFunctionBegin;
  PetscCall(MatTranspose(A, MAT_INITIAL_MATRIX, &columns));
  const PetscErrorCode failed = look_for_them(A, columns, &fixed);
  PetscCall(MatDestroy(&columns));
  PetscCall(FailTogether(comm_of(A), failed, "look for multipliers"));
  PetscCall(MatGetOwnershipRange(A, &first, NULL));
  PetscCall(Guarded([&] { gone = fixed; }));
  for (const Pair &p : pairs_) PetscCall(Guarded([&] { gone.push_back(first + p.multiplier); }));
  for (const Other &o : others_) PetscCall(Guarded([&] { gone.push_back(first + o.multiplier); }));
  PetscCall(MarkKept(A, gone, &keep));
  PetscCall(VecMin(keep, NULL, &least));
  others = static_cast<PetscInt>(others_.size());
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &others, 1, MPIU_INT, MPI_SUM, comm_of(A)));
  *found = least == 0 && others <= most_;
  if (*found) PetscCall(MakeRest(A, keep, &rest));
  PetscCall(VecDestroy(&keep));
  if (!*found) PetscFunctionReturn(PETSC_SUCCESS);
  const PetscErrorCode refused = setup_inner(pc, A, rest);
  PetscCall(MatDestroy(&rest)); /* the PC has it */
  PetscCall(refused);
  PetscCall(MatCreateVecs(A, &diagonal, NULL));
  PetscCall(MatGetDiagonal(A, diagonal));
  PetscCall(read_diagonal(diagonal, fixed));
  PetscCall(find_inverses(A, diagonal));
  PetscCall(VecDestroy(&diagonal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rest, then [a d; c 0] of each pair, or its transpose, and what is left. */
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
  for (const Other &o : others_) to[o.multiplier] = o.inverse * from[o.multiplier];
  PetscCall(VecRestoreArray(fixed_, &unknown));
  PetscCall(VecRestoreArray(x, &to));
  PetscCall(VecRestoreArrayRead(b, &from));
  PetscCall(VecScatterBegin(to_fixed_, fixed_, x, INSERT_VALUES, SCATTER_REVERSE));
  PetscCall(VecScatterEnd(to_fixed_, fixed_, x, INSERT_VALUES, SCATTER_REVERSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MultiplierPC::view(PetscViewer viewer)
{
  PetscInt64 n[] = {static_cast<PetscInt64>(pairs_.size()), static_cast<PetscInt64>(others_.size())};

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, n, 2, MPIU_INT64, MPI_SUM, comm_of(pc())));
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "  rows without a diagonal entry: %" PetscInt64_FMT " that fix one unknown each, solved exactly, and %" PetscInt64_FMT
                                   " others; the rest:\n",
                                   n[0], n[1]));
  PetscCall(view_inner(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

MultiplierPC::~MultiplierPC()
{
  (void)VecScatterDestroy(&to_fixed_);
  (void)VecDestroy(&fixed_);
}

} // namespace goza::saamg
