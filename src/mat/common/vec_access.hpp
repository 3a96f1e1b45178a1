/* A vector's local array in the space where a kernel wants it. A vector on the same side is used in place; one on the other side goes through
   `stage`, an array that its owner keeps between calls (with a PETSc without CUDA, every vector is on the host). */
#pragma once
#include "core/array.hpp"
#include <petscvec.h>

namespace goza
{

class VecRead {
public:
  PetscErrorCode     get(Vec v, Space space, Array<PetscScalar> &stage);
  PetscErrorCode     restore();
  const PetscScalar *data() const { return data_; }

private:
  Vec                v_     = NULL;
  Space              space_ = Space::Host;
  const PetscScalar *array_ = NULL, *data_ = NULL;
};

class VecWrite {
public:
  PetscErrorCode get(Vec v, Space space, Array<PetscScalar> &stage, bool read_too = false);
  PetscErrorCode restore();
  PetscScalar   *data() const { return data_; }

private:
  Vec          v_        = NULL;
  Space        space_    = Space::Host;
  bool         read_too_ = false;
  PetscInt     n_        = 0;
  PetscScalar *array_ = NULL, *data_ = NULL;
};

} // namespace goza
