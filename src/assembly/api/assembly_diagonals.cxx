/* Matrices in compressed diagonals: assembled there, AIJ's values made of it. */
#include "assembly.hpp"
#include "assembly/kernels/expand.hpp"
#include "petsc/plugin.hpp"
#include "assembly/kernels/grid_numeric.hpp"
#include "mat/cds/cds.hpp"
#include "mat/cds/cds_mat.hpp"
#include "mat/common/values_to_write.hpp"

namespace goza::assembly {

/* On the device the kernels that write diagonals know grids; what goes row by row knows any mesh. */
const AssemblyMap *map_for_diagonals(GozaAssembly a)
{
  const EquationKind equation = a->problem().equation;

  if (a->space == Space::Host || PetscDefined(USE_COMPLEX)) return &a->map;
  if (!is_for_grids(equation, Layout::Cds)) return nullptr;
  if (a->map.grid.is()) return &a->map;
  if (!a->grid_looked_for) {
    const NodeGrid grid = find_grid(a->mesh);

    if (grid.is()) a->grid_map = make_assembly_map(a->mesh, grid);
    a->grid_looked_for = true;
  }
  return a->grid_map.grid.is() ? &a->grid_map : nullptr;
}

using PlainCds = Cds<PetscScalar, PetscScalar>;

static PlainCds *diagonals_of(GozaAssembly a, FormatMat *f)
{
  auto *diagonals = dynamic_cast<PlainCds *>(const_cast<Format<PetscScalar> *>(&f->op->diagonal_block()));

  return diagonals && diagonals->block_size() == a->bs && !diagonals->hermitian_half() && diagonals->values_to_write() ? diagonals : nullptr;
}

static Target target_in(GozaAssembly a, PlainCds &diagonals)
{
  const CdsView<PetscScalar> view = diagonals.view();
  Target                     target{};

  target.layout = Layout::Cds;
  target.bs     = (int)a->bs;
  target.owned  = a->nowned;
  target.val    = diagonals.values_to_write();
  target.half   = diagonals.half();
  target.ld     = view.ld;
  target.ndiag  = (int)view.ndiag;
  std::copy_n(view.offset, view.ndiag, target.offset);
  return target;
}

PetscErrorCode FindDiagonals(GozaAssembly a, Mat A, DiagonalsToWrite *to)
{
  const AssemblyMap *map = nullptr;

  PetscFunctionBegin;
  to->f = format_of(A);
  if (ranks_of(a) > 1 || !is_based_on(A, MATSEQAIJ) || !to->f || to->f->kind != &CdsKind() || a->from.size()) PetscFunctionReturn(PETSC_SUCCESS);
  const Space space = space_of(A);
  if (space != a->space) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Guarded([&] { map = map_for_diagonals(a); }));
  if (!map) PetscFunctionReturn(PETSC_SUCCESS);
  if (!to->f->op->fits(A) || to->f->op->space() != space) { /* the values that it has do not matter, its layout does */
    std::shared_ptr<ParOperator<PetscScalar>> built;

    PetscCall(MatFormatGetOperator(A, &built));
  }
  PetscCall(Guarded([&] {
    PlainCds *diagonals = diagonals_of(a, to->f);

    if (!diagonals) return;
    if (to->f->op.use_count() > 1) { /* a preconditioner's, which keeps its values */
      auto next   = std::make_shared<ParOperator<PetscScalar>>();
      auto layout = diagonals->same_layout();

      diagonals = layout.get();
      next->start_from(std::move(layout));
      to->f->op = std::move(next);
    }
    to->target = target_in(a, *diagonals);
    to->map    = map;
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode WriteDiagonals(GozaAssembly a, Mat A, const DiagonalsToWrite &to)
{
  ValuesToWrite  own;
  PetscErrorCode failed;

  PetscFunctionBegin;
  (void)to.f->op->overwrite(); /* until AIJ has these values, too, the format is nobody's */
  PetscCall(Guarded([&] { assemble_matrix(a->problem(), a->mesh, *to.map, to.target); }));
  PetscCall(own.open(A, a->space, a->nnz[0], false));
  failed = Guarded([&] { expand_diagonals(a->space, *to.map, to.target, own.data()); });
  PetscCall(own.close());
  PetscCall(failed);
  to.f->op->written(A, (PetscLogDouble)a->nnz[0]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::assembly
