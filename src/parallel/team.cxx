#include "team.hpp"
#include "agree.hpp"
#include "core/device/array.hpp"
#include "core/device/kernel_loader.hpp"
#include "core/device/mailbox.hpp"
#include "petsc/errors.hpp"
#include <algorithm>
#include <array>
#include <vector>

namespace goza::parallel
{

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
  PetscMPIInt                       size, here;
  std::array<char, 16>              mine{};
  std::vector<std::array<char, 16>> all;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(FailTogether(comm, Guarded([&] {
                           all.resize(size);
                           mine = device::uuid();
                         }),
                         "look at its device"));
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

    PetscCall(FailTogether(comm, Guarded([&] {
                             made = std::make_unique<TeamPlace>(TeamPlace{comm, std::make_shared<HaloTeam>()});
                             places.reserve(places.size() + 1);
                           }),
                           "keep what it knows of the others"));
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
  PetscMPIInt rank, size;
  Nccl::Id    id{};
  std::string why;

  PetscFunctionBegin;
  if (team->asked_nccl) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-goza_nccl", file, sizeof(file), NULL));
  PetscCall(FailTogether(comm, Guarded([&] {
                           if (team->shared_device) {
                             why = "several ranks share a device, which NCCL refuses";
                             return;
                           }
                           team->library = load_nccl(file, &why);
                           if (team->library && rank == 0) {
                             if (const int status = team->library->get_unique_id(&id); status != Nccl::success)
                               why = std::string("ncclGetUniqueId: ") + team->library->get_error_string(status);
                           }
                         }),
                         "load NCCL"));
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

/* Each rank writes a value into the memory of the next: that says more of a machine than its attributes do. */
static PetscErrorCode TryPeer(MPI_Comm comm, PetscMPIInt tag, std::string *why)
{
  constexpr double             timeout = 20; // seconds
  constexpr float              value   = 1;
  PetscMPIInt                  rank, size;
  std::unique_ptr<SharedBlock> block;
  SharedBlock::Name            mine{}, next{};

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  try {
    block = std::make_unique<SharedBlock>(2 * sizeof(MailboxWord));
    mine  = block->name();
  } catch (const std::exception &e) {
    SetReason(why, e.what());
  }
  PetscCall(AgreeOnReason(comm, why));
  if (!why->empty() || size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Sendrecv(&mine, (PetscMPIInt)sizeof(mine), MPI_BYTE, (rank + size - 1) % size, tag, &next, (PetscMPIInt)sizeof(next), MPI_BYTE,
                            (rank + 1) % size, tag, comm, MPI_STATUS_IGNORE));
  Array<PetscInt>           index(Space::Cuda);
  Array<MailboxWord *>      place(Space::Cuda);
  Array<float>              x(Space::Cuda), got(Space::Cuda);
  Array<MailboxState>       state(Space::Cuda);
  std::unique_ptr<LateFlag> late;
  try {
    const PetscInt first     = 0;
    MailboxWord   *there     = reinterpret_cast<MailboxWord *>(device::open_shared(next));
    MailboxWord   *places[2] = {there, there + 1};

    index = Array<PetscInt>(Space::Cuda, &first, 1);
    place = Array<MailboxWord *>(Space::Cuda, places, 2);
    x     = Array<float>(Space::Cuda, &value, 1);
    got   = Array<float>(Space::Cuda, 1);
    state = Array<MailboxState>(Space::Cuda, 1);
    late  = std::make_unique<LateFlag>();
    state.zero();
  } catch (const std::exception &e) {
    SetReason(why, e.what());
  }
  PetscCall(AgreeOnReason(comm, why));
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  try {
    Mailbox box;

    box.nsend = box.nget = box.nkept = 1;
    box.index                        = index.data();
    box.place                        = place.data();
    box.words                        = reinterpret_cast<const MailboxWord *>(block->data());
    box.state                        = state.data();
    box.late                         = late->word();
    exchange(box, static_cast<const float *>(x.data()), got.data(), 1, timeout);
    if (got.to_host()[0] != value) SetReason(why, "a value of a neighbour's did not arrive");
    late->check();
  } catch (const std::exception &e) {
    if (why->empty()) SetReason(why, e.what());
  }
  PetscCall(AgreeOnReason(comm, why)); // also: nobody's block goes before its neighbour has written
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HaloTeamAskPeer(MPI_Comm comm, PetscMPIInt tag, HaloTeam *team)
{
  std::string why;

  PetscFunctionBegin;
  if (team->asked_peer) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(FailTogether(comm, Guarded([&] {
                           if (team->one_host) (void)device::can_share(&why);
                           else why = "the ranks are on several hosts";
                         }),
                         "look at its device"));
  PetscCall(AgreeOnReason(comm, &why));
  kernel_loader::wait(); // as it may wait for the device
  if (why.empty()) PetscCall(TryPeer(comm, tag, &why));
  if (why.empty()) PetscCall(Launches::Create(comm, &team->launches, &why));
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
