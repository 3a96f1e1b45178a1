/* What only reads a matrix: figures that must be the same. */
#include "operations.hpp"

namespace goza_fuzz {
namespace {

/* f(A, slot) notes what it sees. */
template <class F>
Step look(
  Twins &t, const Op &o, F f, const std::function<bool(const Slot &)> &fits = [](const Slot &) { return true; })
{
  const int a = t.pick(o.slot[0], [&](const Slot &s) { return t.is_aij(s) && fits(s); });
  Step      step;
  if (a < 0) return step;
  step.run     = [=, &t]() -> PetscErrorCode { return f(t(a), a); };
  step.touched = {a};
  return step;
}

PetscErrorCode note_vector(Twins &t, Vec v, PetscReal size, bool of_products = false, bool divided = false)
{
  const PetscScalar *a;
  PetscInt           n;
  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(v, &n));
  PetscCall(VecGetArrayRead(v, &a));
  for (PetscInt i = 0; i < n; i++) t.note(PetscRealPart(a[i]), size, of_products, divided);
  PetscCall(VecRestoreArrayRead(v, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

Step norms(Twins &t, const Op &o)
{
  return look(t, o, [&t](Mat A, int a) -> PetscErrorCode {
    PetscReal size;
    PetscFunctionBegin;
    for (NormType type : {NORM_1, NORM_FROBENIUS, NORM_INFINITY}) {
      TOLD(t, MatNorm(A, type, &size), "MatNorm(A[%d], %s, &norm)", a, NormTypes[type]);
      t.note(size, t.slot[a].size * 60);
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  });
}

Step rows(Twins &t, const Op &o)
{
  return look(t, o, [&t](Mat A, int a) -> PetscErrorCode {
    PetscFunctionBegin;
    for (PetscInt i = t.slot[a].rows[t.rank]; i < t.slot[a].rows[t.rank + 1]; i++) {
      const PetscInt    *cols;
      const PetscScalar *vals;
      PetscInt           n;
      TOLD(t, MatGetRow(A, i, &n, &cols, &vals), "MatGetRow(A[%d], %d, &n, NULL, NULL)", a, (int)i);
      for (PetscInt k = 0; k < n; k++) {
        t.note((double)cols[k]);
        t.note(PetscRealPart(vals[k]), t.slot[a].size);
      }
      TOLD(t, MatRestoreRow(A, i, &n, &cols, &vals), "MatRestoreRow(A[%d], %d, &n, NULL, NULL)", a, (int)i);
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  });
}

Step diagonal(Twins &t, const Op &o)
{
  return look(
    t, o,
    [&t](Mat A, int a) -> PetscErrorCode {
      Vec d = t.vector(t.slot[a].rows, 500 + t.side);
      PetscFunctionBegin;
      TOLD(t, MatGetDiagonal(A, d), "MatGetDiagonal(A[%d], v)", a);
      PetscCall(note_vector(t, d, t.slot[a].size));
      PetscFunctionReturn(PETSC_SUCCESS);
    },
    [](const Slot &s) { return s.square(); });
}

Step row_figures(Twins &t, const Op &o)
{
  const long which = o.p[0] % 3;
  return look(t, o, [&t, which](Mat A, int a) -> PetscErrorCode {
    Vec v = t.vector(t.slot[a].rows, 502 + t.side);
    PetscFunctionBegin;
    if (which == 0) TOLD(t, MatGetRowMaxAbs(A, v, nullptr), "MatGetRowMaxAbs(A[%d], v, NULL)", a);
    else if (which == 1) TOLD(t, MatGetRowSum(A, v), "MatGetRowSum(A[%d], v)", a);
    else TOLD(t, MatGetRowMax(A, v, nullptr), "MatGetRowMax(A[%d], v, NULL)", a);
    PetscCall(note_vector(t, v, t.slot[a].size * 60, which == 1)); /* a sum of a row is a product with ones */
    PetscFunctionReturn(PETSC_SUCCESS);
  });
}

Step info(Twins &t, const Op &o)
{
  return look(t, o, [&t](Mat A, int a) -> PetscErrorCode {
    MatInfo   got;
    PetscBool missing = PETSC_FALSE;
    PetscInt  where   = -1;
    PetscFunctionBegin;
    TOLD(t, MatGetInfo(A, MAT_LOCAL, &got), "MatGetInfo(A[%d], MAT_LOCAL, &info)", a);
    t.note(got.nz_used);
    t.note(got.block_size);
#if PETSC_VERSION_LT(3, 25, 0)
    if (t.slot[a].square()) PetscCall(MatMissingDiagonal(A, &missing, &where));
#endif
    t.note((double)missing);
    t.note((double)where);
    PetscFunctionReturn(PETSC_SUCCESS);
  });
}

Step column_norms(Twins &t, const Op &o)
{
  return look(t, o, [&t](Mat A, int a) -> PetscErrorCode {
    std::vector<PetscReal> sizes(t.slot[a].n() + 1);
    PetscFunctionBegin;
    TOLD(t, MatGetColumnNorms(A, NORM_1, sizes.data()), "MatGetColumnNorms(A[%d], NORM_1, norms)", a);
    for (PetscInt j = 0; j < t.slot[a].n(); j++) t.note(sizes[j], t.slot[a].size * 60);
    PetscFunctionReturn(PETSC_SUCCESS);
  });
}

/* PETSc's defect: where an entry has no mirror image, MatIsTranspose_SeqAIJ() reads on behind the row, and behind the last one what was never written. */
Step symmetric(Twins &t, const Op &o)
{
  return look(
    t, o,
    [&t](Mat A, int a) -> PetscErrorCode {
      PetscBool yes;
      PetscFunctionBegin;
      TOLD(t, MatIsTranspose(A, A, 0, &yes), "MatIsTranspose(A[%d], A[%d], 0, &yes)", a, a);
      t.note((double)yes);
      PetscFunctionReturn(PETSC_SUCCESS);
    },
    [&t](const Slot &s) { return s.square() && t.has_mirrored_pattern(s); });
}

/* Each with a matrix of PETSc's own: a duplicate converted. */
Step equal(Twins &t, const Op &o)
{
  return look(t, o, [&t](Mat A, int a) -> PetscErrorCode {
    Mat       B;
    PetscBool yes;
    PetscFunctionBegin;
    TOLD(t, MatDuplicate(A, MAT_COPY_VALUES, &B), "MatDuplicate(A[%d], MAT_COPY_VALUES, &made)", a);
    TOLD(t, MatEqual(A, B, &yes), "MatEqual(A[%d], made, &yes)", a);
    t.note((double)yes);
    TOLD(t, MatDestroy(&B), "MatDestroy(&made)");
    PetscFunctionReturn(PETSC_SUCCESS);
  });
}

Step sor(Twins &t, const Op &o)
{
  return look(
    t, o,
    [&t](Mat A, int a) -> PetscErrorCode {
      Mat B;
      Vec b = t.vector(t.slot[a].rows, 1), x = t.vector(t.slot[a].rows, 504 + t.side);
      PetscFunctionBegin;
      /* of A + c, whose diagonal is not zero; without inodes, which what lies on a device does not have */
      TOLD(t, MatDuplicate(A, MAT_COPY_VALUES, &B), "MatDuplicate(A[%d], MAT_COPY_VALUES, &made)", a);
      TOLD(t, MatSetOption(B, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE), "MatSetOption(made, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE)");
      TOLD(t, MatSetOption(B, MAT_USE_INODES, PETSC_FALSE), "MatSetOption(made, MAT_USE_INODES, PETSC_FALSE)");
      TOLD(t, MatShift(B, 1000 * (1 + t.slot[a].size)), "MatShift(made, %g)", (double)(1000 * (1 + t.slot[a].size)));
      TOLD(t, MatSOR(B, b, 1, (MatSORType)(SOR_LOCAL_SYMMETRIC_SWEEP | SOR_ZERO_INITIAL_GUESS), 0, 1, 1, x),
           "MatSOR(made, v, 1, SOR_LOCAL_SYMMETRIC_SWEEP | SOR_ZERO_INITIAL_GUESS, 0, 1, 1, w)");
      PetscCall(note_vector(t, x, 1));
      TOLD(t, MatDestroy(&B), "MatDestroy(&made)");
      PetscFunctionReturn(PETSC_SUCCESS);
    },
    [](const Slot &s) { return s.square(); });
}

/* A direct solver, as -pc_type lu takes it: found by the type's name. */
Step factor(Twins &t, const Op &o)
{
  const int a = t.pick(o.slot[0], [&](const Slot &s) { return t.is(s, MATSEQAIJ) && s.square() && s.m(); });
  Step      step;
  if (a < 0) return step;
  step.run = [=, &t]() -> PetscErrorCode {
    Mat           B, F;
    IS            rows, cols;
    MatFactorInfo how;
    Vec           b = t.vector(t.slot[a].rows, 1), x = t.vector(t.slot[a].rows, 506 + t.side);
    PetscFunctionBegin;
    TOLD(t, MatDuplicate(t(a), MAT_COPY_VALUES, &B), "MatDuplicate(A[%d], MAT_COPY_VALUES, &made)", a);
    TOLD(t, MatSetOption(B, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE), "MatSetOption(made, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE)");
    TOLD(t, MatShift(B, 1000 * (1 + t.slot[a].size)), "MatShift(made, %g)", (double)(1000 * (1 + t.slot[a].size)));
    TOLD(t, MatGetOrdering(B, MATORDERINGND, &rows, &cols), "MatGetOrdering(made, MATORDERINGND, &rows, &cols)");
    TOLD(t, MatGetFactor(B, MATSOLVERPETSC, MAT_FACTOR_LU, &F), "MatGetFactor(made, MATSOLVERPETSC, MAT_FACTOR_LU, &factor)");
    PetscCall(MatFactorInfoInitialize(&how));
    how.fill = 5;
    TOLD(t, MatLUFactorSymbolic(F, B, rows, cols, &how), "MatLUFactorSymbolic(factor, made, rows, cols, &how)");
    TOLD(t, MatLUFactorNumeric(F, B, &how), "MatLUFactorNumeric(factor, made, &how)");
    TOLD(t, MatSolve(F, b, x), "MatSolve(factor, v, w)");
    PetscCall(note_vector(t, x, 1, false, true));
    TOLD(t, ISDestroy(&rows), "ISDestroy(&rows)");
    TOLD(t, ISDestroy(&cols), "ISDestroy(&cols)");
    TOLD(t, MatDestroy(&F), "MatDestroy(&factor)");
    TOLD(t, MatDestroy(&B), "MatDestroy(&made)");
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  step.touched = {a};
  return step;
}

/* Single values, own rows only (MatGetValues() knows no others). */
Step values(Twins &t, const Op &o)
{
  return look(t, o, [&t](Mat A, int a) -> PetscErrorCode {
    const Slot &s = t.slot[a];
    PetscFunctionBegin;
    for (PetscInt i = s.rows[t.rank]; i < s.rows[t.rank + 1] && s.n(); i += 7) {
      const PetscInt j[2] = {i % s.n(), (3 * i + 1) % s.n()};
      PetscScalar    v[2];
      TOLD(t, MatGetValues(A, 1, &i, 2, j, v), "// MatGetValues(A[%d], ...)", a);
      for (PetscScalar x : v) t.note(PetscRealPart(x), s.size);
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  });
}

/* The rows of one rank as a matrix of its own, with PETSc's columns of others. */
Step local_matrix(Twins &t, const Op &o)
{
  const int a = t.pick(o.slot[0], [&](const Slot &s) { return t.is(s, MATMPIAIJ); });
  Step      step;
  if (a < 0) return step;
  step.run = [=, &t]() -> PetscErrorCode {
    Mat       local = nullptr;
    PetscReal size;
    PetscFunctionBegin;
    TOLD(t, MatMPIAIJGetLocalMat(t(a), MAT_INITIAL_MATRIX, &local), "MatMPIAIJGetLocalMat(A[%d], MAT_INITIAL_MATRIX, &made)", a);
    TOLD(t, MatMPIAIJGetLocalMat(t(a), MAT_REUSE_MATRIX, &local), "MatMPIAIJGetLocalMat(A[%d], MAT_REUSE_MATRIX, &made)", a);
    PetscCall(MatNorm(local, NORM_1, &size));
    t.note(size, t.slot[a].size * 60);
    TOLD(t, MatDestroy(&local), "MatDestroy(&made)");
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  step.touched = {a};
  return step;
}

} // namespace

std::vector<Operation> reading()
{
  return {
    {"norms", 2, norms},
    {"rows", 2, rows},
    {"diagonal", 3, diagonal},
    {"row_figures", 2, row_figures},
    {"info", 2, info},
    {"column_norms", 1, column_norms},
    {"symmetric", 1, symmetric},
    {"equal", 1, equal},
    {"sor", 2, sor},
    {"factor", 2, factor},
    {"values", 1, values},
    {"local_matrix", 2, local_matrix},
  };
}

} // namespace goza_fuzz
