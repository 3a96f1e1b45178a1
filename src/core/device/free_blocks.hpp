/* Blocks of a device's memory that came back, for the next of that size on the same stream: a set-up takes hundreds, to the device's pool and from it each goes
   in microseconds, and a large one that the pool has only in pieces takes it a hundred times as long. Where work is ordered by streams, a block may be had
   again before the work that had it is done. */
#pragma once
#include <cstddef>
#include <utility>
#include <vector>

namespace goza::device {

class FreeBlocks {
public:
  /* Bytes that are kept at most. */
  void        allow(std::size_t most) { most_ = most; }
  std::size_t most() const { return most_; }

  /* Sizes are powers of two, and above 1 MB sixteen to an octave: of `bytes` the kind, or -1 where they are too many; and the other way round. */
  static int kind_of(std::size_t bytes)
  {
    int kind = bytes > size_of(powers - 1) ? powers : 0;

    while (kind < kinds && size_of(kind) < bytes) kind++;
    return kind < kinds ? kind : -1;
  }
  static std::size_t size_of(int kind)
  {
    const int above = kind - powers;

    return above < 0 ? least << kind : (least << (powers - 1)) / steps * (steps + 1 + above % steps) << above / steps;
  }

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
    if (kind < 0 || bytes_ + size_of(kind) > most_) return false;
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
  static constexpr std::size_t least  = 512;
  static constexpr int         powers = 12, steps = 16, octaves = 7, kinds = powers + steps * octaves;

  std::vector<std::pair<void *, void *>> kept_[kinds];
  std::size_t                            bytes_ = 0, most_ = std::size_t(32) << 20;
};

} // namespace goza::device
