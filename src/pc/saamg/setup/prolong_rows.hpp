/* Row bodies of the smoothed prolongator and of the matrix that it may be smoothed with. */
#pragma once
#include "core/launch/by_lanes.hpp"
#include "core/util/search.hpp"
#include "local_rows.hpp"

namespace goza::saamg {

/* The aggregates that the rows of a node reach. ptr, col: of A's rows, bs of which are a node, or of its blocks, of which each is of nodes. */
struct ReachedRows {
  const PetscInt *ptr, *col;
  PetscInt        bs;
  const PetscInt *aggregate; // [columns of A]
  PetscInt        unit = 1;  // columns to one of `col`

  HD PetscInt bound(PetscInt node) const { return ptr[(node + 1) * bs] - ptr[node * bs] + 1; }

  template <class F> HD void visit(PetscInt node, int lane, int lanes, F f) const { visit_some(node, PETSC_MAX_INT, lane, lanes, f); }

  /* Of the first `most` entries. */
  template <class F> HD void visit_some(PetscInt node, PetscInt most, int lane, int lanes, F f) const
  {
    const PetscInt all = ptr[(node + 1) * bs], end = all - ptr[node * bs] < most ? all : ptr[node * bs] + most;

    if (aggregate[node * bs * unit] < 0) return;
    if (lane == 0) f(aggregate[node * bs * unit]);
    for (PetscInt p = ptr[node * bs] + lane; p < end; p += lanes) {
      const PetscInt a = aggregate[col[p] * unit];

      if (a >= 0) f(a);
    }
  }
};

/* A row of P. Its blocks lie at ptr[row] .. ptr[row + 1], k entries each; their columns are those of the node's aggregates. K: k where it is known when this is
   compiled, else 0. */
template <int K, class Rows = AijRowsView> struct SmoothedRow {
  Rows               A;
  PetscInt           bs, vectors;
  const PetscInt    *aggregate; // [ncols + nghost]
  const PetscScalar *T;         // [ncols + nghost][k]
  const PetscScalar *dinv;
  PetscReal          omega;
  const PetscInt    *reached, *begin, *ptr; // begin[node]: where its aggregates are listed
  PetscInt          *col;
  PetscScalar       *val;

  HD void operator()(PetscInt row) const
  {
    const PetscInt    k = K ? K : vectors, node = row / bs, n = (ptr[row + 1] - ptr[row]) / k;
    const PetscInt   *list = reached + begin[node];
    const PetscScalar f    = -omega * dinv[row];
    PetscScalar      *v    = val + ptr[row];
    PetscInt          at   = 0;

    if (!n) return;
    for (PetscInt b = 0; b < n; b++) {
      for (PetscInt c = 0; c < k; c++) {
        col[ptr[row] + b * k + c] = list[b] * k + c;
        v[b * k + c]              = 0;
      }
    }
    PetscScalar sums[K ? K : 1] = {}, *const sum = K ? sums : v; // of the aggregate at hand; without K it is summed up where it belongs
    A.for_each_entry(row, [&](PetscInt j, PetscScalar a) {
      const PetscInt     J = aggregate[j];
      const PetscScalar *t = T + static_cast<std::size_t>(j) * k;

      if (J < 0) return;
      if (list[at] != J) {
        for (int c = 0; c < K; c++) v[at * K + c] = sums[c];
        while (list[at] < J) at++;
        while (list[at] > J) at--;
        for (int c = 0; c < K; c++) sums[c] = v[at * K + c];
      }
      for (PetscInt c = 0; c < k; c++) sum[(K ? 0 : at * k) + c] += a * t[c];
    });
    for (int c = 0; c < K; c++) v[at * K + c] = sums[c];
    for (PetscInt p = 0; p < n * k; p++) v[p] *= f;
    at = 0;
    while (list[at] != aggregate[row]) at++;
    for (PetscInt c = 0; c < k; c++) v[at * k + c] += T[static_cast<std::size_t>(row) * k + c];
  }
};

/* One entry of every aggregate's block in a row, on the device a thread: entry = row * k + its place in the block. The sums are those of SmoothedRow. */
HD inline void smoothed_entry(PetscInt entry, const SmoothedRow<0> &all)
{
  const PetscInt    k = all.vectors, row = entry / k, c = entry % k, node = row / all.bs, n = (all.ptr[row + 1] - all.ptr[row]) / k;
  const PetscInt   *list = all.reached + all.begin[node];
  const PetscScalar f    = -all.omega * all.dinv[row];
  PetscInt         *col  = all.col + (all.ptr[row] + c);
  PetscScalar      *v = all.val + (all.ptr[row] + c), sum = 0;
  PetscInt          at = 0;

  if (!n) return;
  for (PetscInt b = 0; b < n; b++) {
    col[b * k] = list[b] * k + c;
    v[b * k]   = 0;
  }
  all.A.for_each_entry(row, [&](PetscInt j, PetscScalar a) {
    const PetscInt J = all.aggregate[j];

    if (J < 0) return;
    if (list[at] != J) {
      v[at * k] = sum;
      while (list[at] < J) at++;
      while (list[at] > J) at--;
      sum = v[at * k];
    }
    sum += a * all.T[static_cast<std::size_t>(j) * k + c];
  });
  v[at * k] = sum;
  for (PetscInt b = 0; b < n; b++) {
    v[b * k] *= f;
    if (list[b] == all.aggregate[row]) v[b * k] += all.T[static_cast<std::size_t>(row) * k + c];
  }
}

/* Of a row of such a component: what is on the diagonal, and what is left out. */
struct FilteredSums {
  PetscScalar diagonal = 0, lumped = 0;

  HD void add(PetscScalar a, bool on_diagonal, bool kept)
  {
    if (on_diagonal) diagonal += a;
    if (!kept) lumped += a;
  }
  HD FilteredSums of_lanes(int lanes) const { return {sum_of_lanes(diagonal, lanes), sum_of_lanes(lumped, lanes)}; }
  HD bool         keeps_all() const
  {
    const PetscReal whole = PetscRealPart(diagonal * PetscConj(diagonal)), left = PetscRealPart((diagonal + lumped) * PetscConj(diagonal));

    return !(left >= 0.1 * whole && left <= 2 * whole);
  }
};

/* One row of A with the blocks left out that are not edges of the graph, and their entries added to the diagonal block, so that constant vectors are treated
   as before (per component). Rows whose diagonal would change its sign, shrink to less than a tenth or more than double keep all their entries. In two
   passes: the row's length, then its entries; on a host, where rows come one after the other, in one: a row is told where the one before it ended. */
struct FilteredRow {
  AijRowsView     A;
  PetscInt        bs, n;              // n owned nodes
  const PetscInt *ghost, *ghost_node; // [ghost columns] global columns, ghost nodes
  const PetscInt *gptr, *gcol;
  const PetscInt *ptr; // null in the first pass
  PetscInt       *length, *col;
  PetscScalar    *val;
  PetscInt       *end = nullptr; // on a host

  HD FilteredRow on(Columns acol, Values aval) const
  {
    FilteredRow body = *this;

    body.A = A.on(acol, aval);
    return body;
  }

  HD void operator()(PetscInt row) const { (*this)(row, 0, 1); }
  /* Several lanes only where a node is a row. */
  HD void operator()(PetscInt row, int lane, int lanes) const
  {
    const PetscInt node = node_of(row), own_component = row - node * bs, begin = A.entries_before(row), end_of_row = A.entries_before(row + 1);
    PetscInt       kept = 0, p = ptr ? ptr[row] : 0, own = -1; // own: where the diagonal block begins
    FilteredSums   sums;
    Asked          asked;

    for (PetscInt q = begin + lane; q < end_of_row; q += lanes) {
      const PetscInt j     = A.dcol[q];
      const bool     stays = keep(node, j, asked);

      kept += stays;
      sums.add(A.dval[q], j == row, stays || component(j) != own_component);
    }
    sums           = sums.of_lanes(lanes);
    const bool all = sums.keeps_all();

    if (!ptr) {
      kept = sum_of_lanes(kept, lanes);
      if (lane == 0) length[row] = all ? end_of_row - begin : kept;
      return;
    }
    for (PetscInt q = begin; q < end_of_row; q += lanes) {
      const bool     there = q + lane < end_of_row;
      const PetscInt j     = there ? A.dcol[q + lane] : 0;
      const bool     stays = there && (all || keep(node, j, asked));
      int            here;
      const PetscInt at = p + lanes_before(stays, lanes, &here);

      if (own < 0 && stays && node_of(j) == node) own = at;
      if (stays) {
        col[at] = j;
        val[at] = bs == 1 && j == row && !all ? A.dval[q + lane] + sums.lumped : A.dval[q + lane];
      }
      p += here;
    }
    if (end) end[row] = p;
    if (bs == 1 || lanes > 1 || all || own < 0) return;
    A.for_each_entry(row, [&](PetscInt j, PetscScalar a) { // onto the diagonal block, component by component
      if (keep(node, j, asked)) return;
      const PetscInt to = node * bs + component(j);

      for (PetscInt q = own; q < p && col[q] <= to; q++)
        if (col[q] == to) val[q] += a;
    });
  }

private:
  /* The last node that was asked for, the entries of a block come one after the other, and where the edges are that lead no lower. */
  struct Asked {
    PetscInt node = -1, place = 0;
    bool     kept = false;
  };

  HD PetscInt node_of(PetscInt j) const { return bs == 1 ? j : j / bs; } // a division takes longer than all else of an entry
  HD PetscInt component(PetscInt j) const { return bs == 1 ? 0 : (j < A.ncols ? j : ghost[j - A.ncols]) % bs; }
  HD bool     keep(PetscInt node, PetscInt j, Asked &asked) const
  {
    const PetscInt J = j < A.ncols ? node_of(j) : n + ghost_node[j - A.ncols];

    if (J != asked.node) asked = look_for(node, J, J > asked.node && asked.node >= 0 ? asked.place : gptr[node]);
    return asked.kept;
  }
  HD Asked look_for(PetscInt node, PetscInt J, PetscInt place) const
  {
    const PetscInt end = gptr[node + 1];

    if (place < end && gcol[place] < J) place++; // all there is to do where every column is asked for
    if (place < end && gcol[place] < J) place = lower_bound(gcol, place + 1, end, J);
    return {J, place, J == node || (place < end && gcol[place] == J)};
  }
};

} // namespace goza::saamg
