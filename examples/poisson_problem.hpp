/*
   What poisson.cxx and poisson_diagonals.cu solve: -div(k grad u) = f on the unit cube, u given on the Dirichlet faces and k du/dn on the others.

   f and the boundary data are those of u = 1 + x^3 + x y^2 + y z^3 for k = 1, so that u is the solution for a constant coefficient.
*/
#pragma once
#include "q1.hpp"

static const char *const Coefficients[] = {"constant", "random", "layered", "lognormal"};

enum { CONSTANT, RANDOM, LAYERED, LOGNORMAL };

struct Problem {
  PetscInt  nodes[3]; /* in each direction, of the whole grid */
  PetscReal h[3];     /* edge lengths of an element */
  PetscReal K[8][8];  /* element matrix for k = 1 */
  PetscBool dirichlet[6];
  PetscInt  coefficient, seed;
  PetscReal contrast;
  PetscReal scale; /* a factor of k, f and the flux: the solution stays when it changes */
};

/* ---- the exact solution for k = 1, and what follows from it ---- */

HD static inline PetscReal Exact(const PetscReal x[]) { return 1 + x[0] * x[0] * x[0] + x[0] * x[1] * x[1] + x[1] * x[2] * x[2] * x[2]; }

HD static inline PetscReal ExactDerivative(const PetscReal x[], PetscInt direction)
{
  if (direction == 0) return 3 * x[0] * x[0] + x[1] * x[1];
  if (direction == 1) return 2 * x[0] * x[1] + x[2] * x[2] * x[2];
  return 3 * x[1] * x[2] * x[2];
}

HD static inline PetscReal Source(const PetscReal x[]) { return -(8 * x[0] + 6 * x[1] * x[2]); }

/* ---- the coefficient ---- */

/* A number in (0,1) from a global index alone (splitmix64), so that k does not depend on the number of ranks */
HD static inline PetscReal Hash(PetscInt64 index, PetscInt seed)
{
  unsigned long long z = (unsigned long long)index + 0x9E3779B97F4A7C15ULL * (unsigned long long)(seed + 1);

  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  z = z ^ (z >> 31);
  return ((PetscReal)(z >> 41) + 0.5) / 8388608; /* 23 bits: exact in single precision too */
}

HD static inline PetscReal Coefficient(const Problem *P, const PetscInt e[])
{
  const PetscInt64 index = e[0] + (PetscInt64)(P->nodes[0] - 1) * (e[1] + (PetscInt64)(P->nodes[1] - 1) * e[2]);

  switch (P->coefficient) {
  case RANDOM: /* uniform in [1, contrast] */
    return P->scale * (1 + (P->contrast - 1) * Hash(index, P->seed));
  case LAYERED: /* eight layers across z, 1 and contrast in turn */
    return P->scale * (8 * (PetscInt64)e[2] / (P->nodes[2] - 1) % 2 ? P->contrast : 1);
  case LOGNORMAL: { /* Box-Muller; two standard deviations either side span the contrast */
    const PetscReal u = Hash(2 * index, P->seed), v = Hash(2 * index + 1, P->seed),
                    normal = PetscSqrtReal(-2 * PetscLogReal(u)) * PetscCosReal(2 * PETSC_PI * v);

    return P->scale * PetscExpReal(normal * PetscLogReal(P->contrast) / 4);
  }
  default:
    return P->scale;
  }
}

/* ---- one element ---- */

HD static inline void Position(const Problem *P, const PetscInt e[], const PetscReal xi[], PetscReal x[])
{
  for (PetscInt d = 0; d < 3; d++) x[d] = P->h[d] * (e[d] + xi[d]);
}

/* Is corner a of element e on the lower (side 0) or upper (side 1) face across direction d? */
HD static inline bool OnFace(const Problem *P, const PetscInt e[], PetscInt a, PetscInt d, PetscInt side)
{
  return e[d] + q1::Bit(a, d) == side * (P->nodes[d] - 1);
}

/* The matrix Ke and the load be of element e, Dirichlet nodes eliminated */
HD static inline void ElementSystem(const Problem *P, const PetscInt e[], PetscScalar Ke[8][8], PetscScalar be[])
{
  const PetscReal k = Coefficient(P, e), volume = P->h[0] * P->h[1] * P->h[2];
  PetscReal       x[3], xi[3];

  for (PetscInt a = 0; a < 8; a++) {
    be[a] = 0;
    for (PetscInt b = 0; b < 8; b++) Ke[a][b] = k * P->K[a][b];
  }
  for (PetscInt q = 0; q < 8; q++) {
    for (PetscInt d = 0; d < 3; d++) xi[d] = q1::GaussPoint(q1::Bit(q, d));
    Position(P, e, xi, x);
    for (PetscInt a = 0; a < 8; a++) be[a] += P->scale * Source(x) * q1::Shape(a, xi) * volume / 8;
  }
  /* Neumann faces: the flux goes out of the domain through the face of the element across d */
  for (PetscInt d = 0; d < 3; d++) {
    for (PetscInt side = 0; side < 2; side++) {
      if (P->dirichlet[2 * d + side] || e[d] + side != side * (P->nodes[d] - 1)) continue;
      for (PetscInt q = 0; q < 4; q++) {
        xi[d]           = side;
        xi[(d + 1) % 3] = q1::GaussPoint(q1::Bit(q, 0));
        xi[(d + 2) % 3] = q1::GaussPoint(q1::Bit(q, 1));
        Position(P, e, xi, x);
        for (PetscInt a = 0; a < 8; a++) be[a] += P->scale * (side ? 1 : -1) * ExactDerivative(x, d) * q1::Shape(a, xi) * volume / P->h[d] / 4;
      }
    }
  }
  for (PetscInt c = 0; c < 8; c++) {
    const PetscReal corner[] = {(PetscReal)q1::Bit(c, 0), (PetscReal)q1::Bit(c, 1), (PetscReal)q1::Bit(c, 2)};
    bool            given    = false;

    for (PetscInt f = 0; f < 6; f++) given = given || (P->dirichlet[f] && OnFace(P, e, c, f / 2, f % 2));
    if (!given) continue;
    Position(P, e, corner, x);
    for (PetscInt a = 0; a < 8; a++) {
      if (a == c) continue;
      be[a] -= Ke[a][c] * Exact(x);
      Ke[a][c] = Ke[c][a] = 0;
    }
    be[c] = Ke[c][c] * Exact(x);
  }
}
