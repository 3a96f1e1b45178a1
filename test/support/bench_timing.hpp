/* What the benches share: times that are medians, the copy bandwidth of the same run, lines of JSON. */
#pragma once

#include <petscvec.h>

#include <functional>
#include <string>

namespace goza_test
{

/* Host-visible end of everything enqueued on y's device. */
PetscErrorCode Synchronise(Vec y);

/* Median over `repeats` batches of about `batch` seconds each, ended by Synchronise(y), whose own time is taken off; first: the first call alone. */
PetscErrorCode MedianSeconds(PetscInt repeats, Vec y, const std::function<PetscErrorCode()> &body, PetscLogDouble *first, PetscLogDouble *seconds, double batch = 0.01);

/* Seconds of one of `batch` products, without the end of the batch. */
PetscErrorCode BatchSeconds(PetscInt batch, Vec y, const std::function<PetscErrorCode()> &body, PetscLogDouble *seconds);

/* Bytes per second of a copy of 256 MB, measured once for each type of vector. */
PetscErrorCode CopyBandwidth(PetscInt repeats, VecType type, PetscLogDouble *rate);

PetscErrorCode RandomVec(Vec x);

/* max |y - reference| / max |reference| */
PetscErrorCode Difference(Vec y, Vec reference, PetscReal *difference);

} // namespace goza_test
