/* A host matrix as it is, lent for as long as this is used. A cycle reads an interpolation only some ten times: to lay it out anew, in memory of its own, takes
   longer than that saves, and so does to keep its transpose. */
#pragma once
#include "core/sparse/format.hpp"
#include "core/launch/for_each_row.hpp"
#include <algorithm>

namespace goza::saamg
{

template <class Out> struct BorrowedRow {
  Csr                A;
  const PetscScalar *x;
  Out                out;

  void operator()(PetscInt i) const
  {
    constexpr PetscInt few    = 8;
    const PetscInt     end    = A.ptr[i + 1];
    PetscInt           p      = A.ptr[i];
    PetscScalar        sum[4] = {}; // long rows would wait for each addition

    if (end - p >= few) {
      for (; p + 4 <= end; p += 4) {
        for (int k = 0; k < 4; k++) sum[k] += A.val[p + k] * x[A.col[p + k]];
      }
    }
    for (; p < end; p++) sum[0] += A.val[p] * x[A.col[p]];
    out(i, (sum[0] + sum[1]) + (sum[2] + sum[3]));
  }
};

/* y = A^T x, or A^H x, added up in the order of A's rows */
inline void transposed_product(const Csr &A, bool conjugated, const PetscScalar *x, PetscScalar *y)
{
  std::fill_n(y, A.ncols, PetscScalar(0));
  for (PetscInt i = 0; i < A.nrows; i++) {
    for (PetscInt p = A.ptr[i]; p < A.ptr[i + 1]; p++) y[A.col[p]] += conjugate_if(conjugated, A.val[p]) * x[i];
  }
}

class BorrowedRows final : public Format<PetscScalar> {
public:
  BorrowedRows() : Format<PetscScalar>(Space::Host) { }

  void build(const Csr &A) override
  {
    nrows_ = A.nrows;
    ncols_ = A.ncols;
    A_     = A;
  }
  void refill(const Csr &A) override { build(A); }
  bool refill_reads_columns() const override { return true; }
  void apply(const PetscScalar *x, const RowOut<PetscScalar> &out) const override
  {
    std::visit([&](const auto &o) { for_each_row(Space::Host, nrows_, BorrowedRow<std::decay_t<decltype(o)>>{A_, x, o}); }, out);
  }
  std::size_t bytes() const override { return 0; }
  std::string describe() const override { return "compressed rows, lent"; }

private:
  Csr A_{};
};

} // namespace goza::saamg
