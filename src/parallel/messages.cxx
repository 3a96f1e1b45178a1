#include "messages.hpp"
#include "agree.hpp"
#include "mpi_call.hpp"

namespace goza::parallel {

void trade(MPI_Comm comm, PetscMPIInt tag, MPI_Datatype type, std::size_t item, const std::vector<HaloMessage> &to, const void *out,
           const std::vector<HaloMessage> &from, void *in)
{
  std::vector<MPI_Request> requests(from.size() + to.size(), MPI_REQUEST_NULL);
  MPI_Request             *next = requests.data();

  AgreeNoFailure(comm);
  for (const HaloMessage &m : from) must_mpi(MPI_Irecv(static_cast<char *>(in) + m.begin * item, mpi_count(m.n), type, m.rank, tag, comm, next++), "MPI_Irecv");
  for (const HaloMessage &m : to)
    must_mpi(MPI_Isend(static_cast<const char *>(out) + m.begin * item, mpi_count(m.n), type, m.rank, tag, comm, next++), "MPI_Isend");
  must_mpi(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
}

Messages find_messages(MPI_Comm comm, PetscMPIInt tag, PetscLayout columns, PetscInt nghost, const PetscInt *ghosts)
{
  const PetscMPIInt        size  = columns->size;
  const PetscInt          *range = columns->range;
  std::vector<PetscMPIInt> want(size, 0), wanted(size, 0);
  Messages                 found;
  PetscMPIInt              owner = 0;
  PetscInt                 total = 0;

  for (PetscInt g = 0; g < nghost; g++) { // ranks own ascending ranges: a rank's ghosts lie together, and land where they are read
    while (ghosts[g] >= range[owner + 1]) owner++;
    if (ghosts[g] < range[owner]) throw std::logic_error("ghost columns are not ascending");
    if (found.receives.empty() || found.receives.back().rank != owner) found.receives.push_back({owner, g, 0});
    found.receives.back().n++;
  }
  for (const HaloMessage &m : found.receives) want[m.rank] = mpi_count(m.n);
  AgreeNoFailure(comm);
  must_mpi(MPI_Alltoall(want.data(), 1, MPI_INT, wanted.data(), 1, MPI_INT, comm), "MPI_Alltoall");
  for (PetscMPIInt r = 0; r < size; r++) {
    if (wanted[r]) found.sends.push_back({r, total, wanted[r]});
    total += wanted[r];
  }
  found.send_index.resize(total);
  trade(comm, tag, MPIU_INT, sizeof(PetscInt), found.receives, ghosts, found.sends, found.send_index.data());
  for (PetscInt &i : found.send_index) i -= columns->rstart;
  return found;
}

} // namespace goza::parallel
