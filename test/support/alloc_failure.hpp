/* Memory that runs out where a test says: every request that Goza makes of this rank can be refused in turn. */
#pragma once

#include <cstddef>

namespace goza_test {

/* What can be refused: operator new, but where a shared PETSc calls it, core's arrays of host, device, pinned and shared memory, and PetscMalloc() and
   PetscRealloc() where one of Goza's files calls them; with Of::all wherever they are called (PETSC's own functions may then hang on several ranks: they do not
   tell the others). */
enum class Of { goza, all };

struct Refusal {
  long        nth     = -1;    // from 0; -1: none, requests are only counted
  bool        onwards = false; // all from the nth on, not that one alone: what reports the error finds no memory either
  std::size_t least   = 0;     // smaller requests (bytes) are neither counted nor refused
  Of          of      = Of::goza;
  bool device = false; // operator new throws a DeviceError instead: an error at that place that is not for want of memory, as of a device that has failed
};

/* While it lives, on this rank; one at a time. */
class AllocFailure {
public:
  explicit AllocFailure(const Refusal &refusal);
  ~AllocFailure();
  AllocFailure(const AllocFailure &)            = delete;
  AllocFailure &operator=(const AllocFailure &) = delete;

  static long count();   // of requests so far, or until the last object's end
  static bool refused(); // one has been
};

/* Requests of the test's own, in the midst of the above, are neither counted nor refused. */
class WithMemory {
public:
  WithMemory();
  ~WithMemory();
  WithMemory(const WithMemory &)            = delete;
  WithMemory &operator=(const WithMemory &) = delete;

private:
  bool before_;
};

} // namespace goza_test
