/* Host memory that several ranks of one host have in common, and how one of them waits for another in it. */
#pragma once
#include "core/device/space.hpp"
#include "petsc/compat.hpp"
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace goza::parallel {

/* Zero at first. */
class SharedWindow {
public:
  SharedWindow() = default;
  SharedWindow(MPI_Comm ranks, std::size_t bytes); // collective on ranks of one host; an exception on one is one on all
  SharedWindow(SharedWindow &&other) noexcept { swap(other); }
  SharedWindow &operator=(SharedWindow &&other) noexcept
  {
    swap(other);
    return *this;
  }
  ~SharedWindow();

  std::size_t bytes() const { return bytes_; }
  // for a rank whose device copies from it or to it again and again; that takes as long as a copy or two, and more where it has not been written yet
  void pin();

  template <class T> T *at(std::size_t byte = 0) const { return reinterpret_cast<T *>(data_ + byte); }

private:
  void swap(SharedWindow &other) noexcept
  {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(pinned_, other.pinned_);
  }

  char       *data_   = nullptr;
  std::size_t bytes_  = 0;
  bool        pinned_ = false;
};

/* The same where errors are PETSc's, of one class on all ranks, as FailTogether() makes them. Another window that *made was is let go first. */
PetscErrorCode CreateSharedWindow(MPI_Comm ranks, std::size_t bytes, SharedWindow *made);

/* A number in a window that ranks count up and others wait for. Who waits sleeps; now and then it wakes and lets MPI go on, since what it waits for may wait
   for a message of its own. */
class SharedCount {
public:
  std::uint32_t now() const { return count_.load(); }
  void          add();                                                                          // and whoever waits looks
  void          wait_for(std::uint32_t wanted, std::chrono::microseconds awake, MPI_Comm comm); // awake for so long, then asleep; comm: of which messages go on

private:
  std::atomic<std::uint32_t> count_, asleep_; // one who counts sees who sleeps, or is seen by it
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free, "it works between processes");

} // namespace goza::parallel
