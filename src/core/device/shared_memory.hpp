/* Device memory of one process that others of the same host write into (CUDA IPC). */
#pragma once
#include "device.hpp"
#include <cstdint>

namespace goza {

/* A piece of this process's shared memory: zero when the constructor returns, and given back when what is now on both streams is done. Pieces come
   from large allocations, since each allocation has to be opened by every neighbour. */
class SharedBlock {
public:
  explicit SharedBlock(std::size_t bytes);
  ~SharedBlock();
  SharedBlock(const SharedBlock &)            = delete;
  SharedBlock &operator=(const SharedBlock &) = delete;

  char       *data() const { return data_; }
  std::size_t bytes() const { return bytes_; } // as many as were taken: a power of two

  /* What another process needs to see it: plain bytes. */
  struct Name {
    char          handle[64];
    std::uint64_t offset;
  };
  Name name() const;

private:
  char       *data_  = nullptr;
  std::size_t bytes_ = 0, chunk_ = 0;
};

namespace device {

bool  can_share(std::string *why);                // this device and driver have what is needed
char *open_shared(const SharedBlock::Name &name); // another process's block here; a DeviceError where it cannot be
void  close_shared();                             // everything opened and everything offered, when no exchange is left

/* Whoever's device memory of this process, as others may open it. */
struct Allocation {
  char         *base = nullptr;
  std::uint64_t id   = 0; // no other one of this process has had it

  bool operator==(const Allocation &other) const { return base == other.base && id == other.id; }
};
bool              find_allocation(const void *p, Allocation *found); // that p lies in; false where others cannot open it, as memory of a pool
SharedBlock::Name name_of(const Allocation &allocation);
char *open_allocation(const SharedBlock::Name &name); // another process's here, until close_allocation(): where its owner frees it meanwhile, its memory stays
void  close_allocation(char *base) noexcept;

} // namespace device
} // namespace goza
