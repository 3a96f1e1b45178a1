/* The coarse operator, in the space where the matrix is. */
#pragma once
#include "mat/common/rows/rows_below.hpp"
#include "mat/common/rows/summed_rows.hpp"

namespace goza
{

/* An interpolation, its transpose, and the map of the columns of each. */
struct Interpolation {
  CsrMatrix P, R;
  MapPtr    coarse, fine;
  PetscInt  bs = 1, k = 1; // unknowns of a node, fine and coarse

  /* R is made from P; where R's pattern is there, on one rank, its values alone. Collective. */
  void transpose();
  void release_transpose(bool pattern_too = true)
  {
    R.val = Array<PetscScalar>(R.space());
    if (pattern_too || own_transpose.ptr.size()) R = CsrMatrix();
    own_transpose = CsrMatrix();
  }
  bool      transposed() const { return R.ptr.size() > 0 && R.val.size() == R.col.size(); }
  CsrMatrix own_transpose; // of this rank's P, several ranks: rows of R in parts, which are not yet summed over the ranks
};

/* Ac = P^T A P. Rows of zeros, from zero columns of P, get a diagonal entry: the mean of the others' size, so that smoothers and factorisations find nothing
   special. On several ranks the rows of P that A reaches are fetched from other ranks, and the parts of Ac's rows are sent to their owners: one exchange each. */
class GalerkinProduct {
public:
  /* once: no update() will come. Collective. */
  CsrMatrix make(const Csr &A, const MapPtr &columns, const Interpolation &I, MapPtr &coarse_columns, bool once = false);
  /* New values in A, or in A and P, with all patterns as they were. Collective. */
  void update(const Csr &A, const Interpolation &I, CsrMatrix &Ac);

  bool        made() const { return AP_.ptr.size() > 0; }
  std::size_t bytes() const { return AP_.bytes() + parts_.bytes() + (P_ ? P_->bytes() : 0) + (sum_ ? sum_->bytes() : 0); }
  void        release_values() // until the next update()
  {
    AP_.val    = Array<PetscScalar>(AP_.space());
    parts_.val = Array<PetscScalar>(AP_.space());
  }

private:
  CsrMatrix                   AP_, parts_;
  std::unique_ptr<RowsBelow>  P_; // several ranks
  std::unique_ptr<SummedRows> sum_;
};

} // namespace goza
