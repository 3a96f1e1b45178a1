#include "traits.hpp"
#include <algorithm>
#include <cmath>
#include <map>

namespace goza
{

namespace
{

constexpr PetscInt lanes = 32, fold_chunk = 1024; // as in mat/fold

/* A lane's entries: first, first + stride, ... */
struct Lane {
  PetscInt first, stride, count;
};

/* What is in a block's cache: a table of sectors with the number of the fetch that brought each. */
class BlockCache {
public:
  explicit BlockCache(std::int64_t capacity) : capacity_(capacity), slot_(1 << bits) { }

  void clear()
  {
    era_++;
    used_ = fetches_ = 0;
  }
  void next_step() { step_++; }
  /* Returns whether the warp asks for the sector for the first time in this step; miss: the cache does not have it. */
  bool ask(std::int64_t sector, bool *miss)
  {
    Slot &s = find(sector);
    bool  asked;

    if (s.era != era_) {
      s     = {sector, era_, ++fetches_, step_};
      *miss = true;
      if (++used_ > slot_.size() / 2) grow();
      return true;
    }
    *miss = fetches_ - s.fetch >= capacity_;
    if (*miss) s.fetch = ++fetches_;
    asked  = s.step != step_;
    s.step = step_;
    return asked;
  }

private:
  struct Slot {
    std::int64_t sector = 0;
    std::int32_t era = 0, fetch = 0, step = 0;
  };
  static constexpr int bits = 12;

  Slot &find(std::int64_t sector)
  {
    std::size_t at = static_cast<std::size_t>(static_cast<std::uint64_t>(sector) * 0x9E3779B97F4A7C15u >> 40) & (slot_.size() - 1);

    while (slot_[at].era == era_ && slot_[at].sector != sector) at = (at + 1) & (slot_.size() - 1);
    return slot_[at];
  }
  void grow()
  {
    std::vector<Slot> old(2 * slot_.size());

    old.swap(slot_);
    for (const Slot &s : old) {
      if (s.era == era_) find(s.sector) = s;
    }
  }

  std::int64_t      capacity_;
  std::int32_t      era_ = 1, fetches_ = 0, step_ = 0;
  std::size_t       used_ = 0;
  std::vector<Slot> slot_;
};

/* The lanes of a format for the rows of a block, 32 to a warp. */
std::vector<Lane> lanes_of(const SampleWindow &w, const Way &way)
{
  const PetscInt    nrows = static_cast<PetscInt>(w.ptr.size()) - 1;
  std::vector<Lane> all;
  const auto        pad = [&] {
    while (all.size() % lanes) all.push_back({0, 1, 0});
  };

  if (way.layout == Layout::Csr) { /* consecutive threads take consecutive entries, 8 each */
    const PetscInt n = w.ptr.back();

    for (PetscInt first = 0; first < n; first += 8 * 256) {
      for (PetscInt t = 0; t < 256; t++) all.push_back({first + t, 256, std::max<PetscInt>(0, std::min<PetscInt>(8, (n - first - t + 255) / 256))});
    }
  } else if (way.layout == Layout::Fold) {
    for (PetscInt i = 0; i < nrows; i++) {
      const PetscInt n = w.ptr[i + 1] - w.ptr[i], lines = n ? std::min(lanes, (n - 1) / way.param + 1) : 1;

      if (all.size() % lanes + lines > static_cast<std::size_t>(lanes)) pad();
      for (PetscInt j = 0; j < lines; j++) all.push_back({w.ptr[i] + j, lines, (n - j + lines - 1) / lines});
    }
  } else {
    const PetscInt H = way.layout == Layout::SlicedEll ? std::min(lanes, way.param) : lanes, team = lanes / H;

    for (PetscInt first = 0; first < nrows; first += H) {
      for (PetscInt t = 0; t < team; t++) {
        for (PetscInt i = first; i < first + H; i++) {
          const PetscInt n = i < nrows ? w.ptr[i + 1] - w.ptr[i] : 0;

          all.push_back({i < nrows ? w.ptr[i] + t : 0, team, std::max<PetscInt>(0, (n - t + team - 1) / team)});
        }
      }
    }
  }
  pad();
  return all;
}

/* A block of threads that goes on through a matrix keeps what its rows read in common with those before: where all that a block's rows span fits in the
   cache, only what is new on the way is fetched. Where a part of the span fits, that part. */
void carry_over(const Sample &sample, const SampleWindow &w, const Caches &caches, const Traits &before, Traits &t)
{
  const double nrows = static_cast<double>(w.ptr.size() - 1), sector = caches.sector, misses = t.misses - before.misses;

  if (w.col.empty() || misses <= 0) return;
  const auto   range = std::minmax_element(w.col.begin(), w.col.end());
  const double span  = (static_cast<double>(*range.second - *range.first) + 1) * sizeof(PetscScalar) / sector,
               slope = static_cast<double>(sample.cols) / static_cast<double>(sample.rows);
  const double fresh = std::min(misses, nrows * slope * sizeof(PetscScalar) / sector), held = std::min(1.0, static_cast<double>(caches.per_block) / span);
  const double factor = (held * fresh + (1 - held) * misses) / misses;

  t.misses = before.misses + factor * misses;
  t.near   = before.near + factor * (t.near - before.near);
  for (int k = 0; k < place_bins; k++) t.far[k] = before.far[k] + factor * (t.far[k] - before.far[k]);
}

/* Row of the block that an entry belongs to, for its place in x. */
std::vector<PetscInt> rows_of_entries(const SampleWindow &w)
{
  std::vector<PetscInt> row(w.ptr.back());

  for (std::size_t i = 0; i + 1 < w.ptr.size(); i++) std::fill(row.begin() + w.ptr[i], row.begin() + w.ptr[i + 1], w.block + static_cast<PetscInt>(i));
  return row;
}

void read_x(const Sample &sample, const SampleWindow &w, const Way &way, const Caches &caches, BlockCache &cache, Traits &t)
{
  const std::vector<Lane>     all   = lanes_of(w, way);
  const std::vector<PetscInt> row   = rows_of_entries(w);
  const double                slope = sample.rows ? static_cast<double>(sample.cols) / static_cast<double>(sample.rows) : 1;
  const std::size_t           block = static_cast<std::size_t>(caches.warps) * lanes;

  for (std::size_t first = 0; first < all.size(); first += block) {
    const std::size_t end  = std::min(all.size(), first + block);
    bool              more = true;

    if (caches.warps < lanes || first == 0) cache.clear();
    for (PetscInt k = 0; more; k++) {
      more = false;
      for (std::size_t warp = first; warp < end; warp += lanes) {
        bool busy = false;

        cache.next_step();
        for (std::size_t l = warp; l < warp + lanes; l++) {
          bool miss = false;

          if (k >= all[l].count) continue;
          const PetscInt e = all[l].first + k * all[l].stride, col = w.col[e];

          busy = true;
          if (cache.ask(static_cast<std::int64_t>(col) * static_cast<int>(sizeof(PetscScalar)) / caches.sector, &miss)) t.requests++;
          if (!miss) continue;
          t.misses++;
          if (std::abs(static_cast<double>(col) - slope * static_cast<double>(row[e])) * sizeof(PetscScalar) <= near_bytes) t.near++;
          else t.far[static_cast<std::int64_t>(col) * place_bins / sample.cols]++;
        }
        t.steps += busy;
        more = more || busy;
      }
    }
  }
}

/* Stored entries of slices of H rows, in the order given and sorted by length inside the window. */
void slice_window(const std::vector<PetscInt> &length, PetscInt H, double *plain, double *sorted)
{
  std::vector<PetscInt> count(ordinary_row + 1);
  const PetscInt        n  = static_cast<PetscInt>(length.size());
  PetscInt              at = 0;

  for (PetscInt first = 0; first < n; first += H) {
    PetscInt most = 0;

    for (PetscInt i = first; i < std::min(n, first + H); i++) most = std::max(most, length[i] > ordinary_row ? 0 : length[i]);
    *plain += static_cast<double>(most) * H;
  }
  for (PetscInt l : length) count[l > ordinary_row ? 0 : l]++;
  for (PetscInt l = ordinary_row; l > 0; l--) {
    for (PetscInt c = count[l]; c > 0;) { /* a slice begins with its longest row */
      const PetscInt here = std::min(c, at % H ? H - at % H : ((c - 1) / H + 1) * H);

      if (at % H == 0) *sorted += static_cast<double>(l) * static_cast<double>((here - 1) / H + 1) * H;
      at += here;
      c -= here;
    }
  }
}

/* Groups and steps of Fold for a chunk of rows: lines by their length, 32 to a group. */
void fold_chunk_of(const PetscInt *length, PetscInt n, PetscInt width, double *groups, double *steps)
{
  std::vector<PetscInt> lines(width + 1);
  PetscInt              room = 0;

  for (PetscInt i = 0; i < n; i++) {
    const PetscInt l = length[i] ? (length[i] - 1) / width + 1 : 1;

    if (l > lanes) { /* groups of its own */
      *groups += std::ceil(static_cast<double>(length[i]) / (lanes * width));
      *steps += std::ceil(static_cast<double>(length[i]) / lanes);
    } else lines[length[i] ? (length[i] - 1) / l + 1 : 0] += l;
  }
  for (PetscInt l = width; l >= 0; l--) {
    PetscInt left = lines[l] - std::min(room, lines[l]);

    room -= lines[l] - left;
    if (!left) continue;
    const PetscInt opened = (left - 1) / lanes + 1;

    *groups += opened;
    *steps += static_cast<double>(opened) * l;
    room = opened * lanes - left;
  }
}

/* Share of the sampled entries whose columns take 16 bits. */
double in_16_bits(const Sample &sample, const Way &way)
{
  double fit = 0, all = 0;

  for (const SampleWindow &w : sample.windows) {
    const PetscInt n = static_cast<PetscInt>(w.ptr.size()) - 1;

    for (PetscInt first = 0; first < n; first += lanes) {
      const PetscInt end  = std::min(n, first + lanes);
      bool           fits = true;

      if (way.layout == Layout::Fold) {
        const auto range = std::minmax_element(w.col.begin() + w.ptr[first], w.col.begin() + w.ptr[end]);

        fits = range.first == w.col.begin() + w.ptr[end] || *range.second - *range.first <= 65535;
      } else {
        for (PetscInt i = first; i < end && fits; i++) {
          for (PetscInt k = w.ptr[i] + 1; k < w.ptr[i + 1] && fits; k++) fits = w.col[k] >= w.col[k - 1] && w.col[k] - w.col[k - 1] <= 65535;
        }
      }
      all += w.ptr[end] - w.ptr[first];
      if (fits) fit += w.ptr[end] - w.ptr[first];
    }
  }
  return all > 0 ? fit / all : 0;
}

/* Whether Fold gives a block of 32 warps consecutive groups, see Fold::share_out(). */
bool in_ranges(const Sample &sample, const Way &way, const Caches &caches)
{
  return caches.device && static_cast<std::int64_t>(sample.cols) * static_cast<int>(sizeof(PetscScalar)) <= caches.x_in_cache && in_16_bits(sample, way) > 0.5;
}

void sliced_ell_arrays(const Sample &sample, const Way &way, int value_bytes, Traits &t)
{
  const double H = static_cast<double>(way.param), rows = static_cast<double>(sample.rows), slices = std::ceil(rows / H), team = std::max(1.0, lanes / H);
  double       plain = 0, sorted = 0, ordinary = static_cast<double>(sample.nnz - sample.long_nnz);

  for (const SampleWindow &w : sample.windows) slice_window(w.length, way.param, &plain, &sorted);
  plain /= sample.row_share;
  sorted /= sample.row_share;
  const bool sort = way.param > 1 && plain + static_cast<double>(sample.long_nnz) * H > 1.05 * static_cast<double>(sample.nnz);

  t.stored            = std::max(ordinary, sort ? sorted : plain) + static_cast<double>(sample.long_nnz) * H; /* a long row makes its slice long */
  const double in_gap = team > 1 ? 0 : in_16_bits(sample, way);

  t.matrix = t.stored * (value_bytes + 4 - 2 * in_gap) + 16 * slices + (in_gap > 0 ? 4 * rows : 0) + (sort ? 4 * rows : 0);
  t.chain  = std::ceil(static_cast<double>(sample.longest) / team);
  t.warps  = std::ceil(rows * team / lanes);
  t.steps  = t.stored / lanes;
}

void fold_arrays(const Sample &sample, const Way &way, int value_bytes, Traits &t)
{
  double       groups = 0, steps = 0;
  const double nnz = static_cast<double>(sample.nnz), near = in_16_bits(sample, way);

  for (const SampleWindow &w : sample.windows) {
    std::vector<PetscInt> length = w.length;

    for (PetscInt &l : length) l = l > ordinary_row ? 0 : l; /* added below, from the whole matrix */
    for (std::size_t first = 0; first < length.size(); first += fold_chunk)
      fold_chunk_of(length.data() + first, static_cast<PetscInt>(std::min<std::size_t>(fold_chunk, length.size() - first)), way.param, &groups, &steps);
  }
  t.warps  = groups / sample.row_share + static_cast<double>(sample.long_nnz) / (lanes * static_cast<double>(way.param));
  t.steps  = steps / sample.row_share + static_cast<double>(sample.long_nnz) / lanes;
  t.stored = t.steps * lanes;
  t.matrix = nnz * (value_bytes + 4 - 2 * near) + 128 * t.warps;
  t.chain  = std::min<double>(sample.longest, static_cast<double>(way.param));
  if (sample.longest > lanes * way.param) t.kernels = 2;
}

} // namespace

Traits traits_of(const Sample &sample, const Way &way, const Caches &caches, int value_bytes)
{
  const double nnz = static_cast<double>(sample.nnz), rows = static_cast<double>(sample.rows);
  Traits       t;
  Caches       here = caches;

  t.possible        = true;
  const bool ranges = way.layout == Layout::Fold && in_ranges(sample, way, caches);

  if (ranges) {
    here.warps = 32;
    here.per_block *= here.warps / caches.warps;
  }
  BlockCache cache(here.per_block);
  for (const SampleWindow &w : sample.windows) {
    const Traits before = t;

    read_x(sample, w, way, here, cache, t);
    if (ranges) carry_over(sample, w, here, before, t);
  }
  if (sample.nnz_share > 0) { /* else every row is long */
    t.requests /= sample.nnz_share;
    t.misses /= sample.nnz_share;
    t.near /= sample.nnz_share;
    for (double &f : t.far) f /= sample.nnz_share;
  } else t.requests = t.misses = t.near = nnz;
  if (way.layout == Layout::SlicedEll) sliced_ell_arrays(sample, way, value_bytes, t);
  else if (way.layout == Layout::Fold) fold_arrays(sample, way, value_bytes, t);
  else if (way.layout == Layout::Csr) {
    t.stored = nnz;
    t.matrix = nnz * (value_bytes + 4) + 4 * rows;
    t.steps  = nnz / lanes;
    t.warps  = std::ceil(nnz / (8 * lanes));
    t.chain  = 8;
  } else {
    const SampledDiagonals found = sampled_diagonals(sample, way.param, 0.6);
    const double           held = way.layout == Layout::CdsHalf ? (found.count + 1) / 2 : found.count, rest = nnz * (1 - found.inside);

    t.possible = found.count > 0 && rows > 0;
    t.stored   = held * static_cast<double>(way.param) * rows + rest;
    t.matrix   = (t.stored - rest) * value_bytes + rest * (value_bytes + 4);
    t.steps    = found.count * static_cast<double>(way.param) * rows / lanes + rest / lanes;
    t.warps    = std::ceil(rows / static_cast<double>(way.param) / lanes);
    /* the counts that are compiled load a group of diagonals at a time, see CdsRow */
    const bool compiled = (way.param == 1 && (found.count == 27 || found.count == 7)) || (way.param == 3 && found.count == 27 && way.layout == Layout::CdsHalf);
    t.chain             = compiled ? 3 : found.count * static_cast<double>(way.param);
    if (found.inside < 1) {
      t.kernels = 2;
      t.extra   = std::min(rest, rows) * (2 * sizeof(PetscScalar) + 4);
    }
  }
  t.blocks = std::ceil(t.warps / here.warps);
  return t;
}

SampledDiagonals sampled_diagonals(const Sample &sample, PetscInt bs, double share)
{
  std::map<PetscInt, std::int64_t> count;
  SampledDiagonals                 found;
  double                           rows = 0, all = 0;

  for (const SampleWindow &w : sample.windows) {
    for (std::size_t i = 0; i + 1 < w.ptr.size(); i++) {
      const PetscInt node = (w.block + static_cast<PetscInt>(i)) / bs;

      for (PetscInt k = w.ptr[i]; k < w.ptr[i + 1]; k++) count[w.col[k] / bs - node]++;
      if (count.size() > 16384) return found; /* no grid's */
    }
    rows += static_cast<double>(w.ptr.size() - 1);
    all += w.ptr.back();
  }
  for (const auto &[offset, n] : count) {
    if (static_cast<double>(n) < share * rows * static_cast<double>(bs)) continue;
    const auto mirror = count.find(-offset);

    found.pairs = found.pairs && mirror != count.end() && static_cast<double>(mirror->second) >= 0.8 * share * rows * static_cast<double>(bs);
    found.count++;
    found.inside += static_cast<double>(n);
  }
  found.inside = all > 0 ? found.inside / all : 0;
  if (found.count > 128) found = {};
  return found;
}

} // namespace goza
