/* A format around another, which gets the matrix with its unknowns numbered anew: x is read at random where neighbours in the matrix are far apart in x, and each
   entry then costs a 32-byte sector. Gathering x first, and putting y back, costs as much as one entry a row.

   breadth_first: rows and columns of a square matrix, as Cuthill and McKee; for meshes that were numbered at random.
   hubs:          columns alone, those with most entries first, so that they share sectors and stay in the L1 caches; for graphs with hubs. */
#pragma once
#include "core/format.hpp"
#include <functional>

namespace goza
{

enum class FoldOrder {
  Auto, // what brings enough entries near, natural otherwise
  Natural,
  BreadthFirst,
  Hubs
};

template <class V> class Renumbered final : public Format<V> {
public:
  Renumbered(Space space, FoldOrder wanted, std::unique_ptr<Format<V>> inner) : Format<V>(space), wanted_(wanted), inner_(std::move(inner)) { }

  void        build(const Csr &A) override;
  void        refill(const Csr &A) override;
  void        apply(const V *x, const RowOut<V> &out) const override;
  void        apply_dot(const V *x, const V *w, V *y, V *dot) const override;
  std::size_t bytes() const override;
  std::string describe() const override;
  bool        refill_reads_columns() const override { return order_ != FoldOrder::Natural && inner_->refill_reads_columns(); }
  double      rounding() const override { return inner_->rounding(); }

  FoldOrder order() const { return order_; } // the one taken

private:
  void choose(const Csr &A, PetscInt nnz);

  template <class Call> void with_numbered(const Csr &A, bool columns, const Call &call) const;

  FoldOrder                  wanted_, order_ = FoldOrder::Natural;
  std::unique_ptr<Format<V>> inner_;
  double                     before_ = 0, after_ = 0; // shares of the entries that are near, or in a hub
  Array<PetscInt>            from_, number_;          // unknown of a number, number of an unknown
  Array<PetscInt>            ptr_;                    // the rows' pointer in the new order
  mutable Array<V>           x_, y_;                  // in the new order
};

} // namespace goza
