#include "materials.hpp"
#include "core/launch/for_each_row.hpp"

namespace goza::assembly {
namespace {

struct IsOutOfRange {
  Materials given;
  char     *bad;

  HD static bool finite(PetscScalar x) { return x - x == PetscScalar(0); }

  HD void operator()(PetscInt k) const
  {
    const PetscInt    e = given.index ? given.index[k] : k;
    const PetscScalar E = given.first[e];

    bad[k] = !finite(E);
    if (given.equation == EquationKind::Elasticity) {
      const PetscScalar nu = given.second[e];

      bad[k] = bad[k] || !finite(nu) || !(PetscRealPart(E) > 0 && PetscRealPart(nu) > -1 && PetscRealPart(nu) < PetscReal(0.5));
    }
  }
};

HD void convert_material(PetscInt k, const Materials &given, PetscScalar *material)
{
  const PetscInt    e = given.index ? given.index[k] : k;
  const PetscScalar E = given.first[e];
  PetscScalar      *m = material + 2 * static_cast<std::int64_t>(k);

  m[0] = m[1] = E;
  if (given.equation == EquationKind::Elasticity) { // Lame's constants
    const PetscScalar nu = given.second[e], one = 1;
    const PetscReal   two = 2;

    m[0] = E * nu / ((one + nu) * (one - two * nu));
    m[1] = E / (two * (one + nu));
  }
}

} // namespace

Array<PetscInt> bad_materials(Space space, const Materials &given)
{
  Array<char> bad(space, given.nelem);

  for_each_row(space, given.nelem, IsOutOfRange{given, bad.data()});
  return flagged(space, bad.data(), given.nelem);
}

void convert_materials(Space space, const Materials &given, PetscScalar *material)
{
  for_each_row(space, given.nelem, bound<convert_material>(given, material));
}

} // namespace goza::assembly
