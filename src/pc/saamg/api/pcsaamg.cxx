/* The preconditioner type saamg: PETSc's side of it. The method is in hierarchy.cxx (set-up) and cycle.cxx. */
#include "pcsaamg.hpp"
#include "petsc/plugin.hpp"
#include "parallel/agree.hpp"
#include "mat/common/format_kind.hpp"
#include "pc/saamg/setup/natural_numbers.hpp"
#include "pc/saamg/setup/near_null.hpp"
#include "saamg_data.hpp"
#include <petsc/private/matimpl.h>
#include <petsc/private/pcimpl.h>

namespace goza::saamg {

/* --- set-up */

/* The matrix that the set-up reads: the Pmat itself or, where its type is neither AIJ nor ours and leaders cannot have it, an AIJ copy. */
static PetscErrorCode FindRows(PC pc, SAAMG *mg, Mat *aij)
{
  Mat                       A = pc->pmat;
  PetscInt                  M, N;
  std::shared_ptr<GroupMat> grouped;

  PetscFunctionBegin;
  PetscCheck(A->assembled, comm_of(pc), PETSC_ERR_ARG_WRONGSTATE, "PC saamg: the matrix is not assembled");
  PetscCall(MatGetSize(A, &M, &N));
  PetscCheck(M == N, comm_of(pc), PETSC_ERR_ARG_SIZ, "PC saamg: the matrix must be square, but is %" PetscInt_FMT " x %" PetscInt_FMT, M, N);
  const bool seq = is_based_on(A, MATSEQAIJ), mpi = is_based_on(A, MATMPIAIJ);
  PetscCall(MatDestroy(&mg->converted));
  if (mg->owner && !mg->makes_rows) PetscCall(MatGetGroupMat(A, &grouped));
  if (!seq && !mpi && !mg->makes_rows && !grouped) {
    DM dm;

    PetscCheck(HasEntries(A), comm_of(pc), PETSC_ERR_SUP,
               "PC saamg needs a matrix of entries; '%s', or a block of it, has none: give KSPSetOperators() an assembled Pmat", ((PetscObject)A)->type_name);
    PetscCall(PetscInfo(pc, "Matrix of type %s is converted to AIJ\n", ((PetscObject)A)->type_name));
    PetscCall(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &mg->converted));
    PetscCall(MatBindToCPU(mg->converted, is_bound(A))); /* a new AIJ counts as the host's, and its hierarchy would, too */
    PetscCall(MatGetDM(A, &dm));
    if (dm) PetscCall(MatSetDM(mg->converted, dm)); /* a group's leader numbers nodes along its grid */
    A = mg->converted;
  }
  *aij = A;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode HoldNearNull(PC pc, SAAMG *mg, NearNull &modes)
{
  PetscFunctionBegin;
  PetscCall(FailTogether(comm_of(pc), NearNullVectors(pc->pmat, mg->coordinates, mg->dim, mg->space, modes), "hold its near-null vectors"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Builds the hierarchy, or fills in new values. */
static PetscErrorCode SetUpHierarchy(PC pc, SAAMG *mg, OwnRows &rows, NearNull &modes, bool values_only, bool *finite, bool *wants_rows)
{
  std::shared_ptr<CsrFacts> facts;

  PetscFunctionBegin;
  if (!values_only || (mg->cycle && mg->cycle_precision != WantedPrecision(*mg)))
    mg->cycle.reset(); /* nothing of it would stay, and it may hold the matrix's format, which then could not be refilled */
  else if (mg->cycle) mg->cycle->let_go_of_finest();
  const bool half                  = mg->space == Space::Cuda && WantedPrecision(*mg) == PC_SAAMG_HALF;
  mg->hierarchy_options.half_pairs = half && !PetscDefined(USE_REAL_SINGLE);
  mg->hierarchy_options.rough_from = half ? least_rough_bytes : no_rough_rows;
  PetscCall(FailTogether(comm_of(pc), HoldDiagonals(pc, mg, &rows), "hold its diagonals"));
  const OperatorSource exact = ExactSource(mg, rows);
  PetscCall(ChooseForMatrix(pc, mg, rows, exact, &values_only, &facts));
  if (mg->inner) PetscFunctionReturn(PETSC_SUCCESS);
  if (!values_only) mg->cycle.reset();
  mg->hierarchy_options.rows_lent = WantedPrecision(*mg) == PC_SAAMG_DOUBLE;
  if (values_only) {
    PetscCall(mg->hierarchy.update(rows.A, mg->hierarchy_options, finite, exact, facts, MakesRowsAgain(mg, &rows)));
    if (*finite && mg->hierarchy.outgrown()) PetscCall(SetUpHierarchy(pc, mg, rows, modes, false, finite, wants_rows));
  } else {
    Array<PetscInt> name;
    Lattice         lattice;
    GridBoxes       grid;

    if (!modes.k) PetscCall(HoldNearNull(pc, mg, modes));
    PetscCall(FailTogether(comm_of(pc), FindGrid(pc, mg, &grid), "find its grid"));
    *wants_rows = mg->by_diagonals && grid.empty();
    if (*wants_rows) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(FailTogether(comm_of(pc), NaturalNumbers(grid, rows, modes.bs, name, lattice), "number its nodes"));
    if (mg->hierarchy_options.bends) {
      PetscCall(Together(comm_of(pc), "hold linear functions", [&] {
        lattice = mg->bending.lattice;
        modes.k = mg->bending.functions();
        modes.B = linear_functions(mg->bending, {name.data(), rows.columns->start()}, rows.A.nrows, mg->space);
      }));
    }
    if (mg->rotations.there()) {
      PetscCall(Together(comm_of(pc), "hold rotations", [&] {
        modes.k = mg->rotations.functions();
        modes.B = rigid_body_modes(mg->rotations, {name.data(), rows.columns->start() / modes.bs, modes.bs}, rows.A.nrows, mg->space);
      }));
    }
    PetscCall(FailTogether(comm_of(pc), PredictMemory(pc, mg, rows, lattice, modes), "forecast its memory"));
    PetscCall(
      mg->hierarchy.build({rows.A, rows.columns, modes.bs, modes.k, std::move(modes.B), std::move(name), lattice, exact, facts, MakesRowsAgain(mg, &rows)},
                          mg->hierarchy_options, finite));
    *wants_rows = *finite && mg->hierarchy.wants_rows();
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A: what is read, the Pmat or what was made of it. */
static PetscErrorCode SetUpLevels(PC pc, Mat A, bool *wants_rows)
{
  SAAMG   *mg     = static_cast<SAAMG *>(pc->data);
  bool     finite = true, same_pattern;
  Space    space;
  PetscInt N;
  OwnRows  rows;
  NearNull modes;

  PetscFunctionBegin;
  PetscCall(use_petsc_stream());
  (void)device::most_bytes_in_use();
  mg->most                            = 0;
  const std::size_t      before       = device::bytes_in_use();
  const PetscObjectState nonzerostate = nonzero_state_of(pc->pmat);
  space                               = space_of(pc->pmat);
  same_pattern = !mg->hierarchy.empty() && nonzerostate == mg->nonzerostate && pc->flag != DIFFERENT_NONZERO_PATTERN && space == mg->space;
  mg->again    = same_pattern;
  mg->space    = space;
  mg->transposed.reset();
  if (!same_pattern) mg->automatic.forget_trial(), mg->tuned = {};
  WatchPrecision(mg, same_pattern);
  const PetscObjectId id = id_of(A);
  if (!same_pattern) PetscCall(FailTogether(comm_of(pc), RoomForNearNull(pc->pmat, space, modes), "hold its near-null vectors"));
  PetscCall(OpenRows(mg, same_pattern && mg->ascending == id, &rows));
  mg->ascending = rows.ascend ? id : 0;
  PetscCall(MatGetSize(pc->pmat, &N, nullptr));
  mg->automatic.few = space == Space::Cuda && N < AutoPrecision::least_rows;
  if (modes.beside) PetscCall(HoldNearNull(pc, mg, modes)); /* while a device makes the rows */
  PetscCall(SetUpHierarchy(pc, mg, rows, modes,
                           same_pattern && (mg->reuse == PC_SAAMG_REUSE_INTERPOLATION || (mg->reuse != PC_SAAMG_REUSE_NONE && mg->kept == mg->reuse)), &finite,
                           wants_rows));
  if (*wants_rows) PetscFunctionReturn(PETSC_SUCCESS);
  if (mg->inner) {
    mg->cycle.reset();
    mg->hierarchy.reset();
    PetscCall(PCSetFailedReason(pc, mg->inner->pc()->failedreason));
    PetscCall(rows.close());
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  mg->nonzerostate = nonzerostate;
  mg->kept         = mg->hierarchy_options.keep == Keep::Nothing ? PC_SAAMG_REUSE_NONE : mg->reuse;
  if (!finite) {
    PetscCall(PetscInfo(pc, "The matrix holds a NaN or Inf, or the set-up made one\n"));
    mg->cycle.reset();
    PetscCall(PCSetFailedReason(pc, PC_SETUP_ERROR));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PCSetFailedReason(pc, PC_NOERROR));
  PetscCall(PetscLogEventBegin(events.mirror, pc, 0, 0, 0));
  PetscCall(TakeCycleOptions(pc, mg, mg->tuned.done ? mg->tuned.options : mg->cycle_options)); /* again, by the levels */
  PetscCall(MakeCycle(pc, mg));
  PetscCall(TuneCycle(pc, mg));
  mg->hierarchy.release(mg->hierarchy_options);
  PetscCall(PetscLogEventEnd(events.mirror, pc, 0, 0, 0));
  mg->most = std::max(mg->most, device::most_bytes_in_use());
  PetscCall(rows.close());
  if (space == Space::Cuda) PetscCall(TellMemory(pc, before, mg->most));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetUp(PC pc)
{
  SAAMG *mg = static_cast<SAAMG *>(pc->data);
  Mat    A  = NULL;
  bool   by_leaders, wants_rows = false;

  PetscFunctionBegin;
  PetscCall(PetscObjectReference((PetscObject)pc->pmat));
  PetscCall(MatDestroy(&mg->matrix));
  mg->matrix = pc->pmat;
  mg->inner.reset();
  PetscCall(use_petsc_stream());
  PetscCall(DiagonalsMayServe(pc, mg, &mg->by_diagonals));
  if (mg->by_diagonals) {
    PetscCall(SetUpLevels(pc, pc->pmat, &wants_rows));
    if (!wants_rows) PetscFunctionReturn(PETSC_SUCCESS);
    mg->by_diagonals = false;
    mg->hierarchy.reset();
  }
  PetscCall(FindRows(pc, mg, &A));
  PetscCall(SetUpGroup(pc, A, &by_leaders));
  if (!by_leaders) PetscCall(SetUpLevels(pc, A, &wants_rows));
  PetscCall(CloseRows(mg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCReset_SAAMG(PC pc);

/* Of a set-up that fails halfway, for want of memory for instance, on one rank or on all, nothing stays on any: a later one begins anew. */
static PetscErrorCode PCSetUp_SAAMG(PC pc)
{
  PetscErrorCode failed = ranks_of(pc) > 1 ? AgreeOnSettings(pc) : PETSC_SUCCESS;

  PetscFunctionBegin;
  if (!failed) failed = FailTogether(comm_of(pc), SetUp(pc), "set up its part of PC saamg");
  if (failed) {
    (void)PCReset_SAAMG(pc);
    pc->setupcalled = PETSC_FALSE; /* else PETSc takes the matrix for one that it was set up with */
  }
  PetscCall(failed);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- application */

PetscErrorCode PCApply_SAAMG(PC pc, Vec b, Vec x)
{
  SAAMG *mg = static_cast<SAAMG *>(pc->data);

  PetscFunctionBegin;
  if (mg->group || mg->inner) {
    PetscCall(mg->group ? mg->group->apply(PCApply, b, x) : mg->inner->apply(PCApply, false, b, x));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!mg->cycle) { /* a failed set-up: KSP has the reason */
    PetscCall(VecFlag(x, 1));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(ApplyCycle(mg, *mg->cycle, b, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool PCIsSAAMG(PC pc) { return pc->ops->apply == PCApply_SAAMG; }

Cycle *cycle_of(PC pc, Space space)
{
  const SAAMG *mg = PCIsSAAMG(pc) ? static_cast<SAAMG *>(pc->data) : nullptr;

  return mg && mg->space == space && mg->range != Range::Outside ? mg->cycle.get() : nullptr;
}

/* --- the rest of the PC's life */

static PetscErrorCode PCReset_SAAMG(PC pc)
{
  SAAMG *mg = static_cast<SAAMG *>(pc->data);

  PetscFunctionBegin;
  mg->cycle.reset();
  mg->transposed.reset();
  mg->hierarchy.reset();
  mg->group.reset();
  mg->inner.reset();
  mg->tuned = {}, mg->values = ValueSketch();
  PetscCall(MatDestroy(&mg->matrix));
  PetscCall(MatDestroy(&mg->converted));
  mg->staged_b = Stage();
  mg->staged_x = Stage();
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCDestroy_SAAMG(PC pc)
{
  PetscFunctionBegin;
  PetscCall(PCReset_SAAMG(pc));
  PetscCall(ComposeSAAMG(pc, false));
  delete static_cast<SAAMG *>(pc->data);
  pc->data = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

SAAMG::SAAMG()
{
  if (default_space() == Space::Cuda) hierarchy_options.gather_limit = 10000; /* exchanges cost more there than rows */
}

/*MC
   PCSAAMG - "saamg": smoothed-aggregation algebraic multigrid, on the host or on an NVIDIA GPU

   Options Database Keys:
+ -pc_saamg_threshold t                        - strength of connection, 0 <= t < 1: weaker entries are left out of the aggregates; -1 (default): by the matrix
. -pc_saamg_max_levels n                       - most levels
. -pc_saamg_coarse_limit n                     - rows at which coarsening stops
. -pc_saamg_max_complexity c                   - entries of all levels over those of the finest that may not be exceeded (default 2.5)
. -pc_saamg_aggressive_levels n                - finest levels whose aggregates are aggregated once more
. -pc_saamg_coarse_interpolation_degree n      - degree of the polynomial that smooths the interpolation of the levels below the finest
. -pc_saamg_interpolation (auto|smoothed|diffusive|unsmoothed) - what interpolation is smoothed with: the matrix, its diffusive part, nothing; auto
                                        (default): the matrix where that is symmetric, else its diffusive part
. -pc_saamg_restriction (auto|transpose|adjoint) - restriction: the transpose of interpolation, or smoothed with the transpose of the matrix; auto
                                        (default): the latter where a flow dominates
. -pc_saamg_cycle (v|w)                        - cycle; v makes a second coarse correction on the finest level, or the next, where that takes little
. -pc_saamg_direct_limit n                     - rows up to which the coarsest level is solved; a larger one is smoothed
. -pc_saamg_gather_limit n                     - rows a rank below which a level goes to fewer ranks
. -pc_saamg_smoother (jacobi|chebyshev|mcgs|l1jacobi|auto) - smoother; auto (default): chebyshev where the matrix is symmetric, else mcgs, whose colours then
                                        follow the flow (on a GPU they are few instead), or, where that diverges, l1jacobi; this and the next seven
                                        also as -pc_saamg_finest_..., -pc_saamg_intermediate_..., -pc_saamg_coarsest_...
. -pc_saamg_sweeps n                           - applications of the smoother before and after the coarse correction
. -pc_saamg_jacobi_relax w                     - relaxation of Jacobi; less is used where that would diverge
. -pc_saamg_chebyshev_degree n                 - degree of the Chebyshev polynomial (default: -1: on the finest level 4 where a node has one unknown or is
                                        coupled by little more than an entry a row, 3 where the levels below are small; else 2, or 3 where they are large
                                        or solids thin; up to 8 on slivers, 5 beside hubs, 4 of fourth order; on others 4, or 3 below two corrections)
. -pc_saamg_chebyshev_kind (1|4)               - kind of the Chebyshev polynomial
. -pc_saamg_chebyshev_ratio r                  - smooths [lambda_max/r, lambda_max] (default: 10; on the finest level -1, 7 to 15 by lambda_max, and 10
                                        where 7 points are in boxes)
. -pc_saamg_mcgs_relax w                       - relaxation of mcgs (default 1)
. -pc_saamg_mcgs_coupling (global|local)       - mcgs between ranks: as on one rank, or Jacobi
. -pc_saamg_esteig_iterations n                - Lanczos steps of the estimate of lambda_max (default: -1, 6; 5 of dominant rows, none weak; 12 of few rows,
                                        or where few rows make up much of the last vector)
. -pc_saamg_precision (auto|double|mixed|single|half) - precision of the cycle; mixed: the finest level in double, the others in single; half: single, with the
                                        operators and interpolations stored in half;
                                        auto (default): see the notes
. -pc_saamg_paper (none|darcy|anisotropic)     - the settings of the paper below for its two problems, where no other option names them; see `PCSAAMGSetPaper()`
. -pc_saamg_tune (none|quick|full)             - what is looked for where many solves are likely; see `PCSAAMGSetTune()`
- -pc_saamg_reuse (auto|none|pattern|interpolation) - what is kept when values change and the pattern does not; see `PCSAAMGSetReuse()`

  Level: intermediate

  Notes:
  The near-null space is taken from `MatSetNearNullSpace()` or `PCSetCoordinates()` (rigid-body modes); else the constant of each component, and beside it
  linear functions or rotations where the rows ask for them (below).
  Where the matrix is of a `DMDA`, or its rows show that they were numbered along a grid, aggregates are laid out on it, 3 x 3 x 3 nodes of 27 points each and 3
  along lines of strong coupling, so that coarse operators are those of grids, too. Planes of Dirichlet nodes are no part of that grid. On one rank and on
  GPUs, with one unknown a node, where the aggregates are boxes the set-up computes interpolations and coarse operators by place, without a search.
  Where no near-null space is given and a symmetric matrix of one unknown a node is of fourth order on such a grid, as of plates that bend, which rows show that
  reach two points and take linear and square functions of the points for zeros, near-null vectors are the constant and these linear functions; the view says
  so. A near-null space of the constant alone leaves it at that. Aggregates are then 3 x 3 x 3 points whatever the entries are.
  Where neither a near-null space nor coordinates are given and a symmetric matrix of two or three unknowns a node is of elasticity on such a grid, which rows
  at a surface or between materials show that take rotations of the grid for zeros, near-null vectors are the rigid-body modes; the view says so.
  Rows without off-diagonal entries (Dirichlet) are smoothed and not coarsened. A singular coarsest operator is inverted on its range.
  Where rows are so long that the coarse operators of a smoothed interpolation would fill up, as on graphs with hubs, a level's interpolation is not smoothed;
  the view says so. Where a level would make the operators of all levels larger than `PCSAAMGSetMaxComplexity()` allows, it is coarsened aggressively, and where
  that is not enough coarsening stops; the view says so.
  What the options leave open is chosen in each set-up by the matrix, and the view says what was found and chosen. Whether the matrix is symmetric costs two
  products, unless `MatSetOption()` said so with `MAT_SYMMETRIC`; rows that differ from their columns by less than a hundredth, and Dirichlet values that were
  not eliminated, do not count. Of what follows a matrix of half a million rows and more is looked at in some 260 000 of them, and in all where these show
  any. In a symmetric M-matrix with many weak entries, as on a stretched grid, or with few beside which all others are far larger, as where coefficients jump,
  aggregates follow the strong ones; where in a sixth of its rows one entry comes to 0.75 of the diagonal, or in few of them and entries of all sizes make up
  a fifth, as where coefficients vary by chance from cell to cell, each row's largest; where many entries are of the diagonal's sign, as of elements that are
  long or of higher order, those of the other sign that come to 0.35 of their row's largest; on a grid in space of a `DMDA` only where points are ten times as
  dense along one axis as along the others. In a symmetric matrix of nodes with several unknowns, whose blocks are then measured by their Frobenius norms,
  aggregates do not reach across where stiffness jumps: where a hundredth of its couplings or more are small beside diagonals that differ thirtyfold, and next
  to none between diagonals that are alike; elsewhere they follow entries of 0.06 of the diagonals if near-null vectors are given and nodes are coupled beyond
  those around, as of quadrilaterals and hexahedra of degree 2. The finest level's interpolation is smoothed without the entries that are weak; those below it
  with whole operators, but on such grids. Where rows of one unknown a node have 8 entries on the average that are not weak, or fewer, as of 5 and 7 points,
  it is smoothed a second time within its pattern, which takes a tenth less iterations, and so are those below if no entry is weak and their rows have 40 or
  fewer; the view says so. Where rows have three or four entries on the average, as of graphs of chains and streets, and the next level does not fill up, it
  is smoothed by a polynomial of degree 3 or 2, which takes a quarter less iterations; the view says so. In a symmetric matrix rows whose other entries come
  to more than their diagonal one, as beside slivers, are relaxed less.

  With complex scalars restriction is the conjugate transpose of interpolation, and the preconditioner of a Hermitian matrix is Hermitian; of a matrix that is
  symmetric and not Hermitian, as of waves in a lossy medium, it is the transpose, and the preconditioner is symmetric. Which of the two costs two products or
  four, unless `MatSetOption()` said so with `MAT_HERMITIAN` or `MAT_SYMMETRIC`.

  On a GPU the cycle is in half precision by itself where that does no harm and saves time: there are 32 768 rows or more, the Krylov method is one whose
  residuals stay true whatever the preconditioner rounds (`KSPFUSEDCG`, `KSPFUSEDBCGS`, `KSPFUSEDGMRES`; from the second solve on `KSPCG`, `KSPFCG`,
  `KSPFBCGS`, `KSPFBCGSR`, `KSPFGMRES`, `KSPGCR`, `KSPRICHARDSON`), and a trial in the set-up shows that the cycle reduces smooth errors as well as in double.
  A solve that fails with it is the last: the next one is in double. The view says what was found. Behind other methods, as `KSPGMRES`, whose preconditioned
  residual may become small where the true one does not, the cycle is in double, and so it is on the host, but for `PCSAAMGSetTune()` and where slivers ask
  for smoothers of degree 5 and more, so that a solve takes long: there it is in single, from the first solve on, behind the same methods and after the same
  trial. Where another is set, the view says so if a solve left a true residual over 1000 times what was asked for.

  A matrix with a NaN or Inf gives `PC_SETUP_ERROR`, no abort. One whose entries' squares overflow or vanish, or whose entries leave the range of a precision
  that is set, is scaled by a power of two, and so is a right-hand side that leaves single precision's range. A saddle point, as of Stokes' equations or of an
  energy with constraints, is an error that says so: more than 20 coupled rows make a block of zeros on the diagonal, or a fortieth have an entry there of the
  other sign to which the rest would add a tenth and more of it. `PCFIELDSPLIT` with a Schur complement, and `PCSAAMG` for its fields, is for these. Not so
  where the coarsest level's solver takes all of it, nor where the zeros are the rows of Lagrange multipliers that fix one unknown each, or of a hundred
  others at most: such pairs, and the others' Schur complement, are inverted, and the levels are those of the rest.

  Levels, aggregates, colours and iteration counts do not depend on the number of ranks, but for mcgs where `PCSAAMGSetMCGSCoupling()` makes it Jacobi between
  ranks.

  Source: A. T. Araya, A. Fujii, T. Tanaka, smoothed-aggregation AMG on a GPU cluster; P. Vanek, J. Mandel, M. Brezina, Computing 56 (1996).

.seealso: `PCGAMG`, `PCFIELDSPLIT`, `PCSAAMGSetThreshold()`, `PCSAAMGSetSmoother()`, `PCSAAMGSetPrecision()`
M*/
PetscErrorCode PCCreate_SAAMG(PC pc)
{
  SAAMG *mg = nullptr;

  PetscFunctionBegin;
  PetscCall(Together(comm_of(pc), "hold a PC saamg", [&] { mg = new SAAMG; }));
  pc->data                = mg;
  pc->ops->setup          = PCSetUp_SAAMG;
  pc->ops->apply          = PCApply_SAAMG;
  pc->ops->applytranspose = PCApplyTranspose_SAAMG;
  pc->ops->presolve       = PCPreSolve_SAAMG;
  pc->ops->postsolve      = PCPostSolve_SAAMG;
  pc->ops->reset          = PCReset_SAAMG;
  pc->ops->destroy        = PCDestroy_SAAMG;
  pc->ops->setfromoptions = PCSetFromOptions_SAAMG;
  pc->ops->view           = PCView_SAAMG;
  PetscCall(ComposeSAAMG(pc, true));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::saamg
