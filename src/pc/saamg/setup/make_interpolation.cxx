/* P for the values that a level has. */
#include "make_interpolation.hpp"
#include "core/util/vector_ops.hpp"
#include "costly_rows.hpp"
#include "eigen.hpp"
#include "parallel/par_csr.hpp"
#include "parallel/summed_rows.hpp"
#include "star_prolong.hpp"
#include "symmetry.hpp"
#include "within.hpp"

namespace goza::saamg {

static bool of_two_steps(const Coarsening &from) { return from.boxes && from.boxes->stars; }

/* P = (I - omega_d D^-1 A) ... (I - omega_1 D^-1 A) T, D^-1 being relaxing(): of all polynomials p of degree d with p(0) = 1 that whose largest sqrt(t) |p(t)|
   on [0, lambda_max] is least, which bounds the energy of P's columns (Brezina, Vanek, Vassilevski 2012). Of degree 1: omega = 4/3 / lambda_max.

   Where the nodes are of two colours, as those of a 5- or 7-point operator, the spectrum of D^-1 A is its own mirror image about 1, lambda_max is 2, and for
   every smooth vector there is one of alternating signs. With a larger omega the coarse space sees more of these, and Jacobi with relaxation 1, which leaves
   them as they are, takes a quarter fewer iterations with 1.5 to 1.55 (log-normal coefficients), more again with 1.6. Smoothers that damp them gain nothing or
   lose an iteration. The estimate of lambda_max lies below it.

   Where nodes have several unknowns few errors are of the largest eigenvalues, which are those of changes of volume: with 1.6 CG takes a tenth fewer iterations
   for hexahedra and thin solids, and more on slivers, whose lambda_max is above 2.7. Of a matrix that is not symmetric lambda_max is that of all of it, and
   more than that of the part that smooths: GMRES takes a sixth fewer with 1.6, and half as many more with 2 on larger grids.

   Where restriction is smoothed, too, of a flow that dominates lambda_max is as small as 1, and (I - omega D^-1 A) with more than 2/3 moves aggregates
   downstream as a whole: coarse rows then outweigh their diagonals on a rotating flow in space. */
static PetscReal omega(PetscReal lambda, PetscInt step, const Coarsening &from, const HierarchyOptions &options)
{
  const PetscInt  degree = of_two_steps(from) ? 2 : PetscMax(from.degree, 1);
  const bool      one    = degree == 1;
  const PetscReal root   = PetscSqr(PetscCosReal((2 * step - 1) * PETSC_PI / (4 * degree + 2)));
  PetscReal       more   = 0;

  if (from.adjoint) {
    lambda = PetscMax(lambda, 2);
    more   = one ? 0.1 : 0;
  } else if (one && from.smoothed_with == SmoothedWith::DiffusivePart) more = 0.2;
  else if (one && from.bs > 1) more = PetscMax(0, PetscMin(0.2, 2.7 - lambda));
  else if (one && options.alternating) more = 0.1625 * PetscMax(0, PetscMin(1, 2 - PetscAbsReal(lambda - 1.95) / 0.05));
  return (1 + more) / (root * lambda);
}

/* Of the second smoothing, within the pattern. Of the league's tuned families 1.33, 1.5, 1.7 and 1.9 over lambda take 0.96, 0.95, 0.95, 0.95 of the iterations
   without it; slivers more from 1.7 on. Within the 8 places of boxes hardly anything of a star's second step is left out, and both are those of degree 2. With
   1.33 and 1.5 over lambda ex45 takes 6, 7 iterations (25^3, 49^3), with these 6, 6. */
static PetscReal omega_within(PetscReal lambda, const Coarsening &from, const HierarchyOptions &options)
{
  return of_two_steps(from) ? omega(lambda, 2, from, options) : 1.5 / lambda;
}

/* Of A, whose columns are those of `rows`. */
static CsrMatrix polynomial(const StoredRows &A, const MapPtr &rows, const Coarsening &from, const Array<PetscScalar> &dinv, PetscReal lambda,
                            const HierarchyOptions &options, MapPtr &columns, const KnownBlocks &known = {})
{
  CsrMatrix P = smoothed_prolongator(A, from, dinv, omega(lambda, 1, from, options), columns, from.degree > 1 ? KnownBlocks{known.nodes} : known);

  for (PetscInt step = 2; step <= from.degree; step++) smooth_once_more(A.A, rows, dinv, omega(lambda, step, from, options), from.bs, from.k, P, columns);
  return P;
}

/* Restriction is smoothed from its other side with the same: W = (I - omega_d D^-1 A^T) ... (I - omega_1 D^-1 A^T) T, or with conjugates. */
static CsrMatrix test_functions(const Csr &A, const MapPtr &rows, const Coarsening &from, const Array<PetscScalar> &dinv, PetscReal lambda,
                                const HierarchyOptions &options, MapPtr &columns)
{
  const Space        space = A.space;
  Coarsening         mirrored;
  MapPtr             tcolumns;
  CsrMatrix          At = transpose(A, *rows, rows, tcolumns);
  Array<PetscScalar> d(space, dinv.data(), dinv.size());
  Array<PetscInt>    own = globalize(*from.aggregates, from.aggregate.data(), A.nrows), of_column(space, tcolumns->nlocal());

  if (options.conjugated) {
    conjugate(space, At.val.size(), At.val.data());
    conjugate(space, d.size(), d.data());
  }
  mirrored.bs      = from.bs;
  mirrored.k       = from.k;
  mirrored.degree  = from.degree;
  mirrored.adjoint = true;
  mirrored.Q       = Array<PetscScalar>(space, static_cast<std::size_t>(tcolumns->nlocal()) * from.k);
  if (A.nrows) {
    of_column.copy_from(own.data(), A.nrows);
    mirrored.Q.copy_from(from.Q.data(), static_cast<std::size_t>(A.nrows) * from.k);
  }
  tcolumns->update(of_column);
  tcolumns->update(mirrored.Q.data(), from.k);
  CsrAggregates there = numbered_locally(*from.aggregates, std::move(of_column), {}, {});

  mirrored.aggregates = there.map;
  mirrored.aggregate  = std::move(there.of_node);
  return polynomial(At.view(), tcolumns, mirrored, d, lambda, options, columns);
}

/* Whether P is smoothed within its pattern, too; entries: of all ranks, of what it has been smoothed with. */
static bool smooths_within(const Grid &grid, const Coarsening &from, double entries)
{
  const double few = entries / PetscMax(grid.rows(), 1);

  grid.transfer->few = few <= from.within ? few : 0;
  return grid.transfer->few > 0;
}

static double entries_of_all(const Csr &A, const ColumnMap &columns)
{
  std::int64_t n = entries(A);

  columns.sum(&n, 1);
  return static_cast<double>(n);
}

/* A host has the rows of both, and is quicker by these; several ranks have P's rows alone. */
static void smooth_boxes_within(const Grid &grid, const Coarsening &from, const HierarchyOptions &options, const Array<PetscScalar> &coarse_B,
                                const MapPtr &columns, CsrMatrix &P)
{
  const CsrLevel &level = *grid.level;
  const PetscReal step  = omega_within(grid.lambda, from, options);

  if (!from.boxes->ranks && (P.space() == Space::Cuda || level.rows().no_rows())) smooth_within(*from.boxes, level.rows(), level.relaxing(), step, coarse_B, P);
  else smooth_within(level.A, level.columns, level.relaxing(), step, coarse_B, columns, P);
}

void shorten(const Coarsening &from, const CsrLevel &level, MapPtr &columns, CsrMatrix &P)
{
  P = with_largest({from.coarse_B, from.name, level.ids(1)}, nullptr, *columns, P);
  if (columns->size() > 1) columns = drop_unused_ghosts(*columns, columns->ghosts(), P);
}

/* Where the entries left out are of both signs they carry energy, as on slivers; the pattern keeps P along the others, and the second smoothing takes them in.

   A polynomial of degree 2 takes in weak entries, too: where coefficients jump, degree 2 of the filtered operators takes more iterations than degree 1, that of
   the whole ones about half as many. */
static CsrMatrix smoothed(const Grid &grid, const Coarsening &from, const HierarchyOptions &options, MapPtr &columns, CsrMatrix *tests,
                          MapPtr *columns_of_tests)
{
  const CsrLevel           &level  = *grid.level;
  Csr                       A      = level.A;
  PetscReal                 lambda = grid.lambda;
  CsrMatrix                 filtered, diffusive;
  CsrFacts                  facts;
  const Array<PetscScalar> *dinv = &level.relaxing();

  if (from.filters) {
    bool symmetric = grid.symmetric;

    filtered = filter_weak(A, *level.columns, from.bs, from.graph);
    A        = filtered.view();
    facts    = row_facts(A, *level.columns);
    dinv     = &facts.dinv;
    lambda   = lambda_max(A, *level.columns, facts, options.lanczos_steps(facts), level.ids(grid.bs), nullptr, &symmetric);
  }
  if (from.smoothed_with == SmoothedWith::DiffusivePart) { /* the smaller beside the diagonal and the lambda of all of A, the less it smooths */
    diffusive = diffusive_part(A, level.columns, from.bs, options.conjugated, from.aggregate);
    A         = diffusive.view();
  }
  if (from.adjoint && tests) *tests = test_functions(A, level.columns, from, *dinv, lambda, options, *columns_of_tests);
  const bool whole = !filtered.ptr.size() && !diffusive.ptr.size();
  CsrMatrix  P     = polynomial(whole ? level.rows() : A, level.columns, from, *dinv, lambda, options, columns,
                           {whole ? level.blocks : nullptr, &grid.transfer->blocks});
  if (from.shortens) shorten(from, level, columns, P);
  if (!smooths_within(grid, from, from.filters ? entries_of_all(A, *level.columns) : level.nnz)) return P;
  const PetscReal step = omega_within(grid.lambda, from, options);

  if (options.strong_share > 0) smooth_within(level.A, level.columns, level.relaxing(), step, from.coarse_B, columns, P);
  else smooth_within(A, level.columns, *dinv, omega_within(lambda, from, options), from.coarse_B, columns, P);
  if (options.strong_share > 0 || from.alone)
    relax_costly_rows(level.A, level.columns, level.relaxing(), step, {from.coarse_B, from.name, level.ids(1)}, columns, P);
  return P;
}

/* P of the aggregates as they are. */
static CsrMatrix unsmoothed(const CsrLevel &level, const Coarsening &from, MapPtr &columns)
{
  CsrMatrix nothing(level.A.space, level.A.nrows, level.A.ncols);

  nothing.ptr = Array<PetscInt>(level.A.space, level.A.nrows + 1);
  nothing.ptr.zero();
  return smoothed_prolongator(nothing.view(), from, level.dinv, 0, columns);
}

bool plain(const Coarsening &from) { return !from.filters && !from.adjoint && !from.alone && from.degree == 1 && from.smoothed_with == SmoothedWith::Matrix; }

/* Whether P's rows need not be held: the next product makes them, and a cycle that reads pairs in half precision gets these from there. */
static bool product_may_make(const Grid &grid, const Coarsening &from, const HierarchyOptions &options)
{
  return options.half_pairs && options.keep == Keep::Aggregates && from.boxes && !from.filters && !from.boxes->ranks && !from.boxes->stars &&
         !from.boxes->wide && !smooths_within(grid, from, grid.level->nnz) && BoxLines(from.boxes->grid).pairs() <= PETSC_MAX_INT;
}

/* On boxes along strong entries: what smoothed() makes with the filtered operator. */
static CsrMatrix smoothed_along_strong(const Grid &grid, const Coarsening &from, const HierarchyOptions &options, const Array<PetscScalar> &Q,
                                       const Array<PetscScalar> &coarse_B, MapPtr &columns)
{
  const CsrLevel   &level = *grid.level;
  const WithoutWeak strong(*from.boxes, level.rows());
  bool              symmetric = grid.symmetric;
  const StoredRows  A         = strong.rows();
  const CsrFacts    facts     = row_facts(A, *level.columns);
  const PetscReal   lambda    = lambda_max(A, *level.columns, facts, options.lanczos_steps(facts), level.ids(grid.bs), nullptr, &symmetric);
  CsrMatrix         P         = smoothed_prolongator(*from.boxes, A, Q, facts.dinv, omega(lambda, 1, from, options), columns);

  if (!smooths_within(grid, from, static_cast<double>(from.boxes->kept_entries))) return P;
  if (from.boxes->ranks) smooth_within(A.A, level.columns, facts.dinv, omega_within(lambda, from, options), coarse_B, columns, P);
  else smooth_within(*from.boxes, A, facts.dinv, omega_within(lambda, from, options), coarse_B, P);
  return P;
}

static CsrMatrix left_to_product(const Grid &grid, const Coarsening &from, const HierarchyOptions &options)
{
  auto               by = std::make_unique<BoxSmoothing>();
  Array<PetscScalar> coarse_B;

  if (!from.Q.size()) normalise(*from.boxes, nullptr, by->ones, coarse_B);
  by->T                 = from.Q.size() ? from.Q.data() : by->ones.data();
  by->dinv              = grid.level->relaxing().data();
  by->omega             = omega(grid.lambda, 1, from, options);
  from.boxes->smoothing = std::move(by);
  return left_to_product(*from.boxes, grid.level->A.space);
}

bool shortens(const Coarsening &from, const HierarchyOptions &options)
{
  return options.strong_share > 0 && from.bs == 1 && from.k == 1 && from.degree == 1 && from.smoothed_with == SmoothedWith::Matrix && !from.adjoint;
}

CsrMatrix interpolation_of(const Grid &grid, const Coarsening &from, const HierarchyOptions &options, MapPtr &columns, CsrMatrix *tests,
                           MapPtr *columns_of_tests)
{
  const CsrLevel &level = *grid.level;

  if (from.boxes) {
    columns = from.aggregates;
    if (product_may_make(grid, from, options)) return left_to_product(grid, from, options);
    return with_tentative(from, [&](const Array<PetscScalar> &Q, const Array<PetscScalar> &coarse_B) {
      if (from.filters) return smoothed_along_strong(grid, from, options, Q, coarse_B, columns);
      if (of_two_steps(from) && !from.boxes->ranks && level.A.space == Space::Host && smooths_within(grid, from, level.nnz))
        return star_prolongator(*from.boxes, level.rows(), Q, coarse_B, level.relaxing(), omega(grid.lambda, 1, from, options),
                                omega_within(grid.lambda, from, options));
      CsrMatrix P = smoothed_prolongator(*from.boxes, level.rows(), Q, level.relaxing(), omega(grid.lambda, 1, from, options), columns);

      if (smooths_within(grid, from, level.nnz)) smooth_boxes_within(grid, from, options, coarse_B, columns, P);
      return P;
    });
  }
  return from.degree ? smoothed(grid, from, options, columns, tests, columns_of_tests) : unsmoothed(level, from, columns);
}

bool interpolate_again(const Grid &grid, const Coarsening &from, const HierarchyOptions &options, CsrTransfer &t)
{
  const CsrLevel &level = *grid.level;

  if (product_may_make(grid, from, options)) {
    t.P = left_to_product(grid, from, options);
    return true;
  }
  if (!plain(from) || !smooth_again(level.rows(), from, level.relaxing(), omega(grid.lambda, 1, from, options), t.P, {t.nodes, &t.blocks})) return false;
  if (!smooths_within(grid, from, level.nnz)) return true;
  if (from.boxes) {
    with_tentative(from,
                   [&](const Array<PetscScalar> &, const Array<PetscScalar> &coarse_B) { smooth_boxes_within(grid, from, options, coarse_B, t.coarse, t.P); });
  } else smooth_within(level.A, level.columns, level.relaxing(), omega_within(grid.lambda, from, options), from.coarse_B, t.coarse, t.P);
  return true;
}

} // namespace goza::saamg
