/* The scalars of an iteration: a small struct that lives where the vectors are, so that kernels read and write it and the host does not stand between them. A kernel
   tells the host of it by a message in pinned memory, which the host reads without stopping what runs behind that kernel. */
#pragma once
#include "array.hpp"
#include <atomic>

namespace goza
{

namespace device
{

bool busy(); // something of the current stream is not done

} // namespace device

template <class T> struct ScalarMessage {
  T                 values;
  volatile unsigned count; // of messages that have come
};

/* What a kernel is given of them. */
template <class T> struct ScalarsView {
  T                *there   = nullptr;
  unsigned         *count   = nullptr;
  ScalarMessage<T> *message = nullptr; // none: nobody is told

  HD void tell() const
  {
#if defined(__CUDA_ARCH__)
    if (!message) return;
    message->values = *there;
    __threadfence_system();
    message->count = ++*count;
#endif
  }
};

template <class T> class Scalars {
public:
  Scalars() = default;
  explicit Scalars(Space space) : there_(space, 1)
  {
    if (space == Space::Host) return;
    count_ = Array<unsigned>(space, 1);
    count_.zero();
    message_ = static_cast<ScalarMessage<T> *>(device::allocate_pinned(sizeof(ScalarMessage<T>)));

    message_->count = 0;
  }
  Scalars(Scalars &&other) noexcept { swap(other); }
  Scalars &operator=(Scalars &&other) noexcept
  {
    swap(other);
    return *this;
  }
  ~Scalars() { device::deallocate_pinned(message_); }

  Space space() const { return there_.space(); }

  /* tells: the pass that is given this tells the host. */
  ScalarsView<T> view(bool tells = false) { return {there_.data(), count_.data(), tells ? message_ : nullptr}; }

  /* What the last pass that tells had to say. */
  T told()
  {
    if (space() == Space::Host) return *there_.data();
    expected_++;
    for (unsigned polls = 1; message_->count != expected_; polls++) {
      if (polls % 1024 == 0 && !device::busy() && message_->count != expected_) throw DeviceError("the device is done and has not told its scalars");
    }
    std::atomic_thread_fence(std::memory_order_acquire);
    return message_->values;
  }

  /* The present ones, when all that was launched is done. */
  T    get() const { return read_value(space(), there_.data()); }
  void set(const T &values)
  {
    if (space() == Space::Host) *there_.data() = values;
    else device::copy(there_.data(), &values, sizeof(T));
  }

  /* Passes that tell may have been launched and not been listened to. */
  void forget()
  {
    if (space() == Space::Host) return;
    device::synchronize();
    expected_ = message_->count;
  }

private:
  void swap(Scalars &other) noexcept
  {
    there_.swap(other.there_);
    count_.swap(other.count_);
    std::swap(message_, other.message_);
    std::swap(expected_, other.expected_);
  }

  Array<T>          there_;
  Array<unsigned>   count_;
  ScalarMessage<T> *message_  = nullptr;
  unsigned          expected_ = 0;
};

} // namespace goza
