/* Elasticity on one Q1 element: the unit cube, E = 1, nu = 0.25. Bit d of a corner's number is its coordinate d. */
#pragma once

#include <petscsys.h>

#include <array>
#include <cmath>

namespace goza_test {

using Element = std::array<std::array<PetscReal, 24>, 24>; /* row and column 3 corner + component */

/* By 2x2x2 Gauss points. */
inline Element element_stiffness()
{
  const PetscReal nu = 0.25, lambda = nu / ((1 + nu) * (1 - 2 * nu)), mu = 1 / (2 * (1 + nu)), g = 1 / std::sqrt((PetscReal)3);
  Element         K{};

  for (int q = 0; q < 8; q++) {
    const PetscReal at[3] = {q & 1 ? g : -g, q & 2 ? g : -g, q & 4 ? g : -g};
    PetscReal       grad[8][3];
    for (int a = 0; a < 8; a++) {
      const PetscReal s[3] = {(PetscReal)(a & 1 ? 1 : -1), (PetscReal)(a & 2 ? 1 : -1), (PetscReal)(a & 4 ? 1 : -1)};
      for (int d = 0; d < 3; d++) {
        grad[a][d] = s[d] / 4; /* the unit cube is half the reference cube wide: d/dx = 2 d/dxi, and N = 1/8 prod (1 + s xi) */
        for (int e = 0; e < 3; e++)
          if (e != d) grad[a][d] *= 1 + s[e] * at[e];
      }
    }
    for (int a = 0; a < 8; a++)
      for (int b = 0; b < 8; b++)
        for (int i = 0; i < 3; i++)
          for (int j = 0; j < 3; j++) {
            PetscReal k = lambda * grad[a][i] * grad[b][j] + mu * grad[a][j] * grad[b][i];
            if (i == j)
              for (int d = 0; d < 3; d++) k += mu * grad[a][d] * grad[b][d];
            K[3 * a + i][3 * b + j] += k / 8; /* the Jacobian */
          }
  }
  return K;
}

} // namespace goza_test
