/* The leaders' matrix stays with the user's. */
#include "group_mat.hpp"
#include "parallel/agree.hpp"
#include "petsc/attached.hpp"
#include "petsc/plugin.hpp"

namespace goza::mat
{

static constexpr char group_key[] = "GozaGroupMat", forming[] = "form a group";

struct Kept {
  PetscObjectId             id; // PETSc may have given another matrix what is composed on this one
  std::shared_ptr<GroupMat> grouped;
};

static Kept *find_kept(Mat A)
{
  Kept         *kept = attached<Kept>(A, group_key);
  PetscObjectId id   = 0;

  (void)PetscObjectGetId((PetscObject)A, &id);
  return kept && kept->id == id ? kept : nullptr;
}

std::shared_ptr<GroupMat> find_group_mat(Mat A)
{
  Kept *kept = find_kept(A);

  return kept ? kept->grouped : nullptr;
}

PetscErrorCode MatDropGroupMat(Mat A)
{
  return PetscObjectCompose((PetscObject)A, group_key, NULL);
}

PetscErrorCode MatMayHaveGroupMat(Mat A, bool *yes)
{
  PetscBool     seq, mpi;
  MakeGroupMat *make;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQAIJ, &seq));
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, &mpi));
  PetscCall(PetscObjectQueryFunction((PetscObject)A, makes_group_mat, &make));
  *yes = seq || mpi || make;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MakeGroup(Mat A, const std::shared_ptr<RankGroup> &group, std::shared_ptr<GroupMat> *made)
{
  MakeGroupMat *make;

  PetscFunctionBegin;
  PetscCall(PetscObjectQueryFunction((PetscObject)A, makes_group_mat, &make));
  if (make) PetscCall(make(A, group, made));
  else PetscCallCXX(*made = std::make_shared<GroupMat>(group));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatGetGroupMat(Mat A, std::shared_ptr<GroupMat> *grouped, bool *behind)
{
  const MPI_Comm             comm = PetscObjectComm((PetscObject)A);
  Space                      space;
  std::shared_ptr<RankGroup> group;
  Kept                      *kept = find_kept(A);

  PetscFunctionBegin;
  grouped->reset();
  PetscCall(MatGetSpace(A, &space));
  PetscCall(RankGroupGet(comm, space, &group));
  if (!group) PetscFunctionReturn(PETSC_SUCCESS);
  if (!kept) {
    std::shared_ptr<GroupMat> mat;
    std::unique_ptr<Kept>     made;

    PetscCall(FailTogether(comm, MakeGroup(A, group, &mat), forming));
    if (!mat) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(Together(comm, forming, [&] { made.reset(new Kept{0, mat}); }));
    kept = made.get();
    PetscCall(PetscObjectGetId((PetscObject)A, &kept->id));
    PetscCall(Attach((PetscObject)A, group_key, std::move(made)));
  }
  PetscCall(kept->grouped->update(A, behind));
  *grouped = kept->grouped;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::mat
