/* What the sums of passes over vectors, and of products with dot products, need on the device: made once, so that nothing is allocated between the kernels of
   an iteration. */
#pragma once
#include "core/device/array.hpp"

namespace goza {

class FusedSums {
public:
  static constexpr int most_dots = 8, threads = 256, each = 4;

  FusedSums() = default;
  explicit FusedSums(Space space) : left_(space, 2)
  {
    if (space == Space::Host) return;
    most_blocks_ = 8 * device::multiprocessors();
    part_        = Array<PetscScalar>(space, static_cast<std::size_t>(most_blocks_) * most_dots);
    done_        = Array<unsigned>(space, 1);
    done_.zero();
  }

  Space        space() const { return left_.space(); }
  PetscScalar *part() { return part_.data(); } // [blocks][dots]
  unsigned    *done() { return done_.data(); } // blocks that are through; 0 between passes
  unsigned     blocks(PetscInt n) const
  {
    const std::int64_t wanted = (static_cast<std::int64_t>(n) + threads * each - 1) / (threads * each);

    return static_cast<unsigned>(wanted < 1 ? 1 : wanted < most_blocks_ ? wanted : most_blocks_);
  }

  /* Room for two sums each of n parts of a product (WithDots), until the next asks for its own; 0: there are none. Only a larger number than ever before
     allocates, and never one part, as all there is on several ranks: one of them alone may not fail in the midst of an iteration. */
  PetscScalar *leave(std::size_t n)
  {
    if (left_.size() < 2 * n) left_.resize(2 * n);
    nleft_ = n;
    return left_.data();
  }
  const PetscScalar *left() const { return left_.data(); }
  PetscInt           nleft() const { return static_cast<PetscInt>(nleft_); }

private:
  Array<PetscScalar> part_, left_;
  Array<unsigned>    done_;
  std::size_t        nleft_       = 0;
  int                most_blocks_ = 1;
};

} // namespace goza
