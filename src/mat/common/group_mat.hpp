/* The rows of ranks that share a GPU, as one matrix of the group's leader.

   Pattern and values are in memory in common: every rank writes its rows' entries where they belong, and the leader's matrix has those arrays for its own. The
   matrix of all ranks stays as it is for PETSc. Where it is of a DMDA and there is one group, rows get the grid's natural numbers, so that the leader has the
   very matrix of one rank.

   This one is of AIJ's; a type that is not AIJ composes GozaMatMakeGroup_C, which makes its own. */
#pragma once
#include "grid_box.hpp"
#include "group_entries.hpp"
#include "group_vector.hpp"
#include "par_operator.hpp"

namespace goza::mat {

class GroupMat {
public:
  explicit GroupMat(std::shared_ptr<RankGroup> group) : group_(std::move(group)) { }
  virtual ~GroupMat();

  RankGroup         &group() const { return *group_; }
  Mat                there() const { return there_; } // NULL where this rank does not lead
  const GroupPlaces &rows() const { return rows_; }
  const GroupPlaces &columns() const { return columns_; }
  PetscInt           row(PetscInt i) const { return rows_(i); } // in the group, of this rank's row i
  GroupVector       &left() { return left_; }                   // like y of y = A x,
  GroupVector       &right() { return right_; }                 // and like x
  const GridBoxes   &grid() const { return grid_; }             // of the leader's rows
  PetscInt           patterns() const { return patterns_; }     // that there have been: another one is another matrix there

  /* Collective. behind: where this can wait for the next task of the leader's, nothing is done, and here is whether this rank has news of A: see
     RankGroup::on_leader(). */
  PetscErrorCode update(Mat A, bool *behind = nullptr);
  /* The leaders' matrix gets the null space that PETSc holds for A, or the near one. Collective. */
  PetscErrorCode share_null_space(Mat A) { return share_null_space(A, MatGetNullSpace, MatSetNullSpace, &null_seen_); }
  PetscErrorCode share_near_null_space(Mat A) { return share_null_space(A, MatGetNearNullSpace, MatSetNearNullSpace, &near_seen_); }

protected:
  /* look(): whether A has another pattern, or other values, than keep() kept; and whether these are where build() and renew() may take them on the device.
     forget(): the next look() finds both. build(): the leaders' matrix, anew; renew(): its values. Collective but for look(). */
  virtual PetscErrorCode look(Mat A, bool *pattern, bool *values);
  virtual void           keep() { kept_ = looked_; }
  virtual void           forget() { kept_ = {}; }
  virtual PetscErrorCode are_on_device(Mat A, bool *yes);
  virtual PetscErrorCode build(Mat A, bool on_device);
  virtual PetscErrorCode renew(Mat A, bool on_device);

  PetscErrorCode place_rows(Mat A);
  PetscErrorCode make_vectors(Mat A);
  void           share_properties(Mat A);
  PetscErrorCode create_vectors();
  PetscInt       new_column(PetscInt old) const { return natural_.bytes() ? natural_.at<PetscInt>()[old] : numbering_(old); }

  static constexpr char what[]     = "hand its rows to its group";
  static constexpr char too_many[] = "The rows of ranks that share a GPU have more entries than a PetscInt can count: use -goza_ranks_per_gpu own";

private:
  using Seen = ParOperator<PetscScalar>::Seen;

  PetscErrorCode number_rows(Mat A);
  PetscErrorCode add_up_rows();
  PetscErrorCode natural_numbers(Mat A, PetscErrorCode here);
  void           count_entries(const Csr &D, const Csr &O, const PetscInt *garray);
  void           place_entries(const Csr &D, const Csr &O, const PetscInt *garray, PetscInt column_start);
  bool           place_in_order(const PetscInt col[], PetscInt n, PetscInt column_start, PetscInt *columns) const;
  PetscErrorCode make_matrix(Mat A);

  struct SpaceSeen {
    PetscObjectId    id    = 0; // 0: there is none
    PetscObjectState state = 0;
    bool             known = false;
  };
  PetscErrorCode share_null_space(Mat A, PetscErrorCode (*get)(Mat, MatNullSpace *), PetscErrorCode (*set)(Mat, MatNullSpace), SpaceSeen *seen);

  PetscInt *ptr(bool outside) const { return ptr_.at<PetscInt>() + (outside ? nrows_ + 1 : 0); }
  bool      inside(PetscInt column) const { return column >= numbering_.begin && column < numbering_.end; }

protected:
  std::shared_ptr<RankGroup> group_;
  Space                      space_ = Space::Host, vectors_ = Space::Host; // of products, and of the vectors that come and go
  RankGroup::Numbering       numbering_;                                   // of columns
  PetscInt                   nrows_    = 0;                                // of the group
  Mat                        there_    = NULL;
  PetscInt                   patterns_ = 0;

private:
  std::array<Seen, 2> looked_, kept_; // A's blocks
  SpaceSeen           null_seen_, near_seen_;
  SharedWindow        natural_;       // [columns]: natural numbers, where those are taken
  Array<PetscInt>     natural_there_; // the same on the leader's device, where vectors are
  SharedWindow        ptr_;           // row pointers of what is in the group's columns and of the rest
  GroupEntries        entries_;
  GroupPlaces         rows_, columns_;
  GridBoxes           grid_;
  GroupVector         left_, right_;
  bool                held_ = false; // there is A, or an older one
};

/* What is composed as GozaMatMakeGroup_C: null where the leaders cannot have the matrix, on all ranks alike. Collective. */
using MakeGroupMat                      = PetscErrorCode(Mat A, const std::shared_ptr<RankGroup> &group, std::shared_ptr<GroupMat> *made);
inline constexpr char makes_group_mat[] = "GozaMatMakeGroup_C";

/* Whether leaders may have such a matrix: AIJ's, or one that makes its own. */
bool may_have_group_mat(Mat A);
/* Up to date or as update() says; null where its ranks are each for themselves. It stays with the matrix. Collective. */
PetscErrorCode            MatGetGroupMat(Mat A, std::shared_ptr<GroupMat> *grouped, bool *behind = nullptr);
std::shared_ptr<GroupMat> find_group_mat(Mat A);  // as it is; null where there is none yet, too
PetscErrorCode            MatDropGroupMat(Mat A); // with settings that A no longer has: another is made when it is asked for

} // namespace goza::mat
