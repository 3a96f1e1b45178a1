/* saamg on ranks that share a GPU: a PC of the groups' leaders has the levels. */
#pragma once
#include "mat/common/group_mat.hpp"
#include <petscpc.h>

namespace goza::saamg
{

class GroupPC {
public:
  GroupPC() = default;
  ~GroupPC() { (void)PCDestroy(&there_); }
  GroupPC(const GroupPC &)            = delete;
  GroupPC &operator=(const GroupPC &) = delete;

  PetscErrorCode setup(PC pc, Mat aij, std::shared_ptr<GroupMat> rows); // collective; so are the others
  PetscErrorCode apply(PetscErrorCode (*how)(PC, Vec, Vec), Vec b, Vec x);
  PetscErrorCode view(PetscViewer viewer);
  /* body(PC) with the PC that has the levels. */
  template <class Body> PetscErrorCode on_levels(const char *what, const Body &body)
  {
    PetscFunctionBegin;
    PetscCall(rows_->group().on_leader(PETSC_SUCCESS, what, [&] { return body(there_); }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  GroupMat                        &rows() const { return *rows_; }
  const std::shared_ptr<GroupMat> &shared_rows() const { return rows_; }
  PC                               there() const { return there_; } // NULL where this rank does not lead

private:
  PetscErrorCode share_coordinates(PC pc, Mat aij);
  PetscErrorCode setup_there(PC pc);

  std::shared_ptr<GroupMat> rows_;
  PC                        there_    = NULL;
  PetscInt                  patterns_ = -1; // of rows_, when there_ was made
  PetscObjectState          state_    = -1; // of its matrix, when it was set up
};

} // namespace goza::saamg
