/* Loading: the hook that -dll_append calls, the one list of types, and what is decided once. */
#include "petsc/check_petsc.hpp"
#include "core/device/properties.hpp"
#include "core/device/kernel_loader.hpp"
#include "choice/autoformat_mat.hpp"
#include "choice/detail_view.hpp"
#include "parallel/agree.hpp"
#include "mat/cds/cds_mat.hpp"
#include "mat/fold/fold_mat.hpp"
#include "mat/own/own_mat.hpp"
#include "mat/slicedell/slicedell_mat.hpp"
#include "pc/saamg/cycle/cycle_log.hpp"
#include "pc/saamg/api/pcsaamg.hpp"
#include "ksp/fused.hpp"
#include <petscdevice.h>

namespace goza {

/* --- the one list of types */

static const FormatKind *const formats[] = {&AutoFormatKind(), &CdsKind(), &FoldKind(), &SlicedEllKind()};

static PetscErrorCode RegisterTypes()
{
  PetscFunctionBegin;
  for (const FormatKind *kind : formats) PetscCall(MatRegister_Format(*kind));
  PetscCall(MatRegister_Own());
  MatFormatSetDetailView(MatViewDetail);
  PetscCall(PCRegister(PCSAAMG, PCCreate_SAAMG));
  PetscCall(KSPRegister(KSPFUSEDCG, KSPCreate_FusedCG));
  PetscCall(KSPRegister(KSPFUSEDBCGS, KSPCreate_FusedBCGS));
  PetscCall(KSPRegister(KSPFUSEDGMRES, KSPCreate_FusedGMRES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Programs that name their preconditioner in the source get saamg by that name: PETSc's list of types forgets what it had there. */
static PetscErrorCode ReplaceFromOptions(GozaOptionItems PetscOptionsObject)
{
  char    *names[8];
  PetscInt n = PETSC_STATIC_ARRAY_LENGTH(names);

  PetscFunctionBegin;
  PetscCall(PetscOptionsStringArray("-goza_replace", "Preconditioner types that saamg answers to, as gamg", "GozaInitializePackage", names, &n, NULL));
  for (PetscInt i = 0; i < n; i++) {
    PetscErrorCode (*known)(PC) = nullptr;

    PetscCall(PetscFunctionListFind(PCList, names[i], &known));
    PetscCheck(known, PETSC_COMM_WORLD, PETSC_ERR_ARG_UNKNOWN_TYPE, "-goza_replace %s: this PETSc has no preconditioner of that type", names[i]);
    PetscCall(PCRegister(names[i], PCCreate_SAAMG));
    PetscCall(PetscFree(names[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static struct {
  PetscBool registered = PETSC_FALSE, info = PETSC_FALSE;
  char      device_text[512] = "not looked at yet";
} state;

/* --- options of the plugin itself */

/* Of the ranks of a host that share a GPU: where one works for all, the others launch next to nothing there. */
static PetscErrorCode IsFirstOnItsDevice(MPI_Comm host, bool *first)
{
  std::array<char, 16>              mine{};
  std::vector<std::array<char, 16>> all;

  PetscFunctionBegin;
  const PetscMPIInt rank = rank_in(host), size = ranks_of(host);
  PetscCall(Together(host, "look at its device", [&] {
    mine = device::uuid();
    all.resize(size);
  }));
  PetscCallMPI(MPI_Allgather(mine.data(), 16, MPI_CHAR, all.data(), 16, MPI_CHAR, host));
  *first = std::find(all.begin(), all.end(), mine) - all.begin() == rank;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All ranks on their devices, or all on the host: a matrix with parts on either would end in a wait for a message that never comes. */
static PetscErrorCode ChooseDevice(PetscInt wish)
{
  std::string why;
  bool        there = false;

  PetscFunctionBegin;
  plugin.space = Space::Host;
  if (wish != 1) {
    MPI_Comm host;
    bool     first = true;

    PetscCallMPI(MPI_Comm_split_type(PETSC_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host));
    const PetscMPIInt rank = rank_in(host);
    PetscCall(Guarded([&] {
      device::select(rank, ranks_of(host));
      if (!device::available(&why) && why.empty()) why = "the device cannot be used";
    }));
    PetscCall(AgreeOnReason(PETSC_COMM_WORLD, &why));
    there = why.empty();
#if PetscDefined(HAVE_CUDA)
    if (there) { PetscCall(PetscDeviceInitialize(PETSC_DEVICE_CUDA)); /* its choice, -device_select_cuda, is ours */ }
#endif
    if (there) plugin.space = Space::Cuda;
    if (there && plugin.ranks_per_gpu != RANKS_OWN) PetscCall(IsFirstOnItsDevice(host, &first));
    if (there && first) PetscCall(Guarded([] { kernel_loader::start(); }));
    PetscCallMPI(MPI_Comm_free(&host));
    PetscCheck(there || wish != 2, PETSC_COMM_WORLD, PETSC_ERR_GPU, "-goza_device cuda was asked for, but %s", why.c_str());
  }
  if (there) PetscCall(PetscSNPrintf(state.device_text, sizeof(state.device_text), "%s", device::description().c_str()));
  else PetscCall(PetscSNPrintf(state.device_text, sizeof(state.device_text), "host (%s)", wish == 1 ? "-goza_device host" : why.c_str()));
  PetscCall(PetscInfo(NULL, "Goza runs on %s\n", state.device_text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Options that are read again, when a halo is set up: here for -help, and so that a bad value is seen at once. */
static PetscErrorCode HaloFromOptions(GozaOptionItems PetscOptionsObject, PetscInt *wish)
{
  char      nccl[PETSC_MAX_PATH_LEN] = "libnccl.so.2";
  PetscReal timeout                  = halo_timeout;

  PetscFunctionBegin;
  PetscCall(
    PetscOptionsEList("-goza_halo", "How ranks exchange vector entries", "GozaInitializePackage", halo_names, HALO_KINDS, halo_names[*wish], wish, NULL));
  PetscCall(PetscOptionsString("-goza_nccl", "File of the NCCL library", "GozaInitializePackage", nccl, nccl, sizeof(nccl), NULL));
  PetscCall(OptionsReal(PetscOptionsObject,
                        {"-goza_halo_timeout", "Seconds after which values of another rank that did not come are an error", "GozaInitializePackage"}, timeout,
                        &timeout, NULL));
  PetscCall(CheckHaloTimeout(timeout));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Ranks that share a device, or with `group`, so that it can be tried anywhere, those of a host without one. */
static PetscErrorCode GroupsFromOptions(GozaOptionItems PetscOptionsObject)
{
  static const char *const words[] = {"auto", "own", "group"};

  PetscFunctionBegin;
  PetscCall(PetscOptionsEList("-goza_ranks_per_gpu", "Of ranks that share a GPU, one works there for all, or each for itself", "GozaInitializePackage", words,
                              3, words[plugin.ranks_per_gpu], &plugin.ranks_per_gpu, NULL));
  PetscCall(PetscOptionsInt("-goza_largest_group", "Most ranks that one works for; 0: any", "GozaInitializePackage", plugin.largest_group,
                            &plugin.largest_group, NULL));
  PetscCheck(plugin.largest_group >= 0 && plugin.largest_group <= PETSC_MPI_INT_MAX, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "-goza_largest_group %" PetscInt_FMT " is not a number of ranks", plugin.largest_group);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The machine that the models are asked about. */
static PetscErrorCode PlatformFromOptions(GozaOptionItems PetscOptionsObject)
{
  char        name[PETSC_MAX_PATH_LEN] = "auto";
  std::string why;

  PetscFunctionBegin;
  PetscCall(PetscOptionsString("-goza_platform", "Machine that the models of products are asked about: auto, a known one, or a file of locality -calibrate",
                               "GozaInitializePackage", name, name, sizeof(name), NULL));
  PetscCall(Together(PETSC_COMM_WORLD, "take the platform", [&] {
    const std::string    text    = name;
    const Machine *const machine = find_machine(text);

    if (text == "auto" || machine) choose_machine(machine);
    else {
      try {
        const Machine read = read_machine(text);
        choose_machine(&read);
      } catch (const std::runtime_error &e) {
        SetReason(&why, e.what());
      }
    }
  }));
  PetscCall(AgreeOnReason(PETSC_COMM_WORLD, &why));
  PetscCheck(why.empty(), PETSC_COMM_WORLD, PETSC_ERR_ARG_WRONG, "-goza_platform %s: %s", name, why.c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetFromOptions()
{
  static const char *const devices[] = {"auto", "host", "cuda"};
  PetscInt                 wish = 0, halo = HALO_AUTO;
  PetscReal                limit = 0; // MB

  PetscFunctionBegin;
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Goza options", "Goza");
  PetscCall(PetscOptionsEList("-goza_device", "Where matrices and preconditioners live", "GozaInitializePackage", devices, 3, devices[wish], &wish, NULL));
  PetscCall(HaloFromOptions(PetscOptionsObject, &halo));
  PetscCall(ReplaceFromOptions(PetscOptionsObject));
  PetscCall(GroupsFromOptions(PetscOptionsObject));
  PetscCall(PlatformFromOptions(PetscOptionsObject));
  PetscCall(
    PetscOptionsBool("-goza_check", "Compute every device product again on the host and compare", "GozaInitializePackage", plugin.check, &plugin.check, NULL));
  PetscCall(PetscOptionsBool("-goza_info", "Print versions, backend and device, and at the end what ran where", "GozaInitializePackage", state.info,
                             &state.info, NULL));
  PetscCall(OptionsReal(PetscOptionsObject,
                        {"-goza_memory_limit", "Most device memory of a rank's Goza arrays, in MB; 0: what there is", "GozaInitializePackage"}, limit, &limit,
                        NULL));
  PetscOptionsEnd();
  // what is more overflows the bytes
  PetscCheck(limit >= 0 && limit <= 1e12, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "-goza_memory_limit %g is not from 0 to 1e12 MB", (double)limit);
  device::set_memory_limit(static_cast<std::size_t>(1e6 * limit));
  PetscCall(ChooseDevice(wish));
  if (state.info) {
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "Goza for PETSc %d.%d.%d, %s backend; runs on %s; vectors %s\n", PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR,
                          PETSC_VERSION_SUBMINOR, PetscDefined(HAVE_CUDA) || device::available() ? "CUDA" : "host", state.device_text,
                          plugin.space == Space::Host
                            ? "on the host"
                            : (petsc_on_device() ? "wherever PETSc has them" : "copied to the device and back (this PETSc has no CUDA)")));
    if (plugin.space == Space::Cuda || plugin.ranks_per_gpu == RANKS_GROUP)
      PetscCall(
        PetscPrintf(PETSC_COMM_WORLD, "Goza ranks that share a GPU: %s\n", plugin.ranks_per_gpu == RANKS_OWN ? "each works for itself" : "one works for all"));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "Goza halo exchange: %s%s\n", halo_names[halo],
                          halo == HALO_AUTO ? (plugin.space == Space::Host ? " (host)" : " (peer, else nccl, host)") : ""));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of this rank, the first. */
static PetscErrorCode PrintUsage()
{
  PetscFunctionBegin;
  for (int on = 0; on < 2; on++)
    if (usage.products[on] + usage.cycles[on])
      PetscCall(PetscPrintf(PETSC_COMM_WORLD, "Goza on the %s: %" PetscInt64_FMT " products, %" PetscInt64_FMT " cycles of saamg%s\n", on ? "device" : "host",
                            usage.products[on], usage.cycles[on], usage.tuned[on].c_str()));
  if (usage.repeated) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "Goza iterations that the device went on to by itself: %" PetscInt64_FMT "\n", usage.repeated));
  if (usage.tasks)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                          "Goza ranks that share a GPU: %" PetscInt64_FMT " in a group, whose leader worked for all %" PetscInt64_FMT " times\n", usage.group,
                          usage.tasks));
  if (usage.in_place + usage.copied)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                          "Goza vectors for the device: %" PetscInt64_FMT " used in place, %" PetscInt64_FMT " copied from or to the host (%.3f GB)\n",
                          usage.in_place, usage.copied, usage.bytes / 1e9));
  if (device::waits()) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "Goza waits of the host for the device: %" PetscInt64_FMT "\n", (PetscInt64)device::waits()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FinalizePackage()
{
  PetscFunctionBegin;
  if (state.info) PetscCall(PrintUsage());
  usage = {};
  kernel_loader::stop();
  PetscCall(HaloTeamsForget());
  device::close_shared();
  forget_late_flags();
  forget_cycle_events();
  device::set_memory_limit(0);
  choose_machine(nullptr);
  state  = {};
  plugin = {};
  device::set_stream(nullptr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RegisterEvents()
{
  PetscFunctionBegin;
  PetscCall(PetscLogEventRegister("GozaMatMult", MAT_CLASSID, &events.mult));
  PetscCall(PetscLogEventRegister("GozaMatBuild", MAT_CLASSID, &events.build));
  PetscCall(PetscLogEventRegister("GozaMatToAIJ", MAT_CLASSID, &own_to_aij));
  PetscCall(PetscLogEventRegister("GozaMatToRows", MAT_CLASSID, &own_to_rows));
  PetscCall(PetscLogEventRegister("SAAMGStrength", PC_CLASSID, &events.strength));
  PetscCall(PetscLogEventRegister("SAAMGAggregate", PC_CLASSID, &events.aggregate));
  PetscCall(PetscLogEventRegister("SAAMGProlong", PC_CLASSID, &events.prolong));
  PetscCall(PetscLogEventRegister("SAAMGGalerkin", PC_CLASSID, &events.galerkin));
  PetscCall(PetscLogEventRegister("SAAMGEigen", PC_CLASSID, &events.eigen));
  PetscCall(PetscLogEventRegister("SAAMGMirror", PC_CLASSID, &events.mirror));
  PetscCall(PetscLogEventRegister("GozaGroupRows", MAT_CLASSID, &events.group_rows));
  PetscCall(PetscLogEventRegister("GozaGroupValues", MAT_CLASSID, &events.group_values));
  PetscCall(PetscLogEventRegister("GozaGroupWait", MAT_CLASSID, &events.group_wait));
  PetscCall(PetscClassIdRegister("Goza assembly", &GOZA_ASSEMBLY_CLASSID));
  PetscCall(PetscLogEventRegister("GozaFEMSymbolic", GOZA_ASSEMBLY_CLASSID, &events.symbolic));
  PetscCall(PetscLogEventRegister("GozaFEMInputs", GOZA_ASSEMBLY_CLASSID, &events.inputs));
  PetscCall(PetscLogEventRegister("GozaFEMCreate", GOZA_ASSEMBLY_CLASSID, &events.create));
  PetscCall(PetscLogEventRegister("GozaFEMMatrix", GOZA_ASSEMBLY_CLASSID, &events.assemble));
  PetscCall(PetscLogEventRegister("GozaFEMVector", GOZA_ASSEMBLY_CLASSID, &events.vector));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza

/*@C
  GozaInitializePackage - Registers Goza's matrix, preconditioner and Krylov types with PETSc

  Collective on `PETSC_COMM_WORLD`

  Options Database Keys:
+ -goza_device (auto|host|cuda) - where Goza's matrices live; `cuda` is an error where there is no device
. -goza_halo (auto|nccl|peer|host) - how ranks exchange vector entries: NCCL, memory of ranks of one host, through the host; by name an error where it cannot be
                                     had
. -goza_ranks_per_gpu (auto|own|group) - ranks of a host that share a GPU: each for itself, or one works there for all; `auto` (default): one for all;
                                        `group`: on a host without a GPU, too
. -goza_largest_group n         - most ranks that one works for (0, the default: any)
. -goza_nccl file               - the NCCL library, found at run time (libnccl.so.2)
. -goza_halo_timeout s          - seconds after which values of another rank that did not come by `peer` are an error (300)
. -goza_memory_limit MB         - most device memory of a rank's Goza arrays: beyond it an error with the figures, as on a full device
. -goza_replace type,...        - preconditioner types that saamg answers to: with `gamg` a program whose source says `PCGAMG` gets it; the view says so
. -goza_platform (auto|name|file) - the machine that the models of products are asked about; `auto` (default): this one, by its name, else measured once in
                                    about a second and kept in the user's cache folder ($XDG_CACHE_HOME/goza or ~/.cache/goza)
. -goza_check                   - compute every device product again on the host and compare
- -goza_info                    - print versions, backend and device; at the end, what ran where, and how often the host has waited for the device

  Level: developer

  Note:
  Called by `-dll_append /path/to/libgoza.so`; a program that links libgoza calls it after `PetscInitialize()`. Calling it again does nothing.
  A PETSc of another release, scalar type or index size than libgoza was built for is refused.

.seealso: `MATSLICEDELL`, `PCSAAMG`
@*/
PetscErrorCode GozaInitializePackage(void)
{
  const PetscErrorCode ierr = goza::CheckPETSc();

  if (ierr) return ierr; /* no PetscCall(): see there */
  PetscFunctionBegin;
  if (goza::state.registered) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatInitializePackage());
  PetscCall(PCInitializePackage());
  PetscCall(KSPInitializePackage());
  PetscCall(goza::SetFromOptions());
  PetscCall(goza::RegisterEvents());
  PetscCall(goza::RegisterTypes());
  PetscCall(PetscRegisterFinalize(goza::FinalizePackage));
  goza::state.registered = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  GozaGetVersionNumber - Gets the version of the library that is loaded

  Not Collective

  Output Parameters:
+ major    - `GOZA_VERSION_MAJOR` of the header that the library was built with
. minor    - `GOZA_VERSION_MINOR` of it
- subminor - `GOZA_VERSION_SUBMINOR` of it

  Level: developer

  Note:
  Each may be NULL. The macros in a program are those of the header that the program was compiled with.

.seealso: `GozaInitializePackage()`, `PetscGetVersionNumber()`
@*/
PetscErrorCode GozaGetVersionNumber(PetscInt *major, PetscInt *minor, PetscInt *subminor)
{
  PetscFunctionBegin;
  if (major) *major = GOZA_VERSION_MAJOR;
  if (minor) *minor = GOZA_VERSION_MINOR;
  if (subminor) *subminor = GOZA_VERSION_SUBMINOR;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The symbol that -dll_append looks for in libgoza.so. */
PETSC_EXTERN PetscErrorCode PetscDLLibraryRegister_goza(void) { return GozaInitializePackage(); }
