/* What a set-up finds out of a level. */
#include "balanced.hpp"
#include "couplings.hpp"
#include "grid_of_rows.hpp"
#include "hierarchy.hpp"
#include "lasting_rows.hpp"
#include "parallel/agree.hpp"
#include "petsc/plugin.hpp"
#include "setup_step.hpp"
#include "symmetry.hpp"
#include "within.hpp"

namespace goza::saamg {

PetscErrorCode Hierarchy::measure(Grid &grid, const HierarchyOptions &o, bool *finite)
{
  const bool                solved = &grid != grids_.data() && grid.rows() <= PetscMin(o.coarse_limit, o.solved_rows); // nobody asks for its eigenvalue
  CsrLevel                 &level  = *grid.level;
  ParOperator<PetscScalar> *exact  = nullptr;
  CsrFacts                  facts;

  PetscFunctionBegin;
  if (level.exact) PetscCall(FailTogether(level.columns->comm(), level.exact(&exact), "hold its rows in the matrix's format"));
  PetscCall(Step(events.eigen, *level.columns, [&] {
    if (!level.columns->all(exact)) exact = nullptr;
    level.format = exact ? &exact->diagonal_block() : level.own_format.get();
    if (level.rows().no_rows()) level.nnz = exact->nnz(); // which may be more than a PetscInt counts
    facts = level.facts ? std::move(*level.facts) : row_facts(level.rows(), *level.columns, 1, solved ? no_rough_rows : o.rough_from);
    level.facts.reset();
    if (facts.blocks && facts.blocks->br == grid.bs) level.blocks = std::move(facts.blocks);
    *finite              = facts.finite;
    level.squares_finite = facts.squares_finite;
    level.dominant       = facts.dominant;
    if (&grid == grids_.data()) level.magnitude = magnitudes(level.rows(), facts.dinv);
    level.balanced = Array<PetscScalar>(level.A.space);
    grid.covered   = facts.covered && o.smoothed_alone;
    grid.bound     = facts.dominant ? 2 : o.balanced ? most_balanced : std::numeric_limits<PetscReal>::infinity();
    grid.least     = 0;
    if (grid.covered) { /* one level, whose smoother may as well know all of the spectrum */
      const PetscReal beside = most_beside_diagonal(level.rows(), *level.columns, facts);

      grid.bound = 1 + beside;
      grid.least = 1 - beside;
    }
    if (*finite && !solved && o.balanced && !facts.dominant) {
      level.balanced = balanced_inverse(level.rows(), *level.columns, facts);
      level.balanced.swap(facts.dinv);
    }
    if (*finite && !solved) {
      const PetscReal estimate = lambda_max(level.rows(), *level.columns, facts, o.lanczos_steps(facts, &grid == grids_.data() ? grid.rows() : PETSC_MAX_INT),
                                            level.ids(grid.bs), exact, &grid.symmetric);

      grid.lambda = PetscMin(grid.bound, estimate); // a macro, which would estimate twice
    }
    level.diagonal = facts.rough && facts.dominant ? facts.rough->diagonal : RowExponents();
    level.rough    = updated_ && &grid == grids_.data() && facts.dominant ? std::move(facts.rough) : nullptr;
    if (level.balanced.size()) level.balanced.swap(facts.dinv);
    level.dinv     = std::move(facts.dinv);
    level.isolated = facts.nisolated ? std::move(facts.isolated) : Array<unsigned char>(level.A.space);
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Roots are to be where nodes are coupled. */
PetscErrorCode Hierarchy::trim_lattice(Grid &finest)
{
  CsrLevel &level = *finest.level;

  PetscFunctionBegin;
  PetscCall(Step(events.strength, *level.columns,
                 [&] { level.lattice = without_isolated_planes(level.lattice, level.ids(finest.bs), finest.bs, level.isolated, *level.columns); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Walks of two steps a node, which are the mean square of a row's length, up to which interpolation is smoothed so often: 9 along chains, 14 on streets, 16
   where a node has three neighbours, 25 of 5 points. There few nodes are two or three steps away, and where roots did not come to lie evenly, three nodes from
   each other, one smoothing leaves nodes at the edge of an aggregate with one aggregate alone. */
constexpr double walks_of_degree_3 = 10, walks_of_degree_2 = 16.5;

/* Walks of two steps over the square of a row's mean length, from which there are hubs: 1 to 1.2 on meshes and streets, 3 to 100 on power-law graphs. */
constexpr double walks_beside_hubs = 2;

/* To which degree the interpolation of the last grid may be smoothed, by its rows; 0: as asked for. On a lattice aggregates are even. */
PetscErrorCode Hierarchy::find_further(const HierarchyOptions &options, Way &way)
{
  const CsrLevel &level = *grids_.back().level;

  PetscFunctionBegin;
  if (!options.further || options.threshold > 0 || options.strong_share > 0 || options.by_heaviest || options.alternating || level.lattice.known() ||
      options.smoothed_with != SmoothedWith::Matrix || options.adjoint || level.rows().no_rows())
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Step(events.strength, *level.columns, [&] {
    const double walks = walks_of_two(level.A, *level.columns), mean = level.nnz / PetscMax(level.columns->nglobal(), 1);

    way.further = walks <= walks_of_degree_3 ? 3 : walks <= walks_of_degree_2 ? 2 : 0;
    way.uneven  = walks > walks_beside_hubs * mean * mean;
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows that are no longer than those of nine points, and aggregates of so many nodes, between which strong edges interpolate twice. Anisotropy of 1e-3 at an
   angle to a grid, whose strong entries lead along two directions: 7 iterations for 15 to 23. Where aggregates are smaller the operators below get as dense as
   the matrix: long elements along an axis take 8 iterations for 9, and a sixth more work. */
constexpr double    walks_of_nine_points = 82;
constexpr PetscReal wide_aggregate       = 6;

/* The degree of the polynomial of strong entries that smooths the interpolation of the last grid, from so many aggregates. */
PetscErrorCode Hierarchy::find_further_along_strong(const Coarsening &from, const CsrAggregates &aggregates, const HierarchyOptions &options, PetscInt *degree)
{
  const CsrLevel &level = *grids_.back().level;

  PetscFunctionBegin;
  *degree = from.degree;
  if (!options.further || grids_.size() > 1 || !from.filters || options.strong_share == 0 || options.bends || options.alternating || from.bs > 1 ||
      from.k > 1 || from.degree != 1 || level.rows().no_rows() ||
      static_cast<PetscReal>(level.columns->nglobal()) < wide_aggregate * static_cast<PetscReal>(aggregates.map->nglobal()))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Step(events.strength, *level.columns, [&] {
    if (walks_of_two(level.A, *level.columns) <= walks_of_nine_points) *degree = 2;
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From this spectrum on, beyond that of good meshes, rows are looked at; below the finest level, where it has lasting ones. */
constexpr PetscReal spectrum_of_lasting = static_cast<PetscReal>(2.4);

/* On a lattice aggregates are even; along each row's largest coupling such rows have few beside them. */
void Hierarchy::find_lasting(Coarsening &from, const Way &way, const HierarchyOptions &options) const
{
  const Grid     &grid  = grids_.back();
  const CsrLevel &level = *grid.level;

  if (from.boxes || grid.bs > 1 || from.k > 1 || !from.degree || way.aggressive || way.adjoint || way.with != SmoothedWith::Matrix || !options.further ||
      !options.balanced || options.by_heaviest || options.bends || level.dominant || level.lattice.known() ||
      !(grids_.size() > 1 ? grids_[0].transfer->alone > 0 : grid.spectrum() > spectrum_of_lasting))
    return;
  from.alone = leave_lasting_rows_alone(level.A, *level.columns, level.relaxing(), grid.spectrum(), from.graph);
}

Strength Hierarchy::strength_of(const Way &way, const HierarchyOptions &options, bool slivers) const
{
  return {way.threshold, options.diagonal_sign, slivers ? PetscMin(options.strong_share, Couplings::strong_share_of_slivers) : options.strong_share};
}

/* The finest level's graph again, of slivers, where it is one of strong entries. */
void Hierarchy::link_slivers(Grid &grid, Coarsening &from, const Way &way, const HierarchyOptions &options) const
{
  if (grids_.size() > 1 || !from.alone || options.strong_share == 0) return;
  Array<PetscInt> alone = std::move(from.graph.alone);

  from.graph = graph_of(grid, strength_of(way, options, true));
  set_alone(from.graph, std::move(alone));
}

CsrGraph Hierarchy::graph_of(Grid &grid, const Strength &strength) const
{
  CsrLevel &level = *grid.level;

  if (!level.blocks) level.blocks = pattern_of_blocks(level.A, grid.bs, grid.bs);
  return strength_graph(level.A, level.columns, grid.bs, strength, level.name.data(), level.lattice, {level.dinv.data(), level.isolated.data(), level.blocks});
}

/* Entries a row up to which the last grid's interpolation is smoothed within its pattern, too. */
double Hierarchy::most_within(const Coarsening &from, const HierarchyOptions &options) const
{
  const bool below = from.smoothed_with == SmoothedWith::Matrix && options.threshold == 0 && options.strong_share == 0 && grids_[0].transfer &&
                     grids_[0].transfer->few > 0;

  if (!options.further || from.bs > 1 || from.k > 1 || (from.degree != 1 && !from.filters) || from.smoothed_with == SmoothedWith::Nothing || from.adjoint ||
      options.alternating)
    return 0;
  if (grids_.size() == 1 || from.filters) return most_entries_within;
  return below ? most_entries_within_below : 0;
}

/* Whether find_boxes() has to do with what is asked for of the last grid. */
bool Hierarchy::may_be_boxes(const Way &way, PetscInt k, bool filters, const HierarchyOptions &options) const
{
  const Grid &grid = grids_.back();

  return grid.bs == 1 && k == 1 && grid.level->natural && grid.level->lattice.known() && (way.threshold == 0 || (filters && options.weak_by_place)) &&
         options.strong_share == 0 && !options.by_heaviest && way.degree == 1 && !way.aggressive && !way.adjoint && way.with == SmoothedWith::Matrix;
}

void stabilise(const CsrTransfer &t, CsrLevel &next, const HierarchyOptions &options)
{
  if (!options.balanced && !t.boxes) make_upwind(next.own.view(), next.columns, t.k, options.conjugated, next.own.val.data());
}

} // namespace goza::saamg
