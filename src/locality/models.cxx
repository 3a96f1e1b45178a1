#include "models.hpp"
#include <algorithm>
#include <cmath>

namespace goza::locality {

Prediction predict(const Machine &platform, const LayoutLocality &A, std::int64_t rows, std::int64_t nnz, const Bytes &bytes)
{
  const LocalityCounts &counts = A.locality.padded;
  const double F = bytes.F, X = bytes.X > 0 ? bytes.X : F, I = bytes.I * A.indexed_share(), W = platform.bandwidth, L = platform.line, density = A.density();
  Prediction   p;

  if (!counts.reads) return p;
  p.S      = counts.spatial();
  p.hit    = counts.reused_within(platform.cache / platform.line);
  p.bpf    = bpf_cache(F, I, p.hit, L, p.S);
  p.small  = rows < platform.small_rows && X == platform.value_bytes;
  p.gather = 1e-9 * flops_gather_padded(density, 1, W, (F + X) / 2); // F/2 of the matrix, F/2 of x

  const auto gflops = [&](double hit, double S) {
    if (p.small) return 1e-9 * flops_small(W, hit, S, static_cast<double>(nnz) / density);
    return 1e-9 * flops_cache_padded(density, 1, W, F, I, hit, L, S);
  };
  p.gflops     = gflops(p.hit, p.S);
  p.full_lines = gflops(p.hit, std::max(p.S, L / X));
  p.more_hits  = gflops(std::min(1.0, 1.3 * p.hit), p.S);
  if (!platform.small_rows) return p;
  const Machine::HitLine &line = rows < platform.small_rows ? platform.few_rows : platform.many_rows;
  p.line_hit                   = std::clamp(line.at_one + line.slope * std::log10(std::max(1.0, counts.temporal())), 0.0, 1.0);
  p.line_gflops                = gflops(p.line_hit, p.S);
  return p;
}

} // namespace goza::locality
