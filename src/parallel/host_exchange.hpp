/* Through the host, with any MPI: persistent requests on buffers that live as long as the halo; on the device they are pinned, and values are packed and
   copied beside the kernels. The host waits for the packed values before it can send them: the one way that cannot do without. What has come is copied to the
   device when the next receives are posted, so that there are two buffers for it: a buffer is received into again after the host has waited for an exchange
   that began behind that copy. */
#pragma once
#include "agree.hpp"
#include "exchange.hpp"
#include "core/util/algorithm.hpp"

namespace goza::parallel {

template <class V> class HostExchange final : public Exchange<V> {
public:
  explicit HostExchange(const HaloPlan &plan) :
    plan_(plan), pack_(plan.space, plan.nsend), ghost_(plan.space, plan.nghost), send_(pack_.data()), recv_{ghost_.data(), ghost_.data()}
  {
    if (plan.space == Space::Host) return;
    const std::size_t nsend = plan.nsend, nghost = plan.nghost;
    pinned_.reset(static_cast<V *>(device::allocate_pinned((nsend + 2 * nghost + 1) * sizeof(V)))); // one call: it waits for the device
    send_    = pinned_.get();
    recv_[0] = send_ + nsend;
    recv_[1] = recv_[0] + nghost;
  }

  ~HostExchange() override
  {
    int finalized = 0;

    MPI_Finalized(&finalized);
    for (std::vector<MPI_Request> *requests : {&sends_, &receives_[0], &receives_[1]}) {
      for (MPI_Request &r : *requests)
        if (!finalized && r != MPI_REQUEST_NULL) MPI_Request_free(&r);
    }
  }

  PetscErrorCode setup()
  {
    PetscFunctionBegin;
    PetscCall(Guarded([&] {
      sends_.assign(plan_.sends.size(), MPI_REQUEST_NULL);
      declines_.assign(plan_.sends.size(), MPI_REQUEST_NULL);
      statuses_.resize(plan_.receives.size());
      for (auto &r : receives_) r.assign(plan_.receives.size(), MPI_REQUEST_NULL);
    }));
    for (std::size_t m = 0; m < sends_.size(); m++)
      PetscCallMPI(MPI_Send_init(send_ + plan_.sends[m].begin, static_cast<PetscMPIInt>(plan_.sends[m].n), MpiType<V>(), plan_.sends[m].rank, plan_.tag,
                                 plan_.comm, &sends_[m]));
    for (int odd : {0, 1})
      for (std::size_t m = 0; m < receives_[odd].size(); m++)
        PetscCallMPI(MPI_Recv_init(recv_[odd] + plan_.receives[m].begin, static_cast<PetscMPIInt>(plan_.receives[m].n), MpiType<V>(), plan_.receives[m].rank,
                                   plan_.tag, plan_.comm, &receives_[odd][m]));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode begin(const V *x) override
  {
    PetscFunctionBegin;
    odd_ ^= 1;
    declined_ = !x && plan_.nsend;
    PetscCall(start(receives_[odd_]));
    if (declined_) PetscFunctionReturn(PETSC_SUCCESS);
    const PetscErrorCode failed = Guarded([&] {
      if (plan_.space == Space::Host) {
        pack(x);
        return;
      }
      beside_ = device::fork();
      const device::OnStream on(beside_);
      pack(x);
      device::copy_async(send_, pack_.data(), pack_.bytes());
    });
    if (failed) PetscCall(decline());
    PetscCall(failed);
    if (plan_.space == Space::Host) PetscCall(start(sends_));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode end() override
  {
    PetscFunctionBegin;
    PetscErrorCode failed = PETSC_SUCCESS;

    if (plan_.space == Space::Cuda && !declined_)
      failed = Guarded([&] {
        const device::OnStream on(beside_);
        device::synchronize();
      });
    if (declined_ || failed) PetscCall(decline());
    PetscCall(failed);
    if (declined_) PetscFunctionReturn(PETSC_SUCCESS);
    if (plan_.space == Space::Cuda) PetscCall(start(sends_));
    PetscCallMPI(MPI_Waitall(static_cast<PetscMPIInt>(receives_[odd_].size()), receives_[odd_].data(), statuses_.data()));
    if (plan_.space == Space::Cuda) failed = Guarded([&] { device::copy_async(ghost_.data(), recv_[odd_], ghost_.bytes()); });
    PetscCallMPI(MPI_Waitall(static_cast<PetscMPIInt>(sends_.size()), sends_.data(), MPI_STATUSES_IGNORE));
    PetscCall(failed);
    for (std::size_t m = 0; m < statuses_.size(); m++) {
      PetscMPIInt n = 0;

      PetscCallMPI(MPI_Get_count(&statuses_[m], MpiType<V>(), &n));
      PetscCheck(n == plan_.receives[m].n, PETSC_COMM_SELF, PETSC_ERR_LIB, "Rank %d has failed, and could not send its values",
                 WorldRank(plan_.comm, plan_.receives[m].rank));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  const V    *ghost() const override { return ghost_.data(); }
  std::size_t bytes() const override { return pack_.bytes() + ghost_.bytes(); }

private:
  struct FreePinned {
    void operator()(V *p) const { device::deallocate_pinned(p); }
  };

  /* Empty messages, by which the others know; what they send is received as ever. */
  PetscErrorCode decline()
  {
    PetscFunctionBegin;
    for (std::size_t m = 0; m < declines_.size(); m++)
      PetscCallMPI(MPI_Isend(send_, 0, MpiType<V>(), plan_.sends[m].rank, plan_.tag, plan_.comm, &declines_[m]));
    PetscCallMPI(MPI_Waitall(static_cast<PetscMPIInt>(receives_[odd_].size()), receives_[odd_].data(), MPI_STATUSES_IGNORE));
    PetscCallMPI(MPI_Waitall(static_cast<PetscMPIInt>(declines_.size()), declines_.data(), MPI_STATUSES_IGNORE));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  void pack(const V *x) { gather(plan_.space, plan_.nsend, plan_.send_index.data(), x, pack_.data()); }

  static PetscErrorCode start(std::vector<MPI_Request> &requests)
  {
    PetscFunctionBegin;
    if (!requests.empty()) PetscCallMPI(MPI_Startall(static_cast<PetscMPIInt>(requests.size()), requests.data()));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  const HaloPlan                &plan_;
  Array<V>                       pack_, ghost_; // in the plan's space
  std::unique_ptr<V, FreePinned> pinned_;
  V                             *send_, *recv_[2]; // the host side of the messages
  void                          *beside_ = nullptr;
  std::vector<MPI_Request>       sends_, receives_[2], declines_;
  std::vector<MPI_Status>        statuses_;         // of the receives
  int                            odd_      = 0;     // which of the two receive buffers
  bool                           declined_ = false; // this rank sends nothing
};

} // namespace goza::parallel
