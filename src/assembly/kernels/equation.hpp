/* The equations: what is summed over an element's points for a pair (a, b) of its corners, and the bs x bs block of the element matrix that comes of it.

     diffusion    integral k grad N_a . grad N_b                                     material: k
     elasticity   integral lambda d_i N_a d_j N_b + mu d_j N_a d_i N_b + delta_ij mu grad N_a . grad N_b     material: lambda, mu (from E, nu)
     mass         integral rho N_a N_b, for each of bs unknowns                      material: rho

   Materials are constant in an element, so that sums over points know nothing of them. ga, gb: gradients times the root of the weight, so that the sums of
   (a, b) and (b, a) are each other's transpose to the last bit; p: product of the shape functions times the weight. T: the geometry's numbers; M: the
   materials', complex with a complex PETSc.

   subtract() is the same element matrix times the values u of the corners, taken from f, without the matrix: by way of the gradient of u and the flux or stress
   that belongs to it. Here the gradients g are plain, and w is the point's weight. */
#pragma once
#include "core/device/space.hpp"

namespace goza::assembly {

struct Diffusion {
  static constexpr int bs = 1, sums = 1;

  template <class T> HD static void add(const T *ga, const T *gb, T, T *s)
  {
    for (int i = 0; i < 3; i++) s[0] += ga[i] * gb[i];
  }
  template <class T, class M> HD static void                block(const T *s, M k, M, M *K) { K[0] = k * s[0]; }
  template <class Element, class T, class M> HD static void subtract(const T (*g)[3], int, T w, M k, M, const M (*u)[1], M (*f)[1])
  {
    M flux[3] = {};

    for (int b = 0; b < Element::nodes; b++)
      for (int i = 0; i < 3; i++) flux[i] += u[b][0] * g[b][i];
    for (int i = 0; i < 3; i++) flux[i] *= w * k;
    for (int a = 0; a < Element::nodes; a++) f[a][0] -= flux[0] * g[a][0] + flux[1] * g[a][1] + flux[2] * g[a][2];
  }
};

struct Elasticity {
  static constexpr int bs = 3, sums = 9;

  template <class T> HD static void add(const T *ga, const T *gb, T, T *s)
  {
    for (int k = 0; k < 9; k++) s[k] += ga[k / 3] * gb[k % 3];
  }
  template <class T, class M> HD static void block(const T *s, M lambda, M mu, M *K)
  {
    const M dot = mu * (s[0] + s[4] + s[8]);

    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) K[3 * i + j] = lambda * s[3 * i + j] + mu * s[3 * j + i] + (i == j ? dot : M(0));
  }
  template <class Element, class T, class M> HD static void subtract(const T (*g)[3], int, T w, M lambda, M mu, const M (*u)[3], M (*f)[3])
  {
    M D[3][3] = {}, stress[3][3];

    for (int b = 0; b < Element::nodes; b++)
      for (int k = 0; k < 9; k++) D[k / 3][k % 3] += u[b][k / 3] * g[b][k % 3];
    const M pressure = lambda * (D[0][0] + D[1][1] + D[2][2]);

    for (int k = 0; k < 9; k++) stress[k / 3][k % 3] = w * (mu * (D[k / 3][k % 3] + D[k % 3][k / 3]) + (k % 4 == 0 ? pressure : M(0)));
    for (int a = 0; a < Element::nodes; a++)
      for (int i = 0; i < 3; i++) f[a][i] -= stress[i][0] * g[a][0] + stress[i][1] * g[a][1] + stress[i][2] * g[a][2];
  }
};

template <int BS> struct Mass {
  static constexpr int bs = BS, sums = 1;

  template <class T> HD static void          add(const T *, const T *, T p, T *s) { s[0] += p; }
  template <class T, class M> HD static void block(const T *s, M rho, M, M *K)
  {
    for (int i = 0; i < BS * BS; i++) K[i] = i % (BS + 1) == 0 ? rho * s[0] : M(0);
  }
  template <class Element, class T, class M> HD static void subtract(const T (*)[3], int q, T w, M rho, M, const M (*u)[BS], M (*f)[BS])
  {
    for (int a = 0; a < Element::nodes; a++) {
      for (int b = 0; b < Element::nodes; b++) {
        const M m = w * rho * Element::template product<T>(a, b, q);

        for (int r = 0; r < BS; r++) f[a][r] -= m * u[b][r];
      }
    }
  }
};

} // namespace goza::assembly
