#include "auto_format.hpp"
#include "mat/cds/cds.hpp"
#include "mat/fold/fold.hpp"
#include "mat/slicedell/sliced_ell.hpp"

namespace goza
{

/* As the format's own type would make it. */
template <class V> static std::unique_ptr<Format<V>> make(Space space, const Way &way, bool symmetric)
{
  if (way.layout == Layout::SlicedEll) {
    SlicedEllOptions options;

    options.slice_height = way.param == sliced_ell_height(space, 0, 0) ? 0 : way.param; // on the host the format's own height has a loop of its own
    return std::make_unique<SlicedEll<V, V>>(space, options);
  }
  if (way.layout == Layout::Fold) {
    FoldOptions options;

    options.width = way.param;
    return std::make_unique<Fold<V, V>>(space, options);
  }
  CdsOptions options;

  options.bs        = way.param;
  options.symmetric = symmetric;
  return std::make_unique<Cds<V, V>>(space, options);
}

template <class V> void AutoFormat<V>::build(const Csr &A)
{
  DecisionInput input;

  this->nrows_     = A.nrows;
  this->ncols_     = A.ncols;
  input.space      = this->space_;
  input.machine    = options_.machine ? options_.machine.get() : &machine_for(this->space_);
  input.candidates = options_.candidates;
  input.csr        = options_.csr;
  input.bs         = options_.bs;
  input.symmetric  = options_.symmetric;
  settled_         = false;
  choice_ = held_ = decide(take_sample(A), input);
  format_.reset();
  if (wants_csr()) {
    if (!options_.together) return;
    held_ = choice_.without_csr();
  }
  auto format = make<V>(this->space_, held_.way, options_.symmetric);

  format->build(A);
  format_ = std::move(format);
}

template <class V> void AutoFormat<V>::settle_for_csr(bool yes)
{
  settled_ = yes;
  if (yes) format_.reset();
}

template <class V> void AutoFormat<V>::refill(const Csr &A)
{
  if (format_) format_->refill(A);
}

template <class V> void AutoFormat<V>::apply(const V *x, const RowOut<V> &out) const
{
  if (!format_) throw std::logic_error("autoformat has left the product to PETSc");
  format_->apply(x, out);
}

template <class V> std::string AutoFormat<V>::describe() const
{
  const Decision &now = settled_ ? choice_ : held_;

  return now.sentence + (format_ ? "; " + format_->describe() : "");
}

template class AutoFormat<PetscScalar>;

} // namespace goza
