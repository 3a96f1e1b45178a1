/* Row bodies of the strength graph.

   Edge i-j when |a_ij|^2 > threshold^2 |a_ii a_jj| (Vanek, Mandel, Brezina 1996), from either side; |.| is the Frobenius norm of a bs x bs block.
   Threshold 0 keeps all but zeros; a value that is rounding beside both diagonals counts as a zero, because which rounding a coarse operator's
   entries carry depends on the number of ranks. A node whose own row has no strong entry (Dirichlet) is isolated, whoever points at it.

   Entries of the diagonal's sign may count as zeros: what they couple differs in smooth vectors. Of the others only those may count that are a share of the
   largest in both their rows, or twice that in one (in one's: Ruge, Stueben 1987); a row at a free side has entries of half the size, and those that lead away
   from the side are none of them smaller. */
#pragma once
#include "core/launch/by_lanes.hpp"
#include "local_rows.hpp"

namespace goza::saamg {

/* The matrix seen in blocks of bs x bs. */
struct BlockRows {
  AijRowsView     A;
  PetscInt        bs, n;      // n owned nodes
  const PetscInt *ghost_node; // [ghost columns] to ghost nodes
  PetscInt       *place;      // [rows] scratch: the next entry of each row
  PetscReal       sign;       // off the diagonal, entries of this sign count as zeros; 0: none

  HD BlockRows on(Columns col, Values val) const { return {A.on(col, val), bs, n, ghost_node, place, sign}; }
  HD bool      counts(PetscInt i, PetscInt j, PetscScalar a) const { return j == i || !(sign * PetscRealPart(a) > 0); }

  /* f(local node, squared Frobenius norm) for every block of a block row, ascending. */
  template <class F> HD void for_each_block(PetscInt node, F f) const
  {
    if (bs == 1) {
      for_each_entry(node, 0, 1, f);
      return;
    }
    merge(
      node, A.dptr, A.dcol, A.dval, [this](PetscInt c) { return c < A.ncols ? c / bs : n + ghost_node[c - A.ncols]; }, f);
  }

  /* The same for what falls to a lane, where a node is a row. */
  template <class F> HD void for_each_entry(PetscInt row, int lane, int lanes, F f) const
  {
    for (PetscInt p = A.dptr[row] + lane; p < A.dptr[row + 1]; p += lanes) {
      const PetscScalar a = A.dval[p];

      f(A.dcol[p], counts(row, A.dcol[p], a) ? PetscRealPart(a * PetscConj(a)) : 0);
    }
  }

private:
  /* The bs rows of a node are sorted: walk them side by side. */
  template <class N, class F> HD void merge(PetscInt node, const PetscInt *ptr, Columns col, Values val, N node_of, F f) const
  {
    const PetscInt first = node * bs, last = first + bs;

    for (PetscInt r = first; r < last; r++) place[r] = ptr[r];
    for (;;) {
      PetscInt  next  = PETSC_MAX_INT;
      PetscReal norm2 = 0;

      for (PetscInt r = first; r < last; r++) {
        if (place[r] < ptr[r + 1]) {
          const PetscInt j = node_of(col[place[r]]);

          if (j < next) next = j;
        }
      }
      if (next == PETSC_MAX_INT) return;
      for (PetscInt r = first; r < last; r++)
        for (; place[r] < ptr[r + 1] && node_of(col[place[r]]) == next; place[r]++) norm2 += PetscRealPart(val[place[r]] * PetscConj(val[place[r]]));
      f(next, norm2);
    }
  }
};

HD inline bool finite_real(PetscReal x) { return x - x == 0; }

/* 1 / |a_ii|, or 0 for a zero: whatever such a row holds is strong. */
struct DiagonalNorm {
  BlockRows  A;
  PetscReal *rdiag;

  HD DiagonalNorm on(Columns col, Values val) const { return {A.on(col, val), rdiag}; }

  HD void operator()(PetscInt i) const
  {
    PetscReal d = 0;

    A.for_each_block(i, [&](PetscInt j, PetscReal norm2) {
      if (j == i) d = norm2;
    });
    d        = d > 0 ? 1 / PetscSqrtReal(d) : 0;
    rdiag[i] = finite_real(d) ? d : 0;
  }
};

/* What Measure is to exceed. */
inline float strength_cut(PetscReal threshold)
{
  const PetscReal rounding = 64 * PETSC_MACHINE_EPSILON;

  return static_cast<float>(PetscMax(PetscSqr(threshold), PetscSqr(rounding)));
}

/* Rounded to float: values that differ only by the order of a sum compare equal. */
struct Measure {
  const PetscReal *rdiag; // [n + nghost], or with the diagonals' signs
  float            cut;
  const PetscReal *least = nullptr; // [n + nghost] of in_row(), rounded to float; null: no row asks for more than the cut

  HD float operator()(PetscInt i, PetscInt j, PetscReal norm2) const
  {
    const PetscReal scale = PetscAbsReal(rdiag[i] * rdiag[j]);
    const PetscReal w     = norm2 * (scale > 0 ? scale : 1);

    if (norm2 == 0) return 0;
    return scale > 0 && w < 1e30 ? static_cast<float>(w) : 1e30f;
  }
  HD bool strong(PetscInt i, PetscInt j, PetscReal norm2) const
  {
    if (!((*this)(i, j, norm2) > cut)) return false;
    if (!least) return true;
    const float wi = in_row(i, norm2), wj = in_row(j, norm2), li = static_cast<float>(least[i]), lj = static_cast<float>(least[j]);

    return (wi >= li && wj >= lj) || wi >= 4 * li || wj >= 4 * lj;
  }
  /* Beside the row's own diagonal, whatever the other's: rows may be scaled. */
  HD float in_row(PetscInt i, PetscReal norm2) const
  {
    const PetscReal w = norm2 * (rdiag[i] != 0 ? rdiag[i] * rdiag[i] : 1);

    return w < 1e30 ? static_cast<float>(w) : 1e30f;
  }
};

/* What an entry of a row is to come to: a share (squared) of the largest. */
struct LeastStrong {
  static constexpr bool by_lanes = true;

  BlockRows  A;
  Measure    measure;
  float      share2;
  PetscReal *least;

  HD LeastStrong on(Columns col, Values val) const { return {A.on(col, val), measure, share2, least}; }

  HD void operator()(PetscInt i) const { (*this)(i, 0, 1); }
  HD void operator()(PetscInt i, int lane, int lanes) const
  {
    float      largest = 0;
    const auto look    = [&](PetscInt j, PetscReal norm2) {
      if (j != i && measure.in_row(i, norm2) > largest) largest = measure.in_row(i, norm2);
    };

    if (A.bs == 1) A.for_each_entry(i, lane, lanes, look);
    else if (lane == 0) A.for_each_block(i, look);
    largest = most_of_lanes(largest, lanes);
    if (lane == 0) least[i] = share2 * largest;
  }
};

struct CountStrong {
  BlockRows A;
  Measure   measure;
  PetscInt *count;

  HD CountStrong on(Columns col, Values val) const { return {A.on(col, val), measure, count}; }

  HD void operator()(PetscInt i) const
  {
    count_with(i, 0, 1, [&](auto f) { A.for_each_block(i, f); });
  }
  HD void operator()(PetscInt i, int lane, int lanes) const
  {
    count_with(i, lane, lanes, [&](auto f) { A.for_each_entry(i, lane, lanes, f); });
  }

private:
  /* visit(f): f(node, squared norm) for what is this lane's. */
  template <class Visit> HD void count_with(PetscInt i, int lane, int lanes, Visit visit) const
  {
    PetscInt k = 0;

    visit([&](PetscInt j, PetscReal norm2) { k += j != i && measure.strong(i, j, norm2); });
    k = sum_of_lanes(k, lanes);
    if (lane == 0) count[i] = k;
  }
};

/* A bilinear form r_i s_j - r_j s_i, which adds up to zero over the edges of a symmetric graph, and else hardly ever. */
HD inline std::uint64_t one_sidedness(std::uint64_t hi, std::uint64_t hj)
{
  const std::uint64_t factor = 0xD6E8FEB86659FD93u;

  return hi * ((hj ^ (hj >> 27)) * factor) - hj * ((hi ^ (hi >> 27)) * factor);
}

/* Where col is given, writes the strong edges that do not lead to an isolated node. Where check is, counts them: check[i] tells whether the edge set is
   symmetric, and weak[i] is the number of entries between coupled nodes that are no edges, or no_edge where a node that counts as coupled has no strong one. On
   a host, where rows come one after the other, end[i] is told to the next row, and both are done at once. */
struct FillStrong {
  BlockRows       A;
  Measure         measure;
  PetscInt        start;
  const PetscInt *ghost; // global numbers of ghost nodes
  const PetscInt *count; // [n + nghost] strong edges, those to isolated nodes included
  const PetscInt *ptr;
  PetscInt       *col, *length;
  float          *weight;
  std::uint64_t  *check;
  std::int64_t   *weak;
  PetscInt       *end = nullptr;

  const std::uint64_t *hash = nullptr; // [n + nghost] hash_of() each node, where that is not computed again for each edge

  static constexpr std::int64_t no_edge = -1;

  HD std::uint64_t hash_of(PetscInt j) const { return hash62(j < A.n ? start + j : ghost[j - A.n]); }

  HD FillStrong on(Columns acol, Values aval) const
  {
    FillStrong body = *this;

    body.A = A.on(acol, aval);
    return body;
  }

  HD void operator()(PetscInt i) const
  {
    fill_with(i, 0, 1, [&](auto f) { A.for_each_block(i, f); });
  }
  /* Where edges are only counted. */
  HD void operator()(PetscInt i, int lane, int lanes) const
  {
    fill_with(i, lane, lanes, [&](auto f) { A.for_each_entry(i, lane, lanes, f); });
  }

private:
  template <class Visit> HD void fill_with(PetscInt i, int lane, int lanes, Visit visit) const
  {
    const std::uint64_t hi    = known_hash(i);
    std::uint64_t       sum   = 0;
    std::int64_t        rest  = 0;
    bool                edges = false; // strong ones, of any kind
    const PetscInt      begin = col ? ptr[i] : 0;
    PetscInt            p     = begin;

    visit([&](PetscInt j, PetscReal norm2) {
      if (j == i) return;
      const bool strong = measure.strong(i, j, norm2);

      edges = edges || strong;
      if (!count[j]) return;
      if (!strong) {
        rest += count[i] > 0;
        return;
      }
      if (col && lanes == 1) {
        col[p]    = j;
        weight[p] = measure(i, j, norm2);
      }
      if (check) sum += one_sidedness(hi, known_hash(j));
      p++;
    });
    if (end) end[i] = p;
    if (!check) return;
    p     = sum_of_lanes(p - begin, lanes);
    sum   = sum_of_lanes(sum, lanes);
    rest  = sum_of_lanes(rest, lanes);
    edges = !in_all_lanes(!edges, lanes);
    if (lane > 0) return;
    length[i] = p;
    check[i]  = sum;
    weak[i]   = count[i] > 0 && !edges ? no_edge : rest;
  }

  HD std::uint64_t known_hash(PetscInt j) const
  {
#if !defined(__CUDA_ARCH__)
    if (hash) return hash[j];
#endif
    return hash_of(j);
  }
};

HD inline void hash_nodes(PetscInt j, const FillStrong &of, std::uint64_t *hash) { hash[j] = of.hash_of(j); }

} // namespace goza::saamg
