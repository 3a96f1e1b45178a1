/* Matrices on several ranks as each rank's CSR rows: columns by local numbers, owned ones before ghosts, ascending in every row. */
#pragma once
#include "column_map.hpp"
#include "core/csr_ops.hpp"

namespace goza
{

/* The diagonal and the off-diagonal block of a rank's rows as one matrix, the latter's columns behind the former's; and back. */
CsrMatrix join_columns(const Csr &diagonal, const Csr &off_diagonal);
void      split_columns(const Csr &A, PetscInt n, CsrMatrix &diagonal, CsrMatrix &off_diagonal);

/* Columns by global number to local ones, in place, and back. localize() returns the ghosts; negative numbers stay. */
std::vector<PetscInt> localize(const LocalColumns &owners, Array<PetscInt> &col);
Array<PetscInt>       globalize(const LocalColumns &columns, const PetscInt *col, std::size_t n);

/* Ghosts that no entry of M has are left out; ghosts: the global numbers of M's. Collective. */
MapPtr drop_unused_ghosts(const LocalColumns &owners, const std::vector<PetscInt> &ghosts, CsrMatrix &M);

/* Both matrices' columns by the numbers of one map, that of the ghosts of either, in place. Collective. */
MapPtr join_maps(CsrMatrix &A, const LocalColumns &acols, CsrMatrix &B, const LocalColumns &bcols);

/* A rank's rows of M and, below them, those of the ghosts of a map, fetched from their owners. */
class RowsBelow {
public:
  RowsBelow(const Csr &M, const LocalColumns &columns, MapPtr wanted); // collective
  void update(const Csr &M);                                           // M has new values. Collective

  Csr                 view() const { return rows_.view(); }
  const LocalColumns &columns() const { return *columns_; }
  std::size_t         bytes() const { return rows_.bytes() + send_ptr_.bytes(); }

private:
  MapPtr                        wanted_;
  CsrMatrix                     rows_;
  std::unique_ptr<LocalColumns> columns_;
  PetscInt                      nnz_ = 0; // of M
  Array<PetscInt>               send_ptr_;
  std::vector<PetscInt>         out_, in_;
};

/* The sum over the ranks of rows that several may hold a part of: parts are a rank's own rows and, below them, those of the ghosts of a map, which go to their
   owners. Entries are added up own part first, then by ascending rank. */
class SummedRows {
public:
  /* with_diagonal: every row of the sum has its diagonal entry. Collective. */
  SummedRows(const Csr &parts, const LocalColumns &columns, MapPtr rows, bool with_diagonal, CsrMatrix &sum);
  void update(const Csr &parts, CsrMatrix &sum); // parts have new values. Collective

  const MapPtr &columns() const { return columns_; } // of the sum
  std::size_t   bytes() const { return parts_.bytes(); }

private:
  void      ship_values(const Csr &parts);
  CsrMatrix selection() const;

  MapPtr                rows_, columns_;
  CsrMatrix             parts_;   // own ones, then what came from other ranks
  PetscInt              nnz_ = 0; // of the own parts
  std::vector<PetscInt> out_, in_;
};

/* The transpose, its rows distributed as A's columns are. Collective. */
CsrMatrix transpose(const Csr &A, const LocalColumns &rows, const MapPtr &columns, MapPtr &columns_of_transpose);

} // namespace goza
