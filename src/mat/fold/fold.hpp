/* The Fold format: layout in fold_view.hpp. Store is the type of the stored values, V that of the vectors. */
#pragma once
#include "core/sparse/format.hpp"
#include "packing.hpp"

namespace goza::mat {

template <class Store> struct FoldEntries;

struct FoldOptions {
  PetscInt width = 0; // most entries of a line, 1 .. fold_max_width; 0: chosen from the row lengths
};

template <class Store, class V> class Fold final : public Format<V> {
public:
  using Stored = Store;

  explicit Fold(Space space, const FoldOptions &options = {}) : Format<V>(space), options_(options) { }

  void        build(const Csr &A) override;
  void        refill(const Csr &A) override;
  void        apply(const V *x, const RowOut<V> &out) const override;
  void        apply_dots(const V *x, const WithDots<V> &out) const override;
  void        apply_as(const V *x, const ScaledOut<V> &out) const;
  std::size_t bytes() const override;
  std::string describe() const override;

  /* For one who owns the values: build() of a pattern without values makes zeros; layout_like() where another has values, which may be in another space. */
  void               layout_like(const Fold &other);
  FoldEntries<Store> entry_view();
  std::int64_t       nonzeros() const { return nnz_; }

  FoldView<Store>  view() const;
  const FoldShape &shape() const { return shape_; }

private:
  void lay_out(const Csr &A, PetscInt width);
  void place_columns(const Csr &A);
  void share_out();
  void fill(const Csr &A, bool columns);

  template <class Out> void launch(const V *x, const Out &out) const;

  FoldOptions        options_;
  FoldShape          shape_;
  std::int64_t       nnz_ = 0, near_ = 0; // near_: entries whose column takes half a word
  Array<FoldHead>    head_;
  Array<LocalColumn> col_;
  Array<PetscInt>    long_row_, piece_ptr_, range_; // range_: the groups of each block of threads
  Array<Store>       val_;
  Array<PetscInt>    line_of_, long_group_; // see FoldEntries; made when they are asked for
  mutable Array<V>   piece_;                // sums between the two kernels of a product
};

} // namespace goza::mat
