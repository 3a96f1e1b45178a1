/* The set-up: its steps one after the other, in the space where the matrix is. */
#include "hierarchy.hpp"
#include "core/sparse/csr_ops.hpp"
#include "petsc/plugin.hpp"
#include "graph.hpp"
#include "grid_of_rows.hpp"
#include "make_interpolation.hpp"
#include "parallel/agree.hpp"
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
    const auto   transpose = [&] { /* beside the matrix's rows where these stay */
                                 if (spares_rows(grid)) t.release_transpose(false);
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

/* The operator of the grid below, where there is none or the interpolation's pattern is new. */
PetscErrorCode Hierarchy::project(Grid &grid, CsrLevel &next, const HierarchyOptions &options)
{
  PetscFunctionBegin;
  PetscCall(have_rows(grid, !spares_rows(grid)));
  PetscCall(Step(events.galerkin, *grid.level->columns, [&] {
    CsrTransfer &t = *grid.transfer;

    if (!t.transposed()) t.transpose(); // as release() left it
    next.magnitude  = std::move(grid.level->magnitude);
    next.own        = CsrMatrix(); // before there is another
    next.own        = t.product.make(grid.level->rows(), grid.level->columns, t, next.columns, next.magnitude, !keeps_products(options));
    next.own_format = t.product.take_diagonals();
    next.blocks     = t.product.blocks();
    stabilise(t, next, options);
    if (keeps_products(options)) t.product.release_values();
    else {
      t.product       = GalerkinProduct();
      t.own_transpose = CsrMatrix();
      if (options.rows_lent && t.lends_rows()) t.release_transpose(); /* its memory is that of the next level */
    }
    next.A             = next.own.view();
    std::int64_t total = next.own.nnz();
    next.columns->sum(&total, 1);
    next.nnz = static_cast<PetscLogDouble>(total);
    next.stamp.new_pattern();
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The aggregates of the last grid's nodes. *stop: they are not much fewer than rows. */
PetscErrorCode Hierarchy::aggregate_nodes(const Coarsening &from, PetscInt k, bool aggressive, const HierarchyOptions &options, CsrAggregates &aggregates,
                                          bool *stop)
{
  const LocalColumns &columns = *grids_.back().level->columns;
  const PetscInt      least   = options.gather_limit / k + (options.gather_limit % k > 0);

  PetscFunctionBegin;
  PetscCall(Step(events.aggregate, columns, [&] {
    if (from.boxes) aggregates = aggregates_of(*from.boxes, columns, grids_.back().level->ids(1), least);
    else
      aggregates = aggressive                         ? aggregate_twice(from.graph, least)
                 : options.by_heaviest                ? aggregate_by_heaviest(from.graph, least)
                 : k >= many_modes * grids_.back().bs ? aggregate_around_first_roots(from.graph, least)
                                                      : aggregate(from.graph, least);
  }));
  const std::int64_t coarse_rows = static_cast<std::int64_t>(aggregates.map->nglobal()) * k;
  *stop                          = coarse_rows == 0 || coarse_rows > columns.nglobal() - columns.nglobal() / 10;
  if (*stop)
    PetscCall(PetscInfo(NULL, "Coarsening stops at %" PetscInt_FMT " rows: the next level would have %" PetscInt64_FMT "\n", columns.nglobal(),
                        (PetscInt64)coarse_rows));
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
      T         = tentative(*from.boxes, B);
      from.ones = grids_.size() == 1 && all_ones(B);
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
  PetscCall(interpolate(grid, from, options));
  if (!from.boxes) PetscCall(Step(events.galerkin, columns, [&] { *work = product_work(grid.level->A, columns, *grid.transfer); }));
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
  PetscCall(interpolate_from(from, aggregates, B, options, coarse_B, &work));
  if (from.degree > degree && work > bearable_further * blocks) {
    from.degree = degree;
    PetscCall(interpolate_from(from, aggregates, B, options, coarse_B, &work));
  }
  if (work > bearable && shortens(from, options)) {
    PetscCall(PetscInfo(NULL, "The interpolation of level %d keeps few entries a row: its product would take %g multiplications for each entry of the matrix\n",
                        (int)grids_.size() - 1, work / blocks));
    from.shortens = true;
    PetscCall(interpolate_from(from, aggregates, B, options, coarse_B, &work));
    from.shortens = work <= bearable;
  }
  if (work > bearable && from.degree) { /* from the aggregates as they are, whose product has no more entries than the operator */
    PetscCall(PetscInfo(NULL, "The interpolation of level %d is not smoothed: its product would take %g multiplications for each entry of the matrix\n",
                        (int)grids_.size() - 1, work / blocks));
    from.degree  = 0;
    from.filters = from.adjoint = false;
    PetscCall(interpolate_from(from, aggregates, B, options, coarse_B, &work));
  }
  grids_.back().transfer->further = from.degree > degree ? from.degree : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The level below the last one in this way, and its near-null vectors. */
PetscErrorCode Hierarchy::coarsen_so(const Way &way, Array<PetscScalar> &B, PetscInt k, const HierarchyOptions &options, Grid &next,
                                     Array<PetscScalar> &coarse_B, bool *stop)
{
  Grid          &grid    = grids_.back();
  const MapPtr   columns = grid.level->columns;
  const Strength all(0), found(way.threshold, options.diagonal_sign, options.strong_share), &strength = options.bends && grids_.size() > 1 ? all : found;
  std::shared_ptr<Coarsening> from;
  CsrAggregates               aggregates;

  PetscFunctionBegin;
  PetscCall(Step(events.strength, *columns, [&] {
    from                = std::make_shared<Coarsening>();
    from->bs            = grid.bs;
    from->k             = k;
    from->degree        = PetscMax(way.degree, way.further);
    from->smoothed_with = way.with;
    from->adjoint       = way.adjoint && way.degree > 0;
    from->filters       = !strength.all() && from->degree == 1 && (grids_.size() == 1 || options.weak_by_direction);
    if (may_be_boxes(way, k, from->filters, options))
      from->boxes = find_boxes(grid.level->rows(), grid.level->dinv, grid.level->ids(1), columns,
                               {options.by_place, options.further && options.stars, way.threshold});
    wants_rows_ = !from->boxes && grid.level->rows().no_rows();
    if (wants_rows_) return;
    if (!from->boxes) from->graph = options.bends ? beside_alone(graph_of(grid, all)) : graph_of(grid, strength);
    find_lasting(*from, way, options);
  }));
  *stop = wants_rows_;
  if (!*stop) PetscCall(aggregate_nodes(*from, k, way.aggressive, options, aggregates, stop));
  if (!*stop && options.bends && from->filters) PetscCall(Step(events.strength, *columns, [&] { from->graph = graph_of(grid, strength); }));
  if (*stop) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(find_further_along_strong(*from, aggregates, options, &from->degree));
  PetscCall(interpolate_bearably(*from, aggregates, way.degree, B, options, coarse_B));
  PetscCall(Step(events.prolong, *columns, [&] {
    next.level          = std::make_shared<CsrLevel>();
    next.level->name    = from->boxes && !from->boxes->ranks ? names_of(*from->boxes, grid.level->ids(1)) : ids_of(aggregates);
    next.level->lattice = aggregates.lattice;
    next.level->natural = from->boxes != nullptr;
    aggregates          = CsrAggregates();
    if (!from->filters) from->graph = CsrGraph();
    from->graph.filtered = Array<PetscInt>(); // of other values rows may have other lengths
    if (from->ones && !from->boxes->smoothing) from->spare_ones();
    if (options.keep == Keep::Aggregates) grid.transfer->coarsening = std::move(from);
    else {
      grid.transfer->forget_coarsening();
      from.reset();
    }
  }));
  PetscCall(project(grid, *next.level, options));
  if (grid.transfer->coarsening && grid.transfer->coarsening->ones) grid.transfer->coarsening->spare_ones();
  next.bs        = k;
  next.symmetric = grid.symmetric;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The next level below the last one. B, its near-null vectors, becomes the next level's. Where test functions of its own make a level that is too large, it is
   made without. Where it would make the operators larger than they may be, larger aggregates are tried, then these with a piecewise constant
   interpolation, and where that is not enough coarsening stops. The coarsest level is never too large. */
PetscErrorCode Hierarchy::coarsen(Array<PetscScalar> &B, PetscInt k, PetscReal threshold, const HierarchyOptions &options, bool *stop)
{
  Grid              &grid       = grids_.back();
  const bool         aggressive = static_cast<PetscInt>(grids_.size()) <= options.aggressive_levels;
  const PetscInt     degree     = grids_.size() == 1 ? 1 : options.coarse_interpolation_degree;
  PetscLogDouble     allowed    = static_cast<PetscLogDouble>(options.max_complexity) * grids_[0].level->nnz;
  Grid               next;
  Array<PetscScalar> coarse_B;
  Array<PetscReal>   magnitude;
  Way                way{threshold, aggressive, options.smoothed_with == SmoothedWith::Nothing ? 0 : degree, options.smoothed_with, options.adjoint};
  const auto         too_large = [&] { return !*stop && next.level->nnz > allowed && next.rows() > options.coarse_limit; };
  const bool         finest    = grids_.size() == 1; // whose magnitudes are those of its rows, and no sums
  const auto         kept      = [&] {
    return finest ? magnitudes(grid.level->rows(), grid.level->dinv) : Array<PetscReal>(magnitude.space(), magnitude.data(), magnitude.size());
  };
  const auto anew = [&] { return Together(grid.level->columns->comm(), "begin its level anew", [&] { next = Grid(), grid.level->magnitude = kept(); }); };
  const auto make = [&] { /* what has been made already is dropped */
                          PetscErrorCode failed = next.level ? anew() : PETSC_SUCCESS;

                          if (!failed) failed = have_rows(grid, true);
                          return failed ? failed : coarsen_so(way, B, k, options, next, coarse_B, stop);
  };

  PetscFunctionBegin;
  for (const Grid &g : grids_) allowed -= g.level->nnz;
  PetscCall(Together(grid.level->columns->comm(), "keep the magnitudes of its rows", [&] {
    if (!finest) magnitude = grid.level->magnitude.copied(grid.level->magnitude.space());
  }));
  if (way.degree == 1 && !aggressive && grid.bs == 1 && k == 1) PetscCall(find_further(options, &way.further));
  PetscCall(make());
  if ((way.adjoint || way.further) && too_large()) {
    const bool lopsided = way.adjoint;

    if (lopsided) way.with = SmoothedWith::DiffusivePart;
    way.adjoint = false, way.further = 0;
    PetscCall(make());
    if (!*stop) grid.transfer->lopsided = lopsided;
  }
  if (too_large()) {
    PetscCall(PetscInfo(NULL, "Level %d is coarsened aggressively: %g entries of the next would be too many\n", (int)grids_.size() - 1, next.level->nnz));
    for (way = {threshold, true, way.aggressive ? 0 : way.degree, way.with, false};; way.degree = 0) {
      PetscCall(make());
      if (way.degree == 0 || !too_large()) break;
    }
    if (!*stop) grid.transfer->bounded = true;
    *stop = stopped_ = *stop || too_large();
  }
  if (*stop) {
    grid.transfer.reset();
    PetscCall(have_rows(grid, true));
    PetscCall(Together(grid.level->columns->comm(), "keep the magnitudes of its rows", [&] {
      if (!grid.level->magnitude.size()) grid.level->magnitude = kept();
    }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(Together(grid.level->columns->comm(), "list another level", [&] {
    B = std::move(coarse_B);
    grids_.push_back(next);
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Hierarchy::build(FinestOperator finest, const HierarchyOptions &options, bool *finite)
{
  PetscReal threshold = options.threshold;
  bool      stop      = false;

  PetscFunctionBegin;
  reset();
  stopped_ = wants_rows_ = updated_ = false;
  PetscCall(Together(finest.columns->comm(), "begin its hierarchy", [&] {
    std::int64_t total = entries(finest.A);

    grids_.emplace_back();
    grids_[0].level            = std::make_shared<CsrLevel>();
    grids_[0].level->A         = finest.A;
    grids_[0].level->exact     = finest.exact;
    grids_[0].level->facts     = finest.facts;
    grids_[0].level->on_demand = finest.on_demand;
    grids_[0].level->columns   = finest.columns;
    grids_[0].level->name      = std::move(finest.id);
    grids_[0].level->lattice   = finest.lattice;
    grids_[0].level->natural   = finest.columns->size() > 1 || grids_[0].level->name.size() == 0;
    finest.columns->sum(&total, 1);
    grids_[0].level->nnz = static_cast<PetscLogDouble>(total);
    grids_[0].level->stamp.new_pattern();
  }));
  grids_[0].bs        = finest.bs;
  grids_[0].symmetric = options.balanced; // as it was found, so that no estimate looks after two steps
  for (;;) {
    PetscCall(measure(grids_.back(), options, finite));
    if (grids_.size() == 1) PetscCall(trim_lattice(grids_[0]));
    const CsrLevel &level = *grids_.back().level;
    if (!*finite || grids_.back().covered || grids_.back().rows() <= options.coarse_limit || (PetscInt)grids_.size() >= options.max_levels) break;
    *finite = level.squares_finite;
    if (!*finite) break;
    PetscCall(coarsen(finest.B, finest.k, threshold, options, &stop));
    if (stop) break;
    /* Coarse operators are denser and their entries smaller (Vanek, Mandel, Brezina 1996); but what an aggregate has across a jump grows with its surface, and
       beside the diagonals from level to level. */
    threshold *= options.threshold_growth;
  }
  if (!*finite) reset();
  else if (grids_.size() == 1 && grids_[0].level->rows().no_rows()) wants_rows_ = true; /* a level that is solved is read by rows */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Hierarchy::update(const Csr &A, const HierarchyOptions &options, bool *finite, const OperatorSource &exact, std::shared_ptr<CsrFacts> facts,
                                 const RowsOnDemand &on_demand)
{
  bool fresh = false; /* filtered by values, P may have another pattern, and then all levels below it have */

  PetscFunctionBegin;
  updated_                   = true;
  grids_[0].level->A         = A;
  grids_[0].level->exact     = exact;
  grids_[0].level->facts     = std::move(facts);
  grids_[0].level->on_demand = on_demand;
  grids_[0].level->stamp.new_values();
  for (std::size_t l = 0; l < grids_.size(); l++) {
    CsrLevel &level = *grids_[l].level;

    PetscCall(measure(grids_[l], options, finite));
    if (!*finite) {
      reset();
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    if (l + 1 == grids_.size()) break;
    CsrTransfer &t    = *grids_[l].transfer;
    CsrLevel    &next = *grids_[l + 1].level;

    const PetscObjectState pattern = t.stamp.pattern;

    if ((options.keep == Keep::Aggregates && !options.stays) || !t.has_rows()) PetscCall(interpolate(grids_[l], *t.coarsening, options, fresh));
    fresh = fresh || t.stamp.pattern != pattern;
    if (options.keep != Keep::Aggregates && t.coarsening) PetscCall(Together(level.columns->comm(), "keep its interpolation", [&] { t.forget_coarsening(); }));
    if (!t.product.made()) PetscCall(project(grids_[l], next, options)); /* a new pattern, or values were not meant to change */
    else {
      PetscCall(have_rows(grids_[l], !spares_rows(grids_[l])));
      PetscCall(Step(events.galerkin, *level.columns, [&] {
        if (!t.transposed()) t.transpose();
        next.magnitude = std::move(level.magnitude);
        t.product.update(level.rows(), t, next.own, next.magnitude);
        next.own_format = t.product.take_diagonals();
        t.product.release_values();
        stabilise(t, next, options);
        next.A = next.own.view();
      }));
      next.stamp.new_values();
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::saamg
