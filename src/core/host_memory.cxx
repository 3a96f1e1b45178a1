#include "host_memory.hpp"
#include <cstdint>
#include <cstdlib>
#include <new>
#include <sys/mman.h>

namespace goza
{
namespace host_memory
{

static constexpr std::size_t page = std::size_t(1) << 21, large = 2 * page;

static std::size_t whole_pages(std::size_t bytes)
{
  return (bytes + page - 1) / page * page;
}

void *allocate(std::size_t bytes)
{
  if (bytes < large) {
    void *p = std::calloc(bytes ? bytes : 1, 1);

    if (!p) throw std::bad_alloc();
    return p;
  }
  if (bytes > SIZE_MAX / 2) throw std::bad_alloc();
  const std::size_t length = whole_pages(bytes);
  void *const       mapped = mmap(nullptr, length + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); // a page more, to align

  if (mapped == MAP_FAILED) throw std::bad_alloc();
  char *const       first = static_cast<char *>(mapped);
  const std::size_t skip  = whole_pages(reinterpret_cast<std::uintptr_t>(first)) - reinterpret_cast<std::uintptr_t>(first);

  if (skip) (void)munmap(first, skip);
  if (skip < page) (void)munmap(first + skip + length, page - skip);
  (void)madvise(first + skip, length, MADV_HUGEPAGE); // a wish
  return first + skip;
}

void deallocate(void *p, std::size_t bytes) noexcept
{
  if (bytes < large) std::free(p);
  else (void)munmap(p, whole_pages(bytes));
}

} // namespace host_memory
} // namespace goza
