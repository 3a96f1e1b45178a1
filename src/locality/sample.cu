#include "sample.hpp"
#include "core/sparse/csr_matrix.hpp"
#include "core/util/hash.hpp"
#include "mat/slicedell/slicedell.hpp"
#include "core/util/divided.hpp"
#include "locality/sample/counts.hpp"
#include "locality/team.hpp"
#include "mat/cds/diagonals.hpp"
#include "locality/sample/places.hpp"
#include "locality/sample/reads.hpp"
#include "locality/sample/rows.hpp"
#include <algorithm>
#include <functional>
#include <stdexcept>

namespace goza::locality::sampling {

/* The diagonals that are nearly full in the blocks of a sample. */
constexpr int    offset_slots = 1 << 15;
constexpr double mirror_share = 0.8 * diagonal_share;

struct CountOffsets {
  PetscInt nrows, bs;
  Offset  *offset; // [offset_slots]

  /* Where the table is full, further offsets are left out: of a matrix with so many, few diagonals are full. */
  HD void operator()(const Block &b, PetscInt first, Team team) const
  {
    for (PetscInt e = team.rank; e < b.ptr[b.nrows]; e += team.size) {
      const std::int64_t key = static_cast<std::int64_t>(divided(b.col[e], bs)) - divided(first + b.row[e], bs) + nrows + 1;
      int                at  = first_place(key, offset_slots);

      for (int tried = 0; tried < 64; tried++, at = (at + 1) & (offset_slots - 1)) {
        const std::int64_t before = offset[at].key == key ? key : fetch_claim(&offset[at].key, key);

        if (before && before != key) continue;
        fetch_add(&offset[at].count, std::int64_t(1));
        break;
      }
    }
  }
};

HD inline void list_offsets(PetscInt k, int nblocks, PetscInt bs, const Offset *offset, Report *report)
{
  std::int64_t rows = 0;

  if (!offset[k].count) return;
  for (int w = 0; w < nblocks; w++) rows += report->block[w].rows;
  if (static_cast<double>(offset[k].count) < mirror_share * static_cast<double>(rows * bs)) return;
  const std::int64_t at = fetch_add(&report->nlisted, std::int64_t(1));
  if (at < most_listed) report->listed[at] = offset[k];
}

inline SampledDiagonals diagonals_of(const Report &report, std::int64_t nrows, PetscInt bs, double rows, double entries)
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
  if (found.count > max_diagonals) found = {};
  return found;
}

} // namespace goza::locality::sampling

namespace goza::locality {

using namespace sampling;

namespace {

/* A team's own memory */
struct Scratch {
  PlaceScratch places;
  ReadScratch  reads;
};

/* A team for every order and block, which is given a window, too, where there are any left; and one for every block's diagonals. */
struct FollowOrders {
  CountPlaces  places;
  FollowReads  reads;
  CountOffsets offsets;
  int          norders;
  Order        order[max_orders];
  Scratch     *scratch;
  Report      *report;

  HD void operator()(int k, Team team) const
  {
    const Windows &windows = places.windows;
    const int      w = k % windows.nblocks, o = k / windows.nblocks;

    if (o == norders) {
      offsets(reads.block[w], windows.block[w], team);
      return;
    }
    if (w < windows.n) places(w, order[o], scratch[team.scratch].places, report->order[o][w], team);
    if (windows.read(w)) reads(w, order[o], scratch[team.scratch].reads, report->order[o][w], team);
  }
};

Windows windows_of(const Csr &A, bool device)
{
  const PetscInt nrows = A.nrows;
  const PetscInt all = (nrows + sample_window - 1) / sample_window, blocks = (nrows + sample_block - 1) / sample_block;
  const auto     part_of = [&](PetscInt least) { return std::clamp<std::int64_t>(goza::entries(A) / (sample_part * sample_entries), least, sample_blocks); };
  Windows        windows{};

  windows.nblocks = static_cast<int>(std::min<std::int64_t>(blocks, device ? sample_blocks : part_of(sample_least)));
  windows.n       = static_cast<int>(std::min<std::int64_t>(all, windows.nblocks));
  windows.nread   = static_cast<int>(std::min<std::int64_t>(device ? sample_blocks : part_of(1), windows.nblocks));
  const auto part = [](int k, int n, PetscInt of) { return static_cast<PetscInt>((2 * static_cast<std::int64_t>(k) + 1) * of / (2 * n)); };
  for (int w = 0; w < windows.n; w++) {
    windows.begin[w] = part(w, windows.n, all) * sample_window;
    windows.nrows[w] = std::min(sample_window, nrows - windows.begin[w]);
  }
  for (int b = 0; b < windows.nblocks; b++) {
    PetscInt place = part(b, windows.nblocks, blocks);
    /* somewhere in its part: places at equal distances would meet only the faces of some grids */
    const PetscInt around = blocks / windows.nblocks,
                   moved  = static_cast<PetscInt>(scattered(b) % static_cast<unsigned>(std::max<PetscInt>(1, std::min<PetscInt>(around, 16))));

    if (around > 1) place = std::min(blocks - 1, place - std::min<PetscInt>(around, 16) / 2 + moved);
    windows.block[b]      = place * sample_block;
    windows.block_rows[b] = std::min(sample_block, nrows - windows.block[b]);
  }
  return windows;
}

/* Each order once. Reads of CDS are those of sliced ELL, a row to a lane. */
std::vector<Order> orders_of(const std::vector<FormatChoice> &choices)
{
  std::vector<Order> orders;

  for (const FormatChoice &choice : choices) {
    Order o{choice.layout, choice.param};

    if (choice.layout >= Layout::CdsFull) o = {Layout::SlicedEll, lanes};
    if (choice.layout == Layout::Fold) o.param = std::min(o.param, most_width);
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
  const double fresh = std::min(misses, static_cast<double>(w.rows) * static_cast<double>(sample.cols) / static_cast<double>(sample.rows) * x / sector),
               held  = std::min(1.0, kept / std::max(span, 1.0));

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
  std::sort(std::begin(r.far), std::end(r.far), std::greater<double>());
  return r;
}

/* How many kinds of slices there are for each slice. Where not all were looked at: if most rows are like the one before (those of a node aside, which all are),
   as on grids, whose slices are of as many kinds as their lines begin in places of a slice, the kinds are estimated from those seen once and twice (Chao 1984);
   else what was seen once stands for what was not seen. */
double kinds_of(const Report &report, int nblocks, PetscInt nrows)
{
  std::vector<std::int64_t> seen;
  double                    rows = 0, alike = 0, repeated = 0, once = 0, twice = 0, kinds = 0;

  for (int w = 0; w < nblocks; w++) {
    const BlockCounts &c = report.block[w];

    for (int k = 0; k < block_slices && static_cast<std::int64_t>(k) * lanes < c.rows; k++) seen.push_back(c.pattern[k]);
    rows += static_cast<double>(c.rows);
    alike += static_cast<double>(c.alike);
    repeated += static_cast<double>(c.repeated);
  }
  std::sort(seen.begin(), seen.end());
  for (auto first = seen.begin(); first != seen.end();) {
    const auto next = std::upper_bound(first, seen.end(), *first);

    kinds++;
    once += next - first == 1;
    twice += next - first == 2;
    first = next;
  }
  if (seen.empty()) return 1;
  if (rows >= nrows) return kinds / static_cast<double>(seen.size());
  if (alike - repeated >= 0.75 * (rows - repeated)) return std::min(1.0, (kinds + once * (once - 1) / (2 * (twice + 1))) * lanes / static_cast<double>(nrows));
  return once / static_cast<double>(seen.size());
}

/* That follow orders and diagonals. */
int teams_of(const Windows &windows, std::size_t orders) { return (static_cast<int>(orders) + 1) * windows.nblocks; }

/* What the kernels find. */
Report count(const Csr &A, const Windows &windows, const std::vector<Order> &orders, PetscInt bs, const Caches &caches)
{
  const bool     device  = A.space == Space::Cuda;
  const int      norders = static_cast<int>(orders.size()), follow = teams_of(windows, orders.size());
  const int      nteams = device ? static_cast<int>(std::min<std::int64_t>(1024, A.nrows / team_threads + 1)) : 1;
  Array<Block>   block(A.space, static_cast<std::size_t>(windows.nblocks));
  Array<Scratch> scratch(A.space, device ? static_cast<std::size_t>(follow) : 1);
  Array<Offset>  offset(A.space, offset_slots, unset);
  Array<Report>  report(A.space, 1, unset);
  FollowOrders   body{{windows, A.ptr, report.data(), longest_in_slices(A.nrows, goza::entries(A)), caches.device, A.nrows},
                    {windows, caches, A.nrows, A.ncols, A.ptr, block.data(), report.data()},
                    {A.nrows, bs, offset.data()},
                    norders,
                    {},
                    scratch.data(),
                    report.data()};

  std::copy(orders.begin(), orders.end(), body.order);
  offset.zero();
  report.zero();
  for_each_team(A.space, nteams, bound<count_long_rows>(A.nrows, nteams, A.ptr, report.data()));
  for_each_team(A.space, windows.nblocks, TakeBlocks{windows, A.nrows, A.ncols, bs, A.ptr, A.col, block.data(), report.data()});
  for_each_team(A.space, follow, body);
  for_each_row(A.space, offset_slots, bound<list_offsets>(windows.nblocks, bs, offset.data(), report.data()));
  return report.to_host()[0];
}

} // namespace

std::size_t bytes_of_sample(PetscInt rows, std::size_t orders)
{
  Csr A;

  A.nrows               = rows;
  const Windows windows = windows_of(A, true);
  return static_cast<std::size_t>(teams_of(windows, orders)) * sizeof(Scratch) + static_cast<std::size_t>(windows.nblocks) * sizeof(Block) +
         offset_slots * sizeof(Offset) + sizeof(Report);
}

Sample take_sample(const Csr &A, const std::vector<FormatChoice> &choices, const Caches &caches)
{
  const Windows            windows = windows_of(A, caches.device);
  const std::vector<Order> orders  = orders_of(choices);
  Sample                   sample;
  double                   rows = 0, block_rows = 0, entries = 0, read = 0, gaps = 0, groups = 0, in_place = 0, repeated = 0;

  sample.rows   = A.nrows;
  sample.cols   = A.ncols;
  sample.caches = caches;
  for (const FormatChoice &choice : choices) { sample.bs = std::max({sample.bs, choice.block, choice.layout >= Layout::CdsFull ? choice.param : 1}); }
  for (const Order &o : orders) sample.reads.push_back({o.layout, o.param});
  if (!A.nrows) return sample;
  sample.nnz          = goza::entries(A);
  const Report report = count(A, windows, orders, sample.bs, caches);

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
    read += windows.read(w) ? static_cast<double>(c.entries) : 0;
    gaps += static_cast<double>(c.short_gaps);
    groups += static_cast<double>(c.short_groups);
    in_place += static_cast<double>(c.in_place);
    repeated += static_cast<double>(c.repeated);
  }
  sample.row_share    = rows / static_cast<double>(A.nrows);
  sample.nnz_share    = sample.nnz ? read / static_cast<double>(sample.nnz) : 1;
  sample.short_gaps   = entries > 0 ? gaps / entries : 0;
  sample.short_groups = entries > 0 ? groups / entries : 0;
  sample.repeated     = block_rows > 0 ? repeated / block_rows : 0;
  sample.blocks       = sample.bs > 1 && entries > 0 && in_place == entries;
  sample.kinds        = kinds_of(report, windows.nblocks, A.nrows);
  sample.ranges       = caches.device && fold_in_ranges(sample.short_groups, static_cast<double>(sample.nnz), A.nrows);
  sample.diagonals    = diagonals_of(report, A.nrows, sample.bs, block_rows, entries);
  for (std::size_t o = 0; o < orders.size(); o++) sample.reads[o] = scaled(sample, orders[o], report.order[o], report, windows.nblocks);
  return sample;
}

} // namespace goza::locality
