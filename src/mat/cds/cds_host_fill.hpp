/* CDS from CSR on a host, of one unknown a node, in one pass: entries go to their diagonals, or to the rows of the remainder. */
#pragma once
#include "cds_offsets.hpp"
#include "cds_view.hpp"
#include "entry_check.hpp"
#include "core/launch/host_loop.hpp"
#include "core/sparse/csr.hpp"

namespace goza::mat {

/* The remainder's compressed rows, to be written; none: nullptr. */
struct RestRows {
  PetscInt    *ptr, *col;
  PetscScalar *val;
};

/* Of half storage what stands below the main diagonal is written nowhere. Returned is, where it is asked, a sum that tells whether that is like what stands
   above: entry_check.hpp. */
template <class Store, bool half> struct CdsHostFill {
  CdsView<Store> view;
  PetscScalar    factor;
  Store         *val;
  bool           ask;
  RestRows       rest;

  std::uint64_t operator()(const Csr &A) const
  {
    std::uint64_t sum = 0;

    run_on_host([&] {
      for (PetscInt i = 0, k = 0; i < A.nrows; i++) {
        put_row(A, i, &k, &sum);
        if (rest.ptr) rest.ptr[i + 1] = k;
      }
    });
    return sum;
  }

private:
  /* k: of the next entry of the remainder */
  void put_row(const Csr &A, PetscInt i, PetscInt *k, std::uint64_t *sum) const
  {
    OffsetCursor cursor;

    for (PetscInt j = A.ptr[i]; j < A.ptr[i + 1]; j++) {
      const PetscInt offset = A.col[j] - i;
      const bool     below  = half && offset < 0;
      const PetscInt d      = cursor.find(view, below ? -offset : offset);

      if (d < 0) {
        rest.col[*k]     = A.col[j];
        rest.val[(*k)++] = A.val[j] * factor;
        continue;
      }
      const Store value = static_cast<Store>(A.val[j] * factor);

      if (half && ask && offset)
        *sum += below ? -entry_check(A.col[j], i, mirrored(view, static_cast<DoubleScalar>(value)))
                      : entry_check(i, A.col[j], static_cast<DoubleScalar>(value));
      if (!below) val[d * view.ld + i] = value;
    }
  }
};

} // namespace goza::mat
