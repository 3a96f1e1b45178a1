/* The cycle that a set-up takes where the user leaves it to saamg: smoothers, their degrees, sweeps and coarse corrections, by the matrix and the levels. */
#include "saamg_data.hpp"
#include <petsc/private/pcimpl.h>

namespace goza::saamg {

/* Chebyshev polynomials of a nonsymmetric matrix grow where its eigenvalues are complex. Gauss-Seidel converges where the matrix is an M-matrix, symmetric or
   not, and diverges where convection outweighs the diagonal, in few rows as in many; l1-Jacobi does not. */
static const char *smoother_for(const Symmetry &found) { return found.symmetric ? "chebyshev" : found.opposed > found.rows / 1000 ? "l1jacobi" : "mcgs"; }

/* Products with the finest matrix that smoothing below a level takes as long as in a cycle. */
static PetscReal work_below(std::size_t level, const std::vector<Grid> &grids, PetscInt degree)
{
  PetscLogDouble entries = 0;

  for (std::size_t l = level + 1; l < grids.size(); l++) entries += grids[l].level->nnz;
  return static_cast<PetscReal>((2 * degree + 1) * entries / grids[0].level->nnz);
}

/* From so much work below on one degree more on the finest level takes a tenth fewer iterations in as much time, set-up and solve; 27 points, whose levels
   below take half a product, would take 1.07 of a solve's time. */
constexpr PetscReal worth_a_degree = static_cast<PetscReal>(0.75), worth_a_degree_of_solids = 2;

/* From this spectrum on, as of thin solids, whose largest eigenvalues are few, 3 takes a fifth to a quarter fewer iterations than 2. */
constexpr PetscReal spectrum_of_thin = static_cast<PetscReal>(2.78);

/* Up to this one slivers do not limit a polynomial of least degree. */
constexpr PetscReal spectrum_of_slivers = static_cast<PetscReal>(2.2);

/* Full blocks have more entries a second. */
static PetscReal work_beside(std::size_t level, const std::vector<Grid> &grids, PetscInt bs, PetscInt coarse_degree)
{
  return (bs == 1 ? 1 : static_cast<PetscReal>(0.7)) * work_below(level, grids, coarse_degree);
}

/* Interpolation from the finest level would have been smoothed, but for rows too long for that. More of the error is the smoother's then: degree 5 takes 0.80
   to 0.86 of the iterations of 4, and a tenth more work; a second coarse correction, none fewer. */
static bool has_hubs(const SAAMG &mg, PetscInt bs)
{
  const CsrTransfer &t = *mg.hierarchy.grids()[0].transfer;

  return bs == 1 && mg.hierarchy_options.smoothed_with != SmoothedWith::Nothing && !t.smoothed && !t.bounded;
}
constexpr PetscInt degree_of_hubs = 5;

/* Interpolation is smoothed further than asked for, along chains of nodes. */
static bool of_chains(const SAAMG &mg) { return mg.hierarchy.grids()[0].transfer->further && mg.hierarchy_options.strong_share == 0; }

/* Where a node has one unknown degree 3 takes five iterations for seven with 2, and as much work. Where it has several, 3 takes an eighth fewer iterations and
   a quarter more work, but where these are hardly coupled to others' five iterations for six, and as much work, of which the full blocks of coarse operators
   take most. On slivers rows outweigh their diagonals, and coarse operators are as large as the matrix: the smoother is what limits the cycle, and degrees 5 to
   8 take two thirds of the iterations in as much time. Of fourth order 4 takes 0.80 of what 2 does, and 6 0.77. */
static PetscInt degree_for(const SAAMG &mg, PetscInt bs, PetscInt coarse_degree)
{
  if (mg.hierarchy_options.bends) return 4;
  const std::vector<Grid> &grids = mg.hierarchy.grids();
  const bool               apart = bs == 1 || mg.loose;
  const PetscInt           least = apart ? 3 : 2;
  if (grids.size() < 2) return least;
  const PetscReal below   = work_beside(0, grids, bs, coarse_degree);
  const bool      mixed   = grids[1].bs >= many_modes * bs; // components of a vector, whose spectrum ends at 8/3 of the mean on even grids
  const PetscReal slivers = mixed ? 0 : PetscMax(0, PetscMin(1, (grids[0].spectrum() - spectrum_of_slivers) / static_cast<PetscReal>(0.6)));

  if (has_hubs(mg, bs)) return degree_of_hubs;
  return PetscMax(least + (below >= (apart ? worth_a_degree : worth_a_degree_of_solids) || (!apart && grids[0].spectrum() > spectrum_of_thin)),
                  static_cast<PetscInt>(PetscMin(8, slivers * below + static_cast<PetscReal>(0.5))));
}

/* What a second coarse correction on the finest level may take of a cycle with one; and of one that leaves more: of graphs with few neighbours a node, which
   take a quarter fewer iterations by it, of levels whose interpolation is not smoothed or whose aggregates are larger than asked for, and of solids, whose
   levels below are of full blocks; along lines on two levels, of what is half with degree 3 below. */
constexpr PetscReal worth_a_correction = static_cast<PetscReal>(0.25), worth_a_weak_correction = static_cast<PetscReal>(0.5),
                    worth_along_lines = static_cast<PetscReal>(0.65);

/* Rows to one of the next level: from these on aggregates are boxes of 27 nodes; up to these they lie along lines. */
constexpr PetscReal rows_of_boxes = 16, rows_along_lines = static_cast<PetscReal>(4.6);

/* Levels up to which a second correction on the finest one is worth more along lines than one on the next: 4 iterations for 5, or 7 for 9 and 10; with 6 levels
   one cycle of degree 3 below leaves too much. */
constexpr std::size_t few_levels = 5;

/* Products that an application of a smoother takes; 0: of one that corrects once. Gauss-Seidel of a symmetric matrix is what somebody asked for. */
static PetscInt products_of(const SmootherChoice &s, const Symmetry &found)
{
  if (s.which == smoother_named("chebyshev")) return s.options.chebyshev_degree;
  return s.which == smoother_named("mcgs") && !found.symmetric ? s.options.sweeps * (s.options.mcgs_flow ? s.options.mcgs_downstream : 1) : 0;
}

/* The level with two coarse corrections, or -1. Those of one V-cycle below leave much where there are many levels, nodes of several unknowns, jumps, or a flow.
   On the finest level they take, where the levels below are small, a tenth fewer iterations and 1.05 to 1.15 of an iteration's time; of a flow that goes round
   10 iterations for 14. Boxes of 27 nodes leave nothing to gain. Where lines of strong couplings, of whose levels each is a third of the one above, have many
   levels, level 1 has them: 5 iterations for 8. */
static PetscInt corrects_again(const SAAMG &mg, const CycleOptions &wanted, PetscInt bs)
{
  const std::vector<Grid>    &grids  = mg.hierarchy.grids();
  const SmootherChoice *const s      = mg.taken.smoothers;
  const PetscInt              finest = products_of(s[PC_SAAMG_FINEST], mg.found), coarse = products_of(s[PC_SAAMG_INTERMEDIATE], mg.found);

  if (wanted.type != PC_SAAMG_CYCLE_V || wanted.smoothers[PC_SAAMG_FINEST].options.chebyshev_degree != PETSC_DECIDE || grids.size() < 3 || !finest || !coarse ||
      has_hubs(mg, bs))
    return -1;
  const auto coarsens = [&](std::size_t l, PetscReal rows) {
    return static_cast<PetscReal>(grids[l].rows()) < rows * static_cast<PetscReal>(grids[l + 1].rows());
  };
  const auto      below = [&](std::size_t l) { return work_beside(l, grids, bs, coarse); };
  const bool      lines = grids.size() > 3 && coarsens(1, rows_along_lines), bounded = bs == 1 && grids.size() > 3 && grids[2].transfer->bounded;
  const bool      rough = bs == 1 && !grids[1].transfer->smoothed && grids[0].spectrum() < spectrum_of_slivers; // there the smoother limits the cycle
  const PetscReal work = 2 * finest + 4, share = of_chains(mg) || rough || bs > 1 ? worth_a_weak_correction : worth_a_correction;
  if ((bs > 1 || coarsens(0, rows_of_boxes)) && below(0) <= share * work) return 0;
  if (bs == 1 && lines && !bounded && grids.size() <= few_levels && coarsens(0, rows_along_lines) && below(0) <= worth_along_lines * work) return 0;
  const bool      many = lines && grids.size() >= few_levels;
  const PetscReal most = bounded ? worth_a_weak_correction : share;

  return (many || bounded) && below(1) <= most * (work + below(0) - below(1)) ? 1 : -1;
}

/* Below the finest level. Of two coarse corrections there 3 takes as many iterations as 4, and 0.94 of the work; along chains, where interpolation from level 1
   is not smoothed, and of solids whose rows there outweigh their diagonals, as thin ones and slivers, up to a tenth more. */
constexpr PetscInt degree_below = 4, degree_below_two = 3;

static PetscInt degree_below_for(const SAAMG &mg, PetscInt bs)
{
  const auto serves = [&](const Grid &g) { return g.transfer->smoothed && (bs == 1 || g.spectrum() <= spectrum_of_slivers); };

  return mg.taken.again == 0 && !of_chains(mg) && serves(mg.hierarchy.grids()[1]) ? degree_below_two : degree_below;
}

/* Sweeps on the finest level. Two before the coarse correction and two after it take 12, 24, 7 and 6 iterations, four 11, 16, 5 and 4, in as much time; on the
   levels below, too, 12 and 29 of the first two. */
constexpr PetscInt downstream_of_a_flow = 4;

PetscInt AutomaticSmoother(const SAAMG &mg) { return smoother_named(smoother_for(mg.found)); }

PetscErrorCode TakeCycleOptions(PC pc, SAAMG *mg, const CycleOptions &wanted)
{
  PetscFunctionBegin;
  const PetscInt bs       = block_size_of(pc->pmat);
  mg->taken               = wanted;
  SmootherChoice &between = mg->taken.smoothers[PC_SAAMG_INTERMEDIATE];
  const bool      open    = between.options.chebyshev_degree == PETSC_DECIDE;

  if (open) between.options.chebyshev_degree = degree_below;
  for (SmootherChoice &s : mg->taken.smoothers) {
    if (s.which == smoother_named("auto")) s.which = AutomaticSmoother(*mg);
    s.options.mcgs_flow = bs == 1 && !mg->found.symmetric;
    if (&s == &mg->taken.smoothers[PC_SAAMG_FINEST] && mg->found.flow_dominates()) s.options.mcgs_downstream = downstream_of_a_flow;
    if (s.options.chebyshev_degree == PETSC_DECIDE)
      s.options.chebyshev_degree = &s == mg->taken.smoothers ? degree_for(*mg, bs, between.options.chebyshev_degree) : degree_below;
  }
  mg->taken.again = corrects_again(*mg, wanted, bs);
  if (open) between.options.chebyshev_degree = degree_below_for(*mg, bs);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::saamg
