/* The set-up on a lattice of boxes against the general steps, which take over where the nodes' numbers are given one by one: the same aggregates,
   interpolations and operators. */
#include "core/sparse/value_scaling.hpp"
#include "mat/cds/cds.hpp"
#include "pc/saamg/cycle/box_transfer.hpp"
#include "pc/saamg/cycle/level_format.hpp"
#include "pc/saamg/setup/couplings.hpp"
#include "pc/saamg/setup/grid_of_rows.hpp"
#include "pc/saamg/setup/hierarchy.hpp"
#include "pc/saamg/setup/own_rows.hpp"
#include "../support/box_cases.hpp"
#include "../support/same_hierarchies.hpp"
#include "../support/spaces.hpp"

#include <cstring>
#include <map>
#include <numeric>

using namespace goza;
using namespace goza_test;

namespace {

using Case = BoxCase;

struct Built {
  MatHandle                                 A;
  OwnRows                                   rows, third;
  std::unique_ptr<ParOperator<PetscScalar>> op;
  Hierarchy                                 hierarchy;
  bool                                      finite = false;

  OperatorSource source(const mat::CdsOptions &options)
  {
    return [this, options](ParOperator<PetscScalar> **exact) {
      PetscFunctionBegin;
      if (!op) op = std::make_unique<ParOperator<PetscScalar>>();
      PetscCall(op->update(A, rows.A.space, [options](Space space) { return std::make_unique<mat::Cds<PetscScalar, PetscScalar>>(space, options); }));
      *exact = op.get();
      PetscFunctionReturn(PETSC_SUCCESS);
    };
  }
  void build(const Case &c, bool by_names, const HierarchyOptions &options, Space space, const OperatorSource &exact)
  {
    const Entry &e = c.entry;
    A              = assemble(e, MATAIJ, Prealloc::exact, PETSC_COMM_SELF);
    PETSC_OK(rows.open(A, space));
    std::vector<PetscScalar> B(e.rows);
    std::vector<PetscInt>    name(by_names ? e.rows : 0);
    for (PetscInt i = 0; i < e.rows; i++) B[i] = 1 + 0.3 * uniform(i, 1, 7);
    std::iota(name.begin(), name.end(), 0);
    Lattice lattice;
    for (int d = 0; d < 3; d++) lattice.points[d] = lattice.tiles[d] = c.n[d];
    PETSC_OK(hierarchy.build({rows.A, rows.columns, 1, 1, Array<PetscScalar>(space, B.data(), B.size()), Array<PetscInt>(space, name.data(), name.size()),
                              lattice, exact},
                             options, &finite));
  }
  void update(const HierarchyOptions &options, const OperatorSource &exact)
  {
    PETSC_OK(MatScale(A, 1. / 3));
    PETSC_OK(third.open(A, rows.A.space));
    PETSC_OK(hierarchy.update(third.A, options, &finite, exact));
  }
};

int levels_of_boxes(const Hierarchy &hierarchy)
{
  int levels = 0;

  for (const Grid &grid : hierarchy.grids()) levels += &grid != hierarchy.grids().data() && grid.level->natural;
  return levels;
}

/* What is told of the matrix is the same of its rows and of its diagonals. */
void same_facts(const StoredRows &stored, const MapPtr &columns, const std::string &what)
{
  const CsrFacts  by_rows = row_facts(stored.A, *columns), by_places = row_facts(stored, *columns);
  const Couplings of_rows = couplings_of(stored.A, *columns, by_rows), of_places = couplings_of(stored, *columns, by_places);

  all_ranks(by_rows.dinv.to_host() == by_places.dinv.to_host() && by_rows.isolated.to_host() == by_places.isolated.to_host(),
            what + ": inverse diagonal, isolated rows");
  all_ranks(by_rows.finite == by_places.finite && by_rows.positive == by_places.positive && by_rows.negative == by_places.negative &&
              by_rows.dominant == by_places.dominant && by_rows.any_isolated == by_places.any_isolated && by_rows.nisolated == by_places.nisolated &&
              by_rows.couplings == by_places.couplings,
            what + ": facts");
  all_ranks(of_rows.rows == of_places.rows && of_rows.positive == of_places.positive && of_rows.edges == of_places.edges && of_rows.weak == of_places.weak &&
              of_rows.squares == of_places.squares && of_rows.minor == of_places.minor,
            what + ": couplings");
}

/* The pass that tells of the diagonals copies them on the way in half precision, and the estimate with that copy lies above the exact one by no more than its
   margin and what the rounding may have added. */
void rough_copy(const StoredRows &stored, const MapPtr &columns, const std::string &what)
{
  constexpr PetscReal margin = 3 * 0x1p-11;
  const CsrFacts      exact = row_facts(stored, *columns), facts = row_facts(stored, *columns, 1, 0);
  mat::CdsOptions     options;

  all_ranks(facts.rough != nullptr && facts.dominant, what + ": a copy");
  all_ranks(exact.dinv.to_host() == facts.dinv.to_host() && exact.couplings == facts.couplings && !exact.rough, what + ": facts with a copy");
  options.storage = stored.diagonals()->half() ? mat::CdsStorage::Auto : mat::CdsStorage::Full;
  mat::Cds<HalfScalar, SingleScalar> copy(stored.A.space, options);
  copy.multiply_values(facts.rough->factor);
  all_ranks(copy.build_like(*stored.diagonals()), what + ": another copy");
  const auto              mine = facts.rough->A.view(), want = copy.view();
  const std::size_t       places = static_cast<std::size_t>(want.ndiag) * want.ld;
  std::vector<HalfScalar> a = Array<HalfScalar>(stored.A.space, mine.val, places).to_host(), b = Array<HalfScalar>(stored.A.space, want.val, places).to_host();
  all_ranks(mine.ndiag == want.ndiag && mine.ld == want.ld && std::memcmp(a.data(), b.data(), places * sizeof(HalfScalar)) == 0, what + ": the copy's values");
  for (PetscInt its : {5, 6}) {
    const PetscReal with = lambda_max(stored, *columns, facts, its, {nullptr, 0}), without = lambda_max(stored, *columns, exact, its, {nullptr, 0});

    all_ranks(with >= without && with <= PetscMin(without + 2 * margin, 2), what + ": estimate " + std::to_string(with) + " for " + std::to_string(without));
  }
}

/* Diagonal entries of too many magnitudes for half precision, or some that are not finite: no copy, or one that nobody takes. */
void no_rough_copy()
{
  for (Space where : spaces()) {
    for (const PetscReal largest : {PetscReal(0x1p14), PetscReal(0x1p15), std::numeric_limits<PetscReal>::infinity()}) {
      const Entry     e{"two", 40, 40, square, [=](PetscInt i, Row &out) {
                      out.add(i, i == 7 ? largest : 1);
                      if (i > 0) out.add(i - 1, -0.25);
                      if (i < 39) out.add(i + 1, -0.25);
                    }};
      const MatHandle A = assemble(e, MATAIJ, Prealloc::exact, PETSC_COMM_SELF);
      OwnRows         rows;

      PETSC_OK(rows.open(A, where));
      mat::Cds<PetscScalar, PetscScalar> cds(where);
      cds.build(rows.A);
      const CsrFacts facts  = row_facts({rows.A, &cds}, *rows.columns, 1, 0);
      const bool     finite = std::isfinite(largest), taken = facts.rough && facts.dominant && facts.finite;

      all_ranks(facts.finite == finite && taken == (largest == PetscReal(0x1p14)), std::string("a copy on ") + space_name(where));
      if (finite) all_ranks(std::abs(lambda_max({rows.A, &cds}, *rows.columns, facts, 6, {nullptr, 0}) - PetscReal(1.5)) < 0.05, "its estimate");
    }
  }
}

#if !PetscDefined(USE_REAL_SINGLE)
/* A cycle's level takes the copy over, and makes it anew when it has let go of it. */
void rough_copy_taken()
{
  const Case      c = on_lattice({44, 44, 44}, 0, "27_points");
  const MatHandle A = assemble(c.entry, MATAIJ, Prealloc::exact, PETSC_COMM_SELF);
  for (Space where : spaces()) {
    OwnRows                            rows;
    mat::Cds<PetscScalar, PetscScalar> cds(where);

    PETSC_OK(rows.open(A, where));
    cds.build(rows.A);
    const CsrFacts     facts = row_facts({rows.A, &cds}, *rows.columns, 1, 0);
    const auto         same  = std::make_shared<SameRows>();
    const PetscInt     n     = rows.A.nrows;
    Csr                none  = rows.A;
    Array<float>       x(where, n), y[3] = {Array<float>(where, n), Array<float>(where, n), Array<float>(where, n)};
    std::vector<float> values(n);

    for (PetscInt i = 0; i < n; i++) values[i] = static_cast<float>(uniform(i, 3, 7));
    x.assign(values.data());
    none.ptr = none.col = nullptr;
    none.val            = nullptr;
    same->diagonals     = &cds;
    same->dominant = same->users = true;
    LevelFormat<float> own(where, 1, true, same), taken(where, 1, true, same);
    own.build(none);
    own.apply(x.data(), Assign<float>{y[0].data()});
    same->rough = facts.rough.get();
    taken.build(none);
    all_ranks(facts.rough->A.bytes() == 0 && taken.bytes() == own.bytes() && taken.may_be_spared(), "taken");
    taken.apply(x.data(), Assign<float>{y[1].data()});
    taken.spare();
    same->rough    = nullptr;
    same->diagonal = facts.rough->diagonal;
    taken.build(none);
    taken.apply(x.data(), Assign<float>{y[2].data()});
    const auto a = y[0].to_host(), b = y[1].to_host(), d = y[2].to_host();
    PetscReal  off = 0;
    for (PetscInt i = 0; i < n; i++) off = std::max({off, PetscReal(std::abs(a[i] - b[i])), PetscReal(std::abs(a[i] - d[i]))});
    all_ranks(off <= 1e-6, "products off by " + std::to_string(off));
    taken.refill(none);
    taken.apply(x.data(), Assign<float>{y[1].data()});
    all_ranks(y[1].to_host() == d, "new values");
  }
}
#endif

/* The product makes the diagonal of P^T diag(m) P on the way. */
void squares_come_along(const Grid &grid, const std::string &what)
{
  const CsrMatrix         &P = grid.transfer->P;
  std::vector<PetscReal>   m(P.nrows), want(P.ncols);
  std::vector<PetscInt>    ptr = P.ptr.to_host(), col = P.col.to_host();
  std::vector<PetscScalar> val  = P.val.to_host();
  bool                     same = true;

  for (PetscInt i = 0; i < P.nrows; i++) m[i] = 1 + uniform(i, 2, 7);
  const auto found = galerkin(*grid.transfer->boxes, grid.level->rows(), P, false, Array<PetscReal>(P.space(), m.data(), m.size())).magnitude.to_host();
  for (PetscInt i = 0; i < P.nrows; i++)
    for (PetscInt p = ptr[i]; p < ptr[i + 1]; p++) want[col[p]] += m[i] * val[p] * val[p];
  for (PetscInt J = 0; J < P.ncols; J++) same = same && std::abs(found[J] - want[J]) <= 100 * PETSC_MACHINE_EPSILON * want[J];
  all_ranks(same, what + ": squares of P's columns");
}

bool tells_exponents(const CsrTransfer &t)
{
  const RowExponents              want    = exponents_of({t.P.view()})[0];
  const std::vector<std::int64_t> told    = t.boxes->exponents.to_host();
  std::int64_t                    most[3] = {0, 0, 0};

  for (std::size_t k = 0; k < told.size(); k++) most[k % 3] = std::max(most[k % 3], told[k]);
  return most[0] == want.most && most[1] == want.least && most[2] == want.smallest;
}

/* What a product tells of P's rows on the way, on a device. */
void exponents_told(const Hierarchy &hierarchy, const std::string &what)
{
  for (const Grid &grid : hierarchy.grids()) {
    if (!grid.transfer || !grid.transfer->boxes) continue;
    if (grid.transfer->boxes->exponents.size()) all_ranks(tells_exponents(*grid.transfer), what + ": exponents of P's rows");
    squares_come_along(grid, what);
  }
}

/* A product that makes P's rows itself is that of the rows, and its pairs in half precision are those of P. */
void rows_left_to_product(const Grid &grid, const std::string &what)
{
  CsrTransfer &t = *grid.transfer;

  if (t.boxes->stars || !t.coarsening || t.coarsening->filters || t.few > 0) return;
  const Space            space = t.P.space();
  std::vector<PetscReal> m(t.P.nrows);
  std::vector<float>     x[2] = {std::vector<float>(t.P.ncols), std::vector<float>(t.P.nrows)};
  PetscReal              off = 0, size = 0, off_pairs = 0;

  for (PetscInt i = 0; i < t.P.nrows; i++) m[i] = 1 + uniform(i, 2, 7);
  for (std::vector<float> &v : x)
    for (std::size_t i = 0; i < v.size(); i++) v[i] = static_cast<float>(uniform(static_cast<PetscInt>(i), 3, 5));
  const Array<PetscReal> magnitude(space, m.data(), m.size());
  const BoxProduct       held = galerkin(*t.boxes, grid.level->rows(), t.P, false, magnitude);

  t.boxes->smoothing        = std::make_unique<BoxSmoothing>();
  t.boxes->smoothing->T     = t.coarsening->Q.data();
  t.boxes->smoothing->dinv  = grid.level->relaxing().data();
  t.boxes->smoothing->omega = 1 / (PetscSqr(PetscCosReal(PETSC_PI / 6)) * grid.lambda);
  const CsrMatrix  none     = left_to_product(*t.boxes, space);
  const BoxProduct made     = galerkin(*t.boxes, grid.level->rows(), none, false, magnitude);
  const auto       a = held.rows.val.to_host(), b = made.rows.val.to_host();
  for (std::size_t p = 0; p < a.size(); p++) size = std::max(size, PetscAbsScalar(a[p])), off = std::max(off, PetscAbsScalar(a[p] - b[p]));
  all_ranks(held.rows.col.to_host() == made.rows.col.to_host() && off <= 100 * PETSC_MACHINE_EPSILON * size, what + ": product that makes P's rows");
  const auto s = held.magnitude.to_host(), r = made.magnitude.to_host();
  bool       same = true;
  for (std::size_t J = 0; J < s.size(); J++) same = same && std::abs(s[J] - r[J]) <= 100 * PETSC_MACHINE_EPSILON * s[J];
  all_ranks(same && tells_exponents(t) && t.boxes->entries == t.P.nnz(), what + ": what it tells of P");
#if !PetscDefined(USE_REAL_SINGLE)
  const Array<float> e(space, x[0].data(), x[0].size()), f(space, x[1].data(), x[1].size());
  std::vector<float> found[2][2];
  for (int k = 0; k < 2; k++) {
    BoxTransfer<float> transfer;
    Array<float>       coarse(space, x[0].size()), fine(space, x[1].size());

    if (k) transfer.take(*t.boxes, false);
    else transfer.fill(*t.boxes, t.P, true);
    transfer.to_boxes(f.data(), coarse.data());
    transfer.interpolate(e.data(), Assign<float>{fine.data()});
    found[k][0] = coarse.to_host(), found[k][1] = fine.to_host();
  }
  for (int k = 0; k < 2; k++)
    for (std::size_t i = 0; i < found[0][k].size(); i++) off_pairs = std::max(off_pairs, PetscReal(std::abs(found[0][k][i] - found[1][k][i])));
  all_ranks(off_pairs <= 1e-3 && !t.boxes->pairs.size(), what + ": pairs are off by " + std::to_string(off_pairs));
#endif
}

/* As a device's cycle leaves them. */
void spare_rows(const Hierarchy &hierarchy)
{
  for (const Grid &grid : hierarchy.grids()) {
    if (!grid.transfer || !grid.transfer->boxes || !grid.transfer->coarsening) continue;
    CsrMatrix &P = grid.transfer->P;

    P = CsrMatrix(P.space(), P.nrows, P.ncols);
  }
}

/* Interpolations that are read by place alone, as by a device that can make them again, have no columns until these are wanted. */
void number_again(const Hierarchy &hierarchy, Keep keep, const std::string &what)
{
  for (const Grid &grid : hierarchy.grids()) {
    if (!grid.transfer || !grid.transfer->boxes) continue;
    CsrMatrix &P = grid.transfer->P;

    all_ranks(P.col.size() == (P.space() == Space::Cuda && keep == Keep::Aggregates ? 0 : P.val.size()), what + ": columns of P");
    P.col = Array<PetscInt>(P.space());
    number_columns(*grid.transfer->boxes, P);
  }
}

/* Where the places of diagonals say what rows hold, no stencil stays, where what follows could find it again. */
void without_stencil(const Hierarchy &hierarchy, bool finest, const std::string &what)
{
  for (const Grid &grid : hierarchy.grids()) {
    if (!grid.transfer || !grid.transfer->boxes) continue;
    const Boxes &boxes = *grid.transfer->boxes;

    all_ranks(!finest || boxes.places, what + ": places of its diagonals");
    all_ranks(!boxes.places == (boxes.stencil.size() > 0), what + ": spared stencil");
    finest = false;
  }
}

void same_as_general(const Case &c, Keep keep, int format)
{
  HierarchyOptions options;

  options.coarse_limit = 8;
  options.keep         = keep;
  options.threshold    = c.threshold;
  for (Space space : spaces()) {
    const std::string what = c.entry.name + " on " + space_name(space);
    Built             general, boxes;
    mat::CdsOptions   cds;
    cds.storage                = format == 1 ? mat::CdsStorage::Full : mat::CdsStorage::Auto;
    cds.max_fill               = 1e3;
    cds.share                  = 1e-6;
    const OperatorSource exact = format ? boxes.source(cds) : OperatorSource();

    general.build(c, !c.stars, options, Space::Host, nullptr);
    boxes.build(c, false, options, space, exact);
    all_ranks(general.finite && boxes.finite && (c.stars || levels_of_boxes(general.hierarchy) == 0), what + ": general steps");
    const int levels = levels_of_boxes(boxes.hierarchy);
    all_ranks(c.boxes < 0 ? levels == 0 : levels >= c.boxes, what + ": " + std::to_string(levels) + " levels of boxes");
    PetscInt all_places = 1;
    for (PetscInt n : c.n) all_places *= 3 * n - 2;
    const bool by_place = format && entries(boxes.rows.A) == all_places && *std::min_element(c.n, c.n + 3) > 2; // else some lie on one diagonal
    if (keep != Keep::Nothing) without_stencil(boxes.hierarchy, by_place, what);
    number_again(boxes.hierarchy, keep, what);
    exponents_told(boxes.hierarchy, what);
    check_hierarchies(c.entry, boxes.hierarchy, general.hierarchy, 0, what);
    for (const Grid &grid : boxes.hierarchy.grids())
      if (grid.transfer && grid.transfer->boxes) rows_left_to_product(grid, what);
    spare_rows(boxes.hierarchy);
    all_ranks(boxes.hierarchy.whole() == (levels == 0 || keep != Keep::Aggregates), what + ": spared rows");
    PETSC_OK(boxes.hierarchy.restore(options));
    check_hierarchies(c.entry, boxes.hierarchy, general.hierarchy, 0, what + ", interpolations restored");
    if (format) same_facts({boxes.rows.A, &boxes.op->diagonal_block()}, boxes.rows.columns, what);
    if (format) rough_copy({boxes.rows.A, &boxes.op->diagonal_block()}, boxes.rows.columns, what);
    spare_rows(boxes.hierarchy);
    general.update(options, nullptr);
    boxes.update(options, exact);
    if (keep != Keep::Nothing) without_stencil(boxes.hierarchy, by_place, what + ", new values");
    number_again(boxes.hierarchy, keep, what + ", new values");
    exponents_told(boxes.hierarchy, what + ", new values");
    check_hierarchies(c.entry, boxes.hierarchy, general.hierarchy, 0, what + ", new values");
  }
}

using RowOf = std::map<PetscInt, PetscScalar>;

/* The box of a node of a whole lattice, and in each direction how far its root is from the node. */
PetscInt box_of(const Lattice &lattice, PetscInt node, const PetscInt *other_box, PetscInt *away)
{
  PetscInt box = 0, stride = 1;

  for (int d = 0; d < 3; d++) {
    const PetscInt tile = lattice.tile(node).at[d], first = lattice.second(d), boxes = (lattice.tiles[d] - first) / 3 + 1, mine = (tile + 1 - first) / 3;

    away[d] = std::abs(first + 3 * (other_box ? *other_box / stride % boxes : mine) - tile);
    box += stride * mine;
    stride *= boxes;
  }
  return box;
}

/* P of seven points from its definition: T of boxes, (I - omega_2 D^-1 A) (I - omega_1 D^-1 A) T of least energy, without the boxes whose roots are further
   than two nodes from a node, what they have shared out to the others. */
void smoothed_twice_in_boxes(const Case &c)
{
  HierarchyOptions options;

  options.coarse_limit = 8;
  options.keep         = Keep::Interpolation;
  for (Space space : spaces()) {
    Built built;

    built.build(c, false, options, space, nullptr);
    const Grid              &grid = built.hierarchy.grids()[0];
    const CsrMatrix         &P    = grid.transfer->P;
    const auto               ptr  = built.rows.A.space == Space::Host ? std::vector<PetscInt>(built.rows.A.ptr, built.rows.A.ptr + c.entry.rows + 1)
                                                                      : Array<PetscInt>(space, built.rows.A.ptr, c.entry.rows + 1).to_host();
    const auto               col = Array<PetscInt>(space, built.rows.A.col, ptr.back()).to_host(), pptr = P.ptr.to_host(), pcol = P.col.to_host();
    const auto               val = Array<PetscScalar>(space, built.rows.A.val, ptr.back()).to_host(), pval = P.val.to_host();
    std::vector<PetscScalar> norm(P.ncols), B(c.entry.rows);
    std::vector<RowOf>       rows(c.entry.rows);
    PetscReal                off = 0;
    PetscInt                 away[3], n = 0;

    for (PetscInt i = 0; i < c.entry.rows; i++) {
      int coupled = 0;
      for (PetscInt p = ptr[i]; p < ptr[i + 1]; p++) coupled += col[p] != i && val[p] != PetscScalar(0);
      B[i] = coupled ? PetscScalar(1 + 0.3 * uniform(i, 1, 7)) : PetscScalar(0);
      norm[box_of(grid.level->lattice, i, nullptr, away)] += B[i] * B[i];
    }
    for (PetscScalar &x : norm) x = std::sqrt(x);
    for (PetscInt i = 0; i < c.entry.rows; i++) {
      const PetscInt box = box_of(grid.level->lattice, i, nullptr, away);
      if (B[i] != PetscScalar(0)) rows[i][box] = B[i] / norm[box];
    }
    for (int step = 1; step <= 2; step++) {
      const PetscReal    omega  = 1 / (PetscSqr(std::cos((2 * step - 1) * PETSC_PI / 10)) * grid.lambda);
      std::vector<RowOf> before = rows;
      for (PetscInt i = 0; i < c.entry.rows; i++) {
        PetscScalar diagonal = 0;
        for (PetscInt p = ptr[i]; p < ptr[i + 1]; p++) diagonal += col[p] == i ? val[p] : PetscScalar(0);
        for (PetscInt p = ptr[i]; p < ptr[i + 1] && B[i] != PetscScalar(0); p++)
          for (const auto &[J, v] : before[col[p]]) rows[i][J] -= omega / diagonal * val[p] * v;
      }
    }
    for (PetscInt i = 0; i < c.entry.rows; i++) {
      PetscScalar whole = 0, kept = 0;
      RowOf       want;
      for (const auto &[J, v] : rows[i]) {
        const PetscInt box = J;
        whole += v * norm[J];
        (void)box_of(grid.level->lattice, i, &box, away);
        if (std::max({away[0], away[1], away[2]}) <= 2) kept += v * norm[J], want[J] = v;
      }
      for (PetscInt p = pptr[i]; p < pptr[i + 1]; p++, n++) {
        off = std::max(off, PetscReal(std::abs(pval[p] - whole / kept * want[pcol[p]])));
        want.erase(pcol[p]);
      }
      for (const auto &[J, v] : want) off = std::max(off, PetscReal(std::abs(v)));
    }
    all_ranks(n > 0 && off < 1e3 * PETSC_MACHINE_EPSILON, c.entry.name + " on " + space_name(space) + ": P is off by " + std::to_string(off));
  }
}

/* P e + z and P^T r by place against P's rows, for each level of boxes. */
template <class V> void transfers_are_those_of_rows(const Case &c, bool narrow)
{
  const PetscReal  tolerance = narrow ? 1e-3 : 32 * std::numeric_limits<V>::epsilon();
  HierarchyOptions options;

  options.coarse_limit = 8;
  options.keep         = Keep::Interpolation;
  options.threshold    = c.threshold;
  for (Space space : spaces()) {
    Built built;
    int   levels = 0;

    built.build(c, false, options, space, nullptr);
    for (const Grid &grid : built.hierarchy.grids()) {
      if (!grid.transfer || !grid.transfer->boxes) continue;
      const CsrMatrix &P   = grid.transfer->P;
      const auto       ptr = P.ptr.to_host(), col = P.col.to_host();
      const auto       val = P.val.to_host();
      std::vector<V>   e(P.ncols), r(P.nrows), fine(P.nrows), coarse(P.ncols), size(P.ncols);
      BoxTransfer<V>   transfer;

      for (PetscInt i = 0; i < P.ncols; i++) e[i] = static_cast<V>(uniform(i, 3, 5));
      for (PetscInt i = 0; i < P.nrows; i++) r[i] = static_cast<V>(uniform(i, 4, 5));
      for (PetscInt i = 0; i < P.nrows; i++) {
        fine[i] = r[i];
        for (PetscInt p = ptr[i]; p < ptr[i + 1]; p++) {
          fine[i] += static_cast<V>(val[p]) * e[col[p]];
          coarse[col[p]] += static_cast<V>(val[p]) * r[i];
          size[col[p]] += static_cast<V>(PetscAbsScalar(val[p]));
        }
      }
      Array<V> e_there(space, e.data(), e.size()), r_there(space, r.data(), r.size()), b(space, e.size()), y(space, r.size());

      transfer.fill(*grid.transfer->boxes, P, narrow);
      transfer.to_boxes(r_there.data(), b.data());
      transfer.interpolate(e_there.data(), Add<V>{r_there.data(), y.data()});
      const std::vector<V> got_coarse = b.to_host(), got_fine = y.to_host();
      transfer.interpolate(e_there.data(), Assign<V>{y.data()});
      const std::vector<V> without = y.to_host();
      PetscReal            off = 0, off_fine = 0;

      for (PetscInt i = 0; i < P.ncols; i++) off = std::max(off, PetscReal(std::abs(got_coarse[i] - coarse[i]) / (1 + size[i])));
      for (PetscInt i = 0; i < P.nrows; i++)
        off_fine = std::max(off_fine, PetscReal(std::max(std::abs(got_fine[i] - fine[i]), std::abs(without[i] + r[i] - fine[i]))));
      all_ranks(off <= tolerance && off_fine <= tolerance,
                c.entry.name + " on " + space_name(space) + ": P^T r is off by " + std::to_string(off) + ", P e by " + std::to_string(off_fine));
      levels++;
    }
    all_ranks(levels >= c.boxes, c.entry.name + ": levels of boxes");
  }
}

void add_laws()
{
  auto *suite = suite_named(nullptr, "boxes");

  std::vector<Case> all = box_cases(), stars = star_cases(), narrow = narrow_cases();

  add_test(suite, "no_rough_copy", no_rough_copy);
#if !PetscDefined(USE_REAL_SINGLE)
  add_test(suite, "rough_copy_taken", rough_copy_taken);
#endif

  all.insert(all.end(), stars.begin(), stars.end());
  all.insert(all.end(), narrow.begin(), narrow.end());
  for (const Case &c : stars) add_test(suite, c.entry.name + "/smoothed_twice", [=] { smoothed_twice_in_boxes(c); });
  for (const Case &c : all) {
    add_test(suite, c.entry.name + "/transfers", [=] { transfers_are_those_of_rows<PetscScalar>(c, false); });
#if !PetscDefined(USE_REAL_SINGLE)
    add_test(suite, c.entry.name + "/transfers_single", [=] { transfers_are_those_of_rows<float>(c, false); });
    add_test(suite, c.entry.name + "/transfers_half", [=] { transfers_are_those_of_rows<float>(c, true); });
#endif
    for (Keep keep : {Keep::Nothing, Keep::Aggregates, Keep::Interpolation}) {
      for (int format = 0; format < 3; format++)
        add_test(suite,
                 c.entry.name + "/keep_" + std::to_string(static_cast<int>(keep)) + "_values_" +
                   std::vector<std::string>{"csr", "cds_full", "cds_half"}[format],
                 [=] { same_as_general(c, keep, format); });
    }
  }
}

const AddTests added(add_laws);

} // namespace
