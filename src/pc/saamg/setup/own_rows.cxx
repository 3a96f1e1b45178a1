#include "own_rows.hpp"
#include "parallel/agree.hpp"
#include "mat/own/entry_ops.hpp"
#include "mat/own/own_mat.hpp"
#include "mat/slicedell/slicedell.hpp"
#include "stored_rows.hpp"
#include <petsc/private/matimpl.h>

namespace goza::saamg {

static const char what[] = "read its rows of the matrix";

void OwnRows::put_in_order(bool known_to_ascend)
{
  ascend = known_to_ascend || columns_ascend(A);
  if (ascend) return;
  made_ = transpose(A);
  made_ = transpose(made_.view());
  A     = made_.view();
}

/* The entries of all rows; without rows where it does not hold so many. *ascend: in every row. */
static CsrMatrix entries_held(const Format<PetscScalar> &same, PetscInt nrows, PetscInt ncols, PetscInt nnz, bool *ascend)
{
  using Ell = mat::SlicedEll<PetscScalar, PetscScalar>;

  const StoredRows stored({same.space(), nrows, ncols, nullptr, nullptr, nullptr}, &same);
  const auto      *ell = dynamic_cast<const Ell *>(&same);
  CsrMatrix        rows;

  *ascend = !ell;
  if (ell && ell->nonzeros() == nnz) rows = mat::compressed_rows(same.space(), mat::OwnValues(const_cast<Ell *>(ell)->entry_view())); // which are read
  if (const auto *cds = stored.diagonals(); cds && cds->block_size() == 1) {
    const auto view = cds->view();

    rows = mat::compressed_rows(same.space(), mat::entries_in(view, 1, cds->half(), const_cast<PetscScalar *>(view.val)), false);
  }
  return rows.nnz() == nnz ? std::move(rows) : CsrMatrix();
}

PetscErrorCode OwnRows::open_diagonal_block(Mat block, Space space, const Format<PetscScalar> *same, bool *known_to_ascend)
{
  PetscFunctionBegin;
  if (same) {
    PetscCall(diagonal_.open_pattern(block));
    const PetscInt nnz = diagonal_.nnz();
    PetscCall(diagonal_.close());
    PetscCall(Guarded([&] {
      bool by_place;

      made_ = entries_held(*same, block->rmap->n, block->cmap->n, nnz, &by_place);
      *known_to_ascend |= made_.ptr.size() && by_place;
    }));
  }
  if (!made_.ptr.size()) PetscCall(diagonal_.open(block, space));
  A = made_.ptr.size() ? made_.view() : diagonal_.csr();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnRows::open(Mat aij, Space space, bool known_to_ascend, const Format<PetscScalar> *same)
{
  const MPI_Comm  comm   = comm_of(aij);
  const AijBlocks blocks = blocks_of(aij);

  PetscFunctionBegin;
  PetscCall(FailTogether(comm, open_diagonal_block(blocks.diagonal(), space, same, &known_to_ascend), what));
  PetscCall(Together(comm, what, [&] {
    const LocalColumns owners(comm, A.ncols, space);

    columns = std::make_shared<ColumnMap>(owners, blocks.others() ? std::vector<PetscInt>(blocks.garray, blocks.garray + blocks.others()->cmap->n)
                                                                  : std::vector<PetscInt>());
  }));
  if (columns->size() > 1) {
    PetscCall(FailTogether(comm, off_diagonal_.open(blocks.others(), space), what));
    PetscCall(Together(comm, what, [&] { made_ = join_columns(A, off_diagonal_.csr()); }));
    A = made_.view();
    PetscCall(diagonal_.close());
    PetscCall(off_diagonal_.close());
  }
  PetscCall(Together(comm, what, [&] { put_in_order(known_to_ascend); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnRows::close()
{
  PetscFunctionBegin;
  A     = {};
  made_ = CsrMatrix();
  held.reset();
  PetscCall(diagonal_.close());
  PetscCall(off_diagonal_.close());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnRows::open_made(Mat D)
{
  const MPI_Comm comm = comm_of(D);
  AijBlocks      rest;

  PetscFunctionBegin;
  PetscCall(OwnCompressedRows(D, &made_, &rest));
  const Space space  = made_.space();
  const Mat   others = rest.others();
  if (others) PetscCall(FailTogether(comm, off_diagonal_.open(others, space), what));
  PetscCall(Together(comm, what, [&] {
    columns = std::make_shared<ColumnMap>(LocalColumns(comm, made_.ncols, space),
                                          others ? std::vector<PetscInt>(rest.garray, rest.garray + others->cmap->n) : std::vector<PetscInt>());
    if (others) made_ = join_columns(made_.view(), off_diagonal_.csr());
  }));
  PetscCall(off_diagonal_.close());
  A      = made_.view();
  ascend = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnRows::open_diagonals(Mat D, Space space, PetscLogDouble nnz)
{
  const MPI_Comm comm = comm_of(D);

  PetscFunctionBegin;
  A      = {space, D->rmap->n, D->cmap->n, nullptr, nullptr, nullptr};
  A.nnz  = static_cast<PetscInt>(PetscMin(nnz, static_cast<PetscLogDouble>(PETSC_MAX_INT))); /* who counts exactly asks the operator */
  ascend = true;
  PetscCall(Guarded([&] { columns = std::make_shared<ColumnMap>(LocalColumns(comm, A.ncols, space), std::vector<PetscInt>()); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CopyToMat(const Csr &M, const LocalColumns &columns, Mat *A)
{
  std::vector<PetscInt>    ptr, col;
  std::vector<PetscScalar> val;

  PetscFunctionBegin;
  PetscCall(Guarded([&] {
    const PetscInt nnz = entries(M);

    ptr = Array<PetscInt>(M.space, M.ptr, M.nrows + 1).to_host();
    col = globalize(columns, M.col, nnz).to_host();
    val = Array<PetscScalar>(M.space, M.val, nnz).to_host();
    col.reserve(1); // PETSc takes a null pointer for "not given"
  }));
  for (PetscInt i = 0; i < M.nrows; i++) PetscCall(PetscSortIntWithScalarArray(ptr[i + 1] - ptr[i], col.data() + ptr[i], val.data() + ptr[i]));
  PetscCall(MatCreate(columns.comm(), A));
  PetscCall(MatSetSizes(*A, M.nrows, columns.n(), PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetType(*A, columns.size() > 1 ? MATMPIAIJ : MATSEQAIJ));
  if (columns.size() > 1) PetscCall(MatMPIAIJSetPreallocationCSR(*A, ptr.data(), col.data(), val.data()));
  else PetscCall(MatSeqAIJSetPreallocationCSR(*A, ptr.data(), col.data(), val.data()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::saamg
