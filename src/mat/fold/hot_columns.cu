#include "hot_columns.hpp"
#include "core/util/algorithm.hpp"
#include "core/sparse/csr_matrix.hpp"
#include "core/sparse/row_length.hpp"
#include "core/util/sort_unique.hpp"

namespace goza::mat
{

namespace
{

/* For an ascending sort that begins with the longest; entries are the same in number in both spaces. */
struct Shortness {
  const PetscInt *ptr;
  PetscInt        most;
  PetscInt       *key;

  HD void operator()(PetscInt col) const { key[col] = most - (ptr[col + 1] - ptr[col]); }
};

struct CodeOthers {
  PetscInt  nlist;
  PetscInt *code;

  HD void operator()(PetscInt col) const { code[col] = nlist + col; }
};

struct CodeListed {
  const PetscInt *list;
  PetscInt       *code;

  HD void operator()(PetscInt k) const { code[list[k]] = k; }
};

} // namespace

HotColumns find_hot_columns(const Csr &A, PetscInt most, double least_share)
{
  const PetscInt      nnz = entries(A), n = most < A.ncols ? most : A.ncols;
  HotColumns          hot{Array<PetscInt>(A.space), Array<PetscInt>(A.space), 0};
  Array<PetscInt>     ptr(A.space), by_column(A.space), key(A.space, A.ncols);
  Array<std::int64_t> length(A.space, n);

  if (!nnz || PETSC_MAX_INT - A.ncols < n) return hot; // no number is left for a code
  group_by(A.space, A.col, nnz, A.ncols, ptr, by_column);
  for_each_row(A.space, A.ncols, Shortness{ptr.data(), nnz, key.data()});
  const Array<PetscInt> order = order_by(A.space, key.data(), A.ncols);

  for_each_row(A.space, n, RowLength<std::int64_t>{ptr.data(), order.data(), length.data()});
  hot.share = static_cast<double>(sum(A.space, length.data(), n)) / nnz;
  if (hot.share < least_share) return hot;
  hot.list = Array<PetscInt>(A.space, order.data(), n);
  sort_unique(A.space, hot.list.data(), n);
  hot.code = Array<PetscInt>(A.space, A.ncols);
  for_each_row(A.space, A.ncols, CodeOthers{n, hot.code.data()});
  for_each_row(A.space, n, CodeListed{hot.list.data(), hot.code.data()});
  return hot;
}

} // namespace goza::mat
