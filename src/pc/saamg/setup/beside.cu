/* Edges of a lattice's graph that do not reach beyond the next tile. */
#include "core/launch/for_each_row.hpp"
#include "core/util/algorithm.hpp"
#include "graph.hpp"

namespace goza::saamg {
namespace {

/* Where the new edges' places are known they are written, else counted. */
template <class Weight> struct KeepBeside {
  Edges           edges;
  Weight          weight_of;
  Lattice         lattice;
  const PetscInt *name; // [nodes]
  const PetscInt *ptr;  // null: not known yet
  PetscInt       *degree, *col;
  float          *weight;

  HD void operator()(PetscInt i) const
  {
    const auto here = lattice.tile(name[i]);
    PetscInt   p    = ptr ? ptr[i] : 0;

    for (PetscInt q = edges.ptr[i]; edges.coupled(i) && q < edges.ptr[i + 1]; q++) {
      const PetscInt j = edges.col[q];

      if (j == i || !edges.coupled(j) || !lattice.beside(here, name[j])) continue;
      if (ptr) {
        col[p]    = j;
        weight[p] = weight_of(i, q, j);
      }
      p++;
    }
    if (!ptr) degree[i] = p;
  }
};

template <class Weight> void keep_beside(const CsrGraph &G, const Weight &weight, const Array<PetscInt> &name, CsrGraph &kept)
{
  KeepBeside<Weight> body{G.edges, weight, G.ids.lattice, name.data(), nullptr, kept.degree.data(), nullptr, nullptr};

  for_each_row(G.space(), G.n, body);
  kept.ptr = Array<PetscInt>(G.space(), G.n + 1);
  if (G.n) kept.ptr.copy_from(kept.degree.data(), G.n);
  kept.nedges = lengths_to_pointer(G.space(), kept.ptr);
  kept.col    = Array<PetscInt>(G.space(), kept.nedges, unset);
  kept.weight = Array<float>(G.space(), kept.nedges, unset);
  body.ptr    = kept.ptr.data();
  body.col    = kept.col.data();
  body.weight = kept.weight.data();
  for_each_row(G.space(), G.n, body);
}

} // namespace

CsrGraph beside_alone(CsrGraph &&G)
{
  CsrGraph        kept;
  Array<PetscInt> name(G.space(), G.nodes->nlocal(), unset);

  kept.n      = G.n;
  kept.nodes  = G.nodes;
  kept.ids    = G.ids;
  kept.degree = Array<PetscInt>(G.space(), G.nodes->nlocal(), unset);
  for_each_row(G.space(), G.n, WriteIds{G.ids, name.data()});
  G.nodes->update(name);
  if (G.borrowed) keep_beside(G, G.entry, name, kept);
  else keep_beside(G, StoredWeight{G.weight.data()}, name, kept);
  G.nodes->update(kept.degree);
  kept.edges                = {kept.ptr.data(), kept.col.data(), kept.degree.data()};
  kept.rdiag                = std::move(G.rdiag);
  kept.node_of_ghost_column = std::move(G.node_of_ghost_column);
  return kept;
}

} // namespace goza::saamg
