/* An array in one space: owned, movable, never copied by accident. */
#pragma once
#include "device.hpp"
#include "host_memory.hpp"
#include <algorithm>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace goza {

/* Between arrays of a space, in the order of the stream. */
template <class T> void copy_values(Space space, const T *from, std::size_t n, T *to)
{
  if (space == Space::Cuda) device::copy_async(to, from, n * sizeof(T));
  else std::copy(from, from + n, to);
}
template <class T> void set_zero(Space space, std::size_t n, T *x)
{
  if (space == Space::Cuda) device::fill_zero(x, n * sizeof(T));
  else std::fill(x, x + n, T());
}

/* Of an array whose values are all written before they are read: host memory that others had before is not cleared for it. */
struct Unset { };
inline constexpr Unset unset{};

template <class T> class Array {
  static_assert(std::is_trivially_copyable_v<T>, "memory comes zeroed or as it is, and no constructor runs");

public:
  Array() = default;
  explicit Array(Space space, std::size_t n = 0) : space_(space) { resize(n); }
  Array(Space space, std::size_t n, Unset) : space_(space) { take(n, host_memory::allocate_unset); }
  Array(Space space, const T *src, std::size_t n) : Array(space, n, unset) { assign(src); }
  Array(Array &&other) noexcept { swap(other); }
  Array &operator=(Array &&other) noexcept
  {
    swap(other);
    return *this;
  }
  ~Array() { release(); }

  T          *data() { return data_; }
  const T    *data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * sizeof(T); }
  Space       space() const { return space_; }

  /* The contents are lost; new host memory is zero. */
  void resize(std::size_t n) { take(n, host_memory::allocate); }

  /* The first n values of host memory stay, without a copy where they are many. */
  void shorten(std::size_t n)
  {
    if (n == size_) return;
    data_ = static_cast<T *>(host_memory::shorten(data_, bytes(), n * sizeof(T)));
    size_ = n;
  }

  /* From size() values in either space. */
  void assign(const T *src)
  {
    if (!size_) return;
    if (space_ == Space::Cuda) device::copy(data_, src, bytes());
    else if (device::is_device_pointer(src)) device::copy(data_, src, bytes());
    else std::copy(src, src + size_, data_);
  }

  /* The first n values, from the same space. */
  void copy_from(const T *src, std::size_t n) { copy_values(space_, src, n, data_); }

  void zero() { set_zero(space_, size_, data_); }

  Array copied(Space space) const { return Array(space, data_, size_); }

  std::vector<T> to_host() const
  {
    std::vector<T> host(size_);
    if (!size_) return host;
    if (space_ == Space::Cuda) device::copy(host.data(), data_, bytes());
    else std::copy(data_, data_ + size_, host.begin());
    return host;
  }

  void swap(Array &other) noexcept
  {
    std::swap(space_, other.space_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

private:
  void take(std::size_t n, void *(*of_host)(std::size_t bytes))
  {
    if (n == size_) return;
    release();
    if (n > SIZE_MAX / sizeof(T)) throw std::bad_alloc();
    data_ = static_cast<T *>(space_ == Space::Cuda ? device::allocate(n * sizeof(T)) : of_host(n * sizeof(T)));
    size_ = n;
  }
  void release() noexcept
  {
    if (!data_) return;
    if (space_ == Space::Cuda) device::deallocate(data_);
    else host_memory::deallocate(data_, bytes());
    data_ = nullptr;
    size_ = 0;
  }

  Space       space_ = Space::Host;
  T          *data_  = nullptr;
  std::size_t size_  = 0;
};

/* One value from either space. */
template <class T> T read_value(Space space, const T *p)
{
  T value;

  if (space == Space::Host) return *p;
  device::copy(&value, p, sizeof(T));
  return value;
}

} // namespace goza
