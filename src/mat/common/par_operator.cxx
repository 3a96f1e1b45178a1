#include "par_operator.hpp"
#include "borrowed_csr.hpp"
#include "parallel/agree.hpp"
#include "parallel/exchange_log.hpp"
#include "parallel/par_csr.hpp"
#include <petsc/private/matimpl.h>

namespace goza::mat {

template <class V> PetscErrorCode ParOperator<V>::update_block(Mat block, Format<V> &format, bool pattern)
{
  BorrowedCsr lent;

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(events.build, block, 0, 0, 0));
  PetscErrorCode failed = lent.open(block, this->space_, pattern || format.refill_reads_columns());
  if (!failed)
    failed = Guarded([&] {
      if (pattern) format.build(lent.csr());
      else format.refill(lent.csr());
    });
  PetscCall(lent.close());
  PetscCall(PetscLogEventEnd(events.build, block, 0, 0, 0));
  PetscCall(failed);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Both or neither. */
template <class V> void ParOperator<V>::begin_with_others()
{
  SlicedEllOptions compressed;

  compressed.drop_empty = true;
  auto offd             = std::make_unique<SlicedEll<V, V>>(space_, compressed);
  halo_                 = std::make_unique<Halo<V>>();
  offd_                 = std::move(offd);
}

/* Formats without contents, all or none of them. */
template <class V> PetscErrorCode ParOperator<V>::renew(Space space, bool others, const FormatFactory<V> &factory)
{
  PetscFunctionBegin;
  forget_pattern();
  diag_.reset();
  halo_.reset();
  offd_.reset();
  space_ = space;
  PetscCall(Guarded([&] {
    auto diag = factory(space);

    if (others) begin_with_others();
    diag_ = std::move(diag);
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class V> void ParOperator<V>::start_from(std::unique_ptr<Format<V>> diagonal)
{
  forget_pattern();
  space_ = diagonal->space();
  diag_  = std::move(diagonal);
}

template <class V> PetscErrorCode ParOperator<V>::update_beside(Mat rest, PetscErrorCode failed)
{
  const AijBlocks of    = blocks_of(rest);
  bool            built = false;

  PetscFunctionBegin;
  if (!failed && !halo_) failed = Guarded([&] { begin_with_others(); });
  PetscCall(update_others(rest, of.others(), of.garray, true, failed, &built));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The off-diagonal block and the halo. failed: an error of this rank's so far. Collective where A's state has moved. */
template <class V> PetscErrorCode ParOperator<V>::update_others(Mat A, Mat Ao, const PetscInt *garray, bool moved, PetscErrorCode failed, bool *built)
{
  const MPI_Comm comm = comm_of(A);
  const char    *what = "hold its block of the matrix in this format";
  const Seen     now(Ao);
  bool           pattern = !now.same_pattern(offd_seen_), values = !now.same(offd_seen_), new_halo = false;

  PetscFunctionBegin;
  if (moved) {
    /* the ghosts move only in an assembly, which is collective and moves A's state; setting up the halo is collective as well */
    PetscMPIInt mine[2] = {pattern, failed != PETSC_SUCCESS}, any[2];

    PetscCallMPI(MPI_Allreduce(mine, any, 2, MPI_INT, MPI_MAX, comm));
    if (any[1]) PetscCall(FailTogether(comm, failed, what));
    new_halo = any[0];
    if (new_halo) pattern = values = true;
  }
  if (values) {
    offd_seen_ = Seen();
    failed     = update_block(Ao, *offd_, pattern);
    if (!failed) offd_seen_ = now;
  }
  if (new_halo) {
    const PetscErrorCode everyones = halo_->setup(comm, A->cmap, Ao->cmap->n, garray, space_, failed);

    if (everyones) offd_seen_ = Seen(); // on all ranks: the next update sets it up anew
    PetscCall(everyones);
  } else if (moved) PetscCall(FailTogether(comm, failed, what));
  PetscCall(failed);
  *built |= pattern;
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class V> PetscErrorCode ParOperator<V>::update(Mat A, Space space, const FormatFactory<V> &factory, PetscErrorCode failed)
{
  const AijBlocks blocks = blocks_of(A);
  const Mat       Ad = blocks.diagonal(), Ao = blocks.others();
  bool            built = false; // something is where it was not before

  PetscFunctionBegin;
  if (!failed && (space != space_ || !diag_)) failed = renew(space, Ao, factory);
  const Seen now(Ad), parent(A);
  const bool pattern = !now.same_pattern(diag_seen_), values = !now.same(diag_seen_), parent_moved = !parent.same(parent_seen_);
  if (values && !failed) {
    diag_seen_ = Seen(); // if this fails, the next update begins anew
    failed     = update_block(Ad, *diag_, pattern);
    if (!failed) diag_seen_ = now;
    built = pattern;
  }
  if (!Ao || !parent_moved) PetscCall(failed);
  if (Ao) PetscCall(update_others(A, Ao, blocks.garray, parent_moved, failed, &built));
  if (Ao || values) {
    nnz_ = 0;
    for (Mat block : blocks) nnz_ += static_cast<PetscLogDouble>(nonzeros_of(block));
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
  if (A.space != space_ || !diag_ || diag_seen_.id != now.id || alone != !offd_) failed = renew(A.space, !alone, factory);
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
    });
  /* As the diagonal blocks, on all ranks or on none: a preconditioner is symmetric and does not depend on their number. */
  constexpr double of_half = 0x1p-11; // what half precision rounds by
  const bool       half    = !alone && columns->all(failed || !A.nrows || diag_->rounding() >= of_half);
  if (!failed && !alone)
    failed = Guarded([&] {
      if (half) round_as_half(others.space(), others.val.size(), others.val.data());
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
  const PetscErrorCode failed = Guarded([&] { diag_->apply(x, out); });
  if (halo_) {
    const PetscErrorCode ended = LoggedExchange(space_, [&] { return halo_->end(); }); // even after an error: the others' values are on their way

    if (!failed) {
      PetscCall(ended);
      PetscCall(Guarded([&] { offd_->apply_as(halo_->ghost(), ScaledOut<V>(out).rest()); }));
    }
  }
  PetscCall(failed);
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class V> PetscErrorCode ParOperator<V>::decline()
{
  PetscFunctionBegin;
  if (!halo_) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(halo_->begin(nullptr));
  PetscCall(halo_->end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class V> PetscErrorCode ParOperator<V>::apply_others(const V *x, const RowOut<V> &out)
{
  PetscFunctionBegin;
  if (!halo_) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(LoggedExchange(space_, [&] { return halo_->begin(x); }));
  PetscCall(LoggedExchange(space_, [&] { return halo_->end(); }));
  PetscCall(Guarded([&] { offd_->apply_as(halo_->ghost(), ScaledOut<V>(out).rest()); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class V> std::size_t ParOperator<V>::bytes() const
{
  return (diag_ ? diag_->bytes() : 0) + (offd_ ? offd_->bytes() : 0) + (halo_ ? halo_->bytes() : 0);
}

FOR_EACH_VECTOR(INSTANTIATE, ParOperator)

} // namespace goza::mat
