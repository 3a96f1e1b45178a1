/* The exchange that brings a rank the entries of x that its off-diagonal block reads ("ghosts"): who sends what to whom, and by what kind of exchange.

   begin() packs what other ranks need and posts the messages, after end() what follows on the stream finds the ghosts in ghost(); between the
   two the diagonal block is applied. */
#pragma once
#include "exchange.hpp"
#include "petsc/compat.hpp"
#include <string>

namespace goza::parallel
{

template <class V> class Halo {
public:
  Halo()                        = default;
  Halo(const Halo &)            = delete;
  Halo &operator=(const Halo &) = delete;

  /* columns: the layout of x; ghosts: the global columns wanted, ascending (MPIAIJ's garray); failed: an error that this rank brings along. Collective;
     an error on one rank is an error on all. */
  PetscErrorCode setup(MPI_Comm comm, PetscLayout columns, PetscInt nghost, const PetscInt *ghosts, Space space, PetscErrorCode failed = PETSC_SUCCESS);
  PetscErrorCode setup(HaloPlan known); // all but the tag
  PetscErrorCode begin(const V *x) { return exchange_->begin(x); }
  PetscErrorCode end() { return exchange_->end(); }
  void           break_off() { exchange_->break_off(); }
  const V       *ghost() const { return exchange_->ghost(); }
  bool           recordable() const { return exchange_->recordable(); }
  std::size_t    bytes() const { return plan_.send_index.bytes() + (exchange_ ? exchange_->bytes() : 0); }

  const char *name() const { return halo_names[kind_]; }
  std::string describe() const; // "peer (auto)", "host (auto; no peer: ...)"

private:
  PetscErrorCode agree(MPI_Comm comm, PetscErrorCode failed);
  PetscErrorCode find_plan();
  PetscErrorCode create();
  PetscErrorCode choose();
  PetscErrorCode attempt(int kind, bool *made);
  void           note_reason(std::initializer_list<const char *> words) noexcept;

  HaloPlan                     plan_;
  std::unique_ptr<Exchange<V>> exchange_;
  int                          kind_ = HALO_HOST, wish_ = HALO_AUTO;
  std::string                  reasons_; // why not those that come first
};

} // namespace goza::parallel
