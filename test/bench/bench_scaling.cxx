/* How products and solves scale with the ranks of this run, and what each way of exchanging entries takes:

     mpiexec -n 4 bench_scaling [-n 128] [-planes 128] [-weak] -halos auto,nccl,peer,host -types slicedell,cds [-solve] [-peers gamg] [-repeats 7] [-json FILE]

   The 27-point operator on n x n x planes points (strong scaling; a cube without -planes) or, with -weak, on as many for every rank; rows go to the ranks in
   slabs. One JSON line a
   measurement: "exchange" (the halo alone, with nothing to hide it behind), "spmv", "solve" (CG and saamg to 1e-8; and with PETSc's own preconditioners,
   -peers, on PETSc's own matrix; "setup": the first, "setup_again": with new values of the same pattern), "cycle" (one application of the preconditioner).
   Seconds are the median of `repeats` batches after a warm-up, of the slowest rank, each batch ended by a synchronisation of every rank. A way that cannot be
   had is left out, with a line that says so. "reductions": MPI_Allreduce calls an iteration, each of which the host waits for. */
#include "core/device/device.hpp"
#include "petsc/plugin.hpp"
#include "petsc/errors.hpp"
#include "parallel/halo.hpp"
#include "petscgoza.h"
#include "../support/bench_timing.hpp"
#include <petsc/private/petscimpl.h> /* an object's state */
#include <algorithm>
#include <cmath>

using namespace goza;
using goza_test::GetList;

/* Counts PETSc's reductions (its own counters miss some in 3.26): MPI's profiling interface lets a program put its function before the library's. */
static PetscInt64 reductions = 0;
#undef MPI_Allreduce
PETSC_EXTERN int MPI_Allreduce(const void *send, void *recv, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
  reductions++;
  return PMPI_Allreduce(send, recv, n, type, op, comm);
}
#if MPI_VERSION >= 4
  #undef MPI_Allreduce_c
PETSC_EXTERN int MPI_Allreduce_c(const void *send, void *recv, MPI_Count n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
  reductions++;
  return PMPI_Allreduce_c(send, recv, n, type, op, comm);
}
#endif

namespace {

struct Bench {
  PetscInt    repeats = 7;
  PetscInt    n = 64, planes = 0;
  PetscBool   weak = PETSC_FALSE, solve = PETSC_FALSE;
  PetscMPIInt ranks = 1, rank = 0;
  FILE       *json = nullptr;
};

/* Rows [first, last) of the operator: 26 on the diagonal, -1 to each neighbour, on n x n x planes points. */
PetscErrorCode Assemble(const Bench &bench, Mat *A)
{
  const PetscInt           n = bench.n, planes = bench.weak ? bench.planes * bench.ranks : bench.planes;
  const PetscInt           from = planes * bench.rank / bench.ranks, to = planes * (bench.rank + 1) / bench.ranks;
  std::vector<PetscInt>    ptr(1, 0), col;
  std::vector<PetscScalar> val;

  PetscFunctionBeginUser;
  PetscCallCXX(col.reserve((std::size_t)27 * n * n * (to - from)));
  PetscCallCXX(val.reserve(col.capacity()));
  for (PetscInt z = from; z < to; z++)
    for (PetscInt y = 0; y < n; y++)
      for (PetscInt x = 0; x < n; x++) {
        for (PetscInt k = std::max<PetscInt>(z - 1, 0); k <= std::min(z + 1, planes - 1); k++)
          for (PetscInt j = std::max<PetscInt>(y - 1, 0); j <= std::min(y + 1, n - 1); j++)
            for (PetscInt i = std::max<PetscInt>(x - 1, 0); i <= std::min(x + 1, n - 1); i++) {
              col.push_back((k * n + j) * n + i);
              val.push_back(k == z && j == y && i == x ? 26 : -1);
            }
        ptr.push_back((PetscInt)col.size());
      }
  PetscCall(MatCreateMPIAIJWithArrays(PETSC_COMM_WORLD, (to - from) * n * n, (to - from) * n * n, PETSC_DETERMINE, PETSC_DETERMINE, ptr.data(), col.data(),
                                      val.data(), A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Everyone()
{
  PetscFunctionBeginUser;
  if (default_space() == Space::Cuda) PetscCall(Guarded([] { device::synchronize(); }));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Median over batches of about 20 ms each (one call where a call takes longer), of the slowest rank. */
template <class Body> PetscErrorCode MedianSeconds(PetscInt repeats, const Body &body, PetscLogDouble *seconds)
{
  std::vector<PetscLogDouble> times;
  PetscLogDouble              t0, t1;
  PetscInt                    batch = 1;

  PetscFunctionBeginUser;
  for (PetscInt r = -2; r < repeats; r++) { /* the first warms up, the second finds the length of a batch */
    PetscCall(Everyone());
    PetscCall(PetscTime(&t0));
    for (PetscInt k = 0; k < batch; k++) PetscCall(body());
    PetscCall(Everyone());
    PetscCall(PetscTime(&t1));
    PetscLogDouble mine = (t1 - t0) / batch, all;
    PetscCallMPI(MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
    if (r >= 0) times.push_back(all);
    if (r == -1) batch = (PetscInt)std::min(200.0, std::max(1.0, 0.02 / std::max(all, 1e-7)));
  }
  std::sort(times.begin(), times.end());
  *seconds = times[times.size() / 2];
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class... Args> void Line(const Bench &bench, const char *format, Args... args)
{
  if (bench.rank) return;
  for (FILE *f : {stdout, bench.json}) {
    if (!f) continue;
    fprintf(f, format, args...);
    fflush(f);
  }
}

PetscErrorCode MeasureExchange(const Bench &bench, Mat aij, const char *halo_name)
{
  Mat                Ad, Ao;
  const PetscInt    *garray;
  PetscInt           n, nghost;
  PetscLogDouble     seconds = 0;
  Halo<PetscScalar>  halo;
  Array<PetscScalar> x;

  PetscFunctionBeginUser;
  PetscCall(MatMPIAIJGetSeqAIJ(aij, &Ad, &Ao, &garray));
  PetscCall(MatGetSize(Ao, NULL, &nghost));
  PetscCall(MatGetLocalSize(aij, NULL, &n));
  PetscCall(use_petsc_stream());
  PetscCall(Guarded([&] {
    x = Array<PetscScalar>(default_space(), n);
    x.zero();
  }));
  PetscLayout columns;
  PetscCall(MatGetLayouts(aij, NULL, &columns));
  PetscCall(halo.setup(PetscObjectComm((PetscObject)aij), columns, nghost, garray, default_space()));
  PetscCall(MedianSeconds(
    bench.repeats,
    [&]() -> PetscErrorCode {
      PetscCall(halo.begin(x.data()));
      PetscCall(halo.end());
      return PETSC_SUCCESS;
    },
    &seconds));
  Line(bench,
       "{\"work\": \"exchange\", \"mode\": \"%s\", \"n\": %d, \"planes\": %d, \"ranks\": %d, \"halo\": \"%s\", \"took\": \"%s\", \"ghosts\": %d, \"seconds\": "
       "%.4e}\n",
       bench.weak ? "weak" : "strong", (int)bench.n, (int)bench.planes, bench.ranks, halo_name, halo.name(), (int)nghost, seconds);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a set-up with new values, the fastest of three. A stage of its own in the log. */
PetscErrorCode SetUpAgain(KSP ksp, Mat A, PetscLogDouble *seconds)
{
  static PetscLogStage stage = -1;
  PetscLogDouble       t0, t1, all;

  PetscFunctionBeginUser;
  if (stage < 0) PetscCall(PetscLogStageRegister("Set-up again", &stage));
  PetscCall(PetscLogStagePush(stage));
  *seconds = PETSC_MAX_REAL;
  for (int k = 0; k < 3; k++) {
    PetscCall(PetscObjectStateIncrease((PetscObject)A));
    PetscCall(Everyone());
    PetscCall(PetscTime(&t0));
    PetscCall(KSPSetUp(ksp));
    PetscCall(Everyone());
    PetscCall(PetscTime(&t1));
    t1 -= t0;
    PetscCallMPI(MPI_Allreduce(&t1, &all, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
    *seconds = PetscMin(*seconds, all);
  }
  PetscCall(PetscLogStagePop());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MeasureSolve(const Bench &bench, Mat A, const char *halo, const char *type, PCType preconditioner)
{
  Vec                x, b;
  KSP                ksp;
  PC                 pc;
  KSPConvergedReason reason;
  PetscLogDouble     seconds = 0, again = 0, t0, t1;
  PetscInt64         before;
  PetscInt           iterations;
  const char        *mode = bench.weak ? "weak" : "strong";

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPSetTolerances(ksp, 1e-8, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, preconditioner));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(Everyone());
  PetscCall(PetscTime(&t0));
  PetscCall(KSPSetUp(ksp));
  PetscCall(Everyone());
  PetscCall(PetscTime(&t1));
  PetscCall(SetUpAgain(ksp, A, &again));
  PetscCall(KSPSolve(ksp, b, x));
  before = reductions;
  PetscCall(KSPSolve(ksp, b, x));
  before = reductions - before;
  PetscCall(KSPGetIterationNumber(ksp, &iterations));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCheck(reason > 0, PETSC_COMM_WORLD, PETSC_ERR_NOT_CONVERGED, "CG with %s ended with %s", preconditioner, KSPConvergedReasons[reason]);
  PetscCall(MedianSeconds(
    bench.repeats, [&] { return KSPSolve(ksp, b, x); }, &seconds));
  Line(bench,
       "{\"work\": \"solve\", \"mode\": \"%s\", \"n\": %d, \"planes\": %d, \"ranks\": %d, \"halo\": \"%s\", \"type\": \"%s\", \"pc\": \"%s\", \"iterations\": "
       "%d, \"seconds\": %.4e, \"setup\": %.3e, \"setup_again\": %.3e, \"reductions\": %.2f}\n",
       mode, (int)bench.n, (int)bench.planes, bench.ranks, halo, type, preconditioner, (int)iterations, seconds, t1 - t0, again,
       before / std::max(1.0, (double)iterations));
  PetscCall(MedianSeconds(
    bench.repeats, [&] { return PCApply(pc, b, x); }, &seconds));
  Line(bench,
       "{\"work\": \"cycle\", \"mode\": \"%s\", \"n\": %d, \"planes\": %d, \"ranks\": %d, \"halo\": \"%s\", \"type\": \"%s\", \"pc\": \"%s\", \"seconds\": "
       "%.4e}\n",
       mode, (int)bench.n, (int)bench.planes, bench.ranks, halo, type, preconditioner, seconds);
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MeasureType(const Bench &bench, Mat aij, const char *halo, const char *type)
{
  Mat            A;
  Vec            x, y;
  MatInfo        info;
  PetscLogDouble seconds = 0;

  PetscFunctionBeginUser;
  PetscCall(MatConvert(aij, type, MAT_INITIAL_MATRIX, &A));
  PetscCall(MatScale(A, 2)); /* where there is a GPU the newer values are there now, as after MatSetValuesCOO() */
  PetscCall(MatGetInfo(A, MAT_GLOBAL_SUM, &info));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecSet(x, 1));
  PetscCall(MedianSeconds(
    bench.repeats, [&] { return MatMult(A, x, y); }, &seconds));
  Line(bench,
       "{\"work\": \"spmv\", \"mode\": \"%s\", \"n\": %d, \"planes\": %d, \"ranks\": %d, \"halo\": \"%s\", \"type\": \"%s\", \"nnz\": %.0f, \"seconds\": %.4e, "
       "\"gflops\": %.1f}\n",
       bench.weak ? "weak" : "strong", (int)bench.n, (int)bench.planes, bench.ranks, halo, type, info.nz_used, seconds, 2e-9 * info.nz_used / seconds);
  if (bench.solve) PetscCall(MeasureSolve(bench, A, halo, type, PCSAAMG));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On PETSc's own matrix, where it is the fastest there is. */
PetscErrorCode MeasurePeers(const Bench &bench, Mat aij, const std::vector<std::string> &peers)
{
  const char *type = PetscDefined(HAVE_CUDA) && default_space() == Space::Cuda ? MATAIJCUSPARSE : MATAIJ;
  Mat         A;

  PetscFunctionBeginUser;
  if (peers.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatConvert(aij, type, MAT_INITIAL_MATRIX, &A));
  PetscCall(MatScale(A, 2));
  for (const std::string &peer : peers) PetscCall(MeasureSolve(bench, A, "petsc", type, peer.c_str()));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Run()
{
  Bench                    bench;
  std::vector<std::string> halos, types, peers;
  char                     json[PETSC_MAX_PATH_LEN] = "";
  Mat                      aij;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &bench.ranks));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &bench.rank));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &bench.n, NULL));
  bench.planes = bench.n;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-planes", &bench.planes, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-repeats", &bench.repeats, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-weak", &bench.weak, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-solve", &bench.solve, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-json", json, sizeof(json), NULL));
  PetscCheck(bench.n > 0 && bench.planes > 0 && bench.repeats > 0, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "-n, -planes and -repeats must be positive");
  PetscCall(GetList("-halos", {"auto"}, &halos));
  PetscCall(GetList("-types", {"slicedell"}, &types));
  PetscCall(GetList("-peers", {}, &peers));
  if (json[0] && bench.rank == 0) {
    bench.json = fopen(json, "a");
    PetscCheck(bench.json, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot open %s", json);
  }
  PetscCall(Assemble(bench, &aij));
  for (const std::string &halo : halos) {
    PetscCall(PetscOptionsSetValue(NULL, "-goza_halo", halo.c_str()));
    if (bench.ranks > 1) {
      PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
      const PetscErrorCode code = MeasureExchange(bench, aij, halo.c_str());
      PetscCall(PetscPopErrorHandler());
      if (code == PETSC_ERR_SUP) { /* on every rank alike */
        Line(bench, "{\"work\": \"exchange\", \"ranks\": %d, \"halo\": \"%s\", \"seconds\": null}\n", bench.ranks, halo.c_str());
        continue;
      }
      PetscCall(code);
    }
    for (const std::string &type : types) PetscCall(MeasureType(bench, aij, halo.c_str(), type.c_str()));
  }
  PetscCall(MeasurePeers(bench, aij, peers));
  PetscCall(MatDestroy(&aij));
  if (bench.json) fclose(bench.json);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, "Scaling of products and solves with the ranks\n"));
  PetscCall(GozaInitializePackage());
  PetscCall(Run());
  PetscCall(PetscFinalize());
  return 0;
}
