#include "gather.hpp"
#include "core/for_each_row.hpp"

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

template <class V> struct GatherTo {
  const PetscInt *index;
  const V        *x;
  V *const       *place;

  HD void operator()(PetscInt k) const { *place[k] = x[index[k]]; }
};

} // namespace

template <class V> void gather(Space space, PetscInt n, const PetscInt *index, const V *x, V *packed)
{
  for_each_row(space, n, Gather<V>{index, x, packed});
}

template <class V> void gather_to(Space space, PetscInt n, const PetscInt *index, const V *x, V *const *place)
{
  for_each_row(space, n, GatherTo<V>{index, x, place});
}

template void gather(Space, PetscInt, const PetscInt *, const PetscScalar *, PetscScalar *);
template void gather_to(Space, PetscInt, const PetscInt *, const PetscScalar *, PetscScalar *const *);
#if !PetscDefined(USE_REAL_SINGLE)
template void gather(Space, PetscInt, const PetscInt *, const float *, float *);
template void gather_to(Space, PetscInt, const PetscInt *, const float *, float *const *);
#endif

} // namespace goza
