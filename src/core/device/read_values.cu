#include "read_values.hpp"
#include "array.hpp"
#include "core/launch/for_each_row.hpp"
#include <algorithm>

namespace goza {
namespace {

struct Pick {
  static constexpr PetscInt most = 32;
  const PetscInt           *x;
  PetscInt                  place[most];
  PetscInt                 *picked;

  HD void operator()(PetscInt k) const { picked[k] = x[place[k]]; }
};

} // namespace

std::vector<PetscInt> read_values(Space space, const PetscInt *x, const std::vector<PetscInt> &places)
{
  const PetscInt  n = static_cast<PetscInt>(places.size());
  Array<PetscInt> picked(space, n);
  Pick            some{x, {}, nullptr};

  for (PetscInt begin = 0; begin < n; begin += Pick::most) {
    const PetscInt m = PetscMin(Pick::most, n - begin);

    std::copy_n(places.data() + begin, m, some.place);
    some.picked = picked.data() + begin;
    for_each_row(space, m, some);
  }
  return picked.to_host();
}

} // namespace goza
