#include "launches.hpp"
#include "agree.hpp"
#include <sched.h>

namespace goza::parallel {

/* A cache line each, written by its rank alone. */
struct alignas(64) Launches::Slot {
  std::atomic<std::uint64_t> launched, failed; // numbers of the last exchange; failed: of the last that was none
};

static constexpr std::uint64_t for_good = ~std::uint64_t(0);

static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "processes share it");

Launches::Launches(MPI_Comm comm, PetscMPIInt rank, PetscMPIInt size, SharedWindow window) :
  comm_(comm), rank_(rank), size_(size), window_(std::move(window)), slots_(window_.at<Slot>())
{
}

PetscErrorCode Launches::Create(MPI_Comm comm, std::shared_ptr<Launches> *made, std::string *why)
{
  std::shared_ptr<Launches> launches;

  PetscFunctionBegin;
  const PetscMPIInt rank = rank_in(comm), size = ranks_of(comm);
  try {
    SharedWindow window(comm, size * sizeof(Slot));

    launches.reset(new Launches(comm, rank, size, std::move(window)));
  } catch (const FailedElsewhere &) { // that rank says why
  } catch (const std::exception &e) {
    SetReason(why, e.what());
  }
  PetscCall(AgreeOnReason(comm, why));
  if (why->empty()) *made = std::move(launches);
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::uint64_t Launches::add(std::uint64_t n)
{
  std::atomic<std::uint64_t> &launched = slots_[rank_].launched;
  const std::uint64_t         number   = launched.load(std::memory_order_relaxed) + n;

  launched.store(number, std::memory_order_release);
  return number;
}

std::uint64_t Launches::add_failed(std::uint64_t n)
{
  std::atomic<std::uint64_t> &failed = slots_[rank_].failed;
  const std::uint64_t         number = slots_[rank_].launched.load(std::memory_order_relaxed) + n;

  if (failed.load(std::memory_order_relaxed) != for_good) failed.store(number, std::memory_order_relaxed);
  return add(n); // after it: who sees this number sees that it has failed
}

void Launches::break_off() { slots_[rank_].failed.store(for_good, std::memory_order_release); }

void Launches::wait_for(PetscMPIInt rank, std::uint64_t number, double until) const
{
  const Slot &slot = slots_[rank];

  for (unsigned looks = 1; slot.launched.load(std::memory_order_acquire) < number; looks++) {
    if (slot.failed.load(std::memory_order_acquire) == for_good) break;
    if (looks % 256) continue;
    int there = 0;

    (void)MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &there, MPI_STATUS_IGNORE); // finds nothing: MPI goes on with what others wait for
    (void)sched_yield();
    if (MPI_Wtime() > until)
      throw DeviceError("rank " + std::to_string(WorldRank(comm_, rank)) +
                        " did not come to an exchange in time (-goza_halo_timeout seconds): it has failed, or is late");
  }
  if (slot.failed.load(std::memory_order_acquire) >= number)
    throw DeviceError("rank " + std::to_string(WorldRank(comm_, rank)) + " has failed, and could not send its values");
}

void Launches::wait(std::uint64_t number, double timeout, const std::vector<PetscMPIInt> *ranks) const
{
  const double until = MPI_Wtime() + timeout;

  if (ranks)
    for (PetscMPIInt rank : *ranks) wait_for(rank, number, until);
  else
    for (PetscMPIInt rank = 0; rank < size_; rank++)
      if (rank != rank_) wait_for(rank, number, until);
}

PetscErrorCode Launches::align()
{
  std::uint64_t mine, last;

  PetscFunctionBegin;
  mine = slots_[rank_].launched.load();
  PetscCallMPI(MPI_Allreduce(&mine, &last, 1, MPI_UINT64_T, MPI_MAX, comm_));
  slots_[rank_].failed.store(0);
  slots_[rank_].launched.store(last);
  PetscCallMPI(MPI_Barrier(comm_)); // nobody waits for a number that another is about to have
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RecordedExchanges::note(const std::shared_ptr<Launches> &launches, const std::shared_ptr<LateFlag> &flag, double timeout)
{
  std::size_t c = 0;

  while (c < counts_.size() && counts_[c].launches != launches) c++;
  if (c == counts_.size()) counts_.push_back({launches, 0, 0});
  counts_[c].n++;
  timeout_ = timeout;
  if (flag && std::find(flags_.begin(), flags_.end(), flag) == flags_.end()) flags_.push_back(flag);
}

void RecordedExchanges::clear()
{
  counts_.clear();
  flags_.clear();
}

void RecordedExchanges::break_off()
{
  for (const Count &c : counts_) c.launches->break_off();
}

void RecordedExchanges::wait()
{
  for (Count &c : counts_) c.number = c.launches->add(c.n);
  try {
    for (const Count &c : counts_) c.launches->wait(c.number, timeout_);
  } catch (...) { // the device must not wait either
    for (const auto &flag : flags_) flag->raise();
    break_off();
    throw;
  }
}

} // namespace goza::parallel
