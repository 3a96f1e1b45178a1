/* Vectors of ranks that share a GPU, on their way to the leaders of their groups and back. */
#pragma once
#include "core/device/array.hpp"
#include "parallel/device_window.hpp"
#include "petsc/vec_access.hpp"
#include <petscmat.h>

namespace goza::mat
{

/* Where this rank's items are among those of its group. */
struct GroupPlaces {
  PetscInt        n = 0, first = 0; // in turn from here on,
  Array<PetscInt> place;            // or where this says, in GroupVector::space(); empty: in turn
};

/* Its values are in host memory that the ranks have in common or, where the ranks' vectors live on the device, in memory of the leader's there, which the others write and read themselves. */
class GroupVector {
public:
  GroupVector() = default;
  ~GroupVector() { (void)VecDestroy(&there_); }
  GroupVector(const GroupVector &)            = delete;
  GroupVector &operator=(const GroupVector &) = delete;

  /* Where the values are meant to be: where a matrix of the ranks, with its products in the space `products`, has its vectors by default. */
  static PetscErrorCode space(const RankGroup &group, Mat A, Space products, Space *space);

  PetscErrorCode create(const RankGroup &group, Space values, Space products, PetscInt n); // n: of the group. Collective in it; an error of one is one of all
  PetscErrorCode make_there(const RankGroup &group, PetscInt bs, PetscInt N);              // on the leaders
  PetscErrorCode put(Vec v, const GroupPlaces &places);                                    // this rank's part
  PetscErrorCode open(Vec v); // before the leader begins: this rank's part is to go there; what that wants is had in time to tell the others
  PetscErrorCode get(PetscErrorCode failed, const GroupPlaces &places); // it goes there unless the leader has failed; closes what is open, and comes back with that error
  PetscErrorCode there(Vec *v);                                         // on a leader: what the ranks have put
  PetscErrorCode written();                                             // on a leader: that vector has new values, for the ranks to get

private:
  SharedWindow window_;
  DeviceWindow block_;
  PetscScalar *data_  = nullptr;
  PetscInt     n_     = 0;
  Space        space_ = Space::Host; // of the values
  Stage        stage_;
  VecWrite     out_;
  bool         is_open_ = false;
  Vec          there_   = NULL;
};

} // namespace goza::mat
