#include "bench_timing.hpp"
#include "core/device/array.hpp"
#include "petsc/errors.hpp"
#include "locality/machine.hpp"

#include <petsc/private/petscimpl.h>
#include <petsctime.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <vector>

namespace goza_test {

PetscErrorCode Synchronise(Vec y)
{
  PetscReal norm;

  PetscFunctionBeginUser;
  PetscCall(PetscObjectStateIncrease((PetscObject)y)); /* or a cached norm is returned */
  PetscCall(VecNorm(y, NORM_INFINITY, &norm));
  PetscFunctionReturn((PetscErrorCode)0);
}

PetscErrorCode Wait::operator()() const
{
  PetscFunctionBeginUser;
  if (y_) PetscCall(Synchronise(y_));
  else if (space_ == goza::Space::Cuda) PetscCall(goza::Guarded([] { goza::device::synchronize(); }));
  PetscFunctionReturn((PetscErrorCode)0);
}

PetscErrorCode BatchSeconds(PetscInt batch, const Wait &wait, const std::function<PetscErrorCode()> &body, PetscLogDouble *seconds)
{
  PetscLogDouble t0, t1, t2;

  PetscFunctionBeginUser;
  PetscCall(PetscTime(&t0));
  for (PetscInt k = 0; k < batch; k++) PetscCall(body());
  PetscCall(wait());
  PetscCall(PetscTime(&t1));
  PetscCall(wait());
  PetscCall(PetscTime(&t2));
  *seconds = (t1 - t0 - (t2 - t1)) / batch;
  PetscFunctionReturn((PetscErrorCode)0);
}

PetscErrorCode MedianSeconds(PetscInt repeats, const Wait &wait, const std::function<PetscErrorCode()> &body, PetscLogDouble *first, PetscLogDouble *seconds,
                             double length)
{
  std::vector<PetscLogDouble> times;
  PetscLogDouble              t, begin, now;
  PetscInt                    batch;
  const double                warm_up = 0.03; /* seconds: a GPU that has idled while a matrix was made may begin slowly */

  PetscFunctionBeginUser;
  PetscCall(PetscTime(&begin));
  PetscCall(body());
  PetscCall(wait());
  PetscCall(PetscTime(&now));
  *first = now - begin;
  PetscCall(PetscTime(&begin));
  do {
    PetscCall(BatchSeconds(1, wait, body, &t));
    PetscCall(PetscTime(&now));
  } while (now - begin < warm_up);
  PetscCall(BatchSeconds(3, wait, body, &t));
  batch = (PetscInt)std::min(300.0, std::max(3.0, length / std::max(t, 1e-7)));
  for (PetscInt r = 0; r < repeats; r++) {
    PetscCall(BatchSeconds(batch, wait, body, &t));
    times.push_back(t);
  }
  std::sort(times.begin(), times.end());
  *seconds = times[times.size() / 2];
  PetscFunctionReturn((PetscErrorCode)0);
}

PetscErrorCode CopyBandwidth(PetscInt repeats, goza::Space space, PetscLogDouble *rate)
{
  static std::map<goza::Space, PetscLogDouble> known;
  const std::size_t                            n = std::size_t(32) << 20;
  goza::Array<double>                          from(space), to(space);
  PetscLogDouble                               first = 0, seconds = 0;

  PetscFunctionBeginUser;
  if (!known.count(space)) {
    PetscCall(goza::Guarded([&] {
      from.resize(n);
      to.resize(n);
      from.zero();
    }));
    PetscCall(MedianSeconds(
      repeats, space, [&] { return goza::Guarded([&] { to.copy_from(from.data(), n); }); }, &first, &seconds));
    known[space] = 2. * static_cast<double>(from.bytes()) / seconds;
  }
  *rate = known[space];
  PetscFunctionReturn((PetscErrorCode)0);
}

PetscErrorCode CopyBandwidth(PetscInt repeats, Vec y, PetscLogDouble *rate)
{
  PetscBool on_device;

  PetscFunctionBeginUser;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)y, &on_device, VECSEQCUDA, VECMPICUDA, ""));
  PetscCall(CopyBandwidth(repeats, on_device ? goza::Space::Cuda : goza::Space::Host, rate));
  PetscFunctionReturn((PetscErrorCode)0);
}

PetscErrorCode GetList(const char *option, std::vector<std::string> otherwise, std::vector<std::string> *list)
{
  char    *words[64];
  PetscInt n = 64;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetStringArray(NULL, NULL, option, words, &n, NULL));
  for (PetscInt k = 0; k < n; k++) {
    list->push_back(words[k]);
    PetscCall(PetscFree(words[k]));
  }
  if (!n) *list = std::move(otherwise);
  PetscFunctionReturn((PetscErrorCode)0);
}

std::string Today()
{
  const std::time_t now = std::time(nullptr);
  char              date[16];

  std::strftime(date, sizeof(date), "%Y-%m-%d", std::gmtime(&now));
  return date;
}

std::string Command(int argc, char **argv)
{
  const std::string path    = argv[0];
  std::string       command = path.substr(path.rfind('/') + 1);

  for (int k = 1; k < argc; k++) {
    if (std::string(argv[k]) == "-json") k++;
    else command += std::string(" ") + argv[k];
  }
  return command;
}

std::string RunFields(goza::Space space, int argc, char **argv)
{
  return "\"gpu\": \"" + goza::device_name(space) + "\", \"petsc\": \"" + std::to_string(PETSC_VERSION_MAJOR) + "." + std::to_string(PETSC_VERSION_MINOR) +
         "." + std::to_string(PETSC_VERSION_SUBMINOR) + "\", \"date\": \"" + Today() + "\", \"command\": \"" + Command(argc, argv) + "\"";
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
