/* The rows of each colour in two parts, where a matrix lies on several ranks: those that other ranks read, or that read other ranks' ("edge"), and the rest.
   While values travel the latter can be relaxed. Rows may be nodes. */
#pragma once
#include "coloring.hpp"
#include "mat/slicedell/slicedell.hpp"

namespace goza::saamg {

struct SplitColors {
  Coloring                  inner, edge;
  std::vector<std::int64_t> edge_anywhere; // by colour: rows of all ranks
};

/* others: what the rows hold on other ranks; columns: of the matrix; bs: rows of a node. Collective. */
SplitColors split_colors(const Coloring &coloring, const Csr &others, const ColumnMap &columns, PetscInt bs);

/* The colours' slices, and what goes with values of other ranks. */
template <class V> struct ColorSlices {
  struct Edge {
    bool            anywhere;
    SlicedEll<V, V> own, others;
  };

  std::vector<SlicedEll<V, V>> colors;
  std::vector<Edge>            edges; // by colour, where a sweep exchanges values

  PetscInt ncolors() const { return static_cast<PetscInt>(colors.size()); }
  bool     has_edge(PetscInt color) const { return !edges.empty() && edges[color].anywhere; } // on some rank
  void     add_edge(Space space, bool anywhere) { edges.push_back({anywhere, SlicedEll<V, V>(space), SlicedEll<V, V>(space)}); }

  std::size_t bytes() const
  {
    std::size_t sum = 0;

    for (const auto &color : colors) sum += color.bytes();
    for (const auto &edge : edges) sum += edge.own.bytes() + edge.others.bytes();
    return sum;
  }
};

/* The rows of nodes of bs */
Array<PetscInt> rows_of_nodes(const Array<PetscInt> &nodes, PetscInt bs);

} // namespace goza::saamg
