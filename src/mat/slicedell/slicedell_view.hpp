/* Sliced ELL: rows in slices of H consecutive places, each slice as wide as its longest row and stored column by column.

     place        slice 0 (H = 2)      slice 1           entry k of place p stands at slice_ptr[p / H] + k * H + p % H:
       0   a b c     a d b e c -         f - g -         a warp of H places reads H consecutive words.
       1   d e
       2   f g       slice_ptr = 0 6 10
       3   (empty)

   Columns take 16 bits where they fit: a slice whose rows all have gaps of 0 .. 65535 between one column and the next stores these gaps, and the
   row's first column apart; the loop adds them up. A 27-point operator fits: a third of CSR's traffic is indices, here a fifth.
   Threads that share a row (H < 32 on the device) cannot add up its gaps: there each column is stored as its distance from the slice's least.

   Where most slices are alike, as on grids, columns count from a base that each slice has, and slices with the same columns from there share them: hardly
   any traffic is indices then, and they wait in the L1 cache. Each slice has a head that says all of it at once.

   Padding has value 0 and a column of its own row, so that the loop needs no branch and reads no NaN of another row; where a row without entries
   shares a slice with others, `length` bounds the loop instead, and a host, which takes whole slices, leaves out what it has added up for such a row. Place p
   holds matrix row `row[p]` (rows sorted by length, only the rows that have entries, or those that are not much longer than most, see long_rows.hpp); row ==
   nullptr means p itself. */
#pragma once
#include "core/launch/for_each_row.hpp"
#include "core/sparse/local_column.hpp"
#include "mat/tuning.hpp"

namespace goza::mat {

/* Outputs that write the vector which the rows read have a type InPlace: it does not come through a cache that takes it for constant. */
template <class Out, class = void> constexpr bool is_in_place                                          = false;
template <class Out> constexpr bool               is_in_place<Out, std::void_t<typename Out::InPlace>> = true;

template <class Out, class V> HD inline V load_x(const V *x)
{
  if constexpr (is_in_place<Out>) return *x;
  else return cached_load(x);
}

/* A slice that shares its columns. */
struct alignas(4 * sizeof(LocalColumn)) EllHead {
  LocalColumn begin, width; // its values are those of `width` columns of H places, behind `begin` of other slices
  LocalColumn base, at;     // its columns, counted from base, begin there in col
};

template <class Store> struct EllView {
  PetscInt             nplaces;
  int                  shift;     // H = 1 << shift
  const std::int64_t  *slice_ptr; // [nslices + 1]
  const PetscInt      *row;       // [nplaces] or nullptr
  const PetscInt      *length;    // [nplaces] or nullptr
  const Store         *val;       // [slice_ptr[nslices]]
  const std::int64_t  *col_ptr;   // [nslices] where the slice's columns begin in col, or ~(where its gaps begin in gap)
  const LocalColumn   *col;       // columns of the slices that are not in gap
  const std::uint16_t *gap;       // column minus the one before it in the row, 0 for the row's first; where threads share a row, column minus the slice's least
  const LocalColumn   *first;     // if there are gaps: [nplaces] first column of the row, or [nslices] least column of the slice
  const EllHead       *head;      // [nslices] of slices that share their columns, or nullptr: then col_ptr says where they are

  /* Where a slice's columns, or ~gaps, begin, and what columns count from */
  HD std::int64_t columns_at(PetscInt slice) const { return head ? head[slice].at : col_ptr[slice]; }
  HD PetscInt     base(PetscInt slice) const { return head ? head[slice].base : 0; }
  HD bool         empty(PetscInt place) const { return length && !length[place]; } // in a slice with others
};

template <class Store, class V, class Out> struct EllRow {
  EllView<Store> A;
  const V       *x;
  Out            out;

  HD void operator()(PetscInt place) const
  {
    if (A.head) {
      if (A.shift == 5) run_shared<32>(place);
      else run_shared<0>(place);
    } else if (A.shift == 5) run<32>(place);
    else run<0>(place);
  }

private:
  /* height: H, where it is known when this is compiled. */
  template <int height> HD void run(PetscInt place) const
  {
    const PetscInt     H = height ? height : PetscInt(1) << A.shift, slice = place >> A.shift, offset = place & (H - 1);
    const std::int64_t begin = A.slice_ptr[slice], at = A.col_ptr[slice];
    const Store       *val = A.val + (begin + offset);
    PetscInt           n   = A.length ? A.length[place] : static_cast<PetscInt>((A.slice_ptr[slice + 1] - begin) >> A.shift);
    V                  sum = 0;

    /* unrolled by 3, which divides the 27, 18, 12 and 8 + 1 entries of stencils: compared with 1, 4, 6 and 9 */
    if (at < 0) {
      const std::uint16_t *gap = A.gap + (~at + offset);
      LocalColumn          col = A.first[place];

      UNROLL(3)
      for (; n > 0; n--, gap += H, val += H) {
        col += stream_load(gap);
        sum += static_cast<V>(stream_load(val)) * load_x<Out>(x + col);
      }
    } else {
      const LocalColumn *col = A.col + (at + offset);

      UNROLL(3)
      for (; n > 0; n--, col += H, val += H) sum += static_cast<V>(stream_load(val)) * load_x<Out>(x + stream_load(col));
    }
    out(A.row ? A.row[place] : place, sum);
  }

  /* Of a short row nothing is waited for before as much has been asked for as registers of all resident threads can take, what the output reads included. */
  template <int height> HD void run_shared(PetscInt place) const
  {
    constexpr PetscInt short_row = 8;
    const PetscInt     H = height ? height : PetscInt(1) << A.shift, slice = place >> A.shift, offset = place & (H - 1), i = A.row ? A.row[place] : place;
    const EllHead      head = A.head[slice];
    const Store       *val  = A.val + (static_cast<std::int64_t>(head.begin) * H + offset);
    const LocalColumn *col  = A.col + (head.at + offset);
    const V           *from = x + head.base;
    PetscInt           n    = A.length ? A.length[place] : head.width;
    V                  sum  = 0;

    if (n > short_row) {
      UNROLL(3)
      for (; n > 0; n--, col += H, val += H) sum += static_cast<V>(stream_load(val)) * load_x<Out>(from + cached_load(col));
      out(i, sum);
      return;
    }
    V early = 0;
    if constexpr (reads_early<Out>) early = out.early(i);
    for (; n >= 4; n -= 4, col += 4 * H, val += 4 * H) add<4>(val, col, H, from, sum);
    if (n == 3) add<3>(val, col, H, from, sum);
    else if (n == 2) add<2>(val, col, H, from, sum);
    else if (n == 1) add<1>(val, col, H, from, sum);
    if constexpr (reads_early<Out>) out.put(i, sum, early);
    else out(i, sum);
  }

  template <int n> HD static void add(const Store *val, const LocalColumn *col, PetscInt H, const V *from, V &sum)
  {
    Store       a[n];
    LocalColumn c[n];
    V           xs[n];

    for (int k = 0; k < n; k++) c[k] = cached_load(col + k * H);
    for (int k = 0; k < n; k++) a[k] = stream_load(val + k * H);
    for (int k = 0; k < n; k++) xs[k] = load_x<Out>(from + c[k]);
    for (int k = 0; k < n; k++) sum += static_cast<V>(a[k]) * xs[k];
  }
};

#if defined(__CUDACC__)
/* The same with a warp a slice, H < 32: 32/H threads share a row, and the warp still reads consecutive words. */
template <class Store, class V, class Out> struct EllSlice {
  EllView<Store> A;
  const V       *x;
  Out            out;

  __device__ void operator()(PetscInt slice, int lane) const
  {
    const int      H     = 1 << A.shift;
    const PetscInt place = (slice << A.shift) + (lane & (H - 1));
    V              sum;

    if (A.head) {
      const EllHead head = A.head[slice];

      sum = add_up(A.val + (static_cast<std::int64_t>(head.begin) << A.shift), A.col + head.at, x + head.base, lane, entries(place, head.width));
    } else {
      const std::int64_t begin = A.slice_ptr[slice], at = A.col_ptr[slice];
      const PetscInt     n = entries(place, static_cast<PetscInt>((A.slice_ptr[slice + 1] - begin) >> A.shift));

      sum = at < 0 ? add_up(A.val + begin, A.gap + ~at, x + A.first[slice], lane, n) : add_up(A.val + begin, A.col + at, x, lane, n);
    }
    sum = sum_lanes(sum, H);
    if (lane < H && place < A.nplaces) out(A.row ? A.row[place] : place, sum);
  }

private:
  /* Of the slice, that a thread of this place may read. */
  __device__ PetscInt entries(PetscInt place, PetscInt width) const { return (!A.length ? width : place < A.nplaces ? A.length[place] : 0) << A.shift; }

  /* Four entries at once: the device's memory is far away. */
  template <class Index> static __device__ V add_up(const Store *val, const Index *col, const V *from, int lane, PetscInt n)
  {
    constexpr int at_once = 4;
    V             sum     = 0;

    val += lane;
    col += lane;
    for (PetscInt left = n - lane; left > 0; left -= 32 * at_once, val += 32 * at_once, col += 32 * at_once) {
      Index c[at_once] = {};
      Store a[at_once];
      V     xs[at_once];

  #pragma unroll
      for (int u = 0; u < at_once; u++)
        if (32 * u < left) c[u] = cached_load(col + 32 * u);
  #pragma unroll
      for (int u = 0; u < at_once; u++) a[u] = 32 * u < left ? stream_load(val + 32 * u) : Store(0);
  #pragma unroll
      for (int u = 0; u < at_once; u++) xs[u] = 32 * u < left ? from[c[u]] : V(0);
  #pragma unroll
      for (int u = 0; u < at_once; u++) sum += static_cast<V>(a[u]) * xs[u];
    }
    return sum;
  }
};
#endif

} // namespace goza::mat
