/* AIJ of an owning matrix, for what PETSc knows of AIJ alone: made when it is asked for, and given back when nobody holds it any more. */
#include "mat/common/borrowed_csr.hpp"
#include "own_mat.hpp"
#include "parallel/agree.hpp"
#include <numeric>

namespace goza::mat {

PetscLogEvent own_to_aij;

namespace {

constexpr char make[] = "make AIJ of its values";

/* Rows of global columns, ascending. */
struct HostRows {
  std::vector<PetscInt> ptr;
  PetscInt             *col = NULL;
  PetscScalar          *val = NULL;

  HostRows()                            = default;
  HostRows(const HostRows &)            = delete;
  HostRows &operator=(const HostRows &) = delete;
  ~HostRows() { (void)PetscFree2(col, val); }
};

/* The entries of `others`, which are those in columns of other ranks, come before and after this rank's own. */
void join_rows_with(const Csr &others, const PetscInt *garray, const OwnValues &v, PetscInt first, HostRows &rows)
{
  std::vector<PetscInt> begin(rows.ptr);
  PetscInt              next = 0;

  for (PetscInt i = 0; i < others.nrows; i++) {
    PetscInt k = others.ptr[i];

    for (; k < others.ptr[i + 1] && garray[others.col[k]] < first; k++, begin[i]++, next++) {
      rows.col[next] = garray[others.col[k]];
      rows.val[next] = others.val[k];
    }
    next += rows.ptr[i + 1] - rows.ptr[i] - (others.ptr[i + 1] - others.ptr[i]);
    for (; k < others.ptr[i + 1]; k++, next++) {
      rows.col[next] = garray[others.col[k]];
      rows.val[next] = others.val[k];
    }
  }
  copy_entries(Space::Host, v, begin.data(), first, rows.col, rows.val);
}

/* Of diagonals the entries that are not 0, and the main one, or all places; and all of rest's. */
PetscErrorCode FindRows(Mat A, OwnMat *own, bool places, HostRows *rows)
{
  OwnValues    v;
  AijBlocks    rest;
  BorrowedCsr  lent;
  std::int64_t nnz = 0;

  PetscFunctionBegin;
  PetscCall(OwnSettle(A, own));
  PetscCall(OwnRead(A, own, Space::Host, &v));
  if (auto *diagonals = std::get_if<DiagonalValues>(&v)) diagonals->every = places;
  if (own->others.rest) {
    rest = blocks_of(own->others.rest);
    PetscCall(lent.open(rest.others(), Space::Host));
  }
  PetscCall(Guarded([&] {
    rows->ptr.resize(A->rmap->n + 1);
    count_entries(Space::Host, v, rows->ptr.data());
    for (PetscInt i = 0; rest.others() && i < A->rmap->n; i++) rows->ptr[i] += lent.csr().ptr[i + 1] - lent.csr().ptr[i];
    nnz = std::accumulate(rows->ptr.begin(), rows->ptr.end(), std::int64_t(0));
  }));
  PetscCheck(nnz <= PETSC_MAX_INT, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "AIJ of this matrix would have %" PetscInt64_FMT
             " nonzeros, more than a PetscInt of this PETSc counts; what is asked for cannot be done without AIJ",
             (PetscInt64)nnz);
  PetscCall(PetscMalloc2(nnz + 1, &rows->col, nnz + 1, &rows->val));
  std::exclusive_scan(rows->ptr.begin(), rows->ptr.end(), rows->ptr.begin(), PetscInt(0));
  PetscCall(Guarded([&] {
    if (rest.others()) join_rows_with(lent.csr(), rest.garray, v, A->cmap->rstart, *rows);
    else copy_entries(Space::Host, v, rows->ptr.data(), 0, rows->col, rows->val);
  }));
  PetscCall(lent.close());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a making leaves. */
PetscErrorCode Count(Mat A, OwnMat *own, const HostRows &rows)
{
  const PetscLogDouble nnz = rows.ptr[A->rmap->n];

  PetscFunctionBegin;
  if (own->space == Space::Cuda && own->current) { /* no second copy is kept */
    own->host.reset();
    own->host_current = false;
  }
  own->made++;
  own->made_bytes = nnz * (sizeof(PetscInt) + sizeof(PetscScalar)) + (PetscLogDouble)A->rmap->n * sizeof(PetscInt);
  PetscCall(PetscInfo(A, "AIJ is made of the matrix: %g nonzeros, %g MB\n", nnz, own->made_bytes / 1e6));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where the entries are that are not 0, and the main diagonal, in a word; of rows, which have the places that were asked for, nothing. */
PetscErrorCode HashEntries(Mat A, OwnMat *own, std::uint64_t *hash)
{
  OwnValues     v;
  std::uint64_t h = 1469598103934665603u;

  PetscFunctionBegin;
  *hash = 0;
  if (own->storage->by_rows()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(OwnSettle(A, own));
  PetscCall(OwnRead(A, own, Space::Host, &v));
  const DiagonalValues &diagonals = std::get<DiagonalValues>(v);
  for (PetscInt row = 0; row < A->rmap->n; row++) {
    diagonals.for_each_of_row(row, [&](PetscInt col, const PetscScalar *p) {
      if (diagonals.is_entry(row, col, *p))
        h = (h ^ (static_cast<std::uint64_t>(row) * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(col))) * 1099511628211u;
    });
  }
  *hash = h;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Into the places that it has. */
PetscErrorCode Refresh(Mat A, OwnMat *own, bool places, Mat aij)
{
  HostRows     rows;
  PetscScalar *val;

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(own_to_aij, A, 0, 0, 0));
  PetscCall(FailTogether(comm_of(A), FindRows(A, own, places, &rows), make));
  if (own->others.rest) PetscCall(MatUpdateMPIAIJWithArray(aij, rows.val));
  else {
    PetscCall(MatSeqAIJGetArrayWrite(aij, &val));
    std::copy_n(rows.val, rows.ptr[A->rmap->n], val);
    PetscCall(MatSeqAIJRestoreArrayWrite(aij, &val));
    PetscCall(MatAssemblyBegin(aij, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(aij, MAT_FINAL_ASSEMBLY));
  }
  PetscCall(Count(A, own, rows));
  PetscCall(PetscLogEventEnd(own_to_aij, A, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What PETSc's operations read of a matrix beside its entries. */
PetscErrorCode CopyFlags(Mat A, Mat aij)
{
  PetscFunctionBegin;
  PetscCall(MatPropagateSymmetryOptions(A, aij));
  PetscCall(MatSetBlockSizesFromMats(aij, A, A)); /* which may have been set since the image was made */
  aij->submat_singleis = A->submat_singleis;
  aij->erroriffailure  = A->erroriffailure;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Vectors of the matrix's kind, for PETSc's solvers that take it from a block. */
PetscErrorCode SetVectors(Mat A, Mat aij)
{
  PetscFunctionBegin;
  if (!A->defaultvectype) PetscFunctionReturn(PETSC_SUCCESS);
  for (Mat M : {aij, blocks_of(aij).diagonal()}) PetscCall(MatSetVecType(M, A->defaultvectype));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Collective: with the matrix's values, at the places that it has now. */
PetscErrorCode Update(Mat A, OwnMat *own, bool places, OwnImage &image)
{
  PetscFunctionBegin;
  const PetscObjectState state = state_of(A);
  if (!places) PetscCall(OwnPatternNow(A));
  if (image.aij && image.pattern != A->nonzerostate) PetscCall(MatDestroy(&image.aij));
  if (!image.aij) {
    if (image.pattern != A->nonzerostate) PetscCall(FailTogether(comm_of(A), HashEntries(A, own, &image.hash), make));
    PetscCall(OwnMakeAij(A, places, &image.aij));
    PetscCall(SetVectors(A, image.aij));
  } else if (image.state != state) PetscCall(Refresh(A, own, places, image.aij));
  image.pattern = A->nonzerostate;
  image.state   = state;
  PetscCall(CopyFlags(A, image.aij));
  PetscFunctionReturn(PETSC_SUCCESS);
}

OwnImage &image_of(OwnMat *own, bool places) { return own->images[places && !own->storage->by_rows()]; }

} // namespace

PetscErrorCode OwnAijOfRows(Mat A, const PetscInt *ptr, const PetscInt *col, const PetscScalar *val, Mat *B)
{
  PetscFunctionBegin;
  PetscCall(MatCreate(comm_of(A), B));
  PetscCall(MatSetSizes(*B, A->rmap->n, A->cmap->n, A->rmap->N, A->cmap->N));
  PetscCall(MatSetBlockSizesFromMats(*B, A, A));
  PetscCall(PetscObjectSetOptionsPrefix((PetscObject)*B, ((PetscObject)A)->prefix));
  PetscCall(MatSetType(*B, A->rmap->size > 1 ? MATMPIAIJ : MATSEQAIJ));
  PetscErrorCode failed = A->rmap->size > 1 ? MatMPIAIJSetPreallocationCSR(*B, ptr, col, val) : MatSeqAIJSetPreallocationCSR(*B, ptr, col, val);
  if (failed) PetscCall(MatDestroy(B));
  PetscCall(failed);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnMakeAij(Mat A, bool places, Mat *B)
{
  OwnMat  *own = own_of(A);
  HostRows rows;
  Mat      rest;

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(own_to_aij, A, 0, 0, 0));
  PetscCall(OwnRest(A, own, &rest));
  PetscCall(FailTogether(comm_of(A), FindRows(A, own, places, &rows), make));
  PetscCall(OwnAijOfRows(A, rows.ptr.data(), rows.col, rows.val, B));
  PetscCall(MatPropagateSymmetryOptions(A, *B));
  PetscCall(Count(A, own, rows));
  PetscCall(PetscLogEventEnd(own_to_aij, A, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnLookForNewPattern(Mat A)
{
  OwnMat         *own   = own_of(A);
  const OwnImage &image = own->images[0];
  std::uint64_t   hash  = 0;
  int             moved = 0;

  PetscFunctionBegin;
  if (own->storage->by_rows() || image.pattern != A->nonzerostate) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(FailTogether(comm_of(A), HashEntries(A, own, &hash), make));
  moved = hash != image.hash;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &moved, 1, MPI_INT, MPI_MAX, comm_of(A)));
  if (moved) A->nonzerostate++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnPatternNow(Mat A)
{
  PetscFunctionBegin;
  if (own_of(A)->images[0].state != state_of(A)) PetscCall(OwnLookForNewPattern(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnBorrowAij(Mat A, bool places, Mat *aij)
{
  OwnMat   *own   = own_of(A);
  OwnImage &image = image_of(own, places);

  PetscFunctionBegin;
  PetscCall(Update(A, own, places, image));
  image.borrowed++;
  *aij = image.aij;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnReturnAij(Mat A, bool places)
{
  OwnImage &image = image_of(own_of(A), places);

  PetscFunctionBegin;
  if (image.borrowed) image.borrowed--;
  if (image.borrowed || image.kept || !image.aij || ((PetscObject)image.aij)->refct > 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatDestroy(&image.aij));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void OwnKeepAij(Mat A, bool places) { image_of(own_of(A), places).kept = true; }

Mat OwnTakeAij(Mat A, bool places) { return std::exchange(image_of(own_of(A), places).aij, nullptr); }

PetscErrorCode OwnAgreeOnPattern(Mat A)
{
  PetscInt64 state = A->nonzerostate; /* a diagonal may have come on one rank alone */

  PetscFunctionBegin;
  if (A->rmap->size > 1) {
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &state, 1, MPIU_INT64, MPI_MAX, comm_of(A)));
    A->nonzerostate = state;
  }
  PetscCall(OwnLookForNewPattern(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::mat
