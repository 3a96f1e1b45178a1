/* What a set-up takes where the user leaves the choice to saamg: from what it finds in the matrix. */
#include "petsc/plugin.hpp"
#include "parallel/agree.hpp"
#include "pc/saamg/setup/natural_numbers.hpp"
#include "saamg_data.hpp"
#include "saamg_multipliers.hpp"
#include <cstdlib>
#include <petsc/private/pcimpl.h>

namespace goza::saamg {

/* Whether interpolation is smoothed with the matrix and restriction with its transpose, where these differ. Where a flow dominates GMRES then takes a fifth to
   a third fewer iterations; where diffusion does, as many, for longer rows of the coarse operators. */
static bool adjoint_for(const Symmetry &found, PCSAAMGRestriction restriction, PCSAAMGInterpolation interpolation)
{
  if (found.symmetric || (interpolation != PC_SAAMG_INTERPOLATION_AUTO && interpolation != PC_SAAMG_INTERPOLATION_SMOOTHED)) return false;
  if (restriction != PC_SAAMG_RESTRICTION_AUTO) return restriction == PC_SAAMG_RESTRICTION_ADJOINT;
  return interpolation == PC_SAAMG_INTERPOLATION_AUTO && found.flow_dominates();
}

static SmoothedWith smoothing_for(const Symmetry &found, PCSAAMGInterpolation interpolation)
{
  switch (interpolation) {
  case PC_SAAMG_INTERPOLATION_SMOOTHED:
    return SmoothedWith::Matrix;
  case PC_SAAMG_INTERPOLATION_DIFFUSIVE:
    return SmoothedWith::DiffusivePart;
  case PC_SAAMG_INTERPOLATION_UNSMOOTHED:
    return SmoothedWith::Nothing;
  default:
    return found.symmetric ? SmoothedWith::Matrix : SmoothedWith::DiffusivePart;
  }
}

/* Of several near-null vectors each row has one unknown of a node, though the matrix's type may not know blocks. */
static bool has_modes(Mat A)
{
  MatNullSpace space    = NULL;
  PetscBool    constant = PETSC_FALSE;
  PetscInt     n        = 0;
  const Vec   *vecs;

  (void)MatGetNearNullSpace(A, &space);
  if (space) (void)MatNullSpaceGetVecs(space, &constant, &n, &vecs);
  return n + constant > 1;
}

/* Whether nodes are coupled by little more than one entry a row, as where each of their unknowns diffuses by itself. Collective. */
static bool is_loose(const OwnRows &rows, PetscInt bs, const CsrFacts &facts)
{
  if (bs == 1) return false;
  std::int64_t between = entries(rows.A) - static_cast<std::int64_t>(bs) * rows.A.nrows;

  rows.columns->sum(&between, 1);
  return 2 * between < (bs + 1) * facts.couplings;
}

/* Whether rows reach further than to the nodes around, as of quadrilaterals and hexahedra of degree 2 or more: 13 and 50 couplings a node for 8 and 26. An
   aggregate of a root and all of these is so wide that a vector's interpolation leaves much between; of those that are strong it is half as large. */
static bool reaches_far(PetscInt bs, const CsrFacts &facts)
{
  const double around = bs == 2 ? 8 : bs == 3 ? 26 : PETSC_INFINITY;

  return static_cast<double>(facts.couplings) > 1.4 * around * static_cast<double>(facts.coupled);
}

/* The threshold there, halved from level to level. Elasticity, Q2: 12 iterations for 17 and 18; 0.04 takes 13, 0.1 as many as 0.06. */
constexpr PetscReal threshold_far = static_cast<PetscReal>(0.06);

/* Of the largest entry, where its square or those of some rows' entries leave the range, or the entries that of a cycle in single precision, in which
   vectors are to have some room, too; else 0. Collective. */
static int exponent_to_scale(const SAAMG &mg, const StoredRows &rows, const LocalColumns &columns, const CsrFacts &facts)
{
  constexpr int of_single = 60, of_squares = 2 * std::numeric_limits<PetscReal>::max_exponent / 5, any = std::numeric_limits<PetscReal>::max_exponent - 2;
  const bool    low = mg.precision != PC_SAAMG_AUTO && mg.precision != PC_SAAMG_DOUBLE;

  if (!facts.finite || (facts.squares_finite && !facts.faint && !low)) return 0;
  const int exponent = largest_exponent(rows, columns);
  return std::abs(exponent) > (low ? PetscMin(of_single, of_squares) : of_squares) ? PetscMax(-any, PetscMin(any, exponent)) : 0;
}

/* What is not set is looked for; couplings: whether they are. facts: of the rows. */
static PetscErrorCode LookAt(PC pc, SAAMG *mg, const OwnRows &rows, const OperatorSource &exact, bool couplings, std::shared_ptr<CsrFacts> *facts)
{
  PetscBool                 known, symmetric, hermitian;
  ParOperator<PetscScalar> *op = nullptr;

  PetscFunctionBegin;
  const PetscInt bs = block_size_of(pc->pmat);
  mg->found         = {};
  mg->saddle        = {};
  mg->exponent      = 0;
  mg->loose         = false;
  PetscCall(MatIsSymmetricKnown(pc->pmat, &known, &symmetric));
  mg->told = known && symmetric;
  if (PetscDefined(USE_COMPLEX)) {
    PetscCall(MatIsHermitianKnown(pc->pmat, &known, &hermitian));
    hermitian = static_cast<PetscBool>(known && hermitian);
    if (!hermitian) { /* which a positive definite one is, though PETSc takes MAT_SPD for symmetric */
      PetscCall(MatIsSPDKnown(pc->pmat, &known, &hermitian));
      hermitian = static_cast<PetscBool>(known && hermitian);
    }
    mg->found.conjugated = !mg->told || hermitian;
    mg->told             = mg->told || hermitian;
  }
  if (exact) PetscCall(FailTogether(rows.columns->comm(), exact(&op), "hold its rows in the matrix's format"));
  PetscCall(PetscLogEventBegin(events.eigen, pc, 0, 0, 0));
  PetscCall(Together(rows.columns->comm(), "look at the matrix", [&] {
    const StoredRows stored(rows.A, op ? &op->diagonal_block() : nullptr);

    *facts       = std::make_shared<CsrFacts>(row_facts(stored, *rows.columns, bs, mg->hierarchy_options.rough_from));
    mg->exponent = exponent_to_scale(*mg, stored, *rows.columns, **facts);
    if (!(*facts)->finite || !(*facts)->squares_finite || mg->exponent) return; // as the set-up will find
    mg->loose = is_loose(rows, bs, **facts) && !has_modes(pc->pmat) && mg->dim != bs;
    if (!mg->told) mg->found = symmetry_of(stored, rows.columns, **facts);
    mg->saddle = saddle_of(stored, *rows.columns, **facts, (*facts)->real || (mg->found.symmetric && mg->found.conjugated));
    if (!mg->found.symmetric || !couplings) return;
    if (bs == 1) mg->couplings = couplings_of(stored, *rows.columns, **facts);
    else if (!stored.no_rows()) mg->jumps = jumps_of_nodes(rows.A, rows.columns, bs, **facts);
    mg->far = has_modes(pc->pmat) && !mg->jumps.there() && reaches_far(bs, **facts);
  }));
  PetscCall(PetscLogEventEnd(events.eigen, pc, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a saddle point all that a cycle could give is steps that lead nowhere: an error, but where the matrix is solved as it is, or its multipliers are. Rows of
   a node that is not symmetric may stand in any order. */
static PetscErrorCode RefuseSaddle(PC pc, const SAAMG *mg, const OwnRows &rows)
{
  const Saddle  &found  = mg->saddle;
  const bool     solved = rows.columns->nglobal() <= PetscMin(mg->hierarchy_options.coarse_limit, mg->taken.direct_limit);
  const PetscInt bs     = block_size_of(pc->pmat);

  std::unique_ptr<InnerPC> multipliers;

  PetscFunctionBegin;
  if (solved || (!found.hollow && !found.there()) || (bs > 1 && !mg->found.symmetric)) PetscFunctionReturn(PETSC_SUCCESS);
  if (found.hollow) {
    PetscCall(Together(comm_of(pc), "hold its multipliers", [&] { multipliers = std::make_unique<MultiplierPC>(); }));
    PetscCall(SetUpInner(pc, std::move(multipliers)));
  }
  PetscCheck(mg->inner || !found.there(), comm_of(pc), PETSC_ERR_SUP,
             "PC saamg: the matrix is that of a saddle point, as of Stokes' equations or of constraints: of %" PetscInt64_FMT " coupled rows %" PetscInt64_FMT
             " have a zero on the diagonal, and %" PetscInt64_FMT
             " an entry of the other sign that is outweighed. Use -pc_type fieldsplit -pc_fieldsplit_type schur%s "
             "with saamg for its fields (-fieldsplit_0_pc_type saamg)",
             (PetscInt64)found.rows, (PetscInt64)found.hollow, (PetscInt64)found.against, found.hollow ? " -pc_fieldsplit_detect_saddle_point" : "");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static bool AggregatesByValues(const HierarchyOptions &o) { return o.threshold > 0 || o.strong_share > 0 || o.by_heaviest; }

/* Whether the last aggregates serve: of threshold 0 they are made of the pattern and of which entries are zeros, else of values, which have hardly changed; and
   whether interpolations do. Nothing is looked at in a first set-up, nor where interpolations are places of a lattice. */
static PetscErrorCode SamePremises(PC pc, SAAMG *mg, const OwnRows &rows, const CsrFacts &facts, bool *same)
{
  const HierarchyOptions &o = mg->hierarchy_options;
  Premises                now;
  MatNullSpace            space;
  PetscInt                n = 0;
  const Vec              *vecs;

  PetscFunctionBegin;
  PetscCall(MatGetNearNullSpace(pc->pmat, &space));
  if (space) {
    PetscCall(PetscObjectGetId((PetscObject)space, &now.near_null));
    PetscCall(MatNullSpaceGetVecs(space, NULL, &n, &vecs));
  }
  for (PetscInt j = 0; j < n; j++) { now.vectors += state_of(vecs[j]); }
  now.couplings     = facts.couplings;
  now.threshold     = o.threshold;
  now.strong_share  = o.strong_share;
  now.by_heaviest   = o.by_heaviest;
  now.bends         = o.bends;
  now.rotations     = mg->rotations;
  now.smoothed_with = o.smoothed_with;
  now.adjoint       = o.adjoint;
  now.covered       = o.smoothed_alone && facts.covered;
  now.coordinates   = mg->coordinates_state;
  PetscCall(Together(rows.columns->comm(), "compare what its aggregates rest on", [&] {
    ValueSketch values;
    const bool  looks = mg->again && rows.columns->all(rows.A.ptr && mg->hierarchy.has_rows());
    const bool  alike = looks && nearly_same(rows.A, *rows.columns, facts.dinv, mg->values, values);

    now.settings                = SettingsChanged(*mg);
    *same                       = rows.columns->all(*same && mg->serving.serve && mg->premises.serve(now)) && (alike || !AggregatesByValues(o));
    mg->hierarchy_options.stays = *same && alike;
    if (!*same) mg->premises = std::move(now);
    mg->serving.set_up(*same);
    if (!o.stays) mg->values = std::move(values);
    mg->looked_at_values = looks;
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What update() is to find. By default the aggregates where they rest on the pattern alone, else, once there have been new values, the interpolation. */
static Keep WhatToKeep(const SAAMG &mg)
{
  switch (mg.reuse) {
  case PC_SAAMG_REUSE_AUTO:
    return !AggregatesByValues(mg.hierarchy_options) ? Keep::Aggregates : mg.looked_at_values ? Keep::Interpolation : Keep::Nothing;
  case PC_SAAMG_REUSE_PATTERN:
    return Keep::Aggregates;
  case PC_SAAMG_REUSE_INTERPOLATION:
    return Keep::Interpolation;
  default:
    return Keep::Nothing;
  }
}

/* Whether linear functions are to be near-null vectors beside constants, where no near-null space was given and rows have entries of both signs. */
static PetscErrorCode LookForBending(PC pc, SAAMG *mg, const OwnRows &rows, const GridBoxes &grid)
{
  const Couplings &found = mg->couplings;
  MatNullSpace     space = NULL;
  Array<PetscInt>  name;
  Lattice          lattice;

  PetscFunctionBegin;
  PetscCall(MatGetNearNullSpace(pc->pmat, &space));
  if (space || found.diagonal_sign == 0 || !found.rows || 20 * found.positive < found.rows || !rows.A.ptr) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscLogEventBegin(events.eigen, pc, 0, 0, 0));
  if (!grid.empty()) PetscCall(FailTogether(comm_of(pc), NaturalNumbers(grid, rows, 1, name, lattice), "number its nodes"));
  PetscCall(Together(comm_of(pc), "look for fourth order", [&] {
    mg->bending = bending_of(rows.A, *rows.columns, {name.data(), rows.columns->start(), 1, lattice});
  }));
  PetscCall(PetscLogEventEnd(events.eigen, pc, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether rotations are to be near-null vectors beside translations, where neither a near-null space nor coordinates were given. */
static PetscErrorCode LookForRotations(PC pc, SAAMG *mg, const OwnRows &rows, const GridBoxes &grid)
{
  const PetscInt  bs    = block_size_of(pc->pmat);
  MatNullSpace    space = NULL;
  Array<PetscInt> name;
  Lattice         lattice;

  PetscFunctionBegin;
  PetscCall(MatGetNearNullSpace(pc->pmat, &space));
  if (space || mg->dim || bs < 2 || bs > 3 || mg->loose || !mg->found.symmetric || !mg->found.conjugated || !rows.A.ptr) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscLogEventBegin(events.eigen, pc, 0, 0, 0));
  PetscCall(FailTogether(comm_of(pc), NaturalNumbers(grid, rows, bs, name, lattice), "number its nodes"));
  PetscCall(Together(comm_of(pc), "look for rotations", [&] {
    mg->rotations = rotations_of(rows.A, *rows.columns, {name.data(), rows.columns->start() / bs, bs, lattice});
  }));
  PetscCall(PetscLogEventEnd(events.eigen, pc, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rotations are of the values: where these have others, what is kept of their pattern does not serve. */
static PetscErrorCode RotationsAgain(PC pc, SAAMG *mg, const OwnRows &rows, bool *kept)
{
  const Rotations before = mg->rotations;
  GridBoxes       grid;

  PetscFunctionBegin;
  if (!*kept || mg->reuse != PC_SAAMG_REUSE_PATTERN || block_size_of(pc->pmat) == 1) PetscFunctionReturn(PETSC_SUCCESS);
  mg->rotations = {};
  PetscCall(FailTogether(comm_of(pc), FindGrid(pc, mg, &grid), "find its grid"));
  PetscCall(LookForRotations(pc, mg, rows, grid));
  *kept = mg->rotations.like(before);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether a level may do without another where its smoother covers its spectrum: a polynomial's interval is real, and levels that are asked to stay are to suit
   values to come. */
static bool SmoothedAlone(const SAAMG &mg)
{
  return mg.found.symmetric && mg.found.conjugated && mg.taken.smoothers[PC_SAAMG_COARSEST].which == smoother_named("chebyshev") &&
         (mg.reuse == PC_SAAMG_REUSE_AUTO || mg.reuse == PC_SAAMG_REUSE_NONE);
}

/* What was tuned is of these settings and of such a matrix, or goes. */
static PetscErrorCode CheckTuned(PC pc, SAAMG *mg)
{
  PetscFunctionBegin;
  if (!mg->tuned.done) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Together(comm_of(pc), "compare what it was tuned for", [&] {
    if (!mg->tuned.serve(SettingsChanged(*mg), AutomaticSmoother(*mg))) mg->tuned = {};
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How nodes are aggregated, and with which near-null vectors. */
static PetscErrorCode ChooseAggregates(PC pc, SAAMG *mg, const OwnRows &rows)
{
  HierarchyOptions &o = mg->hierarchy_options;
  GridBoxes         grid;

  PetscFunctionBegin;
  o.threshold = mg->threshold >= 0 ? mg->threshold : mg->far ? threshold_far : block_size_of(pc->pmat) == 1 ? mg->couplings.threshold() : mg->jumps.threshold();
  PetscCall(FailTogether(comm_of(pc), FindGrid(pc, mg, &grid), "find its grid"));
  const bool in_space = !grid.empty() && grid[0].points[0] > 1 && grid[0].points[1] > 1 && grid[0].points[2] > 1;

  PetscCall(LookForBending(pc, mg, rows, grid));
  PetscCall(LookForRotations(pc, mg, rows, grid));
  o.bends          = mg->bending.there();
  const bool signs = o.bends || (!has_modes(pc->pmat) && mg->couplings.of_both_signs(in_space));

  o.diagonal_sign = signs ? mg->couplings.diagonal_sign : 0;
  o.strong_share  = signs ? Couplings::strong_share : 0;

  o.by_heaviest       = mg->threshold < 0 && mg->couplings.by_heaviest();
  o.weak_by_direction = mg->threshold >= 0 || mg->far || mg->couplings.anisotropic();
  o.threshold_growth  = mg->jumps.there() ? NodeJumps::growth : o.weak_by_direction ? static_cast<PetscReal>(0.5) : 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ChooseForMatrix(PC pc, SAAMG *mg, const OwnRows &rows, const OperatorSource &exact, bool *kept, std::shared_ptr<CsrFacts> *facts)
{
  const bool by_itself = mg->reuse == PC_SAAMG_REUSE_AUTO;

  std::unique_ptr<InnerPC> scaled;

  PetscFunctionBegin;
  PetscCall(RotationsAgain(pc, mg, rows, kept));
  const bool anew = !*kept || by_itself;
  if (anew) mg->couplings = {}, mg->jumps = {}, mg->bending = {}, mg->rotations = {}, mg->far = false;
  PetscCall(LookAt(pc, mg, rows, exact, anew && mg->threshold < 0, facts));
  if (mg->exponent) {
    PetscCall(Together(comm_of(pc), "scale its matrix", [&] { scaled = std::make_unique<ScaledPC>(mg->exponent); }));
    PetscCall(SetUpInner(pc, std::move(scaled)));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(CheckTuned(pc, mg));
  PetscCall(TakeCycleOptions(pc, mg, mg->tuned.done ? mg->tuned.options : mg->cycle_options));
  PetscCall(RefuseSaddle(pc, mg, rows));
  if (mg->inner) PetscFunctionReturn(PETSC_SUCCESS);
  const SmootherChoice &finest      = mg->taken.smoothers[PC_SAAMG_FINEST];
  const bool            jacobi      = finest.which == smoother_named("jacobi");
  mg->hierarchy_options.alternating = jacobi && finest.options.jacobi_relax > 0.9;
  mg->hierarchy_options.stars       = !jacobi && finest.which != smoother_named("l1jacobi");
  if (anew) PetscCall(ChooseAggregates(pc, mg, rows));
  if (anew || mg->reuse != PC_SAAMG_REUSE_INTERPOLATION) {
    mg->hierarchy_options.adjoint       = adjoint_for(mg->found, mg->restriction, mg->interpolation);
    mg->hierarchy_options.smoothed_with = mg->hierarchy_options.adjoint ? SmoothedWith::Matrix : smoothing_for(mg->found, mg->interpolation);
    mg->hierarchy_options.conjugated    = mg->found.conjugated;
    mg->hierarchy_options.balanced      = mg->found.symmetric;
  }
  mg->hierarchy_options.smoothed_alone = SmoothedAlone(*mg);
  mg->hierarchy_options.stays          = false;
  if (by_itself) PetscCall(SamePremises(pc, mg, rows, **facts, kept));
  else mg->values = ValueSketch(), mg->looked_at_values = false;
  mg->hierarchy_options.looks       = mg->looked_at_values;
  mg->hierarchy_options.keep        = WhatToKeep(*mg);
  mg->hierarchy_options.sparing     = by_itself;
  mg->hierarchy_options.solved_rows = mg->taken.direct_limit;
  /* a host's ranks take less by rows, and so does a host where entries are weak */
  mg->hierarchy_options.by_place      = mg->space == Space::Cuda || rows.columns->size() == 1;
  mg->hierarchy_options.weak_by_place = mg->space == Space::Cuda || !rows.A.ptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::saamg
