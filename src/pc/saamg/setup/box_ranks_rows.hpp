/* Row bodies of boxes on several ranks (box_ranks.hpp). */
#pragma once
#include "box_grid.hpp"
#include "parallel/renumber.hpp"

namespace goza::saamg {

/* How far a rank's nodes are from either end of the lattice: coordinate + 1, and nodes - coordinate. */
struct ReachOfNodes {
  NodeIds  ids; // with the lattice
  BoxGrid  whole;
  PetscInt at[3]; // the lattice's direction for each of the grid

  HD void operator()(PetscInt i, std::int64_t *most) const
  {
    const auto tile = ids.lattice.tile(ids(i));

    for (int d = 0; d < 3; d++) {
      const std::int64_t x = static_cast<std::int64_t>(whole.begin[d]) + tile.at[at[d]];

      if (x >= most[d]) most[d] = x + 1;
      if (whole.nodes[d] - x > most[3 + d]) most[3 + d] = whole.nodes[d] - x;
    }
  }
};

/* Where a local column is on the grid. */
struct FindNode {
  Lattice         lattice;
  BoxGrid         grid;
  PetscInt        begin[3], at[3]; // begin: of tile 0, on the grid
  const PetscInt *id;
  PetscInt       *node;

  HD void operator()(PetscInt c) const
  {
    const auto tile   = lattice.tile(id[c]);
    bool       inside = true;
    PetscInt   x[3]   = {};

    for (int d = 0; d < 3; d++) {
      x[d]   = begin[d] + tile.at[at[d]];
      inside = inside && x[d] >= 0 && x[d] < grid.nodes[d];
    }
    node[c] = inside ? grid.neighbour(0, static_cast<int>(x[0]), static_cast<int>(x[1]), static_cast<int>(x[2])) : -1;
  }
};

/* Between what is kept for local columns and for the grid's nodes. coupled: see RankBoxes::update() */
template <class T> HD void take_from_grid(PetscInt i, const PetscInt *node, const T *on_grid, bool coupled, PetscInt *value)
{
  const T v = on_grid[node[i]];

  value[i] = coupled ? PetscInt(v != 0) << bit_of(0, 0, 0) : static_cast<PetscInt>(v);
}

template <class T, class From> HD void put_on_grid(PetscInt c, const PetscInt *node, const From *value, T *on_grid)
{
  if (node[c] >= 0) on_grid[node[c]] = static_cast<T>(value[c]);
}

struct OfOthers {
  Bits27 *stencil;

  HD void operator()(PetscInt i) const { stencil[i] = of_others; }
};

/* The places of a row's entries, and its values there. Entries come in the order of their places as long as they are this rank's. */
struct PlaceRow {
  BoxGrid         grid;
  CdsStencil      to;
  PetscInt        step[27]; // from a node to that at a place
  const PetscInt *ptr;
  Columns         col;
  Values          val;
  const PetscInt *node;
  PetscScalar    *placed;  // as to.val
  Bits27         *stencil; // null: known already

  HD PlaceRow on(Columns c, Values v) const
  {
    PlaceRow body = *this;

    body.col = c;
    body.val = v;
    return body;
  }

  HD void operator()(PetscInt i) const
  {
    const PetscInt here = node[i], end = ptr[i + 1];
    const Bits27   inside = places_inside(grid, here);
    Bits27         s      = 0;
    int            bit    = 0;

    for (PetscInt p = ptr[i]; p < end; p++) {
      const PetscInt j     = node[col[p]];
      int            tried = 0;

      for (; tried < 27 && !(inside >> bit & 1 && here + step[bit] == j); tried++) bit = bit < 26 ? bit + 1 : 0;
      if (tried == 27) {
        s |= far_neighbour;
        continue;
      }
      s |= Bits27(1) << bit;
      placed[to.start[bit] + here] = val[p];
    }
    if (stencil) stencil[here] = s;
  }
};

HD inline void column_on_grid(PetscInt c, const PetscInt *node, PetscInt *column)
{
  if (node[c] >= 0) column[node[c]] = c;
}

/* A rank's row from some of its values by place. */
struct WriteKept {
  BoxGrid         grid;
  CdsStencil      from;
  const Bits27   *kept;
  const PetscInt *node, *column, *ptr; // column: [nodes]
  PetscInt       *col;
  PetscScalar    *val;

  HD void operator()(PetscInt i) const
  {
    const PetscInt here = node[i];

    for_each_neighbour(grid, here, kept[here], [&](int bit, PetscInt j, int, int, int) {
      const PetscInt c = column[j];
      PetscInt       p = ptr[i];

      for_each_neighbour(grid, here, kept[here], [&](int, PetscInt other, int, int, int) { p += column[other] < c; });
      col[p] = c;
      val[p] = from(here, bit);
    });
  }
};

/* The roots among a rank's nodes: how many stand before, then their numbers. */
struct IsRootOfBox {
  BoxGrid         grid;
  const PetscInt *node;
  PetscInt       *mark;

  HD bool is_root(PetscInt i) const
  {
    const BoxNode n = grid.place(node[i]);

    return n.inside && n.is_root();
  }
  HD void operator()(PetscInt i) const { mark[i] = is_root(i); }
};

struct NumberBoxRoots {
  IsRootOfBox roots; // mark: how many stand before each node
  PetscInt    begin;
  NodeIds     ids;
  PetscInt   *of_node, *name; // -1: no root

  HD void operator()(PetscInt i) const
  {
    const bool root = roots.is_root(i);

    of_node[i] = root ? begin + roots.mark[i] : -1;
    name[i]    = root ? ids(i) : -1;
  }
};

/* What local columns are in becomes known of their boxes, */
struct TellBoxes {
  BoxGrid         grid;
  const PetscInt *node, *of_node;
  PetscInt       *of_box;

  HD void operator()(PetscInt c) const
  {
    if (of_node[c] >= 0 && node[c] >= 0) of_box[grid.number(grid.place(node[c]).box)] = of_node[c];
  }
};

/* and of all coupled nodes that are in these. */
struct AskBoxes {
  BoxGrid         grid;
  const Bits27   *stencil;
  const PetscInt *node, *of_box;
  PetscInt       *of_node;

  HD void operator()(PetscInt i) const { of_node[i] = stencil[node[i]] & coupled_node ? of_box[grid.number(grid.place(node[i]).box)] : -1; }
};

/* The boxes that a node's row of P reaches, in the order of their numbers. */
struct NumberedPlaces {
  BoxGrid         grid;
  const Bits8    *reach;
  const PetscInt *node, *number;

  HD PetscInt box(const BoxNode &n, int place) const
  {
    return grid.box_behind(grid.number(n.box), lower_box(n.o[0]) + (place & 1), lower_box(n.o[1]) + (place >> 1 & 1), lower_box(n.o[2]) + (place >> 2));
  }
  /* f(place, which of the row's entries, number) */
  template <class F> HD void for_each(PetscInt here, F f) const
  {
    const BoxNode  n    = grid.place(here);
    const unsigned bits = reach[here];
    PetscInt       of[8];

    for (int place = 0; place < 8; place++) of[place] = bits >> place & 1 ? number[box(n, place)] : PETSC_MAX_INT;
    for (int place = 0; place < 8; place++) {
      PetscInt before = 0;

      if (!(bits >> place & 1)) continue;
      for (int other = 0; other < 8; other++) before += of[other] < of[place];
      f(place, before, of[place]);
    }
  }
};

template <class Bits> HD void length_of_own_row(PetscInt i, const Bits *bits, const PetscInt *node, PetscInt *length) { length[i] = how_many(bits[node[i]]); }

/* A rank's row of P from that on its grid. */
HD inline void own_row_of_p(PetscInt i, const NumberedPlaces &places, const PetscInt *from_ptr, const PetscScalar *from, const PetscInt *ptr, PetscInt *col,
                            PetscScalar *val)
{
  const PetscInt here = places.node[i];

  places.for_each(here, [&](int place, PetscInt k, PetscInt number) {
    col[ptr[i] + k] = number;
    val[ptr[i] + k] = from[from_ptr[here] + entries_below(places.reach[here], place)];
  });
}

/* Back again. */
HD inline void row_on_grid(PetscInt i, const NumberedPlaces &places, const PetscInt *from_ptr, const PetscScalar *from, const PetscInt *ptr, PetscScalar *val)
{
  const PetscInt here = places.node[i];

  places.for_each(here, [&](int place, PetscInt k, PetscInt) { val[ptr[here] + entries_below(places.reach[here], place)] = from[from_ptr[i] + k]; });
}

/* Rows of a product in parts: which box each is, lengths, entries. row: it has no number for some. */
HD inline void box_of_part(PetscInt b, const GlobalNumber &global, const LocalNumber &row, const PetscInt *number, PetscInt *box)
{
  if (number[b] < 0) return;
  const PetscInt g = global(number[b]), r = row(g);

  if (r < row.n || (r < row.n + row.nghost && row.ghosts[r - row.n] == g)) box[r] = b;
}

/* box: -1 where nothing of it is here */
HD inline void length_of_part(PetscInt r, const PetscInt *box, const Bits27 *bits, PetscInt *length) { length[r] = box[r] < 0 ? 0 : how_many(bits[box[r]]); }

struct WritePart {
  BoxGrid            grid;
  const PetscInt    *box, *column;
  const Bits27      *bits;
  std::int64_t       ld;
  const PetscScalar *from; // [27][ld]
  const PetscInt    *ptr;
  PetscInt          *col;
  PetscScalar       *val;

  HD void operator()(PetscInt r, int lane, int lanes) const
  {
    const PetscInt b = box[r];

    for (int bit = lane; bit < 27 && b >= 0; bit += lanes) {
      if (!(bits[b] >> bit & 1)) continue;
      const PetscInt c = column_of(b, bit);
      PetscInt       p = ptr[r];

      for (int other = 0; other < 27; other++) p += (bits[b] >> other & 1) && column_of(b, other) < c;
      col[p] = c;
      val[p] = from[bit * ld + b];
    }
  }

private:
  HD PetscInt column_of(PetscInt b, int bit) const { return column[grid.box_behind(b, bit % 3 - 1, bit / 3 % 3 - 1, bit / 9 - 1)]; }
};

} // namespace goza::saamg
