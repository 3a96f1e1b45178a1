/* The KSP type fusedcg: preconditioned conjugate gradients with PETSc's semantics (its `cg`), in few passes over the vectors. */
#include "conjugate_gradients.hpp"
#include "fused.hpp"
#include "solver_object.hpp"

namespace goza::ksp {

static PetscErrorCode KSPSolve_FusedCG(KSP ksp)
{
  return SolveFused<CgScalars, ConjugateGradients>(ksp, ksp_on_one_rank(ksp) ? ConjugateGradients::Z : ConjugateGradients::most_vectors);
}

/*MC
   KSPFUSEDCG - "fusedcg": `KSPCG` in few passes over the vectors, with all of them where the operator is, on the host or on an NVIDIA GPU

   Level: beginner

   Notes:
   Norm types, convergence tests, monitors, reasons and iterates are those of `KSPCG`, up to rounding.

   With a matrix of Goza's and `PCSAAMG`, `PCJACOBI`, `PCPBJACOBI` or `PCNONE` the whole iteration runs where the matrix is, also with a PETSc that has no
   GPU: the right-hand side and the solution are copied there once a solve and the solution back once (with a monitor or convergence test that may look at the
   solution, each time that it does). With any other matrix or preconditioner, or for `KSPSolveTranspose()`, products and preconditioning are PETSc's, and
   `-info` says why.

   On several ranks all inner products of an iteration are added up by one reduction, as with `KSPCGUseSingleReduction()`: the preconditioner and one product
   with the matrix are then applied once more than with `KSPCG`. A null space that is removed takes a reduction of its own.

   Where nobody looks at the solution on the way, a device goes on from one iteration to the next by itself, and the host follows what it tells. On several
   ranks their devices do so together, and add up by themselves, where they reach one another's memory (`-goza_halo peer`). `-goza_info` counts such iterations.

   With complex scalars matrix and preconditioner are to be Hermitian, as for `KSP_CG_HERMITIAN`; for `KSP_CG_SYMMETRIC` use `KSPFUSEDGMRES` or `KSPFUSEDBCGS`.

   Not supported: eigenvalue estimates (`KSPSetComputeEigenvalues()`), and the trust regions of `KSPCGSetRadius()`.

.seealso: `KSPCG`, `PCSAAMG`, `MATCDS`, `MATAUTOFORMAT`
M*/
PetscErrorCode KSPCreate_FusedCG(KSP ksp)
{
  PetscFunctionBegin;
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_PRECONDITIONED, PC_LEFT, 3));
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_UNPRECONDITIONED, PC_LEFT, 2));
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_NATURAL, PC_LEFT, 2));
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_NONE, PC_LEFT, 1));
  PetscCall(SetUpObject<FusedData<CgScalars>>(ksp, KSPSolve_FusedCG));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::ksp
