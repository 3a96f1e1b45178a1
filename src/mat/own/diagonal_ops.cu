#include "diagonal_ops.hpp"
#include "core/launch/row_sums.hpp"
#include "core/util/algorithm.hpp"

namespace goza::mat
{

namespace
{

struct ScaleNode {
  DiagonalValues     A;
  PetscScalar        factor;
  const PetscScalar *row, *column;

  HD void operator()(PetscInt i) const
  {
    A.for_each_stored(i, [&](PetscInt r, PetscInt c, PetscScalar *p) { *p *= factor * (row ? row[r] : PetscScalar(1)) * (column ? column[c] : PetscScalar(1)); });
  }
};

struct ReadDiagonal {
  DiagonalValues A;
  PetscScalar   *y;

  HD void operator()(PetscInt row) const
  {
    const PetscScalar *p = row / A.bs < A.columns ? A.place(row, row) : nullptr;

    y[row] = p ? *p : PetscScalar(0);
  }
};

struct ReadBlockRow {
  DiagonalValues A;
  PetscInt       bs;
  PetscScalar   *block;

  HD void operator()(PetscInt row) const
  {
    for (PetscInt c = 0; c < bs; c++) {
      const PetscScalar *p = A.place(row, row - row % bs + c);

      block[static_cast<std::int64_t>(row) * bs + c] = p ? *p : PetscScalar(0);
    }
  }
};

struct ChangeDiagonal {
  DiagonalValues     A;
  PetscScalar        factor;
  const PetscScalar *x;
  bool               add;

  HD void operator()(PetscInt row) const
  {
    PetscScalar *p = A.place(row, row);

    *p = (add ? *p : PetscScalar(0)) + (x ? factor * x[row] : factor);
  }
};

struct Combine {
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

struct TransposeNode {
  DiagonalValues T, A;

  HD void operator()(PetscInt i) const
  {
    T.for_each_stored(i, [&](PetscInt row, PetscInt col, PetscScalar *p) { *p = *A.place(col, row); });
  }
};

struct MultiplyTransposed {
  DiagonalValues     A;
  const PetscScalar *x, *z;
  PetscScalar       *y;

  HD void operator()(PetscInt col) const
  {
    PetscScalar sum = 0;

    A.for_each_of_column(col, [&](PetscInt row, const PetscScalar *p) { sum += *p * x[row]; });
    y[col] = z ? z[col] + sum : sum;
  }
};

struct SumOfRow {
  DiagonalValues A;
  bool           of_column, squares;

  HD PetscReal sum(PetscInt k) const
  {
    PetscReal  sum  = 0;
    const auto join = [&](PetscInt, const PetscScalar *p) { sum += squares ? PetscRealPart(*p * PetscConj(*p)) : PetscAbsScalar(*p); };

    if (of_column) A.for_each_of_column(k, join);
    else A.for_each_of_row(k, join);
    return sum;
  }

  HD void operator()(PetscInt k, PetscReal *all) const { *all = squares ? Plus::join(*all, sum(k)) : Most::join(*all, sum(k)); }
};

struct WriteSum {
  SumOfRow     row;
  PetscScalar *y;

  HD void operator()(PetscInt k) const { y[k] = row.sum(k); }
};

struct ZeroNode {
  DiagonalValues A;
  const char    *gone;
  PetscScalar    diag;
  bool           columns;

  HD void operator()(PetscInt i) const
  {
    A.for_each_stored(i, [&](PetscInt row, PetscInt col, PetscScalar *p) {
      if (gone[row] && row == col) *p = diag;
      else if (gone[row] || (columns && gone[col])) *p = 0;
    });
  }
};

struct LessColumns {
  DiagonalValues     A;
  const char        *gone;
  const PetscScalar *x;
  PetscScalar       *b;

  HD void operator()(PetscInt row) const
  {
    PetscScalar less = 0;

    if (gone[row]) return;
    A.for_each_of_row(row, [&](PetscInt col, const PetscScalar *p) {
      if (gone[col]) less += *p * x[col];
    });
    b[row] -= less;
  }
};

HD inline bool is_entry(PetscInt row, PetscInt col, PetscScalar value)
{
  return row == col || value != PetscScalar(0);
}

struct CountEntries {
  DiagonalValues A;
  PetscInt      *length;

  HD PetscInt of_row(PetscInt row) const
  {
    PetscInt n = 0;

    A.for_each_of_row(row, [&](PetscInt col, const PetscScalar *p) { n += is_entry(row, col, *p); });
    return n;
  }
  HD void operator()(PetscInt row) const { length[row] = of_row(row); }
  HD void operator()(PetscInt row, std::int64_t *sum) const { *sum += of_row(row); }
};

struct CopyEntries {
  DiagonalValues  A;
  const PetscInt *begin;
  PetscInt        first;
  PetscInt       *to;
  PetscScalar    *val;

  HD void operator()(PetscInt row) const
  {
    PetscInt k = begin[row];

    A.for_each_of_row(row, [&](PetscInt col, const PetscScalar *p) {
      if (!is_entry(row, col, *p)) return;
      to[k]    = first + col;
      val[k++] = *p;
    });
  }
};

/* The blocks of a row that have an entry and, where it is asked for, the one on the main diagonal: their number of columns, or these with their values from begin[row] on. */
struct BlocksOfRow {
  DiagonalValues  A;
  bool            main;
  PetscInt       *length;
  const PetscInt *begin;
  PetscInt       *col;
  PetscScalar    *val;

  HD bool counts(PetscInt i, PetscInt j, int d, bool mirrored) const
  {
    bool any = main && i == j;

    for (int k = 0; k < A.bs * A.bs && !any; k++) any = *A.in_block(i, j, d, mirrored, k / A.bs, k % A.bs) != PetscScalar(0);
    return any;
  }
  HD void operator()(PetscInt row) const
  {
    const PetscInt i  = row / A.bs;
    const int      r  = static_cast<int>(row % A.bs);
    PetscInt       at = length ? 0 : begin[row];

    A.for_each_block(i, [&](PetscInt j, int d, bool mirrored) {
      if (!counts(i, j, d, mirrored)) return;
      for (int c = 0; c < A.bs; c++, at++) {
        if (length) continue;
        col[at] = j * A.bs + c;
        val[at] = *A.in_block(i, j, d, mirrored, r, c);
      }
    });
    if (length) length[row] = at;
  }
};

PetscReal joined(Space space, const DiagonalValues &A, PetscInt n, bool of_column, bool squares)
{
  Array<PetscReal> result(space, 1);

  if (squares) join_rows<Plus, 1>(space, n, SumOfRow{A, of_column, true}, result.data());
  else join_rows<Most, 1>(space, n, SumOfRow{A, of_column, false}, result.data());
  return read_value(space, result.data());
}

} // namespace

void scale(Space space, const DiagonalValues &A, PetscScalar factor)
{
  for_each_row(space, A.nodes, ScaleNode{A, factor, nullptr, nullptr});
}

void scale_rows_and_columns(Space space, const DiagonalValues &A, const PetscScalar *row, const PetscScalar *column)
{
  for_each_row(space, A.nodes, ScaleNode{A, 1, row, column});
}

void read_diagonal(Space space, const DiagonalValues &A, PetscScalar *y)
{
  for_each_row(space, A.rows(), ReadDiagonal{A, y});
}

void read_blocks(Space space, const DiagonalValues &A, PetscInt bs, PetscScalar *block)
{
  for_each_row(space, A.rows(), ReadBlockRow{A, bs, block});
}

void change_diagonal(Space space, const DiagonalValues &A, PetscScalar factor, const PetscScalar *x, bool add)
{
  for_each_row(space, PetscMin(A.nodes, A.columns) * A.bs, ChangeDiagonal{A, factor, x, add});
}

void combine(Space space, const DiagonalValues &Y, const DiagonalValues &X, PetscScalar factor, bool add)
{
  Combine body{Y, X, factor, add, {}};

  for (int d = 0; d < Y.ndiag; d++) body.from[d] = static_cast<short>(X.find(X.half && Y.offset[d] < 0 ? -Y.offset[d] : Y.offset[d]));
  for_each_row(space, Y.nodes, body);
}

void transpose_into(Space space, const DiagonalValues &T, const DiagonalValues &A)
{
  for_each_row(space, T.nodes, TransposeNode{T, A});
}

void multiply_transposed(Space space, const DiagonalValues &A, const PetscScalar *x, const PetscScalar *z, PetscScalar *y)
{
  for_each_row(space, A.columns * A.bs, MultiplyTransposed{A, x, z, y});
}

PetscReal largest_row_sum(Space space, const DiagonalValues &A)
{
  return joined(space, A, A.rows(), false, false);
}

PetscReal largest_column_sum(Space space, const DiagonalValues &A)
{
  return joined(space, A, A.columns * A.bs, true, false);
}

PetscReal square_sum(Space space, const DiagonalValues &A)
{
  return joined(space, A, A.rows(), false, true);
}

void absolute_sums(Space space, const DiagonalValues &A, bool of_columns, PetscScalar *y)
{
  for_each_row(space, of_columns ? A.columns * A.bs : A.rows(), WriteSum{{A, of_columns, false}, y});
}

void zero_rows(Space space, const DiagonalValues &A, const char *gone, PetscScalar diag)
{
  for_each_row(space, A.nodes, ZeroNode{A, gone, diag, false});
}

void zero_rows_and_columns(Space space, const DiagonalValues &A, const char *gone, PetscScalar diag, const PetscScalar *x, PetscScalar *b)
{
  if (x) for_each_row(space, A.rows(), LessColumns{A, gone, x, b});
  for_each_row(space, A.nodes, ZeroNode{A, gone, diag, true});
}

void count_entries(Space space, const DiagonalValues &A, PetscInt *length)
{
  for_each_row(space, A.rows(), CountEntries{A, length});
}

std::int64_t count_entries(Space space, const DiagonalValues &A)
{
  Array<std::int64_t> sum(space, 1);

  join_rows<Plus, 1>(space, A.rows(), CountEntries{A, nullptr}, sum.data());
  return read_value(space, sum.data());
}

void copy_entries(Space space, const DiagonalValues &A, const PetscInt *begin, PetscInt first, PetscInt *col, PetscScalar *val)
{
  for_each_row(space, A.rows(), CopyEntries{A, begin, first, col, val});
}

CsrMatrix compressed_rows(Space space, const DiagonalValues &A, bool main)
{
  CsrMatrix rows(space, A.rows(), A.columns * A.bs);

  rows.ptr = Array<PetscInt>(space, A.rows() + 1);
  for_each_row(space, A.rows(), BlocksOfRow{A, main, rows.ptr.data(), nullptr, nullptr, nullptr});
  const PetscInt nnz = lengths_to_pointer(space, rows.ptr);

  rows.col = Array<PetscInt>(space, nnz);
  rows.val = Array<PetscScalar>(space, nnz);
  for_each_row(space, A.rows(), BlocksOfRow{A, main, nullptr, rows.ptr.data(), rows.col.data(), rows.val.data()});
  return rows;
}

} // namespace goza::mat
