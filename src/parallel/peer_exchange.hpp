/* Straight into the memory of the neighbours, which are processes of the same host, on other devices or on the same one.

   Every rank has two places for what it gets, in memory that the neighbours have mapped. In exchange k a rank writes each value, with the number k, to where it
   is wanted, place k mod 2, and then waits for its own values of number k, in one kernel beside the product; the host waits for no device, and at the end of an
   exchange for its neighbours' hosts to have launched theirs (launches.hpp). Two places suffice: a neighbour sends exchange k + 2 when it has our values of
   exchange k + 1, and those were sent after what read place k was done. Hence a rank that only receives, or only sends, sends or gets a value of no meaning.

   One kernel beside the product is faster, for few rows and for many, than one that sends before it and one that collects after it, and than programmatic
   launches that overlap with it. */
#pragma once
#include "agree.hpp"
#include "core/device/shared_memory.hpp"
#include "exchange.hpp"
#include "launches.hpp"
#include "petsc/last_error.hpp"

namespace goza::parallel {

struct PeerOptions {
  bool                      shared_device = false; // several ranks have one device
  double                    timeout       = 0;     // seconds until a neighbour's values are given up
  std::shared_ptr<Launches> launches;
};

/* Collective. why: on every rank, where these ranks' devices cannot reach one another. */
PetscErrorCode GetPeerOptions(MPI_Comm comm, PetscMPIInt tag, PeerOptions *options, std::string *why);

template <class V> class PeerExchange final : public Exchange<V> {
public:
  PeerExchange(const HaloPlan &plan, PeerOptions options) : plan_(plan), options_(std::move(options)) { }
  ~PeerExchange() override
  {
    if (!late_) return;
    if (open_) late_->raise(); // after an error in between; its kernel need not wait
    try {
      device::join();
      device::synchronize();
    } catch (...) { // an error of the device: nothing runs there any more
    }
  }

  /* Collective. why: on every rank, where one could not map a neighbour's memory. */
  PetscErrorCode setup(std::string *why)
  {
    std::vector<Address>     mine, theirs;
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
        state_ = Array<MailboxState>(plan_.space, 1);
        ghost_ = Array<V>(plan_.space, plan_.nghost);
        late_  = std::make_shared<LateFlag>();
        state_.zero();
      }
    } catch (const std::exception &e) {
      SetReason(why, e.what());
    }
    PetscCall(options_.launches->align());
    PetscCall(AgreeOnReason(plan_.comm, why)); // and what neighbours may still have had to write into such memory, they have written
    if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
    if (block_) {
      const PetscErrorCode failed = Guarded([&] {
        device::fill_zero(block_->data(), block_->bytes());
        device::synchronize();
      });

      if (failed) SetReason(why, LastErrorText(failed));
    }
    PetscCall(AgreeOnReason(plan_.comm, why));
    if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
    for (std::size_t k = 0; k < neighbours_.size(); k++) {
      mine[k].block = block_->name();
      mine[k].place = nget_ * value_bytes;
      PetscCallMPI(MPI_Irecv(&theirs[k], (PetscMPIInt)sizeof(Address), MPI_BYTE, neighbours_[k], plan_.tag, plan_.comm, &requests[2 * k]));
      PetscCallMPI(MPI_Isend(&mine[k], (PetscMPIInt)sizeof(Address), MPI_BYTE, neighbours_[k], plan_.tag, plan_.comm, &requests[2 * k + 1]));
    }
    PetscCallMPI(MPI_Waitall((PetscMPIInt)requests.size(), requests.data(), MPI_STATUSES_IGNORE));
    try {
      address(theirs);
    } catch (const std::exception &e) {
      SetReason(why, e.what());
    }
    PetscCall(AgreeOnReason(plan_.comm, why));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode begin(const V *x) override
  {
    PetscFunctionBegin;
    const PetscErrorCode failed = neighbours_.empty() ? PETSC_SUCCESS : Guarded([&] {
      late_->check();
      const device::OnStream on(device::fork());
      exchange(box_, x, ghost_.data(), blocks(), options_.timeout);
    });
    number_                     = 0;
    if (RecordedExchanges *recorded = RecordedExchanges::now) PetscCall(Guarded([&] { recorded->note(options_.launches, late_, options_.timeout); }));
    else number_ = failed || (!x && plan_.nsend) ? options_.launches->add_failed() : options_.launches->add();
    PetscCall(failed);
    open_ = true;
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /* The whole of it on the current stream, of values of V's size to ghost[nghost]; every rank is about to do the same (AgreeNoFailure()). Errors are
     exceptions. */
  template <class T> void fetch(const T *x, T *ghost)
  {
    static_assert(sizeof(T) == sizeof(V), "the memory is laid out for values of this size");
    if (neighbours_.empty()) return;
    late_->check();
    exchange(box_, x, ghost, blocks(), options_.timeout);
  }

  /* Where each rank sends each of the others `width` values: the first n become their sums over all ranks, on the current stream. As fetch(). */
  void sum(PetscInt width, PetscInt rank, PetscScalar *values, PetscInt n, const bool *wanted = nullptr)
  {
    late_->check();
    sum_over_ranks(box_, width, rank, values, n, options_.timeout, wanted);
  }
  /* The same, of ranks that may have failed, or in a recording. */
  void sum_in_turn(PetscInt width, PetscInt rank, PetscScalar *values, PetscInt n, const bool *wanted)
  {
    if (RecordedExchanges *recorded = RecordedExchanges::now) {
      recorded->note(options_.launches, late_, options_.timeout);
      sum(width, rank, values, n, wanted);
      return;
    }
    RecordedExchanges alone;

    alone.note(options_.launches, late_, options_.timeout);
    alone.launch([&] { sum(width, rank, values, n, wanted); });
  }
  /* This rank does not come to the next one, and what its device waits for need not come. */
  void give_up()
  {
    (void)options_.launches->add_failed();
    if (late_) late_->raise();
  }

  PetscErrorCode end() override
  {
    PetscFunctionBegin;
    open_ = false;
    if (neighbours_.empty()) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(Guarded([&] {
      device::join();
      if (!number_) return; // it is in a recording
      try {
        options_.launches->wait(number_, options_.timeout, &neighbours_);
      } catch (...) {
        late_->raise(); // the device must not wait either
        throw;
      }
    }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  void        break_off() override { options_.launches->break_off(); }
  const V    *ghost() const override { return ghost_.data(); }
  bool        recordable() const override { return true; }
  std::size_t bytes() const override { return (block_ ? block_->bytes() : 0) + index_.bytes() + place_.bytes() + ghost_.bytes() + state_.bytes(); }

private:
  static constexpr std::size_t value_bytes = mailbox_words<V> * sizeof(MailboxWord);

  /* What a rank tells a neighbour: offsets in bytes within the block. */
  struct Address {
    SharedBlock::Name block;
    std::uint64_t     begin; // of the neighbour's values in either place
    std::uint64_t     place; // from one place to the other
    std::int64_t      n;     // values wanted of the neighbour; where there are none, there is a place for one
  };

  unsigned blocks() const { return options_.shared_device ? 16 : 64; }

  static const HaloMessage *message(const std::vector<HaloMessage> &messages, PetscMPIInt rank)
  {
    const auto m = std::find_if(messages.begin(), messages.end(), [rank](const HaloMessage &message) { return message.rank == rank; });

    return m == messages.end() ? nullptr : &*m;
  }

  void address(const std::vector<Address> &theirs)
  {
    std::vector<PetscInt> nothing; // for those who only send

    for (PetscMPIInt rank : neighbours_)
      if (!message(plan_.sends, rank)) nothing.push_back(-1);
    const PetscInt nsend = plan_.nsend + static_cast<PetscInt>(nothing.size());
    PetscInt       next  = plan_.nsend;

    index_ = Array<PetscInt>(plan_.space, nsend);
    place_ = Array<MailboxWord *>(plan_.space, 2 * static_cast<std::size_t>(nsend));
    if (plan_.nsend) device::copy_async(index_.data(), plan_.send_index.data(), plan_.nsend * sizeof(PetscInt));
    if (!nothing.empty()) device::copy_async(index_.data() + plan_.nsend, nothing.data(), nothing.size() * sizeof(PetscInt));
    for (std::size_t k = 0; k < neighbours_.size(); k++) {
      char              *there = device::open_shared(theirs[k].block);
      const HaloMessage *send  = message(plan_.sends, neighbours_[k]);

      if ((send ? send->n : 0) != theirs[k].n) throw std::logic_error("two ranks do not agree on what one sends the other");
      const PetscInt begin = send ? send->begin : next++, n = send ? send->n : 1;

      for (int odd : {0, 1})
        fill_places<V>(place_.data() + odd * static_cast<std::size_t>(nsend) + begin,
                       reinterpret_cast<MailboxWord *>(there + theirs[k].begin + odd * theirs[k].place), n);
    }
    box_.nsend = nsend;
    box_.index = index_.data();
    box_.place = place_.data();
    box_.nget  = nget_;
    box_.nkept = plan_.nghost;
    box_.words = block_ ? reinterpret_cast<const MailboxWord *>(block_->data()) : nullptr;
    box_.state = state_.data();
    box_.late  = late_ ? late_->word() : nullptr;
  }

  const HaloPlan              &plan_;
  PeerOptions                  options_;
  std::vector<PetscMPIInt>     neighbours_;
  PetscInt                     nget_ = 0; // values in each of the two places: the ghosts, and those of no meaning
  std::unique_ptr<SharedBlock> block_;
  Array<MailboxState>          state_;
  Array<PetscInt>              index_;
  Array<MailboxWord *>         place_;
  Array<V>                     ghost_;
  Mailbox                      box_;
  std::shared_ptr<LateFlag>    late_;           // raised: the neighbours are not where we are. Null without neighbours
  bool                         open_   = false; // begun, and not at its end
  std::uint64_t                number_ = 0;     // of the exchange that has begun, among all of the communicator; 0: it is recorded
};

} // namespace goza::parallel
