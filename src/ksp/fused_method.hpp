/* What methods have in common whose iterations a device repeats by itself. Method has begin(), step(), one iteration, and catch_up(), which brings a late x up
   to date; S are its scalars. For .cu files. */
#pragma once
#include "device_loop.hpp"

namespace goza::ksp {

template <class Method, class S> class FusedMethod {
public:
  FusedMethod(KSP ksp, KrylovSpace &space, Scalars<S> &scalars) : ksp_(ksp), K_(space), scalars_(scalars), whole_(space.one_rank()), loop_(ksp, space, scalars)
  {
  }

  PetscErrorCode solve()
  {
    PetscFunctionBegin;
    ksp_->its = 0;
    if (!whole_) PetscCall(K_.find_devices_sums(&by_devices_));
    if (!whole_ && !by_devices_) loop_.leave();
    PetscCall(Guarded([&] {
      scalars_.forget();
      scalars_.set(S());
    }));
    PetscCall(method().begin());
    if (!ksp_->reason) PetscCall(iterate());
    if (x_is_late_) PetscCall(method().catch_up());
    PetscFunctionReturn(PETSC_SUCCESS);
  }

protected:
  PetscErrorCode iterate()
  {
    PetscInt i = 0;

    PetscFunctionBegin;
    do {
      PetscCall(method().step(i));
    } while (!ksp_->reason && ++i < ksp_->max_it);
    if (i >= ksp_->max_it) ksp_->reason = KSP_DIVERGED_ITS;
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  Method        &method() { return static_cast<Method &>(*this); }
  ScalarsView<S> tells() { return scalars_.view(true); }
  ScalarsView<S> keeps() { return scalars_.view(false); }

  template <class Body> PetscErrorCode pass(PetscLogDouble flops_per_row, const Body &body)
  {
    PetscFunctionBegin;
    PetscCall(Guarded([&] { fuse(K_.space(), K_.n(), body, K_.sums()); }));
    PetscCall(K_.log_flops(flops_per_row));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode listen()
  {
    return Guarded([&] { now_ = scalars_.told(); });
  }

  /* The scalars as this rank's passes have left them; change() makes them those of all ranks. */
  template <class Change> PetscErrorCode add_up(const Change &change)
  {
    PetscFunctionBegin;
    PetscCall(Guarded([&] { now_ = scalars_.get(); }));
    PetscCall(change());
    PetscCall(Guarded([&] { scalars_.set(now_); }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode report(PetscInt it, PetscReal norm)
  {
    return K_.report(it, norm, [&] { return x_is_late_ ? method().catch_up() : PETSC_SUCCESS; });
  }

  KSP           ksp_;
  KrylovSpace  &K_;
  Scalars<S>   &scalars_;
  const bool    whole_; // sums of this rank are those of all
  DeviceLoop<S> loop_;
  bool          first_ = true, x_is_late_ = false;
  bool          by_devices_ = false; // which add up over the ranks
  S             now_{};              // as the host knows them
};

} // namespace goza::ksp
