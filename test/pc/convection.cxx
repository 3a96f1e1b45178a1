/* Matrices that are not symmetric: what saamg finds, what it takes with no option set, and that GMRES and BiCGStab converge with it. */
#include "pc/saamg/setup/eigen.hpp"
#include "pc/saamg/setup/symmetry.hpp"
#include "pc/saamg/setup/own_rows.hpp"
#include "pc/saamg/smoother/flow_order.hpp"
#include "../support/operators.hpp"
#include "../support/pc_case.hpp"
#include "../support/spaces.hpp"

#include <petscgoza.h>

#include <cmath>

using namespace goza_test;

namespace {

const std::string found_symmetric = PetscDefined(USE_COMPLEX) ? "the matrix is found to be Hermitian" : "the matrix is found to be symmetric";

struct Case {
  std::string name;
  Entry       entry;
  std::string ksp;
  PetscInt    ceiling; /* iterations to 1e-8 */
};

std::vector<Case> cases()
{
  return {
    {"constant_1e-2", convection(128, 128, 1, 1e-2, Wind::constant), KSPGMRES, 12},
    {"rotating_1e-2", convection(128, 128, 1, 1e-2, Wind::rotating), KSPGMRES, 14},
    {"constant_1e-4", convection(128, 128, 1, 1e-4, Wind::constant), KSPGMRES, 3},
    {"rotating_1e-4", convection(128, 128, 1, 1e-4, Wind::rotating), KSPGMRES, 12},
    {"constant_3d", convection(24, 24, 24, 1e-2, Wind::constant), KSPBCGS, 3},
    {"rotating_3d", convection(24, 24, 24, 1e-4, Wind::rotating), KSPBCGS, 5},
    {"central_1e-3", convection(128, 128, 1, 1e-3, Wind::constant, Scheme::central), KSPGMRES, 150},
    {"central", convection(64, 64, 1, 1e-2, Wind::rotating, Scheme::central), KSPGMRES, 15},
  };
}

KSPHandle make(Mat A, const std::string &type)
{
  KSPHandle ksp = make_cg(A, 1e-8);

  PETSC_OK(KSPSetType(ksp, type.c_str()));
  return ksp;
}

void converges(const Case &c)
{
  const MatHandle A   = assemble(c.entry, MATAIJ);
  KSPHandle       ksp = make(A, c.ksp);
  const Solve     s   = solve(ksp, A);

  BOOST_TEST(s.reason > 0, KSPConvergedReasons[s.reason]);
  BOOST_TEST(s.iterations <= c.ceiling, s.iterations << " iterations");
  BOOST_TEST(s.true_residual < 100 * reached(1e-8));
}

PetscInt iterations(Mat A, const char *type)
{
  KSPHandle   ksp = make(A, type);
  const Solve s   = solve(ksp, A);

  BOOST_TEST(s.reason > 0, KSPConvergedReasons[s.reason]);
  return s.iterations;
}

/* A row is not as its column where the wind blows. */
Entry gust(PetscReal strength)
{
  const Entry five = stencil5(40, 40);

  return {"gust", five.rows, five.rows, square | full_diagonal | no_zero_pivots | nonempty, [=](PetscInt i, Row &r) {
            five.row(i, r);
            for (std::size_t k = 0; k < r.col.size(); k++)
              if (i / 40 == 20 && i % 40 == 20) r.val[k] *= r.col[k] == i - 1 ? 1 + strength : 1;
          }};
}

/* Rows of a wall are the identity's, the entries of their columns stay. */
Entry wall(bool stays)
{
  const Entry five = stencil5(40, 40);

  return {"wall", five.rows, five.rows, square | full_diagonal | no_zero_pivots | nonempty, [=](PetscInt i, Row &r) {
            Row row;

            five.row(i, row);
            for (std::size_t k = 0; k < row.col.size(); k++)
              if (row.col[k] == i || (i % 40 && (stays || row.col[k] % 40))) r.add(row.col[k], PetscRealPart(row.val[k]));
          }};
}

goza::Symmetry found(const Entry &e, goza::Space space)
{
  const MatHandle A = assemble(e, MATAIJ);
  goza::OwnRows   rows;

  PETSC_OK(rows.open(A, space));
  return goza::symmetry_of(rows.A, rows.columns, goza::row_facts(rows.A, *rows.columns));
}

std::vector<PetscInt> phases(const Entry &e)
{
  const MatHandle A = assemble(e, MATAIJ);
  goza::OwnRows   rows;

  PETSC_OK(rows.open(A, goza::Space::Host));
  return goza::saamg::phases_of_flow(rows.A, rows.columns, {nullptr, rows.columns->start()});
}

/* Along a line, downstream being where numbers rise; those of a part have no flow, those of another flow in a ring. */
Entry line(PetscInt n, PetscInt still_from, PetscInt ring_from)
{
  return {"line", n, n, square | full_diagonal | no_zero_pivots | nonempty, [=](PetscInt i, Row &r) {
            r.add(i, 3);
            if (i > 0 && i != ring_from) r.add(i - 1, i < still_from || i >= ring_from ? -1 : -0.5);
            if (i == ring_from && ring_from < n) r.add(n - 1, -1);
            if (i + 1 < n && i + 1 != ring_from) r.add(i + 1, i + 1 < still_from || i + 1 >= ring_from ? -0.25 : -0.5);
          }};
}

} // namespace

static const AddTests added([] {
  for (const Case &c : cases()) add_test(suite_named(nullptr, "converges"), c.name, [c] { converges(c); });
});

BOOST_AUTO_TEST_SUITE(chosen)

BOOST_AUTO_TEST_CASE(by_the_matrix)
{
  const MatHandle wind = assemble(convection(64, 64, 1, 0.1, Wind::rotating), MATAIJ), still = assemble(stencil5(64, 64), MATAIJ);
  const MatHandle storm = assemble(convection(64, 64, 1, 1e-3, Wind::rotating), MATAIJ);
  const PetscInt  windy = iterations(wind, KSPGMRES), calm = iterations(still, KSPGMRES), stormy = iterations(storm, KSPGMRES);

  BOOST_TEST(says(make_pc(wind), "the matrix is not symmetric in"));
  BOOST_TEST(says(make_pc(wind), "smoother mcgs along its flow, interpolation smoothed with its diffusive part"));
  BOOST_TEST(says(make_pc(storm), "smoother mcgs along its flow, interpolation smoothed with the matrix, restriction with its transpose"));
  {
    Option restriction("-pc_saamg_restriction", "adjoint"), interpolation("-pc_saamg_interpolation", "smoothed");
    BOOST_TEST(iterations(storm, KSPGMRES) == stormy);
    BOOST_TEST(says(make_pc(wind), "interpolation smoothed with the matrix, restriction with its transpose"));
    BOOST_TEST(iterations(still, KSPGMRES) == calm);
  }
  {
    Option restriction("-pc_saamg_restriction", "transpose");
    BOOST_TEST(iterations(storm, KSPGMRES) > stormy);
    BOOST_TEST(says(make_pc(storm), "interpolation smoothed with its diffusive part"));
  }
  BOOST_TEST(says(make_pc(still), found_symmetric + ": smoother chebyshev, interpolation smoothed with the matrix"));
  {
    Option smoother("-pc_saamg_smoother", "mcgs"), interpolation("-pc_saamg_interpolation", "diffusive");
    BOOST_TEST(iterations(wind, KSPGMRES) == windy);
  }
  Option smoother("-pc_saamg_smoother", "chebyshev"), interpolation("-pc_saamg_interpolation", "smoothed");
  BOOST_TEST(iterations(still, KSPGMRES) == calm);
  BOOST_TEST(says(make_pc(wind), "smoother chebyshev, interpolation smoothed with the matrix")); /* what is set stays */
}

BOOST_AUTO_TEST_CASE(by_signs)
{
  for (PetscReal eps : {3e-3, 1e-3}) {
    const MatHandle A = assemble(convection(128, 128, 1, eps, Wind::constant, Scheme::central), MATAIJ);

    BOOST_TEST(says(make_pc(A), eps > 2e-3 ? "smoother mcgs along its flow, interpolation" : "smoother l1jacobi, interpolation"));
  }
}

BOOST_AUTO_TEST_CASE(one_of_them_set)
{
  const MatHandle wind = assemble(convection(40, 40, 1, 1e-2, Wind::constant), MATAIJ);

  {
    Option finest("-pc_saamg_finest_smoother", "l1jacobi");
    BOOST_TEST(says(make_pc(wind), "0       1600        7840      4.9  l1jacobi"));
    BOOST_TEST(says(make_pc(wind), "interpolation smoothed with the matrix, restriction with its transpose"));
  }
  Option interpolation("-pc_saamg_interpolation", "unsmoothed");
  BOOST_TEST(says(make_pc(wind), "smoother mcgs along its flow, interpolation not smoothed"));
}

BOOST_AUTO_TEST_CASE(where_it_is_said_to_be_symmetric)
{
  const MatHandle A = assemble(stencil5(20, 20), MATAIJ);

  PETSC_OK(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
  BOOST_TEST(says(make_pc(A), "the matrix is declared symmetric"));
}

BOOST_AUTO_TEST_CASE(anew_with_new_values)
{
  for (const char *reuse : {"none", "pattern", "interpolation"}) {
    Option    kept("-pc_saamg_reuse", reuse);
    MatHandle A   = assemble(convection(40, 40, 1, 1e-2, Wind::constant), MATAIJ);
    KSPHandle ksp = make(A, KSPGMRES);
    PC        pc;

    PETSC_OK(KSPGetPC(ksp, &pc));
    BOOST_TEST(solve(ksp, A).reason > 0);
    BOOST_TEST(says(pc, "smoother mcgs"));
    fill(convection(40, 40, 1, 1, Wind::rotating, Scheme::central), A, 0);
    fill(stencil5(40, 40), A);
    PETSC_OK(KSPSetOperators(ksp, A, A));
    BOOST_TEST(solve(ksp, A).reason > 0);
    BOOST_TEST(says(pc, found_symmetric + ": smoother chebyshev"));
    fill(convection(40, 40, 1, 1e-2, Wind::rotating), A);
    PETSC_OK(KSPSetOperators(ksp, A, A));
    const Solve s = solve(ksp, A);
    BOOST_TEST(s.reason > 0, reuse);
    BOOST_TEST(s.iterations <= 40, reuse << ": " << s.iterations << " iterations");
    BOOST_TEST(says(pc, "smoother mcgs"));
  }
}

BOOST_AUTO_TEST_CASE(transposed)
{
  for (const char *restriction : {"transpose", "adjoint"}) {
    for (const char *precision : {"double", "single"}) {
      Option          chosen("-pc_saamg_restriction", restriction), in("-pc_saamg_precision", precision), limit("-pc_saamg_coarse_limit", "30");
      const MatHandle A  = assemble(convection(40, 40, 1, 1e-2, Wind::rotating), MATAIJ);
      const PCHandle  pc = make_pc(A);
      const VecHandle x = right_hand_side(A, 1), y = right_hand_side(A, 2), Mx = right_hand_side(A, 3), My = right_hand_side(A, 4);
      const PetscReal rounding = std::string(precision) == "double" ? PETSC_MACHINE_EPSILON : PetscMax(PETSC_MACHINE_EPSILON, (PetscReal)6e-8);
      PetscScalar     one, other;

      PETSC_OK(PCApply(pc, x, Mx));
      PETSC_OK(PCApplyTranspose(pc, y, My));
      PETSC_OK(VecDot(Mx, y, &one));
      PETSC_OK(VecDot(x, My, &other));
      BOOST_TEST(PetscAbsScalar(one - other) <= 1e4 * rounding * norm(Mx) * norm(y), restriction << ", " << precision);
    }
  }
}

/* On no level does a row's diagonal fall behind its other entries, whatever the interpolation is smoothed with and on either side. */
BOOST_AUTO_TEST_CASE(coarse_operators_stay_sane)
{
  const auto worst = [] {
    const MatHandle A  = assemble(convection(128, 128, 1, 1e-4, Wind::rotating), MATAIJ);
    const PCHandle  pc = make_pc(A);
    PetscInt        levels;
    Mat            *coarse;
    PetscReal       most = 0;

    PETSC_OK(PCGetCoarseOperators(pc, &levels, &coarse));
    for (PetscInt l = 0; l + 1 < levels; l++) {
      PetscInt first, last;

      PETSC_OK(MatGetOwnershipRange(coarse[l], &first, &last));
      for (PetscInt i = first; i < last; i++) {
        const PetscInt    *col;
        const PetscScalar *val;
        PetscInt           n;
        PetscReal          diagonal = 0, rest = 0;

        PETSC_OK(MatGetRow(coarse[l], i, &n, &col, &val));
        for (PetscInt k = 0; k < n; k++) (col[k] == i ? diagonal : rest) += PetscAbsScalar(val[k]);
        most = std::max(most, rest / diagonal);
        PETSC_OK(MatRestoreRow(coarse[l], i, &n, &col, &val));
      }
      PETSC_OK(MatDestroy(&coarse[l]));
    }
    PETSC_OK(PetscFree(coarse));
    return max_over_ranks(most);
  };

  constexpr PetscReal sane = 1.5, outweighed = 2; /* of rows of which no half may be for Gauss-Seidel to converge */
  BOOST_TEST(worst() < sane);
  Option interpolation("-pc_saamg_interpolation", "smoothed");
  BOOST_TEST(worst() < outweighed);
  Option restriction("-pc_saamg_restriction", "adjoint");
  BOOST_TEST(worst() < outweighed);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(flow)

BOOST_AUTO_TEST_CASE(phases_follow_it)
{
  const PetscInt most = goza::saamg::flow_phases;

  for (PetscInt n : {1, 2, 7, 500}) { /* on several ranks one has no rows */
    const MatHandle             A   = assemble(line(n, n, n), MATAIJ);
    const std::vector<PetscInt> got = phases(line(n, n, n));
    PetscInt                    first, last;

    PETSC_OK(MatGetOwnershipRange(A, &first, &last));
    BOOST_REQUIRE(static_cast<PetscInt>(got.size()) == last - first);
    for (PetscInt i = first; i < last; i++) BOOST_TEST(got[i - first] == i % most, n << ": row " << i);
  }
}

BOOST_AUTO_TEST_CASE(phases_where_none_begins)
{
  const PetscInt n = 120, still = 40, ring = 80, most = goza::saamg::flow_phases;

  const Entry                 e   = line(n, still, ring);
  const MatHandle             A   = assemble(e, MATAIJ);
  const std::vector<PetscInt> got = phases(e);
  PetscInt                    first, last;

  PETSC_OK(MatGetOwnershipRange(A, &first, &last));
  /* the ring is cut behind the one row along whose inflow numbers fall */
  for (PetscInt i = first; i < last; i++)
    BOOST_TEST(got[i - first] == (i < still ? i : i < ring ? 0 : i > ring ? i - ring - 1 : n - ring - 1) % most, "row " << i);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(symmetry)

BOOST_AUTO_TEST_CASE(is_found)
{
  for (goza::Space space : spaces()) {
    for (const Entry &e : {stencil27(9, 8, 7), neumann5(20, 20), elasticity(4, 4, 4), gust(0), gust(1e-3), wall(false), wall(true)})
      BOOST_TEST(found(e, space).symmetric, e.name);
    const goza::Symmetry one = found(gust(0.5), space), all = found(convection(30, 30, 1, 1e-3, Wind::constant), space);
    BOOST_TEST(!one.symmetric);
    BOOST_TEST(one.rows == 1600);
    BOOST_TEST(one.skew == 2); /* that and its neighbour's */
    BOOST_TEST(all.skew == 900);
  }
}

/* Of upwind differences the part that is symmetric is the diffusion, where that is not small beside the convection. */
BOOST_AUTO_TEST_CASE(the_diffusive_part)
{
  const PetscInt  n   = 24;
  const PetscReal eps = 0.05, flow = (PetscReal)1 / (n + 1);

  for (goza::Space space : spaces()) {
    const MatHandle A = assemble(convection(n, n, 1, eps, Wind::constant), MATAIJ);
    goza::OwnRows   rows;
    MatHandle       C;
    VecHandle       one, a, c;
    PetscInt        first, last;
    bool            right = true;

    PETSC_OK(rows.open(A, space));
    const std::vector<PetscInt> zeros(rows.columns->nlocal(), 0);
    const goza::CsrMatrix       part = goza::diffusive_part(rows.A, rows.columns, 1, false, goza::Array<PetscInt>(space, zeros.data(), zeros.size()));
    PETSC_OK(goza::CopyToMat(part.view(), *rows.columns, C.put()));
    PETSC_OK(MatGetOwnershipRange(C, &first, &last));
    for (PetscInt i = first; i < last; i++) {
      const PetscInt    *col;
      const PetscScalar *val;
      PetscInt           length;

      PETSC_OK(MatGetRow(C, i, &length, &col, &val));
      for (PetscInt k = 0; k < length; k++) {
        const PetscReal inflow = (i % n == 0 ? flow : 0) + (i < n ? flow / 2 : 0); /* of the walls: it stays with the diagonal */
        right                  = right && std::abs(PetscRealPart(val[k]) - (col[k] == i ? 4 * eps + inflow : -eps)) <= 100 * PETSC_MACHINE_EPSILON;
      }
      PETSC_OK(MatRestoreRow(C, i, &length, &col, &val));
    }
    all_ranks(right, "the entries of the diffusion");
    PETSC_OK(MatCreateVecs(A, one.put(), a.put()));
    PETSC_OK(VecDuplicate(a, c.put()));
    PETSC_OK(VecSet(one, 1));
    PETSC_OK(MatMult(A, one, a));
    PETSC_OK(MatMult(C, one, c));
    PETSC_OK(VecAXPY(c, -1, a));
    BOOST_TEST(norm(c) <= 1000 * PETSC_MACHINE_EPSILON * norm(a));
  }
}

/* A line of central differences whose cell's Peclet number is 4: each edge takes as much diffusion as the first-order scheme has. */
BOOST_AUTO_TEST_CASE(central_differences_become_upwind)
{
  const PetscInt n       = 30;
  const Entry    central = {"central", n, n, square, [n](PetscInt i, Row &row) {
                           if (i > 0) row.add(i - 1, -3);
                           row.add(i, 2);
                           if (i + 1 < n) row.add(i + 1, 1);
                         }};

  for (goza::Space space : spaces()) {
    const MatHandle A = assemble(central, MATAIJ);
    goza::OwnRows   rows;
    MatHandle       U;
    PetscInt        first, last;
    bool            right = true;

    PETSC_OK(rows.open(A, space));
    goza::Array<PetscScalar> val(space, rows.A.val, goza::entries(rows.A));
    goza::Csr                upwind = rows.A;

    upwind.val = val.data();
    goza::make_upwind(upwind, rows.columns, 1, true, val.data());
    PETSC_OK(goza::CopyToMat(upwind, *rows.columns, U.put()));
    PETSC_OK(MatGetOwnershipRange(U, &first, &last));
    for (PetscInt i = first; i < last; i++) {
      const PetscInt    *col;
      const PetscScalar *val;
      PetscInt           length;

      PETSC_OK(MatGetRow(U, i, &length, &col, &val));
      for (PetscInt k = 0; k < length; k++) {
        const PetscReal diagonal = 2 + (i > 0) + (i + 1 < n);
        right                    = right && val[k] == PetscScalar(col[k] == i ? diagonal : col[k] < i ? -4 : 0);
      }
      PETSC_OK(MatRestoreRow(U, i, &length, &col, &val));
    }
    all_ranks(right, "the entries of upwind differences");
  }
}

BOOST_AUTO_TEST_SUITE_END()
