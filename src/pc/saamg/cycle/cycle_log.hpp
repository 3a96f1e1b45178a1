/* What a cycle tells PETSc's log: an event for each of its steps on each level, with its flops, and with the device's time where that is logged; and for
   what of that is exchange between ranks. */
#pragma once
#include "parallel/exchange_log.hpp"

namespace goza::saamg {

enum class CycleStep {
  Smooth,
  Residual,
  Restrict,
  Interpolate,
  Coarse // solve, or what stands for it
};

class CycleLog {
public:
  PetscErrorCode setup(std::size_t nlevels, Space space);

  /* body() under the event of a step; levels count from the finest. */
  template <class Body> PetscErrorCode step(CycleStep step, std::size_t level, PetscLogDouble flops, const Body &body) const
  {
    const PetscLogEvent  event = event_of(step, level);
    const ExchangesUnder exchanges(exchange_event_of(step, level));

    PetscFunctionBegin;
    PetscCall(PetscLogEventBegin(event, 0, 0, 0, 0));
    if (space_ == Space::Cuda) PetscCall(PetscLogGpuTimeBegin());
    PetscCall(body());
    if (space_ == Space::Cuda) PetscCall(PetscLogGpuTimeEnd());
    PetscCall(LogFlops(space_, flops));
    PetscCall(PetscLogEventEnd(event, 0, 0, 0, 0));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

private:
  static PetscLogEvent event_of(CycleStep step, std::size_t level);
  static PetscLogEvent exchange_event_of(CycleStep step, std::size_t level);

  Space space_ = Space::Host;
};

void forget_cycle_events(); // PETSc is finalized, and its events with it

} // namespace goza::saamg
