#include "cost.hpp"
#include "core/sparse/csr_matrix.hpp"
#include "mat/slicedell/slicedell.hpp"
#include <algorithm>
#include <cmath>
#include <cstdio>

namespace goza::locality {

const KernelConstants &constants_of(const Machine &machine, const Sample &sample, const FormatChoice &choice, const Traits &t)
{
  return choice.layout == Layout::Csr       ? machine.csr
       : choice.layout == Layout::SlicedEll ? (choice.block > 1 ? machine.blocks
                                               : t.shared       ? machine.shared
                                                                : machine.sliced_ell)
       : choice.layout == Layout::Fold      ? (sample.ranges ? machine.ranges : machine.fold)
       : choice.layout == Layout::CdsFull   ? machine.cds
                                            : machine.cds_half;
}

/* Lines or sectors of x that a block's cache, or a core's own, asks of the next. A core's lives on from one sampled block of rows to the next: a line that has
   room is asked for once, and of an x beyond its room the share that has none again and again. */
static double missed(const Machine &machine, const Sample &sample, const Traits &t, double x)
{
  const double misses = t.reads->misses, own = static_cast<double>(sample.caches.per_block) * sample.caches.sector;

  if (machine.gpu) return misses;
  return std::max(std::min(misses, x / sample.caches.sector), misses * std::max(0.0, 1 - own / std::max(x, 1.0)));
}

/* Of the misses those that are far from the place of their row. */
static double far_share(const Traits &t) { return t.reads->misses > 0 ? std::max(0.0, 1 - t.reads->near / t.reads->misses) : 0; }

/* Of the far reads those that L2 does not hold, when it holds the places of x that are read most. On the host: of all lines that are asked for again. */
static double lost_by_l2(const Machine &machine, const Sample &sample, const Traits &t, double misses, double x)
{
  if (!machine.gpu) return std::max(0.0, misses - x / sample.caches.sector) * std::max(0.0, 1 - 0.8 * machine.l2 / std::max(x, 1.0));
  const double place = static_cast<double>(sample.cols) * sample.caches.x_bytes / place_bins;
  double       room = 0.8 * machine.l2, lost = 0;

  for (double n : t.reads->far) {
    lost += n * (1 - std::clamp(room / std::max(place, 1.0), 0.0, 1.0));
    room -= place;
  }
  return lost;
}

Caches caches_of(const Machine &machine)
{
  Caches caches;

  caches.device = machine.gpu;
  if (machine.gpu) return caches;
  caches.sector    = 64;
  caches.per_block = 16384; // 1 MB: a core's own
  return caches;
}

Cost cost_of(const Machine &machine, const Sample &sample, const FormatChoice &choice, const Traits &t)
{
  const KernelConstants &kernel = constants_of(machine, sample, choice, t);
  const double x_bytes = sample.caches.x_bytes, rows = static_cast<double>(sample.rows), x = static_cast<double>(sample.cols) * x_bytes, y = rows * x_bytes;
  const double streams = (t.matrix + y + t.extra) * kernel.stream, lines = missed(machine, sample, t, x), misses = lines * sample.caches.sector;
  const double out   = std::clamp(((t.matrix + x + y) / machine.l2 - 0.5) / machine.fits, 0.0, 1.0);
  const double share = std::min(1.0, std::max(t.blocks, 1.0) / machine.processors), parts = std::max(0.0, t.warps - rows / 32);
  const double own    = static_cast<double>(sample.caches.per_block) * sample.caches.sector,
               inside = machine.gpu ? 0 : std::min(1.0, own / (t.matrix + x + y + 1)),
               nodes  = machine.gpu                  ? 0
                      : choice.layout == Layout::Csr ? t.nodes * (1 - inside)
                                                     : t.nodes;
  const bool slices   = choice.layout == Layout::SlicedEll;
  Cost       cost;

  cost.l2 = streams * (inside / (machine.own_bandwidth > 0 ? machine.own_bandwidth : machine.l2_bandwidth) + (1 - inside) / machine.l2_bandwidth) +
            (machine.gpu ? lines : lines * far_share(t)) * (machine.miss > 0 ? machine.miss : sample.caches.sector / machine.l2_bandwidth);
  cost.memory = out * ((streams + std::min(misses, x)) * std::max(0.0, 1 / machine.bandwidth - 1 / machine.l2_bandwidth) +
                       lost_by_l2(machine, sample, t, lines, x) * x_bytes / machine.gather);
  cost.l1     = (t.reads->requests * (machine.gpu ? 1 : t.once) / machine.sectors * kernel.request + t.steps * t.narrow * kernel.step + t.warps * kernel.warp +
             t.rest_reads / machine.sectors * machine.sliced_ell.request +
             (machine.gpu || (slices && choice.block == 1) || choice.layout == Layout::Fold ? parts : nodes) * kernel.part) /
            share;
  const double growth = 1 + machine.slower * std::clamp(std::log(std::max(t.matrix, 1.0) / machine.near) / std::log(40.0), 0.0, 1.0);
  const double far    = slices ? machine.far_latency * out * std::min(1.0, t.chain / 1e4) : 0;

  cost.waiting = std::min(t.chain, steps_ahead) * kernel.latency * growth + std::max(0.0, t.chain - steps_ahead) * (machine.long_latency + far) +
                 t.rest * machine.sliced_ell.latency;
  const double unforeseen = t.turns * std::max(0.0, 1 - machine.remembers / std::max(static_cast<double>(sample.nnz), 1.0));
  cost.fixed              = kernel.launch + rows * kernel.row + unforeseen * kernel.turn + (t.kernels - 1) * kernel.second;
  cost.seconds            = cost.l2 + cost.memory + cost.l1 + cost.waiting + cost.fixed;
  cost.gflops             = 2e-9 * static_cast<double>(sample.nnz) / cost.seconds;
  cost.bytes              = t.matrix + y + t.extra + std::min(misses, x);
  return cost;
}

/* --- the choice */

std::string choice_name(const FormatChoice &choice)
{
  std::string name = layout_name(choice.layout);

  if (choice.layout == Layout::SlicedEll) name += ", slices of " + std::to_string(choice.param);
  if (choice.layout == Layout::SlicedEll && choice.block > 1) name += ", blocks of " + std::to_string(choice.block);
  if (choice.layout == Layout::Fold || choice.layout == Layout::Rectangle) name += ", width " + std::to_string(choice.param);
  if (choice.layout >= Layout::CdsFull && choice.param > 1) name += ", blocks of " + std::to_string(choice.param);
  return name;
}

/* The formats that are compared, where the matrix can be held so. */
static std::vector<FormatChoice> choices_for(const Csr &A, const DecisionInput &input)
{
  const PetscInt            bs = A.nrows % input.bs == 0 && A.ncols % input.bs == 0 ? input.bs : 1;
  std::vector<FormatChoice> choices;

  if (input.candidates & format_csr && input.csr) choices.push_back({Layout::Csr, 0});
  if (input.candidates & format_sliced_ell) {
    const PetscInt height = sliced_ell_height(input.space, A.nrows, entries(A));

    choices.push_back({Layout::SlicedEll, height});
    if (input.space == Space::Cuda && height != warp_lanes) choices.push_back({Layout::SlicedEll, warp_lanes});
    if (ell_holds_blocks(bs)) choices.push_back({Layout::SlicedEll, block_ell_height(input.space, A.nrows / bs, entries(A) / (bs * bs)), bs});
  }
  if (input.candidates & format_fold) {
    for (PetscInt width : fold_widths)
      if (input.space == Space::Cuda || width == fold_host_width) choices.push_back({Layout::Fold, width});
  }
  if (input.candidates & format_cds) {
    choices.push_back({Layout::CdsFull, bs});
    choices.push_back({Layout::CdsHalf, bs});
  }
  return choices;
}

/* Whether the sample leaves a format worth a comparison. */
static bool makes_sense(const Sample &sample, const FormatChoice &choice, const Traits &t)
{
  if (choice.layout == Layout::Fold)
    // else it would be the same as a narrower one, or nearly
    return !sample.caches.device || choice.param == fold_widths[0] || sample.usual > choice.param / 2 || sample.long_rows;
  if (choice.layout == Layout::CdsHalf && sample.diagonals.count == 1) return false; // nothing to leave out
  return t.possible && (choice.layout < Layout::CdsFull || sample.diagonals.inside >= least_on_diagonals);
}

/* What the first of two costs most more than the second, in words. */
static const char *reason(const Cost &winner, const Cost &other)
{
  const struct {
    double      gain;
    const char *text;
  } parts[] = {{other.fixed - winner.fixed, "cheaper launches and rows"},
               {other.l2 + other.memory - winner.l2 - winner.memory, "fewer bytes moved"},
               {other.l1 - winner.l1, "fewer requests for x and better filled warps"},
               {other.waiting - winner.waiting, "shorter waits of the longest thread"}};

  return std::max_element(std::begin(parts), std::end(parts), [](const auto &a, const auto &b) { return a.gain < b.gain; })->text;
}

static void explain(Decision &d)
{
  const auto       first = std::find_if(d.candidates.begin(), d.candidates.end(), [&](const Candidate &c) { return c.choice == d.choice; });
  const Candidate *other = nullptr;
  char             text[256];

  for (const Candidate &c : d.candidates)
    if (&c != &*first && !other) other = &c;
  std::snprintf(text, sizeof(text), "%s chosen for %s: %.3g us predicted", choice_name(d.choice).c_str(), d.machine.c_str(), 1e6 * first->cost.seconds);
  d.sentence = text;
  if (!other) {
    d.sentence += ", the only candidate";
    return;
  }
  std::snprintf(text, sizeof(text), " against %.3g us of %s (%s)", 1e6 * other->cost.seconds, choice_name(other->choice).c_str(),
                other->cost.seconds < first->cost.seconds ? "which cannot be had, or is too little faster to leave the usual format"
                                                          : reason(first->cost, other->cost));
  d.sentence += text;
}

std::size_t bytes_of_decision(PetscInt rows)
{
  constexpr std::size_t heights = 2; // of sliced ELL

  return bytes_of_sample(rows, heights + std::size(fold_widths));
}

Decision decide(const Csr &matrix, const DecisionInput &input)
{
  Csr      A = matrix;
  Decision d;

  A.nnz                             = entries(matrix); // asked of the device once
  const PetscInt            height  = sliced_ell_height(input.space, A.nrows, A.nnz);
  std::vector<FormatChoice> choices = choices_for(A, input);
  if (choices.empty()) choices.push_back({Layout::SlicedEll, height});
  Caches caches       = caches_of(*input.machine);
  caches.x_bytes      = input.x_bytes;
  const Sample sample = take_sample(A, choices, caches);
  const auto   cost   = [&](const FormatChoice &choice, int value_bytes) {
    return cost_of(*input.machine, sample, choice, traits_of(sample, choice, value_bytes));
  };

  for (const FormatChoice &choice : choices)
    if (makes_sense(sample, choice, traits_of(sample, choice))) d.candidates.push_back({choice, cost(choice, input.value_bytes)});
  d.machine = input.machine->name;
  d.height  = height;
  if (d.candidates.empty()) d.candidates.push_back({{Layout::SlicedEll, height}, {}}); // only CDS was asked for, and it cannot be
  const bool grid = sample.diagonals.inside >= 0.98;
  const auto seen = [&](const Candidate &c) {
    const bool usual = c.choice.layout >= Layout::CdsFull || (!grid && c.choice.layout == Layout::SlicedEll);

    return c.cost.seconds * (usual ? 1 : input.margin);
  };
  std::stable_sort(d.candidates.begin(), d.candidates.end(), [&](const Candidate &a, const Candidate &b) { return seen(a) < seen(b); });
  d.choice = d.candidates.front().choice;
  if (d.candidates.front().cost.seconds > 0) d.narrow = cost(d.choice, input.value_bytes / 2).seconds / d.candidates.front().cost.seconds;
  explain(d);
  return d;
}

void Decision::choose(const FormatChoice &chosen)
{
  choice = chosen;
  explain(*this);
}

void Decision::take(const FormatChoice &chosen, double seconds, int tried)
{
  char text[256];

  const int length = std::snprintf(text, sizeof(text), "%s chosen: %.3g us measured here, the ", choice_name(chosen).c_str(), 1e6 * seconds);

  if (tried > 1) std::snprintf(text + length, sizeof(text) - length, "fastest of %d formats of which the model for %s expected most", tried, machine.c_str());
  else std::snprintf(text + length, sizeof(text) - length, "format of which the model for %s expected most", machine.c_str());
  sentence = text;
  choice   = chosen;
  measured = true;
}

Decision Decision::without_csr() const
{
  Decision d = *this;

  d.candidates.erase(std::remove_if(d.candidates.begin(), d.candidates.end(), [](const Candidate &c) { return c.choice.layout == Layout::Csr; }),
                     d.candidates.end());
  if (d.candidates.empty()) d.candidates.push_back({{Layout::SlicedEll, height}, {}});
  d.choice = d.candidates.front().choice;
  explain(d);
  d.sentence += "; CSR is not best on every rank";
  return d;
}

} // namespace goza::locality
