/* Straight into the memory of the neighbours, which are processes of the same host, on other devices or on the same one.

   Every rank has two places for its ghosts and a flag for each neighbour, in memory that the neighbours have mapped. In exchange k a rank writes each
   value to where it is wanted, place k mod 2, raises its flag at every neighbour to k, and waits on its own flags for k, all in the order of one
   stream; the host waits for nothing. Two places suffice: a neighbour begins exchange k + 1 when it has our flag k, and that was raised after what
   read place k - 1 was done. Hence a rank that only receives, or only sends, raises a flag as well. */
#pragma once
#include "agree.hpp"
#include "core/shared_memory.hpp"
#include "exchange.hpp"
#include "mat/common/errors.hpp"
#include "mat/common/gather.hpp"
#include <algorithm>

namespace goza
{

template <class V> class PeerExchange final : public Exchange<V> {
public:
  explicit PeerExchange(const HaloPlan &plan) : plan_(plan) { }

  /* Collective. why: on every rank, where one could not map a neighbour's memory. */
  PetscErrorCode setup(std::string *why)
  {
    std::vector<Letter>      mine, theirs;
    std::vector<MPI_Request> requests;
    std::size_t              flags_at = 0;

    PetscFunctionBegin;
    PetscCall(Guarded([&] {
      for (const auto *messages : {&plan_.sends, &plan_.receives})
        for (const HaloMessage &m : *messages) neighbours_.push_back(m.rank);
      std::sort(neighbours_.begin(), neighbours_.end());
      neighbours_.erase(std::unique(neighbours_.begin(), neighbours_.end()), neighbours_.end());
      place_   = plan_.nghost;
      flags_at = (2 * place_ * sizeof(V) + 255) / 256 * 256;
      mine.resize(neighbours_.size());
      theirs.resize(neighbours_.size());
      requests.assign(2 * neighbours_.size(), MPI_REQUEST_NULL);
    }));
    try {
      if (!neighbours_.empty()) block_ = std::make_unique<SharedBlock>(flags_at + neighbours_.size() * sizeof(std::uint32_t));
    } catch (const std::exception &e) {
      *why = e.what();
    }
    PetscCall(AgreeOnReason(plan_.comm, why));
    if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
    for (std::size_t k = 0; k < neighbours_.size(); k++) {
      const auto from = std::find_if(plan_.receives.begin(), plan_.receives.end(), [&](const HaloMessage &m) { return m.rank == neighbours_[k]; });

      mine[k].block = block_->name();
      mine[k].flag  = flags_at + k * sizeof(std::uint32_t);
      mine[k].place = place_ * sizeof(V);
      mine[k].begin = from == plan_.receives.end() ? 0 : from->begin * sizeof(V);
      mine[k].n     = from == plan_.receives.end() ? 0 : from->n;
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
    exchange_++;
    if (!neighbours_.empty())
      PetscCall(Guarded([&] {
        const device::OnStream on(device::fork());

        gather_to(plan_.space, plan_.nsend, plan_.send_index.data(), x, to_[exchange_ & 1].data());
        device::raise_flags(flag_there_, exchange_);
        device::await_flags(flag_here_, exchange_);
      }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode end() override
  {
    PetscFunctionBegin;
    if (!neighbours_.empty()) PetscCall(Guarded([] { device::join(); }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  const V    *ghost() const override { return block_ ? reinterpret_cast<const V *>(block_->data()) + (exchange_ & 1) * place_ : nullptr; }
  std::size_t bytes() const override { return (block_ ? block_->bytes() : 0) + to_[0].bytes() + to_[1].bytes(); }

private:
  /* What a rank tells a neighbour: offsets in bytes within the block. */
  struct Letter {
    SharedBlock::Name block;
    std::uint64_t     flag;  // the neighbour's
    std::uint64_t     begin; // of the neighbour's values in either place
    std::uint64_t     place; // from one place to the other
    std::int64_t      n;     // values wanted of the neighbour
  };

  void address(const std::vector<Letter> &theirs)
  {
    std::vector<V *> to[2];

    to[0].resize(plan_.nsend);
    to[1].resize(plan_.nsend);
    for (std::size_t k = 0; k < neighbours_.size(); k++) {
      char      *there = device::open_shared(theirs[k].block);
      const auto send  = std::find_if(plan_.sends.begin(), plan_.sends.end(), [&](const HaloMessage &m) { return m.rank == neighbours_[k]; });

      flag_there_.push_back(reinterpret_cast<std::uint32_t *>(there + theirs[k].flag));
      flag_here_.push_back(reinterpret_cast<std::uint32_t *>(block_->data() + (2 * place_ * sizeof(V) + 255) / 256 * 256) + k);
      if ((send == plan_.sends.end() ? 0 : send->n) != theirs[k].n) throw std::logic_error("two ranks do not agree on what one sends the other");
      for (std::int64_t i = 0; i < theirs[k].n; i++)
        for (int odd : {0, 1}) to[odd][send->begin + i] = reinterpret_cast<V *>(there + theirs[k].begin + odd * theirs[k].place) + i;
    }
    for (int odd : {0, 1}) to_[odd] = Array<V *>(plan_.space, to[odd].data(), to[odd].size());
  }

  const HaloPlan              &plan_;
  std::vector<PetscMPIInt>     neighbours_;
  std::size_t                  place_ = 0; // ghosts in each of the two places
  std::unique_ptr<SharedBlock> block_;
  Array<V *>                   to_[2]; // [nsend] where the neighbours want it, for even and odd exchanges
  std::vector<std::uint32_t *> flag_here_, flag_there_;
  std::uint32_t                exchange_ = 0;
};

} // namespace goza
