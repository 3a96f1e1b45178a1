/* CDS from CSR on a host, in one pass: entries go to their diagonals, or to the rows of the remainder. */
#pragma once
#include "cds_offsets.hpp"
#include "cds_view.hpp"
#include "core/launch/host_loop.hpp"
#include "core/sparse/csr.hpp"

namespace goza::mat {

/* The remainder's compressed rows, to be written; none: nullptr. */
struct RestRows {
  PetscInt    *ptr, *col;
  PetscScalar *val;
};

/* What stands below the main diagonal of half storage beside what stands above: entries that differ by more than the tolerance of their own size; entries above
   less entries below, and zeros above less entries below whose images are zeros. */
struct Mirrored {
  std::int64_t differ = 0, above = 0, zeros = 0;

  bool balanced() const { return above == 0 && zeros == 0; }
};

/* Of half storage what stands below the main diagonal is written nowhere: its image is there already, since the rows come one after the other. */
template <class Store, int bs, bool half> struct CdsHostFill {
  CdsView<Store> view;
  PetscScalar    factor;
  Store         *val;
  double         tolerance;
  RestRows       rest;

  Mirrored operator()(const Csr &A) const
  {
    Mirrored found;

    run_on_host([&] {
      PetscInt k = 0;

      for (PetscInt i = 0; i < A.nrows / bs; i++)
        for (int r = 0; r < bs; r++) put_row(A, i, r, &k, &found);
    });
    return found;
  }

private:
  /* k: of the next entry of the remainder */
  void put_row(const Csr &A, PetscInt i, int r, PetscInt *k, Mirrored *found) const
  {
    const PetscInt     row = i * bs + r, end = A.ptr[row + 1];
    const std::int64_t ld = view.ld;
    OffsetCursor       cursor;
    Mirrored           here;

    for (PetscInt j = A.ptr[row]; j < end;) {
      const PetscInt node = A.col[j] / bs, offset = node - i, first = node * bs, d = cursor.find(view, half && offset < 0 ? -offset : offset);
      const int      n = in_node(A.col + j, end - j, first);

      if (d < 0) {
        for (int e = 0; e < n; e++) {
          rest.col[*k]     = A.col[j + e];
          rest.val[(*k)++] = A.val[j + e] * factor;
        }
      } else if (half && offset < 0) {
        const Store *image = val + (d * bs * bs + r) * ld + node; // of a column's entry it is `bs` places of ld further

        here.above -= n;
        each(A, j, n, first, [&](int c, PetscScalar a) { compare(image[c * bs * ld], static_cast<Store>(a), &here); });
      } else {
        Store *place = val + (d * bs + r) * bs * ld + i;

        here.above += half && offset ? n : 0;
        each(A, j, n, first, [&](int c, PetscScalar a) {
          place[c * ld] = static_cast<Store>(a);
          if (half && offset && static_cast<DoubleScalar>(place[c * ld]) == 0.) here.zeros++;
        });
      }
      j += n;
    }
    if (rest.ptr) rest.ptr[row + 1] = *k;
    found->differ += here.differ;
    found->above += here.above;
    found->zeros += here.zeros;
  }

  /* How many of a row's columns from here on are of a node; mostly all of them. */
  static int in_node(const PetscInt *col, PetscInt left, PetscInt first)
  {
    int n = 1;

    while (n < bs && n < left && col[n] >= first && col[n] < first + bs) n++;
    return n;
  }

  /* put(c, a): of n entries of a node */
  template <class Put> void each(const Csr &A, PetscInt j, int n, PetscInt first, const Put &put) const
  {
    if (bs <= 3 && n == bs && A.col[j] == first && A.col[j + bs - 1] == first + bs - 1) /* no column is there twice */
      for (int c = 0; c < bs; c++) put(c, A.val[j + c] * factor);
    else
      for (int e = 0; e < n; e++) put(static_cast<int>(A.col[j + e] - first), A.val[j + e] * factor);
  }

  void compare(Store above, Store below, Mirrored *found) const
  {
    const DoubleScalar image = mirrored(view, static_cast<DoubleScalar>(above)), value = static_cast<DoubleScalar>(below);

    if (image == 0.) found->zeros--;
    if (image == value) return;                   // mostly
    if (image != image && value != value) return; // a NaN is like another
    found->differ += !(size_of(image - value) <= tolerance * size_of(value));
  }
};

} // namespace goza::mat
