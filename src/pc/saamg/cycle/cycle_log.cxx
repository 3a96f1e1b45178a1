#include "cycle_log.hpp"
#include <petscpc.h>

namespace goza::saamg {

static constexpr const char *step_names[] = {"SAAMGSmooth", "SAAMGResid", "SAAMGRestrict", "SAAMGInterp",
                                             "SAAMGCoarse", "SAAMGHaloS", "SAAMGHaloT"}; // halo: of the smoother, of the rest

using StepEvents = std::array<PetscLogEvent, PETSC_STATIC_ARRAY_LENGTH(step_names)>;

static std::vector<StepEvents> known; // by level; shared by all cycles, as PCMG's are

PetscErrorCode CycleLog::setup(std::size_t nlevels, Space space)
{
  PetscFunctionBegin;
  space_ = space;
  while (known.size() < nlevels) {
    StepEvents events;

    for (std::size_t s = 0; s < events.size(); s++) {
      char name[32];

      PetscCall(PetscSNPrintf(name, sizeof(name), "%s %d", step_names[s], (int)known.size())); // 16 characters at most are printed
      PetscCall(PetscLogEventRegister(name, PC_CLASSID, &events[s]));
    }
    PetscCall(Guarded([&] { known.push_back(events); }));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscLogEvent CycleLog::event_of(CycleStep step, std::size_t level) { return known[level][static_cast<std::size_t>(step)]; }

PetscLogEvent CycleLog::exchange_event_of(CycleStep step, std::size_t level)
{
  return known[level][static_cast<std::size_t>(CycleStep::Coarse) + (step == CycleStep::Smooth || step == CycleStep::Coarse ? 1 : 2)];
}

void forget_cycle_events() { known.clear(); }

} // namespace goza::saamg
