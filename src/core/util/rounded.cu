#include "rounded.hpp"
#include "core/launch/for_each_row.hpp"
#include <cmath>

namespace goza
{

namespace
{

struct RoundAsHalf {
  PetscReal *x; // real and imaginary parts

  HD void operator()(PetscInt i) const
  {
    int             exponent;
    const PetscReal mantissa = frexp(x[i], &exponent);

    x[i] = ldexp(rint(ldexp(mantissa, 11)), exponent - 11);
  }
};

} // namespace

void round_as_half(Space space, std::size_t n, PetscScalar *x)
{
  constexpr std::size_t parts = sizeof(PetscScalar) / sizeof(PetscReal);

  for_each_row(space, static_cast<PetscInt>(parts * n), RoundAsHalf{reinterpret_cast<PetscReal *>(x)});
}

} // namespace goza
