/* Interpolation of few entries a row, in the space where it is: coarse operators get no denser than these allow. A node is a row, with one near-null vector. */
#pragma once
#include "core/sparse/csr_matrix.hpp"
#include "local_rows.hpp"
#include "parallel/column_map.hpp"

namespace goza::saamg {

/* What a shortened row of P may have; and a chosen one, beside slivers: with 16 a tenth fewer iterations than with 12, and 1.03 times the entries. */
constexpr int most_entries_kept = 8, most_entries_of_chosen = 16;

/* P's columns, of this rank's aggregates. */
struct ColumnsOfP {
  const Array<PetscScalar> &coarse_B; // their near-null vector
  const Array<PetscInt>    &name;     // numbers that do not depend on how ranks share them
  NodeIds                   rows;     // of P's rows: an aggregate has the number of its root
};

/* P with the largest entries of each row, by what they make of the near-null vector, and of a root that of its aggregate, which else might interpolate to
   nothing; rows are scaled to interpolate that vector as before. list: null, or P's rows are those of the nodes in it alone, which may have the entries of
   chosen ones. columns: of P, and of what is returned. Collective. */
CsrMatrix with_largest(const ColumnsOfP &of, const Array<PetscInt> *list, const ColumnMap &columns, const CsrMatrix &P);

/* own [columns of this rank], and what other ranks have of them. Collective. */
template <class T> Array<T> with_ghosts(const Array<T> &own, const ColumnMap &columns)
{
  Array<T> all(columns.space(), columns.nlocal(), unset);

  if (columns.n()) all.copy_from(own.data(), columns.n());
  columns.update(all);
  return all;
}

} // namespace goza::saamg
