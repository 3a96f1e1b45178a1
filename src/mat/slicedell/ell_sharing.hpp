/* Which slices of sliced ELL have the same columns, counted from a base of each: bodies that number what stands in a slice, compare those of one number, and
   make heads. */
#pragma once
#include "core/util/hash.hpp"
#include "core/util/relaxed.hpp"
#include "slicedell_view.hpp"

namespace goza::mat {

/* A number for the columns of a place, counted from its first: places with other columns rarely have the same. */
struct PlacePattern {
  const PetscInt *ptr, *col, *row;
  std::uint32_t  *pattern; // [nplaces]

  HD void operator()(PetscInt place) const
  {
    const PetscInt i = row ? row[place] : place, begin = ptr[i], end = ptr[i + 1];
    std::uint32_t  h = static_cast<std::uint32_t>(end - begin);

    for (PetscInt j = begin + 1; j < end; j++) h = mixed(h, static_cast<std::uint32_t>(col[j] - col[begin]));
    pattern[place] = h;
  }

  static HD std::uint32_t mixed(std::uint32_t h, std::uint32_t value)
  {
    h = scattered(h ^ value);
    return h ^ h >> 15;
  }
};

/* What the columns of a slice count from, the first one of its first place that has any, and a number for all that stand in it. */
struct SlicePattern {
  PetscInt             nplaces;
  int                  shift;
  const PetscInt      *ptr, *col, *row;
  const std::uint32_t *pattern;
  PetscInt            *base, *key;

  HD void operator()(PetscInt slice) const
  {
    std::uint32_t h    = 0;
    PetscInt      from = -1;

    for (PetscInt place = slice << shift; place < (slice + 1) << shift; place++) {
      const PetscInt i   = place >= nplaces ? -1 : row ? row[place] : place;
      const bool     any = i >= 0 && ptr[i] < ptr[i + 1];

      if (any && from < 0) from = col[ptr[i]];
      h = PlacePattern::mixed(PlacePattern::mixed(h, any ? pattern[place] : 0), any ? static_cast<std::uint32_t>(col[ptr[i]] - from) : 0);
    }
    base[slice] = from < 0 ? 0 : from;
    key[slice]  = static_cast<PetscInt>(h >> 1);
  }
};

/* The rows of a sample of slices. rows: [sampled << shift] */
HD inline void sample_row_at(PetscInt k, PetscInt sampled, PetscInt nslices, int shift, const PetscInt *row, PetscInt *rows)
{
  const PetscInt place = (somewhere_in_part(k >> shift, sampled, nslices) << shift) + (k & ((PetscInt(1) << shift) - 1));

  rows[k] = row ? row[place] : place;
}

/* Of so many slices, those whose key another one has had: they share a slot of a table with one before them, by chance one in sixteen. */
struct CountRepeated {
  static constexpr PetscInt slots = 8; // for each slice

  PetscInt        nslices;
  const PetscInt *key;
  PetscInt       *table; // [slots * nslices] 0 before

  HD void operator()(PetscInt slice, std::int64_t *count) const
  {
    *count += add_relaxed(table + scattered(key[slice]) % (slots * static_cast<std::uint32_t>(nslices)), 1) > 0;
  }
};

/* The first slice with the same key, for the slices in the order of their keys. */
HD inline void first_alike(PetscInt k, const PetscInt *key, const PetscInt *order, PetscInt *like)
{
  const PetscInt slice = order[k];
  PetscInt       low = 0, high = k;

  while (low < high) {
    const PetscInt mid = low + (high - low) / 2;

    if (key[order[mid]] < key[slice]) low = mid + 1;
    else high = mid;
  }
  like[slice] = order[low];
}

/* Whether a place's columns are indeed those of the same place in the slice that its own is like. differs: [nslices], 0 before */
HD inline void compare_places(PetscInt place, int shift, const PetscInt *ptr, const PetscInt *col, const PetscInt *row, const PetscInt *base,
                              const PetscInt *like, char *differs)
{
  const PetscInt slice = place >> shift, other = (like[slice] << shift) + (place & ((PetscInt(1) << shift) - 1));

  if (like[slice] == slice) return;
  const PetscInt i = row ? row[place] : place, k = row ? row[other] : other, n = ptr[i + 1] - ptr[i], step = base[slice] - base[like[slice]];
  bool           same = ptr[k + 1] - ptr[k] == n;

  for (PetscInt j = 0; same && j < n; j++) same = col[ptr[i] + j] == col[ptr[k] + j] + step;
  if (!same) differs[slice] = 1;
}

/* Entries of which each slice holds the columns itself; differs: or none */
HD inline void own_columns(PetscInt slice, const char *differs, const std::int64_t *slice_ptr, PetscInt *like, std::int64_t *own)
{
  if (differs && differs[slice]) like[slice] = slice;
  own[slice] = like[slice] == slice ? slice_ptr[slice + 1] - slice_ptr[slice] : 0;
}

/* After they were scanned: the others' columns are those of the slice that they are like. */
HD inline void make_heads(PetscInt slice, int shift, const PetscInt *like, const PetscInt *base, const std::int64_t *slice_ptr, const std::int64_t *own,
                          EllHead *head)
{
  const std::int64_t begin = slice_ptr[slice] >> shift, end = slice_ptr[slice + 1] >> shift;

  head[slice] = {static_cast<LocalColumn>(begin), static_cast<LocalColumn>(end - begin), static_cast<LocalColumn>(base[slice]),
                 static_cast<LocalColumn>(own[like[slice]])};
}

} // namespace goza::mat
