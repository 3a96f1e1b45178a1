/* Products with one matrix in several types, in one run: -types slicedell,aijcusparse,aij  -n 64,128  [-repeats 7] [-json FILE]

   The matrix is the 27-point operator on an n^3 grid with random symmetric coefficients. One JSON line a measurement; the copy bandwidth of the same
   run stands beside. The time is the median of `repeats` batches, each ended by a synchronisation. */
#include "petscgoza.h"
#include <petsc/private/petscimpl.h>
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

/* Uniform in [0.5, 1.5], the same for (i, j) and (j, i) */
static PetscScalar Coefficient(std::uint64_t i, std::uint64_t j)
{
  std::uint64_t h = (std::min(i, j) * 0x9E3779B97F4A7C15u) ^ (std::max(i, j) * 0xC2B2AE3D27D4EB4Fu);

  h ^= h >> 31;
  h *= 0xBF58476D1CE4E5B9u;
  h ^= h >> 29;
  return 0.5 + (double)(h >> 11) / 9007199254740992.0;
}

static PetscErrorCode Stencil27(PetscInt n, Mat *A)
{
  const PetscInt N = n * n * n;
  PetscInt      *ptr, *col, k = 0;
  PetscScalar   *val;
  std::size_t    nnz = (std::size_t)(3 * n - 2) * (3 * n - 2) * (3 * n - 2);

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(N + 1, &ptr));
  PetscCall(PetscMalloc1(nnz, &col));
  PetscCall(PetscMalloc1(nnz, &val));
  ptr[0] = 0;
  for (PetscInt z = 0; z < n; z++) {
    for (PetscInt y = 0; y < n; y++) {
      for (PetscInt x = 0; x < n; x++) {
        const PetscInt i        = (z * n + y) * n + x;
        PetscScalar    sum      = 0;
        PetscInt       diagonal = -1;

        for (PetscInt c = std::max<PetscInt>(z - 1, 0); c <= std::min(z + 1, n - 1); c++) {
          for (PetscInt b = std::max<PetscInt>(y - 1, 0); b <= std::min(y + 1, n - 1); b++) {
            for (PetscInt a = std::max<PetscInt>(x - 1, 0); a <= std::min(x + 1, n - 1); a++) {
              const PetscInt j = (c * n + b) * n + a;

              if (j == i) diagonal = k;
              val[k] = j == i ? 0 : -Coefficient(i, j);
              sum -= val[k];
              col[k++] = j;
            }
          }
        }
        val[diagonal] = sum + 0.01;
        ptr[i + 1]    = k;
      }
    }
  }
  PetscCall(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, N, N, ptr, col, val, A)); /* the arrays live as long as the program */
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Host-visible end of everything enqueued on y's device. */
static PetscErrorCode Synchronise(Vec y)
{
  PetscReal norm;

  PetscFunctionBeginUser;
  PetscCall(PetscObjectStateIncrease((PetscObject)y)); /* or a cached norm is returned */
  PetscCall(VecNorm(y, NORM_INFINITY, &norm));
  PetscFunctionReturn((PetscErrorCode)0);
}

template <class Body> static PetscErrorCode MedianSeconds(PetscInt repeats, PetscInt batch, Vec y, const Body &body, PetscLogDouble *seconds)
{
  std::vector<PetscLogDouble> times;
  PetscLogDouble              sync = 0;

  PetscFunctionBeginUser;
  for (int warm = 0; warm < 3; warm++) PetscCall(body());
  PetscCall(Synchronise(y));
  for (PetscInt r = 0; r < repeats; r++) {
    PetscLogDouble t0, t1, t2;

    PetscCall(PetscTime(&t0));
    for (PetscInt k = 0; k < batch; k++) PetscCall(body());
    PetscCall(Synchronise(y));
    PetscCall(PetscTime(&t1));
    PetscCall(Synchronise(y));
    PetscCall(PetscTime(&t2));
    sync = t2 - t1; /* the synchronisation's own norm is taken off */
    times.push_back((t1 - t0 - sync) / batch);
  }
  std::sort(times.begin(), times.end());
  *seconds = times[times.size() / 2];
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  PetscInt  sizes[16], nsizes = 16, ntypes = 16, repeats = 7;
  char     *types[16], json[PETSC_MAX_PATH_LEN] = "";
  PetscBool flg;
  FILE     *out = NULL;

  PetscCall(PetscInitialize(&argc, &argv, NULL, "Products with one matrix in several types\n"));
  PetscCall(GozaInitializePackage());
  PetscCall(PetscOptionsGetIntArray(NULL, NULL, "-n", sizes, &nsizes, &flg));
  if (!flg) nsizes = 1, sizes[0] = 32;
  PetscCall(PetscOptionsGetStringArray(NULL, NULL, "-types", types, &ntypes, &flg));
  if (!flg) {
    ntypes = 2;
    PetscCall(PetscStrallocpy(MATAIJ, &types[0]));
    PetscCall(PetscStrallocpy(MATSLICEDELL, &types[1]));
  }
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-repeats", &repeats, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-json", json, sizeof(json), NULL));
  if (json[0]) out = fopen(json, "a");
  for (PetscInt s = 0; s < nsizes; s++) {
    Mat            A;
    Vec            reference = NULL;
    MatInfo        info;
    const PetscInt n = sizes[s], batch = n >= 200 ? 10 : 30;

    PetscCall(Stencil27(n, &A));
    PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
    for (PetscInt t = 0; t < ntypes; t++) {
      Mat            B;
      Vec            x, y;
      PetscLogDouble seconds = 0, copy = 1, t0, t1;
      PetscReal      error = 0, norm = 1;
      PetscRandom    random;

      PetscCall(MatConvert(A, types[t], MAT_INITIAL_MATRIX, &B));
      PetscCall(MatSetFromOptions(B));
      PetscCall(MatCreateVecs(B, &x, &y));
      PetscCall(PetscRandomCreate(PETSC_COMM_SELF, &random));
      PetscCall(PetscRandomSetSeed(random, 7));
      PetscCall(PetscRandomSeed(random));
      PetscCall(VecSetRandom(x, random));
      PetscCall(PetscRandomDestroy(&random));
      PetscCall(PetscTime(&t0));
      PetscCall(MatMult(B, x, y));
      PetscCall(Synchronise(y));
      PetscCall(PetscTime(&t1));
      PetscCall(MedianSeconds(
        repeats, batch, y, [&] { return MatMult(B, x, y); }, &seconds));
      PetscCall(MatViewFromOptions(B, NULL, "-bench_view")); /* ::ascii_info says what the format made of it */
      if (!reference) {
        PetscCall(VecCreateSeq(PETSC_COMM_SELF, n * n * n, &reference));
        PetscCall(VecCopy(y, reference));
      } else {
        Vec host;

        PetscCall(VecDuplicate(reference, &host));
        PetscCall(VecCopy(y, host));
        PetscCall(VecNorm(host, NORM_2, &norm));
        PetscCall(VecAXPY(host, -1, reference));
        PetscCall(VecNorm(host, NORM_2, &error));
        PetscCall(VecDestroy(&host));
      }
      PetscCall(MedianSeconds(
        repeats, batch, y, [&] { return VecCopy(x, y); }, &copy));
      for (FILE *f : {stdout, out}) {
        if (f)
          fprintf(f, "{\"work\": \"spmv 27-point\", \"type\": \"%s\", \"n\": %d, \"nnz\": %.0f, \"seconds\": %.4e, \"gflops\": %.1f, \"first\": %.3e, \"copy_TBs\": %.3f, \"relative_difference\": %.1e}\n",
                  ((PetscObject)B)->type_name, (int)n, info.nz_used, seconds, 2e-9 * info.nz_used / seconds, t1 - t0, 2e-12 * sizeof(PetscScalar) * n * n * n / copy, (double)(error / norm));
      }
      fflush(stdout);
      PetscCall(VecDestroy(&x));
      PetscCall(VecDestroy(&y));
      PetscCall(MatDestroy(&B));
    }
    PetscCall(VecDestroy(&reference));
    PetscCall(MatDestroy(&A));
  }
  if (out) fclose(out);
  for (PetscInt t = 0; t < ntypes; t++) PetscCall(PetscFree(types[t]));
  PetscCall(PetscFinalize());
  return 0;
}
