/* Rows of which several ranks hold a part. */
#pragma once
#include "column_map.hpp"

namespace goza::parallel {

/* The sum over the ranks of rows that several may hold a part of: parts are a rank's own rows and, below them, those of the ghosts of a map, which go to their
   owners. Entries are added up own part first, then by ascending rank. Most rows get nothing from other ranks: they are copied, and only what is received is
   kept. */
class SummedRows {
public:
  /* with_diagonal: every row of the sum has its diagonal entry. Collective. */
  SummedRows(const Csr &parts, const LocalColumns &columns, MapPtr rows, bool with_diagonal, CsrMatrix &sum);
  void update(const Csr &parts, const LocalColumns &columns, CsrMatrix &sum); // parts have new values, all else is as it was. Collective

  const MapPtr &columns() const { return columns_; } // of the sum
  std::size_t   bytes() const { return received_.bytes() + changed_.bytes(); }

private:
  void receive(const Csr &parts, const LocalColumns &columns);
  void receive_values(const Csr &parts);
  void find_columns(const Csr &parts, const LocalColumns &columns);
  void find_rows(const Csr &parts, const LocalColumns &columns, bool with_diagonal, CsrMatrix &sum);
  void fill(const Csr &parts, const LocalColumns &columns, bool with_columns, CsrMatrix &sum) const;

  MapPtr                rows_, columns_;
  CsrMatrix             received_; // parts of own rows, in the order of the map's slots
  Array<PetscInt>       changed_;  // own rows that are not their own part
  PetscInt              nnz_ = 0;  // of the own parts
  std::vector<PetscInt> out_, in_; // where messages begin among the entries sent and received
};

/* The transpose, its rows distributed as A's columns are. Collective. */
CsrMatrix transpose(const Csr &A, const LocalColumns &rows, const MapPtr &columns, MapPtr &columns_of_transpose);

} // namespace goza::parallel
