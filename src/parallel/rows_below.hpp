/* Rows that other ranks own beside a rank's own ones. */
#pragma once
#include "column_map.hpp"

namespace goza::parallel {

/* A rank's rows of M and, below them, those of the ghosts of a map, fetched from their owners. In the latter columns do not ascend: they are in the order of
   their owners' local numbers. */
class RowsBelow {
public:
  RowsBelow(const Csr &M, const LocalColumns &columns, MapPtr wanted); // collective
  void update(const Csr &M);                                           // M has new values. Collective

  Csr                 view() const { return rows_.view(); }
  const LocalColumns &columns() const { return *columns_; }
  std::size_t         bytes() const { return rows_.bytes() + send_ptr_.bytes(); }

private:
  void fetch_lengths(const Csr &M);
  void fetch_columns(const Csr &M, const LocalColumns &columns);
  void fetch_values(const Csr &M);

  MapPtr                        wanted_;
  CsrMatrix                     rows_;
  std::unique_ptr<LocalColumns> columns_;
  PetscInt                      nnz_ = 0; // of M
  Array<PetscInt>               send_ptr_;
  std::vector<PetscInt>         out_, in_; // where messages begin among the entries sent and fetched
};

} // namespace goza::parallel
