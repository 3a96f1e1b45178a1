/* Where the nodes of a level lie on a grid, and which of them are to be roots of aggregates so that these are as regular as the grid is.

   A name is then the natural number of a point of the grid: of the node's, or of its root's. A level is a grid of tiles, tile t of a direction being the points
   with (x + shift) / spacing = t, one point each on the finest level. Every third tile of each direction is wanted most, whatever the graph is like:
   - lines (strong along one direction): aggregates of 3, side by side in all lines;
   - planes: 3 x 3, one above the other;
   - 27 points: 3 x 3 x 3, and a coarse operator of 27 points again;
   - 7 points, whose stars leave room between these roots: those on the diagonals, tiles (1, 1, 1) and (2, 2, 2) from each; nine points to a root, whose coarse
     operator has 24 entries a row, where roots in random order have 8.3 points and 33 entries. */
#pragma once
#include "core/launch/for_each_row.hpp"
#include <cstdint>

namespace goza::saamg {

struct Lattice {
  PetscInt points[3]  = {}; // of the grid; 0: nothing is known of one
  PetscInt tiles[3]   = {};
  PetscInt spacing[3] = {1, 1, 1};
  PetscInt shift[3]   = {};

  HD bool known() const { return points[0] > 0; }

  struct Point {
    PetscInt at[3];
  };

  /* Divisions take longest: no more than there must be. */
  HD Point point(PetscInt name) const
  {
    const PetscInt line = name / points[0], plane = line / points[1];

    return {{name - line * points[0], line - plane * points[1], plane}};
  }
  HD Point tile(PetscInt name) const
  {
    Point t = point(name);

    for (int d = 0; d < 3; d++) {
      t.at[d] += shift[d];
      if (spacing[d] > 1) t.at[d] /= spacing[d];
    }
    return t;
  }

  /* 0 .. 7. It is a sum over the directions, so that lines and planes are alike. */
  HD PetscInt rank(PetscInt name) const
  {
    const Point    t = tile(name);
    const PetscInt x = offset(t, 0), y = offset(t, 1), z = offset(t, 2);

    return 2 * ((x == 0) + (y == 0) + (z == 0)) + (x == y && y == z);
  }

  /* A wanted tile, and the tiles beside the wanted one of another name. */
  HD bool wanted(PetscInt name) const { return rank(name) >= 6; }
  HD bool beside(PetscInt name, PetscInt other) const { return beside(tile(name), other); }
  HD bool beside(const Point &a, PetscInt other) const
  {
    const Point b = tile(other);

    for (int d = 0; d < 3; d++) {
      const PetscInt away = a.at[d] - b.at[d];

      if (away < -1 || away > 1) return false;
    }
    return true;
  }

  /* The square, where tiles of all directions are equally wide. */
  HD std::int64_t distance2(PetscInt a, PetscInt b) const
  {
    const PetscInt widest = PetscMax(spacing[0], PetscMax(spacing[1], spacing[2]));
    const Point    p = point(a), q = point(b);
    std::int64_t   sum = 0;

    for (int d = 0; d < 3; d++) {
      const std::int64_t away = static_cast<std::int64_t>(p.at[d] - q.at[d]) * (spacing[d] == widest ? 1 : widest / spacing[d]);

      sum += away * away;
    }
    return sum;
  }

  /* The finest lattice without the tiles before `low` and from `high` on. */
  Lattice within(const std::int64_t low[3], const std::int64_t high[3]) const
  {
    Lattice part = *this;

    for (int d = 0; d < 3; d++) {
      part.shift[d] = shift[d] - static_cast<PetscInt>(low[d]);
      part.tiles[d] = static_cast<PetscInt>(high[d] - low[d]);
    }
    return part;
  }

  /* The lattice of the aggregates, which are longer than a node in some directions. */
  Lattice coarser(const bool longer[3]) const
  {
    Lattice next = *this;

    for (int d = 0; d < 3; d++) {
      if (!longer[d]) continue;
      next.shift[d] += (1 - second(d)) * spacing[d];
      next.spacing[d] *= 3;
      next.tiles[d] = (tiles[d] - second(d)) / 3 + 1;
    }
    return next;
  }

  /* The first wanted tile. */
  HD PetscInt second(int d) const { return tiles[d] % 3 != 1; }

private:
  /* Tiles from a wanted one, 0, 1 or 2. The first tile is wanted where the last one then is, too; else the second, so that neither end has an aggregate of
     one. */
  HD PetscInt offset(const Point &t, int d) const { return (t.at[d] + 3 - second(d)) % 3; }
};

} // namespace goza::saamg
