/* MatZeroRows() and MatZeroRowsColumns(), and so their IS, local and stencil forms, where the device has the newer values: there, while PETSc 3.26 brings the
   matrix to the host. */
#include "borrowed_csr.hpp"
#include "format_mat.hpp"
#include "petsc/plugin.hpp"
#include "parallel/agree.hpp"
#include "named_rows.hpp"
#include "zero_rows.hpp"
#include <petscsf.h>

namespace goza::mat {

#if PetscDefined(HAVE_CUDA)

namespace {

/* The rows of this rank that somebody named: their local numbers, on the host and on the device. */
struct Rows {
  std::vector<PetscInt> list;
  Array<PetscInt>       there{Space::Cuda};

  PetscInt size() const { return (PetscInt)list.size(); }

  PetscErrorCode bring() /* to the device */
  {
    PetscFunctionBegin;
    PetscCall(Guarded([&] { there = Array<PetscInt>(Space::Cuda, list.data(), list.size()); }));
    PetscCall(PetscLogCpuToGpu(there.bytes()));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

/* The vectors of the right-hand side on the device; nothing where the caller gave none. */
class RightHandSide {
public:
  RightHandSide(Vec x, Vec b) : x_(b ? x : NULL), b_(x ? b : NULL) { }

  PetscErrorCode get()
  {
    PetscFunctionBegin;
    if (!x_) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(read_.get(x_, Space::Cuda, staged_x_));
    PetscCall(write_.get(b_, Space::Cuda, staged_b_, true));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscErrorCode restore()
  {
    PetscFunctionBegin;
    if (!x_) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(write_.restore());
    PetscCall(read_.restore());
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  bool               given() const { return x_; } /* the arrays of a rank without rows may be null */
  const PetscScalar *x() const { return x_ ? read_.data() : nullptr; }
  PetscScalar       *b() const { return x_ ? write_.data() : nullptr; }

private:
  Vec      x_, b_;
  VecRead  read_;
  VecWrite write_;
  Stage    staged_x_, staged_b_;
};

/* The device has every block's values, on all ranks. */
PetscErrorCode ValuesOnDevice(Mat A, bool *yes)
{
  PetscMPIInt here = !A->boundtocpu, all;

  PetscFunctionBegin;
  for (Mat block : blocks_of(A))
    if (nonzeros_of(block) > 0 && block->offloadmask != PETSC_OFFLOAD_GPU && block->offloadmask != PETSC_OFFLOAD_BOTH) here = 0;
  PetscCallMPI(MPI_Allreduce(&here, &all, 1, MPI_INT, MPI_MIN, comm_of(A)));
  *yes = all;
  PetscFunctionReturn(PETSC_SUCCESS);
}

constexpr char zero[] = "zero its rows of the matrix";

PetscErrorCode GetDeviceCsr(Mat block, Csr *csr)
{
  PetscFunctionBegin;
  csr->space = Space::Cuda;
  csr->nrows = block->rmap->n;
  csr->ncols = block->cmap->n;
  PetscCall(MatSeqAIJCUSPARSEGetIJ(block, PETSC_FALSE, &csr->ptr, &csr->col));
  PetscCall(MatSeqAIJCUSPARSEGetArrayRead(block, &csr->val));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Call> PetscErrorCode WriteValues(Mat block, const Call &call)
{
  PetscScalar *val;

  PetscFunctionBegin;
  PetscCall(MatSeqAIJCUSPARSEGetArray(block, &val));
  PetscCall(PetscLogGpuTimeBegin());
  PetscCall(Guarded([&] { call(val); }));
  PetscCall(PetscLogGpuTimeEnd());
  PetscCall(MatSeqAIJCUSPARSERestoreArray(block, &val));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's own operation on the host's values, which are old and stay so: for what it checks and for what it does to the pattern, as only PETSc knows whether
   that is to be kept. Where entries went or came, the device gets the new pattern and, from what it had, the values. */
template <auto Op> PetscErrorCode ChangePattern(Mat block, const std::vector<PetscInt> &rows, PetscScalar diag, bool *changed)
{
  const PetscObjectState state = block->nonzerostate;
  Csr                    before{}, now{};
  Array<PetscInt>        ptr(Space::Cuda), list(Space::Cuda);
  Array<PetscScalar>     val(Space::Cuda);
  Array<char>            gone(Space::Cuda);
  const PetscCount       nnz = nonzeros_of(block);

  PetscFunctionBegin;
  PetscCall(GetDeviceCsr(block, &before));
  block->offloadmask        = PETSC_OFFLOAD_CPU; /* so that nothing is brought */
  const PetscErrorCode ierr = (block->ops->*Op)(block, (PetscInt)rows.size(), rows.data(), diag, NULL, NULL);
  *changed                  = block->nonzerostate != state;
  block->offloadmask        = *changed ? PETSC_OFFLOAD_CPU : PETSC_OFFLOAD_GPU;
  PetscCall(ierr);
  if (!*changed) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Guarded([&] { /* PETSc frees its arrays when it makes the new ones */
                          ptr        = Array<PetscInt>(Space::Cuda, before.ptr, before.nrows + 1);
                          val        = Array<PetscScalar>(Space::Cuda, before.val, (std::size_t)nnz);
                          list       = Array<PetscInt>(Space::Cuda, rows.data(), rows.size());
                          gone       = Array<char>(Space::Cuda, before.nrows);
                          before.ptr = ptr.data();
                          before.val = val.data();
                          mark(Space::Cuda, list.data(), (PetscInt)rows.size(), gone.data(), before.nrows);
  }));
  PetscCall(GetDeviceCsr(block, &now));
  PetscCall(WriteValues(block, [&](PetscScalar *v) { fill_without_rows(before, now, v, gone.data(), diag); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ZeroRowsOfBlock(Mat block, const Rows &rows, PetscScalar diag)
{
  bool changed = false;
  Csr  csr{};

  PetscFunctionBegin;
  if (!rows.size()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ChangePattern<&_MatOps::zerorows>(block, rows.list, diag, &changed));
  if (changed) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(GetDeviceCsr(block, &csr));
  PetscCall(WriteValues(block, [&](PetscScalar *val) { zero_rows(csr, val, rows.there.data(), rows.size(), diag); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the rows that have entries in the block only: the pattern of one that has none of them does not change. */
PetscErrorCode ZeroRowsOfOffDiagonal(Mat block, const Rows &rows)
{
  Rows        some;
  BorrowedCsr lent;

  PetscFunctionBegin;
  PetscCall(lent.open_pattern(block));
  PetscCall(Guarded([&] {
    for (PetscInt row : rows.list)
      if (lent.csr().ptr[row + 1] > lent.csr().ptr[row]) some.list.push_back(row);
  }));
  PetscCall(lent.close());
  PetscCall(some.bring());
  PetscCall(ZeroRowsOfBlock(block, some, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every listed row has a place for its diagonal entry. */
PetscErrorCode HasDiagonal(Mat block, const std::vector<PetscInt> &rows, bool *has)
{
  BorrowedCsr lent;

  PetscFunctionBegin;
  PetscCall(lent.open_pattern(block));
  const PetscInt *ptr = lent.csr().ptr, *col = lent.csr().col;
  *has = true;
  for (PetscInt row : rows) *has = *has && (row >= block->cmap->n || std::find(col + ptr[row], col + ptr[row + 1], row) != col + ptr[row + 1]);
  PetscCall(lent.close());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ZeroRowsColumnsOfBlock(Mat block, const Rows &rows, const ZeroedColumns &zeroed)
{
  Csr  csr{};
  bool has = true, changed = false;

  PetscFunctionBegin;
  PetscCall(GetDeviceCsr(block, &csr));
  PetscCall(WriteValues(block, [&](PetscScalar *val) { zero_rows_and_columns(csr, val, zeroed); }));
  if (zeroed.diag != PetscScalar(0)) PetscCall(HasDiagonal(block, rows.list, &has));
  if (!has) PetscCall(ChangePattern<&_MatOps::zerorowscolumns>(block, rows.list, zeroed.diag, &changed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Those other ranks' columns that are zeroed, and x there. Collective. */
PetscErrorCode GetGhosts(Mat A, PetscInt n, const PetscInt *garray, const Rows &rows, const RightHandSide &rhs, Array<char> *gone, Array<PetscScalar> *ghost)
{
  PetscSF           sf;
  std::vector<char> mine, theirs;

  PetscFunctionBegin;
  PetscCall(Together(comm_of(A), zero, [&] {
    mine.resize(A->rmap->n);
    theirs.resize(n);
  }));
  for (PetscInt row : rows.list) mine[row] = 1;
  PetscCall(PetscSFCreate(comm_of(A), &sf));
  PetscCall(PetscSFSetGraphLayout(sf, A->cmap, n, NULL, PETSC_COPY_VALUES, garray));
  PetscCall(PetscSFBcastBegin(sf, MPI_CHAR, mine.data(), theirs.data(), MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(sf, MPI_CHAR, mine.data(), theirs.data(), MPI_REPLACE));
  PetscCall(Together(comm_of(A), zero, [&] {
    *gone  = Array<char>(Space::Cuda, theirs.data(), n);
    *ghost = Array<PetscScalar>(Space::Cuda, rhs.given() ? n : 0);
  }));
  PetscCall(PetscLogCpuToGpu(gone->bytes()));
  if (rhs.given()) {
    PetscCall(PetscSFBcastWithMemTypeBegin(sf, MPIU_SCALAR, PETSC_MEMTYPE_CUDA, rhs.x(), PETSC_MEMTYPE_CUDA, ghost->data(), MPI_REPLACE));
    PetscCall(PetscSFBcastEnd(sf, MPIU_SCALAR, rhs.x(), ghost->data(), MPI_REPLACE));
  }
  PetscCall(PetscSFDestroy(&sf));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The pattern's state of a parallel matrix is the sum of its blocks' over the ranks. Collective. */
PetscErrorCode SumNonzeroStates(Mat A, Mat Ad, Mat Ao, PetscObjectState before)
{
  PetscInt64 sum[2] = {Ad->nonzerostate + Ao->nonzerostate, Ad->nonzerostate + Ao->nonzerostate - before};

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPIU_INT64, MPI_SUM, comm_of(A)));
  if (sum[1]) A->nonzerostate = sum[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What both operations work on. */
struct Zeroing {
  FormatMat    *f;
  AijBlocks     blocks;
  Rows          rows;
  RightHandSide rhs;
  bool          here; /* else PETSc's own operation is taken */

  Zeroing(Vec x, Vec b) : rhs(x, b) { }

  /* Collective. columns: theirs are zeroed, too. */
  PetscErrorCode begin(Mat A, PetscInt n, const PetscInt list[], bool columns)
  {
    PetscBool congruent;

    PetscFunctionBegin;
    f      = format_of(A);
    blocks = blocks_of(A);
    PetscCall(ValuesOnDevice(A, &here));
    PetscCall(MatHasCongruentLayouts(A, &congruent));
    here = here && (congruent || (!blocks.others() && !columns)); /* PETSc numbers the columns as the rows; it refuses what makes no sense */
    if (!here) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(use_petsc_stream());
    PetscCall(MatFindNamedRows(A, n, list, zero, &rows.list));
    const PetscErrorCode brought = rows.bring();

    PetscCall(FailTogether(comm_of(A), brought ? brought : rhs.get(), zero));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

PetscErrorCode MatZeroRows_Device(Mat A, PetscInt n, const PetscInt rows[], PetscScalar diag, Vec x, Vec b)
{
  Zeroing z(x, b);

  PetscFunctionBegin;
  PetscCall(z.begin(A, n, rows, false));
  if (!z.here) {
    PetscCall((AsBase<&_MatOps::zerorows>::call(A, n, rows, diag, x, b)));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  /* ascending: rows beyond the columns, which have no diagonal entry, are the last */
  const PetscInt       inside = (PetscInt)(std::lower_bound(z.rows.list.begin(), z.rows.list.end(), z.blocks.diagonal()->cmap->n) - z.rows.list.begin());
  const PetscErrorCode set    = z.rhs.x() ? Guarded([&] { set_rows(Space::Cuda, z.rows.there.data(), inside, diag, z.rhs.x(), z.rhs.b()); }) : PETSC_SUCCESS;
  PetscCall(z.rhs.restore());
  PetscCall(FailTogether(comm_of(A), set, zero));
  if (!z.blocks.others()) {
    PetscCall(MatFormatAsBase(A, z.f, [&] { return ZeroRowsOfBlock(A, z.rows, diag); }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  const PetscObjectState before = z.blocks.diagonal()->nonzerostate + z.blocks.others()->nonzerostate;
  const PetscErrorCode   zeroed = ZeroRowsOfBlock(z.blocks.diagonal(), z.rows, diag);

  PetscCall(FailTogether(comm_of(A), zeroed ? zeroed : ZeroRowsOfOffDiagonal(z.blocks.others(), z.rows), zero));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY)); /* drops what PETSc derived from the old values */
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(SumNonzeroStates(A, z.blocks.diagonal(), z.blocks.others(), before));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatZeroRowsColumns_Device(Mat A, PetscInt n, const PetscInt rows[], PetscScalar diag, Vec x, Vec b)
{
  Zeroing            z(x, b);
  Array<char>        row_gone(Space::Cuda), ghost_gone(Space::Cuda);
  Array<PetscScalar> ghost(Space::Cuda);

  PetscFunctionBegin;
  PetscCall(z.begin(A, n, rows, true));
  if (!z.here) {
    PetscCall((AsBase<&_MatOps::zerorowscolumns>::call(A, n, rows, diag, x, b)));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(Together(comm_of(A), zero, [&] {
    row_gone = Array<char>(Space::Cuda, z.blocks.diagonal()->rmap->n);
    mark(Space::Cuda, z.rows.there.data(), z.rows.size(), row_gone.data(), z.blocks.diagonal()->rmap->n);
  }));
  if (z.blocks.others()) PetscCall(GetGhosts(A, z.blocks.others()->cmap->n, z.blocks.garray, z.rows, z.rhs, &ghost_gone, &ghost));
  const auto in_diagonal = [&] { return ZeroRowsColumnsOfBlock(z.blocks.diagonal(), z.rows, {row_gone.data(), row_gone.data(), diag, z.rhs.x(), z.rhs.b()}); };

  if (z.blocks.others()) {
    const PetscObjectState before = z.blocks.diagonal()->nonzerostate + z.blocks.others()->nonzerostate;

    const PetscErrorCode zeroed = in_diagonal();

    PetscCall(FailTogether(comm_of(A),
                           zeroed ? zeroed
                                  : ZeroRowsColumnsOfBlock(z.blocks.others(), z.rows,
                                                           {row_gone.data(), ghost_gone.data(), 0, z.rhs.x() ? ghost.data() : nullptr, z.rhs.b()}),
                           zero));
    PetscCall(SumNonzeroStates(A, z.blocks.diagonal(), z.blocks.others(), before));
  } else PetscCall(MatFormatAsBase(A, z.f, in_diagonal));
  const PetscErrorCode set = z.rhs.x() ? Guarded([&] { set_rows(Space::Cuda, z.rows.there.data(), z.rows.size(), diag, z.rhs.x(), z.rhs.b()); })
                                       : PETSC_SUCCESS;
  PetscCall(z.rhs.restore());
  PetscCall(FailTogether(comm_of(A), set, zero));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

void MatFormatOverrideZeroRows(Mat A)
{
  A->ops->zerorows        = MatZeroRows_Device;
  A->ops->zerorowscolumns = MatZeroRowsColumns_Device;
}

#else

void MatFormatOverrideZeroRows(Mat) { }

#endif

} // namespace goza::mat
