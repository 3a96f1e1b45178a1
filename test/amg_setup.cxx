/* Laws of the set-up steps of smoothed aggregation. The rank 0 .. size-1 hierarchy is compared with one that every rank builds alone. */
#include "pc/saamg/aggressive.hpp"
#include "pc/saamg/eigen.hpp"
#include "pc/saamg/galerkin.hpp"
#include "pc/saamg/prolong.hpp"
#include "pc/saamg/strength.hpp"
#include "pc/saamg/tentative.hpp"
#include "support/gallery.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace goza;
using namespace goza_test;

namespace
{

constexpr PetscReal eps = PETSC_MACHINE_EPSILON;

/* Fails the test case on all ranks alike, so that none waits for another. */
void all_ranks(bool here, const std::string &what)
{
  const bool wrong_elsewhere = any_rank(!here); // no short circuit: collective

  BOOST_TEST_REQUIRE(!wrong_elsewhere, what << (here ? " (on another rank)" : ""));
}

MatHandle aij(const Entry &e, MPI_Comm comm = PETSC_COMM_WORLD)
{
  return assemble(e, MATAIJ, Prealloc::exact, comm);
}

struct Ready {
  MatHandle  A;
  Graph      G;
  Aggregates aggregates;
  PetscInt   m = 0, start = 0;

  Ready(const Entry &e, PetscReal threshold, MPI_Comm comm = PETSC_COMM_WORLD, bool twice = false) : A(aij(e, comm))
  {
    PETSC_OK(StrengthGraph(A, e.bs, threshold, G));
    PETSC_OK((twice ? AggregateTwice : Aggregate)(G, aggregates));
    PETSC_OK(MatGetLocalSize(A, &m, nullptr));
    PETSC_OK(MatGetOwnershipRange(A, &start, nullptr));
  }
};

VecHandle diagonal_inverse(Mat A)
{
  VecHandle dinv;

  PETSC_OK(MatCreateVecs(A, dinv.put(), nullptr));
  PETSC_OK(DiagonalInverse(A, dinv));
  return dinv;
}

/* k vectors of local rows, constant first; defined by global row */
std::vector<PetscScalar> null_vectors(const Ready &s, PetscInt k)
{
  std::vector<PetscScalar> B((std::size_t)s.m * k);

  for (PetscInt i = 0; i < s.m; i++)
    for (PetscInt j = 0; j < k; j++) B[i * k + j] = j ? uniform(s.start + i, j, 99) : 1;
  return B;
}

/* The six rigid-body modes of an elasticity entry */
std::vector<PetscScalar> rigid_modes(const Entry &e, const Ready &s)
{
  std::vector<PetscScalar> B((std::size_t)s.m * 6, 0);

  for (PetscInt i = 0; i < s.m; i++) {
    PetscReal x[3];
    const int c = (s.start + i) % 3;

    elasticity_node(e, (s.start + i) / 3, x);
    B[i * 6 + c]               = 1;
    B[i * 6 + 3 + (c + 1) % 3] = -x[(c + 2) % 3]; // rotation about axis a: (a x X)_c
    B[i * 6 + 3 + (c + 2) % 3] = x[(c + 1) % 3];
  }
  return B;
}

PetscReal norm(const std::vector<PetscScalar> &v)
{
  PetscReal largest = 0;

  for (const PetscScalar &x : v) largest = std::max(largest, PetscAbsScalar(x));
  return max_over_ranks(largest);
}

/* max |M X - Y| over local rows that count, X[cols][k] and Y[rows][k] */
PetscReal product_error(Mat M, PetscInt k, const std::vector<PetscScalar> &X, const std::vector<PetscScalar> &Y, const std::function<bool(PetscInt)> &counts)
{
  VecHandle          x, y;
  PetscReal          error = 0;
  PetscScalar       *in;
  const PetscScalar *out;
  PetscInt           m, n;

  PETSC_OK(MatGetLocalSize(M, &m, &n));
  PETSC_OK(MatCreateVecs(M, x.put(), y.put()));
  for (PetscInt j = 0; j < k; j++) {
    PETSC_OK(VecGetArrayWrite(x, &in));
    for (PetscInt i = 0; i < n; i++) in[i] = X[i * k + j];
    PETSC_OK(VecRestoreArrayWrite(x, &in));
    PETSC_OK(MatMult(M, x, y));
    PETSC_OK(VecGetArrayRead(y, &out));
    for (PetscInt i = 0; i < m; i++) {
      const PetscReal d = PetscAbsScalar(out[i] - (Y.empty() ? PetscScalar(0) : Y[i * k + j]));
      if (counts(i) && !(d <= error)) error = d; // NaN counts
    }
    PETSC_OK(VecRestoreArrayRead(y, &out));
  }
  return any_rank(!(error < 1e300)) ? std::numeric_limits<PetscReal>::infinity() : max_over_ranks(error);
}

/* The law that everything rests on: same graph, aggregates and roots as alone, and every connected node in one aggregate. */
void same_on_any_ranks(const Entry &e, PetscReal threshold, bool twice = false)
{
  const Ready           here(e, threshold, PETSC_COMM_WORLD, twice), alone(e, threshold, PETSC_COMM_SELF, twice);
  const PetscInt        begin = here.G.start;
  const Aggregates     &a = here.aggregates, &b = alone.aggregates;
  bool                  same_graph = true, same_aggregates = true, placed = true;
  std::vector<PetscInt> row, row_alone;

  for (PetscInt i = 0; i < here.G.n; i++) {
    row.clear();
    for (PetscInt p = here.G.ptr[i]; p < here.G.ptr[i + 1]; p++)
      row.push_back(here.G.col[p] < here.G.n ? begin + here.G.col[p] : here.G.ghost[here.G.col[p] - here.G.n]);
    row_alone.assign(alone.G.col.begin() + alone.G.ptr[begin + i], alone.G.col.begin() + alone.G.ptr[begin + i + 1]);
    std::sort(row.begin(), row.end());
    same_graph      = same_graph && row == row_alone;
    same_aggregates = same_aggregates && a.of_node[i] == b.of_node[begin + i];
    placed          = placed && (a.of_node[i] >= 0) == (here.G.ptr[i + 1] > here.G.ptr[i]) && a.of_node[i] < b.n;
  }
  for (PetscInt k = 0; k < a.n; k++) same_aggregates = same_aggregates && a.root[k] == b.root[a.start + k] && a.of_node[a.root[k] - begin] == a.start + k;
  all_ranks(same_graph, "the strength graph is the same on any number of ranks");
  all_ranks(same_aggregates, "aggregates and roots are the same on any number of ranks");
  all_ranks(placed, "nodes with an edge, and no others, are in an aggregate");

  const Graph &G         = alone.G;
  bool         symmetric = true, touching = true;
  for (PetscInt i = 0; i < G.n; i++) {
    bool friends = b.of_node[i] < 0 || b.root[b.of_node[i]] == i;
    for (PetscInt p = G.ptr[i]; p < G.ptr[i + 1]; p++) {
      const PetscInt j = G.col[p];
      symmetric        = symmetric && j != i && std::binary_search(G.col.begin() + G.ptr[j], G.col.begin() + G.ptr[j + 1], i);
      friends          = friends || b.of_node[j] == b.of_node[i];
    }
    touching = touching && friends;
  }
  all_ranks(symmetric, "the strength graph is symmetric");
  all_ranks(touching, "a node is connected to another of its aggregate");
}

/* T^T T = I but for dropped columns, and T Bcoarse = B. Returns the number of dropped columns. */
PetscInt tentative_laws(const Entry &e, const Ready &s, PetscInt k, const std::vector<PetscScalar> &B)
{
  MatHandle                T, TtT;
  std::vector<PetscScalar> Bcoarse;
  PetscInt                 dropped = 0, start, end;
  PetscReal                worst   = 0;

  PETSC_OK(TentativeProlongator(PETSC_COMM_WORLD, s.aggregates, e.bs, k, B, T.put(), Bcoarse));
  PETSC_OK(MatTransposeMatMult(T, T, MAT_INITIAL_MATRIX, PETSC_DEFAULT, TtT.put()));
  PETSC_OK(MatGetOwnershipRange(TtT, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    PetscInt           n;
    const PetscInt    *cols;
    const PetscScalar *vals;
    PetscScalar        diagonal = 0;

    PETSC_OK(MatGetRow(TtT, i, &n, &cols, &vals));
    for (PetscInt p = 0; p < n; p++) {
      if (cols[p] == i) diagonal = vals[p];
      else if (!(PetscAbsScalar(vals[p]) <= worst)) worst = PetscAbsScalar(vals[p]);
    }
    PETSC_OK(MatRestoreRow(TtT, i, &n, &cols, &vals));
    if (diagonal == PetscScalar(0)) dropped++;
    else if (!(PetscAbsScalar(diagonal - PetscScalar(1)) <= worst)) worst = PetscAbsScalar(diagonal - PetscScalar(1));
  }
  all_ranks(worst < 100 * k * eps, e.name + ": the columns of T are orthonormal");
  const PetscReal error = product_error(T, k, Bcoarse, B, [&](PetscInt i) { return s.aggregates.of_node[i / e.bs] >= 0; });
  all_ranks(error <= 1000 * k * eps * (1 + norm(B)), e.name + ": T Bcoarse = B");
  all_ranks(product_error(T, k, Bcoarse, {}, [&](PetscInt i) { return s.aggregates.of_node[i / e.bs] < 0; }) == 0, e.name + ": isolated rows are empty");
  PETSC_OK((PetscErrorCode)MPI_Allreduce(MPI_IN_PLACE, &dropped, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  return dropped;
}

PetscReal largest_difference(Mat A, Mat B)
{
  MatHandle D;
  PetscReal difference;

  PETSC_OK(MatDuplicate(A, MAT_COPY_VALUES, D.put()));
  PETSC_OK(MatAXPY(D, -1, B, DIFFERENT_NONZERO_PATTERN));
  PETSC_OK(MatNorm(D, NORM_INFINITY, &difference));
  return difference;
}

/* One level from A: P, Ac, and what they must obey. Returns Ac. */
MatHandle level_laws(const Entry &e, const Ready &s, PetscInt k, const std::vector<PetscScalar> &B, bool symmetric_values)
{
  MatHandle                T, P, Ac, Act, twice;
  std::vector<PetscScalar> Bcoarse;
  VecHandle                dinv = diagonal_inverse(s.A);
  PetscReal                lambda, scale, next;
  PetscInt                 rows, cols, start, end;
  bool                     no_zero_row = true;

  PETSC_OK(EstimateLambdaMax(s.A, dinv, 10, &lambda));
  all_ranks(lambda > 0 && std::isfinite(lambda), e.name + ": lambda is finite and positive");
  PETSC_OK(TentativeProlongator(PETSC_COMM_WORLD, s.aggregates, e.bs, k, B, T.put(), Bcoarse));
  PETSC_OK(SmoothProlongator(s.A, T, dinv, PetscReal(4) / 3 / lambda, P.put()));
  PETSC_OK(GalerkinProduct(s.A, P, MAT_INITIAL_MATRIX, Ac.put()));
  PETSC_OK(MatGetSize(Ac, &rows, &cols));
  PETSC_OK(MatNorm(Ac, NORM_INFINITY, &scale));
  all_ranks(std::isfinite(scale), e.name + ": the coarse matrix is finite");
  if (symmetric_values) {
    PETSC_OK(MatTranspose(Ac, MAT_INITIAL_MATRIX, Act.put()));
    all_ranks(largest_difference(Ac, Act) <= 1e4 * eps * scale, e.name + ": the coarse matrix is symmetric");
  }
  PETSC_OK(MatGetOwnershipRange(Ac, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    PetscInt           n;
    const PetscScalar *vals;
    bool               zero = true;

    PETSC_OK(MatGetRow(Ac, i, &n, nullptr, &vals));
    for (PetscInt p = 0; p < n; p++) zero = zero && vals[p] == PetscScalar(0);
    PETSC_OK(MatRestoreRow(Ac, i, &n, nullptr, &vals));
    no_zero_row = no_zero_row && !zero;
  }
  all_ranks(no_zero_row, e.name + ": no row of the coarse matrix is zero");

  /* P = T - omega/lambda D^-1 A T by PETSc's products; rows without an aggregate are empty */
  MatHandle AT;
  VecHandle left = diagonal_inverse(s.A);
  PETSC_OK(MatMatMult(s.A, T, MAT_INITIAL_MATRIX, PETSC_DEFAULT, AT.put()));
  PetscScalar *d;
  PETSC_OK(VecScale(left, -PetscReal(4) / 3 / lambda));
  PETSC_OK(VecGetArray(left, &d));
  for (PetscInt i = 0; i < s.m; i++)
    if (s.aggregates.of_node[i / e.bs] < 0) d[i] = 0;
  PETSC_OK(VecRestoreArray(left, &d));
  PETSC_OK(MatDiagonalScale(AT, left, nullptr));
  PETSC_OK(MatAXPY(AT, 1, T, DIFFERENT_NONZERO_PATTERN));
  PETSC_OK(MatNorm(P, NORM_INFINITY, &next));
  all_ranks(largest_difference(AT, P) <= 1000 * eps * (1 + next), e.name + ": P = (I - omega/lambda D^-1 A) T");

  /* Twice the values through the same pattern */
  PETSC_OK(MatDuplicate(s.A, MAT_COPY_VALUES, twice.put()));
  PETSC_OK(MatScale(twice, 2));
  PETSC_OK(MatDuplicate(Ac, MAT_COPY_VALUES, Act.put()));
  PETSC_OK(GalerkinProduct(twice, P, MAT_REUSE_MATRIX, Ac.get()));
  PETSC_OK(MatScale(Act, 2));
  all_ranks(largest_difference(Ac, Act) <= 100 * eps * scale, e.name + ": re-use gives what a fresh product would");
  PETSC_OK(GalerkinProduct(s.A, P, MAT_REUSE_MATRIX, Ac.get()));
  return Ac;
}

/* The largest eigenvalue of D^-1 A, each rank alone. */
PetscReal power_iteration(const Entry &e)
{
  const MatHandle A    = aij(e, PETSC_COMM_SELF);
  const VecHandle dinv = diagonal_inverse(A);
  VecHandle       x, y;
  PetscReal       norm_y = 0;

  PETSC_OK(VecDuplicate(dinv, x.put()));
  PETSC_OK(VecDuplicate(dinv, y.put()));
  PETSC_OK(VecSetRandom(x, nullptr));
  for (int k = 0; k < 2000; k++) {
    PETSC_OK(VecNormalize(x, nullptr));
    PETSC_OK(MatMult(A, x, y));
    PETSC_OK(VecPointwiseMult(x, y, dinv));
  }
  PETSC_OK(VecNorm(x, NORM_2, &norm_y));
  return norm_y;
}

std::vector<Entry> square_entries()
{
  std::vector<Entry> list;

  for (const Entry &e : gallery())
    if (e.has(square)) list.push_back(e);
  list.push_back(stencil7(13, 12, 11));
  list.push_back(stencil27(14, 13, 12));
  list.push_back(elasticity(6, 5, 4));
  Entry chain = {"chain", 53, 53, square, [](PetscInt i, Row &r) { /* a directed path: every edge is stored from one side */
                                                                   r.add(i, 2);
                                                                   if (i) r.add(i - 1, -1);
                 }};
  list.push_back(chain);
  return list;
}

void add_laws()
{
  auto *suite = suite_named(nullptr, "amg_setup_laws");

  for (const Entry &e : square_entries()) {
    const std::string name = e.name + "_" + std::to_string(e.rows);

    for (PetscReal threshold : {0., 0.08})
      add_test(suite, name + "/same_on_any_ranks_" + (threshold > 0 ? "weak_dropped" : "all"), [=] { same_on_any_ranks(e, threshold); });
    add_test(suite, name + "/same_on_any_ranks_aggressive", [=] { same_on_any_ranks(e, 0, true); });
    add_test(suite, name + "/tentative", [=] {
      const Ready s(e, 0);
      for (PetscInt k : {1, 2, 6}) tentative_laws(e, s, k, null_vectors(s, k));
    });
    add_test(suite, name + "/level", [=] {
      const Ready s(e, 0);
      for (PetscInt k : {1, 3}) level_laws(e, s, k, null_vectors(s, k), e.has(symmetric));
    });
  }
}

const AddTests added(add_laws);

} // namespace

BOOST_AUTO_TEST_SUITE(amg_setup)

BOOST_AUTO_TEST_CASE(dirichlet_rows_stay_out)
{
  /* Identity rows whose columns were not eliminated, as ex45 has them */
  const Entry five = stencil5(14, 13);
  const Entry e{"identity_rows", five.rows, five.rows, square, [five](PetscInt i, Row &r) {
                  if (i % 14 == 0) r.add(i, 4);
                  else five.row(i, r);
                }};
  const Ready s(e, 0);
  bool        right = true;

  for (PetscInt i = 0; i < s.m; i++) right = right && (s.aggregates.of_node[i] < 0) == ((s.start + i) % 14 == 0);
  all_ranks(right, "identity rows, and only they, are isolated");
}

/* Chains of three nodes: nothing is left to be joined, and nothing is lost */
BOOST_AUTO_TEST_CASE(components_stay_when_coarsened_aggressively)
{
  const Entry e{"chains", 60, 60, square, [](PetscInt i, Row &r) {
                  r.add(i, 2);
                  if (i % 3) r.add(i - 1, -1);
                  if (i % 3 < 2) r.add(i + 1, -1);
                }};
  const Ready s(e, 0, PETSC_COMM_WORLD, true);
  bool        right = true;

  for (PetscInt i = 0; i < s.m; i++) right = right && s.aggregates.of_node[i] == (s.start + i) / 3;
  all_ranks(right, "each chain is an aggregate");
}

BOOST_AUTO_TEST_CASE(mean_sizes)
{
  const Entry     entries[] = {stencil7(20, 20, 20), stencil27(20, 20, 20)};
  const PetscReal low[] = {7, 18}, high[] = {12, 32};

  for (int k = 0; k < 2; k++) {
    const Ready s(entries[k], 0, PETSC_COMM_SELF);
    BOOST_TEST(8000. / s.aggregates.n > low[k]);
    BOOST_TEST(8000. / s.aggregates.n < high[k]);
    const Ready aggressive(entries[k], 0, PETSC_COMM_SELF, true);
    BOOST_TEST(8. * aggressive.aggregates.n < s.aggregates.n);
  }
}

BOOST_AUTO_TEST_CASE(rigid_body_modes)
{
  for (const Entry &e : {elasticity(6, 5, 4), elasticity(1, 1, 1), elasticity(2, 0, 0), elasticity(9, 1, 0)}) {
    const Ready    s(e, 0);
    const auto     B       = rigid_modes(e, s);
    const PetscInt dropped = tentative_laws(e, s, 6, B);

    if (e.rows == elasticity(2, 0, 0).rows) BOOST_TEST(dropped == 0); // no element, no edge, no aggregate
    if (e.rows == elasticity(9, 1, 0).rows) BOOST_TEST(dropped >= 0);
    level_laws(e, s, 6, B, true);
  }
}

BOOST_AUTO_TEST_CASE(dependent_vectors_are_dropped)
{
  const Entry              e = stencil7(9, 8, 7);
  const Ready              s(e, 0);
  const PetscInt           k = 5;
  std::vector<PetscScalar> B((std::size_t)s.m * k);
  PetscInt                 aggregates = s.aggregates.n;

  for (PetscInt i = 0; i < s.m; i++) {
    const PetscReal x     = uniform(s.start + i, 1, 3);
    const PetscReal row[] = {1, 0, x, (PetscReal)(3 - 2 * x), uniform(s.start + i, 2, 3)}; // zero, and a combination
    std::copy(row, row + k, B.begin() + i * k);
  }
  PETSC_OK((PetscErrorCode)MPI_Allreduce(MPI_IN_PLACE, &aggregates, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  BOOST_TEST(tentative_laws(e, s, k, B) >= 2 * aggregates);
  level_laws(e, s, k, B, true);
}

BOOST_AUTO_TEST_CASE(neumann_keeps_its_null_space)
{
  const Entry              e = neumann5(23, 19);
  const Ready              s(e, 0);
  MatHandle                T, P, Ac;
  VecHandle                dinv = diagonal_inverse(s.A);
  const auto               B    = null_vectors(s, 1);
  std::vector<PetscScalar> Bcoarse;
  PetscReal                scale;

  PETSC_OK(TentativeProlongator(PETSC_COMM_WORLD, s.aggregates, 1, 1, B, T.put(), Bcoarse));
  PETSC_OK(SmoothProlongator(s.A, T, dinv, 0.7, P.put()));
  all_ranks(product_error(P, 1, Bcoarse, B, [](PetscInt) { return true; }) < 100 * eps, "P Bcoarse = B");
  PETSC_OK(GalerkinProduct(s.A, P, MAT_INITIAL_MATRIX, Ac.put()));
  PETSC_OK(MatNorm(Ac, NORM_INFINITY, &scale));
  all_ranks(product_error(Ac, 1, Bcoarse, {}, [](PetscInt) { return true; }) < 1e4 * eps * scale, "Ac Bcoarse = 0");
}

BOOST_AUTO_TEST_CASE(lambda_max)
{
  for (const Entry &e : {stencil5(20, 17), stencil5(30, 30, 100), stencil7(9, 8, 7), stencil27(8, 8, 8), elasticity(6, 5, 4), gallery_entry("three_rows"), gallery_entry("1x1"), gallery_entry("scales"), gallery_entry("diagonal"), gallery_entry("idle_ranks"), neumann5(15, 15)}) {
    const MatHandle A     = aij(e);
    const VecHandle dinv  = diagonal_inverse(A);
    const PetscReal truth = power_iteration(e);
    PetscReal       lambda, negative;

    PETSC_OK(EstimateLambdaMax(A, dinv, 10, &lambda));
    BOOST_TEST(lambda >= 0.8 * truth, e.name << " " << lambda << " " << truth);
    BOOST_TEST(lambda <= 1.1 * truth, e.name << " " << lambda << " " << truth);
    PETSC_OK(MatScale(A, -1));
    PETSC_OK(DiagonalInverse(A, dinv));
    PETSC_OK(EstimateLambdaMax(A, dinv, 10, &negative));
    BOOST_TEST(std::abs(negative - lambda) <= 1e-6 * lambda, e.name << ": the sign of A does not matter");
  }
  for (const Entry &e : gallery()) { // whatever it is: a usable number
    if (!e.has(square)) continue;
    const MatHandle A = aij(e);
    PetscReal       lambda;

    PETSC_OK(EstimateLambdaMax(A, diagonal_inverse(A), 10, &lambda));
    BOOST_TEST((std::isfinite(lambda) && lambda > 0), e.name);
  }
}

BOOST_AUTO_TEST_CASE(lambda_max_of_a_nonsymmetric_matrix)
{
  /* Upwinded convection and diffusion: eigenvalues of D^-1 A by Gershgorin within 2; power iteration may circle, so only bounds */
  const Entry     e{"upwind", 400, 400, square, [](PetscInt i, Row &r) {
                  r.add(i, 7);
                  if (i % 20) r.add(i - 1, -4);
                  if (i % 20 < 19) r.add(i + 1, -1);
                  if (i >= 20) r.add(i - 20, -1);
                  if (i < 380) r.add(i + 20, -1);
                }};
  const MatHandle A = aij(e);
  PetscReal       lambda;

  PETSC_OK(EstimateLambdaMax(A, diagonal_inverse(A), 20, &lambda));
  BOOST_TEST(lambda > 1.5);
  BOOST_TEST(lambda < 2.2);
}

BOOST_AUTO_TEST_CASE(not_finite)
{
  for (PetscReal bad : {std::numeric_limits<PetscReal>::quiet_NaN(), std::numeric_limits<PetscReal>::infinity()}) {
    for (PetscInt where : {0, 3}) {
      const Entry five = stencil5(20, 17);
      const Entry e{"bad", five.rows, five.rows, square, [=](PetscInt i, Row &r) {
                      five.row(i, r);
                      if (i == 339) r.val[where % r.val.size()] = bad;
                    }};
      const Ready s(e, 0); // aggregates of nothing
      all_ranks(!s.G.finite && s.aggregates.n == 0, "every rank is told");
    }
  }
}

BOOST_AUTO_TEST_CASE(block_size_that_does_not_divide)
{
  const MatHandle A = aij(stencil5(20, 17));
  Graph           G;

  BOOST_TEST(attempt([&] { return StrengthGraph(A, 7, 0, G); }).says("Block size 7"));
}

BOOST_AUTO_TEST_CASE(weak_entries)
{
  for (PetscInt bs : {1, 2}) {
    Entry e = stencil5(16, 18, 100);
    e.bs    = bs;
    const Ready s(e, 0.2);
    MatHandle   F;
    VecHandle   one, y, z;
    PetscReal   largest, difference;
    MatInfo     all, kept;

    PETSC_OK(FilterWeak(s.A, s.G, F.put()));
    PETSC_OK(MatGetInfo(s.A, MAT_GLOBAL_SUM, &all));
    PETSC_OK(MatGetInfo(F, MAT_GLOBAL_SUM, &kept));
    BOOST_TEST(kept.nz_used < all.nz_used);
    PETSC_OK(MatCreateVecs(s.A, one.put(), y.put()));
    PETSC_OK(VecDuplicate(y, z.put()));
    PETSC_OK(VecSet(one, 1));
    PETSC_OK(MatMult(s.A, one, y));
    PETSC_OK(MatMult(F, one, z));
    PETSC_OK(VecNorm(y, NORM_INFINITY, &largest));
    PETSC_OK(VecAXPY(z, -1, y));
    PETSC_OK(VecNorm(z, NORM_INFINITY, &difference));
    BOOST_TEST(difference <= 1e4 * eps * (1 + largest));
    if (bs == 1) { // strong couplings are those across rows of 16
      bool right = true;
      for (PetscInt i = 0; i < s.G.n; i++)
        for (PetscInt p = s.G.ptr[i]; p < s.G.ptr[i + 1]; p++) {
          const PetscInt j = s.G.col[p] < s.G.n ? s.G.start + s.G.col[p] : s.G.ghost[s.G.col[p] - s.G.n];
          right            = right && std::abs(j - s.G.start - i) == 16;
        }
      all_ranks(right, "only the strong direction is in the graph");
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
