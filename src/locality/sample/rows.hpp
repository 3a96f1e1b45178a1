/* The first two kernels of a sample: the longest rows of the matrix, and the blocks that are looked at. */
#pragma once
#include "core/launch/by_lanes.hpp"
#include "core/util/divided.hpp"
#include "counts.hpp"
#include "locality/team.hpp"
#include "mat/fold/fold_view.hpp"

namespace goza::locality::sampling {

HD inline void count_long_rows(int k, Team team, PetscInt nrows, int nteams, const PetscInt *ptr, Report *report)
{
  std::int64_t longest = 0, rows = 0, nnz = 0;

  for (std::int64_t i = static_cast<std::int64_t>(k) * team.size + team.rank; i < nrows; i += static_cast<std::int64_t>(nteams) * team.size) {
    const std::int64_t n = ptr[i + 1] - ptr[i];

    longest = n > longest ? n : longest;
    if (n > ordinary_row) {
      rows++;
      nnz += n;
    }
  }
  fetch_max(&team.board[0], longest);
  if (rows) {
    fetch_add(&team.board[1], rows);
    fetch_add(&team.board[2], nnz);
  }
  team.sync();
  if (team.rank) return;
  fetch_max(&report->longest, team.board[0]);
  if (!team.board[1]) return;
  fetch_add(&report->long_rows, team.board[1]);
  fetch_add(&report->long_nnz, team.board[2]);
}

struct TakeBlocks {
  Windows         windows;
  PetscInt        nrows, ncols, bs;
  const PetscInt *ptr, *col;
  Block          *block;
  Report         *report;

  HD void operator()(int w, Team team) const
  {
    Block         &b     = block[w];
    BlockCounts   &c     = report->block[w];
    const bool     first = w < windows.n; // a window to look at as well
    const PetscInt last  = first ? windows.begin[w] + windows.nrows[w] : 0;
    // threads that share rows
    const int width = team.size < lanes ? team.size : lanes, lane = team.rank % width, group = team.rank / width, groups = team.size / width;

    if (team.rank == 0) begin_rows(w, b);
    for (PetscInt i = windows.begin[first ? w : 0] + team.rank; i < last; i += team.size) {
      const std::int64_t n = ptr[i + 1] - ptr[i];

      if (n <= ordinary_row && n > team.board[0]) fetch_max(&team.board[0], n);
    }
    team.sync();
    for (PetscInt i = group; i < b.nrows; i += groups) {
      for (PetscInt k = b.ptr[i] + lane; k < b.ptr[i + 1]; k += width) {
        b.col[k] = col[b.from[i] + k - b.ptr[i]];
        b.row[k] = static_cast<short>(i);
      }
    }
    team.sync();
    for (PetscInt first = lanes * group; first < b.nrows; first += lanes * groups) {
      const Slice slice{first, first + lanes < b.nrows ? first + lanes : b.nrows, lane, width};

      look_at_columns(b, slice, windows.block[w], c);
      c.pattern[first / lanes] = pattern(b, slice); // the same from all lanes
      count_alike(b, slice, c);
    }
    if (team.rank) return;
    c.rows    = b.nrows;
    c.entries = b.ptr[b.nrows];
    if (first) report->usual[w] = team.board[0];
  }

  HD void begin_rows(int w, Block &b) const
  {
    const PetscInt *first = ptr + windows.block[w];
    PetscInt        i = 0, end = 0;

    for (b.ptr[0] = 0; i < windows.block_rows[w]; i++) {
      const PetscInt n = first[i + 1] - first[i], taken = n > ordinary_row ? 0 : n < sample_row ? n : sample_row;

      if (end + taken > sample_entries) break;
      end += taken;
      b.from[i]    = first[i];
      b.ptr[i + 1] = end;
    }
    b.nrows = i;
  }

  /* Rows of a block that so many lanes share, and which of these it is */
  struct Slice {
    PetscInt first, end;
    int      lane, lanes;
  };

  /* As slices of sliced ELL are compared that may share their columns */
  HD static std::int64_t pattern(const Block &b, const Slice &slice)
  {
    const PetscInt from = b.ptr[slice.first];
    std::uint64_t  sum  = 0;

    for (PetscInt i = slice.first + slice.lane; i < slice.end; i += slice.lanes) {
      std::uint64_t h = 1;

      for (PetscInt k = b.ptr[i]; k < b.ptr[i + 1]; k++) {
        h = (h ^ static_cast<std::uint64_t>(i - slice.first)) * golden_64;
        h = (h ^ h >> 29 ^ static_cast<std::uint64_t>(b.col[k] - b.col[from])) * splitmix_1;
      }
      sum += h;
    }
    return from < b.ptr[slice.end] ? static_cast<std::int64_t>(sum_of_lanes(sum, slice.lanes) | 1) : 0;
  }

  HD static void count_alike(const Block &b, const Slice &slice, BlockCounts &c)
  {
    std::int64_t rows = 0, repeated = 0;

    for (PetscInt i = slice.first + slice.lane; i < slice.end; i += slice.lanes) {
      if (i == slice.first) continue;
      const PetscInt *row = b.col + b.ptr[i], *before = b.col + b.ptr[i - 1], n = b.ptr[i + 1] - b.ptr[i];
      bool            same = b.ptr[i] - b.ptr[i - 1] == n;

      for (PetscInt k = 1; same && k < n; k++) same = row[k] - before[k] == row[0] - before[0];
      rows += same;
      repeated += same && n && row[0] == before[0];
    }
    rows     = sum_of_lanes(rows, slice.lanes);
    repeated = sum_of_lanes(repeated, slice.lanes);
    if (slice.lane) return;
    fetch_add(&c.alike, rows);
    fetch_add(&c.repeated, repeated);
  }

  /* As in_ranges of Fold's groups and gaps of sliced ELL are: 32 rows within 2^16 columns; neighbours in a row no further apart. */
  HD void look_at_columns(const Block &b, const Slice &slice, PetscInt first_row, BlockCounts &c) const
  {
    const std::int64_t n            = b.ptr[slice.end] - b.ptr[slice.first];
    const double       cols_per_row = static_cast<double>(ncols) / nrows;
    PetscInt           most = -1, least = ncols, in_place = 0, far = 0;
    bool               gaps = true;

    for (PetscInt i = slice.first + slice.lane; i < slice.end; i += slice.lanes) {
      for (PetscInt k = b.ptr[i]; k < b.ptr[i + 1]; k++) {
        const PetscInt j = b.col[k], gap = k > b.ptr[i] ? j - b.col[k - 1] : 0;

        most  = j > most ? j : most;
        least = j < least ? j : least;
        far += is_far(static_cast<std::int64_t>(first_row) + i, j, cols_per_row);
        gaps = gaps && gap >= 0 && gap <= most_in_16_bits;
        if (bs > 1) in_place += divided(k - b.ptr[i], bs) * bs != k - b.ptr[i] ? gap == 1 : divided(j, bs) * bs == j;
      }
    }
    most     = most_of_lanes(most, slice.lanes);
    least    = -most_of_lanes(-least, slice.lanes);
    gaps     = in_all_lanes(gaps, slice.lanes);
    in_place = sum_of_lanes(in_place, slice.lanes);
    far      = sum_of_lanes(far, slice.lanes);
    if (slice.lane || !n) return;
    fetch_max(&c.last_col, static_cast<std::int64_t>(most) + 1);
    fetch_max(&c.before_first_col, static_cast<std::int64_t>(ncols) - least);
    if (gaps) fetch_add(&c.short_gaps, n);
    if (far) fetch_add(&c.far_from_row, static_cast<std::int64_t>(far));
    if (in_place) fetch_add(&c.in_place, static_cast<std::int64_t>(in_place));
    if (most - least <= most_in_16_bits) fetch_add(&c.short_groups, n);
  }
};

} // namespace goza::locality::sampling
