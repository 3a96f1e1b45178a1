#include "memory.hpp"
#include <algorithm>
#include <cmath>
#include <cstdint>

namespace goza
{

namespace
{

/* How a level is coarsened, in nodes: those of an aggregate, aggregates that a row of P reaches, and neighbours on the level below. */
struct Coarsened {
  double size, reached, below;
};

/* z: nonzeros of a node's row. wide: how much longer the rows of P and below are where it is smoothed more than once, or aggregates lie at random. */
Coarsened coarsened(double z, bool aggressive, double wide)
{
  if (aggressive) return {15 * (1.3 + z), wide * (1.9 + 0.03 * z), wide * 22};
  return {1.3 + z, wide * 5.4 * z / (z + 4), wide * 48 * z * z / (z * z + 50)};
}

} // namespace

MemoryEstimate estimate_memory(const MemoryQuestion &q)
{
  constexpr double index = sizeof(PetscInt), entry = sizeof(PetscScalar) + index; // of a CSR matrix
  const double     k    = static_cast<double>(q.vectors);
  double           rows = q.rows, nonzeros = q.nonzeros, bs = static_cast<double>(q.bs), after = 0, product = 0;

  for (PetscInt level = 0; rows > 0; level++) {
    const double value = static_cast<double>(level ? q.coarse_value : q.fine_value), stored = static_cast<double>(level ? q.coarse_operator : q.fine_operator);

    after += rows * ((level || q.fine_value < sizeof(PetscScalar) ? 6 : 4) * value + sizeof(PetscScalar)); // of the cycle, without the user's, and the inverse diagonal
    if (!level) after += rows * (value + sizeof(std::int64_t));                                            // which rows are coupled to nothing, if any are
    if (level || !q.fine_lent) after += nonzeros * (stored + (q.grid ? 0 : index / bs / bs));              // diagonals need no indices, a block one
    if (level) after += nonzeros * entry;                                                                  // as the Galerkin product left it
    if (level ? q.coarse_colored : q.fine_colored) after += nonzeros * (value + index);
    if (rows <= static_cast<double>(q.coarse_limit) || level + 1 >= q.max_levels) break;

    const Coarsened next = coarsened(nonzeros / rows / bs, level < q.aggressive_levels, (q.grid ? 1 : 1.1) * (level ? std::pow(q.coarse_interpolation_degree, 1.4) : 1));
    const double aggregates = std::ceil(rows / bs / next.size), reached = std::min(aggregates, next.reached), below = std::min(aggregates, next.below);
    const double transfer = rows * reached * k, between = rows * std::sqrt(reached * below) * k;      // entries of P and of A P
    const bool   blocks      = bs * k > 1 && (!q.device || rows / bs >= 65536);                       // an index each
    const double short_index = blocks ? index / bs / k : q.grid && !level && bs * k == 1 ? 1 : index; // slices that are alike share theirs
    const double padded      = q.device && bs * k == 1 ? 1.3 : 1; // 1.35 to 1.65 for rows of P in slices of 32, 1.0 to 1.25 for P^T in twos

    if (!q.rows_lent) after += transfer * 2 * padded * (static_cast<double>(q.coarse_value) + short_index); // P and P^T as the cycle has them
    after += (q.kept ? 2 : 1) * (transfer * entry + rows * index);                                          // and as they were made
    if (q.kept) after += between * index;
    if (level == 0) product = between * entry;
    rows     = aggregates * k;
    nonzeros = rows * below * k;
    bs       = k;
    if (level == 0) product += (q.several ? 3 : 2) * transfer * entry + (q.several ? 2 : 1) * nonzeros * entry;
  }
  return {q.copy + std::max(after, product), after};
}

} // namespace goza
