/* Sums over the ranks of a few values on their devices, in a kernel for which no host waits (mailbox.hpp). */
#pragma once
#include "peer_exchange.hpp"

namespace goza::parallel
{

class DeviceSums {
public:
  /* Of so many values at most. Collective. why: on every rank, where they cannot be had, and then there are none. */
  static PetscErrorCode Create(MPI_Comm comm, PetscMPIInt tag, PetscInt most, std::shared_ptr<DeviceSums> *made, std::string *why);

  /* values[n] on the device become their sums over all ranks, on the current stream: of every rank that is known to be about to do the same. Errors are
     exceptions. */
  void sum(PetscScalar *values, PetscInt n) { exchange_.sum(most_, rank_, values, n); }
  /* The same, where nothing is known of the others, or in a recording; wanted: see sum_over_ranks(). */
  void sum_in_turn(PetscScalar *values, PetscInt n, const bool *wanted = nullptr) { exchange_.sum_in_turn(most_, rank_, values, n, wanted); }
  void give_up() { exchange_.give_up(); } // this rank has failed: who waits for it gets an error

private:
  DeviceSums(MPI_Comm comm, PetscMPIInt tag, PetscInt most, const PeerOptions &options);

  PetscMPIInt               rank_ = 0;
  PetscInt                  most_;
  HaloPlan                  plan_;
  PeerExchange<PetscScalar> exchange_;
};

} // namespace goza::parallel
