/* saamg on ranks that share a GPU: a PC of the groups' leaders has the levels. */
#pragma once
#include "mat/common/group_mat.hpp"
#include <petscksp.h>

namespace goza::saamg {

class GroupPC {
public:
  GroupPC() = default;
  ~GroupPC() { (void)PCDestroy(&there_); }
  GroupPC(const GroupPC &)            = delete;
  GroupPC &operator=(const GroupPC &) = delete;

  PetscErrorCode setup(PC pc, Mat aij, std::shared_ptr<GroupMat> rows); // collective; so are the others
  PetscErrorCode apply(PetscErrorCode (*how)(PC, Vec, Vec), Vec b, Vec x);
  PetscErrorCode solve_begins(KSP ksp); // any, with the user's PC
  PetscErrorCode solve_ends(KSP ksp);
  PetscErrorCode view(PetscViewer viewer);
  /* get: of one PC, here the leaders'; as PCGetInterpolations() or PCGetCoarseOperators() on all ranks of comm. */
  PetscErrorCode get_levels(MPI_Comm comm, PetscErrorCode (*get)(PC, PetscInt *, Mat *[]), bool interpolations, PetscInt *levels, Mat *mats[]);
  GroupMat      &rows() const { return *rows_; }
  const std::shared_ptr<GroupMat> &shared_rows() const { return rows_; }
  PC                               there() const { return there_; } // NULL where this rank does not lead

private:
  PetscErrorCode share_coordinates(PC pc, Mat aij);
  PetscErrorCode setup_there(PC pc);
  PetscErrorCode spread(MPI_Comm comm, Mat there, bool finest, Mat *all);

  std::shared_ptr<GroupMat> rows_;
  PC                        there_    = NULL;
  PetscInt                  patterns_ = -1; // of rows_, when there_ was made
  PetscObjectState          state_    = -1; // of its matrix, when it was set up
};

/* Where ranks share a GPU. aij: pc's matrix as AIJ. */
PetscErrorCode SetUpGroup(PC pc, Mat aij, bool *done);

} // namespace goza::saamg
