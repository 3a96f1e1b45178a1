/* Whether the coefficients of a matrix of nodes with several unknowns jump from one node to another, in the space where the matrix is. */
#pragma once
#include "eigen.hpp"

namespace goza::saamg {

/* Of all ranks: nodes that are coupled to others, and their couplings by the Frobenius norms of blocks. An aggregate that reaches across a jump ties to a hard
   body what moves on its own: where bodies touch that are 30 to 50 000 times as hard as each other, CG takes 12 to 18 iterations for 27 to 106, unless their
   sides happen to be where aggregates end. */
struct NodeJumps {
  std::int64_t nodes = 0, edges = 0;
  std::int64_t across = 0; // of less than `share` of what one is, over the diagonals, where all are alike, between diagonals that are unlike
  std::int64_t weak   = 0; // of hardly more, between diagonals that are alike, as beside slivers: small ones say nothing there

  static constexpr PetscReal share = static_cast<PetscReal>(0.4), hardly_more = static_cast<PetscReal>(0.48);
  static constexpr PetscReal unlike = 30, alike = 3; // ratios

  static constexpr int part = 100; // of which one is enough

  bool there() const { return edges > 0 && part * across >= edges && part * weak <= edges; }

  PetscReal threshold() const { return there() ? share * static_cast<PetscReal>(nodes) / static_cast<PetscReal>(edges) : 0; } // of strength

  /* From level to level. What an aggregate has across a jump grows with its surface, and so beside its diagonal: with a threshold that stays, or is halved,
     some of it is strong and some is not, and a few of such problems take 60 to 160 iterations. */
  static constexpr PetscReal growth = 2;
};

/* Nodes of bs rows, whose blocks facts.blocks becomes where all are full and some may be across a jump. Collective. */
NodeJumps jumps_of_nodes(const Csr &A, const MapPtr &columns, PetscInt bs, CsrFacts &facts);

} // namespace goza::saamg
