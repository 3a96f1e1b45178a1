/* The Fold format: layout in fold_view.hpp. Store is the type of the stored values, V that of the vectors. */
#pragma once
#include "core/sparse/format.hpp"
#include "fold_view.hpp"
#include "hot_columns.hpp"
#include "packing.hpp"

namespace goza::mat
{

struct FoldOptions {
  PetscInt width = 0;  // most entries of a line, 1 .. fold_max_width; 0: chosen from the row lengths
  PetscInt hot   = -1; // columns whose x a product keeps on chip, on the device; -1: as many as fit, where they hold much of what is read far away
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

  FoldView<Store>  view() const;
  const FoldShape &shape() const { return shape_; }

private:
  void       lay_out(const Csr &A, PetscInt width);
  HotColumns choose_hot(const Csr &A) const;
  void       place_columns(const Csr &A, bool coded);
  void       share_out();
  void       fill(const Csr &A, bool columns, const PetscInt *code = nullptr);

  template <class Out> void launch(const V *x, const Out &out) const;

  FoldOptions        options_;
  FoldShape          shape_;
  std::int64_t       nnz_ = 0, near_ = 0; // near_: entries whose column takes half a word
  Array<FoldHead>    head_;
  Array<LocalColumn> col_;
  Array<PetscInt>    long_row_, piece_ptr_, range_, hot_; // range_: the groups of each block of threads; hot_: columns, or none
  Array<Store>       val_;
  mutable Array<V>   piece_, hot_x_; // sums between the two kernels of a product; x of hot_
  double             hot_share_ = 0; // of the entries
};

} // namespace goza::mat
