/* Sparse rows made on the host as sums of other sparse rows (Gustavson 1978). */
#pragma once
#include "core/util/algorithm.hpp"
#include "csr_matrix.hpp"
#include <algorithm>
#include <vector>

namespace goza
{

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

inline RowTerms terms_of(const Csr &A, PetscInt row)
{
  return {A.ptr[row + 1] - A.ptr[row], A.col + A.ptr[row], A.col + A.ptr[A.nrows], A.val + A.ptr[row]};
}

constexpr PetscInt no_extra = -1;

class RowSums {
public:
  explicit RowSums(PetscInt ncols) : place_(ncols, -1) { }

  /* How many columns the sum has. extra: a column that it has in any case. Not to be called between gather() and order(). */
  template <class Rows> PetscInt count(const RowTerms &terms, const Rows &rows, PetscInt extra)
  {
    PetscInt *const place = place_.data();
    const PetscInt  mark  = next(1);
    PetscInt        n     = 0;

    if (extra != no_extra) {
      place[extra] = mark;
      n            = 1;
    }
    for (PetscInt t = 0; t < terms.n; t++) {
      const SparseRow row = rows(terms.which[t]);

      for (PetscInt k = 0; k < row.n; k++) {
        n += place[row.col[k]] != mark;
        place[row.col[k]] = mark;
      }
    }
    return n;
  }

  /* The columns in the order in which they first come; returns how many. add(t, row) gives what is to become of the entries of term t's row: called with (k,
     at, first), it adds entry k to place `at`, or, where none was there before, puts it there. small: that takes less time than a jump that the processor has
     not foreseen. */
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
  static constexpr PetscInt ahead = 8; // rows

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

/* terms(row) gives the RowTerms, extra(row) a column that the row has in any case, finish(row, column, sum) the entry of C. C's arrays are written once, after
   a pass that counts: fresh memory is slower than that. */
template <class Terms, class Rows, class Extra, class Finish>
void make_rows(const Terms &terms, const Rows &rows, const Extra &extra, const Finish &finish, CsrMatrix &C)
{
  RowSums  sums(C.ncols);
  PetscInt longest = 0;

  C.ptr = Array<PetscInt>(Space::Host, C.nrows + 1, unset);
  for (PetscInt row = 0; row < C.nrows; row++) {
    C.ptr.data()[row] = sums.count(terms(row), rows, extra(row));
    longest           = std::max(longest, C.ptr.data()[row]);
  }
  const PetscInt nnz = lengths_to_pointer(Space::Host, C.ptr);
  C.col              = Array<PetscInt>(Space::Host, nnz, unset);
  C.val              = Array<PetscScalar>(Space::Host, nnz, unset);

  std::vector<PetscInt>    col(longest);
  std::vector<PetscScalar> val(longest);

  for (PetscInt row = 0; row < C.nrows; row++) {
    const PetscInt first = C.ptr.data()[row], n = sums.add_up(terms(row), rows, extra(row), col.data(), val.data());

    for (PetscInt k = 0; k < n; k++) val[k] = finish(row, col[k], val[k]);
    sums.sort(n, col.data(), val.data(), C.col.data() + first, C.val.data() + first);
  }
}

} // namespace goza
