#include "gather.hpp"
#include "core/launch/for_each_row.hpp"
#include <cstdint>

namespace goza
{

namespace
{

template <class V, class Index> struct Gather {
  const Index *index;
  const V     *x;
  V           *packed;

  HD void operator()(PetscInt k) const { packed[k] = x[index[k]]; }
};

} // namespace

template <class V, class Index> void gather(Space space, PetscInt n, const Index *index, const V *x, V *packed)
{
  for_each_row(space, n, Gather<V, Index>{index, x, packed});
}

template void gather(Space, PetscInt, const PetscInt *, const PetscInt *, PetscInt *);
template void gather(Space, PetscInt, const PetscInt *, const PetscScalar *, PetscScalar *);
#if !PetscDefined(USE_64BIT_INDICES)
template void gather(Space, PetscInt, const std::int64_t *, const PetscScalar *, PetscScalar *);
#endif
#if !PetscDefined(USE_REAL_SINGLE)
template void gather(Space, PetscInt, const PetscInt *, const SingleScalar *, SingleScalar *);
#endif

} // namespace goza
