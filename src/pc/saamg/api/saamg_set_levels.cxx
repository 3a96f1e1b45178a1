/* Set and Get functions of saamg: how the levels are made. Setting something takes effect at the next set-up. */
#include "saamg_call.hpp"

/*@
  PCSAAMGSetThreshold - Sets the strength below which a connection is left out of the aggregates

  Logically Collective

  Input Parameters:
+ pc - the preconditioner, of type `PCSAAMG`
- threshold - 0 <= threshold < 1: i and j are connected when |a_ij|^2 > threshold^2 |a_ii a_jj| (0 keeps every nonzero); halved on each coarser level;
              or `PETSC_DECIDE` (default): 0, or half of what an entry is where all are alike if the matrix is a symmetric M-matrix in which a quarter of the
              entries are weaker than that, as on stretched grids; where in a sixth of such a matrix's rows one entry comes to 0.75 of the diagonal, or in a
              thirty-second of them and a fifth of the entries are from a thirtieth to half of what one is where all are alike, aggregates follow each row's
              largest, in the latter case with threshold 0; between the entries across jumps of the coefficients and the others, on every level, where such a
              matrix shows jumps; where entries are of both signs, and a quarter of them of the diagonal's or below 0.35 of their row's largest, the others
              are connections; of nodes with several unknowns 0.4 of what an entry is where all are alike, doubled on each coarser level, where their
              stiffness jumps, and 0.06 where they have near-null vectors and far more couplings than there are nodes around, as of hexahedra of degree 2

  Options Database Key:
. -pc_saamg_threshold threshold - the strength below which a connection is left out of the aggregates

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGGetThreshold()`
@*/
SAAMG_SET_AND_GET(PCSAAMGSetThreshold, PCSAAMGGetThreshold, PetscReal)

/*@
  PCSAAMGSetAggressiveLevels - Sets on how many levels the aggregates are aggregated once more

  Logically Collective

  Input Parameters:
+ pc - the preconditioner, of type `PCSAAMG`
- levels - at least 0 (the default): the finest so many levels are coarsened aggressively

  Options Database Key:
. -pc_saamg_aggressive_levels levels - the number of finest levels that are coarsened aggressively

  Level: intermediate

  Note:
  The levels below become much smaller, and the set-up and the memory with them; the number of iterations grows.

.seealso: `PCSAAMG`, `PCSAAMGGetAggressiveLevels()`, `PCSAAMGSetThreshold()`
@*/
SAAMG_SET_AND_GET(PCSAAMGSetAggressiveLevels, PCSAAMGGetAggressiveLevels, PetscInt)

/*@
  PCSAAMGSetCoarseInterpolationDegree - Sets the degree of the polynomial that smooths the interpolation of the levels below the finest

  Logically Collective

  Input Parameters:
+ pc - the preconditioner, of type `PCSAAMG`
- degree - 1 (the default) to 10

  Options Database Key:
. -pc_saamg_coarse_interpolation_degree degree - the degree

  Level: advanced

  Notes:
  The interpolation is a polynomial in $D^{-1} A$, of degree 1 on the finest level, times that of the aggregates. Its roots are those of
  $T_{2d+1}(\sqrt{t/\lambda_{max}}) / \sqrt{t}$, which makes the energy of its columns least (Brezina, Vanek, Vassilevski 2012).

  Of degree 2 it serves Darcy flow, for instance, where the second level is a ninth of the first and its rows may grow: a third to a half of the iterations
  less, most where the field jumps. Weak entries, which `PCSAAMGSetThreshold()` leaves out of an interpolation of degree 1, are then taken in: where levels are
  coarsened along lines, rows grow too much.

.seealso: `PCSAAMG`, `PCSAAMGGetCoarseInterpolationDegree()`, `PCSAAMGSetThreshold()`
@*/
SAAMG_SET_AND_GET(PCSAAMGSetCoarseInterpolationDegree, PCSAAMGGetCoarseInterpolationDegree, PetscInt)

/*@
  PCSAAMGSetMaxLevels - Sets the largest number of levels

  Logically Collective

  Input Parameters:
+ pc - the preconditioner, of type `PCSAAMG`
- levels - at least 1

  Options Database Key:
. -pc_saamg_max_levels levels - the largest number of levels

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGGetMaxLevels()`
@*/
SAAMG_SET_AND_GET(PCSAAMGSetMaxLevels, PCSAAMGGetMaxLevels, PetscInt)

/*@
  PCSAAMGSetCoarseLimit - Sets the number of rows at which coarsening stops and the operator is inverted

  Logically Collective

  Input Parameters:
+ pc - the preconditioner, of type `PCSAAMG`
- rows - at least 1; the inverse is dense, on every rank

  Options Database Key:
. -pc_saamg_coarse_limit rows - the number of rows at which coarsening stops and the operator is inverted

  Level: intermediate

.seealso: `PCSAAMG`, `PCSAAMGGetCoarseLimit()`
@*/
SAAMG_SET_AND_GET(PCSAAMGSetCoarseLimit, PCSAAMGGetCoarseLimit, PetscInt)

/*@
  PCSAAMGSetEstEigIterations - Sets the number of Lanczos steps that estimate the largest eigenvalue of D^-1 A on each level

  Logically Collective

  Input Parameters:
+ pc - the preconditioner, of type `PCSAAMG`
- its - 2 to 100 (paper P5: 50); one step alone finds the mean of the eigenvalues, which is 1, and with it smoothers and interpolations would diverge, as they
        may with 2 (`KSP_DIVERGED_INDEFINITE_PC`); a symmetric level of at most 24 rows takes as many as it has rows; or `PETSC_DECIDE`, the default: 6, or 5
        where the matrix is symmetric and no row outweighs its diagonal, so that no eigenvalue is beyond 2; 12 on the finest level where a matrix has 2000 rows
        or fewer and one outweighs its diagonal, and where after these steps few rows make up much of the vector, which has not come to an eigenvector of
        theirs yet

  Options Database Key:
. -pc_saamg_esteig_iterations its - the number of Lanczos steps that estimate the largest eigenvalue of D^-1 A on each level

  Level: intermediate

  Notes:
  Where a device's cycle is in half precision, the steps of a level whose diagonals take 96 MB and more, none of whose rows outweighs its diagonal, multiply
  with a copy of them in half precision. No eigenvalue of that is further than 0.0015 from one of D^-1 A, and so much is added to what is found.

.seealso: `PCSAAMG`, `PCSAAMGGetEstEigIterations()`
@*/
SAAMG_SET_AND_GET(PCSAAMGSetEstEigIterations, PCSAAMGGetEstEigIterations, PetscInt)

/*@
  PCSAAMGSetReuse - Sets what is kept when the values of the matrix change and its pattern does not

  Logically Collective

  Input Parameters:
+ pc - the preconditioner, of type `PCSAAMG`
- reuse - `PC_SAAMG_REUSE_AUTO` (default), `PC_SAAMG_REUSE_NONE`, `PC_SAAMG_REUSE_PATTERN` (keep the aggregates; redo the interpolation and the coarse
          operators) or `PC_SAAMG_REUSE_INTERPOLATION` (keep the interpolation too)

  Options Database Key:
. -pc_saamg_reuse (auto|none|pattern|interpolation) - what is kept when the values of the matrix change and its pattern does not

  Level: intermediate

  Notes:
  By default the aggregates stay where they rest on the pattern: no threshold of strength is set or found in the matrix, as many entries as before are more than
  rounding, and neither settings nor near-null vectors are others. Where the pattern leaves it open how nodes join, they stay as the earlier values had it. The
  patterns of the coarse operators' products, which take memory, stay from the second set-up on. From then on the interpolation stays, too, and aggregates that
  rest on values, as with a threshold, where values have hardly changed since it was made: where D^-1 A times a vector of hashed signs differs by more than a
  tenth in no more than a thousandth of the rows. Operators of the levels below are looked at in the same way: where one has changed, the interpolations from
  it on are made anew, or, with aggregates that rest on values, all. After a solve whose iterations gain less than four fifths of the digits that they gained
  when the levels were made, all is made anew.

.seealso: `PCSAAMG`, `PCSAAMGGetReuse()`
@*/
SAAMG_SET_AND_GET(PCSAAMGSetReuse, PCSAAMGGetReuse, PCSAAMGReuse)
