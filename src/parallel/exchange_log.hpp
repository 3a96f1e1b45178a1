/* Under which event of PETSc's log exchanges go: a cycle names one for each of its levels, and elsewhere there is none. */
#pragma once
#include "petsc/plugin.hpp"
#include "petsc/errors.hpp"

namespace goza::parallel {

class ExchangesUnder {
public:
  explicit ExchangesUnder(PetscLogEvent event) : before_(now) { now = event; }
  ~ExchangesUnder() { now = before_; }
  ExchangesUnder(const ExchangesUnder &)            = delete;
  ExchangesUnder &operator=(const ExchangesUnder &) = delete;

  static inline PetscLogEvent now = -1;

private:
  PetscLogEvent before_;
};

/* Half an exchange. Where the device's time is logged, it is the time that nothing else hides: what runs on the device is waited for before and after. */
template <class Body> PetscErrorCode LoggedExchange(Space space, const Body &body)
{
  const PetscLogEvent event = ExchangesUnder::now;
  const bool          wait  = event >= 0 && space == Space::Cuda && device_time_logged();

  PetscFunctionBegin;
  if (wait) PetscCall(Guarded([] { device::synchronize(); }));
  if (event >= 0) PetscCall(PetscLogEventBegin(event, 0, 0, 0, 0));
  PetscCall(body());
  if (wait) PetscCall(Guarded([] { device::synchronize(); }));
  if (event >= 0) PetscCall(PetscLogEventEnd(event, 0, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::parallel
