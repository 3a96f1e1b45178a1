/* Interpolation from boxes and restriction to them (setup/box_grid.hpp), from pairs of values (setup/box_lines.hpp). */
#pragma once
#include "core/launch/by_lanes.hpp"
#include "core/launch/four_rows.hpp"
#include "pc/saamg/setup/box_lines.hpp"

namespace goza::saamg {

constexpr int group_nodes = 32, group_boxes = 10; // a warp restricts to so many: root - 2 of the first to root + 2 of the last
static_assert(group_nodes == 3 * group_boxes + 2, "each lane has a node");

/* Four pairs of values, one in each quarter of a line, from rows of P: neighbours among the threads have neighbours among the nodes. */
template <class Store> struct FillPairs {
  BoxLines           lines;
  const Bits8       *reach;
  const PetscInt    *ptr;
  const PetscScalar *val;
  BoxPair<Store>    *pairs;

  HD void operator()(PetscInt four) const
  {
    const BoxGrid &grid    = lines.grid;
    const PetscInt quarter = lines.stride / 4, line = four / quarter, x = four % quarter, row = line / lines.lines(), of_row = line % lines.lines();
    const int      wide = 2 * lines.reach + 1, y = static_cast<int>(of_row % wide) - lines.reach, z = static_cast<int>(of_row / wide) - lines.up;
    const PetscInt ty = grid.root(row % grid.boxes[1], 1) + y, tz = grid.root(row / grid.boxes[1], 2) + z;
    const bool     there = ty >= 0 && ty < grid.tiles[1] && tz >= 0 && tz < grid.tiles[2];

    for (int k = 0; k < 4; k++)
      fill(pairs + static_cast<std::int64_t>(line) * lines.stride, x + k * quarter, lines.first_node(ty, tz), there, 4 * (z < 0) + 2 * (y < 0));
  }

private:
  HD void fill(BoxPair<Store> *of_line, PetscInt x, PetscInt first, bool there, int place) const
  {
    const BoxGrid &grid = lines.grid;
    const PetscInt tile = x - grid.begin[0], node = first + PetscMin(x, grid.nodes[0] - 1);
    const Bits8    bits = there && tile >= 0 && tile < grid.tiles[0] ? reach[node] : Bits8(0);

    for (int of = 0; of < 2; of++) {
      const PetscScalar v = bits >> (place + of) & 1 ? val[ptr[node] + entries_below(bits, place + of)] : PetscScalar(0);

      of_line[x].of[of] = static_cast<Store>(v);
    }
  }
};

/* What becomes of P e, for four nodes of a line at a time. */
template <class Store, class V> struct FromBoxes {
  BoxLines              lines;
  const BoxPair<Store> *pairs;
  const V              *e;
  ScaledOut<V>          out;

  HD static constexpr int nodes_at_once() { return 4; }
  PetscInt                count() const { return lines.stride / nodes_at_once() * lines.grid.nodes[1] * lines.grid.nodes[2]; }

  HD void operator()(PetscInt four) const
  {
    const BoxGrid &grid    = lines.grid;
    const PetscInt in_line = lines.stride / nodes_at_once(), line = four / in_line, x = nodes_at_once() * (four % in_line);
    const Reached  across(grid, line % grid.nodes[1], 1), up(grid, line / grid.nodes[1], 2);
    const PetscInt t = x - grid.begin[0], least = lower(t);
    V              sum[4] = {};

    for (int k = 0; k < 4; k++) { // of the pairs that a node may have
      if (!across.has(k & 1) || !up.has(k >> 1)) continue;
      const PetscInt by = across.box + (k & 1), bz = up.box + (k >> 1), first = grid.boxes[0] * (by + grid.boxes[1] * bz);
      BoxPair<Store> mine[4];
      V              of[3];

      BoxPair<Store>::template load<4>(pairs + lines.begin(by, bz, across.offset(k & 1), up.offset(k >> 1)) + x, mine);
      for (int b = 0; b < 3; b++) of[b] = cached_load(e + first + PetscMin(PetscMax(least + b, 0), grid.boxes[0] - 1));
      for (int j = 0; j < 4; j++) {
        const PetscInt next = lower(t + j) - least;

        if (next > 1) sum[j] += static_cast<V>(mine[j].of[0]) * cached_load(e + first + PetscMin(PetscMax(least + next, 0), grid.boxes[0] - 1));
        else sum[j] += static_cast<V>(mine[j].of[0]) * (next ? of[1] : of[0]) + static_cast<V>(mine[j].of[1]) * (next ? of[2] : of[1]);
      }
    }
    finish(grid.nodes[0] * line + x, x, sum);
  }

private:
  /* The boxes that a coordinate reaches: one or two. */
  struct Reached {
    PetscInt box;
    int      o, boxes;

    HD Reached(const BoxGrid &grid, PetscInt coordinate, int d)
    {
      const PetscInt t = coordinate - grid.begin[d], own = grid.box_of(t, d);

      o             = static_cast<int>(t - grid.root(own, d));
      box           = own + lower_box(o);
      boxes         = 0;
      const bool in = t >= 0 && t < grid.tiles[d];

      for (int k = 0; k < 2; k++) boxes |= (in && (k == 0 || o != 0) && box + k >= 0 && box + k < grid.boxes[d]) << k;
    }
    HD bool has(int k) const { return boxes >> k & 1; }
    /* The node's from the root of that box */
    HD int offset(int k) const { return k == 0 ? (o < 0 ? o + 3 : o) : (o < 0 ? o : o - 3); }
  };

  /* The lower box of a tile in x, which may be none. */
  HD PetscInt lower(PetscInt t) const
  {
    const PetscInt from = t - lines.grid.first[0] + 3; // not below zero

    return lines.grid.wide[0] == 1 ? t : from / 3 - 1;
  }

  HD void finish(PetscInt i, PetscInt x, const V *sum) const
  {
#if defined(__CUDA_ARCH__)
    if (lines.grid.nodes[0] % nodes_at_once() == 0) {
      FourRows<V>::finish(out, i, sum);
      return;
    }
#endif
    for (int j = 0; j < nodes_at_once() && x + j < lines.grid.nodes[0]; j++) out(i + j, sum[j]);
  }
};

/* b = P^T r, or P^H r, for some boxes side by side. */
template <class Store, class V> struct ToBoxes {
  BoxLines              lines;
  const BoxPair<Store> *pairs;
  const V              *r;
  V                    *b;
  bool                  conjugated;

  HD bool     of_tiles() const { return lines.grid.wide[0] == 1; } // then each node is a box's in x
  HD PetscInt boxes_at_once() const { return of_tiles() ? group_nodes : group_boxes; }
  HD PetscInt groups_in_line() const { return (lines.grid.boxes[0] + boxes_at_once() - 1) / boxes_at_once(); }
  PetscInt    count() const { return groups_in_line() * lines.grid.boxes[1] * lines.grid.boxes[2]; }

  /* Rows of boxes are neighbours in y first: warps of a block read the same nodes. */
  HD void operator()(PetscInt group, [[maybe_unused]] int lane, [[maybe_unused]] int lanes) const
  {
    const BoxGrid &grid = lines.grid;
    const PetscInt by = group % grid.boxes[1], of = group / grid.boxes[1] % groups_in_line(), bz = group / grid.boxes[1] / groups_in_line();
    const PetscInt box = boxes_at_once() * of, left = grid.root(box, 0) - grid.reach(0), to = box + grid.boxes[0] * (by + grid.boxes[1] * bz);

#if defined(__CUDA_ARCH__)
    V sum[2];

    add_node(left + lane, by, bz, sum);
    const V all = sum[0] + __shfl_up_sync(0xffffffffu, sum[1], 2) + __shfl_up_sync(0xffffffffu, sum[1], 1) + __shfl_down_sync(0xffffffffu, sum[0], 1) +
                  __shfl_down_sync(0xffffffffu, sum[0], 2);
    const int k = (lane - 2) / 3;

    if (of_tiles()) {
      if (box + lane < grid.boxes[0]) b[to + lane] = sum[0];
    } else if (lane >= 2 && lane % 3 == 2 && k < group_boxes && box + k < grid.boxes[0]) b[to + k] = all;
#else
    V sum[group_nodes][2];

    for (int l = 0; l < group_nodes; l++) add_node(left + l, by, bz, sum[l]);
    for (int k = 0; k < boxes_at_once() && box + k < grid.boxes[0]; k++) {
      const int l = 3 * k + 2;

      b[to + k] = of_tiles() ? sum[k][0] : sum[l][0] + sum[l - 2][1] + sum[l - 1][1] + sum[l + 1][0] + sum[l + 2][0];
    }
#endif
  }

private:
  /* A node's parts, for the lower box that it reaches and the next, of all lines. What is no node has zeros. */
  HD void add_node(PetscInt tile, PetscInt by, PetscInt bz, V *sum) const
  {
    const PetscInt x = lines.node_of(tile, 0), ry = lines.grid.root(by, 1), rz = lines.grid.root(bz, 2);
    const bool     there = tile >= 0 && tile < lines.grid.tiles[0];

    const BoxPair<Store> *at = pairs + lines.begin(by, bz, -lines.reach, -lines.up) + x;

    sum[0] = sum[1] = 0;
    for (int z = -lines.up; z <= lines.up; z++) {
      for (int y = -lines.reach; y <= lines.reach; y++, at += lines.stride) {
        const V        ri = cached_load(r + lines.first_node(ry + y, rz + z) + x);
        BoxPair<Store> pair;

        BoxPair<Store>::template load<1>(at, &pair);
        for (int of = 0; of < 2; of++) sum[of] += conjugate_if(conjugated, static_cast<V>(pair.of[of])) * ri;
      }
    }
    if (!there) sum[0] = sum[1] = 0;
  }
};

} // namespace goza::saamg
