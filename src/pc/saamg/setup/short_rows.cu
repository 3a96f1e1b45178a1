#include "short_rows.hpp"
#include "core/launch/by_lanes.hpp"
#include "core/util/algorithm.hpp"
#include "within_rows.hpp"
#include <limits>

namespace goza::saamg {
namespace {

HD void length_kept(PetscInt i, const PetscInt *ptr, PetscInt most, PetscInt *length)
{
  const PetscInt n = ptr[i + 1] - ptr[i];

  length[i] = n > most ? most : n;
}

/* An entry's place among those of its row: by size, rounded to float so that values which differ only by the order of a sum compare equal, then by name. */
struct Ranked {
  float    size;
  PetscInt name;

  HD bool before(const Ranked &other) const { return size > other.size || (size == other.size && name < other.name); }
};

#if defined(__CUDACC__)
/* Of all lanes, the entry that comes first: each of them gets it. */
__device__ inline Ranked first_of_lanes(Ranked entry, int lanes)
{
  for (int offset = 1; offset < lanes; offset <<= 1) {
    const Ranked other{__shfl_xor_sync(lanes_of_row(lanes), entry.size, offset), __shfl_xor_sync(lanes_of_row(lanes), entry.name, offset)};

    if (other.before(entry)) entry = other;
  }
  return entry;
}
#endif

template <int most> struct KeepLargest {
  const PetscInt    *ptr, *col;
  const PetscScalar *val, *coarse; // [columns]
  const PetscInt    *name;         // [columns]
  NodeIds            rows;
  const PetscInt    *list; // of which nodes the rows are, or null
  const PetscInt    *kept_ptr;
  PetscInt          *kept_col;
  PetscScalar       *kept_val;

  HD Ranked ranked(PetscInt k, PetscInt p) const
  {
    const PetscInt c    = col[p];
    const float    size = static_cast<float>(PetscAbsScalar(val[p] * coarse[c]));

    return {name[c] == rows(list ? list[k] : k) ? std::numeric_limits<float>::max() : size >= 0 ? size : 0, name[c]}; // a NaN has a place, too
  }

  HD void operator()(PetscInt k, int lane, int lanes) const
  {
    const PetscInt begin = ptr[k], end = ptr[k + 1], first = kept_ptr[k];
    const bool     shorter = end - begin > kept_ptr[k + 1] - first;
    const Ranked   last    = shorter ? last_kept(k, begin, end, lane, lanes) : Ranked{-1, 0};
    PetscScalar    wanted = 0, found = 0;
    PetscInt       q = first;

    for (PetscInt round = begin; round < end; round += lanes) {
      const PetscInt    p    = round + lane;
      const PetscScalar part = p < end ? val[p] * coarse[col[p]] : PetscScalar(0);
      const bool        kept = p < end && !(shorter && last.before(ranked(k, p)));
      int               all;
      const PetscInt    to = q + lanes_before(kept, lanes, &all);

      wanted += part;
      q += all;
      if (!kept) continue;
      found += part;
      kept_col[to] = col[p];
      kept_val[to] = val[p];
    }
    wanted                  = sum_of_lanes(wanted, lanes);
    found                   = sum_of_lanes(found, lanes);
    const PetscScalar share = shorter ? share_out(wanted, found) : PetscScalar(0);

    if (share == PetscScalar(0)) return;
    wait_for_lanes(lanes);
    for (PetscInt p = first + lane; p < q; p += lanes) kept_val[p] *= share;
  }

private:
  HD Ranked last_kept(PetscInt k, PetscInt begin, PetscInt end, int lane, [[maybe_unused]] int lanes) const
  {
    Ranked kept[most]; // of this lane's entries

    UNROLL()
    for (int n = 0; n < most; n++) kept[n] = {-1, 0};
    for (PetscInt p = begin + lane; p < end; p += lanes) {
      Ranked entry = ranked(k, p);

      UNROLL()
      for (int n = 0; n < most; n++) {
        if (!entry.before(kept[n])) continue;
        const Ranked next = kept[n];

        kept[n] = entry;
        entry   = next;
      }
    }
#if defined(__CUDA_ARCH__)
    if (lanes > 1) {
      for (int turn = 1;; turn++) {
        const Ranked first = first_of_lanes(kept[0], lanes);

        if (turn == most) return first;
        if (kept[0].before(first) || first.before(kept[0])) continue;
        UNROLL()
        for (int n = 1; n < most; n++) kept[n - 1] = kept[n];
        kept[most - 1] = {-1, 0};
      }
    }
#endif
    return kept[most - 1];
  }
};

template <int most> CsrMatrix keep_largest(const ColumnsOfP &of, const PetscInt *list, const ColumnMap &columns, const CsrMatrix &P)
{
  const Space              space  = P.space();
  const Array<PetscScalar> coarse = with_ghosts(of.coarse_B, columns);
  const Array<PetscInt>    name   = with_ghosts(of.name, columns);
  CsrMatrix                kept(space, P.nrows, P.ncols);

  kept.ptr = Array<PetscInt>(space, P.nrows + 1);
  for_each_row(space, P.nrows, bound<length_kept>(P.ptr.data(), static_cast<PetscInt>(most), kept.ptr.data()));
  const PetscInt nnz = lengths_to_pointer(space, kept.ptr);

  kept.col = Array<PetscInt>(space, nnz, unset);
  kept.val = Array<PetscScalar>(space, nnz, unset);
  for_each_row_by_lanes(space, P.nrows,
                        KeepLargest<most>{P.ptr.data(), P.col.data(), P.val.data(), coarse.data(), name.data(), of.rows, list, kept.ptr.data(), kept.col.data(),
                                          kept.val.data()});
  return kept;
}

} // namespace

CsrMatrix with_largest(const ColumnsOfP &of, const Array<PetscInt> *list, const ColumnMap &columns, const CsrMatrix &P)
{
  return list ? keep_largest<most_entries_of_chosen>(of, list->data(), columns, P) : keep_largest<most_entries_kept>(of, nullptr, columns, P);
}

} // namespace goza::saamg
