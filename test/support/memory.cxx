#include "memory.hpp"

#include "core/device/array.hpp"

#include <cmath>
#include <fstream>
#include <string>
#include <unistd.h>

namespace goza_test {
namespace {

double number_in(const char *file) /* infinite where there is none, or "max" */
{
  std::ifstream in(file);
  double        number;

  return in >> number ? number : HUGE_VAL;
}

double available()
{
  std::ifstream in("/proc/meminfo");
  std::string   name;

  while (in >> name) {
    double kb;

    if (name == "MemAvailable:" && in >> kb) return 1024 * kb;
    std::getline(in, name);
  }
  return 0;
}

double resident()
{
  std::ifstream in("/proc/self/statm");
  double        all = 0, here = 0;

  in >> all >> here;
  return here * static_cast<double>(sysconf(_SC_PAGESIZE));
}

} // namespace

bool host_has(double bytes)
{
  const double most = number_in("/sys/fs/cgroup/memory.max"), now = number_in("/sys/fs/cgroup/memory.current");

  return bytes < available() && (most == HUGE_VAL || bytes < most - now);
}

bool unwritten_memory_is_free()
{
  constexpr std::size_t bytes = std::size_t(1) << 28, page = 4096;
  const double          before = resident();
  goza::Array<char>     memory(goza::Space::Host, bytes);
  volatile const char  *p = memory.data();

  for (std::size_t k = 0; k < bytes; k += page) (void)p[k];
  return resident() - before < 0.25 * bytes;
}

} // namespace goza_test
