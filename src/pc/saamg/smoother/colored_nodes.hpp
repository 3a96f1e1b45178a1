/* The nodes of a matrix, bs unknowns each, by their colours: the unknowns of a node are relaxed together, by the inverse of its diagonal block. */
#pragma once
#include "coloring.hpp"
#include "level_rows.hpp"
#include "mat/slicedell/sliced_ell.hpp"
#include "node_blocks.hpp"

namespace goza
{

template <class V> class ColoredNodes {
public:
  /* others: what the rows hold on other ranks */
  ColoredNodes(const LevelRows &rows, PetscInt bs, const Csr &others) : bs_(bs), n_(rows.diagonal_block().nrows)
  {
    const NodeBlocks blocks(rows.diagonal_block(), bs);
    const Csr        nodes    = blocks.nodes();
    Coloring         coloring = color_rows(nodes, rows.first() / bs);

    inverse_ = inverse_diagonal_blocks<V>(blocks, others);
    for (PetscInt c = 0; c < coloring.ncolors(); c++) {
      colors_.emplace_back(nodes.space);
      colors_.back().build_nodes(blocks.rows(), nodes, coloring.rows.data() + coloring.begin[c], coloring.begin[c + 1] - coloring.begin[c]);
    }
    first_ = Array<PetscInt>(nodes.space, n_ ? coloring.begin[1] : 0);
    if (first_.size()) first_.copy_from(coloring.rows.data(), first_.size());
  }

  PetscInt    ncolors() const { return static_cast<PetscInt>(colors_.size()); }
  double      first_share() const { return n_ ? static_cast<double>(first_.size()) * bs_ / n_ : 0; } // of the rows
  std::string describe() const { return " of blocks of " + std::to_string(bs_); }

  void start(const V *b, V *x) const // the first colour, from zero
  {
    set_zero(inverse_.space(), n_, x);
    apply_diagonal_blocks(inverse_.space(), static_cast<PetscInt>(first_.size()), first_.data(), bs_, inverse_.data(), b, x);
  }
  void relax(PetscInt color, const V *b, V *x) const { colors_[color].relax_nodes(b, inverse_.data(), x); }

  std::size_t bytes() const
  {
    std::size_t sum = inverse_.bytes() + first_.bytes();

    for (const auto &color : colors_) sum += color.bytes();
    return sum;
  }

private:
  PetscInt                     bs_, n_;  // n: rows
  Array<V>                     inverse_; // [nodes][bs][bs]
  Array<PetscInt>              first_;   // the first colour's nodes
  std::vector<SlicedEll<V, V>> colors_;

  static void set_zero(Space space, PetscInt n, V *x)
  {
    if (space == Space::Cuda) device::fill_zero(x, n * sizeof(V));
    else std::fill(x, x + n, V(0));
  }
};

} // namespace goza
