/* What an element leaves in the memory on chip, and what a pair of its corners takes from it.

     one sum a pair       the upper half of the element matrix
     elasticity, Tet4     gradients and a number of the material
     elasticity, Hex8     gradients at the eight points: the 300 values of the element matrix's half would take more room, and longer to read */
#pragma once
#include "core/launch/for_each_row.hpp"
#include "element.hpp"
#include "equation.hpp"
#include "assembly/mesh/mesh.hpp"

namespace goza::assembly {

#if defined(__CUDACC__)

/* An element of the tile: its coordinates are on chip already. */
struct TileElement {
  const PetscScalar   *x;    // [corners of the tile][3]
  const std::uint16_t *conn; // [corners]
  const PetscReal     *material;

  __device__ const PetscScalar *x_of(int corner) const
  {
    return x + 3 * (cached_load(reinterpret_cast<const std::uint32_t *>(conn) + corner / 2) >> (16 * (corner % 2)) & 65535);
  }
  template <int n> __device__ void load_corners(PetscScalar (*X)[3]) const
  {
  #pragma unroll
    for (int b = 0; b < n; b++)
      for (int d = 0; d < 3; d++) X[b][d] = x_of(b)[d];
  }
};

/* An element has `pitch` words, and begins `shift` words later for each bank; `aside` words of it lie elsewhere. It is left in `phases`, each by `parts`
   threads: a pair's sum takes what one phase left before the next overwrites it. long_lists: some pairs have them (tiles.hpp). kept: the values that a sum
   consists of; value(): entry (r, c) of the block that they stand for. */
template <class Element, class Equation> struct OnChip {
  static constexpr int  n = Element::nodes, half = n * (n + 1) / 2, kept = 1;
  static constexpr int  pitch = half | 1, shift = 0, aside = 0, phases = 1, parts = 1;
  static constexpr bool long_lists = n == 4;

  static_assert(Equation::sums == 1, "one sum a pair");

  __device__ static void leave(const TileElement &element, int, int, PetscScalar *own, PetscScalar *)
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

  __device__ static void add(const PetscScalar *own, const PetscScalar *, int a, int b, PetscScalar *sum)
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

struct alignas(2 * sizeof(PetscScalar)) Two { // read at once
  PetscScalar a, b;
};

/* Gradients are times the roots of the weight and of mu; what is left of the material is lambda / mu: [corner][(x y) (z ratio)]. */
template <> struct OnChip<Tet4, Elasticity> : ElasticSums {
  static constexpr int  n = 4, pitch = 4 * n, shift = 2, aside = 0, phases = 1, parts = 1;
  static constexpr bool long_lists = true;

  __device__ static void leave(const TileElement &element, int, int, PetscScalar *own, PetscScalar *)
  {
    PetscScalar       X[n][3], J[3][3], g[n][3];
    const PetscScalar mu = cached_load(element.material + 1), ratio = cached_load(element.material) / mu;

    element.load_corners<n>(X);
  #pragma unroll
    for (int v = 0; v < 9; v++) J[v / 3][v % 3] = X[v / 3 + 1][v % 3] - X[0][v % 3];
    cross(J[1], J[2], g[1]);
    cross(J[2], J[0], g[2]);
    cross(J[0], J[1], g[3]);
    const PetscScalar root = mu * rsqrt(6 * mu * (J[0][0] * g[1][0] + J[0][1] * g[1][1] + J[0][2] * g[1][2])); // the inverse is the cofactors over det

  #pragma unroll
    for (int d = 0; d < 3; d++) {
      for (int b = 1; b < n; b++) g[b][d] *= root;
      g[0][d] = -(g[1][d] + g[2][d] + g[3][d]);
    }
  #pragma unroll
    for (int b = 0; b < n; b++) {
      Two *const to = reinterpret_cast<Two *>(own + 4 * b);

      to[0] = {g[b][0], g[b][1]};
      to[1] = {g[b][2], ratio};
    }
  }

  __device__ static void add(const PetscScalar *own, const PetscScalar *, int a, int b, PetscScalar *sum)
  {
    const Two        *from_a = reinterpret_cast<const Two *>(own + 4 * a), *from_b = reinterpret_cast<const Two *>(own + 4 * b);
    const Two         a01 = from_a[0], a2 = from_a[1], b01 = from_b[0], b2 = from_b[1];
    const PetscScalar ga[3] = {a01.a, a01.b, a2.a}, gb[3] = {b01.a, b01.b, b2.a};
    PetscScalar       S[9] = {}, K[9];

    Elasticity::add(ga, gb, PetscScalar(0), S);
    Elasticity::block(S, a2.b, PetscScalar(1), K);
  #pragma unroll
    for (int k = 0; k < 9; k++) sum[k] += K[k];
  }
};

/* Gradients are times the roots of the weight and of mu; what is left of the material is lambda / mu, which lies aside. A phase is the four points of one side
   of direction 2, and a part two of them that differ in direction 0: of a corner, their six numbers lie together, read in twos: [corner][2][(x y) (z x) (y
   z)]. */
template <> struct OnChip<Hex8, Elasticity> : ElasticSums {
  static constexpr int  n = 8, of_corner = 12, pitch = n * of_corner, shift = 2, aside = 1, phases = 2, parts = 2;
  static constexpr bool long_lists = false; // lists of at most eight where hexahedra meet as in a grid

  /* The gradients at point x of the part; `first` keeps the third numbers of point 0 for point 1. */
  __device__ static void put(int x, const PetscScalar (*C0)[3], const PetscScalar (*C1)[3], const PetscScalar (*C2)[3], PetscScalar *first, PetscScalar *own)
  {
  #pragma unroll
    for (int b = 0; b < n; b++) {
      const PetscScalar in0 = Hex8::linear<PetscScalar>(x, b), f0 = b & 1 ? PetscScalar(1) : PetscScalar(-1), f1 = b & 2 ? in0 : -in0, f2 = b & 4 ? in0 : -in0;
      Two *const        to = reinterpret_cast<Two *>(own + b * of_corner);
      PetscScalar       g[3];

  #pragma unroll
      for (int d = 0; d < 3; d++) g[d] = f0 * C0[b >> 1][d] + f1 * C1[b >> 2][d] + f2 * C2[b >> 1 & 1][d];
      if (x == 0) {
        to[0]    = {g[0], g[1]};
        first[b] = g[2];
      } else {
        to[1] = {first[b], g[0]};
        to[2] = {g[1], g[2]};
      }
    }
  }

  __device__ static void leave(const TileElement &element, int side, int y, PetscScalar *own, PetscScalar *ratio)
  {
    constexpr PetscScalar near = Hex8::near_value<PetscScalar>(), far = 1 - near;
    const PetscScalar     mu = cached_load(element.material + 1), z0 = side ? far : near, z1 = side ? near : far, y0 = y ? far : near, y1 = y ? near : far;
    PetscScalar           J0[3], Q[2][3], E[2][3], first[n]; // Q, E: along directions 1 and 2, at side 0 of direction 0, and how much more at side 1

    if (side == 0 && y == 0) *ratio = cached_load(element.material) / mu;
  #pragma unroll
    for (int d = 0; d < 3; d++) {
      PetscScalar P[4], D[4]; // of the four edges in direction 2: at this side's points, and along them

  #pragma unroll
      for (int k = 0; k < 4; k++) {
        const PetscScalar below = element.x_of(k)[d];

        D[k] = element.x_of(4 + k)[d] - below;
        P[k] = below + z1 * D[k];
      }
      Q[0][d] = P[2] - P[0];
      Q[1][d] = P[3] - P[1];
      J0[d]   = P[1] + y1 * Q[1][d] - (P[0] + y1 * Q[0][d]);
      E[0][d] = D[0] + y1 * (D[2] - D[0]);
      E[1][d] = D[1] + y1 * (D[3] - D[1]) - E[0][d];
      Q[1][d] -= Q[0][d];
    }
  #pragma unroll
    for (int x = 0; x < 2; x++) {
      PetscScalar J1[3], J2[3], C[3][3], C0[4][3], C1[2][3], C2[2][3]; // C0 .. C2: times the shape functions of directions 1 and 2 that do not depend on x

  #pragma unroll
      for (int d = 0; d < 3; d++) {
        J1[d] = Q[0][d] + (x ? near : far) * Q[1][d];
        J2[d] = E[0][d] + (x ? near : far) * E[1][d];
      }
      cross(J1, J2, C[0]);
      cross(J2, J0, C[1]);
      cross(J0, J1, C[2]);
      /* the inverse is the cofactors over det, times the root of mu det / 8 */
      const PetscScalar root = mu * rsqrt(8 * mu * (J0[0] * C[0][0] + J0[1] * C[0][1] + J0[2] * C[0][2]));

  #pragma unroll
      for (int d = 0; d < 3; d++) {
        const PetscScalar c0 = root * C[0][d], c1 = root * C[1][d], c2 = root * C[2][d];

        C0[0][d] = y0 * (z0 * c0);
        C0[1][d] = y1 * (z0 * c0);
        C0[2][d] = y0 * (z1 * c0);
        C0[3][d] = y1 * (z1 * c0);
        C1[0][d] = z0 * c1;
        C1[1][d] = z1 * c1;
        C2[0][d] = y0 * c2;
        C2[1][d] = y1 * c2;
      }
      put(x, C0, C1, C2, first, own + 6 * y);
    }
  }

  __device__ static void add(const PetscScalar *own, const PetscScalar *ratio, int a, int b, PetscScalar *sum)
  {
    const Two  *ga = reinterpret_cast<const Two *>(own + a * of_corner), *gb = reinterpret_cast<const Two *>(own + b * of_corner);
    PetscScalar S[9] = {}, K[9];

  #pragma unroll
    for (int y = 0; y < 2; y++) {
      PetscScalar u[6], v[6];

  #pragma unroll
      for (int k = 0; k < 3; k++) {
        const Two p = ga[3 * y + k], q = gb[3 * y + k];

        u[2 * k]     = p.a;
        u[2 * k + 1] = p.b;
        v[2 * k]     = q.a;
        v[2 * k + 1] = q.b;
      }
      Elasticity::add(u, v, PetscScalar(0), S);
      Elasticity::add(u + 3, v + 3, PetscScalar(0), S);
    }
    Elasticity::block(S, *ratio, PetscScalar(1), K);
  #pragma unroll
    for (int k = 0; k < 9; k++) sum[k] += K[k];
  }
};

#endif

} // namespace goza::assembly
