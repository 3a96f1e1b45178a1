#include "memory_forecast.hpp"
#include "core/sparse/block_product.hpp"
#include "core/sparse/local_column.hpp"
#include "pc/saamg/cycle/transfer_shape.hpp"
#include "pc/saamg/setup/box_grid.hpp"
#include "pc/saamg/setup/short_rows.hpp"
#include "pc/saamg/setup/tuning.hpp"

namespace goza::saamg {
namespace {

constexpr double index_bytes = sizeof(PetscInt), entry = sizeof(PetscScalar) + index_bytes; // of a CSR matrix
constexpr double column = sizeof(LocalColumn);                                              // of a format's, whatever PetscInt is

/* A level as it is guessed; z: nonzeros of a node's row */
struct Guess {
  PetscInt level = 0;
  double   rows = 0, nonzeros = 0, bs = 1;
  bool     in_order = true; // its nodes are a lattice's: below boxes they are

  double nodes() const { return rows / bs; }
  double z() const { return nonzeros / rows / bs; }
};

/* How it is coarsened, in nodes: those of an aggregate, aggregates that a row of P reaches, neighbours on the level below, and aggregates that a row of A P
   reaches. */
struct Coarsened {
  double size, reached, below, between;
};

/* Of a mesh, up to that of hexahedra, whose corners make z larger and bring no more. */
double mesh_share(double z) { return std::max(0., std::min(1., (27 - z) / 12)); }

double entries_in_random_order(double z) { return 48 * z * z / (z * z + 50); }

/* m: aggregates along each direction; where a mesh ends there are fewer. On points at random more: z / 10 times as many of tetrahedra. */
double entries_below(double z, double m, bool at_random)
{
  return std::max(mesh_share(z) * z * (3.6 - (1.85 + 0.42 * z) / m) * (at_random ? z / 10 : 1), entries_in_random_order(z));
}

double entries_of_row(double z, double m) { return std::max(mesh_share(z) * (2.58 + 0.139 * z) * (1 - (0.105 * z - 0.2) / m), 5.4 * z / (z + 4)); }

/* Most entries are weak, as across some directions of a grid: as many are strong on the second level as on the first; below that all count. */
bool most_are_weak(const MemoryQuestion &q, PetscInt level) { return q.strong < 0.5 && level < 2; }

/* Whether aggregates are boxes side by side, or nearly: in a plane all are, in space those of 27 points. */
bool side_by_side(const MemoryQuestion &q) { return q.directions && (q.directions < 3 || q.nonzeros / q.rows / static_cast<double>(q.bs) > 20); }

/* Aggregates that are boxes of a lattice in so many directions: a node reaches one box in one of three, and else two. */
Coarsened boxed(PetscInt directions)
{
  const double box = std::pow(3, static_cast<double>(directions)), reached = std::pow(5. / 3, static_cast<double>(directions));

  return {box, reached, box, std::sqrt(reached * box)};
}

/* Of a box' 27 nodes, a corner's row of P reaches seven boxes, and eight of its node's neighbours' do. */
constexpr Coarsened boxes_of_stars{27, 117. / 27, 27, 275. / 27};

/* Interpolation that is relaxed further in some rows, and on the second level keeps as many entries as a shortened row may. */
Coarsened beside_slivers(PetscInt level, double strong, const Coarsened &otherwise)
{
  if (level) return {6, most_entries_kept, 160, 0};
  return {otherwise.size, 1 + 0.9 * strong, 20 + 7 * strong, 0};
}

/* Rows of P and below are longer where it is smoothed more than once, or aggregates lie at random. Where aggregates are along strong entries, or smaller for
   their signs, there are more of them, and other rows below, which come to no more than those of a level that was coarsened so already. */
Coarsened coarsened(const MemoryQuestion &q, const Guess &from)
{
  const double z = from.z(), d = static_cast<double>(q.directions ? q.directions : 3),
               wide   = (q.directions ? 1 : 1.1) * (from.level ? std::pow(q.coarse_interpolation_degree, 1.4) : 1),
               strong = q.strong * (q.nonzeros / q.rows / static_cast<double>(q.bs) - 1);
  const bool along    = q.strong < 1 && (!from.level || most_are_weak(q, from.level));
  Coarsened  next{along ? std::max(1., 1.5 * strong) : 1.3 + z * (1 + 0.09 * mesh_share(z)), 0, 0, 0};

  if (side_by_side(q) && d == 3 && !along) next.size = from.nodes() / std::pow(std::ceil(std::cbrt(from.nodes()) / 3), 3); // the last ones are smaller

  if (from.level < q.aggressive_levels) next = {15 * (1.3 + z), wide * (q.directions ? std::min(1.9 + 0.03 * z, 2.1) : 1.9 + 0.03 * z), wide * 22, 0};
  else {
    const double m = std::max(1., std::pow(from.nodes() / next.size, 1 / d)), unbounded = std::numeric_limits<double>::infinity();

    next.reached = wide * std::min(entries_of_row(z, m), side_by_side(q) ? std::pow((5 - 2 / m) / 3, d) : unbounded);
    next.below   = wide * std::min(entries_below(z, m, !q.directions), side_by_side(q) ? std::pow(3 - 2 / m, d) : unbounded);
  }
  if (along) {
    next.reached = std::min(next.reached, 1 + 0.41 * strong);
    if (q.by_signs) next.below = from.level ? next.below : std::min(next.below, 34 + 1.5 * strong);
    else next.below = (next.below + std::min(next.below, entries_in_random_order(1 + strong))) / 2;
    if (from.level && !q.by_signs) next.below = std::min(next.below, z);
  }
  if (q.by_signs && !q.directions && from.level < 2) next = beside_slivers(from.level, strong, next);
  next.between = side_by_side(q) ? std::pow(7. / 3, d) : 0.8 * std::sqrt(next.reached * next.below);
  return next;
}

/* 7 points in boxes of 27, where interpolation is smoothed twice. */
bool are_stars(const MemoryQuestion &q, const Guess &level) { return q.stars && q.directions == 3 && !level.level && level.z() > 5 && level.z() <= 7; }

bool are_boxes(const MemoryQuestion &q, const Guess &level)
{
  return q.boxes && level.in_order && (!level.level || q.coarse_interpolation_degree == 1) && (level.z() > (q.directions < 3 ? 4 : 16) || are_stars(q, level));
}

/* Bytes of an entry's column. A block needs one; where a device folds long rows, if there are not many but more than few entries, each entry does. On a grid
   diagonals need none, slices share them, and rows of coarse levels that are no diagonals need half. */
double column_bytes(const MemoryQuestion &q, const Guess &level, bool diagonals, bool few)
{
  constexpr double most_of_boxes = 30, folded_rows = 200000;
  const bool       long_rows = level.z() > most_of_boxes;

  if (q.directions && !few && !long_rows) return level.level && level.bs == 1 && q.device && !diagonals ? column / 2 : 0;
  return long_rows && q.device && !few && level.rows < folded_rows ? column : column / level.bs / level.bs;
}

/* Whether slices of an interpolation are alike, and share their indices; few entries of a device are not looked at for that. */
bool share_columns(const MemoryQuestion &q, PetscInt level, double entries)
{
  return q.directions && !q.by_signs && (!level || most_are_weak(q, level)) && !(q.device && entries < few_entries);
}

/* Bytes of a transfer as the cycle has it: rows of `blocks` blocks of so many entries. On the device slices of 32 pad rows: 1.35 to 1.65 for rows of P, 1.0 to
   1.25 for those of P^T in twos. Rotations of tetrahedra are of more magnitudes than half precision has. */
double transfer_bytes(const MemoryQuestion &q, double entries, double rows, double blocks, double block, double index)
{
  const bool   by_blocks = block > 1 && transfer_by_blocks(q.device ? Space::Cuda : Space::Host, rows, blocks);
  const double value     = static_cast<double>(block > 1 && !side_by_side(q) ? std::max(q.transfer_value, sizeof(float)) : q.transfer_value);

  return entries * (q.device && block == 1 ? 1.3 : 1) * (value + (by_blocks ? index / block : index));
}

/* Of a node of boxes: neighbours, unless these are found again; the boxes that it reaches; its value in the tentative interpolation, where that does not come
   of ones. */
double box_bytes(bool ones, bool again) { return static_cast<double>((again ? 0 : sizeof(Bits27)) + sizeof(Bits8) + (ones ? 0 : sizeof(PetscScalar))); }

/* Of the rows of boxes that are in work at a time, with places for two boxes more in each line, or which entries all have, before that. */
double window_bytes(const MemoryQuestion &q, double rows)
{
  const double line = std::pow(rows, 1. / (q.directions < 3 ? 2 : 3)), wide = 1 + 6 / line;

  return std::max(wide * std::min(rows, static_cast<double>(box_window_rows(q.device, rows))) * ((27 + 8) * sizeof(PetscScalar)), rows * sizeof(Bits27));
}

/* Adds up what levels hold, the finest first. */
class Forecast {
public:
  explicit Forecast(const MemoryQuestion &question) : q(question), k(static_cast<double>(question.vectors)) { }

  MemoryEstimate make()
  {
    Guess level{0, q.rows, q.nonzeros, static_cast<double>(q.bs)};

    while (level.rows > 0) {
      hold(level);
      if (level.rows <= static_cast<double>(q.coarse_limit) || level.level + 1 >= q.max_levels) break;
      level = coarsen(level);
    }
    trial_ += q.compared * (lent_ + transposes_);
    const double all = after_ + late_, meanwhile = std::max({chosen_ ? q.choice : 0, q.tuning, trial_});

    if (spares_) product_ = std::max(first_, all - finest_ + spared_ + diagonals_);
    return {q.copy + std::max({all - operators_ + meanwhile, after_ - operators_ + std::max(transposes_, narrowed_), product_}), all - operators_ - inverses_};
  }

private:
  /* Vectors and operator of the cycle's level, and the rows that the product has left. */
  void hold(const Guess &level)
  {
    const double rows = level.rows, nonzeros = level.nonzeros, value = static_cast<double>(level.level ? q.coarse_value : q.fine_value);
    const bool   coarse = level.level > 0, boxes = are_boxes(q, level), wide = nonzeros * value <= q.wide_below;
    const double stored         = wide ? value : static_cast<double>(coarse ? q.coarse_operator : q.fine_operator);
    const bool   few            = coarse && q.device && !boxes && nonzeros < few_entries; // slices with a column an entry, or block: level_format.hpp
    const bool   diagonals_only = boxes || (!few && q.directions && (most_are_weak(q, level.level) || most_are_weak(q, level.level - 1)));
    const double places         = diagonals_only && q.half_stored && nonzeros * stored > q.full_below && !wide ? (nonzeros + rows) / 2 : nonzeros;

    if (level.level == 1 && !boxes && !few && stored < sizeof(float)) narrowed_ = nonzeros * (sizeof(PetscScalar) + stored); // scaled, it is made of a copy
    late_ += rows * (coarse || q.fine_value < sizeof(PetscScalar) ? 4 : 2) * value; // b, the solution's two places, the inverse diagonal
    if (coarse || !q.fine_lent) late_ += places * (stored + column_bytes(q, level, diagonals_only, few));
    if (!coarse) finest_ = late_ += rows * value; // which rows are coupled to nothing, if any are
    lent_ += rows * (coarse ? 4 : 2) * sizeof(PetscScalar);
    if (coarse ? !boxes && !few : !q.fine_lent && !q.fine_like) chosen_ = true;
    after_ += rows * sizeof(PetscScalar);                            // the inverse diagonal
    if (!coarse) after_ += rows;                                     // ... and flags
    if (coarse) after_ += nonzeros * entry + 2 * rows * index_bytes; // as the Galerkin product left it
    if (coarse ? q.coarse_colored : q.fine_colored) late_ += nonzeros * (value + column);
  }

  /* The interpolation of a level, and the next one, whose product is the most that is held meanwhile. */
  Guess coarsen(const Guess &from)
  {
    const bool      boxes = are_boxes(q, from), by_place = boxes && q.device, spared = by_place && q.aggregates, finest = from.level == 0;
    const Coarsened next = are_stars(q, from) && boxes ? boxes_of_stars : boxes ? boxed(q.directions) : coarsened(q, from);
    const double    rows = from.rows, bs = from.bs, aggregates = std::ceil(from.nodes() / next.size), reached = std::min(aggregates, next.reached);
    const double    transfer = rows * reached * k, between = rows * std::min(aggregates, next.between) * k; // entries of P and of A P
    const double    shared     = bs * k == 1 && share_columns(q, from.level, transfer) ? 1 : column;
    const bool      in_product = spared && q.transfer_value < sizeof(float) && !are_stars(q, from);
    const double    pairs      = by_place ? rows * (q.directions < 3 ? 5. / 3 : 25. / 9) * 2 * static_cast<double>(q.transfer_value) : 0; // see box_lines.hpp
    const double made = in_product ? 0 : transfer * (spared ? sizeof(PetscScalar) : entry) + rows * index_bytes; // P as it was made: by place without columns
    const Guess  to{from.level + 1, aggregates * k, aggregates * k * std::min(aggregates, next.below) * k, k, boxes};
    const bool   goes_on = to.rows > static_cast<double>(q.coarse_limit) && to.level + 1 < q.max_levels;

    after_ += pairs;
    if (!by_place && !q.rows_lent) {
      after_ += transfer_bytes(q, transfer, from.nodes(), reached, bs * k, shared);                           // P as the cycle has it
      after_ += transfer_bytes(q, transfer, aggregates, from.nodes() * reached / aggregates, bs * k, shared); // P^T
    }
    if (spared) spares_ = true, spared_ += made, inverses_ += rows * (sizeof(PetscScalar) + (finest ? 1 : 0));
    else after_ += ((q.kept && !boxes ? 2 : 1) + (q.tested ? 1 : 0)) * made;
    if (!by_place && !q.rows_lent && !(q.kept && !boxes)) transposes_ += made; // until the cycle has them
    if (boxes && q.aggregates) after_ += rows * box_bytes(q.ones && finest, q.device && (!finest || q.fine_like));
    else if (q.kept && (q.device || q.several)) after_ += between * index_bytes;
    if (!boxes && q.aggregates) after_ += rows * (k * sizeof(PetscScalar) + index_bytes); // the tentative interpolation, and each row's aggregate
    if (bs * k > 1 && q.aggregates) after_ += (from.nonzeros / bs / bs + transfer / bs / k) * index_bytes; // blocks of the operator and of P
    if (finest) trial_ = q.trial - std::min(q.trial, inverses_);                                           // it spares the finest
    if (by_place) diagonals_ += to.nonzeros * sizeof(PetscScalar);
    if (spared && goes_on) operators_ += to.nonzeros * entry + to.rows * index_bytes;
    if (finest) multiply(from, to, boxes, transfer, between, made + (in_product ? pairs + rows * (q.ones ? sizeof(PetscScalar) : 0) : 0));
    return to;
  }

  /* The finest product. */
  void multiply(const Guess &from, const Guess &to, bool boxes, double transfer, double between, double made)
  {
    const double rows = from.rows, bs = from.bs, window = window_bytes(q, rows), values = between * sizeof(PetscScalar);
    const double beside    = (2 + 2 * k) * sizeof(PetscScalar) + 1 + 2 * index_bytes; // of a row: inverse diagonal, magnitude, near-null vectors and T
    const double part      = values / std::min<double>(std::floor(values / static_cast<double>(room_of_part)) + 1, BlocksInParts::most);
    const double of_blocks = (from.nonzeros / bs / bs + (between + 2 * transfer) / bs / k) * index_bytes + part -
                             to.nonzeros * index_bytes; // columns come later
    const bool as_a_whole = q.device || q.several;      // A P is made, and held

    product_ = boxes ? window : rows * beside + (!as_a_whole ? 0 : bs * k > 1 ? std::max(0., of_blocks) : between * entry);
    product_ += (q.several ? 3 : 2) * transfer * entry + (q.several ? 2 : 1) * to.nonzeros * entry;
    if (boxes && q.device) /* with the inverse diagonal and the magnitudes, which the product reads; a value a row more by measurement */
      first_ = rows * (box_bytes(q.ones, false) + 3 * sizeof(PetscScalar)) + made + diagonals_ + std::max(window, to.nonzeros * entry);
  }

  const MemoryQuestion &q;
  const double          k;
  double                after_ = 0, inverses_ = 0;                  // what stays of what is made; of it inverse diagonals and flags, which go then
  double                late_ = 0, finest_ = 0;                     // what is made last: operators and vectors of the cycle; of the finest level
  double                spared_ = 0, diagonals_ = 0;                // until the cycle has them: interpolations, and coarse operators as diagonals
  double                transposes_ = 0, operators_ = 0;            // ... and P^T; of `after` rows of operators, which go then
  double                narrowed_ = 0;                              // while the first coarse operator gets its narrow format
  double                lent_     = 0;                              // vectors of a cycle in double that reads rows
  double                product_ = 0, first_ = 0, trial_ = q.trial; // while the finest level's product is made, of boxes; vectors of a trial
  bool                  chosen_ = false, spares_ = false;           // a format is, by the model; interpolations are, that can be made again
};

} // namespace

MemoryEstimate estimate_memory(const MemoryQuestion &q) { return Forecast(q).make(); }

} // namespace goza::saamg
