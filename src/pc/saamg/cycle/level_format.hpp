/* The format of a level's operator, by the model of src/locality: CDS, sliced ELL or Fold, and in half precision only where that is faster. */
#pragma once
#include "locality/cost.hpp"
#include "mat/cds/cds_like.hpp"
#include "mat/cds/cds_shape.hpp"
#include "mat/common/narrow.hpp"
#include "mat/fold/fold.hpp"
#include "pc/saamg/setup/eigen.hpp"
#include "pc/saamg/setup/tuning.hpp"

namespace goza::saamg {

using WideCds = mat::Cds<PetscScalar, PetscScalar>;

/* Diagonals of fewer bytes are read in so little of a product's time that half precision saves next to nothing; along lines of strong couplings it costs an
   iteration. */
constexpr std::size_t least_halved_bytes = 1 << 22;

/* What find_diagonals() would find of A, where a format of the same rows has been made of it. */
inline Diagonals diagonals_of(const WideCds &same, const Csr &A)
{
  const auto     view = same.view();
  const PetscInt nnz  = entries(A);
  Diagonals      found{same.block_size(), {}, nnz - same.in_remainder(), nnz, {}};

  for (PetscInt d = view.ndiag; same.half() && d-- > 0 && view.offset[d] > 0;) found.offset.push_back(-view.offset[d]);
  found.offset.insert(found.offset.end(), view.offset, view.offset + view.ndiag);
  return found;
}

/* A format in which a level's rows are at hand as well while one of them is built or refilled: diagonals are then made from diagonals. */
struct SameRows {
  const WideCds  *diagonals = nullptr;
  bool            dominant  = false; // their largest entries are on the diagonal
  bool            users     = false; // of the user's matrix: then the model is asked, as it is for other matrix types of the same rows
  BlockPatternPtr blocks{};          // of the rows, where they are known
  RowExponents    diagonal{};        // of dominant rows, where they are known
  RoughRows      *rough = nullptr;   // to be taken
};

/* What the model says of a level's rows. value_bytes: of those that are stored. */
inline Decision decide_for_level(const Csr &A, PetscInt bs, std::size_t value_bytes)
{
  DecisionInput input;

  input.space       = A.space;
  input.machine     = &machine_for(A.space);
  input.candidates  = format_sliced_ell | format_fold | format_cds;
  input.csr         = false;
  input.bs          = bs;
  input.value_bytes = input.x_bytes = value_bytes;
  // on the device the model is believed: the usual format can take nearly twice as long where it expects little gain
  input.margin = A.space == Space::Cuda ? 1 : 1.5;
  return decide(A, input);
}

/* A format of diagonals as the model has chosen it. */
inline CdsOptions diagonals_for_level(const FormatChoice &choice)
{
  CdsOptions options;

  options.bs        = choice.param;
  options.storage   = choice.layout == Layout::CdsFull ? CdsStorage::Full : CdsStorage::Auto;
  options.symmetric = true; // a preconditioner need not tell rounding from asymmetry
  return options;
}

template <class V> class LevelFormat final : public Format<V> {
public:
  /* half: vectors of single precision, values in half precision */
  LevelFormat(Space space, PetscInt bs, bool half, std::shared_ptr<const SameRows> same) :
    Format<V>(space), bs_(compiled_block(bs)), half_(half), same_(std::move(same))
  {
  }

  void build(const Csr &A) override
  {
    constexpr double worth = 0.97; // half precision costs digits

    this->nrows_  = A.nrows;
    this->ncols_  = A.ncols;
    of_diagonals_ = false;
    if (same_->diagonals && A.nrows && !asks(A) && build_of_diagonals(same_->users && A.ptr)) return;
    if (!A.ptr && A.nrows) throw FormatRefusal("the matrix's diagonals cannot be copied");
    if (this->space_ == Space::Cuda && !same_->users && entries(A) < few_entries) {
      build_small(A);
      return;
    }
    choice_ = decide_for_level(A, bs_, sizeof(V));
    narrow_ = half_ && choice_.narrow <= worth;
    if (half_ && !narrow_) choice_.sentence += "; half precision would not be faster";
    for (const Candidate &c : choice_.candidates) {
      if (!build_as(c.choice, A)) continue;
      if (!(c.choice == choice_.choice)) choice_.choose(c.choice);
      return;
    }
    build_as({Layout::SlicedEll, choice_.height}, A);
  }

  void refill(const Csr &A) override
  {
    if (same_->diagonals && refill_like_ && refill_like_(*same_->diagonals)) return;
    if (A.ptr || !A.nrows) format_->refill(A);
    else if (!build_of_diagonals(false)) throw FormatRefusal("the matrix's diagonals cannot be copied");
  }
  /* Made of diagonals in half precision, which another build() makes again. */
  bool may_be_spared() const { return of_diagonals_ && narrow_; }
  void spare() { format_.reset(); }

  bool        refill_reads_columns() const override { return format_ && format_->refill_reads_columns(); }
  void        apply(const V *x, const RowOut<V> &out) const override { format_->apply(x, out); }
  void        apply_dots(const V *x, const WithDots<V> &out) const override { format_->apply_dots(x, out); }
  const V    *main_diagonal() const override { return format_->main_diagonal(); }
  std::size_t bytes() const override { return format_ ? format_->bytes() : 0; }
  double      rounding() const override { return format_ ? format_->rounding() : Format<V>::rounding(); }
  std::string describe() const override { return choice_.sentence; }

private:
  /* Of the user's matrix the model is asked, but on a device where diagonals have hardly a place that is no entry: there is nothing to choose. */
  bool asks(const Csr &A) const
  {
    constexpr double hardly = 1.1;
    const auto       view   = same_->diagonals->view();
    const double     stored = static_cast<double>(same_->diagonals->half() ? 2 * view.ndiag - 1 : view.ndiag) * same_->diagonals->block_size() * A.nrows;

    return same_->users && A.ptr && (this->space_ != Space::Cuda || stored > hardly * static_cast<double>(entries(A)));
  }

  /* As what is at hand already. Asking the model instead takes a device as long as some tens of products. or_rows: where half precision takes more than one
     factor, the model may have it of the rows */
  bool build_of_diagonals(bool or_rows)
  {
    CdsOptions options;

    options.bs        = same_->diagonals->block_size();
    options.symmetric = true; // a preconditioner need not tell rounding from asymmetry
    choice_           = {};
    narrow_           = half_ && same_->diagonals->bytes() / sizeof(PetscScalar) * sizeof(V) >= least_halved_bytes;
    for (;; narrow_ = false) {
      if (narrow_ && take_rough()) break;
      if (make_with<Cds>(options, [this](auto &cds) { return cds.build_like(*same_->diagonals); })) break;
      if (!narrow_ || or_rows) return false;
    }
    choice_.sentence = "diagonals, as the matrix: " + format_->describe();
    of_diagonals_    = true;
    return true;
  }

  bool take_rough()
  {
    if constexpr (!std::is_same_v<V, PetscScalar>) {
      if (!same_->rough || !same_->rough->A.half()) return false;
      auto format = std::make_unique<mat::Narrow<Cds<HalfScalar, V>, V>>(this->space_, CdsOptions());

      format->take(std::move(same_->rough->A), same_->rough->factor);
      refill_like_ = nullptr;
      format_      = std::move(format);
      return true;
    }
    return false;
  }

  /* Of a coarse level. Asking the model would take as long as a hundred products, and so would a search for columns in common. */
  void build_small(const Csr &A)
  {
    SlicedEllOptions options;

    narrow_      = false;
    options.bs   = bs_;
    options.gaps = false;
    take_blocks(options);
    make<SlicedEll>(options, A);
    choice_          = {};
    choice_.sentence = "few entries: " + format_->describe();
  }

  /* false: the matrix cannot be held so after all */
  bool build_as(const FormatChoice &choice, const Csr &A)
  {
    if (choice.layout == Layout::SlicedEll) {
      SlicedEllOptions options;

      options.bs           = choice.block;
      const PetscInt usual = choice.block > 1 ? block_ell_height(this->space_, A.nrows / choice.block, entries(A) / (choice.block * choice.block))
                                              : sliced_ell_height(this->space_, A.nrows, entries(A));

      options.slice_height = choice.param == usual ? 0 : choice.param;
      take_blocks(options);
      make<SlicedEll>(options, A);
      return true;
    }
    if (choice.layout == Layout::Fold) {
      FoldOptions options;

      options.width = choice.param;
      make<Fold>(options, A);
      return true;
    }
    const CdsOptions options = diagonals_for_level(choice);

    if (same_->diagonals && make_with<Cds>(options, [this](auto &cds) { return cds.build_like(*same_->diagonals); })) return true;
    const bool      known = same_->diagonals && same_->diagonals->block_size() == choice.param;
    const Diagonals found = known ? diagonals_of(*same_->diagonals, A) : find_diagonals(A, choice.param, CdsOptions().share);

    if (found.offset.empty()) return false; // the sample saw more than there is
    make<Cds>(options, A, found);
    return true;
  }

  void take_blocks(SlicedEllOptions &options) const
  {
    if (same_->blocks && same_->blocks->br == options.bs) options.blocks = same_->blocks;
  }

  template <template <class, class> class F, class Options, class... Known> void make(const Options &options, const Csr &A, const Known &...known)
  {
    make_with<F>(options, [&](auto &format) {
      format.build(A, known...);
      return true;
    });
  }

  /* call(), while a format in half precision knows what the diagonal tells of the rows. */
  template <class Made, class Call> bool with_exponents([[maybe_unused]] Made &format, const Call &call)
  {
    if constexpr (mat::is_narrow<Made>) {
      if (same_->dominant && same_->diagonals) {
        exponents_ = same_->diagonal.most ? same_->diagonal : mat::diagonal_exponents(*same_->diagonals);
        format.expect(&exponents_, same_->users);
        const bool done = call();

        format.expect(nullptr);
        return done;
      }
    }
    return call();
  }

  /* build(format): whether it could be */
  template <template <class, class> class F, class Options, class Build> bool make_with(const Options &options, const Build &build)
  {
    const auto hold = [&](auto format) {
      if (!with_exponents(*format, [&] { return build(*format); })) return false;
      refill_like_ = nullptr;
      if constexpr (std::is_same_v<F<V, V>, Cds<V, V>>)
        refill_like_ = [this, made = format.get()](const WideCds &same) { return with_exponents(*made, [&] { return made->refill_like(same); }); };
      format_ = std::move(format);
      return true;
    };

    if constexpr (!std::is_same_v<V, PetscScalar>) {
      if (narrow_) return hold(std::make_unique<Narrow<F<HalfScalar, V>, V>>(this->space_, options));
    }
    return hold(std::make_unique<F<V, V>>(this->space_, options));
  }

  PetscInt                             bs_;
  bool                                 half_, narrow_ = false, of_diagonals_ = false;
  Decision                             choice_;
  std::unique_ptr<Format<V>>           format_;
  std::function<bool(const WideCds &)> refill_like_; // of format_, where it is CDS
  std::shared_ptr<const SameRows>      same_;
  RowExponents                         exponents_; // of its diagonals
};

} // namespace goza::saamg
