/* Straight into the memory of the neighbours, which are processes of the same host, on other devices or on the same one.

   Every rank has two places for what it gets, in memory that the neighbours have mapped. In exchange k a rank writes each value, with the number k, to where it
   is wanted, place k mod 2, and then waits for its own values of number k, in one kernel beside the product; the host waits for nothing, and counts nothing. Two
   places suffice: a neighbour sends exchange k + 2 when it has our values of exchange k + 1, and those were sent after what read place k was done. Hence a rank
   that only receives, or only sends, sends or gets a value of no meaning.

   A product and its exchange on an H200 that sends to itself, in a graph, us (300 rows and 50 ghosts; 10 000 and 1500; 4 million and 131 000; without an exchange 3.1,
   4.0, 229.8): so 3.7, 4.1, 231.0; sent before the product and collected after it 5.3, 6.7, 236.1; overlapped by programmatic launches 4.4, 4.7, 232.7. */
#pragma once
#include "agree.hpp"
#include "core/mail.hpp"
#include "core/shared_memory.hpp"
#include "exchange.hpp"
#include "mat/common/errors.hpp"
#include "mat/common/last_error.hpp"
#include <algorithm>

namespace goza
{

struct PeerOptions {
  bool   shared_device = false; // several ranks have one device
  double timeout       = 0;     // seconds until a neighbour's values are given up
};

template <class V> class PeerExchange final : public Exchange<V> {
public:
  PeerExchange(const HaloPlan &plan, const PeerOptions &options) : plan_(plan), options_(options) { }

  /* Collective. why: on every rank, where one could not map a neighbour's memory. */
  PetscErrorCode setup(std::string *why)
  {
    std::vector<Letter>      mine, theirs;
    std::vector<MPI_Request> requests;

    PetscFunctionBegin;
    try {
      for (const auto *messages : {&plan_.sends, &plan_.receives})
        for (const HaloMessage &m : *messages) neighbours_.push_back(m.rank);
      std::sort(neighbours_.begin(), neighbours_.end());
      neighbours_.erase(std::unique(neighbours_.begin(), neighbours_.end()), neighbours_.end());
      mine.resize(neighbours_.size());
      theirs.resize(neighbours_.size());
      requests.assign(2 * neighbours_.size(), MPI_REQUEST_NULL);
      nget_ = plan_.nghost;
      for (std::size_t k = 0; k < neighbours_.size(); k++) {
        const HaloMessage *from = message(plan_.receives, neighbours_[k]);

        mine[k].n     = from ? from->n : 0;
        mine[k].begin = (from ? from->begin : nget_++) * value_bytes;
      }
      if (!neighbours_.empty()) {
        block_ = std::make_unique<SharedBlock>(2 * nget_ * value_bytes);
        state_ = Array<MailState>(plan_.space, 1);
        ghost_ = Array<V>(plan_.space, plan_.nghost);
        state_.zero();
      }
    } catch (const std::exception &e) {
      *why = e.what();
    }
    PetscCall(AgreeOnReason(plan_.comm, why)); // and what neighbours may still have had to write into such memory, they have written
    if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
    if (block_) {
      const PetscErrorCode failed = Guarded([&] {
        device::fill_zero(block_->data(), block_->bytes());
        device::synchronize();
      });

      if (failed) *why = LastErrorText(failed);
    }
    PetscCall(AgreeOnReason(plan_.comm, why));
    if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
    for (std::size_t k = 0; k < neighbours_.size(); k++) {
      mine[k].block = block_->name();
      mine[k].place = nget_ * value_bytes;
      PetscCallMPI(MPI_Irecv(&theirs[k], (PetscMPIInt)sizeof(Letter), MPI_BYTE, neighbours_[k], plan_.tag, plan_.comm, &requests[2 * k]));
      PetscCallMPI(MPI_Isend(&mine[k], (PetscMPIInt)sizeof(Letter), MPI_BYTE, neighbours_[k], plan_.tag, plan_.comm, &requests[2 * k + 1]));
    }
    PetscCallMPI(MPI_Waitall((PetscMPIInt)requests.size(), requests.data(), MPI_STATUSES_IGNORE));
    try {
      address(theirs);
    } catch (const std::exception &e) {
      *why = e.what();
    }
    PetscCall(AgreeOnReason(plan_.comm, why));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode begin(const V *x) override
  {
    PetscFunctionBegin;
    if (!neighbours_.empty())
      PetscCall(Guarded([&] {
        look();
        const device::OnStream on(device::fork());
        exchange(mail_, x, blocks(), options_.timeout);
      }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /* The whole of it on the current stream, to ghost[nghost]. Errors are exceptions. */
  void fetch(const V *x, V *ghost)
  {
    Mail<V> mail = mail_;

    if (neighbours_.empty()) return;
    look();
    mail.values = ghost;
    exchange(mail, x, blocks(), options_.timeout);
  }

  /* Where each rank sends each of the others `width` values: the first n become their sums over all ranks, on the current stream. Errors are exceptions. */
  void sum(PetscInt width, PetscInt rank, PetscScalar *values, PetscInt n)
  {
    look();
    sum_by_mail(mail_, width, rank, values, n, options_.timeout);
  }

  PetscErrorCode end() override
  {
    PetscFunctionBegin;
    if (!neighbours_.empty()) PetscCall(Guarded([] { device::join(); }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  const V    *ghost() const override { return ghost_.data(); }
  bool        recordable() const override { return true; }
  std::size_t bytes() const override { return (block_ ? block_->bytes() : 0) + index_.bytes() + place_.bytes() + ghost_.bytes() + state_.bytes(); }

private:
  static constexpr std::size_t value_bytes = mail_words<V> * sizeof(MailWord);

  /* What a rank tells a neighbour: offsets in bytes within the block. */
  struct Letter {
    SharedBlock::Name block;
    std::uint64_t     begin; // of the neighbour's values in either place
    std::uint64_t     place; // from one place to the other
    std::int64_t      n;     // values wanted of the neighbour; where there are none, there is a place for one
  };

  unsigned blocks() const { return options_.shared_device ? 16 : 64; }

  void look()
  {
    hopeless_ = hopeless_ || mail_was_late();
    if (hopeless_) throw_late_mail();
  }

  static const HaloMessage *message(const std::vector<HaloMessage> &messages, PetscMPIInt rank)
  {
    const auto m = std::find_if(messages.begin(), messages.end(), [rank](const HaloMessage &message) { return message.rank == rank; });

    return m == messages.end() ? nullptr : &*m;
  }

  void address(const std::vector<Letter> &theirs)
  {
    std::vector<PetscInt> nothing; // for those who only send

    for (PetscMPIInt rank : neighbours_) {
      if (!message(plan_.sends, rank)) nothing.push_back(-1);
    }
    const PetscInt nsend = plan_.nsend + static_cast<PetscInt>(nothing.size());
    PetscInt       next  = plan_.nsend;

    index_ = Array<PetscInt>(plan_.space, nsend);
    place_ = Array<MailWord *>(plan_.space, 2 * static_cast<std::size_t>(nsend));
    if (plan_.nsend) device::copy_async(index_.data(), plan_.send_index.data(), plan_.nsend * sizeof(PetscInt));
    if (!nothing.empty()) device::copy_async(index_.data() + plan_.nsend, nothing.data(), nothing.size() * sizeof(PetscInt));
    for (std::size_t k = 0; k < neighbours_.size(); k++) {
      char              *there = device::open_shared(theirs[k].block);
      const HaloMessage *send  = message(plan_.sends, neighbours_[k]);

      if ((send ? send->n : 0) != theirs[k].n) throw std::logic_error("two ranks do not agree on what one sends the other");
      const PetscInt begin = send ? send->begin : next++, n = send ? send->n : 1;

      for (int odd : {0, 1})
        fill_places<V>(place_.data() + odd * static_cast<std::size_t>(nsend) + begin, reinterpret_cast<MailWord *>(there + theirs[k].begin + odd * theirs[k].place), n);
    }
    mail_.nsend  = nsend;
    mail_.index  = index_.data();
    mail_.place  = place_.data();
    mail_.nget   = nget_;
    mail_.nkept  = plan_.nghost;
    mail_.words  = block_ ? reinterpret_cast<const MailWord *>(block_->data()) : nullptr;
    mail_.values = ghost_.data();
    mail_.state  = state_.data();
  }

  const HaloPlan              &plan_;
  PeerOptions                  options_;
  std::vector<PetscMPIInt>     neighbours_;
  PetscInt                     nget_ = 0; // values in each of the two places: the ghosts, and those of no meaning
  std::unique_ptr<SharedBlock> block_;
  Array<MailState>             state_;
  Array<PetscInt>              index_;
  Array<MailWord *>            place_;
  Array<V>                     ghost_;
  Mail<V>                      mail_;
  bool                         hopeless_ = false; // something was late: the neighbours are not where we are
};

} // namespace goza
