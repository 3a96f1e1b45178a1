/* How sliced ELL is laid out: bodies that find the widths of the slices and where their columns go. */
#pragma once
#include "core/sparse/csr.hpp"
#include "core/sparse/local_column.hpp"

namespace goza::mat {

/* Width of one slice, in stored entries, and what adds up over all slices: the widths, whether an empty row shares it with others, and whether it has a row of
   more than `most` entries. */
struct SliceWidth {
  enum Sum { stored, mixed, with_long_row, sums };

  PetscInt        nplaces;
  int             shift;
  PetscInt        most;
  const PetscInt *ptr, *row;
  std::int64_t   *width;

  static constexpr bool walks_along_row = true;

  HD void operator()(PetscInt slice, std::int64_t *sum) const
  {
    const PetscInt H       = PetscInt(1) << shift;
    PetscInt       longest = 0;
    bool           empty   = false;

    for (PetscInt place = slice << shift; place < (slice + 1) << shift && place < nplaces; place++) {
      const PetscInt i = row ? row[place] : place, n = ptr[i + 1] - ptr[i];

      longest = n > longest ? n : longest;
      empty   = empty || n == 0;
    }
    width[slice] = static_cast<std::int64_t>(longest) * H;
    sum[stored] += width[slice];
    sum[mixed] += longest && empty;
    sum[with_long_row] += longest > most;
  }
};

/* Whether a row held has more than `most` entries. */
HD inline void is_long(PetscInt place, PetscInt most, const PetscInt *ptr, const PetscInt *row, char *longer, char *other)
{
  longer[place] = ptr[row[place] + 1] - ptr[row[place]] > most;
  other[place]  = !longer[place];
}

/* Whether the columns of a place ascend and, unless spread, every gap between neighbours fits in 16 bits. fits: [nplaces] */
HD inline void place_columns_at(PetscInt place, bool spread, const PetscInt *ptr, const PetscInt *col, const PetscInt *row, char *fits)
{
  const PetscInt i = row ? row[place] : place, end = ptr[i + 1];
  bool           ok = true;

  for (PetscInt j = ptr[i] + 1; j < end; j++) ok = ok && col[j] >= col[j - 1] && (spread || col[j] - col[j - 1] <= most_in_16_bits);
  fits[place] = ok;
}

/* Whether all places of a slice fit (spread: and every distance from the slice's least column, which goes to least[]); entries[] and gaps[] get the slice's
   stored entries in the one that will hold its columns, 0 in the other. */
struct SliceColumns {
  PetscInt            nplaces;
  int                 shift;
  bool                spread;
  const PetscInt     *ptr, *col, *row;
  const char         *place_fits;
  const std::int64_t *slice_ptr;
  std::int64_t       *entries, *gaps;
  LocalColumn        *least;

  HD void operator()(PetscInt slice) const
  {
    bool     fits = true, any = false;
    PetscInt low = 0, high = 0;

    for (PetscInt place = slice << shift; place < (slice + 1) << shift && place < nplaces && fits; place++) {
      const PetscInt i = row ? row[place] : place;

      fits = place_fits[place];
      if (!spread || ptr[i] >= ptr[i + 1]) continue;
      const PetscInt from = col[ptr[i]], to = col[ptr[i + 1] - 1];

      low  = !any || from < low ? from : low;
      high = !any || to > high ? to : high;
      any  = true;
    }
    if (spread) {
      fits         = fits && high - low <= most_in_16_bits;
      least[slice] = static_cast<LocalColumn>(low);
    }
    gaps[slice]    = fits ? slice_ptr[slice + 1] - slice_ptr[slice] : 0;
    entries[slice] = fits ? 0 : slice_ptr[slice + 1] - slice_ptr[slice];
  }
};

/* After both were scanned [nslices + 1]: one signed place for either. entries: becomes col_ptr */
HD inline void slice_column_place(PetscInt slice, const std::int64_t *gaps, std::int64_t *entries)
{
  if (gaps[slice + 1] > gaps[slice]) entries[slice] = ~gaps[slice];
}

/* Where the rows are: of those in slices, places; of those apart, ~their number. */
HD inline void place_of_row(PetscInt k, bool apart, const PetscInt *row, PetscInt *place) { place[row[k]] = apart ? ~k : k; }

} // namespace goza::mat
