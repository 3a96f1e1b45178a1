#include "halo.hpp"
#include "compat.hpp"
#include "errors.hpp"
#include "gather.hpp"

namespace goza
{

template <class V> void Halo<V>::release()
{
  if (ghost_.space() == Space::Cuda) {
    device::deallocate_pinned(send_);
    device::deallocate_pinned(recv_);
  }
  send_ = recv_ = nullptr;
  sends_.clear();
  receives_.clear();
}

template <class V> Halo<V>::~Halo()
{
  release();
}

template <class V> PetscErrorCode Halo<V>::setup(MPI_Comm comm, PetscLayout columns, PetscInt nghost, const PetscInt *ghosts, Space space)
{
  PetscSF            sf;
  GozaRankCount      n;
  const PetscMPIInt *ranks;
  const PetscInt    *offset, *index, *remote;
  PetscInt           nsend = 0;

  PetscFunctionBegin;
  release();
  comm_ = comm;
  PetscCall(PetscSFCreate(comm, &sf));
  PetscCall(PetscObjectGetNewTag((PetscObject)sf, &tag_));
  PetscCall(PetscSFSetGraphLayout(sf, columns, nghost, NULL, PETSC_COPY_VALUES, ghosts));
  PetscCall(PetscSFSetUp(sf));
  PetscCall(PetscSFGetRootRanks(sf, &n, &ranks, &offset, &index, &remote));
  for (GozaRankCount r = 0; r < n; r++) {
    const PetscInt count = offset[r + 1] - offset[r];

    if (!count) continue;
    /* ghosts ascend globally and ranks own ascending ranges, so each rank's ghosts are contiguous and land where they are read */
    PetscCheck(index[offset[r + 1] - 1] - index[offset[r]] == count - 1, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Ghost columns are not ascending");
    PetscCallCXX(receives_.push_back({ranks[r], index[offset[r]], count}));
  }
  PetscCall(PetscSFGetLeafRanks(sf, &n, &ranks, &offset, &index));
  for (GozaRankCount r = 0; r < n; r++) {
    if (offset[r + 1] > offset[r]) PetscCallCXX(sends_.push_back({ranks[r], offset[r], offset[r + 1] - offset[r]}));
  }
  nsend = n ? offset[n] : 0;
  PetscCall(Guarded([&] {
    send_index_ = Array<PetscInt>(space, index, nsend);
    pack_       = Array<V>(space, nsend);
    ghost_      = Array<V>(space, nghost);
    send_       = pack_.data();
    recv_       = ghost_.data();
    if (space == Space::Cuda) {
      send_ = static_cast<V *>(device::allocate_pinned(nsend * sizeof(V)));
      recv_ = static_cast<V *>(device::allocate_pinned(nghost * sizeof(V)));
    }
    requests_.resize(sends_.size() + receives_.size());
  }));
  PetscCall(PetscSFDestroy(&sf));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class V> PetscErrorCode Halo<V>::begin(const V *x)
{
  std::size_t request = 0;

  PetscFunctionBegin;
  for (const Message &m : receives_)
    PetscCallMPI(MPI_Irecv(recv_ + m.begin, static_cast<PetscMPIInt>(m.n * sizeof(V)), MPI_BYTE, m.rank, tag_, comm_, &requests_[request++]));
  PetscCall(Guarded([&] {
    gather(pack_.space(), static_cast<PetscInt>(pack_.size()), send_index_.data(), x, pack_.data());
    if (pack_.space() == Space::Cuda && pack_.size()) {
      device::copy_async(send_, pack_.data(), pack_.bytes());
      device::synchronize();
    }
  }));
  for (const Message &m : sends_)
    PetscCallMPI(MPI_Isend(send_ + m.begin, static_cast<PetscMPIInt>(m.n * sizeof(V)), MPI_BYTE, m.rank, tag_, comm_, &requests_[request++]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class V> PetscErrorCode Halo<V>::end()
{
  PetscFunctionBegin;
  PetscCallMPI(MPI_Waitall(static_cast<PetscMPIInt>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE));
  if (ghost_.space() == Space::Cuda) PetscCall(Guarded([&] { device::copy_async(ghost_.data(), recv_, ghost_.bytes()); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template class Halo<PetscScalar>;
#if !PetscDefined(USE_REAL_SINGLE)
template class Halo<float>;
#endif

} // namespace goza
