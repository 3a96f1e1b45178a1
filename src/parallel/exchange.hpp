/* One kind of exchange of the values that other ranks need. The list of kinds is in exchange.cxx. */
#pragma once
#include "core/device/array.hpp"
#include "core/util/scalar_types.hpp"
#include <memory>
#include <petscis.h>

namespace goza::parallel {

struct HaloMessage {
  PetscMPIInt rank;
  PetscInt    begin, n; // in the packed values (sends) or in the ghosts (receives)
};

/* Who sends what to whom: made once by Halo, kept while it lives. */
struct HaloPlan {
  MPI_Comm                 comm  = MPI_COMM_NULL;
  PetscMPIInt              tag   = 0; // no other halo of the communicator has it
  Space                    space = Space::Host;
  std::vector<HaloMessage> sends, receives;
  PetscInt                 nsend = 0, nghost = 0;
  Array<PetscInt>          send_index; // [nsend] local columns, in `space`
};

template <class T> MPI_Datatype MpiType()
{
  const bool wide = sizeof(RealOf<T>) == sizeof(double);

  if (std::is_unsigned_v<T>) return wide ? MPI_UINT64_T : MPI_UINT32_T;
  if (std::is_integral_v<T>) return wide ? MPI_INT64_T : MPI_INT;
  if (!std::is_same_v<RealOf<T>, T>) return wide ? MPI_C_DOUBLE_COMPLEX : MPI_C_FLOAT_COMPLEX;
  return wide ? MPI_DOUBLE : MPI_FLOAT;
}

/* V is the type of the vectors. begin() may return before anything is sent, end() before anything has come: on the device both are ordered on the
   current stream, and what reads ghost() after end() on that stream finds the values. x must stay as it is between the two. A rank that has failed calls both
   without x: its neighbours then get an error, and the next exchange works. The same where begin() fails; then end() is not to be called. */
template <class V> class Exchange {
public:
  virtual ~Exchange() = default;

  virtual PetscErrorCode begin(const V *x) = 0;
  virtual PetscErrorCode end()             = 0;
  virtual const V       *ghost() const     = 0; // [nghost], in the plan's space, until the next begin()
  virtual std::size_t    bytes() const     = 0;
  // this rank has failed somewhere, and takes part in nothing more: who waits for it gets an error, where the kind of exchange allows it
  virtual void break_off() { }
  virtual bool recordable() const { return false; } // begin() and end() are kernels and no more (begin_recording()), and ghost() is always the same
};

/* create(): collective. Where this kind is not to be had, `why` is a sentence on every rank and nothing is made. An error may be one rank's own. */
template <class V> struct ExchangeKind {
  const char *name;
  PetscErrorCode (*create)(const HaloPlan &plan, std::unique_ptr<Exchange<V>> *exchange, std::string *why);
};

enum { HALO_AUTO, HALO_NCCL, HALO_PEER, HALO_HOST, HALO_KINDS };
extern const char *const                  halo_names[HALO_KINDS];
template <class V> const ExchangeKind<V> &exchange_kind(int which);            // not HALO_AUTO
PetscErrorCode                            GetHaloWish(int *which);             // -goza_halo
constexpr PetscReal                       halo_timeout = 300;                  // seconds
PetscErrorCode                            CheckHaloTimeout(PetscReal seconds); // an error that names the option
PetscErrorCode                            GetHaloTimeout(double *seconds);     // -goza_halo_timeout

} // namespace goza::parallel
