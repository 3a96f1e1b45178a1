/* Every request for memory of Goza's refused in turn, on one rank: what test/laws/alloc_failures.cxx does for products and assembly, for saamg's set-up, update
   and cycles, for the operations that make matrices and for fused Krylov methods. All ranks get an error or none does, nothing is lost, and the same call then
   works. -every: each request, and each rank; -part k/n: a part of them. */
#include "../support/alloc_sweep.hpp"
#include "../support/pc_case.hpp"

#include <petscgoza.h>

#include <memory>
#include <string>

using namespace goza_test;

namespace {

/* Of ranks that share a GPU the leaders alone describe what they hold. */
bool all_describe()
{
  char      ranks[16];
  PetscBool set;

  PETSC_OK(PetscOptionsGetString(nullptr, nullptr, "-goza_ranks_per_gpu", ranks, sizeof(ranks), &set));
  return !set || std::string(ranks) != "group";
}

/* --- the preconditioner */

struct Preconditioner {
  MatHandle A;
  PCHandle  pc;
  VecHandle x, y;

  /* set_up: before what is to fail; changed: other values then */
  Preconditioner(const Entry &e, const char *type, bool set_up, bool changed) : A(assemble(e, type)), pc(make_pc(A, set_up))
  {
    x = vector_like(A, true, VECSTANDARD, 1);
    y = vector_like(A, false, VECSTANDARD, 2);
    if (!changed) return;
    PETSC_OK(PCApply(pc, x, y));
    PETSC_OK(MatScale(A, 4));
    PETSC_OK(PCSetOperators(pc, A, A));
  }
  PetscReal size(bool transposed)
  {
    PETSC_OK(transposed ? PCApplyTranspose(pc, x, y) : PCApply(pc, x, y));
    return norm(y);
  }
};

struct Options {
  const char *name, *smoother, *cycle, *precision, *reuse, *direct_limit, *gather_limit;
  Entry       entry;
  const char *type = MATSLICEDELL;
};
const std::vector<Options> &configurations()
{
  static const std::vector<Options> all{
    {"chebyshev", "chebyshev", "v", "double", "none", "500", "0", stencil5(9, 8)},
    {"mcgs_pattern", "mcgs", "w", "mixed", "pattern", "0", "1000", stencil7(5, 4, 4)},
    {"singular_interpolation", "l1jacobi", "v", "half", "interpolation", "500", "1000", neumann5(9, 8)},
    {"owning_diagonals", "chebyshev", "v", "double", "none", "500", "0", stencil5(9, 8), MATOWNCDS},
    {"owning_slices", "jacobi", "v", "half", "pattern", "500", "0", stencil5(9, 8), MATOWNSLICEDELL},
  };
  return all;
}

enum class What { setup, update, apply, transposed };

void preconditioner(const Options &o, What what, How how)
{
  const Configured configured(PCConfig{o.smoother, o.cycle, o.precision});
  const Option     reuse("-pc_saamg_reuse", o.reuse), limit("-pc_saamg_coarse_limit", "6"), direct("-pc_saamg_direct_limit", o.direct_limit);
  const Option     gather("-pc_saamg_gather_limit", o.gather_limit);
  const bool       set_up = what != What::setup, changed = what == What::update, transposed = what == What::transposed;
  const auto       make = [&] { return std::make_unique<Preconditioner>(o.entry, o.type, set_up, changed); };
  const PetscReal  want = [&] {
    auto fresh = make();
    PETSC_OK(PCSetUp(fresh->pc));
    return fresh->size(transposed);
  }();

  sweep(
    !set_up, how, make,
    [&](Preconditioner &p) { return !set_up || changed ? PCSetUp(p.pc)
                                  : transposed         ? PCApplyTranspose(p.pc, p.x, p.y)
                                                       : PCApply(p.pc, p.x, p.y); },
    [&](Preconditioner &p) {
      const PetscReal got = p.size(transposed);
      BOOST_TEST(std::abs(got - want) <= 1e-4 * want); /* it is the same hierarchy; messages may come in another order */
    });
}

/* --- matrices from matrices */

struct Source {
  MatHandle    A, aij, dense, B;
  ISHandle     rows;
  ViewerHandle nowhere;

  explicit Source(const char *type) : A(assemble(stencil5(6, 5), type)), aij(assemble(stencil5(6, 5), MATAIJ))
  {
    VecHandle x = vector_like(A, false, VECSTANDARD, 1), y = vector_like(A, true, VECSTANDARD, 1);
    PetscInt  begin, end;
    PETSC_OK(MatMult(A, x, y));
    PETSC_OK(MatConvert(aij, MATDENSE, MAT_INITIAL_MATRIX, dense.put()));
    PETSC_OK(MatGetOwnershipRange(A, &begin, &end));
    PETSC_OK(ISCreateStride(PETSC_COMM_WORLD, (end - begin + 1) / 2, begin, 2, rows.put()));
    PETSC_OK(PetscViewerASCIIOpen(PETSC_COMM_WORLD, "/dev/null", nowhere.put()));
  }
  PetscReal size()
  {
    PetscReal size;
    VecHandle x = vector_like(B, false, VECSTANDARD, 1), y = filled_with_nan(B, true, VECSTANDARD);
    PETSC_OK(MatMult(B, x, y));
    BOOST_TEST(all_finite(y));
    PETSC_OK(MatNorm(B, NORM_FROBENIUS, &size));
    return size;
  }
};

PetscErrorCode same(Mat A, Mat *B)
{
  *B = A;
  return PetscObjectReference((PetscObject)A);
}

/* A new matrix with 2 on its diagonal, by coordinates. */
PetscErrorCode create(const char *type, Mat *B)
{
  PetscInt    begin, end, at[64];
  PetscScalar two[64];

  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_WORLD, B));
  PetscCall(MatSetSizes(*B, PETSC_DECIDE, PETSC_DECIDE, 30, 30));
  PetscCall(MatSetType(*B, type));
  PetscCall(MatSetFromOptions(*B));
  PetscCall(MatGetOwnershipRange(*B, &begin, &end));
  for (PetscInt i = begin; i < end; i++) at[i - begin] = i, two[i - begin] = 2;
  PetscCall(MatSetPreallocationCOO(*B, end - begin, at, at));
  PetscCall(MatSetValuesCOO(*B, two, INSERT_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode set(Mat A)
{
  PetscFunctionBegin;
  PetscCall(MatSlicedEllSetSliceHeight(A, 8)); /* each does nothing for other types */
  PetscCall(MatFoldSetWidth(A, 16));
  PetscCall(MatAutoFormatSetCandidates(A, "slicedell,csr,fold,cds"));
  PetscCall(MatSetFromOptions(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode view(Source &s, PetscViewerFormat format)
{
  PetscFunctionBegin;
  PetscCall(PetscViewerPushFormat(s.nowhere, format));
  const PetscErrorCode failed = MatView(s.A, s.nowhere);
  PetscCall(PetscViewerPopFormat(s.nowhere));
  PetscCall(failed);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What it makes is B; of an operation that changes the matrix itself that is A once more. */
struct Operation {
  const char *name;
  PetscErrorCode (*make)(Source &s, const char *type, Mat *B);
  bool asks = true;
};
const Operation operations[] = {
  {"duplicate", [](Source &s, const char *, Mat *B) { return MatDuplicate(s.A, MAT_COPY_VALUES, B); }},
  {"to_aij", [](Source &s, const char *, Mat *B) { return MatConvert(s.A, MATAIJ, MAT_INITIAL_MATRIX, B); }, false},
  {"to_cds", [](Source &s, const char *, Mat *B) { return MatConvert(s.A, MATCDS, MAT_INITIAL_MATRIX, B); }},
  {"to_dense", [](Source &s, const char *, Mat *B) { return MatConvert(s.A, MATDENSE, MAT_INITIAL_MATRIX, B); }, false},
  {"from_aij", [](Source &s, const char *type, Mat *B) { return MatConvert(s.aij, type, MAT_INITIAL_MATRIX, B); }},
  {"from_dense", [](Source &s, const char *type, Mat *B) { return MatConvert(s.dense, type, MAT_INITIAL_MATRIX, B); }},
  {"transpose", [](Source &s, const char *, Mat *B) { return MatTranspose(s.A, MAT_INITIAL_MATRIX, B); }},
  {"submatrix", [](Source &s, const char *, Mat *B) { return MatCreateSubMatrix(s.A, s.rows, s.rows, MAT_INITIAL_MATRIX, B); }},
  {"square", [](Source &s, const char *, Mat *B) { return MatMatMult(s.A, s.A, MAT_INITIAL_MATRIX, PETSC_DEFAULT, B); }},
  {"ptap", [](Source &s, const char *, Mat *B) { return MatPtAP(s.A, s.A, MAT_INITIAL_MATRIX, PETSC_DEFAULT, B); }},
  {"times_aij", [](Source &s, const char *, Mat *B) { return MatMatMult(s.A, s.aij, MAT_INITIAL_MATRIX, PETSC_DEFAULT, B); }},
  {"times_dense", [](Source &s, const char *, Mat *B) { return MatMatMult(s.A, s.dense, MAT_INITIAL_MATRIX, PETSC_DEFAULT, B); },
   false}, /* cuSPARSE's, on a device */
  {"create", [](Source &, const char *type, Mat *B) { return create(type, B); }},
  {"zero_rows",
   [](Source &s, const char *, Mat *B) {
     const PetscErrorCode failed = MatZeroRowsIS(s.A, s.rows, 1, NULL, NULL);
     return failed ? failed : same(s.A, B);
   },
   false},
  {"set",
   [](Source &s, const char *, Mat *B) {
     const PetscErrorCode failed = set(s.A);
     return failed ? failed : same(s.A, B);
   }},
  {"view",
   [](Source &s, const char *, Mat *B) {
     const PetscErrorCode failed = view(s, PETSC_VIEWER_ASCII_INFO);
     return failed ? failed : same(s.A, B);
   }},
  {"view_detail",
   [](Source &s, const char *, Mat *B) {
     const PetscErrorCode failed = view(s, PETSC_VIEWER_ASCII_INFO_DETAIL);
     return failed ? failed : same(s.A, B);
   }},
};

void making(const char *type, const Operation &op, How how)
{
  const auto make = [&] { return std::make_unique<Source>(type); };
  const auto call = [&](Source &s) {
    Mat                  made = nullptr;
    const PetscErrorCode ierr = op.make(s, type, &made);
    if (!ierr) *s.B.put() = made; /* what a call that failed has left of it is PETSc's */
    return ierr;
  };
  const PetscReal want = [&] {
    auto fresh = make();
    PETSC_OK(call(*fresh));
    return fresh->size();
  }();

  const bool views = std::string(op.name).rfind("view", 0) == 0;

  sweep(op.asks && (!views || all_describe()), how, make, call,
        [&](Source &s) { BOOST_TEST(std::abs(s.size() - want) <= 100 * PETSC_MACHINE_EPSILON * want); });
}

/* --- fused Krylov methods */

struct System {
  MatHandle    A;
  KSPHandle    ksp;
  VecHandle    x, b;
  ViewerHandle nowhere;

  System(const char *ksp_type, const char *pc_type) : A(assemble(stencil5(9, 8), MATSLICEDELL))
  {
    PETSC_OK(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
    PETSC_OK(KSPCreate(PETSC_COMM_WORLD, ksp.put()));
    PETSC_OK(KSPSetOperators(ksp, A, A));
    PETSC_OK(KSPSetType(ksp, ksp_type));
    PC pc;
    PETSC_OK(KSPGetPC(ksp, &pc));
    PETSC_OK(PCSetType(pc, pc_type));
    PETSC_OK(KSPSetTolerances(ksp, 1e-10, PETSC_DEFAULT, PETSC_DEFAULT, 300));
    PETSC_OK(KSPSetUp(ksp));
    PETSC_OK(MatCreateVecs(A, x.put(), b.put()));
    PETSC_OK(VecSet(b, 1));
    PETSC_OK(PetscViewerASCIIOpen(PETSC_COMM_WORLD, "/dev/null", nowhere.put()));
  }
  PetscErrorCode solve() { return KSPSolve(ksp, b, x); }
  PetscReal      size()
  {
    KSPConvergedReason reason;
    PETSC_OK(solve());
    PETSC_OK(KSPGetConvergedReason(ksp, &reason));
    BOOST_TEST(reason > 0);
    return norm(x);
  }
};

void solving(const char *ksp_type, const char *pc_type, bool viewed, How how)
{
  const auto make = [&] {
    auto made = std::make_unique<System>(ksp_type, pc_type);
    if (viewed) PETSC_OK(made->solve());
    return made;
  };
  const PetscReal want = make()->size();

  sweep(
    !viewed || all_describe(), how, make, [&](System &s) { return viewed ? KSPView(s.ksp, s.nowhere) : s.solve(); },
    [&](System &s) { BOOST_TEST(std::abs(s.size() - want) <= 1e-8 * want); });
}

const AddTests add([] {
  for (How how : {How::once, How::onwards}) {
    const std::string end = how == How::once ? "_once" : "_onwards";
    for (const auto &o : configurations()) {
      auto *suite = suite_named(suite_named(nullptr, "saamg"), o.name);
      add_test(suite, "setup" + end, [how, &o] { preconditioner(o, What::setup, how); });
      add_test(suite, "update" + end, [how, &o] { preconditioner(o, What::update, how); });
      add_test(suite, "apply" + end, [how, &o] { preconditioner(o, What::apply, how); });
      add_test(suite, "transposed" + end, [how, &o] { preconditioner(o, What::transposed, how); });
    }
    for (const char *type : {MATSLICEDELL, MATFOLD, MATAUTOFORMAT})
      for (const auto &op : operations) add_test(suite_named(suite_named(nullptr, "matrix"), type), op.name + end, [=, &op] { making(type, op, how); });
    for (const char *ksp : {KSPFUSEDCG, KSPFUSEDBCGS, KSPFUSEDGMRES})
      for (const char *pc : {PCSAAMG, PCJACOBI, PCSOR}) {
        add_test(suite_named(suite_named(nullptr, "ksp"), ksp), pc + ("_solve" + end), [=] { solving(ksp, pc, false, how); });
        add_test(suite_named(suite_named(nullptr, "ksp"), ksp), pc + ("_view" + end), [=] { solving(ksp, pc, true, how); });
      }
  }
});

} // namespace
