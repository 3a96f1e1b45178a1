/* The first two kernels of a sample: the longest rows of the matrix, and the blocks that are looked at. */
#pragma once
#include "counts.hpp"
#include "locality/team.hpp"

namespace goza::locality::sampling
{

struct CountLongRows {
  PetscInt        nrows;
  int             nteams;
  const PetscInt *ptr;
  Report         *report;

  HD void operator()(int k, Team team) const
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
};

struct TakeBlocks {
  Windows         windows;
  PetscInt        ncols, bs;
  const PetscInt *ptr, *col;
  Block          *block;
  Report         *report;

  HD void operator()(int w, Team team) const
  {
    Block         &b     = block[w];
    BlockCounts   &c     = report->block[w];
    const bool     first = w < windows.n; // a window to look at as well
    const PetscInt last  = first ? windows.begin[w] + windows.nrows[w] : 0;

    if (team.rank == 0) begin_rows(w, b);
    for (PetscInt i = windows.begin[first ? w : 0] + team.rank; i < last; i += team.size) {
      const std::int64_t n = ptr[i + 1] - ptr[i];

      if (n <= ordinary_row && n > team.board[0]) fetch_max(&team.board[0], n);
    }
    team.sync();
    for (PetscInt i = team.rank; i < b.nrows; i += team.size) {
      for (PetscInt k = b.ptr[i]; k < b.ptr[i + 1]; k++) {
        b.col[k] = col[b.from[i] + k - b.ptr[i]];
        b.row[k] = static_cast<short>(i);
      }
    }
    team.sync();
    for (PetscInt first = lanes * team.rank; first < b.nrows; first += lanes * team.size) {
      const PetscInt end = first + lanes < b.nrows ? first + lanes : b.nrows;

      look_at_columns(b, first, end, c);
      c.pattern[first / lanes] = pattern(b, first, end);
      count_alike(b, first, end, c);
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

  /* As slices of sliced ELL are compared that may share their columns */
  HD static std::int64_t pattern(const Block &b, PetscInt first, PetscInt end)
  {
    std::uint64_t h = 1;

    for (PetscInt k = b.ptr[first]; k < b.ptr[end]; k++) {
      h = (h ^ static_cast<std::uint64_t>(b.row[k] - first)) * golden_64;
      h = (h ^ h >> 29 ^ static_cast<std::uint64_t>(b.col[k] - b.col[b.ptr[first]])) * splitmix_1;
    }
    return b.ptr[first] < b.ptr[end] ? static_cast<std::int64_t>(h | 1) : 0;
  }

  HD static void count_alike(const Block &b, PetscInt first, PetscInt end, BlockCounts &c)
  {
    std::int64_t rows = 0, repeated = 0;

    for (PetscInt i = first + 1; i < end; i++) {
      const PetscInt *row = b.col + b.ptr[i], *before = b.col + b.ptr[i - 1], n = b.ptr[i + 1] - b.ptr[i];
      bool            same = b.ptr[i] - b.ptr[i - 1] == n;

      for (PetscInt k = 1; same && k < n; k++) same = row[k] - before[k] == row[0] - before[0];
      rows += same;
      repeated += same && n && row[0] == before[0];
    }
    fetch_add(&c.alike, rows);
    fetch_add(&c.repeated, repeated);
  }

  /* As in_ranges of Fold's groups and gaps of sliced ELL are: 32 rows within 2^16 columns; neighbours in a row no further apart. */
  HD void look_at_columns(const Block &b, PetscInt first, PetscInt end, BlockCounts &c) const
  {
    const PetscInt n    = b.ptr[end] - b.ptr[first];
    PetscInt       most = -1, least = ncols, in_place = 0;
    bool           gaps = true;

    for (PetscInt k = b.ptr[first]; k < b.ptr[end]; k++) {
      const PetscInt j = b.col[k], gap = k > b.ptr[first] && b.row[k] == b.row[k - 1] ? j - b.col[k - 1] : 0;

      most  = j > most ? j : most;
      least = j < least ? j : least;
      gaps  = gaps && gap >= 0 && gap <= most_in_16_bits;
      if (bs > 1) in_place += (k - b.ptr[b.row[k]]) % bs ? gap == 1 : j % bs == 0;
    }
    if (!n) return;
    fetch_max(&c.last_col, static_cast<std::int64_t>(most) + 1);
    fetch_max(&c.before_first_col, static_cast<std::int64_t>(ncols) - least);
    if (gaps) fetch_add(&c.short_gaps, static_cast<std::int64_t>(n));
    if (in_place) fetch_add(&c.in_place, static_cast<std::int64_t>(in_place));
    if (most - least <= most_in_16_bits) fetch_add(&c.short_groups, static_cast<std::int64_t>(n));
  }
};

} // namespace goza::locality::sampling
