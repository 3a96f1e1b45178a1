/* How far the hosts of a communicator's ranks are in launching exchanges, in host memory that all of them map.

   A kernel that polls for another rank's values must not depend on what that rank's host does next: this rank's host may be about to wait for its whole device,
   in a library that lets no message through, and the other's host for a message of this one. So whoever has launched an exchange gives control back to PETSc
   only when those whose values it waits for have launched theirs. From then on all that its kernel waits for is in the queues of devices; a kernel sends before
   it waits, and exchanges are launched in one order on all ranks: by induction over that order each ends, whatever hosts do. While a host waits here messages
   go on. */
#pragma once
#include "core/device/mailbox.hpp"
#include "shared_window.hpp"
#include <memory>
#include <string>
#include <vector>

namespace goza::parallel {

class Launches {
public:
  /* Collective. why: on every rank, where the memory cannot be had. */
  static PetscErrorCode Create(MPI_Comm comm, std::shared_ptr<Launches> *made, std::string *why);

  /* This rank has launched n more: the number of the last. All ranks count all exchanges of the communicator. */
  std::uint64_t add(std::uint64_t n = 1);
  /* The same, but it has not, or with values of no meaning: who waits for that number gets an error. */
  std::uint64_t add_failed(std::uint64_t n = 1);
  /* No exchange of this rank's can be relied on until align(). */
  void break_off();

  /* Until these ranks (without a list: all) have come as far. Throws DeviceError where one has failed, or does not come within so many seconds. */
  void wait(std::uint64_t number, double timeout, const std::vector<PetscMPIInt> *ranks = nullptr) const;

  /* Collective, when nobody waits: errors are forgotten, and numbers, which differ after an error, the same again. */
  PetscErrorCode align();

private:
  struct Slot;
  Launches(MPI_Comm comm, PetscMPIInt rank, PetscMPIInt size, SharedWindow window);
  void wait_for(PetscMPIInt rank, std::uint64_t number, double until) const;

  MPI_Comm     comm_;
  PetscMPIInt  rank_, size_;
  SharedWindow window_;
  Slot        *slots_; // [size_]
};

/* The exchanges in a recording (device.hpp): they are launched with it, each time. */
class RecordedExchanges {
public:
  /* launch() launches the recording. Throws what it throws, and where a rank that takes part has failed or an exchange was late. */
  template <class Launch> void launch(const Launch &launch)
  {
    try {
      for (const auto &flag : flags_) flag->check();
      launch();
    } catch (...) {
      for (const Count &c : counts_) (void)c.launches->add_failed(c.n);
      throw;
    }
    wait();
  }
  void clear();
  void break_off();                                                                                            // the recording was not made
  void note(const std::shared_ptr<Launches> &launches, const std::shared_ptr<LateFlag> &flag, double timeout); // one more

  static inline RecordedExchanges *now = nullptr; // of the recording that is being made

private:
  struct Count {
    std::shared_ptr<Launches> launches;
    std::uint64_t             n, number; // of exchanges in the recording; of the last, when it was launched
  };
  void wait();

  std::vector<Count>                     counts_;
  std::vector<std::shared_ptr<LateFlag>> flags_; // null: of a rank without neighbours
  double                                 timeout_ = 0;
};

/* While it lives exchanges are noted, and not launched one by one. */
class NotedIn {
public:
  explicit NotedIn(RecordedExchanges *where) { RecordedExchanges::now = where; }
  ~NotedIn() { RecordedExchanges::now = nullptr; }
  NotedIn(const NotedIn &)            = delete;
  NotedIn &operator=(const NotedIn &) = delete;
};

} // namespace goza::parallel
