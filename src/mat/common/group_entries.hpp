/* The entries of a group's rows: every rank writes the values of its own where they belong, the leader's matrix has them all.

   They meet in host memory that the ranks have in common or, where every rank's newest values are on the device and can be written to the leader's memory
   there, on the device. Where they do from the start, the leader's matrix's host values are memory of its own, which nobody touches until somebody there asks
   for them. */
#pragma once
#include "entry_places.hpp"
#include "parallel/device_window.hpp"

namespace goza::mat {

class GroupEntries {
public:
  PetscErrorCode create(const RankGroup &group, PetscInt n, bool on_device); // on_device: as in meet(). Collective in the group
  PetscInt      *columns() const { return columns_.at<PetscInt>(); }
  PetscScalar   *values() { return apart_.size() ? apart_.data() : values_.at<PetscScalar>(); } // on the leader, its matrix's

  /* Of this rank's entries: its diagonal block's, and the others'. */
  EntryPlaces diag, offd;

  /* Whether the newest values of this rank are on the device, from where others' memory there can be written. */
  static PetscErrorCode are_on_device(const RankGroup &group, const AijBlocks &blocks, bool *yes);

  PetscErrorCode meet(const RankGroup &group, bool on_device); // where the next values do: the same on all ranks. Collective in the group
  PetscErrorCode put(const AijBlocks &blocks);                 // this rank's
  PetscErrorCode give(Mat there, Space space);                 // on the leader: the matrix has what all have put

private:
  PetscInt           n_ = 0;
  SharedWindow       columns_, values_;
  Array<PetscScalar> apart_; // the leader's, where the values are not in common
  DeviceWindow       there_; // values
  bool               on_device_ = false;
};

} // namespace goza::mat
