/* The rows of a matrix by their colours, to be relaxed a colour at a time. */
#pragma once
#include "color_parts.hpp"
#include "l1_diagonal.hpp"
#include "level_rows.hpp"
#include "small_colors.hpp"
#include "smoother.hpp"

namespace goza::saamg {

template <class V> class ColoredRows : private ColorSlices<V> {
  using ColorSlices<V>::colors, ColorSlices<V>::edges;

public:
  using ColorSlices<V>::ncolors, ColorSlices<V>::has_edge;

  /* norms: the rows' entries on other ranks where a sweep does not see those change, so that their l1 norms must stand in the diagonal; else null.
     Collective. */
  ColoredRows(const InverseDiagonal<V> &D, const LevelRows &rows, const Coloring &coloring, const Csr *norms, V relax) :
    D_(D), space_(rows.all().space), inv_(space_, norms || relax != V(1) ? D.n : 0), start_(space_, D.n), small_(space_)
  {
    const Csr &block = rows.diagonal_block();

    if (norms || relax != V(1)) {
      inv_.copy_from(D_.inv, D_.n);
      if (norms) add_l1_norms(*norms, false, inv_.data());
      if (relax != V(1)) scale(space_, D_.n, relax, inv_.data());
      D_.inv = inv_.data();
    }
    if (rows.columns()->size() == 1 || norms) {
      take(block, coloring);
    } else {
      const SplitColors split = split_colors(coloring, rows.off_diagonal_block(), *rows.columns(), 1);

      take(block, split.inner);
      for (PetscInt c = 0; c < coloring.ncolors(); c++) {
        const PetscInt *edge = split.edge.rows.data() + split.edge.begin[c], n = split.edge.size(c);

        this->add_edge(space_, split.edge_anywhere[c] != 0);
        if (!split.edge_anywhere[c]) continue;
        edges.back().own.build(block, edge, n);
        edges.back().others.build(rows.off_diagonal_block(), edge, n);
      }
    }
    /* a sweep from zero changes the first colour's rows, and those that are coupled to nothing, without a look at the others */
    start_.zero();
    if (D_.isolated) start_.copy_from(D_.isolated, D_.n);
    if (D_.n) add_listed(space_, coloring.begin[1], coloring.rows.data(), D_.inv, start_.data());
    first_share_ = D_.n ? static_cast<double>(coloring.begin[1]) / static_cast<double>(D_.n) : 0;
  }

  PetscInt together(PetscInt color, bool back) const // colours from this one on, or backward, that relax() takes at once
  {
    const PetscInt end  = back ? color + 1 : ncolors() - color;
    const auto     fits = [&](PetscInt c) { return is_small_[c] && !has_edge(c); };
    PetscInt       n    = 1;

    while (fits(color) && n < end && fits(back ? color - n : color + n)) n++;
    return n;
  }
  double      first_share() const { return first_share_; } // of the rows
  std::string describe() const { return ""; }

  void start(const V *b, V *x) const { take_first_step(space_, D_.n, FirstStep<V>{1, start_.data(), nullptr, x}, b); } // the first colour, from zero
  void relax(PetscInt color, PetscInt together, bool back, const V *b, V *x) const                                     // those that are no edge
  {
    if (is_small_[color]) small_.relax(color, together, back, b, D_.inv, x);
    else colors[color].relax(b, D_.inv, x);
  }
  void relax_edge(PetscInt color, const V *b, const V *ghost, V *work, V *x) const // ghost: x of other ranks
  {
    edges[color].others.apply(ghost, Residual<V>{b, work});
    edges[color].own.relax(work, D_.inv, x);
  }

  std::size_t bytes() const { return ColorSlices<V>::bytes() + inv_.bytes() + start_.bytes() + small_.bytes(); }

private:
  void take(const Csr &A, const Coloring &coloring)
  {
    const PetscInt most = largest_small_color(A);

    for (PetscInt c = 0; c < coloring.ncolors(); c++) {
      is_small_.push_back(coloring.size(c) <= most);
      colors.emplace_back(space_);
      if (!is_small_[c]) colors[c].build(A, coloring.rows.data() + coloring.begin[c], coloring.size(c));
    }
    small_.build(A, coloring, is_small_);
  }

  InverseDiagonal<V> D_;
  Space              space_;
  Array<V>           inv_;      // [n] with the l1 norms, and relaxed
  Array<V>           start_;    // [n]
  std::vector<char>  is_small_; // by colour
  SmallColors<V>     small_;
  double             first_share_ = 0;
};

} // namespace goza::saamg
