/* The exchange that brings a rank the entries of x that its off-diagonal block reads ("ghosts"): who sends what to whom, and by what kind of exchange.

   begin() packs what other ranks need and posts the messages, after end() what follows on the stream finds the ghosts in ghost(); between the
   two the diagonal block is applied, by kernels of Goza's alone: PETSc's products may wait for the whole device in a library that lets no message through,
   while the device waits for other ranks (launches.hpp). */
#pragma once
#include "exchange.hpp"
#include "petsc/compat.hpp"

namespace goza::parallel {

/* Of this process. */
class OpenExchanges {
public:
  OpenExchanges() = default;
  ~OpenExchanges() { set(false); }
  OpenExchanges(const OpenExchanges &)            = delete;
  OpenExchanges &operator=(const OpenExchanges &) = delete;

  void set(bool open)
  {
    number_ += open - open_;
    open_ = open;
  }
  static int number() { return number_; } // between begin() and end(), or after an error between them until the next ones

private:
  static inline int number_ = 0;
  bool              open_   = false;
};

template <class V> class Halo {
public:
  Halo()                        = default;
  Halo(const Halo &)            = delete;
  Halo &operator=(const Halo &) = delete;

  /* columns: the layout of x; ghosts: the global columns wanted, ascending (MPIAIJ's garray); failed: an error that this rank brings along. Collective;
     an error on one rank is an error on all. */
  PetscErrorCode setup(MPI_Comm comm, PetscLayout columns, PetscInt nghost, const PetscInt *ghosts, Space space, PetscErrorCode failed = PETSC_SUCCESS);
  PetscErrorCode setup(HaloPlan known); // all but the tag
  PetscErrorCode begin(const V *x)
  {
    const PetscErrorCode failed = exchange_->begin(x);

    open_.set(!failed);
    return failed;
  }
  PetscErrorCode end()
  {
    const PetscErrorCode failed = exchange_->end();

    open_.set(false);
    return failed;
  }
  void break_off()
  {
    exchange_->break_off();
    open_.set(false);
  }
  const V    *ghost() const { return exchange_->ghost(); }
  bool        recordable() const { return exchange_->recordable(); }
  std::size_t bytes() const { return plan_.send_index.bytes() + (exchange_ ? exchange_->bytes() : 0); }

  const char *name() const { return halo_names[kind_]; }
  std::string describe() const; // "peer (auto)", "host (auto; no peer: ...)"

private:
  PetscErrorCode agree(MPI_Comm comm, PetscErrorCode failed);
  PetscErrorCode find_plan(PetscLayout columns, const PetscInt *ghosts);
  PetscErrorCode create();
  PetscErrorCode choose();
  PetscErrorCode attempt(int kind, bool *made);
  void           note_reason(std::initializer_list<const char *> words) noexcept;

  HaloPlan                     plan_;
  std::unique_ptr<Exchange<V>> exchange_;
  OpenExchanges                open_;
  int                          kind_ = HALO_HOST, wish_ = HALO_AUTO;
  std::string                  reasons_; // why not those that come first
};

} // namespace goza::parallel
