#include "traits.hpp"
#include "mat/cds/cds_four_rows.hpp"
#include "mat/cds/cds_shape.hpp"
#include "mat/fold/fold_view.hpp"
#include "mat/slicedell/slicedell.hpp"
#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace goza::locality {

constexpr double lanes       = warp_lanes;
constexpr double index_bytes = sizeof(PetscInt), column_bytes = sizeof(LocalColumn), short_bytes = sizeof(std::uint16_t); // of a column: in CSR, in a format

const SampledReads &reads_of(const Sample &sample, const FormatChoice &choice)
{
  const bool     cds    = choice.layout >= Layout::CdsFull;
  const Layout   layout = cds ? Layout::SlicedEll : choice.layout;
  const PetscInt param  = cds ? warp_lanes : choice.param;

  for (const SampledReads &r : sample.reads)
    if (r.layout == layout && r.param == param) return r;
  throw std::logic_error("the sample was not taken for this format");
}

/* Rows of like length end where the rows before them did. */
static double unforeseen_rows(const Sample &sample)
{
  const double ordinary = static_cast<double>(sample.nnz - sample.long_nnz);

  for (const SampledReads &r : sample.reads) {
    if (r.layout == Layout::SlicedEll && r.param > 1 && ordinary > 0)
      return static_cast<double>(sample.rows) * std::clamp((r.plain / ordinary - 1) / unforeseen_padding, 0.0, 1.0);
  }
  return 0;
}

static void csr_arrays(const Sample &sample, int value_bytes, Traits &t)
{
  const double nnz = static_cast<double>(sample.nnz);

  t.stored = nnz;
  t.matrix = nnz * (value_bytes + index_bytes) + index_bytes * static_cast<double>(sample.rows);
  t.steps  = nnz / lanes;
  t.warps  = std::ceil(nnz / (8 * lanes));
  t.chain  = 8;
  t.turns  = unforeseen_rows(sample);
  if (sample.repeated > least_repeated) {
    t.nodes = nnz;
    t.once  = 1 - sample.repeated;
    if (!sample.caches.device) t.matrix -= index_bytes * nnz * sample.repeated;
  }
}

static void sliced_ell_arrays(const Sample &sample, const FormatChoice &choice, int value_bytes, Traits &t)
{
  const double H = static_cast<double>(choice.param), node = static_cast<double>(choice.block), places = static_cast<double>(sample.rows) / node,
               slices = std::ceil(places / H), team = std::max(1.0, lanes / H);
  const PetscInt most  = choice.block > 1 ? PETSC_MAX_INT : longest_in_slices(sample.rows, sample.nnz);
  const bool     apart = sample.longest > most;
  // in a slice it makes that long
  const double ordinary = static_cast<double>(sample.nnz - sample.long_nnz), long_places = static_cast<double>(sample.long_nnz) * (apart ? 1 : H);
  const bool   sort = choice.param > 1 && worth_sorting(t.reads->plain + long_places, static_cast<double>(sample.nnz));

  t.possible          = choice.block == 1 || (sample.blocks && sample.bs == choice.block);
  t.stored            = std::max(ordinary, sort ? t.reads->sorted : t.reads->plain) + long_places;
  const double in_gap = team > 1 ? sample.short_groups : sample.short_gaps; // lanes that share a row count from the slice's least column
  t.shared            = sample.kinds * columns_worth_sharing <= 1;
  const double column = t.shared ? column_bytes * sample.kinds : column_bytes - (column_bytes - short_bytes) * in_gap;

  t.matrix = t.stored * (value_bytes + column / (node * node)) + (t.shared ? sizeof(EllHead) : 2 * sizeof(std::int64_t)) * slices +
             (!t.shared && in_gap > 0 ? column_bytes * places : 0) + (sort ? index_bytes * places : 0);
  t.chain = std::ceil(static_cast<double>(std::min(apart ? sample.usual : sample.longest, most)) / team);
  t.warps = std::ceil(places * team / lanes);
  t.steps = t.stored / lanes;
  t.turns = unforeseen_rows(sample) / (H * node);
  t.nodes = choice.block > 4 ? t.stored : 0;
  if (apart) {
    t.chain   = std::max(t.chain, static_cast<double>(piece_entries) / lanes);
    t.kernels = 3;
  }
}

static void fold_arrays(const Sample &sample, PetscInt width, int value_bytes, Traits &t)
{
  const double long_nnz = static_cast<double>(sample.long_nnz);

  t.warps  = t.reads->groups + long_nnz / (lanes * static_cast<double>(width));
  t.steps  = t.reads->steps + long_nnz / lanes;
  t.stored = t.steps * lanes;
  t.matrix = static_cast<double>(sample.nnz) * (value_bytes + column_bytes - (column_bytes - short_bytes) * sample.short_groups) + sizeof(FoldHead) * t.warps;
  t.chain  = static_cast<double>(std::min(sample.longest, width));
  t.turns  = unforeseen_rows(sample);
  if (sample.longest > fold_lanes * width) t.kernels = 2;
}

/* Whether products of half storage take four rows a thread. */
template <class Groups> static bool in_fours(const Sample &sample, int value_bytes)
{
  const SampledDiagonals &found = sample.diagonals;

  return Groups::pays(value_bytes, sample.caches.x_bytes) && found.count == Groups::points && Groups::fits_line(Groups::line_of(found.beyond));
}

/* Half storage reads the lower values a second time, from L2: a step takes less where they are shorter. Fitted to 27 points in values of 8, 4 and 2 bytes, four
   rows a thread and one, and to blocks of 3. */
static double narrow_step(const Sample &sample, PetscInt bs, int value_bytes)
{
  const bool four_rows = in_fours<Groups27>(sample, value_bytes) || in_fours<Groups7>(sample, value_bytes) || in_fours<GroupsFan>(sample, value_bytes);

  if (!sample.caches.device) return 1;
  return bs == 1 && !four_rows && value_bytes < 4 ? 0.65 : (1 + value_bytes) / 9.;
}

static void cds_arrays(const Sample &sample, bool half, PetscInt bs, int value_bytes, Traits &t)
{
  const SampledDiagonals &found = sample.diagonals;
  const double            rows = static_cast<double>(sample.rows), node = static_cast<double>(bs), rest = static_cast<double>(sample.nnz) * (1 - found.inside);
  const PetscInt          held = half ? (found.count + 1) / 2 : found.count; // half: the main diagonal and one of each pair

  t.possible = found.count > 0 && sample.rows > 0 && sample.bs == bs && (!half || (found.pairs && sample.rows == sample.cols));
  t.stored   = static_cast<double>(held) * node * rows + rest;
  // sorted by length, the remainder's rows take a place more each
  t.matrix = (t.stored - rest) * value_bytes + (rest + std::min(rest, rows)) * (value_bytes + column_bytes);
  t.steps  = found.count * node * rows / lanes + rest / lanes;
  t.warps  = std::ceil(rows / node / lanes);
  t.nodes  = bs > 1 ? t.stored : 0;
  if (half) t.narrow = narrow_step(sample, bs, value_bytes);
  t.chain = found.count * node;
  if (has_compiled_count(bs, half, held) && !(half && bs == 1 && found.count == Groups27::points))
    t.chain = std::ceil(grouped_waits * t.chain); // half of 27 points goes pair by pair, where nodes have one unknown
  if (found.inside < 1) {
    t.kernels            = 2;
    t.extra              = std::min(rest, rows) * (2 * sample.caches.x_bytes + index_bytes);
    const double longest = static_cast<double>(sample.longest) - found.count * node,
                 most    = longest_in_slices(static_cast<PetscInt>(std::min(rest, rows)), static_cast<std::int64_t>(rest));
    const double team    = std::max(1.0, lanes / static_cast<double>(sliced_ell_height(sample.caches.device ? Space::Cuda : Space::Host, sample.rows,
                                                                                    static_cast<std::int64_t>(rest))));

    if (longest > most) t.kernels = 4; // the remainder's long rows are held apart
    t.rest       = std::max(1.0, std::ceil(std::min(longest, most) / team));
    t.rest_reads = (rest + std::min(rest, rows)) / node; // a node's rows are as long as each other
  }
}

Traits traits_of(const Sample &sample, const FormatChoice &choice, int value_bytes)
{
  Traits t;

  t.possible = true;
  t.reads    = &reads_of(sample, choice);
  if (choice.layout == Layout::Csr) csr_arrays(sample, value_bytes, t);
  else if (choice.layout == Layout::SlicedEll) sliced_ell_arrays(sample, choice, value_bytes, t);
  else if (choice.layout == Layout::Fold) fold_arrays(sample, choice.param, value_bytes, t);
  else cds_arrays(sample, choice.layout == Layout::CdsHalf, choice.param, value_bytes, t);
  t.blocks = std::ceil(t.warps / (choice.layout == Layout::Fold && sample.ranges ? sample.caches.range_warps : sample.caches.warps));
  return t;
}

} // namespace goza::locality
