/* Rows of ../shared/edge-cases.md that no law covers; the number in a test's name is the row. */
#include "../support/mat_case.hpp"
#include "../support/pc_case.hpp"
#include "petsc/check_petsc.hpp"

#include <petsc/private/petscimpl.h>
#include <petscgoza.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <fstream>
#include <unistd.h>

using namespace goza_test;

namespace {

std::string &printed()
{
  static std::string text;
  return text;
}

PetscErrorCode keep_printed(const char format[], ...)
{
  char    line[512];
  va_list arguments;

  va_start(arguments, format);
  vsnprintf(line, sizeof(line), format, arguments);
  va_end(arguments);
  printed() += line;
  return PETSC_SUCCESS;
}

/* Pages this process has in memory. */
long resident_pages()
{
  std::ifstream statm("/proc/self/statm");
  long          total = 0, resident = 0;
  statm >> total >> resident;
  return resident;
}

#if defined(__SANITIZE_ADDRESS__) /* which finds leaks its own way */
constexpr bool keeps_what_is_freed = true;
#else
constexpr bool keeps_what_is_freed = false;
#endif

/* Runs cycle until 800 in a row have not made memory grow by more than 2 MB, which must come true among 4,000: a driver keeps some tens of megabytes of what
   it has freed, and has them after the first hundreds. */
void memory_stays_flat(const std::function<void()> &cycle)
{
  long grown = 0;

  for (int i = 0; i < 200; i++) cycle();
  for (int round = 0; round < (keeps_what_is_freed ? 1 : 4); round++) {
    PetscLogDouble malloced_before, malloced_after;
    const long     before = resident_pages();
    PETSC_OK(PetscMallocGetCurrentUsage(&malloced_before));
    for (int i = 0; i < 800; i++) cycle();
    PETSC_OK(PetscMallocGetCurrentUsage(&malloced_after)); /* counts with -malloc_debug only */
    BOOST_TEST(malloced_after == malloced_before);
    grown = (resident_pages() - before) * sysconf(_SC_PAGESIZE);
    if (grown < 2 << 20) break;
  }
  BOOST_TEST((keeps_what_is_freed || grown < 2 << 20), grown << " bytes more after 800 cycles");
}

void bad_slice_height(const char *value)
{
  MatHandle     A;
  Option        option("-mat_slicedell_slice_height", value);
  const Outcome outcome = attempt([&]() -> PetscErrorCode {
    PetscErrorCode code = MatCreate(PETSC_COMM_WORLD, A.put());
    if (!code) code = MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, 20, 20);
    if (!code) code = MatSetType(A, "slicedell");
    if (!code) code = MatSetFromOptions(A);
    return code;
  });
  BOOST_TEST(outcome.failed);
  BOOST_TEST(outcome.says("slice_height"), outcome.message);
}

void good_slice_height(const char *height, const char *window)
{
  Option first("-mat_slicedell_slice_height", height), second("-mat_slicedell_sort_window", window);
  for (const char *name : {"stencil27", "power_law", "empty_rows", "dense_row", "skewed", "1x1", "0x0", "blocks3", "blocks6"}) {
    const MatCase c{mat_names().front(), VECSTANDARD, gallery_entry(name)};
    MatHandle     A = c.ours(), R = c.aij();
    c.check_same(A, R, std::string(name) + ", height " + height + ", window " + window);
    PETSC_OK(MatScale(A, 2));
    PETSC_OK(MatScale(R, 2));
    c.check_same(A, R, std::string(name) + ", refilled");
  }
}

/* A setting of a matrix type: value is not the default, text is its spelling in the option, wrong is refused. */
template <class T> struct MatSetting {
  const char *type, *option, *text;
  PetscErrorCode (*set)(Mat, T);
  PetscErrorCode (*get)(Mat, T *);
  T value, wrong;
};

template <class T> void add_mat_setting(boost::unit_test::test_suite *suite, const MatSetting<T> &s)
{
  add_test(suite, s.option + 1, [s] {
    MatHandle A = assemble(gallery_entry("stencil5"), mat_named(s.type).set.c_str()), B, plain = assemble(gallery_entry("stencil5"), MATAIJ);
    T         now;

    PETSC_OK(s.get(A, &now));
    BOOST_TEST((now != s.value)); /* or setting it would show nothing */
    PETSC_OK(s.set(A, s.value));
    PETSC_OK(s.get(A, &now));
    BOOST_TEST((now == s.value));
    const Outcome refused = attempt([&] { return s.set(A, s.wrong); });
    BOOST_TEST(refused.says(s.option + 1), refused.message);
    PETSC_OK(MatDuplicate(A, MAT_COPY_VALUES, B.put()));
    PETSC_OK(s.get(B, &now)); /* what was refused changed nothing, and a copy has it, too */
    BOOST_TEST((now == s.value));
    PETSC_OK(s.set(plain, s.value));
    BOOST_TEST(attempt([&] { return s.get(plain, &now); }).says(s.type));

    Option given(s.option, s.text);
    A = assemble(gallery_entry("stencil5"), mat_named(s.type).set.c_str());
    PETSC_OK(s.get(A, &now));
    BOOST_TEST((now == s.value));
  });
}

/* A program that only loads the library calls the Set and Get functions by name. What is no longer of the type has none. */
void settings_by_name(const std::string &type, const std::vector<std::string> &settings)
{
  MatHandle A = assemble(gallery_entry("stencil5"), mat_named(type).set.c_str());

  for (bool ours : {true, false}) {
    for (const auto &setting : settings) {
      std::string get        = setting;
      void (*function)(void) = nullptr;

      PETSC_OK(PetscObjectQueryFunction((PetscObject)(Mat)A, (setting + "_C").c_str(), &function));
      BOOST_TEST((function != nullptr) == ours, setting);
      PETSC_OK(PetscObjectQueryFunction((PetscObject)(Mat)A, (get.replace(get.find("Set"), 3, "Get") + "_C").c_str(), &function));
      BOOST_TEST((function != nullptr) == ours, get);
    }
    if (ours) PETSC_OK(MatConvert(A, MATAIJ, MAT_INPLACE_MATRIX, A.get()));
  }
}

void share_by_name()
{
  MatHandle  A = assemble(gallery_entry("stencil5"), MATCDS), B, plain = assemble(gallery_entry("stencil5"), MATAIJ);
  PetscReal  share = 0;
  const auto set   = [](Mat to, PetscReal value) -> PetscErrorCode {
    PetscTryMethod(to, "MatCDSSetShare_C", (Mat, PetscReal), (to, value));
    return PETSC_SUCCESS;
  };

  PETSC_OK(set(A, 0.25));
  PETSC_OK(MatDuplicate(A, MAT_COPY_VALUES, B.put()));
  PETSC_OK(MatCDSGetShare(B, &share));
  BOOST_TEST(share == 0.25);
  PETSC_OK(set(B, 0.5));
  PETSC_OK(MatCDSGetShare(A, &share));
  BOOST_TEST(share == 0.25);
  PETSC_OK(set(plain, 0.5));
  BOOST_TEST(attempt([&] { return set(A, 2); }).says("mat_cds_share"));
}

void add_mat_settings(boost::unit_test::test_suite *suite)
{
  add_mat_setting<MatCDSStorage>(suite,
                                 {"cds", "-mat_cds_storage", MatCDSStorages[MAT_CDS_FULL], MatCDSSetStorage, MatCDSGetStorage, MAT_CDS_FULL, (MatCDSStorage)4});
  add_mat_setting<PetscReal>(suite, {"cds", "-mat_cds_share", "0.5", MatCDSSetShare, MatCDSGetShare, 0.5, 0});
  add_mat_setting<PetscReal>(suite, {"cds", "-mat_cds_max_fill", "5", MatCDSSetMaxFill, MatCDSGetMaxFill, 5, 0.5});
  add_mat_setting<PetscInt>(suite, {"cds", "-mat_cds_block_size", "3", MatCDSSetBlockSize, MatCDSGetBlockSize, 3, 4});
  add_mat_setting<MatStoragePrecision>(suite, {"cds", "-mat_cds_precision", MatStoragePrecisions[MAT_STORAGE_SINGLE], MatCDSSetPrecision, MatCDSGetPrecision,
                                               MAT_STORAGE_SINGLE, (MatStoragePrecision)3});
  add_mat_setting<PetscInt>(suite, {"fold", "-mat_fold_width", "5", MatFoldSetWidth, MatFoldGetWidth, 5, 128});
  add_mat_setting<MatFoldOrder>(suite, {"fold", "-mat_fold_order", MatFoldOrders[MAT_FOLD_ORDER_NATURAL], MatFoldSetOrder, MatFoldGetOrder,
                                        MAT_FOLD_ORDER_NATURAL, (MatFoldOrder)-1});
  add_mat_setting<MatFoldLayout>(suite, {"fold", "-mat_fold_layout", MatFoldLayouts[MAT_FOLD_LAYOUT_RECTANGLE], MatFoldSetLayout, MatFoldGetLayout,
                                         MAT_FOLD_LAYOUT_RECTANGLE, (MatFoldLayout)2});
  add_mat_setting<MatStoragePrecision>(suite, {"fold", "-mat_fold_precision", MatStoragePrecisions[MAT_STORAGE_HALF], MatFoldSetPrecision, MatFoldGetPrecision,
                                               MAT_STORAGE_HALF, (MatStoragePrecision)3});
  add_mat_setting<PetscInt>(suite, {"slicedell", "-mat_slicedell_slice_height", "16", MatSlicedEllSetSliceHeight, MatSlicedEllGetSliceHeight, 16, 3});
  add_mat_setting<PetscInt>(suite, {"slicedell", "-mat_slicedell_sort_window", "64", MatSlicedEllSetSortWindow, MatSlicedEllGetSortWindow, 64, -2});
  add_mat_setting<MatSlicedEllIndex>(suite, {"slicedell", "-mat_slicedell_index", MatSlicedEllIndices[MAT_SLICEDELL_INDEX_32], MatSlicedEllSetIndex,
                                             MatSlicedEllGetIndex, MAT_SLICEDELL_INDEX_32, (MatSlicedEllIndex)2});
  add_mat_setting<PetscInt>(suite, {"slicedell", "-mat_slicedell_block_size", "3", MatSlicedEllSetBlockSize, MatSlicedEllGetBlockSize, 3, 2});
  add_mat_setting<MatStoragePrecision>(suite, {"slicedell", "-mat_slicedell_precision", MatStoragePrecisions[MAT_STORAGE_HALF], MatSlicedEllSetPrecision,
                                               MatSlicedEllGetPrecision, MAT_STORAGE_HALF, (MatStoragePrecision)3});
  add_mat_setting<PetscInt>(suite, {"autoformat", "-mat_autoformat_trials", "3", MatAutoFormatSetTrials, MatAutoFormatGetTrials, 3, 17});
  for (const auto &of :
       std::vector<std::pair<std::string, std::vector<std::string>>>{{"cds",
                                                                      {"MatCDSSetStorage", "MatCDSSetShare", "MatCDSSetMaxFill", "MatCDSSetBlockSize",
                                                                       "MatCDSSetPrecision"}},
                                                                     {"fold",
                                                                      {"MatFoldSetWidth", "MatFoldSetOrder", "MatFoldSetLayout", "MatFoldSetPrecision"}},
                                                                     {"slicedell",
                                                                      {"MatSlicedEllSetSliceHeight", "MatSlicedEllSetSortWindow", "MatSlicedEllSetIndex",
                                                                       "MatSlicedEllSetBlockSize", "MatSlicedEllSetPrecision"}},
                                                                     {"autoformat", {"MatAutoFormatSetCandidates", "MatAutoFormatSetTrials"}}})
    add_test(suite, of.first + "_by_name", [of] { settings_by_name(of.first, of.second); });
  add_test(suite, "share_by_name", share_by_name);
  add_test(suite, "texts_of_autoformat", [] {
    MatHandle   A = assemble(gallery_entry("stencil5"), mat_named("autoformat").set.c_str()), plain = assemble(gallery_entry("stencil5"), MATAIJ);
    const char *now;

    for (const char *formats : {"all", "fold", "csr,cds"}) {
      PETSC_OK(MatAutoFormatSetCandidates(A, formats));
      PETSC_OK(MatAutoFormatGetCandidates(A, &now));
      BOOST_TEST(now == std::string(formats));
    }
    BOOST_TEST(attempt([&] { return MatAutoFormatGetCandidates(plain, &now); }).says("autoformat"));
  });
}

/* Set functions, a copy that keeps the precision, a refusal; the values really are rounded. */
void other_precision_after_use(const std::string &type)
{
  const auto set = type == "cds" ? MatCDSSetPrecision : type == "fold" ? MatFoldSetPrecision : MatSlicedEllSetPrecision;
  MatCase    c{mat_named(type), VECSTANDARD, gallery_entry("stencil27")};
  MatHandle  A = c.ours(), R = c.aij(), B;
  VecHandle  x = c.in(R), exact = c.out(R), y = c.out(R), z = c.out(R);
  PetscInt   precision = 0;
  PetscBool  same;

  PETSC_OK(MatMult(A, x, exact));
  for (const StorageName &storage : storage_names()) {
    c.storage = storage;
    PETSC_OK(set(A, (MatStoragePrecision)precision++));
    PETSC_OK(MatMult(A, x, y));
    PETSC_OK(VecEqual(y, exact, &same));
    BOOST_TEST((same == PETSC_TRUE) == (storage.rounding == 0), storage.name);
    c.check_same(A, R, storage.name);
    PETSC_OK(MatDuplicate(A, MAT_COPY_VALUES, B.put()));
    PETSC_OK(MatMult(B, x, z));
    PETSC_OK(VecEqual(y, z, &same));
    BOOST_TEST((same == PETSC_TRUE), "a duplicate in " << storage.name);
  }
  BOOST_TEST(attempt([&] { return set(A, (MatStoragePrecision)3); }).says(c.storage_option()));
  PETSC_OK(set(R, MAT_STORAGE_HALF)); /* on aij: nothing */
  Option        bad(c.storage_option(), "quarter");
  const Outcome outcome = attempt([&] { return MatSetFromOptions(A); });
  BOOST_TEST(outcome.failed);
  BOOST_TEST(outcome.says(c.storage_option().substr(1)), outcome.message);
}

void add_solver_rows(boost::unit_test::test_suite *rows)
{
  add_test(rows, "42_several_solvers_alive", [] {
    /* on all ranks, on this rank alone, with other options each */
    MatHandle A = system_matrix(problem("poisson5")), B = system_matrix(problem("elasticity"), "slicedell"),
              S = system_matrix(problem("poisson7"), MATAIJ, PETSC_COMM_SELF);
    KSPHandle a, b, s;
    {
      Option smoother("-pc_saamg_smoother", "jacobi");
      a = make_cg(A);
      PETSC_OK(KSPSetUp(a));
    }
    {
      Option smoother("-pc_saamg_smoother", "chebyshev"), cycle("-pc_saamg_cycle", "w");
      b = make_cg(B);
      PETSC_OK(KSPSetUp(b));
    }
    s              = make_cg(S);
    const Solve a1 = solve(a, A), b1 = solve(b, B), s1 = solve(s, S), s2 = solve(s, S), b2 = solve(b, B), a2 = solve(a, A);
    for (const auto &r : {a1, b1, s1}) BOOST_TEST(r.reason > 0);
    BOOST_TEST(a1.iterations == a2.iterations);
    BOOST_TEST(b1.iterations == b2.iterations);
    BOOST_TEST(s1.iterations == s2.iterations);
  });
  add_test(rows, "42_prefixes_are_independent", [] {
    Option    bad("-other_pc_saamg_threshold", "7"); /* of another prefix: not ours to read */
    MatHandle A = system_matrix(problem("poisson5"));
    PCHandle  pc;
    PETSC_OK(PCCreate(PETSC_COMM_WORLD, pc.put()));
    PETSC_OK(PCSetOptionsPrefix(pc, "one_"));
    PETSC_OK(PCSetOperators(pc, A, A));
    PETSC_OK(PCSetType(pc, "saamg"));
    PETSC_OK(PCSetFromOptions(pc));
    PETSC_OK(PCSetUp(pc));
    PETSC_OK(PCSetOptionsPrefix(pc, "other_"));
    BOOST_TEST(attempt([&] { return PCSetFromOptions(pc); }).failed);
  });
  add_test(rows, "43_destroyed_in_any_order", [] {
    std::array<int, 3> order{0, 1, 2};
    do {
      MatHandle A   = system_matrix(problem("poisson5"), "slicedell");
      KSPHandle ksp = make_cg(A);
      VecHandle x   = vector_like(A, false, VECSTANDARD, 1);
      BOOST_TEST(solve(ksp, A).reason > 0);
      for (int who : order)
        if (who == 0) A.reset();
        else if (who == 1) ksp.reset();
        else x.reset();
    } while (std::next_permutation(order.begin(), order.end()));
  });
  add_test(rows, "43_preconditioner_destroyed_before_use", [] {
    for (int with_matrix : {0, 1}) {
      MatHandle A = system_matrix(problem("three_rows"));
      PCHandle  pc;
      PETSC_OK(PCCreate(PETSC_COMM_WORLD, pc.put()));
      PETSC_OK(PCSetType(pc, "saamg"));
      if (with_matrix) PETSC_OK(PCSetOperators(pc, A, A));
      PETSC_OK(PCReset(pc));
    }
  });
  add_test(rows, "43_type_changed_and_back", [] { /* what the old type composed on the object must be gone */
                                                  MatHandle A  = system_matrix(problem("poisson5"));
                                                  PCHandle  pc = make_pc(A);
                                                  PETSC_OK(PCSetType(pc, PCJACOBI));
                                                  PETSC_OK(PCSAAMGSetThreshold(pc, 0.1)); /* a Set function on another type does nothing */
                                                  PETSC_OK(PCSetUp(pc));
                                                  PETSC_OK(PCSetType(pc, PCSAAMG));
                                                  PETSC_OK(PCSAAMGSetThreshold(pc, 0.05));
                                                  PETSC_OK(PCSetUp(pc));
                                                  PetscReal t;
                                                  PETSC_OK(PCSAAMGGetThreshold(pc, &t));
                                                  BOOST_TEST(t == (PetscReal)0.05);
                                                  BOOST_TEST(attempt([&] { return PCSAAMGSetThreshold(pc, -0.5); }).failed);
  });
  add_test(rows, "44_preconditioner_cycles", [] {
    MatHandle A = system_matrix(problem("idle_ranks"));
    VecHandle x = vector_like(A, false, VECSTANDARD, 1), y = vector_like(A, true, VECSTANDARD, 1);
    Option    limit("-pc_saamg_coarse_limit", "20");
    memory_stays_flat([&] {
      PCHandle pc = make_pc(A);
      PETSC_OK(PCApply(pc, x, y));
    });
  });
  add_test(rows, "44_setup_again_cycles", [] {
    MatHandle A = system_matrix(problem("idle_ranks"));
    VecHandle x = vector_like(A, false, VECSTANDARD, 1), y = vector_like(A, true, VECSTANDARD, 1);
    Option    limit("-pc_saamg_coarse_limit", "20"), reuse("-pc_saamg_reuse", "interpolation");
    PCHandle  pc = make_pc(A);
    memory_stays_flat([&] {
      PETSC_OK(MatScale(A, 1.0001));
      PETSC_OK(PCSetOperators(pc, A, A));
      PETSC_OK(PCSetUp(pc));
      PETSC_OK(PCApply(pc, x, y));
    });
  });
}

const AddTests add([] {
  auto *rows = suite_named(nullptr, "row");

  add_solver_rows(rows);
  add_test(rows, "43_destroyed_before_use", [] {
    for (const auto &type : mat_names()) {
      MatHandle A;
      PETSC_OK(MatCreate(PETSC_COMM_WORLD, A.put()));
      PETSC_OK(MatSetType(A, type.set.c_str()));
      A.reset();
      PETSC_OK(MatCreate(PETSC_COMM_WORLD, A.put())); /* with a size, and values that were never assembled */
      PETSC_OK(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, 10, 10));
      PETSC_OK(MatSetType(A, type.set.c_str()));
      PETSC_OK(MatSetUp(A));
      PETSC_OK(MatSetValue(A, 0, 0, 1, ADD_VALUES));
    }
  });
  add_test(rows, "44_matrix_cycles", [] {
    const Entry &entry = gallery_entry("stencil5");
    for (const auto &type : mat_names()) BOOST_TEST_CONTEXT(type.set)
    memory_stays_flat([&] {
      MatHandle A = assemble(entry, type.set.c_str());
      VecHandle x = vector_like(A, false, VECSTANDARD, 1), y = vector_like(A, true, VECSTANDARD, 1);
      PETSC_OK(MatMult(A, x, y));
    });
  });
  add_test(rows, "44_conversion_cycles", [] {
    const Entry &entry = gallery_entry("stencil5");
    MatHandle    A     = assemble(entry, MATAIJ);
    VecHandle    x = vector_like(A, false, VECSTANDARD, 1), y = vector_like(A, true, VECSTANDARD, 1);
    memory_stays_flat([&] {
      MatHandle B;
      PETSC_OK(MatConvert(A, "slicedell", MAT_INITIAL_MATRIX, B.put()));
      PETSC_OK(MatMult(B, x, y));
      PETSC_OK(MatConvert(B, MATAIJ, MAT_INPLACE_MATRIX, B.get()));
    });
  });
  add_test(rows, "44_refill_cycles", [] {
    MatHandle A = assemble(gallery_entry("stencil5"), "slicedell");
    VecHandle x = vector_like(A, false, VECSTANDARD, 1), y = vector_like(A, true, VECSTANDARD, 1);
    memory_stays_flat([&] {
      PETSC_OK(MatScale(A, 1.0001));
      PETSC_OK(MatMult(A, x, y));
    });
  });
  add_test(rows, "52_initialized_twice", [] {
    PETSC_OK(GozaInitializePackage());
    PETSC_OK(GozaInitializePackage());
    MatHandle A = assemble(gallery_entry("stencil5"), "slicedell");
    MatType   type;
    PETSC_OK(MatGetType(A, &type));
    BOOST_TEST(std::string(type).find("aijslicedell") != std::string::npos);
  });
  add_test(rows, "52_wrong_petsc_refused", [] {
    const auto refusal = [](PetscErrorCode (*check)()) { /* it is printed, since no PetscError() can be raised in another PETSc */
                                                         const auto print = PetscErrorPrintf;
                                                         printed().clear();
                                                         PetscErrorPrintf          = keep_printed;
                                                         const PetscErrorCode code = check();
                                                         PetscErrorPrintf          = print;
                                                         BOOST_TEST((code != PETSC_SUCCESS) == !printed().empty());
                                                         return printed();
    };
    const auto says = [](const std::string &text, const char *word) { return text.find(word) != std::string::npos; };
    BOOST_TEST(refusal([] { return goza::GozaCheckRelease(PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR); }).empty());
    BOOST_TEST(refusal([] { return goza::GozaCheckTypes(PETSC_SCALAR, sizeof(PetscScalar), sizeof(PetscInt)); }).empty());
    BOOST_TEST(says(refusal([] { return goza::GozaCheckRelease(PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR + 1); }), "built for PETSc"));
    BOOST_TEST(says(refusal([] { return goza::GozaCheckRelease(PETSC_VERSION_MAJOR + 1, PETSC_VERSION_MINOR); }), "built for PETSc"));
    BOOST_TEST(
      says(refusal([] { return goza::GozaCheckTypes(PetscDefined(USE_COMPLEX) ? PETSC_DOUBLE : PETSC_COMPLEX, 2 * sizeof(PetscScalar), sizeof(PetscInt)); }),
           "COMPLEX"));
    BOOST_TEST(says(refusal([] { return goza::GozaCheckTypes(PETSC_SCALAR, 2 * sizeof(PetscScalar), sizeof(PetscInt)); }), "PetscScalar of"));
    BOOST_TEST(says(refusal([] { return goza::GozaCheckTypes(PETSC_SCALAR, sizeof(PetscScalar), 12 - sizeof(PetscInt)); }), "PetscInt of"));
  });

  add_test(rows, "version_of_the_library", [] {
    PetscInt major = -1, minor = -1, subminor = -1;
    PETSC_OK(GozaGetVersionNumber(&major, &minor, &subminor));
    BOOST_TEST(major == GOZA_VERSION_MAJOR);
    BOOST_TEST(minor == GOZA_VERSION_MINOR);
    BOOST_TEST(subminor == GOZA_VERSION_SUBMINOR);
    PETSC_OK(GozaGetVersionNumber(nullptr, nullptr, nullptr));
  });
  add_test(rows, "matrix_not_assembled", [] {
    for (const auto &type : mat_names()) {
      MatHandle A;
      VecHandle x, y;
      PETSC_OK(MatCreate(PETSC_COMM_WORLD, A.put()));
      PETSC_OK(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, 20, 20));
      PETSC_OK(MatSetType(A, type.set.c_str()));
      PETSC_OK(MatSetUp(A));
      PETSC_OK(MatSetValue(A, 0, 0, 1, ADD_VALUES));
      PETSC_OK(MatCreateVecs(A, x.put(), y.put()));
      const Outcome outcome = attempt([&] { return MatMult(A, x, y); });
      BOOST_TEST(outcome.failed);
      BOOST_TEST(outcome.says("unassembled"), outcome.message);
    }
  });

  auto *options = suite_named(nullptr, "slicedell_options");
  for (const char *value : {"-1", "3", "sixteen", "100000000"}) add_test(options, std::string("slice_height=") + value, [value] { bad_slice_height(value); });
  for (const char *height : {"1", "2", "8", "32", "64"})
    for (const char *window : {"0", "16", "4096"})
      add_test(options, std::string("height_") + height + "_window_" + window, [height, window] { good_slice_height(height, window); });
  add_test(options, "set_function", [] {
    const MatCase c{mat_named("slicedell"), VECSTANDARD, gallery_entry("power_law")};
    MatHandle     A = c.ours(), R = c.aij();
    PETSC_OK(MatSlicedEllSetSliceHeight(A, 16));
    c.check_same(A, R, "other height after use");
    PETSC_OK(MatSlicedEllSetSortWindow(A, 64));
    c.check_same(A, R, "other window after use");
    PETSC_OK(MatSlicedEllSetIndex(A, MAT_SLICEDELL_INDEX_32));
    c.check_same(A, R, "full indices after use");
    BOOST_TEST(attempt([&] { return MatSlicedEllSetSliceHeight(A, 3); }).says("mat_slicedell_slice_height"));
    BOOST_TEST(attempt([&] { return MatSlicedEllSetSortWindow(A, -2); }).says("mat_slicedell_sort_window"));
    c.check_same(A, R, "after a refusal");
    PETSC_OK(MatSlicedEllSetSliceHeight(R, 16)); /* on aij: nothing */
  });

  add_test(options, "slicedell_block_size", [] {
    for (const char *name : {"blocks3", "blocks6", "elasticity", "random"}) {
      const MatCase c{mat_named("slicedell"), VECSTANDARD, gallery_entry(name)};
      MatHandle     A = c.ours(), R = c.aij();
      for (PetscInt bs : {1, 6, 3, 0}) {
        PETSC_OK(MatSlicedEllSetBlockSize(A, bs));
        c.check_same(A, R, std::string(name) + ", other block size after use");
        PETSC_OK(MatScale(A, 2));
        PETSC_OK(MatScale(R, 2));
        c.check_same(A, R, std::string(name) + ", refilled");
      }
      BOOST_TEST(attempt([&] { return MatSlicedEllSetBlockSize(A, 2); }).says("mat_slicedell_block_size"));
    }
  });

  add_mat_settings(suite_named(nullptr, "mat_settings"));

  options = suite_named(nullptr, "storage_precision");
  for (const char *type : {"cds", "fold", "slicedell"}) add_test(options, type, [type] { other_precision_after_use(type); });

  options = suite_named(nullptr, "cds_options");
  add_test(options, "set_functions", [] {
    const MatCase c{mat_named("cds"), VECSTANDARD, gallery_entry("stencil27")};
    MatHandle     A = c.ours(), R = c.aij();
    for (MatCDSStorage storage : {MAT_CDS_FULL, MAT_CDS_HALF, MAT_CDS_HERMITIAN, MAT_CDS_AUTO}) {
      PETSC_OK(MatCDSSetStorage(A, storage));
      c.check_same(A, R, "other storage after use");
    }
    PETSC_OK(MatCDSSetShare(A, 1)); /* shorter diagonals go to the remainder */
    c.check_same(A, R, "full diagonals only");
    PETSC_OK(MatCDSSetBlockSize(A, 3));
    c.check_same(A, R, "blocks, or the remainder");
    BOOST_TEST(attempt([&] { return MatCDSSetShare(A, 0); }).says("mat_cds_share"));
    BOOST_TEST(attempt([&] { return MatCDSSetMaxFill(A, 0.5); }).says("mat_cds_max_fill"));
    BOOST_TEST(attempt([&] { return MatCDSSetBlockSize(A, 4); }).says("mat_cds_block_size"));
    BOOST_TEST(attempt([&] { return MatCDSSetStorage(A, (MatCDSStorage)4); }).says("MatCDSStorage"));
    c.check_same(A, R, "after a refusal");
    PETSC_OK(MatCDSSetBlockSize(R, 3)); /* on aij: nothing */
  });
  /* refused at the product, and whole again when the option is taken back */
  add_test(options, "half_of_an_unsymmetric_matrix", [] {
    const MatCase c{mat_named("cds"), VECSTANDARD, gallery_entry("stencil5")};
    MatHandle     A = c.ours(), R = c.aij();
    VecHandle     x = c.in(R), y = c.out(R), left = c.out(R, 5);
    to_both(A, R, [&](Mat M) { PETSC_OK(MatDiagonalScale(M, left, nullptr)); });
    c.check_same(A, R, "values that are symmetric no more");
    PETSC_OK(MatCDSSetStorage(A, MAT_CDS_HALF));
    BOOST_TEST(attempt([&] { return MatMult(A, x, y); }).says("mat_cds_storage half"));
    PETSC_OK(MatCDSSetStorage(A, MAT_CDS_AUTO));
    c.check_same(A, R, "after a refusal");
  });
#if PetscDefined(USE_COMPLEX)
  /* each half by its own rule, in every precision; a matrix that obeys the other is refused */
  add_test(options, "half_by_either_rule", [] {
    const struct {
      const char   *entry, *other;
      MatCDSStorage storage, refused;
    } rules[] = {{"hermitian", "mat_cds_storage half", MAT_CDS_HERMITIAN, MAT_CDS_HALF},
                 {"complex_symmetric", "mat_cds_storage hermitian", MAT_CDS_HALF, MAT_CDS_HERMITIAN}};

    for (const auto &rule : rules) {
      for (const StorageName &precision : storage_names()) {
        MatCase c{mat_named("cds"), VECSTANDARD, gallery_entry(rule.entry)};
        c.storage   = precision;
        MatHandle A = c.ours(), R = c.aij();
        VecHandle x = c.in(R), y = c.out(R);
        PETSC_OK(MatCDSSetStorage(A, rule.storage));
        c.check_same(A, R, std::string(rule.entry) + " by its rule, " + precision.name);
        to_both(A, R, [&](Mat M) { PETSC_OK(MatScale(M, 2)); });
        c.check_same(A, R, std::string(rule.entry) + ", other values, " + precision.name);
        PETSC_OK(MatCDSSetStorage(A, rule.refused));
        const Outcome refused = attempt([&] { return MatMult(A, x, y); });
        BOOST_TEST(refused.says(rule.other), refused.message);
        PETSC_OK(MatCDSSetStorage(A, MAT_CDS_AUTO));
        c.check_same(A, R, "after a refusal");
        PETSC_OK(MatSetOption(A, rule.storage == MAT_CDS_HALF ? MAT_SYMMETRIC : MAT_HERMITIAN, PETSC_TRUE));
        PETSC_OK(MatCDSSetStorage(A, MAT_CDS_AUTO)); /* built anew, with the promise */
        c.check_same(A, R, "promised");
      }
    }
  });
#endif
  /* a flag that values have left behind must not bend the product */
  add_test(options, "symmetric_no_more", [] {
    const MatCase c{mat_named("cds"), VECSTANDARD, gallery_entry("stencil5")};
    MatHandle     A = c.ours(), R = c.aij();
    VecHandle     left = c.out(R, 5);
    PETSC_OK(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
    PETSC_OK(MatCDSSetStorage(A, MAT_CDS_AUTO)); /* built anew, with the promise */
    c.check_same(A, R, "promised symmetric");
    to_both(A, R, [&](Mat M) { PETSC_OK(MatDiagonalScale(M, left, nullptr)); });
    c.check_same(A, R, "symmetric no more");
  });
  /* one rank refuses, all of them hear of it */
  add_test(options, "half_refused_on_one_rank", [] {
    const MatCase c{mat_named("cds"), VECSTANDARD, gallery_entry("stencil5")};
    MatHandle     A = c.ours(), R = c.aij();
    VecHandle     x = c.in(R), y = c.out(R), left = c.out(R, 5);
    PetscMPIInt   rank;
    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    if (rank) PETSC_OK(VecSet(left, 1)); /* local: VecSet asks nothing of the others */
    to_both(A, R, [&](Mat M) { PETSC_OK(MatDiagonalScale(M, left, nullptr)); });
    PETSC_OK(MatCDSSetStorage(A, MAT_CDS_HALF));
    const Outcome outcome = attempt([&] { return MatMult(A, x, y); });
    BOOST_TEST(outcome.failed);
    BOOST_TEST(outcome.says("mat_cds_storage half"), outcome.message);
    if (rank) BOOST_TEST(outcome.says("Rank 0 could not"), outcome.message);
    PETSC_OK(MatCDSSetStorage(A, MAT_CDS_AUTO));
    c.check_same(A, R, "after a refusal");
  });

  options = suite_named(nullptr, "autoformat_options");
  add_test(options, "candidates", [] {
    const MatCase c{mat_named("autoformat"), VECSTANDARD, gallery_entry("stencil27")};
    MatHandle     A = c.ours(), R = c.aij();
    for (const char *formats : {"csr", "slicedell", "fold", "cds", "fold,csr", "all"}) {
      PETSC_OK(MatAutoFormatSetCandidates(A, formats));
      c.check_same(A, R, formats);
      to_both(A, R, [&](Mat M) { PETSC_OK(MatScale(M, 2)); });
      c.check_same(A, R, std::string(formats) + " with other values");
    }
    for (const char *wrong : {"", "ellpack", "csr,", "csr;fold"})
      BOOST_TEST(attempt([&] { return MatAutoFormatSetCandidates(A, wrong); }).says("mat_autoformat_candidates"));
    c.check_same(A, R, "after a refusal");
    PETSC_OK(MatAutoFormatSetCandidates(R, "csr")); /* on aij: nothing */
  });
  add_test(options, "trials", [] {
    const MatCase c{mat_named("autoformat"), VECSTANDARD, gallery_entry("stencil27")};
    MatHandle     A = c.ours(), R = c.aij();
    for (PetscInt trials : {1, 2, 16}) {
      PETSC_OK(MatAutoFormatSetTrials(A, trials));
      c.check_same(A, R, "other number of trials after use");
    }
    for (PetscInt wrong : {-1, 0, 17}) BOOST_TEST(attempt([&] { return MatAutoFormatSetTrials(A, wrong); }).says("mat_autoformat_trials"));
    c.check_same(A, R, "after a refusal");
    PETSC_OK(MatAutoFormatSetTrials(R, 3)); /* on aij: nothing */
  });
  /* PETSc takes them for MPIAIJ without asking, or on one rank asks their name */
  for (const char *type : {"owncds", "ownslicedell", "ownfold"})
    add_test(options, std::string("kronecker_of_") + type, [type] {
      const MatHandle   A    = assemble(gallery_entry("stencil5"), type);
      const PetscScalar S[4] = {1, 0, 0, 1};
      Mat               kaij = NULL, maij = NULL; /* which an error leaves half made */

      const Outcome outcome = attempt([&] { return MatCreateKAIJ(A, 2, 2, S, S, &kaij); });
      BOOST_TEST((outcome.failed && outcome.says(type)), outcome.message);
      BOOST_TEST(attempt([&] { return MatCreateMAIJ(A, 2, &maij); }).failed);
    });
  /* what a matrix that is nothing but its format cannot follow, and has not taken up when it is laid out anew */
  for (const auto &[type, option, value] : std::vector<std::array<const char *, 3>>{{"slicedell", "precision", "half"},
                                                                                    {"fold", "precision", "single"},
                                                                                    {"fold", "order", "breadth_first"},
                                                                                    {"fold", "layout", "rectangle"}})
    add_test(options, std::string(option) + "_of_" + type + "_alone",
             [type = std::string(type), option = "-mat_" + std::string(type) + "_" + option, value = value] {
               const MatCase c{mat_named(type), VECSTANDARD, gallery_entry("stencil5")};
               const Option  keep("-mat_" + type + "_keep_aij", "no");
               MatHandle     A = c.ours(), R = c.aij();
               {
                 const Option refused(option, value);
                 BOOST_TEST(attempt([&] { return MatSetFromOptions(A); }).says(option));
               }
               to_both(A, R, [](Mat M) {
                 const PetscInt    row = 0, col = 9;
                 const PetscScalar one = 1;
                 PETSC_OK(MatSetOption(M, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
                 PETSC_OK(MatSetValues(M, 1, &row, 1, &col, &one, ADD_VALUES));
                 PETSC_OK(MatAssemblyBegin(M, MAT_FINAL_ASSEMBLY));
                 PETSC_OK(MatAssemblyEnd(M, MAT_FINAL_ASSEMBLY));
               });
               PetscBool same;
               PETSC_OK(MatMultEqual(A, R, 2, &same));
               BOOST_TEST(same);
             });
  /* a pattern that moves on one rank only: the ranks agree again on what is PETSc's product and what is not */
  add_test(options, "a_row_is_filled", [] {
    const MatCase c{mat_named("autoformat"), VECSTANDARD, gallery_entry("stencil5")};
    MatHandle     A = c.ours(), R = c.aij();
    PETSC_OK(MatAutoFormatSetCandidates(A, "csr,fold"));
    c.check_same(A, R, "before");
    to_both(A, R, [](Mat M) {
      PetscInt n, N;
      PETSC_OK(MatGetSize(M, &N, &n));
      PETSC_OK(MatSetOption(M, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
      PetscMPIInt rank;
      MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
      for (PetscInt j = 0; !rank && j < n; j++) PETSC_OK(MatSetValue(M, 0, j, 1, ADD_VALUES));
      PETSC_OK(MatAssemblyBegin(M, MAT_FINAL_ASSEMBLY));
      PETSC_OK(MatAssemblyEnd(M, MAT_FINAL_ASSEMBLY));
    });
    c.check_same(A, R, "after");
  });
});

} // namespace
