#include "halo.hpp"
#include "agree.hpp"
#include "petsc/plugin.hpp"
#include "messages.hpp"
#include "team.hpp"

namespace goza::parallel {

template <class V> PetscErrorCode Halo<V>::find_plan(PetscLayout columns, const PetscInt *ghosts)
{
  PetscFunctionBegin;
  PetscCall(Together(plan_.comm, "lay out its exchange of vector entries", [&] {
    Messages found   = find_messages(plan_.comm, plan_.tag, columns, plan_.nghost, ghosts);
    plan_.sends      = std::move(found.sends);
    plan_.receives   = std::move(found.receives);
    plan_.nsend      = static_cast<PetscInt>(found.send_index.size());
    plan_.send_index = Array<PetscInt>(plan_.space, found.send_index.data(), found.send_index.size());
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* For the view. Without memory for it this rank goes on, as the others do. */
template <class V> void Halo<V>::note_reason(std::initializer_list<const char *> words) noexcept
{
  try {
    for (const char *word : words) reasons_ += word;
  } catch (...) {
  }
}

/* made: the same on every rank; where it is not, reasons_ says why. Every rank comes here, and all leave together: an error is everyone's. */
template <class V> PetscErrorCode Halo<V>::attempt(int kind, bool *made)
{
  std::string why;

  PetscFunctionBegin;
  PetscCall(FailTogether(plan_.comm, exchange_kind<V>(kind).create(plan_, &exchange_, &why), "set up its exchange of vector entries"));
  *made = why.empty();
  if (*made) kind_ = kind;
  else note_reason({"; no ", halo_names[kind], ": ", why.c_str()});
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class V> PetscErrorCode Halo<V>::choose()
{
  bool made = false;

  PetscFunctionBegin;
  reasons_.clear();
  if (wish_ != HALO_AUTO && (plan_.space == Space::Cuda || wish_ == HALO_HOST || default_space() == Space::Host)) {
    if (plan_.space == Space::Host && wish_ != HALO_HOST) note_reason({"; matrices are on the host"});
    else PetscCall(attempt(wish_, &made));
    PetscCheck(made, plan_.comm, PETSC_ERR_SUP, "-goza_halo %s cannot be had%s", halo_names[wish_], reasons_.c_str());
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (plan_.space == Space::Cuda) {
    std::shared_ptr<HaloTeam> team;

    /* The fastest first: peer, nccl, host. But a device takes processes in turns, unless there is NVIDIA's MPS, and a kernel
       that waits for another process keeps its turn: for ranks that share a device host is several times as fast as peer. Under MPS peer is faster again, and
       can be asked for. */
    PetscCall(HaloTeamGet(plan_.comm, &team));
    if (team->shared_device) note_reason({"; no peer: several ranks share a device, and would wait for their turns"});
    else PetscCall(attempt(HALO_PEER, &made));
    if (!made) PetscCall(attempt(HALO_NCCL, &made));
  }
  if (!made) PetscCall(attempt(HALO_HOST, &made));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An error that one rank brings along is an error on all, and so is a wish that is not everyone's. */
template <class V> PetscErrorCode Halo<V>::agree(MPI_Comm comm, PetscErrorCode failed)
{
  PetscFunctionBegin;
  if (!failed) failed = GetHaloWish(&wish_);
  PetscCall(FailTogether(comm, failed, "build its block of the matrix"));
  const PetscMPIInt mine[2] = {wish_, -wish_};
  PetscMPIInt       all[2];
  PetscCallMPI(MPI_Allreduce(mine, all, 2, MPI_INT, MPI_MAX, comm));
  PetscCheck(all[0] == -all[1], comm, PETSC_ERR_ARG_INCOMP, "-goza_halo is not the same on every rank: %s and %s", halo_names[-all[1]], halo_names[all[0]]);
  exchange_.reset(); // it refers to the plan
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class V> PetscErrorCode Halo<V>::create()
{
  PetscFunctionBegin;
  PetscCall(choose());
  PetscCall(PetscInfo(NULL, "Halo exchange: %s%s%s\n", name(), wish_ == HALO_AUTO ? " (auto)" : "", reasons_.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class V>
PetscErrorCode Halo<V>::setup(MPI_Comm comm, PetscLayout columns, PetscInt nghost, const PetscInt *ghosts, Space space, PetscErrorCode failed)
{
  PetscFunctionBegin;
  PetscCall(agree(comm, failed));
  plan_.comm   = comm;
  plan_.space  = space;
  plan_.nghost = nghost;
  PetscCall(PetscCommGetNewTag(comm, &plan_.tag));
  PetscCall(find_plan(columns, ghosts));
  PetscCall(create());
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class V> PetscErrorCode Halo<V>::setup(HaloPlan known)
{
  PetscFunctionBegin;
  PetscCall(agree(known.comm, PETSC_SUCCESS));
  plan_ = std::move(known);
  PetscCall(PetscCommGetNewTag(plan_.comm, &plan_.tag));
  PetscCall(create());
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class V> std::string Halo<V>::describe() const
{
  if (wish_ == kind_) return name();
  return std::string(name()) + " (" + (wish_ == HALO_AUTO ? "auto" : std::string(halo_names[wish_]) + " is for matrices on the device") + reasons_ + ")";
}

FOR_EACH_VECTOR(INSTANTIATE, Halo)

} // namespace goza::parallel
