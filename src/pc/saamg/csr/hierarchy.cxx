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

/* The next level below the last one. B, its near-null vectors, becomes the next level's. */
PetscErrorCode Hierarchy::coarsen(Array<PetscScalar> &B, PetscInt k, PetscReal threshold, const HierarchyOptions &options, bool *stop)
{
  Grid          &grid  = grids_.back();
  const Csr      A     = grid.level->A;
  const Space    space = A.space;
  const PetscInt bs    = grid.bs;
  CsrGraph       graph;
  CsrAggregates  aggregates;
  CsrTentative   T;
  std::int64_t   coarse_rows;
  Grid           next;

  PetscFunctionBegin;
  PetscCall(Step(events.strength, space, [&] { graph = strength_graph(A, bs, threshold); }));
  PetscCall(Step(events.aggregate, space, [&] { aggregates = aggregate(graph); }));
  coarse_rows = static_cast<std::int64_t>(aggregates.n) * k;
  *stop       = coarse_rows == 0 || coarse_rows > A.nrows - A.nrows / 10;
  if (*stop) {
    PetscCall(PetscInfo(NULL, "Coarsening stops at %" PetscInt_FMT " rows: the next level would have %" PetscInt64_FMT "\n", A.nrows, (PetscInt64)coarse_rows));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(Step(events.prolong, space, [&] {
    const CsrLevel &level = *grid.level;

    grid.transfer = std::make_shared<CsrTransfer>();
    CsrMatrix &P  = grid.transfer->P;
    T             = tentative(aggregates, bs, k, B);
    B             = std::move(T.Bcoarse);
    if (threshold > 0) {
      const CsrMatrix filtered = filter_weak(A, bs, graph);
      const CsrFacts  facts    = row_facts(filtered.view());

      P = smoothed_prolongator(filtered.view(), aggregates, bs, k, T.Q, facts.dinv, options.prolongator_relax / lambda_max(filtered.view(), facts, options.esteig_iterations));
    } else P = smoothed_prolongator(A, aggregates, bs, k, T.Q, level.dinv, options.prolongator_relax / grid.lambda);
    graph            = CsrGraph();
    aggregates       = CsrAggregates();
    T                = CsrTentative();
    grid.transfer->R = transpose(P.view());
    grid.transfer->stamp.new_pattern();
  }));
  PetscCall(Step(events.galerkin, space, [&] {
    CsrTransfer &t = *grid.transfer;

    next.level        = std::make_shared<CsrLevel>();
    CsrMatrix &coarse = next.level->own;
    coarse            = galerkin_product(A, t.P, t.R, t.AP);
    if (options.keep_products) t.AP.val = Array<PetscScalar>(space);
    else t.AP = CsrMatrix();
    next.level->A   = coarse.view();
    next.level->nnz = coarse.nnz();
    next.level->stamp.new_pattern();
  }));
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
  for (std::size_t l = 0; l < grids_.size(); l++) {
    CsrLevel &level = *grids_[l].level;

    level.stamp.new_values();
    PetscCall(measure(grids_[l], options.esteig_iterations, finite));
    if (!*finite) {
      PetscCall(reset());
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    if (l + 1 == grids_.size()) break;
    PetscCall(Step(events.galerkin, A.space, [&] {
      CsrTransfer &t = *grids_[l].transfer;

      if (!t.AP.ptr.size()) t.AP = multiply(level.A, t.P.view()); // made when values were not meant to change
      galerkin_update(level.A, t.P, t.R, t.AP, grids_[l + 1].level->own);
      t.AP.val = Array<PetscScalar>(A.space);
    }));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

void Hierarchy::release_finest()
{
  if (!grids_.empty() && grids_[0].level) grids_[0].level->A.ptr = grids_[0].level->A.col = nullptr, grids_[0].level->A.val = nullptr;
}

} // namespace goza
