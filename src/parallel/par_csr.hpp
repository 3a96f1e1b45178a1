/* Matrices on several ranks as each rank's CSR rows: columns by local numbers, owned ones before ghosts, ascending in every row. */
#pragma once
#include "column_map.hpp"
#include "core/sparse/csr_ops.hpp"

namespace goza::parallel {

/* The diagonal and the off-diagonal block of a rank's rows as one matrix, the latter's columns behind the former's; and back. */
CsrMatrix join_columns(const Csr &diagonal, const Csr &off_diagonal);
void      split_columns(const Csr &A, PetscInt n, CsrMatrix &diagonal, CsrMatrix &off_diagonal);

/* Local columns by their global numbers; negative numbers stay. */
Array<PetscInt> globalize(const LocalColumns &columns, const PetscInt *col, std::size_t n);

/* Ghosts that no entry of M has are left out; ghosts: the global numbers of M's. Collective. */
MapPtr drop_unused_ghosts(const LocalColumns &owners, const std::vector<PetscInt> &ghosts, CsrMatrix &M);

/* Both matrices' columns by the numbers of one map, that of the ghosts of either, in place. Collective. */
MapPtr join_maps(CsrMatrix &A, const LocalColumns &acols, CsrMatrix &B, const LocalColumns &bcols);

} // namespace goza::parallel
