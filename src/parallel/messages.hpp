/* Who sends what to whom, so that every rank gets the columns of others that it reads. */
#pragma once
#include "exchange.hpp"

namespace goza::parallel {

struct Messages {
  std::vector<HaloMessage> sends, receives; // by ascending rank
  std::vector<PetscInt>    send_index;      // local columns, message by message
};

/* Messages of `to` lie in out, those of `from` are to come to in; items are of so many bytes. Collective; errors are exceptions (agree.hpp). */
void trade(MPI_Comm comm, PetscMPIInt tag, MPI_Datatype type, std::size_t item, const std::vector<HaloMessage> &to, const void *out,
           const std::vector<HaloMessage> &from, void *in);

/* ghosts: global columns, ascending. Collective; errors are exceptions. */
Messages find_messages(MPI_Comm comm, PetscMPIInt tag, PetscLayout columns, PetscInt nghost, const PetscInt *ghosts);

} // namespace goza::parallel
