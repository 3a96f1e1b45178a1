/* What the benches share: times that are medians, the copy bandwidth of the same run, lists on the command line. */
#pragma once

#include "core/device/space.hpp"

#include <petscvec.h>

#include <functional>
#include <string>
#include <vector>

namespace goza_test {

/* Host-visible end of everything enqueued on y's device. */
PetscErrorCode Synchronise(Vec y);

/* The same where a vector is, or in a space. */
class Wait {
public:
  Wait(Vec y) : y_(y) { }
  Wait(goza::Space space) : space_(space) { }
  PetscErrorCode operator()() const;

private:
  Vec         y_     = NULL;
  goza::Space space_ = goza::Space::Host;
};

/* Median over `repeats` batches of about `batch` seconds each, ended by wait(), whose own time is taken off; first: the first call alone. */
PetscErrorCode MedianSeconds(PetscInt repeats, const Wait &wait, const std::function<PetscErrorCode()> &body, PetscLogDouble *first, PetscLogDouble *seconds,
                             double batch = 0.01);

/* Seconds of one of `batch` products, without the end of the batch. */
PetscErrorCode BatchSeconds(PetscInt batch, const Wait &wait, const std::function<PetscErrorCode()> &body, PetscLogDouble *seconds);

/* Bytes per second of a copy of 256 MB in a space, or where a vector is: measured once for each space. */
PetscErrorCode CopyBandwidth(PetscInt repeats, goza::Space space, PetscLogDouble *rate);
PetscErrorCode CopyBandwidth(PetscInt repeats, Vec y, PetscLogDouble *rate);

/* -name a,b,c, else `otherwise` */
PetscErrorCode GetList(const char *option, std::vector<std::string> otherwise, std::vector<std::string> *list);

/* How a bench was run: its name and options but for -json, and the date; and these with GPU and PETSc as fields of JSON. */
std::string Command(int argc, char **argv);
std::string Today();
std::string RunFields(goza::Space space, int argc, char **argv);

PetscErrorCode RandomVec(Vec x);

/* max |y - reference| / max |reference| */
PetscErrorCode Difference(Vec y, Vec reference, PetscReal *difference);

} // namespace goza_test
