/* Laws of every Goza Mat type: products that PETSc finds by the exact names of the factors' types it finds for ours too, and factors of them. */
#include "../support/mat_case.hpp"

using namespace goza_test;

namespace {

/* C and D come from the same sums of products in perhaps another order. */
void check_product(Mat C, Mat D, const std::string &what)
{
  VecHandle x = vector_like(D, false, VECSTANDARD, 4), got = filled_with_nan(D, true, VECSTANDARD), want = vector_like(D, true, VECSTANDARD, 4),
            bound = vector_like(D, true, VECSTANDARD, 4);
  PetscReal size;

  PETSC_OK(MatNorm(D, NORM_FROBENIUS, &size));
  PETSC_OK(MatMult(C, x, got));
  PETSC_OK(MatMult(D, x, want));
  PETSC_OK(VecSet(bound, 1000 * PETSC_MACHINE_EPSILON * size));
  check_close(got, want, bound, what);
}

MatHandle dense(const MatCase &c, Mat A, bool of_rows, bool transposed)
{
  MatHandle  D;
  PetscInt   m, n, M, N, first, last;
  const bool long_side = of_rows;
  PetscInt   few = 5, few_local = PETSC_DECIDE;

  PETSC_OK(MatGetLocalSize(A, &m, &n));
  PETSC_OK(MatGetSize(A, &M, &N));
  PETSC_OK(PetscSplitOwnership(PETSC_COMM_WORLD, &few_local, &few));
  const PetscInt local = long_side ? m : n, global = long_side ? M : N;
  PETSC_OK(MatCreate(PETSC_COMM_WORLD, D.put()));
  PETSC_OK(MatSetSizes(D, transposed ? few_local : local, transposed ? local : few_local, transposed ? few : global, transposed ? global : few));
  PETSC_OK(MatSetType(D, c.sized("dense").c_str()));
  PETSC_OK(MatSetUp(D));
  PETSC_OK(MatGetOwnershipRange(D, &first, &last));
  for (PetscInt i = first; i < last; i++)
    for (PetscInt j = 0; j < (transposed ? global : few); j++) PETSC_OK(MatSetValue(D, i, j, uniform(i, j, 17), INSERT_VALUES));
  PETSC_OK(MatAssemblyBegin(D, MAT_FINAL_ASSEMBLY));
  PETSC_OK(MatAssemblyEnd(D, MAT_FINAL_ASSEMBLY));
  return D;
}

using Product = std::function<void(Mat, MatReuse, Mat *)>;

/* f(A) for ours and for aij; again after a change of A. */
void same_product(const MatCase &c, const std::string &what, const Product &f, bool again = true)
{
  MatHandle A = c.ours(), R = c.aij(), C, D;

  f(A, MAT_INITIAL_MATRIX, C.put());
  f(R, MAT_INITIAL_MATRIX, D.put());
  check_product(C, D, what);
  if (!again) return;
  to_both(A, R, [](Mat M) { PETSC_OK(MatScale(M, 2)); });
  f(A, MAT_REUSE_MATRIX, C.get());
  f(R, MAT_REUSE_MATRIX, D.get());
  check_product(C, D, what + ", reused");
}

void product_with_dense(const MatCase &c)
{
  MatHandle R = c.aij(), right = dense(c, R, false, false), left = dense(c, R, true, false), right_t = dense(c, R, false, true),
            left_t = dense(c, R, true, true);

  same_product(c, "A D", [&](Mat A, MatReuse r, Mat *C) { PETSC_OK(MatMatMult(A, right, r, PETSC_DEFAULT, C)); });
  same_product(c, "A' D", [&](Mat A, MatReuse r, Mat *C) { PETSC_OK(MatTransposeMatMult(A, left, r, PETSC_DEFAULT, C)); });
  same_product(c, "D A", [&](Mat A, MatReuse r, Mat *C) { PETSC_OK(MatMatMult(left_t, A, r, PETSC_DEFAULT, C)); });
  if (!c.parallel()) same_product(c, "A D'", [&](Mat A, MatReuse r, Mat *C) { PETSC_OK(MatMatTransposeMult(A, right_t, r, PETSC_DEFAULT, C)); });
}

/* With a plain AIJ on either side, whose type PETSc gives to what it makes on the way. */
void product_with_aij_transposed(const MatCase &c)
{
  MatHandle R = c.aij();

  if (c.parallel()) return;
  same_product(c, "R A'", [&](Mat A, MatReuse r, Mat *C) { PETSC_OK(MatMatTransposeMult(R, A, r, PETSC_DEFAULT, C)); });
  same_product(c, "A R'", [&](Mat A, MatReuse r, Mat *C) { PETSC_OK(MatMatTransposeMult(A, R, r, PETSC_DEFAULT, C)); });
}

/* The transpose of a matrix, never formed. */
void product_with_transpose(const MatCase &c)
{
  MatHandle A = c.ours(), R = c.aij(), T, S, C, D;

  PETSC_OK(MatCreateTranspose(A, T.put()));
  PETSC_OK(MatCreateTranspose(R, S.put()));
  PETSC_OK(MatMatMult(T, A, MAT_INITIAL_MATRIX, PETSC_DEFAULT, C.put()));
  PETSC_OK(MatMatMult(S, R, MAT_INITIAL_MATRIX, PETSC_DEFAULT, D.put()));
  check_product(C, D, "A' A");
  PETSC_OK(MatMatMult(A, T, MAT_INITIAL_MATRIX, PETSC_DEFAULT, C.put()));
  PETSC_OK(MatMatMult(R, S, MAT_INITIAL_MATRIX, PETSC_DEFAULT, D.put()));
  check_product(C, D, "A A'");
}

/* Galerkin products of several unknowns a node, as geometric multigrid makes them. */
void product_with_maij(const MatCase &c)
{
  const PetscInt dof = c.entry.bs;
  PetscMPIInt    size;
  MatHandle      R = c.aij(), P, M;
  PetscInt       m, n = PETSC_DECIDE, start, end, nodes = c.entry.rows / dof, coarse = (nodes + 2) / 3;

  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  if (size == 1 && c.parallel()) return; /* PETSc 3.18 has no MAIJ of these */
  PETSC_OK(MatGetLocalSize(R, &m, nullptr));
  PETSC_OK(PetscSplitOwnership(PETSC_COMM_WORLD, &n, &coarse));
  PETSC_OK(MatCreate(PETSC_COMM_WORLD, P.put()));
  PETSC_OK(MatSetSizes(P, m / dof, n, nodes, coarse));
  PETSC_OK(MatSetType(P, c.base()));
  PETSC_OK(MatSetUp(P));
  PETSC_OK(MatGetOwnershipRange(P, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    PETSC_OK(MatSetValue(P, i, i / 3, 1, INSERT_VALUES));
    if (i / 3 + 1 < coarse && i % 3) PETSC_OK(MatSetValue(P, i, i / 3 + 1, 0.5, INSERT_VALUES));
  }
  PETSC_OK(MatAssemblyBegin(P, MAT_FINAL_ASSEMBLY));
  PETSC_OK(MatAssemblyEnd(P, MAT_FINAL_ASSEMBLY));
  PETSC_OK(MatCreateMAIJ(P, dof, M.put()));
  same_product(c, "P' A P", [&](Mat A, MatReuse r, Mat *C) { PETSC_OK(MatPtAP(A, M, r, PETSC_DEFAULT, C)); });
}

bool is_petscs(Mat A)
{
  PetscBool yes;
  PETSC_OK(PetscObjectTypeCompareAny((PetscObject)A, &yes, MATSEQAIJ, MATMPIAIJ, ""));
  return yes;
}

/* PETSc multiplies no dense matrix with a transposed AIJ, its own included: what it refuses for its own it refuses for ours.
   The transpose, formed, is a factor as any. */
void dense_with_transposed(const MatCase &c)
{
  MatHandle                                       A = c.ours(), R = c.aij(), left = dense(c, R, true, false), right_t = dense(c, R, false, true);
  const std::function<PetscErrorCode(Mat, Mat *)> refused[] = {
    [&](Mat M, Mat *C) { return MatMatTransposeMult(right_t, M, MAT_INITIAL_MATRIX, PETSC_DEFAULT, C); },
    [&](Mat M, Mat *C) { return MatTransposeMatMult(left, M, MAT_INITIAL_MATRIX, PETSC_DEFAULT, C); },
  };

  for (const auto &f : refused) {
    MatHandle     C, D;
    const Outcome ours = attempt([&] { return f(A, C.put()); }), theirs = attempt([&] { return f(R, D.put()); });

    BOOST_TEST(ours.failed == theirs.failed, ours.message << " but " << theirs.message);
    if (!theirs.failed) check_product(C, D, "dense with transposed");
  }
  same_product(c, "D A', formed", [&](Mat M, MatReuse r, Mat *C) {
    MatHandle T;

    PETSC_OK(MatTranspose(M, MAT_INITIAL_MATRIX, T.put()));
    PETSC_OK(MatMatMult(right_t, T, r, PETSC_DEFAULT, C));
  });
}

/* The next of the types of the same form: over all of them each is on either side. */
std::string next_type(const MatCase &c)
{
  std::vector<std::string> types;

  for (const MatName &name : mat_names())
    if ((name.set.rfind("mpi", 0) == 0) == (c.type.set.rfind("mpi", 0) == 0)) types.push_back(name.set);
  for (std::size_t k = 0; k < types.size(); k++)
    if (types[k] == c.type.set) return types[(k + 1) % types.size()];
  return c.type.set;
}

using OfTwo = PetscErrorCode (*)(Mat, Mat, MatReuse, Mat *);

const std::pair<const char *, OfTwo> products_of_two[] = {
  {"A B", [](Mat A, Mat B, MatReuse r, Mat *C) { return MatMatMult(A, B, r, PETSC_DEFAULT, C); }},
  {"A' B", [](Mat A, Mat B, MatReuse r, Mat *C) { return MatTransposeMatMult(A, B, r, PETSC_DEFAULT, C); }},
  {"A B'", [](Mat A, Mat B, MatReuse r, Mat *C) { return MatMatTransposeMult(A, B, r, PETSC_DEFAULT, C); }},
  {"B' A B", [](Mat A, Mat B, MatReuse r, Mat *C) { return MatPtAP(A, B, r, PETSC_DEFAULT, C); }},
  {"B A B'", [](Mat A, Mat B, MatReuse r, Mat *C) { return MatRARt(A, B, r, PETSC_DEFAULT, C); }},
  {"A B A", [](Mat A, Mat B, MatReuse r, Mat *C) { return MatMatMatMult(A, B, A, r, PETSC_DEFAULT, C); }},
};

/* PETSc's own product of parallel AIJ writes beyond what the first has kept of B'. */
bool may_be_reused(const MatCase &c, const std::string &name) { return !c.parallel() || name.find("B'") != name.size() - 2; }

void products_of_mixed_types(const MatCase &c)
{
  MatHandle R = c.aij(), B = assemble(c.entry, next_type(c).c_str());

  for (const auto &[what, f] : products_of_two) {
    const std::string name(what);
    const bool        again = may_be_reused(c, name);

    same_product(
      c, name + ", B of the next type", [&, f = f](Mat A, MatReuse r, Mat *C) { PETSC_OK(f(A, is_petscs(A) ? R : B, r, C)); }, again);
    same_product(
      c, name + ", A of the next type", [&, f = f](Mat A, MatReuse r, Mat *C) { PETSC_OK(f(is_petscs(A) ? R : B, A, r, C)); }, again);
  }
}

/* Of values that the device alone has where there is one, before the first product and after it. */
void products_of_one_type(const MatCase &c)
{
  MatHandle R = c.aij(), B = c.ours();

  to_both(B, R, [](Mat M) { PETSC_OK(MatScale(M, 3)); });
  for (const auto &[what, f] : products_of_two) {
    const std::string name(what);

    same_product(
      c, name + ", of one type",
      [&, f = f](Mat A, MatReuse r, Mat *C) {
        if (r == MAT_INITIAL_MATRIX) PETSC_OK(MatScale(A, -1));
        PETSC_OK(f(A, is_petscs(A) ? R : B, r, C));
      },
      may_be_reused(c, name));
  }
}

/* L and U with the pattern of one type and the values of another: bit by bit those of two matrices of PETSc's, or its error. */
void factor_of_mixed_types(const MatCase &c)
{
  if (c.parallel()) return; /* PETSc factors these on one rank only */
  MatHandle A = c.ours(), R = c.aij(), B = assemble(c.entry, next_type(c).c_str()), F, G;
  VecHandle b = vector_like(R, true, VECSTANDARD, 1), x = filled_with_nan(R, false, VECSTANDARD), y = filled_with_nan(R, false, VECSTANDARD);

  for (MatFactorType kind : {MAT_FACTOR_LU, MAT_FACTOR_ILU}) {
    const auto solve = [&](Mat pattern, Mat values, MatHandle &factor, Vec to) {
      return attempt([&]() -> PetscErrorCode {
        MatFactorInfo how;
        ISHandle      rows, cols;

        PetscFunctionBegin;
        PetscCall(MatFactorInfoInitialize(&how));
        PetscCall(MatGetOrdering(pattern, MATORDERINGNATURAL, rows.put(), cols.put()));
        PetscCall(MatGetFactor(pattern, MATSOLVERPETSC, kind, factor.put()));
        if (kind == MAT_FACTOR_LU) PetscCall(MatLUFactorSymbolic(factor, pattern, rows, cols, &how));
        else PetscCall(MatILUFactorSymbolic(factor, pattern, rows, cols, &how));
        PetscCall(MatLUFactorNumeric(factor, values, &how));
        PetscCall(MatSolve(factor, b, to));
        PetscFunctionReturn(PETSC_SUCCESS);
      });
    };
    const Outcome ours = solve(A, B, F, x), theirs = solve(R, R, G, y);
    PetscReal     off, size;

    BOOST_TEST(ours.failed == theirs.failed, ours.message << " but " << theirs.message);
    if (theirs.failed) continue;
    PETSC_OK(VecNorm(y, NORM_2, &size));
    PETSC_OK(VecAXPY(y, -1, x));
    PETSC_OK(VecNorm(y, NORM_2, &off));
    if (std::isfinite(size)) BOOST_TEST(off == 0);
  }
}

void kronecker(const MatCase &c)
{
  if (c.type.is.rfind("seq", 0) != 0 || c.entry.rows * c.entry.cols > 500) return;
  same_product(c, "A kron A", [&](Mat A, MatReuse r, Mat *C) { PETSC_OK(MatSeqAIJKron(A, A, r, C)); });
}

const AddTests add([] {
  add_mat_laws(
    {
      {"product_with_dense", product_with_dense, nonempty},
      {"dense_with_transposed", dense_with_transposed, nonempty},
      {"product_with_aij_transposed", product_with_aij_transposed, nonempty},
      {"product_with_transpose", product_with_transpose, square | nonempty},
      {"product_with_maij", product_with_maij, square | nonempty},
      {"products_of_mixed_types", products_of_mixed_types, square | nonempty},
      {"products_of_one_type", products_of_one_type, square | nonempty},
      {"factor_of_mixed_types", factor_of_mixed_types, square | nonempty},
      {"kronecker", kronecker, nonempty},
    },
    false);
});

} // namespace
