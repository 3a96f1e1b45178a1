/* What the benches share: times that are medians, the copy bandwidth of the same run, lines of JSON. */
#pragma once

#include <petscvec.h>

#include <functional>
#include <string>
#include <vector>

namespace goza_test
{

/* Host-visible end of everything enqueued on y's device. */
PetscErrorCode Synchronise(Vec y);

/* Median over `repeats` batches of about `batch` seconds each, ended by Synchronise(y), whose own time is taken off; first: the first call alone. */
PetscErrorCode MedianSeconds(PetscInt repeats, Vec y, const std::function<PetscErrorCode()> &body, PetscLogDouble *first, PetscLogDouble *seconds, double batch = 0.01);

/* The medians of several bodies, whose batches take turns: a machine that slows down slows all of them. */
PetscErrorCode MedianSecondsInTurn(PetscInt repeats, Vec y, const std::vector<std::function<PetscErrorCode()>> &bodies, std::vector<PetscLogDouble> *seconds, double batch = 0.01);

/* Bytes per second of a copy of 256 MB, measured once for each type of vector. */
PetscErrorCode CopyBandwidth(PetscInt repeats, VecType type, PetscLogDouble *rate);

PetscErrorCode RandomVec(Vec x);

/* max |y - reference| / max |reference| */
PetscErrorCode Difference(Vec y, Vec reference, PetscReal *difference);

} // namespace goza_test
