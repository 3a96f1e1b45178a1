#include "gather.hpp"
#include "core/launch/for_each_row.hpp"

namespace goza
{

namespace
{

template <class V> struct Gather {
  const PetscInt *index;
  const V        *x;
  V              *packed;

  HD void operator()(PetscInt k) const { packed[k] = x[index[k]]; }
};

} // namespace

template <class V> void gather(Space space, PetscInt n, const PetscInt *index, const V *x, V *packed)
{
  for_each_row(space, n, Gather<V>{index, x, packed});
}

template void gather(Space, PetscInt, const PetscInt *, const PetscInt *, PetscInt *);
template void gather(Space, PetscInt, const PetscInt *, const PetscScalar *, PetscScalar *);
#if !PetscDefined(USE_REAL_SINGLE)
template void gather(Space, PetscInt, const PetscInt *, const float *, float *);
#endif

} // namespace goza
