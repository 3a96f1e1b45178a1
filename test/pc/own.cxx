/* saamg and the fused Krylov methods on matrices that are nothing but their format: the iterations that AIJ takes, and AIJ is made for the leader of a group
   alone. */
#include "parallel/rank_group.hpp"
#include "petsc/plugin.hpp"

#include "../support/mesh_case.hpp"

#include <petscdmda.h>
#include <petscksp.h>

using namespace goza_test;

namespace {

struct Problem {
  const char *name;
  PetscInt    dim, dof, n;
  bool        star, symmetric, by_place; /* by_place: of diagonals on one rank no rows are made */
};

/* -div(k grad u) by any positive weights between neighbours; isolated: the nodes of the plane x = 0 are coupled to nothing. */
void fill(const Problem &p, DM da, Mat A, PetscReal factor, bool isolated = true)
{
  PetscInt n[3], first[3], width[3];

  PETSC_OK(DMDAGetInfo(da, nullptr, &n[0], &n[1], &n[2], nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr));
  PETSC_OK(MatZeroEntries(A));
  PETSC_OK(DMDAGetCorners(da, &first[0], &first[1], &first[2], &width[0], &width[1], &width[2]));
  for (PetscInt at = 0; at < width[0] * width[1] * width[2]; at++) {
    for (PetscInt q = 0; q < 27; q++) {
      const PetscInt s[3] = {q % 3 - 1, q / 3 % 3 - 1, q / 9 - 1}, away = std::abs(s[0]) + std::abs(s[1]) + std::abs(s[2]);
      MatStencil     row{}, col{};

      row.i = first[0] + at % width[0], row.j = first[1] + at / width[0] % width[1], row.k = first[2] + at / width[0] / width[1];
      col.i = row.i + s[0], col.j = row.j + s[1], col.k = row.k + s[2];
      if (!away || (p.star && away > 1) || col.i < 0 || col.j < 0 || col.k < 0 || col.i >= n[0] || col.j >= n[1] || col.k >= n[2]) continue;
      const PetscInt  lower = std::min(row.i + row.j + row.k, col.i + col.j + col.k);
      const PetscReal k     = factor * (1 + lower % 3) / away * (p.symmetric || q < 13 ? 1 : 1.5);

      for (PetscInt c = 0; c < p.dof; c++) {
        const PetscScalar own = isolated ? k : 2 * k, other = !isolated || (row.i && col.i) ? -k : 0;

        row.c = col.c = c;
        PETSC_OK(MatSetValuesStencil(A, 1, &row, 1, &row, &own, ADD_VALUES));
        PETSC_OK(MatSetValuesStencil(A, 1, &row, 1, &col, &other, ADD_VALUES));
      }
    }
  }
  PETSC_OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PETSC_OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
}

MatHandle matrix(const Problem &p, const std::string &type, bool own, DMHandle &da)
{
  const Option keep("-mat_" + type + "_keep_aij", own ? "no" : "yes");
  MatHandle    A;

  PETSC_OK(DMDACreate(PETSC_COMM_WORLD, da.put()));
  PETSC_OK(DMSetDimension(da, p.dim));
  PETSC_OK(DMDASetSizes(da, p.n, p.n - 1, p.dim > 2 ? p.n + 1 : 1));
  PETSC_OK(DMDASetBoundaryType(da, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE));
  PETSC_OK(DMDASetDof(da, p.dof));
  PETSC_OK(DMDASetStencilType(da, p.star ? DMDA_STENCIL_STAR : DMDA_STENCIL_BOX));
  PETSC_OK(DMDASetStencilWidth(da, 1));
  PETSC_OK(DMSetUp(da));
  PETSC_OK(DMSetMatType(da, type.c_str()));
  PETSC_OK(DMCreateMatrix(da, A.put()));
  if (p.symmetric) PETSC_OK(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
  if (p.symmetric) PETSC_OK(MatSetOption(A, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
  fill(p, da, A, 1);
  return A;
}

struct Solve {
  PetscInt  its[3];
  VecHandle x;
};

/* Once, with new values, and transposed. */
Solve solve(const Problem &p, const std::string &type, bool own, const char *ksp_type)
{
  DMHandle  da;
  MatHandle A = matrix(p, type, own, da);
  VecHandle b;
  KSPHandle ksp;
  PC        pc;
  Solve     s;
  PetscBool is_own;

  PETSC_OK(PetscObjectTypeCompare((PetscObject)(Mat)A, ("own" + type).c_str(), &is_own));
  BOOST_TEST((is_own == PETSC_TRUE) == own);
  const int before = event_count("GozaMatToAIJ"), rows_before = event_count("GozaMatToRows");
  PETSC_OK(MatCreateVecs(A, s.x.put(), b.put()));
  PETSC_OK(VecSet(b, 1));
  PETSC_OK(KSPCreate(PETSC_COMM_WORLD, ksp.put()));
  PETSC_OK(KSPSetType(ksp, ksp_type));
  PETSC_OK(KSPGetPC(ksp, &pc));
  PETSC_OK(PCSetType(pc, PCSAAMG));
  PETSC_OK(KSPSetTolerances(ksp, 1e-8, PETSC_DEFAULT, PETSC_DEFAULT, 200));
  PETSC_OK(KSPSetFromOptions(ksp));
  for (int round = 0; round < 2; round++) {
    if (round) fill(p, da, A, 3);
    PETSC_OK(KSPSetOperators(ksp, A, A));
    PETSC_OK(KSPSolve(ksp, b, s.x));
    PETSC_OK(KSPGetIterationNumber(ksp, &s.its[round]));
  }
  const int                        made = event_count("GozaMatToAIJ") - before;
  std::shared_ptr<goza::RankGroup> group;
  PETSC_OK(goza::RankGroupGet(PETSC_COMM_WORLD, goza::default_space(), &group));
  BOOST_CHECK_MESSAGE(made == 0, p.name << ": AIJ was made " << made << " times");
  if (own && !group) {
    PetscMPIInt size;
    const int   rows = event_count("GozaMatToRows") - rows_before;

    MPI_Comm_size(PETSC_COMM_WORLD, &size);
    BOOST_CHECK_MESSAGE((rows == 0) == (p.by_place && size == 1 && type == MATCDS), p.name << ": rows were made " << rows << " times");
  }
  PETSC_OK(KSPSetType(ksp, KSPGMRES));
  PETSC_OK(KSPSolveTranspose(ksp, b, s.x));
  PETSC_OK(KSPGetIterationNumber(ksp, &s.its[2]));
  return s;
}

void same(const Problem &p, const std::string &type, const char *ksp_type, const std::vector<std::pair<std::string, std::string>> &options)
{
  std::vector<std::unique_ptr<Option>> set;
  PetscReal                            norm, off;

  for (const auto &o : options) set.push_back(std::make_unique<Option>(o.first, o.second));
  Solve got = solve(p, type, true, ksp_type), want = solve(p, type, false, ksp_type);

  for (int k = 0; k < 3; k++)
    BOOST_CHECK_MESSAGE(got.its[k] == want.its[k], p.name << ", solve " << k << ": " << got.its[k] << " iterations instead of " << want.its[k]);
  PETSC_OK(VecNorm(want.x, NORM_2, &norm));
  PETSC_OK(VecAXPY(got.x, -1, want.x));
  PETSC_OK(VecNorm(got.x, NORM_2, &off));
  BOOST_CHECK_MESSAGE(off <= 1e-6 * norm, p.name << ": solutions differ by " << off << " of " << norm);
}

/* PETSc's own preconditioners, which take AIJ of it: the iterations that PETSc's aij takes, of a matrix that has been 1 before, of its values, and of new
   ones. */
void as_aij(const Problem &p, const char *type, const char *pc_type)
{
  const int first = std::string(pc_type) == PCGAMG; /* its aggregates hang on the pattern, and of diagonals a 0 is no entry: there is none then */
  PetscInt  its[2][3];
  VecHandle solution[2];
  PetscReal norm, off;

  for (int own : {1, 0}) {
    DMHandle  da;
    MatHandle A = matrix(p, own ? type : MATAIJ, own, da);
    VecHandle b;
    KSPHandle ksp;
    PC        pc;

    PETSC_OK(MatCreateVecs(A, solution[own].put(), b.put()));
    PETSC_OK(VecSet(b, 1));
    PETSC_OK(KSPCreate(PETSC_COMM_WORLD, ksp.put()));
    PETSC_OK(KSPSetType(ksp, KSPGMRES));
    PETSC_OK(KSPGetPC(ksp, &pc));
    PETSC_OK(PCSetType(pc, pc_type));
    PETSC_OK(KSPSetTolerances(ksp, 1e-8, PETSC_DEFAULT, PETSC_DEFAULT, 200));
    PETSC_OK(KSPSetFromOptions(ksp));
    for (int round = first; round < 3; round++) {
      if (round) fill(p, da, A, 2 * round - 1, !first);
      else {
        PETSC_OK(MatZeroEntries(A));
        PETSC_OK(MatShift(A, 1));
      }
      PETSC_OK(KSPSetOperators(ksp, A, A));
      PETSC_OK(KSPSolve(ksp, b, solution[own]));
      PETSC_OK(KSPGetIterationNumber(ksp, &its[own][round]));
    }
  }
  for (int round = first; round < 3; round++)
    BOOST_CHECK_MESSAGE(its[1][round] == its[0][round],
                        p.name << ", " << pc_type << ", solve " << round << ": " << its[1][round] << " iterations instead of " << its[0][round]);
  PETSC_OK(VecNorm(solution[0], NORM_2, &norm));
  PETSC_OK(VecAXPY(solution[1], -1, solution[0]));
  PETSC_OK(VecNorm(solution[1], NORM_2, &off));
  BOOST_CHECK_MESSAGE(off <= 1e-6 * norm, p.name << ", " << pc_type << ": solutions differ by " << off << " of " << norm);
}

const AddTests tests([] {
  static const Problem problems[] = {
    {"27_points", 3, 1, 13, false, true, true}, {"9_points", 2, 1, 31, false, true, true},   {"7_points", 3, 1, 12, true, true, true},
    {"5_points", 2, 1, 30, true, true, true},   {"components", 3, 3, 8, false, true, false}, {"nonsymmetric", 3, 1, 12, false, false, false},
    {"few_rows", 2, 1, 7, false, true, false},
  };

  PetscMPIInt ranks;

  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  for (const char *type : {MATCDS, MATSLICEDELL, MATFOLD}) {
    for (const Problem &p : problems) {
      for (const char *pc_type : {PCBJACOBI, PCASM, PCSOR, PCGAMG, PCREDUNDANT, PCPBJACOBI})
        add_test(suite_named(suite_named(suite_named(nullptr, type), p.name), "as_aij"), pc_type, [=, &p] { as_aij(p, type, pc_type); });
      for (const char *pc_type : {PCILU, PCLU, PCCHOLESKY, PCEISENSTAT}) { /* several ranks ask a package for a factor */
        if (ranks == 1 && (p.symmetric || pc_type != std::string(PCCHOLESKY)))
          add_test(suite_named(suite_named(suite_named(nullptr, type), p.name), "as_aij"), pc_type, [=, &p] { as_aij(p, type, pc_type); });
      }
#if defined(PETSC_HAVE_SUITESPARSE)
      if (ranks == 1) add_test(suite_named(suite_named(suite_named(nullptr, type), p.name), "as_aij"), PCQR, [=, &p] { as_aij(p, type, PCQR); });
#endif
      auto       *suite  = suite_named(suite_named(nullptr, type), p.name);
      const char *method = p.symmetric ? KSPFUSEDCG : KSPFUSEDBCGS;

      add_test(suite, "plain", [=, &p] { same(p, type, method, {}); });
      add_test(suite, "petscs_method", [=, &p] { same(p, type, p.symmetric ? KSPCG : KSPBCGS, {}); });
      if (p.by_place && std::string(type) == MATCDS) add_test(suite, "full", [=, &p] { same(p, type, KSPFUSEDCG, {{"-mat_cds_storage", "full"}}); });
      for (const char *reuse : {"pattern", "interpolation"}) add_test(suite, reuse, [=, &p] { same(p, type, method, {{"-pc_saamg_reuse", reuse}}); });
      for (const char *precision : {"mixed", "single", "half"})
        add_test(suite, precision, [=, &p] { same(p, type, method, {{"-pc_saamg_precision", precision}}); });
    }
  }
});

} // namespace

/* What diagonals alone do not serve for is found, and rows are made. */
BOOST_AUTO_TEST_CASE(other_settings)
{
  Problem p{"27_points", 3, 1, 13, false, true, false};

  same(p, MATCDS, KSPFUSEDCG, {{"-pc_saamg_threshold", "0.1"}});
  same(p, MATCDS, KSPFUSEDCG, {{"-pc_saamg_aggressive_levels", "1"}});
  same(p, MATCDS, KSPFUSEDCG, {{"-pc_saamg_smoother", "mcgs"}});
  same(p, MATCDS, KSPFUSEDCG, {{"-pc_saamg_interpolation", "unsmoothed"}});
  same(p, MATCDS, KSPFUSEDCG, {{"-pc_saamg_max_levels", "1"}});
}
