/* The context of a PC of type saamg. */
#pragma once
#include "pc/saamg/setup/bending.hpp"
#include "pc/saamg/setup/couplings.hpp"
#include "pc/saamg/setup/node_jumps.hpp"
#include "pc/saamg/setup/rotations.hpp"
#include "pc/saamg/setup/saddle.hpp"
#include "pc/saamg/setup/symmetry.hpp"
#include "memory_forecast.hpp"
#include "saamg_group.hpp"
#include "saamg_scaled.hpp"
#include "saamg_tuned.hpp"

namespace goza::saamg {

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

/* What PC_SAAMG_AUTO knows. */
struct AutoPrecision {
  std::array<PCSAAMGPrecision, 2> low = {PC_SAAMG_DOUBLE, PC_SAAMG_HALF}; // by Space: what is tried; on the host the copies cost more than one solve gains
  bool                            keeps_residuals = false;                // of the Krylov method: its residuals stay true whatever a cycle rounds
  bool                            few             = false;                // rows: a cycle in low precision would take as long
  bool                            used            = false;                // there has been a solve
  bool                            tried           = false;                // with this pattern
  bool                            watched    = false; // with this pattern: the cycle is in single precision for as long as solves take hardly more iterations
  PetscInt                        iterations = 0;     // of the solves since the last set-up
  double      digits = 0, low_digits = 0;             // that the residual lost in each of the last solve's, with the cycle in double and else; 0: unknown
  std::string refused;                                // why the low precision is not taken, with this pattern
  PetscReal   contraction = 0;                        // of the cycle in low precision
  PetscReal   gone_astray = 0;                        // true residual over that asked for, of the last solve that stopped by another

  /* Rows of a matrix below which a device takes as long for a product in any precision; tests try low precision on smaller ones. */
  static inline PetscInt least_rows = few_nodes;

  void forget_trial()
  {
    tried = watched = false;
    digits = low_digits = 0;
    refused.clear();
  }
};

/* What aggregates rest on beside the pattern. Where it is as it was, they are kept by default. */
struct Premises {
  std::string      settings;
  std::int64_t     couplings = 0; // entries that couple rows
  PetscReal        threshold = 0, strong_share = 0;
  bool             by_heaviest = false, bends = false;
  Rotations        rotations;
  SmoothedWith     smoothed_with = SmoothedWith::Matrix;
  bool             adjoint       = false;
  bool             covered       = false; // by the smoother, so that there is one level
  PetscObjectId    near_null     = 0;
  PetscObjectState vectors       = 0; // of the near-null space
  PetscInt         coordinates   = 0; // their state

  static constexpr double few = 1e-4; // of the couplings, which come and go with rounding where an entry is nearly zero

  bool serve(const Premises &o) const
  {
    return settings == o.settings && std::abs(static_cast<double>(couplings - o.couplings)) <= few * static_cast<double>(couplings) &&
           threshold == o.threshold && strong_share == o.strong_share && by_heaviest == o.by_heaviest && bends == o.bends && rotations.like(o.rotations) &&
           smoothed_with == o.smoothed_with && adjoint == o.adjoint && covered == o.covered && near_null == o.near_null && vectors == o.vectors &&
           coordinates == o.coordinates;
  }
};

/* Whether levels that stay by default still serve, which a look at values may not tell. */
struct ServingLevels {
  bool   stay   = false; // in the last set-up
  bool   serve  = true;
  double digits = 0; // that an iteration gained, in the slowest solve since the levels were made; 0: unknown

  /* They do not where a solve takes one iteration more than five for four that its digits took then. */
  static constexpr double most = 1.25;

  void set_up(bool stayed) { *this = stayed ? ServingLevels{true, serve, digits} : ServingLevels{}; }

  void solved(PetscInt n, double gained, bool failed)
  {
    if (stay) serve = serve && (!digits || (!failed && n <= 1 + most * gained * static_cast<double>(n) / digits));
    else if (gained > 0) digits = digits > 0 ? std::min(digits, gained) : gained;
  }
};

struct NearNull;
struct OwnRows;

/* What the options say; of the hierarchy's also what a set-up has made of them. */
struct SaamgSettings {
  HierarchyOptions     hierarchy_options;
  CycleOptions         cycle_options; // as the user wants them
  PCSAAMGInterpolation interpolation = PC_SAAMG_INTERPOLATION_AUTO;
  PCSAAMGRestriction   restriction   = PC_SAAMG_RESTRICTION_AUTO;
  PetscReal            threshold     = PETSC_DECIDE;
  PCSAAMGPrecision     precision     = PC_SAAMG_AUTO;
  PCSAAMGReuse         reuse         = PC_SAAMG_REUSE_AUTO;
  PCSAAMGTune          tune          = PC_SAAMG_TUNE_QUICK;
};

struct SAAMG : SaamgSettings {
  SAAMG(); // with the defaults of where it runs

  std::vector<PetscReal> coordinates; // [nodes][dim], from PCSetCoordinates()
  PetscInt               dim = 0, coordinates_state = 0;

  void take_coordinates(PetscInt d, std::vector<PetscReal> &&points)
  {
    coordinates_state += d != dim || points != coordinates;
    coordinates = std::move(points);
    dim         = d;
  }

  /* Not what a set-up has made of them. */
  void take_settings(const SAAMG &from)
  {
    const FoundOptions found_before = hierarchy_options;

    static_cast<SaamgSettings &>(*this)            = from;
    static_cast<FoundOptions &>(hierarchy_options) = found_before;
    automatic.low                                  = from.automatic.low;
    automatic.keeps_residuals |= from.automatic.keeps_residuals;
  }

  CycleOptions taken; // with what the set-up chose
  Symmetry     found;
  Couplings    couplings;
  NodeJumps    jumps;
  Bending      bending;
  Rotations    rotations;
  Saddle       saddle;
  int          exponent = 0;                // of the matrix's largest entry, where that is to be scaled
  bool         told = false, loose = false; // the matrix was said to be symmetric, or Hermitian; its blocks hold little beside their diagonals
  bool         far = false;                 // rows of a body's nodes reach beyond the nodes around

  Mat matrix    = NULL; // the Pmat that the set-up has read: a preconditioner that is reused may be given another
  Mat converted = NULL; // AIJ copy of a Pmat of another type
  /* the Pmat is nothing but its diagonals; of which rows are made for as long as they are read, but AIJ for a group's leader; and the levels are made of the
     diagonals */
  bool                     owner = false, makes_rows = false, by_diagonals = false;
  GridBoxes                grid;  // of the rows, for a PC of leaders; none: the matrix is asked
  std::unique_ptr<GroupPC> group; // with the levels, where ranks share a GPU; then there are none here
  std::unique_ptr<InnerPC> inner; // with the levels, where they are of another matrix

  Hierarchy              hierarchy;
  std::unique_ptr<Cycle> cycle;
  TransposedCycle        transposed;
  AutoPrecision          automatic;
  Tuned                  tuned;
  PCSAAMGPrecision       cycle_precision = PC_SAAMG_DOUBLE;
  Range                  range           = Range::Unknown; // of the right-hand side, during a solve
  PetscObjectState       nonzerostate    = -1;
  PetscObjectId          ascending       = 0;                   // the matrix whose columns were seen to ascend, in this nonzero state
  PCSAAMGReuse           kept            = PC_SAAMG_REUSE_NONE; // what the hierarchy was built to keep
  Premises               premises;                              // of its aggregates, by default
  ValueSketch            values;                                // of its interpolations, by default, from the second set-up on
  bool                   looked_at_values = false;              // in the last set-up; of a rank without rows values is empty all the same
  ServingLevels          serving;
  bool                   again = false; // the matrix has the pattern of the last set-up
  Space                  space = Space::Host;
  Stage                  staged_b, staged_x;

  std::weak_ptr<ParOperator<PetscScalar>> held; // what the cycle has of the matrix, where the set-up made it: see HoldDiagonals()
  Stamp                                   held_stamp;

  PetscLogDouble fine_rows = 0, fine_nonzeros = 0;
  MemoryEstimate predicted{};
  std::size_t    most = 0; // bytes on the device during the set-up

  std::array<PetscObjectId, 3> transposed_fits{}; // the matrix and the two vectors of PCApplyTranspose() whose sizes all ranks have found to fit
};

/* saamg_apply.cxx */
PetscErrorCode ApplyCycle(SAAMG *mg, Cycle &cycle, Vec b, Vec x);

/* pcsaamg.cxx */
PetscErrorCode PCApply_SAAMG(PC pc, Vec b, Vec x);

/* saamg_transpose.cxx */
PetscErrorCode PCApplyTranspose_SAAMG(PC pc, Vec b, Vec x);

/* saamg_diagonals.cxx */
/* Whether MatConvert() can make an AIJ of it: of a nest, from rows of its blocks, which a nest within it has not (PETSc's conversion crashes there). */
bool HasEntries(Mat A);

/* level_mats.cxx */
PetscErrorCode PCGetInterpolations_SAAMG(PC pc, PetscInt *levels, Mat *interpolations[]);
PetscErrorCode PCGetCoarseOperators_SAAMG(PC pc, PetscInt *levels, Mat *operators[]);

/* saamg_memory.cxx */
PetscErrorCode TellMemory(PC pc, std::size_t before, std::size_t most); // of the device, after the set-up
PetscErrorCode PredictMemory(PC pc, SAAMG *mg, const OwnRows &rows, const Lattice &lattice, const NearNull &modes);
PetscErrorCode ViewMemory(PC pc, SAAMG *mg, PetscViewer viewer);

/* saamg_diagonals.cxx. DiagonalsMayServe: before a set-up, which may find otherwise. OpenRows: of SAAMG::matrix, until CloseRows(); by_diagonals: without
   entries. */
PetscErrorCode DiagonalsMayServe(PC pc, SAAMG *mg, bool *yes);
PetscErrorCode FindGrid(PC pc, const SAAMG *mg, GridBoxes *boxes); // a leader's; else of the DM or, by_diagonals, as the offsets show it
PetscErrorCode OpenRows(SAAMG *mg, bool known_to_ascend, OwnRows *rows);
PetscErrorCode CloseRows(SAAMG *mg);
PetscErrorCode HoldDiagonals(PC pc, SAAMG *mg, OwnRows *rows);
/* saamg_precision.cxx: the levels between two set-ups. Collective. */
PetscErrorCode BorrowLevels(SAAMG *mg, OwnRows *rows);
PetscErrorCode ReturnLevels(SAAMG *mg);

/* saamg_choice.cxx. ChooseForMatrix: what the options leave open, by the matrix. kept: whether of the levels only values may be new, and, by default, whether
   they are. facts: of the rows, where they were found on the way. Collective. */
PetscErrorCode ChooseForMatrix(PC pc, SAAMG *mg, const OwnRows &rows, const OperatorSource &exact, bool *kept, std::shared_ptr<CsrFacts> *facts);

/* TakeCycleOptions: as wanted, with what the set-up finds where they leave that open. AutomaticSmoother: which it is then. */
PetscErrorCode TakeCycleOptions(PC pc, SAAMG *mg, const CycleOptions &wanted);
PetscInt       AutomaticSmoother(const SAAMG &mg);

/* saamg_tune.cxx. After MakeCycle(), where that is what -pc_saamg_tune asks for. Collective. */
PetscErrorCode TuneCycle(PC pc, SAAMG *mg);

/* saamg_precision.cxx. WatchPrecision: at the beginning of a set-up; known_pattern: it is not the first with it. LowPrecision: which is
   tried by itself; PC_SAAMG_DOUBLE: none. WantedPrecision: of the cycle to come.
   MakeCycle: the cycle of the hierarchy, whose finest grid has its values. PCPreSolve, PCPostSolve: they see the Krylov method.
   ExactSource: of the matrix's operator, where its values are not rounded. Collective. */
void             WatchPrecision(SAAMG *mg, bool known_pattern);
PCSAAMGPrecision LowPrecision(const SAAMG &mg);
PCSAAMGPrecision WantedPrecision(const SAAMG &mg);
PetscErrorCode   MakeCycle(PC pc, SAAMG *mg);
PetscErrorCode   SetUpCycle(PC pc, SAAMG *mg, PCSAAMGPrecision precision);  // what is there already is only refilled where the precision is the same
PetscErrorCode   ExactProduct(SAAMG *mg, ParOperator<PetscScalar> **exact); // faster than by the finest level's rows; nullptr: on some rank there is none
PetscErrorCode   PCPreSolve_SAAMG(PC pc, KSP ksp, Vec b, Vec x);
PetscErrorCode   PCPostSolve_SAAMG(PC pc, KSP ksp, Vec b, Vec x);
OperatorSource   ExactSource(SAAMG *mg, const OwnRows &rows);
RowsOnDemand     MakesRowsAgain(SAAMG *mg, OwnRows *rows);

/* saamg_view.cxx */
PetscErrorCode PCView_SAAMG(PC pc, PetscViewer viewer);

/* saamg_settings.cxx */
PetscErrorCode PCSetFromOptions_SAAMG(PC pc, GozaOptionItems PetscOptionsObject);
PetscErrorCode PaperFromOptions(PC pc, GozaOptionItems PetscOptionsObject);
PetscErrorCode ComposeSAAMG(PC pc, bool attach);        // what PETSc and the Set and Get functions find by name
std::string    SettingsChanged(SAAMG &mg, SAAMG &from); // " -option value" for each that differs
std::string    SettingsChanged(SAAMG &mg);              // from a new PC's
/* Collective. Settings that are not the same on every rank are an error: the ranks would take different ways, and wait for one another. */
PetscErrorCode AgreeOnSettings(PC pc);

} // namespace goza::saamg
