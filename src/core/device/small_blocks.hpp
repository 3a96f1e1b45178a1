/* Small blocks of a device's memory that came back, for the next of that size on the same stream: a set-up takes hundreds, and to the device's pool and from it
   each goes in microseconds. Where work is ordered by streams, a block may be had again before the work that had it is done. */
#pragma once
#include <cstddef>
#include <utility>
#include <vector>

namespace goza::device {

class SmallBlocks {
public:
  static constexpr std::size_t most = std::size_t(32) << 20; // bytes that are kept

  /* Sizes are powers of two: of `bytes` the power, or -1 where these are no small block; and the other way round. */
  static int kind_of(std::size_t bytes)
  {
    int kind = least;

    while (kind <= largest && size_of(kind) < bytes) kind++;
    return kind <= largest ? kind : -1;
  }
  static std::size_t size_of(int kind) { return std::size_t(1) << kind; }

  /* nullptr: there is none */
  void *take(int kind, void *stream)
  {
    if (kind < 0 || kept_[kind].empty() || kept_[kind].back().second != stream) return nullptr;
    void *p = kept_[kind].back().first;

    kept_[kind].pop_back();
    bytes_ -= size_of(kind);
    return p;
  }

  /* false: there is no room for it */
  bool keep(void *p, int kind, void *stream) noexcept
  {
    if (kind < 0 || bytes_ + size_of(kind) > most) return false;
    try {
      kept_[kind].emplace_back(p, stream);
    } catch (...) { // the host is out of memory
      return false;
    }
    bytes_ += size_of(kind);
    return true;
  }

  /* free(block, stream) */
  template <class Free> void drop(const Free &free)
  {
    for (auto &kind : kept_) {
      for (const auto &[p, stream] : kind) free(p, stream);
      kind.clear();
    }
    bytes_ = 0;
  }

  std::size_t bytes() const { return bytes_; }

private:
  static constexpr int least = 9, largest = 20;

  std::vector<std::pair<void *, void *>> kept_[largest + 1];
  std::size_t                            bytes_ = 0;
};

} // namespace goza::device
