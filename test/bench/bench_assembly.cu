/* Finite-element assembly of elasticity on a cube, paper P4's table (Nakajima 2016): its steps and variants beside ours.

     bench_assembly [-n 128] [-elements hex,tet] [-ways ours,original,a,b,g] [-adds atomic,colour] [-blksiz 8192,16384,32768] [-repeats 7] [-coo 64] [-host 33] [-json FILE]

   The paper's steps: (1) Jacobian and gradients, (2) address search in the block CRS, (3) element matrix, (4) add. original: all in one kernel; a: (2), (1+3), (4);
   b: (2), (1+3+4); g: four kernels; a, b and g in blocks of BLKSIZ elements with arrays between the kernels, element fastest. Elements are of one colour at a time,
   or add atomically. ours: GozaAssembly's numeric phase, into CSR and straight into CDS. All of them take their numbers from src/assembly's element kernels, and
   are compared with each other: "difference" is the largest from ours.

   -coo n: MatSetValuesCOO() into aijcusparse with the same element kernel, beside ours, n nodes a side (CUDA PETSc). -host n: element by element MatSetValues()
   beside GozaAssembly on the host. Times are medians of `repeats` after one run; a step's time comes from runs that wait after each kernel, in PETSc's events. */
#include "assembly/element.hpp"
#include "assembly/equation.hpp"
#include "assembly/numeric.hpp"
#include "core/algorithm.hpp"
#include "core/for_each_row.hpp"
#include "goza.hpp"
#include "petscgoza.h"
#include <algorithm>
#include <cmath>
#include <petscmat.h>
#include <petscsys.h>
#include <petsctime.h>

#if PETSC_VERSION_LT(3, 19, 0) && !defined(PETSC_SUCCESS)
  #define PETSC_SUCCESS ((PetscErrorCode)0)
#endif

using namespace goza;

namespace
{

/* --- the cube: n^3 nodes, inner ones moved, two materials in turn */

Mesh make_cube(Space space, PetscInt n, bool tets)
{
  static const int       kuhn[6][4] = {{0, 1, 3, 7}, {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 3, 2, 7}, {0, 6, 4, 7}, {0, 5, 1, 7}};
  const std::size_t      nodes      = static_cast<std::size_t>(n) * n * n;
  std::vector<PetscInt>  conn;
  std::vector<PetscReal> x(3 * nodes), material;
  Mesh                   m;

  for (std::size_t k = 0; k < nodes; k++) {
    const double   s = std::sin(12.9898 * static_cast<double>(k)) * 43758.5453, move = 0.1 * (s - std::floor(s) - 0.5);
    const PetscInt i[3] = {static_cast<PetscInt>(k % n), static_cast<PetscInt>(k / n % n), static_cast<PetscInt>(k / n / n)};

    for (int d = 0; d < 3; d++) x[3 * k + d] = i[d] + (d == 1 ? -move : move);
  }
  for (PetscInt k = 0; k + 1 < n; k++) {
    for (PetscInt j = 0; j + 1 < n; j++) {
      for (PetscInt i = 0; i + 1 < n; i++) {
        PetscInt cube[8];

        for (int b = 0; b < 8; b++) cube[b] = i + (b & 1) + n * (j + (b >> 1 & 1) + n * (k + (b >> 2)));
        if (!tets) conn.insert(conn.end(), cube, cube + 8);
        for (int t = 0; tets && t < 6; t++) {
          for (int b : kuhn[t]) conn.push_back(cube[b]);
        }
      }
    }
  }
  m.kind  = tets ? ElementKind::Tet4 : ElementKind::Hex8;
  m.nelem = static_cast<PetscInt>(conn.size()) / m.corners();
  m.nodes = m.owned = static_cast<PetscInt>(nodes);
  for (PetscInt e = 0; e < m.nelem; e++) {
    material.push_back(1 + e % 7);
    material.push_back(1 + e % 3);
  }
  m.conn     = Array<PetscInt>(space, conn.data(), conn.size());
  m.x        = Array<PetscReal>(space, x.data(), x.size());
  m.material = Array<PetscReal>(space, material.data(), material.size());
  return m;
}

/* --- the paper's steps. Elements k < count of a block; element(k) is its number. Arrays between steps are [..][capacity]. */

struct Block {
  MeshView        mesh;
  const PetscInt *order, *ptr, *col; // order: elements by colour, or null
  PetscInt        begin, count, capacity;
  PetscScalar    *gradients, *matrix; // [points][corners][3][capacity], [corners][corners][9][capacity]
  PetscInt       *address;            // [corners][corners][capacity]
  PetscScalar    *val;                // [pairs][9]
  bool            atomic;

  HD PetscInt element(PetscInt k) const { return order ? order[begin + k] : begin + k; }
  HD void     add(PetscInt pair, int c, PetscScalar value) const
  {
#if defined(__CUDA_ARCH__)
    if (atomic) {
      atomicAdd(val + static_cast<std::int64_t>(pair) * 9 + c, value);
      return;
    }
#endif
    val[static_cast<std::int64_t>(pair) * 9 + c] += value;
  }
};

template <class Element> HD void corners_of(const MeshView &mesh, PetscInt e, PetscScalar (*X)[3])
{
  for (int b = 0; b < Element::nodes; b++) {
    for (int d = 0; d < 3; d++) X[b][d] = mesh.x[mesh.conn[static_cast<std::int64_t>(e) * Element::nodes + b]][d];
  }
}

HD PetscInt search(const PetscInt *ptr, const PetscInt *col, PetscInt i, PetscInt j)
{
  PetscInt low = ptr[i], high = ptr[i + 1] - 1;

  while (low < high) {
    const PetscInt middle = (low + high) / 2;

    if (col[middle] < j) low = middle + 1;
    else high = middle;
  }
  return low;
}

template <class Element> struct Step1 : Block {
  static constexpr int n = Element::nodes;

  HD void operator()(PetscInt t) const
  {
    const PetscInt k = t % this->count, q = t / this->count;
    PetscScalar    X[n][3], g[n][3];

    corners_of<Element>(this->mesh, this->element(k), X);
    rooted_gradients<Element>(X, static_cast<int>(q), g);
    for (int b = 0; b < n; b++) {
      for (int d = 0; d < 3; d++) this->gradients[static_cast<std::int64_t>((q * n + b) * 3 + d) * this->capacity + k] = g[b][d];
    }
  }
};

template <class Element> struct Step2 : Block {
  static constexpr int n = Element::nodes;

  HD void operator()(PetscInt t) const
  {
    const PetscInt  k = t % this->count, ab = t / this->count;
    const PetscInt *c = this->mesh.conn + static_cast<std::int64_t>(this->element(k)) * n;

    this->address[static_cast<std::int64_t>(ab) * this->capacity + k] = search(this->ptr, this->col, c[ab / n], c[ab % n]);
  }
};

template <class Element> struct Step3 : Block {
  static constexpr int n = Element::nodes;

  HD void operator()(PetscInt t) const
  {
    const PetscInt k = t % this->count, ab = t / this->count, e = this->element(k);
    PetscScalar    S[9] = {}, K[9];

    for (int q = 0; q < Element::points; q++) {
      const PetscScalar *g = this->gradients + static_cast<std::int64_t>(q * n * 3) * this->capacity + k;
      PetscScalar        a[3], b[3];

      for (int d = 0; d < 3; d++) {
        a[d] = g[static_cast<std::int64_t>(ab / n * 3 + d) * this->capacity];
        b[d] = g[static_cast<std::int64_t>(ab % n * 3 + d) * this->capacity];
      }
      Elasticity::add(a, b, PetscScalar(0), S);
    }
    Elasticity::block(S, static_cast<PetscScalar>(this->mesh.material[e][0]), static_cast<PetscScalar>(this->mesh.material[e][1]), K);
    for (int c = 0; c < 9; c++) this->matrix[static_cast<std::int64_t>(ab * 9 + c) * this->capacity + k] = K[c];
  }
};

struct Step4 : Block {
  HD void operator()(PetscInt t) const // the nine values of a block are neighbours: the paper's order for coalesced writing
  {
    const PetscInt c = t % 9, k = t / 9 % count, ab = t / 9 / count;

    add(address[static_cast<std::int64_t>(ab) * capacity + k], static_cast<int>(c), matrix[static_cast<std::int64_t>(ab * 9 + c) * capacity + k]);
  }
};

/* Steps in one: a thread a row of an element matrix. */
template <class Element, bool searches, bool adds> struct Fused : Block {
  static constexpr int n = Element::nodes;

  HD void operator()(PetscInt t) const
  {
    const PetscInt  k = t % this->count, a = t / this->count, e = this->element(k);
    const PetscInt *c = this->mesh.conn + static_cast<std::int64_t>(e) * n;
    PetscScalar     X[n][3], g[n][3], S[n][9] = {};

    corners_of<Element>(this->mesh, e, X);
    for (int q = 0; q < Element::points; q++) {
      PetscScalar ga[3] = {};

      rooted_gradients<Element>(X, q, g);
      for (int b = 0; b < n; b++) {
        for (int d = 0; d < 3; d++) ga[d] = a == b ? g[b][d] : ga[d];
      }
      for (int b = 0; b < n; b++) Elasticity::add(ga, g[b], PetscScalar(0), S[b]);
    }
    for (int b = 0; b < n; b++) {
      PetscScalar K[9];
      const PetscInt ab = a * n + b, pair = adds ? (searches ? search(this->ptr, this->col, c[a], c[b]) : this->address[static_cast<std::int64_t>(ab) * this->capacity + k]) : 0;

      Elasticity::block(S[b], static_cast<PetscScalar>(this->mesh.material[e][0]), static_cast<PetscScalar>(this->mesh.material[e][1]), K);
      for (int d = 0; d < 9; d++) {
        if (adds) this->add(pair, d, K[d]);
        else this->matrix[static_cast<std::int64_t>(ab * 9 + d) * this->capacity + k] = K[d];
      }
    }
  }
};

struct Bench {
  Space         space;
  PetscInt      repeats = 7;
  FILE         *json    = NULL;
  PetscLogEvent step[4];
};

PetscErrorCode Wait(const Bench &bench)
{
  PetscFunctionBeginUser;
  if (bench.space == Space::Cuda) device::synchronize();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The median time of call(), in seconds. */
template <class Call> PetscErrorCode Median(const Bench &bench, const Call &call, PetscLogDouble *seconds)
{
  std::vector<PetscLogDouble> all;

  PetscFunctionBeginUser;
  call();
  for (PetscInt k = 0; k < bench.repeats; k++) {
    PetscLogDouble begin, end;

    PetscCall(Wait(bench));
    PetscCall(PetscTime(&begin));
    call();
    PetscCall(Wait(bench));
    PetscCall(PetscTime(&end));
    all.push_back(end - begin);
  }
  std::sort(all.begin(), all.end());
  *seconds = all[all.size() / 2];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Greedy, on the host. */
void colour_elements(const Mesh &mesh, std::vector<PetscInt> &order, std::vector<PetscInt> &ptr)
{
  const std::vector<PetscInt>        conn = mesh.conn.to_host();
  std::vector<unsigned long long>    seen(mesh.nodes, 0);
  std::vector<std::vector<PetscInt>> by_colour;
  const int                          n = mesh.corners();

  for (PetscInt e = 0; e < mesh.nelem; e++) {
    unsigned long long mask = 0;
    std::size_t        c    = 0;

    for (int b = 0; b < n; b++) mask |= seen[conn[static_cast<std::size_t>(e) * n + b]];
    while (c < 63 && mask >> c & 1) c++;
    for (int b = 0; b < n; b++) seen[conn[static_cast<std::size_t>(e) * n + b]] |= 1ull << c;
    if (by_colour.size() <= c) by_colour.resize(c + 1);
    by_colour[c].push_back(e);
  }
  ptr.assign(1, 0);
  for (const auto &c : by_colour) {
    order.insert(order.end(), c.begin(), c.end());
    ptr.push_back(static_cast<PetscInt>(order.size()));
  }
}

struct Largest {
  const PetscScalar *a, *b; // b null: of a alone
  PetscReal         *gap;

  HD void operator()(PetscInt k) const { gap[k] = PetscAbsReal(a[k] - (b ? b[k] : PetscScalar(0))); }
};

PetscReal largest_gap(Space space, const PetscScalar *a, const PetscScalar *b, std::size_t n)
{
  Array<PetscReal> gap(space, n);

  for_each_row(space, static_cast<PetscInt>(n), Largest{a, b, gap.data()});
  return largest(space, gap.data(), n);
}

struct RowPointers {
  const PetscInt *ptr;
  PetscInt        n, *row;

  HD void operator()(PetscInt i) const
  {
    for (int r = 0; r < 3 && (i < n || r == 0); r++) row[3 * i + r] = 9 * ptr[i] + (i < n ? 3 * r * (ptr[i + 1] - ptr[i]) : 0);
  }
};

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

template <class Element> PetscErrorCode RunBlocks(const Bench &bench, char way, Block b, const std::vector<PetscInt> &parts, PetscInt blksiz, bool wait)
{
  constexpr PetscInt n   = Element::nodes;
  const auto         run = [&](int step, PetscInt threads, const auto &body) -> PetscErrorCode {
    PetscFunctionBeginUser;
    if (wait) PetscCall(PetscLogEventBegin(bench.step[step], 0, 0, 0, 0));
    for_each_row(bench.space, threads, body);
    if (wait) {
      PetscCall(Wait(bench));
      PetscCall(PetscLogEventEnd(bench.step[step], 0, 0, 0, 0));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  };

  PetscFunctionBeginUser;
  for (std::size_t p = 0; p + 1 < parts.size(); p++) {
    for (b.begin = parts[p]; b.begin < parts[p + 1]; b.begin += blksiz) {
      b.count = std::min(blksiz, parts[p + 1] - b.begin);
      if (way == 'o') PetscCall(run(3, n * b.count, Fused<Element, true, true>{b}));
      if (way == 'a' || way == 'b' || way == 'g') PetscCall(run(1, n * n * b.count, Step2<Element>{b}));
      if (way == 'b') PetscCall(run(3, n * b.count, Fused<Element, false, true>{b}));
      if (way == 'a') PetscCall(run(2, n * b.count, Fused<Element, false, false>{b}));
      if (way == 'g') PetscCall(run(0, Element::points * b.count, Step1<Element>{b}));
      if (way == 'g') PetscCall(run(2, n * n * b.count, Step3<Element>{b}));
      if (way == 'a' || way == 'g') PetscCall(run(3, 9 * n * n * b.count, Step4{b}));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Line(const Bench &bench, const char *text)
{
  PetscFunctionBeginUser;
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s\n", text));
  if (bench.json) fprintf(bench.json, "%s\n", text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CopyBandwidth(const Bench &bench, PetscLogDouble *bytes_a_second)
{
  const std::size_t n = std::size_t(1) << (bench.space == Space::Cuda ? 27 : 22);
  Array<double>     from(bench.space, n), to(bench.space, n);
  PetscLogDouble    seconds;

  PetscFunctionBeginUser;
  from.zero();
  PetscCall(Median(
    bench, [&] { to.copy_from(from.data(), n); }, &seconds));
  *bytes_a_second = 2. * static_cast<double>(n * sizeof(double)) / seconds;
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Element>
PetscErrorCode Paper(const Bench &bench, PetscInt n, const char *name, const std::string &ways, const std::string &adds, const std::vector<PetscInt> &sizes, double paper_colour, double paper_atomic)
{
  const Space    space = bench.space;
  const bool     tets  = Element::nodes == 4;
  const Problem  problem{EquationKind::Elasticity, 3};
  char           text[512];
  PetscLogDouble copy, symbolic, seconds;
  AssemblyMap    map;

  PetscFunctionBeginUser;
  const Mesh mesh = make_cube(space, n, tets);
  PetscCall(CopyBandwidth(bench, &copy));
  PetscCall(Median(
    bench,
    [&] {
      map = AssemblyMap();
      map = make_assembly_map(mesh, best_tile_nodes(problem, mesh.kind), most_pairs_on_chip(problem));
    },
    &symbolic));

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
  const double written = static_cast<double>(values) * sizeof(PetscScalar);
  std::snprintf(text, sizeof(text), "{\"work\": \"assembly\", \"element\": \"%s\", \"n\": %d, \"way\": \"ours\", \"into\": \"csr\", \"seconds\": %.6g, \"symbolic_s\": %.6g, \"bytes_written\": %.4g, \"copy_bandwidth\": %.4g, \"limit_s\": %.6g, \"map_bytes\": %.4g, \"k40_s\": %g}", name, static_cast<int>(n), seconds, symbolic, written, copy, written / copy,
                static_cast<double>(map.bytes()), paper_atomic);
  PetscCall(Line(bench, text));
  for_each_row(space, mesh.owned, ToBlocks{map.ptr.data(), ours.data(), blocks.data()});
  ours                  = Array<PetscScalar>(space);
  const PetscReal scale = largest_gap(space, blocks.data(), nullptr, values);

  for (int half = 0; half < 2 && !tets; half++) {
    std::vector<PetscInt> offset;

    for (PetscInt k = half ? 13 : 0; k < 27; k++) offset.push_back(k % 3 - 1 + n * (k / 3 % 3 - 1 + n * (k / 9 - 1)));
    Array<PetscScalar> cds(space, offset.size() * 9 * static_cast<std::size_t>((mesh.owned + 31) / 32 * 32));
    cds.zero();
    target.layout = Layout::Cds;
    target.val    = cds.data();
    target.half   = half;
    target.ld     = (mesh.owned + 31) / 32 * 32;
    target.ndiag  = static_cast<int>(offset.size());
    std::copy(offset.begin(), offset.end(), target.offset);
    PetscCall(Median(
      bench, [&] { assemble_matrix(problem, mesh, map, target); }, &seconds));
    std::snprintf(text, sizeof(text), "{\"work\": \"assembly\", \"element\": \"%s\", \"n\": %d, \"way\": \"ours\", \"into\": \"cds %s\", \"seconds\": %.6g, \"bytes_written\": %.4g, \"limit_s\": %.6g}", name, static_cast<int>(n), half ? "half" : "full", seconds,
                  static_cast<double>(cds.bytes()), static_cast<double>(cds.bytes()) / copy);
    PetscCall(Line(bench, text));
  }

  for (const bool atomic : {true, false}) {
    std::vector<PetscInt> order, parts{0, mesh.nelem};

    if (adds.find(atomic ? "atomic" : "colour") == std::string::npos || ways == "ours") continue;
    if (!atomic) colour_elements(mesh, order, parts);
    const Array<PetscInt> device_order(space, order.data(), order.size());
    for (const char way : {'o', 'a', 'b', 'g'}) {
      const char *long_name = way == 'o' ? "original" : way == 'a' ? "a" : way == 'b' ? "b" : "g";

      if (("," + ways + ",").find("," + std::string(long_name) + ",") == std::string::npos) continue;
      for (const PetscInt blksiz : way == 'o' ? std::vector<PetscInt>{mesh.nelem} : sizes) {
        const std::size_t  capacity = way == 'o' ? 0 : blksiz;
        Array<PetscScalar> gradients(space, way == 'g' ? Element::points * Element::nodes * 3 * capacity : 0), matrix(space, way == 'b' ? 0 : Element::nodes * Element::nodes * 9 * capacity), val(space, values);
        Array<PetscInt>    address(space, Element::nodes * Element::nodes * capacity);
        const Block        b{mesh.view(),
                      atomic ? nullptr : device_order.data(),
                      map.ptr.data(),
                      map.col.data(),
                      0,
                      0,
                      blksiz,
                      gradients.data(),
                      matrix.data(),
                      address.data(),
                      val.data(),
                      atomic};
        PetscEventPerfInfo before[4], after[4];
        PetscErrorCode     failed = PETSC_SUCCESS;

        PetscCall(Median(
          bench,
          [&] {
            val.zero();
            if (!failed) failed = RunBlocks<Element>(bench, way, b, parts, blksiz, false);
          },
          &seconds));
        PetscCall(failed);
        const PetscReal gap = largest_gap(space, val.data(), blocks.data(), values) / scale;
        for (int s = 0; s < 4; s++) PetscCall(PetscLogEventGetPerfInfo(0, bench.step[s], &before[s]));
        PetscCall(RunBlocks<Element>(bench, way, b, parts, blksiz, true));
        for (int s = 0; s < 4; s++) PetscCall(PetscLogEventGetPerfInfo(0, bench.step[s], &after[s]));
        std::snprintf(text, sizeof(text), "{\"work\": \"assembly\", \"element\": \"%s\", \"n\": %d, \"way\": \"%s\", \"add\": \"%s\", \"blksiz\": %d, \"seconds\": %.6g, \"steps_s\": [%.4g, %.4g, %.4g, %.4g], \"colours\": %d, \"difference\": %.2g, \"k40_s\": %g}", name, static_cast<int>(n), long_name, atomic ? "atomic" : "colour", way == 'o' ? 0 : static_cast<int>(blksiz), seconds,
                      after[0].time - before[0].time, after[1].time - before[1].time, after[2].time - before[2].time, after[3].time - before[3].time,
                      atomic ? 0 : static_cast<int>(parts.size()) - 1, static_cast<double>(gap), atomic ? paper_atomic : paper_colour);
        PetscCall(Line(bench, text));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- PETSc's COO, element matrices by steps 1 and 3 */

struct ToCOO { // the values of one block in the order of the coordinates: element, row, column
  const PetscScalar *matrix;
  PetscInt           count;
  PetscScalar       *v;

  HD void operator()(PetscInt t) const
  {
    const PetscInt k = t / 576, row = t % 576 / 24, column = t % 24, ab = row / 3 * 8 + column / 3, c = row % 3 * 3 + column % 3;

    v[t] = matrix[static_cast<std::int64_t>(ab * 9 + c) * count + k];
  }
};

PetscErrorCode COO(const Bench &bench, PetscInt n)
{
  const Space    space = bench.space;
  PetscLogDouble begin, end, numeric;
  char           text[512];

  PetscFunctionBeginUser;
  const Mesh                  mesh    = make_cube(space, n, false);
  const std::vector<PetscInt> conn    = mesh.conn.to_host();
  const std::size_t           entries = static_cast<std::size_t>(mesh.nelem) * 576;
  std::vector<PetscInt>       i(entries), j(entries);
  Mat                         A;

  for (std::size_t t = 0; t < entries; t++) {
    i[t] = 3 * conn[t / 576 * 8 + t % 576 / 24 / 3] + static_cast<PetscInt>(t % 576 / 24 % 3);
    j[t] = 3 * conn[t / 576 * 8 + t % 24 / 3] + static_cast<PetscInt>(t % 24 % 3);
  }
  PetscCall(MatCreate(PETSC_COMM_SELF, &A));
  PetscCall(MatSetSizes(A, 3 * mesh.owned, 3 * mesh.owned, 3 * mesh.owned, 3 * mesh.owned));
  PetscCall(MatSetType(A, space == Space::Cuda ? "aijcusparse" : MATAIJ));
  PetscCall(PetscTime(&begin));
  PetscCall(MatSetPreallocationCOO(A, static_cast<PetscCount>(entries), i.data(), j.data()));
  PetscCall(Wait(bench));
  PetscCall(PetscTime(&end));
  const PetscLogDouble symbolic = end - begin;

  Array<PetscScalar> gradients(space, static_cast<std::size_t>(192) * mesh.nelem), matrix(space, entries), v(space, entries);
  const Block        b{mesh.view(), nullptr, nullptr, nullptr, 0, mesh.nelem, mesh.nelem, gradients.data(), matrix.data(), nullptr, nullptr, false};
  PetscErrorCode     failed = PETSC_SUCCESS;
  PetscCall(Median(
    bench,
    [&] {
      for_each_row(space, 8 * mesh.nelem, Step1<Hex8>{b});
      for_each_row(space, 64 * mesh.nelem, Step3<Hex8>{b});
      for_each_row(space, static_cast<PetscInt>(entries), ToCOO{matrix.data(), mesh.nelem, v.data()});
      if (!failed) failed = MatSetValuesCOO(A, v.data(), INSERT_VALUES);
    },
    &numeric));
  PetscCall(failed);
  std::snprintf(text, sizeof(text), "{\"work\": \"assembly\", \"element\": \"hex\", \"n\": %d, \"way\": \"coo\", \"into\": \"%s\", \"seconds\": %.6g, \"symbolic_s\": %.6g}", static_cast<int>(n), space == Space::Cuda ? "aijcusparse" : "aij", numeric, symbolic);
  PetscCall(Line(bench, text));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- on the host: element by element through MatSetValues(), and GozaAssembly's numeric phase */

PetscErrorCode HostPeer(const Bench &given, PetscInt n)
{
  Bench          bench = given;
  const Problem  problem{EquationKind::Elasticity, 3};
  PetscLogDouble petsc, ours;
  char           text[512];
  Mat            A;
  PetscErrorCode failed = PETSC_SUCCESS;

  PetscFunctionBeginUser;
  bench.space                = Space::Host;
  const Mesh            mesh = make_cube(Space::Host, n, false);
  const AssemblyMap     map  = make_assembly_map(mesh, 1, 1);
  Array<PetscInt>       row(Space::Host, 3 * static_cast<std::size_t>(mesh.owned) + 1);
  std::vector<PetscInt> columns;
  Array<PetscScalar>    val(Space::Host, static_cast<std::size_t>(map.pairs()) * 9);
  Target                target{};

  for_each_row(Space::Host, mesh.owned + 1, RowPointers{map.ptr.data(), mesh.owned, row.data()});
  for (PetscInt r = 0; r < 3 * mesh.owned; r++) {
    for (PetscInt k = map.ptr.data()[r / 3]; k < map.ptr.data()[r / 3 + 1]; k++) {
      for (PetscInt c = 0; c < 3; c++) columns.push_back(3 * map.col.data()[k] + c);
    }
  }
  target.layout = Layout::Csr;
  target.bs     = 3;
  target.owned  = mesh.owned;
  target.val    = val.data();
  target.ptr    = row.data();
  PetscCall(Median(
    bench, [&] { assemble_matrix(problem, mesh, map, target); }, &ours));
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, 3 * mesh.owned, 3 * mesh.owned, 0, NULL, &A));
  PetscCall(MatSeqAIJSetPreallocationCSR(A, row.data(), columns.data(), NULL));
  PetscCall(Median(
    bench,
    [&] {
      if (failed) return;
      failed = [&]() -> PetscErrorCode {
        PetscFunctionBeginUser;
        PetscCall(MatZeroEntries(A));
        for (PetscInt e = 0; e < mesh.nelem; e++) {
          PetscScalar X[8][3], g[8][3], S[8][8][9] = {}, K[24][24];
          PetscInt    rows[24];

          corners_of<Hex8>(mesh.view(), e, X);
          for (int q = 0; q < 8; q++) {
            rooted_gradients<Hex8>(X, q, g);
            for (int ab = 0; ab < 64; ab++) Elasticity::add(g[ab / 8], g[ab % 8], PetscScalar(0), S[ab / 8][ab % 8]);
          }
          for (int ab = 0; ab < 64; ab++) {
            PetscScalar block[9];

            Elasticity::block(S[ab / 8][ab % 8], static_cast<PetscScalar>(mesh.view().material[e][0]), static_cast<PetscScalar>(mesh.view().material[e][1]), block);
            for (int c = 0; c < 9; c++) K[ab / 8 * 3 + c / 3][ab % 8 * 3 + c % 3] = block[c];
          }
          for (int r = 0; r < 24; r++) rows[r] = 3 * mesh.view().conn[static_cast<std::size_t>(e) * 8 + r / 3] + r % 3;
          PetscCall(MatSetValues(A, 24, rows, 24, rows, &K[0][0], ADD_VALUES));
        }
        PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
        PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
        PetscFunctionReturn(PETSC_SUCCESS);
      }();
    },
    &petsc));
  PetscCall(failed);
  PetscCall(MatDestroy(&A));
  std::snprintf(text, sizeof(text), "{\"work\": \"assembly\", \"element\": \"hex\", \"n\": %d, \"way\": \"host\", \"seconds\": %.6g, \"matsetvalues_s\": %.6g, \"ratio\": %.3g}", static_cast<int>(n), ours, petsc, petsc / ours);
  PetscCall(Line(bench, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

int main(int argc, char **argv)
{
  Bench     bench;
  PetscInt  n = 128, coo = 0, host = 0, sizes[8] = {8192, 16384, 32768}, nsizes = 8;
  char      file[PETSC_MAX_PATH_LEN] = "", elements[64] = "hex,tet", ways[64] = "ours,original,a,b,g", adds[64] = "atomic,colour";
  PetscBool set;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(PetscLogDefaultBegin());
  PetscCall(GozaInitializePackage());
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &n, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-coo", &coo, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-host", &host, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-repeats", &bench.repeats, NULL));
  PetscCall(PetscOptionsGetIntArray(NULL, NULL, "-blksiz", sizes, &nsizes, &set));
  if (!set) nsizes = 3;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-elements", elements, sizeof(elements), NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-ways", ways, sizeof(ways), NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-adds", adds, sizeof(adds), NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-json", file, sizeof(file), NULL));
  PetscCheck(n > 1 && bench.repeats > 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "-n %" PetscInt_FMT " must be above 1, -repeats %" PetscInt_FMT " above 0", n,
             bench.repeats);
  bench.space = default_space();
  PetscCall(use_petsc_stream());
  if (file[0]) bench.json = fopen(file, "a");
  for (int s = 0; s < 4; s++) {
    static const char *const names[] = {"FEMStep1Jacobi", "FEMStep2Search", "FEMStep3Matrix", "FEMStep4Add"};

    PetscCall(PetscLogEventRegister(names[s], MAT_CLASSID, &bench.step[s]));
  }
  const std::vector<PetscInt> blocks(sizes, sizes + nsizes);
  if (std::string(elements).find("hex") != std::string::npos) PetscCall(Paper<Hex8>(bench, n, "hex", ways, adds, blocks, 0.675, 0.362));
  if (std::string(elements).find("tet") != std::string::npos) PetscCall(Paper<Tet4>(bench, n, "tet", ways, adds, blocks, 0, 0.520));
  if (coo > 1) {
    PetscCall(Paper<Hex8>(bench, coo, "hex", "ours", "", {}, 0.675, 0.362));
    PetscCall(COO(bench, coo));
  }
  if (host > 1) PetscCall(HostPeer(bench, host));
  if (bench.json) fclose(bench.json);
  PetscCall(PetscFinalize());
  return 0;
}
