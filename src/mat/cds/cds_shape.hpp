/* From the numbers of a CDS matrix to the types of its kernels. */
#pragma once
#include "core/rooms.hpp"
#include <petscsystypes.h>
#include <type_traits>
#include <utility>

namespace goza::mat {

/* The unknowns of a node whose blocks kernels are compiled for, or 1. */
constexpr PetscInt compiled_block(PetscInt bs) { return bs == 2 || bs == 3 || bs == 6 ? bs : 1; }

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

/* The counts of diagonals that kernels are compiled for: 27 points on hexahedra and 7 on cells, or what half storage holds of them
   and of up to 15 points. */
template <int bs, bool half> constexpr auto compiled_counts()
{
  if constexpr (bs == 1 && half) return std::integer_sequence<int, 14, 8, 7, 6, 5, 4, 3, 2>();
  else if constexpr (bs == 1) return std::integer_sequence<int, 27, 7>();
  else if constexpr (bs == 3 && half) return std::integer_sequence<int, 14>();
  else return std::integer_sequence<int>();
}

template <int... counts, class Call> void with_one_of(std::integer_sequence<int, counts...>, PetscInt ndiag, const Call &call)
{
  if (!((ndiag == counts && (call(std::integral_constant<int, counts>()), true)) || ...)) call(std::integral_constant<int, 0>());
}

/* call(integral_constant<N>): N the number of diagonals where a kernel is compiled for it, else 0. main_first: the main diagonal is the first that half storage
   holds. */
template <int bs, bool half, class Call> void with_compiled_count(PetscInt ndiag, bool main_first, const Call &call)
{
  with_one_of(compiled_counts<bs, half>(), !half || main_first ? ndiag : 0, call);
}

inline bool has_compiled_count(PetscInt bs, bool half, PetscInt ndiag)
{
  bool found = false;

  with_shape(bs, half, [&](auto size, auto halved) { with_compiled_count<size.value, halved.value>(ndiag, true, [&](auto N) { found = N.value > 0; }); });
  return found;
}

} // namespace goza::mat
