/* Right-hand side and stress: an owned node visits its elements, on the host as on the device. */
#pragma once
#include "element.hpp"
#include "equation.hpp"
#include "assembly/mesh/mesh.hpp"

namespace goza::assembly
{

template <class Element> HD void corners_of(const MeshView &mesh, PetscInt e, PetscScalar (*X)[3])
{
  for (int b = 0; b < Element::nodes; b++) {
    for (int d = 0; d < 3; d++) X[b][d] = mesh.x[mesh.conn[static_cast<std::int64_t>(e) * Element::nodes + b]][d];
  }
}

template <class Element, class Equation> struct NodeVector {
  MeshView           mesh;
  const PetscInt    *owner_ptr, *owner;
  const PetscReal   *force;
  const PetscScalar *u;
  bool               only_diagonal;
  PetscScalar       *y;

  static constexpr int n = Element::nodes, bs = Equation::bs;

  HD void operator()(PetscInt i) const
  {
    PetscScalar sum[bs] = {};

    for (PetscInt o = owner_ptr[i]; o < owner_ptr[i + 1]; o++) {
      const PetscInt  e = owner[o] / n;
      const int       a = static_cast<int>(owner[o] % n);
      const PetscInt *c = mesh.conn + static_cast<std::int64_t>(e) * n;
      PetscScalar     X[n][3], g[n][3], S[n][Equation::sums] = {}, weight = 0;

      corners_of<Element>(mesh, e, X);
      for (int q = 0; q < Element::points; q++) {
        const PetscScalar w = rooted_gradients<Element>(X, q, g);

        weight += w * Element::template shape<PetscScalar>(a, q);
        for (int b = 0; b < n; b++) Equation::add(g[a], g[b], w * Element::template product<PetscScalar>(a, b, q), S[b]);
      }
      for (int r = 0; force && r < bs; r++) sum[r] += weight * force[static_cast<std::int64_t>(e) * bs + r];
      for (int b = 0; b < n; b++) {
        PetscScalar K[bs * bs];

        if (only_diagonal ? a != b : !u) continue;
        Equation::block(S[b], static_cast<PetscScalar>(mesh.material[e][0]), static_cast<PetscScalar>(mesh.material[e][1]), K);
        for (int r = 0; r < bs; r++) {
          if (only_diagonal) sum[r] += K[r * bs + r];
          for (int k = 0; u && k < bs; k++) sum[r] -= K[r * bs + k] * u[static_cast<std::int64_t>(c[b]) * bs + k];
        }
      }
    }
    for (int r = 0; r < bs; r++) y[static_cast<std::int64_t>(i) * bs + r] = sum[r];
  }
};

template <class Element> struct NodeStress {
  MeshView           mesh;
  const PetscInt    *owner_ptr, *owner;
  const PetscScalar *u;
  PetscScalar       *stress;

  static constexpr int n = Element::nodes;

  HD void operator()(PetscInt i) const
  {
    PetscScalar sum = 0, volume = 0;

    for (PetscInt o = owner_ptr[i]; o < owner_ptr[i + 1]; o++) {
      const PetscInt    e  = owner[o] / n;
      const PetscInt   *c  = mesh.conn + static_cast<std::int64_t>(e) * n;
      const PetscScalar mu = mesh.material[e][1];
      PetscScalar       X[n][3], g[n][3], D[3][3] = {}, all = 0; // D: the mean of grad u

      corners_of<Element>(mesh, e, X);
      for (int q = 0; q < Element::points; q++) {
        const PetscScalar w = Element::gradients(X, q, g);

        all += w;
        for (int b = 0; b < n; b++) {
          for (int k = 0; k < 9; k++) D[k / 3][k % 3] += w * u[static_cast<std::int64_t>(c[b]) * 3 + k / 3] * g[b][k % 3];
        }
      }
      /* sqrt(3/2 s:s) of the deviator s = 2 mu dev(strain) */
      PetscScalar       ss   = 0;
      const PetscScalar mean = (D[0][0] + D[1][1] + D[2][2]) / 3;

      for (int k = 0; k < 9; k++) {
        const PetscScalar strain = (D[k / 3][k % 3] + D[k % 3][k / 3]) / 2 - (k / 3 == k % 3 ? mean : PetscScalar(0)), s = 2 * mu * strain / all;

        ss += s * s;
      }
      sum += all * PetscSqrtReal(PetscScalar(1.5) * ss);
      volume += all;
    }
    stress[i] = volume > 0 ? sum / volume : PetscScalar(0);
  }
};

} // namespace goza::assembly
