/* CDS from CSR on a host, in one pass: entries go to their diagonals, or to the rows of the remainder. */
#pragma once
#include "cds_offsets.hpp"
#include "cds_view.hpp"
#include "offset_table.hpp"
#include "core/launch/host_loop.hpp"
#include "core/sparse/csr.hpp"
#include <cstdint>
#include <vector>

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

/* Where the entries of rows that lie alike go, counted from the first diagonal's place of their node: above the main diagonal and on it; of half storage the
   images of those below, too. And which are on no diagonal. */
struct PlacesAlike {
  static constexpr PetscInt most = 256; // entries of a row

  struct Place {
    std::int64_t at;
    PetscInt     entry; // of the row
    bool         main;
  };

  int      nstored = 0, nimages = 0, nothers = 0;
  Place    stored[most], image[most];
  PetscInt other[most];
};

/* Where entries of rows of one unknown go that lie like no other row's, by their offset. Rows pass the loop over them without a branch, since none would
   be foreseen. */
template <class Store> struct PlacesByOffset {
  struct Place {
    Store   *first;         // of row 0
    PetscInt offset, moves; // moves: with the row, all bits, or none
    int      above, other;  // above: the main diagonal of half storage, 1; below, -1, there is an image. other: 1, on no diagonal
  };

  Store              nowhere{};
  Place              none{&nowhere, 0, 0, 0, 1};
  OffsetTable        table;
  std::vector<Place> place; // of the table's slots

  /* val: of the view; half storage has images of what it holds */
  PlacesByOffset(const CdsView<Store> &view, Store *val, bool half, const std::vector<PetscInt> &offsets) : table(offsets), place(table.slots(), none)
  {
    OffsetCursor cursor;

    for (PetscInt o : offsets) {
      const bool below = half && o < 0;

      place[table.slot_of(o)] = {val + cursor.find(view, below ? -o : o) * view.ld + (below ? o : 0), o, -1, !half || !o ? 0 : below ? -1 : 1, 0};
    }
  }
  PlacesByOffset(const PlacesByOffset &) = delete; // its places point to it

  const Place &of(PetscInt offset) const
  {
    const Place &it = place[table.slot_of(offset)];

    return it.offset == offset ? it : none;
  }
};

/* Of half storage what stands below the main diagonal is written nowhere: its image is there already, since the rows come one after the other. */
template <class Store, int bs, bool half> struct CdsHostFill {
  CdsView<Store>               view;
  PetscScalar                  factor;
  Store                       *val;
  double                       tolerance;
  RestRows                     rest;
  const std::vector<PetscInt> &runs; // see Diagonals

  Mirrored operator()(const Csr &A) const
  {
    constexpr std::size_t       ahead = 4;
    Mirrored                    found;
    const PlacesByOffset<Store> places(view, val, half, bs == 1 ? offsets() : std::vector<PetscInt>());

    run_on_host([&] {
      PetscInt k = 0;

      for (std::size_t n = 1; n < runs.size(); n++) {
        if (n + ahead < runs.size()) __builtin_prefetch(A.col + A.ptr[runs[n + ahead - 1]]); // columns of a run's first row alone are read
        put_run(A, runs[n - 1], runs[n], places, &k, &found);
      }
      if (runs.empty()) put_rows(A, 0, A.nrows, places, &k, &found);
    });
    return found;
  }

private:
  std::vector<PetscInt> offsets() const
  {
    std::vector<PetscInt> all;

    for (PetscInt d = view.ndiag; half && d-- > 0;)
      if (view.offset[d]) all.push_back(-view.offset[d]);
    all.insert(all.end(), view.offset, view.offset + view.ndiag);
    return all;
  }

  /* Rows that lie alike: their places are looked up once, and eight nodes written side by side. */
  void put_run(const Csr &A, PetscInt row, PetscInt end, const PlacesByOffset<Store> &by_offset, PetscInt *k, Mirrored *found) const
  {
    constexpr int together = 8;
    PlacesAlike   places;

    if (end - row < 4 || A.ptr[row + 1] - A.ptr[row] > PlacesAlike::most) {
      put_rows(A, row, end, by_offset, k, found);
      return;
    }
    find_places(A, row, &places);
    for (PetscInt done; row < end; row += done) {
      const bool whole = row % bs == 0 && end - row >= together * bs;

      done = whole ? together * bs : 1;
      for (PetscInt r = row; r < row + (whole ? bs : 1); r++) whole ? put_alike<together>(A, r, places, found) : put_alike<1>(A, r, places, found);
      for (PetscInt r = row; half && r < row + (whole ? bs : 1); r++)
        whole ? compare_alike<together>(A, r, places, found) : compare_alike<1>(A, r, places, found);
      for (PetscInt r = row; rest.ptr && r < row + done; r++) {
        for (int e = 0; e < places.nothers; e++) put_rest(A, A.ptr[r] + places.other[e], k);
        rest.ptr[r + 1] = *k;
      }
    }
  }

  void put_rest(const Csr &A, PetscInt j, PetscInt *k) const
  {
    rest.col[*k]     = A.col[j];
    rest.val[(*k)++] = A.val[j] * factor;
  }

  void find_places(const Csr &A, PetscInt row, PlacesAlike *places) const
  {
    const PetscInt i = row / bs, begin = A.ptr[row], n = A.ptr[row + 1] - begin;
    OffsetCursor   cursor;

    for (PetscInt e = 0; e < n; e++) {
      const PetscInt node = A.col[begin + e] / bs, c = A.col[begin + e] - node * bs, offset = node - i;
      const bool     below = half && offset < 0;
      const PetscInt d     = cursor.find(view, below ? -offset : offset);

      if (d < 0) places->other[places->nothers++] = e;
      else if (below) places->image[places->nimages++] = {(d * bs + c) * bs * view.ld + offset, e, false};
      else places->stored[places->nstored++] = {(d * bs * bs + c) * view.ld, e, offset == 0};
    }
  }

  /* The same row of N nodes that lie alike. */
  template <int N> void put_alike(const Csr &A, PetscInt row, const PlacesAlike &places, Mirrored *found) const
  {
    const PetscInt           i = row / bs, r = row % bs;
    const std::ptrdiff_t     step  = static_cast<std::ptrdiff_t>(A.ptr[row + 1] - A.ptr[row]) * bs;
    const PetscScalar *const first = A.val + A.ptr[row], by = factor;

    for (int e = 0; e < places.nstored; e++) {
      const auto        &place = places.stored[e];
      const PetscScalar *from  = first + place.entry;
      Store             *to    = val + (place.at + r * bs * view.ld + i), of_all[N];

      if (N > 1) __builtin_prefetch(to + 2 * N, 1); // as many places are written at once as there are entries: no processor foresees so many
      for (int p = 0; p < N; p++, from += step) of_all[p] = static_cast<Store>(*from * by);
      for (int p = 0; p < N; p++) to[p] = of_all[p];
      if constexpr (half) {
        if (place.main) continue;
        int zeros = 0;
        for (int p = 0; p < N; p++) zeros += static_cast<DoubleScalar>(to[p]) == 0.;
        found->above += N;
        found->zeros += zeros;
      }
    }
  }

  template <int N> void compare_alike(const Csr &A, PetscInt row, const PlacesAlike &places, Mirrored *found) const
  {
    const PetscInt           i = row / bs, r = row % bs;
    const std::ptrdiff_t     step = static_cast<std::ptrdiff_t>(A.ptr[row + 1] - A.ptr[row]) * bs;
    const PetscScalar *const from = A.val + A.ptr[row], by = factor;

    for (int e = 0; e < places.nimages; e++) {
      const auto  &place = places.image[e];
      const Store *image = val + (place.at + r * view.ld + i);
      const auto   value = [&](int p) { return static_cast<Store>(from[place.entry + p * step] * by); };
      bool         other = false;

      for (int p = 0; p < N; p++) {
        const DoubleScalar above = mirrored(view, static_cast<DoubleScalar>(image[p]));

        other |= above != static_cast<DoubleScalar>(value(p)) || above == 0.;
      }
      for (int p = 0; other && p < N; p++) compare(image[p], value(p), found);
      found->above -= N;
    }
  }

  void put_rows(const Csr &A, PetscInt row, PetscInt end, const PlacesByOffset<Store> &places, PetscInt *k, Mirrored *found) const
  {
    for (; row < end; row++) {
      if constexpr (bs == 1) rest.ptr ? put_single<true>(A, row, places, k, found) : put_single<false>(A, row, places, k, found);
      else put_row(A, row / bs, row % bs, k, found);
    }
  }

  /* Of one unknown; what is like its image, as mostly all is, without a branch. The remainder has room for an entry more. */
  template <bool with_rest> void put_single(const Csr &A, PetscInt row, const PlacesByOffset<Store> &places, PetscInt *k, Mirrored *found) const
  {
    const PetscInt begin = A.ptr[row], end = A.ptr[row + 1];
    PetscInt       next  = *k;
    int            above = 0, look = 0;

    for (PetscInt j = begin; j < end; j++) {
      const auto       &place = places.of(A.col[j] - row);
      const PetscScalar a     = A.val[j] * factor;
      const Store       value = static_cast<Store>(a);
      Store *const      to    = place.first + (row & place.moves);

      if constexpr (with_rest) {
        rest.col[next] = A.col[j];
        rest.val[next] = a;
        next += place.other;
      }
      if constexpr (half) {
        const Store        old = *to, kept = place.above < 0 ? old : value;
        const DoubleScalar mine = static_cast<DoubleScalar>(value);

        *to = kept;
        above += place.above;
        look |= ((place.above < 0) & (mirrored(view, static_cast<DoubleScalar>(old)) != mine)) | (mine == 0.);
      } else {
        *to = value;
      }
    }
    if (with_rest) rest.ptr[row + 1] = *k = next;
    found->above += above;
    if (look) look_closer(A, row, places, found);
  }

  /* At a row some of whose entries are zeros or not their images. */
  void look_closer(const Csr &A, PetscInt row, const PlacesByOffset<Store> &places, Mirrored *found) const
  {
    for (PetscInt j = A.ptr[row]; j < A.ptr[row + 1]; j++) {
      const auto &place = places.of(A.col[j] - row);
      const Store value = static_cast<Store>(A.val[j] * factor);

      if (place.above < 0) compare(place.first[row], value, found);
      else if (place.above && static_cast<DoubleScalar>(value) == 0.) found->zeros++;
    }
  }

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
        for (int e = 0; e < n; e++) put_rest(A, j + e, k);
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
