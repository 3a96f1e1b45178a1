#include "sample.hpp"
#include "core/csr_matrix.hpp"
#include "team.hpp"
#include <algorithm>
#include <cmath>

namespace goza
{

namespace
{

constexpr int           lanes = 32, max_orders = 10;
constexpr PetscInt      fold_chunk = 1024, window_chunks = sample_window / fold_chunk, most_width = 127; // as in mat/fold
constexpr int           slots = 2 * sample_entries, offset_slots = 1 << 15, most_listed = 256;
constexpr double        diagonal_share = 0.6, mirror_share = 0.8 * diagonal_share;
constexpr std::uint64_t hash = 0x9E3779B97F4A7C15u;

struct Windows {
  int      n, nblocks; // n <= nblocks
  PetscInt begin[sample_windows], nrows[sample_windows];
  PetscInt block[sample_blocks], block_rows[sample_blocks]; // the rows that may be a block
};

/* A block, with its rows from 0. Long rows are empty here, and of the others the first sample_row entries stay. */
struct Block {
  PetscInt nrows, ptr[sample_block + 1], col[sample_entries];
  short    row[sample_entries]; // of an entry
  PetscInt from[sample_block];  // the first entry of a row in the matrix
};

/* What the host gets. All counts begin at 0. */
struct BlockCounts {
  std::int64_t rows, entries;
  std::int64_t last_col, before_first_col; // the largest column + 1; the number of columns less the smallest
  std::int64_t short_gaps, short_groups;   // entries whose columns take 16 bits
  std::int64_t in_place;                   // entries where a full block of bs x bs has them
};

struct OrderCounts {
  int          requests, misses, near, far[place_bins];
  std::int64_t plain, sorted, groups, steps;
};

struct Offset {
  std::int64_t key; // offset + rows + 1; 0: none
  std::int64_t count;
};

struct Report {
  std::int64_t longest, long_rows, long_nnz;
  std::int64_t usual[sample_windows]; // the longest row of a window, of those of at most ordinary_row entries
  BlockCounts  block[sample_blocks];
  OrderCounts  order[max_orders][sample_blocks];
  std::int64_t nlisted;
  Offset       listed[most_listed];
};

/* One order of reads */
struct Order {
  Layout   layout;
  PetscInt param;
};

struct Slot {
  std::int64_t sector; // + 1; 0: none
  std::int64_t asked;  // by which warps in the last step that did: step * 2^32 + a bit for each warp
  std::int64_t fetch;  // number of the fetch that brought it, from 1
};

/* A team's own memory */
struct Scratch {
  Slot     slot[slots];
  int      count[ordinary_row + 1];              // of rows by length
  int      lines[window_chunks][most_width + 1]; // of Fold by length
  PetscInt first_lane[sample_block + 1];         // of Fold's rows
  short    row_of_lane[sample_entries + lanes * sample_block];
};

/* --- 1. the longest rows */

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

/* --- 2. the blocks */

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
    for (PetscInt first = lanes * team.rank; first < b.nrows; first += lanes * team.size)
      look_at_columns(b, first, first + lanes < b.nrows ? first + lanes : b.nrows, c);
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
      gaps  = gaps && gap >= 0 && gap <= 65535;
      if (bs > 1) in_place += (k - b.ptr[b.row[k]]) % bs ? gap == 1 : j % bs == 0;
    }
    if (!n) return;
    fetch_max(&c.last_col, static_cast<std::int64_t>(most) + 1);
    fetch_max(&c.before_first_col, static_cast<std::int64_t>(ncols) - least);
    if (gaps) fetch_add(&c.short_gaps, static_cast<std::int64_t>(n));
    if (in_place) fetch_add(&c.in_place, static_cast<std::int64_t>(in_place));
    if (most - least <= 65535) fetch_add(&c.short_groups, static_cast<std::int64_t>(n));
  }
};

/* --- 3. orders */

struct Lane {
  PetscInt first, stride, count; // its entries
};

struct FollowOrders {
  Windows         windows;
  Caches          caches;
  PetscInt        nrows, ncols;
  int             norders;
  Order           order[max_orders];
  PetscInt        bs;
  const PetscInt *ptr;
  const Block    *block;
  Scratch        *scratch;
  Offset         *offset; // [offset_slots]
  Report         *report;

  /* A team for every order and block, which is given a window, too, where there are any left; and one for every block's diagonals */
  HD void operator()(int k, Team team) const
  {
    const int w = k % windows.nblocks, o = k / windows.nblocks;

    if (o == norders) {
      count_offsets(block[w], windows.block[w], team);
      return;
    }
    if (w < windows.n && order[o].layout == Layout::SlicedEll) slice_window(w, order[o].param, scratch[team.scratch], report->order[o][w], team);
    if (w < windows.n && order[o].layout == Layout::Fold) fold_window(w, order[o].param, scratch[team.scratch], report->order[o][w], team);
    read_x(w, order[o], scratch[team.scratch], report->order[o][w], team);
  }

  HD PetscInt ordinary_length(PetscInt i) const
  {
    const PetscInt n = ptr[i + 1] - ptr[i];

    return n > ordinary_row ? 0 : n; // long rows are counted apart, from the whole matrix
  }

  /* Places in slices of H rows, in the order given and sorted by length inside the window. */
  HD void slice_window(int w, PetscInt H, Scratch &s, OrderCounts &c, Team team) const
  {
    const PetscInt begin = windows.begin[w], n = windows.nrows[w];
    std::int64_t   plain = 0;

    for (PetscInt l = team.rank; l <= ordinary_row; l += team.size) s.count[l] = 0;
    team.sync();
    for (PetscInt first = H * team.rank; first < n; first += H * team.size) {
      PetscInt most = 0;

      for (PetscInt i = first; i < first + H && i < n; i++) {
        const PetscInt l = ordinary_length(begin + i);

        most = l > most ? l : most;
        fetch_add(&s.count[l], 1);
      }
      plain += most * H;
    }
    fetch_add(&c.plain, plain);
    team.sync();
    if (team.rank) return;
    std::int64_t sorted = 0;
    PetscInt     at     = 0;

    for (PetscInt l = static_cast<PetscInt>(report->usual[w]); l > 0; l--) { // a slice begins with its longest row
      const PetscInt end = at + s.count[l];

      sorted += static_cast<std::int64_t>(l) * H * ((end + H - 1) / H - (at + H - 1) / H);
      at = end;
    }
    c.sorted = sorted;
  }

  /* Groups of 32 lines, by their length inside a chunk. */
  HD void fold_window(int w, PetscInt width, Scratch &s, OrderCounts &c, Team team) const
  {
    const PetscInt begin = windows.begin[w], n = windows.nrows[w];
    std::int64_t   groups = 0, steps = 0;

    for (PetscInt l = team.rank; l < window_chunks * (most_width + 1); l += team.size) s.lines[l / (most_width + 1)][l % (most_width + 1)] = 0;
    team.sync();
    for (PetscInt i = team.rank; i < n; i += team.size) {
      const PetscInt length = ordinary_length(begin + i), lines = length ? (length - 1) / width + 1 : 1;

      if (lines > lanes) { // groups of its own
        groups += (length + lanes * width - 1) / (lanes * width);
        steps += (length + lanes - 1) / lanes;
      } else fetch_add(&s.lines[i / fold_chunk][length ? (length - 1) / lines + 1 : 0], static_cast<int>(lines));
    }
    team.sync();
    for (PetscInt chunk = team.rank; chunk < window_chunks; chunk += team.size) {
      PetscInt room = 0; // in the group begun last

      for (PetscInt l = width; l >= 0; l--) {
        const PetscInt left = s.lines[chunk][l] - (room < s.lines[chunk][l] ? room : s.lines[chunk][l]), opened = (left + lanes - 1) / lanes;

        room -= s.lines[chunk][l] - left;
        if (!left) continue;
        groups += opened;
        steps += static_cast<std::int64_t>(opened) * l;
        room = opened * lanes - left;
      }
    }
    if (groups) fetch_add(&c.groups, groups);
    if (steps) fetch_add(&c.steps, steps);
  }

  /* Whether Fold would give blocks consecutive groups */
  HD bool in_ranges() const
  {
    std::int64_t fit = 0, all = 0;

    if (!caches.device || ptr[nrows] > static_cast<std::int64_t>(caches.range_row) * nrows) return false;
    for (int w = 0; w < windows.nblocks; w++) {
      fit += report->block[w].short_groups;
      all += report->block[w].entries;
    }
    return 2 * fit > all;
  }

  /* Fold's rows are not cut by warps. */
  HD PetscInt fold_lanes_of(const Block &b, PetscInt width, Scratch &s, Team team) const
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

  HD Lane lane_of(const Block &b, const Order &o, const Scratch &s, PetscInt l) const
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

  HD Slot &find(Scratch &s, int used, std::int64_t key) const
  {
    int at = static_cast<int>(static_cast<std::uint64_t>(key) * hash >> 40) & (used - 1);

    for (;; at = (at + 1) & (used - 1)) {
      if (s.slot[at].sector == key) return s.slot[at];
      if (s.slot[at].sector) continue;
      const std::int64_t before = fetch_claim(&s.slot[at].sector, key);
      if (!before || before == key) return s.slot[at];
    }
  }

  HD void read_x(int w, const Order &o, Scratch &s, OrderCounts &c, Team team) const
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

          if (k < lane.count) ask(w, b, lane.first + k * lane.stride, s, used, step, (l - first) / lanes, fetched, base, kept, team, c);
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

  /* A lane reads the x of entry e. Of the lanes of a warp that ask for a sector in one step the first counts as a request; of those of all warps, the first as a miss. */
  HD void ask(int w, const Block &b, PetscInt e, Scratch &s, int used, std::int64_t step, PetscInt warp, std::int64_t fetched, std::int64_t base, std::int64_t kept, Team team, OrderCounts &c) const
  {
    const PetscInt     col  = b.col[e];
    Slot              &slot = find(s, used, static_cast<std::int64_t>(col) * caches.x_bytes / caches.sector + 1);
    const std::int64_t bit = std::int64_t(1) << warp, before = fetch_max(&slot.asked, step << 32);

    if (!(fetch_or(&slot.asked, bit) & bit)) fetch_add(&team.board[1], std::int64_t(1));
    if (before >= step << 32) return; // another lane has brought it
    if (slot.fetch > base && fetched - slot.fetch < kept) return;
    slot.fetch = fetched + 1;
    fetch_add(&team.board[0], std::int64_t(1));
    const double slope = static_cast<double>(ncols) / static_cast<double>(nrows), apart = static_cast<double>(col) - slope * static_cast<double>(windows.block[w] + b.row[e]);
    if ((apart < 0 ? -apart : apart) * caches.x_bytes <= near_bytes) fetch_add(&team.board[2], std::int64_t(1));
    else fetch_add(&c.far[static_cast<std::int64_t>(col) * place_bins / ncols], 1);
  }

  /* Where the table is full, further offsets are left out: of a matrix with so many, few diagonals are full. */
  HD void count_offsets(const Block &b, PetscInt first, Team team) const
  {
    for (PetscInt e = team.rank; e < b.ptr[b.nrows]; e += team.size) {
      const std::int64_t key = static_cast<std::int64_t>(b.col[e] / bs) - (first + b.row[e]) / bs + nrows + 1;
      int                at  = static_cast<int>(static_cast<std::uint64_t>(key) * hash >> 40) & (offset_slots - 1);

      for (int tried = 0; tried < 64; tried++, at = (at + 1) & (offset_slots - 1)) {
        const std::int64_t before = offset[at].key == key ? key : fetch_claim(&offset[at].key, key);

        if (before && before != key) continue;
        fetch_add(&offset[at].count, std::int64_t(1));
        break;
      }
    }
  }
};

/* --- 4. the diagonals that are nearly full */

struct ListOffsets {
  int           nblocks;
  PetscInt      bs;
  const Offset *offset;
  Report       *report;

  HD void operator()(PetscInt k) const
  {
    std::int64_t rows = 0;

    if (!offset[k].count) return;
    for (int w = 0; w < nblocks; w++) rows += report->block[w].rows;
    if (static_cast<double>(offset[k].count) < mirror_share * static_cast<double>(rows * bs)) return;
    const std::int64_t at = fetch_add(&report->nlisted, std::int64_t(1));
    if (at < most_listed) report->listed[at] = offset[k];
  }
};

SampledDiagonals diagonals_of(const Report &report, std::int64_t nrows, PetscInt bs, double rows, double entries)
{
  SampledDiagonals    found;
  std::vector<Offset> list(report.listed, report.listed + std::min<std::int64_t>(report.nlisted, most_listed));

  if (report.nlisted > most_listed) return found;
  for (const Offset &o : list) {
    if (static_cast<double>(o.count) < diagonal_share * rows * static_cast<double>(bs)) continue;
    const std::int64_t mirror = 2 * (nrows + 1) - o.key, offset = o.key - (nrows + 1); // mirror: of -offset

    found.pairs = found.pairs && std::any_of(list.begin(), list.end(), [&](const Offset &other) { return other.key == mirror; });
    if (offset > 1 && (!found.beyond || offset < found.beyond)) found.beyond = offset;
    found.count++;
    found.inside += static_cast<double>(o.count);
  }
  found.inside = entries > 0 ? found.inside / entries : 0;
  if (found.count > 128) found = {};
  return found;
}

Windows windows_of(PetscInt nrows)
{
  const PetscInt all = (nrows + sample_window - 1) / sample_window, blocks = (nrows + sample_block - 1) / sample_block;
  Windows        windows{};

  windows.n       = static_cast<int>(std::min(all, sample_windows));
  windows.nblocks = static_cast<int>(std::min(blocks, sample_blocks));
  const auto part = [](int k, int n, PetscInt of) { return static_cast<PetscInt>((2 * static_cast<std::int64_t>(k) + 1) * of / (2 * n)); };
  for (int w = 0; w < windows.n; w++) {
    windows.begin[w] = part(w, windows.n, all) * sample_window;
    windows.nrows[w] = std::min(sample_window, nrows - windows.begin[w]);
  }
  for (int b = 0; b < windows.nblocks; b++) {
    PetscInt place = part(b, windows.nblocks, blocks);
    /* somewhere in its part: places at equal distances would meet only the faces of some grids */
    const PetscInt around = blocks / windows.nblocks, moved = static_cast<PetscInt>(static_cast<unsigned>(b) * 2654435761u % static_cast<unsigned>(std::max<PetscInt>(1, std::min<PetscInt>(around, 16))));

    if (around > 1) place = std::min(blocks - 1, place - std::min<PetscInt>(around, 16) / 2 + moved);
    windows.block[b]      = place * sample_block;
    windows.block_rows[b] = std::min(sample_block, nrows - windows.block[b]);
  }
  return windows;
}

/* Each order once. Reads of CDS are those of sliced ELL, a row to a lane. */
std::vector<Order> orders_of(const std::vector<Way> &ways)
{
  std::vector<Order> orders;

  for (const Way &way : ways) {
    Order o{way.layout, way.param};

    if (way.layout >= Layout::CdsFull) o = {Layout::SlicedEll, lanes};
    if (way.layout == Layout::Fold) o.param = std::min(o.param, most_width);
    if (std::none_of(orders.begin(), orders.end(), [&](const Order &known) { return known.layout == o.layout && known.param == o.param; })) orders.push_back(o);
  }
  if (orders.size() > max_orders) throw std::invalid_argument("too many ways for one sample");
  return orders;
}

/* A block of threads that goes on through a matrix keeps what its rows read in common with those before: where all that a block's rows span fits in the
   cache, only what is new on the way is fetched. Where a part of the span fits, that part. Returns the share of the misses that stay. */
double carried_over(const Sample &sample, const BlockCounts &w, double misses)
{
  if (!w.entries || misses <= 0) return 1;
  const double sector = sample.caches.sector, x = sample.caches.x_bytes, kept = static_cast<double>(sample.caches.per_block) * 32 / sample.caches.warps;
  const double span  = static_cast<double>(w.last_col + w.before_first_col - sample.cols) * x / sector;
  const double fresh = std::min(misses, static_cast<double>(w.rows) * static_cast<double>(sample.cols) / static_cast<double>(sample.rows) * x / sector), held = std::min(1.0, kept / std::max(span, 1.0));

  return (held * fresh + (1 - held) * misses) / misses;
}

SampledReads scaled(const Sample &sample, const Order &order, const OrderCounts *counts, const Report &report, int nblocks)
{
  SampledReads r;

  r.layout = order.layout;
  r.param  = order.param;
  for (int w = 0; w < nblocks; w++) {
    const OrderCounts &c    = counts[w];
    const double       stay = order.layout == Layout::Fold && sample.ranges ? carried_over(sample, report.block[w], c.misses) : 1;

    r.requests += c.requests;
    r.misses += stay * c.misses;
    r.near += stay * c.near;
    for (int k = 0; k < place_bins; k++) r.far[k] += stay * c.far[k];
    r.plain += static_cast<double>(c.plain) / sample.row_share;
    r.sorted += static_cast<double>(c.sorted) / sample.row_share;
    r.groups += static_cast<double>(c.groups) / sample.row_share;
    r.steps += static_cast<double>(c.steps) / sample.row_share;
  }
  if (sample.nnz_share > 0) {
    for (double *value : {&r.requests, &r.misses, &r.near}) *value /= sample.nnz_share;
    for (double &value : r.far) value /= sample.nnz_share;
  } else r.requests = r.misses = r.near = static_cast<double>(sample.nnz); // every row is long
  return r;
}

} // namespace

Sample take_sample(const Csr &A, const std::vector<Way> &ways, const Caches &caches)
{
  const Windows            windows = windows_of(A.nrows);
  const std::vector<Order> orders  = orders_of(ways);
  const int                norders = static_cast<int>(orders.size()), follow = (norders + 1) * windows.nblocks, nteams = A.space == Space::Cuda ? static_cast<int>(std::min<std::int64_t>(1024, A.nrows / team_threads + 1)) : 1;
  Sample                   sample;
  double                   rows = 0, block_rows = 0, entries = 0, gaps = 0, groups = 0, in_place = 0;

  sample.rows   = A.nrows;
  sample.cols   = A.ncols;
  sample.caches = caches;
  for (const Way &way : ways) { sample.bs = std::max({sample.bs, way.block, way.layout >= Layout::CdsFull ? way.param : 1}); }
  for (const Order &o : orders) sample.reads.push_back({o.layout, o.param});
  if (!A.nrows) return sample;
  sample.nnz = goza::entries(A);
  Array<Block>   block(A.space, static_cast<std::size_t>(windows.nblocks));
  Array<Scratch> scratch(A.space, A.space == Space::Cuda ? static_cast<std::size_t>(follow) : 1);
  Array<Offset>  offset(A.space, offset_slots);
  Array<Report>  counted(A.space, 1);
  FollowOrders   body{windows, caches, A.nrows, A.ncols, norders, {}, sample.bs, A.ptr, block.data(), scratch.data(), offset.data(), counted.data()};

  std::copy(orders.begin(), orders.end(), body.order);
  offset.zero();
  counted.zero();
  for_each_team(A.space, nteams, CountLongRows{A.nrows, nteams, A.ptr, counted.data()});
  for_each_team(A.space, windows.nblocks, TakeBlocks{windows, A.ncols, sample.bs, A.ptr, A.col, block.data(), counted.data()});
  for_each_team(A.space, follow, body);
  for_each_row(A.space, offset_slots, ListOffsets{windows.nblocks, sample.bs, offset.data(), counted.data()});
  const std::vector<Report> host   = counted.to_host();
  const Report             &report = host[0];

  sample.longest   = static_cast<PetscInt>(report.longest);
  sample.long_rows = report.long_rows;
  sample.long_nnz  = report.long_nnz;
  for (int w = 0; w < windows.n; w++) {
    rows += static_cast<double>(windows.nrows[w]);
    sample.usual = std::max(sample.usual, static_cast<PetscInt>(report.usual[w]));
  }
  for (int w = 0; w < windows.nblocks; w++) {
    const BlockCounts &c = report.block[w];

    block_rows += static_cast<double>(c.rows);
    entries += static_cast<double>(c.entries);
    gaps += static_cast<double>(c.short_gaps);
    groups += static_cast<double>(c.short_groups);
    in_place += static_cast<double>(c.in_place);
  }
  sample.row_share    = rows / static_cast<double>(A.nrows);
  sample.nnz_share    = sample.nnz ? entries / static_cast<double>(sample.nnz) : 1;
  sample.short_gaps   = entries > 0 ? gaps / entries : 0;
  sample.short_groups = entries > 0 ? groups / entries : 0;
  sample.blocks       = sample.bs > 1 && entries > 0 && in_place == entries;
  sample.ranges       = caches.device && sample.nnz <= static_cast<std::int64_t>(caches.range_row) * A.nrows && sample.short_groups > 0.5;
  sample.diagonals    = diagonals_of(report, A.nrows, sample.bs, block_rows, entries);
  for (int o = 0; o < norders; o++)
    sample.reads[static_cast<std::size_t>(o)] = scaled(sample, orders[static_cast<std::size_t>(o)], report.order[o], report, windows.nblocks);
  return sample;
}

} // namespace goza
