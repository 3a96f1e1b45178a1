/* Colourings of rows, a Gauss-Seidel sweep over them, l1 norms and the polynomial of the fourth kind, each against its definition; and transposes. */
#include "mat/common/borrowed_csr.hpp"
#include "pc/saamg/hierarchy.hpp"
#include "pc/saamg/smoother/chebyshev_roots.hpp"
#include "pc/saamg/smoother/coloring.hpp"
#include "pc/saamg/smoother/l1_diagonal.hpp"
#include "pc/saamg/smoother/multicolor_gs.hpp"
#include "support/gallery.hpp"
#include "support/pc_case.hpp"

#include <algorithm>
#include <cmath>

using namespace goza;
using namespace goza_test;

namespace
{

std::vector<Space> spaces()
{
  return device::available() ? std::vector<Space>{Space::Host, Space::Cuda} : std::vector<Space>{Space::Host};
}

/* Nonsymmetric in its values alone, and in its pattern: what a row reads does not read it */
const Entry upwind{"upwind", 900, 900, square, [](PetscInt i, Row &r) {
                     r.add(i, 7);
                     if (i % 30) r.add(i - 1, -4);
                     if (i % 30 < 29) r.add(i + 1, -1);
                     if (i >= 30) r.add(i - 30, -1);
                     if (i < 870) r.add(i + 30, -1);
                   }};
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

void valid_and_determined(const Entry &e, bool grids)
{
  const Lent            host(e, Space::Host);
  const Csr            &A     = host.rows.csr();
  const Coloring        first = color_rows(A, 0, grids);
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
      BOOST_TEST(colors_of(color_rows(again.rows.csr(), 0, grids), A.nrows) == color, boost::test_tools::per_element());
    }
}

/* One sweep after another, row by row in the order of the colours. */
template <class V> void sweeps_as_defined(const Entry &e, double tolerance)
{
  for (Space space : spaces()) {
    const Lent                   host(e, Space::Host), lent(e, space);
    const Csr                   &A        = host.rows.csr();
    const PetscInt               n        = A.nrows;
    const Coloring               coloring = color_rows(A, 0);
    const std::vector<PetscInt>  rows     = coloring.rows.to_host();
    std::vector<V>               b(n), x(n), inv(n), alone(n);
    Grid                         grid;
    Stamp                        stamp;
    ParOperator<V>               op;
    SmootherOptions              options;
    std::unique_ptr<Smoother<V>> smoother;
    int                          end = -1;

    for (PetscInt i = 0; i < n; i++) {
      b[i] = static_cast<V>(uniform(i, 1, 5));
      for (PetscInt p = A.ptr[i]; p < A.ptr[i + 1]; p++)
        if (A.col[p] == i) (A.ptr[i + 1] == A.ptr[i] + 1 ? alone : inv)[i] = static_cast<V>(1 / A.val[p]);
    }
    const auto relax = [&](PetscInt i) {
      double s = 0;
      for (PetscInt p = A.ptr[i]; p < A.ptr[i + 1]; p++) s += static_cast<double>(A.val[p]) * x[A.col[p]];
      x[i] += static_cast<V>(inv[i] * (b[i] - s));
    };
    for (PetscInt i = 0; i < n; i++) x[i] = alone[i] * b[i];
    for (int sweep = 0; sweep < 2; sweep++)
      for (PetscInt i : rows) relax(i);
    for (int sweep = 0; sweep < 2; sweep++)
      for (PetscInt p = n; p-- > 0;) relax(rows[p]);

    grid.level          = std::make_shared<CsrLevel>();
    grid.level->A       = lent.rows.csr();
    grid.level->columns = std::make_shared<ColumnMap>(PETSC_COMM_SELF, n, space);
    stamp.new_pattern();
    options.sweeps = 2;
    PETSC_OK(op.update(grid.level->A, grid.level->columns, stamp, [](Space s) { return std::make_unique<SlicedEll<V, V>>(s); }));
    Array<V> d_b(space, b.data(), n), d_inv(space, inv.data(), n), d_alone(space, alone.data(), n), x0(space, std::vector<V>(n, NAN).data(), n), x1(space, n), d(space, n);
    PETSC_OK(MulticolorGaussSeidel<V>::create({grid, op, {n, d_inv.data(), d_alone.data()}, 1}, options, smoother));
    BOOST_TEST(smoother->steps(true) == 0);
    PETSC_OK(smoother->apply(d_b.data(), {{x0.data(), x1.data()}, d.data()}, 0, Pass::FromZero, &end));
    PETSC_OK(smoother->apply(d_b.data(), {{x0.data(), x1.data()}, d.data()}, end, Pass::After, &end));
    BOOST_TEST(end == 0);
    const std::vector<V> got = x0.to_host();
    for (PetscInt i = 0; i < n; i++) BOOST_TEST_REQUIRE(std::abs(got[i] - x[i]) <= tolerance, "row " << i << ": " << got[i] << " for " << x[i]);
  }
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
    add_test(suite, "grids", [=] { valid_and_determined(e, true); });
    add_test(suite, "greedy", [=] { valid_and_determined(e, false); });
  }
  for (const Entry &e : {upwind, with_walls, stencil27(9, 8, 7), stencil7(13, 12, 11)}) {
    auto *suite = suite_named(suite_named(nullptr, "gauss_seidel"), e.name);
    add_test(suite, "double", [=] { sweeps_as_defined<PetscScalar>(e, 1e3 * PETSC_MACHINE_EPSILON); });
    add_test(suite, "single", [=] { sweeps_as_defined<float>(e, 1e-5); });
  }
  for (const auto &name : goza_test::smoother_names()) {
    add_test(suite_named(suite_named(nullptr, "transposed"), name), "upwind", [=] { transposed(name, upwind); });
    add_test(suite_named(suite_named(nullptr, "transposed"), name), "one_sided", [=] { transposed(name, one_sided); });
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
    return color_rows(lent.rows.csr(), 0, grids).begin;
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
