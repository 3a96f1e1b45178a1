/* The paper's whole application: a cube clamped on one side under its weight, assembled, and solved by CG with block-diagonal scaling. */
#pragma once
#include "assembly_tools.hpp"
#include <petscksp.h>

namespace goza_bench {

inline PetscErrorCode Whole(const Bench &bench, PetscInt n, const char *type)
{
  GozaAssembly assembly;
  Mat          A;
  Vec          b, x;
  KSP          ksp;
  PC           pc;
  PetscInt     its;
  char         text[512];

  PetscFunctionBeginUser;
  const Mesh                   mesh = make_cube(Space::Host, n, false);
  const std::vector<PetscReal> young(mesh.nelem, 1), ratio(mesh.nelem, (PetscReal)0.3);
  std::vector<PetscReal>       weight(static_cast<std::size_t>(3) * mesh.nelem, 0);
  Array<PetscBool>             given(Space::Host, static_cast<std::size_t>(3) * mesh.nodes); // all false
  PetscLogDouble               begin, end, first, again, solved;

  for (PetscInt e = 0; e < mesh.nelem; e++) weight[3 * static_cast<std::size_t>(e) + 2] = (PetscReal)-1e-3;
  for (PetscInt k = 0; k < 3 * n * n; k++) given.data()[k] = PETSC_TRUE;
  PetscCall(GozaAssemblyCreate(PETSC_COMM_SELF, &assembly));
  PetscCall(GozaAssemblySetEquation(assembly, GOZA_ELASTICITY, 3));
  PetscCall(GozaAssemblySetElements(assembly, GOZA_HEX8, mesh.nelem, mesh.conn.data(), mesh.nodes, mesh.x.data(), mesh.owned, NULL));
  PetscCall(GozaAssemblySetMaterial(assembly, young.data(), ratio.data()));
  PetscCall(GozaAssemblySetForce(assembly, weight.data()));
  PetscCall(GozaAssemblySetDirichlet(assembly, given.data(), NULL));
  PetscCall(GozaAssemblyCreateMatrix(assembly, std::string(type) == "aij" && bench.space == Space::Cuda ? "aijcusparse" : type, &A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(GozaAssemblyRHS(assembly, b));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPSetTolerances(ksp, (PetscReal)1e-8, PETSC_DEFAULT, PETSC_DEFAULT, 20000));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCPBJACOBI));

  PetscCall(GozaAssemblyMatrix(assembly, A));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(MatMult(A, b, x)); /* the format is built, and the vectors are known */
  PetscCall(KSPSetUp(ksp));
  PetscCall(PetscTime(&begin));
  PetscCall(GozaAssemblyMatrix(assembly, A));
  PetscCall(Wait(bench));
  PetscCall(PetscTime(&end));
  first = end - begin;
  PetscCall(PetscTime(&begin));
  PetscCall(MatMult(A, b, x)); /* refills the format from the new values */
  PetscCall(Wait(bench));
  PetscCall(PetscTime(&end));
  again = end - begin;
  PetscCall(VecSet(x, 0));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(PetscTime(&begin));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(Wait(bench));
  PetscCall(PetscTime(&end));
  solved = end - begin;
  PetscCall(KSPGetIterationNumber(ksp, &its));
  std::snprintf(text, sizeof(text),
                "\"element\": \"hex\", \"n\": %d, \"way\": \"whole\", \"into\": \"%s\", \"seconds\": %.6g, \"first_product_s\": %.6g, \"solve_s\": %.6g, "
                "\"iterations\": %d, \"iteration_s\": %.6g",
                static_cast<int>(n), type, first, again, solved, static_cast<int>(its), solved / static_cast<double>(its > 0 ? its : 1));
  PetscCall(Line(bench, text));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscCall(GozaAssemblyDestroy(&assembly));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza_bench
