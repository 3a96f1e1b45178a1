/* What a hierarchy keeps between set-ups, and what it makes again where that is wanted. */
#include "hierarchy.hpp"
#include "make_interpolation.hpp"
#include "parallel/agree.hpp"
#include "petsc/plugin.hpp"
#include "setup_step.hpp"
#include <algorithm>

namespace goza::saamg {

bool Hierarchy::whole() const
{
  for (const Grid &grid : grids_) {
    if (grid.transfer && !grid.transfer->has_rows()) return false;
    if (&grid != grids_.data() && !grid.level->own.ptr.size()) return false;
  }
  return true;
}

bool Hierarchy::has_rows() const
{
  return std::any_of(grids_.begin(), grids_.end(), [](const Grid &grid) { return grid.transfer && grid.transfer->has_rows(); });
}

/* Whether a grid's product with its interpolation reads its diagonals as well as its rows, which may go when the interpolation is there. */
bool Hierarchy::spares_rows(const Grid &grid) const
{
  const CsrLevel    &level = *grid.level;
  const CsrTransfer *t     = grid.transfer.get();

  return level.on_demand && t && t->bs * t->k > 1 && t->blocks && !t->W.ptr.size() && level.rows().diagonals();
}

/* The same of its interpolation. */
bool Hierarchy::spares_rows(const Grid &grid, const Coarsening &from) const
{
  const CsrLevel &level = *grid.level;

  return level.on_demand && !from.boxes && from.bs * from.k > 1 && plain(from) && level.blocks && level.rows().diagonals();
}

PetscErrorCode Hierarchy::have_rows(Grid &grid, bool wanted)
{
  CsrLevel &level = *grid.level;

  PetscFunctionBegin;
  if (level.on_demand && level.rows().no_rows() == wanted) PetscCall(level.on_demand(wanted, &level.A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* magnitude: of the grid's rows where a product has left it, else nothing; becomes that of the next one's */
PetscErrorCode Hierarchy::restore_operator(const Grid &grid, CsrLevel &next, Array<PetscReal> &magnitude)
{
  const CsrLevel &level = *grid.level;

  PetscFunctionBegin;
  PetscCall(Step(events.galerkin, *level.columns, [&] {
    GalerkinProduct product;
    MapPtr          columns;

    if (!magnitude.size()) magnitude = magnitudes(level.rows(), level.dinv);
    next.own = product.make(level.rows(), level.columns, *grid.transfer, columns, magnitude);
    next.A   = next.own.view();
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As measure() does. */
static void find_inverse(CsrLevel &level)
{
  CsrFacts facts = row_facts(level.rows(), *level.columns);

  level.dinv = std::move(facts.dinv);
  if (facts.nisolated) level.isolated = std::move(facts.isolated);
}

PetscErrorCode Hierarchy::restore(const HierarchyOptions &options)
{
  HierarchyOptions held = options;
  Array<PetscReal> magnitude;

  PetscFunctionBegin;
  held.half_pairs = false;
  for (std::size_t l = 0; l + 1 < grids_.size(); l++) {
    Grid                     &grid  = grids_[l];
    CsrLevel                 &level = *grid.level, &next = *grids_[l + 1].level;
    ParOperator<PetscScalar> *exact = nullptr;

    if (grid.transfer->has_rows()) continue;
    if (level.exact) PetscCall(FailTogether(level.columns->comm(), level.exact(&exact), "hold its rows in the matrix's format"));
    if (exact) level.format = &exact->diagonal_block();
    PetscCall(Step(events.prolong, *level.columns, [&] {
      MapPtr columns;

      if (!level.dinv.size()) find_inverse(level);
      grid.transfer->P                = interpolation_of(grid, *grid.transfer->coarsening, held, columns);
      grid.transfer->boxes->exponents = Array<std::int64_t>(); // the matrix may have other values now
      number_columns(*grid.transfer->boxes, grid.transfer->P);
    }));
    if (!next.own.ptr.size()) PetscCall(restore_operator(grid, next, magnitude));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is weak on the finest level may be strong on those below, where aggregates follow what is strong, and be so no more when it has become still weaker, of
   which the finest level's values tell nothing: entries along one axis from 0.05 to 1e-4 of those along the other, 14 iterations for 4. *stay: whether the
   interpolation does; becomes false where values have changed since it was made, and then so do all below. stay: null where it is made now. */
PetscErrorCode Hierarchy::compare_values(Grid &grid, const HierarchyOptions &options, bool *stay)
{
  CsrLevel &level = *grid.level;

  PetscFunctionBegin;
  if (!options.looks || &grid == grids_.data()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Step(events.eigen, *level.columns, [&] {
    ValueSketch now;

    if (!level.columns->all(!level.rows().no_rows())) return;
    const bool same = nearly_same(level.A, *level.columns, level.dinv, level.values, now) && stay && *stay;
    if (same) return;
    level.values = std::move(now);
    outgrown_    = stay && *stay && options.keep == Keep::Interpolation;
    if (stay) *stay = false;
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With what it comes from. */
static std::size_t bytes_of(const CsrTransfer &t)
{
  std::size_t bytes = (t.blocks ? t.blocks->bytes() : 0) + (t.transposed_blocks ? t.transposed_blocks->bytes() : 0) + t.P.bytes() + t.W.bytes() + t.R.bytes() +
                      t.own_transpose.bytes() + t.product.bytes() + (t.boxes ? t.boxes->bytes() : 0);

  if (t.coarsening) {
    const CsrGraph &G = t.coarsening->graph;

    bytes += t.coarsening->Q.bytes() + t.coarsening->coarse_B.bytes() + t.coarsening->aggregate.bytes() + G.ptr.bytes() + G.col.bytes() + G.weight.bytes() +
             G.degree.bytes() + G.rdiag.bytes();
  }
  return bytes;
}

std::size_t Hierarchy::bytes() const
{
  std::size_t bytes = 0;

  for (const Grid &grid : grids_) {
    bytes += grid.level->own.bytes() + grid.level->dinv.bytes() + grid.level->balanced.bytes() + grid.level->isolated.bytes() + grid.level->name.bytes() +
             grid.level->magnitude.bytes() + grid.level->values.bytes() + (grid.level->blocks ? grid.level->blocks->bytes() : 0);
    if (grid.transfer) bytes += bytes_of(*grid.transfer);
  }
  return bytes;
}

void Hierarchy::release(const HierarchyOptions &options)
{
  for (std::size_t l = 1; l < grids_.size(); l++) spare_operator(grids_[l - 1], grids_[l]);
  for (Grid &grid : grids_) {
    grid.level->spare_diagonals();
    grid.level->format = nullptr;
    if (options.keep == Keep::Nothing) grid.level->blocks.reset();
    if (!grid.transfer) continue;
    if (options.keep == Keep::Nothing) grid.transfer->nodes.reset();
    if (!keeps_products(options) || options.keep == Keep::Aggregates) grid.transfer->release_transpose(!keeps_products(options));
    if (grid.transfer->boxes) {
      grid.transfer->boxes->spare_stencil();                      // where only P was made
      grid.transfer->boxes->pairs = Array<BoxPair<HalfScalar>>(); // that no cycle has taken
    }
    if (options.keep == Keep::Nothing) grid.transfer->boxes.reset();
    else grid.transfer->spare_rows();
    grid.spare_inverse();
  }
  if (grids_.empty()) return;
  grids_[0].level->A.ptr = grids_[0].level->A.col = nullptr;
  grids_[0].level->A.val                          = nullptr;
  grids_[0].level->exact                          = nullptr;
  grids_[0].level->on_demand                      = nullptr;
  grids_[0].level->facts                          = nullptr;
  grids_[0].level->rough                          = nullptr;
}

} // namespace goza::saamg
