/* Set and Get functions of saamg: the polynomials of the Chebyshev smoother, by level. Setting something takes effect at the next set-up. */
#include "saamg_call.hpp"

/*@
  PCSAAMGSetChebyshevDegree - Sets the degree of the Chebyshev smoother's polynomial

  Logically Collective

  Input Parameters:
+ pc     - the preconditioner, of type `PCSAAMG`
. levels - where: `PC_SAAMG_FINEST`, `PC_SAAMG_INTERMEDIATE`, `PC_SAAMG_COARSEST` (where that is smoothed and not solved) or `PC_SAAMG_ALL_LEVELS`
- degree - 1 to 100 (paper P5: 2 to 4); or `PETSC_DECIDE`, the default, on the finest level: 3 where a node has one unknown or is coupled to others by little
           more than one entry a row, 4 where smoothing the levels below takes three quarters of a product with the matrix or more (27 points take half of
           one); else 2, or 3 where it takes three products; up to 8 on slivers, where lambda_max is 2.4 or more and coarse operators are nearly as large as the
           matrix; 5 where rows are too long for interpolation to be smoothed; 4 of fourth order. On the others 4, but 3 below two coarse corrections on
           the finest level, except along chains of nodes, where level 1 has rows too long for interpolation to be smoothed,
           and on solids that are thin or slivers

  Options Database Keys:
+ -pc_saamg_chebyshev_degree degree - on all levels
. -pc_saamg_finest_chebyshev_degree degree - on the finest
. -pc_saamg_intermediate_chebyshev_degree degree - on those between
- -pc_saamg_coarsest_chebyshev_degree degree - on the coarsest

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGGetChebyshevDegree()`, `PCSAAMGSetSmoother()`
@*/
SAAMG_SET_AND_GET_ON_LEVELS(PCSAAMGSetChebyshevDegree, PCSAAMGGetChebyshevDegree, PetscInt)

/*@
  PCSAAMGSetChebyshevRatio - Sets the lower end of the Chebyshev smoother's interval

  Logically Collective

  Input Parameters:
+ pc     - the preconditioner, of type `PCSAAMG`
. levels - where: `PC_SAAMG_FINEST`, `PC_SAAMG_INTERMEDIATE`, `PC_SAAMG_COARSEST` (where that is smoothed and not solved) or `PC_SAAMG_ALL_LEVELS`
- ratio - more than 1, finite: the polynomial smooths [lambda_max/ratio, lambda_max] (paper P5: 10 for Darcy flow, 30 for anisotropic diffusion); or
          `PETSC_DECIDE`, the default on the finest level: 7 up to lambda_max = 2.2, and from there to 15 for 3.2; 10 where rows of 7 points on a
          grid are aggregated in boxes;
          beyond 2.4 at least 0.8 times the degree's square, up to a bound of lambda_max in place of the estimate

  Options Database Keys:
+ -pc_saamg_chebyshev_ratio ratio - on all levels
. -pc_saamg_finest_chebyshev_ratio ratio - on the finest
. -pc_saamg_intermediate_chebyshev_ratio ratio - on those between
- -pc_saamg_coarsest_chebyshev_ratio ratio - on the coarsest

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGGetChebyshevRatio()`, `PCSAAMGSetSmoother()`
@*/
SAAMG_SET_AND_GET_ON_LEVELS(PCSAAMGSetChebyshevRatio, PCSAAMGGetChebyshevRatio, PetscReal)

/*@
  PCSAAMGSetChebyshevKind - Sets the kind of the Chebyshev smoother's polynomials

  Logically Collective

  Input Parameters:
+ pc     - the preconditioner, of type `PCSAAMG`
. levels - where: `PC_SAAMG_FINEST`, `PC_SAAMG_INTERMEDIATE`, `PC_SAAMG_COARSEST` (where that is smoothed and not solved) or `PC_SAAMG_ALL_LEVELS`
- kind   - `PC_SAAMG_CHEBYSHEV_FIRST` (the default): of the first kind, on the interval of `PCSAAMGSetChebyshevRatio()`; `PC_SAAMG_CHEBYSHEV_FOURTH`: of the
           fourth kind with optimal weights, on all of (0, lambda_max]

  Options Database Keys:
+ -pc_saamg_chebyshev_kind (1|4) - on all levels
. -pc_saamg_finest_chebyshev_kind (1|4) - on the finest
. -pc_saamg_intermediate_chebyshev_kind (1|4) - on those between
- -pc_saamg_coarsest_chebyshev_kind (1|4) - on the coarsest

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGGetChebyshevKind()`, `PCSAAMGSetSmoother()`
@*/
SAAMG_SET_AND_GET_ON_LEVELS(PCSAAMGSetChebyshevKind, PCSAAMGGetChebyshevKind, PCSAAMGChebyshevKind)
