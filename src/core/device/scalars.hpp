/* The scalars of an iteration: a small struct that lives where the vectors are, so that kernels read and write it and the host does not stand between them. A
   kernel tells the host of it by a message in pinned memory, which the host reads without stopping what runs behind that kernel. */
#pragma once
#include "array.hpp"
#include <atomic>
#include <memory>

namespace goza {
namespace device {

bool busy(); // something of the current stream is not done

} // namespace device

/* Of allocate_pinned(). */
struct FreePinned {
  void operator()(void *p) const { device::deallocate_pinned(p); }
};
template <class T> using Pinned = std::unique_ptr<T, FreePinned>;

constexpr unsigned messages_kept = 64; // a power of two: so far the device may be ahead of the host

template <class T> struct ScalarMessage {
  T                 values;
  volatile unsigned number; // counted from the first message on
};

/* What a kernel is given of them. */
template <class T> struct ScalarsView {
  T                *there    = nullptr;
  unsigned         *told     = nullptr; // the number of the last message
  ScalarMessage<T> *messages = nullptr; // none: nobody is told

  HD void tell() const
  {
#if defined(__CUDA_ARCH__)
    if (!messages) return;
    const unsigned    number  = ++*told;
    ScalarMessage<T> &message = messages[number % messages_kept];

    message.values = *there;
    __threadfence_system();
    message.number = number;
#endif
  }
};

template <class T> class Scalars {
public:
  Scalars() = default;
  explicit Scalars(Space space) : there_(space, 1)
  {
    if (space == Space::Host) return;
    told_ = Array<unsigned>(space, 1);
    messages_.reset(static_cast<ScalarMessage<T> *>(device::allocate_pinned(messages_kept * sizeof(ScalarMessage<T>))));
    for (unsigned k = 0; k < messages_kept; k++) messages_[k].number = 0;
  }

  Space space() const { return there_.space(); }

  /* tells: the pass that is given this tells the host. */
  ScalarsView<T> view(bool tells = false) { return {there_.data(), told_.data(), tells ? messages_.get() : nullptr}; }

  /* What the next message says: that of the earliest pass which tells and has not been listened to. */
  T told()
  {
    if (space() == Space::Host) return *there_.data();
    const ScalarMessage<T> &message = messages_[++expected_ % messages_kept];

    for (unsigned polls = 1; message.number != expected_; polls++)
      if (polls % 1024 == 0 && !device::busy() && message.number != expected_) throw DeviceError("the device is done and has not told its scalars");
    std::atomic_thread_fence(std::memory_order_acquire);
    return message.values;
  }

  /* The present ones, when all that was launched is done. */
  T get() const { return read_value(space(), there_.data()); }
  /* From now on; nothing waits for that. */
  void                    set(const T &values) { put(there_.data(), values); }
  template <class M> void set(M T::*member, const M &value) { put(&(there_.data()->*member), value); }

  /* Passes that tell may have been launched and not been listened to: those to come count from a number that none of them has. */
  void forget()
  {
    if (space() == Space::Host) return;
    expected_ += 2 * messages_kept;
    put(told_.data(), expected_);
  }

private:
  template <class M> void put(M *there, const M &value)
  {
    if (space() == Space::Host) *there = value;
    else device::copy_async(there, &value, sizeof(M));
  }

  Array<T>                   there_;
  Array<unsigned>            told_;
  Pinned<ScalarMessage<T>[]> messages_;
  unsigned                   expected_ = 0;
};

} // namespace goza
