#include "host_memory.hpp"
#include "host_recycling.hpp"
#include "refused_memory.hpp"
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <sys/mman.h>

namespace goza
{

static RefusesMemory refuses_memory = nullptr;

void set_refuses_memory(RefusesMemory refuses)
{
  refuses_memory = refuses;
}

bool memory_refused(std::size_t bytes)
{
  return refuses_memory && refuses_memory(bytes);
}

namespace host_memory
{

static constexpr std::size_t page = std::size_t(1) << 21, large = 16 * page;

static std::size_t whole_pages(std::size_t bytes)
{
  return (bytes + page - 1) / page * page;
}

namespace
{

/* Ranges of whole pages, by their addresses; neighbours are one. */
class FreePages {
public:
  void open()
  {
    const std::lock_guard<std::mutex> lock(mutex_);

    users_++;
  }

  void close()
  {
    const std::lock_guard<std::mutex> lock(mutex_);

    if (--users_) return;
    for (const auto &[first, length] : ranges_) (void)munmap(first, length);
    ranges_.clear();
  }

  /* The range that fits best, or nullptr. */
  char *take(std::size_t length)
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    auto                              best = ranges_.end();

    for (auto range = ranges_.begin(); range != ranges_.end(); ++range) {
      if (range->second >= length && (best == ranges_.end() || range->second < best->second)) best = range;
    }
    if (best == ranges_.end()) return nullptr;
    /* its end, so that what is left keeps its place in the map */
    char *const p = best->first + (best->second - length);

    best->second -= length;
    if (!best->second) ranges_.erase(best);
    return p;
  }

  /* false: it is not wanted */
  bool give(char *first, std::size_t length) noexcept
  try {
    const std::lock_guard<std::mutex> lock(mutex_);

    if (!users_) return false;
    const auto range = ranges_.emplace(first, length).first, next = std::next(range);

    if (next != ranges_.end() && next->first == first + length) {
      range->second += next->second;
      ranges_.erase(next);
    }
    if (range == ranges_.begin()) return true;
    const auto before = std::prev(range);

    if (before->first + before->second == first) {
      before->second += range->second;
      ranges_.erase(range);
    }
    return true;
  } catch (...) {
    return false;
  }

private:
  std::mutex                    mutex_;
  int                           users_ = 0;
  std::map<char *, std::size_t> ranges_;
};

FreePages &free_pages()
{
  /* never destroyed: arrays may outlive all that is static. In no memory of its own, so that nobody who begins to recycle can fail */
  alignas(FreePages) static char place[sizeof(FreePages)];
  static FreePages *const        pages = new (place) FreePages;

  return *pages;
}

} // namespace

Recycling::Recycling()
{
  free_pages().open();
}

Recycling::~Recycling()
{
  free_pages().close();
}

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
  if (memory_refused(bytes)) throw std::bad_alloc();
  if (bytes < large) {
    const std::size_t some = bytes ? bytes : 1;
    void *const       p    = cleared ? std::calloc(some, 1) : std::malloc(some);

    if (!p) throw std::bad_alloc();
    return p;
  }
  if (bytes > SIZE_MAX / 2) throw std::bad_alloc();
  const std::size_t length = whole_pages(bytes);
  char *const       again  = free_pages().take(length);

  if (!again) return map(length);
  return cleared ? std::memset(again, 0, bytes) : again;
}

void *allocate(std::size_t bytes)
{
  return take(bytes, true);
}

void *allocate_unset(std::size_t bytes)
{
  return take(bytes, false);
}

static void free_whole_pages(char *first, std::size_t length) noexcept
{
  if (length && !free_pages().give(first, length)) (void)munmap(first, length);
}

void deallocate(void *p, std::size_t bytes) noexcept
{
  if (bytes < large) std::free(p);
  else free_whole_pages(static_cast<char *>(p), whole_pages(bytes));
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
  free_whole_pages(static_cast<char *>(p) + whole_pages(fewer), whole_pages(bytes) - whole_pages(fewer));
  return p;
}

} // namespace host_memory
} // namespace goza
