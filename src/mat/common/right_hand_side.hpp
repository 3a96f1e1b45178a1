/* Solution and right-hand side beside a matrix whose rows are zeroed. */
#pragma once
#include "petsc/vec_access.hpp"

namespace goza::mat
{

/* The vectors of the right-hand side on the device; nothing where the caller gave none. */
class RightHandSide {
public:
  RightHandSide(Vec x, Vec b) : x_(b ? x : NULL), b_(x ? b : NULL) { }

  PetscErrorCode get()
  {
    PetscFunctionBegin;
    if (!x_) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(read_.get(x_, Space::Cuda, staged_x_));
    PetscCall(write_.get(b_, Space::Cuda, staged_b_, true));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscErrorCode restore()
  {
    PetscFunctionBegin;
    if (!x_) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(write_.restore());
    PetscCall(read_.restore());
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  bool               given() const { return x_; } /* the arrays of a rank without rows may be null */
  const PetscScalar *x() const { return x_ ? read_.data() : nullptr; }
  PetscScalar       *b() const { return x_ ? write_.data() : nullptr; }

private:
  Vec      x_, b_;
  VecRead  read_;
  VecWrite write_;
  Stage    staged_x_, staged_b_;
};

} // namespace goza::mat
