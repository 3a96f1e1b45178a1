/* What an element gives to its corners' rows of a vector, its stress, and what a node makes of that: on the host as on the device. */
#pragma once
#include "element.hpp"
#include "equation.hpp"
#include "vectors.hpp"

namespace goza::assembly {

template <class Element, class Equation> struct ElementForces {
  MeshView           mesh;
  const PetscScalar *force, *u;

  static constexpr int n = Element::nodes, bs = Equation::bs;

  HD void of(PetscInt e, PetscScalar (*f)[bs]) const
  {
    const PetscInt *c = mesh.conn + static_cast<std::int64_t>(e) * n;
    PetscReal       X[n][3], g[n][3];
    PetscScalar     v[n][bs];

    corners_of<Element>(mesh, e, X);
    for (int b = 0; b < n; b++) {
      for (int r = 0; r < bs; r++) {
        v[b][r] = u ? u[static_cast<std::int64_t>(c[b]) * bs + r] : PetscScalar(0);
        f[b][r] = 0;
      }
    }
    for (int q = 0; q < Element::points; q++) {
      const PetscReal w = Element::gradients(X, q, g);

      if (u) Equation::template subtract<Element, PetscReal, PetscScalar>(g, q, w, mesh.material[e][0], mesh.material[e][1], v, f);
      for (int a = 0; force && a < n; a++)
        for (int r = 0; r < bs; r++) f[a][r] += w * Element::template shape<PetscReal>(a, q) * force[static_cast<std::int64_t>(e) * bs + r];
    }
  }
};

/* parts: [corner][unknown][nelem], so that threads side by side write and read words side by side */
template <class Element, class Equation> struct StoreForces {
  ElementForces<Element, Equation> forces;
  PetscScalar                     *parts;

  static constexpr int n = Element::nodes, bs = Equation::bs;

  HD void operator()(PetscInt e) const
  {
    PetscScalar f[n][bs];

    forces.of(e, f);
    for (int k = 0; k < n * bs; k++) parts[static_cast<std::int64_t>(k) * forces.mesh.nelem + e] = f[k / bs][k % bs];
  }
};

template <int corners, int bs>
HD void sum_forces(PetscInt i, PetscInt nelem, const PetscInt *owner_ptr, const PetscInt *owner, const PetscScalar *parts, const PetscScalar *load,
                   PetscScalar scale, PetscScalar *y)
{
  PetscScalar sum[bs] = {};

  for (PetscInt o = owner_ptr[i]; parts && o < owner_ptr[i + 1]; o++) {
    const PetscInt     e    = owner[o] / corners;
    const PetscScalar *from = parts + static_cast<std::int64_t>(owner[o] % corners * bs) * nelem + e;

    for (int r = 0; r < bs; r++) sum[r] += from[static_cast<std::int64_t>(r) * nelem];
  }
  for (int r = 0; r < bs; r++) {
    const std::int64_t row = static_cast<std::int64_t>(i) * bs + r;

    y[row] = scale * (load ? sum[r] + load[row] : sum[r]);
  }
}

template <class Element, class Equation> struct SetGivenRows {
  MeshView        mesh;
  const PetscInt *owner_ptr, *owner;
  GivenRows       rows;
  PetscScalar    *y;

  static constexpr int n = Element::nodes, bs = Equation::bs;

  HD void operator()(PetscInt k) const
  {
    const PetscInt i            = rows.nodes[k];
    PetscScalar    diagonal[bs] = {};

    for (PetscInt o = owner_ptr[i]; o < owner_ptr[i + 1]; o++) {
      const PetscInt e = owner[o] / n;
      const int      a = static_cast<int>(owner[o] % n);
      PetscReal      X[n][3], g[n][3], S[Equation::sums] = {};
      PetscScalar    K[bs * bs];

      corners_of<Element>(mesh, e, X);
      for (int q = 0; q < Element::points; q++) {
        const PetscReal w = rooted_gradients<Element>(X, q, g);

        for (int b = 0; b < n; b++) { // an index known while this is compiled keeps g in registers
          if (b == a) Equation::add(g[b], g[b], w * Element::template product<PetscReal>(b, b, q), S);
        }
      }
      Equation::block(S, mesh.material[e][0], mesh.material[e][1], K);
      for (int r = 0; r < bs; r++) diagonal[r] += K[r * bs + r];
    }
    for (int r = 0; r < bs; r++) {
      const std::int64_t row = static_cast<std::int64_t>(i) * bs + r;

      if (mesh.fixed[i] >> r & 1) y[row] = rows.scale * diagonal[r] * (rows.value[row] - (rows.now ? rows.now[row] : PetscScalar(0)));
    }
  }
};

HD inline void fill_local_at(PetscInt i, const unsigned char *fixed, PetscInt owned, int bs, const PetscScalar *own, const PetscScalar *ghost,
                             const PetscScalar *value, PetscScalar *local)
{
  for (int r = 0; r < bs; r++) {
    const std::int64_t at = static_cast<std::int64_t>(i) * bs + r;

    if (value && (fixed[i] >> r & 1)) local[at] = value[at];
    else local[at] = i < owned ? own[at] : ghost[at - static_cast<std::int64_t>(owned) * bs];
  }
}

HD inline void scatter(PetscInt k, const PetscInt *index, const PetscScalar *from, PetscScalar *to) { to[index[k]] = from[k]; }

/* sqrt(3/2 s:s) of the deviator s = 2 mu dev(strain), of the element's mean strain; of complex ones, of their moduli */
template <class Element> struct ElementStress {
  MeshView           mesh;
  const PetscScalar *u;
  PetscScalar       *stress;
  PetscReal         *volume;

  static constexpr int n = Element::nodes;

  HD void operator()(PetscInt e) const
  {
    const PetscInt   *c  = mesh.conn + static_cast<std::int64_t>(e) * n;
    const PetscScalar mu = mesh.material[e][1];
    PetscReal         X[n][3], g[n][3], all = 0, ss = 0;
    PetscScalar       v[n][3], D[3][3] = {}; // D: the mean of grad u

    corners_of<Element>(mesh, e, X);
    for (int b = 0; b < n; b++)
      for (int r = 0; r < 3; r++) v[b][r] = u[static_cast<std::int64_t>(c[b]) * 3 + r];
    for (int q = 0; q < Element::points; q++) {
      const PetscReal w = Element::gradients(X, q, g);

      all += w;
      for (int b = 0; b < n; b++)
        for (int k = 0; k < 9; k++) D[k / 3][k % 3] += w * v[b][k / 3] * g[b][k % 3];
    }
    const PetscScalar mean = (D[0][0] + D[1][1] + D[2][2]) / PetscReal(3);

    for (int k = 0; k < 9; k++) {
      const PetscScalar strain = (D[k / 3][k % 3] + D[k % 3][k / 3]) / PetscReal(2) - (k / 3 == k % 3 ? mean : PetscScalar(0)),
                        s      = PetscReal(2) * mu * strain / all;

      ss += PetscRealPart(s * PetscConj(s));
    }
    stress[e] = PetscSqrtReal(PetscReal(1.5) * ss);
    if (volume) volume[e] = all;
  }
};

HD inline void node_mean(PetscInt i, int corners, const PetscInt *owner_ptr, const PetscInt *owner, const PetscScalar *of_element, const PetscReal *weight,
                         PetscScalar *mean)
{
  PetscScalar sum = 0;
  PetscReal   all = 0;

  for (PetscInt o = owner_ptr[i]; o < owner_ptr[i + 1]; o++) {
    const PetscInt e = owner[o] / corners;

    sum += weight[e] * of_element[e];
    all += weight[e];
  }
  mean[i] = all > 0 ? sum / all : PetscScalar(0);
}

} // namespace goza::assembly
