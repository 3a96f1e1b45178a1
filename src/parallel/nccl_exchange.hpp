/* NCCL's point-to-point messages, on a stream beside the kernels. */
#pragma once
#include "exchange.hpp"
#include "petsc/errors.hpp"
#include "core/util/algorithm.hpp"
#include "team.hpp"

namespace goza::parallel {

template <class V> class NcclExchange final : public Exchange<V> {
public:
  NcclExchange(const HaloPlan &plan, std::shared_ptr<HaloTeam> team) :
    plan_(plan), team_(std::move(team)), pack_(plan.space, plan.nsend), ghost_(plan.space, plan.nghost)
  {
  }

  PetscErrorCode begin(const V *x) override
  {
    const Nccl &nccl = *team_->library;

    PetscFunctionBegin;
    PetscCall(Guarded([&] {
      int before = Nccl::success;

      check(nccl.comm_get_async_error(team_->nccl, &before));
      check(before);
      void                  *beside = device::fork();
      const device::OnStream on(beside);
      gather(plan_.space, plan_.nsend, plan_.send_index.data(), x, pack_.data());
      check(nccl.group_start());
      for (const HaloMessage &m : plan_.sends) check(nccl.send(pack_.data() + m.begin, m.n * sizeof(V), Nccl::bytes, m.rank, team_->nccl, beside));
      for (const HaloMessage &m : plan_.receives) check(nccl.recv(ghost_.data() + m.begin, m.n * sizeof(V), Nccl::bytes, m.rank, team_->nccl, beside));
      check(nccl.group_end());
    }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode end() override
  {
    return Guarded([] { device::join(); });
  }

  const V    *ghost() const override { return ghost_.data(); }
  std::size_t bytes() const override { return pack_.bytes() + ghost_.bytes(); }

private:
  void check(int status) const
  {
    if (status != Nccl::success) throw DeviceError(std::string("NCCL: ") + team_->library->get_error_string(status));
  }

  const HaloPlan           &plan_;
  std::shared_ptr<HaloTeam> team_; // its communicator is needed for as long
  Array<V>                  pack_, ghost_;
};

} // namespace goza::parallel
