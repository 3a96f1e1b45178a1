/* Types of scalars. PetscScalar is PetscReal or, with a complex PETSc, Complex<PetscReal> (core/complex); vectors and stored values of another precision follow
   it: pairs of that precision where PetscScalar is a pair. What is real in every PETSc (sizes, tolerances, weights, coordinates) is PetscReal or double. */
#pragma once
#include "core/device/space.hpp"
#include <cmath>
#include <type_traits>
#if PetscDefined(USE_COMPLEX)
  #include "core/complex/Kokkos_Complex.hpp"
#endif

namespace goza {

#if PetscDefined(USE_COMPLEX)
template <class T> using ScalarOf = Complex<T>;
#else
template <class T> using ScalarOf = T;
#endif

using DoubleScalar = ScalarOf<double>;
using SingleScalar = ScalarOf<float>;

/* The types that vectors have, and with them those of stored values: X(what, V) or X(what, Store, V) for each. INSTANTIATE compiles class templates. */
#if PetscDefined(USE_REAL_SINGLE)
  #define FOR_EACH_VECTOR(X, what) X(what, PetscScalar)
  #define FOR_EACH_STORE(X, what)  X(what, PetscScalar, PetscScalar) X(what, HalfScalar, PetscScalar)
#else
  #define FOR_EACH_VECTOR(X, what) X(what, PetscScalar) X(what, SingleScalar)
  #define FOR_EACH_STORE(X, what) \
    X(what, PetscScalar, PetscScalar) \
    X(what, HalfScalar, PetscScalar) X(what, SingleScalar, PetscScalar) X(what, SingleScalar, SingleScalar) X(what, HalfScalar, SingleScalar)
#endif
#define INSTANTIATE(Class, ...) template class Class<__VA_ARGS__>;

/* The type of a scalar's parts. */
template <class V, class = void> struct PartsOf {
  using type = V;
};
template <class V> struct PartsOf<V, std::void_t<typename V::value_type>> {
  using type = typename V::value_type;
};
template <class V> using RealOf = typename PartsOf<V>::type;

/* |v|, or the larger of its parts: what decides whether a type can hold it. */
template <class V> HD inline double size_of(V v)
{
  if constexpr (std::is_same_v<RealOf<V>, V>) return v < 0 ? -static_cast<double>(v) : static_cast<double>(v);
  else {
    const double re = size_of(v.real()), im = size_of(v.imag());

    return re > im || re != re ? re : im; // a NaN stays one
  }
}

/* d, longer by so much in its own direction; of 0 in that of 1. */
template <class V> HD inline V lengthened(V d, RealOf<V> by)
{
  if constexpr (std::is_same_v<RealOf<V>, V>) return d + (d < 0 ? -by : by);
  else {
    const RealOf<V> length = abs(d);

    return length > 0 ? d + d * (by / length) : V(by);
  }
}

/* The conjugate where that is asked for; of real numbers the number. */
template <class V> HD inline V conjugate_if([[maybe_unused]] bool wanted, V v)
{
  if constexpr (std::is_same_v<RealOf<V>, V>) return v;
  else return wanted ? conj(v) : v;
}

/* v 2^shift */
template <class V> HD inline V times_power(V v, int shift)
{
  if constexpr (std::is_same_v<RealOf<V>, V>) return ldexp(v, shift);
  else return V(times_power(v.real(), shift), times_power(v.imag(), shift));
}

} // namespace goza
