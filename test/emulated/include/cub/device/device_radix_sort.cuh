#pragma once
#include <algorithm>
#include <numeric>
#include <vector>

namespace cub
{

template <class T> class DoubleBuffer {
public:
  DoubleBuffer(T *current, T *other) : of_{current, other} { }
  T   *Current() { return of_[selector]; }
  T   *Alternate() { return of_[1 - selector]; }
  int  selector = 0;

private:
  T *of_[2];
};

struct DeviceRadixSort {
  /* Stable; keys are not negative. */
  template <class Key, class Value, class N>
  static cudaError_t SortPairs(void *work, std::size_t &bytes, DoubleBuffer<Key> &keys, DoubleBuffer<Value> &values, N n, int begin_bit, int end_bit, cudaStream_t)
  {
    using Bits = std::make_unsigned_t<Key>;

    bytes = 1;
    if (!work) return cudaSuccess;
    const int          width = end_bit - begin_bit;
    const Bits         mask  = width < static_cast<int>(8 * sizeof(Bits)) ? (Bits(1) << width) - 1 : ~Bits(0);
    std::vector<N>     order(n);
    const Key *const   key   = keys.Current();
    const Value *const value = values.Current();
    const auto         rank  = [=](N i) { return static_cast<Bits>(key[i]) >> begin_bit & mask; };

    std::iota(order.begin(), order.end(), N(0));
    std::stable_sort(order.begin(), order.end(), [&](N a, N b) { return rank(a) < rank(b); });
    for (N i = 0; i < n; i++) {
      keys.Alternate()[i]   = key[order[i]];
      values.Alternate()[i] = value[order[i]];
    }
    keys.selector = values.selector = 1 - keys.selector;
    return cudaSuccess;
  }
};

} // namespace cub
