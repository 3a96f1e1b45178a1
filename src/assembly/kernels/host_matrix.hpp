/* The numeric phase on the host: element after element, the lower half of an element matrix taken from the upper. */
#pragma once
#include "element.hpp"
#include "equation.hpp"
#include "assembly/mesh/mesh.hpp"
#include "target.hpp"

namespace goza::assembly
{

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
    const bool     other = j >= mesh.owned, csr = target.layout == Layout::Csr || other;
    PetscInt       d = 0, nown = 0;

    if (other && !target.from) {
      while (col[ptr[i] + nown] < mesh.owned) nown++;
    }
    if (!csr && target.layout == Layout::Cds) {
      d = target.diagonal(j - i);
      if (d < 0) return;
    }
    for (int r = 0; r < bs; r++) {
      for (int k = 0; k < bs; k++) {
        PetscScalar *to = csr ? target.csr(i, pair, s, nown, j, r) + k : target.layout == Layout::Cds ? target.cds(i, d, r, k) : target.ell(i, s, r, k);

        if (!sum) *to = 0;
        else if (!mesh.fixed || !((mesh.fixed[i] >> r | mesh.fixed[j] >> k) & 1) || (diagonal && r == k)) *to += K[r * bs + k];
      }
    }
  }
};

} // namespace goza::assembly
