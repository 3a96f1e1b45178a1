/* Laws of every Goza Mat type: what only reads the matrix. Each says: the same as PETSc's aij. */
#include "../support/mat_case.hpp"

#include <cmath>

using namespace goza_test;

namespace {

void built_every_way(const MatCase &c)
{
  MatHandle R = c.aij();

  c.check_same(assemble(c.entry, c.type.set.c_str(), Prealloc::exact), R, "preallocated");
  c.check_same(assemble(c.entry, c.type.set.c_str(), Prealloc::none), R, "not preallocated"); /* 3.19 and later collect entries in a hash table */
}

void mult_add(const MatCase &c)
{
  MatHandle A = c.ours(), R = c.aij();
  VecHandle x = c.in(R), y = c.out(R, 5), want = c.out(R), got = c.junk(R), bound = c.bound(R, x, y);

  PETSC_OK(MatMultAdd(R, x, y, want));
  PETSC_OK(MatMultAdd(A, x, y, got));
  check_close(got, want, bound, "z = y + A x");
  PETSC_OK(MatMultAdd(A, x, y, y));
  check_close(y, want, bound, "y = y + A x");
}

void mult_transpose_add(const MatCase &c)
{
  MatHandle A = c.ours(), R = c.aij();
  VecHandle x = c.out(R), y = c.in(R, 5), want = c.in(R), got = c.junk_in(R), bound = rounding_bound(R, x, y, true);

  PETSC_OK(MatMultTransposeAdd(R, x, y, want));
  PETSC_OK(MatMultTransposeAdd(A, x, y, got));
  check_close(got, want, bound, "z = y + A' x");
  PETSC_OK(MatMultTransposeAdd(A, x, y, y));
  check_close(y, want, bound, "y = y + A' x");
}

void mult_hermitian_transpose(const MatCase &c)
{
  MatHandle A = c.ours(), R = c.aij();
  VecHandle x = c.out(R), y = c.in(R, 5), want = c.in(R), got = c.junk_in(R), bound = rounding_bound(R, x, nullptr, true), sum = rounding_bound(R, x, y, true);

  PETSC_OK(MatMultHermitianTranspose(R, x, want));
  PETSC_OK(MatMultHermitianTranspose(A, x, got));
  check_close(got, want, bound, "A* x");
  PETSC_OK(MatMultHermitianTransposeAdd(R, x, y, want));
  PETSC_OK(MatMultHermitianTransposeAdd(A, x, y, got));
  check_close(got, want, sum, "y + A* x");
}

void residual(const MatCase &c)
{
  MatHandle A = c.ours(), R = c.aij();
  VecHandle x = c.in(R), b = c.out(R, 6), want = c.out(R), got = c.junk(R), bound = c.bound(R, x, b);

  PETSC_OK(MatResidual(R, b, x, want));
  PETSC_OK(MatResidual(A, b, x, got));
  check_close(got, want, bound, "b - A x");
}

/* A NaN or an infinity in x reaches the rows that read it, and no other: padding must not read x where the row has no entry. */
void nonfinite_stays_in_its_rows(const MatCase &c)
{
  MatHandle    A = c.ours(), R = c.aij();
  VecHandle    x = c.in(R), y = c.junk(R), want = c.out(R);
  PetscInt     start, end, m;
  PetscScalar *a;

  PETSC_OK(VecGetOwnershipRange(x, &start, &end));
  PETSC_OK(VecGetArray(x, &a));
  for (PetscInt i = start; i < end; i++)
    if (i % 16 == 0) a[i - start] = i % 32 ? (PetscReal)INFINITY : (PetscReal)NAN; /* also column 0 and the ends of slices, where padding may point to */
  PETSC_OK(VecRestoreArray(x, &a));
  PETSC_OK(MatMult(R, x, want));
  PETSC_OK(MatMult(A, x, y));

  const PetscScalar *g, *w;
  PetscInt           leaks = 0, hides = 0;
  PETSC_OK(VecGetLocalSize(y, &m));
  PETSC_OK(VecGetArrayRead(y, &g));
  PETSC_OK(VecGetArrayRead(want, &w));
  for (PetscInt i = 0; i < m; i++) {
    const bool got_finite = std::isfinite(PetscRealPart(g[i])), want_finite = std::isfinite(PetscRealPart(w[i]));
    leaks += want_finite && !got_finite;
    hides += got_finite && !want_finite;
  }
  if (c.type.set.find("cds") == std::string::npos && c.type.set.find("autoformat") == std::string::npos)
    BOOST_TEST(leaks == 0); /* a diagonal stored whole passes over rows without an entry; autoformat may choose cds */
  BOOST_TEST(hides == 0);
  PETSC_OK(VecRestoreArrayRead(y, &g));
  PETSC_OK(VecRestoreArrayRead(want, &w));
}

void get_diagonal(const MatCase &c)
{
  MatHandle A = c.ours(), R = c.aij();
  VecHandle got = c.junk(R), want = c.out(R), zero = c.out(R);

  PETSC_OK(MatGetDiagonal(R, want));
  PETSC_OK(MatGetDiagonal(A, got));
  PETSC_OK(VecSet(zero, 0));
  check_close(got, want, zero, "diagonal");
}

void norms(const MatCase &c)
{
  MatHandle A = c.ours(), R = c.aij();

  for (NormType type : {NORM_1, NORM_FROBENIUS, NORM_INFINITY}) {
    PetscReal got, want;
    PETSC_OK(MatNorm(A, type, &got));
    PETSC_OK(MatNorm(R, type, &want));
    BOOST_CHECK_MESSAGE(PetscAbsReal(got - want) <= 1000 * PETSC_MACHINE_EPSILON * want, NormTypes[type] << ": " << got << " instead of " << want);
  }
}

void info(const MatCase &c)
{
  MatHandle A = c.ours(), R = c.aij();

  for (MatInfoType type : {MAT_LOCAL, MAT_GLOBAL_SUM, MAT_GLOBAL_MAX}) {
    MatInfo got, want;
    PETSC_OK(MatGetInfo(A, type, &got));
    PETSC_OK(MatGetInfo(R, type, &want));
    BOOST_TEST(got.nz_used == want.nz_used);
    BOOST_TEST(got.block_size == want.block_size);
  }
  PetscInt got_bs, want_bs;
  PETSC_OK(MatGetBlockSize(A, &got_bs));
  PETSC_OK(MatGetBlockSize(R, &want_bs));
  BOOST_TEST(got_bs == want_bs);
}

void create_vecs(const MatCase &c)
{
  MatHandle A = c.ours();
  VecHandle right, left;
  PetscInt  m, n, rows, cols;

  if (c.vec == VECCUDA) PETSC_OK(MatSetVecType(A, VECCUDA));
  PETSC_OK(MatCreateVecs(A, right.put(), left.put()));
  PETSC_OK(MatGetLocalSize(A, &m, &n));
  PETSC_OK(VecGetLocalSize(left, &rows));
  PETSC_OK(VecGetLocalSize(right, &cols));
  BOOST_TEST(rows == m);
  BOOST_TEST(cols == n);
  PETSC_OK(VecSet(right, 1));
  PETSC_OK(MatMult(A, right, left)); /* they fit the product */
  if (c.vec == VECCUDA) {
    PetscBool on_device;
    PETSC_OK(PetscObjectTypeCompareAny((PetscObject)(Vec)left, &on_device, VECSEQCUDA, VECMPICUDA, ""));
    BOOST_TEST((on_device == PETSC_TRUE));
  }
}

void bound_to_cpu(const MatCase &c)
{
  MatHandle A = c.ours(), R = c.aij();

  PETSC_OK(MatBindToCPU(A, PETSC_TRUE));
  c.check_same(A, R, "bound to the CPU");
  PETSC_OK(MatScale(A, 2));
  PETSC_OK(MatScale(R, 2));
  c.check_same(A, R, "scaled on the CPU");
  PETSC_OK(MatBindToCPU(A, PETSC_FALSE));
  c.check_same(A, R, "free again");
}

/* x and y need not be of one kind. */
void mixed_vectors(const MatCase &c)
{
  MatHandle   A = c.ours(), R = c.aij();
  const auto  kinds = vec_names();
  const auto &other = c.vec == kinds.front() ? kinds.back() : kinds.front();
  VecHandle   x = vector_like(R, false, other, 1), y = c.junk(R), want = c.out(R), bound = c.bound(R, x, nullptr);

  PETSC_OK(MatMult(R, x, want));
  PETSC_OK(MatMult(A, x, y));
  check_close(y, want, bound, "x " + other + ", y " + c.vec);
}

/* Twice the same product is the same, bit for bit. */
void deterministic(const MatCase &c)
{
  MatHandle A = c.ours();
  VecHandle x = c.in(A), first = c.out(A), second = c.junk(A);
  PetscBool same;

  PETSC_OK(MatMult(A, x, first));
  PETSC_OK(MatMult(A, x, second));
  PETSC_OK(VecEqual(first, second, &same));
  BOOST_TEST((same == PETSC_TRUE));
}

void submatrix(const MatCase &c)
{
  MatHandle A = c.ours(), R = c.aij(), a, r;
  ISHandle  rows, cols;
  PetscInt  rs, re, cs, ce;

  PETSC_OK(MatGetOwnershipRange(R, &rs, &re));
  PETSC_OK(MatGetOwnershipRangeColumn(R, &cs, &ce));
  PETSC_OK(ISCreateStride(PETSC_COMM_WORLD, (re - rs + 1) / 2, rs, 2, rows.put())); /* every second row, two thirds of the columns */
  PETSC_OK(ISCreateStride(PETSC_COMM_WORLD, (ce - cs) * 2 / 3, cs, 1, cols.put()));
  PETSC_OK(MatCreateSubMatrix(A, rows, cols, MAT_INITIAL_MATRIX, a.put()));
  PETSC_OK(MatCreateSubMatrix(R, rows, cols, MAT_INITIAL_MATRIX, r.put()));
  c.check_same(a, r, "new");
  PETSC_OK(MatScale(A, -3));
  PETSC_OK(MatScale(R, -3));
  PETSC_OK(MatCreateSubMatrix(A, rows, cols, MAT_REUSE_MATRIX, a.get()));
  PETSC_OK(MatCreateSubMatrix(R, rows, cols, MAT_REUSE_MATRIX, r.get()));
  c.check_same(a, r, "reused");
}

void sor(const MatCase &c)
{
  MatHandle A = c.ours(), R = c.aij();
  VecHandle b = c.out(R), got = c.in(R), want = c.in(R), bound = c.in(R);

  /* with inodes SOR goes by blocks; what lies on AIJCUSPARSE has none */
  for (Mat M : {static_cast<Mat>(A), static_cast<Mat>(R)}) PETSC_OK(MatSetOption(M, MAT_USE_INODES, PETSC_FALSE));
  PETSC_OK(MatSOR(R, b, 1, (MatSORType)(SOR_LOCAL_SYMMETRIC_SWEEP | SOR_ZERO_INITIAL_GUESS), 0, 1, 1, want));
  PETSC_OK(MatSOR(A, b, 1, (MatSORType)(SOR_LOCAL_SYMMETRIC_SWEEP | SOR_ZERO_INITIAL_GUESS), 0, 1, 1, got));
  PETSC_OK(VecCopy(want, bound));
  PETSC_OK(VecAbs(bound));
  PETSC_OK(VecScale(bound, 100 * PETSC_MACHINE_EPSILON)); /* the same loop over the same AIJ data */
  check_close(got, want, bound, "SOR");
}

const AddTests add([] {
  add_mat_laws({
    {"built_every_way", built_every_way},
    {"mult_add", mult_add},
    {"mult_hermitian_transpose", mult_hermitian_transpose},
    {"mult_transpose_add", mult_transpose_add},
    {"residual", residual},
    {"nonfinite_stays_in_its_rows", nonfinite_stays_in_its_rows},
    {"get_diagonal", get_diagonal, square},
    {"norms", norms},
    {"info", info},
    {"create_vecs", create_vecs},
    {"bound_to_cpu", bound_to_cpu},
    {"mixed_vectors", mixed_vectors},
    {"deterministic", deterministic},
    {"submatrix", submatrix},
    {"sor", sor, no_zero_pivots},
  });
});

} // namespace
