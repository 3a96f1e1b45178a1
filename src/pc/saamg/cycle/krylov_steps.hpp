/* What makes a K-cycle of a V-cycle (Notay, Vassilevski 2008): on a level two cycles and, from their corrections, what two steps of flexible conjugate gradients would take, or, where the matrix is not
   Hermitian, of flexible GCR. All scalars stay where the vectors are. */
#pragma once
#include "core/launch/fused_sums.hpp"
#include "mat/common/par_operator.hpp"
#include "parallel/device_sums.hpp"

namespace goza::saamg
{

template <class V> class KrylovSteps {
public:
  /* energy: conjugate gradients. Collective, as all else. */
  PetscErrorCode setup(const LocalColumns &columns, Space space, bool energy);
  /* x = M b. b becomes what the multiple of x that suits it best leaves of it. */
  PetscErrorCode first(ParOperator<V> &A, const V *x, V *b);
  /* x = M b of that b: becomes the solution of both. work [rows] */
  PetscErrorCode second(ParOperator<V> &A, V *x, const V *b, V *work);

  bool        recordable() const { return size_ == 1 || devices_; }
  std::size_t bytes() const { return c_.bytes() + v_.bytes() + sums_.bytes(); }

private:
  PetscErrorCode sum(PetscInt begin, PetscInt n);

  MPI_Comm                    comm_   = MPI_COMM_NULL;
  PetscMPIInt                 size_   = 1;
  PetscInt                    n_      = 0;
  bool                        energy_ = true;
  Array<V>                    c_, v_;  // the first correction, and A times that
  Array<PetscScalar>          sums_;   // see krylov_steps.cu
  FusedSums                   passes_; // what they need
  std::shared_ptr<DeviceSums> devices_;
};

} // namespace goza::saamg
