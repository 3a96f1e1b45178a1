/* What the ranks of a communicator know of one another, found out once: hosts, devices, and whether NCCL and peer memory work between them. */
#pragma once
#include "core/device/shared_memory.hpp"
#include "launches.hpp"
#include "nccl.hpp"

namespace goza::parallel {

class RankGroup;

struct HaloTeam {
  ~HaloTeam();

  bool        one_host = false, shared_device = false; // shared: two ranks have one device
  bool        asked_nccl = false, asked_peer = false;
  std::string no_nccl, no_peer; // why not; the same on every rank
  const Nccl *library = nullptr;
  Nccl::Comm  nccl    = nullptr;

  std::shared_ptr<Launches>    launches;  // where peer memory works
  std::unique_ptr<SharedBlock> buffer[2]; // of what others fetch in a set-up (runs.hpp), in turns
  unsigned                     exchanges = 0;

  bool                       asked_group = false;
  std::shared_ptr<RankGroup> group; // of ranks that share a device (rank_group.hpp)
};

/* Collective on the first call for a communicator. Kept with it, and by whoever holds the pointer. */
PetscErrorCode HaloTeamGet(MPI_Comm comm, std::shared_ptr<HaloTeam> *team);
PetscErrorCode HaloTeamAskNccl(MPI_Comm comm, HaloTeam *team);                  // collective; looks and tries on the first call only
PetscErrorCode HaloTeamAskPeer(MPI_Comm comm, PetscMPIInt tag, HaloTeam *team); // the same
PetscErrorCode HaloTeamsForget();                                               // when Goza is unloaded: communicators outlive it

} // namespace goza::parallel
