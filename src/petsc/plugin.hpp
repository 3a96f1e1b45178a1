/* The plugin's own state: what was decided once, when it was loaded. */
#pragma once
#include "core/device/space.hpp"
#include "compat.hpp"
#include <string>

namespace goza {

struct Events {
  PetscLogEvent mult, build;                                           // of matrices
  PetscLogEvent strength, aggregate, prolong, galerkin, eigen, mirror; // steps of saamg's set-up; mirror: its matrices to the format and place of the cycle
  PetscLogEvent group_rows, group_values, group_wait; // of ranks that share a GPU: the pattern of their rows, new values, waiting for one another
  // of finite-element assembly: pattern and maps, what is given, new matrices, matrix values, right-hand sides
  PetscLogEvent symbolic, inputs, create, assemble, vector;
};
extern Events events;

/* What this rank has done so far, by Space, and what it has copied of vectors: -goza_info prints it at the end. */
struct Usage {
  PetscInt64     products[2] = {0, 0}, cycles[2] = {0, 0};
  PetscInt64     in_place = 0, copied = 0;
  PetscInt64     repeated = 0; // iterations of Krylov methods that a device has gone on to by itself
  PetscLogDouble bytes    = 0;
  std::string    tuned[2];             // ", tuned: " and what -pc_saamg_tune has found last
  PetscInt64     tasks = 0, group = 1; // of ranks that share a GPU: what the leader did for all; the largest group that this rank is in
};
extern Usage usage;

/* The count of a device's flops counts nothing in a PETSc without a device back end. */
inline PetscErrorCode LogFlops(Space space, PetscLogDouble flops)
{
  PetscFunctionBegin;
  if (PetscDefined(HAVE_DEVICE) && space == Space::Cuda) PetscCall(PetscLogGpuFlops(flops));
  else PetscCall(PetscLogFlops(flops));
  PetscFunctionReturn(PETSC_SUCCESS);
}

enum RanksPerGpu { RANKS_AUTO, RANKS_OWN, RANKS_GROUP };

/* What was chosen at load, from options and from what there is. */
struct Plugin {
  PetscBool check         = PETSC_FALSE; // -goza_check
  Space     space         = Space::Host; // -goza_device
  PetscInt  ranks_per_gpu = RANKS_AUTO;  // -goza_ranks_per_gpu
  PetscInt  largest_group = 0;           // -goza_largest_group; 0: any
};
extern Plugin plugin;

Space          default_space();      // where formats live: -goza_device
bool           petsc_on_device();    // PETSc itself has CUDA and uses it: vectors can be resident
Space          space_of(Mat A);      // where the products of A run: default_space(), but for a matrix bound to the CPU
bool           check_results();      // -goza_check
bool           device_time_logged(); // -log_view_gpu_time: events wait for the device
PetscErrorCode use_petsc_stream();   // kernels follow PETSc's current stream

} // namespace goza
