/* How benches take times. */
#pragma once

#include <petscvec.h>

#include <functional>

namespace goza_test
{

/* Host-visible end of everything enqueued on y's device. */
PetscErrorCode Synchronise(Vec y);

/* Median over `repeats` batches of about `batch` seconds each; first: the first call alone. y: what body writes. */
PetscErrorCode MedianSeconds(PetscInt repeats, Vec y, const std::function<PetscErrorCode()> &body, PetscLogDouble *first, PetscLogDouble *seconds, double batch = 0.01);

/* Bytes per second of a copy of 256 MB, measured once for each type of vector. */
PetscErrorCode CopyBandwidth(PetscInt repeats, VecType type, PetscLogDouble *rate);

PetscErrorCode RandomVec(Vec x);

} // namespace goza_test
