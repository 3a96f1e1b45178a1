#include "numeric.hpp"
#include "core/algorithm.hpp"
#include "core/for_each_row.hpp"
#include "element.hpp"
#include "equation.hpp"
#include "tile_kernel.hpp"

namespace goza
{

namespace
{

/* call(Element(), Equation()) */
template <class Call> void with_kinds(const Problem &problem, ElementKind element, const Call &call)
{
  const auto with = [&](auto equation) {
    if (element == ElementKind::Hex8) call(Hex8(), equation);
    else call(Tet4(), equation);
  };

  if (problem.equation == EquationKind::Diffusion) with(Diffusion());
  else if (problem.equation == EquationKind::Elasticity) with(Elasticity());
  else if (problem.bs == 3) with(Mass<3>());
  else with(Mass<1>());
}

/* --- matrix on the host: element after element, the lower half of an element matrix taken from the upper */

template <class Element, class Equation> struct HostAssembly {
  MeshView             mesh;
  const PetscInt      *ptr, *col;
  const unsigned char *slot;
  Target               target;

  static constexpr int n = Element::nodes, bs = Equation::bs;

  void zero(PetscInt i) const
  {
    const PetscScalar none[bs * bs] = {};

    for (PetscInt k = ptr[i]; k < ptr[i + 1]; k++) put<false>(i, k, none, false);
  }

  void operator()(PetscInt e) const
  {
    const PetscInt *c = mesh.conn + static_cast<std::int64_t>(e) * n;
    PetscScalar     X[n][3], g[n][3], S[n][n][Equation::sums] = {};

    for (int b = 0; b < n; b++) {
      for (int d = 0; d < 3; d++) X[b][d] = mesh.x[c[b]][d];
    }
    for (int q = 0; q < Element::points; q++) {
      const PetscScalar w = rooted_gradients<Element>(X, q, g);

      for (int a = 0; a < n; a++) {
        for (int b = a; b < n; b++) Equation::add(g[a], g[b], w * Element::template product<PetscScalar>(a, b, q), S[a][b]);
      }
    }
    for (int a = 0; a < n; a++) {
      for (int b = a; b < n; b++) {
        PetscScalar K[bs * bs], T[bs * bs];

        Equation::block(S[a][b], static_cast<PetscScalar>(mesh.material[e][0]), static_cast<PetscScalar>(mesh.material[e][1]), K);
        add(e, a, b, c, K);
        if (a == b) continue;
        for (int k = 0; k < bs * bs; k++) T[k] = K[k % bs * bs + k / bs];
        add(e, b, a, c, T);
      }
    }
  }

private:
  void add(PetscInt e, int a, int b, const PetscInt *c, const PetscScalar *K) const
  {
    if (c[a] < mesh.owned) put<true>(c[a], ptr[c[a]] + slot[(static_cast<std::int64_t>(e) * n + a) * n + b], K, c[a] == c[b]);
  }

  template <bool sum> void put(PetscInt i, PetscInt pair, const PetscScalar *K, bool diagonal) const
  {
    const PetscInt j = col[pair], s = pair - ptr[i];
    PetscInt       d = 0, nown = 0;

    if (target.layout == Layout::Csr && j >= mesh.owned && !target.from) {
      while (col[ptr[i] + nown] < mesh.owned) nown++;
    }
    if (target.layout == Layout::Cds) {
      d = j < mesh.owned ? target.diagonal(j - i) : -1;
      if (d < 0) return;
    }
    for (int r = 0; r < bs; r++) {
      for (int k = 0; k < bs; k++) {
        PetscScalar *to = target.layout == Layout::Csr ? target.csr(i, pair, s, nown, j, r) + k
                        : target.layout == Layout::Cds ? target.cds(i, d, r, k)
                                                       : target.ell(i, s, r, k);

        if (!sum) *to = 0;
        else if (!mesh.fixed || !((mesh.fixed[i] >> r | mesh.fixed[j] >> k) & 1) || (diagonal && r == k)) *to += K[r * bs + k];
      }
    }
  }
};

/* --- right-hand side and stress: an owned node visits its elements, on the host as on the device */

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

} // namespace

void assemble_matrix(const Problem &problem, const Mesh &mesh, const AssemblyMap &map, const Target &target)
{
  if (!mesh.owned) return;
  with_kinds(problem, mesh.kind, [&](auto element, auto equation) {
    using Element  = decltype(element);
    using Equation = decltype(equation);

    if (mesh.space() == Space::Host) {
      const HostAssembly<Element, Equation> body{mesh.view(), map.ptr.data(), map.col.data(), map.slot.data(), target};

      for (PetscInt i = 0; i < mesh.owned; i++) body.zero(i);
      for (PetscInt e = 0; e < mesh.nelem; e++) body(e);
      return;
    }
#if defined(__CUDACC__)
    tile::launch<Element, Equation>(mesh, map, target);
#else
    throw DeviceError("this libgoza was built without CUDA");
#endif
  });
}

void assemble_vector(const Problem &problem, const Mesh &mesh, const AssemblyMap &map, const PetscReal *force, const PetscScalar *u, bool only_diagonal, PetscScalar *y)
{
  with_kinds(problem, mesh.kind, [&](auto element, auto equation) {
    for_each_row(mesh.space(), mesh.owned, NodeVector<decltype(element), decltype(equation)>{mesh.view(), map.owner_ptr.data(), map.owner.data(), force, u, only_diagonal, y});
  });
}

void von_mises(const Mesh &mesh, const AssemblyMap &map, const PetscScalar *u, PetscScalar *stress)
{
  if (mesh.kind == ElementKind::Hex8) for_each_row(mesh.space(), mesh.owned, NodeStress<Hex8>{mesh.view(), map.owner_ptr.data(), map.owner.data(), u, stress});
  else for_each_row(mesh.space(), mesh.owned, NodeStress<Tet4>{mesh.view(), map.owner_ptr.data(), map.owner.data(), u, stress});
}

PetscInt most_pairs_on_chip(const Problem &problem)
{
  return static_cast<PetscInt>(tile::rows_bytes / (problem.bs * problem.bs * sizeof(PetscScalar)));
}

PetscInt best_tile_nodes(const Problem &problem, ElementKind element)
{
  /* measured on an H200 at 128^3 nodes: larger tiles visit fewer elements twice, smaller ones leave room for more blocks on a multiprocessor */
  if (element == ElementKind::Tet4) return 24;
  return problem.bs == 3 ? 32 : 512;
}

} // namespace goza
