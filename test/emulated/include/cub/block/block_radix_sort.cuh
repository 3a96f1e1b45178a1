#pragma once
#include <algorithm>
#include <numeric>

namespace cub {

/* The first thread sorts what all have. */
template <class K, int threads, int items, class V> struct BlockRadixSort {
  struct TempStorage {
    K key[threads * items];
    V value[threads * items];
  };

  explicit BlockRadixSort(TempStorage &memory) : m(memory) { }

  void SortDescending(K (&key)[items], V (&value)[items], int begin, int end)
  {
    const int first = static_cast<int>(threadIdx.x) * items;

    std::copy_n(key, items, m.key + first);
    std::copy_n(value, items, m.value + first);
    __syncthreads();
    if (threadIdx.x == 0) sort(begin, end);
    __syncthreads();
    std::copy_n(m.key + first, items, key);
    std::copy_n(m.value + first, items, value);
    __syncthreads();
  }

private:
  void sort(int begin, int end)
  {
    static thread_local TempStorage before;
    static thread_local int         order[threads * items];
    const auto                      bits = [&](int i) { return before.key[i] >> begin & ((K(1) << (end - begin)) - 1); };

    before = m;
    std::iota(order, order + threads * items, 0);
    std::stable_sort(order, order + threads * items, [&](int a, int b) { return bits(a) > bits(b); });
    for (int i = 0; i < threads * items; i++) {
      m.key[i]   = before.key[order[i]];
      m.value[i] = before.value[order[i]];
    }
  }

  TempStorage &m;
};

} // namespace cub
