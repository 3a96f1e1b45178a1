/* The context of a PC of type saamg. */
#pragma once
#include "pc/saamg/setup/couplings.hpp"
#include "pc/saamg/setup/symmetry.hpp"
#include "pc/saamg/cycle/cycle.hpp"
#include "petsc/compat.hpp"
#include "petsc/vec_access.hpp"
#include "memory_forecast.hpp"
#include "saamg_group.hpp"
#include "petscgoza.h"

namespace goza::saamg
{

/* The cycle of A^T, made when it is first asked for; its grids borrow all but A from the hierarchy. */
struct TransposedCycle {
  std::vector<Grid>      grids;
  std::unique_ptr<Cycle> cycle;

  void reset()
  {
    cycle.reset();
    grids.clear();
  }
};

struct OwnRows;

struct SAAMG {
  SAAMG(); // with the defaults of where it runs

  HierarchyOptions       hierarchy_options;
  CycleOptions           cycle_options; // as the user wants them
  PCSAAMGInterpolation   interpolation = PC_SAAMG_INTERPOLATION_AUTO;
  PetscReal              threshold     = PETSC_DECIDE;
  PCSAAMGPrecision       precision     = PC_SAAMG_DOUBLE;
  PCSAAMGReuse           reuse         = PC_SAAMG_REUSE_NONE;
  std::vector<PetscReal> coordinates; // [nodes][dim], from PCSetCoordinates()
  PetscInt               dim = 0;

  /* Those of the options above, and not what a set-up has made of them. */
  void take_settings(const SAAMG &from)
  {
    const HierarchyOptions before = hierarchy_options;

    hierarchy_options               = from.hierarchy_options;
    hierarchy_options.threshold     = before.threshold;
    hierarchy_options.smoothed_with = before.smoothed_with;
    cycle_options                   = from.cycle_options;
    interpolation                   = from.interpolation;
    threshold                       = from.threshold;
    precision                       = from.precision;
    reuse                           = from.reuse;
  }

  CycleOptions taken; // with what the set-up chose
  Symmetry     found;
  Couplings    couplings;
  bool         told = false; // the matrix was said to be symmetric

  Mat                      converted = NULL; // AIJ copy of a Pmat of another type
  GridBox                  grid;             // of the rows, for a PC of leaders; unknown: the matrix is asked
  std::unique_ptr<GroupPC> group;            // with the levels, where ranks share a GPU; then there are none here

  Hierarchy              hierarchy;
  std::unique_ptr<Cycle> cycle;
  TransposedCycle        transposed;
  PCSAAMGPrecision       cycle_precision = PC_SAAMG_DOUBLE;
  PetscObjectState       nonzerostate    = -1;
  PetscObjectId          ascending       = 0;                   // the matrix whose columns were seen to ascend, in this nonzero state
  PCSAAMGReuse           kept            = PC_SAAMG_REUSE_NONE; // what the hierarchy was built to keep
  Space                  space           = Space::Host;
  Stage                  staged_b, staged_x;
  PetscLogDouble         fine_rows = 0, fine_nonzeros = 0;
  MemoryEstimate         predicted{};
  std::size_t            most = 0; // bytes on the device during the set-up
};

/* level_mats.cxx */
PetscErrorCode PCGetInterpolations_SAAMG(PC pc, PetscInt *levels, Mat *interpolations[]);
PetscErrorCode PCGetCoarseOperators_SAAMG(PC pc, PetscInt *levels, Mat *operators[]);

/* saamg_memory.cxx */
PetscErrorCode PredictMemory(PC pc, SAAMG *mg, const OwnRows &rows, const Lattice &lattice, PetscInt bs, PetscInt k);
PetscErrorCode ViewMemory(PC pc, SAAMG *mg, PetscViewer viewer);

/* saamg_choice.cxx. ChooseForMatrix: what the options leave open, by the matrix. kept: of the levels only values will be new. Collective. */
PetscErrorCode ChooseForMatrix(PC pc, SAAMG *mg, const OwnRows &rows, bool kept);

/* saamg_view.cxx */
PetscErrorCode PCView_SAAMG(PC pc, PetscViewer viewer);

/* saamg_settings.cxx */
PetscErrorCode PCSetFromOptions_SAAMG(PC pc, GozaOptionItems PetscOptionsObject);
PetscErrorCode ComposeSAAMG(PC pc, bool attach); // what PETSc and the Set and Get functions find by name
std::string    SettingsChanged(SAAMG &mg);       // " -option value" for each that differs from a new PC's

} // namespace goza::saamg
