/* The options of saamg: what is set by function or by option is what the Get function answers and the view shows, and what is out of range is refused by
   both. */
#include "../support/pc_case.hpp"

#include <petscgoza.h>

#include <sstream>

using namespace goza_test;

namespace {

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
  {"-pc_saamg_aggressive_levels", PCSAAMGSetAggressiveLevels, PCSAAMGGetAggressiveLevels, 2, -1},
  {"-pc_saamg_coarse_interpolation_degree", PCSAAMGSetCoarseInterpolationDegree, PCSAAMGGetCoarseInterpolationDegree, 2, 0},
  {"-pc_saamg_direct_limit", PCSAAMGSetDirectLimit, PCSAAMGGetDirectLimit, 77, -1},
  {"-pc_saamg_gather_limit", PCSAAMGSetGatherLimit, PCSAAMGGetGatherLimit, 66, -1},
  {"-pc_saamg_esteig_iterations", PCSAAMGSetEstEigIterations, PCSAAMGGetEstEigIterations, 5, 1},
};

const Setting<PetscReal> reals[] = {
  {"-pc_saamg_threshold", PCSAAMGSetThreshold, PCSAAMGGetThreshold, (PetscReal)0.25, 1},
  {"-pc_saamg_max_complexity", PCSAAMGSetMaxComplexity, PCSAAMGGetMaxComplexity, (PetscReal)1.5, (PetscReal)0.5},
};

/* Those of a smoother, which each level may have for itself. */
template <class T> struct SmootherSetting {
  const char *name; /* what follows -pc_saamg_, or -pc_saamg_finest_ and so on */
  PetscErrorCode (*set)(PC, PCSAAMGLevels, T);
  PetscErrorCode (*get)(PC, PCSAAMGLevels, T *);
  T good, bad;
};

const SmootherSetting<PetscInt> smoother_integers[] = {
  {"sweeps", PCSAAMGSetSweeps, PCSAAMGGetSweeps, 3, 0},
  {"chebyshev_degree", PCSAAMGSetChebyshevDegree, PCSAAMGGetChebyshevDegree, 5, 0},
};
const SmootherSetting<PetscReal> smoother_reals[] = {
  {"jacobi_relax", PCSAAMGSetJacobiRelax, PCSAAMGGetJacobiRelax, (PetscReal)0.5, 2},
  {"mcgs_relax", PCSAAMGSetMCGSRelax, PCSAAMGGetMCGSRelax, (PetscReal)0.5, 2},
  {"chebyshev_ratio", PCSAAMGSetChebyshevRatio, PCSAAMGGetChebyshevRatio, 16, 1},
};
const std::pair<const char *, PCSAAMGLevels> places[] = {{"finest_", PC_SAAMG_FINEST},
                                                         {"intermediate_", PC_SAAMG_INTERMEDIATE},
                                                         {"coarsest_", PC_SAAMG_COARSEST},
                                                         {"", PC_SAAMG_ALL_LEVELS}};

PCHandle fresh()
{
  PCHandle pc;

  PETSC_OK(PCCreate(PETSC_COMM_WORLD, pc.put()));
  PETSC_OK(PCSetType(pc, PCSAAMG));
  return pc;
}

template <class T> bool shows(PC pc, const std::string &option, T value)
{
  std::ostringstream text;

  text << " " << option << " " << value;
  return viewed(pc).find(text.str()) != std::string::npos;
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
  BOOST_TEST(!shows(fresh(), s.option, before));
  BOOST_TEST(shows(by_option, s.option, s.good), viewed(by_option));
}

/* A setting of one level changes that level's alone, by function and by option; that of all changes all (but for the coarsest level's sweeps). */
template <class T> void check_smoother_setting(const SmootherSetting<T> &s)
{
  for (const auto &place : places) {
    PCHandle          by_function = fresh(), by_option = fresh();
    const std::string option = std::string("-pc_saamg_") + place.first + s.name;
    T                 before[3], now[3];

    for (int l = 0; l < 3; l++) PETSC_OK(s.get(by_function, places[l].second, &before[l]));
    PETSC_OK(s.set(by_function, place.second, s.good));
    Option given(option, std::to_string(s.good));
    PETSC_OK(PCSetFromOptions(by_option));
    for (PC pc : {(PC)by_function, (PC)by_option}) {
      for (int l = 0; l < 3; l++) {
        const bool all = place.second == PC_SAAMG_ALL_LEVELS && (l < PC_SAAMG_COARSEST || s.name != std::string("sweeps"));

        PETSC_OK(s.get(pc, places[l].second, &now[l]));
        BOOST_TEST(before[l] != s.good);
        BOOST_TEST(now[l] == (all || place.second == l ? s.good : before[l]), option << " on level " << l);
        BOOST_TEST(shows(pc, std::string("-pc_saamg_") + places[l].first + s.name, s.good) == (all || place.second == l), viewed(pc));
      }
    }
    const Outcome refused = attempt([&] { return s.set(by_function, place.second, s.bad); });
    BOOST_TEST(refused.failed);
    BOOST_TEST(refused.says(option.c_str() + 1), refused.message);
    for (int l = 0; l < 3; l++) {
      T after;

      PETSC_OK(s.get(by_function, places[l].second, &after));
      BOOST_TEST(after == now[l]);
    }
  }
}

/* words: those that petscgoza.h exports for the enum, ended by the type's name, the prefix and NULL */
template <class E> void check_words(const char *option, PetscErrorCode (*set)(PC, E), PetscErrorCode (*get)(PC, E *), const char *const words[])
{
  int count = 0;

  for (; words[count + 2]; count++) {
    PCHandle by_function = fresh(), by_option = fresh();
    Option   chosen(option, words[count]);
    const E  value = (E)count;
    E        now, before;

    PETSC_OK(get(by_function, &before));
    PETSC_OK(set(by_function, value));
    PETSC_OK(get(by_function, &now));
    BOOST_TEST((now == value), option << " " << words[count]);
    PETSC_OK(PCSetFromOptions(by_option));
    PETSC_OK(get(by_option, &now));
    BOOST_TEST((now == value), option << " " << words[count]);
    BOOST_TEST(shows(by_option, option, words[count]) == (value != before), viewed(by_option));
  }
  BOOST_TEST(count >= 2);
  for (int wrong : {-1, count}) {
    PCHandle pc = fresh();
    E        before, now;

    PETSC_OK(get(pc, &before));
    const Outcome refused = attempt([&] { return set(pc, (E)wrong); });
    BOOST_TEST(refused.failed);
    BOOST_TEST(refused.says(option + 1), refused.message);
    BOOST_TEST(refused.says(words[count]), refused.message); /* the name of the type */
    PETSC_OK(get(pc, &now));
    BOOST_TEST((now == before)); /* what was refused changed nothing */
  }
}

template <class E>
void check_smoother_words(const char       *name, PetscErrorCode (*set)(PC, PCSAAMGLevels, E), PetscErrorCode (*get)(PC, PCSAAMGLevels, E *),
                          const char *const words[], E fresh_value, E other)
{
  for (const auto &place : places) {
    PCHandle by_function = fresh(), by_option = fresh();
    Option   given(std::string("-pc_saamg_") + place.first + name, words[other]);
    E        now;

    PETSC_OK(set(by_function, place.second, other));
    PETSC_OK(PCSetFromOptions(by_option));
    for (PC pc : {(PC)by_function, (PC)by_option}) {
      for (int l = 0; l < 3; l++) {
        PETSC_OK(get(pc, places[l].second, &now));
        BOOST_TEST((now == (place.second == PC_SAAMG_ALL_LEVELS || place.second == l ? other : fresh_value)));
      }
    }
    BOOST_TEST(attempt([&] { return set(by_function, place.second, (E)7); }).says(name));
  }
}

const AddTests add([] {
  auto *suite = suite_named(nullptr, "options");

  for (const auto &s : integers) add_test(suite, s.option + 1, [&s] { check_number(s); });
  for (const auto &s : reals) add_test(suite, s.option + 1, [&s] { check_number(s); });
  for (const auto &s : smoother_integers) add_test(suite, s.name, [&s] { check_smoother_setting(s); });
  for (const auto &s : smoother_reals) add_test(suite, s.name, [&s] { check_smoother_setting(s); });
  add_test(suite, "pc_saamg_cycle", [] { check_words("-pc_saamg_cycle", PCSAAMGSetCycleType, PCSAAMGGetCycleType, PCSAAMGCycleTypes); });
  add_test(suite, "pc_saamg_interpolation",
           [] { check_words("-pc_saamg_interpolation", PCSAAMGSetInterpolation, PCSAAMGGetInterpolation, PCSAAMGInterpolations); });
  add_test(suite, "pc_saamg_restriction", [] { check_words("-pc_saamg_restriction", PCSAAMGSetRestriction, PCSAAMGGetRestriction, PCSAAMGRestrictions); });
  add_test(suite, "pc_saamg_precision", [] { check_words("-pc_saamg_precision", PCSAAMGSetPrecision, PCSAAMGGetPrecision, PCSAAMGPrecisions); });
  add_test(suite, "pc_saamg_reuse", [] { check_words("-pc_saamg_reuse", PCSAAMGSetReuse, PCSAAMGGetReuse, PCSAAMGReuses); });
  add_test(suite, "pc_saamg_tune", [] { check_words("-pc_saamg_tune", PCSAAMGSetTune, PCSAAMGGetTune, PCSAAMGTunes); });
  add_test(suite, "mcgs_coupling", [] {
    check_smoother_words("mcgs_coupling", PCSAAMGSetMCGSCoupling, PCSAAMGGetMCGSCoupling, PCSAAMGCouplings, PC_SAAMG_COUPLING_GLOBAL, PC_SAAMG_COUPLING_LOCAL);
  });
  add_test(suite, "chebyshev_kind", [] {
    check_smoother_words("chebyshev_kind", PCSAAMGSetChebyshevKind, PCSAAMGGetChebyshevKind, PCSAAMGChebyshevKinds, PC_SAAMG_CHEBYSHEV_FIRST,
                         PC_SAAMG_CHEBYSHEV_FOURTH);
  });
  add_test(suite, "chebyshev_degree_by_the_matrix", [] {
    for (const Entry &e : {stencil7(9, 8, 7), elasticity(6, 5, 4)}) {
      const MatHandle A  = assemble(e, MATAIJ);
      PCHandle        pc = make_pc(A);
      PetscInt        bs, degree;

      PETSC_OK(MatGetBlockSize(A, &bs));
      BOOST_TEST(!any_rank(viewed(pc).find(bs > 1 ? "degree 2 on" : "degree 4 on") == std::string::npos), viewed(pc));
      PETSC_OK(PCSAAMGGetChebyshevDegree(pc, PC_SAAMG_FINEST, &degree));
      BOOST_TEST(degree == PETSC_DECIDE); /* which it stays for another matrix */
    }
  });
  add_test(suite, "lanczos_steps_by_the_matrix", [] {
    const auto interval = [](const Entry &e) {
      const MatHandle   A    = assemble(e, MATAIJ);
      const std::string text = viewed(make_pc(A));
      const std::size_t at   = text.find("sweep(s) of degree");

      return at == std::string::npos ? "" : text.substr(at, text.find(']', at) - at);
    };

    const std::pair<Entry, std::string> expected[] = {{stencil27(9, 8, 7), "5"}, {elasticity(6, 5, 4), "12"}, {elasticity(10, 9, 8), "6"}};

    for (const auto &[e, taken] : expected) {
      const std::string by_itself = interval(e);

      for (const char *steps : {"5", "6", "12"}) {
        const Option set("-pc_saamg_esteig_iterations", steps);
        BOOST_TEST(!any_rank((interval(e) == by_itself) != (taken == steps)), e.name << " with " << steps << ": " << by_itself);
      }
    }
  });
  /* 7 points in space are in boxes */
  add_test(suite, "chebyshev_ratio_by_the_matrix", [] {
    for (const Entry &e : {stencil7(9, 8, 7), stencil27(9, 8, 7), elasticity(6, 5, 4)}) {
      const MatHandle   A    = assemble(e, MATAIJ);
      PCHandle          pc   = make_pc(A);
      const std::string text = viewed(pc);
      const std::size_t at   = text.find("sweep(s) of degree");
      double            low = 0, high = 0;
      PetscReal         ratio;

      BOOST_TEST(!any_rank(at == std::string::npos || std::sscanf(text.c_str() + at, "sweep(s) of degree %*d on [%lf, %lf]", &low, &high) != 2), text);
      BOOST_TEST(!any_rank(std::abs(high - low * (e.name == "stencil7" ? 10 : std::min(15., 7 + 8 * std::max(0., high - 2.2)))) > 0.01 * high),
                 e.name << ": " << low << " to " << high);
      PETSC_OK(PCSAAMGGetChebyshevRatio(pc, PC_SAAMG_FINEST, &ratio));
      BOOST_TEST(ratio == PETSC_DECIDE);
    }
  });
  add_test(suite, "pc_saamg_smoother", [] {
    PCHandle    pc = fresh();
    const char *now;

    PETSC_OK(PCSAAMGGetSmoother(pc, PC_SAAMG_ALL_LEVELS, &now));
    BOOST_TEST(now == std::string("auto"));
    for (const auto &name : smoother_names()) {
      for (const auto &place : places) {
        PETSC_OK(PCSAAMGSetSmoother(pc, place.second, name.c_str()));
        PETSC_OK(PCSAAMGGetSmoother(pc, place.second, &now));
        BOOST_TEST(now == name);
      }
    }
    PETSC_OK(PCSAAMGSetSmoother(pc, PC_SAAMG_ALL_LEVELS, "chebyshev"));
    PETSC_OK(PCSAAMGSetSmoother(pc, PC_SAAMG_INTERMEDIATE, "jacobi"));
    PETSC_OK(PCSAAMGGetSmoother(pc, PC_SAAMG_FINEST, &now));
    BOOST_TEST(now == std::string("chebyshev"));
    BOOST_TEST(attempt([&] { return PCSAAMGSetSmoother(pc, PC_SAAMG_FINEST, "sandpaper"); }).says("sandpaper"));
    BOOST_TEST(attempt([&] { return PCSAAMGSetSmoother(pc, (PCSAAMGLevels)9, "jacobi"); }).says("PCSAAMGLevels"));
  });
  /* neither an object nor a place for the answer: errors in a PETSc without debugging, too */
  add_test(suite, "null_pointers", [] {
    PCHandle  pc = fresh();
    MatHandle A;
    PetscReal real;

    PETSC_OK(MatCreate(PETSC_COMM_WORLD, A.put()));
    PETSC_OK(MatSetType(A, MATCDS));
    BOOST_TEST(attempt([&] { return PCSAAMGSetThreshold(nullptr, 0); }).says("Null PC"));
    BOOST_TEST(attempt([&] { return PCSAAMGSetThreshold((PC)(Mat)A, 0); }).says("not a PC"));
    BOOST_TEST(attempt([&] { return PCSAAMGGetThreshold(nullptr, &real); }).says("Null PC"));
    BOOST_TEST(attempt([&] { return PCSAAMGGetThreshold(pc, nullptr); }).says("Null pointer"));
    BOOST_TEST(attempt([&] { return PCSAAMGGetSmoother(pc, PC_SAAMG_FINEST, nullptr); }).says("Null pointer"));
    BOOST_TEST(attempt([&] { return PCSAAMGSetPaper(pc, PC_SAAMG_PAPER_DARCY, nullptr); }).says("Null pointer"));
    BOOST_TEST(attempt([&] { return MatCDSSetShare(nullptr, 1); }).says("Null Mat"));
    BOOST_TEST(attempt([&] { return MatCDSGetShare((Mat)(PC)pc, &real); }).says("not a Mat"));
    BOOST_TEST(attempt([&] { return MatCDSGetShare(A, nullptr); }).says("Null pointer"));
    PETSC_OK(MatSetType(A, MATAUTOFORMAT));
    BOOST_TEST(attempt([&] { return MatAutoFormatSetCandidates(A, nullptr); }).says("Null pointer"));
    BOOST_TEST(attempt([&] { return MatAutoFormatGetCandidates(A, nullptr); }).says("Null pointer"));
  });
  /* ranks that are set otherwise would wait for one another */
  add_test(suite, "not_the_same_on_every_rank", [] {
    MatHandle   A  = system_matrix(problem("poisson5"));
    PCHandle    pc = fresh();
    PetscMPIInt rank, size;

    PETSC_OK(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
    PETSC_OK(MPI_Comm_size(PETSC_COMM_WORLD, &size));
    PETSC_OK(PCSetOperators(pc, A, A));
    PETSC_OK(PCSAAMGSetCoarseLimit(pc, rank ? 10 : 20));
    PETSC_OK(PCSAAMGSetSweeps(pc, PC_SAAMG_FINEST, rank ? 1 : 2));
    const Outcome o = attempt([&] { return PCSetUp(pc); });

    BOOST_TEST(o.failed == (size > 1));
    BOOST_TEST((size == 1 || (o.says("-pc_saamg_coarse_limit 10") && o.says("-pc_saamg_coarse_limit 20 -pc_saamg_finest_sweeps 2"))), o.message);
    PETSC_OK(PCSAAMGSetCoarseLimit(pc, 10));
    PETSC_OK(PCSAAMGSetSweeps(pc, PC_SAAMG_FINEST, 1));
    PETSC_OK(PCSetUp(pc));
  });
  /* a program that loads the library with -dll_append and does not link it finds each function on the PC */
  add_test(suite, "by_name", [] {
    PCHandle    pc = fresh();
    PetscReal   threshold;
    const char *smoother;
    PetscErrorCode (*set_threshold)(PC, PetscReal), (*get_threshold)(PC, PetscReal *);
    PetscErrorCode (*set_smoother)(PC, PCSAAMGLevels, const char[]), (*get_smoother)(PC, PCSAAMGLevels, const char *[]);

    PETSC_OK(PetscObjectQueryFunction((PetscObject)(PC)pc, "PCSAAMGSetThreshold_C", &set_threshold));
    PETSC_OK(PetscObjectQueryFunction((PetscObject)(PC)pc, "PCSAAMGGetThreshold_C", &get_threshold));
    PETSC_OK(PetscObjectQueryFunction((PetscObject)(PC)pc, "PCSAAMGSetSmoother_C", &set_smoother));
    PETSC_OK(PetscObjectQueryFunction((PetscObject)(PC)pc, "PCSAAMGGetSmoother_C", &get_smoother));
    BOOST_TEST_REQUIRE((set_threshold && get_threshold && set_smoother && get_smoother));
    PETSC_OK(set_threshold(pc, 0.25));
    PETSC_OK(get_threshold(pc, &threshold));
    BOOST_TEST(threshold == (PetscReal)0.25);
    PETSC_OK(set_smoother(pc, PC_SAAMG_COARSEST, "mcgs"));
    PETSC_OK(get_smoother(pc, PC_SAAMG_COARSEST, &smoother));
    BOOST_TEST(smoother == std::string("mcgs"));
    PETSC_OK(PCSetType(pc, PCJACOBI)); /* takes them away */
    PETSC_OK(PetscObjectQueryFunction((PetscObject)(PC)pc, "PCSAAMGSetThreshold_C", &set_threshold));
    BOOST_TEST(!set_threshold);
  });
  for (const char *name : {"poisson7", "poisson27"})
    add_test(suite, std::string("levels_as_matrices_") + name, [name] {
      PCHandle  pc = fresh();
      MatHandle A  = system_matrix(problem(name));
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
                                          PETSC_OK(PCSAAMGSetSmoother(pc, PC_SAAMG_ALL_LEVELS, "jacobi"));
                                          PETSC_OK(PCSAAMGSetPrecision(pc, PC_SAAMG_SINGLE));
                                          BOOST_TEST(attempt([&] { return PCSAAMGGetThreshold(pc, &threshold); }).says("jacobi"));
  });
});

} // namespace
