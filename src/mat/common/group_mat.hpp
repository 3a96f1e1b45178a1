/* The rows of ranks that share a GPU, as one matrix of the group's leader.

   Pattern and values are in memory in common: every rank writes its rows' entries where they belong, and the leader's matrix has those arrays for its own. The
   matrix of all ranks stays as it is for PETSc. Where it is of a DMDA and there is one group, rows get the grid's natural numbers, so that the leader has the
   very matrix of one rank. */
#pragma once
#include "grid_box.hpp"
#include "group_entries.hpp"
#include "group_vector.hpp"
#include "par_operator.hpp"
#include <memory>
#include <petscmat.h>

namespace goza::mat
{

class GroupMat {
public:
  explicit GroupMat(std::shared_ptr<RankGroup> group) : group_(std::move(group)) { }
  ~GroupMat();
  GroupMat(const GroupMat &)            = delete;
  GroupMat &operator=(const GroupMat &) = delete;

  RankGroup         &group() const { return *group_; }
  Mat                there() const { return there_; } // NULL where this rank does not lead
  const GroupPlaces &rows() const { return rows_; }
  const GroupPlaces &columns() const { return columns_; }
  PetscInt           row(PetscInt i) const { return rows_(i); } // in the group, of this rank's row i
  GroupVector       &left() { return left_; }                   // like y of y = A x,
  GroupVector       &right() { return right_; }                 // and like x
  const GridBox     &grid() const { return grid_; }             // that the leader's rows are numbered along; it may be unknown
  PetscInt           patterns() const { return patterns_; }     // that there have been: another one is another matrix there

  /* Collective. behind: where this can wait for the next task of the leader's, nothing is done, and here is whether this rank has news of A: see
     RankGroup::on_leader(). */
  PetscErrorCode update(Mat A, bool *behind = nullptr);
  /* The leaders' matrix gets the null space that PETSc holds for A, or the near one. Collective. */
  PetscErrorCode share_null_space(Mat A) { return share_null_space(A, MatGetNullSpace, MatSetNullSpace, &null_seen_); }
  PetscErrorCode share_near_null_space(Mat A) { return share_null_space(A, MatGetNearNullSpace, MatSetNearNullSpace, &near_seen_); }

private:
  using Seen = ParOperator<PetscScalar>::Seen;

  PetscErrorCode build(Mat A, bool on_device);
  PetscErrorCode renew(Mat Ad, Mat Ao, bool on_device);
  PetscErrorCode place_rows(Mat A);
  PetscErrorCode number_rows(Mat A);
  PetscErrorCode natural_numbers(Mat A, PetscErrorCode here);
  PetscErrorCode count_entries(const Csr &D, const Csr &O, const PetscInt *garray);
  PetscErrorCode place_entries(const Csr &D, const Csr &O, const PetscInt *garray, PetscInt column_start);
  bool           place_in_order(const PetscInt col[], PetscInt n, PetscInt column_start, PetscInt *columns) const;
  PetscErrorCode add_up_rows();
  PetscErrorCode make_matrix(Mat A);
  PetscErrorCode make_vectors(Mat A);
  PetscErrorCode share_properties(Mat A);

  struct SpaceSeen {
    PetscObjectId    id    = 0; // 0: there is none
    PetscObjectState state = 0;
    bool             known = false;
  };
  PetscErrorCode share_null_space(Mat A, PetscErrorCode (*get)(Mat, MatNullSpace *), PetscErrorCode (*set)(Mat, MatNullSpace), SpaceSeen *seen);

  PetscInt  new_column(PetscInt old) const { return natural_.bytes() ? natural_.at<PetscInt>()[old] : numbering_(old); }
  bool      inside(PetscInt column) const { return column >= numbering_.begin && column < numbering_.end; }
  PetscInt *ptr(bool outside) const { return ptr_.at<PetscInt>() + (outside ? nrows_ + 1 : 0); }

  std::shared_ptr<RankGroup> group_;
  Space                      space_ = Space::Host, vectors_ = Space::Host; // of products, and of the vectors that come and go
  Seen                       diag_seen_, offd_seen_;
  SpaceSeen                  null_seen_, near_seen_;
  RankGroup::Numbering       numbering_;     // of columns
  PetscInt                   nrows_ = 0;     // of the group
  SharedWindow               natural_;       // [columns]: natural numbers, where those are taken
  Array<PetscInt>            natural_there_; // the same on the leader's device, where vectors are
  SharedWindow               ptr_;           // row pointers of what is in the group's columns and of the rest
  GroupEntries               entries_;
  GroupPlaces                rows_, columns_;
  GridBox                    grid_;
  GroupVector                left_, right_;
  Mat                        there_    = NULL;
  PetscInt                   patterns_ = 0;
  bool                       held_     = false; // there is A, or an older one
};

/* Of an AIJ matrix, up to date or as update() says; null where its ranks are each for themselves. It stays with the matrix. Collective. */
PetscErrorCode MatGetGroupMat(Mat A, std::shared_ptr<GroupMat> *grouped, bool *behind = nullptr);
PetscErrorCode MatFindGroupMat(Mat A, std::shared_ptr<GroupMat> *grouped); // as it is; null where there is none yet, too
PetscErrorCode MatDropGroupMat(Mat A);                                     // with settings that A no longer has: another is made when it is asked for

} // namespace goza::mat
