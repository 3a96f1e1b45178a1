/* The rows of a sliced-ELL matrix that are much longer than most: a slice would be as wide as they are, and a thread, or a few, would go through them alone.
   They are held as in CSR, and a product cuts them into pieces of so many entries, a warp's work each. */
#pragma once
#include "core/device/array.hpp"
#include "core/sparse/csr.hpp"
#include "core/sparse/local_column.hpp"
#include "mat/tuning.hpp"

namespace goza::mat {

struct LongSpans;

template <class Store, class V> class LongRows {
public:
  explicit LongRows(Space space = Space::Host) : row_(space), ptr_(space), piece_ptr_(space), col_(space), piece_(space) { }

  void                      lay_out(const Csr &A, Array<PetscInt> rows);   // of A, none of them empty
  void                      lay_out_like(const LongRows &other);           // in this one's space
  void                      put_values_at(Store *val) { val_ = val; }      // [entries()], the matrix's memory
  void                      fill(const Csr &A) { fill(A, nullptr, val_); } // the values
  template <class Out> void apply(const V *x, const Out &out) const;
  PetscInt                  rows() const { return static_cast<PetscInt>(row_.size()); }
  std::int64_t              entries() const { return static_cast<std::int64_t>(col_.size()); }
  const PetscInt           *list() const { return row_.data(); }                                                                       // [rows()], ascending
  const PetscInt           *pointer() const { return ptr_.data(); }                                                                    // [rows() + 1]
  const LocalColumn        *columns() const { return col_.data(); }                                                                    // [entries()]
  std::size_t               bytes() const { return row_.bytes() + ptr_.bytes() + piece_ptr_.bytes() + col_.bytes() + piece_.bytes(); } // without the values

private:
  LongSpans spans() const;
  void      fill(const Csr &A, LocalColumn *col, Store *val); // what is not null

  Array<PetscInt>    row_, ptr_, piece_ptr_;
  Array<LocalColumn> col_;
  Store             *val_ = nullptr;
  mutable Array<V>   piece_; // sums between the two kernels of a product
};

} // namespace goza::mat
