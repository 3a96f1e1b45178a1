#include "lent_memory.hpp"

namespace goza::parallel {

LentMemory::LentMemory(MPI_Comm ranks, int rank, int size) : window_(ranks, size * sizeof(Table)), rank_(rank)
{
  used_.resize(lines);
  if (rank) return;
  opened_.resize(static_cast<std::size_t>(size) * lines);
  seen_changes_.resize(size);
}

/* --- the lender */

void LentMemory::forget_if_freed(Line &line)
{
  device::Allocation there;

  if (!line.allocation.id || (device::find_allocation(line.allocation.base, &there) && there == line.allocation)) return;
  line.allocation = {};
  table(rank_).changes.fetch_add(1, std::memory_order_release);
}

/* Of an allocation; a new one takes a line that is free, or that of the one used longest ago. */
std::uint32_t LentMemory::find_line(const device::Allocation &allocation)
{
  Table &mine = table(rank_);

  for (std::uint32_t k = 0; k < lines; k++)
    if (mine.line[k].allocation == allocation) return k;
  const SharedBlock::Name name = device::name_of(allocation);
  for (Line &line : mine.line) forget_if_freed(line);
  const auto older = [&](std::uint32_t a, std::uint32_t b) {
    const bool taken[2] = {mine.line[a].allocation.id != 0, mine.line[b].allocation.id != 0};

    return taken[0] != taken[1] ? !taken[0] : clock_ - used_[a] > clock_ - used_[b];
  };
  std::uint32_t best = 0;
  for (std::uint32_t k = 1; k < lines; k++)
    if (older(k, best)) best = k;
  mine.line[best] = {allocation, name};
  mine.changes.fetch_add(1, std::memory_order_release);
  return best;
}

bool LentMemory::lend(const void *p, Lent *lent)
{
  device::Allocation allocation;

  *lent = {0, reinterpret_cast<std::uint64_t>(p), 0};
  if (!rank_ || !p) return true;
  if (!device::find_allocation(p, &allocation)) return false;
  if (clock_ % rare_look == 0) forget_if_freed(table(rank_).line[clock_ / rare_look % lines]);
  const std::uint32_t line = find_line(allocation);
  used_[line]              = ++clock_;
  has_lent_                = true;
  *lent                    = {allocation.id, static_cast<std::uint64_t>(static_cast<const char *>(p) - allocation.base), line};
  return true;
}

/* --- the leader */

char *LentMemory::open(int rank, const Lent &lent)
{
  if (!lent.allocation) return reinterpret_cast<char *>(lent.offset);
  const Table        &theirs  = table(rank);
  const std::uint32_t changes = theirs.changes.load(std::memory_order_acquire);
  Opened             *opened  = &opened_[static_cast<std::size_t>(rank) * lines];

  if (changes != seen_changes_[rank]) {
    for (std::uint32_t k = 0; k < lines; k++)
      if (opened[k].allocation != theirs.line[k].allocation.id) opened[k] = {};
    seen_changes_[rank] = changes;
  }
  Opened &wanted = opened[lent.line];
  if (!wanted.allocation) {
    wanted.base.reset(device::open_allocation(theirs.line[lent.line].name));
    wanted.allocation = lent.allocation;
  }
  return wanted.base.get() + lent.offset;
}

} // namespace goza::parallel
