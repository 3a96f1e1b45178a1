#include "par_operator.hpp"
#include "errors.hpp"
#include "goza.hpp"
#include <petsc/private/matimpl.h>

namespace goza
{

PetscErrorCode MatGetAIJBlocks(Mat A, Mat *Ad, Mat *Ao, const PetscInt **garray)
{
  PetscBool mpi, seq;

  PetscFunctionBegin;
  *Ao     = NULL;
  *garray = NULL;
  *Ad     = A;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, &mpi));
  if (mpi) {
    PetscCall(MatMPIAIJGetSeqAIJ(A, Ad, Ao, garray));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQAIJ, &seq));
  PetscCheck(seq, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP, "Matrix type %s is not based on AIJ", ((PetscObject)A)->type_name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class V> PetscErrorCode ParOperator<V>::look(Mat block, const Seen &seen, Seen *now, bool *pattern, bool *values)
{
  PetscFunctionBegin;
  PetscCall(PetscObjectGetId((PetscObject)block, &now->id));
  PetscCall(PetscObjectStateGet((PetscObject)block, &now->state));
  PetscCall(MatGetNonzeroState(block, &now->nonzerostate));
  now->ncols = block->cmap->n;
  *pattern   = now->id != seen.id || now->nonzerostate != seen.nonzerostate || now->ncols != seen.ncols;
  *values    = *pattern || now->state != seen.state;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Copies of a CSR in another space, for as long as a build or a refill takes. */
struct Staged {
  Array<PetscInt>    ptr, col;
  Array<PetscScalar> val;

  Csr stage(const Csr &A, Space space, bool columns)
  {
    const PetscInt nnz = A.space == Space::Host ? A.ptr[A.nrows] : last(A.ptr + A.nrows);

    ptr = Array<PetscInt>(space, A.ptr, A.nrows + 1);
    if (columns) col = Array<PetscInt>(space, A.col, nnz);
    val = Array<PetscScalar>(space, A.val, nnz);
    return {space, A.nrows, A.ncols, ptr.data(), col.data(), val.data()};
  }

private:
  static PetscInt last(const PetscInt *p)
  {
    PetscInt n;

    device::copy(&n, p, sizeof(n));
    return n;
  }
};

template <class V> PetscErrorCode ParOperator<V>::update_block(Mat block, Format<V> &format, bool pattern, bool values)
{
  Csr          csr;
  Staged       staged;
  PetscMemType memtype = PETSC_MEMTYPE_HOST;
  PetscScalar *val     = NULL;
  PetscBool    host_is_truth;
  const bool   columns = pattern || format.refill_reads_columns();

  PetscFunctionBegin;
  if (!pattern && !values) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscLogEventBegin(events.build, block, 0, 0, 0));
  /* values that only the host has are staged for the moment; asking an AIJCUSPARSE for device pointers would make it keep a second copy there */
#if PetscDefined(HAVE_DEVICE)
  host_is_truth = (PetscBool)(block->offloadmask == PETSC_OFFLOAD_CPU || block->offloadmask == PETSC_OFFLOAD_UNALLOCATED);
#else
  host_is_truth = PETSC_TRUE;
#endif
  csr.nrows = block->rmap->n;
  csr.ncols = block->cmap->n;
  if (host_is_truth || this->space_ == Space::Host) {
    PetscInt           n;
    PetscBool          done;
    const PetscScalar *a;

    PetscCall(MatGetRowIJ(block, 0, PETSC_FALSE, PETSC_FALSE, &n, &csr.ptr, &csr.col, &done));
    PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Matrix type %s gives no row pointers", ((PetscObject)block)->type_name);
    PetscCall(MatSeqAIJGetArrayRead(block, &a));
    csr.space = Space::Host;
    csr.val   = a;
    PetscCall(Guarded([&] {
      const Csr here = this->space_ == Space::Host ? csr : staged.stage(csr, this->space_, columns);

      if (pattern) format.build(here);
      else format.refill(here);
    }));
    if (this->space_ == Space::Cuda) PetscCall(PetscLogCpuToGpu((PetscLogDouble)(staged.val.bytes() + staged.col.bytes() + staged.ptr.bytes())));
    PetscCall(MatSeqAIJRestoreArrayRead(block, &a));
    PetscCall(MatRestoreRowIJ(block, 0, PETSC_FALSE, PETSC_FALSE, &n, &csr.ptr, &csr.col, &done));
  } else {
    const PetscInt *device_ptr;
    PetscInt        n;
    PetscBool       done;

    /* AIJCUSPARSE drops empty rows from the row pointer it hands out, so that is the host's; columns and values are where they were computed */
    PetscCall(MatGetRowIJ(block, 0, PETSC_FALSE, PETSC_FALSE, &n, &csr.ptr, &csr.col, &done));
    PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Matrix type %s gives no row pointers", ((PetscObject)block)->type_name);
    const PetscInt *host_ptr = csr.ptr, *host_col = csr.col;

    PetscCall(MatSeqAIJGetCSRAndMemType(block, &device_ptr, &csr.col, &val, &memtype));
    csr.space = PetscMemTypeDevice(memtype) ? Space::Cuda : Space::Host;
    csr.val   = val;
    PetscCall(Guarded([&] {
      Csr here = csr;

      if (csr.space == this->space_) {
        staged.ptr = Array<PetscInt>(this->space_, host_ptr, csr.nrows + 1);
        here.ptr   = staged.ptr.data();
      } else here = staged.stage(csr, this->space_, columns);
      if (pattern) format.build(here);
      else format.refill(here);
    }));
    PetscCall(PetscLogCpuToGpu((PetscLogDouble)staged.ptr.bytes()));
    PetscCall(MatRestoreRowIJ(block, 0, PETSC_FALSE, PETSC_FALSE, &n, &host_ptr, &host_col, &done));
  }
  PetscCall(PetscLogEventEnd(events.build, block, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class V> PetscErrorCode ParOperator<V>::behind(Mat A, bool *yes) const
{
  Seen now;
  bool pattern;

  PetscFunctionBegin;
  PetscCall(look(A, parent_seen_, &now, &pattern, yes));
  *yes = *yes && diag_;
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class V> PetscErrorCode ParOperator<V>::update(Mat A, Space space, const FormatFactory<V> &factory)
{
  Mat             Ad, Ao;
  const PetscInt *garray;
  bool            pattern, values;
  Seen            now, parent;
  MatInfo         info;
  bool            parent_pattern, parent_moved;

  PetscFunctionBegin;
  PetscCall(MatGetAIJBlocks(A, &Ad, &Ao, &garray));
  if (space != space_ || !diag_) {
    forget_pattern();
    space_ = space;
    PetscCall(Guarded([&] {
      SlicedEllOptions compressed;

      compressed.drop_empty = true;
      diag_                 = factory(space);
      offd_                 = Ao ? std::make_unique<SlicedEll<V, V>>(space, compressed) : nullptr;
      halo_                 = Ao ? std::make_unique<Halo<V>>() : nullptr;
    }));
  }
  PetscCall(look(A, parent_seen_, &parent, &parent_pattern, &parent_moved));
  PetscCall(look(Ad, diag_seen_, &now, &pattern, &values));
  if (values) {
    diag_seen_ = Seen(); // if this fails, the next update begins anew
    PetscCall(update_block(Ad, *diag_, pattern, values));
    diag_seen_ = now;
    builds_ += pattern;
    PetscCall(MatGetInfo(Ad, MAT_LOCAL, &info));
    nnz_ = info.nz_used;
  }
  if (Ao) {
    PetscCall(look(Ao, offd_seen_, &now, &pattern, &values));
    if (parent_moved) {
      /* the ghosts move only in an assembly, which is collective and moves A's state; setting up the halo is collective as well */
      PetscMPIInt mine = pattern, any;

      PetscCallMPI(MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, PetscObjectComm((PetscObject)A)));
      if (any) {
        pattern = values = true;
        offd_seen_       = Seen();
        PetscCall(halo_->setup(PetscObjectComm((PetscObject)A), A->cmap, Ao->cmap->n, garray, space));
      }
    }
    if (values) {
      PetscCall(update_block(Ao, *offd_, pattern, values));
      offd_seen_ = now;
    }
    PetscCall(MatGetInfo(Ad, MAT_LOCAL, &info));
    nnz_ = info.nz_used;
    PetscCall(MatGetInfo(Ao, MAT_LOCAL, &info));
    nnz_ += info.nz_used;
  }
  parent_seen_ = parent;
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class V> PetscErrorCode ParOperator<V>::apply(const V *x, const RowOut<V> &out)
{
  PetscFunctionBegin;
  if (halo_) PetscCall(halo_->begin(x));
  PetscCall(Guarded([&] { diag_->apply(x, out); }));
  if (halo_) {
    PetscCall(halo_->end());
    PetscCall(Guarded([&] { offd_->apply_more(halo_->ghost(), out); }));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class V> std::size_t ParOperator<V>::bytes() const
{
  return (diag_ ? diag_->bytes() : 0) + (offd_ ? offd_->bytes() : 0) + (halo_ ? halo_->bytes() : 0);
}

template class ParOperator<PetscScalar>;
#if !PetscDefined(USE_REAL_SINGLE)
template class ParOperator<float>;
#endif

} // namespace goza
