/* PETSc's BAIJ, a matrix of blocks on the host (paper P4's block CRS): assembled in compressed rows where the mesh is, of which blocks are made there. */
#include "assembly_pattern.hpp"
#include "assembly/kernels/blocks.hpp"

namespace goza::assembly {

PetscErrorCode SetBlockPattern(GozaAssembly a, Mat A, PetscInt start)
{
  std::vector<PetscInt> ptr, col;
  PetscErrorCode        failed = HostPattern(a);

  PetscFunctionBegin;
  if (!failed) failed = Guarded([&] { GlobalPattern(a, 1, start, ptr, col); });
  PetscCall(AgreeOnFailure(comm_of(a), failed));
  PetscCall(MatSeqBAIJSetPreallocationCSR(A, a->bs, ptr.data(), col.data(), NULL)); /* of these two one does nothing */
  PetscCall(MatMPIBAIJSetPreallocationCSR(A, a->bs, ptr.data(), col.data(), NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The pairs' blocks in A, unless they are known. */
static PetscErrorCode BindBlocks(GozaAssembly a, Mat A, Mat Ad, Mat Ao, const PetscInt *garray)
{
  Rows                  diag, other;
  PatternStamp          stamp;
  std::vector<PetscInt> place;
  bool                  exact;

  PetscFunctionBegin;
  stamp.take(A, Ad, Ao);
  if (stamp.is_of(a)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(A->rmap->n == a->nowned * a->bs && A->rmap->bs == a->bs, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
             "The matrix has %" PetscInt_FMT " rows on this rank in blocks of %" PetscInt_FMT ", the mesh %" PetscInt_FMT " nodes of %" PetscInt_FMT
             " unknowns",
             A->rmap->n, A->rmap->bs, a->nowned, a->bs);
  a->mat_id = 0;
  PetscCall(diag.open(Ad, PETSC_TRUE));
  PetscCall(other.open(Ao, PETSC_TRUE));
  PetscCall(FindPlaces(a, 1, diag, other, garray, place, &exact));
  for (PetscInt i = 0; i < a->nowned; i++)
    for (PetscInt k = a->host_ptr[i]; k < a->host_ptr[i + 1]; k++) place[k] += a->host_col[k] < a->nowned ? diag.ptr[i] : other.ptr[i];
  PetscCall(Guarded([&] {
    a->row_ptr       = row_pointer_of_pairs(a->space, a->map, a->nowned, static_cast<int>(a->bs), false);
    a->row_ptr_other = row_pointer_of_pairs(a->space, a->map, a->nowned, static_cast<int>(a->bs), true);
    a->from          = Array<PetscInt>(a->space, place.data(), place.size());
  }));
  a->nnz[0] = diag.ptr[a->nowned];
  a->nnz[1] = Ao ? other.ptr[a->nowned] : 0;
  PetscCall(diag.close());
  PetscCall(other.close());
  stamp.keep(a);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Assembles, and makes blocks of it, where the mesh is. own, other: zeros, for the places that no pair has */
static void make_blocks(GozaAssembly a, PetscScalar *own, PetscScalar *other)
{
  const PetscInt     rows = a->nowned * a->bs;
  Array<PetscScalar> mine(a->space, read_value(a->space, a->row_ptr.data() + rows)), others(a->space, read_value(a->space, a->row_ptr_other.data() + rows));
  Target             target{};

  target.layout    = Layout::Csr;
  target.bs        = static_cast<int>(a->bs);
  target.owned     = a->nowned;
  target.val       = mine.data();
  target.val_other = others.data();
  target.ptr       = a->row_ptr.data();
  target.ptr_other = a->ghosts.empty() ? NULL : a->row_ptr_other.data();
  assemble_matrix(a->problem(), a->mesh, a->map, target);
  put_blocks(a->space, a->map, target, a->from.data(), own, other);
}

/* This rank's values, on the host. */
static PetscErrorCode FillBlocks(GozaAssembly a, Mat Ad, Mat Ao)
{
  Mat                block[2] = {Ad, Ao};
  PetscScalar       *val[2]   = {NULL, NULL};
  Array<PetscScalar> there[2];

  PetscFunctionBegin;
  for (int b = 0; b < 2; b++)
    if (block[b]) PetscCall(MatSeqBAIJGetArray(block[b], &val[b]));
  const PetscErrorCode failed = Guarded([&] {
    const std::size_t each = static_cast<std::size_t>(a->bs) * a->bs;
    PetscScalar      *to[2];

    for (int b = 0; b < 2; b++) {
      if (a->space == Space::Host) std::fill_n(val[b], a->nnz[b] * each, PetscScalar(0));
      else there[b] = Array<PetscScalar>(a->space, a->nnz[b] * each);
      if (a->space == Space::Cuda) there[b].zero();
      to[b] = a->space == Space::Host ? val[b] : there[b].data();
    }
    make_blocks(a, to[0], to[1]);
    for (int b = 0; b < 2 && a->space == Space::Cuda; b++) device::copy(val[b], there[b].data(), there[b].bytes());
  });
  for (int b = 0; b < 2; b++) {
    if (!block[b]) continue;
    if (a->space == Space::Cuda) PetscCall(PetscLogGpuToCpu((PetscLogDouble)there[b].bytes()));
    PetscCall(MatSeqBAIJRestoreArray(block[b], &val[b]));
    PetscCall(MatAssemblyBegin(block[b], MAT_FINAL_ASSEMBLY)); /* what PETSc made of the old values counts no more */
    PetscCall(MatAssemblyEnd(block[b], MAT_FINAL_ASSEMBLY));
    PetscCall(PetscObjectStateIncrease((PetscObject)block[b]));
  }
  PetscCall(failed);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode WriteBlocks(GozaAssembly a, Mat A)
{
  Mat             Ad = A, Ao = NULL;
  const PetscInt *garray = NULL;

  PetscFunctionBegin;
  const bool mpi = is_type(A, MATMPIBAIJ);
  if (mpi) PetscCall(MatMPIBAIJGetSeqBAIJ(A, &Ad, &Ao, &garray));
  PetscCall(AgreeOnFailure(comm_of(a), BindBlocks(a, A, Ad, Ao, garray)));
  PetscCall(AgreeOnFailure(comm_of(a), FillBlocks(a, Ad, Ao)));
  if (mpi) PetscCall(PetscObjectStateIncrease((PetscObject)A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::assembly
