/* Laws of every Goza Mat type: what changes the matrix. The format's arrays are a shadow of the AIJ data; after each change the product must not be the old
   one. */
#include "../support/mat_case.hpp"

#include <algorithm>

using namespace goza_test;

namespace {

void scale(const MatCase &c)
{
  MatHandle A = c.ours(), R = c.aij();

  to_both(A, R, [](Mat M) { PETSC_OK(MatScale(M, -2.5)); });
  c.check_same(A, R, "scaled");
}

void diagonal_scale(const MatCase &c)
{
  for (const char *sides : {"l", "r", "lr"}) {
    MatHandle  A = c.ours(), R = c.aij();
    VecHandle  left = c.out(R, 7), right = c.in(R, 8);
    const bool l = std::string(sides).find('l') != std::string::npos, r = std::string(sides).find('r') != std::string::npos;

    to_both(A, R, [&](Mat M) { PETSC_OK(MatDiagonalScale(M, l ? (Vec)left : nullptr, r ? (Vec)right : nullptr)); });
    c.check_same(A, R, std::string("diagonally scaled: ") + sides);
  }
}

void shift(const MatCase &c)
{
  MatHandle A = c.ours(), R = c.aij();

  to_both(A, R, [](Mat M) {
    PETSC_OK(MatSetOption(M, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    PETSC_OK(MatShift(M, 3.25));
  });
  c.check_same(A, R, "shifted");
}

void diagonal_set(const MatCase &c)
{
  MatHandle A = c.ours(), R = c.aij();
  VecHandle d = c.out(R, 9);

  to_both(A, R, [&](Mat M) { PETSC_OK(MatDiagonalSet(M, d, ADD_VALUES)); });
  c.check_same(A, R, "diagonal added");
  to_both(A, R, [&](Mat M) { PETSC_OK(MatDiagonalSet(M, d, INSERT_VALUES)); });
  c.check_same(A, R, "diagonal inserted");
}

void zero_entries(const MatCase &c)
{
  MatHandle A = c.ours(), R = c.aij();

  to_both(A, R, [](Mat M) { PETSC_OK(MatZeroEntries(M)); });
  c.check_same(A, R, "zeroed");
  fill(c.entry, A, 0.5);
  fill(c.entry, R, 0.5);
  c.check_same(A, R, "filled again");
}

void axpy(const MatCase &c)
{
  /* X has the same pattern; then every second entry of each row; then other columns as well */
  Entry half = c.entry, other = c.entry;
  half.row = [row = c.entry.row](PetscInt i, Row &out) {
    Row all;
    row(i, all);
    for (std::size_t k = 0; k < all.col.size(); k += 2) out.add(all.col[k], 1 + uniform(i, all.col[k]));
  };
  other.row = [cols = c.entry.cols](PetscInt i, Row &out) {
    if (!cols) return;
    out.add(i * 3 % cols, 1.5);
    if ((i * 3 + 1) % cols != i * 3 % cols) out.add((i * 3 + 1) % cols, -0.75);
  };

  struct Try {
    const char  *name;
    const Entry &X;
    MatStructure structure;
  };
  for (const Try &t : {Try{"same", c.entry, SAME_NONZERO_PATTERN}, Try{"subset", half, SUBSET_NONZERO_PATTERN},
                       Try{"different", other, DIFFERENT_NONZERO_PATTERN}, Try{"unknown", half, UNKNOWN_NONZERO_PATTERN}})
    for (bool ax : {true, false}) { /* y += a x, y = a y + x */
      MatHandle A = c.ours(), R = c.aij(), X = assemble(t.X, c.type.set.c_str()), XR = assemble(t.X, c.base());
      PETSC_OK(ax ? MatAXPY(A, -0.7, X, t.structure) : MatAYPX(A, -0.7, X, t.structure));
      PETSC_OK(ax ? MatAXPY(R, -0.7, XR, t.structure) : MatAYPX(R, -0.7, XR, t.structure));
      /* cancellation: y and a x may be larger than their sum */
      PetscReal size;
      PETSC_OK(MatNorm(R, NORM_FROBENIUS, &size));
      c.check_same(A, R, std::string(ax ? "AXPY " : "AYPX ") + t.name, 4, size + 10);
    }
}

void set_values_again(const MatCase &c)
{
  MatHandle A = c.ours(), R = c.aij();

  fill(c.entry, A, -3);
  fill(c.entry, R, -3);
  c.check_same(A, R, "other values, same pattern");

  /* one entry alone: what a program does that changes a boundary value */
  to_both(A, R, [&](Mat M) {
    PetscInt start, end;
    PETSC_OK(MatGetOwnershipRange(M, &start, &end));
    for (PetscInt i = start; i < end; i++) {
      Row row;
      c.entry.row(i, row);
      if (row.col.empty()) continue;
      PETSC_OK(MatSetValue(M, i, row.col.back(), 0.125, ADD_VALUES));
      break;
    }
    PETSC_OK(MatAssemblyBegin(M, MAT_FINAL_ASSEMBLY));
    PETSC_OK(MatAssemblyEnd(M, MAT_FINAL_ASSEMBLY));
  });
  c.check_same(A, R, "one value added");
}

/* New places after the first assembly, also in columns of other ranks: the off-diagonal block is compacted again, with the state counters of PETSC 3.18
   unchanged. */
void new_pattern(const MatCase &c)
{
  MatHandle A = c.ours(), R = c.aij();

  if (!c.entry.cols) return;
  to_both(A, R, [&](Mat M) {
    PetscInt start, end;
    PETSC_OK(MatSetOption(M, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    PETSC_OK(MatGetOwnershipRange(M, &start, &end));
    for (PetscInt i = start; i < end; i += 3) PETSC_OK(MatSetValue(M, i, (i * 11 + 5) % c.entry.cols, 1 + uniform(i, 1), ADD_VALUES));
    PETSC_OK(MatAssemblyBegin(M, MAT_FINAL_ASSEMBLY));
    PETSC_OK(MatAssemblyEnd(M, MAT_FINAL_ASSEMBLY));
  });
  c.check_same(A, R, "new entries");
  /* into rows of other ranks */
  to_both(A, R, [&](Mat M) {
    PetscInt start, end;
    PETSC_OK(MatGetOwnershipRange(M, &start, &end));
    if (c.entry.rows && end > start) PETSC_OK(MatSetValue(M, (end + 1) % c.entry.rows, (start * 5) % c.entry.cols, 7, ADD_VALUES));
    PETSC_OK(MatAssemblyBegin(M, MAT_FINAL_ASSEMBLY));
    PETSC_OK(MatAssemblyEnd(M, MAT_FINAL_ASSEMBLY));
  });
  /* several ranks may add to one place, in any order */
  c.check_same(A, R, "new remote entries", 100);
}

bool has_empty_blocks(Mat R)
{
  PetscBool parallel;
  Mat       blocks[2] = {R, nullptr};
  bool      empty     = false;

  PETSC_OK(PetscObjectTypeCompare((PetscObject)R, MATMPIAIJ, &parallel));
  if (parallel) PETSC_OK(MatMPIAIJGetSeqAIJ(R, &blocks[0], &blocks[1], nullptr));
  for (Mat block : blocks)
    if (block) {
      MatInfo info;
      PETSC_OK(MatGetInfo(block, MAT_LOCAL, &info));
      empty = empty || !info.nz_used;
    }
  return any_rank(empty);
}

void reset_preallocation(const MatCase &c)
{
  MatHandle A = c.ours(), R = c.aij();

  if (has_empty_blocks(R)) return; /* of which PETSc 3.18 has forgotten the preallocation */
  to_both(A, R, [&](Mat M) {
    PETSC_OK(MatResetPreallocation(M));
    fill(c.entry, M, 2);
  });
  c.check_same(A, R, "assembled again");
}

void store_retrieve(const MatCase &c)
{
  MatHandle A = c.ours(), R = c.aij();

  PETSC_OK(MatSetOption(A, MAT_NEW_NONZERO_LOCATIONS, PETSC_FALSE));
  PETSC_OK(MatStoreValues(A));
  to_both(A, R, [](Mat M) { PETSC_OK(MatScale(M, 2)); });
  c.check_same(A, R, "scaled"); /* a product between: the shadow is of the scaled values */
  PETSC_OK(MatRetrieveValues(A));
  PETSC_OK(MatScale(R, 0.5));
  c.check_same(A, R, "retrieved");
}

/* Values written through the arrays of the AIJ data. */
void array_access(const MatCase &c)
{
  MatHandle  A = c.ours(), R = c.aij();
  PetscBool  owns;
  const auto change = [](Mat M) {
    PetscBool parallel;
    Mat       blocks[2] = {M, nullptr};
    PETSC_OK(PetscObjectBaseTypeCompare((PetscObject)M, MATMPIAIJ, &parallel));
    if (parallel) PETSC_OK(MatMPIAIJGetSeqAIJ(M, &blocks[0], &blocks[1], nullptr));
    for (Mat block : blocks)
      if (block) {
        MatInfo      info;
        PetscScalar *v;
        PETSC_OK(MatGetInfo(block, MAT_LOCAL, &info));
        PETSC_OK(MatSeqAIJGetArray(block, &v));
        for (PetscInt k = 0; k < (PetscInt)info.nz_used; k++) v[k] *= -0.5;
        PETSC_OK(MatSeqAIJRestoreArray(block, &v));
      }
  };

  PETSC_OK(PetscObjectTypeCompareAny((PetscObject)(Mat)A, &owns, "owncds", "ownslicedell", "ownfold", ""));
  if (owns) {
    PetscScalar *v;

    BOOST_TEST(attempt([&] { return MatSeqAIJGetArray(A, &v); }).says("has no arrays of AIJ"));
    return;
  }
  change(A);
  change(R);
  c.check_same(A, R, "written through the array");
}

void zero_rows(const MatCase &c)
{
  const bool diagonal = c.entry.has(square | full_diagonal); /* PETSc refuses to put a diagonal value where there is no place */

  for (PetscBool keep : {PETSC_TRUE, PETSC_FALSE}) {
    MatHandle A = c.ours(), R = c.aij();
    VecHandle x = c.in(R), b = c.out(R), br = c.out(R), zero = c.out(R);
    to_both(A, R, [&](Mat M) {
      const auto rows = some_rows(M, 5);
      PETSC_OK(MatSetOption(M, MAT_KEEP_NONZERO_PATTERN, keep));
      PETSC_OK(MatSetOption(M, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_FALSE));
      PETSC_OK(MatSetOption(M, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
      PETSC_OK(MatZeroRows(M, (PetscInt)rows.size(), rows.data(), diagonal ? 4 : 0, diagonal ? (Vec)x : nullptr,
                           diagonal ? (M == (Mat)A ? (Vec)b : (Vec)br) : nullptr));
    });
    PETSC_OK(VecSet(zero, 0));
    check_close(b, br, zero, "right-hand side");
    c.check_same(A, R, keep ? "pattern kept" : "pattern changed");
  }
}

void zero_rows_columns(const MatCase &c)
{
  MatHandle A = c.ours(), R = c.aij();
  VecHandle x = c.in(R), b = c.out(R), br = c.out(R), bound = rounding_bound(R, x, b);

  to_both(A, R, [&](Mat M) {
    const auto rows = some_rows(M, 5);
    PETSC_OK(MatZeroRowsColumns(M, (PetscInt)rows.size(), rows.data(), 1.5, x, M == (Mat)A ? (Vec)b : (Vec)br));
  });
  check_close(b, br, bound, "right-hand side");
  c.check_same(A, R, "zeroed");
}

void options(const MatCase &c)
{
  MatHandle A = c.ours(), R = c.aij();
  PetscBool set, flag;

  to_both(A, R, [](Mat M) {
    PETSC_OK(MatSetOption(M, MAT_ROW_ORIENTED, PETSC_FALSE));
    PETSC_OK(MatSetOption(M, MAT_NEW_NONZERO_LOCATIONS, PETSC_FALSE));
    PETSC_OK(MatSetOption(M, MAT_SYMMETRIC, PETSC_TRUE));
    PETSC_OK(MatSetOption(M, MAT_IGNORE_ZERO_ENTRIES, PETSC_TRUE));
  });
  PETSC_OK(MatIsSymmetricKnown(A, &set, &flag));
  BOOST_TEST((set && flag));
  /* with new locations off, a value for a place that is not there is dropped; 2x2 blocks are column oriented now */
  to_both(A, R, [&](Mat M) {
    PetscInt start, end;
    PETSC_OK(MatGetOwnershipRange(M, &start, &end));
    if (end - start >= 2 && c.entry.cols >= 2) {
      const PetscInt    rows[2] = {start, start + 1}, cols[2] = {0, c.entry.cols - 1};
      const PetscScalar v[4] = {1, 2, 3, 4};
      PETSC_OK(MatSetValues(M, 2, rows, 2, cols, v, INSERT_VALUES));
    }
    PETSC_OK(MatAssemblyBegin(M, MAT_FINAL_ASSEMBLY));
    PETSC_OK(MatAssemblyEnd(M, MAT_FINAL_ASSEMBLY));
  });
  c.check_same(A, R, "options kept");
}

/* A product that PETSc computes on the host reads the values that the device has, each time anew. */
void product_on_host(const MatCase &c)
{
  const Option ptap("-matptap_backend_cpu", "true"), atb("-mattransposematmult_backend_cpu", "true");
  MatHandle    A = c.ours(), R = c.aij(), C[2], D[2];
  MatReuse     reuse = MAT_INITIAL_MATRIX;

  for (const char *round : {"new", "reused", "reused again"}) {
    to_both(A, R, [](Mat M) { PETSC_OK(MatScale(M, 0.5)); });
    PETSC_OK(MatPtAP(A, A, reuse, PETSC_DEFAULT, C[0].get()));
    PETSC_OK(MatPtAP(R, R, reuse, PETSC_DEFAULT, D[0].get()));
    PETSC_OK(MatTransposeMatMult(A, A, reuse, PETSC_DEFAULT, C[1].get()));
    PETSC_OK(MatTransposeMatMult(R, R, reuse, PETSC_DEFAULT, D[1].get()));
    for (int k : {0, 1}) {
      PetscReal size;
      PETSC_OK(MatNorm(D[k], NORM_FROBENIUS, &size));
      check_entries(C[k], D[k], std::string(k ? "A' A, " : "A' A A, ") + round, 100, size);
    }
    reuse = MAT_REUSE_MATRIX;
  }
}

void column_norms(const MatCase &c)
{
  MatHandle              A = c.ours(), R = c.aij();
  std::vector<PetscReal> got(c.entry.cols), want(c.entry.cols);

  to_both(A, R, [](Mat M) { PETSC_OK(MatScale(M, 0.5)); });
  PETSC_OK(MatGetColumnNorms(A, NORM_1, got.data()));
  PETSC_OK(MatGetColumnNorms(R, NORM_1, want.data()));
  for (PetscInt j = 0; j < c.entry.cols; j++) BOOST_TEST(PetscAbsReal(got[j] - want[j]) <= 100 * PETSC_MACHINE_EPSILON * want[j]);
}

#if PETSC_VERSION_GE(3, 20, 0)
void eliminate_zeros(const MatCase &c)
{
  MatHandle A = c.ours(), R = c.aij();
  VecHandle d = c.out(R);
  PetscInt  start, end;

  PETSC_OK(VecGetOwnershipRange(d, &start, &end));
  for (PetscInt i = start; i < end; i += 3) PETSC_OK(VecSetValue(d, i, 0, INSERT_VALUES));
  PETSC_OK(VecAssemblyBegin(d));
  PETSC_OK(VecAssemblyEnd(d));
  to_both(A, R, [&](Mat M) {
    PETSC_OK(MatDiagonalScale(M, d, nullptr));
    PETSC_OK(MatEliminateZeros(M, PETSC_TRUE));
  });
  c.check_same(A, R, "zeros eliminated");
  to_both(A, R, [](Mat M) { PETSC_OK(MatScale(M, 0.5)); });
  c.check_same(A, R, "and scaled");
}
#endif

/* Host, device, host: each side in turn has the newer values. */
void back_and_forth(const MatCase &c)
{
  MatHandle A = c.ours(), R = c.aij();

  for (int round = 0; round < 3; round++) {
    to_both(A, R, [&](Mat M) { PETSC_OK(MatScale(M, 1.5)); });
    c.check_same(A, R, "scaled");
    fill(c.entry, A, round + 2);
    fill(c.entry, R, round + 2);
    c.check_same(A, R, "filled");
  }
}

/* PETSc's own types keep the string that MatGetType() gave as long as the type; programs hold on to it (mat/tests/ex2). */
void type_name_stays(const MatCase &c)
{
  MatHandle A = c.ours(), B;
  VecHandle x = c.out(A), y = c.in(A);
  MatType   before, after;

  PETSC_OK(MatGetType(A, &before));
  PETSC_OK(MatMultTranspose(A, x, y));
  PETSC_OK(MatScale(A, 2));
  PETSC_OK(MatDuplicate(A, MAT_COPY_VALUES, B.put()));
  PETSC_OK(MatSetOption(A, MAT_KEEP_NONZERO_PATTERN, PETSC_TRUE));
  PETSC_OK(MatZeroEntries(A));
  fill(c.entry, A, 2);
  PETSC_OK(MatAXPY(A, 1, B, SAME_NONZERO_PATTERN));
  PETSC_OK(MatGetType(A, &after));
  const bool same_string = before == after; /* pointers: BOOST_TEST itself would compare the text */
  BOOST_TEST(same_string);
}

const AddTests add([] {
  add_mat_laws({
    {"scale", scale}, {"diagonal_scale", diagonal_scale}, {"shift", shift, square}, {"diagonal_set", diagonal_set, square | full_diagonal},
      {"zero_entries", zero_entries}, {"axpy", axpy}, {"set_values_again", set_values_again}, {"new_pattern", new_pattern},
      {"reset_preallocation", reset_preallocation, nonempty}, {"store_retrieve", store_retrieve}, {"array_access", array_access},
      {"zero_rows", zero_rows, nonempty}, {"zero_rows_columns", zero_rows_columns, square | full_diagonal}, {"options", options},
      {"product_on_host", product_on_host, square | nonempty}, {"column_norms", column_norms},
#if PETSC_VERSION_GE(3, 20, 0)
      {"eliminate_zeros", eliminate_zeros, square | full_diagonal},
#endif
      {"back_and_forth", back_and_forth}, {"type_name_stays", type_name_stays},
  });
});

} // namespace
