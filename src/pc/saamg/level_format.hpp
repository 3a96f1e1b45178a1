/* The format of a level's operator: CDS where the matrix consists of a few diagonals, as on structured grids, else sliced ELL. */
#pragma once
#include "mat/cds/cds.hpp"
#include "mat/common/narrow.hpp"

namespace goza
{

template <class V> class LevelFormat final : public Format<V> {
public:
  /* half: float vectors, values in half precision */
  LevelFormat(Space space, PetscInt bs, bool half) : Format<V>(space), bs_(bs == 2 || bs == 3 || bs == 6 ? bs : 1), half_(half) { }

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
      build_as<Cds>(options, A, found);
    } else {
      SlicedEllOptions options;

      options.bs = bs_;
      build_as<SlicedEll>(options, A);
    }
  }

  void        refill(const Csr &A) override { format_->refill(A); }
  bool        refill_reads_columns() const override { return format_ && format_->refill_reads_columns(); }
  void        apply(const V *x, const RowOut<V> &out) const override { format_->apply(x, out); }
  std::size_t bytes() const override { return format_ ? format_->bytes() : 0; }
  std::string describe() const override { return format_ ? format_->describe() : ""; }

private:
  template <template <class, class> class F, class Options, class... Known> void build_as(const Options &options, const Csr &A, const Known &...known)
  {
    const auto make = [&](auto format) {
      format->build(A, known...);
      format_ = std::move(format);
    };

    if constexpr (!std::is_same_v<V, PetscScalar>) {
      if (half_) {
        make(std::make_unique<Narrow<F<Half, V>, V>>(this->space_, options));
        return;
      }
    }
    make(std::make_unique<F<V, V>>(this->space_, options));
  }

  PetscInt                   bs_;
  bool                       half_;
  std::unique_ptr<Format<V>> format_;
};

} // namespace goza
