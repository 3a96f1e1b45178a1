/* The element matrix of diffusion on a trilinear hexahedron, by sums over one direction after the other.

   At every Gauss point the six numbers of W = k w det(J) J^-1 J^-T are all that the geometry contributes. A product of two derivatives of shape functions is a
   product of three factors, one for each direction: of a derivative and a derivative, +-1; of a derivative and a value, +- the linear function of one side; of
   two values, the product of two such functions, of which there are three. So the sum over a direction's two points leaves at most three numbers where entry by
   entry it would be four. All loops are unrolled: indices are to be known to the compiler, or what should be registers becomes memory. */
#pragma once
#include "element.hpp"

namespace goza::assembly {

constexpr int hex_half = 36; // of a symmetric 8 x 8 matrix

namespace hex {

HD constexpr int sign(int side) { return side ? 1 : -1; }

/* Sums over a direction's two points of v0 and v1 times the linear function of a side, or the product of those of two sides: of sides (0,0), (0,1), (1,1). */
template <class T> HD inline void with_side(T v0, T v1, T *to)
{
  constexpr T far = 1 - Hex8::near_value<T>();
  const T     d   = v1 - v0;

  to[0] = v0 + far * d;
  to[1] = v1 - far * d;
}
template <class T> HD inline void with_sides(T v0, T v1, T *to)
{
  constexpr T near = Hex8::near_value<T>(), far = 1 - near;
  const T     sum = v0 + v1;

  to[0] = near * near * v0 + far * far * v1;
  to[1] = near * far * sum;
  to[2] = (near * near + far * far) * sum - to[0];
}

/* On the device without the tests that a division makes for what no determinant is. */
template <class T> HD inline T reciprocal(T x)
{
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(T) == 8) {
    T y, error;

    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x)); // 20 bits; each step doubles them
    error = fma(-x, y, T(1));
    y     = fma(y, error, y);
    error = fma(-x, y, T(1));
    return fma(y, error, y);
  }
#endif
  return T(1) / x;
}

/* W at the four points of a side of direction 2, from the derivatives of the coordinates: J0[q1], J1[q0], J2[q1][q0]. Order: 00 11 22 01 02 12. */
template <class T> HD inline void metric(const T (*J0)[3], const T (*J1)[3], const T (*J2)[2][3], T k, T W[6][2][2])
{
  UNROLL()
  for (int q1 = 0; q1 < 2; q1++) {
    UNROLL()
    for (int q0 = 0; q0 < 2; q0++) {
      T C[3][3];

      cross(J1[q0], J2[q1][q0], C[0]);
      cross(J2[q1][q0], J0[q1], C[1]);
      cross(J0[q1], J1[q0], C[2]);
      const T scale = T(1. / 8) * k * reciprocal(J0[q1][0] * C[0][0] + J0[q1][1] * C[0][1] + J0[q1][2] * C[0][2]);

      UNROLL()
      for (int m = 0; m < 6; m++) {
        const int i = m < 3 ? m : m == 5 ? 1 : 0, j = m < 3 ? m : m == 3 ? 1 : 2;

        W[m][q1][q0] = scale * (C[i][0] * C[j][0] + C[i][1] * C[j][1] + C[i][2] * C[j][2]);
      }
    }
  }
}

/* What the four points of a side of direction 2 leave: sums over directions 0 and 1. */
template <class T> struct SideSums {
  // 00: [sides in 1]; 11: [sides in 0]; 01: [side of a in 1][of b in 0]; 02: [of b in 0][sides in 1]; 12: [sides in 0][of b in 1]
  T A[3], B[3], C[2][2], U[2][3], V[3][2];

  HD void sum(const T W[6][2][2])
  {
    T at[2][3], side[2][2];

    with_sides(W[0][0][0] + W[0][0][1], W[0][1][0] + W[0][1][1], A);
    with_sides(W[1][0][0] + W[1][1][0], W[1][0][1] + W[1][1][1], B);
    UNROLL()
    for (int q1 = 0; q1 < 2; q1++) with_side(W[3][q1][0], W[3][q1][1], side[q1]);
    UNROLL()
    for (int b0 = 0; b0 < 2; b0++) {
      T of[2];

      with_side(side[0][b0], side[1][b0], of);
      UNROLL()
      for (int a1 = 0; a1 < 2; a1++) C[a1][b0] = of[a1];
    }
    UNROLL()
    for (int q1 = 0; q1 < 2; q1++) with_side(W[4][q1][0], W[4][q1][1], side[q1]);
    UNROLL()
    for (int b0 = 0; b0 < 2; b0++) with_sides(side[0][b0], side[1][b0], U[b0]);
    UNROLL()
    for (int q1 = 0; q1 < 2; q1++) with_sides(W[5][q1][0], W[5][q1][1], at[q1]);
    UNROLL()
    for (int s = 0; s < 3; s++) with_side(at[0][s], at[1][s], V[s]);
  }

  /* Of corners a and b of that side, derivatives in directions 0 and 1; and of a in one of these, of b in direction 2. */
  HD T flat(int a, int b) const
  {
    const int a0 = a & 1, a1 = a >> 1, b0 = b & 1, b1 = b >> 1;

    return T(sign(a0) * sign(b0)) * A[a1 + b1] + T(sign(a1) * sign(b1)) * B[a0 + b0] + T(sign(a0) * sign(b1)) * C[a1][b0] + T(sign(a1) * sign(b0)) * C[b1][a0];
  }
  HD T mixed(int a, int b) const { return T(sign(a & 1)) * U[b & 1][(a >> 1) + (b >> 1)] + T(sign(a >> 1)) * V[(a & 1) + (b & 1)][b >> 1]; }
};

/* The mixed ones' sums over direction 2, in place: by the side of the corner whose derivative is not in it. */
template <class T> HD inline void mixed_with_side(SideSums<T> *at)
{
  T of[2];

  UNROLL()
  for (int k = 0; k < 6; k++) {
    with_side(at[0].U[k / 3][k % 3], at[1].U[k / 3][k % 3], of);
    at[0].U[k / 3][k % 3] = of[0];
    at[1].U[k / 3][k % 3] = of[1];
    with_side(at[0].V[k / 2][k % 2], at[1].V[k / 2][k % 2], of);
    at[0].V[k / 2][k % 2] = of[0];
    at[1].V[k / 2][k % 2] = of[1];
  }
}

/* Both derivatives in direction 2: W there is of either side; to: [sides in 1][sides in 0]. */
template <class T> HD inline void across_sums(const T W[2][2], T to[3][3])
{
  T at[2][3];

  UNROLL()
  for (int q1 = 0; q1 < 2; q1++) with_sides(W[q1][0], W[q1][1], at[q1]);
  UNROLL()
  for (int s = 0; s < 3; s++) {
    T of[3];

    with_sides(at[0][s], at[1][s], of);
    UNROLL()
    for (int r = 0; r < 3; r++) to[r][s] = of[r];
  }
}

/* The Jacobian's columns along direction 2, by the sides of directions 1 and 0. */
template <class T> HD inline void upward(const T (*below)[3], const T (*above)[3], T (*J2)[2][3])
{
  UNROLL()
  for (int d = 0; d < 3; d++) {
    T edge[4], line[2][2];

    UNROLL()
    for (int c = 0; c < 4; c++) edge[c] = above[c][d] - below[c][d];
    UNROLL()
    for (int c1 = 0; c1 < 2; c1++) with_side(edge[2 * c1], edge[2 * c1 + 1], line[c1]);
    UNROLL()
    for (int q0 = 0; q0 < 2; q0++) {
      T of[2];

      with_side(line[0][q0], line[1][q0], of);
      UNROLL()
      for (int q1 = 0; q1 < 2; q1++) J2[q1][q0][d] = of[q1];
    }
  }
}

} // namespace hex

/* below, above: the corners 0 .. 3 and 4 .. 7. put(a, b, value): takes entry (a, b), every pair of corners once, in one of its two orders */
template <class T, class Put> HD inline void hex_diffusion(const T (*below)[3], const T (*above)[3], T k, const Put &put)
{
  constexpr T      near = Hex8::near_value<T>(), far = 1 - near;
  T                J2[2][2][3], W22[2][2]            = {}, F[3][3];
  hex::SideSums<T> at[2];

  hex::upward(below, above, J2);
  UNROLL()
  for (int q2 = 0; q2 < 2; q2++) {
    T J0[2][3], J1[2][3], W[6][2][2];

    UNROLL()
    for (int d = 0; d < 3; d++) {
      T P[4], of[2];

      UNROLL()
      for (int c = 0; c < 4; c++) P[c] = below[c][d] + (q2 ? near : far) * (above[c][d] - below[c][d]);
      hex::with_side(P[1] - P[0], P[3] - P[2], of);
      UNROLL()
      for (int q1 = 0; q1 < 2; q1++) J0[q1][d] = of[q1];
      hex::with_side(P[2] - P[0], P[3] - P[1], of);
      UNROLL()
      for (int q0 = 0; q0 < 2; q0++) J1[q0][d] = of[q0];
    }
    hex::metric(J0, J1, J2, k, W);
    at[q2].sum(W);
    UNROLL()
    for (int q = 0; q < 4; q++) W22[q >> 1][q & 1] += W[2][q >> 1][q & 1];
  }
  hex::across_sums(W22, F);
  hex::mixed_with_side(at);
  UNROLL()
  for (int a = 0; a < 4; a++) {
    UNROLL()
    for (int b = a; b < 4; b++) {
      const T f = F[(a >> 1) + (b >> 1)][(a & 1) + (b & 1)], ab0 = at[0].mixed(a, b), ba0 = at[0].mixed(b, a), ab1 = at[1].mixed(a, b), ba1 = at[1].mixed(b, a);
      T       e[3];

      hex::with_sides(at[0].flat(a, b), at[1].flat(a, b), e);
      put(a, b, e[0] + f - (ab0 + ba0));
      put(a + 4, b + 4, e[2] + f + (ab1 + ba1));
      put(a, b + 4, e[1] - f + (ab0 - ba1));
      if (a != b) put(b, a + 4, e[1] - f + (ba0 - ab1));
    }
  }
}

} // namespace goza::assembly
