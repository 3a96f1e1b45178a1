/* The options of saamg: what is set by function or by option is what the Get function answers, and what is out of range is refused by both. */
#include "support/pc_case.hpp"

#include <petscgoza.h>

using namespace goza_test;

namespace
{

/* A value to set, a value out of range, and the functions; the value of an enum or a name is its text in the option. */
template <class T> struct Setting {
  const char *option;
  PetscErrorCode (*set)(PC, T);
  PetscErrorCode (*get)(PC, T *);
  T good, bad;
};

const Setting<PetscInt> integers[] = {
  {"-pc_saamg_max_levels", PCSAAMGSetMaxLevels, PCSAAMGGetMaxLevels, 3, 0},
  {"-pc_saamg_coarse_limit", PCSAAMGSetCoarseLimit, PCSAAMGGetCoarseLimit, 123, 0},
  {"-pc_saamg_sweeps", PCSAAMGSetSweeps, PCSAAMGGetSweeps, 2, 0},
  {"-pc_saamg_coarse_chebyshev_degree", PCSAAMGSetCoarseChebyshevDegree, PCSAAMGGetCoarseChebyshevDegree, 7, 0},
  {"-pc_saamg_chebyshev_kind", PCSAAMGSetChebyshevKind, PCSAAMGGetChebyshevKind, 4, 2},
  {"-pc_saamg_esteig_iterations", PCSAAMGSetEstEigIterations, PCSAAMGGetEstEigIterations, 5, -1},
  {"-pc_saamg_chebyshev_degree",
   [](PC pc, PetscInt degree) -> PetscErrorCode {
     PetscReal ratio = 2; /* another type has none */
     if (PCSAAMGGetChebyshev(pc, nullptr, &ratio) != PETSC_SUCCESS) return PETSC_ERR_LIB;
     return PCSAAMGSetChebyshev(pc, degree, ratio);
   },
   [](PC pc, PetscInt *degree) { return PCSAAMGGetChebyshev(pc, degree, nullptr); }, 4, 0},
};

const Setting<PetscReal> reals[] = {
  {"-pc_saamg_threshold", PCSAAMGSetThreshold, PCSAAMGGetThreshold, (PetscReal)0.25, 1},
  {"-pc_saamg_jacobi_relax", PCSAAMGSetJacobiRelax, PCSAAMGGetJacobiRelax, (PetscReal)0.5, 2},
  {"-pc_saamg_chebyshev_ratio", [](PC pc, PetscReal ratio) { return PCSAAMGSetChebyshev(pc, 2, ratio); },
   [](PC pc, PetscReal *ratio) { return PCSAAMGGetChebyshev(pc, nullptr, ratio); }, 16, 1},
};

PCHandle fresh()
{
  PCHandle pc;

  PETSC_OK(PCCreate(PETSC_COMM_WORLD, pc.put()));
  PETSC_OK(PCSetType(pc, PCSAAMG));
  return pc;
}

template <class T> void check_number(const Setting<T> &s)
{
  PCHandle by_function = fresh(), by_option = fresh();
  T        before, now;

  PETSC_OK(s.get(by_function, &before));
  BOOST_TEST(before != s.good); /* or setting it would show nothing */
  PETSC_OK(s.set(by_function, s.good));
  PETSC_OK(s.get(by_function, &now));
  BOOST_TEST(now == s.good);

  const Outcome refused = attempt([&] { return s.set(by_function, s.bad); });
  BOOST_TEST(refused.failed);
  BOOST_TEST(refused.says(s.option + 1), refused.message);
  PETSC_OK(s.get(by_function, &now));
  BOOST_TEST(now == s.good); /* what was refused changed nothing */

  Option option(s.option, std::to_string(s.good));
  PETSC_OK(PCSetFromOptions(by_option));
  PETSC_OK(s.get(by_option, &now));
  BOOST_TEST(now == s.good);
}

template <class E>
void check_names(const char *option, PetscErrorCode (*set)(PC, E), PetscErrorCode (*get)(PC, E *), const std::vector<std::pair<const char *, E>> &values)
{
  for (const auto &value : values) {
    PCHandle by_function = fresh(), by_option = fresh();
    Option   chosen(option, value.first);
    E        now;

    PETSC_OK(set(by_function, value.second));
    PETSC_OK(get(by_function, &now));
    BOOST_TEST((now == value.second), option << " " << value.first);
    PETSC_OK(PCSetFromOptions(by_option));
    PETSC_OK(get(by_option, &now));
    BOOST_TEST((now == value.second), option << " " << value.first);
  }
}

const AddTests add([] {
  auto *suite = suite_named(nullptr, "options");

  for (const auto &s : integers) add_test(suite, s.option + 1, [&s] { check_number(s); });
  for (const auto &s : reals) add_test(suite, s.option + 1, [&s] { check_number(s); });
  add_test(suite, "pc_saamg_cycle", [] {
    check_names<PCSAAMGCycleType>("-pc_saamg_cycle", PCSAAMGSetCycleType, PCSAAMGGetCycleType, {{"v", PC_SAAMG_CYCLE_V}, {"w", PC_SAAMG_CYCLE_W}});
  });
  add_test(suite, "pc_saamg_precision", [] {
    check_names<PCSAAMGPrecision>("-pc_saamg_precision", PCSAAMGSetPrecision, PCSAAMGGetPrecision, {{"double", PC_SAAMG_DOUBLE}, {"mixed", PC_SAAMG_MIXED}, {"single", PC_SAAMG_SINGLE}, {"half", PC_SAAMG_HALF}});
  });
  add_test(suite, "pc_saamg_reuse", [] {
    check_names<PCSAAMGReuse>("-pc_saamg_reuse", PCSAAMGSetReuse, PCSAAMGGetReuse, {{"none", PC_SAAMG_REUSE_NONE}, {"interpolation", PC_SAAMG_REUSE_INTERPOLATION}});
  });
  add_test(suite, "pc_saamg_smoother", [] {
    PCHandle    pc = fresh();
    const char *now;

    for (const auto &name : smoother_names()) {
      PETSC_OK(PCSAAMGSetSmoother(pc, name.c_str()));
      PETSC_OK(PCSAAMGGetSmoother(pc, &now));
      BOOST_TEST(now == name);
    }
    BOOST_TEST(attempt([&] { return PCSAAMGSetSmoother(pc, "sandpaper"); }).says("sandpaper"));
  });
  add_test(suite, "levels_as_matrices", [] {
    PCHandle  pc = fresh();
    MatHandle A  = system_matrix(problem("poisson7"));
    PetscInt  nP, nA;
    Mat      *P, *coarse;

    PETSC_OK(PCSetOperators(pc, A, A));
    BOOST_TEST(attempt([&] { return PCGetInterpolations(pc, &nP, &P); }).says("PCSetUp"));
    PETSC_OK(PCSAAMGSetCoarseLimit(pc, 10));
    PETSC_OK(PCSetUp(pc));
    PETSC_OK(PCGetInterpolations(pc, &nP, &P));
    PETSC_OK(PCGetCoarseOperators(pc, &nA, &coarse));
    BOOST_TEST(nP == nA);
    BOOST_TEST_REQUIRE(nP > 2);
    for (PetscInt l = 0; l + 1 < nP; l++) { /* Galerkin, on every level */
      MatHandle product;
      PetscReal norm, difference;

      PETSC_OK(MatPtAP(l + 2 < nP ? coarse[l + 1] : (Mat)A, P[l], MAT_INITIAL_MATRIX, 2, product.put()));
      PETSC_OK(MatNorm(product, NORM_FROBENIUS, &norm));
      PETSC_OK(MatAXPY(product, -1, coarse[l], DIFFERENT_NONZERO_PATTERN));
      PETSC_OK(MatNorm(product, NORM_FROBENIUS, &difference));
      BOOST_TEST(difference <= 100 * PETSC_MACHINE_EPSILON * norm);
      PETSC_OK(MatDestroy(&P[l]));
    }
    for (PetscInt l = 0; l + 1 < nA; l++) PETSC_OK(MatDestroy(&coarse[l]));
    PETSC_OK(PetscFree(P));
    PETSC_OK(PetscFree(coarse));
  });
  add_test(suite, "of_another_type", [] { /* as is PETSc's custom: Set does nothing, Get is an error that names the type */
                                          PCHandle  pc;
                                          PetscReal threshold;
                                          PETSC_OK(PCCreate(PETSC_COMM_WORLD, pc.put()));
                                          PETSC_OK(PCSetType(pc, PCJACOBI));
                                          PETSC_OK(PCSAAMGSetThreshold(pc, 0.25));
                                          PETSC_OK(PCSAAMGSetSmoother(pc, "jacobi"));
                                          PETSC_OK(PCSAAMGSetPrecision(pc, PC_SAAMG_SINGLE));
                                          BOOST_TEST(attempt([&] { return PCSAAMGGetThreshold(pc, &threshold); }).says("jacobi"));
  });
});

} // namespace
