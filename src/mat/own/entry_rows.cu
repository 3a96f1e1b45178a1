/* The entries of an owning matrix as rows, and what goes by its columns. */
#include "core/launch/by_lanes.hpp"
#include "core/launch/joined_rows.hpp"
#include "core/sparse/csr_ops.hpp"
#include "core/util/algorithm.hpp"
#include "entry_ops.hpp"

namespace goza::mat {
namespace {

/* The columns of a matrix, to be gone through as rows. Of a diagonal block both halves are stored, and may differ, where others are held once. */
struct ColumnsOfDiagonals {
  DiagonalValues A;

  template <class F> HD void for_each_of_row(PetscInt col, F f) const
  {
    const bool blocks_once = A.half && A.bs > 1;

    A.for_each_of_column(col, [&](PetscInt row, const PetscScalar *p) { f(row, blocks_once && row / A.bs == col / A.bs ? A.place(row, col) : p); });
  }
};

struct RowsOfTransposed {
  Csr A;

  template <class F> HD void for_each_of_row(PetscInt row, F f) const
  {
    for (PetscInt k = A.ptr[row]; k < A.ptr[row + 1]; k++) f(A.col[k], A.val + k);
  }
};

template <class E> struct MultiplyTransposed {
  E                  A;
  const PetscScalar *x, *z;
  PetscScalar       *y;

  HD void operator()(PetscInt col) const
  {
    PetscScalar sum = 0;

    A.for_each_of_row(col, [&](PetscInt row, const PetscScalar *p) { sum += *p * x[row]; });
    y[col] = z ? z[col] + sum : sum;
  }
};

template <class E> HD void add_squares(PetscInt row, PetscReal *sum, const E &A)
{
  A.for_each_of_row(row, [&](PetscInt, const PetscScalar *p) { *sum += PetscRealPart(*p * PetscConj(*p)); });
}

template <class E> HD void absolute_sum(PetscInt k, const E &A, PetscScalar *y)
{
  PetscReal sum = 0;

  A.for_each_of_row(k, [&](PetscInt, const PetscScalar *p) { sum += PetscAbsScalar(*p); });
  y[k] = sum;
}

/* One row after another, on the host. */
template <class E> void scatter_row(PetscInt row, const E &A, const PetscScalar *x, PetscScalar *y)
{
  A.for_each_of_row(row, [&](PetscInt col, const PetscScalar *p) { y[col] += *p * x[row]; });
}

template <class E> struct CountEntries {
  E         A;
  PetscInt *length;

  HD PetscInt of_row(PetscInt row) const
  {
    PetscInt n = 0;

    A.for_each_of_row(row, [&](PetscInt col, const PetscScalar *p) { n += A.is_entry(row, col, *p); });
    return n;
  }
  HD void operator()(PetscInt row) const { length[row] = of_row(row); }
  HD void operator()(PetscInt row, std::int64_t *sum) const { *sum += of_row(row); }
};

template <class E> HD void copy_entries_of_row(PetscInt row, const E &A, const PetscInt *begin, PetscInt first, PetscInt *to, PetscScalar *val)
{
  PetscInt k = begin[row];

  A.for_each_of_row(row, [&](PetscInt col, const PetscScalar *p) {
    if (!A.is_entry(row, col, *p)) return;
    to[k]    = first + col;
    val[k++] = *p;
  });
}

/* The blocks of a node's rows that have an entry and, where it is asked for, the one on the main diagonal: the rows' number of columns, or these with their
   values from begin[row] on. A lane takes a block. */
struct BlocksOfNode {
  DiagonalValues  A;
  bool            main;
  PetscInt       *length;
  const PetscInt *begin;
  PetscInt       *col;
  PetscScalar    *val;

  HD bool counts(PetscInt i, const DiagonalValues::Block &b) const
  {
    bool any = main && i == b.node;

    for (int k = 0; k < A.bs * A.bs && !any; k++) any = *A.in_block(i, b, k / A.bs, k % A.bs) != PetscScalar(0);
    return any;
  }
  HD void write(PetscInt i, const DiagonalValues::Block &b, PetscInt before) const
  {
    for (int r = 0; r < A.bs; r++) {
      PetscInt at = begin[i * A.bs + r] + before * A.bs;

      for (int c = 0; c < A.bs; c++, at++) {
        col[at] = b.node * A.bs + c;
        val[at] = *A.in_block(i, b, r, c);
      }
    }
  }
  HD void operator()(PetscInt i, int lane, int lanes) const
  {
    PetscInt n = 0;

    for (int first = 0; first < A.blocks(); first += lanes) {
      const auto b  = first + lane < A.blocks() ? A.block(i, first + lane) : DiagonalValues::Block{-1, 0, false};
      const bool is = b.node >= 0 && counts(i, b);
      int        all;

      const int before = lanes_before(is, lanes, &all);
      if (is && !length) write(i, b, n + before);
      n += all;
    }
    for (int r = lane; length && r < A.bs; r += lanes) length[i * A.bs + r] = n * A.bs;
  }
};

/* The columns and values that are counted. */
void write_nodes(Space space, const BlocksOfNode &body)
{
  constexpr int long_row = 16;

  // a warp a node where its rows are long: of seven entries most lanes would have none
  if (body.A.blocks() * body.A.bs >= long_row) for_each_row_by_lanes(space, body.A.nodes, body);
  else for_each_row_by_few_lanes(space, body.A.nodes, body);
}

/* count(lengths); copy(rows): columns and values where these begin */
template <class Count, class Copy> CsrMatrix rows_made(Space space, PetscInt nrows, PetscInt ncols, const Count &count, const Copy &copy)
{
  CsrMatrix rows(space, nrows, ncols);

  rows.ptr = Array<PetscInt>(space, nrows + 1);
  count(rows.ptr.data());
  const PetscInt nnz = lengths_to_pointer(space, rows.ptr);

  rows.col = Array<PetscInt>(space, nnz);
  rows.val = Array<PetscScalar>(space, nnz);
  copy(rows);
  return rows;
}

template <class E> CsrMatrix rows_of(Space space, const E &A)
{
  return rows_made(
    space, A.rows(), A.cols(),
    [&](PetscInt *length) {
      for_each_row(space, A.rows(), CountEntries<E>{A, length});
    },
    [&](CsrMatrix &to) { for_each_row(space, A.rows(), bound<copy_entries_of_row<E>>(A, to.ptr.data(), 0, to.col.data(), to.val.data())); });
}

/* A long row lies in one piece: its length is there, and its entries are copied by lanes. */
struct WithLongRows {
  EllValues       A;
  const PetscInt *ptr;
  PetscInt       *length, *col; // either null
  PetscScalar    *val;

  HD void operator()(PetscInt row) const
  {
    const PetscInt place = A.place_of[row];

    if (length) length[row] = place < 0 ? A.long_ptr[~place + 1] - A.long_ptr[~place] : CountEntries<EllValues>{A, nullptr}.of_row(row);
    else if (place >= 0) copy_entries_of_row(row, A, ptr, 0, col, val);
  }
  HD void operator()(PetscInt row, int lane, int lanes) const
  {
    const PetscInt place = A.place_of[row], from = place < 0 ? A.long_ptr[~place] : 0, n = place < 0 ? A.long_ptr[~place + 1] - from : 0;

    for (PetscInt k = lane; k < n; k += lanes) {
      col[ptr[row] + k] = static_cast<PetscInt>(A.long_col[from + k]);
      val[ptr[row] + k] = A.val[A.long_at + from + k];
    }
  }
};

CsrMatrix rows_of(Space space, const EllValues &A)
{
  if (space == Space::Host || !A.place_of || A.br * A.bc > 1) return rows_of<EllValues>(space, A);
  return rows_made(
    space, A.rows(), A.cols(),
    [&](PetscInt *length) {
      for_each_row(space, A.rows(), WithLongRows{A, nullptr, length, nullptr, nullptr});
    },
    [&](CsrMatrix &to) {
      const WithLongRows body{A, to.ptr.data(), nullptr, to.col.data(), to.val.data()};

      for_each_row(space, A.rows(), body);
      for_each_row_by_lanes(space, A.rows(), body);
    });
}

CsrMatrix rows_of(Space space, const DiagonalValues &A) { return compressed_rows(space, A); }

/* call(columns): formats of rows have none, and rows are made of them for as long as this takes */
template <class Call> void with_columns(Space, const DiagonalValues &A, const Call &call) { call(ColumnsOfDiagonals{A}); }

template <class E, class Call> void with_columns(Space space, const E &A, const Call &call)
{
  const CsrMatrix T = transpose(rows_of(space, A).view());

  call(RowsOfTransposed{T.view()});
}

void multiply_by_columns(Space space, const DiagonalValues &A, const PetscScalar *x, const PetscScalar *z, PetscScalar *y)
{
  for_each_row(space, A.cols(), MultiplyTransposed<ColumnsOfDiagonals>{{A}, x, z, y});
}

/* On the host one row after another. */
template <class E> void multiply_by_columns(Space space, const E &A, const PetscScalar *x, const PetscScalar *z, PetscScalar *y)
{
  if (space == Space::Host) {
    if (!z) std::fill_n(y, A.cols(), PetscScalar(0));
    else if (z != y) std::copy_n(z, A.cols(), y);
    for (PetscInt row = 0; row < A.rows(); row++) scatter_row(row, A, x, y);
  } else with_columns(space, A, [&](const auto &columns) { for_each_row(space, A.cols(), MultiplyTransposed<RowsOfTransposed>{columns, x, z, y}); });
}

} // namespace

void multiply_transposed(Space space, const OwnValues &values, const PetscScalar *x, const PetscScalar *z, PetscScalar *y)
{
  std::visit([&](const auto &A) { multiply_by_columns(space, A, x, z, y); }, values);
}

PetscReal square_sum(Space space, const OwnValues &values)
{
  return std::visit([&](const auto &A) { return joined_rows<Plus, 1, PetscReal>(space, A.rows(), bound<add_squares<std::decay_t<decltype(A)>>>(A))[0]; },
                    values);
}

void absolute_sums(Space space, const OwnValues &values, bool of_columns, PetscScalar *y)
{
  std::visit(
    [&](const auto &A) {
      const auto write = [&](const auto &rows, PetscInt n) { for_each_row(space, n, bound<absolute_sum<std::decay_t<decltype(rows)>>>(rows, y)); };

      if (of_columns) with_columns(space, A, [&](const auto &columns) { write(columns, A.cols()); });
      else write(A, A.rows());
    },
    values);
}

void count_entries(Space space, const OwnValues &values, PetscInt *length)
{
  std::visit([&](const auto &A) { for_each_row(space, A.rows(), CountEntries<std::decay_t<decltype(A)>>{A, length}); }, values);
}

std::int64_t count_entries(Space space, const OwnValues &values)
{
  return std::visit([&](const auto &A) { return joined_rows<Plus, 1, std::int64_t>(space, A.rows(), CountEntries<std::decay_t<decltype(A)>>{A, nullptr})[0]; },
                    values);
}

void copy_entries(Space space, const OwnValues &values, const PetscInt *begin, PetscInt first, PetscInt *col, PetscScalar *val)
{
  std::visit([&](const auto &A) { for_each_row(space, A.rows(), bound<copy_entries_of_row<std::decay_t<decltype(A)>>>(A, begin, first, col, val)); }, values);
}

CsrMatrix compressed_rows(Space space, const DiagonalValues &A, bool main)
{
  CsrMatrix rows(space, A.rows(), A.columns * A.bs);

  rows.ptr = Array<PetscInt>(space, A.rows() + 1);
  for_each_row(space, A.nodes, ByLanes<BlocksOfNode>{{A, main, rows.ptr.data(), nullptr, nullptr, nullptr}}); // values of neighbours lie together
  const PetscInt nnz = lengths_to_pointer(space, rows.ptr);

  rows.col = Array<PetscInt>(space, nnz);
  rows.val = Array<PetscScalar>(space, nnz);
  write_nodes(space, {A, main, nullptr, rows.ptr.data(), rows.col.data(), rows.val.data()});
  return rows;
}

CsrMatrix compressed_rows(Space space, const OwnValues &values)
{
  return std::visit([&](const auto &A) { return rows_of(space, A); }, values);
}

} // namespace goza::mat
