#include "par_operator.hpp"
#include "borrowed_csr.hpp"
#include "errors.hpp"
#include "goza.hpp"
#include "halo/agree.hpp"
#include "halo/exchange_log.hpp"
#include "rows/par_csr.hpp"
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

template <class V> PetscErrorCode ParOperator<V>::update_block(Mat block, Format<V> &format, bool pattern)
{
  BorrowedCsr lent;

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(events.build, block, 0, 0, 0));
  PetscCall(lent.open(block, this->space_, pattern || format.refill_reads_columns()));
  PetscCall(Guarded([&] {
    if (pattern) format.build(lent.csr());
    else format.refill(lent.csr());
  }));
  PetscCall(lent.close());
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
  bool            built  = false;         // something is where it was not before
  PetscErrorCode  failed = PETSC_SUCCESS; // here; the others must hear of it before they wait for this rank

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
    failed     = update_block(Ad, *diag_, pattern);
    if (!Ao || !parent_moved) PetscCall(failed);
    if (!failed) diag_seen_ = now;
    built = pattern;
    PetscCall(MatGetInfo(Ad, MAT_LOCAL, &info));
    nnz_ = info.nz_used;
  }
  if (Ao) {
    bool new_halo = false;

    PetscCall(look(Ao, offd_seen_, &now, &pattern, &values));
    if (parent_moved) {
      /* the ghosts move only in an assembly, which is collective and moves A's state; setting up the halo is collective as well */
      PetscMPIInt mine[2] = {pattern, failed != PETSC_SUCCESS}, any[2];

      PetscCallMPI(MPI_Allreduce(mine, any, 2, MPI_INT, MPI_MAX, PetscObjectComm((PetscObject)A)));
      if (any[1]) PetscCall(FailTogether(PetscObjectComm((PetscObject)A), failed, "hold its block of the matrix in this format"));
      new_halo = any[0];
      if (new_halo) {
        pattern = values = true;
        offd_seen_       = Seen();
      }
    }
    if (values) failed = update_block(Ao, *offd_, pattern);
    if (new_halo) PetscCall(halo_->setup(PetscObjectComm((PetscObject)A), A->cmap, Ao->cmap->n, garray, space, failed));
    PetscCall(failed);
    offd_seen_ = now;
    built |= pattern;
    PetscCall(MatGetInfo(Ad, MAT_LOCAL, &info));
    nnz_ = info.nz_used;
    PetscCall(MatGetInfo(Ao, MAT_LOCAL, &info));
    nnz_ += info.nz_used;
  }
  builds_ += built;
  parent_seen_ = parent;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscObjectState Stamp::next()
{
  static PetscObjectState last = 0;

  return ++last;
}

template <class V> PetscErrorCode ParOperator<V>::update(const Csr &A, const MapPtr &columns, const Stamp &stamp, const FormatFactory<V> &factory)
{
  const Seen     now{0, stamp.values, stamp.pattern, A.ncols};
  const bool     alone  = columns->size() == 1;
  PetscErrorCode failed = PETSC_SUCCESS; // here; the others must hear of it before they wait for this rank
  CsrMatrix      own, others;
  HaloPlan       plan;

  PetscFunctionBegin;
  if (A.space != space_ || !diag_ || diag_seen_.id != now.id || alone != !offd_) {
    forget_pattern();
    space_ = A.space;
    failed = Guarded([&] {
      SlicedEllOptions compressed;

      compressed.drop_empty = true;
      diag_                 = factory(A.space);
      offd_                 = alone ? nullptr : std::make_unique<SlicedEll<V, V>>(A.space, compressed);
      halo_                 = alone ? nullptr : std::make_unique<Halo<V>>();
    });
  }
  const bool pattern = diag_seen_.nonzerostate != now.nonzerostate, values = pattern || diag_seen_.state != now.state;

  if (!values) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscLogEventBegin(events.build, 0, 0, 0, 0));
  diag_seen_ = Seen(); // if this fails, the next update begins anew
  if (!failed)
    failed = Guarded([&] {
      if (!alone) split_columns(A, columns->n(), own, others);
      const Csr D = alone ? A : own.view();

      if (pattern) diag_->build(D);
      else diag_->refill(D);
      if (alone) return;
      if (pattern) {
        offd_->build(others.view());
        plan = columns->plan();
      } else offd_->refill(others.view());
    });
  PetscCall(FailTogether(columns->comm(), failed, "hold its rows of a level"));
  if (pattern && !alone) PetscCall(halo_->setup(std::move(plan)));
  diag_seen_ = now;
  builds_ += pattern;
  nnz_ = entries(A);
  PetscCall(PetscLogEventEnd(events.build, 0, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class V> PetscErrorCode ParOperator<V>::apply(const V *x, const RowOut<V> &out)
{
  PetscFunctionBegin;
  if (halo_) PetscCall(LoggedExchange(space_, [&] { return halo_->begin(x); }));
  PetscCall(Guarded([&] { diag_->apply(x, out); }));
  if (halo_) {
    PetscCall(LoggedExchange(space_, [&] { return halo_->end(); }));
    PetscCall(Guarded([&] { offd_->apply_more(halo_->ghost(), out); }));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class V> PetscErrorCode ParOperator<V>::apply_others(const V *x, const RowOut<V> &out)
{
  PetscFunctionBegin;
  if (!halo_) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(LoggedExchange(space_, [&] { return halo_->begin(x); }));
  PetscCall(LoggedExchange(space_, [&] { return halo_->end(); }));
  PetscCall(Guarded([&] { offd_->apply_more(halo_->ghost(), out); }));
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
