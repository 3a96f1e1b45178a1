#include "materials.hpp"
#include "core/util/algorithm.hpp"
#include "core/launch/for_each_row.hpp"

namespace goza::assembly
{

namespace
{

struct IsOutOfRange {
  Materials given;
  char     *bad;

  HD static bool finite(PetscReal x) { return x - x == 0; }

  HD void operator()(PetscInt k) const
  {
    const PetscInt  e = given.index ? given.index[k] : k;
    const PetscReal E = given.first[e];

    if (given.equation == EquationKind::Elasticity) bad[k] = !(finite(E) && E > 0 && given.second[e] > -1 && given.second[e] < PetscReal(0.5));
    else bad[k] = !finite(E);
  }
};

struct Convert {
  Materials  given;
  PetscReal *material;

  HD void operator()(PetscInt k) const
  {
    const PetscInt  e = given.index ? given.index[k] : k;
    const PetscReal E = given.first[e];
    PetscReal      *m = material + 2 * static_cast<std::int64_t>(k);

    m[0] = m[1] = E;
    if (given.equation == EquationKind::Elasticity) { // Lame's constants
      const PetscReal nu = given.second[e];

      m[0] = E * nu / ((1 + nu) * (1 - 2 * nu));
      m[1] = E / (2 * (1 + nu));
    }
  }
};

} // namespace

Array<PetscInt> bad_materials(Space space, const Materials &given)
{
  Array<char> bad(space, given.nelem);

  for_each_row(space, given.nelem, IsOutOfRange{given, bad.data()});
  return flagged(space, bad.data(), given.nelem);
}

void convert_materials(Space space, const Materials &given, PetscReal *material)
{
  for_each_row(space, given.nelem, Convert{given, material});
}

} // namespace goza::assembly
