/* The nodes of a matrix, bs unknowns each, by their colours: the unknowns of a node are relaxed together, by the inverse of its diagonal block. */
#pragma once
#include "color_parts.hpp"
#include "l1_diagonal.hpp"
#include "level_rows.hpp"
#include "node_blocks.hpp"
#include "smoother.hpp"

namespace goza::saamg {

template <class V> class ColoredNodes : private ColorSlices<V> {
  using ColorSlices<V>::colors, ColorSlices<V>::edges;

public:
  using ColorSlices<V>::ncolors, ColorSlices<V>::has_edge;

  /* norms: the rows' entries on other ranks where a sweep does not see those change, so that their l1 norms must stand in the diagonal; else null.
     Collective. */
  ColoredNodes(const InverseDiagonal<V> &D, const LevelRows &rows, PetscInt bs, const Csr *norms, V relax) : bs_(bs), n_(rows.diagonal_block().nrows)
  {
    const NodeBlocks blocks(rows.diagonal_block(), bs);
    const Csr        nodes    = blocks.nodes();
    const bool       isolated = rows.columns()->size() == 1;
    const Coloring   coloring = isolated ? color_rows(nodes, nodes_of_columns(rows.columns(), bs), rows.ids(), bs)
                                         : NodeGraph(rows.all(), rows.columns(), bs).color(rows.ids());

    inverse_ = inverse_diagonal_blocks<V>(blocks, norms ? *norms : Csr{nodes.space, 0, 0, nullptr, nullptr, nullptr}, D.isolated);
    if (relax != V(1)) scale(inverse_.space(), inverse_.size(), relax, inverse_.data());
    if (isolated || norms) {
      for (PetscInt c = 0; c < coloring.ncolors(); c++) {
        colors.emplace_back(nodes.space);
        colors.back().build_nodes(blocks.rows(), nodes, coloring.rows.data() + coloring.begin[c], coloring.begin[c + 1] - coloring.begin[c]);
      }
    } else {
      const SplitColors     split     = split_colors(coloring, rows.off_diagonal_block(), *rows.columns(), bs);
      const Array<PetscInt> edge_rows = rows_of_nodes(split.edge.rows, bs);

      for (PetscInt c = 0; c < coloring.ncolors(); c++) {
        const PetscInt inner = split.inner.begin[c], edge = split.edge.begin[c], n = split.edge.size(c);

        colors.emplace_back(nodes.space);
        colors.back().build_nodes(blocks.rows(), nodes, split.inner.rows.data() + inner, split.inner.size(c));
        this->add_edge(nodes.space, split.edge_anywhere[c] != 0);
        edges.back().own.build_nodes(blocks.rows(), nodes, split.edge.rows.data() + edge, n);
        edges.back().others.build(rows.off_diagonal_block(), edge_rows.data() + edge * bs, n * bs);
      }
    }
    first_ = Array<PetscInt>(nodes.space, n_ ? coloring.begin[1] : 0);
    if (first_.size()) first_.copy_from(coloring.rows.data(), first_.size());
  }

  PetscInt    together(PetscInt, bool) const { return 1; }                                           // colours that relax() takes at once
  double      first_share() const { return n_ ? static_cast<double>(first_.size()) * bs_ / n_ : 0; } // of the rows
  std::string describe() const { return " of blocks of " + std::to_string(bs_); }

  void start(const V *b, V *x) const // the first colour, from zero
  {
    set_zero(inverse_.space(), n_, x);
    apply_diagonal_blocks(inverse_.space(), static_cast<PetscInt>(first_.size()), first_.data(), bs_, inverse_.data(), b, x);
  }
  void relax(PetscInt color, PetscInt, bool, const V *b, V *x) const { colors[color].relax_nodes(b, inverse_.data(), x); } // those that are no edge
  void relax_edge(PetscInt color, const V *b, const V *ghost, V *work, V *x) const                                         // ghost: x of other ranks
  {
    edges[color].others.apply(ghost, Residual<V>{b, work});
    edges[color].own.relax_nodes(work, inverse_.data(), x);
  }

  std::size_t bytes() const { return ColorSlices<V>::bytes() + inverse_.bytes() + first_.bytes(); }

private:
  PetscInt        bs_, n_;  // n: rows
  Array<V>        inverse_; // [nodes][bs][bs], relaxed
  Array<PetscInt> first_;   // the first colour's nodes
};

} // namespace goza::saamg
