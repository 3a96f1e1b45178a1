/* Ranks of one host that share a GPU: one of them, the leader, holds their rows there and works for all. Without that they would take turns at the device, a
   context each.

   The other ranks put what they have into memory in common and sleep until the leader has done its part. Leaders talk to one another as single ranks do, on a
   communicator of their own. */
#pragma once
#include "petsc/short_text.hpp"
#include "lent_memory.hpp"

namespace goza::parallel {

class RankGroup {
public:
  ~RankGroup();

  bool        leads() const { return !rank_; }
  PetscMPIInt size() const { return size_; }
  PetscMPIInt rank() const { return rank_; }                                 // among them
  PetscMPIInt groups() const { return groups_; }                             // of the communicator
  MPI_Comm    members() const { return members_; }                           // this rank's group, the leader first
  MPI_Comm    leaders() const { return leaders_; }                           // PETSc's own duplicate; MPI_COMM_NULL where this rank does not lead
  bool        shares_device_memory() const { return shares_device_memory_; } // the members can open the leader's, and it theirs; the same on every rank
  LentMemory &lent() { return lent_; }                                       // where they do
  ShortText   describe() const;                                              // "8 ranks in 1 group"; the same on every rank

  /* Items are numbered group by group, and by rank within it, where a rank of the communicator has so many of them. */
  struct Numbering {
    std::vector<PetscInt> old_start, new_start; // of each rank's; one more than ranks in old_start
    PetscInt              begin = 0, end = 0;   // this group's, new
    bool                  same = true;          // as before

    PetscInt operator()(PetscInt old) const; // new number
  };
  Numbering number(const PetscInt ranges[]) const; // ranges: as in a PetscLayout; of all ranks

  std::uint32_t tasks() const { return tasks_; } // that have begun, on_leader() each

  /* Collective on the communicator. When every rank is here, work() runs on the leaders, and when that is done all go on. An error, `here` of a rank or in
     work(), is one on all ranks of the group; one brought along, of all ranks. `what` as in FailTogether().

     behind: whether this rank has news that the leader's work would miss; true afterwards on all ranks of the group where one has, and nothing is done then. */
  template <class Work> PetscErrorCode on_leader(PetscErrorCode here, const char *what, const Work &work, bool *behind = nullptr)
  {
    bool any = behind && *behind;

    PetscFunctionBegin;
    PetscErrorCode failed = arrive(here, what, &any);
    if (leads()) {
      if (!failed && !any) failed = work();
      if (!failed) failed = settle();
      tell(failed, any);
    }
    PetscCall(leave(here, failed, what, &any));
    if (behind) *behind = any;
    PetscFunctionReturn(PETSC_SUCCESS);
  }

private:
  friend PetscErrorCode RankGroupGet(MPI_Comm, Space, std::shared_ptr<RankGroup> *);
  struct Board;

  PetscErrorCode create(MPI_Comm comm, Space space, std::string *why);
  PetscErrorCode find_members(MPI_Comm comm, Space space, MPI_Comm *members);
  PetscErrorCode try_device_memory(MPI_Comm comm);
  PetscErrorCode arrive(PetscErrorCode here, const char *what, bool *behind);
  PetscErrorCode wait(SharedCount &count, std::uint32_t wanted);
  PetscErrorCode settle() const;
  void           tell(PetscErrorCode failed, bool behind);
  PetscErrorCode leave(PetscErrorCode here, PetscErrorCode failed, const char *what, bool *behind);

  Space                    space_   = Space::Host;
  MPI_Comm                 members_ = MPI_COMM_NULL, leaders_ = MPI_COMM_NULL;
  PetscMPIInt              size_ = 1, rank_ = 0, groups_ = 1, mine_ = 0;
  std::vector<PetscMPIInt> position_, group_of_; // of each rank of the communicator: in the order of groups; its group
  SharedWindow             window_;
  Board                   *board_                = nullptr;
  bool                     shares_device_memory_ = false;
  LentMemory               lent_;
  std::uint32_t            tasks_           = 0;
  bool                     waits_are_short_ = false;
};

/* The groups of a communicator for what lives in a space; null where each rank is for itself, the same on every rank. Collective on the first call. */
PetscErrorCode RankGroupGet(MPI_Comm comm, Space space, std::shared_ptr<RankGroup> *group);

} // namespace goza::parallel
