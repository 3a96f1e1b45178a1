/* The elements: geometry at integration points, written once for host and device.

   Hex8, trilinear hexahedron: corner b at (b & 1, b >> 1 & 1, b >> 2 & 1) of the reference cube [0,1]^3, 2 x 2 x 2 Gauss points, point q nearest to corner q.
   Tet4, linear tetrahedron: integrals are exact, so one "point" stands for the whole element; corners 1, 2, 3 counterclockwise seen from corner 0's opposite
   side (a positive volume).

   gradients() returns the weight of point q times the determinant of the Jacobian: not above 0 where the element is flat or inverted. */
#pragma once
#include "core/device/space.hpp"

namespace goza::assembly {

template <class T> HD inline void cross(const T a[3], const T b[3], T c[3])
{
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

/* The rows of J are dx/dxi_0 .. dx/dxi_2; those of C become dxi_i/dx. Returns det J. */
template <class T> HD inline T invert(const T J[3][3], T C[3][3])
{
  cross(J[1], J[2], C[0]);
  cross(J[2], J[0], C[1]);
  cross(J[0], J[1], C[2]);
  const T det = J[0][0] * C[0][0] + J[0][1] * C[0][1] + J[0][2] * C[0][2], over = T(1) / det;

  for (int i = 0; i < 3; i++)
    for (int c = 0; c < 3; c++) C[i][c] *= over;
  return det;
}

/* Gradients times the root of their point's weight: what the equations take. Returns the weight. */
template <class Element, class T> HD inline T rooted_gradients(const T (*X)[3], int q, T (*g)[3])
{
  const T w = Element::gradients(X, q, g), root = PetscSqrtReal(w);

  for (int b = 0; b < Element::nodes; b++)
    for (int d = 0; d < 3; d++) g[b][d] *= root;
  return w;
}

struct Hex8 {
  static constexpr int nodes = 8, points = 8;

  template <class T> HD static constexpr T near_value() { return T(0.78867513459481288225); } // of a linear shape function at the Gauss point of its own side

  /* The linear shape function of `side` at the Gauss point of side q. */
  template <class T> HD static T linear(int q, int side) { return (q & 1) == (side & 1) ? near_value<T>() : T(1) - near_value<T>(); }

  template <class T> HD static T shape(int b, int q) { return linear<T>(q, b) * linear<T>(q >> 1, b >> 1) * linear<T>(q >> 2, b >> 2); }

  template <class T> HD static void jacobian(const T (*X)[3], int q, T J[3][3])
  {
    for (int i = 0; i < 3; i++) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;

      for (int c = 0; c < 3; c++) J[i][c] = 0;
      for (int e = 0; e < 4; e++) { // the four edges in direction i
        const int from = (e & 1) << j | (e >> 1) << k, to = from | 1 << i;
        const T   w = linear<T>(q >> j, e) * linear<T>(q >> k, e >> 1);

        for (int c = 0; c < 3; c++) J[i][c] += w * (X[to][c] - X[from][c]);
      }
    }
  }

  template <class T> HD static void gradient(const T C[3][3], int b, int q, T g[3])
  {
    T n[3];

    for (int i = 0; i < 3; i++) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;

      n[i] = (b >> i & 1 ? T(1) : T(-1)) * (linear<T>(q >> j, b >> j) * linear<T>(q >> k, b >> k));
    }
    for (int c = 0; c < 3; c++) g[c] = n[0] * C[0][c] + n[1] * C[1][c] + n[2] * C[2][c];
  }

  template <class T> HD static T gradients(const T (*X)[3], int q, T (*g)[3])
  {
    T J[3][3], C[3][3];

    jacobian(X, q, J);
    const T det = invert(J, C);

    for (int b = 0; b < nodes; b++) gradient(C, b, q, g[b]);
    return det / 8;
  }

  template <class T> HD static T product(int a, int b, int q) { return shape<T>(a, q) * shape<T>(b, q); } // of two shape functions, to be weighted
};

struct Tet4 {
  static constexpr int nodes = 4, points = 1;

  template <class T> HD static T shape(int, int) { return T(0.25); } // its mean

  template <class T> HD static T gradients(const T (*X)[3], int, T (*g)[3])
  {
    T J[3][3];

    for (int i = 0; i < 3; i++)
      for (int c = 0; c < 3; c++) J[i][c] = X[i + 1][c] - X[0][c];
    const T det = invert(J, g + 1);

    for (int c = 0; c < 3; c++) g[0][c] = -(g[1][c] + g[2][c] + g[3][c]);
    return det / 6;
  }

  template <class T> HD static T product(int a, int b, int) { return a == b ? T(0.1) : T(0.05); } // the mean of the product of two shape functions
};

} // namespace goza::assembly
