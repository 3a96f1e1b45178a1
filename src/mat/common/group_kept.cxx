/* The leaders' matrix stays with the user's. */
#include "group_mat.hpp"
#include "parallel/agree.hpp"
#include "petsc/attached.hpp"
#include "petsc/plugin.hpp"

namespace goza::mat {

static constexpr char group_key[] = "GozaGroupMat", forming[] = "form a group";

struct Kept {
  PetscObjectId             id; // PETSc may have given another matrix what is composed on this one
  std::shared_ptr<GroupMat> grouped;
};

static Kept *find_kept(Mat A)
{
  Kept *kept = attached<Kept>(A, group_key);

  return kept && kept->id == id_of(A) ? kept : nullptr;
}

std::shared_ptr<GroupMat> find_group_mat(Mat A)
{
  Kept *kept = find_kept(A);

  return kept ? kept->grouped : nullptr;
}

PetscErrorCode MatDropGroupMat(Mat A) { return PetscObjectCompose((PetscObject)A, group_key, NULL); }

static MakeGroupMat *own_maker(Mat A)
{
  MakeGroupMat *make = nullptr;

  (void)PetscObjectQueryFunction((PetscObject)A, makes_group_mat, &make);
  return make;
}

bool may_have_group_mat(Mat A) { return is_aij(A) || own_maker(A); }

static PetscErrorCode MakeGroup(Mat A, const std::shared_ptr<RankGroup> &group, std::shared_ptr<GroupMat> *made)
{
  PetscFunctionBegin;
  if (MakeGroupMat *make = own_maker(A)) PetscCall(make(A, group, made));
  else PetscCall(Guarded([&] { *made = std::make_shared<GroupMat>(group); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatGetGroupMat(Mat A, std::shared_ptr<GroupMat> *grouped, bool *behind)
{
  const MPI_Comm             comm = comm_of(A);
  std::shared_ptr<RankGroup> group;
  Kept                      *kept = find_kept(A);

  PetscFunctionBegin;
  grouped->reset();
  PetscCall(RankGroupGet(comm, space_of(A), &group));
  if (!group) PetscFunctionReturn(PETSC_SUCCESS);
  if (!kept) {
    std::shared_ptr<GroupMat> mat;
    std::unique_ptr<Kept>     made;

    PetscCall(FailTogether(comm, MakeGroup(A, group, &mat), forming));
    if (!mat) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(Together(comm, forming, [&] { made.reset(new Kept{id_of(A), mat}); }));
    kept = made.get();
    PetscCall(Attach((PetscObject)A, group_key, std::move(made)));
  }
  PetscCall(kept->grouped->update(A, behind));
  *grouped = kept->grouped;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::mat
