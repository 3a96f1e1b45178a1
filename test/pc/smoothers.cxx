/* Colourings of rows, a Gauss-Seidel sweep over them, l1 norms and Chebyshev polynomials, each against its definition; and transposes. */
#include "mat/common/borrowed_csr.hpp"
#include "pc/saamg/setup/eigen.hpp"
#include "pc/saamg/cycle/dense_inverse.hpp"
#include "pc/saamg/setup/hierarchy.hpp"
#include "pc/saamg/setup/own_rows.hpp"
#include "pc/saamg/cycle/pseudo_inverse.hpp"
#include "pc/saamg/smoother/chebyshev_roots.hpp"
#include "pc/saamg/smoother/coloring.hpp"
#include "pc/saamg/smoother/l1_diagonal.hpp"
#include "pc/saamg/smoother/multicolor_gs.hpp"
#include "pc/saamg/smoother/node_blocks.hpp"
#include "../support/gallery.hpp"
#include "../support/pc_case.hpp"
#include "../support/spaces.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

using namespace goza;
using namespace goza_test;

namespace {

const Entry upwind = upwind5(30);
/* Nonsymmetric in its pattern, too: what a row reads does not read it */
const Entry one_sided{"one_sided", 500, 500, square, [](PetscInt i, Row &r) {
                        r.add(i, 5);
                        for (PetscInt k = 1; k <= 3; k++) {
                          const PetscInt j = (PetscInt)((uniform(i, k, 77) + 1) / 2 * 499);
                          if (j != i) r.add(j, -1);
                        }
                      }};
/* The first row of each line is coupled to nothing */
const Entry with_walls{"with_walls", 600, 600, square | symmetric, [](PetscInt i, Row &r) {
                         r.add(i, 4);
                         if (i % 20 == 0) return;
                         if (i % 20 > 1) r.add(i - 1, -1);
                         if (i % 20 < 19) r.add(i + 1, -1);
                         if (i >= 20) r.add(i - 20, -1);
                         if (i < 580) r.add(i + 20, -1);
                       }};

/* Many colours, one of most rows: cliques of 30, the first of which is coupled to 470 rows that nothing else couples. */
const Entry clustered{"clustered", 5000, 5000, square | symmetric, [](PetscInt i, Row &r) {
                        const PetscInt begin = i / 500 * 500;

                        r.add(i, 600);
                        for (PetscInt j = begin; j < begin + 500; j++)
                          if (j != i && (i == begin || j == begin || (i < begin + 30 && j < begin + 30))) r.add(j, -1);
                      }};

/* The first diagonal entry is 0, or what elimination leaves of the last one. */
const Entry hollow{"hollow", 40, 40, square | symmetric, [](PetscInt i, Row &r) {
                     r.add(i, i ? 4 : 0);
                     r.add((i + 1) % 40, -1);
                     r.add((i + 39) % 40, -1);
                   }};
const Entry ring{"ring", 40, 40, square | symmetric, [](PetscInt i, Row &r) {
                   r.add(i, 2);
                   r.add((i + 1) % 40, -1);
                   r.add((i + 39) % 40, -1);
                 }};

struct Lent { // a sequential matrix's rows
  MatHandle   A;
  BorrowedCsr rows;

  Lent(const Entry &e, Space space, bool transposed = false)
  {
    MatHandle B = assemble(e, MATAIJ, Prealloc::exact, PETSC_COMM_SELF);
    if (transposed) PETSC_OK(MatTranspose(B, MAT_INITIAL_MATRIX, A.put()));
    else A = std::move(B);
    PETSC_OK(rows.open(A, space));
  }
};

/* Of a matrix on one rank */
MapPtr map_of(const Csr &A) { return std::make_shared<ColumnMap>(PETSC_COMM_SELF, A.nrows, A.space); }

std::vector<PetscInt> colors_of(const Coloring &c, PetscInt n)
{
  const auto            rows = c.rows.to_host();
  std::vector<PetscInt> color(n, -1);

  BOOST_TEST_REQUIRE(c.begin.back() == n);
  for (PetscInt k = 0; k < c.ncolors(); k++) {
    BOOST_TEST(c.begin[k] < c.begin[k + 1], "no rows of colour " << k);
    for (PetscInt p = c.begin[k]; p < c.begin[k + 1]; p++) {
      BOOST_TEST_REQUIRE(color[rows[p]] == -1, "row " << rows[p] << " has two colours");
      color[rows[p]] = k;
    }
  }
  return color;
}

using Colors = std::function<Coloring(const Csr &A, const MapPtr &columns)>;

void valid_and_determined(const Entry &e, const Colors &colored)
{
  const Lent            host(e, Space::Host);
  const Csr            &A     = host.rows.csr();
  const Coloring        first = colored(A, map_of(A));
  std::vector<PetscInt> color = colors_of(first, A.nrows);
  PetscInt              most  = 0;
  std::vector<PetscInt> degree(A.nrows, 0);

  for (PetscInt i = 0; i < A.nrows; i++)
    for (PetscInt p = A.ptr[i]; p < A.ptr[i + 1]; p++) {
      if (A.col[p] == i) continue;
      BOOST_TEST_REQUIRE(color[i] != color[A.col[p]], "rows " << i << " and " << A.col[p]);
      most = std::max({most, ++degree[i], ++degree[A.col[p]]});
    }
  BOOST_TEST(first.ncolors() <= most + 1); /* greedy needs no more */
  for (Space space : spaces())
    for (bool transposed : {false, true}) {
      const Lent again(e, space, transposed);
      BOOST_TEST(colors_of(colored(again.rows.csr(), map_of(again.rows.csr())), A.nrows) == color, boost::test_tools::per_element());
    }
}

/* Two sweeps one way, two the other. */
template <class Relax> void sweep(const std::vector<PetscInt> &order, const Relax &relax)
{
  for (int k = 0; k < 2; k++)
    for (PetscInt i : order) relax(i);
  for (int k = 0; k < 2; k++)
    for (auto i = order.rbegin(); i != order.rend(); ++i) relax(*i);
}

/* The same by the smoother, from zero. look(smoother): what else should hold */
template <class V, class Look>
std::vector<V> swept(const Csr &A, PetscInt bs, SmootherOptions options, const std::vector<V> &b, const std::vector<V> &inv, const std::vector<V> &isolated,
                     const Look &look)
{
  const PetscInt               n     = A.nrows;
  const Space                  space = A.space;
  Array<V>                     d_b(space, b.data(), n), d_inv(space, inv.data(), n), d_alone(space, isolated.data(), isolated.size());
  Array<V>                     x0(space, std::vector<V>(n, NAN).data(), n), x1(space, n);
  Grid                         grid;
  Stamp                        stamp;
  ParOperator<V>               op;
  std::unique_ptr<Smoother<V>> smoother;
  V *const                     places[] = {x0.data(), x1.data()};
  int                          end      = -1;

  grid.level          = std::make_shared<CsrLevel>();
  grid.level->A       = A;
  grid.level->columns = map_of(A);
  grid.bs             = bs;
  stamp.new_pattern();
  options.sweeps = 2;
  PETSC_OK(op.update(grid.level->A, grid.level->columns, stamp, [](Space s) { return std::make_unique<SlicedEll<V, V>>(s); }));
  PETSC_OK(MulticolorGaussSeidel<V>::create({grid, op, {n, d_inv.data(), isolated.empty() ? nullptr : d_alone.data()}, {}, 1}, options, smoother));
  look(*smoother);
  PETSC_OK(smoother->apply(d_b.data(), places, 0, Pass::FromZero, &end));
  PETSC_OK(smoother->apply(d_b.data(), places, end, Pass::After, &end));
  BOOST_TEST(end == 0);
  return x0.to_host();
}

/* One sweep after another, row by row in the order of the colours. */
template <class V> void sweeps_as_defined(const Entry &e, double tolerance, double relaxation)
{
  for (Space space : spaces()) {
    const Lent                  host(e, Space::Host), lent(e, space);
    const Csr                  &A        = host.rows.csr();
    const PetscInt              n        = A.nrows;
    const Coloring              coloring = color_rows(A, map_of(A));
    const std::vector<PetscInt> rows     = coloring.rows.to_host();
    std::vector<V>              b(n), x(n), inv(n), isolated(n);

    for (PetscInt i = 0; i < n; i++) {
      b[i] = static_cast<V>(uniform(i, 1, 5));
      for (PetscInt p = A.ptr[i]; p < A.ptr[i + 1]; p++)
        if (A.col[p] == i) (A.ptr[i + 1] == A.ptr[i] + 1 ? isolated : inv)[i] = static_cast<V>(1 / A.val[p]);
    }
    const auto relax = [&](PetscInt i) {
      double s = 0;
      for (PetscInt p = A.ptr[i]; p < A.ptr[i + 1]; p++) s += static_cast<double>(A.val[p]) * x[A.col[p]];
      x[i] += static_cast<V>(relaxation * inv[i] * (b[i] - s));
    };
    for (PetscInt i = 0; i < n; i++) x[i] = isolated[i] * b[i];
    sweep(rows, relax);

    SmootherOptions options;
    options.mcgs_relax       = relaxation;
    const std::vector<V> got = swept(lent.rows.csr(), 1, options, b, inv, isolated, [](Smoother<V> &s) { BOOST_TEST(s.steps(true) == 0); });
    for (PetscInt i = 0; i < n; i++) BOOST_TEST_REQUIRE(std::abs(got[i] - x[i]) <= tolerance, "row " << i << ": " << got[i] << " for " << x[i]);
  }
}

/* x = M^-1 r for a dense M [n][n], by Gauss with pivots. */
std::vector<double> solved(int n, std::vector<double> M, std::vector<double> r)
{
  for (int k = 0; k < n; k++) {
    int pivot = k;
    for (int i = k + 1; i < n; i++) pivot = std::abs(M[i * n + k]) > std::abs(M[pivot * n + k]) ? i : pivot;
    for (int j = 0; j < n; j++) std::swap(M[k * n + j], M[pivot * n + j]);
    std::swap(r[k], r[pivot]);
    for (int i = 0; i < n; i++) {
      const double factor = i == k ? 0 : M[i * n + k] / M[k * n + k];
      for (int j = 0; j < n; j++) M[i * n + j] -= factor * M[k * n + j];
      r[i] -= factor * r[k];
    }
  }
  for (int k = 0; k < n; k++) r[k] /= M[k * n + k];
  return r;
}

/* The same with the unknowns of a node together, node by node in the order of the nodes' colours: blocks that are full in the matrix or not, and rows of an
   identity. */
template <class V> void block_sweeps_as_defined(const Entry &e, PetscInt bs, double tolerance, double relaxation)
{
  for (Space space : spaces()) {
    const Lent                  host(e, Space::Host), lent(e, space);
    const Csr                  &A = host.rows.csr();
    const PetscInt              n = A.nrows, nodes = n / bs;
    const NodeBlocks            blocks(A, bs);
    const Coloring              coloring = color_rows(blocks.nodes(), map_of(blocks.nodes()));
    const std::vector<PetscInt> order = coloring.rows.to_host(), color = colors_of(coloring, nodes);
    std::vector<V>              b(n), x(n, 0);

    for (PetscInt i = 0; i < n; i++) {
      b[i] = static_cast<V>(uniform(i, 1, 5));
      for (PetscInt p = A.ptr[i]; p < A.ptr[i + 1]; p++) BOOST_TEST_REQUIRE((A.col[p] / bs == i / bs || color[A.col[p] / bs] != color[i / bs]));
    }
    const auto relax = [&](PetscInt node) {
      std::vector<double> D(bs * bs, 0), r(bs);
      for (PetscInt k = 0; k < bs; k++) {
        r[k] = b[node * bs + k];
        for (PetscInt p = A.ptr[node * bs + k]; p < A.ptr[node * bs + k + 1]; p++) {
          r[k] -= static_cast<double>(A.val[p]) * x[A.col[p]];
          if (A.col[p] / bs == node) D[k * bs + A.col[p] % bs] = A.val[p];
        }
      }
      const auto step = solved(static_cast<int>(bs), D, r);
      for (PetscInt k = 0; k < bs; k++) x[node * bs + k] += static_cast<V>(relaxation * step[k]);
    };
    sweep(order, relax);

    SmootherOptions options;
    options.mcgs_relax       = relaxation;
    const std::vector<V> got = swept(lent.rows.csr(), bs, options, b, std::vector<V>(n), {},
                                     [bs](Smoother<V> &s) { BOOST_TEST((s.describe().find("blocks of " + std::to_string(bs)) != std::string::npos)); });
    for (PetscInt i = 0; i < n; i++) BOOST_TEST_REQUIRE(std::abs(got[i] - x[i]) <= tolerance, "row " << i << ": " << got[i] << " for " << x[i]);
  }
}

/* The colours of the matrix, not those of its distribution */
void colors_on_any_ranks(const Entry &e, PetscInt bs, bool grids)
{
  const Lent                  isolated(e, Space::Host);
  const NodeBlocks            blocks(isolated.rows.csr(), bs);
  const Csr                   nodes = blocks.nodes();
  const std::vector<PetscInt> want  = colors_of(bs > 1 ? color_rows(nodes, map_of(nodes)) : color_rows(isolated.rows.csr(), map_of(isolated.rows.csr()), grids),
                                               nodes.nrows);

  for (Space space : spaces()) {
    const MatHandle       A = assemble(e, MATAIJ);
    OwnRows               rows;
    bool                  same = true;
    std::vector<PetscInt> listed;

    PETSC_OK(rows.open(A, space));
    const Coloring coloring = bs > 1 ? NodeGraph(rows.A, rows.columns, bs).color({nullptr, rows.columns->start() / bs, bs})
                                     : color_rows(rows.A, rows.columns, grids);

    listed = coloring.rows.to_host();
    BOOST_TEST((coloring.ncolors() == *std::max_element(want.begin(), want.end()) + 1));
    for (PetscInt c = 0; c < coloring.ncolors(); c++)
      for (PetscInt p = coloring.begin[c]; p < coloring.begin[c + 1]; p++) same = same && want[rows.columns->start() / bs + listed[p]] == c;
    BOOST_TEST((coloring.begin.back() == rows.A.nrows / bs));
    BOOST_TEST(same);
  }
}

/* A forward and a backward sweep of ranks that exchange their values before each colour are those of one rank. */
void sweeps_on_any_ranks(const Entry &e, PetscInt bs)
{
  const PCConfig config{"mcgs", "v", "double"};
  Configured     options(config, "0");
  const Option   levels("-pc_saamg_max_levels", "1"), inexact("-pc_saamg_direct_limit", "0"), sweeps("-pc_saamg_coarsest_sweeps", "2");
  Entry          nodes = e;

  nodes.bs = bs;
  BOOST_TEST(off_one_rank(nodes) <= 1e4 * PETSC_MACHINE_EPSILON);
}

/* (M x, y) = (x, M^T y) for a matrix that is not symmetric */
void transposed(const std::string &smoother, const Entry &e)
{
  const PCConfig config{smoother, "v", "double"};
  Configured     options(config, "0");
  MatHandle      A  = assemble(e, MATAIJ);
  PCHandle       pc = make_pc(A);
  VecHandle      x = right_hand_side(A, 1), y = right_hand_side(A, 2), Mx = right_hand_side(A, 3), Mty = right_hand_side(A, 4);
  PetscScalar    left, right;

  PETSC_OK(PCApply(pc, x, Mx));
  PETSC_OK(PCApplyTranspose(pc, y, Mty));
  PETSC_OK(VecDot(Mx, y, &left));
  PETSC_OK(VecDot(x, Mty, &right));
  BOOST_TEST(PetscAbsScalar(left - right) <= 1e5 * PETSC_MACHINE_EPSILON * (norm(Mx) * norm(y) + norm(x) * norm(Mty)));
  BOOST_TEST(norm(Mx) > 0);
}

const AddTests add([] {
  std::vector<Entry> entries{upwind, one_sided, with_walls, stencil5(31, 30), stencil7(13, 12, 11), stencil27(9, 8, 7), elasticity(5, 4, 4)};

  for (const Entry &e : gallery())
    if (e.has(square) && e.rows) entries.push_back(e);
  int n = 0;
  for (const Entry &e : entries) {
    auto *suite = suite_named(suite_named(nullptr, "coloring"), std::to_string(n++) + "_" + e.name);
    for (bool grids : {true, false}) {
      const Colors few = [grids](const Csr &A, const MapPtr &columns) { return color_rows(A, columns, grids); };

      add_test(suite, grids ? "grids" : "greedy", [=] { valid_and_determined(e, few); });
    }
    for (bool reversed : {false, true}) {
      const Colors scattered = [reversed](const Csr &A, const MapPtr &columns) { return color_scattered(A, columns, {nullptr, columns->start()}, reversed); };

      add_test(suite, reversed ? "reversed" : "scattered", [=] { valid_and_determined(e, scattered); });
    }
  }
  const Entry wide = elasticity(6, 5, 6), plain = stencil7(12, 12, 12), last{"last", 600, 600, square | symmetric, with_walls.row, 1, Layout::all_on_last};
  for (const auto &[e, bs] : {std::pair{upwind, 1},
                              {one_sided, 1},
                              {with_walls, 1},
                              {stencil27(9, 8, 7), 1},
                              {plain, 1},
                              {wide, 1},
                              {wide, 3},
                              {last, 1},
                              {last, 2},
                              {stencil5(1, 2), 1}}) {
    auto *suite = suite_named(suite_named(nullptr, "on_any_ranks"), e.name + "_" + std::to_string(bs));
    for (bool grids : {true, false}) add_test(suite, grids ? "colors" : "greedy_colors", [e = e, bs = bs, grids] { colors_on_any_ranks(e, bs, grids); });
    add_test(suite, "sweeps", [e = e, bs = bs] { sweeps_on_any_ranks(e, bs); });
  }
  for (const Entry &e : {upwind, with_walls, stencil27(9, 8, 7), stencil7(13, 12, 11), stencil7(20, 16, 14), clustered}) {
    auto *suite = suite_named(suite_named(nullptr, "gauss_seidel"), e.name + std::to_string(e.rows));
    for (const auto &[relaxation, relaxed] : {std::pair{1.0, ""}, {0.7, "_relaxed"}}) {
      add_test(suite, "double" + std::string(relaxed), [e = e, omega = relaxation] { sweeps_as_defined<PetscScalar>(e, 1e3 * PETSC_MACHINE_EPSILON, omega); });
      add_test(suite, "single" + std::string(relaxed), [e = e, omega = relaxation] { sweeps_as_defined<float>(e, 1e-5, omega); });
    }
  }
  for (const auto &[e, bs] : {std::pair{elasticity(5, 4, 4), 3},
                              {elasticity(6, 5, 4), 6},
                              {stencil7(12, 12, 11), 2},
                              {stencil27(6, 6, 8), 6},
                              {with_walls, 3},
                              {upwind, 3},
                              {one_sided, 2}}) {
    auto *suite = suite_named(suite_named(nullptr, "block_gauss_seidel"), e.name + "_" + std::to_string(bs));
    for (const auto &[relaxation, relaxed] : {std::pair{1.0, ""}, {0.7, "_relaxed"}}) {
      add_test(suite, "double" + std::string(relaxed),
               [e = e, bs = bs, omega = relaxation] { block_sweeps_as_defined<PetscScalar>(e, bs, 1e4 * PETSC_MACHINE_EPSILON, omega); });
      add_test(suite, "single" + std::string(relaxed), [e = e, bs = bs, omega = relaxation] { block_sweeps_as_defined<float>(e, bs, 1e-4, omega); });
    }
  }
  for (const auto &name : goza_test::smoother_names()) {
    add_test(suite_named(suite_named(nullptr, "transposed"), name), "upwind", [=] { transposed(name, upwind); });
    add_test(suite_named(suite_named(nullptr, "transposed"), name), "one_sided", [=] { transposed(name, one_sided); });
    add_test(suite_named(suite_named(nullptr, "transposed"), name), "smoothed_bottom", [=] {
      Option inexact("-pc_saamg_direct_limit", "0"), sweeps("-pc_saamg_coarsest_sweeps", "3");
      transposed(name, upwind);
    });
    add_test(suite_named(suite_named(nullptr, "transposed"), name), "fourth_kind", [=] {
      Option kind("-pc_saamg_chebyshev_kind", "4");
      transposed(name, upwind);
    });
  }
});

} // namespace

BOOST_AUTO_TEST_CASE(colors_of_grids)
{
  const auto count = [](const Entry &e, bool grids) {
    const Lent lent(e, Space::Host);
    return color_rows(lent.rows.csr(), map_of(lent.rows.csr()), grids).begin;
  };
  for (PetscInt nx : {8, 9, 12}) {
    const auto seven = count(stencil7(nx, 10, 11), true), all = count(stencil27(nx, 10, 12), true), five = count(stencil5(nx, 11), true);

    BOOST_TEST(five.size() == 3);
    BOOST_TEST(seven.size() == 3);
    BOOST_TEST_REQUIRE(all.size() == 9);
    for (int c = 0; c < 8; c++) BOOST_TEST(all[c + 1] - all[c] == (c % 2 ? nx / 2 : (nx + 1) / 2) * 5 * 6);
  }
  BOOST_TEST(count(stencil7(16, 16, 16), false).size() <= 7); /* greedy, grid not looked for */
  BOOST_TEST(count(stencil27(16, 16, 16), false).size() <= 17);
}

BOOST_AUTO_TEST_CASE(scattered_colors_reversed)
{
  const Entry three = stencil7(12, 12, 12);

  for (Space space : spaces()) {
    const Lent                  lent(three, space);
    const MapPtr                columns = map_of(lent.rows.csr());
    const auto                  colored = [&](bool reversed) { return color_scattered(lent.rows.csr(), columns, {nullptr, columns->start()}, reversed); };
    const Coloring              one = colored(false), other = colored(true);
    const std::vector<PetscInt> color = colors_of(one, three.rows), back = colors_of(other, three.rows);

    BOOST_TEST(one.ncolors() <= 7);
    for (PetscInt i = 0; i < three.rows; i++) BOOST_TEST(color[i] + back[i] == one.ncolors() - 1);
  }
}

BOOST_AUTO_TEST_CASE(inverses_of_diagonal_blocks)
{
  /* three nodes of two: regular and far from unit scale, singular, and without entries of its own but for a coupling */
  const std::vector<PetscInt>    ptr{0, 2, 5, 7, 9, 10, 10}, col{0, 1, 0, 1, 5, 2, 3, 2, 3, 0}, no_ptr(7, 0);
  const std::vector<PetscScalar> val{2e10, 1, 1, 1e-10, 7, 1, 2, 2, 4, 3};
  const std::vector<PetscInt>    others_ptr{0, 1, 1, 2, 3, 3, 3}, others_col{0, 0, 1};
  const std::vector<PetscScalar> others_val{-2e10, 1, -1};

  for (Space space : spaces()) {
    const Array<PetscInt> d_ptr(space, ptr.data(), 7), d_col(space, col.data(), 10), d_optr(space, others_ptr.data(), 7), d_ocol(space, others_col.data(), 3);
    const Array<PetscScalar> d_val(space, val.data(), 10), d_oval(space, others_val.data(), 3);
    const Csr                A{space, 6, 6, d_ptr.data(), d_col.data(), d_val.data()}, others{space, 6, 2, d_optr.data(), d_ocol.data(), d_oval.data()};
    const NodeBlocks         blocks(A, 2);
    const auto               check = [](const std::vector<PetscScalar> &got, const std::vector<PetscScalar> &want) {
      BOOST_TEST_REQUIRE(got.size() == want.size());
      for (std::size_t k = 0; k < want.size(); k++)
        BOOST_TEST(std::abs(got[k] - want[k]) <= 1e-12 * std::abs(want[k]), k << ": " << got[k] << " for " << want[k]);
    };

    BOOST_TEST(blocks.nodes().nnz == 5);
    check(inverse_diagonal_blocks<PetscScalar>(blocks, Csr{space, 0, 0, nullptr, nullptr, nullptr}).to_host(),
          {1e-10, -1, -1, 2e10, 1, 0, 0, 0.25, 0, 0, 0, 0});
    check(inverse_diagonal_blocks<PetscScalar>(blocks, others).to_host(),
          {1e-10 / 3, -1. / 3, -1. / 3, 4e10 / 3, 5. / 6, -1. / 3, -1. / 3, 1. / 3, 0, 0, 0, 0});
  }
}

/* What it is for. Displacements along x, y and z are coupled so weakly in a node that points do as well (ex56 -ne 13: 20 iterations, with blocks 21, but 39
   launches instead of 8); along directions that are nearly the same they are not. */
/* Jacobi with relaxation 1 leaves vectors that alternate between the two colours of a grid's nodes to the coarse space. An interpolation made as for other
   smoothers sees too little of them: 25 iterations, with its own 20. */
BOOST_AUTO_TEST_CASE(alternating_vectors)
{
  Option      smoother("-pc_saamg_smoother", "jacobi"), relax("-pc_saamg_jacobi_relax", "1");
  MatHandle   A = system_matrix({"stencil7", stencil7(20, 20, 20), Kernel::none, 22});
  const Solve s = solve(make_cg(A), A);

  BOOST_TEST(s.reason > 0);
  BOOST_TEST(s.iterations <= 22, s.iterations);
}

/* Nodes of 6 unknowns, all of which are coupled alike: the largest eigenvalue of D^-1 A is 9, where relaxation 2/3 lets errors grow from 3 on. */
BOOST_AUTO_TEST_CASE(relaxation_that_would_diverge)
{
  const Entry coupled{"coupled", 600, 600, square | symmetric | spd, [](PetscInt i, Row &r) {
                        for (PetscInt j = PetscMax(0, i / 6 - 1) * 6; j < PetscMin(100, i / 6 + 2) * 6; j++)
                          r.add(j, (j / 6 == i / 6 ? 3 : -1) * (i % 6 == j % 6 ? 1 : 0.9));
                      }};
  Option      smoother("-pc_saamg_smoother", "jacobi");
  MatHandle   A = assemble(coupled, MATAIJ);
  const Solve s = solve(make_cg(A), A);

  BOOST_TEST(s.reason > 0, KSPConvergedReasons[s.reason]);
  BOOST_TEST(s.iterations <= 60, s.iterations);
  BOOST_TEST(s.true_residual <= 1e-5, s.true_residual);
}

BOOST_AUTO_TEST_CASE(l1_norms)
{
  const std::vector<PetscInt>    ptr{0, 2, 4, 5}, col{0, 2, 0, 1, 1};
  const std::vector<PetscScalar> val{2, -3, 1, -4, 7};
  const Csr                      A{Space::Host, 3, 3, ptr.data(), col.data(), val.data()};
  std::vector<PetscScalar>       inv{0.5, -0.25, 0};

  add_l1_norms(A, true, inv.data());
  BOOST_TEST(inv == (std::vector<PetscScalar>{PetscScalar(1) / 5, PetscScalar(-1) / 5, 0}), boost::test_tools::per_element());
  add_l1_norms(A, false, inv.data());
  BOOST_TEST(inv == (std::vector<PetscScalar>{PetscScalar(1) / 10, PetscScalar(-1) / 10, 0}), boost::test_tools::per_element());
}

/* Of S A S it is S D_l1 S, by powers of two to the last bit. */
BOOST_AUTO_TEST_CASE(l1_norms_of_scaled_rows)
{
  const std::vector<PetscInt>    ptr{0, 2, 5, 7}, col{0, 1, 0, 1, 2, 1, 2};
  const std::vector<PetscScalar> val{4, -3, -3, 16, 2, 2, 1};
  const std::vector<PetscScalar> s{1, 1. / 1024, 4096};
  std::vector<PetscScalar>       scaled(val), l1[2];

  for (PetscInt i = 0; i < 3; i++) {
    for (PetscInt p = ptr[i]; p < ptr[i + 1]; p++) scaled[p] *= s[i] * s[col[p]];
  }
  for (const bool by_s : {false, true}) {
    const std::vector<PetscScalar> &v = by_s ? scaled : val;
    const Csr                       A{Space::Host, 3, 3, ptr.data(), col.data(), v.data()};
    std::vector<PetscScalar>        inv{1 / v[0], 1 / v[3], 1 / v[6]};
    std::vector<PetscReal>          scale(3);

    diagonal_scales(Space::Host, 3, inv.data(), scale.data());
    add_l1_norms(A, true, inv.data(), scale.data(), scale.data());
    l1[by_s] = inv;
  }
  for (PetscInt i = 0; i < 3; i++) l1[1][i] *= s[i] * s[i];
  BOOST_TEST(l1[0] == l1[1], boost::test_tools::per_element());
  BOOST_TEST(l1[0][0] == PetscScalar(1) / (4 + 3 * PetscScalar(2) / 4));
}

/* Of a matrix on one rank */
Array<PetscReal> magnitudes_of(const Csr &A) { return magnitudes(A, row_facts(A, *map_of(A)).dinv); }

/* A A^-1 = I, of entries of very different sizes too; or the answer that it takes more than elimination. */
BOOST_AUTO_TEST_CASE(dense_inverses)
{
  for (Space space : spaces()) {
    for (const Entry *e : {&upwind, &with_walls}) {
      Lent               lent(*e, space);
      Array<PetscScalar> inverse(space);
      const Csr          A = lent.rows.csr();

      BOOST_TEST_REQUIRE(dense_inverse(A, magnitudes_of(A), inverse), e->name);
      const auto X = inverse.to_host(), val = Array<PetscScalar>(space, A.val, entries(A)).to_host();
      const auto ptr = Array<PetscInt>(space, A.ptr, A.nrows + 1).to_host(), col = Array<PetscInt>(space, A.col, entries(A)).to_host();
      PetscReal  worst = 0;

      for (PetscInt i = 0; i < A.nrows; i++) {
        for (PetscInt j = 0; j < A.nrows; j++) {
          PetscScalar sum = i == j ? -1 : 0;

          for (PetscInt p = ptr[i]; p < ptr[i + 1]; p++) sum += val[p] * X[static_cast<std::size_t>(col[p]) * A.nrows + j];
          worst = PetscMax(worst, PetscAbsScalar(sum));
        }
      }
      BOOST_TEST(worst < 1000 * PETSC_MACHINE_EPSILON, e->name << ": " << worst);
    }
    for (const Entry *e : {&hollow, &ring}) {
      Lent               lent(*e, space);
      Array<PetscScalar> inverse(space);

      const Csr A = lent.rows.csr();

      BOOST_TEST(!dense_inverse(A, magnitudes_of(A), inverse), e->name);
    }
  }
}

/* A dense matrix by rows, its pseudo-inverse as the coarsest level has it, and by how much A X A differs from A, relative to the sizes of its rows and
   columns. */
struct Inverted {
  PetscInt                 n;
  std::vector<PetscScalar> A, X;
  std::vector<PetscReal>   magnitude;
  bool                     singular = false;

  Inverted(PetscInt n_, const std::function<PetscScalar(PetscInt, PetscInt)> &entry) : n(n_)
  {
    for (PetscInt i = 0; i < n; i++) {
      for (PetscInt j = 0; j < n; j++) A.push_back(entry(i, j));
      magnitude.push_back(PetscAbsScalar(A[i * n + i]));
    }
    X = A;
    PETSC_OK(DensePseudoInverse(n, X, magnitude, &singular));
  }

  PetscReal defect() const
  {
    const auto AX = times(A, X), AXA = times(AX, A);
    PetscReal  worst = 0;

    for (PetscInt i = 0; i < n; i++) {
      for (PetscInt j = 0; j < n; j++)
        worst = PetscMax(worst, PetscAbsScalar(AXA[i * n + j] - A[i * n + j]) / PetscSqrtReal(PetscAbsScalar(magnitude[i] * magnitude[j])));
    }
    return worst;
  }

private:
  std::vector<PetscScalar> times(const std::vector<PetscScalar> &M, const std::vector<PetscScalar> &N) const
  {
    std::vector<PetscScalar> product(M.size(), 0);

    for (PetscInt i = 0; i < n; i++) {
      for (PetscInt k = 0; k < n; k++) {
        for (PetscInt j = 0; j < n; j++) product[i * n + j] += M[i * n + k] * N[k * n + j];
      }
    }
    return product;
  }
};

/* Graph Laplacians of `parts` rings, which differ in size by ten decades each, with `more` on the diagonal. */
PetscScalar rings(PetscInt i, PetscInt j, PetscInt n, PetscInt parts, PetscReal more)
{
  const PetscInt length = n / parts, part = i / length, at = i % length, to = j % length;

  if (part != j / length) return 0;
  return PetscPowReal(10, 10 * part) * (at == to ? 2 + more : (at + 1) % length == to || (to + 1) % length == at ? -1 : 0);
}

BOOST_AUTO_TEST_CASE(dense_pseudo_inverses)
{
  for (PetscReal more : {0., 1e-10, 1e-3}) { /* singular once for each ring; nearly singular; regular */
    const Inverted r(30, [more](PetscInt i, PetscInt j) { return rings(i, j, 30, 3, more); });

    BOOST_TEST(r.singular == (more == 0), more);
    BOOST_TEST(r.defect() < (more == 1e-10 ? 1e-4 : 1e-11), more << ": " << r.defect());
    PetscInt unlike = 0;
    for (PetscInt i = 0; i < r.n; i++) {
      for (PetscInt j = 0; j < i; j++) unlike += r.X[i * r.n + j] != r.X[j * r.n + i];
    }
    BOOST_TEST(unlike == 0, more << ": " << unlike << " pairs of entries are not symmetric");
  }
  /* rounding in one of two triangles, as products leave it beside a row of its own */
  const Inverted rounded(30, [](PetscInt i, PetscInt j) {
    return i == 0 || j == 0 ? PetscScalar(i == j ? 1 : i == 0 ? 1e-17 * j : 3e-18) : rings(i - 1, j - 1, 29, 1, 0);
  });
  for (PetscInt j = 0; j < 30; j++) BOOST_TEST(rounded.X[j] == rounded.X[j * 30], j << ": " << rounded.X[j] << " and " << rounded.X[j * 30]);
  /* rows of given values, as MatZeroRows() leaves them, in a stiff matrix; rows by themselves scaled over 15 decades; a
     symmetric matrix that is not definite */
  const Inverted given(40, [](PetscInt i, PetscInt j) { return i % 10 == 0 ? PetscScalar(i == j) : 2e11 * (i == j ? 2 : PetscAbsInt(i - j) == 1 ? -1 : 0); });
  const Inverted scaled(40, [](PetscInt i, PetscInt j) { return PetscPowReal(10, i % 16) * (i == j ? 2.5 : PetscAbsInt(i - j) == 1 ? -1 : 0); });
  const Inverted indefinite(40, [](PetscInt i, PetscInt j) { return i == j ? (i % 3 ? 2 : -2) : PetscAbsInt(i - j) == 1 ? -1 : 0; });
  for (const Inverted *r : {&given, &scaled, &indefinite}) {
    PetscReal worst = 0;

    BOOST_TEST(!r->singular);
    for (PetscInt i = 0; i < r->n; i++) {
      for (PetscInt j = 0; j < r->n; j++) {
        PetscScalar sum = i == j ? -1 : 0;

        for (PetscInt k = 0; k < r->n; k++) sum += r->X[i * r->n + k] * r->A[k * r->n + j];
        worst = PetscMax(worst, PetscAbsScalar(sum));
      }
    }
    BOOST_TEST(worst < 1e-10, worst);
  }
}

/* The polynomial is T((middle - t) / reach) / T(middle / reach), by the recurrence of three terms. */
BOOST_AUTO_TEST_CASE(roots_of_the_first_kind)
{
  for (double ratio : {3., 10., 30.})
    for (int degree : {1, 2, 3, 4, 7, 12, 30}) {
      const std::vector<double> r      = leja_order(first_kind_roots(degree, ratio));
      const double              middle = (1 + 1 / ratio) / 2, reach = (1 - 1 / ratio) / 2;
      const auto                T = [&](double x) {
        double old = 1, now = x;

        for (int k = 1; k < degree; k++) old = std::exchange(now, 2 * x * now - old);
        return now;
      };

      BOOST_TEST_REQUIRE(r.size() == (std::size_t)degree);
      for (double t = 0; t <= 1; t += 1. / 64) {
        double p = 1;
        for (double root : r) p *= 1 - t / root;
        BOOST_TEST(std::abs(p - T((middle - t) / reach) / T(middle / reach)) < 1e-11);
      }
    }
}

/* t p^2 / (1 - p^2) is as high at 1 as at 0, where it is 1 / (2 sum 1/root), and nowhere higher; between the roots it gets there again. */
BOOST_AUTO_TEST_CASE(roots_of_the_fourth_kind)
{
  BOOST_TEST(optimal_roots(1)[0] == 2. / 3, boost::test_tools::tolerance(1e-12));
  /* Lottes's weights for degree 2, 1.02387287570313 and 1.26408905371085, make p = 1 - (2.5 + sqrt 5) t + 1.25 (1 + sqrt 5) t^2 */
  const std::vector<double> two = optimal_roots(2);
  BOOST_TEST(1 / (two[0] * two[1]) == 3.2 * 1.26408905371085, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(1 / two[0] + 1 / two[1] == 4. / 3 * 1.02387287570313 + (4. / 15 + 2.4) * 1.26408905371085, boost::test_tools::tolerance(1e-12));
  for (int degree : {1, 2, 3, 4, 7, 12, 30}) {
    const std::vector<double> r       = optimal_roots(degree);
    double                    slope   = 0;
    int                       touched = 0;

    for (double root : r) slope += 1 / root;
    for (int j = 0; j < degree; j++) {
      const double low = r[j], high = j + 1 < degree ? r[j + 1] : 1;
      double       top = 0;
      for (int k = 1; k <= 2000; k++) {
        const double t = low + (high - low) * k / 2000;
        double       p = 1;
        for (double root : r) p *= 1 - t / root;
        top = std::max(top, t * p * p / (1 - p * p));
      }
      BOOST_TEST(top * 2 * slope <= 1 + 1e-9);
      touched += top * 2 * slope > 1 - 1e-4;
    }
    BOOST_TEST(touched == degree);
    std::vector<double> shuffled = leja_order(r);
    std::sort(shuffled.begin(), shuffled.end());
    BOOST_TEST(shuffled == r, boost::test_tools::per_element());
  }
}
