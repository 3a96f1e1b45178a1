#include "auto_format.hpp"
#include "mat/cds/cds.hpp"
#include "mat/fold/renumbered.hpp"
#include "mat/fold/fold.hpp"
#include "mat/slicedell/sliced_ell.hpp"
#include <algorithm>
#include <chrono>
#include <exception>

namespace goza
{

/* As the format's own type would make it. */
template <class V> static std::unique_ptr<Format<V>> make(Space space, const Way &way, bool symmetric)
{
  if (way.layout == Layout::SlicedEll) {
    SlicedEllOptions options;

    options.bs           = way.block;
    options.slice_height = way.param == sliced_ell_height(space, 0, 0) ? 0 : way.param; // on the host the format's own height has a loop of its own
    return std::make_unique<SlicedEll<V, V>>(space, options);
  }
  if (way.layout == Layout::Fold) {
    FoldOptions options;

    options.width = way.param;
    return std::make_unique<Renumbered<V>>(space, FoldOrder::Auto, std::make_unique<Fold<V, V>>(space, options));
  }
  CdsOptions options;

  options.bs        = way.param;
  options.storage   = way.layout == Layout::CdsFull ? CdsStorage::Full : CdsStorage::Auto;
  options.symmetric = symmetric;
  return std::make_unique<Cds<V, V>>(space, options);
}

constexpr double batch_seconds = 0.25e-3;

/* Seconds of a product: the least of some batches of about a quarter of a millisecond, or of one product that takes longer. */
template <class V> static double seconds_of(const Format<V> &format)
{
  using Clock = std::chrono::steady_clock;
  Array<V>   x(format.space(), format.ncols()), y(format.space(), format.nrows());
  const auto batch = [&](int products) {
    const auto begin = Clock::now();

    for (int k = 0; k < products; k++) format.apply(x.data(), Assign<V>{y.data()});
    if (format.space() == Space::Cuda) device::synchronize();
    return std::chrono::duration<double>(Clock::now() - begin).count() / products;
  };

  x.zero();
  (void)batch(1);
  const double first = batch(1);
  const int products = static_cast<int>(std::clamp(batch_seconds / std::max(first, 1e-9), 1.0, 40.0)), batches = products == 40 ? 7 : 3; // short ones vary most
  double    best = first;

  for (int k = 0; k < batches; k++) best = std::min(best, batch(products));
  return best;
}

/* Formats that the model finds within a factor of two of the best are close enough for another to be the fastest in truth. PETSc's product, for which PETSc may
   first have to bring its arrays to the device, is measured only where the model finds it close to the fastest of ours. */
template <class V> void AutoFormat<V>::pick(const Csr &A)
{
  constexpr double   close = 2, close_csr = 1.3;
  const Decision     wanted = choice_.way.layout == Layout::Csr ? choice_.without_csr() : choice_;
  const Candidate   *winner = nullptr, *csr = nullptr;
  std::exception_ptr why;
  double             least = 0, expected = 0;
  int                tried = 0;

  for (const Candidate &c : wanted.candidates) {
    if (c.way.layout == Layout::Csr) continue;
    if (winner && (tried >= options_.trials || c.cost.seconds > close * expected)) break;
    try {
      auto format = make<V>(this->space_, c.way, options_.symmetric);

      format->build(A);
      if (c.way.layout == Layout::CdsHalf && !static_cast<const Cds<V, V> &>(*format).half()) continue; // the values are not symmetric
      const double seconds = options_.trials > 1 ? seconds_of(*format) : c.cost.seconds;

      if (!tried++) expected = c.cost.seconds;
      if (winner && seconds >= least) continue;
      winner  = &c;
      least   = seconds;
      format_ = std::move(format);
    } catch (const std::exception &) { // no room for it, or it cannot hold the matrix
      why = std::current_exception();
    }
  }
  if (!winner) std::rethrow_exception(why);
  held_ = wanted;
  if (options_.trials > 1) held_.take(winner->way, least, tried);
  else held_.choose(winner->way);
  for (const Candidate &c : choice_.candidates) csr = c.way.layout == Layout::Csr ? &c : csr;
  if (options_.trials > 1) {
    const double seconds = csr && csr->cost.seconds < close_csr * least ? options_.csr_seconds(batch_seconds) : least;

    if (seconds < least) choice_.take(csr->way, seconds, tried + 1);
    else choice_ = held_;
  } else if (!wants_csr()) choice_ = held_;
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
  settled_         = false;
  format_.reset();
  choice_ = held_ = decide(A, input);
  if (wants_csr() && !options_.together && (options_.trials == 1 || choice_.candidates.size() == 1)) return;
  pick(A);
  if (wants_csr() && !options_.together) format_.reset();
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
