#include "memory_forecast.hpp"
#include "core/sparse/block_product.hpp"
#include "core/sparse/local_column.hpp"
#include "pc/saamg/cycle/transfer_shape.hpp"
#include "pc/saamg/setup/box_grid.hpp"
#include "pc/saamg/setup/tuning.hpp"
#include <algorithm>
#include <cmath>
#include <cstdint>

namespace goza::saamg
{

namespace
{

/* How a level is coarsened, in nodes: those of an aggregate, aggregates that a row of P reaches, neighbours on the level below, and aggregates that a row of A
   P reaches. */
struct Coarsened {
  double size, reached, below, between;
};

double entries_below(double z)
{
  return 48 * z * z / (z * z + 50);
}

/* z: nonzeros of a node's row. wide: how much longer the rows of P and below are where it is smoothed more than once, or aggregates lie at random. Aggregates
   that are boxes side by side have hardly more neighbours than boxes have: in a plane all do, in space those of 27 points. */
Coarsened coarsened(double z, bool aggressive, double wide, PetscInt directions)
{
  const double below = entries_below(z), boxes = std::pow(32, static_cast<double>(directions) / 3);

  Coarsened next{1.3 + z, wide * 5.4 * z / (z + 4), wide * (directions && (directions < 3 || z > 20) ? std::min(below, boxes) : below), 0};

  if (aggressive) next = {15 * (1.3 + z), wide * (directions ? std::min(1.9 + 0.03 * z, 2.1) : 1.9 + 0.03 * z), wide * 22, 0};
  next.between = std::sqrt(next.reached * next.below);
  return next;
}

/* Most entries are weak, as across some directions of a grid: as many are strong on the second level as on the first; below that all count. */
bool most_are_weak(const MemoryQuestion &q, PetscInt level)
{
  return q.strong < 0.5 && level < 2;
}

/* Aggregates that are boxes of a lattice in so many directions: a node reaches one box in one of three, and else two. */
Coarsened boxed(PetscInt directions)
{
  const double box = std::pow(3, static_cast<double>(directions)), reached = std::pow(5. / 3, static_cast<double>(directions));

  return {box, reached, box, std::sqrt(reached * box)};
}

/* Of a level; where aggregates are along strong entries, other rows below, which come to no more than those of a level that was coarsened so already. */
Coarsened coarsened(const MemoryQuestion &q, PetscInt level, double z)
{
  const double wide   = (q.directions ? 1 : 1.1) * (level ? std::pow(q.coarse_interpolation_degree, 1.4) : 1),
               strong = q.strong * (q.nonzeros / q.rows / static_cast<double>(q.bs) - 1);
  Coarsened next      = coarsened(z, level < q.aggressive_levels, wide, q.directions);

  if (q.strong == 1 || (level && !most_are_weak(q, level))) return next;
  next.size    = std::max(1., 1.5 * strong);
  next.reached = std::min(next.reached, 1 + 0.41 * strong);
  next.below   = (next.below + std::min(next.below, entries_below(1 + strong))) / 2;
  if (level) next.below = std::min(next.below, z);
  return next;
}

/* Whether slices of an interpolation are alike, and share their indices; few entries of a device are not looked at for that. */
bool share_columns(const MemoryQuestion &q, PetscInt level, double entries)
{
  return q.directions && (!level || most_are_weak(q, level)) && !(q.device && entries < few_entries);
}

/* Bytes of a transfer as the cycle has it: rows of `blocks` blocks of bs x k entries. On the device slices of 32 pad rows: 1.35 to 1.65 for rows of P, 1.0 to
   1.25 for those of P^T in twos. */
double transfer_bytes(const MemoryQuestion &q, double entries, double rows, double blocks, double block, double index)
{
  const bool by_blocks = block > 1 && transfer_by_blocks(q.device ? Space::Cuda : Space::Host, rows, blocks);

  return entries * (q.device && block == 1 ? 1.3 : 1) * (static_cast<double>(q.transfer_value) + (by_blocks ? index / block : index));
}

} // namespace

/* Of a node of boxes: neighbours, the boxes that it reaches, and its value in the tentative interpolation, where that does not come of ones. */
static double box_bytes(bool ones)
{
  return static_cast<double>(sizeof(Bits27) + sizeof(Bits8) + (ones ? 0 : sizeof(PetscScalar)));
}

/* Of the rows of boxes that are in work at a time. */
static double window_bytes(bool device, double rows)
{
  return std::min(rows, static_cast<double>(device ? box_window_rows : box_window_rows_host)) * ((27 + 8) * sizeof(PetscScalar) + sizeof(Bits27));
}

static bool are_boxes(const MemoryQuestion &q, PetscInt level, double nonzeros_in_row)
{
  return q.boxes && (!level || q.coarse_interpolation_degree == 1) && nonzeros_in_row > (q.directions < 3 ? 4 : 16);
}

MemoryEstimate estimate_memory(const MemoryQuestion &q)
{
  constexpr double index = sizeof(PetscInt), entry = sizeof(PetscScalar) + index; // of a CSR matrix
  constexpr double column = sizeof(LocalColumn);                                  // of a format's, whatever PetscInt is
  const double     k      = static_cast<double>(q.vectors);
  double           rows = q.rows, nonzeros = q.nonzeros, bs = static_cast<double>(q.bs), after = 0, product = 0, transposes = 0;
  const bool       as_a_whole = q.device || q.several; // A P is made, and held
  double       finest = 0, spared = 0, diagonals = 0;  // of `after`, the finest level of the cycle; until the cycle has them: interpolations, coarse operators
  double       first = 0, trial = q.trial;             // while the finest level's product is made of boxes; vectors of a trial
  double       operators = 0, inverses = 0; // of `after`: rows of operators, which go when the cycle has them, and inverse diagonals, when all is made
  const double beside = (1 + k) * sizeof(PetscScalar) + 1 + 2 * index; // of a row while it is made else: inverse diagonal, near-null vectors, lengths of rows

  for (PetscInt level = 0; rows > 0; level++) {
    const double value = static_cast<double>(level ? q.coarse_value : q.fine_value);
    const bool   boxes = are_boxes(q, level, nonzeros / rows), by_place = boxes && q.device, wide = nonzeros * value <= q.wide_below;
    const double stored         = wide ? value : static_cast<double>(level ? q.coarse_operator : q.fine_operator);
    const bool   few            = level && q.device && !boxes && nonzeros < few_entries; // slices with a column an entry: level_format.hpp
    const bool   diagonals_only = boxes || (!few && q.directions && (most_are_weak(q, level) || most_are_weak(q, level - 1)));
    const double places         = diagonals_only && q.half_stored && nonzeros * stored > q.full_below && !wide ? (nonzeros + rows) / 2 : nonzeros;

    after += rows * (level || q.fine_value < sizeof(PetscScalar) ? 5 : 3) * value;                         // vectors
    if (level || !q.fine_lent) after += places * (stored + (q.directions && !few ? 0 : column / bs / bs)); // diagonals need no indices, a block one
    if (!level) finest = after += rows * value;                                                            // which rows are coupled to nothing, if any are
    after += rows * sizeof(PetscScalar);                                                                   // the inverse diagonal
    if (!level) after += rows;
    if (level) after += nonzeros * entry + 2 * rows * index; // as the Galerkin product left it
    if (level ? q.coarse_colored : q.fine_colored) after += nonzeros * (value + column);
    if (rows <= static_cast<double>(q.coarse_limit) || level + 1 >= q.max_levels) break;

    const Coarsened next       = boxes ? boxed(q.directions) : coarsened(q, level, nonzeros / rows / bs);
    const double    aggregates = std::ceil(rows / bs / next.size), reached = std::min(aggregates, next.reached), below = std::min(aggregates, next.below);
    const double    transfer = rows * reached * k, between = rows * std::min(aggregates, next.between) * k; // entries of P and of A P
    const double    shared = bs * k == 1 && share_columns(q, level, transfer) ? 1 : column;
    const double    made   = transfer * (by_place && q.aggregates ? sizeof(PetscScalar) : entry) + rows * index; // P as it was made: by place without columns

    if (by_place) after += rows * (q.directions < 3 ? 5. / 3 : 25. / 9) * 2 * static_cast<double>(q.transfer_value); // pairs: see box_transfer_rows.hpp
    else if (!q.rows_lent) {
      after += transfer_bytes(q, transfer, rows / bs, reached, bs * k, shared);                           // P as the cycle has it
      after += transfer_bytes(q, transfer, aggregates, rows / bs * reached / aggregates, bs * k, shared); // P^T
    }
    if (by_place && q.aggregates) spared += made, inverses += rows * sizeof(PetscScalar);
    else after += ((q.kept && !boxes ? 2 : 1) + (q.tested ? 1 : 0)) * made;
    if (!by_place && !q.rows_lent && !(q.kept && !boxes)) transposes += made; // until the cycle has them
    if (boxes && q.aggregates) after += rows * box_bytes(q.ones && !level);
    else if (q.kept && as_a_whole) after += between * index;
    if (!level) trial -= std::min(trial, inverses); // it spares the finest
    const double window = window_bytes(q.device, rows);
    const double values = between * sizeof(PetscScalar), part = std::max(values / BlocksInParts::most, std::min(values, static_cast<double>(room_of_part)));
    if (level == 0) product = boxes ? window : rows * beside + (!as_a_whole ? 0 : bs * k > 1 ? between / bs / k * index + part : between * entry);
    if (level == 0 && by_place) first = rows * (box_bytes(q.ones) + 2 * sizeof(PetscScalar)) + made; // with the inverse diagonal and the magnitudes
    rows     = aggregates * k;
    nonzeros = rows * below * k;
    bs       = k;
    if (level == 0) product += (q.several ? 3 : 2) * transfer * entry + (q.several ? 2 : 1) * nonzeros * entry;
    if (by_place) diagonals += nonzeros * sizeof(PetscScalar);
    if (by_place && q.aggregates && level + 2 < q.max_levels && rows > static_cast<double>(q.coarse_limit)) operators += nonzeros * entry + rows * index;
    if (level == 0 && by_place) first += diagonals + std::max(window, nonzeros * entry);
  }
  if (spared > 0) product = std::max(first, after - finest + spared + diagonals);
  return {q.copy + std::max(after - operators + transposes + std::max(q.choice, trial), product), after - operators - inverses};
}

} // namespace goza::saamg
