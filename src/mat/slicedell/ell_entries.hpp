/* The places of sliced ELL one by one, in either space, for those who read or write values instead of multiplying. */
#pragma once
#include "block_ell_view.hpp"
#include "core/util/search.hpp"

namespace goza::mat {

template <class Store> struct EllEntries {
  EllView<Store>     A; // of block rows
  PetscInt           nrows, ncols;
  int                br, bc;   // of the blocks that share a column index
  PetscInt           team, W;  // see block_ell_view.hpp
  bool               spread;   // gaps count from the slices' least columns
  const PetscInt    *place_of; // [block rows] in the slices, or ~k of long row k; nullptr: a block row's own number
  const PetscInt    *long_ptr;
  const LocalColumn *long_col;
  std::int64_t       long_at, stored; // where the values of long rows begin, and how many there are in all
  Store             *val;

  HD PetscInt rows() const { return nrows; }
  HD PetscInt cols() const { return ncols; }
  HD PetscInt units() const { return nrows; } // for_each_stored()

  /* Along a row: next() goes to the first entry, and from one to the next, whose column and place are col and at. */
  struct Walk {
    const EllEntries    &E;
    std::int64_t         begin;
    PetscInt             offset = 0, step = 1, n, width, base = 0, r;
    const LocalColumn   *cols  = nullptr;
    const std::uint16_t *gaps  = nullptr;
    bool                 apart = false;
    PetscInt             k = -1, c = 0, node = -1, col = -1;
    std::int64_t         at = -1;

    HD Walk(const EllEntries &entries, PetscInt row) : E(entries), r(row % entries.br)
    {
      const EllView<Store> &A = E.A;
      const PetscInt        i = row / E.br, place = E.place_of ? E.place_of[i] : i;

      c = E.bc - 1;
      if (place < 0) {
        apart = true;
        begin = E.long_at + E.long_ptr[~place];
        n = width = E.long_ptr[~place + 1] - E.long_ptr[~place];
        cols      = E.long_col + E.long_ptr[~place];
        return;
      }
      const PetscInt     slice = place >> A.shift;
      const std::int64_t from  = A.columns_at(slice);

      step   = PetscInt(1) << A.shift;
      offset = place & (step - 1);
      begin  = A.slice_ptr[slice];
      width  = static_cast<PetscInt>((A.slice_ptr[slice + 1] - begin) >> A.shift);
      n      = A.length ? A.length[place] : width;
      if (from < 0) {
        gaps = A.gap + (~from + offset);
        base = A.first[E.spread ? slice : place];
      } else {
        cols = A.col + (from + offset);
        base = A.base(slice);
      }
    }

    /* Of block p; where gaps are summed up, of the one that is next. */
    HD PetscInt column(PetscInt p) const { return base + static_cast<PetscInt>(gaps ? gaps[p * step] : cols[p * step]); }
    HD bool     sums() const { return gaps && !E.spread; }

    HD bool next()
    {
      if (++c == E.bc) {
        if (++k >= n) return false;
        c                   = 0;
        const PetscInt here = column(k);

        if (sums()) base = here;
        if (here == node) return false; // padding repeats the row's last column
        node = here;
      }
      col = node * E.bc + c;
      at  = E.index(*this);
      return true;
    }
  };

  /* f(column, place) for the places of a row, ascending. */
  template <class F> HD void for_each_of_row(PetscInt row, F f) const
  {
    for (Walk walk(*this, row); walk.next();) f(walk.col, val + walk.at);
  }

  /* f(row, column, place), the same. */
  template <class F> HD void for_each_stored(PetscInt row, F f) const
  {
    for (Walk walk(*this, row); walk.next();) f(row, walk.col, val + walk.at);
  }

  /* Where an entry inside the matrix stands, from the first value; -1: it has no place. */
  HD std::int64_t index(PetscInt row, PetscInt col) const
  {
    Walk           walk(*this, row);
    const PetscInt wanted = col / bc;

    if (walk.apart) walk.k = partition_point(0, walk.n, [&](PetscInt p) { return walk.column(p) < wanted; });
    else {
      for (walk.k = 0; walk.k < walk.n && walk.column(walk.k) < wanted; walk.k++)
        if (walk.sums()) walk.base = walk.column(walk.k);
    }
    walk.c = static_cast<int>(col % bc);
    return walk.k < walk.n && walk.column(walk.k) == wanted ? index(walk) : -1;
  }
  HD Store *place(PetscInt row, PetscInt col) const
  {
    const std::int64_t at = index(row, col);

    return at < 0 ? nullptr : val + at;
  }
  HD bool     mirrored(PetscInt, PetscInt) const { return false; }
  HD bool     is_entry(PetscInt, PetscInt, Store) const { return true; }
  std::size_t places() const { return static_cast<std::size_t>(stored); }

private:
  HD std::int64_t index(const Walk &walk) const
  {
    if (walk.apart) return walk.begin + walk.k;
    if (br == 1 && bc == 1) return walk.begin + static_cast<std::int64_t>(walk.k) * walk.step + walk.offset;
    const PetscInt   v = walk.r * bc + walk.c;
    const BlockPlace block(walk.begin, walk.width, walk.k, walk.step, team, br * bc, W);

    return block.at + walk.offset * W + static_cast<std::int64_t>(v / W) * block.step + v % W;
  }
};

} // namespace goza::mat
