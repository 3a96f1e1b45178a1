/* Every request for memory of Goza's refused in turn, on one rank: what test/laws/alloc_failures.cxx does for products and assembly, for saamg's set-up, update and cycles and for
   the operations that make matrices. All ranks get an error or none does, nothing is lost, and the same call then works. -every: each request, and each rank. */
#include "../support/alloc_sweep.hpp"
#include "../support/pc_case.hpp"

#include <petscgoza.h>

#include <memory>

using namespace goza_test;

namespace
{

/* --- the preconditioner */

struct Preconditioner {
  MatHandle A;
  PCHandle  pc;
  VecHandle x, y;

  /* set_up: before what is to fail; changed: other values then */
  Preconditioner(const Entry &e, bool set_up, bool changed) : A(assemble(e, MATSLICEDELL)), pc(make_pc(A, set_up))
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
  const char *name, *smoother, *cycle, *precision, *reuse, *direct_limit;
  Entry       entry;
};
const std::vector<Options> &configurations()
{
  static const std::vector<Options> all{
    {"chebyshev", "chebyshev", "v", "double", "none", "500", stencil5(9, 8)},
    {"mcgs_pattern", "mcgs", "w", "mixed", "pattern", "0", stencil7(5, 4, 4)},
    {"singular_interpolation", "l1jacobi", "v", "half", "interpolation", "500", neumann5(9, 8)},
  };
  return all;
}

enum class What {
  setup,
  update,
  apply,
  transposed
};

void preconditioner(const Options &o, What what, How how)
{
  const Configured configured(PCConfig{o.smoother, o.cycle, o.precision});
  const Option     reuse("-pc_saamg_reuse", o.reuse), limit("-pc_saamg_coarse_limit", "6"), direct("-pc_saamg_direct_limit", o.direct_limit);
  const bool       set_up = what != What::setup, changed = what == What::update, transposed = what == What::transposed;
  const auto       make = [&] { return std::make_unique<Preconditioner>(o.entry, set_up, changed); };
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
  MatHandle A, B;
  explicit Source(const char *type) : A(assemble(stencil5(6, 5), type))
  {
    VecHandle x = vector_like(A, false, VECSTANDARD, 1), y = vector_like(A, true, VECSTANDARD, 1);
    PETSC_OK(MatMult(A, x, y));
  }
};

using Make = PetscErrorCode (*)(Mat, Mat *);
struct Operation {
  const char *name;
  Make        make;
};
const Operation operations[] = {
  {"duplicate", [](Mat A, Mat *B) { return MatDuplicate(A, MAT_COPY_VALUES, B); }},
  {"to_aij", [](Mat A, Mat *B) { return MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, B); }},
  {"to_cds", [](Mat A, Mat *B) { return MatConvert(A, MATCDS, MAT_INITIAL_MATRIX, B); }},
  {"transpose", [](Mat A, Mat *B) { return MatTranspose(A, MAT_INITIAL_MATRIX, B); }},
};

void making(const char *type, const Operation &op, How how)
{
  sweep(
    false, how, [&] { return std::make_unique<Source>(type); },
    [&](Source &s) {
      Mat                  made = nullptr;
      const PetscErrorCode ierr = op.make(s.A, &made);
      if (!ierr) *s.B.put() = made; /* what a call that failed has left of it is PETSc's */
      return ierr;
    },
    [](Source &s) {
      PetscReal a, b;
      PETSC_OK(MatNorm(s.A, NORM_FROBENIUS, &a));
      PETSC_OK(MatNorm(s.B, NORM_FROBENIUS, &b));
      BOOST_TEST(std::abs(a - b) <= 100 * PETSC_MACHINE_EPSILON * a);
      VecHandle x = vector_like(s.B, false, VECSTANDARD, 1), y = filled_with_nan(s.B, true, VECSTANDARD);
      PETSC_OK(MatMult(s.B, x, y));
      BOOST_TEST(all_finite(y));
    });
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
    for (const char *type : {MATSLICEDELL, MATFOLD})
      for (const auto &op : operations) add_test(suite_named(suite_named(nullptr, "matrix"), type), op.name + end, [=, &op] { making(type, op, how); });
  }
});

} // namespace
