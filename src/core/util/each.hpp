/* Loops whose steps are known when they are compiled. */
#pragma once
#include <utility>

namespace goza {

template <class F, int... k> void each_of(std::integer_sequence<int, k...>, const F &f) { (f(std::integral_constant<int, k>()), ...); }

/* f(integral constant) for 0 .. n - 1. */
template <int n, class F> void each(const F &f) { each_of(std::make_integer_sequence<int, n>(), f); }

} // namespace goza
