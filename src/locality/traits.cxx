#include "traits.hpp"
#include "mat/slicedell/slicedell.hpp"
#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace goza::locality
{

namespace
{

constexpr double lanes = 32;

const SampledReads &reads_of(const Sample &sample, const FormatChoice &choice)
{
  const bool     cds    = choice.layout >= Layout::CdsFull;
  const Layout   layout = cds ? Layout::SlicedEll : choice.layout;
  const PetscInt param  = cds ? 32 : choice.param;

  for (const SampledReads &r : sample.reads) {
    if (r.layout == layout && r.param == param) return r;
  }
  throw std::logic_error("the sample was not taken for this way");
}

void csr_arrays(const Sample &sample, int value_bytes, Traits &t)
{
  const double nnz = static_cast<double>(sample.nnz);

  t.stored = nnz;
  t.matrix = nnz * (value_bytes + 4) + 4 * static_cast<double>(sample.rows);
  t.steps  = nnz / lanes;
  t.warps  = std::ceil(nnz / (8 * lanes));
  t.chain  = 8;
}

void sliced_ell_arrays(const Sample &sample, const FormatChoice &choice, int value_bytes, Traits &t)
{
  const double   H = static_cast<double>(choice.param), node = static_cast<double>(choice.block), places = static_cast<double>(sample.rows) / node, slices = std::ceil(places / H), team = std::max(1.0, lanes / H);
  const PetscInt most  = choice.block > 1 ? PETSC_MAX_INT : longest_in_slices(sample.rows, sample.nnz);
  const bool     apart = sample.longest > most;
  const double   ordinary = static_cast<double>(sample.nnz - sample.long_nnz), long_places = static_cast<double>(sample.long_nnz) * (apart ? 1 : H); // in a slice it makes that long
  const bool     sort = choice.param > 1 && t.reads->plain + long_places > 1.05 * static_cast<double>(sample.nnz);

  t.possible          = choice.block == 1 || (sample.blocks && sample.bs == choice.block);
  t.stored            = std::max(ordinary, sort ? t.reads->sorted : t.reads->plain) + long_places;
  const double in_gap = team > 1 ? sample.short_groups : sample.short_gaps; // lanes that share a row count from the slice's least column
  t.shared            = sample.kinds * columns_worth_sharing <= 1;
  const double column = t.shared ? 4 * sample.kinds : 4 - 2 * in_gap;

  t.matrix = t.stored * (value_bytes + column / (node * node)) + 16 * slices + (!t.shared && in_gap > 0 ? 4 * places : 0) + (sort ? 4 * places : 0);
  t.chain  = std::ceil(static_cast<double>(std::min(apart ? sample.usual : sample.longest, most)) / team);
  t.warps  = std::ceil(places * team / lanes);
  t.steps  = t.stored / lanes;
  if (apart) {
    t.chain   = std::max(t.chain, static_cast<double>(piece_entries) / lanes);
    t.kernels = 3;
  }
}

void fold_arrays(const Sample &sample, PetscInt width, int value_bytes, Traits &t)
{
  const double long_nnz = static_cast<double>(sample.long_nnz);

  t.warps  = t.reads->groups + long_nnz / (lanes * static_cast<double>(width));
  t.steps  = t.reads->steps + long_nnz / lanes;
  t.stored = t.steps * lanes;
  t.matrix = static_cast<double>(sample.nnz) * (value_bytes + 4 - 2 * sample.short_groups) + 128 * t.warps;
  t.chain  = static_cast<double>(std::min(sample.longest, width));
  if (sample.longest > 32 * width) t.kernels = 2;
}

/* Half storage reads the lower values a second time, from L2: a step takes less where they are shorter. Measured on an H200, 27 points, values of 8, 4 and 2 bytes, the last two with
   float vectors: 128^3, four rows a thread (CdsFourRows), 80, 40 and 27 us; 64^3, a row a thread, 11, 8.5 and 8.3 us; blocks of 3, 128^3, 690, 379 and 282 us. */
double narrow_step(const Sample &sample, PetscInt bs, int value_bytes)
{
  const SampledDiagonals &found     = sample.diagonals;
  const bool              few       = sample.caches.x_bytes < 8 && (found.count == 7 || found.count == 15); // 15: what coarsening along lines makes of 7
  const bool              four_rows = few ? found.beyond >= 32 && found.beyond % 4 == 0 : found.count == 27 && found.beyond >= 127 && found.beyond % 4 == 3;

  if (!sample.caches.device) return 1;
  return bs == 1 && !four_rows && value_bytes < 4 ? 0.65 : (1 + value_bytes) / 9.;
}

void cds_arrays(const Sample &sample, bool half, PetscInt bs, int value_bytes, Traits &t)
{
  const SampledDiagonals &found = sample.diagonals;
  const double            rows = static_cast<double>(sample.rows), node = static_cast<double>(bs), rest = static_cast<double>(sample.nnz) * (1 - found.inside);
  const double            held = half ? (found.count + 1) / 2 : found.count; // NOLINT(bugprone-integer-division): the main diagonal and one of each pair

  t.possible = found.count > 0 && sample.rows > 0 && sample.bs == bs && (!half || (found.pairs && sample.rows == sample.cols));
  t.stored   = held * node * rows + rest;
  t.matrix   = (t.stored - rest) * value_bytes + 2 * rest * (value_bytes + 4); // the remainder's rows differ in length: about as much padding
  t.steps    = found.count * node * rows / lanes + rest / lanes;
  t.warps    = std::ceil(rows / node / lanes);
  if (half) t.narrow = narrow_step(sample, bs, value_bytes);
  /* the counts that are compiled load a group of diagonals at a time, see CdsRow */
  const bool compiled = (bs == 1 && (found.count == 27 || found.count == 7 || (half && (found.count == 5 || found.count == 3)))) || (bs == 3 && found.count == 27 && half);
  t.chain             = compiled ? 3 : found.count * node;
  if (found.inside < 1) {
    t.kernels            = 2;
    t.extra              = std::min(rest, rows) * (2 * sample.caches.x_bytes + 4);
    const double longest = static_cast<double>(sample.longest) - found.count * node, most = longest_in_slices(static_cast<PetscInt>(std::min(rest, rows)), static_cast<std::int64_t>(rest));

    if (longest > most) t.kernels = 4; // the remainder's long rows are held apart
    t.rest = std::max(1.0, std::min(longest, most));
  }
}

} // namespace

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
