/* The layout of paper P3's Fold: every row is cut into lines of W entries, the last line of each is filled up, and the rectangle of all lines is stored
   transposed. The lines that rows begin with come first, then the second ones of those rows that have them, and so on.

     rows            lines (W = 2)      stored: entry k of line l at k lines + l
       0  a            a -                a b e c
       1  b c d        b c                - c f -       (- reads x[0] and adds nothing)
       2  (empty)      e f
       3  e f          d -

   A thread adds up a line, a second kernel the lines of each row. No atomics: every run gives the same result. It is there to be compared with: Fold's own
   groups (fold_view.hpp) pad nothing and finish most rows in one kernel. */
#pragma once
#include "fold.hpp"

namespace goza::mat {

template <class Store> struct RectangleView {
  PetscInt           nlines, width;
  const LocalColumn *col; // [width][nlines]; padding: -1
  const Store       *val; // the same
  const PetscInt    *at;  // [nlines] the place of a line among those of all rows in turn
};

/* The width that is taken where none is given: the mean row's entries, as in the paper. */
PetscInt rectangle_width_for(const Csr &A);

template <class Store, class V> class FoldRectangle final : public Format<V> {
public:
  using Stored = Store;

  explicit FoldRectangle(Space space, const FoldOptions &options = {}) : Format<V>(space), options_(options) { }

  void        build(const Csr &A) override;
  void        refill(const Csr &A) override;
  void        apply(const V *x, const RowOut<V> &out) const override;
  void        apply_as(const V *x, const ScaledOut<V> &out) const;
  std::size_t bytes() const override { return at_.bytes() + line_ptr_.bytes() + col_.bytes() + val_.bytes() + sums_.bytes(); }
  std::string describe() const override;

  RectangleView<Store> view() const { return {static_cast<PetscInt>(at_.size()), width_, col_.data(), val_.data(), at_.data()}; }

private:
  void fill(const Csr &A, bool columns);

  FoldOptions        options_;
  PetscInt           width_ = 0;
  std::int64_t       nnz_   = 0;
  Array<PetscInt>    at_, line_ptr_; // line_ptr_: [nrows + 1] lines of the rows in turn
  Array<LocalColumn> col_;
  Array<Store>       val_;
  mutable Array<V>   sums_; // of the lines, those of each row beside one another
};

} // namespace goza::mat
