/* A function with all but its first arguments: what most launchers' bodies are.

     HD void scale_row(PetscInt row, PetscScalar a, PetscScalar *y) { y[row] *= a; }

     for_each_row(space, n, bound<scale_row>(a, y));                                  */
#pragma once
#include "core/device/space.hpp"
#include <tuple>
#include <utility>

namespace goza {

/* The last arguments are held as the types of the function's parameters: one body, and one kernel, a function. */
template <auto function, class... Held> struct Bound {
  std::tuple<Held...> held;

  template <class... First> HD auto operator()(First... first) const { return call(std::index_sequence_for<Held...>(), first...); }

private:
  template <std::size_t... k, class... First> HD auto call(std::index_sequence<k...>, First... first) const { return function(first..., std::get<k>(held)...); }
};

template <class Function> struct ParametersOf;
template <class Result, class... All> struct ParametersOf<Result (*)(All...)> {
  using type = std::tuple<std::decay_t<All>...>;
};

template <auto function, std::size_t... k, class... Held> auto bind_last(std::index_sequence<k...>, const Held &...held)
{
  using All = typename ParametersOf<decltype(function)>::type;

  return Bound<function, std::tuple_element_t<std::tuple_size_v<All> - sizeof...(k) + k, All>...>{{held...}};
}

template <auto function, class... Held> auto bound(const Held &...held) { return bind_last<function>(std::index_sequence_for<Held...>(), held...); }

} // namespace goza
