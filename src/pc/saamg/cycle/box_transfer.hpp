/* Interpolation and restriction of a level whose aggregates are boxes, on one rank: the values of P by place, which P^T reads as well
   (box_transfer_rows.hpp). */
#pragma once
#include "box_transfer_rows.hpp"
#include "pc/saamg/setup/boxes.hpp"

namespace goza::saamg {

template <class V> class BoxTransfer {
public:
  /* narrow: values in half precision; conjugated: the restriction is P^H. */
  void fill(const Boxes &boxes, const CsrMatrix &P, bool narrow, bool conjugated = false);

  /* From the product that made P's rows. */
  void take(Boxes &boxes, bool conjugated);
  void spare() // until the next of either
  {
    wide_   = Array<BoxPair<V>>(wide_.space());
    narrow_ = Array<BoxPair<HalfScalar>>(narrow_.space());
  }

  /* P e */
  void interpolate(const V *e, const RowOut<V> &out) const;
  /* b = P^T r, or P^H r */
  void to_boxes(const V *r, V *b) const;

  std::size_t bytes() const { return wide_.bytes() + narrow_.bytes(); }

private:
  template <class Store> void fill_as(const Boxes &boxes, const CsrMatrix &P, Array<BoxPair<Store>> &pairs);

  BoxGrid                    grid_{};
  bool                       conjugated_ = false;
  Array<BoxPair<V>>          wide_;
  Array<BoxPair<HalfScalar>> narrow_;
};

} // namespace goza::saamg
