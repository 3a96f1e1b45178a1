/* What a core multiplies and adds at once. */
#pragma once
#include "core/rooms.hpp"
#include <cstring>
#include <type_traits>
#include <utility>

namespace goza::mat {

/* H numbers. A compiler that is left to find out what to do at once takes steps of a loop together before places, and then moves more numbers about than it
   adds up: products in single precision, and of blocks in either, take twice as long. together: whether it is told to. */
template <int H, class V, bool together> struct Lanes {
  V of[H] = {};

  template <class Value> void set(const Value &value)
  {
    for (int p = 0; p < H; p++) of[p] = value(p);
  }
  void add_product(const Lanes &a, const Lanes &b)
  {
    for (int p = 0; p < H; p++) of[p] += a.of[p] * b.of[p];
  }
};

template <int H, class V> struct Lanes<H, V, true> {
  typedef V Together __attribute__((vector_size(H * sizeof(V))));

  Together of;

  Lanes() : of{} { } // nvcc would make an implicit one for the device, too, and fails
  template <class Value> void set(const Value &value) { set(value, std::make_integer_sequence<int, H>()); }
  void                        add_product(const Lanes &a, const Lanes &b) { of += a.of * b.of; }

private:
  template <class Value, int... p> void set(const Value &value, std::integer_sequence<int, p...>) { of = Together{value(p)...}; }
};

/* What is stored in half precision is converted number by number. */
template <int H, class Store, class V> using LanesOf = Lanes<H, V, std::is_same_v<Store, V> && std::is_floating_point_v<V>>;

/* Values that lie side by side. */
template <int H, class Store, class V> inline void load_lanes(const Store *from, Lanes<H, V, false> &to)
{
  to.set([=](int p) { return static_cast<V>(from[p]); });
}

template <int H, class V> inline void load_lanes(const V *from, Lanes<H, V, true> &to) { std::memcpy(&to.of, from, sizeof(to.of)); }

} // namespace goza::mat
