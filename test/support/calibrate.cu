#include "calibrate.hpp"
#include "core/device/array.hpp"
#include "core/launch/for_each_row.hpp"
#include "core/util/hash.hpp"
#include <algorithm>
#include <chrono>

namespace goza_test
{

using namespace goza;

namespace
{

struct Copy {
  const double *from;
  double       *to;

  HD void operator()(PetscInt i) const { to[i] = from[i]; }
};

/* Reads of x at places that look random, without an array of indices. n: a power of two */
struct Gather {
  const double *x;
  double       *to;
  PetscInt      n;

  HD void operator()(PetscInt i) const { to[i & 1023] = x[static_cast<PetscInt>(scattered(i) >> 3) & (n - 1)]; }
};

struct Nothing {
  HD void operator()(PetscInt) const { }
};

/* Seconds of one of many launches: the least of five batches of about 20 ms each. */
template <class Body> double seconds(Space space, PetscInt n, const Body &body)
{
  using Clock    = std::chrono::steady_clock;
  const auto run = [&](int times) {
    const auto begin = Clock::now();

    for (int k = 0; k < times; k++) for_each_row(space, n, body);
    if (space == Space::Cuda) device::synchronize();
    return std::chrono::duration<double>(Clock::now() - begin).count() / times;
  };
  const int times = static_cast<int>(std::min(2000.0, std::max(1.0, 0.02 / std::max(run(2), 1e-9))));
  double    best  = run(times);

  for (int k = 0; k < 4; k++) best = std::min(best, run(times));
  return best;
}

} // namespace

Machine calibrate(Space space)
{
  const bool     gpu  = space == Space::Cuda;
  const PetscInt most = 1 << (gpu ? 26 : 24); // doubles
  Machine        m = machine_for(space), before = m;
  Array<double>  a(space, most), b(space, most);

  a.zero();
  b.zero();
  m.name          = "calibrated";
  m.kernel_launch = std::max(1e-9, seconds(space, gpu ? 1 : 64, Nothing{}));
  m.bandwidth     = 16.0 * most / seconds(space, most, Copy{a.data(), b.data()});
  m.gather        = 8.0 * most / seconds(space, most, Gather{a.data(), b.data(), most});
  /* arrays that are in the cache are copied faster. From the time that a longer copy takes more, so that launches do not count. */
  double before_seconds = seconds(space, 1 << 14, Copy{a.data(), b.data()});

  m.l2_bandwidth = m.bandwidth;
  for (PetscInt n = 1 << 15, last = 1 << 14; n < most; n *= 2) {
    const double now = seconds(space, n, Copy{a.data(), b.data()}), more = now - before_seconds;

    if (more > (gpu ? 0.5e-6 : 1e-7)) { // else it is the launch that is seen
      const double rate = 16.0 * (n - last) / more;

      m.l2_bandwidth = std::max(m.l2_bandwidth, std::min(rate, 4 * m.bandwidth));
      if (rate > 1.4 * m.bandwidth) m.l2 = 16.0 * n;
      before_seconds = now;
      last           = n;
    }
  }
  if (!gpu) { /* what a core computes is not in these figures, nor is the speed of its first cache */
    m.kernel_launch = before.kernel_launch;
    m.l2_bandwidth  = std::max(m.bandwidth, before.l2_bandwidth);
    return m;
  }
  m.processors       = device::multiprocessors();
  const double cache = before.l2_bandwidth / m.l2_bandwidth, launch = m.kernel_launch / before.kernel_launch;

  m.sectors /= cache;
  for (KernelConstants *k : {&m.csr, &m.sliced_ell, &m.shared, &m.blocks, &m.fold, &m.cds, &m.cds_half}) {
    k->launch *= launch;
    k->second *= launch;
    k->step *= cache;
    k->warp *= cache;
    k->part *= cache;
    k->row *= cache;
  }
  return m;
}

} // namespace goza_test
