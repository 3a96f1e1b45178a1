/* Matrices that are nothing but their diagonals: assembled there, and nothing else is made. */
#include "assembly.hpp"
#include "mat/own/own_cds.hpp"
#include "petsc/plugin.hpp"
#include <algorithm>

namespace goza::assembly
{

/* How far neighbours are apart, in nodes. */
static void offsets_of(const GozaAssembly a, std::vector<PetscInt> &offset)
{
  const std::vector<PetscInt> ptr = a->map.ptr.to_host(), col = a->map.col.to_host();

  for (PetscInt i = 0; i < a->nowned; i++) {
    for (PetscInt k = ptr[i]; k < ptr[i + 1]; k++) {
      const auto at = std::lower_bound(offset.begin(), offset.end(), col[k] - i);

      if (at == offset.end() || *at != col[k] - i) offset.insert(at, col[k] - i);
      if (offset.size() > static_cast<std::size_t>(max_diagonals)) return; /* OwnAddOffsets() says so */
    }
  }
}

PetscErrorCode IsOwn(Mat A, bool *yes)
{
  OwnCds *own;

  PetscFunctionBegin;
  PetscCall(MatGetOwnCds(A, &own));
  *yes = own;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SetOwnPattern(GozaAssembly a, Mat A)
{
  OwnCds               *own;
  PetscObjectId         id;
  std::vector<PetscInt> offset;

  PetscFunctionBegin;
  PetscCall(MatGetOwnCds(A, &own));
  PetscCheck(A->rmap->n == a->nowned * a->bs, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "The matrix has %" PetscInt_FMT " rows, the mesh %" PetscInt_FMT " nodes of %" PetscInt_FMT " unknowns",
             A->rmap->n, a->nowned, a->bs);
  PetscCall(OwnSettle(A, own));
  PetscCheck(own->bs == a->bs, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP, "The matrix has diagonals of blocks of %" PetscInt_FMT ", the equation %" PetscInt_FMT " unknowns a node: set the block size of the matrix",
             own->bs, a->bs);
  PetscCall(PetscObjectGetId((PetscObject)A, &id));
  if (id == a->mat_id && A->nonzerostate == a->mat_pattern[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Guarded([&] { offsets_of(a, offset); }));
  PetscCall(OwnAddOffsets(A, own, offset));
  A->preallocated   = PETSC_TRUE;
  A->assembled      = PETSC_TRUE;
  a->mat_id         = id;
  a->mat_pattern[0] = A->nonzerostate;
  a->own_state      = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On the device grids have kernels of their own; any other mesh is assembled by tiles. */
static const AssemblyMap *map_of(GozaAssembly a)
{
  if (const AssemblyMap *map = map_for_diagonals(a)) return map;
  if (!a->tile_map.ptr.size()) a->tile_map = make_assembly_map(a->problem(), a->mesh, Layout::Cds);
  return &a->tile_map;
}

PetscErrorCode WriteOwn(GozaAssembly a, Mat A)
{
  OwnCds          *own;
  DiagonalValues   v;
  Target           target{};
  PetscObjectState state;

  PetscFunctionBegin;
  PetscCall(MatGetOwnCds(A, &own));
  PetscCall(SetOwnPattern(a, A));
  PetscCheck(own->space == a->space, PETSC_COMM_SELF, PETSC_ERR_SUP, "The matrix is on the %s, the assembly on the %s", space_name(own->space), space_name(a->space));
  PetscCall(PetscObjectStateGet((PetscObject)A, &state));
  if (state != a->own_state) PetscCall(OwnForget(A, own)); /* other values than those of the mesh's pairs may be there */
  PetscCall(OwnWrite(A, own, own->space, false, &v));
  target.layout = Layout::Cds;
  target.bs     = v.bs;
  target.owned  = a->nowned;
  target.val    = v.val;
  target.half   = v.half;
  target.ld     = v.ld;
  target.ndiag  = v.ndiag;
  std::copy_n(v.offset, v.ndiag, target.offset);
  PetscCall(Guarded([&] { assemble_matrix(a->problem(), a->mesh, *map_of(a), target); }));
  PetscCall(PetscObjectStateIncrease((PetscObject)A));
  PetscCall(PetscObjectStateGet((PetscObject)A, &a->own_state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::assembly
