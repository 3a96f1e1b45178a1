/* Integrals of the shape functions over a face in space: its share for each corner. */
#pragma once
#include "assembly/kernels/element.hpp"
#include <cmath>

namespace goza::assembly
{

/* corners: 3, or 4 in turn around a bilinear face (2 x 2 Gauss points). x: [nodes][3] */
inline void surface_weights(const PetscReal *x, PetscInt corners, const PetscInt *face, PetscReal weight[4])
{
  const auto at     = [&](PetscInt b, PetscInt d) { return x[3 * (std::size_t)face[b] + d]; };
  const auto length = [](const PetscReal *v) { return std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); };
  PetscReal  u[3], v[3], normal[3];

  if (corners == 3) {
    for (PetscInt d = 0; d < 3; d++) {
      u[d] = at(1, d) - at(0, d);
      v[d] = at(2, d) - at(0, d);
    }
    cross(u, v, normal);
    for (PetscInt b = 0; b < 3; b++) weight[b] = length(normal) / 6;
    return;
  }
  for (PetscInt b = 0; b < 4; b++) weight[b] = 0;
  for (int q = 0; q < 4; q++) {
    const PetscReal s1 = Hex8::linear<PetscReal>(q, 1), s0 = Hex8::linear<PetscReal>(q, 0), t1 = Hex8::linear<PetscReal>(q >> 1, 1),
                    t0       = Hex8::linear<PetscReal>(q >> 1, 0);
    const PetscReal shape[4] = {s0 * t0, s1 * t0, s1 * t1, s0 * t1};

    for (PetscInt d = 0; d < 3; d++) {
      u[d] = t0 * (at(1, d) - at(0, d)) + t1 * (at(2, d) - at(3, d));
      v[d] = s0 * (at(3, d) - at(0, d)) + s1 * (at(2, d) - at(1, d));
    }
    cross(u, v, normal);
    for (PetscInt b = 0; b < 4; b++) weight[b] += shape[b] * length(normal) / 4;
  }
}

} // namespace goza::assembly
