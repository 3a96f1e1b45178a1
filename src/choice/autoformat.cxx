#include "autoformat.hpp"
#include "tuning.hpp"
#include "mat/cds/cds.hpp"
#include "mat/fold/renumbered.hpp"
#include "mat/fold/fold.hpp"
#include "mat/slicedell/slicedell.hpp"
#include <algorithm>
#include <exception>

namespace goza::choice {

/* As the format's own type would make it. */
static std::unique_ptr<Format<PetscScalar>> make(Space space, const FormatChoice &choice, bool symmetric)
{
  if (choice.layout == Layout::SlicedEll) {
    SlicedEllOptions options;

    options.bs           = choice.block;
    options.slice_height = choice.param == sliced_ell_height(space, 0, 0) ? 0 : choice.param; // on the host the format's own height has a loop of its own
    return std::make_unique<SlicedEll<PetscScalar, PetscScalar>>(space, options);
  }
  if (choice.layout == Layout::Fold) {
    FoldOptions options;

    options.width = choice.param;
    return std::make_unique<Renumbered>(space, FoldOrder::Auto, std::make_unique<Fold<PetscScalar, PetscScalar>>(space, options));
  }
  CdsOptions options;

  options.bs        = choice.param;
  options.storage   = choice.layout == Layout::CdsFull ? CdsStorage::Full : CdsStorage::Auto;
  options.symmetric = symmetric;
  return std::make_unique<Cds<PetscScalar, PetscScalar>>(space, options);
}

/* What the formats of a choice are multiplied with. The same for all, on a host also for PETSc's product where that is made: to find new pages takes a host a
   good part of a product. */
class AutoFormat::TrialVectors {
public:
  void take_those_of(const CsrProduct &csr)
  {
    x_ = csr.x;
    y_ = csr.y;
  }

  Products product_of(const Format<PetscScalar> &format)
  {
    if (!y_) {
      x_ = made(own_x_, format.space(), format.ncols());
      y_ = made(own_y_, format.space(), format.nrows());
    }
    return [this, &format](int products) {
      for (int k = 0; k < products; k++) format.apply(x_, Assign<PetscScalar>{y_});
    };
  }

private:
  static PetscScalar *made(Array<PetscScalar> &v, Space space, PetscInt n)
  {
    v = Array<PetscScalar>(space, n);
    v.zero(); // its pages are found before anything is timed
    return v.data();
  }

  const PetscScalar *x_ = nullptr;
  PetscScalar       *y_ = nullptr;
  Array<PetscScalar> own_x_, own_y_;
};

static bool told_in_use(double a, double b) { return std::min(a, b) >= short_product && std::max(a, b) < near_in_use * std::min(a, b); }

/* Whether a second product of each would tell more of which is faster, and is paid for: of long ones that are not near each other it would not. */
static bool worth_repeating(double a, double b, double cost, const TrialTime &time)
{
  if (time.goes_on && told_in_use(a, b)) return false;
  return std::min(a, b) < short_product || (std::max(a, b) < clearly_slower * std::min(a, b) && time.allows(cost));
}

/* Of a trial. csr: seconds of PETSc's product, 0: not known. */
static ProductTime trial_of(Space space, const Products &product, double csr, const TrialTime &time)
{
  if (space == Space::Cuda || !csr) return time_in_turn(space, {product}, trial_seconds)[0];
  const ProductTime once  = time_of(space, product, 1);
  const double      least = std::min(once.working, csr);

  return worth_repeating(once.working, csr, once.working + csr + least, time) ? time_in_turn(space, {product}, trial_seconds, once.working)[0] : once;
}

/* Whether this one, too, may be the fastest, and there is time to try it. last: seconds of the trial before. */
bool AutoFormat::may_try(const Candidate &c, int tried, double expected, double last, const TrialTime &time) const
{
  return c.choice.layout != Layout::Csr && tried < options_.trials && c.cost.seconds <= close_to_best * expected && time.allows(last);
}

/* The formats that may be the fastest, best first. Without trials the model's best. Of long products the fastest as measured; of short ones, which vary from
   one moment to the next and need little memory, all that come near it. Where the trials have to end, one that would probably go beyond, by what the last one
   took, is not begun; where that is so after the first, and it has no rival or the program's own products will tell, it is not timed before. */
auto AutoFormat::build_best(const Csr &A, const Decision &wanted, const TrialTime &time, double csr, TrialVectors &vectors, int *tried) const
  -> std::vector<Built>
{
  std::vector<Built> best;
  std::exception_ptr why;
  double             expected = 0, last = 0;

  const auto more = [&](const Candidate &c) { return may_try(c, *tried, expected, last, time); };

  for (auto c = wanted.candidates.begin(); c != wanted.candidates.end(); ++c) {
    if (c->choice.layout == Layout::Csr) continue;
    if (*tried && !more(*c)) break;
    try {
      const double begin  = time.used();
      auto         format = make(space_, c->choice, options_.symmetric);

      format->build(A);
      if (c->choice.layout == Layout::CdsHalf && !static_cast<const Cds<PetscScalar, PetscScalar> &>(*format).half()) continue; // the values are not symmetric
      if (!(*tried)++) expected = c->cost.seconds;
      last                    = time.used() - begin + time.rivals;
      const bool        timed = options_.trials > 1 && !(time.leaves && *tried == 1 && std::none_of(c + 1, wanted.candidates.end(), more));
      const ProductTime trial = timed ? trial_of(space_, vectors.product_of(*format), csr, time) : ProductTime{c->cost.seconds};
      best.push_back({&*c, trial.working, trial.seen(), std::move(format), timed});
      if (time.leaves && !timed) break;
      last = time.used() - begin;
    } catch (const DeviceMemoryError &) { // no room for it
      why = std::current_exception();
      continue;
    } catch (const std::bad_alloc &) {
      why = std::current_exception();
      continue;
    } catch (const FormatRefusal &) { // it cannot hold the matrix
      why = std::current_exception();
      continue;
    } // any other error is the device's or ours, and not this candidate's
    std::stable_sort(best.begin(), best.end(), [](const Built &a, const Built &b) { return a.seconds < b.seconds; });
    while (best.size() > 1 && best.back().seconds > variation(best.front().seconds) * best.front().seconds) best.pop_back();
  }
  if (best.empty()) std::rethrow_exception(why);
  return best;
}

/* PETSc's product, where the model does not find it far behind the best of ours. */
const Candidate *AutoFormat::csr_to_try(double best) const
{
  if (options_.trials == 1) return nullptr;
  for (const Candidate &c : choice_.candidates)
    if (c.choice.layout == Layout::Csr && c.cost.seconds < csr_close_to_best(space_) * best) return &c;
  return nullptr;
}

/* The last trial, of all that come near the fastest and of PETSc's product. Returns the seconds of that, where to a program that calls for one product after
   the other it is the fastest, on a host also where it nearly is. On a device it is two kernels and much of the host's time. */
double AutoFormat::try_again(std::vector<Built> &best, const Products &csr, TrialVectors &vectors) const
{
  std::vector<Products> all;

  for (const Built &b : best) all.push_back(vectors.product_of(*b.format));
  if (csr) all.push_back(csr);
  if (all.size() == 1) return 0;
  const std::vector<ProductTime> times  = time_in_turn(space_, all, last_trial_seconds);
  const auto                     ours   = times.begin() + best.size();
  const double                   asking = std::min_element(times.begin(), ours, [](const auto &a, const auto &b) { return a.asking < b.asking; })->asking;
  const auto                     faster = [&](const ProductTime &a, const ProductTime &b) { return a.beside(asking) < b.beside(asking); };
  const auto                     first  = std::min_element(times.begin(), ours, faster);

  std::swap(best[0], best[first - times.begin()]);
  best[0].seconds   = first->working;
  const double gain = space_ == Space::Host ? gain_on_host : 1;

  return csr && gain * times.back().seen() < first->seen() ? times.back().seen() : 0;
}

/* Untimed. */
void AutoFormat::hold(Built &built, const Decision &wanted)
{
  held_ = wanted;
  held_.choose(built.candidate->choice);
  choice_ = held_;
  format_ = std::move(built.format);
  tried_  = 2; // with PETSc's
}

/* On a host PETSc's product is there, and comes first: a multiple of it is what trials may cost, and where no format comes near it, or it near none, it is not
   tried again. Where the model expects long products, neither it nor the one format that can be afforded is tried: the program's first products tell. */
void AutoFormat::pick(const Csr &A)
{
  const Decision wanted = choice_.choice.layout == Layout::Csr ? choice_.without_csr() : choice_;
  const bool     host   = space_ == Space::Host;
  int            tried  = 0;
  TrialTime      time;
  TrialVectors   vectors;
  double         csr = 0, unit = wanted.candidates[0].cost.seconds; // csr: seconds of PETSc's product, where it is taken
  Products       csr_product;

  const Candidate *const petscs  = host ? csr_to_try(wants_csr() ? std::numeric_limits<double>::infinity() : unit) : nullptr;
  const auto             try_csr = [&] {
    const CsrProduct made = options_.csr_products(space_);

    csr_product = made.products;
    vectors.take_those_of(made);
    return csr = time_of(Space::Host, csr_product, 1).working;
  };

  time.goes_on = petscs && !options_.together;
  time.leaves  = host && options_.trials > 1 && (!petscs || (time.goes_on && !lent_ && std::min(petscs->cost.seconds, unit) >= short_product));
  if (petscs) unit = time.leaves ? petscs->cost.seconds : try_csr();
  if (host) time.most = std::max(least_trials, most_trials * unit);
  if (time.goes_on && time.leaves) time.rivals = 3 * unit;
  std::vector<Built> best = build_best(A, wanted, time, csr > 0 || !petscs ? csr : unit, vectors, &tried);

  if (!best[0].timed && time.leaves) {
    hold(best[0], wanted);
    if (petscs) in_use_.begin();
    return;
  }
  if (petscs && !csr) try_csr();
  if (csr > 0 && worth_repeating(csr, best[0].seconds, csr + std::min(csr, best[0].seconds), time))
    csr = std::min(csr, time_in_turn(Space::Host, {csr_product}, trial_seconds, csr)[0].working);
  if (!host && csr_to_try(best[0].seen)) csr_product = options_.csr_products(space_).products;
  const double near      = variation(best[0].seconds) * best[0].seconds;
  const bool   in_use    = time.goes_on && told_in_use(csr, best[0].seconds);
  const bool   csr_first = !in_use && host && csr_product && csr * variation(csr) < best[0].seconds;

  if (csr_product) tried++;
  if (!csr_first) csr = try_again(best, in_use || (host && csr > near) ? Products() : csr_product, vectors);
  held_ = wanted;
  if (options_.trials > 1) held_.take(best[0].candidate->choice, best[0].seconds, tried);
  else held_.choose(best[0].candidate->choice);
  if (csr_first || csr > 0) choice_.take({Layout::Csr, 0}, csr, tried);
  else if (options_.trials > 1 || !wants_csr()) choice_ = held_;
  format_ = std::move(best[0].format);
  tried_  = tried;
  if (in_use) in_use_.begin();
}

void AutoFormat::took(double seconds)
{
  in_use_.took(seconds);
  if (undecided()) return;
  held_.take(held_.choice, in_use_.first(), tried_);
  if (gain_on_host * in_use_.second() < in_use_.first()) choice_.take({Layout::Csr, 0}, in_use_.second(), tried_);
  else choice_ = held_;
}

void AutoFormat::build(const Csr &A)
{
  DecisionInput input;

  nrows_           = A.nrows;
  ncols_           = A.ncols;
  input.space      = space_;
  input.machine    = &machine_for(space_);
  input.candidates = options_.candidates;
  input.csr        = options_.csr;
  input.bs         = options_.bs;
  settled_         = false;
  in_use_          = InUse();
  format_.reset();
  choice_ = held_ = decide(A, input);
  if (wants_csr() && !options_.together && (options_.trials == 1 || choice_.candidates.size() == 1)) return;
  pick(A);
  if (wants_csr() && !options_.together) format_.reset();
}

void AutoFormat::settle_for_csr(bool yes)
{
  settled_ = yes;
  if (yes) format_.reset();
}

void AutoFormat::refill(const Csr &A)
{
  if (format_) format_->refill(A);
}

void AutoFormat::apply(const PetscScalar *x, const RowOut<PetscScalar> &out) const
{
  if (!format_) throw std::logic_error("autoformat has left the product to PETSc");
  format_->apply(x, out);
}

std::string AutoFormat::describe() const
{
  const Decision   &now  = settled_ ? choice_ : held_;
  const char *const open = undecided() ? "; the next products tell whether PETSc's is faster" : "";

  return now.sentence + open + (format_ ? "; " + format_->describe() : "");
}

} // namespace goza::choice
