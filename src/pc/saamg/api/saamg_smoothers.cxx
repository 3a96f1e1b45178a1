/* Options of the smoothers of saamg, by level: finest, coarsest and those between. */
#include "saamg_data.hpp"
#include <cstdio>
#include <petsc/private/pcimpl.h>

namespace goza::saamg
{

static const PetscInt    block_sizes[]      = {0, 1, 2, 3, 6};
static const char *const block_size_names[] = {"auto", "1", "2", "3", "6"};

static const char *const coupling_names[] = {"global", "local", "PCSAAMGCoupling", "PC_SAAMG_COUPLING_", NULL};

const char *const level_prefixes[] = {"finest_", "intermediate_", "coarsest_", ""};

PetscErrorCode SmoothersFromOptions(PC pc, GozaOptionItems PetscOptionsObject)
{
  const char *const places[] = {"the finest level", "the levels between", "the coarsest level, where it is smoothed", "all levels"};
  char              option[80], text[160];
  PetscInt          n;
  PetscReal         r;
  PetscBool         flg;

  PetscFunctionBegin;
  for (PCSAAMGLevels where : {PC_SAAMG_ALL_LEVELS, PC_SAAMG_FINEST, PC_SAAMG_INTERMEDIATE, PC_SAAMG_COARSEST}) { /* what is named wins */
    const SmootherChoice &s     = static_cast<SAAMG *>(pc->data)->cycle_options.smoothers[where == PC_SAAMG_ALL_LEVELS ? PC_SAAMG_FINEST : where];
    const auto            spell = [&](const char *name, const char *what) {
      std::snprintf(option, sizeof(option), "-pc_saamg_%s%s", level_prefixes[where], name);
      std::snprintf(text, sizeof(text), "%s, on %s", what, places[where]);
    };

    spell("smoother", "Smoother");
    PetscCall(PetscOptionsEList(option, text, "PCSAAMGSetSmoother", smoother_names, smoother_count(), smoother_names[s.which], &n, &flg));
    if (flg) PetscCall(PCSAAMGSetSmoother(pc, where, smoother_names[n]));
    spell("sweeps", "Applications of the smoother");
    PetscCall(PetscOptionsInt(option, text, "PCSAAMGSetSweeps", s.options.sweeps, &n, &flg));
    if (flg) PetscCall(PCSAAMGSetSweeps(pc, where, n));
    spell("jacobi_relax", "Relaxation of Jacobi (less is used where that would diverge)");
    PetscCall(PetscOptionsReal(option, text, "PCSAAMGSetJacobiRelax", s.options.jacobi_relax, &r, &flg));
    if (flg) PetscCall(PCSAAMGSetJacobiRelax(pc, where, r));
    spell("chebyshev_degree", "Degree of the Chebyshev polynomial");
    PetscCall(PetscOptionsInt(option, text, "PCSAAMGSetChebyshevDegree", s.options.chebyshev_degree, &n, &flg));
    if (flg) PetscCall(PCSAAMGSetChebyshevDegree(pc, where, n));
    spell("chebyshev_ratio", "The polynomial smooths [lambda_max/ratio, lambda_max]");
    PetscCall(PetscOptionsReal(option, text, "PCSAAMGSetChebyshevRatio", s.options.chebyshev_ratio, &r, &flg));
    if (flg) PetscCall(PCSAAMGSetChebyshevRatio(pc, where, r));
    spell("mcgs_block_size", "Unknowns that mcgs relaxes together (auto: those of a node)");
    for (n = 0; n < 5 && block_sizes[n] != s.options.mcgs_block_size; n++) { }
    PetscCall(PetscOptionsEList(option, text, "PCSAAMGSetMCGSBlockSize", block_size_names, 5, block_size_names[n], &n, &flg));
    if (flg) PetscCall(PCSAAMGSetMCGSBlockSize(pc, where, block_sizes[n]));
    PCSAAMGCoupling coupling = static_cast<PCSAAMGCoupling>(s.options.mcgs_coupling);
    spell("mcgs_coupling", "What mcgs does between ranks: global, as on one rank; local, Jacobi");
    PetscCall(PetscOptionsEnum(option, text, "PCSAAMGSetMCGSCoupling", coupling_names, (PetscEnum)coupling, (PetscEnum *)&coupling, &flg));
    if (flg) PetscCall(PCSAAMGSetMCGSCoupling(pc, where, coupling));
    spell("chebyshev_kind", "Kind of the Chebyshev polynomial: 1, or 4 with optimal weights, which needs no ratio");
    PetscCall(PetscOptionsInt(option, text, "PCSAAMGSetChebyshevKind", s.options.chebyshev_kind, &n, &flg));
    if (flg) PetscCall(PCSAAMGSetChebyshevKind(pc, where, n));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::saamg
