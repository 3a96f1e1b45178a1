/* The passes of GMRES over its basis: a few vectors of it at a time. */
#pragma once
#include "core/device/scalars.hpp"
#include "core/launch/fused_elements.hpp"

namespace goza::ksp {

/* Columns of coefficients that a device tells the host of, in pinned memory: the host reads one while the device is at work on the next. What the pass is given
   that tells of one. */
struct ColumnMessage {
  const PetscScalar *h      = nullptr; // [n], where the basis is
  PetscInt           n      = 0;
  PetscScalar       *to     = nullptr; // nullptr: nobody is told
  volatile unsigned *mark   = nullptr;
  unsigned           number = 0;

  HD void tell() const
  {
#if defined(__CUDA_ARCH__)
    if (!to) return;
    for (PetscInt j = 0; j < n; j++) to[j] = h[j];
    __threadfence_system();
    *mark = number;
#endif
  }
};

class ColumnMessages {
public:
  /* Of n coefficients; on the host there are none. */
  void resize(Space space, PetscInt n)
  {
    const PetscInt wanted = space == Space::Host ? 0 : n;

    if (wanted == n_) return;
    release();
    if (!wanted) return;
    columns_.reset(static_cast<PetscScalar *>(device::allocate_pinned(places * wanted * sizeof(PetscScalar))));
    marks_.reset(static_cast<unsigned *>(device::allocate_pinned(places * sizeof(unsigned))));
    for (unsigned k = 0; k < places; k++) marks_[k] = sent_;
    n_ = wanted;
  }

  /* The next one's, of h; at most two are on their way. */
  ColumnMessage next(const PetscScalar *h)
  {
    if (!n_) return {};
    sent_++;
    return {h, n_, place(sent_), marks_.get() + sent_ % places, sent_};
  }

  /* That message, when it has come. */
  const PetscScalar *hear(const ColumnMessage &message) const
  {
    for (unsigned polls = 1; *message.mark != message.number; polls++)
      if (polls % 1024 == 0 && !device::busy() && *message.mark != message.number) throw DeviceError("the device is done and has not told its coefficients");
    std::atomic_thread_fence(std::memory_order_acquire);
    return place(message.number);
  }

  void release() noexcept
  {
    columns_.reset();
    marks_.reset();
    n_ = 0;
  }

private:
  static constexpr unsigned places = 2;

  PetscScalar *place(unsigned number) const { return columns_.get() + static_cast<std::size_t>(number % places) * n_; }

  Pinned<PetscScalar[]> columns_; // [places][n]
  Pinned<unsigned[]>    marks_;   // [places]
  PetscInt              n_    = 0;
  unsigned              sent_ = 0;
};

/* Vectors of a basis, in a list on the host. */
struct BasisVectors {
  const PetscScalar *const *v;
  PetscInt                  m;
};

/* h: in the space of the vectors, [m]. */
void gmres_products(Space space, PetscInt n, const BasisVectors &basis, const PetscScalar *w, PetscScalar *h, FusedSums &sums); // h_j = v_j^H w
/* w <- w + factor sum_j h_j v_j; *ww = w^H w of this rank, in the space, where it is not nullptr. */
void gmres_combine(Space space, PetscInt n, PetscScalar factor, const BasisVectors &basis, const PetscScalar *h, PetscScalar *w, PetscScalar *ww,
                   FusedSums &sums);
/* w <- w / sqrt(*ww), unless that is 0; and the host is told of a column that is complete by then. */
void gmres_normalize(Space space, PetscInt n, const PetscScalar *ww, PetscScalar *w, const ColumnMessage &column, FusedSums &sums);

} // namespace goza::ksp
