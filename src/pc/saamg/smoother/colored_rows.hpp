/* The rows of a matrix by their colours, to be relaxed a colour at a time. */
#pragma once
#include "coloring.hpp"
#include "l1_diagonal.hpp"
#include "level_rows.hpp"
#include "mat/slicedell/sliced_ell.hpp"
#include "smoother.hpp"

namespace goza
{

template <class V> class ColoredRows {
public:
  /* others: what the rows hold on other ranks */
  ColoredRows(const InverseDiagonal<V> &D, const LevelRows &rows, const Csr &others) :
    D_(D), space_(rows.diagonal_block().space), inv_(space_, others.nrows), start_(space_, D.n)
  {
    const Csr      block    = rows.diagonal_block();
    const Coloring coloring = color_rows(block, rows.first());

    if (others.nrows) {
      inv_.copy_from(D_.inv, D_.n);
      add_l1_norms(others, false, inv_.data());
      D_.inv = inv_.data();
    }
    for (PetscInt c = 0; c < coloring.ncolors(); c++) {
      colors_.emplace_back(space_);
      colors_.back().build(block, coloring.rows.data() + coloring.begin[c], coloring.begin[c + 1] - coloring.begin[c]);
    }
    /* a sweep from zero changes the first colour's rows, and those that are coupled to nothing, without a look at the others */
    start_.zero();
    if (D_.alone) start_.copy_from(D_.alone, D_.n);
    if (D_.n) add_listed(space_, coloring.begin[1], coloring.rows.data(), D_.inv, start_.data());
    first_share_ = D_.n ? static_cast<double>(coloring.begin[1]) / static_cast<double>(D_.n) : 0;
  }

  PetscInt    ncolors() const { return static_cast<PetscInt>(colors_.size()); }
  double      first_share() const { return first_share_; } // of the rows
  std::string describe() const { return ""; }

  void start(const V *b, V *x) const
  {
    first_step(space_, D_.n, V(1), start_.data(), static_cast<const V *>(nullptr), b, x, static_cast<V *>(nullptr));
  } // the first colour, from zero
  void relax(PetscInt color, const V *b, V *x) const { colors_[color].relax(b, D_.inv, x); }

  std::size_t bytes() const
  {
    std::size_t sum = inv_.bytes() + start_.bytes();

    for (const auto &color : colors_) sum += color.bytes();
    return sum;
  }

private:
  InverseDiagonal<V>           D_;
  Space                        space_;
  Array<V>                     inv_;   // [n] on several ranks
  Array<V>                     start_; // [n]
  std::vector<SlicedEll<V, V>> colors_;
  double                       first_share_ = 0;
};

} // namespace goza
