/* What an element leaves in the memory on chip, and what a pair of its corners takes from it.

     one sum a pair       the upper half of the element matrix
     elasticity, Tet4     gradients, weight's root in them, and the material
     elasticity, Hex8     gradients at the eight points: the 300 values of the element matrix's half would take more room, and longer to read */
#pragma once
#include "core/for_each_row.hpp"
#include "element.hpp"
#include "equation.hpp"
#include "mesh.hpp"

namespace goza
{

#if defined(__CUDACC__)

/* An element of the tile: its coordinates are on chip already. */
struct TileElement {
  const PetscScalar   *x;    // [corners of the tile][3]
  const std::uint16_t *conn; // [corners]
  const PetscReal     *material;

  template <int n> __device__ void load_corners(PetscScalar (*X)[3]) const
  {
    const std::uint32_t *two = reinterpret_cast<const std::uint32_t *>(conn);

  #pragma unroll
    for (int b = 0; b < n; b++) {
      const PetscScalar *from = x + 3 * (cached_load(two + b / 2) >> (16 * (b % 2)) & 65535);

      for (int d = 0; d < 3; d++) X[b][d] = from[d];
    }
  }
};

/* words: of an element, odd (or, where they are read in twos, twice an odd number), so that neighbouring elements begin in different banks.
   parts: threads that share the making of one. kept: the values that a pair's sum consists of; value(): entry (r, c) of the block that they stand for. */
template <class Element, class Equation> struct OnChip {
  static constexpr int n = Element::nodes, half = n * (n + 1) / 2, words = half | 1, parts = 1, kept = 1;

  static_assert(Equation::sums == 1, "one sum a pair");

  __device__ static void leave(const TileElement &element, int, PetscScalar *own)
  {
    PetscScalar       X[n][3], g[n][3], S[half] = {};
    const PetscScalar material = cached_load(element.material);

    element.load_corners<n>(X);
  #pragma unroll
    for (int q = 0; q < Element::points; q++) {
      const PetscScalar w = rooted_gradients<Element>(X, q, g);
      int               k = 0;

  #pragma unroll
      for (int a = 0; a < n; a++) {
  #pragma unroll
        for (int b = a; b < n; b++) Equation::add(g[a], g[b], w * Element::template product<PetscScalar>(a, b, q), &S[k++]);
      }
    }
  #pragma unroll
    for (int k = 0; k < half; k++) own[k] = material * S[k];
  }

  __device__ static void add(const PetscScalar *own, int a, int b, PetscScalar *sum)
  {
    const int low = a < b ? a : b, high = a < b ? b : a;

    sum[0] += own[low * (2 * n - 1 - low) / 2 + high];
  }

  __device__ static PetscScalar value(const PetscScalar *sum, int r, int c) { return r == c ? sum[0] : PetscScalar(0); }
};

struct ElasticSums { // of three by three
  static constexpr int kept = 9;

  __device__ static PetscScalar value(const PetscScalar *sum, int r, int c) { return sum[3 * r + c]; }
};

template <> struct OnChip<Tet4, Elasticity> : ElasticSums {
  static constexpr int n = 4, words = 3 * n + 3, parts = 1;

  __device__ static void leave(const TileElement &element, int, PetscScalar *own)
  {
    PetscScalar X[n][3], g[n][3];

    element.load_corners<n>(X);
    rooted_gradients<Tet4>(X, 0, g);
  #pragma unroll
    for (int v = 0; v < 3 * n; v++) own[v] = g[v / 3][v % 3];
    own[3 * n]     = cached_load(element.material);
    own[3 * n + 1] = cached_load(element.material + 1);
  }

  __device__ static void add(const PetscScalar *own, int a, int b, PetscScalar *sum)
  {
    PetscScalar S[9] = {}, K[9];

    Elasticity::add(own + 3 * a, own + 3 * b, PetscScalar(0), S);
    Elasticity::block(S, own[3 * n], own[3 * n + 1], K);
  #pragma unroll
    for (int k = 0; k < 9; k++) sum[k] += K[k];
  }
};

/* Gradients are times the roots of the weight and of mu; what is left of the material is lambda / mu. Of a corner and two points that differ in direction 0, the six
   numbers lie together, read in twos: [corner][4][(x y) (z x) (y z)]. */
template <> struct OnChip<Hex8, Elasticity> : ElasticSums {
  static constexpr int n = 8, of_corner = 24, ratio = n * of_corner, words = ratio + 2, parts = 2;

  struct alignas(2 * sizeof(PetscScalar)) Two {
    PetscScalar a, b;
  };

  /* The points of one side of direction 2. */
  __device__ static void leave(const TileElement &element, int side, PetscScalar *own)
  {
    constexpr PetscScalar near = Hex8::near_value<PetscScalar>(), far = 1 - near;
    const PetscScalar mu = cached_load(element.material + 1), low = side ? far : near, high = side ? near : far; // low, high: of the shape functions of the two sides
    PetscScalar       X[n][3], P[4][3], D[4][3]; // P: on the four edges in direction 2, at this side's points; D: along them

    element.load_corners<n>(X);
  #pragma unroll
    for (int v = 0; v < 12; v++) {
      D[v / 3][v % 3] = X[4 + v / 3][v % 3] - X[v / 3][v % 3];
      P[v / 3][v % 3] = X[v / 3][v % 3] + high * D[v / 3][v % 3];
    }
    if (side == 0) own[ratio] = cached_load(element.material) / mu;
  #pragma unroll
    for (int y = 0; y < 2; y++) {
      const PetscScalar v = y ? near : far;
      PetscScalar       J[3][3], Q[2][3], E[2][3], first[n]; // Q, E: along directions 1 and 2, on either side of direction 0

  #pragma unroll
      for (int d = 0; d < 3; d++) {
        Q[0][d] = P[2][d] - P[0][d];
        Q[1][d] = P[3][d] - P[1][d];
        J[0][d] = P[1][d] + v * Q[1][d] - (P[0][d] + v * Q[0][d]);
        E[0][d] = D[0][d] + v * (D[2][d] - D[0][d]);
        E[1][d] = D[1][d] + v * (D[3][d] - D[1][d]);
      }
  #pragma unroll
      for (int x = 0; x < 2; x++) {
        const PetscScalar u = x ? near : far;
        PetscScalar       C[3][3], C0[2][3], C1[2][3]; // C0, C1: times the shape functions of direction 2

  #pragma unroll
        for (int d = 0; d < 3; d++) {
          J[1][d] = Q[0][d] + u * (Q[1][d] - Q[0][d]);
          J[2][d] = E[0][d] + u * (E[1][d] - E[0][d]);
        }
        cross(J[1], J[2], C[0]);
        cross(J[2], J[0], C[1]);
        cross(J[0], J[1], C[2]);
        /* the inverse is the cofactors over det, times the root of mu det / 8 */
        const PetscScalar root = mu * rsqrt(8 * mu * (J[0][0] * C[0][0] + J[0][1] * C[0][1] + J[0][2] * C[0][2]));

  #pragma unroll
        for (int d = 0; d < 3; d++) {
          const PetscScalar c0 = root * C[0][d], c1 = root * C[1][d];

          C0[0][d] = low * c0;
          C0[1][d] = high * c0;
          C1[0][d] = low * c1;
          C1[1][d] = high * c1;
          C[2][d] *= root;
        }
  #pragma unroll
        for (int b = 0; b < n; b++) {
          const PetscScalar in0 = Hex8::linear<PetscScalar>(x, b), in1 = Hex8::linear<PetscScalar>(y, b >> 1);
          const PetscScalar f0 = (b & 1 ? in1 : -in1), f1 = (b & 2 ? in0 : -in0), f2 = (b & 4 ? in0 * in1 : -in0 * in1);
          Two *const        to = reinterpret_cast<Two *>(own + b * of_corner + (2 * side + y) * 6);
          PetscScalar       g[3];

  #pragma unroll
          for (int d = 0; d < 3; d++) g[d] = f0 * C0[b >> 2][d] + f1 * C1[b >> 2][d] + f2 * C[2][d];
          if (x == 0) {
            to[0]    = {g[0], g[1]};
            first[b] = g[2];
          } else {
            to[1] = {first[b], g[0]};
            to[2] = {g[1], g[2]};
          }
        }
      }
    }
  }

  __device__ static void add(const PetscScalar *own, int a, int b, PetscScalar *sum)
  {
    const Two  *ga = reinterpret_cast<const Two *>(own + a * of_corner), *gb = reinterpret_cast<const Two *>(own + b * of_corner);
    PetscScalar S[9] = {}, K[9];

  #pragma unroll
    for (int q = 0; q < 4; q++) {
      PetscScalar u[6], v[6];

  #pragma unroll
      for (int k = 0; k < 3; k++) {
        const Two x = ga[3 * q + k], y = gb[3 * q + k];

        u[2 * k]     = x.a;
        u[2 * k + 1] = x.b;
        v[2 * k]     = y.a;
        v[2 * k + 1] = y.b;
      }
      Elasticity::add(u, v, PetscScalar(0), S);
      Elasticity::add(u + 3, v + 3, PetscScalar(0), S);
    }
    Elasticity::block(S, own[ratio], PetscScalar(1), K);
  #pragma unroll
    for (int k = 0; k < 9; k++) sum[k] += K[k];
  }
};

#endif

} // namespace goza
