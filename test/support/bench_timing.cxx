#include "bench_timing.hpp"

#include <petsc/private/petscimpl.h>
#include <petsctime.h>

#include <algorithm>
#include <map>
#include <vector>

namespace goza_test
{

PetscErrorCode Synchronise(Vec y)
{
  PetscReal norm;

  PetscFunctionBeginUser;
  PetscCall(PetscObjectStateIncrease((PetscObject)y)); /* or a cached norm is returned */
  PetscCall(VecNorm(y, NORM_INFINITY, &norm));
  PetscFunctionReturn((PetscErrorCode)0);
}

PetscErrorCode MedianSeconds(PetscInt repeats, Vec y, const std::function<PetscErrorCode()> &body, PetscLogDouble *first, PetscLogDouble *seconds, double length)
{
  std::vector<PetscLogDouble> times;
  PetscLogDouble              t0, t1, t2;
  PetscInt                    batch = 3;

  PetscFunctionBeginUser;
  PetscCall(PetscTime(&t0));
  PetscCall(body());
  PetscCall(Synchronise(y));
  PetscCall(PetscTime(&t1));
  *first = t1 - t0;
  for (PetscInt r = -1; r < repeats; r++) { /* the batch before the first finds their length */
    PetscCall(PetscTime(&t0));
    for (PetscInt k = 0; k < batch; k++) PetscCall(body());
    PetscCall(Synchronise(y));
    PetscCall(PetscTime(&t1));
    PetscCall(Synchronise(y));
    PetscCall(PetscTime(&t2));
    times.push_back((t1 - t0 - (t2 - t1)) / batch); /* the synchronisation's own norm is taken off */
    if (r >= 0) continue;
    batch = (PetscInt)std::min(300.0, std::max(3.0, length / std::max(times[0], 1e-7)));
    times.clear();
  }
  std::sort(times.begin(), times.end());
  *seconds = times[times.size() / 2];
  PetscFunctionReturn((PetscErrorCode)0);
}

PetscErrorCode CopyBandwidth(PetscInt repeats, VecType type, PetscLogDouble *rate)
{
  static std::map<std::string, PetscLogDouble> known;
  const PetscInt                               n     = 32 << 20;
  PetscLogDouble                               first = 0, seconds = 0;
  Vec                                          x, y;

  PetscFunctionBeginUser;
  if (!known.count(type)) {
    PetscCall(VecCreate(PETSC_COMM_SELF, &x));
    PetscCall(VecSetSizes(x, n, n));
    PetscCall(VecSetType(x, type));
    PetscCall(VecDuplicate(x, &y));
    PetscCall(VecSet(x, 1));
    PetscCall(MedianSeconds(
      repeats, y, [&] { return VecCopy(x, y); }, &first, &seconds));
    known[type] = 2.0 * sizeof(PetscScalar) * n / seconds;
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&y));
  }
  *rate = known[type];
  PetscFunctionReturn((PetscErrorCode)0);
}

PetscErrorCode RandomVec(Vec x)
{
  PetscRandom random;

  PetscFunctionBeginUser;
  PetscCall(PetscRandomCreate(PETSC_COMM_SELF, &random));
  PetscCall(PetscRandomSetSeed(random, 7));
  PetscCall(PetscRandomSeed(random));
  PetscCall(VecSetRandom(x, random));
  PetscCall(PetscRandomDestroy(&random));
  PetscFunctionReturn((PetscErrorCode)0);
}

PetscErrorCode Difference(Vec y, Vec reference, PetscReal *difference)
{
  Vec       host;
  PetscReal norm;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(reference, &host));
  PetscCall(VecCopy(y, host));
  PetscCall(VecAXPY(host, -1, reference));
  PetscCall(VecNorm(host, NORM_INFINITY, difference));
  PetscCall(VecNorm(reference, NORM_INFINITY, &norm));
  if (norm > 0) *difference /= norm;
  PetscCall(VecDestroy(&host));
  PetscFunctionReturn((PetscErrorCode)0);
}

} // namespace goza_test
