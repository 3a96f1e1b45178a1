#include "ksp_case.hpp"

#include <algorithm>
#include <cmath>

namespace goza_test {

const std::vector<Method> &methods()
{
  static const std::vector<Method> all{{KSPFUSEDCG, KSPCG, {"preconditioned", "unpreconditioned", "natural", "none"}},
                                       {KSPFUSEDBCGS, KSPFBCGS, {"unpreconditioned", "none"}, before_rounding_grows(10)},
                                       {KSPFUSEDGMRES, KSPFGMRES, {"unpreconditioned", "none"}, before_rounding_grows(18)}};
  return all;
}

void for_each_method(const std::function<void(const Method &)> &body)
{
  for (const Method &m : methods()) body(m);
}

System poisson(const char *mat) { return {system_matrix(problem("poisson7"), mat)}; }

/* A growth of rounding that is allowed in double precision: in single half as many digits of it. */
static PetscReal as_precise(PetscReal growth) { return PetscDefined(USE_REAL_SINGLE) ? PetscSqrtReal(growth) : growth; }

/* By itself a cycle may be in half precision behind our method and in double behind PETSc's. */
static void compare_in_double(KSP ksp)
{
  PC               pc;
  PetscBool        saamg;
  PCSAAMGPrecision precision;

  PETSC_OK(KSPGetPC(ksp, &pc));
  PETSC_OK(PetscObjectTypeCompare((PetscObject)pc, PCSAAMG, &saamg));
  if (!saamg) return;
  PETSC_OK(PCSAAMGGetPrecision(pc, &precision));
  if (precision == PC_SAAMG_AUTO) PETSC_OK(PCSAAMGSetPrecision(pc, PC_SAAMG_DOUBLE));
}

KSPHandle make_ksp(const System &s, const std::string &type)
{
  KSPHandle ksp;

  PETSC_OK(KSPCreate(PETSC_COMM_WORLD, ksp.put()));
  PETSC_OK(KSPSetOperators(ksp, s.A, s.A));
  PETSC_OK(KSPSetType(ksp, type.c_str()));
  PETSC_OK(KSPSetTolerances(ksp, PetscDefined(USE_REAL_SINGLE) ? 1e-3 : 1e-6, PETSC_DEFAULT, PETSC_DEFAULT, 200));
  s.prepare(ksp);
  PETSC_OK(KSPSetFromOptions(ksp));
  compare_in_double(ksp);
  return ksp;
}

Run solve_with(KSP ksp, Vec b, Vec guess)
{
  Run              run{};
  const PetscReal *a;
  PetscInt         n;

  PETSC_OK(VecDuplicate(b, run.x.put()));
  if (guess) PETSC_OK(VecCopy(guess, run.x));
  PETSC_OK(KSPSetInitialGuessNonzero(ksp, guess ? PETSC_TRUE : PETSC_FALSE));
  PETSC_OK(KSPSetResidualHistory(ksp, nullptr, 1000, PETSC_TRUE));
  PETSC_OK(KSPSolve(ksp, b, run.x));
  PETSC_OK(KSPGetConvergedReason(ksp, &run.reason));
  PETSC_OK(KSPGetIterationNumber(ksp, &run.its));
  PETSC_OK(KSPGetResidualHistory(ksp, &a, &n));
  run.history.assign(a, a + n);
  run.view = printed([ksp](PetscViewer viewer) { return KSPView(ksp, viewer); });
  return run;
}

bool is_native(const Run &run) { return run.view.find("vectors, product and") != std::string::npos; }

void forget_repeated(std::vector<PetscReal> &history)
{
  const auto same = [](PetscReal a, PetscReal b) { return std::abs(a - b) <= as_precise(1e10) * PETSC_MACHINE_EPSILON * a; };

  history.erase(std::unique(history.begin(), history.end(), same), history.end());
}

/* Rounding grows with the iterations; where a residual has fallen far it is of what it began with. */
void same(const Run &ours, const Run &petscs, const std::string &what, PetscReal growth)
{
  const PetscReal eps = as_precise(growth) * PETSC_MACHINE_EPSILON, floor = PetscDefined(USE_REAL_SINGLE) ? 1e-2 : 1e-4;

  all_ranks(ours.reason == petscs.reason, what + ": reason " + KSPConvergedReasons[ours.reason] + ", PETSc's " + KSPConvergedReasons[petscs.reason]);
  all_ranks(ours.its == petscs.its, what + ": " + std::to_string(ours.its) + " iterations, PETSc's " + std::to_string(petscs.its));
  all_ranks(ours.history.size() == petscs.history.size(),
            what + ": a history of " + std::to_string(ours.history.size()) + ", PETSc's " + std::to_string(petscs.history.size()));
  for (std::size_t k = 0; k < ours.history.size(); k++) {
    const PetscReal h = ours.history[k], p = petscs.history[k];

    BOOST_TEST((std::isnan(p) ? std::isnan(h) : std::abs(h - p) <= eps * (p + floor * petscs.history[0])),
               what << ": norm " << k << " is " << h << ", PETSc's " << p);
  }
  if (!all_finite(petscs.x)) {
    BOOST_TEST(!all_finite(ours.x), what);
    return;
  }
  VecHandle d;
  PETSC_OK(VecDuplicate(ours.x, d.put()));
  PETSC_OK(VecWAXPY(d, -1, ours.x, petscs.x));
  BOOST_TEST(norm(d) <= eps * norm(petscs.x), what << ": solutions differ by " << norm(d) << " of " << norm(petscs.x));
}

VecHandle vector_of(Mat A, PetscInt seed) { return right_hand_side(A, seed); }

} // namespace goza_test
