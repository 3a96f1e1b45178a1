/* The entries of a group's rows: every rank writes the values of its own where they belong, the leader's matrix has them all.

   They meet in host memory that the ranks have in common, which is the leader's matrix's own array, or, where every rank's newest values are on the device and can be written to
   the leader's memory there, on the device. */
#pragma once
#include "entry_places.hpp"
#include "parallel/device_window.hpp"
#include <petscmat.h>

namespace goza::mat
{

class GroupEntries {
public:
  void         create(const RankGroup &group, PetscInt n); // collective in the group; an exception on one rank is one on all
  PetscInt    *columns() const { return window_.at<PetscInt>(static_cast<std::size_t>(n_) * sizeof(PetscScalar)); }
  PetscScalar *values() const { return window_.at<PetscScalar>(); }

  /* Of this rank's entries: its diagonal block's, and the others'. */
  EntryPlaces diag, offd;

  /* Whether the newest values of this rank are on the device, from where others' memory there can be written. */
  static PetscErrorCode are_on_device(const RankGroup &group, Mat Ad, Mat Ao, bool *yes);

  PetscErrorCode meet(const RankGroup &group, bool on_device); // where the next values do: the same on all ranks. Collective in the group
  PetscErrorCode put(Mat Ad, Mat Ao);                          // this rank's
  PetscErrorCode give(Mat there, Space space);                 // on the leader: the matrix has what all have put

private:
  PetscInt     n_ = 0;
  SharedWindow window_; // values and, behind them, columns
  DeviceWindow there_;  // values
  bool         on_device_ = false;
};

} // namespace goza::mat
