/* The format of a level's operator: CDS where the matrix consists of a few diagonals, as on structured grids, else sliced ELL. */
#pragma once
#include "mat/cds/cds.hpp"

namespace goza
{

template <class V> class LevelFormat final : public Format<V> {
public:
  LevelFormat(Space space, PetscInt bs) : Format<V>(space), bs_(bs == 2 || bs == 3 || bs == 6 ? bs : 1) { }

  void build(const Csr &A) override
  {
    constexpr double most = 0.98; // of the entries: what is not on the diagonals costs a second kernel
    this->nrows_          = A.nrows;
    this->ncols_          = A.ncols;
    const PetscInt  bs    = A.nrows % bs_ == 0 && A.ncols % bs_ == 0 ? bs_ : 1;
    const Diagonals found = find_diagonals(A, bs, CdsOptions().share);

    if (static_cast<double>(found.inside) >= most * static_cast<double>(found.nnz) && found.nnz) {
      CdsOptions options;
      options.symmetric = true; // a preconditioner need not tell rounding from asymmetry
      auto cds          = std::make_unique<Cds<V, V>>(this->space_, options);
      cds->build(A, found);
      format_ = std::move(cds);
    } else {
      format_ = std::make_unique<SlicedEll<V, V>>(this->space_);
      format_->build(A);
    }
  }

  void        refill(const Csr &A) override { format_->refill(A); }
  bool        refill_reads_columns() const override { return format_ && format_->refill_reads_columns(); }
  void        apply(const V *x, const RowOut<V> &out) const override { format_->apply(x, out); }
  std::size_t bytes() const override { return format_ ? format_->bytes() : 0; }
  std::string describe() const override { return format_ ? format_->describe() : ""; }

private:
  PetscInt                   bs_;
  std::unique_ptr<Format<V>> format_;
};

} // namespace goza
