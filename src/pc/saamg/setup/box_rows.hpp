/* Row bodies of the set-up on a lattice of boxes; box_product_rows.hpp has those of the Galerkin product. */
#pragma once
#include "aggregate_rows.hpp"
#include "box_grid.hpp"
#include "core/launch/by_lanes.hpp"
#include "strength_rows.hpp"

namespace goza::saamg
{

/* Which of the 27 places of a row hold an entry, and which of these are strong. */
struct FindNeighbours {
  BoxGrid         grid;
  const PetscInt *ptr;
  Columns         col;
  Values          val;
  Measure         measure;
  Bits27         *stored, *strong;

  HD FindNeighbours on(Columns c, Values v) const { return {grid, ptr, c, v, measure, stored, strong}; }

  HD void operator()(PetscInt i) const
  {
    const PetscInt x = grid.coordinate(i, 0), y = grid.coordinate(i, 1), z = grid.coordinate(i, 2), end = ptr[i + 1];
    PetscInt       p = ptr[i];
    Bits27         s = 0, e = 0;
    int            bit = 0;

    for (int dz = -1; dz <= 1; dz++) {
      for (int dy = -1; dy <= 1; dy++) {
        const bool line = z + dz >= 0 && z + dz < grid.nodes[2] && y + dy >= 0 && y + dy < grid.nodes[1];

        for (int dx = -1; dx <= 1; dx++, bit++) {
          const PetscInt j = grid.neighbour(i, dx, dy, dz);

          if (!line || x + dx < 0 || x + dx >= grid.nodes[0] || p == end || col[p] != j) continue;
          const PetscScalar a = val[p++];

          s |= Bits27(1) << bit;
          if (j != i && measure.strong(measure(i, j, PetscRealPart(a * PetscConj(a))))) e |= Bits27(1) << bit;
        }
      }
    }
    stored[i] = p == end ? s : s | far_neighbour;
    strong[i] = e;
  }
};

/* The edges of the strength graph: strong entries but for those that lead to a node without any. */
struct KeepCoupled {
  BoxGrid       grid;
  const Bits27 *strong;
  Bits27       *edges;

  HD void operator()(PetscInt i) const
  {
    Bits27 e = strong[i];

    for_each_neighbour(grid, i, e, [&](int bit, PetscInt j, int, int, int) {
      if (!strong[j]) e &= ~(Bits27(1) << bit);
    });
    edges[i] = e;
  }
};

struct BoxCounts {
  static constexpr int bad = 0, coupled = 1, elsewhere = 2, odd = 5, n = 6; // elsewhere: [3] than their roots; odd: might be roots of the second set
};

/* Whether aggregate() would make these boxes of the graph. Sufficient for that: the graph is symmetric; the root of each box is coupled; the other nodes of the box are next to it, and then
   no other node than the roots is one and they join these; or such a node is within distance two of the root of its box, and hardly one of them could be a root of the second set that is not thrown out. */
template <class Stencil> struct CheckBoxes {
  BoxGrid       grid;
  Stencil       A;
  Measure       measure;
  const Bits27 *stored, *edges;

  HD void operator()(PetscInt i, std::int64_t *count) const
  {
    const BoxNode n    = grid.place(i);
    const Bits27  mine = edges[i];
    bool          bad  = stored[i] & far_neighbour;

    if (!n.inside) bad = bad || mine;
    else if (!mine) bad = bad || n.is_root();
    else {
      for_each_neighbour(grid, i, mine, [&](int bit, PetscInt j, int, int, int) { bad = bad || !(edges[j] >> (26 - bit) & 1); });
      if (!n.is_root() && !next_to_root(n)) {
        bool box = false;

        count[BoxCounts::odd] += may_be_root(n, &box);
        bad = bad || !box;
      }
      count[BoxCounts::coupled]++;
      for (int d = 0; d < 3; d++) count[BoxCounts::elsewhere + d] += n.o[d] != 0;
    }
    count[BoxCounts::bad] += bad;
  }

private:
  HD bool next_to_root(const BoxNode &n) const { return edges[n.node] >> n.bit_of_root() & 1; }

  /* The neighbour as a node of a box, but for that box's number. */
  HD static BoxNode moved(const BoxNode &n, PetscInt j, int dx, int dy, int dz)
  {
    const int s[3] = {n.o[0] + dx, n.o[1] + dy, n.o[2] + dz};
    BoxNode   to{j, {}, {}, true};

    for (int d = 0; d < 3; d++) to.o[d] = s[d] - 3 * boxes_away(s[d]);
    return to;
  }

  /* By KeepLargeRoots. *box: whether a neighbour joins the root of the box. */
  HD bool may_be_root(const BoxNode &n, bool *box) const
  {
    double   inside = 0, outside = 0;
    PetscInt free = 0;

    for_each_neighbour(grid, n.node, edges[n.node], [&](int bit, PetscInt j, int dx, int dy, int dz) {
      const BoxNode     to  = moved(n, j, dx, dy, dz);
      const PetscScalar a   = A(n.node, bit);
      const double      w   = sqrt(static_cast<double>(measure(n.node, j, PetscRealPart(a * PetscConj(a)))));
      const bool        has = to.is_root() || next_to_root(to);

      (has ? outside : inside) += w;
      free += !has;
      *box = *box || (has && !boxes_away(n.o[0] + dx) && !boxes_away(n.o[1] + dy) && !boxes_away(n.o[2] + dz));
    });
    return free >= KeepLargeRoots<StoredWeight>::least && static_cast<float>(inside) >= static_cast<float>(outside);
  }
};

struct MarkCoupled {
  const Bits27 *edges;
  Bits27       *stencil;

  HD void operator()(PetscInt i) const { stencil[i] |= edges[i] ? coupled_node : 0; }
};

struct NameBoxes {
  BoxGrid   grid;
  NodeIds   ids;
  PetscInt *name;

  HD void operator()(PetscInt box) const
  {
    grid.for_each_node(box, 0, [&](PetscInt i, int x, int y, int z) {
      if (x == 0 && y == 0 && z == 0) name[box] = ids(i);
    });
  }
};

/* T and the coarse near-null vector of one vector: its part in each box, normalised, twice as by Factor. */
struct NormaliseBox {
  BoxGrid            grid;
  const Bits27      *stencil;
  const PetscScalar *B;
  PetscScalar       *T, *coarse;

  HD void operator()(PetscInt box) const
  {
    PetscReal lengths = 1;

    for (int pass = 0; pass < 2; pass++) {
      const PetscScalar *from = pass ? T : B;
      PetscReal          sum  = 0;

      grid.for_each_node(box, 0, [&](PetscInt i, int, int, int) { sum += stencil[i] & coupled_node ? PetscRealPart(from[i] * PetscConj(from[i])) : 0; });
      const PetscReal length = PetscSqrtReal(sum);

      grid.for_each_node(box, 0, [&](PetscInt i, int, int, int) { T[i] = (stencil[i] & coupled_node) && length > 0 ? from[i] / length : PetscScalar(0); });
      lengths *= length;
    }
    coarse[box] = lengths;
  }
};

/* Which of its 8 boxes a node is interpolated from: its own, and those of the entries of its row. */
struct ReachedBoxes {
  BoxGrid       grid;
  const Bits27 *stencil;
  Bits8        *reach;
  PetscInt     *length;

  HD void operator()(PetscInt i) const
  {
    const BoxNode n   = grid.place(i);
    unsigned      all = 0;

    if (stencil[i] & coupled_node) {
      all = 1u << n.own_place();
      for_each_neighbour(grid, i, stencil[i], [&](int, PetscInt j, int dx, int dy, int dz) {
        if (stencil[j] & coupled_node) all |= 1u << place_of(n, dx, dy, dz);
      });
    }
    reach[i]  = static_cast<Bits8>(all);
    length[i] = how_many(all);
  }

  /* That of the neighbour's box among those of node n. */
  HD static int place_of(const BoxNode &n, int dx, int dy, int dz)
  {
    const int x = boxes_away(n.o[0] + dx) - lower_box(n.o[0]), y = boxes_away(n.o[1] + dy) - lower_box(n.o[1]), z = boxes_away(n.o[2] + dz) - lower_box(n.o[2]);

    return 4 * z + 2 * y + x;
  }
};

/* A row of P = (I - omega D^-1 A) T. */
template <class Stencil> struct SmoothBoxes {
  BoxGrid            grid;
  Stencil            A;
  const Bits27      *stencil;
  const Bits8       *reach;
  const PetscScalar *T, *dinv;
  PetscReal          omega;
  const PetscInt    *ptr;
  PetscInt          *col;
  PetscScalar       *val;

  HD void operator()(PetscInt i) const
  {
    const BoxNode     n = grid.place(i);
    const PetscScalar f = -omega * dinv[i];
    PetscInt          p = ptr[i];

    for (int place = 0; place < 8; place++) {
      if (!(reach[i] >> place & 1)) continue;
      const int         x = lower_box(n.o[0]) + (place & 1), y = lower_box(n.o[1]) + (place >> 1 & 1), z = lower_box(n.o[2]) + (place >> 2);
      const PetscScalar sum = sum_over(n, x, y, z);

      col[p]   = grid.box_behind(grid.number(n.box), x, y, z);
      val[p++] = f * sum + (place == n.own_place() ? T[i] : PetscScalar(0));
    }
  }

private:
  /* The first and the last of the neighbours in a direction whose box is so many away. */
  HD static int first(int o, int box) { return box > 0 ? 2 - o : box == 0 && o < 0 ? 0 : -1; }
  HD static int last(int o, int box) { return box < 0 ? -2 - o : box == 0 && o > 0 ? 0 : 1; }

  HD PetscScalar sum_over(const BoxNode &n, int x, int y, int z) const
  {
    PetscScalar sum = 0;

    for (int dz = first(n.o[2], z); dz <= last(n.o[2], z); dz++) {
      for (int dy = first(n.o[1], y); dy <= last(n.o[1], y); dy++) {
        for (int dx = first(n.o[0], x); dx <= last(n.o[0], x); dx++) {
          const int      bit = bit_of(dx, dy, dz);
          const PetscInt j   = grid.neighbour(n.node, dx, dy, dz);

          if ((stencil[n.node] >> bit & 1) && (stencil[j] & coupled_node)) sum += A(n.node, bit) * T[j];
        }
      }
    }
    return sum;
  }
};

/* Sums of m_i p_i^2 over a column of P, from the nodes of its box and around it. */
struct SquaresOfBox {
  BoxGrid            grid;
  const Bits8       *reach;
  const PetscInt    *ptr;
  const PetscScalar *val, *m;
  PetscScalar       *sum;

  HD void operator()(PetscInt box, int lane, int lanes) const
  {
    constexpr int  wide = 5, nodes = wide * wide * wide;
    const PetscInt root[3] = {grid.root(box % grid.boxes[0], 0), grid.root(box / grid.boxes[0] % grid.boxes[1], 1), grid.root(box / grid.boxes_of_plane(), 2)};
    PetscScalar    mine    = 0;

    for (int n = lane; n < nodes; n += lanes) {
      const int      x = n % wide - 2, y = n / wide % wide - 2, z = n / (wide * wide) - 2;
      const int      place = 4 * (z < 0) + 2 * (y < 0) + (x < 0); // of the box in the node's row
      const PetscInt t[3]  = {root[0] + x, root[1] + y, root[2] + z};
      const PetscInt i     = grid.begin[0] + t[0] + grid.nodes[0] * (grid.begin[1] + t[1] + grid.nodes[1] * (grid.begin[2] + t[2]));
      bool           there = true;

      for (int d = 0; d < 3; d++) there = there && t[d] >= 0 && t[d] < grid.tiles[d];
      if (!there || !(reach[i] >> place & 1)) continue;
      const PetscScalar p = val[ptr[i] + entries_below(reach[i], place)];

      mine += p * p * m[i];
    }
    mine = sum_of_lanes(mine, lanes);
    if (lane == 0) sum[box] = mine;
  }
};

} // namespace goza::saamg
