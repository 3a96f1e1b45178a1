/* An owning matrix of ranks that share a GPU, as one of their leader's: rows go from where a rank's values are to the leader, and become its matrix there. */
#include "core/util/algorithm.hpp"
#include "group_rows.hpp"
#include "mat/common/borrowed_csr.hpp"
#include "mat/common/group_mat.hpp"
#include "own_cds.hpp"
#include "petsc/plugin.hpp"

namespace goza::mat {
namespace {

/* An array of the leader's that all ranks of its group write to, on the host or on the device. */
template <class T> class LeaderMemory {
public:
  PetscErrorCode create(const RankGroup &group, Space space, std::size_t n) // collective in the group
  {
    PetscFunctionBegin;
    if (space == Space::Cuda) PetscCall(device_.create(group, n * sizeof(T)));
    else PetscCall(CreateSharedWindow(group.members(), n * sizeof(T), &host_));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  T *data() const { return device_ ? device_.at<T>() : host_.at<T>(); }

private:
  SharedWindow host_;
  DeviceWindow device_;
};

class OwnGroupMat final : public GroupMat {
public:
  using GroupMat::GroupMat;

private:
  PetscErrorCode look(Mat A, bool *pattern, bool *values) override
  {
    PetscFunctionBegin;
    looked_.pattern = A->nonzerostate;
    PetscCall(PetscObjectStateGet((PetscObject)A, &looked_.values));
    *pattern = looked_.pattern != kept_.pattern;
    *values  = looked_.values != kept_.values;
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  void           keep() override { kept_ = looked_; }
  void           forget() override { kept_ = {}; }
  PetscErrorCode are_on_device(Mat, bool *yes) override
  {
    *yes = true; /* or on the host, as all of the group's are */
    return PETSC_SUCCESS;
  }

  PetscErrorCode build(Mat A, bool on_device) override
  {
    PetscFunctionBegin;
    const PetscErrorCode settled = OwnSettle(A, own_of(A));
    PetscErrorCode       here    = place_rows(A); /* in which all take part */
    if (settled) here = settled;
    if (!here) here = number_here();
    PetscCall(group_->on_leader(here, what, [] { return PETSC_SUCCESS; })); /* all know the sizes of what comes */
    here = create_vectors();
    PetscCall(group_->on_leader(here, what, [&]() -> PetscErrorCode {
      PetscFunctionBegin;
      PetscCall(make_there(A, *own_of(A)->kind));
      PetscCall(make_vectors(A));
      PetscFunctionReturn(PETSC_SUCCESS);
    }));
    PetscCall(renew(A, on_device));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /* The group's rows are there for as long as this takes. */
  PetscErrorCode renew(Mat A, bool) override
  {
    CsrMatrix                 rows;
    AijBlocks                 rest;
    BorrowedCsr               others;
    Array<PetscInt>           other, begin;
    LeaderMemory<PetscInt>    length, col; // length: then where rows begin
    LeaderMemory<PetscScalar> val;
    PetscInt                  n       = 0;
    bool                      another = false;

    PetscFunctionBegin;
    PetscCall(OwnCompressedRows(A, &rows, &rest));
    PetscErrorCode here = length.create(*group_, space_, nrows_ + 1);
    if (!here && rest.others()) here = others.open(rest.others(), space_);
    const auto numbers = [&] { return GroupNumbers{natural_here_.data(), this->rows().first, columns().first, other.data()}; };
    const auto put     = [&](auto values) {
      return Guarded([&] {
        values();
        if (space_ == Space::Cuda) device::synchronize(); /* the leader must not begin before */
      });
    };

    if (!here)
      here = put([&] {
        std::vector<PetscInt> names;

        for (PetscInt c = 0; rest.others() && c < rest.others()->cmap->n; c++) names.push_back(new_column(rest.garray[c]));
        other = Array<PetscInt>(space_, names.data(), names.size());
        put_lengths(space_, rows.view(), others.csr(), numbers(), length.data());
      });
    PetscCall(group_->on_leader(here, what, [&] { return add_up(length.data(), &begin, &n); }));
    PetscCallMPI(MPI_Bcast(&n, 1, MPIU_INT, 0, group_->members()));
    here = col.create(*group_, space_, n);
    if (!here) here = val.create(*group_, space_, n);
    if (!here) here = put([&] { put_rows(space_, rows.view(), others.csr(), numbers(), length.data(), col.data(), val.data()); });
    PetscCall(group_->on_leader(here, what, [&] {
      return give(A, {space_, nrows_, numbering_.end - numbering_.begin, begin.data(), col.data(), val.data(), n}, &another);
    }));
    PetscCallMPI(MPI_Bcast(&another, 1, MPI_C_BOOL, 0, group_->members()));
    patterns_ += another;
    PetscCall(others.close());
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /* Of this rank, once for all values. */
  PetscErrorCode number_here()
  {
    PetscFunctionBegin;
    const GroupPlaces &r = rows();

    natural_here_ = Array<PetscInt>();
    if (r.natural) PetscCall(Guarded([&] { natural_here_ = Array<PetscInt>(space_, r.natural + r.first, r.n); }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /* On the leader: lengths become where rows begin, and n is how many entries they have. */
  PetscErrorCode add_up(PetscInt *length, Array<PetscInt> *begin, PetscInt *n)
  {
    bool counted = false;

    PetscFunctionBegin;
    PetscCall(Guarded([&] {
      *begin  = Array<PetscInt>(space_, nrows_ + 1);
      counted = scan_lengths(space_, length, *begin, n);
      copy_values(space_, std::as_const(*begin).data(), begin->size(), length);
      if (space_ == Space::Cuda) device::synchronize(); /* the others read it */
    }));
    PetscCheck(counted, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, too_many);
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /* On the leader: without entries, of A's type and settings, or of another type. */
  PetscErrorCode make_there(Mat A, const OwnKind &kind)
  {
    const OwnMat *own = own_of(A);

    PetscFunctionBegin;
    PetscCall(MatDestroy(&there_));
    PetscCall(MatCreate(group_->leaders(), &there_));
    PetscCall(MatSetSizes(there_, nrows_, numbering_.end - numbering_.begin, A->rmap->N, A->cmap->N));
    PetscCall(MatSetBlockSizes(there_, own->bs > 1 ? own->bs : A->rmap->bs, own->bs > 1 ? own->bs : A->cmap->bs)); /* as it is laid out */
    PetscCall(MatSetType(there_, kind.type));
    PetscCall(MatBindToCPU(there_, space_ == Space::Host ? PETSC_TRUE : PETSC_FALSE));
    if (&kind == own->kind) PetscCall(Guarded([&] { own_of(there_)->storage = own->storage->settings(); }));
    there_->preallocated = PETSC_TRUE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /* another: pattern, or matrix */
  /* On the leader: the rows of all become its matrix. Diagonals find their places again, since entries that were 0 have none; others have them. What the ranks'
     diagonals hold may be on too many of them there, as beyond the ends of a periodic grid or where there is no grid: then these are slices. */
  PetscErrorCode give(Mat A, const Csr &rows, bool *another)
  {
    const PlainCds        *diagonals = OwnDiagonals(*own_of(A));
    const bool             half      = diagonals && diagonals->half();
    OwnMat                *own       = own_of(there_);
    const PetscObjectState before    = there_->nonzerostate;
    OwnValues              values;
    bool                   suits;

    PetscFunctionBegin;
    if (half) share_properties(A); /* then it is there, too */
    PetscCall(own->storage->suits(there_, own, rows, &suits));
    if (!suits) {
      PetscCall(make_there(A, OwnSlicedEllKind()));
      own = own_of(there_);
    }
    const bool anew = !own->op, by_rows = own->storage->by_rows();
    if (!by_rows && !anew && !half) PetscCall(own->storage->full(there_, own));
    if (!by_rows) PetscCall(OwnForget(there_, own));
    if (!by_rows || anew) PetscCall(own->storage->take_rows(there_, own, rows));
    else {
      PetscCall(OwnWrite(there_, own, space_, false, &values));
      PetscCall(Guarded([&] { own->held->refill(rows); }));
    }
    *another = !suits || before != there_->nonzerostate;
    PetscCall(MatAssemblyBegin(there_, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(there_, MAT_FINAL_ASSEMBLY));
    share_properties(A); /* which the end of an assembly forgets */
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  struct Known {
    PetscObjectState pattern = -1, values = -1;
  } looked_, kept_;
  Array<PetscInt> natural_here_; // of this rank's rows, where those numbers are taken
};

} // namespace

/* Not of several groups, whose leaders' matrix is made of AIJ. */
PetscErrorCode OwnMakeGroup(Mat A, const std::shared_ptr<RankGroup> &group, std::shared_ptr<GroupMat> *made)
{
  PetscFunctionBegin;
  made->reset();
  if (group->groups() > 1 || (space_of(A) == Space::Cuda && !group->shares_device_memory())) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Guarded([&] { *made = std::make_shared<OwnGroupMat>(group); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::mat
