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

PetscErrorCode BatchSeconds(PetscInt batch, Vec y, const std::function<PetscErrorCode()> &body, PetscLogDouble *seconds)
{
  PetscLogDouble t0, t1, t2;

  PetscFunctionBeginUser;
  PetscCall(PetscTime(&t0));
  for (PetscInt k = 0; k < batch; k++) PetscCall(body());
  PetscCall(Synchronise(y));
  PetscCall(PetscTime(&t1));
  PetscCall(Synchronise(y));
  PetscCall(PetscTime(&t2));
  *seconds = (t1 - t0 - (t2 - t1)) / batch;
  PetscFunctionReturn((PetscErrorCode)0);
}

PetscErrorCode MedianSeconds(PetscInt repeats, Vec y, const std::function<PetscErrorCode()> &body, PetscLogDouble *first, PetscLogDouble *seconds, double length)
{
  std::vector<PetscLogDouble> times;
  PetscLogDouble              t, begin, now;
  PetscInt                    batch;
  const double                warm_up = 0.03; /* seconds: a GPU that has idled while a matrix was made may begin slowly */

  PetscFunctionBeginUser;
  PetscCall(PetscTime(&begin));
  PetscCall(body());
  PetscCall(Synchronise(y));
  PetscCall(PetscTime(&now));
  *first = now - begin;
  PetscCall(PetscTime(&begin));
  do {
    PetscCall(BatchSeconds(1, y, body, &t));
    PetscCall(PetscTime(&now));
  } while (now - begin < warm_up);
  PetscCall(BatchSeconds(3, y, body, &t));
  batch = (PetscInt)std::min(300.0, std::max(3.0, length / std::max(t, 1e-7)));
  for (PetscInt r = 0; r < repeats; r++) {
    PetscCall(BatchSeconds(batch, y, body, &t));
    times.push_back(t);
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
