/* The iteration of a method as one recording, which the device repeats by itself until a kernel in it says that it is enough; with drivers that know no loops it is launched
   once for each iteration. */
#pragma once
#include "core/device/recording.hpp"
#include "footprint.hpp"
#include "petsc/errors.hpp"
#include <petscsys.h>
#include <utility>

namespace goza::ksp
{

class RecordedLoop {
public:
  RecordedLoop()                                = default;
  RecordedLoop(const RecordedLoop &)            = delete;
  RecordedLoop &operator=(const RecordedLoop &) = delete;
  ~RecordedLoop() { drop(); }

  bool           fits(const Footprint &now) const { return recording_ && footprint_ == now; }
  bool           repeats() const { return repeats_; } // by itself
  PetscLogDouble flops() const { return flops_; }     // of an iteration

  /* iteration(more) launches one, which decides through `more`. It fits() afterwards unless something in it cannot be recorded. */
  template <class Iteration> PetscErrorCode record(const Footprint &now, const Iteration &iteration)
  {
    LoopSwitch     more;
    PetscLogDouble before, after;

    PetscFunctionBegin;
    drop();
    repeats_ = device::begin_recording_loop(&more);
    if (!repeats_ && !device::begin_recording()) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(PetscGetFlops(&before));
    const PetscErrorCode failed = iteration(more);

    recording_ = device::end_recording();
    PetscCall(failed);
    PetscCall(PetscGetFlops(&after));
    flops_     = after - before;
    footprint_ = now;
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode launch()
  {
    PetscFunctionBegin;
    PetscCall(Guarded([&] { device::launch_recording(recording_); }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  void drop()
  {
    device::drop_recording(recording_);
    recording_ = nullptr;
  }

private:
  void          *recording_ = nullptr;
  bool           repeats_   = false;
  Footprint      footprint_;
  PetscLogDouble flops_ = 0;
};

} // namespace goza::ksp
