#include "entry_ops.hpp"
#include "core/launch/joined_rows.hpp"

namespace goza::mat {
namespace {

template <class E> HD void scale_node(PetscInt i, const E &A, PetscScalar factor, const PetscScalar *row, const PetscScalar *column)
{
  A.for_each_stored(i, [&](PetscInt r, PetscInt c, PetscScalar *p) { *p *= factor * (row ? row[r] : PetscScalar(1)) * (column ? column[c] : PetscScalar(1)); });
}

/* Of an entry that stands where its mirror image does, that one is written. */
HD void write_row(PetscInt row, std::int64_t *missing, const DiagonalValues &A, const Csr &rows)
{
  for (PetscInt k = rows.ptr[row]; k < rows.ptr[row + 1]; k++) {
    PetscScalar *const p = A.place(row, rows.col[k]);

    if (!p) ++*missing;
    else if (rows.val && !A.mirrored(row, rows.col[k])) *p = rows.val[k];
  }
}

/* found: of distance 0 */
HD void note_offsets(PetscInt row, const Csr &rows, int bs, char *found)
{
  for (PetscInt k = rows.ptr[row]; k < rows.ptr[row + 1]; k++) found[rows.col[k] / bs - row / bs] = 1;
}

template <class E> HD void read_diagonal_at(PetscInt row, const E &A, PetscScalar *y)
{
  const PetscScalar *p = row < A.cols() ? A.place(row, row) : nullptr;

  y[row] = p ? *p : PetscScalar(0);
}

template <class E> HD void read_block_row(PetscInt row, const E &A, PetscInt bs, PetscScalar *block)
{
  for (PetscInt c = 0; c < bs; c++) {
    const PetscScalar *p = A.place(row, row - row % bs + c);

    block[static_cast<std::int64_t>(row) * bs + c] = p ? *p : PetscScalar(0);
  }
}

template <class E> HD void change_diagonal_at(PetscInt row, const E &A, PetscScalar factor, const PetscScalar *x, bool add)
{
  PetscScalar *p = A.place(row, row);

  *p = (add ? *p : PetscScalar(0)) + (x ? factor * x[row] : factor);
}

struct CombineDiagonals {
  DiagonalValues Y, X;
  PetscScalar    factor;
  bool           add;
  short          from[max_diagonals]; // of X, for those of Y; -1: none

  HD void operator()(PetscInt i) const
  {
    for (int d = 0; d < Y.ndiag; d++) {
      const PetscInt j = i + Y.offset[d];

      if (j < 0 || j >= Y.columns) continue;
      for (int r = 0; r < Y.bs; r++) {
        for (int c = 0; c < Y.bs; c++) {
          PetscScalar      *y = Y.at(d, r, c, i);
          const PetscScalar x = from[d] < 0 ? PetscScalar(0) : X.half && j < i ? *X.at(from[d], c, r, j) : *X.at(from[d], r, c, i);

          *y = add ? *y + factor * x : factor * x;
        }
      }
    }
  }
};

HD void transpose_node(PetscInt i, const DiagonalValues &T, const DiagonalValues &A)
{
  T.for_each_stored(i, [&](PetscInt row, PetscInt col, PetscScalar *p) { *p = *A.place(col, row); });
}

/* Y has a place for each entry of X. Both rows ascend. */
template <class E> HD void combine_rows(PetscInt row, const E &Y, const E &X, PetscScalar factor, bool add)
{
  typename E::Walk from(X, row);
  bool             more = from.next();

  for (typename E::Walk to(Y, row); to.next();) {
    PetscScalar *y = Y.val + to.at;

    while (more && from.col < to.col) more = from.next();
    const PetscScalar x = more && from.col == to.col ? X.val[from.at] : PetscScalar(0);

    *y = add ? *y + factor * x : factor * x;
  }
}

template <class E> HD void count_missing_diagonals(PetscInt k, PetscInt *sum, const E &A, const PetscInt *rows)
{
  const PetscInt row = rows ? rows[k] : k;

  *sum += !A.place(row, row);
}

template <class E> HD void count_missing(PetscInt row, std::int64_t *sum, const E &Y, const E &X)
{
  typename E::Walk to(Y, row);
  bool             more = to.next();

  for (typename E::Walk from(X, row); from.next();) {
    while (more && to.col < from.col) more = to.next();
    *sum += !more || to.col != from.col;
  }
}

template <class E> HD void zero_node(PetscInt i, const E &A, const char *gone, PetscScalar diag, bool columns)
{
  A.for_each_stored(i, [&](PetscInt row, PetscInt col, PetscScalar *p) {
    if (gone[row] && row == col) *p = diag;
    else if (gone[row] || (columns && gone[col])) *p = 0;
  });
}

template <class E> HD void less_columns(PetscInt row, const E &A, const char *gone, const PetscScalar *x, PetscScalar *b)
{
  PetscScalar less = 0;

  if (gone[row]) return;
  A.for_each_of_row(row, [&](PetscInt col, const PetscScalar *p) {
    if (gone[col]) less += *p * x[col];
  });
  b[row] -= less;
}

} // namespace

void scale(Space space, const OwnValues &values, PetscScalar factor) { scale_rows_and_columns(space, values, factor, nullptr, nullptr); }

void scale_rows_and_columns(Space space, const OwnValues &values, PetscScalar factor, const PetscScalar *row, const PetscScalar *column)
{
  std::visit([&](const auto &A) { for_each_row(space, A.units(), bound<scale_node<std::decay_t<decltype(A)>>>(A, factor, row, column)); }, values);
}

void read_diagonal(Space space, const OwnValues &values, PetscScalar *y)
{
  std::visit([&](const auto &A) { for_each_row(space, A.rows(), bound<read_diagonal_at<std::decay_t<decltype(A)>>>(A, y)); }, values);
}

void read_blocks(Space space, const OwnValues &values, PetscInt bs, PetscScalar *block)
{
  std::visit([&](const auto &A) { for_each_row(space, A.rows(), bound<read_block_row<std::decay_t<decltype(A)>>>(A, bs, block)); }, values);
}

void change_diagonal(Space space, const OwnValues &values, PetscScalar factor, const PetscScalar *x, bool add)
{
  std::visit([&](const auto &A) { for_each_row(space, PetscMin(A.rows(), A.cols()), bound<change_diagonal_at<std::decay_t<decltype(A)>>>(A, factor, x, add)); },
             values);
}

static void combine(Space space, const DiagonalValues &Y, const DiagonalValues &X, PetscScalar factor, bool add)
{
  CombineDiagonals body{Y, X, factor, add, {}};

  for (int d = 0; d < Y.ndiag; d++) body.from[d] = static_cast<short>(X.find(X.half && Y.offset[d] < 0 ? -Y.offset[d] : Y.offset[d]));
  for_each_row(space, Y.nodes, body);
}

template <class E> static void combine(Space space, const E &Y, const E &X, PetscScalar factor, bool add)
{
  for_each_row(space, Y.rows(), bound<combine_rows<E>>(Y, X, factor, add));
}

void combine(Space space, const OwnValues &Y, const OwnValues &X, PetscScalar factor, bool add)
{
  std::visit([&](const auto &A) { combine(space, A, std::get<std::decay_t<decltype(A)>>(X), factor, add); }, Y);
}

PetscInt missing_diagonals(Space space, const OwnValues &values, const Array<PetscInt> *rows)
{
  return std::visit(
    [&](const auto &A) {
      using E = std::decay_t<decltype(A)>;

      const PetscInt n = rows ? static_cast<PetscInt>(rows->size()) : PetscMin(A.rows(), A.cols());

      return joined_rows<Plus, 1, PetscInt>(space, n, bound<count_missing_diagonals<E>>(A, rows ? rows->data() : nullptr))[0];
    },
    values);
}

static std::int64_t missing_places(Space, const DiagonalValues &, const DiagonalValues &) { throw std::logic_error("diagonals have no places by rows"); }

template <class E> static std::int64_t missing_places(Space space, const E &Y, const E &X)
{
  return joined_rows<Plus, 1, std::int64_t>(space, X.rows(), bound<count_missing<E>>(Y, X))[0];
}

std::int64_t write_rows(const DiagonalValues &A, const Csr &rows)
{
  return joined_rows<Plus, 1, std::int64_t>(rows.space, rows.nrows, bound<write_row>(A, rows))[0];
}

std::vector<PetscInt> offsets_of(const Csr &rows, int bs, std::size_t most)
{
  const std::int64_t    before = (rows.nrows + bs - 1) / bs, all = before + (rows.ncols + bs - 1) / bs;
  Array<char>           found(rows.space, static_cast<std::size_t>(all));
  std::vector<PetscInt> offset;

  found.zero();
  for_each_row(rows.space, rows.nrows, bound<note_offsets>(rows, bs, found.data() + before));
  const std::vector<char> on_host = found.to_host();
  for (std::int64_t k = 0; k < all && offset.size() <= most; k++)
    if (on_host[k]) offset.push_back(static_cast<PetscInt>(k - before));
  return offset;
}

std::int64_t missing_places(Space space, const OwnValues &Y, const OwnValues &X)
{
  return std::visit([&](const auto &A) { return missing_places(space, A, std::get<std::decay_t<decltype(A)>>(X)); }, Y);
}

void transpose_into(Space space, const DiagonalValues &T, const DiagonalValues &A) { for_each_row(space, T.nodes, bound<transpose_node>(T, A)); }

void zero_rows(Space space, const OwnValues &values, const char *gone, PetscScalar diag)
{
  std::visit([&](const auto &A) { for_each_row(space, A.units(), bound<zero_node<std::decay_t<decltype(A)>>>(A, gone, diag, false)); }, values);
}

void zero_rows_and_columns(Space space, const OwnValues &values, const char *gone, PetscScalar diag, const PetscScalar *x, PetscScalar *b)
{
  std::visit(
    [&](const auto &A) {
      using E = std::decay_t<decltype(A)>;

      if (x) for_each_row(space, A.rows(), bound<less_columns<E>>(A, gone, x, b));
      for_each_row(space, A.units(), bound<zero_node<E>>(A, gone, diag, true));
    },
    values);
}

} // namespace goza::mat
