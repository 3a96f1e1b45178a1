/* Sums over the ranks of a few values on their devices, in a kernel for which no host waits (mailbox.hpp). */
#pragma once
#include "peer_exchange.hpp"

namespace goza::parallel {

class DeviceSums {
public:
  /* Of so many values in a kernel. Collective. why: on every rank, where they cannot be had, and then there are none. */
  static PetscErrorCode Create(MPI_Comm comm, PetscMPIInt tag, PetscInt at_once, std::shared_ptr<DeviceSums> *made, std::string *why);

  /* values[n] on the device become their sums over all ranks, on the current stream: of every rank that is known to be about to do the same. Errors are
     exceptions. */
  void sum(PetscScalar *values, PetscInt n)
  {
    for (PetscInt k = 0; k < n; k += at_once_) exchange_.sum(at_once_, rank_, values + k, std::min(at_once_, n - k));
  }
  /* The same of at most a kernel's values, where nothing is known of the others, or in a recording; wanted: see sum_over_ranks(). */
  void sum_in_turn(PetscScalar *values, PetscInt n, const bool *wanted = nullptr) { exchange_.sum_in_turn(at_once_, rank_, values, n, wanted); }
  void give_up() { exchange_.give_up(); } // this rank has failed: who waits for it gets an error

private:
  DeviceSums(MPI_Comm comm, PetscMPIInt tag, PetscInt at_once, const PeerOptions &options);

  PetscMPIInt               rank_ = 0;
  PetscInt                  at_once_;
  HaloPlan                  plan_;
  PeerExchange<PetscScalar> exchange_;
};

} // namespace goza::parallel
