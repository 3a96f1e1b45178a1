/* Sparse rows made on the host as sums of other sparse rows (Gustavson 1978). */
#pragma once
#include "core/util/algorithm.hpp"
#include "csr_matrix.hpp"

namespace goza {

struct SparseRow {
  PetscInt           n;
  const PetscInt    *col;
  const PetscScalar *val;
};

/* The rows of a matrix, as add_up() wants them. */
struct CsrRows {
  const PetscInt    *ptr, *col;
  const PetscScalar *val;

  explicit CsrRows(const Csr &A) : ptr(A.ptr), col(A.col), val(A.val) { }
  SparseRow operator()(PetscInt i) const { return {ptr[i + 1] - ptr[i], col + ptr[i], val + ptr[i]}; }
  void      soon(PetscInt) const { } // they come one after the other mostly, and the processor sees that
};

/* One row's terms: times factor[t], row which[t]. Behind them may stand those of the rows that come next, up to `known`. */
struct RowTerms {
  PetscInt           n;
  const PetscInt    *which, *known;
  const PetscScalar *factor;
};

inline RowTerms terms_of(const Csr &A, PetscInt row) { return {A.ptr[row + 1] - A.ptr[row], A.col + A.ptr[row], A.col + A.ptr[A.nrows], A.val + A.ptr[row]}; }

constexpr PetscInt no_extra = -1;

class RowSums {
public:
  explicit RowSums(PetscInt ncols) : place_(ncols, -1) { }

  /* The columns in the order in which they first come; returns how many. extra: a column that there is in any case. add(t, row) gives what is to become of the
     entries of term t's row: called with (k, at, first), it adds entry k to place `at`, or, where none was there before, puts it there. small: that takes less
     time than a jump that the processor has not foreseen. */
  template <bool small, class Rows, class Add> PetscInt gather(const RowTerms &terms, const Rows &rows, PetscInt extra, PetscInt *col, const Add &add)
  {
    PetscInt *const place = place_.data();
    const PetscInt  begin = next(static_cast<PetscInt>(place_.size()));
    PetscInt        n     = 0;

    if (extra != no_extra) {
      place[extra] = begin;
      col[0]       = extra;
      n            = 1;
    }
    for (PetscInt t = 0; t < terms.n; t++) {
      const SparseRow row = rows(terms.which[t]);
      const auto      put = add(t, row);

      if (terms.which + t + ahead < terms.known) rows.soon(terms.which[t + ahead]);
      for (PetscInt k = 0; k < row.n; k++) {
        const PetscInt c = row.col[k], seen = place[c] - begin;
        const bool     first = seen < 0;

        if (first) {
          place[c] = begin + n;
          col[n]   = c;
        }
        if constexpr (small) put(k, first ? n++ : seen, first);
        else if (first) put(k, n++, true);
        else put(k, seen, false);
      }
    }
    begin_ = begin;
    end_   = begin + n;
    return n;
  }

  /* The same where the entries are numbers: their sums, in that order. extra: 0 to begin with. */
  template <class Rows> PetscInt add_up(const RowTerms &terms, const Rows &rows, PetscInt extra, PetscInt *col, PetscScalar *val)
  {
    begin_ = next(static_cast<PetscInt>(place_.size()));
    if (extra != no_extra) {
      place_[extra] = begin_;
      col[0]        = extra;
      val[0]        = 0;
    }
    const PetscInt n = add_to(extra != no_extra, terms, rows, begin_, place_.data(), col, val);

    end_ = begin_ + n;
    return n;
  }

  /* The row just gathered, columns ascending: move(from, to) for its entries. In rows that are not long, counting the smaller ones, many at a time, is faster
     than sorting. */
  template <class Move> void order(PetscInt n, const PetscInt *col, PetscInt *sorted_col, const Move &move) const
  {
    constexpr PetscInt few = 96;

    if (n > few) {
      std::copy_n(col, n, sorted_col);
      std::sort(sorted_col, sorted_col + n);
      for (PetscInt k = 0; k < n; k++) move(place_[sorted_col[k]] - begin_, k);
      return;
    }
    for (PetscInt k = 0; k < n; k++) {
      const PetscInt c    = col[k];
      PetscInt       rank = 0;

      for (PetscInt l = 0; l < n; l++) rank += col[l] < c;
      sorted_col[rank] = c;
      move(k, rank);
    }
  }
  void sort(PetscInt n, const PetscInt *col, const PetscScalar *val, PetscInt *sorted_col, PetscScalar *sorted_val) const
  {
    order(n, col, sorted_col, [&](PetscInt from, PetscInt to) { sorted_val[to] = val[from]; });
  }

private:
  static constexpr PetscInt ahead = 16; // rows

  /* A function of its own: together with what is around it its numbers have no room in registers, and it takes twice as long. */
  template <class Rows>
  __attribute__((noinline)) static PetscInt add_to(PetscInt n, const RowTerms terms, const Rows rows, const PetscInt begin, PetscInt *__restrict__ place,
                                                   PetscInt *__restrict__ col, PetscScalar *__restrict__ val)
  {
    for (PetscInt t = 0; t < terms.n; t++) {
      const SparseRow   row    = rows(terms.which[t]);
      const PetscScalar factor = terms.factor[t];

      if (terms.which + t + ahead < terms.known) rows.soon(terms.which[t + ahead]);
      for (PetscInt k = 0; k < row.n; k++) {
        const PetscInt    c = row.col[k], seen = place[c] - begin;
        const PetscScalar v = factor * row.val[k];

        if (seen >= 0) val[seen] += v;
        else {
          place[c] = begin + n;
          col[n]   = c;
          val[n++] = v;
        }
      }
    }
    return n;
  }

  /* A number above all that stand in place_, and so many more of them. */
  PetscInt next(PetscInt n)
  {
    if (end_ > PETSC_MAX_INT - n - 1) {
      std::fill(place_.begin(), place_.end(), -1);
      end_ = 0;
    }
    return end_++;
  }

  std::vector<PetscInt> place_; // of a column in the last row that had it, counted from the beginning of that row's numbers
  PetscInt              begin_ = 0, end_ = 0;
};

/* An array of which nobody knows how long it will be: as long as the rows so far let expect. */
template <class T> class Grown {
public:
  /* expected: where that is known */
  explicit Grown(PetscInt nrows, std::size_t expected = 0) : array_(Space::Host, expected, unset), nrows_(nrows) { }

  /* Where the next row will be, which has at most n values; then, how many it has. */
  T *room(std::size_t n)
  {
    if (used_ + n > array_.size()) {
      const auto expected = static_cast<std::size_t>(1.25 * static_cast<double>(used_) / std::max(rows_, PetscInt(1)) * nrows_);
      Array<T>   larger(Space::Host, std::max(used_ + n + (std::size_t(1) << 16), expected), unset);

      larger.copy_from(array_.data(), used_);
      array_.swap(larger);
    }
    return array_.data() + used_;
  }
  void take(std::size_t n)
  {
    rows_++;
    used_ += n;
  }

  /* The next row's n values. */
  T *next_row(std::size_t n)
  {
    T *const row = room(n);

    take(n);
    return row;
  }
  Array<T> all()
  {
    array_.shorten(used_);
    return std::move(array_);
  }

private:
  Array<T>    array_;
  std::size_t used_ = 0;
  PetscInt    nrows_, rows_ = 0;
};

/* terms(row) gives the RowTerms, extra(row) a column that the row has in any case, finish(row, column, sum) the entry of C. */
template <class Terms, class Rows, class Extra, class Finish>
void make_rows(const Terms &terms, const Rows &rows, const Extra &extra, const Finish &finish, CsrMatrix &C)
{
  RowSums            sums(C.ncols);
  Array<PetscInt>    col(Space::Host, C.ncols, unset);
  Array<PetscScalar> val(Space::Host, C.ncols, unset);
  Grown<PetscInt>    cols(C.nrows);
  Grown<PetscScalar> vals(C.nrows);

  C.ptr = Array<PetscInt>(Space::Host, C.nrows + 1, unset);
  for (PetscInt row = 0; row < C.nrows; row++) {
    const PetscInt n = sums.add_up(terms(row), rows, extra(row), col.data(), val.data());

    for (PetscInt k = 0; k < n; k++) val.data()[k] = finish(row, col.data()[k], val.data()[k]);
    sums.sort(n, col.data(), val.data(), cols.room(n), vals.room(n));
    cols.take(n);
    vals.take(n);
    C.ptr.data()[row] = n;
  }
  lengths_to_pointer(Space::Host, C.ptr);
  C.val = vals.all();
  C.col = cols.all();
}

} // namespace goza
