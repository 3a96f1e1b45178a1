/* The set-up: its steps one after the other, in the space where the matrix is. */
#include "hierarchy.hpp"
#include "core/sparse/csr_ops.hpp"
#include "petsc/plugin.hpp"
#include "graph.hpp"
#include "parallel/agree.hpp"
#include "setup_step.hpp"

namespace goza::saamg {

/* The operator of the grid below, where there is none or the interpolation's pattern is new. */
PetscErrorCode Hierarchy::project(Grid &grid, CsrLevel &next, const HierarchyOptions &options)
{
  PetscFunctionBegin;
  PetscCall(have_rows(grid, !spares_rows(grid)));
  PetscCall(Step(events.galerkin, *grid.level->columns, [&] {
    CsrTransfer &t = *grid.transfer;

    if (!t.multiplied_by_place() && !t.transposed()) t.transpose(); // as release() left it
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
PetscErrorCode Hierarchy::aggregate_nodes(Coarsening &from, PetscInt k, bool aggressive, const HierarchyOptions &options, CsrAggregates &aggregates, bool *stop)
{
  const LocalColumns &columns = *grids_.back().level->columns;
  const PetscInt      least   = options.gather_limit / k + (options.gather_limit % k > 0);

  PetscFunctionBegin;
  PetscCall(Step(events.aggregate, columns, [&] {
    if (!from.by_place())
      aggregates = aggressive                         ? aggregate_twice(from.graph, least)
                 : options.by_heaviest                ? aggregate_by_heaviest(from.graph, least)
                 : k >= many_modes * grids_.back().bs ? aggregate_around_first_roots(from.graph, least)
                                                      : aggregate(from.graph, least);
    if (from.boxes && from.boxes->doubtful && !aggregates.even) from.boxes.reset();
    if (!from.boxes) return;
    from.boxes->doubtful = false;
    aggregates           = aggregates_of(*from.boxes, columns, grids_.back().level->ids(1), least);
  }));
  const std::int64_t coarse_rows = static_cast<std::int64_t>(aggregates.map->nglobal()) * k;
  *stop                          = coarse_rows == 0 || coarse_rows > columns.nglobal() - columns.nglobal() / 10;
  if (*stop)
    PetscCall(PetscInfo(NULL, "Coarsening stops at %" PetscInt_FMT " rows: the next level would have %" PetscInt64_FMT "\n", columns.nglobal(),
                        (PetscInt64)coarse_rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The level below the last one in this way, and its near-null vectors. */
PetscErrorCode Hierarchy::coarsen_so(const Way &way, Array<PetscScalar> &B, PetscInt k, const HierarchyOptions &options, Grid &next,
                                     Array<PetscScalar> &coarse_B, bool *stop)
{
  Grid          &grid    = grids_.back();
  const MapPtr   columns = grid.level->columns;
  const Strength all(0), found = strength_of(way, options, grids_.size() > 1 && grids_[0].transfer->alone),
                         &strength = options.bends && grids_.size() > 1 ? all : found;
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
    from->uneven        = way.uneven;
    from->filters       = !strength.all() && from->degree == 1 && (grids_.size() == 1 || options.weak_by_direction);
    if (may_be_boxes(way, k, from->filters, options))
      from->boxes = find_boxes(grid.level->rows(), grid.level->dinv, grid.level->ids(1), columns,
                               {options.by_place, options.further && options.stars, way.threshold});
    wants_rows_ = !from->by_place() && grid.level->rows().no_rows();
    if (wants_rows_) return;
    if (!from->by_place()) from->graph = options.bends ? beside_alone(graph_of(grid, all)) : graph_of(grid, strength);
    find_lasting(*from, way, options);
    link_slivers(grid, *from, way, options);
    from->graph.uneven = from->uneven;
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
  if (way.degree == 1 && !aggressive && grid.bs == 1 && k == 1) PetscCall(find_further(options, way));
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
    for (way = {threshold, true, way.aggressive ? 0 : way.degree, way.with, false, 0, way.uneven};; way.degree = 0) {
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
  stopped_ = wants_rows_ = updated_ = outgrown_ = false;
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
    PetscCall(compare_values(grids_.back(), options, nullptr));
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
  bool stay  = options.stays;

  PetscFunctionBegin;
  updated_                   = true;
  outgrown_                  = false;
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
    PetscCall(compare_values(grids_[l], options, &stay));
    if (outgrown_) {
      PetscCall(have_rows(grids_[0], true));
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    CsrTransfer &t    = *grids_[l].transfer;
    CsrLevel    &next = *grids_[l + 1].level;

    const PetscObjectState pattern = t.stamp.pattern;

    if ((options.keep == Keep::Aggregates && !stay) || !t.has_rows()) PetscCall(interpolate(grids_[l], *t.coarsening, options, fresh));
    fresh = fresh || t.stamp.pattern != pattern;
    if (options.keep != Keep::Aggregates && t.coarsening) PetscCall(Together(level.columns->comm(), "keep its interpolation", [&] { t.forget_coarsening(); }));
    if (!t.product.made()) PetscCall(project(grids_[l], next, options)); /* a new pattern, or values were not meant to change */
    else {
      PetscCall(have_rows(grids_[l], !spares_rows(grids_[l])));
      PetscCall(Step(events.galerkin, *level.columns, [&] {
        if (!t.multiplied_by_place() && !t.transposed()) t.transpose();
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
