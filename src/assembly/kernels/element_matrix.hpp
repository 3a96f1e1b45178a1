/* The numeric phase by element matrices, of which one half is taken from the other: on the host element after element; where threads must not meet, a thread
   makes the rows of a node, and computes an element's part in them once more for each of its corners. The device has faster ways for real numbers
   (tile_kernel.hpp, grid_numeric.hpp). */
#pragma once
#include "element.hpp"
#include "equation.hpp"
#include "target.hpp"

namespace goza::assembly {

/* What an element adds to its corners' rows. */
template <class Element, class Equation> struct ElementRows {
  MeshView             mesh;
  const PetscInt      *ptr, *col;
  const unsigned char *slot;
  Target               target;

  static constexpr int n = Element::nodes, bs = Equation::bs;

  HD void zero(PetscInt i) const
  {
    const PetscScalar none[bs * bs] = {};

    for (PetscInt k = ptr[i]; k < ptr[i + 1]; k++) put<false>(i, k, none);
  }

  /* Of two corners of element e, the smaller number first, from what was summed over its points. */
  HD void block_of(PetscInt e, const PetscReal *sums, PetscScalar *K) const { Equation::block(sums, mesh.material[e][0], mesh.material[e][1], K); }

  /* With the larger number first. */
  HD static void transpose(const PetscScalar *K, PetscScalar *T)
  {
    for (int k = 0; k < bs * bs; k++) T[k] = K[k % bs * bs + k / bs];
  }

  HD void add(PetscInt e, int a, int b, const PetscInt *c, const PetscScalar *K) const
  {
    if (c[a] < mesh.owned) put<true>(c[a], ptr[c[a]] + slot[(static_cast<std::int64_t>(e) * n + a) * n + b], K);
  }

private:
  template <bool sum> HD void put(PetscInt i, PetscInt pair, const PetscScalar *K) const
  {
    const PetscInt j = col[pair], s = pair - ptr[i];
    const bool     other = j >= mesh.owned, csr = target.layout == Layout::Csr || other;
    PetscInt       nown = 0;
    PairBlock      block;

    if (other && !target.from) {
      while (col[ptr[i] + nown] < mesh.owned) nown++;
    }
    if (!csr && !(block = target.block(i, s, j)).first) return;
    for (int r = 0; r < bs; r++) {
      for (int k = 0; k < bs; k++) {
        PetscScalar *to = csr ? target.csr(i, pair, s, nown, j, r) + k : block.at(r * bs + k);

        if (!sum) *to = 0;
        else *to += K[r * bs + k];
      }
    }
  }
};

template <class Element, class Equation> struct HostAssembly : ElementRows<Element, Equation> {
  static constexpr int n = Element::nodes, bs = Equation::bs;

  void operator()(PetscInt e) const
  {
    const PetscInt *c = this->mesh.conn + static_cast<std::int64_t>(e) * n;
    PetscReal       X[n][3], g[n][3], S[n][n][Equation::sums] = {};

    corners_of<Element>(this->mesh, e, X);
    for (int q = 0; q < Element::points; q++) {
      const PetscReal w = rooted_gradients<Element>(X, q, g);

      for (int a = 0; a < n; a++)
        for (int b = a; b < n; b++) Equation::add(g[a], g[b], w * Element::template product<PetscReal>(a, b, q), S[a][b]);
    }
    for (int a = 0; a < n; a++) {
      for (int b = a; b < n; b++) {
        PetscScalar K[bs * bs], T[bs * bs];

        this->block_of(e, S[a][b], K);
        this->add(e, a, b, c, K);
        if (a == b) continue;
        this->transpose(K, T);
        this->add(e, b, a, c, T);
      }
    }
  }
};

template <class Element, class Equation> struct RowAssembly : ElementRows<Element, Equation> {
  const PetscInt *owner_ptr, *owner;

  static constexpr int n = Element::nodes, bs = Equation::bs;

  HD void operator()(PetscInt i) const
  {
    this->zero(i);
    for (PetscInt o = owner_ptr[i]; o < owner_ptr[i + 1]; o++) {
      const PetscInt  e = owner[o] / n;
      const int       a = static_cast<int>(owner[o] % n);
      const PetscInt *c = this->mesh.conn + static_cast<std::int64_t>(e) * n;
      PetscReal       X[n][3], g[n][3], S[n][Equation::sums] = {};

      corners_of<Element>(this->mesh, e, X);
      for (int q = 0; q < Element::points; q++) {
        const PetscReal w = rooted_gradients<Element>(X, q, g);

        for (int b = 0; b < n; b++) Equation::add(g[b < a ? b : a], g[b < a ? a : b], w * Element::template product<PetscReal>(a, b, q), S[b]);
      }
      for (int b = 0; b < n; b++) {
        PetscScalar K[bs * bs], T[bs * bs];

        this->block_of(e, S[b], K);
        this->transpose(K, T);
        this->add(e, a, b, c, b < a ? T : K);
      }
    }
  }
};

} // namespace goza::assembly
