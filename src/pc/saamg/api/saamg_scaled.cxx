#include "saamg_scaled.hpp"
#include "core/util/algorithm.hpp"
#include "petsc/compat.hpp"
#include "petsc/errors.hpp"
#include <cmath>
#include <limits>

namespace goza::saamg {

/* A power of two, in two steps where one is no number: 2^1100 times 2^-1050. */
static PetscErrorCode ScaleByPower(Vec v, int exponent)
{
  constexpr int most = std::numeric_limits<PetscReal>::max_exponent - 2;

  PetscFunctionBegin;
  while (exponent != 0) {
    const int step = PetscMax(-most, PetscMin(most, exponent));

    PetscCall(VecScale(v, static_cast<PetscReal>(std::ldexp(1.0, step))));
    exponent -= step;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ScaledPC::setup(PC pc, Mat A, bool *found)
{
  Mat scaled;

  PetscFunctionBegin;
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &scaled));
  PetscCall(MatScale(scaled, static_cast<PetscReal>(std::ldexp(1.0, -exponent_))));
  const PetscErrorCode failed = setup_inner(pc, A, scaled);
  PetscCall(MatDestroy(&scaled)); /* the PC has it */
  PetscCall(failed);
  *found = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LargestExponent(Vec b, bool glance, int *exponent)
{
  constexpr PetscInt some = 1024;
  const PetscScalar *array;
  PetscMemType       where;
  PetscErrorCode     failed = PETSC_SUCCESS;

  PetscFunctionBegin;
  const PetscInt n = local_size(b);
  PetscCall(VecGetArrayReadAndMemType(b, &array, &where));
  const Space space = PetscMemTypeHost(where) ? Space::Host : Space::Cuda;
  for (bool all : {!glance, true}) {
    PetscReal largest = 0;

    failed = Guarded([&] { largest = largest_magnitude(space, array, n, all || space == Space::Cuda ? 1 : n / some + 1); });
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPIU_REAL, MPIU_MAX, comm_of(b)));
    const bool known = largest > 0 && !PetscIsInfOrNanReal(largest);

    *exponent = known ? std::ilogb(largest) : 0;
    if (failed || all || (known && range_of(*exponent) == Range::Inside)) break;
  }
  PetscCall(VecRestoreArrayReadAndMemType(b, &array));
  PetscCall(failed);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ApplyScaled(const std::function<PetscErrorCode(Vec, Vec)> &M, Vec b, Vec x, int exponent, int power)
{
  Vec scaled;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(b, &scaled));
  PetscErrorCode failed = VecCopy(b, scaled);
  if (!failed) failed = ScaleByPower(scaled, -exponent);
  if (!failed) failed = M(scaled, x);
  PetscCall(VecDestroy(&scaled));
  PetscCall(failed);
  PetscCall(ScaleByPower(x, exponent + power));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix's entries may be as far from 1, and then a correction twice as far. */
Range range_of(int exponent) { return std::abs(exponent) <= 60 ? Range::Inside : Range::Outside; }

PetscErrorCode ScaledPC::apply(PetscErrorCode (*how)(PC, Vec, Vec), bool, Vec b, Vec x)
{
  int exponent = 0;

  PetscFunctionBegin;
  PetscCall(LargestExponent(b, false, &exponent));
  PetscCall(ApplyScaled([&](Vec scaled, Vec to) { return how(pc(), scaled, to); }, b, x, exponent, -exponent_));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ScaledPC::view(PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "  of the matrix times 2^%d:\n", -exponent_));
  PetscCall(view_inner(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::saamg
