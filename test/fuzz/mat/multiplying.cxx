/* Products of matrices, new and with what the first left. */
#include "operations.hpp"

namespace goza_fuzz {
namespace {

using Product = PetscErrorCode (*)(Mat, Mat, MatReuse, Mat *);

struct Kind {
  const char *name;
  Product     multiply;
  bool        a_transposed, b_transposed, twice; /* twice: P' A P, A's layout and P's */
};

const Kind kinds[] = {
  {"MatMatMult", [](Mat A, Mat B, MatReuse r, Mat *C) { return MatMatMult(A, B, r, PETSC_DEFAULT, C); }, false, false, false},
  {"MatTransposeMatMult", [](Mat A, Mat B, MatReuse r, Mat *C) { return MatTransposeMatMult(A, B, r, PETSC_DEFAULT, C); }, true, false, false},
  {"MatMatTransposeMult", [](Mat A, Mat B, MatReuse r, Mat *C) { return MatMatTransposeMult(A, B, r, PETSC_DEFAULT, C); }, false, true, false},
  {"MatPtAP", [](Mat A, Mat P, MatReuse r, Mat *C) { return MatPtAP(A, P, r, PETSC_DEFAULT, C); }, false, false, true},
  {"MatRARt", [](Mat A, Mat R, MatReuse r, Mat *C) { return MatRARt(A, R, r, PETSC_DEFAULT, C); }, false, true, true},
};

bool fits(const Kind &k, const Slot &a, const Slot &b)
{
  const auto &inner_a = k.a_transposed ? a.rows : a.cols, &inner_b = k.b_transposed ? b.cols : b.rows;
  return inner_a == inner_b && (!k.twice || a.square());
}

Step product(Twins &t, const Op &o)
{
  const Kind &k = kinds[o.p[0] % 5];
  /* PETSc's products of others crash: AIJPERM, IS */
  const auto known = [&](const Slot &s) { return s.size < 1e3 && (t.is_plain(s) || t.is(s, MATSEQDENSE) || t.is(s, MATMPIDENSE)); };
  const int  a     = t.pick(o.slot[0], known);
  const int  b     = a < 0 ? -1 : t.pick(o.slot[1], [&](const Slot &s) { return known(s) && fits(k, t.slot[a], s); });
  Step       step;
  if (b < 0) return step;
  int d = t.pick(o.slot[2],
                 [&](const Slot &s) { return s.made.by == k.name && s.made.from[0] == a && s.made.from[1] == b && t.may_reuse((int)(&s - t.slot)); });
  /* PETSc's MPIAIJ multiplies by B itself, not by its transpose, where it uses a product again */
  const bool forgets = k.b_transposed && !k.twice && t.is(t.slot[b], MATMPIAIJ);
  const bool again   = d >= 0 && d != a && d != b && o.p[2] % 4 && !forgets;
  if (!again) d = (int)o.slot[2];
  const PetscReal size = (k.twice ? t.slot[b].size * 60 : 1) * t.slot[a].size * t.slot[b].size * 60;
  step.run             = [=, &t]() -> PetscErrorCode {
    Mat C = again ? t(d) : nullptr;
    PetscFunctionBegin;
    if (t.telling()) {
      t.say("made = %s", again ? t.name(d).c_str() : "NULL");
      t.say("%s(A[%d], A[%d], %s, PETSC_DEFAULT, &made)", k.name, a, b, again ? "MAT_REUSE_MATRIX" : "MAT_INITIAL_MATRIX");
    }
    PetscCall(k.multiply(t(a), t(b), again ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX, &C));
    PetscCall(t.put(d, C));
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  step.touched = {d};
  for (int s : {a, b})
    if (s != d) step.touched.push_back(s);
  step.after = [=, &t, made = t.made(k.name, 0, a, b)] { t.learn(d, size, a == d || b == d ? Made() : made); };
  return step;
}

/* With a dense matrix of a few columns. */
Step times_dense(Twins &t, const Op &o)
{
  const int      a          = t.pick(o.slot[0], [&](const Slot &s) { return t.is_plain(s); });
  const PetscInt columns    = o.p[0] % 5;
  const bool     transposed = o.p[1] % 2;
  Step           step;
  if (a < 0) return step;
  step.run = [=, &t]() -> PetscErrorCode {
    const Slot    &s     = t.slot[a];
    const auto    &in    = transposed ? s.rows : s.cols;
    const PetscInt local = in[t.rank + 1] - in[t.rank];
    Mat            B, C = nullptr;
    PetscScalar   *v;
    PetscReal      size;
    PetscInt       lda;
    PetscFunctionBegin;
    TOLD(t, MatCreateDense(PETSC_COMM_WORLD, local, PETSC_DECIDE, in.back(), columns, nullptr, &B),
         "MatCreateDense(PETSC_COMM_WORLD, %d, PETSC_DECIDE, %d, %d, NULL, &dense)", (int)local, (int)in.back(), (int)columns);
    PetscCall(MatDenseGetLDA(B, &lda));
    PetscCall(MatDenseGetArray(B, &v));
    for (PetscInt j = 0; j < columns; j++)
      for (PetscInt i = 0; i < local; i++) v[j * lda + i] = t.value(in[t.rank] + i, j, 5);
    PetscCall(MatDenseRestoreArray(B, &v));
    if (t.telling()) t.say("// dense: any values");
    for (MatReuse reuse : {MAT_INITIAL_MATRIX, MAT_REUSE_MATRIX}) {
      if (t.telling())
        t.say("%s(A[%d], dense, %s, PETSC_DEFAULT, &made)", transposed ? "MatTransposeMatMult" : "MatMatMult", a,
              reuse == MAT_REUSE_MATRIX ? "MAT_REUSE_MATRIX" : "MAT_INITIAL_MATRIX");
      PetscCall((transposed ? MatTransposeMatMult : MatMatMult)(t(a), B, reuse, PETSC_DEFAULT, &C));
    }
    PetscCall(MatNorm(C, NORM_FROBENIUS, &size));
    t.note(size, s.size * 3600, !transposed);
    TOLD(t, MatDestroy(&C), "MatDestroy(&made)");
    TOLD(t, MatDestroy(&B), "MatDestroy(&dense)");
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  step.touched = {a};
  return step;
}

/* The interpolation of several unknowns a node, as DMs make it: A MAIJ, and P' A P with it. */
Step with_maij(Twins &t, const Op &o)
{
  const int a = t.pick(o.slot[0], [&](const Slot &s) {
    return t.is_plain(s) && s.square() && s.m() && s.size < 1e3; /* of 0 x 0 PETSc's own crashes */
  });
  Step      step;
  if (a < 0) return step;
  const PetscInt dof = 2 + o.p[0] % 2;
  for (PetscInt r : t.slot[a].rows)
    if (r % dof) return step;
  step.run = [=, &t]() -> PetscErrorCode {
    const Slot    &s     = t.slot[a];
    const PetscInt start = s.rows[t.rank] / dof, nodes = s.rows[t.rank + 1] / dof - start;
    Mat            one, P, C = nullptr;
    PetscReal      size;
    PetscFunctionBegin;
    TOLD(t, MatCreateAIJ(PETSC_COMM_WORLD, nodes, nodes, PETSC_DETERMINE, PETSC_DETERMINE, 1, nullptr, 1, nullptr, &one),
         "MatCreateAIJ(PETSC_COMM_WORLD, %d, %d, PETSC_DETERMINE, PETSC_DETERMINE, 1, NULL, 1, NULL, &one)", (int)nodes, (int)nodes);
    for (PetscInt i = start; i < start + nodes; i++)
      TOLD(t, MatSetValue(one, i, i, 2, INSERT_VALUES), "MatSetValue(one, %d, %d, 2, INSERT_VALUES)", (int)i, (int)i);
    TOLD(t, MatAssemblyBegin(one, MAT_FINAL_ASSEMBLY), "MatAssemblyBegin(one, MAT_FINAL_ASSEMBLY)");
    TOLD(t, MatAssemblyEnd(one, MAT_FINAL_ASSEMBLY), "MatAssemblyEnd(one, MAT_FINAL_ASSEMBLY)");
    TOLD(t, MatCreateMAIJ(one, dof, &P), "MatCreateMAIJ(one, %d, &dense)", (int)dof);
    for (MatReuse reuse : {MAT_INITIAL_MATRIX, MAT_REUSE_MATRIX})
      TOLD(t, MatPtAP(t(a), P, reuse, PETSC_DEFAULT, &C), "MatPtAP(A[%d], dense, %s, PETSC_DEFAULT, &made)", a,
           reuse == MAT_REUSE_MATRIX ? "MAT_REUSE_MATRIX" : "MAT_INITIAL_MATRIX");
    PetscCall(MatNorm(C, NORM_FROBENIUS, &size));
    t.note(size * size, s.size * s.size * 1e5);
    TOLD(t, MatDestroy(&C), "MatDestroy(&made)");
    TOLD(t, MatDestroy(&P), "MatDestroy(&dense)");
    TOLD(t, MatDestroy(&one), "MatDestroy(&one)");
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  step.touched = {a};
  return step;
}

Step kron(Twins &t, const Op &o)
{
  const auto small = [&](const Slot &s) { return t.is_plain(s) && t.is(s, MATSEQAIJ) && s.size < 1e3 && s.m() * s.n() < 300; };
  const int  a     = t.pick(o.slot[0], small);
  Step       step;
  if (a < 0) return step;
  /* a SeqAIJ takes no other type as its right factor, and PETSc asks nobody else */
  const auto only_aij = [](const Slot &s) {
    PetscBool yes;
    PETSC_OK(PetscObjectTypeCompare((PetscObject)s.mat[OURS], MATSEQAIJ, &yes));
    return (bool)yes;
  };
  const int b = t.pick(o.slot[1], [&](const Slot &s) { return small(s) && (!only_aij(t.slot[a]) || only_aij(s)); });
  step.run    = [=, &t]() -> PetscErrorCode {
    Mat C = nullptr;
    PetscFunctionBegin;
    TOLD(t, MatSeqAIJKron(t(a), t(b), MAT_INITIAL_MATRIX, &C), "MatSeqAIJKron(A[%d], A[%d], MAT_INITIAL_MATRIX, &made)", a, b);
    TOLD(t, MatSeqAIJKron(t(a), t(b), MAT_REUSE_MATRIX, &C), "MatSeqAIJKron(A[%d], A[%d], MAT_REUSE_MATRIX, &made)", a, b);
    PetscReal size;
    PetscCall(MatNorm(C, NORM_FROBENIUS, &size));
    t.note(size, t.slot[a].size * t.slot[b].size * 300);
    TOLD(t, MatDestroy(&C), "MatDestroy(&made)");
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  step.touched = {a};
  return step;
}

} // namespace

std::vector<Operation> multiplying()
{
  return {
    {"product", 9, product},
    {"times_dense", 4, times_dense},
    {"with_maij", 3, with_maij},
    {"kron", 2, kron},
  };
}

} // namespace goza_fuzz
