/* The rows of colours of few rows, colour by colour, as in CSR. On a device a run of such colours is one launch: a block of threads, or a cluster of blocks,
   relaxes one after the other, and waits between two of them for itself alone. That takes less time than a launch for each, and they are made at once. On a
   host, where colours follow a flow, there are hundreds of some ten rows. */
#pragma once
#include "coloring.hpp"
#include "core/sparse/local_column.hpp"

namespace goza::saamg {

/* Rows of such a colour at most: with more entries those threads take longer than a launch on the whole device. */
PetscInt largest_small_color(const Csr &A);

template <class V> class SmallColors {
public:
  explicit SmallColors(Space space) : begin_(space), row_(space), ptr_(space), col_(space), val_(space) { }

  void        build(const Csr &A, const Coloring &coloring, const std::vector<char> &held);              // held: by colour, whether
  void        relax(PetscInt first, PetscInt ncolors, bool back, const V *b, const V *dinv, V *x) const; // back: first, first - 1, ...
  std::size_t bytes() const { return begin_.bytes() + row_.bytes() + ptr_.bytes() + col_.bytes() + val_.bytes(); }

private:
  PetscInt           lanes_ = 1, threads_ = 32, blocks_ = 1; // of a row, of a block, of the kernel
  Array<PetscInt>    begin_, row_, ptr_;                     // [colours + 1], [rows], [rows + 1]
  Array<LocalColumn> col_;
  Array<V>           val_;
};

} // namespace goza::saamg
