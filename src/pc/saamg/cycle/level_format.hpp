/* The format of a level's operator, by the model of src/locality: CDS, sliced ELL or Fold, and in half precision only where that is faster. */
#pragma once
#include "locality/cost.hpp"
#include "mat/cds/cds.hpp"
#include "mat/common/narrow.hpp"
#include "mat/fold/fold.hpp"

namespace goza::saamg
{

template <class V> class LevelFormat final : public Format<V> {
public:
  /* half: float vectors, values in half precision */
  LevelFormat(Space space, PetscInt bs, bool half) : Format<V>(space), bs_(bs == 2 || bs == 3 || bs == 6 ? bs : 1), half_(half) { }

  void build(const Csr &A) override
  {
    constexpr double worth = 0.97; // half precision costs digits
    DecisionInput    input;

    this->nrows_      = A.nrows;
    this->ncols_      = A.ncols;
    input.space       = this->space_;
    input.machine     = &machine_for(this->space_);
    input.candidates  = format_sliced_ell | format_fold | format_cds;
    input.csr         = false;
    input.bs          = bs_;
    input.value_bytes = input.x_bytes = sizeof(V);
    input.margin = this->space_ == Space::Cuda ? 1 : 1.5; // on the device the model is believed: the usual format can take nearly twice as long where it expects little gain
    choice_ = decide(A, input);
    narrow_ = half_ && choice_.narrow <= worth;
    if (half_ && !narrow_) choice_.sentence += "; half precision would not be faster";
    for (const Candidate &c : choice_.candidates) {
      if (!build_as(c.choice, A)) continue;
      if (!(c.choice == choice_.choice)) choice_.choose(c.choice);
      return;
    }
    build_as({Layout::SlicedEll, choice_.height}, A);
  }

  void        refill(const Csr &A) override { format_->refill(A); }
  bool        refill_reads_columns() const override { return format_ && format_->refill_reads_columns(); }
  void        apply(const V *x, const RowOut<V> &out) const override { format_->apply(x, out); }
  void        apply_dots(const V *x, const WithDots<V> &out) const override { format_->apply_dots(x, out); }
  const V    *main_diagonal() const override { return format_->main_diagonal(); }
  std::size_t bytes() const override { return format_ ? format_->bytes() : 0; }
  double      rounding() const override { return format_ ? format_->rounding() : Format<V>::rounding(); }
  std::string describe() const override { return choice_.sentence; }

private:
  /* false: the matrix cannot be held so after all */
  bool build_as(const FormatChoice &choice, const Csr &A)
  {
    if (choice.layout == Layout::SlicedEll) {
      SlicedEllOptions options;

      options.bs           = choice.block;
      const PetscInt usual = choice.block > 1 ? block_ell_height(this->space_, A.nrows / choice.block, entries(A) / (choice.block * choice.block))
                                              : sliced_ell_height(this->space_, A.nrows, entries(A));

      options.slice_height = choice.param == usual ? 0 : choice.param;
      make<SlicedEll>(options, A);
      return true;
    }
    if (choice.layout == Layout::Fold) {
      FoldOptions options;

      options.width = choice.param;
      make<Fold>(options, A);
      return true;
    }
    const Diagonals found = find_diagonals(A, choice.param, CdsOptions().share);
    CdsOptions      options;

    if (found.offset.empty()) return false; // the sample saw more than there is
    options.bs        = choice.param;
    options.storage   = choice.layout == Layout::CdsFull ? CdsStorage::Full : CdsStorage::Auto;
    options.symmetric = true; // a preconditioner need not tell rounding from asymmetry
    make<Cds>(options, A, found);
    return true;
  }

  template <template <class, class> class F, class Options, class... Known> void make(const Options &options, const Csr &A, const Known &...known)
  {
    const auto build = [&](auto format) {
      format->build(A, known...);
      format_ = std::move(format);
    };

    if constexpr (!std::is_same_v<V, PetscScalar>) {
      if (narrow_) {
        build(std::make_unique<Narrow<F<Half, V>, V>>(this->space_, options));
        return;
      }
    }
    build(std::make_unique<F<V, V>>(this->space_, options));
  }

  PetscInt                   bs_;
  bool                       half_, narrow_ = false;
  Decision                   choice_;
  std::unique_ptr<Format<V>> format_;
};

} // namespace goza::saamg
