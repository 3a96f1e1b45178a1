/* The place of an offset among some without a branch, on a host: where rows are not alike, most of a search's branches would be foreseen wrongly. */
#pragma once
#include "core/util/hash.hpp"
#include <petscsystypes.h>
#include <vector>

namespace goza::mat {

/* Each offset has a slot of its own: factors are tried until that is so. */
class OffsetTable {
public:
  explicit OffsetTable(const std::vector<PetscInt> &offset) : none_(static_cast<PetscInt>(offset.size()))
  {
    int bits = 4;

    while ((std::size_t(1) << bits) < 4 * offset.size()) bits++;
    for (int tries = 0; !fill(offset, bits + tries / 16); tries++) factor_ = factor_ * splitmix_1 + 2;
  }

  /* As many as there are offsets: it is none of them. */
  PetscInt find(PetscInt offset) const
  {
    const Slot &slot = slot_[slot_of(offset)];

    return slot.offset == offset ? slot.place : none_;
  }

  bool has(PetscInt offset) const { return find(offset) != none_; }

  std::size_t slots() const { return slot_.size(); }
  std::size_t slot_of(PetscInt offset) const { return static_cast<std::size_t>(static_cast<std::uint64_t>(offset) * factor_ >> shift_); }

private:
  struct Slot {
    PetscInt offset, place;
  };

  bool fill(const std::vector<PetscInt> &offset, int bits)
  {
    shift_ = 64 - bits;
    slot_.assign(std::size_t(1) << bits, Slot{0, none_});
    for (PetscInt k = 0; k < none_; k++) {
      Slot &slot = slot_[slot_of(offset[k])];

      if (slot.place != none_) return false;
      slot = {offset[k], k};
    }
    return true;
  }

  PetscInt          none_;
  std::uint64_t     factor_ = golden_64;
  int               shift_  = 0;
  std::vector<Slot> slot_;
};

} // namespace goza::mat
