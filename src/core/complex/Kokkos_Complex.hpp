/* PetscScalar of a complex PETSc, in every source of Goza, whatever compiles it. PETSc's headers take std::complex from a C++ compiler and thrust::complex from
   nvcc, so that a function of a .cu file could not be given an array of a .cxx file; and no operator of std::complex runs on a device. They let a program put
   another library in their place: where PETSC_DESIRE_KOKKOS_COMPLEX is defined (makefile) they include a header of this name. The layout is that of
   std::complex, and so is the way in which values are handed to PETSc's functions. */
#pragma once
#include <cmath>
#include <type_traits>

#define PETSC_SKIP_CXX_COMPLEX_FIX // operators for std::complex and integers

#if defined(__CUDACC__)
  #define GOZA_COMPLEX_HD __host__ __device__
#else
  #define GOZA_COMPLEX_HD
#endif

namespace goza {

namespace complex_library // of its own: in goza its abs() and sqrt() would hide those of real numbers
{

/* T: real numbers, or a type of 16 bits, in which pairs are stored and converted, and there is no arithmetic. Converting is explicit where digits may be
   lost. */
template <class T> class Complex {
  template <class S> static constexpr bool holds = sizeof(S) <= sizeof(T) && std::is_floating_point_v<T>;

public:
  using value_type = T;

  Complex() = default; // not initialised, as a real number is not: arrays of them may lie in a block's shared memory
  GOZA_COMPLEX_HD constexpr Complex(T re) : re_(re), im_(static_cast<T>(0)) { }
  GOZA_COMPLEX_HD constexpr Complex(T re, T im) : re_(re), im_(im) { }
  template <class S, std::enable_if_t<std::is_arithmetic_v<S> && !std::is_floating_point_v<T>, int> = 0>
  GOZA_COMPLEX_HD constexpr explicit Complex(S re) : re_(static_cast<T>(re)), im_(static_cast<T>(0))
  {
  }
  template <class S, std::enable_if_t<holds<S>, int> = 0>
  GOZA_COMPLEX_HD constexpr Complex(Complex<S> z) : re_(static_cast<T>(z.real())), im_(static_cast<T>(z.imag()))
  {
  }
  template <class S, std::enable_if_t<!holds<S>, int> = 0>
  GOZA_COMPLEX_HD constexpr explicit Complex(Complex<S> z) : re_(static_cast<T>(z.real())), im_(static_cast<T>(z.imag()))
  {
  }

  GOZA_COMPLEX_HD constexpr T real() const { return re_; }
  GOZA_COMPLEX_HD constexpr T imag() const { return im_; }

  GOZA_COMPLEX_HD constexpr Complex &operator+=(Complex b) { return *this = *this + b; }
  GOZA_COMPLEX_HD constexpr Complex &operator-=(Complex b) { return *this = *this - b; }
  GOZA_COMPLEX_HD constexpr Complex &operator*=(Complex b) { return *this = *this * b; }
  GOZA_COMPLEX_HD constexpr Complex &operator/=(Complex b) { return *this = *this / b; }
  GOZA_COMPLEX_HD constexpr Complex &operator*=(T b) { return *this = *this * b; }
  GOZA_COMPLEX_HD constexpr Complex &operator/=(T b) { return *this = *this / b; }

  GOZA_COMPLEX_HD friend constexpr Complex operator+(Complex a) { return a; }
  GOZA_COMPLEX_HD friend constexpr Complex operator-(Complex a) { return {-a.re_, -a.im_}; }
  GOZA_COMPLEX_HD friend constexpr Complex operator+(Complex a, Complex b) { return {a.re_ + b.re_, a.im_ + b.im_}; }
  GOZA_COMPLEX_HD friend constexpr Complex operator-(Complex a, Complex b) { return {a.re_ - b.re_, a.im_ - b.im_}; }
  GOZA_COMPLEX_HD friend constexpr Complex operator*(Complex a, Complex b) { return {a.re_ * b.re_ - a.im_ * b.im_, a.re_ * b.im_ + a.im_ * b.re_}; }
  GOZA_COMPLEX_HD friend constexpr Complex operator*(Complex a, T b) { return {a.re_ * b, a.im_ * b}; }
  GOZA_COMPLEX_HD friend constexpr Complex operator*(T a, Complex b) { return b * a; }
  GOZA_COMPLEX_HD friend constexpr Complex operator/(Complex a, T b) { return {a.re_ / b, a.im_ / b}; }
  GOZA_COMPLEX_HD friend constexpr Complex operator/(Complex a, Complex b) // without a square of b, which may be too large or too small
  {
    const T across = b.re_ < 0 ? -b.re_ : b.re_, up = b.im_ < 0 ? -b.im_ : b.im_;

    if (up == 0) return a / b.re_;
    if (across >= up) {
      const T ratio = b.im_ / b.re_, size = b.re_ + b.im_ * ratio;

      return {(a.re_ + a.im_ * ratio) / size, (a.im_ - a.re_ * ratio) / size};
    }
    const T ratio = b.re_ / b.im_, size = b.re_ * ratio + b.im_;

    return {(a.re_ * ratio + a.im_) / size, (a.im_ * ratio - a.re_) / size};
  }
  GOZA_COMPLEX_HD friend constexpr bool operator==(Complex a, Complex b) { return a.re_ == b.re_ && a.im_ == b.im_; }
  GOZA_COMPLEX_HD friend constexpr bool operator!=(Complex a, Complex b) { return !(a == b); }

private:
  T re_, im_;
};

/* The functions that PETSc's macros look for in the namespace of the library, and others find by the argument. */
template <class T> using complex = Complex<T>;

template <class T> GOZA_COMPLEX_HD constexpr T real(Complex<T> a) { return a.real(); }

template <class T> GOZA_COMPLEX_HD constexpr T imag(Complex<T> a) { return a.imag(); }

template <class T> GOZA_COMPLEX_HD constexpr Complex<T> conj(Complex<T> a) { return {a.real(), -a.imag()}; }

template <class T> GOZA_COMPLEX_HD T abs(Complex<T> a) { return ::hypot(a.real(), a.imag()); }

template <class T> GOZA_COMPLEX_HD T arg(Complex<T> a) { return ::atan2(a.imag(), a.real()); }

/* The root whose real part is not negative. */
template <class T> GOZA_COMPLEX_HD Complex<T> sqrt(Complex<T> a)
{
  const T size = abs(a), across = a.real() < 0 ? -a.real() : a.real(), up = a.imag() < 0 ? -a.imag() : a.imag();

  if (size == 0) return a;
  const T larger = ::sqrt((size + across) / 2), smaller = up / (2 * larger), im = a.real() < 0 ? larger : smaller;

  return {a.real() < 0 ? smaller : larger, a.imag() < 0 ? -im : im};
}

template <class T> GOZA_COMPLEX_HD Complex<T> exp(Complex<T> a) { return ::exp(a.real()) * Complex<T>(::cos(a.imag()), ::sin(a.imag())); }

template <class T> GOZA_COMPLEX_HD Complex<T> log(Complex<T> a) { return {::log(abs(a)), arg(a)}; }

template <class T, class Exponent> GOZA_COMPLEX_HD Complex<T> pow(Complex<T> a, Exponent exponent) { return a == T(0) ? a : exp(log(a) * exponent); }

#if defined(__CUDACC__)
/* Lanes of a warp exchange both parts; found by the argument, beside CUDA's functions of real numbers. */
template <class T> __device__ Complex<T> __shfl_sync(unsigned lanes, Complex<T> a, int from)
{
  return {::__shfl_sync(lanes, a.real(), from), ::__shfl_sync(lanes, a.imag(), from)};
}

template <class T> __device__ Complex<T> __shfl_up_sync(unsigned lanes, Complex<T> a, unsigned by)
{
  return {::__shfl_up_sync(lanes, a.real(), by), ::__shfl_up_sync(lanes, a.imag(), by)};
}

template <class T> __device__ Complex<T> __shfl_down_sync(unsigned lanes, Complex<T> a, unsigned by)
{
  return {::__shfl_down_sync(lanes, a.real(), by), ::__shfl_down_sync(lanes, a.imag(), by)};
}

template <class T> __device__ Complex<T> __shfl_xor_sync(unsigned lanes, Complex<T> a, int with)
{
  return {::__shfl_xor_sync(lanes, a.real(), with), ::__shfl_xor_sync(lanes, a.imag(), with)};
}

/* Past the caches that keep what is read again. */
template <class T> __device__ void __stcs(Complex<T> *p, Complex<T> a)
{
  T *const parts = reinterpret_cast<T *>(p);

  ::__stcs(parts, a.real());
  ::__stcs(parts + 1, a.imag());
}
#endif

} // namespace complex_library

using complex_library::Complex;

} // namespace goza

namespace Kokkos = goza::complex_library; // as PETSc's headers call it
