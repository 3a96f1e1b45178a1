/* Whether a matrix is that of a saddle point, as of constraints beside an energy: no smoother that goes by diagonals reduces its errors. */
#pragma once
#include "eigen.hpp"

namespace goza::saamg {

/* Of all ranks; of the rows that are coupled to others. */
struct Saddle {
  std::int64_t rows    = 0;
  std::int64_t hollow  = 0; // the diagonal entry is zero, or not stored, and so are the entries between them: a block of zeros
  std::int64_t against = 0; // the diagonal entry is of the sign that fewer have, and those rows of the other sign would add much to it if they were eliminated

  /* A Krylov method takes a step or two for each such row. Of both signs diagonals may be for a while, too, where a nonlinear problem is far from solved. */
  static constexpr std::int64_t bearable = 20;

  bool there() const { return hollow > bearable || hollow + against > PetscMax(bearable, rows / 40); }
};

/* Looks at the rows again where some have no diagonal entry, or, where these are real, they are of both signs. A shifted operator whose diagonal keeps its sign
   is no saddle point, whatever its eigenvalues are, and neither is one that changes it where rows are hardly coupled. Collective. */
Saddle saddle_of(const StoredRows &A, const ColumnMap &columns, const CsrFacts &facts, bool real_diagonal);

} // namespace goza::saamg
