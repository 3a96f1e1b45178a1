/* P for the values that a level has. */
#include "make_interpolation.hpp"
#include "eigen.hpp"
#include "symmetry.hpp"

namespace goza::saamg
{

/* P = (I - omega_d D^-1 A) ... (I - omega_1 D^-1 A) T, D^-1 being relaxing(): of all polynomials p of degree d with p(0) = 1 that whose largest sqrt(t) |p(t)| on [0, lambda_max] is least, which
   bounds the energy of P's columns (Brezina, Vanek, Vassilevski 2012). Of degree 1: omega = 4/3 / lambda_max.

   Where the nodes are of two colours, as those of a 5- or 7-point operator, the spectrum of D^-1 A is its own mirror image about 1, lambda_max is 2, and for every smooth
   vector there is one of alternating signs. With a larger omega the coarse space sees more of these, and Jacobi with relaxation 1, which leaves them as they are, takes a quarter
   fewer iterations with 1.5 to 1.55 (log-normal coefficients), more again with 1.6. Smoothers that damp them gain nothing or lose an iteration. The estimate of lambda_max lies below it.

   Where nodes have several unknowns few errors are of the largest eigenvalues, which are those of changes of volume: with 1.6 CG takes a tenth fewer iterations for hexahedra and thin solids, and more
   on slivers, whose lambda_max is above 2.7. Of a matrix that is not symmetric lambda_max is that of all of it, and more than that of the part that smooths: GMRES takes a sixth fewer with 1.6, and half as
   many more with 2 on larger grids. */
static PetscReal omega(PetscReal lambda, PetscInt step, const Coarsening &from, const HierarchyOptions &options)
{
  const bool      one  = from.degree <= 1;
  const PetscReal root = PetscSqr(PetscCosReal((2 * step - 1) * PETSC_PI / (4 * PetscMax(from.degree, 1) + 2)));
  PetscReal       more = 0;

  if (one && options.smoothed_with == SmoothedWith::DiffusivePart) more = 0.2;
  else if (one && from.bs > 1) more = PetscMax(0, PetscMin(0.2, 2.7 - lambda));
  else if (one && options.alternating) more = 0.1625 * PetscMax(0, PetscMin(1, 2 - PetscAbsReal(lambda - 1.95) / 0.05));
  return (1 + more) / (root * lambda);
}

/* A polynomial of degree 2 takes in weak entries, too: where coefficients
   jump, degree 2 of the filtered operators takes more iterations than degree 1, that of the whole ones about half as many. */
static CsrMatrix smoothed(const Grid &grid, const Coarsening &from, const HierarchyOptions &options, MapPtr &columns)
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
    lambda   = lambda_max(A, *level.columns, facts, options.esteig_iterations, level.ids(grid.bs), nullptr, &symmetric);
  }
  if (options.smoothed_with == SmoothedWith::DiffusivePart) { /* the smaller beside the diagonal and the lambda of all of A, the less it smooths */
    diffusive = diffusive_part(A, level.columns, from.bs, options.conjugated, from.aggregate);
    A         = diffusive.view();
  }
  CsrMatrix P = smoothed_prolongator(A, from, *dinv, omega(lambda, 1, from, options), columns);

  for (PetscInt step = 2; step <= from.degree; step++)
    smooth_once_more(A, level.columns, *dinv, omega(lambda, step, from, options), from.bs, from.k, P, columns);
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

static bool plain(const Coarsening &from, const HierarchyOptions &options)
{
  return !from.filters && from.degree == 1 && options.smoothed_with == SmoothedWith::Matrix;
}

CsrMatrix interpolation_of(const Grid &grid, const Coarsening &from, const HierarchyOptions &options, MapPtr &columns)
{
  const CsrLevel &level = *grid.level;

  if (from.boxes) {
    columns = from.aggregates;
    return smoothed_prolongator(*from.boxes, level.rows(), from.Q, level.relaxing(), omega(grid.lambda, 1, from, options));
  }
  return from.degree ? smoothed(grid, from, options, columns) : unsmoothed(level, from, columns);
}

bool interpolate_again(const Grid &grid, const Coarsening &from, const HierarchyOptions &options, CsrMatrix &P)
{
  const CsrLevel &level = *grid.level;

  return plain(from, options) && smooth_again(level.rows(), from, level.relaxing(), omega(grid.lambda, 1, from, options), P);
}

} // namespace goza::saamg
