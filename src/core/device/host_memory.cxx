#include "host_memory.hpp"
#include "refused_memory.hpp"
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <sys/mman.h>

namespace goza {

static RefusesMemory refuses_memory = nullptr;

void set_refuses_memory(RefusesMemory refuses) { refuses_memory = refuses; }

bool memory_refused(std::size_t bytes) { return refuses_memory && refuses_memory(bytes); }

namespace host_memory {

static constexpr std::size_t page = std::size_t(1) << 21, large = 16 * page;

static std::size_t whole_pages(std::size_t bytes) { return (bytes + page - 1) / page * page; }

/* New pages, which the system has cleared. */
static char *map(std::size_t length)
{
  void *const mapped = mmap(nullptr, length + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); // a page more, to align

  if (mapped == MAP_FAILED) throw std::bad_alloc();
  char *const       first = static_cast<char *>(mapped);
  const std::size_t skip  = whole_pages(reinterpret_cast<std::uintptr_t>(first)) - reinterpret_cast<std::uintptr_t>(first);

  if (skip) (void)munmap(first, skip);
  if (skip < page) (void)munmap(first + skip + length, page - skip);
  (void)madvise(first + skip, length, MADV_HUGEPAGE); // a wish
  return first + skip;
}

static void *take(std::size_t bytes, bool cleared)
{
  if (memory_refused(bytes) || bytes > SIZE_MAX / 2) throw std::bad_alloc();
  if (bytes >= large) return map(whole_pages(bytes));
  const std::size_t some = bytes ? bytes : 1;
  void *const       p    = cleared ? std::calloc(some, 1) : std::malloc(some);

  if (!p) throw std::bad_alloc();
  return p;
}

void *allocate(std::size_t bytes) { return take(bytes, true); }

void *allocate_unset(std::size_t bytes) { return take(bytes, false); }

void deallocate(void *p, std::size_t bytes) noexcept
{
  if (bytes < large) std::free(p);
  else (void)munmap(p, whole_pages(bytes));
}

void *shorten(void *p, std::size_t bytes, std::size_t fewer)
{
  if (bytes < large) {
    void *const same = std::realloc(p, fewer ? fewer : 1);

    return same ? same : p;
  }
  if (fewer < large) {
    void *const another = std::memcpy(allocate_unset(fewer), p, fewer);

    deallocate(p, bytes);
    return another;
  }
  if (const std::size_t rest = whole_pages(bytes) - whole_pages(fewer)) (void)munmap(static_cast<char *>(p) + whole_pages(fewer), rest);
  return p;
}

} // namespace host_memory
} // namespace goza
