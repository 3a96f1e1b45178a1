/* The one list of ways to exchange. Adding one: a header like host_exchange.hpp and a line in each of the tables. */
#include "exchange.hpp"
#include "host_exchange.hpp"
#include "nccl_exchange.hpp"
#include "peer_exchange.hpp"

namespace goza::parallel {

const char *const halo_names[HALO_KINDS] = {"auto", "nccl", "peer", "host"};

PetscErrorCode GetHaloWish(int *which)
{
  PetscInt wish = HALO_AUTO;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetEList(NULL, NULL, "-goza_halo", halo_names, HALO_KINDS, &wish, NULL));
  *which = (int)wish;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckHaloTimeout(PetscReal seconds)
{
  PetscFunctionBegin;
  PetscCheck(seconds > 0 && seconds <= 1e6, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "-goza_halo_timeout %g: not in (0, 1e6] seconds", (double)seconds);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GetHaloTimeout(double *seconds)
{
  PetscReal given = halo_timeout;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-goza_halo_timeout", &given, NULL));
  PetscCall(CheckHaloTimeout(given));
  *seconds = given;
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class V> static PetscErrorCode CreateHost(const HaloPlan &plan, std::unique_ptr<Exchange<V>> *exchange, std::string *)
{
  PetscFunctionBegin;
  PetscCall(Guarded([&] { *exchange = std::make_unique<HostExchange<V>>(plan); }));
  PetscCall(static_cast<HostExchange<V> &>(**exchange).setup());
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class V> static PetscErrorCode CreateNccl(const HaloPlan &plan, std::unique_ptr<Exchange<V>> *exchange, std::string *why)
{
  std::shared_ptr<HaloTeam> team;

  PetscFunctionBegin;
  PetscCall(HaloTeamGet(plan.comm, &team));
  PetscCall(HaloTeamAskNccl(plan.comm, team.get()));
  PetscCall(Guarded([&] { *why = team->no_nccl; }));
  if (why->empty()) PetscCall(Guarded([&] { *exchange = std::make_unique<NcclExchange<V>>(plan, team); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GetPeerOptions(MPI_Comm comm, PetscMPIInt tag, PeerOptions *options, std::string *why)
{
  std::shared_ptr<HaloTeam> team;

  PetscFunctionBegin;
  PetscCall(HaloTeamGet(comm, &team));
  PetscCall(HaloTeamAskPeer(comm, tag, team.get()));
  PetscCall(Guarded([&] { *why = team->no_peer; }));
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  options->shared_device = team->shared_device;
  options->launches      = team->launches;
  PetscCall(GetHaloTimeout(&options->timeout));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class V> static PetscErrorCode CreatePeer(const HaloPlan &plan, std::unique_ptr<Exchange<V>> *exchange, std::string *why)
{
  std::unique_ptr<PeerExchange<V>> made;
  PeerOptions                      options;

  PetscFunctionBegin;
  PetscCall(GetPeerOptions(plan.comm, plan.tag, &options, why));
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Together(plan.comm, "hold what it receives", [&] { made = std::make_unique<PeerExchange<V>>(plan, options); }));
  PetscCall(made->setup(why));
  if (why->empty()) *exchange = std::move(made);
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class V> const ExchangeKind<V> &exchange_kind(int which)
{
  static const ExchangeKind<V> kinds[HALO_KINDS] = {
    {halo_names[HALO_AUTO], nullptr},
    {halo_names[HALO_NCCL], CreateNccl<V>},
    {halo_names[HALO_PEER], CreatePeer<V>},
    {halo_names[HALO_HOST], CreateHost<V>},
  };

  return kinds[which];
}

#define INSTANTIATE_KINDS(Kind, V) template const Kind<V> &exchange_kind(int);
FOR_EACH_VECTOR(INSTANTIATE_KINDS, ExchangeKind)

} // namespace goza::parallel
