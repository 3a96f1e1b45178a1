/* What -ksp_view says of saamg. */
#include "parallel/agree.hpp"
#include "saamg_data.hpp"
#include <petsc/private/pcimpl.h>

namespace goza::saamg {

/* What couplings were found to be like, what near-null vectors and aggregates follow from that. */
static PetscErrorCode ViewCouplings(SAAMG *mg, PetscViewer viewer)
{
  PetscFunctionBegin;
  if (mg->rotations.there())
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "  its rows take rotations of the grid's points for zeros, as a body's: near-null vectors are its %" PetscInt_FMT
                                     " rigid-body modes\n",
                                     mg->rotations.functions()));
  if (mg->hierarchy_options.bends)
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "  %.3g %% of its rows take linear and square functions of the grid's points for zeros, as of fourth order: near-null "
                                     "vectors are %" PetscInt_FMT " constant and linear ones\n",
                                     100. * (double)mg->bending.bent / (double)mg->bending.rows, mg->bending.functions()));
  else if (mg->hierarchy_options.by_heaviest)
    PetscCall(
      PetscViewerASCIIPrintf(viewer,
                             "  one coupling outweighs all others in %.3g %% of its rows: aggregates follow each row's largest, strength threshold %.3g\n",
                             100. * (double)mg->couplings.ruled / (double)mg->couplings.rows, (double)mg->hierarchy_options.threshold));
  else if (mg->couplings.anisotropic())
    PetscCall(PetscViewerASCIIPrintf(viewer, "  %.3g %% of its couplings are weak, and it is an M-matrix: strength threshold %.3g\n",
                                     100. * (double)mg->couplings.weak / (double)mg->couplings.edges, (double)mg->hierarchy_options.threshold));
  else if (mg->couplings.jump())
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "  %.3g %% of its couplings are as nothing beside the diagonals, as where coefficients jump, and it is an M-matrix: "
                                     "strength threshold %.3g\n",
                                     100. * (double)mg->couplings.across().couplings / (double)mg->couplings.edges, (double)mg->hierarchy_options.threshold));
  else if (mg->jumps.there())
    PetscCall(PetscViewerASCIIPrintf(viewer, "  %.3g %% of its nodes' couplings are as nothing beside diagonals that differ: strength threshold %.3g\n",
                                     100. * (double)mg->jumps.across / (double)mg->jumps.edges, (double)mg->hierarchy_options.threshold));
  else if (mg->far)
    PetscCall(PetscViewerASCIIPrintf(viewer, "  its nodes are coupled beyond those around, as of elements of degree 2: strength threshold %.3g\n",
                                     (double)mg->hierarchy_options.threshold));
  else if (mg->hierarchy_options.strong_share > 0)
    PetscCall(
      PetscViewerASCIIPrintf(viewer,
                             "  %.3g %% of its couplings are of the diagonal's sign or below %.3g of their row's largest: aggregates follow the others\n",
                             100. * (double)mg->couplings.minor / (double)mg->couplings.edges, (double)mg->hierarchy_options.strong_share));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What was found in the matrix, and what that led to. */
static PetscErrorCode ViewChoice(SAAMG *mg, PetscViewer viewer)
{
  static const char *const smoothings[] = {"smoothed with the matrix", "smoothed with its diffusive part", "not smoothed"};

  PetscFunctionBegin;
  if (!mg->cycle) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "  smoother %s, interpolation %s, reuse %s\n", smoother_names[mg->cycle_options.smoothers[PC_SAAMG_FINEST].which],
                                     PCSAAMGInterpolations[mg->interpolation], PCSAAMGReuses[mg->reuse]));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  const bool  automatic = mg->cycle_options.smoothers[PC_SAAMG_FINEST].which == smoother_named("auto");
  const char *smoother = smoother_names[mg->taken.smoothers[PC_SAAMG_FINEST].which], *smoothing = smoothings[(int)mg->hierarchy_options.smoothed_with];

  PetscCall(PetscViewerASCIIPrintf(viewer, "  smoother %s%s, reuse %s\n", smoother, automatic ? " (auto)" : "", PCSAAMGReuses[mg->reuse]));
  if (mg->found.symmetric)
    PetscCall(PetscViewerASCIIPrintf(viewer, "  the matrix is %s %s: smoother %s, interpolation %s\n", mg->told ? "declared" : "found to be",
                                     PetscDefined(USE_COMPLEX) && mg->found.conjugated ? "Hermitian" : "symmetric", smoother, smoothing));
  else {
    const double          rows   = (double)mg->found.rows;
    const SmootherChoice &finest = mg->taken.smoothers[PC_SAAMG_FINEST];
    const bool            flow   = finest.which == smoother_named("mcgs") && finest.options.mcgs_flow && mg->space == Space::Host;

    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "  the matrix is not symmetric in %.3g %% of its rows, with opposite signs in %.3g %%, a flow in %.3g %%: smoother %s%s, "
                                     "interpolation %s%s\n",
                                     100. * (double)mg->found.skew / rows, 100. * (double)mg->found.opposed / rows, 100. * (double)mg->found.flowing / rows,
                                     smoother, flow ? " along its flow" : "", smoothing,
                                     mg->hierarchy_options.adjoint ? ", restriction with its transpose" : ""));
  }
  PetscCall(ViewCouplings(mg, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Why the cycle is in the precision that it is in, where the user left that open. */
static PetscErrorCode ViewPrecision(SAAMG *mg, PetscViewer viewer)
{
  const AutoPrecision &automatic = mg->automatic;
  const char          *low       = PCSAAMGPrecisions[LowPrecision(*mg)];

  PetscFunctionBegin;
  if (mg->precision != PC_SAAMG_AUTO || mg->tuned.precision != PC_SAAMG_AUTO || !mg->cycle || LowPrecision(*mg) == PC_SAAMG_DOUBLE)
    PetscFunctionReturn(PETSC_SUCCESS);
  if (mg->cycle_precision != PC_SAAMG_DOUBLE && automatic.watched)
    PetscCall(PetscViewerASCIIPrintf(viewer, "  precision %s (auto): in this pattern's second set-up; an iteration gains %.2g digits, one in double %.2g\n",
                                     low, automatic.low_digits, automatic.digits));
  else if (mg->cycle_precision != PC_SAAMG_DOUBLE)
    PetscCall(PetscViewerASCIIPrintf(viewer, "  precision %s (auto): a trial cycle leaves %.2g of a smooth error\n", low, (double)automatic.contraction));
  else if (!automatic.refused.empty()) PetscCall(PetscViewerASCIIPrintf(viewer, "  precision double (auto): %s\n", automatic.refused.c_str()));
  else if (automatic.used && !automatic.keeps_residuals)
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "  precision double (auto): the residuals of this Krylov method would not stay true with a cycle in %s, those of fused "
                                     "methods, cg and fgmres would\n",
                                     low));
  else if (automatic.used && automatic.few)
    PetscCall(PetscViewerASCIIPrintf(viewer, "  precision double (auto): of so few rows a cycle in %s would take as long\n", low));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where a level is not as asked for, and why. */
static PetscErrorCode ViewBounds(SAAMG *mg, PetscViewer viewer)
{
  const std::vector<Grid> &grids = mg->hierarchy.grids();

  PetscFunctionBegin;
  for (std::size_t l = 0; l < grids.size(); l++) {
    if (!grids[l].transfer) continue;
    if (grids[l].transfer->lopsided)
      PetscCall(
        PetscViewerASCIIPrintf(viewer, "  level %d has restriction as the transpose of interpolation: else rows of the next would be too long\n", (int)l));
    if (grids[l].transfer->further)
      PetscCall(
        PetscViewerASCIIPrintf(viewer, "  level %d has %s: interpolation is smoothed by a polynomial of degree %" PetscInt_FMT "\n", (int)l,
                               mg->hierarchy_options.strong_share > 0 ? "few entries a row, and wide aggregates along strong ones" : "few entries a row",
                               grids[l].transfer->further));
    if (grids[l].transfer->alone)
      PetscCall(PetscViewerASCIIPrintf(viewer, "  %" PetscInt64_FMT " rows of level %d whose errors outlast smoothing are aggregates of their own\n",
                                       (PetscInt64)grids[l].transfer->alone, (int)l));
    if (l == 0 && grids[l].transfer->alone && mg->hierarchy_options.strong_share > 0)
      PetscCall(PetscViewerASCIIPrintf(viewer, "  beside them, as on slivers, aggregates follow couplings from %.3g of their row's largest on\n",
                                       (double)Couplings::strong_share_of_slivers));
    if (grids[l].transfer->few > 0)
      PetscCall(PetscViewerASCIIPrintf(viewer,
                                       "  level %d has %.3g entries a row that are not weak: interpolation is smoothed a second time "
                                       "within its pattern\n",
                                       (int)l, grids[l].transfer->few));
    if (grids[l].transfer->bounded)
      PetscCall(PetscViewerASCIIPrintf(viewer, "  level %d is coarsened aggressively: else operators would exceed complexity %g\n", (int)l,
                                       (double)mg->hierarchy_options.max_complexity));
    else if (!grids[l].transfer->smoothed && mg->hierarchy_options.smoothed_with != SmoothedWith::Nothing)
      PetscCall(PetscViewerASCIIPrintf(viewer, "  level %d has rows too long for its interpolation to be smoothed\n", (int)l));
  }
  if (grids.back().covered)
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "  level %d is the coarsest: no row's other entries come to more than %.3g of its diagonal, and its smoother leaves "
                                     "little of any error\n",
                                     (int)grids.size() - 1, (double)most_covered));
  if (mg->hierarchy.stopped())
    PetscCall(PetscViewerASCIIPrintf(viewer, "  coarsening stops at level %d: another level would exceed complexity %g\n", (int)grids.size() - 1,
                                     (double)mg->hierarchy_options.max_complexity));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the ranks hold of each level, and what an exchange of its vectors moves. Collective. */
static PetscErrorCode ViewRanks(const std::vector<Grid> &grids, PetscViewer viewer)
{
  PetscFunctionBegin;
  if (grids[0].level->columns->size() == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerASCIIPrintf(viewer, "  level      ranks   most rows  most nonzeros  values received  from ranks\n"));
  for (std::size_t l = 0; l < grids.size(); l++) {
    const ColumnMap &columns = *grids[l].level->columns;
    PetscInt64       rows = columns.n(), nonzeros = 0, active = rows > 0, mine[4], most[4];

    if (rows && grids[l].level->nnz > 0)
      nonzeros = (PetscInt64)(grids[l].level->nnz * (PetscLogDouble)rows / columns.nglobal()); /* the finest's arrays are the user's */
    mine[0] = rows;
    mine[1] = nonzeros;
    mine[2] = columns.nghost();
    mine[3] = (PetscInt64)columns.receives().size();
    PetscCallMPI(MPI_Allreduce(mine, most, 4, MPIU_INT64, MPI_MAX, columns.comm()));
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &active, 1, MPIU_INT64, MPI_SUM, columns.comm()));
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "  %5d %10" PetscInt64_FMT " %11" PetscInt64_FMT " %14" PetscInt64_FMT " %16" PetscInt64_FMT " %11" PetscInt64_FMT "\n",
                                     (int)l, active, most[0], most[1], most[2], most[3]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

namespace {

struct Described {
  std::string              settings, halo, tuned;
  std::vector<std::string> levels;
};

Described describe(SAAMG &mg)
{
  Described text;

  text.settings = SettingsChanged(mg);
  if (mg.tuned.done) text.tuned = mg.tuned.describe();
  if (!mg.cycle) return text;
  text.halo = mg.cycle->describe_halo();
  for (std::size_t l = 0; l < mg.hierarchy.grids().size(); l++) text.levels.push_back(mg.cycle->describe_level(l));
  return text;
}

} // namespace

PetscErrorCode PCView_SAAMG(PC pc, PetscViewer viewer)
{
  SAAMG                   *mg       = static_cast<SAAMG *>(pc->data);
  static const char *const cycles[] = {"V", "W"};

  PetscLogDouble rows = 0, nonzeros = 0;
  Described      text;

  PetscFunctionBegin;
  if (!is_type(viewer, PETSCVIEWERASCII)) PetscFunctionReturn(PETSC_SUCCESS);
  if (!is_type(pc, PCSAAMG))
    PetscCall(PetscViewerASCIIPrintf(viewer, "  this is Goza's saamg, which answers to %s (-goza_replace)\n", ((PetscObject)pc)->type_name));
  if (mg->automatic.gone_astray > 0)
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "  the last solve left a true residual %.2g times what was asked for: the method takes the cycle in %s precision for "
                                     "linear to the last bit, as fgmres, cg and the fused methods do not\n",
                                     (double)mg->automatic.gone_astray, PCSAAMGPrecisions[mg->precision]));
  if (mg->group) {
    PetscCall(mg->group->view(viewer));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (mg->inner) {
    PetscCall(mg->inner->view(viewer));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscViewerASCIIPrintf(viewer, "  smoothed aggregation, %s-cycle%s, %s precision, strength threshold %g\n", cycles[mg->cycle_options.type],
                                   mg->taken.again < 0    ? ""
                                   : mg->taken.again == 0 ? " with two coarse corrections on level 0"
                                                          : " with two coarse corrections on level 1",
                                   PCSAAMGPrecisions[mg->cycle ? mg->cycle_precision : mg->precision], (double)mg->hierarchy_options.threshold));
  PetscCall(ViewPrecision(mg, viewer));
  PetscCall(ViewChoice(mg, viewer));
  PetscCall(Together(comm_of(pc), "describe its part of PC saamg", [&] { text = describe(*mg); }));
  if (!text.settings.empty()) PetscCall(PetscViewerASCIIPrintf(viewer, "  set:%s\n", text.settings.c_str()));
  if (!text.tuned.empty()) PetscCall(PetscViewerASCIIPrintf(viewer, "  tuned: %s\n", text.tuned.c_str()));
  if (!mg->cycle) PetscFunctionReturn(PETSC_SUCCESS);
  const std::vector<Grid> &grids = mg->hierarchy.grids();
  PetscCall(
    PetscViewerASCIIPrintf(viewer, "  on %s%s\n", space_name(mg->space), mg->space == Space::Host ? "" : DescribeStages({&mg->staged_b, &mg->staged_x})));
  if (!text.halo.empty()) PetscCall(PetscViewerASCIIPrintf(viewer, "  halo exchange: %s\n", text.halo.c_str()));
  const Lattice &lattice = grids[0].level->lattice;
  if (lattice.known())
    PetscCall(PetscViewerASCIIPrintf(viewer, "  aggregates laid out on a grid of %" PetscInt_FMT " x %" PetscInt_FMT " x %" PetscInt_FMT " points\n",
                                     lattice.points[0], lattice.points[1], lattice.points[2]));
  PetscCall(ViewBounds(mg, viewer));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  level       rows    nonzeros  per row  smoother\n"));
  for (std::size_t l = 0; l < grids.size(); l++) {
    const PetscInt       M  = grids[l].rows();
    const PetscLogDouble nz = grids[l].level->nnz;

    rows += M;
    nonzeros += nz;
    PetscCall(PetscViewerASCIIPrintf(viewer, "  %5d %10" PetscInt_FMT " %11.0f %8.1f  %s\n", (int)l, M, nz, M ? nz / M : 0.0, text.levels[l].c_str()));
    if (l == 0) mg->fine_rows = M, mg->fine_nonzeros = nz;
  }
  PetscCall(PetscViewerASCIIPrintf(viewer, "  complexity: grid %.3f, operator %.3f\n", mg->fine_rows ? rows / mg->fine_rows : 1.0,
                                   mg->fine_nonzeros > 0 ? nonzeros / mg->fine_nonzeros : 1.0));
  PetscCall(ViewRanks(grids, viewer));
  PetscCall(ViewMemory(pc, mg, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::saamg
