/* Finite-element assembly: every equation, mesh and matrix type gives the matrix that PETSc's MatSetValues() makes of the textbook's element matrices. */
#include "../support/mesh_case.hpp"
#include "../support/names.hpp"

#include <petscdm.h>

#include <cmath>

using namespace goza_test;

namespace {

constexpr PetscReal rounding = 2000 * PETSC_MACHINE_EPSILON;

void equals_textbook(const MeshName &mesh, const EquationName &eq, const std::string &type)
{
  MeshCase  c(mesh, eq, {3, 4, 5}, (PetscReal)0.2);
  MatHandle A;

  std::vector<PetscScalar> inverse; /* of the diagonal blocks, times the scale of the material */
  PETSC_OK(GozaAssemblyCreateMatrix(c.assembly, type.c_str(), A.put()));
  for (int again = 0; again < 2; again++) { /* the second time other values in the same pattern */
    PETSC_OK(GozaAssemblyMatrix(c.assembly, A));
    MatHandle B = textbook_assembly(c.dm, Elements(c.assembly), eq.equation, eq.bs, c.first, c.second);

    /* the product is the format's, the entries AIJ's */
    BOOST_TEST(products_differ(A, B) <= rounding);
    BOOST_TEST(relative_difference(A, B) <= rounding);
    if (type == MATBAIJ) { /* PETSc keeps them: those of the old values are forgotten */
      const PetscScalar *now;
      PetscInt           n;
      PetscReal          off = 0;

      PETSC_OK(MatGetLocalSize(A, &n, nullptr));
      PETSC_OK(MatInvertBlockDiagonal(A, &now));
      if (!again) inverse.assign(now, now + n * eq.bs);
      else
        for (PetscInt k = 0; k < n * eq.bs; k++)
          off = PetscMax(off, PetscAbsScalar((PetscReal)2 * now[k] - inverse[k]) - rounding * PetscAbsScalar(inverse[k]));
      BOOST_TEST(max_over_ranks(off) <= 0);
    }
    for (PetscScalar &value : c.first) value *= 2;
    PETSC_OK(GozaAssemblySetMaterial(c.assembly, c.first.data(), c.second.data()));
  }
}

/* A matrix that PETSc made, with places that the mesh does not need. */
void into_dm_matrix(const MeshName &mesh, const EquationName &eq, MatType type)
{
  MeshCase  c(mesh, eq, {4, 3, 3}, (PetscReal)0.1);
  MatHandle A;

  PETSC_OK(DMSetMatType(c.dm, type));
  PETSC_OK(DMCreateMatrix(c.dm, A.put()));
  PETSC_OK(GozaAssemblyMatrix(c.assembly, A));
  MatHandle B = textbook_assembly(c.dm, Elements(c.assembly), eq.equation, eq.bs, c.first, c.second);
  BOOST_TEST(relative_difference(A, B) <= rounding);
}

/* Given unknowns: their rows and columns hold the diagonal alone, the system gives their values, and the others solve what PETSc's MatZeroRowsColumns()
   leaves. */
void dirichlet(const MeshName &mesh, const EquationName &eq)
{
  MeshCase                 c(mesh, eq, {3, 3, 4}, (PetscReal)0.1);
  const Elements           m(c.assembly);
  Flags                    given((std::size_t)m.nnodes * eq.bs);
  std::vector<PetscScalar> value((std::size_t)m.nnodes * eq.bs, 0);
  std::vector<PetscScalar> force((std::size_t)m.nelem * eq.bs);
  MatHandle                A;
  VecHandle                b, x, r;
  KSPHandle                ksp;
  PetscReal                norm, wrong = 0;

  for (PetscInt k = 0; k < m.nnodes; k++) {
    for (PetscInt d = 0; d < eq.bs; d++) {
      given[k * eq.bs + d] = (PetscBool)(m.x[3 * k] < 1e-6 || (d == 1 && m.x[3 * k + 2] > 1 - 1e-6));
      value[k * eq.bs + d] = lossy(1 + d + m.x[3 * k + 1], (PetscReal)0.1);
    }
  }
  for (std::size_t k = 0; k < force.size(); k++) force[k] = lossy((PetscReal)(k % 3) - (PetscReal)0.5, (PetscReal)0.3);
  PETSC_OK(GozaAssemblySetDirichlet(c.assembly, given.data(), value.data()));
  PETSC_OK(GozaAssemblySetForce(c.assembly, force.data()));
  PETSC_OK(GozaAssemblyCreateMatrix(c.assembly, MATAIJ, A.put()));
  PETSC_OK(GozaAssemblyMatrix(c.assembly, A));
  PETSC_OK(MatCreateVecs(A, x.put(), b.put()));
  PETSC_OK(VecDuplicate(b, r.put()));
  PETSC_OK(GozaAssemblyRHS(c.assembly, b));

  MatHandle T;
  PetscBool symmetric;
  PETSC_OK(MatTranspose(A, MAT_INITIAL_MATRIX, T.put()));
  PETSC_OK(MatNorm(A, NORM_FROBENIUS, &norm));
  PETSC_OK(MatAXPY(T, -1, A, DIFFERENT_NONZERO_PATTERN));
  PetscReal skew;
  PETSC_OK(MatNorm(T, NORM_FROBENIUS, &skew));
  symmetric = (PetscBool)(skew <= rounding * norm);
  BOOST_TEST(symmetric == PETSC_TRUE);

  PETSC_OK(KSPCreate(PETSC_COMM_WORLD, ksp.put()));
  PETSC_OK(KSPSetOperators(ksp, A, A));
  PETSC_OK(KSPSetType(ksp, PetscDefined(USE_COMPLEX) ? KSPGMRES : KSPCG)); /* complex materials make no Hermitian matrix */
  PETSC_OK(KSPGMRESSetRestart(ksp, 500));
  PC pc;
  PETSC_OK(KSPGetPC(ksp, &pc));
  PETSC_OK(PCSetType(pc, PCJACOBI));
  PETSC_OK(KSPSetTolerances(ksp, 1000 * PETSC_MACHINE_EPSILON, PETSC_DEFAULT, PETSC_DEFAULT, 2000));
  PETSC_OK(KSPSolve(ksp, b, x));

  /* the residual function says the same of the solution, and of the matrix: r(x + d) - r(x) = A d */
  PetscReal bnorm, rnorm;
  PETSC_OK(GozaAssemblyResidual(c.assembly, x, r));
  PETSC_OK(VecNorm(b, NORM_2, &bnorm));
  PETSC_OK(VecNorm(r, NORM_2, &rnorm));
  BOOST_TEST(rnorm <= (PetscReal)1e4 * rounding * bnorm);

  VecHandle          local;
  const PetscScalar *u;
  PETSC_OK(DMCreateLocalVector(c.dm, local.put()));
  PETSC_OK(DMGlobalToLocal(c.dm, x, INSERT_VALUES, local));
  PETSC_OK(VecGetArrayRead(local, &u));
  for (std::size_t k = 0; k < given.size(); k++) {
    if (given[k]) wrong = PetscMax(wrong, PetscAbsScalar(u[k] - value[k]));
  }
  PETSC_OK(VecRestoreArrayRead(local, &u));
  BOOST_TEST(max_over_ranks(wrong) <= 1e4 * rounding);

  /* the reference: whole matrix and load, then PETSc's elimination */
  MatHandle              B = textbook_assembly(c.dm, m, eq.equation, eq.bs, c.first, c.second);
  VecHandle              f, g;
  std::vector<PetscInt>  rows;
  ISLocalToGlobalMapping map;
  const PetscInt        *global;
  PetscInt               begin, end;
  PetscScalar           *array;

  PETSC_OK(GozaAssemblySetDirichlet(c.assembly, nullptr, nullptr));
  PETSC_OK(VecDuplicate(b, f.put()));
  PETSC_OK(VecDuplicate(b, g.put()));
  PETSC_OK(GozaAssemblyRHS(c.assembly, f));
  PETSC_OK(VecGetOwnershipRange(f, &begin, &end));
  PETSC_OK(DMGetLocalToGlobalMapping(c.dm, &map));
  PETSC_OK(ISLocalToGlobalMappingGetIndices(map, &global));
  PETSC_OK(VecGetArray(g, &array));
  for (std::size_t k = 0; k < given.size(); k++) {
    if (!given[k] || global[k] < begin || global[k] >= end) continue;
    rows.push_back(global[k]);
    array[global[k] - begin] = value[k];
  }
  PETSC_OK(VecRestoreArray(g, &array));
  PETSC_OK(ISLocalToGlobalMappingRestoreIndices(map, &global));
  PETSC_OK(MatZeroRowsColumns(B, (PetscInt)rows.size(), rows.data(), 1, g, f));
  PETSC_OK(MatMult(B, x, r));
  PETSC_OK(VecAXPY(r, -1, f));
  PETSC_OK(VecNorm(f, NORM_2, &bnorm));
  PETSC_OK(VecNorm(r, NORM_2, &rnorm));
  BOOST_TEST(rnorm <= (PetscReal)1e4 * rounding * bnorm);
}

void add()
{
  auto *textbook = suite_named(nullptr, "equals_textbook"), *dm = suite_named(nullptr, "into_dm_matrix"), *given = suite_named(nullptr, "dirichlet");

  for (const auto &mesh : mesh_names()) {
    for (const auto &eq : equation_names()) {
      auto                    *suite = suite_named(suite_named(textbook, mesh.name), eq.name);
      std::vector<std::string> types{MATAIJ, MATBAIJ};

      for (const auto &type : mat_names()) {
        if (type.set.rfind("mpi", 0) != 0 && type.set.rfind("seq", 0) != 0) types.push_back(type.set);
      }
#if PetscDefined(HAVE_CUDA)
      types.push_back(MATAIJCUSPARSE);
#endif
      for (const auto &type : types) add_test(suite, type, [=] { equals_textbook(mesh, eq, type); });
      for (const char *type : {MATAIJ, MATBAIJ}) add_test(suite_named(suite_named(dm, mesh.name), eq.name), type, [=] { into_dm_matrix(mesh, eq, type); });
      add_test(suite_named(given, mesh.name), eq.name, [=] { dirichlet(mesh, eq); });
    }
  }
}
const AddTests tests(add);

} // namespace
