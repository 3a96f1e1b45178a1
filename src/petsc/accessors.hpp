/* What objects of PETSc's that are there tell of themselves, as values: nothing of this can fail. */
#pragma once
#include "core/rooms.hpp"
#include <petsc/private/petscimpl.h>
#include <petscmat.h>

namespace goza {

template <class Object> MPI_Comm comm_of(Object object) { return PetscObjectComm((PetscObject)object); }

inline PetscMPIInt ranks_of(MPI_Comm comm)
{
  PetscMPIInt size = 1;

  (void)MPI_Comm_size(comm, &size);
  return size;
}

inline PetscMPIInt rank_in(MPI_Comm comm)
{
  PetscMPIInt rank = 0;

  (void)MPI_Comm_rank(comm, &rank);
  return rank;
}

template <class Object> PetscMPIInt ranks_of(Object object) { return ranks_of(comm_of(object)); }

template <class Object> PetscMPIInt rank_in(Object object) { return rank_in(comm_of(object)); }

/* Of one of these types. */
template <class Object, class... Names> bool is_type(Object object, Names... names)
{
  const auto same = [object](const char *name) {
    PetscBool yes = PETSC_FALSE;

    (void)PetscObjectTypeCompare((PetscObject)object, name, &yes);
    return yes == PETSC_TRUE;
  };

  return (same(names) || ...);
}

/* Of one whose name begins so. */
template <class Object, class... Names> bool is_based_on(Object object, Names... names)
{
  const auto begins = [object](const char *name) {
    PetscBool yes = PETSC_FALSE;

    (void)PetscObjectBaseTypeCompare((PetscObject)object, name, &yes);
    return yes == PETSC_TRUE;
  };

  return (begins(names) || ...);
}

inline bool is_aij(Mat A) { return is_based_on(A, MATSEQAIJ, MATMPIAIJ); }

template <class Object> PetscObjectState state_of(Object object)
{
  PetscObjectState state = 0;

  (void)PetscObjectStateGet((PetscObject)object, &state);
  return state;
}

template <class Object> PetscObjectId id_of(Object object)
{
  PetscObjectId id = 0;

  (void)PetscObjectGetId((PetscObject)object, &id);
  return id;
}

inline PetscObjectState nonzero_state_of(Mat A)
{
  PetscObjectState state = 0;

  (void)MatGetNonzeroState(A, &state);
  return state;
}

inline PetscCount nonzeros_of(Mat A) // stored on this rank
{
  MatInfo info{};

  (void)MatGetInfo(A, MAT_LOCAL, &info);
  return static_cast<PetscCount>(info.nz_used);
}

inline PetscInt block_size_of(Mat A)
{
  PetscInt bs = 1;

  (void)MatGetBlockSize(A, &bs);
  return bs;
}

/* The blocks of a matrix that is based on AIJ: its own columns, on one rank itself, and, on several, those of others, whose numbers are garray. */
struct AijBlocks {
  Mat             block[2] = {NULL, NULL};
  const PetscInt *garray   = nullptr;

  Mat        diagonal() const { return block[0]; }
  Mat        others() const { return block[1]; } // NULL on one rank
  const Mat *begin() const { return block; }
  const Mat *end() const { return block + (block[1] ? 2 : 1); }
};

inline AijBlocks blocks_of(Mat A)
{
  AijBlocks of;

  of.block[0] = A;
  if (is_based_on(A, MATMPIAIJ)) (void)MatMPIAIJGetSeqAIJ(A, &of.block[0], &of.block[1], &of.garray);
  return of;
}

inline PetscInt local_columns(Mat A)
{
  PetscInt n = 0;

  (void)MatGetLocalSize(A, NULL, &n);
  return n;
}

inline PetscInt local_size(Vec v)
{
  PetscInt n = 0;

  (void)VecGetLocalSize(v, &n);
  return n;
}

inline PetscBool is_bound(Mat A) // to the CPU; of a PETSc without devices any
{
  PetscBool bound = PETSC_FALSE;

  (void)MatBoundToCPU(A, &bound);
  return bound;
}

} // namespace goza
