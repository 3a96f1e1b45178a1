/* Matrices that equal their transposes and are not Hermitian, as those of waves in a lossy medium: the cycle is symmetric as they are, whatever the smoother,
   and its Krylov methods converge. Of real scalars the same matrices are symmetric positive definite. */
#include "../support/pc_case.hpp"

#include <petscgoza.h>

#include <cmath>

using namespace goza_test;

namespace {

/* - u'' + (i / 2 - 1) w^2 u with w^2 = shift, or, of real scalars, + w^2 u; the stencil's rows add up to 0 away from the border. */
Entry shifted(const std::string &name, const Entry &laplacian, PetscReal shift)
{
  Entry e = laplacian;

  e.name = name;
  e.row  = [row = laplacian.row, shift](PetscInt i, Row &r) {
    row(i, r);
    for (std::size_t k = 0; k < r.col.size(); k++) {
      if (r.col[k] == i) r.val[k] += scalar(PetscDefined(USE_COMPLEX) ? -shift : shift, shift / 2);
    }
  };
  return e;
}

const std::vector<Entry> &waves()
{
  static const std::vector<Entry> all{shifted("27 points", stencil27(11, 12, 13), 0.3), shifted("7 points", stencil7(14, 13, 12), 0.05),
                                      shifted("5 points", stencil5(40, 37), 0.02)};

  return all;
}

MatHandle matrix(const Entry &e, MatType type = MATAIJ, MPI_Comm comm = PETSC_COMM_WORLD) { return assemble(e, type, Prealloc::exact, comm); }

VecHandle applied(PC pc, Vec x, PetscErrorCode (*apply)(PC, Vec, Vec) = PCApply)
{
  VecHandle y;

  PETSC_OK(VecDuplicate(x, y.put()));
  PETSC_OK(apply(pc, x, y));
  return y;
}

PetscScalar bilinear(Vec x, Vec y)
{
  PetscScalar s;

  PETSC_OK(VecTDot(x, y, &s));
  return s;
}

/* y^T M x = x^T M y, and M^T is M. */
void equals_transpose(const Entry &e, const std::string &smoother, const std::string &cycle)
{
  Configured      options({smoother, cycle, "double"});
  const MatHandle A  = matrix(e);
  const PCHandle  pc = make_pc(A);
  const VecHandle x = right_hand_side(A, 1), y = right_hand_side(A, 2), Mx = applied(pc, x), My = applied(pc, y), Mty = applied(pc, y, PCApplyTranspose);
  const PetscReal size = norm(Mx) * norm(y) + norm(x) * norm(My), rounding = 1e5 * PETSC_MACHINE_EPSILON;

  BOOST_TEST(PetscAbsScalar(bilinear(Mx, y) - bilinear(x, My)) <= rounding * size);
  BOOST_TEST(PetscAbsScalar(bilinear(Mx, y) - bilinear(x, Mty)) <= rounding * size);
  BOOST_TEST(norm(Mx) > 0);
}

Solve solved(const std::string &ksp_type, Mat A)
{
  Option    type("-ksp_type", ksp_type), side("-ksp_pc_side", "right");
  KSPHandle ksp = make_cg(A);

  return solve(ksp, A);
}

/* In as many iterations on one rank as on all, give or take one, and of any matrix type. */
void converges(const Entry &e, const std::string &ksp_type, PetscInt most)
{
  Configured      options({"auto", "v", "double"});
  const MatHandle alone  = matrix(e, MATAIJ, PETSC_COMM_SELF);
  const Solve     single = solved(ksp_type, alone);

  for (const char *type : {MATAIJ, MATCDS, MATSLICEDELL}) {
    const MatHandle A = matrix(e, type);
    const Solve     s = solved(ksp_type, A);

    BOOST_TEST(s.reason > 0, type << ": " << KSPConvergedReasons[s.reason]);
    BOOST_TEST(s.true_residual <= 10 * reached(1e-7), type << ": " << s.true_residual);
    BOOST_TEST(s.iterations <= most, type << ": " << s.iterations << " iterations");
    BOOST_TEST(PetscAbsInt(s.iterations - single.iterations) <= 1, type << ": " << s.iterations << " iterations, but " << single.iterations << " on one rank");
  }
}

/* D A D with D of phases, or of real scalars of powers of two, and the near-null vector D^-1 1: the cycle is D^-1 M D^-1, but for the vector that lambda_max is
   estimated from. With the other rule of restriction it is off by a quarter of the vector and more. */
void scaled_rows(const Entry &e)
{
  Configured options({"auto", "v", "double"});
  Option     exact("-pc_saamg_esteig_iterations", "60");
  const auto factor = [](PetscInt i) {
    return PetscDefined(USE_COMPLEX) ? scalar(PetscCosReal(uniform(i, 0, 7)), PetscSinReal(uniform(i, 0, 7))) : PetscScalar(PetscReal(1 << (i % 3)));
  };
  const MatHandle A = matrix(e), B = matrix(e);
  VecHandle       d = right_hand_side(A, 1), inverse, x = right_hand_side(A, 2), want;
  NullHandle      space;
  PetscInt        start, end;
  PetscReal       length;

  PETSC_OK(VecGetOwnershipRange(d, &start, &end));
  for (PetscInt i = start; i < end; i++) PETSC_OK(VecSetValue(d, i, factor(i), INSERT_VALUES));
  PETSC_OK(VecAssemblyBegin(d));
  PETSC_OK(VecAssemblyEnd(d));
  PETSC_OK(VecDuplicate(d, inverse.put()));
  PETSC_OK(VecCopy(d, inverse));
  PETSC_OK(VecReciprocal(inverse));
  PETSC_OK(MatDiagonalScale(B, d, d));
  VecHandle kernel;
  PETSC_OK(VecDuplicate(inverse, kernel.put()));
  PETSC_OK(VecCopy(inverse, kernel));
  PETSC_OK(VecNormalize(kernel, &length));
  PETSC_OK(MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_FALSE, 1, kernel.get(), space.put()));
  PETSC_OK(MatSetNearNullSpace(B, space));

  const PCHandle of_A = make_pc(A), of_B = make_pc(B);
  VecHandle      Mx = applied(of_A, x), scaled;

  PETSC_OK(VecPointwiseMult(Mx, Mx, inverse));
  PETSC_OK(VecDuplicate(x, scaled.put()));
  PETSC_OK(VecPointwiseMult(scaled, x, d));
  const VecHandle got = applied(of_B, scaled);
  PETSC_OK(VecAXPY(got, -1, Mx));
  BOOST_TEST(norm(got) <= 5e-2 * norm(Mx), norm(got) / norm(Mx));
}

BOOST_AUTO_TEST_CASE(is_said_in_the_view)
{
  for (const bool told : {false, true}) {
    const MatHandle A = matrix(waves()[0]);

    if (told) PETSC_OK(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
    const std::string text = viewed(make_pc(A)), word = told ? "declared symmetric" : "found to be symmetric";
    BOOST_TEST((text.find(word) != std::string::npos), word << " is not in: " << text);
  }
}

const AddTests add([] {
  for (const Entry &e : waves()) {
    auto *suite = suite_named(nullptr, e.name);

    for (const auto &smoother : smoother_names()) {
      for (const auto &cycle : cycle_names())
        add_test(suite, "transpose_" + smoother + "_" + cycle, [&e, smoother, cycle] { equals_transpose(e, smoother, cycle); });
    }
    for (const char *ksp : {KSPGMRES, KSPFUSEDGMRES, KSPFUSEDBCGS}) add_test(suite, std::string("converges_") + ksp, [&e, ksp] { converges(e, ksp, 30); });
    add_test(suite, "scaled_rows", [&e] { scaled_rows(e); });
  }
});

} // namespace
