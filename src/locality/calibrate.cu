/* What a machine's memory does, measured with small kernels: a copy of growing arrays, and a gather from random places. */
#include "machine.hpp"
#include "core/device/array.hpp"
#include "core/device/device_seconds.hpp"
#include "core/device/properties.hpp"
#include "core/launch/for_each_row.hpp"
#include "core/util/hash.hpp"
#include "core/util/thread_clock.hpp"
#include <algorithm>
#include <chrono>
#include <unistd.h>

namespace goza::locality {
namespace {

struct Copy {
  const double *from;
  double       *to;

  HD void operator()(PetscInt i) const { to[i] = from[i]; }
};

/* Reads of x at places that look random, without an array of indices. n: a power of two */
HD void gather_at(PetscInt i, const double *x, double *to, PetscInt n) { to[i & 1023] = x[static_cast<PetscInt>(scattered(i) >> 3) & (n - 1)]; }

struct Nothing {
  HD void operator()(PetscInt) const { }
};

double now(Space space)
{
  if (space == Space::Host) return thread_seconds();
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/* Seconds of one of many launches: the least of three batches, each of them long beside a tick of the clock. */
template <class Launch> double seconds(Space space, const Launch &launch)
{
  const auto run = [&](int times) {
    const double begin = now(space);

    for (int k = 0; k < times; k++) launch();
    if (space == Space::Cuda) device::synchronize();
    return (now(space) - begin) / times;
  };
  const int times = static_cast<int>(std::min(2000.0, std::max(1.0, 0.01 / std::max(run(1), 1e-9))));
  double    best  = run(times);

  for (int k = 0; k < 2; k++) best = std::min(best, run(times));
  return best;
}

template <class Body> double seconds_of_rows(Space space, PetscInt n, const Body &body)
{
  return seconds(space, [&] { for_each_row(space, n, body); });
}

/* By the device's own clock: a host that asks slowly, or not evenly, makes short kernels no longer. */
double seconds_of_working(Space space, PetscInt n, const Copy &body)
{
  constexpr int launches = 50;
  double        best     = 1;

  if (space == Space::Host) return seconds_of_rows(space, n, body);
  for (int k = 0; k < 5; k++) {
    best = std::min(best, device::seconds_of([&] {
                      for (int l = 0; l < launches; l++) for_each_row(space, n, body);
                    }));
  }
  return best / launches;
}

/* Of all of an array: on a device by the runtime's own copy, since a kernel of one entry a thread does not fill the memory of every one. */
double seconds_of_copy(const Array<double> &from, Array<double> &to, PetscInt n)
{
  if (from.space() == Space::Host) return seconds_of_rows(Space::Host, n, Copy{from.data(), to.data()});
  return seconds(Space::Cuda, [&] { device::copy_async(to.data(), from.data(), static_cast<std::size_t>(n) * sizeof(double)); });
}

/* Arrays that are in the last cache are copied faster: its size, and its speed from the time that a longer copy takes more, so that launches do not count. */
void measure_cache(const Array<double> &from, Array<double> &to, PetscInt most, Calibration &c)
{
  const bool gpu  = c.space == Space::Cuda;
  double     last = seconds_of_working(c.space, 1 << 14, Copy{from.data(), to.data()});

  c.l2           = 16.0 * (1 << 14);
  c.l2_bandwidth = c.bandwidth;
  for (PetscInt n = 1 << 15, before = 1 << 14; n < most; n *= 2) {
    const double whole = seconds_of_working(c.space, n, Copy{from.data(), to.data()}), more = whole - last;

    if (more <= (gpu ? 0.5e-6 : 1e-7)) continue; // it is the launch that is seen
    const double rate = 16.0 * (n - before) / more;

    c.l2_bandwidth = std::max(c.l2_bandwidth, std::min(rate, 4 * c.bandwidth));
    if (rate > 1.4 * c.bandwidth) c.l2 = 16.0 * n;
    last   = whole;
    before = n;
  }
}

int told_by_system(int name, int otherwise)
{
  const long value = sysconf(name);

  return value > 0 && value < 1 << 30 ? static_cast<int>(value) : otherwise;
}

} // namespace

Calibration calibrate(Space space)
{
  const bool     gpu  = space == Space::Cuda;
  const PetscInt most = 1 << (gpu ? 26 : 24); // doubles
  Array<double>  a(space, most), b(space, most);
  Calibration    c;

  a.zero();
  b.zero();
  c.device    = device_name(space);
  c.space     = space;
  c.bandwidth = 16.0 * most / seconds_of_copy(a, b, most);
  c.gather    = 8.0 * most / seconds_of_rows(space, most, bound<gather_at>(a.data(), b.data(), most));
  measure_cache(a, b, most, c);
  if (gpu) {
    c.kernel_launch = std::max(1e-9, seconds_of_rows(space, 1, Nothing{}));
    c.line          = 128;
    c.cache         = std::max(1, device::shared_memory());
    c.processors    = device::multiprocessors();
  } else {
    c.line  = told_by_system(_SC_LEVEL1_DCACHE_LINESIZE, 64);
    c.cache = told_by_system(_SC_LEVEL2_CACHE_SIZE, 1 << 20);
  }
  return c;
}

} // namespace goza::locality
