/* How a method lets the device repeat its iteration by itself, while the host reads what each iteration tells and follows. S, the method's scalars, have a
   LoopEnd `end`. On several ranks their devices do so together: what an iteration tells is the same on all, and so is where it ends. */
#pragma once
#include "core/device/scalars.hpp"
#include "krylov_space.hpp"
#include "loop_end.hpp"

namespace goza::ksp {

template <class S> class DeviceLoop {
public:
  DeviceLoop(KSP ksp, KrylovSpace &space, Scalars<S> &scalars) : ksp_(ksp), K_(space), scalars_(scalars), may_(space.recordable() && ksp->chknorm <= 0) { }

  bool       on() const { return on_; }
  LoopSwitch more() const { return more_; } // for the pass that ends an iteration
  void       leave() { on_ = may_ = false; }

  /* From here on the device goes on by itself, for so many iterations at most, if it can and does not already. iteration() launches one, with at most two
     messages.
     all_launched: nothing in it would be launched for the first time; what is loaded or allocated then cannot be recorded. kind: which of a method's iterations
     it is. */
  template <class Iteration> PetscErrorCode go_on(bool stopped, PetscInt iterations, bool all_launched, std::uint64_t kind, const Iteration &iteration)
  {
    PetscFunctionBegin;
    if (!may_ || (!on_ && !all_launched && !K_.one_rank())) PetscFunctionReturn(PETSC_SUCCESS);
    if (!on_) {
      Footprint      now;
      PetscErrorCode failed = Guarded([&] {
        now = K_.footprint();
        now.add(scalars_.view(true).there);
        now.add(scalars_.view(true).messages);
        now.add(kind);
      });

      if (!failed && all_launched && !K_.loop().fits(now)) failed = record(now, iteration);
      on_ = !failed && K_.loop().fits(now);
      PetscCall(K_.agree_on_loop(failed, &on_));
      stopped = on_;
      may_    = on_ || !all_launched;
    }
    if (on_ && stopped) PetscCall(launch(iterations));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /* The host has heard of one more iteration: for the log. */
  PetscErrorCode heard()
  {
    PetscFunctionBegin;
    if (!on_) PetscFunctionReturn(PETSC_SUCCESS);
    usage.repeated++;
    if (!std::exchange(is_logged_, false)) PetscCall(K_.loop().count_again());
    PetscFunctionReturn(PETSC_SUCCESS);
  }

private:
  template <class Iteration> PetscErrorCode record(const Footprint &now, const Iteration &iteration)
  {
    PetscFunctionBegin;
    const PetscErrorCode failed = K_.loop().record(now, [&](LoopSwitch more) {
      more_ = more;
      return iteration();
    });

    more_ = LoopSwitch();
    PetscCall(failed);
    is_logged_ = true;
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode launch(PetscInt iterations)
  {
    LoopEnd end;

    PetscFunctionBegin;
    end.x        = K_[KrylovSpace::solution];
    end.enough   = ksp_->ttol;
    end.too_much = ksp_->divtol * ksp_->rnorm0;
    end.left     = K_.loop().repeats() ? PetscMin(iterations, (PetscInt)messages_kept / 2 - 1) : 1;
    end.tested   = K_.tests_norm();
    end.natural  = ksp_->normtype == KSP_NORM_NATURAL;
    PetscCall(Guarded([&] { scalars_.set(&S::end, end); }));
    PetscCall(K_.loop().launch());
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  KSP          ksp_;
  KrylovSpace &K_;
  Scalars<S>  &scalars_;
  bool         may_, on_ = false, is_logged_ = false; // is_logged_: the recording has counted an iteration
  LoopSwitch   more_;
};

} // namespace goza::ksp
