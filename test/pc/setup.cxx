/* Laws of the set-up steps of smoothed aggregation, on the host and, where there is one, on the device. Integers are compared with those that every rank finds
   alone, values with PETSc's own products. */
#include "pc/saamg/setup/balanced.hpp"
#include "pc/saamg/setup/eigen.hpp"
#include "pc/saamg/setup/galerkin.hpp"
#include "pc/saamg/setup/prolong.hpp"
#include "pc/saamg/setup/grid_of_rows.hpp"
#include "pc/saamg/setup/own_rows.hpp"
#include "../support/gallery.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

using namespace goza;
using namespace goza_test;

namespace {

constexpr PetscReal eps = PETSC_MACHINE_EPSILON;

MatHandle aij(const Entry &e, MPI_Comm comm = PETSC_COMM_WORLD) { return assemble(e, MATAIJ, Prealloc::exact, comm); }

Space space() // of the tests: that of the matrices
{
  return device::available() ? Space::Cuda : Space::Host;
}

using Aggregation = CsrAggregates(const CsrGraph &G, PetscInt least);

/* A matrix's rows, strength graph and aggregates. */
struct Ready {
  MatHandle             A;
  OwnRows               rows;
  CsrGraph              G;
  CsrAggregates         aggregates;
  std::vector<PetscInt> of_node; // [owned nodes] global numbers of aggregates
  PetscInt              m = 0, start = 0;

  Ready(const Entry &e, PetscReal threshold, MPI_Comm comm = PETSC_COMM_WORLD, Space where = space(), PetscInt least = 0, Aggregation *make = aggregate) :
    A(aij(e, comm))
  {
    PETSC_OK(rows.open(A, where));
    G          = strength_graph(rows.A, rows.columns, e.bs, threshold, nullptr, lattice_of(rows.A, *rows.columns, e.bs));
    aggregates = make(G, least);
    m          = rows.A.nrows;
    start      = rows.columns->start();
    of_node    = aggregates.of_node.to_host();
    of_node.resize(G.n);
    for (PetscInt &a : of_node)
      if (a >= 0) a = a < aggregates.n ? aggregates.map->start() + a : aggregates.map->ghosts()[a - aggregates.n];
  }

  PetscInt ntotal() const { return aggregates.map->nglobal(); }

  /* the global numbers of every node's neighbours, ascending */
  std::vector<std::vector<PetscInt>> neighbours() const
  {
    std::vector<std::vector<PetscInt>> list(G.n);
    const Space                        where = G.space();
    const auto                         ptr = Array<PetscInt>(where, G.edges.ptr, G.n + 1).to_host(), degree = G.degree.to_host();
    const auto                         col = Array<PetscInt>(where, G.edges.col, ptr[G.n]).to_host();

    for (PetscInt i = 0; i < G.n; i++) {
      for (PetscInt p = ptr[i]; p < ptr[i + 1]; p++)
        if (col[p] != i && degree[i] && degree[col[p]]) list[i].push_back(col[p] < G.n ? G.nodes->start() + col[p] : G.nodes->ghosts()[col[p] - G.n]);
      std::sort(list[i].begin(), list[i].end());
    }
    return list;
  }
};

/* The aggregates of all ranks' nodes. */
std::vector<PetscInt> everywhere(const Ready &s)
{
  std::vector<PetscInt>    of_node(s.G.nodes->nglobal());
  std::vector<PetscMPIInt> counts(s.G.nodes->size()), begins(s.G.nodes->size());
  const PetscMPIInt        n = static_cast<PetscMPIInt>(s.of_node.size()), begin = static_cast<PetscMPIInt>(s.G.nodes->start());

  MPI_Allgather(&n, 1, MPI_INT, counts.data(), 1, MPI_INT, s.G.nodes->comm());
  MPI_Allgather(&begin, 1, MPI_INT, begins.data(), 1, MPI_INT, s.G.nodes->comm());
  MPI_Allgatherv(s.of_node.data(), n, MPIU_INT, of_node.data(), counts.data(), begins.data(), MPIU_INT, s.G.nodes->comm());
  return of_node;
}

CsrFacts facts_of(const Ready &s) { return row_facts(s.rows.A, *s.rows.columns); }

PetscReal estimate(Mat A, LanczosSteps its)
{
  OwnRows rows;

  PETSC_OK(rows.open(A, space()));
  return lambda_max(rows.A, *rows.columns, row_facts(rows.A, *rows.columns), its, {nullptr, rows.columns->start()});
}

/* The tentative P, what is left of the near-null vectors, and what P is smoothed from. */
struct Tentative {
  Coarsening               from;
  std::vector<PetscScalar> Bcoarse;
  MatHandle                T;

  Tentative(const Entry &e, const Ready &s, PetscInt k, const std::vector<PetscScalar> &B)
  {
    const Space              where = s.rows.A.space;
    const auto              &map   = *s.aggregates.map;
    CsrTentative             t     = tentative(s.aggregates, *s.rows.columns, e.bs, k, Array<PetscScalar>(where, B.data(), B.size()));
    CsrMatrix                M(where, s.m, map.nlocal() * k);
    std::vector<PetscInt>    ptr(1, 0), col, ghosts;
    const auto               Q = t.Q.to_host();
    std::vector<PetscScalar> val;

    from.bs              = e.bs;
    from.k               = k;
    from.aggregate       = aggregate_of_columns(s.G, s.aggregates, *s.rows.columns, e.bs);
    from.aggregates      = s.aggregates.map;
    Bcoarse              = t.Bcoarse.to_host();
    const auto aggregate = from.aggregate.to_host();
    for (PetscInt i = 0; i < s.m; i++) {
      for (PetscInt j = 0; j < k && aggregate[i] >= 0; j++) {
        col.push_back(aggregate[i] * k + j);
        val.push_back(Q[i * k + j]);
      }
      ptr.push_back(static_cast<PetscInt>(col.size()));
    }
    for (PetscInt g : map.ghosts())
      for (PetscInt j = 0; j < k; j++) ghosts.push_back(g * k + j);
    M.ptr  = Array<PetscInt>(where, ptr.data(), ptr.size());
    M.col  = Array<PetscInt>(where, col.data(), col.size());
    M.val  = Array<PetscScalar>(where, val.data(), val.size());
    from.Q = std::move(t.Q);
    PETSC_OK(CopyToMat(M.view(), LocalColumns(LocalColumns(map.comm(), map.n() * k, where), ghosts), T.put()));
  }
};

/* P, P^T and Ac of a matrix. */
struct Coarse {
  Interpolation      I;
  GalerkinProduct    product;
  Array<PetscScalar> dinv;
  Array<PetscReal>   magnitude;
  CsrMatrix          own;
  MapPtr             columns;
  MatHandle          P, R, Ac;

  Coarse(const Ready &s, const Tentative &t, PetscReal omega)
  {
    dinv = facts_of(s).dinv;
    I.P  = smoothed_prolongator(s.rows.A, t.from, dinv, omega, I.coarse, {pattern_of_blocks(s.rows.A, t.from.bs, t.from.bs)}); // rows without: once_more_law()
    I.fine = s.rows.columns;
    I.bs   = t.from.bs;
    I.k    = t.from.k;
    I.transpose();
    if (I.bs * I.k == 1)
      BOOST_TEST(least_product_work(s.rows.A, *s.rows.columns, t.from.aggregate, *t.from.aggregates) <= product_work(s.rows.A, *s.rows.columns, I));
    magnitude = magnitudes(s.rows.A, dinv);
    own       = product.make(s.rows.A, s.rows.columns, I, columns, magnitude);
    PETSC_OK(CopyToMat(I.P.view(), *I.coarse, P.put()));
    PETSC_OK(CopyToMat(I.R.view(), *I.fine, R.put()));
    copy();
  }
  void update(const Csr &A)
  {
    product.release_values();
    magnitude = magnitudes(A, dinv);
    product.update(A, I, own, magnitude);
    copy();
  }

private:
  void copy() { PETSC_OK(CopyToMat(own.view(), *columns, Ac.put())); }
};

VecHandle diagonal_inverse(Mat A)
{
  VecHandle    dinv;
  PetscScalar *d;
  PetscInt     n;

  PETSC_OK(MatCreateVecs(A, dinv.put(), nullptr));
  PETSC_OK(MatGetDiagonal(A, dinv));
  PETSC_OK(VecGetLocalSize(dinv, &n));
  PETSC_OK(VecGetArray(dinv, &d));
  for (PetscInt i = 0; i < n; i++) {
    d[i] = d[i] != PetscScalar(0) ? PetscScalar(1) / d[i] : PetscScalar(0);
    if (!std::isfinite(PetscAbsScalar(d[i]))) d[i] = 0;
  }
  PETSC_OK(VecRestoreArray(dinv, &d));
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

/* The law that everything rests on: same graph and aggregates as alone on the host, wherever the aggregates go, and every connected node in one aggregate. */
void same_on_any_ranks(const Entry &e, PetscReal threshold, Aggregation *make = aggregate)
{
  const Ready    here(e, threshold, PETSC_COMM_WORLD, space(), 0, make), isolated(e, threshold, PETSC_COMM_SELF, Space::Host, 0, make);
  const Ready    gathered(e, threshold, PETSC_COMM_WORLD, space(), 1 << 20, make), fewer(e, threshold, PETSC_COMM_WORLD, space(), 7, make);
  const PetscInt begin = here.G.nodes->start();
  const auto     list = here.neighbours(), list_alone = isolated.neighbours();
  const auto    &b          = isolated.of_node;
  bool           same_graph = here.G.borrowed == isolated.G.borrowed, same_aggregates = here.ntotal() == isolated.ntotal(), placed = true;

  for (PetscInt i = 0; i < here.G.n; i++) {
    same_graph      = same_graph && list[i] == list_alone[begin + i];
    same_aggregates = same_aggregates && here.of_node[i] == b[begin + i] && gathered.of_node[i] == b[begin + i] && fewer.of_node[i] == b[begin + i];
    placed          = placed && (here.of_node[i] >= 0) == !list[i].empty() && here.of_node[i] < isolated.ntotal();
  }
  all_ranks(same_graph, "the strength graph is the same on any number of ranks");
  all_ranks(same_aggregates, "aggregates are the same on any number of ranks");
  all_ranks(placed, "nodes with an edge, and no others, are in an aggregate");
  all_ranks(gathered.aggregates.n == 0 || gathered.aggregates.n == gathered.ntotal(), "few aggregates are on one rank");
  all_ranks(fewer.aggregates.n == 0 || fewer.aggregates.n >= std::min<PetscInt>(7, fewer.ntotal()) || fewer.ntotal() >= 7 * fewer.G.nodes->size(),
            "a rank has enough aggregates, or none");

  std::vector<PetscInt> members(isolated.ntotal(), 0);
  bool                  symmetric = true, touching = true;
  for (PetscInt a : b)
    if (a >= 0) members[a]++;
  for (PetscInt i = 0; i < isolated.G.n; i++) {
    bool friends = b[i] < 0 || members[b[i]] == 1;
    for (PetscInt j : list_alone[i]) {
      symmetric = symmetric && j != i && std::binary_search(list_alone[j].begin(), list_alone[j].end(), i);
      friends   = friends || b[j] == b[i];
    }
    touching = touching && friends;
  }
  all_ranks(symmetric, "the strength graph is symmetric");
  all_ranks(touching, "a node is connected to another of its aggregate");
  all_ranks(std::count(members.begin(), members.end(), 0) == 0, "no aggregate is empty");
}

/* T^T T = I but for dropped columns, and T Bcoarse = B. Returns the number of dropped columns. */
PetscInt tentative_laws(const Entry &e, const Ready &s, PetscInt k, const std::vector<PetscScalar> &B)
{
  const Tentative t(e, s, k, B);
  MatHandle       TtT;
  PetscInt        dropped = 0, start, end;
  PetscReal       worst   = 0;

  PETSC_OK(MatTransposeMatMult(t.T, t.T, MAT_INITIAL_MATRIX, PETSC_DEFAULT, TtT.put()));
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
  const PetscReal error = product_error(t.T, k, t.Bcoarse, B, [&](PetscInt i) { return s.of_node[i / e.bs] >= 0; });
  all_ranks(error <= 1000 * k * eps * (1 + norm(B)), e.name + ": T Bcoarse = B");
  all_ranks(product_error(t.T, k, t.Bcoarse, {}, [&](PetscInt i) { return s.of_node[i / e.bs] < 0; }) == 0, e.name + ": isolated rows are empty");
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

/* The rows of Ac are those of PETSc's product; where that has a row of zeros, Ac's has a diagonal entry alone. */
bool is_product(Mat Ac, Mat PtAP, PetscReal tolerance)
{
  MatHandle D;
  bool      right = true;
  PetscInt  start, end;

  PETSC_OK(MatDuplicate(Ac, MAT_COPY_VALUES, D.put()));
  PETSC_OK(MatAXPY(D, -1, PtAP, DIFFERENT_NONZERO_PATTERN));
  PETSC_OK(MatGetOwnershipRange(D, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    PetscInt           n;
    const PetscInt    *cols;
    const PetscScalar *vals;
    bool               zero = true;

    PETSC_OK(MatGetRow(PtAP, i, &n, nullptr, &vals));
    for (PetscInt p = 0; p < n; p++) zero = zero && vals[p] == PetscScalar(0);
    PETSC_OK(MatRestoreRow(PtAP, i, &n, nullptr, &vals));
    PETSC_OK(MatGetRow(D, i, &n, &cols, &vals));
    for (PetscInt p = 0; p < n; p++) right = right && (PetscAbsScalar(vals[p]) <= tolerance || (zero && cols[p] == i));
    PETSC_OK(MatRestoreRow(D, i, &n, &cols, &vals));
  }
  return right;
}

/* Whether every row has its diagonal entry, as those of all levels below the finest have */
bool diagonal_stored(Mat A)
{
  PetscInt start, end;
  bool     all = true;

  PETSC_OK(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    PetscInt        n;
    const PetscInt *cols;

    PETSC_OK(MatGetRow(A, i, &n, &cols, nullptr));
    all = all && std::find(cols, cols + n, i) != cols + n;
    PETSC_OK(MatRestoreRow(A, i, &n, &cols, nullptr));
  }
  return !any_rank(!all);
}

/* P smoothed once more is (I - omega D^-1 A) P, by PETSc's products. */
void once_more_law(const Entry &e, const Ready &s, const CsrFacts &facts, const Tentative &t, PetscReal lambda, Mat P)
{
  constexpr PetscReal omega = 0.6;
  MapPtr              reached;
  CsrMatrix           more = smoothed_prolongator(s.rows.A, t.from, facts.dinv, PetscReal(4) / 3 / lambda, reached);
  MatHandle           found, wanted;
  const VecHandle     left = diagonal_inverse(s.A);
  PetscReal           size;

  if (!diagonal_stored(s.A)) return;
  smooth_once_more(s.rows.A, s.rows.columns, facts.dinv, omega / lambda, t.from.bs, t.from.k, more, reached);
  PETSC_OK(CopyToMat(more.view(), *reached, found.put()));
  PETSC_OK(MatMatMult(s.A, P, MAT_INITIAL_MATRIX, PETSC_DEFAULT, wanted.put()));
  PETSC_OK(VecScale(left, -omega / lambda));
  PETSC_OK(MatDiagonalScale(wanted, left, nullptr));
  PETSC_OK(MatAXPY(wanted, 1, P, DIFFERENT_NONZERO_PATTERN));
  PETSC_OK(MatNorm(wanted, NORM_INFINITY, &size));
  all_ranks(largest_difference(wanted, found) <= 1000 * eps * (1 + size), e.name + ": P smoothed once more");
}

/* One level from A: P, Ac, and what they must obey. */
void level_laws(const Entry &e, const Ready &s, PetscInt k, const std::vector<PetscScalar> &B, bool symmetric_values)
{
  const CsrFacts  facts  = facts_of(s);
  const PetscReal lambda = lambda_max(s.rows.A, *s.rows.columns, facts, 10, {nullptr, s.start});
  const Tentative t(e, s, k, B);
  Coarse          coarse(s, t, PetscReal(4) / 3 / lambda);
  MatHandle       twice, Act, PtAP;
  PetscReal       scale, next;
  PetscInt        start, end;
  bool            no_zero_row = true;

  all_ranks(lambda > 0 && std::isfinite(lambda), e.name + ": lambda is finite and positive");
  PETSC_OK(MatNorm(coarse.Ac, NORM_INFINITY, &scale));
  all_ranks(std::isfinite(scale), e.name + ": the coarse matrix is finite");
  if (symmetric_values) {
    PETSC_OK(MatTranspose(coarse.Ac, MAT_INITIAL_MATRIX, Act.put()));
    all_ranks(largest_difference(coarse.Ac, Act) <= 1e4 * eps * scale, e.name + ": the coarse matrix is symmetric");
  }
  PETSC_OK(MatGetOwnershipRange(coarse.Ac, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    PetscInt           n;
    const PetscScalar *vals;
    bool               zero = true;

    PETSC_OK(MatGetRow(coarse.Ac, i, &n, nullptr, &vals));
    for (PetscInt p = 0; p < n; p++) zero = zero && vals[p] == PetscScalar(0);
    PETSC_OK(MatRestoreRow(coarse.Ac, i, &n, nullptr, &vals));
    no_zero_row = no_zero_row && !zero;
  }
  all_ranks(no_zero_row, e.name + ": no row of the coarse matrix is zero");
  PETSC_OK(MatTransposeMatMult(coarse.P, coarse.P, MAT_INITIAL_MATRIX, PETSC_DEFAULT, twice.put())); // P^T P, to see that R is P^T
  PETSC_OK(MatMatMult(coarse.R, coarse.P, MAT_INITIAL_MATRIX, PETSC_DEFAULT, PtAP.put()));
  PETSC_OK(MatNorm(coarse.P, NORM_INFINITY, &next));
  all_ranks(largest_difference(PtAP, twice) <= 1e4 * eps * (1 + next * next), e.name + ": R = P^T");
  PETSC_OK(MatMatMult(s.A, coarse.P, MAT_INITIAL_MATRIX, PETSC_DEFAULT, twice.put()));
  PETSC_OK(MatTransposeMatMult(coarse.P, twice, MAT_INITIAL_MATRIX, PETSC_DEFAULT, PtAP.put()));
  all_ranks(is_product(coarse.Ac, PtAP, 1e4 * eps * scale), e.name + ": Ac = P^T A P");

  /* P = T - omega/lambda D^-1 A T by PETSc's products; rows without an aggregate are empty */
  MatHandle AT;
  VecHandle left = diagonal_inverse(s.A);
  PETSC_OK(MatMatMult(s.A, t.T, MAT_INITIAL_MATRIX, PETSC_DEFAULT, AT.put()));
  PetscScalar *d;
  PETSC_OK(VecScale(left, -PetscReal(4) / 3 / lambda));
  PETSC_OK(VecGetArray(left, &d));
  for (PetscInt i = 0; i < s.m; i++)
    if (s.of_node[i / e.bs] < 0) d[i] = 0;
  PETSC_OK(VecRestoreArray(left, &d));
  PETSC_OK(MatDiagonalScale(AT, left, nullptr));
  PETSC_OK(MatAXPY(AT, 1, t.T, DIFFERENT_NONZERO_PATTERN));
  all_ranks(largest_difference(AT, coarse.P) <= 1000 * eps * (1 + next), e.name + ": P = (I - omega/lambda D^-1 A) T");

  once_more_law(e, s, facts, t, lambda, coarse.P);

  /* Twice the values through the same pattern */
  OwnRows doubled;
  PETSC_OK(MatDuplicate(s.A, MAT_COPY_VALUES, twice.put()));
  PETSC_OK(MatScale(twice, 2));
  PETSC_OK(doubled.open(twice, space()));
  PETSC_OK(MatDuplicate(coarse.Ac, MAT_COPY_VALUES, Act.put()));
  coarse.update(doubled.A);
  PETSC_OK(MatScale(Act, 2));
  all_ranks(largest_difference(coarse.Ac, Act) <= 100 * eps * scale, e.name + ": re-use gives what a fresh product would");
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

/* Aggregates of aggregates: each is made of whole first ones, and those that touch another are not left alone. */
void made_of_aggregates(const Entry &e)
{
  const Ready           once(e, 0), twice(e, 0, PETSC_COMM_WORLD, space(), 0, aggregate_twice);
  const auto            list  = Ready(e, 0, PETSC_COMM_SELF, Space::Host).neighbours();
  const auto            first = everywhere(once), second = everywhere(twice);
  std::vector<PetscInt> of_first(once.ntotal(), -1), members(twice.ntotal(), 0);
  bool                  whole = true, merged = true;

  for (std::size_t i = 0; i < first.size(); i++) {
    whole = whole && (first[i] < 0) == (second[i] < 0);
    if (first[i] < 0 || !whole) continue;
    PetscInt &a = of_first[first[i]];
    if (a < 0) members[a = second[i]]++;
    whole = whole && a == second[i];
  }
  all_ranks(whole, "aggregates are aggregated whole");
  for (std::size_t i = 0; i < first.size(); i++)
    for (PetscInt j : list[i]) merged = merged && (first[i] == first[j] || members[second[i]] > 1);
  all_ranks(merged, "an aggregate that has a neighbour is joined with one");
  all_ranks(std::all_of(members.begin(), members.end(), [](PetscInt m) { return m > 0; }), "no aggregate is empty");
}

/* A tile's number in a direction of n nodes: three to a tile, and where one would be left over, two in the first and the last. */
PetscInt tile(PetscInt x, PetscInt n) { return n % 3 == 1 ? (x + 1) / 3 : x / 3; }

/* The aggregates of a grid numbered x fastest are its tiles, long in the given directions, in order. */
void aggregates_are_tiles(const Entry &e, std::array<PetscInt, 3> n, std::array<bool, 3> longer, PetscReal threshold)
{
  const Ready                 s(e, threshold);
  const Lattice              &coarse  = s.aggregates.lattice;
  const std::vector<PetscInt> of_node = everywhere(s);
  PetscInt                    tiles[3];

  for (int d = 0; d < 3; d++) tiles[d] = longer[d] ? tile(n[d] - 1, n[d]) + 1 : n[d];
  BOOST_TEST(s.ntotal() == tiles[0] * tiles[1] * tiles[2]);
  for (PetscInt i = 0; i < e.rows; i++) {
    const PetscInt x[3] = {i % n[0], i / n[0] % n[1], i / n[0] / n[1]};
    PetscInt       t[3];

    for (int d = 0; d < 3; d++) t[d] = longer[d] ? tile(x[d], n[d]) : x[d];
    BOOST_TEST(of_node[i] == (t[2] * tiles[1] + t[1]) * tiles[0] + t[0], "node " << x[0] << " " << x[1] << " " << x[2] << " is in aggregate " << of_node[i]);
  }
  for (int d = 0; d < 3; d++) {
    BOOST_TEST(coarse.points[d] == n[d]);
    BOOST_TEST(coarse.tiles[d] == tiles[d]);
    BOOST_TEST(coarse.spacing[d] == (longer[d] ? 3 : 1));
  }
}

/* 7 points: nine nodes to an aggregate, but for the grid's faces. */
void stars_are_packed()
{
  const Entry e = stencil7(27, 25, 26);
  const Ready s(e, 0);

  BOOST_TEST(s.ntotal() > e.rows / 9.5);
  BOOST_TEST(s.ntotal() < e.rows / 8.5);
}

/* 7 points, layers of K = 1 and 1000. An entry across a jump passes the threshold, 0.011 for 0.01, but beside K = 1000 it is as good as nothing: such nodes
   have roots of their own kind. */
void stiff_nodes_stay_together()
{
  constexpr PetscInt n = 24, layer = 8;
  const auto         K = [=](PetscInt i) { return i % n / layer % 2 ? PetscReal(1000) : PetscReal(1); };
  const Entry        e{"layers", n * n * n, n * n * n, square | symmetric, [=](PetscInt i, Row &r) {
                  const PetscInt x[] = {i % n, i / n % n, i / (n * n)}, step[] = {1, n, n * n};
                  PetscReal      diagonal = 0;

                  for (int d = 0; d < 3; d++) {
                    for (int side : {-1, 1}) {
                      const bool      inside = x[d] + side >= 0 && x[d] + side < n;
                      const PetscInt  j      = i + side * step[d];
                      const PetscReal k      = inside ? 2 * K(i) * K(j) / (K(i) + K(j)) : K(i);

                      diagonal += k;
                      if (inside) r.add(j, -k);
                    }
                  }
                  r.add(i, diagonal);
                }};
  const Ready        s(e, 0.01);
  const auto         root  = s.aggregates.name.to_host();
  const auto         edges = s.neighbours();
  PetscInt           apart = 0, across = 0;

  for (PetscInt i = 0; i < s.m; i++) {
    if (K(s.start + i) == 1) continue;
    apart += root[i] < 0 || K(root[i]) == 1;
    for (PetscInt j : edges[i]) across += K(j) == 1;
  }
  all_ranks(apart == 0, "stiff nodes have stiff roots");
  MPI_Allreduce(MPI_IN_PLACE, &across, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD);
  BOOST_TEST(across > 0);
}

/* A grid is seen where there is one, of nodes of any size, and nowhere else. */
void grids_are_found()
{
  const auto found = [](const Entry &e) {
    MatHandle A = aij(e);
    OwnRows   rows;

    PETSC_OK(rows.open(A, space()));
    const Lattice l = lattice_of(rows.A, *rows.columns, e.bs);
    return std::array<PetscInt, 3>{l.points[0], l.points[1], l.points[2]};
  };
  const std::array<PetscInt, 3> none{};

  BOOST_TEST((found(stencil5(11, 12)) == std::array<PetscInt, 3>{11, 12, 1}));
  BOOST_TEST((found(stencil7(9, 8, 7)) == std::array<PetscInt, 3>{9, 8, 7}));
  BOOST_TEST((found(stencil27(17, 18, 16)) == std::array<PetscInt, 3>{17, 18, 16}));
  BOOST_TEST((found(elasticity(6, 5, 4)) == std::array<PetscInt, 3>{6, 6, 5}));
  for (const Entry &e : square_entries()) {
    if (e.name == "random" || e.name == "power_law" || e.name == "zero_diagonal") BOOST_TEST((found(e) == none), e.name << " looks like a grid");
  }
}

void add_laws()
{
  auto *suite = suite_named(nullptr, "amg_setup_laws");

  for (const std::array<PetscInt, 3> &n : {std::array<PetscInt, 3>{9, 8, 7}, {10, 12, 11}, {5, 4, 16}})
    add_test(suite, "aggregates_are_tiles_" + std::to_string(n[2]), [=] { aggregates_are_tiles(stencil27(n[0], n[1], n[2]), n, {true, true, true}, 0); });
  for (PetscInt n : {15, 16, 17}) {
    add_test(suite, "aggregates_are_tiles_of_lines_" + std::to_string(n), [=] {
      aggregates_are_tiles(stencil5(n, 13, 1e-3), {n, 13, 1}, {true, false, false}, 0.05);
      aggregates_are_tiles(stencil5(13, n, 1e3), {13, n, 1}, {false, true, false}, 0.05);
    });
  }
  add_test(suite, "stars_are_packed", stars_are_packed);
  add_test(suite, "stiff_nodes_stay_together", stiff_nodes_stay_together);
  add_test(suite, "grids_are_found", grids_are_found);

  for (const Entry &e : square_entries()) {
    const std::string name = e.name + "_" + std::to_string(e.rows);

    for (PetscReal threshold : {0., 0.08})
      add_test(suite, name + "/same_on_any_ranks_" + (threshold > 0 ? "weak_dropped" : "all"), [=] { same_on_any_ranks(e, threshold); });
    add_test(suite, name + "/same_on_any_ranks_aggressive", [=] { same_on_any_ranks(e, 0, aggregate_twice); });
    add_test(suite, name + "/same_on_any_ranks_by_heaviest", [=] { same_on_any_ranks(e, 0, aggregate_by_heaviest); });
    add_test(suite, name + "/made_of_aggregates", [=] { made_of_aggregates(e); });
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

  for (PetscInt i = 0; i < s.m; i++) right = right && (s.of_node[i] < 0) == ((s.start + i) % 14 == 0);
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
  const Ready s(e, 0, PETSC_COMM_WORLD, space(), 0, aggregate_twice);
  bool        right = true;

  for (PetscInt i = 0; i < s.m; i++) right = right && s.of_node[i] == (s.start + i) / 3;
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
    const Ready aggressive(entries[k], 0, PETSC_COMM_SELF, space(), 0, aggregate_twice);
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

  for (PetscInt i = 0; i < s.m; i++) {
    const PetscReal x     = uniform(s.start + i, 1, 3);
    const PetscReal row[] = {1, 0, x, (PetscReal)(3 - 2 * x), uniform(s.start + i, 2, 3)}; // zero, and a combination
    std::copy(row, row + k, B.begin() + i * k);
  }
  BOOST_TEST(tentative_laws(e, s, k, B) >= 2 * s.ntotal());
  level_laws(e, s, k, B, true);
}

BOOST_AUTO_TEST_CASE(neumann_keeps_its_null_space)
{
  const Entry     e = neumann5(23, 19);
  const Ready     s(e, 0);
  const auto      B = null_vectors(s, 1);
  const Tentative t(e, s, 1, B);
  const Coarse    coarse(s, t, 0.7);
  PetscReal       scale;

  all_ranks(product_error(coarse.P, 1, t.Bcoarse, B, [](PetscInt) { return true; }) < 100 * eps, "P Bcoarse = B");
  PETSC_OK(MatNorm(coarse.Ac, NORM_INFINITY, &scale));
  all_ranks(product_error(coarse.Ac, 1, t.Bcoarse, {}, [](PetscInt) { return true; }) < 1e4 * eps * scale, "Ac Bcoarse = 0");
}

BOOST_AUTO_TEST_CASE(largest_eigenvalue)
{
  for (const Entry &e : {stencil5(20, 17), stencil5(30, 30, 100), stencil7(9, 8, 7), stencil27(8, 8, 8), elasticity(6, 5, 4), gallery_entry("three_rows"),
                         gallery_entry("1x1"), gallery_entry("scales"), gallery_entry("diagonal"), gallery_entry("idle_ranks"), neumann5(15, 15)}) {
    const MatHandle A      = aij(e);
    const PetscReal truth  = power_iteration(e);
    const PetscReal lambda = estimate(A, 10);

    for (PetscInt its : {6, 10}) { // not below by more than the factor that smoothers put on it
      const PetscReal in_so_many = estimate(A, its);

      BOOST_TEST(1.1 * in_so_many >= truth, e.name << " " << in_so_many << " " << truth);
      BOOST_TEST(in_so_many <= 1.06 * truth, e.name << " " << in_so_many << " " << truth);
    }
    PETSC_OK(MatScale(A, -1));
    BOOST_TEST(std::abs(estimate(A, 10) - lambda) <= 1e-6 * lambda, e.name << ": the sign of A does not matter");
  }
  for (const Entry &e : gallery()) { // whatever it is: a usable number
    if (!e.has(square)) continue;
    const PetscReal lambda = estimate(aij(e), 10);

    BOOST_TEST((std::isfinite(lambda) && lambda > 0), e.name);
  }
}

/* With as many steps as a set-up takes by itself, and with the factor that smoothers put on it, no largest eigenvalue is missed, whatever the matrix. */
BOOST_AUTO_TEST_CASE(largest_eigenvalue_by_itself)
{
  std::vector<Entry> list = square_entries();
  int                seen = 0;

  for (PetscReal anisotropy : {1e-4, 1e-2, 1., 1e3}) list.push_back(stencil5(23, 29, anisotropy));
  for (const Entry &e : list) {
    if (!e.has(square | symmetric | spd | full_diagonal) || e.rows > 5000) continue;
    const MatHandle A     = aij(e);
    const PetscReal truth = power_iteration(e), found = estimate(A, {6, 12});

    BOOST_TEST(1.1 * found >= truth, e.name << ": " << found << " of " << truth);
    seen++;
  }
  BOOST_TEST(seen > 8);
}

/* Three nodes of many that are held together have the largest one for themselves. */
BOOST_AUTO_TEST_CASE(largest_eigenvalue_of_few_rows)
{
  const PetscInt n = 32, tied[] = {n * n * n / 3, n * n * n / 3 + 1, n * n * n / 3 + n};
  const auto     is_tied = [&](PetscInt i) { return std::find(std::begin(tied), std::end(tied), i) != std::end(tied); };
  Entry          e       = stencil27(n, n, n);

  e.row = [&, row = e.row](PetscInt i, Row &r) {
    row(i, r);
    for (std::size_t p = 0; p < r.col.size() && is_tied(i); p++) r.val[p] += is_tied(r.col[p]) ? 39 : 0;
  };
  const MatHandle A     = aij(e);
  const PetscReal truth = estimate(A, 60), found = estimate(A, {6, 12});

  BOOST_TEST(truth > 2.1);
  BOOST_TEST(PetscAbsReal(found - truth) <= 0.02 * truth, found << " of " << truth);
}

/* A row that outweighs its diagonal has a larger one, in the scale where all diagonals are 1. */
BOOST_AUTO_TEST_CASE(balanced_diagonal)
{
  for (const Entry &e : {stencil5(20, 17), elasticity(6, 5, 4), gallery_entry("three_rows"), gallery_entry("scales"), gallery_entry("idle_ranks")}) {
    const MatHandle    A = aij(e), whole = aij(e, PETSC_COMM_SELF);
    const VecHandle    inverse = diagonal_inverse(whole);
    OwnRows            rows;
    bool               right = true, less = false;
    const PetscScalar *d, *val;
    const PetscInt    *col;
    PetscInt           n;

    PETSC_OK(rows.open(A, space()));
    const CsrFacts facts    = row_facts(rows.A, *rows.columns);
    const auto     balanced = balanced_inverse(rows.A, *rows.columns, facts).to_host();

    PETSC_OK(VecGetArrayRead(inverse, &d));
    for (PetscInt i = rows.columns->start(), k = 0; k < rows.A.nrows; i++, k++) {
      PetscReal sum = 0;

      PETSC_OK(MatGetRow(whole, i, &n, &col, &val));
      for (PetscInt p = 0; p < n; p++) sum += PetscAbsScalar(val[p]) * PetscSqrtReal(PetscAbsScalar(d[i]) * PetscAbsScalar(d[col[p]]));
      PETSC_OK(MatRestoreRow(whole, i, &n, &col, &val));
      const PetscScalar want = d[i] / PetscMax(1, sum / most_balanced);

      right = right && PetscAbsScalar(balanced[k] - want) <= 100 * eps * PetscAbsScalar(want);
      less  = less || sum > most_balanced;
    }
    PETSC_OK(VecRestoreArrayRead(inverse, &d));
    all_ranks(right, e.name + ": rows over a share of their l1 norms");
    if (e.name == elasticity(6, 5, 4).name) BOOST_TEST(any_rank(less));
  }
}

BOOST_AUTO_TEST_CASE(lambda_max_of_a_nonsymmetric_matrix)
{
  /* Upwinded convection and diffusion: eigenvalues of D^-1 A by Gershgorin within 2; power iteration may circle, so only bounds */
  const MatHandle A      = aij(upwind5(20));
  const PetscReal lambda = estimate(A, 20);

  BOOST_TEST(lambda > 1.5);
  BOOST_TEST(lambda < 2.2);
}

/* Steps of which each leaves a fifth of its product: rounding that they multiply is no eigenvalue. */
BOOST_AUTO_TEST_CASE(lambda_max_of_many_steps)
{
  Entry e = stencil27(5, 5, 5);
  e.row   = [row = e.row](PetscInt i, Row &r) {
    row(i, r);
    for (std::size_t p = 0; p < r.col.size(); p++) r.val[p] *= r.col[p] < i ? 1.1 : 1;
  };
  const MatHandle A    = aij(e);
  const PetscReal some = estimate(A, 10);

  for (PetscInt its : {20, 30, 60, 100})
    BOOST_TEST(PetscAbsReal(estimate(A, its) - some) <= 0.02 * some, its << " steps: " << estimate(A, its) << ", 10: " << some);
}

BOOST_AUTO_TEST_CASE(not_finite)
{
  for (PetscReal bad : {std::numeric_limits<PetscReal>::quiet_NaN(), std::numeric_limits<PetscReal>::infinity()}) {
    for (PetscInt where : {0, 3}) {
      const Entry     five = stencil5(20, 17);
      const Entry     e{"bad", five.rows, five.rows, square, [=](PetscInt i, Row &r) {
                      five.row(i, r);
                      if (i == 339) r.val[where % r.val.size()] = bad;
                    }};
      const MatHandle A = aij(e);
      OwnRows         rows;
      PETSC_OK(rows.open(A, space()));
      all_ranks(!row_facts(rows.A, *rows.columns).finite, "every rank is told");
    }
  }
}

/* Where P has no entry for an aggregate, as if its near-null vectors were zero there. */
BOOST_AUTO_TEST_CASE(zero_rows_of_the_coarse_matrix)
{
  const Entry              e = stencil7(9, 8, 7);
  const Ready              s(e, 0);
  std::vector<PetscScalar> B = null_vectors(s, 1);

  for (PetscInt i = 0; i < s.m; i++)
    if (s.of_node[i] % 3 == 1) B[i] = 0;
  level_laws(e, s, 1, B, true);
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

    const CsrMatrix filtered = filter_weak(s.rows.A, *s.rows.columns, bs, s.G);
    PETSC_OK(CopyToMat(filtered.view(), *s.rows.columns, F.put()));
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
      bool       right = true;
      const auto list  = s.neighbours();
      for (PetscInt i = 0; i < s.G.n; i++)
        for (PetscInt j : list[i]) right = right && std::abs(j - s.start - i) == 16;
      all_ranks(right, "only the strong direction is in the graph");
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
