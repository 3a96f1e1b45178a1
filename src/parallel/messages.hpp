/* Who sends what to whom, so that every rank gets the columns of others that it reads. */
#pragma once
#include "exchange.hpp"

namespace goza::parallel
{

struct Messages {
  std::vector<HaloMessage> sends, receives; // by ascending rank
  std::vector<PetscInt>    send_index;      // local columns, message by message
};

/* ghosts: global columns, ascending. Collective; errors are exceptions (agree.hpp). */
Messages find_messages(MPI_Comm comm, PetscMPIInt tag, PetscLayout columns, PetscInt nghost, const PetscInt *ghosts);

} // namespace goza::parallel
