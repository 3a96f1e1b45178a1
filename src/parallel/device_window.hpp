/* Device memory of a group's leader that the other ranks of the group have opened: what they write there needs no way through the host. */
#pragma once
#include "rank_group.hpp"

namespace goza::parallel {

class DeviceWindow {
public:
  // collective in the group, whose members can open device memory; an error of one is one of all
  PetscErrorCode create(const RankGroup &group, std::size_t bytes);
  void           reset();

  template <class T> T *at(std::size_t byte = 0) const { return reinterpret_cast<T *>(data_ + byte); }
  explicit              operator bool() const { return data_; }

private:
  std::unique_ptr<SharedBlock> block_; // the leader's
  char                        *data_ = nullptr;
};

} // namespace goza::parallel
