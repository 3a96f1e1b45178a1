/* Device memory that the ranks of a group lend to their leader, where it lies: somebody's allocations, as PETSc makes them for vectors (CUDA IPC). Contexts of
   processes take turns at a device, so that what one rank reads and writes for all costs less than a copy of each.

   A rank tells its allocations in a table in memory in common; the leader opens each once, and closes it when the rank has seen that it is freed, or needs its
   line. */
#pragma once
#include "core/device/shared_memory.hpp"
#include "shared_window.hpp"
#include <memory>
#include <vector>

namespace goza::parallel {

/* Where something begins: the leader's own memory, or in the allocation that a line of the lender's table had when this was told. */
struct Lent {
  std::uint64_t allocation, offset; // its number; allocation 0: an address of the leader's
  std::uint32_t line;

  bool operator==(const Lent &other) const { return allocation == other.allocation && offset == other.offset && line == other.line; }
};

class LentMemory {
public:
  LentMemory() = default;
  LentMemory(MPI_Comm ranks, int rank, int size); // collective among ranks of one host, of which 0 leads

  bool  lend(const void *p, Lent *lent);                       // p: null too; false where others cannot open it
  bool  has_lent() { return std::exchange(has_lent_, false); } // to another rank, since this was asked last
  char *open(int rank, const Lent &lent);                      // on the leader: what that rank has lent

private:
  static constexpr std::uint32_t lines     = 16; // a task takes three at the most
  static constexpr std::uint32_t rare_look = 8;  // at one of them, whether it is freed: each so many times

  struct Line {
    device::Allocation allocation; // of the lender's; id 0: none
    SharedBlock::Name  name;
  };
  struct Table {
    alignas(64) std::atomic<std::uint32_t> changes; // of its lines
    Line line[lines];
  };
  struct Close {
    void operator()(char *base) const { device::close_allocation(base); }
  };
  struct Opened {
    std::uint64_t                allocation = 0;
    std::unique_ptr<char, Close> base;
  };

  Table        &table(int rank) const { return window_.at<Table>()[rank]; }
  std::uint32_t find_line(const device::Allocation &allocation);
  void          forget_if_freed(Line &line);

  SharedWindow               window_; // a table of each rank
  int                        rank_ = 0;
  std::vector<std::uint32_t> used_; // when this rank's lines were, last
  std::uint32_t              clock_    = 0;
  bool                       has_lent_ = false;
  std::vector<Opened>        opened_;       // the leader's: [ranks][lines]
  std::vector<std::uint32_t> seen_changes_; // [ranks]
};

} // namespace goza::parallel
