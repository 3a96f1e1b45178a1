/* AIJ of an owning matrix and back. */
#include "diagonal_ops.hpp"
#include "mat/common/borrowed_csr.hpp"
#include "own_cds.hpp"
#include "petsc/plugin.hpp"
#include <numeric>

namespace goza::mat
{

PetscLogEvent own_to_aij;

namespace
{

OwnCds *own_of(Mat A)
{
  return static_cast<OwnCds *>(A->data);
}

/* A SeqAIJ on the host of the entries that are not 0, and the main diagonal. */
PetscErrorCode MakeAij(Mat A, Mat *B)
{
  OwnCds               *own = own_of(A);
  DiagonalValues        v;
  std::vector<PetscInt> length;
  PetscInt             *col = NULL;
  PetscScalar          *val = NULL;
  std::int64_t          nnz = 0;

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(own_to_aij, A, 0, 0, 0));
  PetscCall(OwnSettle(A, own));
  PetscCall(OwnRead(A, own, Space::Host, &v));
  PetscCall(Guarded([&] {
    length.resize(A->rmap->n + 1);
    count_entries(Space::Host, v, length.data());
    nnz = std::accumulate(length.begin(), length.end(), std::int64_t(0));
  }));
  PetscCheck(nnz <= PETSC_MAX_INT, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "AIJ of this matrix would have %" PetscInt64_FMT " nonzeros, more than a PetscInt of this PETSc counts; what is asked for cannot be done without AIJ", (PetscInt64)nnz);
  PetscCall(MatCreate(PETSC_COMM_SELF, B));
  PetscCall(MatSetSizes(*B, A->rmap->n, A->cmap->n, A->rmap->n, A->cmap->n));
  PetscCall(MatSetBlockSizesFromMats(*B, A, A));
  PetscCall(MatSetType(*B, MATSEQAIJ));
  PetscCall(MatSeqAIJSetPreallocation(*B, 0, length.data()));
  PetscErrorCode failed = PetscMalloc2(nnz, &col, nnz, &val);
  if (!failed) {
    std::exclusive_scan(length.begin(), length.end(), length.begin(), PetscInt(0));
    failed = Guarded([&] { copy_entries(Space::Host, v, length.data(), col, val); });
    for (PetscInt i = 0; !failed && i < A->rmap->n; i++)
      failed = MatSetValues(*B, 1, &i, length[i + 1] - length[i], col + length[i], val + length[i], INSERT_VALUES);
    if (!failed) failed = MatAssemblyBegin(*B, MAT_FINAL_ASSEMBLY);
    if (!failed) failed = MatAssemblyEnd(*B, MAT_FINAL_ASSEMBLY);
    PetscCall(PetscFree2(col, val));
  }
  if (own->space == Space::Cuda && own->current) { /* no second copy is kept */
    own->host         = Array<PetscScalar>();
    own->host_current = false;
  }
  if (failed) PetscCall(MatDestroy(B));
  PetscCall(failed);
  PetscCall(MatPropagateSymmetryOptions(A, *B));
  own->made++;
  own->made_bytes = (PetscLogDouble)nnz * (sizeof(PetscInt) + sizeof(PetscScalar)) + (PetscLogDouble)A->rmap->n * sizeof(PetscInt);
  PetscCall(PetscInfo(A, "AIJ is made of the diagonals: %g nonzeros, %g MB\n", (double)nnz, own->made_bytes / 1e6));
  PetscCall(PetscLogEventEnd(own_to_aij, A, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CopyNullSpaces(Mat A, Mat B)
{
  MatNullSpace near;

  PetscFunctionBegin;
  PetscCall(MatGetNearNullSpace(A, &near));
  if (near) PetscCall(MatSetNearNullSpace(B, near));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GiveResult(Mat A, Mat made, MatReuse reuse, Mat *M)
{
  PetscFunctionBegin;
  if (reuse == MAT_INPLACE_MATRIX) PetscCall(MatHeaderReplace(A, &made));
  else if (reuse == MAT_REUSE_MATRIX) PetscCall(MatHeaderReplace(*M, &made));
  else *M = made;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* To any type: through AIJ, but for the type itself. */
PetscErrorCode MatConvert_OwnCds_Any(Mat A, MatType type, MatReuse reuse, Mat *M)
{
  Mat       B;
  PetscBool same;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(type, own_cds_type, &same));
  if (same) {
    if (reuse == MAT_INPLACE_MATRIX) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &B));
  } else {
    PetscCall(MakeAij(A, &B));
    PetscCall(MatConvert(B, type, MAT_INPLACE_MATRIX, &B));
    PetscCall(CopyNullSpaces(A, B));
  }
  PetscCall(GiveResult(A, B, reuse, M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The offsets between nodes that entries have. */
void find_offsets(const Csr &A, PetscInt bs, std::vector<PetscInt> &offset)
{
  for (PetscInt row = 0; row < A.nrows; row++) {
    std::size_t k = 0;

    for (PetscInt p = A.ptr[row]; p < A.ptr[row + 1]; p++) {
      const PetscInt o = A.col[p] / bs - row / bs;

      if (k < offset.size() && offset[k] == o) continue;
      const auto at = std::lower_bound(offset.begin(), offset.end(), o);

      k = at - offset.begin();
      if (at == offset.end() || *at != o) offset.insert(at, o);
      if (offset.size() > static_cast<std::size_t>(max_diagonals)) return; /* as OwnAddOffsets() finds */
    }
  }
}

/* In full storage of a matrix that seems symmetric, too: nobody has promised that. */
PetscErrorCode FillFromCsr(Mat B, OwnCds *own, const Csr &csr)
{
  std::vector<PetscInt> offset;
  DiagonalValues        v;

  PetscFunctionBegin;
  PetscCall(OwnShape(B, own));
  PetscCall(Guarded([&] { find_offsets(csr, own->bs, offset); }));
  PetscCall(OwnAddOffsets(B, own, offset));
  const double stored = (double)OwnEntries(*own, csr.nrows / own->bs, csr.ncols / own->bs), there = csr.nrows ? (double)csr.ptr[csr.nrows] : 0;
  PetscCheck(stored <= own->options.max_fill * there + 4096 + csr.nrows, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP, "%d diagonals would store %.3g values for %.3g nonzeros; -mat_cds_max_fill allows %.2f for one: let the matrix keep AIJ (-mat_cds_keep_aij yes)",
             (int)own->offset.size(), stored, there, own->options.max_fill);
  PetscCall(OwnWrite(B, own, Space::Host, false, &v));
  for (PetscInt row = 0; row < csr.nrows; row++) {
    for (PetscInt p = csr.ptr[row]; p < csr.ptr[row + 1]; p++) {
      if (!v.half || csr.col[p] / own->bs >= row / own->bs) *v.place(row, csr.col[p]) = csr.val[p];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From any type: through AIJ. */
PetscErrorCode MatConvert_Any_OwnCds(Mat A, MatType, MatReuse reuse, Mat *M)
{
  Mat         aij = A, B;
  PetscBool   is_aij;
  BorrowedCsr lent;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQAIJ, &is_aij));
  if (!is_aij) PetscCall(MatConvert(A, MATSEQAIJ, MAT_INITIAL_MATRIX, &aij));
  PetscCall(OwnCdsNew(A, nullptr, &B));
  B->preallocated       = PETSC_TRUE;
  PetscErrorCode failed = lent.open(aij, Space::Host, true);
  if (!failed) failed = FillFromCsr(B, own_of(B), lent.csr());
  PetscCall(lent.close());
  if (!is_aij) PetscCall(MatDestroy(&aij));
  if (failed) PetscCall(MatDestroy(&B));
  PetscCall(failed);
  PetscCall(MatAssemblyBegin(B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(B, MAT_FINAL_ASSEMBLY));
  PetscCall(CopyNullSpaces(A, B));
  PetscCall(GiveResult(A, B, reuse, M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

void OwnCdsSetConvertOps(Mat A)
{
  A->ops->convert     = MatConvert_OwnCds_Any;
  A->ops->convertfrom = MatConvert_Any_OwnCds;
}

} // namespace goza::mat
