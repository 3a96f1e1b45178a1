/* The equations: what is summed over an element's points for a pair (a, b) of its corners, and the bs x bs block of the element matrix that comes of it.

     diffusion    integral k grad N_a . grad N_b                                     material: k
     elasticity   integral lambda d_i N_a d_j N_b + mu d_j N_a d_i N_b + delta_ij mu grad N_a . grad N_b     material: lambda, mu (from E, nu)
     mass         integral rho N_a N_b, for each of bs unknowns                      material: rho

   Materials are constant in an element, so that sums over points know nothing of them. ga, gb: gradients times the root of the weight, so that the sums of (a, b)
   and (b, a) are each other's transpose to the last bit; p: product of the shape functions times the weight. */
#pragma once
#include "core/device/space.hpp"

namespace goza::assembly
{

struct Diffusion {
  static constexpr int  bs = 1, sums = 1;
  static constexpr bool needs_gradients = true;

  template <class T> HD static void add(const T *ga, const T *gb, T, T *s)
  {
    for (int i = 0; i < 3; i++) s[0] += ga[i] * gb[i];
  }
  template <class T> HD static void block(const T *s, T k, T, T *K) { K[0] = k * s[0]; }
};

struct Elasticity {
  static constexpr int  bs = 3, sums = 9;
  static constexpr bool needs_gradients = true;

  template <class T> HD static void add(const T *ga, const T *gb, T, T *s)
  {
    for (int k = 0; k < 9; k++) s[k] += ga[k / 3] * gb[k % 3];
  }
  template <class T> HD static void block(const T *s, T lambda, T mu, T *K)
  {
    const T dot = mu * (s[0] + s[4] + s[8]);

    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++) K[3 * i + j] = lambda * s[3 * i + j] + mu * s[3 * j + i] + (i == j ? dot : T(0));
    }
  }
};

template <int BS> struct Mass {
  static constexpr int  bs = BS, sums = 1;
  static constexpr bool needs_gradients = false;

  template <class T> HD static void add(const T *, const T *, T p, T *s) { s[0] += p; }
  template <class T> HD static void block(const T *s, T rho, T, T *K)
  {
    for (int i = 0; i < BS * BS; i++) K[i] = i % (BS + 1) == 0 ? rho * s[0] : T(0);
  }
};

} // namespace goza::assembly
