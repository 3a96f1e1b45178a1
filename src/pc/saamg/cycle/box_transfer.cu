#include "box_transfer.hpp"

namespace goza::saamg {

template <class V> template <class Store> void BoxTransfer<V>::fill_as(const Boxes &boxes, const CsrMatrix &P, Array<BoxPair<Store>> &pairs)
{
  const BoxLines lines(boxes.grid);
  if (lines.pairs() > PETSC_MAX_INT) throw std::length_error("the pairs of an interpolation from boxes are too many for PetscInt");
  const PetscInt n = static_cast<PetscInt>(lines.pairs());

  if (pairs.space() != P.space() || pairs.size() != static_cast<std::size_t>(n)) pairs = Array<BoxPair<Store>>(P.space(), n);
  for_each_row(P.space(), n / 4, FillPairs<Store>{lines, boxes.reach.data(), P.ptr.data(), P.val.data(), pairs.data()});
}

template <class V> void BoxTransfer<V>::fill(const Boxes &boxes, const CsrMatrix &P, bool narrow, bool conjugated)
{
  grid_       = boxes.grid;
  conjugated_ = conjugated;
  if (narrow) {
    wide_ = Array<BoxPair<V>>(P.space());
    fill_as(boxes, P, narrow_);
  } else {
    narrow_ = Array<BoxPair<HalfScalar>>(P.space());
    fill_as(boxes, P, wide_);
  }
}

template <class V> void BoxTransfer<V>::take(Boxes &boxes, bool conjugated)
{
  grid_       = boxes.grid;
  conjugated_ = conjugated;
  wide_       = Array<BoxPair<V>>(boxes.pairs.space());
  narrow_     = std::move(boxes.pairs);
  boxes.pairs = Array<BoxPair<HalfScalar>>();
}

template <class V> void BoxTransfer<V>::interpolate(const V *e, const RowOut<V> &out) const
{
  const auto run = [&](const auto &body, Space space) { for_each_row(space, body.count(), body); };

  if (narrow_.size()) run(FromBoxes<HalfScalar, V>{BoxLines(grid_), narrow_.data(), e, ScaledOut<V>(out)}, narrow_.space());
  else run(FromBoxes<V, V>{BoxLines(grid_), wide_.data(), e, ScaledOut<V>(out)}, wide_.space());
}

template <class V> void BoxTransfer<V>::to_boxes(const V *r, V *b) const
{
  const auto run = [&](const auto &body, Space space) { for_each_row_by_lanes(space, body.count(), body); };

  if (narrow_.size()) run(ToBoxes<HalfScalar, V>{BoxLines(grid_), narrow_.data(), r, b, conjugated_}, narrow_.space());
  else run(ToBoxes<V, V>{BoxLines(grid_), wide_.data(), r, b, conjugated_}, wide_.space());
}

FOR_EACH_VECTOR(INSTANTIATE, BoxTransfer)

} // namespace goza::saamg
