/* Fold (paper P3): a row of n entries is folded into ceil(n / W) lines of at most W entries, 32 lines make a group, and a group is stored transposed.
   The work of a thread is bounded by W and not by the longest row.

     rows            lines (W = 2)      32 lanes of a group, longest line first      stored: entry k of lane l at begin + 32 k + l
       0  a            a                  lane  0  b d    * row 1                      b c e a - ...
       1  b c d        b d                      1  c        row 1                      d - f - - ...
                       c                        2  e f    * row 3
       2  (empty)                               3  a      * row 0                      (* the first line of its row)
       3  e f          e f                      4         * row 2

   Line j of a row folded into L lines takes its entries j, j + L, j + 2 L, ...: the lines differ by one entry at most, and the lanes of a row
   read neighbouring entries of it at the same time, as in CSR, so that folding does not break the locality of long clustered rows (the paper's nd24k).
   The rows of a chunk are taken by the length of their lines, so that the lines of a group are about as long; a lane stops at the end of its
   line, so that places after it are never read. Columns take 16 bits in the groups whose columns lie within 65536 of each other.

   A row's lines stand in one group, and its lanes are added by a segmented sum. A row of more than 32 lines has groups of its own, its pieces,
   entry e of a piece in lane e % 32; a second kernel adds the sums of the pieces. No atomics: every run gives the same result. */
#pragma once
#include "core/launch/for_each_row.hpp"
#include "core/sparse/local_column.hpp"
#include "mat/tuning.hpp"

namespace goza::mat {

constexpr int          fold_lanes     = 32;
constexpr std::uint8_t fold_first     = 128; // a line's flag: the first of its row
constexpr int          fold_max_width = 127;

/* What a warp must know of its group: one line of memory. */
struct alignas(16) FoldHead {
  std::uint8_t  line[fold_lanes]; // entries of the line, | fold_first
  std::uint16_t row[fold_lanes];  // its row, counted from first_row
  std::int64_t  begin;            // the group's first entry
  std::int64_t  col;              // where its columns begin: one word each, or half a word
  PetscInt      first_row;        // of the chunk, or ~(piece) of a row with groups of its own
  PetscInt      base;             // the smallest column where columns take half a word, else -1
};

template <class Store> struct FoldView {
  PetscInt           ngroups;
  const FoldHead    *head; // [ngroups]
  const Store       *val;  // [32 * steps], steps: the sum over the groups of their longest line
  const LocalColumn *col;

  HD const std::uint16_t *near_columns(const FoldHead &h) const { return reinterpret_cast<const std::uint16_t *>(col + h.col); }
};

/* Whether an entry's x is far from the place of its row. */
HD inline bool is_far(std::int64_t row, PetscInt col, double cols_per_row)
{
  const double apart = col - static_cast<double>(row) * cols_per_row;

  return apart > l1_reach || apart < -l1_reach;
}

HD constexpr int line_length(std::uint8_t line) { return line & (fold_first - 1); }

/* The products of one group. */
template <class Store, class V, class Out> struct FoldGroup {
  FoldView<Store> A;
  const V        *x;
  V              *piece; // [npieces] sums of pieces
  Out             out;

  void operator()(PetscInt group) const // on the host
  {
    const FoldHead &head            = A.head[group];
    const Store    *val             = A.val + head.begin;
    V               sum[fold_lanes] = {};

    if (head.base >= 0) add_lines(head, val, A.near_columns(head), x + head.base, sum);
    else add_lines(head, val, A.col + head.col, x, sum);
    for (int lane = 0; lane < fold_lanes;) {
      const int top   = lane;
      V         total = sum[lane++];

      while (lane < fold_lanes && !(head.line[lane] & fold_first)) total += sum[lane++];
      if (head.first_row < 0) piece[~head.first_row] = total;
      else out(head.first_row + head.row[top], total);
    }
  }

#if defined(__CUDACC__)
  static constexpr int resident = 5; // blocks to a multiprocessor: 48 registers, with which a warp has four entries a lane under way

  /* a warp */
  __device__ void operator()(PetscInt group, int lane) const { run<4>(group, lane); }

protected:
  /* together: entries of a line that are asked for at once */
  template <int together> __device__ void run(PetscInt group, int lane) const
  {
    const FoldHead    &head = A.head[group];
    const std::uint8_t line = head.line[lane];
    const Store       *val  = A.val + (head.begin + lane);

    finish(head.first_row, head.row[lane], line, lane,
           head.base >= 0 ? sum_line<together>(val, A.near_columns(head) + lane, x + head.base, line_length(line))
                          : sum_line<together>(val, A.col + (head.col + lane), x, line_length(line)));
  }

  /* The sums of a group's lines, one a lane, become those of its rows. */
  __device__ void finish(PetscInt first_row, int row, std::uint8_t line, int lane, V sum) const
  {
    const unsigned all = 0xffffffffu, first = __ballot_sync(all, line & fold_first);

    if (first_row < 0) {
      sum = sum_lanes(sum, 1);
      if (lane == 0) piece[~first_row] = sum;
      return;
    }
    if (first != all) sum = sum_row(sum, first, lane);
    if (line & fold_first) out(first_row + row, sum);
  }
#endif

private:
  /* Lane 0 has the longest line. */
  template <class Column> static void add_lines(const FoldHead &head, const Store *val, const Column *col, const V *from, V *sum)
  {
    const int longest  = line_length(head.line[0]);
    int       shortest = longest;

    for (int lane = 0; lane < fold_lanes; lane++) shortest = line_length(head.line[lane]) < shortest ? line_length(head.line[lane]) : shortest;
    for (int k = 0; k < shortest; k++, val += fold_lanes, col += fold_lanes)
      for (int lane = 0; lane < fold_lanes; lane++) sum[lane] += static_cast<V>(val[lane]) * from[col[lane]];
    for (int k = shortest; k < longest; k++, val += fold_lanes, col += fold_lanes) {
      for (int lane = 0; lane < fold_lanes; lane++)
        if (k < line_length(head.line[lane])) sum[lane] += static_cast<V>(val[lane]) * from[col[lane]];
    }
  }

#if defined(__CUDACC__)
  /* What limits the products of near columns is waiting, for a column and then for its x: the columns of the next entries are asked for together with x of
     these. */
  template <int together, class Column> static __device__ V sum_line(const Store *val, const Column *col, const V *from, int n)
  {
    Column c[together];
    V      sum = 0;

  #pragma unroll
    for (int u = 0; u < together; u++) c[u] = u < n ? stream_load(col + u * fold_lanes) : Column(0);
    for (; n > 0; n -= together, val += together * fold_lanes) {
      V     w[together];
      Store v[together];

      col += together * fold_lanes;
  #pragma unroll
      for (int u = 0; u < together; u++)
        if (u < n) w[u] = cached_load(from + c[u]);
  #pragma unroll
      for (int u = 0; u < together; u++)
        if (u < n) v[u] = stream_load(val + u * fold_lanes);
  #pragma unroll
      for (int u = 0; u < together; u++)
        if (u + together < n) c[u] = stream_load(col + u * fold_lanes);
  #pragma unroll
      for (int u = 0; u < together; u++)
        if (u < n) sum += static_cast<V>(v[u]) * w[u];
    }
    return sum;
  }

  /* In the first lane of each row, the sum over the lanes of the row. */
  static __device__ V sum_row(V sum, unsigned first, int lane)
  {
    const unsigned all = 0xffffffffu, above = first & ~((2u << lane) - 1);
    const int      end = above ? __ffs(static_cast<int>(above)) - 1 : fold_lanes;

    for (int offset = 1; offset < fold_lanes; offset <<= 1) {
      const bool inside = lane + offset < end;

      if (!__any_sync(all, inside)) break;
      const V other = __shfl_down_sync(all, sum, offset);

      if (inside) sum += other;
    }
    return sum;
  }
#endif
};

#if defined(__CUDACC__)
/* The same for for_each_warp_in_ranges(). */
template <class Store, class V, class Out> struct FoldRangeGroup : FoldGroup<Store, V, Out> {
  __device__ void operator()(PetscInt group, int lane) const { this->template run<3>(group, lane); }
};
#endif

} // namespace goza::mat
