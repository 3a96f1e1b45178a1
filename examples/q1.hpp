/*
   Trilinear (Q1) hexahedra, all of them equal boxes of edge lengths h[0] x h[1] x h[2].

   Corner a of an element is at (a & 1, a >> 1 & 1, a >> 2 & 1), in the order of a DMDA: x fastest.
   Everything is integrated with two Gauss points per direction, exact for products of two trilinear functions.
*/
#pragma once
#include <petscsys.h>

#if defined(__CUDACC__) /* kernels of poisson_diagonals.cu call these, too */
  #define HD __host__ __device__
#else
  #define HD
#endif

namespace q1 {
/* The two Gauss points of [0,1], each of weight 1/2 */
HD static inline PetscReal GaussPoint(PetscInt q)
{
  const PetscReal r = 0.28867513459481288225; /* 1/(2 sqrt(3)) */

  return q ? 0.5 + r : 0.5 - r;
}

HD static inline PetscInt Bit(PetscInt a, PetscInt direction) { return a >> direction & 1; }

/* The shape function of corner a at xi in [0,1]^3 */
HD static inline PetscReal Shape(PetscInt a, const PetscReal xi[])
{
  PetscReal N = 1;

  for (PetscInt d = 0; d < 3; d++) N *= Bit(a, d) ? xi[d] : 1 - xi[d];
  return N;
}

/* Its derivative in direction e, in the coordinates of the box */
HD static inline PetscReal ShapeDerivative(PetscInt a, PetscInt e, const PetscReal h[], const PetscReal xi[])
{
  PetscReal N = (Bit(a, e) ? 1 : -1) / h[e];

  for (PetscInt d = 0; d < 3; d++) {
    if (d != e) N *= Bit(a, d) ? xi[d] : 1 - xi[d];
  }
  return N;
}

/* K[a][b] = integral of grad N_a . grad N_b: the element matrix of -div(grad u), symmetric to the last bit */
HD static inline void Stiffness(const PetscReal h[], PetscReal K[8][8])
{
  const PetscReal weight = h[0] * h[1] * h[2] / 8;

  for (PetscInt a = 0; a < 8; a++) {
    for (PetscInt b = 0; b <= a; b++) {
      K[a][b] = 0;
      for (PetscInt q = 0; q < 8; q++) {
        const PetscReal xi[] = {GaussPoint(Bit(q, 0)), GaussPoint(Bit(q, 1)), GaussPoint(Bit(q, 2))};

        for (PetscInt d = 0; d < 3; d++) K[a][b] += weight * ShapeDerivative(a, d, h, xi) * ShapeDerivative(b, d, h, xi);
      }
      K[b][a] = K[a][b];
    }
  }
}
} // namespace q1
