#include "team.hpp"
#include "core/device/kernel_loader.hpp"
#include "peer_exchange.hpp"

namespace goza::parallel {

/* The attribute of a communicator is a pointer to one of these. */
struct TeamPlace {
  MPI_Comm                  comm;
  std::shared_ptr<HaloTeam> team;
};

static PetscMPIInt              keyval = MPI_KEYVAL_INVALID;
static std::vector<TeamPlace *> places;

static int MPIAPI DeleteTeam(MPI_Comm, PetscMPIInt, void *attribute, void *)
{
  TeamPlace *place = static_cast<TeamPlace *>(attribute);

  places.erase(std::remove(places.begin(), places.end(), place), places.end());
  delete place;
  return MPI_SUCCESS;
}

HaloTeam::~HaloTeam()
{
  if (nccl) (void)library->comm_destroy(nccl);
}

static PetscErrorCode LookAround(MPI_Comm comm, HaloTeam *team)
{
  MPI_Comm                          host;
  PetscMPIInt                       here;
  std::array<char, 16>              mine{};
  std::vector<std::array<char, 16>> all;

  PetscFunctionBegin;
  const PetscMPIInt size = ranks_of(comm);
  PetscCall(Together(comm, "look at its device", [&] {
    all.resize(size);
    mine = device::uuid();
  }));
  PetscCallMPI(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host));
  PetscCallMPI(MPI_Comm_size(host, &here));
  PetscCallMPI(MPI_Comm_free(&host));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &here, 1, MPI_INT, MPI_MIN, comm));
  team->one_host = here == size;
  PetscCallMPI(MPI_Allgather(mine.data(), 16, MPI_CHAR, all.data(), 16, MPI_CHAR, comm));
  std::sort(all.begin(), all.end());
  team->shared_device = std::adjacent_find(all.begin(), all.end()) != all.end();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HaloTeamGet(MPI_Comm comm, std::shared_ptr<HaloTeam> *team)
{
  TeamPlace  *place;
  PetscMPIInt found;

  PetscFunctionBegin;
  if (keyval == MPI_KEYVAL_INVALID) PetscCallMPI(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, DeleteTeam, &keyval, NULL));
  PetscCallMPI(MPI_Comm_get_attr(comm, keyval, &place, &found));
  if (!found) {
    std::unique_ptr<TeamPlace> made;

    PetscCall(Together(comm, "keep what it knows of the others", [&] {
      made = std::make_unique<TeamPlace>(TeamPlace{comm, std::make_shared<HaloTeam>()});
      places.reserve(places.size() + 1);
    }));
    PetscCall(LookAround(comm, made->team.get()));
    places.push_back(place = made.release());
    PetscCallMPI(MPI_Comm_set_attr(comm, keyval, place));
  }
  *team = place->team;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HaloTeamAskNccl(MPI_Comm comm, HaloTeam *team)
{
  char        file[PETSC_MAX_PATH_LEN] = "libnccl.so.2";
  Nccl::Id    id{};
  std::string why;

  PetscFunctionBegin;
  if (team->asked_nccl) PetscFunctionReturn(PETSC_SUCCESS);
  const PetscMPIInt rank = rank_in(comm), size = ranks_of(comm);
  PetscCall(PetscOptionsGetString(NULL, NULL, "-goza_nccl", file, sizeof(file), NULL));
  PetscCall(Together(comm, "load NCCL", [&] {
    if (team->shared_device) {
      why = "several ranks share a device, which NCCL refuses";
      return;
    }
    team->library = load_nccl(file, &why);
    if (team->library && rank == 0) {
      if (const int status = team->library->get_unique_id(&id); status != Nccl::success)
        why = std::string("ncclGetUniqueId: ") + team->library->get_error_string(status);
    }
  }));
  PetscCall(AgreeOnReason(comm, &why));
  if (why.empty()) {
    PetscCallMPI(MPI_Bcast(&id, (PetscMPIInt)sizeof(id), MPI_BYTE, 0, comm));
    if (const int status = team->library->comm_init_rank(&team->nccl, size, id, rank); status != Nccl::success) {
      char text[256];

      PetscCall(PetscSNPrintf(text, sizeof(text),
                              "ncclCommInitRank: %s (where a host lacks NVLink multicast, which nothing here needs, set NCCL_NVLS_ENABLE=0)",
                              team->library->get_error_string(status)));
      SetReason(&why, text);
      team->nccl = nullptr;
    }
    PetscCall(AgreeOnReason(comm, &why));
  }
  team->no_nccl.swap(why);
  team->asked_nccl = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Each rank sends a value to the next: that says more of a machine than its attributes do. */
static PetscErrorCode TryPeer(MPI_Comm comm, PetscMPIInt tag, const HaloTeam &team, std::string *why)
{
  constexpr double                           timeout = 20; // seconds
  const PetscScalar                          value   = 1;
  const PetscInt                             first   = 0;
  HaloPlan                                   plan;
  std::unique_ptr<PeerExchange<PetscScalar>> exchange;

  PetscFunctionBegin;
  const PetscMPIInt rank = rank_in(comm), size = ranks_of(comm);
  if (size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Together(comm, "hold what it receives", [&] {
    plan.comm     = comm;
    plan.tag      = tag;
    plan.space    = Space::Cuda;
    plan.sends    = {{(rank + 1) % size, 0, 1}};
    plan.receives = {{(rank + size - 1) % size, 0, 1}};
    plan.nsend = plan.nghost = 1;
    plan.send_index          = Array<PetscInt>(Space::Cuda, &first, 1);
    exchange                 = std::make_unique<PeerExchange<PetscScalar>>(plan, PeerOptions{team.shared_device, timeout, team.launches});
  }));
  PetscCall(exchange->setup(why));
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  try {
    const Array<PetscScalar> x(Space::Cuda, &value, 1);
    Array<PetscScalar>       got(Space::Cuda, 1);

    exchange->fetch(x.data(), got.data());
    if (got.to_host()[0] != value) SetReason(why, "a value of a neighbour's did not arrive");
  } catch (const std::exception &e) {
    SetReason(why, e.what());
  }
  PetscCall(AgreeOnReason(comm, why)); // also: nobody's memory goes before its neighbour has written
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HaloTeamAskPeer(MPI_Comm comm, PetscMPIInt tag, HaloTeam *team)
{
  std::string why;

  PetscFunctionBegin;
  if (team->asked_peer) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Together(comm, "look at its device", [&] {
    if (team->one_host) (void)device::can_share(&why);
    else why = "the ranks are on several hosts";
  }));
  PetscCall(AgreeOnReason(comm, &why));
  kernel_loader::wait(); // as it may wait for the device
  if (why.empty()) PetscCall(Launches::Create(comm, &team->launches, &why));
  if (why.empty()) PetscCall(TryPeer(comm, tag, *team, &why));
  if (!why.empty()) team->launches.reset();
  team->no_peer.swap(why);
  team->asked_peer = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HaloTeamsForget()
{
  PetscFunctionBegin;
  while (!places.empty()) PetscCallMPI(MPI_Comm_delete_attr(places.back()->comm, keyval));
  if (keyval != MPI_KEYVAL_INVALID) PetscCallMPI(MPI_Comm_free_keyval(&keyval));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::parallel
