/* From the numbers of a CDS matrix to the types of its kernels. */
#pragma once
#include "core/rooms.hpp"
#include <petscsystypes.h>
#include <type_traits>

namespace goza::mat
{

/* call(integral_constant<bs>, bool_constant<half>) */
template <class Call> void with_shape(PetscInt bs, bool half, const Call &call)
{
  const auto with = [&](auto size) {
    if (half) call(size, std::true_type());
    else call(size, std::false_type());
  };

  if (bs == 1) with(std::integral_constant<int, 1>());
  else if (bs == 2) with(std::integral_constant<int, 2>());
  else if (bs == 3) with(std::integral_constant<int, 3>());
  else with(std::integral_constant<int, 6>());
}

} // namespace goza::mat
