/* The places of Fold one by one, in either space, for those who read or write values instead of multiplying. */
#pragma once
#include "core/util/search.hpp"
#include "fold_view.hpp"

namespace goza::mat {

template <class Store> struct FoldEntries {
  FoldView<Store> A;
  PetscInt        nrows, ncols;
  std::int64_t    piece;      // entries of a whole piece of a long row
  const PetscInt *line_of;    // [nrows] the row's first line among those of all groups; or ~k of long row k
  const PetscInt *long_group; // [long rows] that of the first piece
  const PetscInt *piece_ptr;
  std::int64_t    stored;
  Store          *val;

  HD PetscInt rows() const { return nrows; }
  HD PetscInt cols() const { return ncols; }
  HD PetscInt units() const { return nrows; } // for_each_stored()

  /* Along a row: next() goes to the first entry, and from one to the next, whose column and place are col and at. */
  struct Walk {
    const FoldEntries &E;
    PetscInt           group, n = 0, k = -1, col = -1; // group: the row's first
    int                lane = 0, lines = 1;
    std::int64_t       at = -1;

    HD Walk(const FoldEntries &entries, PetscInt row) : E(entries)
    {
      const PetscInt line = E.line_of[row];

      if (line < 0) {
        const PetscInt before = E.piece_ptr[~line + 1] - E.piece_ptr[~line] - 1; // pieces but the last

        group = E.long_group[~line];
        lines = fold_lanes;
        n     = static_cast<PetscInt>(before * E.piece) + entries_of_lines(E.A.head[group + before]);
        return;
      }
      group                = line / fold_lanes;
      lane                 = static_cast<int>(line % fold_lanes);
      const FoldHead &head = E.A.head[group];

      while (lane + lines < fold_lanes && line_length(head.line[lane + lines]) && !(head.line[lane + lines] & fold_first)) lines++;
      n = entries_of_lines(head);
    }

    /* To entry p of the row. */
    HD void go_to(PetscInt p)
    {
      const PetscInt     inside = static_cast<PetscInt>(p % E.piece);
      const FoldHead    &head   = E.A.head[group + static_cast<PetscInt>(p / E.piece)];
      const std::int64_t to     = static_cast<std::int64_t>(inside / lines) * fold_lanes + lane + inside % lines;

      k   = p;
      at  = head.begin + to;
      col = head.base >= 0 ? head.base + E.A.near_columns(head)[to] : static_cast<PetscInt>(E.A.col[head.col + to]);
    }
    HD bool next()
    {
      if (k + 1 >= n) return false;
      go_to(k + 1);
      return true;
    }

  private:
    HD PetscInt entries_of_lines(const FoldHead &head) const
    {
      PetscInt sum = 0;

      for (int l = lane; l < lane + lines; l++) sum += line_length(head.line[l]);
      return sum;
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

  /* Where an entry inside the matrix stands; nullptr: it has no place. */
  HD Store *place(PetscInt row, PetscInt col) const
  {
    Walk           walk(*this, row);
    const PetscInt p = partition_point(0, walk.n, [&](PetscInt k) {
      walk.go_to(k);
      return walk.col < col;
    });

    if (p == walk.n) return nullptr;
    walk.go_to(p);
    return walk.col == col ? val + walk.at : nullptr;
  }
  HD bool     mirrored(PetscInt, PetscInt) const { return false; }
  HD bool     is_entry(PetscInt, PetscInt, Store) const { return true; }
  std::size_t places() const { return static_cast<std::size_t>(stored); }
};

} // namespace goza::mat
