/* Matrices that are nothing but their format (-mat_<format>_keep_aij no): whatever is done to one and to PETSc's aij, both are the same operator afterwards;
   ways in; what is refused. */
#include "mat/own/own_mat.hpp"
#include "petsc/plugin.hpp"
#include "../support/check.hpp"
#include "../support/gallery.hpp"
#include "../support/mat_case.hpp"
#include "../support/mesh_case.hpp"
#include "../support/names.hpp"

#include <algorithm>
#include <cstdlib>
#include <petscdmda.h>
#include <vector>

using namespace goza_test;

namespace {

constexpr PetscReal rounding = 200 * PETSC_MACHINE_EPSILON;

struct Case {
  const char           *name;
  PetscInt              rows, cols, bs;
  std::vector<PetscInt> offset; // of nodes
  bool                  symmetric, hermitian = false;
};

/* A format that a matrix can be nothing but. */
struct Owned {
  const char *type;

  std::string keep() const { return std::string("-mat_") + type + "_keep_aij"; }
  std::string own() const { return std::string("own") + type; }
  bool        by_diagonals() const { return std::string(type) == "cds"; }
};

const Owned formats[] = {{"cds"}, {"slicedell"}, {"fold"}};

const std::vector<Case> &cases()
{
  static const std::vector<Case> all = {
    {"tridiagonal", 23, 23, 1, {-1, 0, 1}, false},   {"symmetric", 40, 40, 1, {-7, -1, 0, 1, 7}, true}, {"one_sided", 31, 31, 1, {0, 3, 9}, false},
    {"no_diagonal", 17, 17, 1, {-2, 5}, false},      {"wide", 12, 29, 1, {-3, 0, 4, 15}, false},        {"tall", 33, 20, 1, {-20, -1, 0, 2}, false},
    {"blocks", 42, 42, 3, {-5, -1, 0, 1, 5}, false}, {"symmetric_blocks", 36, 36, 2, {-4, 0, 4}, true}, {"single", 1, 1, 1, {0}, true},
    {"uneven", 500, 500, 1, {-1, 0, 1}, false},
  };

  return all;
}

PetscScalar value(PetscInt i, PetscInt j, bool symmetric)
{
  const PetscInt a = symmetric ? std::min(i, j) : i, b = symmetric ? std::max(i, j) : j;

  return scalar(1 + (7 * a + 3 * b) % 11 + (a == b ? 20 : 0), (5 * a + 2 * b) % 7 - 3);
}

PetscScalar hermitian_value(PetscInt i, PetscInt j)
{
  const PetscScalar v = value(i, j, true);

  return i < j ? v : i > j ? PetscConj(v) : PetscRealPart(v);
}

int ranks()
{
  PetscMPIInt size;

  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  return size;
}

/* One in how many rows is set by this rank, whoever owns it. */
bool mine(PetscInt i)
{
  PetscMPIInt rank;

  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  return (5 * i + i / 3) % ranks() == rank;
}

void fill(const Case &c, Mat A)
{
  for (PetscInt i = 0; i < c.rows; i++) {
    if (!mine(i)) continue;
    for (PetscInt o : c.offset) {
      for (PetscInt r = 0; r < c.bs; r++) {
        const PetscInt    j = (i / c.bs + o) * c.bs + r;
        const PetscScalar v = c.hermitian ? hermitian_value(i, j) : value(i, j, c.symmetric);

        if (j >= 0 && j < c.cols) PETSC_OK(MatSetValues(A, 1, &i, 1, &j, &v, ADD_VALUES));
      }
    }
  }
  PETSC_OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PETSC_OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
}

MatHandle made(const Case &c, MatType type)
{
  MatHandle A;

  PETSC_OK(MatCreate(PETSC_COMM_WORLD, A.put()));
  PETSC_OK(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, c.rows, c.cols));
  PETSC_OK(MatSetBlockSize(A, c.bs));
  PETSC_OK(MatSetType(A, type));
  PETSC_OK(MatSetUp(A));
  PETSC_OK(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  if (c.symmetric) PETSC_OK(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
  fill(c, A);
  return A;
}

MatHandle ours(const Owned &f, const Case &c)
{
  const Option keep(f.keep(), "no");
  MatHandle    A = made(c, f.type);
  PetscBool    own;

  PETSC_OK(PetscObjectTypeCompare((PetscObject)(Mat)A, f.own().c_str(), &own));
  BOOST_REQUIRE(own);
  return A;
}

void close_vectors(Vec got, Vec want, const std::string &what)
{
  PetscReal off, norm;

  PETSC_OK(VecNorm(want, NORM_INFINITY, &norm));
  PETSC_OK(VecAXPY(got, -1, want));
  PETSC_OK(VecNorm(got, NORM_INFINITY, &off));
  BOOST_CHECK_MESSAGE(off <= rounding * (norm + 1), what << ": off by " << off << " of " << norm);
}

/* The largest difference where A has an entry. */
PetscReal entries_apart(Mat A, Mat B)
{
  PetscReal          most = 0;
  PetscInt           start, end, n;
  const PetscInt    *cols;
  const PetscScalar *vals;

  PETSC_OK(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    PETSC_OK(MatGetRow(A, i, &n, &cols, &vals));
    for (PetscInt k = 0; k < n; k++) {
      PetscScalar v;

      PETSC_OK(MatGetValues(B, 1, &i, 1, &cols[k], &v));
      most = PetscMax(most, PetscAbsScalar(v - vals[k]));
    }
    PETSC_OK(MatRestoreRow(A, i, &n, &cols, &vals));
  }
  return max_over_ranks(most);
}

/* Products, diagonal, norms and entries. */
void check_same(Mat A, Mat R, const std::string &what)
{
  VecHandle x, y, got, want, gott, wantt;
  MatHandle aij;
  PetscReal a, r, off;
  PetscInt  rows, cols;

  PETSC_OK(MatCreateVecs(R, x.put(), y.put()));
  PETSC_OK(VecSetRandom(x, nullptr));
  PETSC_OK(VecSetRandom(y, nullptr));
  PETSC_OK(VecDuplicate(y, got.put()));
  PETSC_OK(VecDuplicate(y, want.put()));
  PETSC_OK(VecDuplicate(x, gott.put()));
  PETSC_OK(VecDuplicate(x, wantt.put()));
  PETSC_OK(MatMult(A, x, got));
  PETSC_OK(MatMult(R, x, want));
  close_vectors(got, want, what + ": product");
  PETSC_OK(MatMultAdd(A, x, y, got));
  PETSC_OK(MatMultAdd(R, x, y, want));
  close_vectors(got, want, what + ": product added");
  PETSC_OK(MatMultTranspose(A, y, gott));
  PETSC_OK(MatMultTranspose(R, y, wantt));
  close_vectors(gott, wantt, what + ": transposed product");
  PETSC_OK(MatMultTransposeAdd(A, y, x, gott));
  PETSC_OK(MatMultTransposeAdd(R, y, x, wantt));
  close_vectors(gott, wantt, what + ": transposed product added");
  PETSC_OK(MatMultHermitianTranspose(A, y, gott));
  PETSC_OK(MatMultHermitianTranspose(R, y, wantt));
  close_vectors(gott, wantt, what + ": Hermitian transposed product");
  PETSC_OK(MatMultHermitianTransposeAdd(A, y, x, gott));
  PETSC_OK(MatMultHermitianTransposeAdd(R, y, x, wantt));
  close_vectors(gott, wantt, what + ": Hermitian transposed product added");
  PETSC_OK(MatGetSize(A, &rows, &cols));
  if (rows == cols || ranks() == 1) { /* PETSc's aij of several ranks has no other */
    PETSC_OK(MatGetDiagonal(A, got));
    PETSC_OK(MatGetDiagonal(R, want));
    close_vectors(got, want, what + ": diagonal");
  }
  for (NormType type : {NORM_1, NORM_FROBENIUS, NORM_INFINITY}) {
    PETSC_OK(MatNorm(A, type, &a));
    PETSC_OK(MatNorm(R, type, &r));
    BOOST_CHECK_MESSAGE(PetscAbsReal(a - r) <= rounding * r, what << ": norm " << NormTypes[type] << " " << a << " instead of " << r);
  }
  PETSC_OK(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, aij.put()));
  PETSC_OK(MatNorm(R, NORM_INFINITY, &r));
  MatInfo here, there;
  PETSC_OK(MatGetInfo(A, MAT_LOCAL, &here));
  PETSC_OK(MatGetInfo(aij, MAT_LOCAL, &there));
  BOOST_CHECK_MESSAGE(here.nz_used == there.nz_used && here.nz_used + here.nz_unneeded == here.nz_allocated,
                      what << ": " << here.nz_used << " entries of " << here.nz_allocated << ", in AIJ " << there.nz_used);
  off = PetscMax(entries_apart(aij, R), entries_apart(R, aij));
  BOOST_CHECK_MESSAGE(off <= rounding * (r + 1), what << ": entries off by " << off);
}

/* f(matrix, vector of the rows, vector of the columns) does the same to both */
template <class F> void both(const Owned &own, const Case &c, const std::string &what, const F &f)
{
  MatHandle A = ours(own, c), R = made(c, MATAIJ);
  VecHandle l, r;

  PETSC_OK(MatCreateVecs(R, r.put(), l.put()));
  PETSC_OK(VecSetRandom(l, nullptr));
  PETSC_OK(VecSetRandom(r, nullptr));
  f((Mat)A, (Vec)l, (Vec)r);
  f((Mat)R, (Vec)l, (Vec)r);
  check_same(A, R, std::string(c.name) + ", " + what);
}

void changed(const Owned &f, const Case &c)
{
  both(f, c, "as it is", [](Mat, Vec, Vec) {});
  both(f, c, "scaled", [](Mat A, Vec, Vec) { PETSC_OK(MatScale(A, -3)); });
  both(f, c, "zero", [&](Mat A, Vec, Vec) {
    PETSC_OK(MatZeroEntries(A));
    fill(c, A);
  });
  both(f, c, "rows and columns scaled", [](Mat A, Vec l, Vec r) { PETSC_OK(MatDiagonalScale(A, l, r)); });
  both(f, c, "rows scaled", [](Mat A, Vec l, Vec) { PETSC_OK(MatDiagonalScale(A, l, NULL)); });
  both(f, c, "a copy", [&](Mat A, Vec, Vec) {
    MatHandle B;

    PETSC_OK(MatDuplicate(A, MAT_COPY_VALUES, B.put()));
    PETSC_OK(MatScale(B, 2));
    PETSC_OK(MatAXPY(A, -2, B, SAME_NONZERO_PATTERN));
    PETSC_OK(MatCopy(B, A, SAME_NONZERO_PATTERN));
  });
  both(f, c, "transposed twice", [&](Mat A, Vec, Vec) {
    MatHandle T, B;

    PETSC_OK(MatTranspose(A, MAT_INITIAL_MATRIX, T.put()));
    PETSC_OK(MatScale(T, 3));
    PETSC_OK(MatTranspose(T, MAT_INITIAL_MATRIX, B.put()));
    PETSC_OK(MatAXPY(A, 1, B, SAME_NONZERO_PATTERN));
  });
  both(f, c, "conjugated", [](Mat A, Vec, Vec) {
    PETSC_OK(MatConjugate(A));
    PETSC_OK(MatScale(A, scalar(2, 1)));
  });
  both(f, c, "Hermitian transposed", [](Mat A, Vec, Vec) {
    MatHandle T, B;

    PETSC_OK(MatHermitianTranspose(A, MAT_INITIAL_MATRIX, T.put()));
    PETSC_OK(MatTranspose(T, MAT_INITIAL_MATRIX, B.put()));
    PETSC_OK(MatAXPY(A, scalar(3, -1), B, SAME_NONZERO_PATTERN));
  });
  both(f, c, "more of aij", [&](Mat A, Vec, Vec) {
    Case      other = c;
    PetscBool aij;

    other.symmetric = false;
    other.offset.push_back(other.offset.back() + 1);
    PETSC_OK(PetscObjectTypeCompareAny((PetscObject)A, &aij, MATSEQAIJ, MATMPIAIJ, ""));
    if (aij) fill(other, A);
    else PETSC_OK(MatAXPY(A, 1, made(other, MATAIJ), DIFFERENT_NONZERO_PATTERN));
  });
  if (c.rows != c.cols) return;
  both(f, c, "shifted", [](Mat A, Vec, Vec) { PETSC_OK(MatShift(A, 2.5)); });
  both(f, c, "diagonal set", [](Mat A, Vec l, Vec) { PETSC_OK(MatDiagonalSet(A, l, INSERT_VALUES)); });
  both(f, c, "diagonal added", [](Mat A, Vec l, Vec) { PETSC_OK(MatDiagonalSet(A, l, ADD_VALUES)); });
  both(f, c, "scaled alike", [](Mat A, Vec l, Vec) { PETSC_OK(MatDiagonalScale(A, l, l)); });
}

/* What was said of a matrix before it changed: as AIJ of which nobody has said anything. */
void said(const Owned &f, MatOption option)
{
  const Case c{"said", 40, 40, 1, {-7, -1, 0, 1, 7}, option == MAT_SYMMETRIC, option == MAT_HERMITIAN};
  const auto after = [&](const char *what, const auto &change) {
    MatHandle A = ours(f, c), R = made({c.name, c.rows, c.cols, c.bs, c.offset, false}, MATAIJ); /* of which nothing is said */
    VecHandle l;
    PetscBool known = PETSC_FALSE, yes;

    PETSC_OK(MatSetOption(A, option, PETSC_TRUE));
    PETSC_OK(MatZeroEntries(R));
    fill(c, R);
    PETSC_OK(MatCreateVecs(R, l.put(), NULL));
    PETSC_OK(VecSetRandom(l, nullptr));
    change((Mat)A, (Vec)l);
    change((Mat)R, (Vec)l);
    check_same(A, R, std::string("said, ") + what);
    PETSC_OK(option == MAT_SYMMETRIC ? MatIsSymmetricKnown(A, &known, &yes) : MatIsHermitianKnown(A, &known, &yes));
    return known && yes;
  };

  BOOST_TEST(after("nothing", [](Mat, Vec) {}));
  after("shifted", [](Mat A, Vec) { PETSC_OK(MatShift(A, scalar(2, 1))); });
  after("diagonal set", [](Mat A, Vec l) { PETSC_OK(MatDiagonalSet(A, l, ADD_VALUES)); });
  after("Hermitian transposed", [](Mat A, Vec) {
    MatHandle B;

    PETSC_OK(MatHermitianTranspose(A, MAT_INITIAL_MATRIX, B.put()));
    PETSC_OK(MatAXPY(A, scalar(1, 2), B, SAME_NONZERO_PATTERN));
  });
  BOOST_TEST(!after("rows zeroed", [](Mat A, Vec) {
    const PetscInt row = 3;

    PETSC_OK(MatZeroRows(A, 1, &row, 2, NULL, NULL));
  }));
  BOOST_TEST(!after("aij added", [&](Mat A, Vec) {
    PETSC_OK(MatAXPY(A, 1, made({"other", c.rows, c.cols, c.bs, c.offset, false}, MATAIJ), SAME_NONZERO_PATTERN));
  }));
  for (const Owned &g : formats) { /* of its kind, or another's, which becomes one of its */
    const Case other{"other", c.rows, c.cols, c.bs, c.offset, false};

    BOOST_TEST(!after(g.type, [&](Mat A, Vec) { PETSC_OK(MatAXPY(A, 1, ours(g, other), SAME_NONZERO_PATTERN)); }));
  }
}

/* With the right-hand sides. */
void zeroed(const Owned &f, const Case &c)
{
  if (c.rows != c.cols || c.rows < 2) return;
  for (bool columns : {false, true}) {
    MatHandle      A = ours(f, c), R = made(c, MATAIJ);
    VecHandle      x, b, d;
    const PetscInt rows[] = {0, c.rows / 2, c.rows - 1}, named = mine(0) ? 3 : 0; /* by one rank, for all */

    PETSC_OK(MatShift(A, 1)); /* PETSc's aij needs a place for the diagonal */
    PETSC_OK(MatShift(R, 1));
    PETSC_OK(MatCreateVecs(R, x.put(), b.put()));
    PETSC_OK(VecSetRandom(x, nullptr));
    PETSC_OK(VecSetRandom(b, nullptr));
    PETSC_OK(VecDuplicate(b, d.put()));
    PETSC_OK(VecCopy(b, d));
    for (Mat M : {(Mat)A, (Mat)R}) {
      const Vec rhs = M == (Mat)A ? b : d;

      PETSC_OK(columns ? MatZeroRowsColumns(M, named, rows, 4, x, rhs) : MatZeroRows(M, named, rows, 4, x, rhs));
    }
    close_vectors(b, d, "right-hand side");
    check_same(A, R, std::string(c.name) + (columns ? ", rows and columns zeroed" : ", rows zeroed"));
  }
}

/* Of a matrix with more rows than columns, or fewer: the diagonal goes to the rows that have one, whichever rank has its column. */
void rectangle_zeroed(const Owned &f, const Case &c)
{
  if (c.rows == c.cols) return;
  const PetscInt rows[] = {0, 1, c.rows / 2, c.rows - 1}, named = mine(0) ? 4 : 0;

  for (bool sides : {false, true}) {
    MatHandle A = ours(f, c), R = made(c, MATAIJ);
    VecHandle x, b, d;

    PETSC_OK(MatCreateVecs(R, x.put(), b.put()));
    PETSC_OK(VecSetRandom(x, nullptr));
    PETSC_OK(VecSetRandom(b, nullptr));
    PETSC_OK(VecDuplicate(b, d.put()));
    PETSC_OK(VecCopy(b, d));
    if (sides && ranks() > 1) {
      BOOST_TEST(attempt([&] { return MatZeroRows(A, named, rows, 4, x, b); }).says("not distributed alike"));
      continue;
    }
    for (Mat M : {(Mat)A, (Mat)R}) PETSC_OK(MatZeroRows(M, named, rows, 4, sides ? (Vec)x : NULL, M == (Mat)A ? (Vec)b : (Vec)d));
    close_vectors(b, d, "right-hand side");
    check_same(A, R, std::string(c.name) + ", rows zeroed");
    BOOST_TEST(attempt([&] { return MatZeroRowsColumns(A, named, rows, 4, NULL, NULL); }).says("not distributed alike"));
  }
}

/* By COO, each entry in two parts or in one, and some that are nowhere. */
void by_coordinates(const Owned &f, const Case &c, PetscInt parts)
{
  const Option             keep(f.keep(), "no");
  MatHandle                A, R;
  std::vector<PetscInt>    i, j;
  std::vector<PetscScalar> v;

  for (PetscInt part = 0; part < parts; part++) {
    for (PetscInt row = 0; row < c.rows; row++) {
      if (!mine(row + part)) continue;
      for (PetscInt o : c.offset) {
        for (PetscInt r = 0; r < c.bs; r++) {
          const PetscInt col    = (row / c.bs + o) * c.bs + r;
          const bool     inside = col >= 0 && col < c.cols;

          i.push_back(row);
          j.push_back(inside ? col : -1);
          v.push_back(inside ? value(row, col, c.symmetric) * (part + 1) : 77);
        }
      }
    }
  }
  for (MatHandle *M : {&A, &R}) {
    std::vector<PetscInt> rows = i, cols = j;

    PETSC_OK(MatCreate(PETSC_COMM_WORLD, M->put()));
    PETSC_OK(MatSetSizes(*M, PETSC_DECIDE, PETSC_DECIDE, c.rows, c.cols));
    PETSC_OK(MatSetBlockSize(*M, c.bs));
    PETSC_OK(MatSetType(*M, M == &A ? f.type : MATAIJ));
    if (c.symmetric) PETSC_OK(MatSetOption(*M, MAT_SYMMETRIC, PETSC_TRUE));
    PETSC_OK(MatSetPreallocationCOO(*M, (PetscCount)rows.size(), rows.data(), cols.data()));
    PETSC_OK(MatSetValuesCOO(*M, v.data(), INSERT_VALUES));
  }
  check_same(A, R, std::string(c.name) + ", coordinates");
  for (Mat M : {(Mat)A, (Mat)R}) PETSC_OK(MatSetValuesCOO(M, v.data(), ADD_VALUES));
  check_same(A, R, std::string(c.name) + ", coordinates added");
  for (Mat M : {(Mat)A, (Mat)R}) PETSC_OK(MatSetValuesCOO(M, v.data(), INSERT_VALUES));
  check_same(A, R, std::string(c.name) + ", coordinates again");
}

void small(Mat C, Mat D, const std::string &what)
{
  PetscReal off, norm;

  PETSC_OK(MatNorm(D, NORM_FROBENIUS, &norm));
  PETSC_OK(MatAXPY(D, -1, C, DIFFERENT_NONZERO_PATTERN));
  PETSC_OK(MatNorm(D, NORM_FROBENIUS, &off));
  BOOST_CHECK_MESSAGE(off <= rounding * (norm + 1), what << ": off by " << off << " of " << norm);
}

/* With itself, and with aij on either side; again with other values. */
void products(const Case &c, Mat A, Mat R)
{
  using Product                                       = PetscErrorCode (*)(Mat, Mat, MatReuse, Mat *);
  static const std::pair<const char *, Product> all[] = {
    {"A B", [](Mat X, Mat Y, MatReuse r, Mat *C) { return MatMatMult(X, Y, r, PETSC_DEFAULT, C); }},
    {"A' B", [](Mat X, Mat Y, MatReuse r, Mat *C) { return MatTransposeMatMult(X, Y, r, PETSC_DEFAULT, C); }},
    {"P' A P", [](Mat X, Mat Y, MatReuse r, Mat *C) { return MatPtAP(X, Y, r, PETSC_DEFAULT, C); }},
    {"A B'", [](Mat X, Mat Y, MatReuse r, Mat *C) { return MatMatTransposeMult(X, Y, r, PETSC_DEFAULT, C); }},
  };

  for (const auto &[name, f] : all) {
    if (ranks() > 1 && std::string(name) == "A B'") continue; /* PETSc's own writes beyond what it has kept */
    for (const auto &[X, Y] : {std::pair{A, A}, std::pair{A, R}, std::pair{R, A}}) {
      const std::string what = std::string(c.name) + ": " + name;
      MatHandle         C, D;

      PETSC_OK(f(X, Y, MAT_INITIAL_MATRIX, C.put()));
      PETSC_OK(f(R, R, MAT_INITIAL_MATRIX, D.put()));
      small(C, D, what);
      for (Mat M : {A, R}) PETSC_OK(MatScale(M, -2));
      PETSC_OK(f(X, Y, MAT_REUSE_MATRIX, C.get()));
      PETSC_OK(f(R, R, MAT_INITIAL_MATRIX, D.put()));
      small(C, D, what + ", again");
    }
  }
}

/* What PETSc does to AIJ alone. */
void through_aij(const Owned &f, const Case &c)
{
  MatHandle A = ours(f, c), R = made(c, MATAIJ), B;
  VecHandle x, b, got, want;
  PetscBool equal;

  PETSC_OK(MatCreateVecs(R, x.put(), b.put()));
  PETSC_OK(VecSetRandom(b, nullptr));
  PETSC_OK(VecDuplicate(b, got.put()));
  PETSC_OK(VecDuplicate(b, want.put()));
  if (c.rows == c.cols || ranks() == 1) {
    PETSC_OK(MatGetRowMaxAbs(A, got, nullptr));
    PETSC_OK(MatGetRowMaxAbs(R, want, nullptr));
    close_vectors(got, want, std::string(c.name) + ": largest of each row");
  }
  PETSC_OK(MatDuplicate(A, MAT_COPY_VALUES, B.put()));
  PETSC_OK(MatEqual(A, B, &equal));
  BOOST_TEST(equal);
  PETSC_OK(MatScale(B, 2));
  PETSC_OK(MatEqual(A, B, &equal));
  BOOST_TEST((!equal));
  PETSC_OK(MatSetRandom(B, nullptr));
  if (c.rows != c.cols) return;
  products(c, A, R);
  for (int again = 0; again < 2; again++) { /* the diagonal is stored now, and not 0 */
    Mat       block, of_r;
    VecHandle part, its[2];

    for (Mat M : {(Mat)A, (Mat)R}) {
      PETSC_OK(MatShift(M, 1000));
      PETSC_OK(VecZeroEntries(M == (Mat)A ? got : want));
      PETSC_OK(MatSOR(M, b, 1, (MatSORType)(SOR_LOCAL_SYMMETRIC_SWEEP | SOR_ZERO_INITIAL_GUESS), 0, 1, 1, M == (Mat)A ? got : want));
    }
    close_vectors(got, want, std::string(c.name) + ": SOR");
    PETSC_OK(MatGetDiagonalBlock(A, &block));
    PETSC_OK(MatGetDiagonalBlock(R, &of_r));
    PETSC_OK(MatCreateVecs(of_r, part.put(), its[0].put()));
    PETSC_OK(VecDuplicate(its[0], its[1].put()));
    PETSC_OK(VecSet(part, 1));
    PETSC_OK(MatMult(block, part, its[0]));
    PETSC_OK(MatMult(of_r, part, its[1]));
    PETSC_OK(VecAXPY(its[0], -1, its[1]));
    PetscReal off;
    PETSC_OK(VecNorm(its[0], NORM_INFINITY, &off));
    BOOST_TEST(max_over_ranks(off) <= rounding * 1e4);
  }
}

/* A program's file. */
void loaded(const Owned &f, const Case &c)
{
  const Option keep(f.keep(), "no");
  MatHandle    A, R = made(c, MATAIJ);
  ViewerHandle file;
  std::string  name = "/tmp/goza_own_" + std::to_string(ranks()) + "_" + f.type + "_" + c.name;

  PETSC_OK(PetscViewerBinaryOpen(PETSC_COMM_WORLD, name.c_str(), FILE_MODE_WRITE, file.put()));
  PETSC_OK(MatView(R, file));
  PETSC_OK(PetscViewerBinaryOpen(PETSC_COMM_WORLD, name.c_str(), FILE_MODE_READ, file.put()));
  PETSC_OK(MatCreate(PETSC_COMM_WORLD, A.put()));
  PETSC_OK(MatSetType(A, f.type));
  PETSC_OK(MatLoad(A, file));
  file.reset();
  (void)max_over_ranks(0); /* all have read it */
  (void)unlink(name.c_str());
  (void)unlink((name + ".info").c_str());
  PetscBool own;
  PETSC_OK(PetscObjectTypeCompare((PetscObject)(Mat)A, f.own().c_str(), &own));
  BOOST_TEST(own);
  check_same(A, R, std::string(c.name) + ", loaded");
}

#if defined(PETSC_HAVE_HDF5)
} // namespace

/* Of petscviewerhdf5.h, which wants the headers of HDF5. */
PETSC_EXTERN PetscErrorCode PetscViewerHDF5PushGroup(PetscViewer, const char[]);
PETSC_EXTERN PetscErrorCode PetscViewerHDF5PopGroup(PetscViewer);
PETSC_EXTERN PetscErrorCode PetscViewerHDF5WriteAttribute(PetscViewer, const char[], const char[], PetscDataType, const void *);

namespace {

void open_hdf5(MPI_Comm comm, const std::string &name, PetscFileMode mode, ViewerHandle &file)
{
  PETSC_OK(PetscViewerCreate(comm, file.put()));
  PETSC_OK(PetscViewerSetType(file, PETSCVIEWERHDF5));
  PETSC_OK(PetscViewerFileSetMode(file, mode));
  PETSC_OK(PetscViewerFileSetName(file, name.c_str()));
}

/* The rows of a case in a group of that name, as MatLoad() wants them. */
void write_rows(const Case &c, const std::string &name)
{
  std::vector<PetscInt>    ptr{0}, col;
  std::vector<PetscScalar> val;
  ViewerHandle             file;
  IS                       set[2];
  Vec                      values;

  for (PetscInt i = 0; i < c.rows; i++) {
    for (PetscInt o : c.offset) {
      if (i + o < 0 || i + o >= c.cols) continue;
      col.push_back(i + o);
      val.push_back(value(i, i + o, c.symmetric));
    }
    ptr.push_back(static_cast<PetscInt>(col.size()));
  }
  open_hdf5(PETSC_COMM_SELF, name, FILE_MODE_WRITE, file);
  PETSC_OK(PetscViewerHDF5PushGroup(file, "/stiffness"));
  PETSC_OK(ISCreateGeneral(PETSC_COMM_SELF, static_cast<PetscInt>(ptr.size()), ptr.data(), PETSC_USE_POINTER, &set[0]));
  PETSC_OK(ISCreateGeneral(PETSC_COMM_SELF, static_cast<PetscInt>(col.size()), col.data(), PETSC_USE_POINTER, &set[1]));
  PETSC_OK(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, static_cast<PetscInt>(val.size()), val.data(), &values));
  PETSC_OK(PetscObjectSetName((PetscObject)set[0], "jc"));
  PETSC_OK(PetscObjectSetName((PetscObject)set[1], "ir"));
  PETSC_OK(PetscObjectSetName((PetscObject)values, "data"));
  for (IS &s : set) PETSC_OK(ISView(s, file));
  PETSC_OK(VecView(values, file));
  PETSC_OK(PetscViewerHDF5WriteAttribute(file, nullptr, "MATLAB_sparse", PETSC_INT, &c.rows));
  PETSC_OK(PetscViewerHDF5PopGroup(file));
  for (IS &s : set) PETSC_OK(ISDestroy(&s));
  PETSC_OK(VecDestroy(&values));
}

/* HDF5 finds a matrix by its name. */
void loaded_by_name(const Owned &f)
{
  const Case       &c    = cases()[0];
  const std::string name = "/tmp/goza_own_" + std::to_string(ranks()) + "_" + f.type + ".h5";
  MatHandle         R    = made(c, MATAIJ), A;
  PetscMPIInt       rank;
  ViewerHandle      file;

  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  if (rank == 0) write_rows(c, name);
  (void)max_over_ranks(0); /* it has been written */
  open_hdf5(PETSC_COMM_WORLD, name, FILE_MODE_READ, file);
  PETSC_OK(MatCreate(PETSC_COMM_WORLD, A.put()));
  PETSC_OK(MatSetType(A, f.own().c_str()));
  PETSC_OK(PetscObjectSetName((PetscObject)(Mat)A, "stiffness"));
  PETSC_OK(MatLoad(A, file));
  file.reset();
  (void)max_over_ranks(0); /* all have read it */
  (void)unlink(name.c_str());
  check_same(A, R, "by its name");
}
#endif

struct Rows {
  std::vector<PetscInt>    ptr{0}, col;
  std::vector<PetscScalar> val;
};

/* R's; repeated: each with another value first in its last column. */
Rows rows_of_rank(Mat R, bool repeated)
{
  Rows     rows;
  PetscInt start, end;

  PETSC_OK(MatGetOwnershipRange(R, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    PetscInt           n;
    const PetscInt    *cols;
    const PetscScalar *values;

    PETSC_OK(MatGetRow(R, i, &n, &cols, &values));
    if (repeated && n) {
      rows.col.push_back(cols[n - 1]);
      rows.val.push_back(77);
    }
    rows.col.insert(rows.col.end(), cols, cols + n);
    rows.val.insert(rows.val.end(), values, values + n);
    rows.ptr.push_back((PetscInt)rows.col.size());
    PETSC_OK(MatRestoreRow(R, i, &n, &cols, &values));
  }
  return rows;
}

/* Rows as CSR, as programs give them that hold their matrix so: PETSc calls both functions on any number of ranks, and neither is asked for. Of a column that a
   row names twice the last entry stays, as with AIJ. */
void by_rows(const Owned &f, const Case &c)
{
  const Option keep(f.keep(), "no");
  MatHandle    A, R = made(c, MATAIJ);

  PETSC_OK(MatCreate(PETSC_COMM_WORLD, A.put()));
  PETSC_OK(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, c.rows, c.cols));
  PETSC_OK(MatSetBlockSize(A, c.bs));
  PETSC_OK(MatSetType(A, f.type));
  for (bool again : {false, true}) {
    const Rows rows = rows_of_rank(R, again);

    PETSC_OK(MatSeqAIJSetPreallocationCSR(A, rows.ptr.data(), rows.col.data(), rows.val.data()));
    PETSC_OK(MatMPIAIJSetPreallocationCSR(A, rows.ptr.data(), rows.col.data(), rows.val.data()));
    check_same(A, R, std::string(c.name) + (again ? ", rows again, with repeated columns" : ", rows"));
  }
}

const AddTests of_cases([] {
  for (const Owned &f : formats) {
    for (const Case &c : cases()) {
      auto *suite = suite_named(suite_named(nullptr, f.type), c.name);

      add_test(suite, "changed", [&] { changed(f, c); });
      add_test(suite, "zeroed", [&] { zeroed(f, c); });
      add_test(suite, "rectangle_zeroed", [&] { rectangle_zeroed(f, c); });
      add_test(suite, "through_aij", [&] { through_aij(f, c); });
      add_test(suite, "loaded", [&] { loaded(f, c); });
      add_test(suite, "by_coordinates", [&] { by_coordinates(f, c, 1); });
      add_test(suite, "by_rows", [&] { by_rows(f, c); });
      add_test(suite, "by_doubled_coordinates", [&] { by_coordinates(f, c, 2); });
    }
#if defined(PETSC_HAVE_HDF5)
    add_test(suite_named(nullptr, f.type), "loaded_by_name", [&] { loaded_by_name(f); });
#endif
    add_test(suite_named(nullptr, f.type), "said_to_be_symmetric", [&] { said(f, MAT_SYMMETRIC); });
    add_test(suite_named(nullptr, f.type), "said_to_be_hermitian", [&] { said(f, MAT_HERMITIAN); });
  }
});

/* A DMDA's matrix, its elements set by stencils: the diagonals are there before the first value, and no other is wanted. */
void of_grid(const Owned &f, PetscInt dim, PetscInt dof, DMBoundaryType boundary, DMDAStencilType stencil)
{
  MatHandle A, R;
  DM        da;

  for (MatHandle *M : {&A, &R}) {
    PetscInt       n[3], first[3], width[3];
    PetscBool      assembled;
    DMBoundaryType b = boundary;

    PETSC_OK(DMDACreate(PETSC_COMM_WORLD, &da));
    PETSC_OK(DMSetDimension(da, dim));
    PETSC_OK(DMDASetSizes(da, 5, dim > 1 ? 6 : 1, dim > 2 ? 4 : 1));
    PETSC_OK(DMDASetBoundaryType(da, b, b, b));
    PETSC_OK(DMDASetDof(da, dof));
    PETSC_OK(DMDASetStencilType(da, stencil));
    PETSC_OK(DMDASetStencilWidth(da, 1));
    PETSC_OK(DMSetUp(da));
    PETSC_OK(DMSetMatType(da, M == &A ? f.type : MATAIJ));
    {
      const Option keep(f.keep(), "no");

      PETSC_OK(DMCreateMatrix(da, M->put()));
    }
    PETSC_OK(MatAssembled(*M, &assembled));
    BOOST_TEST(assembled);
    PETSC_OK(MatSetOption(*M, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_TRUE));
    PETSC_OK(DMDAGetInfo(da, nullptr, &n[0], &n[1], &n[2], nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr));
    PETSC_OK(DMDAGetCorners(da, &first[0], &first[1], &first[2], &width[0], &width[1], &width[2]));
    for (PetscInt at = 0; at < width[0] * width[1] * width[2]; at++) {
      const PetscInt p = first[0] + at % width[0] + n[0] * (first[1] + at / width[0] % width[1] + n[1] * (first[2] + at / width[0] / width[1]));

      for (PetscInt q = 0; q < 27; q++) {
        const PetscInt s[3] = {q % 3 - 1, q / 3 % 3 - 1, q / 9 - 1};
        MatStencil     row{}, col{};

        row.i = p % n[0], row.j = p / n[0] % n[1], row.k = p / n[0] / n[1];
        col.i = row.i + s[0], col.j = row.j + s[1], col.k = row.k + s[2];
        const bool inside = col.i >= 0 && col.j >= 0 && col.k >= 0 && col.i < n[0] && col.j < n[1] && col.k < n[2];

        if ((dim < 2 && s[1]) || (dim < 3 && s[2]) || (stencil == DMDA_STENCIL_STAR && std::abs(s[0]) + std::abs(s[1]) + std::abs(s[2]) > 1)) continue;
        if (!inside && boundary != DM_BOUNDARY_PERIODIC) continue;
        for (row.c = 0; row.c < dof; row.c++) {
          for (col.c = 0; col.c < dof; col.c++) {
            const PetscScalar v = 1 + (p + 3 * q + row.c + 2 * col.c) % 7;

            PETSC_OK(MatSetValuesStencil(*M, 1, &row, 1, &col, &v, ADD_VALUES));
          }
        }
      }
    }
    PETSC_OK(MatAssemblyBegin(*M, MAT_FINAL_ASSEMBLY));
    PETSC_OK(MatAssemblyEnd(*M, MAT_FINAL_ASSEMBLY));
    PETSC_OK(DMDestroy(&da));
  }
  check_same(A, R, "grid");
  ViewerHandle nowhere;
  PETSC_OK(PetscViewerASCIIOpen(PETSC_COMM_WORLD, "/dev/null", nowhere.put()));
  PETSC_OK(MatView(A, nowhere)); /* on several ranks in natural order */
}

const AddTests of_grids([] {
  for (const Owned &f : formats) {
    auto *suite = suite_named(suite_named(nullptr, f.type), "grid");

    for (PetscInt dim : {1, 2, 3}) {
      for (PetscInt dof : {1, 2, 3, 4}) {
        if (dim == 3 && dof == 4) continue; /* 27 points of 4 unknowns each have 7 times 27 diagonals: refused, see below */
        for (DMDAStencilType stencil : {DMDA_STENCIL_BOX, DMDA_STENCIL_STAR}) {
          const std::string name = std::to_string(dim) + "d_" + std::to_string(dof) + (stencil == DMDA_STENCIL_BOX ? "_box" : "_star");

          add_test(suite, name, [=, &f] { of_grid(f, dim, dof, DM_BOUNDARY_NONE, stencil); });
          if (dim < 3) add_test(suite, name + "_periodic", [=, &f] { of_grid(f, dim, dof, DM_BOUNDARY_PERIODIC, stencil); });
        }
      }
    }
  }
});

} // namespace

/* Errors with sentences; the matrix stays what it was. */
BOOST_AUTO_TEST_CASE(refusals)
{
  if (ranks() > 1) return;
  const Owned      &f = formats[0];
  const Case       &c = cases()[0];
  MatHandle         A = ours(f, c), R = made(c, MATAIJ), B;
  const Option      keep(f.keep(), "no");
  const PetscInt    row = 0, far = 20, beyond = 23;
  const PetscScalar one = 1, nothing = 0;

  PETSC_OK(MatSetOption(A, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_TRUE));
  BOOST_TEST(attempt([&] { return MatSetValues(A, 1, &row, 1, &far, &one, INSERT_VALUES); }).says("no diagonal"));
  BOOST_TEST(attempt([&] { return MatSetValues(A, 1, &row, 1, &beyond, &one, INSERT_VALUES); }).says("too large"));
  PETSC_OK(MatSetValues(A, 1, &row, 1, &far, &nothing, INSERT_VALUES)); /* a zero needs no diagonal */
  PETSC_OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PETSC_OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  check_same(A, R, "after errors");

  Case many{"many", 300, 300, 1, {}, false};
  for (PetscInt o = 0; o < 140; o++) many.offset.push_back(o);
  MatHandle aij = made(many, MATAIJ);
  BOOST_TEST(attempt([&] { return MatConvert(aij, MATCDS, MAT_INITIAL_MATRIX, B.put()); }).says("128 diagonals"));

  Case      sparse{"sparse", 9000, 9000, 1, {0}, false};
  MatHandle few = made(sparse, MATAIJ);
  PETSC_OK(MatSetOption(few, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  for (PetscInt o = 1; o < 40; o++) PETSC_OK(MatSetValues(few, 1, &row, 1, &o, &one, INSERT_VALUES));
  PETSC_OK(MatAssemblyBegin(few, MAT_FINAL_ASSEMBLY));
  PETSC_OK(MatAssemblyEnd(few, MAT_FINAL_ASSEMBLY));
  BOOST_TEST(attempt([&] { return MatConvert(few, MATCDS, MAT_INITIAL_MATRIX, B.put()); }).says("max_fill"));
}

/* AIJ can do nothing that such a matrix cannot, but for what is done to the result of a product or a factor, and what PETSc itself does where a type does
   not. */
static void operations(const Owned &f)
{
  MatHandle             A = ours(f, cases()[0]), R = made(cases()[0], MATAIJ);
  constexpr std::size_t n = sizeof(struct _MatOps) / sizeof(void (*)());
  std::vector<bool>     excused(n);
  const auto            excuse = [&](auto op) { excused[((char *)&(A.get()[0]->ops->*op) - (char *)A.get()[0]->ops) / sizeof(void (*)())] = true; };

  excuse(&_MatOps::matmatmultnumeric), excuse(&_MatOps::matmultnumeric), excuse(&_MatOps::ptapnumeric), excuse(&_MatOps::mattransposemultnumeric),
    excuse(&_MatOps::transposematmultnumeric), excuse(&_MatOps::rartnumeric);
  excuse(&_MatOps::transposecoloringcreate), excuse(&_MatOps::transcoloringapplydentosp), excuse(&_MatOps::matsolve), excuse(&_MatOps::destroysubmatrices);
  excuse(&_MatOps::assemblybegin), excuse(&_MatOps::setblocksizes), excuse(&_MatOps::setunfactored);
#if PETSC_VERSION_GE(3, 20, 0)
  excuse(&_MatOps::eliminatezeros); /* of diagonals a zero is no entry, and elsewhere the places are the format's */
#endif
#if PETSC_VERSION_GE(3, 23, 0)
  excuse(&_MatOps::copyhashtoxaij), excuse(&_MatOps::getcurrentmemtype); /* of arrays of AIJ */
#endif
  for (std::size_t op = 0; op < n; op++) {
    PetscBool theirs, has;

    PETSC_OK(MatHasOperation(R, (MatOperation)op, &theirs));
    PETSC_OK(MatHasOperation(A, (MatOperation)op, &has));
    BOOST_CHECK_MESSAGE(!theirs || has || excused[op], f.own() << " has no operation " << op);
  }
}

/* One of two may be bound to the CPU. */
static void one_bound(const Owned &f)
{
  for (const Case &c : cases()) {
    for (bool first : {true, false}) {
      MatHandle A = ours(f, c), B = ours(f, c), R = made(c, MATAIJ), S = made(c, MATAIJ);

      PETSC_OK(MatBindToCPU(first ? A : B, PETSC_TRUE));
      PETSC_OK(MatAXPY(A, 2, B, SAME_NONZERO_PATTERN));
      PETSC_OK(MatAXPY(R, 2, S, SAME_NONZERO_PATTERN));
      check_same(A, R, "one is bound: added");
      PETSC_OK(MatCopy(A, B, DIFFERENT_NONZERO_PATTERN));
      check_same(B, R, "one is bound: copied");
    }
  }
}

/* Who takes a matrix for AIJ without looking at its type is told so; rows and columns are given to whoever asks for them by MatGetRowIJ(). */
static void arrays_of_aij(const Owned &f)
{
  const Case                           &c = cases()[0];
  MatHandle                             A = ours(f, c), R = made(c, MATAIJ);
  PetscScalar                          *values;
  const PetscScalar                    *read;
  const PetscInt                       *ptr, *col, *ptr_of_aij, *col_of_aij;
  PetscMemType                          where;
  PetscInt                              n;
  PetscBool                             done, done_of_aij;
  const std::string                     sentence    = "type " + f.own() + " has no arrays of AIJ";
  const std::function<PetscErrorCode()> accessors[] = {[&] { return MatSeqAIJGetArray(A, &values); },
                                                       [&] { return MatSeqAIJRestoreArray(A, &values); },
                                                       [&] { return MatSeqAIJGetArrayRead(A, &read); },
                                                       [&] { return MatSeqAIJRestoreArrayRead(A, &read); },
                                                       [&] { return MatSeqAIJGetArrayWrite(A, &values); },
                                                       [&] { return MatSeqAIJRestoreArrayWrite(A, &values); },
                                                       [&] { return MatSeqAIJGetCSRAndMemType(A, &ptr, &col, &values, &where); }};

  for (const auto &access : accessors) BOOST_TEST(attempt(access).says(sentence));
  PETSC_OK(MatSeqAIJGetMaxRowNonzeros(A, &n)); /* no row has more */
  BOOST_TEST(n >= 3);
  BOOST_TEST(n <= c.cols);
  check_same(A, R, "after its arrays were asked for");
  PETSC_OK(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &ptr, &col, &done));
  PETSC_OK(MatGetRowIJ(R, 0, PETSC_FALSE, PETSC_FALSE, &n, &ptr_of_aij, &col_of_aij, &done_of_aij));
  BOOST_TEST(done == done_of_aij);
  if (done) {
    BOOST_TEST(std::equal(ptr, ptr + n + 1, ptr_of_aij));
    BOOST_TEST(std::equal(col, col + ptr[n], col_of_aij));
  }
  PETSC_OK(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &ptr, &col, &done));
  PETSC_OK(MatRestoreRowIJ(R, 0, PETSC_FALSE, PETSC_FALSE, &n, &ptr_of_aij, &col_of_aij, &done_of_aij));
}

/* Values set by whoever does not own the row take the place of those that are there. */
static void inserted(const Owned &f)
{
  for (const Case &c : cases()) {
    MatHandle A = ours(f, c), R = made(c, MATAIJ);

    for (Mat M : {(Mat)A, (Mat)R}) {
      for (PetscInt i = 0; i < c.rows; i += 2) {
        for (PetscInt o : c.offset) {
          const PetscInt    j = (i / c.bs + o) * c.bs + i % c.bs;
          const PetscScalar v = c.symmetric ? value(i, j, true) : 3 - i + j;

          if (mine(i + 1) && j >= 0 && j < c.cols) PETSC_OK(MatSetValues(M, 1, &i, 1, &j, &v, INSERT_VALUES));
        }
      }
      PETSC_OK(MatAssemblyBegin(M, MAT_FINAL_ASSEMBLY));
      PETSC_OK(MatAssemblyEnd(M, MAT_FINAL_ASSEMBLY));
    }
    check_same(A, R, std::string(c.name) + ", inserted");
  }
}

/* MAT_NEW_NONZERO_LOCATIONS false: what has no place is ignored, in any rank's rows and columns, until the option is taken back. */
static void without_new_places(const Owned &f)
{
  const Case &c = cases()[0]; /* tridiagonal */
  MatHandle   A = ours(f, c), R = made(c, MATAIJ);

  for (PetscBool made : {PETSC_FALSE, PETSC_TRUE}) {
    for (Mat M : {(Mat)A, (Mat)R}) {
      PETSC_OK(MatSetOption(M, MAT_NEW_NONZERO_LOCATIONS, made));
      for (PetscInt i = 0; i < c.rows; i++) {
        for (PetscInt j : {i, (i + 9) % c.cols}) {
          const PetscScalar v = 2 + i;

          if (mine(i)) PETSC_OK(MatSetValues(M, 1, &i, 1, &j, &v, ADD_VALUES));
        }
      }
      PETSC_OK(MatAssemblyBegin(M, MAT_FINAL_ASSEMBLY));
      PETSC_OK(MatAssemblyEnd(M, MAT_FINAL_ASSEMBLY));
    }
    check_same(A, R, made ? "with new places" : "without new places");
  }
}

/* What one rank does wrong with entries in columns of others is an error of all. */
static void refused_together(const Owned &f)
{
  const Case       &c    = cases()[0];
  const PetscInt    last = c.rows - 1, first = 0;
  const PetscScalar one = 1;
  PetscMPIInt       rank;
  const auto assemble = [](Mat A) { return MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY) || MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY) ? PETSC_ERR_LIB : PETSC_SUCCESS; };

  if (ranks() == 1) return;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  {
    MatHandle A = ours(f, c);

    PETSC_OK(MatSetOption(A, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_TRUE));
    if (!rank) PETSC_OK(MatSetValues(A, 1, &first, 1, &last, &one, ADD_VALUES));
    BOOST_TEST(attempt([&] { return assemble(A); }).failed);
  }
  {
    MatHandle A = ours(f, c);

    if (!rank) PETSC_OK(MatSetValues(A, 1, &first, 1, &last, &one, ADD_VALUES));
    else PETSC_OK(MatSetValues(A, 1, &last, 1, &first, &one, INSERT_VALUES));
    BOOST_TEST(attempt([&] { return assemble(A); }).failed);
  }
  {
    MatHandle A = ours(f, c), R = made(c, MATAIJ);

    for (Mat M : {(Mat)A, (Mat)R}) {
      PETSC_OK(MatSetOption(M, MAT_IGNORE_OFF_PROC_ENTRIES, PETSC_TRUE));
      if (!rank) PETSC_OK(MatSetValues(M, 1, &last, 1, &last, &one, ADD_VALUES));
      PETSC_OK(assemble(M));
    }
    check_same(A, R, "entries of others ignored");
  }
}

/* A vector longer than the matrix on the last rank: scaling is refused by all ranks, the diagonal by that one. */
static void vectors_of_another_length(const Owned &f)
{
  const Case &c = cases()[0];
  MatHandle   A = ours(f, c), R = made(c, MATAIJ);
  VecHandle   d, longer;
  PetscInt    n;
  PetscMPIInt rank;

  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  const bool last = rank == ranks() - 1;
  PETSC_OK(MatCreateVecs(A, nullptr, d.put()));
  PETSC_OK(VecGetLocalSize(d, &n));
  PETSC_OK(VecCreateMPI(PETSC_COMM_WORLD, n + last, PETSC_DETERMINE, longer.put()));
  PETSC_OK(VecSet(longer, 2));
  BOOST_TEST(attempt([&] { return MatDiagonalScale(A, longer, nullptr); }).failed);
  BOOST_TEST(attempt([&] { return MatDiagonalScale(A, nullptr, longer); }).failed);
  BOOST_TEST(attempt([&] { return MatDiagonalScale(A, longer, longer); }).failed);
  BOOST_TEST(attempt([&] { return MatGetDiagonal(A, longer); }).failed == last);
  check_same(A, R, "refused vectors of another length");
}

/* A program that preallocates AIJ, which this is not, and sets nothing up. */
static std::string warning;

static PetscErrorCode keep_printed(FILE *, const char format[], va_list values)
{
  char text[1024];

  (void)vsnprintf(text, sizeof(text), format, values);
  warning += text;
  return PETSC_SUCCESS;
}

/* What is assembled and has no entry has lost them: petsc4py's setPreallocationCSR() does nothing for a type that it does not know. */
static void empty(const Owned &f)
{
  const Option keep(f.keep(), "no");

  for (bool set_up : {false, true}) {
    MatHandle A;

    PETSC_OK(MatCreate(PETSC_COMM_WORLD, A.put()));
    PETSC_OK(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, 9, 9));
    PETSC_OK(MatSetType(A, f.type));
    if (set_up) PETSC_OK(MatSetUp(A));
    warning.clear();
    const auto print = std::exchange(PetscVFPrintf, keep_printed);
    PETSC_OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PETSC_OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    PetscVFPrintf = print;
    PetscMPIInt rank;
    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    const bool told = warning.find("nothing has set an entry") != std::string::npos, must = !set_up && !rank && PETSC_VERSION_LT(3, 19, 0);
    BOOST_TEST(told == must);
  }
}

static void not_set_up(const Owned &f)
{
  const Option keep(f.keep(), "no");
  const Case  &c = cases()[0];
  MatHandle    A, R = made(c, MATAIJ);
  PetscInt     start, end;

  PETSC_OK(MatCreate(PETSC_COMM_WORLD, A.put()));
  PETSC_OK(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, c.rows, c.cols));
  PETSC_OK(MatSetType(A, f.type));
  PETSC_OK(MatSeqAIJSetPreallocation(A, 3, nullptr));
  PETSC_OK(MatGetOwnershipRange(A, &start, &end));
  BOOST_TEST((PetscInt)max_over_ranks((PetscReal)end) == c.rows);
  fill(c, A);
  check_same(A, R, "not set up");
}

/* Where all other blocks are held once, those of the diagonal may differ from their mirror images. */
BOOST_AUTO_TEST_CASE(half_with_skew_diagonal_blocks)
{
  const Option   half("-mat_cds_storage", "half"), keep("-mat_cds_keep_aij", "no");
  const PetscInt nodes = 21;
  const auto     made  = [&](const char *type) {
    const PetscScalar diagonal[] = {4, -1, 3, 5}, beside[] = {-1, 2, -3, 1}, mirrored[] = {-1, -3, 2, 1};
    MatHandle         A;

    PETSC_OK(MatCreate(PETSC_COMM_WORLD, A.put()));
    PETSC_OK(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, 2 * nodes, 2 * nodes));
    PETSC_OK(MatSetBlockSize(A, 2));
    PETSC_OK(MatSetType(A, type));
    PETSC_OK(MatSetFromOptions(A));
    PETSC_OK(MatSetUp(A));
    PETSC_OK(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    for (PetscInt i = 0; i < nodes; i++) {
      const PetscInt next = i + 1;

      if (!mine(i)) continue;
      PETSC_OK(MatSetValuesBlocked(A, 1, &i, 1, &i, diagonal, ADD_VALUES));
      if (next == nodes) continue;
      PETSC_OK(MatSetValuesBlocked(A, 1, &i, 1, &next, beside, ADD_VALUES));
      PETSC_OK(MatSetValuesBlocked(A, 1, &next, 1, &i, mirrored, ADD_VALUES));
    }
    PETSC_OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PETSC_OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    return A;
  };

  check_same(made("cds"), made(MATAIJ), "diagonal blocks");
}

/* In place and back; rows that are read one by one. */
static void converted(const Owned &f)
{
  const Option keep(f.keep(), "no");

  for (const Case &c : cases()) {
    MatHandle A = made(c, MATAIJ), R = made(c, MATAIJ);

    PETSC_OK(MatConvert(A, f.type, MAT_INPLACE_MATRIX, A.get()));
    check_same(A, R, "in place");
    PetscInt start, end;
    PETSC_OK(MatGetOwnershipRange(A, &start, &end));
    for (PetscInt i = start; i < end; i++) {
      PetscInt           n;
      const PetscInt    *cols;
      const PetscScalar *vals;

      PETSC_OK(MatGetRow(A, i, &n, &cols, &vals));
      for (PetscInt k = 0; k < n; k++) {
        PetscScalar v;

        BOOST_TEST((k == 0 || cols[k - 1] < cols[k]));
        PETSC_OK(MatGetValues(R, 1, &i, 1, &cols[k], &v));
        BOOST_TEST(v == vals[k]);
        PETSC_OK(MatGetValues(A, 1, &i, 1, &cols[k], &v));
        BOOST_TEST(v == vals[k]);
      }
      PETSC_OK(MatRestoreRow(A, i, &n, &cols, &vals));
    }
    PETSC_OK(MatConvert(A, MATAIJ, MAT_INPLACE_MATRIX, A.get()));
    PetscBool aij;
    PETSC_OK(PetscObjectTypeCompareAny((PetscObject)(Mat)A, &aij, MATSEQAIJ, MATMPIAIJ, ""));
    BOOST_TEST(aij);
  }
}

/* Diagonal blocks inverted, what PCPBJACOBI asks for, are AIJ's, where they were before after new values, too; a singular one is its error. */
static void inverted_blocks(const Owned &f)
{
  for (const Case &c : cases()) {
    if (c.rows != c.cols) continue;
    MatHandle          A = ours(f, c), R = made(c, MATAIJ);
    const PetscScalar *got = nullptr, *want, *before = nullptr;
    PetscInt           n;

    PETSC_OK(MatGetLocalSize(A, &n, nullptr));
    for (int again = 0; again < 2; again++) {
      PETSC_OK(MatShift(A, 100));
      PETSC_OK(MatShift(R, 100));
      PETSC_OK(MatInvertBlockDiagonal(A, &got));
      PETSC_OK(MatInvertBlockDiagonal(R, &want));
      PetscReal most = 0;
      for (PetscInt k = 0; k < n * c.bs; k++) most = PetscMax(most, PetscAbsScalar(got[k] - want[k]));
      BOOST_CHECK_MESSAGE(max_over_ranks(most) <= rounding, c.name << ": inverted blocks are off by " << most);
      if (again) BOOST_TEST((got == before));
      before = got;
    }
    VecHandle x, b, y;
    PCHandle  pc;
    PETSC_OK(MatCreateVecs(A, x.put(), b.put()));
    PETSC_OK(VecDuplicate(x, y.put()));
    PETSC_OK(VecSetRandom(b, nullptr));
    for (Mat M : {(Mat)A, (Mat)R}) {
      PETSC_OK(PCCreate(PETSC_COMM_WORLD, pc.put()));
      PETSC_OK(PCSetType(pc, PCPBJACOBI));
      PETSC_OK(PCSetOperators(pc, M, M));
      PETSC_OK(PCApply(pc, b, M == (Mat)A ? (Vec)x : (Vec)y));
    }
    close_vectors(x, y, std::string(c.name) + ": pbjacobi");
    PETSC_OK(MatZeroEntries(A));
    PETSC_OK(PCCreate(PETSC_COMM_WORLD, pc.put()));
    PETSC_OK(PCSetType(pc, PCPBJACOBI));
    PETSC_OK(PCSetOperators(pc, A, A));
    PETSC_OK(PCSetErrorIfFailure(pc, PETSC_FALSE));
    PETSC_OK(MatSetErrorIfFailure(A, PETSC_FALSE));
    PETSC_OK(PCSetUp(pc));
    PCFailedReason reason;
    PETSC_OK(PCGetFailedReason(pc, &reason));
    BOOST_TEST(max_over_ranks((PetscReal)reason) == (PetscReal)PC_FACTOR_NUMERIC_ZEROPIVOT); /* PETSc's is of each rank */
    PETSC_OK(MatShift(A, 2));
    PETSC_OK(PCCreate(PETSC_COMM_WORLD, pc.put())); /* PETSc's PCPBJACOBI itself remembers that it failed */
    PETSC_OK(PCSetType(pc, PCPBJACOBI));
    PETSC_OK(PCSetOperators(pc, A, A));
    PETSC_OK(PCSetUp(pc));
    PETSC_OK(PCGetFailedReason(pc, &reason));
    BOOST_TEST(max_over_ranks((PetscReal)reason) == (PetscReal)PC_NOERROR);
    PETSC_OK(PCApply(pc, b, x));
    PETSC_OK(VecScale(x, 2));
    close_vectors(x, b, std::string(c.name) + ": pbjacobi after a singular matrix");
  }
}

/* The rows that a set-up of saamg gets consist of whole blocks, zeros among them, and these have the matrix's values. */
static void rows_in_blocks(const Owned &f)
{
  for (const Case &c : cases()) {
    MatHandle       A = ours(f, c);
    goza::CsrMatrix rows;
    goza::AijBlocks rest;
    PetscInt        first, column;
    PetscReal       off = 0;

    PETSC_OK(goza::OwnCompressedRows(A, &rows, &rest));
    PETSC_OK(MatGetOwnershipRange(A, &first, nullptr));
    PETSC_OK(MatGetOwnershipRangeColumn(A, &column, nullptr));
    const auto ptr = rows.ptr.to_host(), col = rows.col.to_host();
    const auto val   = rows.val.to_host();
    bool       whole = true;

    for (PetscInt i = 0; i < rows.nrows; i++) {
      for (PetscInt k = ptr[i]; k < ptr[i + 1]; k++) {
        const PetscInt row = first + i, at = column + col[k], r = i % c.bs;
        PetscScalar    got;

        whole = whole && col[k] % c.bs == (k - ptr[i]) % c.bs && (r == 0 || col[k] == col[k - (ptr[i] - ptr[i - 1])]);
        PETSC_OK(MatGetValues(A, 1, &row, 1, &at, &got));
        off = PetscMax(off, PetscAbsScalar(got - val[k]));
      }
      whole = whole && (ptr[i + 1] - ptr[i]) % c.bs == 0;
    }
    BOOST_CHECK_MESSAGE(whole, c.name << ": blocks are not whole");
    BOOST_TEST(off == 0);
  }
}

/* The view and the log count how often AIJ was made. */
static void counted(const Owned &f)
{
  MatHandle A      = ours(f, cases()[1]), B;
  const int before = event_count("GozaMatToAIJ");

  if (ranks() > 1) return;
  PETSC_OK(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, B.put()));
  PETSC_OK(MatConvert(A, MATDENSE, MAT_INITIAL_MATRIX, B.put()));
  BOOST_TEST(event_count("GozaMatToAIJ") == before + 2);
  BOOST_TEST(printed(A, PETSC_VIEWER_ASCII_INFO).find("made of them 2 times") != std::string::npos);
}

/* A product whose numeric phase puts another matrix in the result's place, and its values anew. */
[[maybe_unused]] static void product_by_hypre(const Owned &f)
{
  const MatHandle A = ours(f, cases()[1]);
  MatHandle       C;
  PetscBool       equal;

  PETSC_OK(MatProductCreate(A, A, nullptr, C.put()));
  PETSC_OK(MatProductSetType(C, MATPRODUCT_AB));
  PETSC_OK(MatProductSetAlgorithm(C, "hypre"));
  PETSC_OK(MatProductSetFromOptions(C));
  PETSC_OK(MatProductSymbolic(C));
  for (int round = 0; round < 3; round++) {
    PETSC_OK(MatScale(A, 2));
    PETSC_OK(MatProductNumeric(C));
    PETSC_OK(MatMatMultEqual(A, A, C, 5, &equal));
    BOOST_TEST(equal);
  }
}

/* The packages that factor AIJ of one rank */
static void packages(const Owned &f)
{
  const MatHandle A = ours(f, cases()[1]), R = made(cases()[1], MATAIJ);

  if (ranks() > 1) return;
  for (const char *package :
       {MATSOLVERPETSC, MATSOLVERMUMPS, MATSOLVERSUPERLU, MATSOLVERUMFPACK, MATSOLVERCHOLMOD, MATSOLVERKLU, MATSOLVERSPQR, MATSOLVERBAS}) {
    for (int kind = MAT_FACTOR_LU; kind < MAT_FACTOR_NUM_TYPES; kind++) {
      PetscBool ours, theirs;

      PETSC_OK(MatGetFactorAvailable(A, package, (MatFactorType)kind, &ours));
      PETSC_OK(MatGetFactorAvailable(R, package, (MatFactorType)kind, &theirs));
      BOOST_TEST(ours == theirs, package << ", kind " << kind);
    }
  }
}

/* What a view prints, with the type's name as AIJ's. */
static std::string text_of(Mat A, PetscViewerFormat format)
{
  const std::string type = std::string("type: ") + ((PetscObject)A)->type_name;

  PETSC_OK(PetscObjectSetName((PetscObject)A, "operator"));
  std::string       text = printed(A, format);
  const std::size_t at   = text.find(type);
  return at == std::string::npos ? text : text.replace(at, type.size(), ranks() > 1 ? "type: mpiaij" : "type: seqaij");
}

/* f_i = x_i^2 - x_{i-1} x_{i+1} + ..., of the neighbours in a grid of two unknowns a point. */
static PetscErrorCode neighbours(void *, Vec x, Vec f, void *context)
{
  DM                   dm = static_cast<DM>(context);
  Vec                  local;
  PetscInt             xs, ys, xm, ym, mx, my;
  PetscScalar       ***out;
  const PetscScalar ***in;

  PetscFunctionBeginUser;
  PetscCall(DMGetLocalVector(dm, &local));
  PetscCall(VecSet(local, 0));
  PetscCall(DMGlobalToLocal(dm, x, INSERT_VALUES, local));
  PetscCall(DMDAVecGetArrayDOFRead(dm, local, (void *)&in));
  PetscCall(DMDAVecGetArrayDOF(dm, f, &out));
  PetscCall(DMDAGetCorners(dm, &xs, &ys, NULL, &xm, &ym, NULL));
  PetscCall(DMDAGetInfo(dm, NULL, &mx, &my, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  for (PetscInt j = ys; j < ys + ym; j++) {
    for (PetscInt i = xs; i < xs + xm; i++) {
      for (PetscInt c = 0; c < 2; c++) {
        PetscScalar sum = in[j][i][c] * in[j][i][1 - c] + (PetscReal)(1 + c) * in[j][i][c];

        for (PetscInt o : {-1, 1}) {
          if (i + o >= 0 && i + o < mx) sum -= in[j][i + o][c] * in[j][i][c];
          if (j + o >= 0 && j + o < my) sum += (PetscReal)(3 + o) * in[j + o][i][1 - c];
        }
        out[j][i][c] = sum;
      }
    }
  }
  PetscCall(DMDAVecRestoreArrayDOF(dm, f, &out));
  PetscCall(DMDAVecRestoreArrayDOFRead(dm, local, (void *)&in));
  PetscCall(DMRestoreLocalVector(dm, &local));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if PETSC_VERSION_GE(3, 24, 0)
using FunctionOfColoring = MatFDColoringFn *;
#else
using FunctionOfColoring = PetscErrorCode (*)();
#endif

/* Colorings of its entries are those of AIJ, which takes rows that are alike together: those of a node's unknowns. */
static void colorings(const Owned &f)
{
  for (const Case &c : cases()) {
    if (c.rows != c.cols || std::find(c.offset.begin(), c.offset.end(), 0) == c.offset.end())
      continue; /* it would have its main diagonal, where AIJ has none */
    for (MatColoringType type : {MATCOLORINGNATURAL, MATCOLORINGSL, MATCOLORINGLF, MATCOLORINGID}) {
      MatHandle              M[2] = {made(c, MATAIJ), ours(f, c)};
      MatColoring            maker[2];
      ISColoring             colors[2];
      PetscInt               n[2], ncolors[2];
      const ISColoringValue *color[2];

      for (int own = 0; own < 2; own++) {
        PETSC_OK(MatColoringCreate(M[own], &maker[own]));
        PETSC_OK(MatColoringSetType(maker[own], type));
        PETSC_OK(MatColoringApply(maker[own], &colors[own]));
        PETSC_OK(ISColoringGetColors(colors[own], &n[own], &ncolors[own], &color[own]));
      }
      BOOST_TEST_CONTEXT(c.name << ", " << type)
      {
        BOOST_TEST(n[1] == n[0]);
        BOOST_TEST(ncolors[1] == ncolors[0]);
        BOOST_TEST((n[1] == n[0] && std::equal(color[0], color[0] + n[0], color[1])));
      }
      for (int own = 0; own < 2; own++) {
        PETSC_OK(MatColoringDestroy(&maker[own]));
        PETSC_OK(ISColoringDestroy(&colors[own]));
      }
    }
  }
}

/* A DMDA's colors are those of its stencil, and diagonals have more places; those of the matrix, which has no entry yet, are of fewer. Between two
   Jacobians the entries change and somebody asks for AIJ. */
static void colored(const Owned &f, bool by_matrix)
{
  const Option  keep(f.keep(), "no");
  DM            dm;
  ISColoring    colors[2];
  MatColoring   maker;
  MatFDColoring coloring[2];
  MatHandle     M[2];
  VecHandle     x, y;

  PETSC_OK(DMDACreate2d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 6, 5, PETSC_DECIDE, PETSC_DECIDE, 2, 1, NULL, NULL, &dm));
  PETSC_OK(DMSetUp(dm));
  for (int own = 0; own < 2; own++) {
    PETSC_OK(DMSetMatType(dm, own ? f.type : MATAIJ));
    PETSC_OK(DMCreateMatrix(dm, M[own].put()));
    if (by_matrix) {
      PETSC_OK(MatColoringCreate(M[own], &maker));
      PETSC_OK(MatColoringSetType(maker, MATCOLORINGSL));
      PETSC_OK(MatColoringApply(maker, &colors[own]));
      PETSC_OK(MatColoringDestroy(&maker));
    } else PETSC_OK(DMCreateColoring(dm, IS_COLORING_GLOBAL, &colors[own]));
    PETSC_OK(MatFDColoringCreate(M[own], colors[own], &coloring[own]));
    PETSC_OK(MatFDColoringSetFunction(coloring[own], (FunctionOfColoring)(void (*)())neighbours, dm));
    PETSC_OK(MatFDColoringSetUp(M[own], colors[own], coloring[own]));
  }
  PETSC_OK(MatCreateVecs(M[0], x.put(), y.put()));
  for (int turn = 0; turn < 3; turn++) { /* at 0 there are few entries */
    if (turn) PETSC_OK(VecSetRandom(x, NULL));
    for (int own = 0; own < 2; own++) {
      PETSC_OK(MatFDColoringApply(M[own], coloring[own], x, dm));
      PETSC_OK(MatGetRowMaxAbs(M[own], y, NULL));
    }
    check_same(M[1], M[0], "Jacobian by colors, turn " + std::to_string(turn));
  }
  for (MatFDColoring c : coloring) PETSC_OK(MatFDColoringDestroy(&c));
  for (ISColoring c : colors) PETSC_OK(ISColoringDestroy(&c));
  PETSC_OK(DMDestroy(&dm));
}

/* The entries are printed as AIJ's are, below one heading. */
static void viewed_as_aij(const Owned &f)
{
  for (const PetscViewerFormat format : {PETSC_VIEWER_DEFAULT, PETSC_VIEWER_ASCII_COMMON, PETSC_VIEWER_ASCII_DENSE, PETSC_VIEWER_ASCII_MATLAB}) {
    const MatHandle A = ours(f, cases()[1]), R = made(cases()[1], MATAIJ);

    BOOST_TEST(text_of(A, format) == text_of(R, format));
  }
}

/* What only formats of rows have. Rows of any length, one of them apart and some empty, that come in any order; a zero has its place, as in AIJ. */
static void uneven(Mat A)
{
  const PetscInt n = 900;

  for (PetscInt at = 0; at < n; at++) {
    const PetscInt i = (7 * at) % n, most = i == 5 ? n : i % 4 ? i % 9 : 0;

    if (!mine(i)) continue;
    for (PetscInt k = most; k-- > 0;) {
      const PetscInt    j = i == 5 ? k : (i * (k + 1) + 13 * k) % n;
      const PetscScalar v = (i + k) % 3;

      PETSC_OK(MatSetValues(A, 1, &i, 1, &j, &v, ADD_VALUES));
      if (k % 2) PETSC_OK(MatSetValues(A, 1, &i, 1, &j, &v, ADD_VALUES));
    }
  }
  PETSC_OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PETSC_OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
}

/* Whether a row has no place on the main diagonal; PETSc's own question where it has that. */
static bool lacks_diagonal(Mat A)
{
#if PETSC_VERSION_LT(3, 25, 0)
  PetscBool missing;

  PETSC_OK(MatMissingDiagonal(A, &missing, nullptr));
  return missing;
#else
  PetscInt rows, n;
  bool     missing = false;

  PETSC_OK(MatGetSize(A, &rows, nullptr));
  for (PetscInt i = 0; i < rows; i++) {
    const PetscInt *cols;

    PETSC_OK(MatGetRow(A, i, &n, &cols, nullptr));
    missing = missing || !std::binary_search(cols, cols + n, i);
    PETSC_OK(MatRestoreRow(A, i, &n, &cols, nullptr));
  }
  return missing;
#endif
}

/* What lays rows out in another way. */
struct LayoutOption {
  int         format;
  const char *option, *value;
};

static const LayoutOption layout_options[] = {{1, "-mat_slicedell_sort_window", "0"},
                                              {1, "-mat_slicedell_sort_window", "-1"},
                                              {1, "-mat_slicedell_sort_window", "64"},
                                              {1, "-mat_slicedell_slice_height", "1"},
                                              {1, "-mat_slicedell_slice_height", "32"},
                                              {2, "-mat_fold_width", "1"},
                                              {2, "-mat_fold_width", "3"},
                                              {2, "-mat_fold_width", "127"},
                                              {2, "-mat_fold_width", "auto"}};

BOOST_AUTO_TEST_CASE(uneven_rows)
{
  MatHandle M[2];

  for (const LayoutOption &layout : layout_options) {
    const Owned      &f   = formats[layout.format];
    const std::string how = std::string(f.type) + ", " + layout.option + " " + layout.value;
    const Option      keep(f.keep(), "no"), option(layout.option, layout.value);

    for (int own = 0; own < 2; own++) {
      PETSC_OK(MatCreate(PETSC_COMM_WORLD, M[own].put()));
      PETSC_OK(MatSetSizes(M[own], PETSC_DECIDE, PETSC_DECIDE, 900, 900));
      PETSC_OK(MatSetType(M[own], own ? f.type : MATAIJ));
      PETSC_OK(MatSetFromOptions(M[own]));
      PETSC_OK(MatSetUp(M[own]));
      PETSC_OK(MatSetOption(M[own], MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
      for (int round = 0; round < 2; round++) uneven(M[own]);
    }
    check_same(M[1], M[0], how);
    PETSC_OK(MatSetOption(M[1], MAT_NEW_NONZERO_LOCATION_ERR, PETSC_TRUE));
    uneven(M[1]); /* which has a place for each */
    uneven(M[0]);
    check_same(M[1], M[0], how + ", again");
    if (ranks() > 1) continue;
    const PetscInt    row = 4, col = 17;
    const PetscScalar one = 1;
    BOOST_TEST(attempt([&] { return MatSetValues(M[1], 1, &row, 1, &col, &one, INSERT_VALUES); }).says("no place for a new entry (4, 17)"));
    PETSC_OK(MatAssemblyBegin(M[1], MAT_FINAL_ASSEMBLY));
    PETSC_OK(MatAssemblyEnd(M[1], MAT_FINAL_ASSEMBLY));
    BOOST_TEST(lacks_diagonal(M[1]));
    PETSC_OK(MatSetOption(M[1], MAT_NEW_NONZERO_LOCATION_ERR, PETSC_FALSE));
    PETSC_OK(MatShift(M[1], 3));
    PETSC_OK(MatShift(M[0], 3));
    BOOST_TEST(!lacks_diagonal(M[1]));
    check_same(M[1], M[0], how + ", shifted");
  }
}

/* A block size that is set after the first value leaves the layout: what comes from a matrix of that size is laid out alike first. */
BOOST_AUTO_TEST_CASE(block_size_after_values)
{
  const Case blocks = {"of_blocks", 72, 72, 3, {-5, -1, 0, 1, 5}, false}, single = {"of_rows", 72, 72, 1, {-15, -3, 0, 1, 3, 15}, false};

  for (const Owned &f : formats) {
    MatHandle A = ours(f, blocks), R = made(blocks, MATAIJ), X = ours(f, single), XR = made(single, MATAIJ);

    PETSC_OK(MatSetBlockSize(A, 1));
    PETSC_OK(MatAXPY(A, 2, X, DIFFERENT_NONZERO_PATTERN));
    PETSC_OK(MatAXPY(R, 2, XR, DIFFERENT_NONZERO_PATTERN));
    PETSC_OK(MatSetBlockSize(R, 1));
    check_same(A, R, std::string(f.type) + ", added");
    PETSC_OK(MatCopy(X, A, DIFFERENT_NONZERO_PATTERN));
    check_same(A, XR, std::string(f.type) + ", copied");
  }
}

/* Options of the format count, before the first value and after it. */
BOOST_AUTO_TEST_CASE(options_after_values)
{
  const Case &c   = cases()[6];
  MatHandle   R   = made(c, MATAIJ);
  MatHandle   A[] = {ours(formats[0], c), ours(formats[1], c), ours(formats[2], c)};

  for (const LayoutOption &layout : layout_options) {
    const Option option(layout.option, layout.value);

    PETSC_OK(MatSetFromOptions(A[layout.format]));
    check_same(A[layout.format], R, std::string(layout.option) + " " + layout.value);
  }
}

namespace {

const AddTests of_formats([] {
  for (const Owned &f : formats) {
    auto *suite = suite_named(nullptr, f.type);

    add_test(suite, "inserted", [&f] { inserted(f); });
    add_test(suite, "without_new_places", [&f] { without_new_places(f); });
    add_test(suite, "one_bound", [&f] { one_bound(f); });
    add_test(suite, "arrays_of_aij", [&f] { arrays_of_aij(f); });
    add_test(suite, "refused_together", [&f] { refused_together(f); });
    add_test(suite, "vectors_of_another_length", [&f] { vectors_of_another_length(f); });
    add_test(suite, "not_set_up", [&f] { not_set_up(f); });
    add_test(suite, "empty", [&f] { empty(f); });
    add_test(suite, "operations", [&f] { operations(f); });
    add_test(suite, "converted", [&f] { converted(f); });
    add_test(suite, "inverted_blocks", [&f] { inverted_blocks(f); });
    add_test(suite, "counted", [&f] { counted(f); });
#if defined(PETSC_HAVE_HYPRE) && !PetscDefined(USE_COMPLEX)
    add_test(suite, "product_by_hypre", [&f] { product_by_hypre(f); });
#endif
    add_test(suite, "packages", [&f] { packages(f); });
    for (bool by_matrix : {false, true}) add_test(suite, by_matrix ? "colored_by_matrix" : "colored", [&f, by_matrix] { colored(f, by_matrix); });
    add_test(suite, "colorings", [&f] { colorings(f); });
    add_test(suite, "viewed_as_aij", [&f] { viewed_as_aij(f); });
  }
  add_test(suite_named(nullptr, "cds"), "rows_in_blocks", [] { rows_in_blocks(formats[0]); });
});

} // namespace
