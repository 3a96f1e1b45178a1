#include "models.hpp"
#include <array>
#include <cstring>

namespace goza::locality
{

static const std::array<Platform, 3> &platforms()
{
  /* Sources. c2050: P2, table 1 (single precision). h200: NVIDIA's data sheet, and its Hopper tuning guide for L1 with shared memory. host: round figures for one core of a
     server; not measured. */
  static const std::array<Platform, 3> table{{
    {"c2050", 144e9, 144e9, 128, 16 << 10, 4, 70000},
    {"h200", 4.8e12, 4.8e12, 128, 256 << 10, 0, 0},
    {"host", 12e9, 12e9, 64, 1 << 20, 0, 0},
  }};
  return table;
}

const Platform *find_platform(const char *name)
{
  for (const Platform &p : platforms()) {
    if (!std::strcmp(p.name, name)) return &p;
  }
  return nullptr;
}

Prediction predict(const Platform &platform, const LayoutLocality &A, std::int64_t rows, std::int64_t nnz, int F, int I)
{
  const LocalityCounts &counts = A.locality.padded;
  Prediction            p;

  if (!counts.reads) return p;
  if (A.layout == Layout::CdsFull || A.layout == Layout::CdsHalf) I = 0;
  p.S      = counts.spatial();
  p.hit    = counts.reused_within(platform.cache / platform.line);
  p.bpf    = bpf_cache(F, I, p.hit, platform.line, p.S);
  p.small  = rows < platform.small_rows && F == 4 && I == 4;
  p.gather = 1e-9 * flops_gather_padded(A.density(), 1, platform.gather, F);
  if (p.small) p.gflops = 1e-9 * flops_small(platform.bandwidth, p.hit, p.S, static_cast<double>(nnz) / A.density());
  else p.gflops = 1e-9 * flops_cache_padded(A.density(), 1, platform.bandwidth, F, I, p.hit, platform.line, p.S);
  return p;
}

} // namespace goza::locality
