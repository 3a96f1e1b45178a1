/* What objects of PETSc's that are there tell of themselves, as values: nothing of this can fail. */
#pragma once
#include "core/rooms.hpp"
#include <petsc/private/petscimpl.h>
#include <petscmat.h>

namespace goza {

template <class Object> MPI_Comm comm_of(Object object) { return PetscObjectComm((PetscObject)object); }

/* What call(from ..., &value) says; `value` where it fails. */
template <class Value, class Call, class... From> Value asked(Value value, Call call, From... from)
{
  (void)call(from..., &value);
  return value;
}

inline PetscMPIInt ranks_of(MPI_Comm comm) { return asked<PetscMPIInt>(1, MPI_Comm_size, comm); }
inline PetscMPIInt rank_in(MPI_Comm comm) { return asked<PetscMPIInt>(0, MPI_Comm_rank, comm); }

template <class Object> PetscMPIInt ranks_of(Object object) { return ranks_of(comm_of(object)); }

template <class Object> PetscMPIInt rank_in(Object object) { return rank_in(comm_of(object)); }

/* Of one of these types. */
template <class Object, class... Names> bool is_type(Object object, Names... names)
{
  return ((asked<PetscBool>(PETSC_FALSE, PetscObjectTypeCompare, (PetscObject)object, names) == PETSC_TRUE) || ...);
}

/* Of one whose name begins so. */
template <class Object, class... Names> bool is_based_on(Object object, Names... names)
{
  return ((asked<PetscBool>(PETSC_FALSE, PetscObjectBaseTypeCompare, (PetscObject)object, names) == PETSC_TRUE) || ...);
}

inline bool is_aij(Mat A) { return is_based_on(A, MATSEQAIJ, MATMPIAIJ); }

template <class Object> PetscObjectState state_of(Object object) { return asked<PetscObjectState>(0, PetscObjectStateGet, (PetscObject)object); }
template <class Object> PetscObjectId    id_of(Object object) { return asked<PetscObjectId>(0, PetscObjectGetId, (PetscObject)object); }

inline PetscObjectState nonzero_state_of(Mat A) { return asked<PetscObjectState>(0, MatGetNonzeroState, A); }
inline PetscInt         block_size_of(Mat A) { return asked<PetscInt>(1, MatGetBlockSize, A); }
inline PetscInt         local_size(Vec v) { return asked<PetscInt>(0, VecGetLocalSize, v); }
inline PetscBool        is_bound(Mat A) { return asked<PetscBool>(PETSC_FALSE, MatBoundToCPU, A); } // to the CPU; of a PETSc without devices any

inline PetscInt local_columns(Mat A)
{
  PetscInt n = 0;

  (void)MatGetLocalSize(A, NULL, &n);
  return n;
}

inline PetscCount nonzeros_of(Mat A) // stored on this rank
{
  MatInfo info{};

  (void)MatGetInfo(A, MAT_LOCAL, &info);
  return static_cast<PetscCount>(info.nz_used);
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

} // namespace goza
