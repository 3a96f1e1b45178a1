/* A matrix as it is, lent for as long as this is used. Where a cycle reads it only some ten times, to lay it out anew, in memory of its own, takes longer than
   that saves, and so does to keep a host's transpose. */
#pragma once
#include "core/sparse/csr_ops.hpp"
#include "core/sparse/format.hpp"

namespace goza::saamg {

/* y = A^T x, or A^H x, added up in the order of A's rows */
inline void transposed_product(const Csr &A, bool conjugated, const PetscScalar *x, PetscScalar *y)
{
  std::fill_n(y, A.ncols, PetscScalar(0));
  for (PetscInt i = 0; i < A.nrows; i++)
    for (PetscInt p = A.ptr[i]; p < A.ptr[i + 1]; p++) y[A.col[p]] += conjugate_if(conjugated, A.val[p]) * x[i];
}

class BorrowedRows final : public Format<PetscScalar> {
public:
  explicit BorrowedRows(Space space) : Format<PetscScalar>(space) { }

  void build(const Csr &A) override
  {
    nrows_ = A.nrows;
    ncols_ = A.ncols;
    A_     = A;
  }
  void        refill(const Csr &A) override { build(A); }
  bool        refill_reads_columns() const override { return true; }
  void        apply(const PetscScalar *x, const RowOut<PetscScalar> &out) const override { multiply(A_, x, out); }
  std::size_t bytes() const override { return 0; }
  std::string describe() const override { return "compressed rows, lent"; }

private:
  Csr A_{};
};

} // namespace goza::saamg
