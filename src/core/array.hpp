/* An array in one space: owned, movable, never copied by accident. Host memory is std::vector's, device memory cudaMalloc's. */
#pragma once
#include "device.hpp"
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace goza
{

template <class T> class Array {
public:
  Array() = default;
  explicit Array(Space space, std::size_t n = 0) : space_(space) { resize(n); }
  Array(Space space, const T *src, std::size_t n) : Array(space, n) { assign(src); }
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
  void resize(std::size_t n)
  {
    if (n == size_) return;
    release();
    if (space_ == Space::Cuda) data_ = static_cast<T *>(device::allocate(n * sizeof(T)));
    else data_ = new T[n]();
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
  void copy_from(const T *src, std::size_t n)
  {
    if (space_ == Space::Cuda) device::copy_async(data_, src, n * sizeof(T));
    else std::copy(src, src + n, data_);
  }

  void zero()
  {
    if (!size_) return;
    if (space_ == Space::Cuda) device::fill_zero(data_, bytes());
    else std::fill(data_, data_ + size_, T());
  }

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
  void release() noexcept
  {
    if (!data_) return;
    if (space_ == Space::Cuda) device::deallocate(data_);
    else delete[] data_;
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
