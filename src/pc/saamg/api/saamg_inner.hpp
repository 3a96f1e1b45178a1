/* A PC saamg of a matrix that is made of the user's one, where that cannot be taken as it is. */
#pragma once
#include "core/rooms.hpp"
#include <memory>
#include <petscksp.h>

namespace goza::saamg {

/* Where there is one it has the levels, and the user's PC none. */
class InnerPC {
public:
  InnerPC()                           = default;
  InnerPC(const InnerPC &)            = delete;
  InnerPC &operator=(const InnerPC &) = delete;
  virtual ~InnerPC() { (void)PCDestroy(&inner_); }

  /* Collective; so are the others. A: as AIJ. found: whether it is a matrix that this is for */
  virtual PetscErrorCode setup(PC pc, Mat A, bool *found)                                          = 0;
  virtual PetscErrorCode apply(PetscErrorCode (*how)(PC, Vec, Vec), bool transposed, Vec b, Vec x) = 0;
  virtual PetscErrorCode view(PetscViewer viewer)                                                  = 0;
  PC                     pc() const { return inner_; }

protected:
  PetscErrorCode setup_inner(PC pc, Mat A, Mat changed); // with pc's settings, and what A says of itself
  PetscErrorCode view_inner(PetscViewer viewer);

private:
  PC inner_ = NULL;
};

/* Within pc's set-up. Afterwards this is its inner PC, or it has none. */
PetscErrorCode SetUpInner(PC pc, std::unique_ptr<InnerPC> made);

} // namespace goza::saamg
