/* Finite-element assembly of elasticity on a cube, paper P4's table (Nakajima 2016): its steps and variants beside ours.

     bench_assembly [-n 128] [-elements hex,tet] [-ways ours,original,a,b,g,g_cuda] [-adds atomic,colour] [-blksiz 8192,16384,32768] [-repeats 7]
                    [-poisson 256] [-general 128] [-whole cds,baij] [-coo 64] [-host 33] [-json FILE]

   The paper's steps: (1) Jacobian and gradients, (2) address search in the block CRS, (3) element matrix, (4) add. original: all in one kernel; a: (2), (1+3),
   (4);
   b: (2), (1+3+4); g, g_cuda: four kernels with the paper's two layouts of arrays between them, g_cuda's step 4 through shared memory; all but the original in
   blocks of BLKSIZ elements. Gradients are computed once an element. Elements are of one colour at a time, or add atomically. ours: GozaAssembly's numeric
   phase, into CSR and straight into CDS. All of them take their numbers from src/assembly's element kernels, and are compared with each other: "difference" is
   the largest from ours.

   steps_s: of a kernel that does several steps, the time that it takes more with a step than without. Ours, whose steps run side by side, has them
   counted: steps_flops, operations of each element's; steps_bytes. bytes: what each array that a step reads or writes holds, counted once (an addition is a
   read and a write); gbs: that over the step's time.

   -poisson n: diffusion on n^3 nodes into CDS. -general n: ours for hexahedra in reverse order, which are seen to be no grid. -whole types: n^3 nodes clamped
   on one side, assembled and solved by CG with block-diagonal scaling as in the paper; baij, PETSc's block CRS, is assembled where the others are, and its
   products are the host's.
   -coo n: MatSetValuesCOO() into aijcusparse with the same element kernel, beside ours, n nodes a side (CUDA PETSc). -host n: element by element MatSetValues()
   beside GozaAssembly on the host. Times are medians of `repeats` after one run; a step's time comes from a run that waits after each kernel. */
#include "assembly_peers.hpp"
#include "assembly_ways.hpp"
#include "counted.hpp"
#include "assembly_whole.hpp"
#include "assembly/kernels/blocks.hpp"
#include "mat/slicedell/ell_entries.hpp"
#include "mat/slicedell/slicedell.hpp"

using namespace goza_bench;

namespace {

/* CSR's order of ours as the paper's [pairs][9]. */
struct ToBlocks {
  const PetscInt    *ptr;
  const PetscScalar *csr;
  PetscScalar       *blocks;

  HD void operator()(PetscInt i) const
  {
    const PetscInt length = ptr[i + 1] - ptr[i];

    for (PetscInt v = 0; v < 9 * length; v++)
      blocks[static_cast<std::int64_t>(ptr[i] + v % (3 * length) / 3) * 9 + v / (3 * length) * 3 + v % 3] = csr[static_cast<std::int64_t>(ptr[i]) * 9 + v];
  }
};

/* --- ours */

struct Place { // of a line: what was assembled, and the paper's seconds for it
  const char *element;
  int         n;
  double      k40, k40_colour, phi;
};

/* Operations of the steps for an element, where gradients are computed once and blocks (b, a) come of (a, b). */
template <class Element> void count_steps(double flops[4])
{
  constexpr int n = Element::nodes, pairs = n * (n + 1) / 2;
  Counted       X[n][3], g[Element::points][n][3], S[9], K[9];

  for (int b = 0; b < n; b++) {
    for (int d = 0; d < 3; d++) X[b][d] = Counted::input(b >> d & 1);
  }
  (void)Counted::done();
  for (int q = 0; q < Element::points; q++) rooted_gradients<Element>(X, q, g[q]);
  flops[0] = static_cast<double>(Counted::done());
  for (int q = 0; q < Element::points; q++) Elasticity::add(g[q][0], g[q][1], Counted(), S);
  Elasticity::block(S, Counted::input(1), Counted::input(1), K);
  flops[1] = 0;
  flops[2] = pairs * static_cast<double>(Counted::done());
  flops[3] = 9 * pairs;
}

struct Times {
  double seconds, symbolic, written, copy;
};

PetscErrorCode OurLine(const Bench &bench, const Place &at, const Problem &problem, const char *into, const Mesh &mesh, const AssemblyMap &map, const Times &t)
{
  const bool   csr = !std::string(into).compare("csr"), elastic = problem.equation == EquationKind::Elasticity;
  const double maps     = map.grid.is() ? (csr ? static_cast<double>(map.ptr.bytes()) : 0)
                                        : static_cast<double>(map.tiles.bytes() + map.ptr.bytes() + map.col.bytes());
  const double bytes[4] = {static_cast<double>(mesh.conn.bytes() + mesh.x.bytes()), maps, static_cast<double>(mesh.material.bytes()), t.written},
               all      = bytes[0] + bytes[1] + bytes[2] + bytes[3];
  double flops[4]       = {};
  char   text[960];

  PetscFunctionBeginUser;
  if (elastic && mesh.corners() == 8) count_steps<Hex8>(flops);
  if (elastic && mesh.corners() == 4) count_steps<Tet4>(flops);
  for (double &f : flops) f *= static_cast<double>(mesh.nelem);
  std::snprintf(text, sizeof(text),
                "\"element\": \"%s\", \"equation\": \"%s\", \"n\": %d, \"way\": \"ours\", \"into\": \"%s\", \"seconds\": %.6g, "
                "\"symbolic_s\": %.6g, \"steps_flops\": [%.4g, %.4g, %.4g, %.4g], \"steps_bytes\": [%.4g, %.4g, %.4g, %.4g], \"bytes\": %.4g, \"gbs\": %.4g, "
                "\"copy_bandwidth\": %.4g, \"limit_s\": %.6g, \"map_bytes\": %.4g, \"k40_s\": %g, \"phi_s\": %g",
                at.element, elastic ? "elasticity" : "diffusion", at.n, into, t.seconds, t.symbolic, flops[0], flops[1], flops[2], flops[3], bytes[0], bytes[1],
                bytes[2], bytes[3], all, all / t.seconds / 1e9, t.copy, t.written / t.copy, static_cast<double>(map.bytes()), at.k40, at.phi);
  PetscCall(Line(bench, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Symbolic(const Bench &bench, const Problem &problem, const Mesh &mesh, Layout layout, AssemblyMap &map, PetscLogDouble *seconds)
{
  PetscFunctionBeginUser;
  PetscCall(Median(
    bench,
    [&] {
      map = AssemblyMap();
      map = make_assembly_map(problem, mesh, layout);
    },
    seconds));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Straight into CDS: all 27 diagonals of the cube's neighbours, or the 14 of the upper half. */
PetscErrorCode IntoCds(const Bench &bench, const Place &at, const Problem &problem, const Mesh &mesh, double copy)
{
  AssemblyMap    map;
  PetscLogDouble symbolic, seconds;

  PetscFunctionBeginUser;
  PetscCall(Symbolic(bench, problem, mesh, Layout::Cds, map, &symbolic));
  for (int half = 0; half < 2; half++) {
    std::vector<PetscInt> offset;
    Target                target{};

    for (PetscInt k = half ? 13 : 0; k < 27; k++) offset.push_back(k % 3 - 1 + at.n * (k / 3 % 3 - 1 + at.n * (k / 9 - 1)));
    target.layout = Layout::Cds;
    target.bs     = problem.bs;
    target.owned  = mesh.owned;
    target.half   = half;
    target.ld     = (mesh.owned + 31) / 32 * 32;
    target.ndiag  = static_cast<int>(offset.size());
    std::copy(offset.begin(), offset.end(), target.offset);
    Array<PetscScalar> cds(bench.space, offset.size() * problem.bs * problem.bs * static_cast<std::size_t>(target.ld));
    cds.zero();
    target.val = cds.data();
    PetscCall(Median(
      bench, [&] { assemble_matrix(problem, mesh, map, target); }, &seconds));
    PetscCall(OurLine(bench, at, problem, half ? "cds half" : "cds full", mesh, map, {seconds, symbolic, static_cast<double>(cds.bytes()), copy}));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Straight into sliced ELL of blocks; and by way of rows, from which the slices are refilled. */
PetscErrorCode IntoSlices(const Bench &bench, const Place &at, const Problem &problem, const Mesh &mesh, double copy)
{
  SlicedEllOptions options;
  AssemblyMap      map, by_rows;
  Target           target{};
  PetscLogDouble   symbolic, seconds;

  PetscFunctionBeginUser;
  PetscCall(Symbolic(bench, problem, mesh, Layout::Csr, by_rows, &symbolic));
  CsrMatrix rows = rows_of_pairs(mesh, by_rows, problem.bs, false);
  options.bs     = problem.bs;
  SlicedEll<PetscScalar, PetscScalar> ell(bench.space, options);
  ell.build(rows.view());
  rows.col            = Array<PetscInt>(bench.space);
  rows.val            = Array<PetscScalar>(bench.space, static_cast<std::size_t>(ell.nonzeros()));
  const double stored = static_cast<double>(ell.stored()) * sizeof(PetscScalar);

  target.layout = Layout::Csr;
  target.bs     = problem.bs;
  target.owned  = mesh.owned;
  target.val    = rows.val.data();
  target.ptr    = rows.ptr.data();
  PetscCall(Median(
    bench,
    [&] {
      assemble_matrix(problem, mesh, by_rows, target);
      ell.refill({bench.space, rows.nrows, rows.ncols, rows.ptr.data(), nullptr, rows.val.data(), static_cast<PetscInt>(ell.nonzeros())});
    },
    &seconds));
  PetscCall(OurLine(bench, at, problem, "slicedell by rows", mesh, by_rows, {seconds, symbolic, stored, copy}));
  rows = CsrMatrix(bench.space, 0, 0);

  const EllEntries<PetscScalar> places = ell.entry_view();
  PetscCall(Symbolic(bench, problem, mesh, Layout::SlicedEll, map, &symbolic));
  target.layout    = Layout::SlicedEll;
  target.val       = places.val;
  target.shift     = places.A.shift;
  target.team      = places.team;
  target.slice_ptr = places.A.slice_ptr;
  target.place_of  = places.place_of;
  PetscCall(Median(
    bench, [&] { assemble_matrix(problem, mesh, map, target); }, &seconds));
  PetscCall(OurLine(bench, at, problem, "slicedell", mesh, map, {seconds, symbolic, stored, copy}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- the table of one kind of element */

/* Bytes of the four steps' arrays for all elements; the steps that are done together stand in the last of them. */
template <class Element> void step_bytes(Way way, const Mesh &mesh, const AssemblyMap &map, double bytes[4])
{
  constexpr double n = Element::nodes, real = sizeof(PetscScalar);
  const double     e = static_cast<double>(mesh.nelem), geometry = static_cast<double>(mesh.conn.bytes() + mesh.x.bytes()),
               material  = static_cast<double>(mesh.material.bytes());
  const double gradients = e * Element::points * n * 3 * real, matrix = e * n * n * 9 * real, address = e * n * n * sizeof(PetscInt), added = 2 * matrix;
  const double search = static_cast<double>(mesh.conn.bytes() + map.ptr.bytes() + map.col.bytes());
  const bool   apart  = way == Way::G || way == Way::GCuda;

  std::fill_n(bytes, 4, 0.);
  if (way == Way::Original) bytes[3] = geometry + material + search + added;
  if (way != Way::Original) bytes[1] = search + address;
  if (way == Way::B) bytes[3] = geometry + material + address + added;
  if (way == Way::A) bytes[2] = geometry + material + matrix;
  if (apart) bytes[0] = geometry + gradients;
  if (apart) bytes[2] = gradients + material + matrix;
  if (way == Way::A || apart) bytes[3] = matrix + address + added;
}

template <class Element>
PetscErrorCode Paper(const Bench &bench, const Place &at, const std::string &ways, const std::string &adds, const std::vector<PetscInt> &sizes)
{
  const Space    space = bench.space;
  const Problem  problem{EquationKind::Elasticity, 3};
  char           text[640];
  PetscLogDouble copy, symbolic, seconds;
  AssemblyMap    map;

  PetscFunctionBeginUser;
  const Mesh mesh = make_cube(space, at.n, Element::nodes == 4, bench.general);
  PetscCall(CopyBandwidth(bench.repeats, bench.space, &copy));
  PetscCall(Symbolic(bench, problem, mesh, Layout::Csr, map, &symbolic));

  const std::size_t  values = static_cast<std::size_t>(map.pairs()) * 9;
  Array<PetscInt>    row(space, 3 * static_cast<std::size_t>(mesh.owned) + 1);
  Array<PetscScalar> ours(space, values), blocks(space, values);
  Target             target{};

  for_each_row(space, mesh.owned + 1, RowPointers{map.ptr.data(), mesh.owned, row.data()});
  target.layout = Layout::Csr;
  target.bs     = 3;
  target.owned  = mesh.owned;
  target.val    = ours.data();
  target.ptr    = row.data();
  PetscCall(Median(
    bench, [&] { assemble_matrix(problem, mesh, map, target); }, &seconds));
  PetscCall(OurLine(bench, at, problem, "csr", mesh, map, {seconds, symbolic, static_cast<double>(values) * sizeof(PetscScalar), copy}));
  for_each_row(space, mesh.owned, ToBlocks{map.ptr.data(), ours.data(), blocks.data()});
  ours                  = Array<PetscScalar>(space);
  const PetscReal scale = largest_gap(space, blocks.data(), nullptr, values);

  PetscCall(IntoCds(bench, at, problem, mesh, copy));
  PetscCall(IntoSlices(bench, at, problem, mesh, copy));

  for (const bool atomic : {true, false}) {
    if (adds.find(atomic ? "atomic" : "colour") == std::string::npos || ways == "ours") continue;
    const Order order(space, mesh, atomic);
    for (const NamedWay &of : paper_ways) {
      const Way way = of.way;

      if (("," + ways + ",").find("," + std::string(of.name) + ",") == std::string::npos) continue;
      for (const PetscInt blksiz : way == Way::Original ? std::vector<PetscInt>{mesh.nelem} : sizes) {
        Between<Element>   between(space, way, blksiz);
        Array<PetscScalar> val(space, values);
        const Block        b      = between.block(mesh, map, order, val.data());
        PetscErrorCode     failed = PETSC_SUCCESS;

        PetscCall(Median(
          bench,
          [&] {
            val.zero();
            if (!failed) failed = RunBlocks<Element>(bench, way, b, order.parts, blksiz);
          },
          &seconds));
        PetscCall(failed);
        const PetscReal gap = largest_gap(space, val.data(), blocks.data(), values) / scale;
        double          bytes[4], took[4], gbs[4];

        for (int run = 0; run < 2; run++) { // the first loads the kernels that time parts
          std::fill_n(took, 4, 0.);
          PetscCall(RunBlocks<Element>(bench, way, b, order.parts, blksiz, took));
        }
        step_bytes<Element>(way, mesh, map, bytes);
        for (int s = 0; s < 4; s++) gbs[s] = took[s] > 0 ? bytes[s] / took[s] / 1e9 : 0;
        std::snprintf(text, sizeof(text),
                      "\"element\": \"%s\", \"equation\": \"elasticity\", \"n\": %d, \"way\": \"%s\", \"add\": \"%s\", \"blksiz\": "
                      "%d, \"seconds\": %.6g, \"steps_s\": [%.4g, %.4g, %.4g, %.4g], "
                      "\"steps_bytes\": [%.4g, %.4g, %.4g, %.4g], \"steps_gbs\": [%.4g, %.4g, %.4g, %.4g], \"colours\": %d, \"difference\": %.2g, \"k40_s\": "
                      "%g, \"phi_s\": %g",
                      at.element, at.n, of.name, atomic ? "atomic" : "colour", way == Way::Original ? 0 : static_cast<int>(blksiz), seconds, took[0], took[1],
                      took[2], took[3], bytes[0], bytes[1], bytes[2], bytes[3], gbs[0], gbs[1], gbs[2], gbs[3],
                      atomic ? 0 : static_cast<int>(order.parts.size()) - 1, static_cast<double>(gap), atomic ? at.k40 : at.k40_colour, at.phi);
        PetscCall(Line(bench, text));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- diffusion */

PetscErrorCode Poisson(const Bench &bench, PetscInt n)
{
  PetscLogDouble copy;

  PetscFunctionBeginUser;
  const Mesh mesh = make_cube(bench.space, n, false, bench.general);
  PetscCall(CopyBandwidth(bench.repeats, bench.space, &copy));
  PetscCall(IntoCds(bench, {"hex", static_cast<int>(n), 0, 0, 0}, {EquationKind::Diffusion, 1}, mesh, copy));
  PetscCall(IntoSlices(bench, {"hex", static_cast<int>(n), 0, 0, 0}, {EquationKind::Diffusion, 1}, mesh, copy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

int main(int argc, char **argv)
{
  Bench     bench;
  PetscInt  n = 128, coo = 0, host = 0, poisson = 0, general = 0, sizes[8] = {8192, 16384, 32768}, nsizes = 8;
  char      file[PETSC_MAX_PATH_LEN] = "", elements[64] = "hex,tet", ways[64] = "ours,original,a,b,g,g_cuda", adds[64] = "atomic,colour", whole[64] = "";
  PetscBool set;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(GozaInitializePackage());
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &n, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-coo", &coo, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-host", &host, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-poisson", &poisson, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-general", &general, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-whole", whole, sizeof(whole), NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-repeats", &bench.repeats, NULL));
  PetscCall(PetscOptionsGetIntArray(NULL, NULL, "-blksiz", sizes, &nsizes, &set));
  if (!set) nsizes = 3;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-elements", elements, sizeof(elements), NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-ways", ways, sizeof(ways), NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-adds", adds, sizeof(adds), NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-json", file, sizeof(file), NULL));
  PetscCheck(n > 1 && bench.repeats > 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "-n %" PetscInt_FMT " must be above 1, -repeats %" PetscInt_FMT " above 0",
             n, bench.repeats);
  bench.space = default_space();
  PetscCall(use_petsc_stream());
  if (file[0]) bench.json = fopen(file, "a");
  bench.how = goza_test::RunFields(bench.space, argc, argv);
  const std::vector<PetscInt> blocks(sizes, sizes + nsizes);
  const auto hex = [](PetscInt nodes) { return Place{"hex", static_cast<int>(nodes), 0.362, 0.675, 0.803}; }; /* the paper's seconds are those of 128^3 nodes */
  if (std::string(elements).find("hex") != std::string::npos) PetscCall(Paper<Hex8>(bench, hex(n), ways, adds, blocks));
  if (std::string(elements).find("tet") != std::string::npos) PetscCall(Paper<Tet4>(bench, {"tet", static_cast<int>(n), 0.520, 0, 1.111}, ways, adds, blocks));
  if (poisson > 1) PetscCall(Poisson(bench, poisson));
  if (general > 1) {
    bench.general = PETSC_TRUE;
    PetscCall(Paper<Hex8>(bench, hex(general), "ours", "", {}));
    PetscCall(Poisson(bench, general));
    bench.general = PETSC_FALSE;
  }
  for (const char *type : {"cds", "slicedell", "aij", "baij"}) {
    PetscCall(PetscStrInList(type, whole, ',', &set));
    if (set) PetscCall(Whole(bench, n, type));
  }
  if (coo > 1) {
    PetscCall(Paper<Hex8>(bench, hex(coo), "ours", "", {}));
    PetscCall(COO(bench, coo));
  }
  if (host > 1) PetscCall(HostPeer(bench, host));
  if (bench.json) fclose(bench.json);
  PetscCall(PetscFinalize());
  return 0;
}
