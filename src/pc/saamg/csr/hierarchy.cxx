/* The set-up on one rank: the steps of ../hierarchy.cxx on CSR arrays, in the space where the matrix is. */
#include "pc/saamg/hierarchy.hpp"
#include "eigen.hpp"
#include "galerkin.hpp"
#include "goza.hpp"
#include "graph.hpp"
#include "mat/common/errors.hpp"
#include "prolong.hpp"

namespace goza
{

/* A step under its event, with the device's time where that is asked for. */
template <class Body> static PetscErrorCode Step(PetscLogEvent event, Space space, const Body &body)
{
  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(event, 0, 0, 0, 0));
  if (space == Space::Cuda) PetscCall(PetscLogGpuTimeBegin());
  PetscCall(Guarded(body));
  if (space == Space::Cuda) PetscCall(PetscLogGpuTimeEnd());
  PetscCall(PetscLogEventEnd(event, 0, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Hierarchy::measure(Grid &grid, PetscInt its, bool *finite)
{
  CsrLevel &level = *grid.level;

  PetscFunctionBegin;
  PetscCall(Step(events.eigen, level.A.space, [&] {
    CsrFacts facts = row_facts(level.A);

    *finite = facts.finite;
    if (*finite) grid.lambda = lambda_max(level.A, facts, its);
    level.squares_finite = facts.squares_finite;
    level.dinv           = std::move(facts.dinv);
    level.alone          = facts.nalone ? std::move(facts.alone) : Array<std::int64_t>(level.A.space);
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* P and R of a grid from its coarsening, for the values that A has now. */
PetscErrorCode Hierarchy::interpolate(Grid &grid, const Coarsening &from, const HierarchyOptions &options)
{
  PetscFunctionBegin;
  PetscCall(Step(events.prolong, grid.level->A.space, [&] {
    const CsrLevel &level = *grid.level;
    CsrTransfer    &t     = *grid.transfer;
    CsrMatrix       P;

    if (options.threshold > 0) {
      const CsrMatrix filtered = filter_weak(level.A, from.bs, from.graph);
      const CsrFacts  facts    = row_facts(filtered.view());

      P = smoothed_prolongator(filtered.view(), from.aggregates, from.bs, from.k, from.Q, facts.dinv,
                               options.prolongator_relax / lambda_max(filtered.view(), facts, options.esteig_iterations));
    } else P = smoothed_prolongator(level.A, from.aggregates, from.bs, from.k, from.Q, level.dinv, options.prolongator_relax / grid.lambda);
    if (t.P.ptr.size() && same_pattern(P, t.P)) t.stamp.new_values();
    else {
      t.AP = CsrMatrix();
      t.stamp.new_pattern();
    }
    t.P = std::move(P);
    t.R = transpose(t.P.view());
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The operator of the grid below, where there is none or the interpolation's pattern is new. */
PetscErrorCode Hierarchy::project(Grid &grid, CsrLevel &next, PetscInt k, const HierarchyOptions &options)
{
  PetscFunctionBegin;
  PetscCall(Step(events.galerkin, grid.level->A.space, [&] {
    CsrTransfer &t = *grid.transfer;

    next.own = galerkin_product(grid.level->A, grid.bs, t.P, t.R, k, t.AP);
    if (options.keep != Keep::Nothing) t.AP.val = Array<PetscScalar>(next.own.space());
    else t.AP = CsrMatrix();
    next.A   = next.own.view();
    next.nnz = next.own.nnz();
    next.stamp.new_pattern();
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The next level below the last one. B, its near-null vectors, becomes the next level's. */
PetscErrorCode Hierarchy::coarsen(Array<PetscScalar> &B, PetscInt k, PetscReal threshold, const HierarchyOptions &options, bool *stop)
{
  Grid                       &grid  = grids_.back();
  const Csr                   A     = grid.level->A;
  const Space                 space = A.space;
  std::shared_ptr<Coarsening> from;
  std::int64_t                coarse_rows;
  Grid                        next;

  PetscFunctionBegin;
  PetscCallCXX(from = std::make_shared<Coarsening>());
  from->bs = grid.bs;
  from->k  = k;
  PetscCall(Step(events.strength, space, [&] { from->graph = strength_graph(A, grid.bs, threshold); }));
  const bool aggressive = static_cast<PetscInt>(grids_.size()) <= options.aggressive_levels;
  PetscCall(Step(events.aggregate, space, [&] { from->aggregates = aggressive ? aggregate_twice(from->graph) : aggregate(from->graph); }));
  coarse_rows = static_cast<std::int64_t>(from->aggregates.n) * k;
  *stop       = coarse_rows == 0 || coarse_rows > A.nrows - A.nrows / 10;
  if (*stop) {
    PetscCall(PetscInfo(NULL, "Coarsening stops at %" PetscInt_FMT " rows: the next level would have %" PetscInt64_FMT "\n", A.nrows, (PetscInt64)coarse_rows));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(Step(events.prolong, space, [&] {
    clear_rows_alone(grid.level->alone, k, B);
    CsrTentative T = tentative(from->aggregates, grid.bs, k, B);

    if (threshold <= 0) from->graph = CsrGraph();
    B             = std::move(T.Bcoarse);
    from->Q       = std::move(T.Q);
    grid.transfer = std::make_shared<CsrTransfer>();
    next.level    = std::make_shared<CsrLevel>();
  }));
  PetscCall(interpolate(grid, *from, options));
  if (options.keep == Keep::Aggregates) grid.transfer->coarsening = std::move(from);
  else from.reset();
  PetscCall(project(grid, *next.level, k, options));
  next.bs = k;
  PetscCallCXX(grids_.push_back(next));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Hierarchy::build(const Csr &A, PetscLogDouble nnz, PetscInt bs, PetscInt k, Array<PetscScalar> B, const HierarchyOptions &options, bool *finite)
{
  PetscReal threshold = options.threshold;
  bool      stop      = false;

  PetscFunctionBegin;
  PetscCall(reset());
  PetscCallCXX(grids_.emplace_back(), grids_[0].level = std::make_shared<CsrLevel>());
  grids_[0].level->A   = A;
  grids_[0].level->nnz = nnz;
  grids_[0].level->stamp.new_pattern();
  grids_[0].bs = bs;
  for (;;) {
    PetscCall(measure(grids_.back(), options.esteig_iterations, finite));
    const CsrLevel &level = *grids_.back().level;
    if (!*finite || level.A.nrows <= options.coarse_limit || (PetscInt)grids_.size() >= options.max_levels) break;
    *finite = level.squares_finite;
    if (!*finite) break;
    PetscCall(coarsen(B, k, threshold, options, &stop));
    if (stop) break;
    threshold /= 2; /* coarse operators are denser and their entries smaller: Vanek, Mandel, Brezina 1996 */
  }
  if (!*finite) PetscCall(reset());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Hierarchy::update(const Csr &A, const HierarchyOptions &options, bool *finite)
{
  PetscFunctionBegin;
  grids_[0].level->A = A;
  grids_[0].level->stamp.new_values();
  for (std::size_t l = 0; l < grids_.size(); l++) {
    CsrLevel &level = *grids_[l].level;

    PetscCall(measure(grids_[l], options.esteig_iterations, finite));
    if (!*finite) {
      PetscCall(reset());
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    if (l + 1 == grids_.size()) break;
    CsrTransfer &t    = *grids_[l].transfer;
    CsrLevel    &next = *grids_[l + 1].level;

    if (options.keep == Keep::Aggregates) PetscCall(interpolate(grids_[l], *t.coarsening, options));
    if (!t.AP.ptr.size()) PetscCall(project(grids_[l], next, grids_[l + 1].bs, options)); /* a new pattern, or values were not meant to change */
    else {
      PetscCall(Step(events.galerkin, A.space, [&] {
        galerkin_update(level.A, grids_[l].bs, t.P, t.R, grids_[l + 1].bs, t.AP, next.own);
        t.AP.val = Array<PetscScalar>(A.space);
      }));
      next.stamp.new_values();
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::size_t bytes_of(const CsrTransfer &t)
{
  std::size_t bytes = t.P.bytes() + t.R.bytes() + t.AP.bytes();

  if (t.coarsening) {
    const CsrGraph &G = t.coarsening->graph;

    bytes += t.coarsening->Q.bytes() + t.coarsening->aggregates.of_node.bytes() + G.ptr.bytes() + G.col.bytes() + G.weight.bytes() + G.degree.bytes() + G.rdiag.bytes();
  }
  return bytes;
}

void Hierarchy::release_finest()
{
  if (!grids_.empty() && grids_[0].level) grids_[0].level->A.ptr = grids_[0].level->A.col = nullptr, grids_[0].level->A.val = nullptr;
}

} // namespace goza
