#include "sort_unique.hpp"
#include "algorithm.hpp"
#include "core/launch/for_each_row.hpp"
#include "gather.hpp"

namespace goza
{

namespace
{

struct IsFirst {
  const PetscInt *sorted;
  char           *flag;

  HD void operator()(PetscInt i) const { flag[i] = i == 0 || sorted[i] != sorted[i - 1]; }
};

} // namespace

PetscInt sort_unique(Space space, PetscInt *values, PetscInt n)
{
  if (space == Space::Host) {
    std::sort(values, values + n);
    return static_cast<PetscInt>(std::unique(values, values + n) - values);
  }
  const Array<PetscInt> order = order_by(space, values, n);
  Array<PetscInt>       sorted(space, n);
  Array<char>           first(space, n);

  gather(space, n, order.data(), static_cast<const PetscInt *>(values), sorted.data());
  for_each_row(space, n, IsFirst{sorted.data(), first.data()});
  return keep_flagged(space, sorted.data(), first.data(), n, values);
}

} // namespace goza
