#include "held_settings.hpp"
#include "autoformat.hpp"
#include "mat/cds/cds.hpp"
#include "mat/common/narrow.hpp"
#include "mat/fold/fold.hpp"
#include "mat/fold/rectangle.hpp"
#include "mat/fold/renumbered.hpp"
#include "mat/slicedell/slicedell.hpp"
#include <algorithm>

namespace goza::choice {
namespace {

using V = PetscScalar;

/* A format with values of its own type, or inside of one that scales them. */
template <template <class, class> class F, class Store> const F<Store, V> *as(const Format<V> *held)
{
  if (const auto *plain = dynamic_cast<const F<Store, V> *>(held)) return plain;
  const auto *narrow = dynamic_cast<const Narrow<F<Store, V>, V> *>(held);

  return narrow ? &narrow->inner() : nullptr;
}

/* Of the arrays of a format that holds so many places, what is not values. */
double index_bytes(double bytes, double places, double value) { return places > 0 ? std::max(0.0, bytes / places - value) : 0; }

/* Both signs, ascending. */
template <class Store> std::vector<PetscInt> diagonals_of(const Cds<Store, V> &A)
{
  const auto            view = A.view();
  std::vector<PetscInt> all(view.offset, view.offset + view.ndiag);

  for (PetscInt d = 0; A.half() && d < view.ndiag; d++)
    if (view.offset[d]) all.push_back(-view.offset[d]);
  std::sort(all.begin(), all.end());
  return all;
}

template <class Store> bool read_settings(const Format<V> *held, HeldSettings *s)
{
  const double value = sizeof(Store);

  if (const auto *e = as<SlicedEll, Store>(held)) {
    s->choice                = {Layout::SlicedEll, PetscInt(1) << e->view().shift, e->block_size()};
    s->analysis.slice_height = s->choice.param;
    s->bytes                 = {value, index_bytes(static_cast<double>(e->bytes()), static_cast<double>(e->stored()), value)};
  } else if (const auto *f = as<Fold, Store>(held)) {
    s->choice              = {Layout::Fold, f->shape().width};
    s->analysis.fold_width = s->choice.param;
    s->bytes               = {value, index_bytes(static_cast<double>(f->bytes()), static_cast<double>(f->shape().steps) * fold_lanes, value)};
  } else if (const auto *r = as<FoldRectangle, Store>(held)) {
    const auto view = r->view();

    s->choice              = {Layout::Rectangle, view.width};
    s->analysis.fold_width = view.width;
    s->bytes               = {value, index_bytes(static_cast<double>(r->bytes()), static_cast<double>(view.nlines) * view.width, value)};
  } else if (const auto *c = as<Cds, Store>(held)) {
    s->choice             = {c->half() ? Layout::CdsHalf : Layout::CdsFull, c->block_size()};
    s->analysis.bs        = s->choice.param;
    s->bytes              = {value, sizeof(LocalColumn)}; // of the remainder: the diagonals have none
    s->analysis.diagonals = diagonals_of(*c);
    s->remainder          = c->in_remainder();
  } else return false;
  return s->known = true;
}

} // namespace

std::string HeldSettings::name() const
{
  const bool narrow = known && bytes.F != sizeof(V);

  if (renumbered) return "fold, its unknowns in another order";
  return known ? choice_name(choice) + (narrow ? ", values of " + std::to_string(static_cast<int>(bytes.F)) + " bytes" : "")
               : "a format that the model does not know";
}

SampledDiagonals HeldSettings::diagonals(std::int64_t nnz) const
{
  SampledDiagonals found;

  found.inside      = nnz ? 1 - static_cast<double>(remainder) / static_cast<double>(nnz) : 0;
  found.count       = static_cast<int>(analysis.diagonals->size());
  const auto beyond = std::upper_bound(analysis.diagonals->begin(), analysis.diagonals->end(), 1);

  if (beyond != analysis.diagonals->end()) found.beyond = *beyond;
  return found;
}

HeldSettings settings_of(const Format<V> *held)
{
  HeldSettings s;

  if (const auto *a = dynamic_cast<const AutoFormat *>(held)) {
    held = a->held();
    if (!held || a->choice().layout == Layout::Csr) s.known = true; // CSR with PetscScalar and PetscInt
  }
  if (s.known) return s;
  if (const auto *r = dynamic_cast<const Renumbered *>(held)) {
    if (r->taken()) {
      s.renumbered = true;
      return s;
    }
    held = &r->inner();
  }
  if (held) (void)(read_settings<V>(held, &s) || read_settings<SingleScalar>(held, &s) || read_settings<HalfScalar>(held, &s));
  return s;
}

} // namespace goza::choice
