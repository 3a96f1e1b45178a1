/* How the threads of a format read x in the blocks of a sample, and what of that a cache holds: see sample.hpp. */
#pragma once
#include "counts.hpp"
#include "locality/team.hpp"

namespace goza::locality::sampling {

constexpr int slots = 2 * sample_entries;

struct Slot {
  std::int64_t sector; // + 1; 0: none
  std::int64_t asked;  // by which warps in the last step that did: step * 2^32 + a bit for each warp
  std::int64_t fetch;  // number of the fetch that brought it, from 1
};

struct ReadScratch {
  Slot     slot[slots];
  PetscInt first_lane[sample_block + 1]; // of Fold's rows
  short    row_of_lane[sample_entries + lanes * sample_block];
};

struct Lane {
  PetscInt first, stride, count; // its entries
};

/* When something is read: the number of the step, the misses before it, those before this block of threads, how many sectors its cache keeps; and the slots in
   use. */
struct Moment {
  std::int64_t step, fetched, base, kept;
  int          used;
};

struct FollowReads {
  Windows         windows;
  Caches          caches;
  PetscInt        nrows, ncols;
  const PetscInt *ptr;
  const Block    *block;
  const Report   *report; // of TakeBlocks

  HD void operator()(int w, const Order &o, ReadScratch &s, OrderCounts &c, Team team) const
  {
    const Block       &b      = block[w];
    const bool         ranges = o.layout == Layout::Fold && in_ranges();
    const int          warps  = ranges ? caches.range_warps : caches.warps;
    const std::int64_t kept   = caches.per_block * (ranges ? warps / caches.warps : 1);
    const PetscInt     H = o.param < lanes ? o.param : lanes, chunks = (b.ptr[b.nrows] + 8 * team_threads - 1) / (8 * team_threads);
    std::int64_t      *misses = &team.board[0], *requests = &team.board[1], *near = &team.board[2], *most = &team.board[3], step = 0, base = 0;
    PetscInt           n;
    int                used = 64; // of the slots: twice as many as entries

    while (used < 2 * b.ptr[b.nrows]) used *= 2;
    for (int k = team.rank; k < used; k += team.size) s.slot[k] = {0, 0, 0};
    team.sync();
    if (o.layout == Layout::Csr) n = chunks * team_threads;
    else n = o.layout == Layout::Fold ? fold_lanes_of(b, o.param, s, team) : (b.nrows + H - 1) / H * lanes;
    for (PetscInt first = 0; first < n; first += warps * lanes) {
      const PetscInt end = first + warps * lanes < n ? first + warps * lanes : n;

      for (PetscInt l = first + team.rank; l < end; l += team.size) fetch_max(most, static_cast<std::int64_t>(lane_of(b, o, s, l).count));
      if (!ranges) base = *misses; // another block of threads begins with nothing
      team.sync();
      const std::int64_t steps = *most;

      for (PetscInt k = 0; k < steps; k++) {
        const std::int64_t fetched = *misses;

        step++;
        team.sync();
        for (PetscInt l = first + team.rank; l < end; l += team.size) {
          const Lane lane = lane_of(b, o, s, l);

          if (k < lane.count) ask(w, lane.first + k * lane.stride, (l - first) / lanes, {step, fetched, base, kept, used}, s, team, c);
        }
        team.sync();
      }
      if (team.rank == 0) *most = 0;
      team.sync();
    }
    if (team.rank) return;
    c.requests = static_cast<int>(*requests);
    c.misses   = static_cast<int>(*misses);
    c.near     = static_cast<int>(*near);
  }

private:
  /* Whether Fold would give blocks consecutive groups */
  HD bool in_ranges() const
  {
    std::int64_t fit = 0, all = 0;

    if (!caches.device) return false;
    for (int w = 0; w < windows.nblocks; w++) {
      fit += report->block[w].short_groups;
      all += report->block[w].entries;
    }
    return all && fold_in_ranges(static_cast<double>(fit) / static_cast<double>(all), ptr[nrows], nrows);
  }

  /* Fold's rows are not cut by warps. */
  HD PetscInt fold_lanes_of(const Block &b, PetscInt width, ReadScratch &s, Team team) const
  {
    if (team.rank == 0) {
      PetscInt at = 0;

      for (PetscInt i = 0; i < b.nrows; i++) {
        const PetscInt n = b.ptr[i + 1] - b.ptr[i], all = n ? (n - 1) / width + 1 : 1, lines = all < lanes ? all : lanes;

        if (at % lanes + lines > lanes) at += lanes - at % lanes;
        s.first_lane[i] = at;
        at += lines;
      }
      s.first_lane[b.nrows] = at;
    }
    team.sync();
    const PetscInt n = (s.first_lane[b.nrows] + lanes - 1) / lanes * lanes;

    for (PetscInt i = team.rank; i <= b.nrows; i += team.size) { // lanes behind a row's own are counted to it, and have no entries
      const PetscInt end = i < b.nrows ? s.first_lane[i + 1] : n;

      for (PetscInt l = s.first_lane[i]; l < end; l++) s.row_of_lane[l] = static_cast<short>(i);
    }
    team.sync();
    return n;
  }

  HD Lane lane_of(const Block &b, const Order &o, const ReadScratch &s, PetscInt l) const
  {
    if (o.layout == Layout::Csr) { // consecutive threads take consecutive entries, 8 each
      const PetscInt first = l / team_threads * (8 * team_threads) + l % team_threads, left = (b.ptr[b.nrows] - first + team_threads - 1) / team_threads;

      return {first, team_threads, left < 0 ? 0 : left < 8 ? left : 8};
    }
    if (o.layout == Layout::Fold) {
      const PetscInt i = s.row_of_lane[l];
      if (i >= b.nrows) return {0, 1, 0};
      const PetscInt n = b.ptr[i + 1] - b.ptr[i], all = n ? (n - 1) / o.param + 1 : 1, lines = all < lanes ? all : lanes, j = l - s.first_lane[i];

      return {b.ptr[i] + j, lines, j < lines ? (n - j + lines - 1) / lines : 0};
    }
    const PetscInt H = o.param < lanes ? o.param : lanes, team = lanes / H, i = l / lanes * H + l % H, t = l % lanes / H;
    if (i >= b.nrows) return {0, 1, 0};
    return {b.ptr[i] + t, team, (b.ptr[i + 1] - b.ptr[i] - t + team - 1) / team};
  }

  HD Slot &find(ReadScratch &s, int used, std::int64_t key) const
  {
    int at = first_place(key, used);

    for (;; at = (at + 1) & (used - 1)) {
      if (s.slot[at].sector == key) return s.slot[at];
      if (s.slot[at].sector) continue;
      const std::int64_t before = fetch_claim(&s.slot[at].sector, key);
      if (!before || before == key) return s.slot[at];
    }
  }

  /* A lane reads the x of entry e. Of the lanes of a warp that ask for a sector in one step the first counts as a request; of those of all warps, the first as
     a miss. */
  HD void ask(int w, PetscInt e, PetscInt warp, const Moment &now, ReadScratch &s, Team team, OrderCounts &c) const
  {
    const Block       &b    = block[w];
    const PetscInt     col  = b.col[e];
    Slot              &slot = find(s, now.used, static_cast<std::int64_t>(col) * caches.x_bytes / caches.sector + 1);
    const std::int64_t bit = std::int64_t(1) << warp, before = fetch_max(&slot.asked, now.step << 32);

    if (!(fetch_or(&slot.asked, bit) & bit)) fetch_add(&team.board[1], std::int64_t(1));
    if (before >= now.step << 32) return; // another lane has brought it
    if (slot.fetch > now.base && now.fetched - slot.fetch < now.kept) return;
    slot.fetch = now.fetched + 1;
    fetch_add(&team.board[0], std::int64_t(1));
    const double slope = static_cast<double>(ncols) / static_cast<double>(nrows),
                 apart = static_cast<double>(col) - slope * static_cast<double>(windows.block[w] + b.row[e]);
    if ((apart < 0 ? -apart : apart) * caches.x_bytes <= (caches.device ? near_bytes : own_near_bytes)) fetch_add(&team.board[2], std::int64_t(1));
    else fetch_add(&c.far[static_cast<std::int64_t>(col) * place_bins / ncols], 1);
  }
};

} // namespace goza::locality::sampling
