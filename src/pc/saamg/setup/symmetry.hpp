/* Whether a matrix is symmetric, and the part of it that is, in the space where the matrix is. Columns of A are local ones of a map; all functions are
   collective. */
#pragma once
#include "eigen.hpp"

namespace goza::saamg {

struct Symmetry {
  bool         symmetric  = true; // as smoothers and interpolation see it: or Hermitian
  bool         conjugated = true; // beside the conjugates of its mirror images, as a Hermitian matrix; complex scalars: else beside these as they are
  std::int64_t rows = 0, skew = 0, opposed = 0, flowing = 0; // where it is not: see CountSkew; of all ranks

  bool flow_dominates() const { return !symmetric && 2 * flowing > rows && opposed <= rows / 1000; } // and hardly a row has entries of opposite signs
};

/* Costs two products where A is symmetric, four of complex scalars where it is not Hermitian, nothing where its format has found that, and a transpose, too,
   where it is not. Rows that are coupled to nothing take no part. */
Symmetry symmetry_of(const StoredRows &A, const MapPtr &columns, const CsrFacts &facts);

/* See symmetry_rows.hpp. conjugated: see Symmetry. aggregate [columns of A]: -1 where no interpolation is. */
CsrMatrix diffusive_part(const Csr &A, const MapPtr &columns, PetscInt bs, bool conjugated, const Array<PetscInt> &aggregate);

/* See UpwindRow. val: A's. */
void make_upwind(const Csr &A, const MapPtr &columns, PetscInt bs, bool conjugated, PetscScalar *val);

} // namespace goza::saamg
