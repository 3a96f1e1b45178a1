/* Laws of every Goza Mat type: changes that happen where the values are. With a CUDA PETSc that is the device, and PETSc's transfer counters say that no value
   leaves it; everywhere the result is aij's. */
#include "mat/common/format_kind.hpp"
#include "../support/mat_case.hpp"

#include <petscdmda.h>
#include <petscgoza.h>

using namespace goza_test;

namespace {

/* Bytes that this rank has copied between host and device since it was made. */
class Traffic {
public:
  PetscReal down() const { return now_down() - down_; }
  PetscReal up() const { return now_up() - up_; }

private:
#if PetscDefined(HAVE_DEVICE)
  static PetscReal now_down() { return petsc_gtoc_sz; }
  static PetscReal now_up() { return petsc_ctog_sz; }
#else
  static PetscReal now_down() { return 0; }
  static PetscReal now_up() { return 0; }
#endif

  PetscReal down_ = now_down(), up_ = now_up();
};

bool on_device(const MatCase &c) { return c.vec != VECSTANDARD; }

/* The newer values to where MatScale() computes. */
void compute_values(Mat A, Mat R)
{
  to_both(A, R, [](Mat M) { PETSC_OK(MatScale(M, 0.5)); });
}

/* The four ways of naming the rows. */
using Form = void (*)(Mat, bool columns, std::vector<PetscInt> rows, PetscScalar diag, Vec x, Vec b);

ISHandle index_set(const std::vector<PetscInt> &rows)
{
  ISHandle is;
  PETSC_OK(ISCreateGeneral(PETSC_COMM_WORLD, (PetscInt)rows.size(), rows.data(), PETSC_COPY_VALUES, is.put()));
  return is;
}

void by_list(Mat M, bool columns, std::vector<PetscInt> rows, PetscScalar diag, Vec x, Vec b)
{
  PETSC_OK((columns ? MatZeroRowsColumns : MatZeroRows)(M, (PetscInt)rows.size(), rows.data(), diag, x, b));
}
void by_is(Mat M, bool columns, std::vector<PetscInt> rows, PetscScalar diag, Vec x, Vec b)
{
  PETSC_OK((columns ? MatZeroRowsColumnsIS : MatZeroRowsIS)(M, index_set(rows), diag, x, b));
}

/* Local numbers: the global ones counted from the end. */
std::vector<PetscInt> numbered_locally(Mat M, std::vector<PetscInt> rows)
{
  ISLocalToGlobalMapping map;
  std::vector<PetscInt>  global;
  PetscInt               n;

  PETSC_OK(MatGetSize(M, &n, nullptr));
  for (PetscInt i = 0; i < n; i++) global.push_back(n - 1 - i);
  PETSC_OK(ISLocalToGlobalMappingCreate(PETSC_COMM_WORLD, 1, n, global.data(), PETSC_COPY_VALUES, &map));
  PETSC_OK(MatSetLocalToGlobalMapping(M, map, map));
  PETSC_OK(ISLocalToGlobalMappingDestroy(&map));
  for (PetscInt &row : rows) row = n - 1 - row;
  return rows;
}
void by_local_list(Mat M, bool columns, std::vector<PetscInt> rows, PetscScalar diag, Vec x, Vec b)
{
  rows = numbered_locally(M, rows);
  PETSC_OK((columns ? MatZeroRowsColumnsLocal : MatZeroRowsLocal)(M, (PetscInt)rows.size(), rows.data(), diag, x, b));
}
void by_local_is(Mat M, bool columns, std::vector<PetscInt> rows, PetscScalar diag, Vec x, Vec b)
{
  PETSC_OK((columns ? MatZeroRowsColumnsLocalIS : MatZeroRowsLocalIS)(M, index_set(numbered_locally(M, rows)), diag, x, b));
}

const struct {
  const char *name;
  Form        zero;
} forms[] = {{"list", by_list}, {"IS", by_is}, {"local list", by_local_list}, {"local IS", by_local_is}};

void zero_rows(const MatCase &c)
{
  for (const auto &form : forms)
    for (PetscBool keep : {PETSC_TRUE, PETSC_FALSE})
      for (PetscScalar diag : {2.5, 0.}) {
        MatHandle A = c.ours(), R = c.aij();
        VecHandle x = c.in(R), b = c.out(R), br = c.out(R), zero = c.out(R);

        compute_values(A, R);
        to_both(A, R, [&](Mat M) {
          PETSC_OK(MatSetOption(M, MAT_KEEP_NONZERO_PATTERN, keep));
          form.zero(M, false, some_rows(M, 4), diag, x, M == (Mat)A ? b : br);
        });
        PETSC_OK(VecSet(zero, 0));
        check_close(b, br, zero, std::string(form.name) + ": right-hand side");
        c.check_same(A, R, std::string(form.name) + (keep ? ", pattern kept" : ", pattern changed") + (diag == PetscScalar(0) ? ", no diagonal" : ""));
        /* and on: the values are computed from the new ones */
        compute_values(A, R);
        c.check_same(A, R, std::string(form.name) + ", scaled again");
      }
}

void zero_rows_columns(const MatCase &c)
{
  for (const auto &form : forms)
    for (bool vectors : {true, false}) {
      MatHandle A = c.ours(), R = c.aij();
      VecHandle x = c.in(R), b = c.out(R), br = c.out(R), bound = rounding_bound(R, x, b);

      compute_values(A, R);
      to_both(A, R, [&](Mat M) { form.zero(M, true, some_rows(M, 4), 1.5, vectors ? (Vec)x : nullptr, !vectors ? nullptr : M == (Mat)A ? (Vec)b : (Vec)br); });
      check_close(b, br, bound, std::string(form.name) + ": right-hand side");
      c.check_same(A, R, form.name);
    }
}

/* Without places for the diagonal the pattern grows. */
void zero_rows_columns_without_diagonal(const MatCase &c)
{
  Entry hollow = c.entry;
  hollow.row   = [row = c.entry.row](PetscInt i, Row &out) {
    Row all;
    row(i, all);
    for (std::size_t k = 0; k < all.col.size(); k++) {
      if (all.col[k] != i) out.add(all.col[k], all.val[k]);
    }
  };
  MatHandle A = assemble(hollow, c.type.set.c_str()), R = assemble(hollow, c.base());
  VecHandle x = c.in(R), b = c.out(R), br = c.out(R), bound = rounding_bound(R, x, b);

  PETSC_OK(MatMult(A, x, b));
  PETSC_OK(VecCopy(b, br));
  compute_values(A, R);
  to_both(A, R, [&](Mat M) {
    PETSC_OK(MatSetOption(M, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    by_list(M, true, some_rows(M, 4), 3, x, M == (Mat)A ? b : br);
  });
  check_close(b, br, bound, "right-hand side");
  c.check_same(A, R, "diagonal put in");
}

/* Rows that do not exist, a diagonal value without a place for it, are errors and leave the device's values as they are. */
void zero_rows_refused(const MatCase &c)
{
  MatHandle  A = c.ours(), R = c.aij();
  PetscInt   m, start, end;
  const bool alone = PetscGlobalSize == 1;

  compute_values(A, R);
  PETSC_OK(MatGetSize(A, &m, nullptr));
  PETSC_OK(MatGetOwnershipRange(A, &start, &end));
  if (alone) { /* on several ranks the others would wait for the one that fails */
    for (const PetscInt row : {m, PetscInt(-1)}) {
      BOOST_TEST(attempt([&] { return MatZeroRows(A, 1, &row, 1, nullptr, nullptr); }).failed);
      BOOST_TEST(attempt([&] { return MatZeroRowsColumns(A, 1, &row, 1, nullptr, nullptr); }).failed);
    }
  }
  c.check_same(A, R, "after errors");
  by_list(A, false, {}, 1, nullptr, nullptr);
  by_list(A, true, {}, 1, nullptr, nullptr);
  c.check_same(A, R, "no rows named");
}

/* What is symmetric stays so, and half of it is still enough. */
void symmetric_stays_half(const MatCase &c)
{
  const auto half = [](Mat A) {
    std::shared_ptr<goza::ParOperator<PetscScalar>> op;
    PETSC_OK(goza::MatFormatGetOperator(A, &op));
    return !op ? -1 : (int)(op->diagonal_block().describe().find("half (symmetric)") != std::string::npos);
  };
  MatHandle A = c.ours(), R = c.aij();
  const int before = half(A);

  compute_values(A, R);
  to_both(A, R, [&](Mat M) { by_list(M, true, some_rows(M, 4), 1, nullptr, nullptr); });
  c.check_same(A, R, "rows and columns");
  BOOST_TEST(half(A) == before);
  to_both(A, R, [&](Mat M) {
    PETSC_OK(MatSetOption(M, MAT_KEEP_NONZERO_PATTERN, PETSC_TRUE));
    by_list(M, false, {some_rows(M, 4).empty() ? PetscInt(0) : some_rows(M, 4).back() / 2}, 1, nullptr, nullptr);
  });
  c.check_same(A, R, "rows alone");
}

/* No value of the matrix comes to the host: on one rank nothing does, on several only what PETSc's exchange stages of x: of matrices that are much larger than
   that. */
void zeroing_brings_nothing(const MatCase &c)
{
  if (!on_device(c)) return;
  for (bool columns : {false, true})
    for (PetscBool keep : {PETSC_TRUE, PETSC_FALSE}) {
      MatHandle A = c.ours(), R = c.aij();
      VecHandle x = c.in(A), b = c.out(A), y = c.out(A);
      MatInfo   info;
      PetscInt  rows;

      compute_values(A, R);
      PETSC_OK(MatSetOption(A, MAT_KEEP_NONZERO_PATTERN, keep));
      PETSC_OK(MatMult(A, x, y));
      PETSC_OK(VecAXPY(b, 1, y)); /* x, b and y are on the device now */
      PETSC_OK(MatGetInfo(A, MAT_LOCAL, &info));
      PETSC_OK(MatGetLocalSize(A, &rows, nullptr));
      const Traffic traffic;
      by_list(A, columns, some_rows(A, 4), 2, x, b);
      PETSC_OK(MatMult(A, x, y));
      const PetscReal vectors = 2. * (PetscGlobalSize - 1) * rows * sizeof(PetscScalar), values = info.nz_used * sizeof(PetscScalar);
      if (vectors < values / 2) BOOST_TEST(traffic.down() <= vectors, (columns ? "rows and columns" : "rows") << (keep ? "" : ", pattern changed"));
    }
}

/* PCPBJACOBI asks for a type by name, or works on the host. */
void point_blocks_stay_on_device(const MatCase &c)
{
  const auto apply = [](Mat M, PC pc, Vec x, Vec y) {
    PETSC_OK(PCSetType(pc, PCPBJACOBI));
    PETSC_OK(PCSetOperators(pc, M, M));
    PETSC_OK(PCSetUp(pc));
    PETSC_OK(PCApply(pc, x, y));
  };
  MatHandle A = c.ours(), R = c.aij();
  PCHandle  pc, reference;
  VecHandle x = c.in(A), y = c.out(A), want = c.out(A), bound = c.out(A);
  PetscReal largest;

  PETSC_OK(PCCreate(PETSC_COMM_WORLD, pc.put()));
  PETSC_OK(PCCreate(PETSC_COMM_WORLD, reference.put()));
  for (int again = 0; again < 2; again++) { /* what the blocks were before does not count */
    PETSC_OK(MatShift(A, 100 + again));
    PETSC_OK(MatShift(R, 100 + again));
    apply(R, reference, x, want);
    PETSC_OK(MatMult(A, x, y)); /* says what vectors there are */
    apply(A, pc, x, y);
    PETSC_OK(VecNorm(want, NORM_INFINITY, &largest));
    PETSC_OK(VecSet(bound, 1e3 * PETSC_MACHINE_EPSILON * largest));
    check_close(y, want, bound, again ? "new values" : "blocks");
  }
  const Traffic traffic;
  PETSC_OK(PCApply(pc, x, y));
  if (on_device(c)) BOOST_TEST(traffic.down() + traffic.up() == 0);
}

/* Coordinates whose values are on the device fill the format there; new values of the same pattern do no more than that. */
void coo_stays_on_device(const MatCase &c)
{
  std::vector<PetscInt>    i, j;
  std::vector<PetscScalar> v;
  PetscInt                 m, n, start, end;
  MatHandle                A, R = c.aij();
  VecHandle                x = c.in(R), y = c.out(R), values;
  PetscScalar             *host;

  local_sizes(c.entry, PETSC_COMM_WORLD, &m, &n);
  PETSC_OK(MatCreate(PETSC_COMM_WORLD, A.put()));
  PETSC_OK(MatSetSizes(A, m, n, c.entry.rows, c.entry.cols));
  PETSC_OK(MatSetType(A, c.type.set.c_str()));
  PETSC_OK(MatSetFromOptions(A));
  PETSC_OK(MatGetOwnershipRange(R, &start, &end));
  for (PetscInt row = start; row < end; row++) {
    Row r;
    c.entry.row(row, r);
    i.insert(i.end(), r.col.size(), row);
    j.insert(j.end(), r.col.begin(), r.col.end());
    v.insert(v.end(), r.val.begin(), r.val.end());
  }
  PETSC_OK(MatSetPreallocationCOO(A, (PetscCount)i.size(), i.data(), j.data()));
  PETSC_OK(VecCreate(PETSC_COMM_SELF, values.put()));
  PETSC_OK(VecSetSizes(values, (PetscInt)v.size(), PETSC_DETERMINE));
  PETSC_OK(VecSetType(values, on_device(c) ? VECCUDA : VECSTANDARD));
  PETSC_OK(VecGetArrayWrite(values, &host));
  std::copy(v.begin(), v.end(), host);
  PETSC_OK(VecRestoreArrayWrite(values, &host));
  for (Vec on_device : {(Vec)values, (Vec)x, (Vec)y}) { /* from now on */
    PETSC_OK(VecScale(on_device, 2));
    PETSC_OK(VecScale(on_device, 0.5));
  }
  const auto builds = [&] { /* while we held the operator the matrix would make another */
                            std::shared_ptr<goza::ParOperator<PetscScalar>> op;
                            PETSC_OK(goza::MatFormatGetOperator(A, &op));
                            return op ? op->builds() : 0;
  };
  const auto assemble_and_multiply = [&](PetscScalar factor) {
    const PetscScalar *there;
    PetscMemType       where;

    PETSC_OK(VecScale(values, factor));
    PETSC_OK(VecGetArrayReadAndMemType(values, &there, &where));
    PETSC_OK(MatSetValuesCOO(A, there, INSERT_VALUES));
    PETSC_OK(VecRestoreArrayReadAndMemType(values, &there));
    PETSC_OK(MatMult(A, x, y));
  };
  const Traffic first;

  assemble_and_multiply(1);
  if (on_device(c) && PetscGlobalSize == 1) BOOST_TEST(first.down() == 0, "first values");
  const PetscInt before = builds();
  const Traffic  again;

  for (PetscScalar factor : {-2., 0.5, 3.}) assemble_and_multiply(factor);
  if (on_device(c) && PetscGlobalSize == 1) {
    BOOST_TEST(again.down() == 0, "new values");
    BOOST_TEST(again.up() == 0, "new values");
  }
  BOOST_TEST(builds() == before);
  PETSC_OK(MatScale(R, -3));
  c.check_same(A, R, "assembled four times", 20);
}

/* The rows of a grid's nodes: of a DM's matrix. */
void by_stencil(const MatCase &c)
{
  const PetscInt nx = 7, ny = 6;
  DM             da;
  MatHandle      both[2];

  PETSC_OK(
    DMDACreate2d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, nx, ny, PETSC_DECIDE, PETSC_DECIDE, 1, 1, nullptr, nullptr, &da));
  PETSC_OK(DMSetUp(da));
  for (bool columns : {false, true}) {
    VecHandle vecs[2][2];

    for (int which = 0; which < 2; which++) {
      PetscInt xs, ys, xm, ym;

      PETSC_OK(DMSetMatType(da, which ? c.type.set.rfind("mpi", 0) == 0 ? MATMPIAIJ : MATAIJ : c.type.set.c_str()));
      PETSC_OK(DMCreateMatrix(da, both[which].put()));
      PETSC_OK(DMDAGetCorners(da, &xs, &ys, nullptr, &xm, &ym, nullptr));
      std::vector<MatStencil> edge;
      for (PetscInt j = ys; j < ys + ym; j++)
        for (PetscInt i = xs; i < xs + xm; i++) {
          MatStencil  row{0, j, i, 0}, col[5];
          PetscScalar v[5];
          PetscInt    n = 0;

          for (const auto &step : {std::pair<int, int>{0, 0}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}}) {
            const PetscInt p = i + step.first, q = j + step.second;

            if (p < 0 || p >= nx || q < 0 || q >= ny) continue;
            col[n] = MatStencil{0, q, p, 0};
            v[n]   = n ? -1 - 0.01 * (PetscReal)(i + p + j * q) : 5;
            n++;
          }
          PETSC_OK(MatSetValuesStencil(both[which], 1, &row, n, col, v, INSERT_VALUES));
          if (i == 0 || j == ny - 1) edge.push_back(row);
        }
      PETSC_OK(MatAssemblyBegin(both[which], MAT_FINAL_ASSEMBLY));
      PETSC_OK(MatAssemblyEnd(both[which], MAT_FINAL_ASSEMBLY));
      PETSC_OK(MatScale(both[which], 2));
      for (int v = 0; v < 2; v++) vecs[which][v] = vector_like(both[which], v == 1, c.vec, 3 + v);
      PETSC_OK((columns ? MatZeroRowsColumnsStencil : MatZeroRowsStencil)(both[which], (PetscInt)edge.size(), edge.data(), 2, vecs[which][0], vecs[which][1]));
    }
    check_close(vecs[0][1], vecs[1][1], rounding_bound(both[1], vecs[1][0], vecs[1][1]), "right-hand side");
    c.check_same(both[0], both[1], columns ? "rows and columns" : "rows");
  }
  PETSC_OK(DMDestroy(&da));
}

/* Every so many-th row has entries: PETSc's copy on the device has no others. */
MatHandle of_few_rows(MatType type, PetscInt step)
{
  const PetscInt n = 60;
  MatHandle      A;
  PetscInt       start, end;

  PETSC_OK(MatCreate(PETSC_COMM_WORLD, A.put()));
  PETSC_OK(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, n, n));
  PETSC_OK(MatSetType(A, type));
  PETSC_OK(MatSeqAIJSetPreallocation(A, 2, nullptr));
  PETSC_OK(MatMPIAIJSetPreallocation(A, 2, nullptr, 2, nullptr));
  PETSC_OK(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    if (i % step) continue;
    PETSC_OK(MatSetValue(A, i, i, 3 + i, INSERT_VALUES));
    PETSC_OK(MatSetValue(A, i, (i + 7) % n, -1, INSERT_VALUES));
  }
  PETSC_OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PETSC_OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PETSC_OK(MatScale(A, 2));
  return A;
}

void few_rows(const MatCase &c)
{
  MatHandle A = of_few_rows(c.type.set.c_str(), 5), R = of_few_rows(c.base(), 5);
  VecHandle got = c.junk(A), want;

  PETSC_OK(VecDuplicate(got, want.put()));
  PETSC_OK(MatGetDiagonal(A, got));
  PETSC_OK(MatGetDiagonal(R, want));
  check_close(got, want, rounding_bound(R, want, want), "diagonal");
  PETSC_OK(MatAXPY(A, 2, of_few_rows(c.type.set.c_str(), 10), SUBSET_NONZERO_PATTERN));
  PETSC_OK(MatAXPY(R, 2, of_few_rows(c.base(), 10), SUBSET_NONZERO_PATTERN));
  c.check_same(A, R, "some rows added");
}

/* Entries that come on the host after the device has had its copy: no operation may take that copy for the newest. */
void entries_after_the_copy(const MatCase &c)
{
  MatHandle A = of_few_rows(c.type.set.c_str(), 60), R = of_few_rows(c.base(), 60);

  to_both(A, R, [](Mat M) {
    PetscInt start, end;

    PETSC_OK(MatSetOption(M, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    PETSC_OK(MatGetOwnershipRange(M, &start, &end));
    for (PetscInt i = start; i < end; i++) PETSC_OK(MatSetValue(M, i, i, 2 + i, INSERT_VALUES));
    PETSC_OK(MatAssemblyBegin(M, MAT_FINAL_ASSEMBLY));
    PETSC_OK(MatAssemblyEnd(M, MAT_FINAL_ASSEMBLY));
  });
  c.check_same(A, R, "more entries");
  to_both(A, R, [](Mat M) {
    PETSC_OK(MatZeroEntries(M));
    PETSC_OK(MatScale(M, 3));
  });
  c.check_same(A, R, "zeroed and scaled");
  to_both(A, R, [](Mat M) { PETSC_OK(MatShift(M, 4)); });
  c.check_same(A, R, "with a diagonal");
}

const AddTests add([] {
  const bool all_precisions = false; /* the values change in PETSc's part of the matrix; other tests refill every precision */

  add_mat_laws(
    {
      {"zero_rows", zero_rows, square | full_diagonal},
      {"zero_rows_columns", zero_rows_columns, square | full_diagonal},
      {"zero_rows_columns_without_diagonal", zero_rows_columns_without_diagonal, square | full_diagonal},
      {"zero_rows_refused", zero_rows_refused, square | full_diagonal},
      {"symmetric_stays_half", symmetric_stays_half, square | symmetric | full_diagonal},
      {"zeroing_brings_nothing", zeroing_brings_nothing, square | full_diagonal | nonempty},
      {"coo_stays_on_device", coo_stays_on_device, nonempty},
      {"point_blocks_stay_on_device", point_blocks_stay_on_device, square | full_diagonal | nonempty},
    },
    all_precisions);
  for (const auto &type : mat_names())
    for (const auto &vec : vec_names()) {
      add_test(suite_named(suite_named(nullptr, type.set), vec), "zero_rows_by_stencil", [=] { by_stencil(MatCase{type, vec, gallery().front()}); });
      add_test(suite_named(suite_named(nullptr, type.set), vec), "few_rows", [=] { few_rows(MatCase{type, vec, gallery().front()}); });
      add_test(suite_named(suite_named(nullptr, type.set), vec), "entries_after_the_copy", [=] {
        entries_after_the_copy(MatCase{type, vec, gallery().front()});
      });
    }
});

} // namespace
