/* The coarse operator of an interpolation that is not smoothed, which has at most one entry a row: an entry of A is a term of the entry that the aggregates of
   its row and its column have between them. Beside hubs rows and aggregates are so long that a product row by row waits for one of them; sorted, all entries
   are alike. For one rank. */
#pragma once
#include "core/sparse/csr_matrix.hpp"

namespace goza::saamg {

class SortedProduct {
public:
  /* P^T A P, or P^H A P. Its diagonal is in the pattern. */
  CsrMatrix make(const Csr &A, const Csr &P, bool conjugated);
  /* New values, in patterns as they were. */
  void update(const Csr &A, const Csr &P, bool conjugated, CsrMatrix &product) const;

  bool        made() const { return begin_.size() > 0; }
  std::size_t bytes() const { return entry_.bytes() + begin_.bytes(); }

private:
  CsrMatrix pattern(const Csr &A, const Csr &P);

  Array<PetscInt> entry_, begin_; // the terms of the product's entry k: A's entries entry[begin[k]] .. entry[begin[k + 1] - 1]; beyond A's: zeros
};

} // namespace goza::saamg
