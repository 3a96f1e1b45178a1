/* Matrices that are nothing but their format: diagonals are assembled there; so are slices; where these hold nodes of several unknowns as single rows, or long
   rows apart, and where rows are folded, they get their values from rows that are made for as long as this takes. */
#include "assembly.hpp"
#include "assembly/kernels/blocks.hpp"
#include "assembly/kernels/grid_numeric.hpp"
#include "mat/common/values_to_write.hpp"
#include "mat/own/own_cds.hpp"

namespace goza::assembly {

/* How far neighbours are apart, in nodes. */
static std::vector<PetscInt> offsets_of(const NodeGrid &grid)
{
  std::vector<PetscInt> offset;

  for (PetscInt z = -1; z <= 1; z++) {
    for (PetscInt y = -1; y <= 1; y++)
      for (PetscInt x = -1; x <= 1; x++) offset.push_back(grid.node(x, y, z));
  }
  std::sort(offset.begin(), offset.end());
  offset.erase(std::unique(offset.begin(), offset.end()), offset.end());
  return offset;
}

static Target diagonals_of(const DiagonalValues &v)
{
  Target target{};

  target.layout = Layout::Cds;
  target.val    = v.val;
  target.half   = v.half;
  target.ld     = v.ld;
  target.ndiag  = v.ndiag;
  std::copy_n(v.offset, v.ndiag, target.offset);
  return target;
}

/* On the device grids have kernels of their own; any other mesh is assembled by tiles. */
static const AssemblyMap *map_of(GozaAssembly a)
{
  if (a->space == Space::Host || PetscDefined(USE_COMPLEX)) return &a->map;
  if (is_for_grids(a->problem().equation, Layout::Cds)) {
    if (a->map.grid.is()) return &a->map;
    if (!a->grid_looked_for) {
      const NodeGrid grid = find_grid(a->mesh);

      if (grid.is()) a->grid_map = make_assembly_map(a->mesh, grid);
      a->grid_looked_for = true;
    }
    if (a->grid_map.grid.is()) return &a->grid_map;
  }
  if (!a->tile_map.ptr.size()) a->tile_map = make_assembly_map(a->problem(), a->mesh, Layout::Cds);
  return &a->tile_map;
}

/* The diagonals of the mesh's pairs, and whether a matrix of these alone may hold them: they are few, and mostly full. */
static PetscErrorCode FindOffsets(GozaAssembly a)
{
  PetscFunctionBegin;
  if (!a->offset.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Guarded([&] {
    const NodeGrid grid = a->map.grid.is() ? a->map.grid : find_grid(a->mesh);

    if (grid.is()) a->offset = offsets_of(grid); /* the pattern stays where it is */
  }));
  a->offsets_fit = true;
  if (!a->offset.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  std::int64_t pairs = 0, places = 0;

  PetscCall(Guarded([&] {
    const CsrMatrix nodes = rows_of_pairs(a->mesh, a->map, 1, false);

    pairs     = nodes.nnz();
    a->offset = mat::offsets_of(nodes.view(), 1, max_diagonals);
  }));
  for (PetscInt o : a->offset) places += a->nowned - PetscAbs(o);
  a->offsets_fit = a->offset.size() <= static_cast<std::size_t>(max_diagonals) &&
                   static_cast<double>(places) <= CdsOptions().max_fill * static_cast<double>(pairs);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AddDiagonals(GozaAssembly a, Mat A, OwnMat *own)
{
  PetscFunctionBegin;
  PetscCheck(own->bs == a->bs, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
             "The matrix has diagonals of blocks of %" PetscInt_FMT ", the equation %" PetscInt_FMT " unknowns a node: set the block size of the matrix",
             own->bs, a->bs);
  PetscCall(FindOffsets(a));
  PetscCall(OwnAddOffsets(A, own, a->offset));  /* which refuses too many */
  PetscCall(Guarded([&] { (void)map_of(a); })); /* so that it is no part of the first numeric phase */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* false: the kernels do not write there. */
static bool write_there(GozaAssembly a, const OwnValues &v, Target *target)
{
  if (const DiagonalValues *diagonals = std::get_if<DiagonalValues>(&v)) {
    *target = diagonals_of(*diagonals);
    return true;
  }
  const EllValues *slices = std::get_if<EllValues>(&v);

  if (!slices) return false;
  target->layout    = Layout::SlicedEll;
  target->val       = slices->val;
  target->shift     = slices->A.shift;
  target->team      = slices->team;
  target->slice_ptr = slices->A.slice_ptr;
  target->place_of  = slices->place_of;
  return slices->br == a->bs && slices->bc == a->bs && slices->W == 1 && slices->long_at == slices->stored;
}

/* Do the kernels leave nothing of what is there? */
static bool overwritten(GozaAssembly a, const OwnValues &v)
{
  Target target{};

  if (!write_there(a, v, &target)) return false;
  target.bs    = static_cast<int>(a->bs);
  target.owned = a->nowned;
  return writes_all(a->problem(), a->mesh, *map_of(a), target);
}

/* The mesh's pairs in this rank's own columns. */
static PetscErrorCode AddRows(GozaAssembly a, Mat A, OwnMat *own)
{
  CsrMatrix rows;
  OwnValues v;

  PetscFunctionBegin;
  PetscCall(Guarded([&] { rows = rows_of_pairs(a->mesh, a->map, static_cast<int>(a->bs), false); }));
  PetscCall(own->storage->take_rows(A, own, rows.view()));
  PetscCall(OwnRead(A, own, own->space, &v));
  PetscCall(Guarded([&] {
    Target target{};

    if (write_there(a, v, &target)) (void)map_of(a);
  }));
  a->nnz[0]  = rows.nnz();
  a->row_ptr = std::move(rows.ptr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckSpace(GozaAssembly a, const OwnMat *own)
{
  PetscFunctionBegin;
  PetscCheck(own->space == a->space, PETSC_COMM_SELF, PETSC_ERR_SUP, "The matrix is on the %s, the assembly on the %s", space_name(own->space),
             space_name(a->space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AddPlaces(GozaAssembly a, Mat A, OwnMat *own)
{
  PetscFunctionBegin;
  PetscCheck(A->rmap->n == a->nowned * a->bs, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
             "The matrix has %" PetscInt_FMT " rows on this rank, the mesh %" PetscInt_FMT " nodes of %" PetscInt_FMT " unknowns", A->rmap->n, a->nowned,
             a->bs);
  PetscCall(OwnSettle(A, own));
  PetscCall(CheckSpace(a, own));
  if (OwnsDiagonals(*own)) PetscCall(AddDiagonals(a, A, own));
  else PetscCall(AddRows(a, A, own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Collective, on several ranks: rest has the mesh's pairs and no others. */
static PetscErrorCode SetOthers(GozaAssembly a, Mat A, OwnMat *own)
{
  std::vector<PetscInt> ptr, col, garray;
  CsrMatrix             rows;

  PetscFunctionBegin;
  const PetscErrorCode failed = Guarded([&] {
    rows = rows_of_pairs(a->mesh, a->map, static_cast<int>(a->bs), true);
    ptr  = rows.ptr.to_host();
    col  = rows.col.to_host();
    for (PetscInt ghost : a->ghosts)
      for (PetscInt c = 0; c < a->bs; c++) garray.push_back(ghost * a->bs + c);
  });
  PetscCall(OwnSetRest(A, own, {Space::Host, rows.nrows, rows.ncols, ptr.data(), col.data(), nullptr}, garray.data(), failed));
  a->row_ptr_other.swap(rows.ptr);
  a->nnz[1] = ptr.back();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where kernels write. A type that is asked for as AIJ (MATSEQAIJCDS) is that. */
PetscErrorCode KindToOwn(GozaAssembly a, Mat A, MatType type, const OwnKind **kind)
{
  char      name[256];
  PetscBool given, same;

  PetscFunctionBegin;
  *kind = nullptr;
  PetscCall(PetscOptionsGetString(((PetscObject)A)->options, ((PetscObject)A)->prefix, "-mat_type", name, sizeof(name), &given));
  for (const auto &which : {OwnCdsKind, OwnSlicedEllKind}) {
    PetscCall(PetscStrcmp(given ? name : type, which().format().root, &same));
    if (same) *kind = &which();
  }
  if (*kind != &OwnCdsKind()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AgreeOnFailure(comm_of(a), FindOffsets(a)));
  int fit = a->offsets_fit;

  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &fit, 1, MPI_INT, MPI_MIN, comm_of(a)));
  if (!fit) *kind = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SetOwnPattern(GozaAssembly a, Mat A)
{
  OwnMat *own = find_own(A);

  PetscFunctionBegin;
  const PetscObjectId id = id_of(A);
  if (id == a->mat_id && A->nonzerostate == a->mat_pattern[0]) PetscFunctionReturn(PETSC_SUCCESS);
  a->mat_id = 0;
  PetscCall(AgreeOnFailure(comm_of(a), AddPlaces(a, A, own)));
  if (A->rmap->size > 1) PetscCall(SetOthers(a, A, own));
  PetscCall(OwnAgreeOnPattern(A));
  A->preallocated   = PETSC_TRUE;
  A->assembled      = PETSC_TRUE;
  a->mat_id         = id;
  a->mat_pattern[0] = A->nonzerostate;
  a->own_state      = -1;
  if (!OwnsDiagonals(*own)) a->own_state = state_of(A); /* a new layout, of zeros */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* This rank's values. Ao: of rest, NULL on one rank */
static PetscErrorCode WriteValues(GozaAssembly a, Mat A, OwnMat *own, Mat Ao)
{
  OwnValues          v;
  Target             target{};
  Array<PetscScalar> rows;
  ValuesToWrite      other;

  PetscFunctionBegin;
  PetscCall(CheckSpace(a, own));
  const PetscObjectState state = state_of(A);
  PetscCall(OwnWrite(A, own, own->space, false, &v));
  bool clean = state == a->own_state; /* else other values than those of the mesh's pairs may be there */

  if (!clean) PetscCall(Guarded([&] { clean = overwritten(a, v); }));
  if (!clean) {
    PetscCall(OwnForget(A, own));
    PetscCall(OwnWrite(A, own, own->space, false, &v));
  }
  if (Ao) PetscCall(other.open(Ao, a->space, a->nnz[1], false));
  const PetscErrorCode failed = Guarded([&] {
    const bool there = write_there(a, v, &target);

    if (!there) {
      rows          = Array<PetscScalar>(a->space, a->nnz[0]);
      target.layout = Layout::Csr;
      target.val    = rows.data();
      target.ptr    = a->row_ptr.data();
    }
    target.bs        = static_cast<int>(a->bs);
    target.owned     = a->nowned;
    target.val_other = Ao ? other.data() : NULL;
    target.ptr_other = Ao ? a->row_ptr_other.data() : NULL;
    assemble_matrix(a->problem(), a->mesh, there ? *map_of(a) : a->map, target);
    if (!there) own->held->refill({a->space, A->rmap->n, A->cmap->n, a->row_ptr.data(), nullptr, rows.data(), a->nnz[0]});
  });
  if (Ao) PetscCall(other.close());
  PetscCall(failed);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode WriteOwn(GozaAssembly a, Mat A)
{
  OwnMat *own = find_own(A);
  Mat     rest;

  PetscFunctionBegin;
  PetscCall(SetOwnPattern(a, A));
  PetscCall(OwnRest(A, own, &rest));
  PetscCall(AgreeOnFailure(comm_of(a), WriteValues(a, A, own, rest ? blocks_of(rest).others() : NULL)));
  if (rest) PetscCall(PetscObjectStateIncrease((PetscObject)rest));
  PetscCall(PetscObjectStateIncrease((PetscObject)A));
  a->own_state = state_of(A);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::assembly
