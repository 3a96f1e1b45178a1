/* A vector's local array in the space where a kernel wants it. A vector on the same side is used in place; one on the other side is copied through
   a Stage that its owner keeps between calls (with a PETSc without CUDA, every vector is on the host). */
#pragma once
#include "core/device/array.hpp"
#include <petscvec.h>

namespace goza {

/* The device's copy of a vector on the host, and what has happened so far: a view reports this, not what was intended. */
struct Stage {
  Array<PetscScalar> array;
  bool               copied = false, in_place = false;

  PetscScalar *resize(Space space, std::size_t n)
  {
    if (array.space() != space) array = Array<PetscScalar>(space);
    array.resize(n);
    return array.data();
  }
};

/* ", vectors in place", ", vectors copied from and to the host", both or neither of several stages. */
const char *DescribeStages(std::initializer_list<const Stage *> stages);

/* Of the vectors of z = A x, or z = y + A x, on their way to a device and back. */
struct ProductStages {
  Stage x, y, z;

  const char *describe(Space space) const { return space == Space::Host ? "" : DescribeStages({&x, &y, &z}); }
};

class VecRead {
public:
  PetscErrorCode     get(Vec v, Space space, Stage &stage);
  PetscErrorCode     restore();
  const PetscScalar *data() const { return data_; }

private:
  Vec                v_     = NULL;
  Space              space_ = Space::Host;
  const PetscScalar *array_ = NULL, *data_ = NULL;
};

class VecWrite {
public:
  PetscErrorCode get(Vec v, Space space, Stage &stage, bool read_too = false);
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
