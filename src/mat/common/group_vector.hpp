/* Vectors of ranks that share a GPU, on their way to the leaders of their groups and back. */
#pragma once
#include "parallel/rank_group.hpp"
#include "petsc/vec_access.hpp"

namespace goza::mat {

/* Where this rank's items are among those of its group: from `first` on in turn or, for its i-th, where natural[first + i] says. */
struct GroupPlaces {
  PetscInt        n = 0, first = 0;
  const PetscInt *natural = nullptr; // of all in the group, in memory in common; null: they are in turn
  const PetscInt *device  = nullptr; // the same on the leader's device, where vectors are

  PetscInt operator()(PetscInt i) const { return natural ? natural[first + i] : first + i; }
};

/* Where the ranks' vectors live on the host, its values are in memory that the ranks have in common. Where they live on the device, the leader fetches them
   from there, and puts results there: the others lend it their vectors' memory or, where that cannot be, a copy. */
class GroupVector {
public:
  ~GroupVector() { (void)VecDestroy(&there_); }

  /* Where the values are meant to be: where a matrix of the ranks, with its products in the space `products`, has its vectors by default. */
  static PetscErrorCode space(const RankGroup &group, Mat A, Space products, Space *space);

  // n: of the group. Collective in it; an error of one is one of all
  PetscErrorCode create(RankGroup &group, const GroupPlaces &places, Space values, Space products, PetscInt n);
  PetscErrorCode make_there(PetscInt bs, PetscInt N); // on the leaders

  /* Before a task of the leader's: this rank's part for it, and where its result is to go; what that wants is had in time to tell the others. */
  PetscErrorCode put(Vec v);
  PetscErrorCode open(Vec v);
  /* In the task: what the ranks have put; that vector has new values, for those that have opened. */
  PetscErrorCode there(Vec *v);
  PetscErrorCode written();
  /* After it: the result is where it is to go unless the leader has failed. Closes what is open, and comes back with that error. */
  PetscErrorCode get(PetscErrorCode failed);

private:
  struct Meeting { // of a rank and the leader, in memory in common
    alignas(64) Lent in;
    Lent     out;
    PetscInt n, first;
  };

  PetscErrorCode lend(const PetscScalar *v, bool with_values, Lent *known, bool *copied);
  PetscErrorCode move(bool out); // the ranks' parts, by the leader
  Meeting       &meeting(PetscMPIInt rank) const { return window_.at<Meeting>()[rank]; }
  PetscScalar   *values() { return space_ == Space::Cuda ? values_.data() : window_.at<PetscScalar>(); }

  RankGroup                   *group_  = nullptr;
  const GroupPlaces           *places_ = nullptr;
  Space                        space_  = Space::Host; // of the values
  PetscInt                     n_      = 0;
  SharedWindow                 window_;                     // values or, where they are on the device, meetings
  Array<PetscScalar>           values_;                     // there, the leader's
  std::unique_ptr<SharedBlock> copy_;                       // lent where a vector cannot be
  std::uint32_t                put_for_ = 0, open_for_ = 0; // the task
  int                          uses_until_pinned_ = 0;      // by the leader; 0: they are, or need not be
  bool                         is_open_ = false, copied_ = false;
  Stage                        stage_;
  VecWrite                     out_;
  Vec                          there_ = NULL;
};

} // namespace goza::mat
