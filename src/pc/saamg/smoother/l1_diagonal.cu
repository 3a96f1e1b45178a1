#include "l1_diagonal.hpp"
#include "core/launch/for_each_row.hpp"

namespace goza::saamg
{

namespace
{

template <class V> struct AddNorm {
  const PetscInt    *ptr, *col;
  const PetscScalar *val;
  bool               diagonal_block;
  V                 *inv;

  HD void operator()(PetscInt i) const
  {
    PetscScalar sum = 0;

    if (inv[i] == V(0)) return;
    for (PetscInt p = ptr[i]; p < ptr[i + 1]; p++) {
      if (!diagonal_block || col[p] != i) sum += val[p] < 0 ? -val[p] : val[p];
    }
    inv[i] = static_cast<V>(1 / (1 / static_cast<PetscScalar>(inv[i]) + (inv[i] < V(0) ? -sum : sum)));
  }
};

} // namespace

template <class V> void add_l1_norms(const Csr &A, bool diagonal_block, V *inv)
{
  for_each_row(A.space, A.nrows, AddNorm<V>{A.ptr, A.col, A.val, diagonal_block, inv});
}

template void add_l1_norms(const Csr &, bool, PetscScalar *);
#if !PetscDefined(USE_REAL_SINGLE)
template void add_l1_norms(const Csr &, bool, float *);
#endif

} // namespace goza::saamg
