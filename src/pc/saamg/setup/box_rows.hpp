/* Row bodies of the set-up on a lattice of boxes: which nodes are in which. box_prolong_rows.hpp has those of the interpolation, box_product_rows.hpp those of
   the Galerkin product. */
#pragma once
#include "aggregate_rows.hpp"
#include "box_grid.hpp"
#include "core/launch/by_lanes.hpp"
#include "prolong_rows.hpp"
#include "strength_rows.hpp"

namespace goza::saamg {

/* Which of the 27 places of a row hold an entry, and which of these are strong; where the values are not given, the first alone. */
struct FindNeighbours {
  BoxGrid         grid;
  const PetscInt *ptr;
  Columns         col;
  Values          val;
  Measure         measure;
  Bits27         *stored, *strong; // strong: null without values

  HD FindNeighbours on(Columns c, Values v) const { return {grid, ptr, c, v, measure, stored, strong}; }

  HD void operator()(PetscInt i) const
  {
    const PetscInt end = ptr[i + 1];
    PetscInt       p   = ptr[i];
    Bits27         s = 0, e = 0;

    for_each_neighbour(grid, i, places_inside(grid, i), [&](int bit, PetscInt j, int, int, int) {
      if (p == end || col[p] != j) return;
      s |= Bits27(1) << bit;
      if (strong && j != i) {
        const PetscScalar a = val[p];

        if (measure.strong(i, j, PetscRealPart(a * PetscConj(a)))) e |= Bits27(1) << bit;
      }
      p++;
    });
    stored[i] = p == end ? s : s | far_neighbour;
    if (strong) strong[i] = e;
  }
};

/* The strong ones by place. */
HD inline void find_strong(PetscInt i, const BoxGrid &grid, const CdsStencil &A, const Measure &measure, const Bits27 *stored, Bits27 *strong)
{
  Bits27 e = 0;

  for_each_neighbour(grid, i, stored[i], [&](int bit, PetscInt j, int, int, int) {
    const PetscScalar a = A(i, bit);

    if (j != i && measure.strong(i, j, PetscRealPart(a * PetscConj(a)))) e |= Bits27(1) << bit;
  });
  strong[i] = e;
}

/* The same by place, of a matrix that is nothing but its diagonals: every place on one of them holds an entry, and where it is none of the grid's its value
   must be 0. has: the bits whose diagonals there are. */
template <class Stencil> struct FindPlaces {
  BoxGrid grid;
  Stencil A;
  Bits27  has;
  Measure measure;
  Bits27 *stored, *strong;

  HD void operator()(PetscInt i) const
  {
    const Bits27 inside = has & places_inside(grid, i), outside = has & ~inside;
    Bits27       s = inside, e = 0;

    for_each_neighbour(grid, i, inside & ~diagonal_place, [&](int bit, PetscInt j, int, int, int) {
      const PetscScalar a = A(i, bit);

      if (measure.strong(i, j, PetscRealPart(a * PetscConj(a)))) e |= Bits27(1) << bit;
    });
    if (outside) {
      for_each_neighbour(grid, i, outside, [&](int bit, PetscInt j, int, int, int) {
        if (j >= 0 && j < grid.size() && A(i, bit) != PetscScalar(0)) s |= far_neighbour;
      });
    }
    stored[i] = s;
    strong[i] = e;
  }
};

/* The edges of the strength graph: strong entries but for those that lead to a node without any. */
HD inline void keep_coupled(PetscInt i, const BoxGrid &grid, const Bits27 *strong, Bits27 *edges)
{
  Bits27 e = strong[i];

  for_each_neighbour(grid, i, e, [&](int bit, PetscInt j, int, int, int) {
    if (!strong[j]) e &= ~(Bits27(1) << bit);
  });
  edges[i] = e;
}

struct BoxCounts {
  static constexpr int bad = 0, coupled = 1, elsewhere = 2, odd = 5, n = 6; // elsewhere: [3] than their roots; odd: might be roots of the second set
};

/* Whether aggregate() would make these boxes of the graph. Sufficient for that: the graph is symmetric; the root of each box is coupled; the other nodes of the
   box are next to it, and then no other node than the roots is one and they join these; or such a node is within distance two of the root of its box, and
   hardly one of them could be a root of the second set that is not thrown out. Where boxes are of one tile in a direction the lattice wants other roots, too:
   then none could be one, and most edges lead to the box. Where there is a threshold all edges are strong links, and a row without its weak entries has them on
   its diagonal. */
template <class Stencil> struct CheckBoxes {
  BoxGrid       grid;
  Stencil       A;
  Measure       measure;
  const Bits27 *stored, *edges;
  bool          stars, narrow, filters;

  HD void operator()(PetscInt place, std::int64_t *count) const
  {
    const PetscInt i = grid.by_thirds(place); // few of them look at their neighbours' neighbours

    if (i < 0 || stored[i] & of_others) return;
    const BoxNode n    = grid.place(i);
    const Bits27  mine = edges[i];
    bool          bad  = stored[i] & far_neighbour || (filters && !filtered(i));

    if (!n.inside) bad = bad || mine;
    else if (!mine) bad = bad || n.is_root();
    else {
      for_each_neighbour(grid, i, mine, [&](int bit, PetscInt j, int, int, int) { bad |= !(edges[j] >> (26 - bit) & 1); }); // all are read at once
      if (stars) bad = bad || stored[i] & ~(of_a_star | coupled_node) || !(n.is_root() || nearer_to_root(n));
      else if (!n.is_root() && !next_to_root(n)) {
        bool       box  = false;
        const bool root = may_be_root(n, &box);

        count[BoxCounts::odd] += root;
        bad = bad || !box || (narrow && (root || !leads_to_box(n)));
      }
      count[BoxCounts::coupled]++;
      for (int d = 0; d < 3; d++) count[BoxCounts::elsewhere + d] += n.o[d] != 0;
    }
    count[BoxCounts::bad] += bad;
  }

private:
  HD bool next_to_root(const BoxNode &n) const { return edges[n.node] >> n.bit_of_root() & 1; }

  /* Whether there is an edge to a node of the box that is a step nearer to its root. */
  HD bool nearer_to_root(const BoxNode &n) const
  {
    const Bits27 mine = edges[n.node];

    return (n.o[0] && mine >> bit_of(-n.o[0], 0, 0) & 1) || (n.o[1] && mine >> bit_of(0, -n.o[1], 0) & 1) || (n.o[2] && mine >> bit_of(0, 0, -n.o[2]) & 1);
  }

  /* The neighbour as a node of a box, but for that box's number. */
  HD static BoxNode moved(const BoxNode &n, PetscInt j, int dx, int dy, int dz)
  {
    const int s[3] = {n.o[0] + dx, n.o[1] + dy, n.o[2] + dz};
    BoxNode   to{j, {}, {}, true};

    for (int d = 0; d < 3; d++) to.o[d] = s[d] - 3 * boxes_away(s[d]);
    return to;
  }

  /* Whether the row keeps its edges alone, of which JoinRoot takes any. */
  HD bool filtered(PetscInt i) const
  {
    float        least = 1e30f, heaviest = 0;
    FilteredSums sums;

    for_each_neighbour(grid, i, stored[i], [&](int bit, PetscInt j, int, int, int) {
      const PetscScalar a    = A(i, bit);
      const bool        edge = edges[i] >> bit & 1;
      const float       w    = measure(i, j, PetscRealPart(a * PetscConj(a)));

      sums.add(a, j == i, edge || j == i);
      if (edge && w < least) least = w;
      if (edge && w > heaviest) heaviest = w;
    });
    return !sums.keeps_all() && least >= strong_link * heaviest;
  }

  /* Whether more edges lead to nodes that join the root of the box than to those of any other; narrow boxes have 8 around them at most. */
  HD bool leads_to_box(const BoxNode &n) const
  {
    const int     y = grid.wide[0] == 1 ? 1 : 3, own = 4;
    std::uint64_t joined = 0; // 4 bits a box
    bool          most   = true;
    const auto    of     = [&](int box) { return joined >> 4 * box & 15; };

    for_each_neighbour(grid, n.node, edges[n.node], [&](int, PetscInt j, int dx, int dy, int dz) {
      const BoxNode to = moved(n, j, dx, dy, dz);

      if (to.is_root() || next_to_root(to))
        joined += std::uint64_t(1) << 4 * (own + boxes_away(n.o[0] + dx) + y * boxes_away(n.o[1] + dy) + 3 * boxes_away(n.o[2] + dz));
    });
    for (int box = 0; box < 9; box++) most = most && (box == own || of(box) < of(own));
    return most;
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
    return free >= least_free_neighbours && static_cast<float>(inside) >= static_cast<float>(outside);
  }
};

/* How many edges of a rank's rows lead along which axes: [1] x, [2] y, [4] z and their sums; [0] what is left where these alone are kept, diagonals
   included. */
struct CountEdges {
  static constexpr int n = 8;
  const Bits27        *stored, *edges;

  HD static constexpr int axes_of(int bit) { return (bit % 3 != 1) + 2 * (bit / 3 % 3 != 1) + 4 * (bit / 9 != 1); }

  HD void operator()(PetscInt i, std::int64_t *count) const
  {
    const Bits27 all = stored[i] & of_others ? 0 : edges[i] | (stored[i] & diagonal_place);

    UNROLL()
    for (int bit = 0; bit < 27; bit++) {
      count[axes_of(bit)] += axes_of(bit) && all >> bit & 1;
      count[0] += all >> bit & 1;
    }
  }
};

/* The edges of a coupled node become what is left of its row; of another rank's nothing is. */
HD inline void keep_edges(PetscInt i, const Bits27 *stored, Bits27 *edges)
{
  edges[i] = (stored[i] & of_others ? 0 : edges[i] | (stored[i] & diagonal_place)) | (edges[i] ? coupled_node : 0);
}

/* A row without its weak entries, which are added to its diagonal, by place; half: those from the diagonal on. */
template <class Stencil> struct FilterNode {
  BoxGrid       grid;
  Stencil       A;
  const Bits27 *stencil, *kept;
  CdsStencil    to;
  bool          half;
  PetscScalar  *val;

  HD void operator()(PetscInt i) const
  {
    PetscScalar lumped = 0;

    for_each_neighbour(grid, i, stencil[i] & ~kept[i], [&](int bit, PetscInt, int, int, int) { lumped += A(i, bit); });
    for_each_neighbour(grid, i, kept[i], [&](int bit, PetscInt j, int, int, int) {
      if (!half || bit >= bit_of(0, 0, 0)) val[to.start[bit] + i] = A(i, bit) + (j == i ? lumped : PetscScalar(0));
    });
  }
};

HD inline void mark_coupled(PetscInt i, const Bits27 *edges, Bits27 *stencil) { stencil[i] |= edges[i] ? coupled_node : 0; }

HD inline void name_boxes(PetscInt box, const BoxGrid &grid, const NodeIds &ids, PetscInt *name)
{
  grid.for_each_node(box, 0, [&](PetscInt i, int x, int y, int z) {
    if (x == 0 && y == 0 && z == 0) name[box] = ids(i);
  });
}

/* Of ones: what T has in each box, and the coarse near-null vector, twice as by Factor. */
HD inline void ones_of_box(PetscInt box, const BoxGrid &grid, const Bits27 *stencil, PetscScalar *of_box, PetscScalar *coarse)
{
  PetscReal n = 0, one = 1, lengths = 1;

  grid.for_each_node(box, 0, [&](PetscInt i, int, int, int) { n += stencil[i] & coupled_node ? 1 : 0; });
  for (int pass = 0; pass < 2; pass++) {
    const PetscReal length = PetscSqrtReal(n * one * one);

    one = length > 0 ? one / length : 0;
    lengths *= length;
  }
  of_box[box] = one;
  coarse[box] = lengths;
}

HD inline void spread_ones(PetscInt i, const BoxGrid &grid, const Bits27 *stencil, const PetscScalar *of_box, PetscScalar *T)
{
  const BoxNode n = grid.place(i);

  T[i] = n.inside && stencil[i] & coupled_node ? of_box[grid.number(n.box)] : PetscScalar(0);
}

/* T and the coarse near-null vector of one vector: its part in each box, normalised, twice as by Factor. */
struct NormaliseBox {
  BoxGrid            grid;
  const Bits27      *stencil;
  const PetscScalar *B;
  PetscScalar       *T, *coarse;

  HD void operator()(PetscInt box, int lane, int lanes) const
  {
    PetscReal lengths = 1;

    for (int pass = 0; pass < 2; pass++) {
      const PetscScalar *from = pass ? T : B;
      PetscReal          sum  = 0;

      for_each_of(box, lane, lanes, [&](PetscInt i) { sum += stencil[i] & coupled_node ? PetscRealPart(from[i] * PetscConj(from[i])) : 0; });
      const PetscReal length = PetscSqrtReal(sum_of_lanes(sum, lanes));

      for_each_of(box, lane, lanes, [&](PetscInt i) { T[i] = (stencil[i] & coupled_node) && length > 0 ? from[i] / length : PetscScalar(0); });
      lengths *= length;
    }
    if (lane == 0) coarse[box] = lengths;
  }

private:
  /* The nodes of a box, one a lane. */
  template <class F> HD void for_each_of(PetscInt box, int lane, int lanes, F f) const
  {
    const PetscInt r[3] = {grid.root(box % grid.boxes[0], 0), grid.root(box / grid.boxes[0] % grid.boxes[1], 1), grid.root(box / grid.boxes_of_plane(), 2)};

    for (int n = lane; n < 27; n += lanes) {
      const PetscInt t[3]  = {r[0] + n % 3 - 1, r[1] + n / 3 % 3 - 1, r[2] + n / 9 - 1};
      bool           there = true;

      for (int d = 0; d < 3; d++) there = there && t[d] >= 0 && t[d] < grid.tiles[d] && (grid.wide[d] == 3 || t[d] == r[d]);
      if (there) f(grid.begin[0] + t[0] + grid.nodes[0] * (grid.begin[1] + t[1] + grid.nodes[1] * (grid.begin[2] + t[2])));
    }
  }
};

} // namespace goza::saamg
