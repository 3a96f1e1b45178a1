/* Matrices that are nothing but their format: what others keep of one while it changes. A product, a preconditioner, a row, a submatrix, a conversion, what was
   said of symmetry. */
#include "../support/check.hpp"
#include "../support/names.hpp"
#include <petsc/private/matimpl.h>
#include <petscksp.h>

using namespace goza_test;

namespace {

const char *const types[] = {"owncds", "ownslicedell"};

int ranks()
{
  PetscMPIInt size;

  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  return size;
}

void assemble_now(Mat A)
{
  PETSC_OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PETSC_OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
}

/* value(i, j) on three diagonals and, where it is asked for, one entry far from them, which on several ranks is in another's columns. */
template <class Value> void fill(Mat A, InsertMode mode, bool far, const Value &value)
{
  PetscInt n, start, end;

  PETSC_OK(MatGetSize(A, &n, nullptr));
  PETSC_OK(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    for (PetscInt j = PetscMax(i - 1, 0); j <= PetscMin(i + 1, n - 1); j++) PETSC_OK(MatSetValue(A, i, j, value(i, j), mode));
    if (far && !i) PETSC_OK(MatSetValue(A, i, n - 1, 7, mode));
  }
  assemble_now(A);
}

PetscScalar uneven(PetscInt i, PetscInt j) { return 1 + i + (PetscReal)0.5 * j + (i == j ? 40 : 0); }

MatHandle unset(const char *type, PetscInt n)
{
  MatHandle A;

  PETSC_OK(MatCreate(PETSC_COMM_WORLD, A.put()));
  PETSC_OK(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, n, n));
  PETSC_OK(MatSetType(A, type));
  PETSC_OK(MatSetUp(A));
  return A;
}

MatHandle made(const char *type, bool far = false)
{
  MatHandle A = unset(type, 13);

  fill(A, INSERT_VALUES, far, uneven);
  return A;
}

PetscReal products_apart(Mat A, Mat B)
{
  VecHandle x, y, z;
  PetscReal off;

  PETSC_OK(MatCreateVecs(A, x.put(), y.put()));
  PETSC_OK(VecDuplicate(y, z.put()));
  PETSC_OK(VecSetRandom(x, nullptr));
  PETSC_OK(MatMult(A, x, y));
  PETSC_OK(MatMult(B, x, z));
  PETSC_OK(VecAXPY(z, -1, y));
  PETSC_OK(VecNorm(z, NORM_INFINITY, &off));
  return off;
}

constexpr PetscReal rounding = 2000 * PETSC_MACHINE_EPSILON;

/* After a product, so that ghosts and what they were made of are known. */
void added(const char *type)
{
  MatHandle X = made(type, true), PX = made(MATAIJ, true), Y = made(type), PY = made(MATAIJ);

  BOOST_TEST(products_apart(Y, PY) <= rounding);
  PETSC_OK(MatAXPY(Y, 2, X, DIFFERENT_NONZERO_PATTERN));
  PETSC_OK(MatAXPY(PY, 2, PX, DIFFERENT_NONZERO_PATTERN));
  BOOST_TEST(products_apart(Y, PY) <= rounding);
  PETSC_OK(MatAYPX(Y, -1, X, SUBSET_NONZERO_PATTERN));
  PETSC_OK(MatAYPX(PY, -1, PX, SUBSET_NONZERO_PATTERN));
  BOOST_TEST(products_apart(Y, PY) <= rounding);
}

/* In blocks of another size. */
void added_by_blocks(const char *type)
{
  const auto in_blocks = [](const char *of, PetscInt bs, bool far) {
    MatHandle A;

    PETSC_OK(MatCreate(PETSC_COMM_WORLD, A.put()));
    PETSC_OK(MatSetSizes(A, 6, 6, PETSC_DETERMINE, PETSC_DETERMINE));
    PETSC_OK(MatSetBlockSize(A, bs));
    PETSC_OK(MatSetType(A, of));
    PETSC_OK(MatSetUp(A));
    fill(A, INSERT_VALUES, far, uneven);
    return A;
  };
  MatHandle Y = in_blocks(type, 1, false), X = in_blocks(type, 3, true), PY = in_blocks(MATAIJ, 1, false), PX = in_blocks(MATAIJ, 3, true);

  PETSC_OK(MatAXPY(Y, 2, X, DIFFERENT_NONZERO_PATTERN));
  PETSC_OK(MatAXPY(PY, 2, PX, DIFFERENT_NONZERO_PATTERN));
  BOOST_TEST(products_apart(Y, PY) <= rounding);
}

/* What MatAXPY() adds is seen by a preconditioner, which looks at the matrix's state. */
void preconditioned(const char *type)
{
  for (const char *name : {PCJACOBI, "saamg"}) {
    MatHandle A = made(type), X = made(type);
    KSPHandle ksp;
    PC        pc;
    VecHandle b, x, y;
    PetscReal size, off;

    PETSC_OK(KSPCreate(PETSC_COMM_WORLD, ksp.put()));
    PETSC_OK(KSPSetType(ksp, KSPPREONLY));
    PETSC_OK(KSPSetOperators(ksp, A, A));
    PETSC_OK(KSPGetPC(ksp, &pc));
    PETSC_OK(PCSetType(pc, name));
    PETSC_OK(MatCreateVecs(A, x.put(), b.put()));
    PETSC_OK(VecDuplicate(x, y.put()));
    PETSC_OK(VecSetRandom(b, nullptr));
    PETSC_OK(KSPSolve(ksp, b, x));
    PETSC_OK(MatAXPY(A, 3, X, SAME_NONZERO_PATTERN));
    PETSC_OK(KSPSolve(ksp, b, y));
    PETSC_OK(VecNorm(x, NORM_INFINITY, &size));
    PETSC_OK(VecAXPY(x, -4, y));
    PETSC_OK(VecNorm(x, NORM_INFINITY, &off));
    BOOST_CHECK_MESSAGE(off <= (PetscReal)1e-3 * size, name << ": of four times the matrix it is not a quarter: off by " << off << " of " << size);
  }
}

/* Preallocated anew, all is zero, here and at other ranks. */
void preallocated(const char *type)
{
  MatHandle A = made(type, true), P = made(MATAIJ);
  PetscInt  start, i, j;
  PetscReal off;

  BOOST_TEST(products_apart(A, P) > 0);
  PETSC_OK(MatGetOwnershipRange(A, &start, nullptr));
  i = j = start;
  PETSC_OK(MatSetPreallocationCOO(A, 1, &i, &j));
  PETSC_OK(MatZeroEntries(P));
  off = products_apart(A, P);
  BOOST_TEST(off == 0);
}

/* Several rows at a time, given back in any order. */
void rows(const char *type)
{
  MatHandle          A = made(type);
  PetscInt           start, end, n[3], k = 0;
  const PetscInt    *cols[3];
  const PetscScalar *vals[3];

  PETSC_OK(MatGetOwnershipRange(A, &start, &end));
  for (; k < 3 && start + k < end; k++) PETSC_OK(MatGetRow(A, start + k, &n[k], &cols[k], &vals[k]));
  if (k < 3) return;
  PETSC_OK(MatRestoreRow(A, start, &n[0], &cols[0], &vals[0]));
  PETSC_OK(MatGetRow(A, start, &n[0], &cols[0], &vals[0]));
  for (k = 0; k < 3; k++) {
    for (PetscInt c = 0; c < n[k]; c++) BOOST_TEST(PetscAbsScalar(vals[k][c] - uneven(start + k, cols[k][c])) == 0);
    BOOST_TEST(cols[k][0] == PetscMax(start + k - 1, 0));
  }
  for (k = 0; k < 3; k++) PETSC_OK(MatRestoreRow(A, start + k, &n[k], &cols[k], &vals[k]));
}

/* Where an entry is zero now, a submatrix has its place all the same. */
void submatrix(const char *type)
{
  MatHandle  A = made(type), S, fresh;
  PetscInt   start, end;
  IS         some;
  const auto set = [&](PetscInt col, PetscScalar v) {
    PETSC_OK(MatSetValue(A, start, start + col, v, INSERT_VALUES));
    assemble_now(A);
  };

  PETSC_OK(MatGetOwnershipRange(A, &start, &end));
  PETSC_OK(ISCreateStride(PETSC_COMM_WORLD, end - start - 1, start, 1, &some));
  set(1, 0);
  PETSC_OK(MatCreateSubMatrix(A, some, some, MAT_INITIAL_MATRIX, S.put()));
  set(1, 5);
  PETSC_OK(MatCreateSubMatrix(A, some, some, MAT_REUSE_MATRIX, S.get()));
  PETSC_OK(MatCreateSubMatrix(A, some, some, MAT_INITIAL_MATRIX, fresh.put()));
  BOOST_TEST(products_apart(S, fresh) == 0);
  PETSC_OK(ISDestroy(&some));
}

/* A conversion into what is there is another pattern, whatever its count of changes was. */
void converted(const char *type)
{
  MatHandle        A = made(type), B;
  PetscObjectState before, after;

  PETSC_OK(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, B.put()));
  PETSC_OK(MatGetNonzeroState(B, &before));
  PETSC_OK(MatConvert(A, MATAIJ, MAT_REUSE_MATRIX, B.get()));
  PETSC_OK(MatGetNonzeroState(B, &after));
  BOOST_TEST(after > before);
}

/* A copy takes values as the matrix does. */
void copied(const char *type)
{
  MatHandle         A = made(type), B;
  PetscInt          start, end;
  const PetscScalar v[] = {1, 2, 3, 4};

  PETSC_OK(MatGetOwnershipRange(A, &start, &end));
  PETSC_OK(MatSetOption(A, MAT_ROW_ORIENTED, PETSC_FALSE));
  PETSC_OK(MatDuplicate(A, MAT_COPY_VALUES, B.put()));
  const PetscInt two[] = {start, start + 1};
  for (Mat M : {(Mat)A, (Mat)B}) {
    if (end - start > 1) PETSC_OK(MatSetValues(M, 2, two, 2, two, v, INSERT_VALUES));
    assemble_now(M);
  }
  BOOST_TEST(products_apart(A, B) == 0);
}

/* Coordinates are known as before to a matrix that another was copied or added to, or whose stored values came back. */
void by_coordinates_of(const char *type, PetscInt n)
{
  MatHandle                A[2];
  PetscInt                 start, end;
  std::vector<PetscScalar> v;

  for (MatHandle &M : A) {
    std::vector<PetscInt> i, j;

    M = unset(&M == A ? type : MATAIJ, n);
    PETSC_OK(MatGetOwnershipRange(M, &start, &end));
    for (PetscInt row = start; row < end; row++) {
      for (PetscInt col : {row, (row + 1) % n, (row + n - 1) % n}) {
        i.push_back(row);
        j.push_back(col);
      }
    }
    v.resize(i.size());
    PETSC_OK(MatSetPreallocationCOO(M, static_cast<PetscCount>(i.size()), i.data(), j.data()));
    PETSC_OK(MatSetOption(M, MAT_NEW_NONZERO_LOCATIONS, PETSC_FALSE));
  }
  for (int round = 0; round < 4; round++) {
    for (std::size_t k = 0; k < v.size(); k++) v[k] = uneven(static_cast<PetscInt>((k % 3 ? k : 7 * k) % 4001), round);
    for (const MatHandle &M : A) {
      MatHandle copy;

      PETSC_OK(MatSetValuesCOO(M, v.data(), round % 2 ? ADD_VALUES : INSERT_VALUES));
      PETSC_OK(MatDuplicate(M, MAT_COPY_VALUES, copy.put()));
      if (round == 0) PETSC_OK(MatStoreValues(M));
      if (round == 1) PETSC_OK(MatRetrieveValues(M));
      if (round == 2) PETSC_OK(MatCopy(copy, M, SAME_NONZERO_PATTERN));
      if (round == 3) PETSC_OK(MatAXPY(M, 2, copy, SAME_NONZERO_PATTERN));
      PETSC_OK(PetscObjectStateIncrease((PetscObject)(Mat)M)); /* which PETSc's MatRetrieveValues() leaves */
    }
    BOOST_TEST(products_apart(A[0], A[1]) <= 1e4 * rounding);
  }
}

void by_coordinates_again(const char *type) { by_coordinates_of(type, 13); }

/* More than go to a device at a time. */
void by_many_coordinates(const char *type) { by_coordinates_of(type, 400000); }

/* The last of three options says what becomes of a new place, and none of them keeps a whole pattern out, or values from being stored. */
void told_of_new_places(const char *type)
{
  for (const MatOption before : {MAT_NEW_NONZERO_LOCATIONS, MAT_NEW_NONZERO_LOCATION_ERR}) {
    MatHandle A[2] = {made(type), made(MATAIJ)}, far[2] = {made(type, true), made(MATAIJ, true)};

    for (int k = 0; k < 2; k++) {
      PETSC_OK(MatSetOption(A[k], before, before == MAT_NEW_NONZERO_LOCATION_ERR ? PETSC_TRUE : PETSC_FALSE));
      PETSC_OK(MatAXPY(A[k], 2, far[k], DIFFERENT_NONZERO_PATTERN));
      PETSC_OK(MatSetOption(A[k], MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
      fill(A[k], ADD_VALUES, true, [](PetscInt i, PetscInt j) { return uneven(j, i); });
      PetscInt start, end;
      PETSC_OK(MatGetOwnershipRange(A[k], &start, &end));
      if (start < end) PETSC_OK(MatSetValue(A[k], start, (start + 6) % 13, 5, ADD_VALUES));
      assemble_now(A[k]);
    }
    BOOST_TEST(products_apart(A[0], A[1]) <= 1e4 * rounding);
    PETSC_OK(MatStoreValues(A[0]));
    PETSC_OK(MatScale(A[0], 3));
    PETSC_OK(MatRetrieveValues(A[0]));
    BOOST_TEST(products_apart(A[0], A[1]) <= 1e4 * rounding);
  }
}

/* So they are where what is copied or added has fewer places, at the borders between ranks, too: PETSc 3.18's AIJ then writes beyond its arrays. */
void by_coordinates_of_fewer(const char *type)
{
  const PetscInt           n = 13;
  MatHandle                A = unset(type, n), P = unset(MATAIJ, n), fewer[2] = {unset(type, n), unset(MATAIJ, n)};
  PetscInt                 start, end;
  std::vector<PetscInt>    i, j;
  std::vector<PetscScalar> v;
  const auto               set = [&](InsertMode mode) {
    for (std::size_t k = 0; k < v.size(); k++) v[k] = uneven(j[k], i[k]);
    PETSC_OK(MatSetValuesCOO(A, v.data(), mode));
    for (std::size_t k = 0; k < v.size(); k++) PETSC_OK(MatSetValue(P, i[k], j[k], v[k], mode));
    assemble_now(P);
    BOOST_TEST(products_apart(A, P) <= 1e4 * rounding);
  };

  PETSC_OK(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt row = start; row < end; row++) {
    for (PetscInt col : {row, (row + 1) % n, (row + n - 1) % n, (row + 2) % n}) {
      i.push_back(row);
      j.push_back(col);
    }
    for (Mat M : {(Mat)fewer[0], (Mat)fewer[1]}) PETSC_OK(MatSetValue(M, row, (row + 1) % n, uneven(row, 3), INSERT_VALUES));
  }
  for (Mat M : {(Mat)fewer[0], (Mat)fewer[1]}) assemble_now(M);
  v.resize(i.size());
  PETSC_OK(MatSetPreallocationCOO(A, static_cast<PetscCount>(i.size()), i.data(), j.data()));
  set(INSERT_VALUES);
  PETSC_OK(MatAXPY(A, 2, fewer[0], SUBSET_NONZERO_PATTERN));
  PETSC_OK(MatAXPY(P, 2, fewer[1], SUBSET_NONZERO_PATTERN));
  set(ADD_VALUES);
  PETSC_OK(MatCopy(fewer[0], A, DIFFERENT_NONZERO_PATTERN));
  PETSC_OK(MatCopy(fewer[1], P, DIFFERENT_NONZERO_PATTERN));
  BOOST_TEST(products_apart(A, P) <= 1e4 * rounding);
  set(ADD_VALUES);
}

/* So they are where the matrix has got another layout since they were given, and to its duplicate, as to AIJ's with PETSc 3.26. */
void by_coordinates_laid_anew(const char *type)
{
  const PetscInt           n = 40;
  MatHandle                A, P;
  PetscInt                 start, end;
  std::vector<PetscInt>    i, j;
  std::vector<PetscScalar> v;
  const auto               set = [&](Mat M, InsertMode mode, const std::string &when) {
    for (std::size_t k = 0; k < v.size(); k++) v[k] = uneven(PetscMin(i[k], j[k]), PetscMax(i[k], j[k]));
    PETSC_OK(MatSetValuesCOO(M, v.data(), mode));
    if (mode == INSERT_VALUES) PETSC_OK(MatZeroEntries(P));
    for (std::size_t k = 0; k < v.size(); k++) PETSC_OK(MatSetValue(P, i[k], j[k], v[k], ADD_VALUES));
    assemble_now(P);
    BOOST_CHECK_MESSAGE(products_apart(M, P) <= 1e4 * rounding, when);
  };

  for (MatHandle *M : {&A, &P}) {
    *M = unset(M == &A ? type : MATAIJ, n);
    PETSC_OK(MatSetOption(*M, MAT_SYMMETRIC, PETSC_TRUE));
  }
  PETSC_OK(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt row = start; row < end; row++) {
    for (PetscInt col = PetscMax(row - 1 - row % 2, 0); col <= PetscMin(row + 1 + row % 2, n - 1); col++) {
      i.insert(i.end(), 1 + (col == row && row % 5 == 0), row); // some twice
      j.resize(i.size(), col);
    }
  }
  v.resize(i.size());
  PETSC_OK(MatSetPreallocationCOO(A, static_cast<PetscCount>(i.size()), i.data(), j.data()));
  set(A, INSERT_VALUES, "as given");
  for (PetscBool bound : {PETSC_TRUE, PETSC_FALSE}) {
    PETSC_OK(MatBindToCPU(A, bound));
    set(A, bound ? ADD_VALUES : INSERT_VALUES, bound ? "bound" : "not bound any more");
  }
  {
    const Option window("-mat_slicedell_sort_window", "32");

    PETSC_OK(MatSetFromOptions(A));
    set(A, ADD_VALUES, "rows sorted");
  }
  for (MatDuplicateOption how : {MAT_COPY_VALUES, MAT_DO_NOT_COPY_VALUES}) {
    MatHandle copy;

    if (PETSC_VERSION_LT(3, 19, 0) && ranks() > 1) break;
    PETSC_OK(MatDuplicate(A, how, copy.put()));
    set(copy, INSERT_VALUES, "duplicate");
    set(copy, ADD_VALUES, "duplicate, again");
  }
  set(A, INSERT_VALUES, "as given, again");
  VecHandle d;
  PETSC_OK(MatCreateVecs(A, nullptr, d.put()));
  for (PetscInt row = start; row < end; row++) PETSC_OK(VecSetValue(d, row, 1 + row % 3, INSERT_VALUES));
  PETSC_OK(VecAssemblyBegin(d));
  PETSC_OK(VecAssemblyEnd(d));
  for (Mat M : {(Mat)A, (Mat)P}) PETSC_OK(MatDiagonalScale(M, d, nullptr));
  set(A, ADD_VALUES, "in full storage");
}

/* An error of all ranks where one alone has more columns than rows. */
void zeroed(const char *type)
{
  MatHandle      A;
  PetscMPIInt    rank;
  const PetscInt row = 0;

  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  PETSC_OK(MatCreate(PETSC_COMM_WORLD, A.put()));
  PETSC_OK(MatSetSizes(A, 4, rank + 1 == ranks() ? 5 : 4, PETSC_DETERMINE, PETSC_DETERMINE));
  PETSC_OK(MatSetType(A, type));
  PETSC_OK(MatSetUp(A));
  assemble_now(A);
  BOOST_TEST(attempt([&] { return MatZeroRowsColumns(A, rank == 0, &row, 1, nullptr, nullptr); }).says("not distributed alike"));
  PETSC_OK(MatZeroRows(A, rank == 0, &row, 0, nullptr, nullptr));
}

/* What was said of the first values, nobody has said of the next: which are taken as they are. */
void symmetric_once(const char *type)
{
  MatHandle A = unset(type, 13), P = unset(MATAIJ, 13);

  PETSC_OK(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
  for (int round = 0; round < 3; round++) {
    for (Mat M : {(Mat)A, (Mat)P}) {
      PETSC_OK(MatZeroEntries(M));
      fill(M, ADD_VALUES, false, [&](PetscInt i, PetscInt j) { return round ? uneven(i, j) : PetscScalar(1 + i + j); });
    }
    BOOST_CHECK_MESSAGE(products_apart(A, P) <= rounding, "round " << round);
  }
}

/* Said for ever, it is half of it for ever; taken back, it is not. */
void symmetric_for_ever(const char *type)
{
  MatHandle A = unset(type, 13), P = unset(MATAIJ, 13);
  MatInfo   half, full;

  PETSC_OK(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
  PETSC_OK(MatSetOption(A, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
  for (int round = 0; round < 3; round++) fill(A, INSERT_VALUES, false, [](PetscInt i, PetscInt j) { return PetscScalar(1 + i + j); });
  PETSC_OK(MatGetInfo(A, MAT_GLOBAL_SUM, &half));
  PETSC_OK(MatSetOption(A, MAT_SYMMETRY_ETERNAL, PETSC_FALSE));
  PETSC_OK(MatSetOption(A, MAT_SYMMETRIC, PETSC_FALSE));
  for (Mat M : {(Mat)A, (Mat)P}) fill(M, INSERT_VALUES, false, uneven);
  BOOST_TEST(products_apart(A, P) <= rounding);
  PETSC_OK(MatGetInfo(A, MAT_GLOBAL_SUM, &full));
  if (std::string(type) == "owncds") BOOST_TEST(half.memory < full.memory);
}

/* Few rows of blocks: what they are padded to does not count as stored. */
void few_blocks(const char *type)
{
  MatHandle         A;
  constexpr int     bs = 6, nodes = 7;
  const PetscScalar one = 1;
  PetscReal         norm;

  PETSC_OK(MatCreate(PETSC_COMM_WORLD, A.put()));
  PETSC_OK(MatSetSizes(A, bs * nodes, bs * nodes, PETSC_DETERMINE, PETSC_DETERMINE));
  PETSC_OK(MatSetBlockSize(A, bs));
  PETSC_OK(MatSetType(A, type));
  PETSC_OK(MatSetUp(A));
  PetscInt start, end;
  PETSC_OK(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    for (PetscInt j = start; j < end; j++) PETSC_OK(MatSetValues(A, 1, &i, 1, &j, &one, INSERT_VALUES));
  }
  assemble_now(A);
  PETSC_OK(MatNorm(A, NORM_INFINITY, &norm));
  BOOST_TEST(norm == bs * nodes);
}

/* Kept while entries become 0, and others no longer are: of diagonals that is another nonzero pattern, for who holds an AIJ that they had gives. */
void multiplied(const char *type)
{
  using Product = PetscErrorCode (*)(Mat, MatReuse, Mat *);
  std::vector<std::pair<const char *, Product>> products{
    {"A A", [](Mat A, MatReuse r, Mat *C) { return MatMatMult(A, A, r, PETSC_DEFAULT, C); }},
    {"A' A", [](Mat A, MatReuse r, Mat *C) { return MatTransposeMatMult(A, A, r, PETSC_DEFAULT, C); }},
    {"A' A A", [](Mat A, MatReuse r, Mat *C) { return MatPtAP(A, A, r, PETSC_DEFAULT, C); }},
    {"A A A", [](Mat A, MatReuse r, Mat *C) { return MatMatMatMult(A, A, A, r, PETSC_DEFAULT, C); }},
  };
  if (ranks() == 1) {
    products.emplace_back("A A'", [](Mat A, MatReuse r, Mat *C) { return MatMatTransposeMult(A, A, r, PETSC_DEFAULT, C); });
    products.emplace_back("A A A'", [](Mat A, MatReuse r, Mat *C) { return MatRARt(A, A, r, PETSC_DEFAULT, C); });
  }
  const auto above = [](PetscInt i, PetscInt j) { return j < i ? 0 : uneven(i, j); };
  const auto below = [](PetscInt i, PetscInt j) { return j > i ? 0 : uneven(i, j); };

  for (const auto &product : products) {
    MatHandle A = made(type), P = made(MATAIJ), C, D;

    for (int round = 0; round < 5; round++) {
      for (Mat M : {(Mat)A, (Mat)P}) round % 2 ? fill(M, INSERT_VALUES, false, below) : fill(M, INSERT_VALUES, false, above);
      PETSC_OK(product.second(A, round ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX, round ? C.get() : C.put()));
      PETSC_OK(product.second(P, round ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX, round ? D.get() : D.put()));
      const PetscReal off = products_apart(C, D);
      BOOST_CHECK_MESSAGE(off <= 1e5 * rounding, product.first << ", round " << round << ": " << off);
    }
  }
}

/* A transpose keeps its places where rows are zeroed, so that the AIJ that a product has left has them, too. */
void transposed_and_zeroed(const char *type)
{
  const MatHandle A = made(type), P = made(MATAIJ);
  MatHandle       T[2], products[2];

  for (int k = 0; k < 2; k++) {
    PetscInt rows[2];
    PETSC_OK(MatTranspose(k ? P : A, MAT_INITIAL_MATRIX, T[k].put()));
    {
      MatHandle square;
      PETSC_OK(MatMatMult(T[k], T[k], MAT_INITIAL_MATRIX, PETSC_DEFAULT, square.put()));
    }
    PETSC_OK(MatGetOwnershipRange(T[k], &rows[0], &rows[1]));
    rows[1]--;
    PETSC_OK(MatZeroRows(T[k], 2, rows, 1, nullptr, nullptr));
    PETSC_OK(MatTransposeMatMult(T[k], T[k], MAT_INITIAL_MATRIX, PETSC_DEFAULT, products[k].put()));
  }
  BOOST_TEST(products_apart(T[0], T[1]) <= 1e4 * rounding);
  BOOST_TEST(products_apart(products[0], products[1]) <= 1e5 * rounding);
}

const AddTests of_types([] {
  const struct {
    const char *name;
    void (*test)(const char *);
  } all[] = {{"added", added},
             {"added_by_blocks", added_by_blocks},
             {"preconditioned", preconditioned},
             {"preallocated", preallocated},
             {"rows", rows},
             {"submatrix", submatrix},
             {"converted", converted},
             {"copied", copied},
             {"by_coordinates_again", by_coordinates_again},
             {"by_many_coordinates", by_many_coordinates},
             {"by_coordinates_of_fewer", by_coordinates_of_fewer},
             {"by_coordinates_laid_anew", by_coordinates_laid_anew},
             {"told_of_new_places", told_of_new_places},
             {"zeroed", zeroed},
             {"few_blocks", few_blocks},
             {"multiplied", multiplied},
             {"transposed_and_zeroed", transposed_and_zeroed},
             {"symmetric_once", symmetric_once},
             {"symmetric_for_ever", symmetric_for_ever}};

  for (const char *type : types) {
    for (const auto &t : all) add_test(suite_named(nullptr, type), t.name, [type, test = t.test] { test(type); });
  }
});

#if PETSC_VERSION_LT(3, 25, 0)
/* In the numbers of all ranks' rows. Diagonals have the main one. */
BOOST_AUTO_TEST_CASE(missing_diagonal)
{
  MatHandle A[2] = {unset("ownslicedell", 13), unset(MATAIJ, 13)};
  PetscBool missing[2];
  PetscInt  at[2], start, end;

  for (int k = 0; k < 2; k++) {
    PETSC_OK(MatGetOwnershipRange(A[k], &start, &end));
    for (PetscInt i = start; i < end; i++) PETSC_OK(MatSetValue(A[k], i, start, 1, INSERT_VALUES));
    assemble_now(A[k]);
    PETSC_OK(MatMissingDiagonal(A[k], &missing[k], &at[k]));
  }
  BOOST_TEST(missing[0] == missing[1]);
  BOOST_TEST((!missing[0] || at[0] == at[1]));
}
#endif

} // namespace
