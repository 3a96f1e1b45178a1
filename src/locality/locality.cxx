#include "locality.hpp"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>

namespace goza::locality {

RowStatistics row_statistics(const Csr &A)
{
  const std::int64_t shift = A.nrows;
  std::vector<bool>  diagonal(static_cast<std::size_t>(A.nrows) + A.ncols);
  RowStatistics      s;
  double             squares = 0;

  s.rows    = A.nrows;
  s.columns = A.ncols;
  if (!A.nrows) return s;
  s.nnz  = A.ptr[A.nrows] - A.ptr[0];
  s.mean = static_cast<double>(s.nnz) / static_cast<double>(A.nrows);
  for (PetscInt i = 0; i < A.nrows; i++) {
    const PetscInt n = A.ptr[i + 1] - A.ptr[i];

    s.longest = std::max(s.longest, n);
    squares += (static_cast<double>(n) - s.mean) * (static_cast<double>(n) - s.mean);
    for (PetscInt k = A.ptr[i]; k < A.ptr[i + 1]; k++) {
      const PetscInt offset = A.col[k] - i;

      s.bandwidth                                        = std::max(s.bandwidth, static_cast<PetscInt>(std::abs(offset)));
      diagonal[static_cast<std::size_t>(offset + shift)] = true;
    }
  }
  s.variance  = squares / static_cast<double>(A.nrows);
  s.diagonals = static_cast<PetscInt>(std::count(diagonal.begin(), diagonal.end(), true));
  return s;
}

double LocalityCounts::reused_within(double n) const
{
  double sum = 0;

  for (int k = 0; k < reuse_bins; k++) {
    const double from = std::ldexp(1.0, k), share = (n - from + 1) / from; // the bin holds `from` different intervals

    sum += static_cast<double>(intervals[k]) * std::min(1.0, std::max(0.0, share));
  }
  return reads ? sum / static_cast<double>(reads) : 0;
}

void LocalityCounts::add(const LocalityCounts &other)
{
  reads += other.reads;
  runs += other.runs;
  reused += other.reused;
  interval_sum += other.interval_sum;
  for (int k = 0; k < reuse_bins; k++) intervals[k] += other.intervals[k];
}

LocalityCounter::LocalityCounter(PetscInt ncols, int shift) : shift_(shift), seen_(ncols)
{
  const std::size_t lines = ncols ? static_cast<std::size_t>((ncols - 1) >> shift) + 1 : 0;

  padded_.last.resize(lines);
  plain_.last.resize(lines);
}

Locality LocalityCounter::result() const
{
  Locality result = result_;

  result.lines = static_cast<std::int64_t>(padded_.last.size()) - std::count(padded_.last.begin(), padded_.last.end(), 0);
  return result;
}

int line_shift(int line_bytes, int value_bytes)
{
  int shift = 0;

  while (value_bytes > 0 && shift < 20 && (value_bytes << shift) < line_bytes) shift++;
  if (value_bytes < 1 || value_bytes << shift != line_bytes) throw std::invalid_argument("a cache line must hold a power of two of values");
  return shift;
}

} // namespace goza::locality
