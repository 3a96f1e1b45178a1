/* The iteration of a method as one recording, which the device repeats by itself until a kernel in it says that it is enough; with drivers that know no loops
   it is launched once for each iteration. */
#pragma once
#include "core/device/recording.hpp"
#include "footprint.hpp"
#include "parallel/launches.hpp"
#include "petsc/errors.hpp"
#include "petsc/plugin.hpp"

namespace goza::ksp {

class RecordedLoop {
public:
  RecordedLoop()                                = default;
  RecordedLoop(const RecordedLoop &)            = delete;
  RecordedLoop &operator=(const RecordedLoop &) = delete;
  ~RecordedLoop() { drop(); }

  bool fits(const Footprint &now) const { return recording_ && footprint_ == now; }
  bool repeats() const { return repeats_; } // by itself

  /* iteration(more) launches one, which decides through `more`. It fits() afterwards unless something in it cannot be recorded. */
  template <class Iteration> PetscErrorCode record(const Footprint &now, const Iteration &iteration)
  {
    PetscFunctionBegin;
    drop();
    for (bool loop : {true, false}) {
      LoopSwitch more;

      if (recording_ || !(loop ? device::begin_recording_loop(&more) : device::begin_recording())) continue;
      PetscCall(take(more, iteration));
      repeats_ = loop;
    }
    footprint_ = now;
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode launch()
  {
    return Guarded([&] { exchanges_.launch([&] { device::launch_recording(recording_); }); });
  }

  /* What recording an iteration has counted, once more. */
  PetscErrorCode count_again()
  {
    PetscFunctionBegin;
    for (int space = 0; space < 2; space++) {
      usage.products[space] += products_[space];
      usage.cycles[space] += cycles_[space];
    }
    PetscCall(LogFlops(Space::Cuda, flops_));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  void drop()
  {
    device::drop_recording(recording_);
    recording_ = nullptr;
  }

private:
  template <class Iteration> PetscErrorCode take(LoopSwitch more, const Iteration &iteration)
  {
    const Usage    used = usage;
    PetscLogDouble before, after;

    PetscFunctionBegin;
    PetscCall(PetscGetFlops(&before));
    exchanges_.clear();
    const PetscErrorCode failed = [&] {
      const NotedIn now(&exchanges_);

      return iteration(more);
    }();

    recording_ = device::end_recording();
    if (failed) {
      exchanges_.break_off();
      drop();
    }
    PetscCall(failed);
    PetscCall(PetscGetFlops(&after));
    flops_ = after - before;
    for (int space = 0; space < 2; space++) {
      products_[space] = usage.products[space] - used.products[space];
      cycles_[space]   = usage.cycles[space] - used.cycles[space];
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  void             *recording_ = nullptr;
  bool              repeats_   = false;
  Footprint         footprint_;
  RecordedExchanges exchanges_; // of an iteration: those of a launch are as many on every rank, however often it is repeated
  PetscLogDouble    flops_ = 0;
  PetscInt64        products_[2]{}, cycles_[2]{};
};

} // namespace goza::ksp
