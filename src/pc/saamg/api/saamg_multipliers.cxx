#include "saamg_multipliers.hpp"
#include "parallel/agree.hpp"
#include "pc/saamg/cycle/pseudo_inverse.hpp"

#include <petsc/private/pcimpl.h>

namespace goza::saamg {
namespace {

/* Of multipliers that fix no unknown: a set-up makes as many cycles. */
constexpr PetscInt most_others = 100;

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
    } else PetscCall(Guarded([&] { others_.push_back(j - first); }));
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

/* Collective. all: their rows, of all ranks'. */
PetscErrorCode MultiplierPC::find_others(Mat A, IS *all)
{
  const MPI_Comm        comm = comm_of(A);
  const auto            n    = static_cast<PetscInt>(others_.size());
  std::vector<PetscInt> rows;
  PetscInt              first;
  IS                    mine;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &first, NULL));
  PetscCall(Together(comm, "hold its multipliers", [&] { rows = others_; }));
  for (PetscInt &row : rows) row += first;
  PetscCall(ISCreateGeneral(comm, n, rows.data(), PETSC_COPY_VALUES, &mine));
  PetscCall(ISAllGather(mine, all));
  PetscCall(ISDestroy(&mine));
  PetscCallMPI(MPI_Exscan(&n, &first_other_, 1, MPIU_INT, MPI_SUM, comm)); /* which leaves the first rank's as it is, 0 */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Collective. s: the column of B M B^T that is of this row. */
PetscErrorCode MultiplierPC::schur_column(Mat A, PetscInt row, PetscScalar s[])
{
  Vec                unit, column;
  PetscScalar       *c;
  const PetscScalar *a;
  PetscInt           first, end, n;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, &unit, &column));
  PetscCall(MatGetOwnershipRange(A, &first, &end));
  PetscCall(VecSet(unit, 0));
  if (row >= first && row < end) PetscCall(VecSetValue(unit, row, 1, INSERT_VALUES));
  PetscCall(VecAssemblyBegin(unit));
  PetscCall(VecAssemblyEnd(unit));
  PetscCall(MatMult(A, unit, column));
  PetscCall(VecGetArray(column, &c));
  for (const PetscInt j : others_) c[j] = 0; /* what couples multipliers is none of the rest's */
  PetscCall(VecRestoreArray(column, &c));
  PetscCall(apply_rest(PCApply, false, column, unit));
  PetscCall(MatMult(A, unit, column));
  PetscCall(VecScatterBegin(to_all_, column, all_, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterEnd(to_all_, column, all_, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecGetLocalSize(all_, &n));
  PetscCall(VecGetArrayRead(all_, &a));
  std::copy_n(a, n, s);
  PetscCall(VecRestoreArrayRead(all_, &a));
  PetscCall(VecDestroy(&unit));
  PetscCall(VecDestroy(&column));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Collective. all: from find_others(). Multipliers that say the same twice leave a null space, which the inverse is without. */
PetscErrorCode MultiplierPC::find_inverse(Mat A, IS all)
{
  PetscInt                 n;
  const PetscInt          *rows;
  std::vector<PetscScalar> S, by_rows;
  std::vector<PetscReal>   magnitude;
  bool                     singular, finite = true;
  Vec                      like;

  PetscFunctionBegin;
  PetscCall(ISGetLocalSize(all, &n));
  PetscCall(Together(comm_of(A), "hold its multipliers' Schur complement", [&] {
    S.resize(static_cast<std::size_t>(n) * n);
    by_rows.resize(S.size());
    magnitude.resize(n);
  }));
  PetscCall(MatCreateVecs(A, &like, NULL));
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, n, &all_));
  PetscCall(VecScatterCreate(like, all, all_, NULL, &to_all_));
  PetscCall(VecDestroy(&like));
  PetscCall(ISGetIndices(all, &rows));
  for (PetscInt j = 0; j < n; j++) PetscCall(schur_column(A, rows[j], &S[static_cast<std::size_t>(j) * n]));
  PetscCall(ISRestoreIndices(all, &rows));
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt j = 0; j < n; j++) {
      by_rows[i * n + j] = S[j * n + i];
      magnitude[i]       = PetscMax(magnitude[i], PetscAbsScalar(S[j * n + i]));
      finite             = finite && !PetscIsInfOrNanScalar(S[j * n + i]);
    }
  if (finite) PetscCall(FailTogether(comm_of(A), DensePseudoInverse(n, by_rows, magnitude, &singular), "invert its multipliers' Schur complement"));
  else PetscCall(PCSetFailedReason(pc(), PC_SETUP_ERROR));
  inverse_ = std::move(by_rows);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MultiplierPC::setup(PC pc, Mat A, bool *found)
{
  std::vector<PetscInt> fixed, gone;
  IS                    all;
  PetscInt              first, nothers;
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
  for (const PetscInt j : others_) PetscCall(Guarded([&] { gone.push_back(first + j); }));
  PetscCall(MarkKept(A, gone, &keep));
  PetscCall(VecMin(keep, NULL, &least));
  PetscCall(find_others(A, &all));
  PetscCall(ISGetLocalSize(all, &nothers));
  *found = least == 0 && nothers <= most_others;
  if (*found) PetscCall(MakeRest(A, keep, &rest));
  PetscCall(VecDestroy(&keep));
  if (*found) {
    const PetscErrorCode refused = setup_inner(pc, A, rest);
    PetscCall(MatDestroy(&rest)); /* the PC has it */
    PetscCall(refused);
    PetscCall(MatCreateVecs(A, &diagonal, NULL));
    PetscCall(MatGetDiagonal(A, diagonal));
    PetscCall(read_diagonal(diagonal, fixed));
    PetscCall(VecDestroy(&diagonal));
    if (nothers && !this->pc()->failedreason) PetscCall(find_inverse(A, all));
  }
  PetscCall(ISDestroy(&all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rest, then [a d; c 0] of each pair, or its transpose. */
PetscErrorCode MultiplierPC::apply_rest(PetscErrorCode (*how)(PC, Vec, Vec), bool transposed, Vec b, Vec x)
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

PetscErrorCode MultiplierPC::apply(PetscErrorCode (*how)(PC, Vec, Vec), bool transposed, Vec b, Vec x)
{
  const PetscScalar *from;
  PetscScalar       *to;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(apply_rest(how, transposed, b, x));
  if (!to_all_) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecScatterBegin(to_all_, b, all_, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterEnd(to_all_, b, all_, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecGetLocalSize(all_, &n));
  PetscCall(VecGetArrayRead(all_, &from));
  PetscCall(VecGetArray(x, &to));
  for (std::size_t o = 0; o < others_.size(); o++) {
    const PetscInt i   = first_other_ + static_cast<PetscInt>(o);
    PetscScalar    sum = 0;

    for (PetscInt j = 0; j < n; j++) sum += (transposed ? inverse_[j * n + i] : inverse_[i * n + j]) * from[j];
    to[others_[o]] = sum;
  }
  PetscCall(VecRestoreArray(x, &to));
  PetscCall(VecRestoreArrayRead(all_, &from));
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
  (void)VecScatterDestroy(&to_all_);
  (void)VecDestroy(&all_);
}

} // namespace goza::saamg
