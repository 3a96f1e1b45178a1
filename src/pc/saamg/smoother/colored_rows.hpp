/* The rows of a matrix by their colours, to be relaxed a colour at a time. */
#pragma once
#include "color_parts.hpp"
#include "l1_diagonal.hpp"
#include "level_rows.hpp"
#include "mat/slicedell/slicedell.hpp"
#include "smoother.hpp"

namespace goza::saamg
{

template <class V> class ColoredRows {
public:
  /* norms: the rows' entries on other ranks where a sweep does not see those change, so that their l1 norms must stand in the diagonal; else null. flow: the rows in the
     order of whose flow these are relaxed, or against it; null: in any. Collective. */
  ColoredRows(const InverseDiagonal<V> &D, const LevelRows &rows, const LevelRows *flow, bool upstream, const Csr *norms, V relax) :
    D_(D), space_(rows.all().space), inv_(space_, norms || relax != V(1) ? D.n : 0), start_(space_, D.n)
  {
    const Csr     &block    = rows.diagonal_block();
    const Coloring coloring = flow ? color_downstream(flow->all(), flow->columns(), flow->ids(), upstream) : color_rows(rows.all(), rows.columns(), rows.ids(), 1);

    if (norms || relax != V(1)) {
      inv_.copy_from(D_.inv, D_.n);
      if (norms) add_l1_norms(*norms, false, inv_.data());
      if (relax != V(1)) scale(space_, D_.n, relax, inv_.data());
      D_.inv = inv_.data();
    }
    if (rows.columns()->size() == 1 || norms) {
      for (PetscInt c = 0; c < coloring.ncolors(); c++) {
        colors_.emplace_back(space_);
        colors_.back().build(block, coloring.rows.data() + coloring.begin[c], coloring.begin[c + 1] - coloring.begin[c]);
      }
    } else {
      for (const ColorParts &part : split_colors(coloring, rows.off_diagonal_block(), *rows.columns(), 1)) {
        const PetscInt nedge = static_cast<PetscInt>(part.edge.size());

        colors_.emplace_back(space_);
        colors_.back().build(block, part.inner.data(), static_cast<PetscInt>(part.inner.size()));
        edges_.push_back({part.edge_anywhere, SlicedEll<V, V>(space_), SlicedEll<V, V>(space_)});
        edges_.back().own.build(block, part.edge.data(), nedge);
        edges_.back().others.build(rows.off_diagonal_block(), part.edge.data(), nedge);
      }
    }
    /* a sweep from zero changes the first colour's rows, and those that are coupled to nothing, without a look at the others */
    start_.zero();
    if (D_.isolated) start_.copy_from(D_.isolated, D_.n);
    if (D_.n) add_listed(space_, coloring.begin[1], coloring.rows.data(), D_.inv, start_.data());
    first_share_ = D_.n ? static_cast<double>(coloring.begin[1]) / static_cast<double>(D_.n) : 0;
  }

  PetscInt    ncolors() const { return static_cast<PetscInt>(colors_.size()); }
  bool        has_edge(PetscInt color) const { return !edges_.empty() && edges_[color].anywhere; } // on some rank
  double      first_share() const { return first_share_; }                                         // of the rows
  std::string describe() const { return ""; }

  void start(const V *b, V *x) const { take_first_step(space_, D_.n, FirstStep<V>{1, start_.data(), nullptr, x}, b); } // the first colour, from zero
  void relax(PetscInt color, const V *b, V *x) const { colors_[color].relax(b, D_.inv, x); }                           // those that are no edge
  void relax_edge(PetscInt color, const V *b, const V *ghost, V *work, V *x) const                                     // ghost: x of other ranks
  {
    edges_[color].others.apply(ghost, Residual<V>{b, work});
    edges_[color].own.relax(work, D_.inv, x);
  }

  std::size_t bytes() const
  {
    std::size_t sum = inv_.bytes() + start_.bytes();

    for (const auto &color : colors_) sum += color.bytes();
    for (const auto &edge : edges_) sum += edge.own.bytes() + edge.others.bytes();
    return sum;
  }

private:
  struct Edge {
    bool            anywhere;
    SlicedEll<V, V> own, others;
  };

  InverseDiagonal<V>           D_;
  Space                        space_;
  Array<V>                     inv_;   // [n] with the l1 norms, and relaxed
  Array<V>                     start_; // [n]
  std::vector<SlicedEll<V, V>> colors_;
  std::vector<Edge>            edges_; // by colour, where a sweep exchanges values
  double                       first_share_ = 0;
};

} // namespace goza::saamg
