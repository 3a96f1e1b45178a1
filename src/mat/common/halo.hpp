/* The exchange that brings a rank the entries of x that its off-diagonal block reads ("ghosts").

   begin() packs what other ranks need and posts the messages, end() waits until the ghosts are in ghost(); between the two the diagonal block
   is applied. Device data is packed on the device and staged through pinned host memory, so that any MPI will do. */
#pragma once
#include "core/array.hpp"
#include <petscsf.h>

namespace goza
{

template <class V> class Halo {
public:
  Halo() = default;
  ~Halo();
  Halo(const Halo &)            = delete;
  Halo &operator=(const Halo &) = delete;

  /* columns: the layout of x; ghosts: the global columns wanted, ascending (MPIAIJ's garray) */
  PetscErrorCode setup(MPI_Comm comm, PetscLayout columns, PetscInt nghost, const PetscInt *ghosts, Space space);
  PetscErrorCode begin(const V *x);
  PetscErrorCode end();
  const V       *ghost() const { return ghost_.data(); }
  std::size_t    bytes() const { return pack_.bytes() + ghost_.bytes() + send_index_.bytes(); }

private:
  struct Message {
    PetscMPIInt rank;
    PetscInt    begin, n; // in the packed buffer (sends) or in the ghosts (receives)
  };
  void release();

  MPI_Comm                 comm_ = MPI_COMM_NULL;
  PetscMPIInt              tag_  = 0;
  std::vector<Message>     sends_, receives_;
  std::vector<MPI_Request> requests_;
  Array<PetscInt>          send_index_;     // [nsend] local columns to pack
  Array<V>                 pack_, ghost_;   // in the space of x
  V                       *send_ = nullptr; // host side of the messages: pinned copies on the device, pack_ and ghost_ themselves on the host
  V                       *recv_ = nullptr;
};

} // namespace goza
