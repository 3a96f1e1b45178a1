#include "group_mat.hpp"
#include "borrowed_csr.hpp"
#include "format_mat.hpp"
#include "parallel/agree.hpp"
#include "petsc/plugin.hpp"

namespace goza::mat {

/* --- the pattern */

GroupMat::~GroupMat() { (void)MatDestroy(&there_); }

/* Where the leader's rows are on the grid of a DMDA. Where it has the whole of it, their order is the grid's natural one. here: an error of this rank's so far,
   which comes back. */
PetscErrorCode GroupMat::natural_numbers(Mat A, PetscErrorCode here)
{
  GridBoxes   mine, of_members;
  PetscMPIInt fits;

  PetscFunctionBegin;
  natural_ = SharedWindow();
  grid_.clear();
  if (!here) here = FindGridBoxes(A, &mine);
  if (!here) here = Guarded([&] { of_members.resize(group_->size()); });
  fits = !here && !mine.empty() && A->rmap->n == rows_of(mine) && A->cmap->n == A->rmap->n;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &fits, 1, MPI_INT, MPI_MIN, comm_of(A)));
  if (!fits) PetscFunctionReturn(here);
  GridBox &box = mine.front();
  box.slabs    = box.slabs && numbering_.same;
  if (group_->groups() > 1) {
    PetscCallMPI(MPI_Allgather(&box, sizeof(box), MPI_BYTE, of_members.data(), sizeof(box), MPI_BYTE, group_->members()));
    grid_ = std::move(of_members);
    PetscFunctionReturn(here);
  }
  if (!box.slabs) {
    here = CreateSharedWindow(group_->members(), A->cmap->N * sizeof(PetscInt), &natural_);
    for (PetscInt i = 0; !here && i < A->cmap->n; i++) natural_.at<PetscInt>()[A->cmap->rstart + i] = box.natural(i, box.dof);
    PetscCall(group_->on_leader(here, what, [] { return PETSC_SUCCESS; }));
  }
  box.slabs = true;
  for (int d = 0; d < 3; d++) {
    box.begin[d] = 0;
    box.width[d] = box.points[d];
  }
  grid_ = std::move(mine);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In the order of groups. */
PetscErrorCode GroupMat::number_rows(Mat A)
{
  const PetscInt      *ranges;
  RankGroup::Numbering numbering;

  PetscFunctionBegin;
  const PetscMPIInt rank = rank_in(A);
  const auto        find = [&](PetscLayout layout, RankGroup::Numbering *found, GroupPlaces *places) -> PetscErrorCode {
    PetscFunctionBegin;
    PetscCall(PetscLayoutGetRanges(layout, &ranges));
    PetscCall(Guarded([&] { *found = group_->number(ranges); }));
    places->n       = layout->n;
    places->first   = found->new_start[rank] - found->begin;
    places->natural = places->device = nullptr;
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  PetscCall(find(A->rmap, &numbering, &rows_));
  nrows_ = numbering.end - numbering.begin;
  PetscCall(find(A->cmap, &numbering_, &columns_));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An error of this rank's does not keep it from what all do. */
PetscErrorCode GroupMat::place_rows(Mat A)
{
  PetscErrorCode here;

  PetscFunctionBegin;
  natural_there_ = Array<PetscInt>();
  here           = natural_numbers(A, number_rows(A));
  if (!here && natural_.bytes()) {
    here = Guarded([&] {
      if (group_->leads() && vectors_ == Space::Cuda) natural_there_ = Array<PetscInt>(Space::Cuda, natural_.at<PetscInt>(), nrows_);
    });
    for (GroupPlaces *places : {&rows_, &columns_}) {
      places->natural = natural_.at<PetscInt>();
      places->device  = natural_there_.data();
    }
  }
  PetscFunctionReturn(here);
}

void GroupMat::count_entries(const Csr &D, const Csr &O, const PetscInt *garray)
{
  const bool all_inside = group_->groups() == 1;

  for (PetscInt i = 0; i < rows_.n; i++) {
    const PetscInt others = O.nrows ? O.ptr[i + 1] - O.ptr[i] : 0;
    PetscInt       in = D.ptr[i + 1] - D.ptr[i], out = 0;

    if (all_inside) in += others;
    else
      for (PetscInt p = 0; p < others; p++) (inside(new_column(garray[O.col[O.ptr[i] + p]])) ? in : out)++;
    ptr(false)[row(i) + 1] = in;
    if (!all_inside) ptr(true)[row(i) + 1] = out;
  }
}

/* On the leader: lengths of rows become pointers. */
PetscErrorCode GroupMat::add_up_rows()
{
  PetscFunctionBegin;
  PetscInt64 all = 0;
  for (bool outside : {false, true}) {
    PetscInt64 sum = 0;

    if (outside && group_->groups() == 1) continue; /* nothing is */
    for (PetscInt i = 0; i <= nrows_; i++) ptr(outside)[i] = (PetscInt)(sum += ptr(outside)[i]);
    all += sum;
  }
  PetscCheck(all <= std::numeric_limits<PetscInt>::max(), PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, too_many);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A row of the group's own columns alone, whose order stays as it is: its columns are where they belong, and true. */
bool GroupMat::place_in_order(const PetscInt col[], PetscInt n, PetscInt column_start, PetscInt *columns) const
{
  PetscInt last = -1;

  for (PetscInt k = 0; k < n; k++) {
    const PetscInt column = new_column(column_start + col[k]) - numbering_.begin;

    if (column <= last) return false;
    columns[k] = last = column;
  }
  return true;
}

void GroupMat::place_entries(const Csr &D, const Csr &O, const PetscInt *garray, PetscInt column_start)
{
  const bool                                 all_inside = group_->groups() == 1;
  const PetscInt                             inner      = ptr(false)[nrows_];
  PetscInt                                  *columns    = entries_.columns();
  std::vector<std::pair<PetscInt, PetscInt>> list;  // a row's entries: column, number among them
  std::vector<PetscInt>                      place; // of each of them

  entries_.diag.clear();
  entries_.offd.clear();
  for (PetscInt i = 0; i < rows_.n; i++) {
    const PetscInt nD = D.ptr[i + 1] - D.ptr[i], nO = O.nrows ? O.ptr[i + 1] - O.ptr[i] : 0;
    PetscInt       in = ptr(false)[row(i)], out = all_inside ? inner : inner + ptr(true)[row(i)];

    if (!nO && place_in_order(D.col + D.ptr[i], nD, column_start, columns + in)) {
      entries_.diag.add(nD, in);
      continue;
    }
    list.clear();
    place.resize(nD + nO);
    for (PetscInt k = 0; k < nD; k++) list.emplace_back(new_column(column_start + D.col[D.ptr[i] + k]), k);
    for (PetscInt k = 0; k < nO; k++) list.emplace_back(new_column(garray[O.col[O.ptr[i] + k]]), nD + k);
    if (!std::is_sorted(list.begin(), list.end())) std::sort(list.begin(), list.end()); /* by column: most are */
    for (const auto &[column, entry] : list) {
      const PetscInt to = inside(column) ? in++ : out++;

      place[entry] = to;
      columns[to]  = to < inner ? column - numbering_.begin : column;
    }
    for (PetscInt k = 0; k < nD; k++) entries_.diag.add(1, place[k]);
    for (PetscInt k = 0; k < nO; k++) entries_.offd.add(1, place[nD + k]);
  }
}

/* --- the matrix */

PetscErrorCode GroupMat::create_vectors()
{
  PetscFunctionBegin;
  PetscCall(left_.create(*group_, rows_, vectors_, space_, nrows_));
  PetscCall(right_.create(*group_, columns_, vectors_, space_, numbering_.end - numbering_.begin));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupMat::build(Mat A, bool on_device)
{
  const AijBlocks blocks = blocks_of(A);
  const Mat       Ad = blocks.diagonal(), Ao = blocks.others();
  BorrowedCsr     diag, offd;

  PetscFunctionBegin;
  PetscErrorCode here = place_rows(A);
  if (!here) here = diag.open_pattern(Ad);
  if (!here && Ao) here = offd.open_pattern(Ao);
  PetscCall(group_->on_leader(here, what, [] { return PETSC_SUCCESS; })); /* all know the sizes of what comes */
  here = CreateSharedWindow(group_->members(), 2 * (static_cast<std::size_t>(nrows_) + 1) * sizeof(PetscInt), &ptr_);
  if (!here) count_entries(diag.csr(), offd.csr(), blocks.garray);
  PetscCall(group_->on_leader(here, what, [&] { return add_up_rows(); }));
  here = entries_.create(*group_, ptr(false)[nrows_] + ptr(true)[nrows_], on_device);
  if (!here) here = entries_.meet(*group_, on_device);
  if (!here) here = create_vectors();
  if (!here) here = Guarded([&] { place_entries(diag.csr(), offd.csr(), blocks.garray, A->cmap->rstart); });
  if (!here) here = entries_.put(blocks);
  PetscCall(group_->on_leader(here, what, [&]() -> PetscErrorCode {
    PetscFunctionBegin;
    PetscCall(make_matrix(A));
    PetscCall(make_vectors(A));
    if (on_device) PetscCall(entries_.give(there_, space_));
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupMat::renew(Mat A, bool on_device)
{
  PetscFunctionBegin;
  PetscErrorCode here = entries_.meet(*group_, on_device);
  if (!here) here = entries_.put(blocks_of(A));
  PetscCall(group_->on_leader(here, what, [&] { return entries_.give(there_, space_); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupMat::look(Mat A, bool *pattern, bool *values)
{
  int k = 0;

  PetscFunctionBegin;
  *pattern = *values = false;
  looked_            = {};
  for (Mat block : blocks_of(A)) {
    looked_[k] = Seen(block);
    *pattern |= !looked_[k].same_pattern(kept_[k]);
    *values |= !looked_[k].same(kept_[k]);
    k++;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupMat::are_on_device(Mat A, bool *yes) { return GroupEntries::are_on_device(*group_, blocks_of(A), yes); }

/* That an error of one rank is one of all, so that all know whether the matrix is held, goes for a single group. */
PetscErrorCode GroupMat::update(Mat A, bool *behind)
{
  const MPI_Comm comm = comm_of(A);
  bool           pattern, values, on_device;
  PetscMPIInt    moved[3];

  PetscFunctionBegin;
  PetscCall(look(A, &pattern, &values));
  moved[0] = pattern;
  moved[1] = values;
  if (behind && held_ && group_->groups() == 1) {
    *behind = moved[0] || moved[1];
    share_properties(A);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(are_on_device(A, &on_device));
  moved[2] = !on_device;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, moved, 3, MPI_INT, MPI_MAX, comm));
  forget(); /* if this fails, the next update begins anew */
  held_  = false;
  space_ = space_of(A);
  if (moved[0]) {
    PetscCall(MatDestroy(&there_));
    PetscCall(GroupVector::space(*group_, A, space_, &vectors_));
    patterns_++;
    null_seen_ = near_seen_ = SpaceSeen();
    PetscCall(PetscLogEventBegin(events.group_rows, A, 0, 0, 0));
    const PetscErrorCode failed = FailTogether(comm, build(A, !moved[2]), what);
    PetscCall(PetscLogEventEnd(events.group_rows, A, 0, 0, 0));
    PetscCall(failed);
  } else if (moved[1]) {
    PetscCall(PetscLogEventBegin(events.group_values, A, 0, 0, 0));
    const PetscErrorCode failed = renew(A, !moved[2]);
    PetscCall(PetscLogEventEnd(events.group_values, A, 0, 0, 0));
    PetscCall(failed);
  }
  share_properties(A);
  keep();
  held_ = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::mat
