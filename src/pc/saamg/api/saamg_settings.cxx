/* The settings of saamg: a line each. From it come the option, what the PC answers to when the Set and Get functions call it by name, and the view. */
#include "saamg_data.hpp"
#include "parallel/agree.hpp"
#include "pc/saamg/setup/lanczos.hpp"
#include "petsc/setting.hpp"
#include <petsc/private/pcimpl.h>

const char *const PCSAAMGCycleTypes[]     = {"v", "w", "PCSAAMGCycleType", "PC_SAAMG_CYCLE_", NULL};
const char *const PCSAAMGInterpolations[] = {"auto", "smoothed", "diffusive", "unsmoothed", "PCSAAMGInterpolation", "PC_SAAMG_INTERPOLATION_", NULL};
const char *const PCSAAMGRestrictions[]   = {"auto", "transpose", "adjoint", "PCSAAMGRestriction", "PC_SAAMG_RESTRICTION_", NULL};
const char *const PCSAAMGPrecisions[]     = {"double", "mixed", "single", "half", "auto", "PCSAAMGPrecision", "PC_SAAMG_", NULL};
const char *const PCSAAMGReuses[]         = {"auto", "none", "pattern", "interpolation", "PCSAAMGReuse", "PC_SAAMG_REUSE_", NULL};
const char *const PCSAAMGCouplings[]      = {"global", "local", "PCSAAMGCoupling", "PC_SAAMG_COUPLING_", NULL};
const char *const PCSAAMGChebyshevKinds[] = {"1", "4", "PCSAAMGChebyshevKind", "PC_SAAMG_CHEBYSHEV_", NULL};

namespace goza::saamg {
namespace {

constexpr PetscReal infinity = std::numeric_limits<PetscReal>::infinity();

template <auto member> constexpr auto in_hierarchy = held<&SAAMG::hierarchy_options, member>;
template <auto member> constexpr auto in_cycle     = held<&SAAMG::cycle_options, member>;
template <auto member> constexpr auto in_smoother  = held<&SmootherChoice::options, member>;

/* Those held in a SAAMG are of the whole PC; those in a SmootherChoice of the finest level, of the coarsest and of those between, each for itself. */
constexpr std::tuple settings{
  Setting{"-pc_saamg_threshold", "PCSAAMGSetThreshold", "Weaker entries, relative to the diagonals, are left out of the aggregates; -1: by the matrix",
          held<&SAAMG::threshold>, RealRange{0, 1, false, true, false, true}},
  Setting{"-pc_saamg_max_levels", "PCSAAMGSetMaxLevels", "Most levels", in_hierarchy<&HierarchyOptions::max_levels>, IntRange{1}},
  Setting{"-pc_saamg_coarse_limit", "PCSAAMGSetCoarseLimit", "Rows at which coarsening stops", in_hierarchy<&HierarchyOptions::coarse_limit>, IntRange{1}},
  Setting{"-pc_saamg_max_complexity", "PCSAAMGSetMaxComplexity", "Entries of all levels over those of the finest that may not be exceeded",
          in_hierarchy<&HierarchyOptions::max_complexity>, RealRange{1, infinity}},
  Setting{"-pc_saamg_aggressive_levels", "PCSAAMGSetAggressiveLevels", "Finest levels whose aggregates are aggregated once more",
          in_hierarchy<&HierarchyOptions::aggressive_levels>, IntRange{0}},
  Setting{"-pc_saamg_coarse_interpolation_degree", "PCSAAMGSetCoarseInterpolationDegree",
          "Degree of the polynomial that smooths the interpolation below the finest level", in_hierarchy<&HierarchyOptions::coarse_interpolation_degree>,
          IntRange{1, most_interpolation_degree}},
  Setting{"-pc_saamg_interpolation", "PCSAAMGSetInterpolation", "What interpolation is smoothed with", held<&SAAMG::interpolation>,
          Words<PCSAAMGInterpolation>{PCSAAMGInterpolations}},
  Setting{"-pc_saamg_restriction", "PCSAAMGSetRestriction", "Restriction: the transpose of interpolation, or smoothed with the transpose of the matrix",
          held<&SAAMG::restriction>, Words<PCSAAMGRestriction>{PCSAAMGRestrictions}},
  Setting{"-pc_saamg_cycle", "PCSAAMGSetCycleType", "Cycle", in_cycle<&CycleOptions::type>, Words<PCSAAMGCycleType>{PCSAAMGCycleTypes}},
  Setting{"-pc_saamg_direct_limit", "PCSAAMGSetDirectLimit", "Rows up to which the coarsest level is solved by its inverse",
          in_cycle<&CycleOptions::direct_limit>, IntRange{0, most_direct_rows}},
  Setting{"-pc_saamg_gather_limit", "PCSAAMGSetGatherLimit", "Rows a rank below which a level goes to fewer ranks",
          in_hierarchy<&HierarchyOptions::gather_limit>, IntRange{0}},
  Setting{"-pc_saamg_esteig_iterations", "PCSAAMGSetEstEigIterations", "Lanczos steps of the estimate of the largest eigenvalue; -1: by the matrix",
          in_hierarchy<&HierarchyOptions::esteig_iterations>, IntRange{least_lanczos_steps, max_lanczos_steps, false, true}},
  Setting{"-pc_saamg_precision", "PCSAAMGSetPrecision",
          "Precision of the cycle (auto: half on a GPU where it converges as double, else double, but for what -pc_saamg_tune finds)", held<&SAAMG::precision>,
          Words<PCSAAMGPrecision>{PCSAAMGPrecisions}},
  Setting{"-pc_saamg_reuse", "PCSAAMGSetReuse", "What is kept when values change and the pattern does not", held<&SAAMG::reuse>,
          Words<PCSAAMGReuse>{PCSAAMGReuses}},
  Setting{"-pc_saamg_tune", "PCSAAMGSetTune",
          "What is looked for where many solves are likely: quick, whether the user's own solves from the second set-up with a pattern on bear a lower "
          "precision on the host; full, the fastest of several cycles, in the first",
          held<&SAAMG::tune>, Words<PCSAAMGTune>{PCSAAMGTunes}},

  Setting{"-pc_saamg_smoother", "PCSAAMGSetSmoother", "Smoother", held<&SmootherChoice::which>, NameList{smoother_names}},
  Setting{"-pc_saamg_sweeps", "PCSAAMGSetSweeps", "Applications of the smoother", in_smoother<&SmootherOptions::sweeps>, IntRange{1, most_sweeps},
          PC_SAAMG_COARSEST},
  Setting{"-pc_saamg_jacobi_relax", "PCSAAMGSetJacobiRelax", "Relaxation of Jacobi (less is used where that would diverge)",
          in_smoother<&SmootherOptions::jacobi_relax>, RealRange{0, 2, true, true}},
  Setting{"-pc_saamg_chebyshev_degree", "PCSAAMGSetChebyshevDegree", "Degree of the Chebyshev polynomial; -1: by the matrix",
          in_smoother<&SmootherOptions::chebyshev_degree>, IntRange{1, most_chebyshev_degree, false, true}},
  Setting{"-pc_saamg_chebyshev_ratio", "PCSAAMGSetChebyshevRatio", "The polynomial smooths [lambda_max/ratio, lambda_max]; -1: by lambda_max",
          in_smoother<&SmootherOptions::chebyshev_ratio>, RealRange{1, infinity, true, true, false, true}},
  Setting{"-pc_saamg_mcgs_relax", "PCSAAMGSetMCGSRelax", "Relaxation of mcgs: 1, Gauss-Seidel; else successive over- or underrelaxation",
          in_smoother<&SmootherOptions::mcgs_relax>, RealRange{0, 2, true, true}},
  Setting{"-pc_saamg_mcgs_coupling", "PCSAAMGSetMCGSCoupling", "What mcgs does between ranks: global, as on one rank; local, Jacobi",
          in_smoother<&SmootherOptions::mcgs_coupling>, Words<PCSAAMGCoupling>{PCSAAMGCouplings}},
  Setting{"-pc_saamg_chebyshev_kind", "PCSAAMGSetChebyshevKind", "Kind of the Chebyshev polynomial: 1, or 4 with optimal weights, which needs no ratio",
          in_smoother<&SmootherOptions::chebyshev_fourth>, Words<PCSAAMGChebyshevKind>{PCSAAMGChebyshevKinds}},
};

constexpr std::size_t nsettings = std::tuple_size_v<decltype(settings)>;

template <std::size_t i> using Line  = std::tuple_element_t<i, decltype(settings)>;
template <std::size_t i> using Value = typename Line<i>::Value;

template <class Allowed, class Owner, class Held> constexpr bool is_by_level(const Setting<Allowed, Owner, Held> &)
{
  return std::is_same_v<Owner, SmootherChoice>;
}
template <std::size_t i> constexpr bool by_level = is_by_level(std::get<i>(settings));

SAAMG &data(PC pc) { return *static_cast<SAAMG *>(pc->data); }

/* --- levels */

constexpr PCSAAMGLevels levels_in_turn[] = {PC_SAAMG_ALL_LEVELS, PC_SAAMG_FINEST, PC_SAAMG_INTERMEDIATE, PC_SAAMG_COARSEST}; // what is named wins

constexpr struct {
  const char *prefix, *text;
} level_names[] = {{"finest_", "the finest level"},
                   {"intermediate_", "the levels between"},
                   {"coarsest_", "the coarsest level, where it is smoothed"},
                   {"", "all levels"}};

PetscErrorCode CheckLevels(PC pc, PCSAAMGLevels levels)
{
  PetscFunctionBegin;
  PetscCheck(levels >= PC_SAAMG_FINEST && levels <= PC_SAAMG_ALL_LEVELS, comm_of(pc), PETSC_ERR_ARG_OUTOFRANGE, "%d is not a PCSAAMGLevels", (int)levels);
  PetscFunctionReturn(PETSC_SUCCESS);
}

SmootherChoice &on_level(SAAMG &mg, PCSAAMGLevels levels) { return mg.cycle_options.smoothers[levels == PC_SAAMG_ALL_LEVELS ? PC_SAAMG_FINEST : levels]; }

ShortText option_on(const char *option, PCSAAMGLevels levels)
{
  constexpr char begin[] = "-pc_saamg_";

  return ShortText("%s%s%s", begin, level_names[levels].prefix, option + sizeof(begin) - 1);
}

/* --- what the Set and Get functions call */

template <std::size_t i> PetscErrorCode Set_SAAMG(PC pc, Value<i> value)
{
  constexpr auto &s = std::get<i>(settings);

  PetscFunctionBegin;
  PetscCall(CheckAllowed(comm_of(pc), s.allowed, s.option, value));
  s.put(data(pc), value);
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <std::size_t i> PetscErrorCode Get_SAAMG(PC pc, Value<i> *value)
{
  PetscFunctionBegin;
  PetscCall(CheckPointer(value, 2));
  *value = std::get<i>(settings).get(data(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <std::size_t i> PetscErrorCode SetOnLevels_SAAMG(PC pc, PCSAAMGLevels levels, Value<i> value)
{
  constexpr auto &s = std::get<i>(settings);

  PetscFunctionBegin;
  PetscCall(CheckLevels(pc, levels));
  PetscCall(CheckAllowed(comm_of(pc), s.allowed, option_on(s.option, levels).c_str(), value));
  for (int l = PC_SAAMG_FINEST; l <= PC_SAAMG_COARSEST; l++)
    if (levels == l || (levels == PC_SAAMG_ALL_LEVELS && l != s.apart)) s.put(data(pc).cycle_options.smoothers[l], value);
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <std::size_t i> PetscErrorCode GetOnLevel_SAAMG(PC pc, PCSAAMGLevels levels, Value<i> *value)
{
  PetscFunctionBegin;
  PetscCall(CheckLevels(pc, levels));
  PetscCall(CheckPointer(value, 3));
  *value = std::get<i>(settings).get(on_level(data(pc), levels));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <std::size_t i> PetscErrorCode Compose(PC pc, bool attach)
{
  constexpr const char *function = std::get<i>(settings).function;

  if constexpr (by_level<i>) return ComposeSetGet((PetscObject)pc, function, attach, SetOnLevels_SAAMG<i>, GetOnLevel_SAAMG<i>);
  else return ComposeSetGet((PetscObject)pc, function, attach, Set_SAAMG<i>, Get_SAAMG<i>);
}

/* --- options and view */

template <std::size_t i> PetscErrorCode FromOptions(PC pc, PCSAAMGLevels levels, GozaOptionItems items)
{
  constexpr auto &s = std::get<i>(settings);
  Value<i>        value{};
  PetscBool       given;

  PetscFunctionBegin;
  if constexpr (by_level<i>) {
    const ShortText option = option_on(s.option, levels), text("%s, on %s", s.text, level_names[levels].text);

    PetscCall(s.allowed.from_options(items, {option.c_str(), text.c_str(), s.function}, s.get(on_level(data(pc), levels)), &value, &given));
    if (given) PetscCall(SetOnLevels_SAAMG<i>(pc, levels, value));
  } else {
    PetscCall(s.allowed.from_options(items, {s.option, s.text, s.function}, s.get(data(pc)), &value, &given));
    if (given) PetscCall(Set_SAAMG<i>(pc, value));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* " -option value" for each place where it is another */
template <std::size_t i> void print_changes(SAAMG &mg, SAAMG &from, std::string &text)
{
  constexpr auto &s    = std::get<i>(settings);
  const auto      line = [&](const std::string &option, auto &now, auto &then) {
    if (s.get(now) != s.get(then)) text += " " + option + " " + s.allowed.print(s.get(now));
  };

  if constexpr (by_level<i>) {
    for (PCSAAMGLevels l : {PC_SAAMG_FINEST, PC_SAAMG_INTERMEDIATE, PC_SAAMG_COARSEST})
      line(option_on(s.option, l).c_str(), on_level(mg, l), on_level(from, l));
  } else line(s.option, mg, from);
}

/* The same as a table for loops. */
struct Entry {
  bool by_level;
  PetscErrorCode (*compose)(PC, bool);
  PetscErrorCode (*from_options)(PC, PCSAAMGLevels, GozaOptionItems);
  void (*print_changes)(SAAMG &, SAAMG &, std::string &);
};

template <std::size_t... i> constexpr std::array<Entry, nsettings> entries_of(std::index_sequence<i...>)
{
  return {Entry{by_level<i>, Compose<i>, FromOptions<i>, print_changes<i>}...};
}
constexpr auto entries = entries_of(std::make_index_sequence<nsettings>());

} // namespace

PetscErrorCode PCSetFromOptions_SAAMG(PC pc, GozaOptionItems PetscOptionsObject)
{
  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "Smoothed-aggregation AMG options");
  PetscCall(PaperFromOptions(pc, PetscOptionsObject)); /* what is named beside it wins */
  for (const Entry &entry : entries)
    if (!entry.by_level) PetscCall(entry.from_options(pc, PC_SAAMG_ALL_LEVELS, PetscOptionsObject));
  for (PCSAAMGLevels levels : levels_in_turn) {
    for (const Entry &entry : entries)
      if (entry.by_level) PetscCall(entry.from_options(pc, levels, PetscOptionsObject));
  }
  PetscOptionsHeadEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::string SettingsChanged(SAAMG &mg, SAAMG &from)
{
  std::string text;

  for (const Entry &entry : entries) entry.print_changes(mg, from, text);
  return text;
}

std::string SettingsChanged(SAAMG &mg)
{
  SAAMG fresh;

  return SettingsChanged(mg, fresh);
}

static PetscErrorCode CheckSettings(const std::string &mine, const char *first)
{
  const auto said = [](const char *settings) { return *settings ? settings : " (defaults)"; };

  PetscFunctionBegin;
  PetscCheck(mine == first, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP, "its settings are not those of rank 0:%s, and there%s", said(mine.c_str()), said(first));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AgreeOnSettings(PC pc)
{
  const MPI_Comm       comm = comm_of(pc);
  std::string          mine;
  const PetscErrorCode here    = Guarded([&] { mine = SettingsChanged(data(pc)); });
  const PetscInt64     number  = static_cast<PetscInt64>(std::hash<std::string>()(mine) >> 2);
  PetscInt64           both[2] = {number, -number};
  char                 first[2048];

  PetscFunctionBegin;
  if (here) both[0] = std::numeric_limits<PetscInt64>::max(); // other than every other's
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, both, 2, MPIU_INT64, MPI_MAX, comm));
  if (both[0] == -both[1]) PetscFunctionReturn(PETSC_SUCCESS);
  mine.resize(std::min(mine.size(), sizeof(first) - 1));
  PetscCall(PetscStrncpy(first, mine.c_str(), sizeof(first)));
  PetscCallMPI(MPI_Bcast(first, (PetscMPIInt)sizeof(first), MPI_CHAR, 0, comm));
  PetscCall(FailTogether(comm, here ? here : CheckSettings(mine, first), "set up its part of PC saamg"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- what PETSc finds by name */

static PetscErrorCode PCSetCoordinates_SAAMG(PC pc, PetscInt dim, PetscInt nodes, PetscReal *coordinates)
{
  SAAMG *mg = static_cast<SAAMG *>(pc->data);

  PetscFunctionBegin;
  PetscCall(Together(comm_of(pc), "keep its coordinates", [&] { mg->take_coordinates(dim, {coordinates, coordinates + (std::size_t)dim * nodes}); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ComposeSAAMG(PC pc, bool attach)
{
  PetscFunctionBegin;
  PetscCall(PetscObjectComposeFunction((PetscObject)pc, "PCSetCoordinates_C", attach ? PCSetCoordinates_SAAMG : NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)pc, "PCGetInterpolations_C", attach ? PCGetInterpolations_SAAMG : NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)pc, "PCGetCoarseOperators_C", attach ? PCGetCoarseOperators_SAAMG : NULL));
  for (const Entry &entry : entries) PetscCall(entry.compose(pc, attach));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::saamg
