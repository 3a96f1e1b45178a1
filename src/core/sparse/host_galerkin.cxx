#include "host_galerkin.hpp"
#include "host_rows.hpp"
#include <cstdint>
#include <new>

namespace goza
{

namespace
{

/* Rows of A P, made in their order and held from the first row of P^T that needs them to the last, in a ring that grows where it must. A row lies in one piece: the
   last one before the ring's end goes on behind it. */
class RowsOfProduct {
public:
  RowsOfProduct(const Csr &A, const Csr &P) : A_(A), P_(P), sums_(P.ncols), place_(A.nrows + 1), col_(size_), val_(size_)
  {
    for (PetscInt i = 0; i < P.nrows; i++) longest_ = std::max(longest_, static_cast<std::size_t>(P.ptr[i + 1] - P.ptr[i]));
  }

  /* Those up to row i; row I of P^T is about to need them. */
  void make_up_to(PetscInt i, PetscInt I)
  {
    for (; made_ <= i; made_++) {
      PetscInt n = 0;

      if (last_use(made_) >= I) {
        make_room(bound(made_), I);
        n = sums_.add_up(terms_of(A_, made_), CsrRows{P_}, no_extra, col_.data() + at(made_), val_.data() + at(made_));
      }
      place_[made_ + 1] = place_[made_] + static_cast<std::uint32_t>(n);
    }
  }

  SparseRow operator()(PetscInt i) const { return {static_cast<PetscInt>(place_[i + 1] - place_[i]), col_.data() + at(i), val_.data() + at(i)}; }
  void      soon(PetscInt i) const
  {
    __builtin_prefetch(col_.data() + at(i));
    __builtin_prefetch(val_.data() + at(i));
    __builtin_prefetch(val_.data() + at(i) + 8);
  }

private:
  std::size_t at(PetscInt i) const { return place_[i] & (size_ - 1); }
  PetscInt    last_use(PetscInt i) const { return P_.ptr[i + 1] > P_.ptr[i] ? P_.col[P_.ptr[i + 1] - 1] : -1; }

  /* No fewer than the entries of row i. */
  std::size_t bound(PetscInt i) const { return std::min(static_cast<std::size_t>(A_.ptr[i + 1] - A_.ptr[i]) * longest_, static_cast<std::size_t>(P_.ncols)); }

  void make_room(std::size_t n, PetscInt I)
  {
    const auto used = [&] { return static_cast<std::uint32_t>(place_[made_] - place_[oldest_]); };

    if (n <= behind_ && used() + n <= size_) return;
    while (oldest_ < made_ && last_use(oldest_) < I) oldest_++;
    if (n <= behind_ && used() + n <= size_) return;

    std::size_t size = size_, behind = std::max(behind_, 2 * n);

    while (used() + n > size / 2) size *= 2;
    if (size > (std::size_t(1) << 31)) throw std::bad_alloc();
    std::vector<PetscInt>    col(size + behind);
    std::vector<PetscScalar> val(size + behind);

    for (PetscInt i = oldest_; i < made_; i++) {
      const SparseRow row = (*this)(i);

      std::copy_n(row.col, row.n, col.data() + (place_[i] & (size - 1)));
      std::copy_n(row.val, row.n, val.data() + (place_[i] & (size - 1)));
    }
    col_.swap(col);
    val_.swap(val);
    size_   = size;
    behind_ = behind;
  }

  const Csr                  A_, P_;
  RowSums                    sums_;
  std::vector<std::uint32_t> place_; // modulo 2^32, and in the ring modulo its size, a power of two
  PetscInt                   made_ = 0, oldest_ = 0;
  std::size_t                size_ = 1 << 14, behind_ = 0, longest_ = 0; // longest_: row of P
  std::vector<PetscInt>      col_;                                       // size_ + behind_
  std::vector<PetscScalar>   val_;
};

/* An array of which nobody knows how long it will be: as long as the rows so far let expect. */
template <class T> class Grown {
public:
  explicit Grown(PetscInt nrows) : nrows_(nrows) { }

  /* The next row's n values. */
  T *next_row(std::size_t n)
  {
    if (used_ + n > array_.size()) {
      const auto expected = static_cast<std::size_t>(1.25 * static_cast<double>(used_) / std::max(rows_, PetscInt(1)) * nrows_);
      Array<T>   larger(Space::Host, std::max(used_ + n + (std::size_t(1) << 16), expected));

      larger.copy_from(array_.data(), used_);
      array_.swap(larger);
    }
    rows_++;
    used_ += n;
    return array_.data() + (used_ - n);
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

} // namespace

CsrMatrix galerkin_host(const Csr &R, const Csr &A, const Csr &P)
{
  CsrMatrix                C(Space::Host, R.nrows, P.ncols);
  RowsOfProduct            rows(A, P);
  RowSums                  sums(P.ncols);
  std::vector<PetscInt>    col(P.ncols);
  std::vector<PetscScalar> val(P.ncols);
  Grown<PetscInt>          cols(R.nrows);
  Grown<PetscScalar>       vals(R.nrows);

  C.ptr = Array<PetscInt>(Space::Host, C.nrows + 1);
  for (PetscInt I = 0; I < C.nrows; I++) {
    if (R.ptr[I + 1] > R.ptr[I]) rows.make_up_to(R.col[R.ptr[I + 1] - 1], I);
    const PetscInt n = sums.add_up(terms_of(R, I), rows, I, col.data(), val.data());

    C.ptr.data()[I] = n;
    sums.sort(n, col.data(), val.data(), cols.next_row(static_cast<std::size_t>(n)), vals.next_row(static_cast<std::size_t>(n)));
  }
  lengths_to_pointer(Space::Host, C.ptr);
  C.val = vals.all();
  C.col = cols.all();
  return C;
}

} // namespace goza
