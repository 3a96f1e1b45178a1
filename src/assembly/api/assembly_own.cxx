/* Matrices that are nothing but their diagonals: assembled there, and nothing else is made. */
#include "assembly.hpp"
#include "mat/common/values_to_write.hpp"
#include "mat/own/own_cds.hpp"
#include "petsc/plugin.hpp"
#include <algorithm>

namespace goza::assembly
{

namespace
{

/* How far neighbours are apart, in nodes. */
std::vector<PetscInt> offsets_of(const NodeGrid &grid)
{
  std::vector<PetscInt> offset;

  for (PetscInt z = -1; z <= 1; z++) {
    for (PetscInt y = -1; y <= 1; y++) {
      for (PetscInt x = -1; x <= 1; x++) offset.push_back(grid.node(x, y, z));
    }
  }
  std::sort(offset.begin(), offset.end());
  offset.erase(std::unique(offset.begin(), offset.end()), offset.end());
  return offset;
}

void offsets_of(const GozaAssembly a, std::vector<PetscInt> &offset)
{
  for (PetscInt i = 0; i < a->nowned; i++) {
    for (PetscInt k = a->host_ptr[i]; k < a->host_ptr[i + 1]; k++) {
      const PetscInt o  = a->host_col[k] - i;
      const auto     at = std::lower_bound(offset.begin(), offset.end(), o);

      if (a->host_col[k] < a->nowned && (at == offset.end() || *at != o)) offset.insert(at, o);
      if (offset.size() > static_cast<std::size_t>(max_diagonals)) return; /* OwnAddOffsets() says so */
    }
  }
}

/* The pairs with nodes of other ranks, by global columns, which ascend. */
void others_of(const GozaAssembly a, std::vector<PetscInt> &ptr, std::vector<PetscInt> &col)
{
  ptr.assign(1, 0);
  for (PetscInt row = 0; row < a->nowned * a->bs; row++) {
    for (PetscInt k = a->host_ptr[row / a->bs]; k < a->host_ptr[row / a->bs + 1]; k++) {
      const PetscInt ghost = a->host_col[k] - a->nowned;

      for (PetscInt c = 0; ghost >= 0 && c < a->bs; c++) col.push_back(a->ghosts[ghost] * a->bs + c);
    }
    ptr.push_back(static_cast<PetscInt>(col.size()));
  }
}

/* On the device grids have kernels of their own; any other mesh is assembled by tiles. */
const AssemblyMap *map_of(GozaAssembly a)
{
  if (const AssemblyMap *map = map_for_diagonals(a)) return map;
  if (!a->tile_map.ptr.size()) a->tile_map = make_assembly_map(a->problem(), a->mesh, Layout::Cds);
  return &a->tile_map;
}

PetscErrorCode AddDiagonals(GozaAssembly a, Mat A, OwnCds *own)
{
  std::vector<PetscInt> offset;

  PetscFunctionBegin;
  PetscCheck(A->rmap->n == a->nowned * a->bs, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "The matrix has %" PetscInt_FMT " rows on this rank, the mesh %" PetscInt_FMT " nodes of %" PetscInt_FMT " unknowns",
             A->rmap->n, a->nowned, a->bs);
  PetscCall(OwnSettle(A, own));
  PetscCheck(own->bs == a->bs, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP, "The matrix has diagonals of blocks of %" PetscInt_FMT ", the equation %" PetscInt_FMT " unknowns a node: set the block size of the matrix",
             own->bs, a->bs);
  PetscCall(Guarded([&] {
    const NodeGrid grid = a->map.grid.is() ? a->map.grid : find_grid(a->mesh);

    if (grid.is()) offset = offsets_of(grid); /* the pattern stays where it is */
  }));
  if (offset.empty()) {
    PetscCall(HostPattern(a));
    PetscCall(Guarded([&] { offsets_of(a, offset); }));
  }
  PetscCall(OwnAddOffsets(A, own, offset));
  PetscCall(Guarded([&] { (void)map_of(a); })); /* so that it is no part of the first numeric phase */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Collective, on several ranks: rest has the mesh's pairs and no others. */
PetscErrorCode SetOthers(GozaAssembly a, Mat A, OwnCds *own)
{
  std::vector<PetscInt> ptr, col;

  PetscFunctionBegin;
  PetscErrorCode failed = HostPattern(a);
  if (!failed)
    failed = Guarded([&] {
      others_of(a, ptr, col);
      col.reserve(1); // PETSc takes a null pointer for "not given"
      a->row_ptr_other = Array<PetscInt>(a->space, ptr.data(), ptr.size());
    });
  PetscCall(AgreeOnFailure(PetscObjectComm((PetscObject)a), failed));
  PetscCall(OwnSetRest(A, own, ptr.data(), col.data(), NULL));
  a->nnz[1] = ptr.back();
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

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
  OwnCds       *own;
  PetscObjectId id;

  PetscFunctionBegin;
  PetscCall(MatGetOwnCds(A, &own));
  PetscCall(PetscObjectGetId((PetscObject)A, &id));
  if (id == a->mat_id && A->nonzerostate == a->mat_pattern[0]) PetscFunctionReturn(PETSC_SUCCESS);
  a->mat_id = 0;
  PetscCall(AgreeOnFailure(PetscObjectComm((PetscObject)a), AddDiagonals(a, A, own)));
  if (A->rmap->size > 1) PetscCall(SetOthers(a, A, own));
  PetscCall(OwnAgreeOnPattern(A));
  std::vector<PetscInt>().swap(a->host_ptr); /* of a large mesh as much as the diagonals */
  std::vector<PetscInt>().swap(a->host_col);
  A->preallocated   = PETSC_TRUE;
  A->assembled      = PETSC_TRUE;
  a->mat_id         = id;
  a->mat_pattern[0] = A->nonzerostate;
  a->own_state      = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* This rank's values. Ao: of rest, NULL on one rank */
static PetscErrorCode WriteValues(GozaAssembly a, Mat A, OwnCds *own, Mat Ao)
{
  DiagonalValues   v;
  Target           target{};
  ValuesToWrite    other;
  PetscObjectState state;

  PetscFunctionBegin;
  PetscCheck(own->space == a->space, PETSC_COMM_SELF, PETSC_ERR_SUP, "The matrix is on the %s, the assembly on the %s", space_name(own->space), space_name(a->space));
  PetscCall(PetscObjectStateGet((PetscObject)A, &state));
  if (state != a->own_state) PetscCall(OwnForget(A, own)); /* other values than those of the mesh's pairs may be there */
  PetscCall(OwnWrite(A, own, own->space, false, &v));
  if (Ao) PetscCall(other.open(Ao, a->space, a->nnz[1], false));
  target.layout    = Layout::Cds;
  target.bs        = v.bs;
  target.owned     = a->nowned;
  target.val       = v.val;
  target.half      = v.half;
  target.ld        = v.ld;
  target.ndiag     = v.ndiag;
  target.val_other = Ao ? other.data() : NULL;
  target.ptr_other = Ao ? a->row_ptr_other.data() : NULL;
  std::copy_n(v.offset, v.ndiag, target.offset);
  const PetscErrorCode failed = Guarded([&] { assemble_matrix(a->problem(), a->mesh, *map_of(a), target); });
  if (Ao) PetscCall(other.close());
  PetscCall(failed);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode WriteOwn(GozaAssembly a, Mat A)
{
  OwnCds         *own;
  Mat             rest, Ad, Ao = NULL;
  const PetscInt *garray;

  PetscFunctionBegin;
  PetscCall(MatGetOwnCds(A, &own));
  PetscCall(SetOwnPattern(a, A));
  PetscCall(OwnRest(A, own, &rest));
  if (rest) PetscCall(MatGetAIJBlocks(rest, &Ad, &Ao, &garray));
  PetscCall(AgreeOnFailure(PetscObjectComm((PetscObject)a), WriteValues(a, A, own, Ao)));
  if (rest) PetscCall(PetscObjectStateIncrease((PetscObject)rest));
  PetscCall(PetscObjectStateIncrease((PetscObject)A));
  PetscCall(PetscObjectStateGet((PetscObject)A, &a->own_state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::assembly
