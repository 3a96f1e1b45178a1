/* The interpolation of a level, and whether its Galerkin product is bearable. */
#include "hierarchy.hpp"
#include "core/sparse/csr_ops.hpp"
#include "make_interpolation.hpp"
#include "petsc/plugin.hpp"
#include "setup_step.hpp"

namespace goza::saamg {

/* Multiplications of blocks in a Galerkin product, for each block of the finest matrix, beyond which it is not begun, and what is never too many. Where rows of
   P reach p aggregates these are p (1 + p), with p up to 6 on meshes: 26 for 27 points. On a graph with hubs (Barabasi and Albert, 9 entries a row) they are
   330 with 25 000 nodes and 700 with 500 000. Of an interpolation that is asked to be smoothed further, rows are longer to the power of the dimensions. */
constexpr double bearable_products = 100, always_bearable = 1e7;

/* The same for an interpolation that is smoothed further than asked for: 7 to 10 along chains, 20 on streets; 31 on a graph of three random neighbours a node
   and 70 on a random tree, whose coarse operators would fill up. */
constexpr double bearable_further = 24;

/* P and R of a grid. fresh: they were not made of a level of this pattern before */
PetscErrorCode Hierarchy::interpolate(Grid &grid, const Coarsening &from, const HierarchyOptions &options, bool fresh)
{
  PetscFunctionBegin;
  PetscCall(Step(events.prolong, *grid.level->columns, [&] {
    CsrTransfer &t = *grid.transfer;
    MapPtr       columns, wcolumns;
    CsrMatrix    W;
    const auto   transpose = [&] { /* beside the matrix's rows where these stay, and where a product reads it */
                                 if (spares_rows(grid) || t.multiplied_by_place()) t.release_transpose(false);
                                 else t.transpose();
    };

    t.conjugated = options.conjugated;
    t.nodes      = grid.level->blocks;
    if (!fresh && interpolate_again(grid, from, options, t)) {
      t.stamp.new_values();
      transpose();
      return;
    }
    t.blocks        = nullptr;
    CsrMatrix  P    = interpolation_of(grid, from, options, columns, &W, &wcolumns);
    const bool same = !fresh && columns->ghosts() == t.coarse->ghosts() && (t.by_place() || same_pattern(P, t.P)) && !wcolumns == !t.wcoarse &&
                      (!wcolumns || (wcolumns->ghosts() == t.wcoarse->ghosts() && same_pattern(W, t.W))),
               stays = columns->all(same);

    if (stays) t.stamp.new_values();
    else {
      t.coarse  = columns;
      t.product = GalerkinProduct();
      t.release_transpose();
      t.stamp.new_pattern();
    }
    t.P       = std::move(P);
    t.W       = std::move(W);
    t.wcoarse = wcolumns;
    t.fine    = grid.level->columns;
    t.bs      = from.bs;
    t.k       = from.k;
    t.boxes   = from.boxes;
    if (!t.boxes && !t.blocks) t.blocks = pattern_of_blocks(t.P.view(), t.bs, t.k);
    if (stays) transpose(); /* else there is none until a product wants it */
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The last grid's interpolation from these aggregates, whose Galerkin product takes `work` multiplications of blocks, and the next level's near-null
   vectors. */
PetscErrorCode Hierarchy::interpolate_from(Coarsening &from, const CsrAggregates &aggregates, Array<PetscScalar> &B, const HierarchyOptions &options,
                                           Array<PetscScalar> &coarse_B, double *work)
{
  Grid            &grid    = grids_.back();
  const ColumnMap &columns = *grid.level->columns;

  PetscFunctionBegin;
  PetscCall(Step(events.prolong, columns, [&] {
    CsrTentative T;

    if (from.boxes && !from.boxes->ranks) {
      from.ones = grids_.size() == 1 && all_ones(B);
      T         = tentative(*from.boxes, from.ones ? nullptr : B.data());
    } else {
      clear_isolated_rows(grid.level->isolated, from.k, B);
      T = tentative(aggregates, columns, grid.bs, from.k, B);
      if (!from.boxes) from.aggregate = aggregate_of_columns(from.graph, aggregates, columns, grid.bs);
    }
    from.aggregates = aggregates.map;
    from.Q          = std::move(T.Q);
    coarse_B        = std::move(T.Bcoarse);
    from.within     = most_within(from, options);
    from.coarse_B   = from.within > 0 || from.shortens ? coarse_B.copied(coarse_B.space()) : Array<PetscScalar>(coarse_B.space());
    if ((from.within > 0 && (options.strong_share > 0 || from.alone)) || from.shortens) from.name = ids_of(aggregates);
    grid.transfer           = std::make_shared<CsrTransfer>();
    grid.transfer->alone    = from.alone;
    grid.transfer->smoothed = from.degree > 0;
  }));
  if (spares_rows(grid, from)) PetscCall(have_rows(grid, false));
  PetscCall(interpolate(grid, from, options));
  *work = 0; // as good as nothing, where P is not smoothed
  if (!from.boxes && from.degree > 0) PetscCall(Step(events.galerkin, columns, [&] { *work = product_work(grid.level->A, columns, *grid.transfer); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The last grid's interpolation, which has been smoothed once, keeps few entries a row. */
PetscErrorCode Hierarchy::shorten_last(Coarsening &from, const CsrAggregates &aggregates, const Array<PetscScalar> &coarse_B, double *work)
{
  const CsrLevel &level = *grids_.back().level;
  CsrTransfer    &t     = *grids_.back().transfer;

  PetscFunctionBegin;
  PetscCall(Step(events.prolong, *level.columns, [&] {
    from.coarse_B = coarse_B.copied(coarse_B.space());
    from.name     = ids_of(aggregates);
    shorten(from, level, t.coarse, t.P);
  }));
  PetscCall(Step(events.galerkin, *level.columns, [&] { *work = product_work(level.A, *level.columns, t); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Beside hubs an interpolation that would be dropped again is the larger part of a set-up. */
PetscErrorCode Hierarchy::look_ahead(Coarsening &from, const CsrAggregates &aggregates, double *work)
{
  const CsrLevel &level = *grids_.back().level;

  PetscFunctionBegin;
  *work = 0;
  if (!from.uneven || from.alone || from.degree != 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Step(events.galerkin, *level.columns, [&] {
    *work = least_product_work(level.A, *level.columns, aggregate_of_columns(from.graph, aggregates, *level.columns, 1), *aggregates.map);
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same, smoothed to `degree` where further would take too many multiplications, and not at all where that does. */
PetscErrorCode Hierarchy::interpolate_bearably(Coarsening &from, const CsrAggregates &aggregates, PetscInt degree, Array<PetscScalar> &B,
                                               const HierarchyOptions &options, Array<PetscScalar> &coarse_B)
{
  const double blocks   = grids_[0].level->nnz / (grids_[0].bs * grids_[0].bs);
  const double bearable = PetscMax(bearable_products * PetscPowRealInt(PetscMax(degree, 1), 3) * blocks, always_bearable);
  double       work     = 0;

  PetscFunctionBegin;
  PetscCall(look_ahead(from, aggregates, &work));
  const bool made = work <= bearable;

  if (made) PetscCall(interpolate_from(from, aggregates, B, options, coarse_B, &work));
  if (from.degree > degree && work > bearable_further * blocks) {
    from.degree = degree;
    PetscCall(interpolate_from(from, aggregates, B, options, coarse_B, &work));
  }
  if (work > bearable && shortens(from, options)) {
    PetscCall(PetscInfo(NULL, "The interpolation of level %d keeps few entries a row: its product would take %g multiplications for each entry of the matrix\n",
                        (int)grids_.size() - 1, work / blocks));
    from.shortens = true;
    if (made && grids_.back().transfer->few == 0) PetscCall(shorten_last(from, aggregates, coarse_B, &work));
    else PetscCall(interpolate_from(from, aggregates, B, options, coarse_B, &work));
    from.shortens = work <= bearable;
  }
  if (work > bearable && from.degree) { /* from the aggregates as they are, whose product has no more entries than the operator */
    PetscCall(PetscInfo(NULL, "The interpolation of level %d is not smoothed: its product would take %g multiplications or more for each entry of the matrix\n",
                        (int)grids_.size() - 1, work / blocks));
    from.degree  = 0;
    from.filters = from.adjoint = false;
    PetscCall(interpolate_from(from, aggregates, B, options, coarse_B, &work));
  }
  grids_.back().transfer->further = from.degree > degree ? from.degree : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::saamg
