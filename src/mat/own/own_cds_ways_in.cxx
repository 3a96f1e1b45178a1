/* Functions that are composed on a matrix of diagonals that owns its values. */
#include "own_cds.hpp"
#include "mat/common/format_mat.hpp"

namespace goza::mat {

/* For programs whose own kernels write values: composed, so that they need not link this library. */
static PetscErrorCode MatCDSSetDiagonals_Own(Mat A, PetscInt n, const PetscInt offsets[])
{
  OwnMat               *own = own_of(A);
  std::vector<PetscInt> more;

  PetscFunctionBegin;
  PetscCheck(n >= 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "%" PetscInt_FMT " diagonals", n);
  if (n) PetscCall(CheckPointer(offsets, 3));
  PetscCall(OwnSettle(A, own));
  PetscCall(Guarded([&] { more.assign(offsets, offsets + n); }));
  PetscCall(OwnAddOffsets(A, own, more));
  A->preallocated = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatCDSGetDiagonals_Own(Mat A, PetscInt *n, const PetscInt *offsets[], PetscInt64 *ld, PetscScalar *values[], PetscMemType *where)
{
  OwnMat *own = own_of(A);

  PetscFunctionBegin;
  PetscCall(OwnSettle(A, own));
  PetscCall(OwnWrite(A, own, own->space, true, &own->open));
  const DiagonalValues &v = std::get<DiagonalValues>(own->open);
  *n                      = v.ndiag;
  *ld                     = v.ld;
  *values                 = v.val;
  *where                  = own->space == Space::Host ? PETSC_MEMTYPE_HOST : PETSC_MEMTYPE_CUDA;
  if (offsets) *offsets = v.offset;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entries of AIJ that lie on no diagonals: PETSc gives an interpolation the type of its fine matrix, and preallocates it. Such a matrix keeps AIJ. */
static PetscErrorCode KeepAij(Mat A, bool *kept)
{
  const OwnMat *own = own_of(A);

  PetscFunctionBegin;
  *kept = !A->preallocated && !own->op;
  if (!*kept) PetscFunctionReturn(PETSC_SUCCESS);
  const FormatKind &format = own->kind->format();
  const bool        mpi    = A->rmap->size > 1;
  PetscCall(MatSetType(A, BaseType(mpi)));
  PetscCall(MatCreate_Format(A, format, mpi));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatSeqAIJSetPreallocation_Own(Mat A, PetscInt nz, const PetscInt nnz[])
{
  bool kept;

  PetscFunctionBegin;
  PetscCall(KeepAij(A, &kept));
  if (kept) PetscCall(MatSeqAIJSetPreallocation(A, nz, nnz));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatMPIAIJSetPreallocation_Own(Mat A, PetscInt d_nz, const PetscInt d_nnz[], PetscInt o_nz, const PetscInt o_nnz[])
{
  bool kept;

  PetscFunctionBegin;
  PetscCall(KeepAij(A, &kept));
  if (kept) PetscCall(MatMPIAIJSetPreallocation(A, d_nz, d_nnz, o_nz, o_nnz));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatSetPreallocationCSR_Own(Mat A, const PetscInt ptr[], const PetscInt col[], const PetscScalar val[])
{
  bool kept;

  PetscFunctionBegin;
  PetscCall(KeepAij(A, &kept));
  if (!kept) PetscCall(OwnSetCSR(A, ptr, col, val));
  else PetscCall((A->rmap->size > 1 ? MatMPIAIJSetPreallocationCSR : MatSeqAIJSetPreallocationCSR)(A, ptr, col, val));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnComposeCds(Mat A, bool attach)
{
  PetscFunctionBegin;
  PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatCDSSetDiagonals_C", attach ? MatCDSSetDiagonals_Own : NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatCDSGetDiagonals_C", attach ? MatCDSGetDiagonals_Own : NULL));
  const bool rectangular = attach && A->rmap->N != A->cmap->N, one = A->rmap->size == 1; /* a DMDA takes what has these for AIJ */
  PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatSeqAIJSetPreallocation_C", rectangular && one ? MatSeqAIJSetPreallocation_Own : NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatMPIAIJSetPreallocation_C", rectangular && !one ? MatMPIAIJSetPreallocation_Own : NULL));
  if (rectangular)
    PetscCall(
      PetscObjectComposeFunction((PetscObject)A, one ? "MatSeqAIJSetPreallocationCSR_C" : "MatMPIAIJSetPreallocationCSR_C", MatSetPreallocationCSR_Own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::mat
