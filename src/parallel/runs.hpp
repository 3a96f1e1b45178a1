/* Runs of items between ranks, in a set-up: whatever is wanted of the neighbours, once. Errors are exceptions (agree.hpp). */
#pragma once
#include "exchange.hpp"
#include "team.hpp"

namespace goza::parallel {

/* How they travel: through the host's memory with any MPI, or, where -goza_halo lets ranks write into one another's memory, from device to device. Then a rank
   lays what it sends into memory that the others have opened, tells them where, and they copy it. */
struct RunRoute {
  MPI_Comm                  comm  = MPI_COMM_NULL;
  PetscMPIInt               tag   = 0; // no other route of the communicator has it
  Space                     space = Space::Host;
  std::shared_ptr<HaloTeam> team; // null: through the host's memory
};

RunRoute find_route(MPI_Comm comm, Space space); // collective

/* Messages of `to` lie in out, those of `from` are to come to in, both in the route's space; items are of so many bytes. Collective. */
void send_runs(const RunRoute &route, MPI_Datatype type, std::size_t item, const std::vector<HaloMessage> &to, const void *out,
               const std::vector<HaloMessage> &from, void *in);

} // namespace goza::parallel
