#include "device_sums.hpp"
#include "mpi_call.hpp"

namespace goza::parallel {

/* Every rank sends each of the others what it has. */
static HaloPlan from_each_to_each(MPI_Comm comm, PetscMPIInt tag, PetscMPIInt rank, PetscInt at_once)
{
  HaloPlan              plan;
  PetscMPIInt           size;
  std::vector<PetscInt> index;

  must_mpi(MPI_Comm_size(comm, &size), "MPI_Comm_size");
  plan.comm  = comm;
  plan.tag   = tag;
  plan.space = Space::Cuda;
  for (PetscMPIInt other = 0; other < size; other++) {
    if (other == rank) continue;
    plan.sends.push_back({other, plan.nghost, at_once});
    plan.nghost += at_once;
    for (PetscInt k = 0; k < at_once; k++) index.push_back(k);
  }
  plan.receives   = plan.sends;
  plan.nsend      = plan.nghost;
  plan.send_index = Array<PetscInt>(Space::Cuda, index.data(), index.size());
  return plan;
}

DeviceSums::DeviceSums(MPI_Comm comm, PetscMPIInt tag, PetscInt at_once, const PeerOptions &options) :
  rank_(rank_in(comm)), at_once_(at_once), plan_(from_each_to_each(comm, tag, rank_, at_once)), exchange_(plan_, options)
{
}

PetscErrorCode DeviceSums::Create(MPI_Comm comm, PetscMPIInt tag, PetscInt at_once, std::shared_ptr<DeviceSums> *made, std::string *why)
{
  std::shared_ptr<DeviceSums> sums;
  PeerOptions                 options;

  PetscFunctionBegin;
  PetscCall(GetPeerOptions(comm, tag, &options, why));
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Together(comm, "hold what it sums up", [&] { sums.reset(new DeviceSums(comm, tag, at_once, options)); }));
  PetscCall(sums->exchange_.setup(why));
  if (why->empty()) *made = std::move(sums);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::parallel
