#include "memory.hpp"
#include <algorithm>
#include <cmath>

namespace goza
{

MemoryEstimate estimate_memory(const MemoryQuestion &q)
{
  constexpr double index = sizeof(PetscInt), entry = sizeof(PetscScalar) + index; // of a CSR matrix
  const double     k    = static_cast<double>(q.vectors);
  double           rows = q.rows, nonzeros = q.nonzeros, bs = static_cast<double>(q.bs), after = 0, product = 0;

  for (PetscInt level = 0; rows > 0; level++) {
    const double value = static_cast<double>(level ? q.coarse_value : q.fine_value), stored = static_cast<double>(level ? q.coarse_operator : q.fine_operator);
    const bool   aggressive = level < q.aggressive_levels;

    after += rows * (6 * value + sizeof(PetscScalar)); // of the cycle, and the inverse diagonal
    if (level || !q.fine_lent) after += nonzeros * (stored + index);
    if (level) after += nonzeros * entry; // as the Galerkin product left it
    if (level ? q.coarse_colored : q.fine_colored) after += nonzeros * (value + index);
    if (rows <= static_cast<double>(q.coarse_limit) || level + 1 >= q.max_levels) break;

    const double wide = level ? static_cast<double>(q.coarse_interpolation_degree) : 1;
    const double z = nonzeros / rows / bs, nodes = rows / bs, size = (1.3 + z) * (aggressive ? 15 : 1), aggregates = std::ceil(nodes / size);
    const double reached = std::min(aggregates, wide * (aggressive ? 1.9 + 0.03 * z : 2.4 + 0.16 * z)), below = std::min(aggregates, wide * (aggressive ? 22 : 27 + 0.9 * z));
    const double transfer = rows * reached * k;

    if (!q.rows_lent) after += transfer * 2 * (static_cast<double>(q.coarse_value) + index); // P and P^T as the cycle has them
    after += transfer * (q.transposed || q.rows_lent ? 2 : 1) * entry;                       // and as they were made
    if (level == 0) product = rows * std::sqrt(reached * below) * k * entry;                 // A P
    rows     = aggregates * k;
    nonzeros = rows * below * k;
    bs       = k;
    if (level == 0) product += (q.several ? 3 : 2) * transfer * entry + (q.several ? 2 : 1) * nonzeros * entry;
  }
  return {q.copy + std::max(after, product), after};
}

} // namespace goza
