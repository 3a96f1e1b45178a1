#include "checks.hpp"

#include "../../support/pc_case.hpp"

#include <petscgoza.h>

#include <cmath>
#include <memory>
#include <sstream>

using namespace goza_test;

namespace goza_fuzz {
namespace {

/* Thrown by what does not hold; the same on all ranks. */
struct Wrong {
  std::string what;
};

struct Settings {
  std::vector<std::unique_ptr<Option>> all;
  explicit Settings(const Configuration &c)
  {
    for (const auto &o : c.options) all.push_back(std::make_unique<Option>(o.first, o.second));
  }
};

class Checked {
public:
  Checked(const Configuration &configuration, const std::function<void(long)> &before_each, Findings &findings) :
    c(configuration), before(before_each), f(findings)
  {
  }
  void all();

private:
  const Configuration             &c;
  const std::function<void(long)> &before;
  Findings                        &f;
  bool                             error = false; /* the set-up refuses an option */
  MatHandle                        A;
  PCHandle                         pc;
  VecHandle                        x, y, Mx, My;

  void step() { before(f.checks++); }
  /* What sums over a few levels may lose, relative to the size of the vector: as laws_pc, times the growth that a level may have where the matrix is not
     definite. */
  PetscReal eps() const
  {
    const std::string precision = c.option("precision");
    const bool        exact     = precision.empty() || precision == "double";
    return (c.has(DEFINITE) ? 1e4 : 1e6) * (unusual() ? 1e3 : 1) * (exact ? PETSC_MACHINE_EPSILON : (PetscReal)6e-8);
  }
  bool definite() const { return c.has(SYMMETRIC | DEFINITE); }
  bool unusual() const; /* options with which a cycle need not contract */
  bool leaves_numbers(PetscReal bound) const
  {
    return !definite() && !std::isfinite(bound);
  } /* a smoother that diverges: what it does to rounding is not known */
  MatHandle matrix(MPI_Comm comm) const;
  PetscReal rounding(Vec, Vec M_v) const;
  VecHandle apply(PC, Vec) const;
  void      set_up();
  void      linear();
  void      symmetric();
  void      transposed();
  void      history();
  void      solves();
  void      ranks();
};

PetscReal dot(Vec a, Vec b)
{
  PetscScalar s;
  PETSC_OK(VecDot(a, b, &s));
  return PetscRealPart(s);
}

PetscReal distance(Vec a, Vec b)
{
  VecHandle d;
  PETSC_OK(VecDuplicate(a, d.put()));
  PETSC_OK(VecWAXPY(d, -1, a, b));
  return norm(d);
}

template <class... T> void require(bool holds, const T &...what)
{
  if (holds) return;
  std::ostringstream text;
  (text << ... << what);
  throw Wrong{text.str()};
}

bool Checked::unusual() const
{
  for (const auto &o : c.options)
    for (const char *name : {"jacobi_relax", "esteig_iterations", "chebyshev_ratio"})
      if (o.first.find(name) != std::string::npos) return true;
  const std::string precision = c.option("precision"), kind = matrix_kinds()[c.kind].name;
  if (precision == "half" || precision == "single") return true;
  if (kind != "decades") return false; /* rows over 12 decades leave Jacobi what it is, but not the l1 norms, and not what single precision holds */
  for (const auto &o : c.options)
    if (o.second == "l1jacobi") return true;
  return precision == "mixed";
}

MatHandle Checked::matrix(MPI_Comm comm) const
{
  MatHandle  M = assemble(entry_of(c), MATAIJ, Prealloc::exact, comm);
  NullHandle space;
  if (c.has(SYMMETRIC)) PETSC_OK(MatSetOption(M, MAT_SYMMETRIC, PETSC_TRUE));
  if (c.has(CONSTANT_NULL) && c.bs == 1 && c.nodes) {
    PETSC_OK(MatNullSpaceCreate(comm, PETSC_TRUE, 0, nullptr, space.put()));
    PETSC_OK(MatSetNullSpace(M, space));
  }
  return M;
}

VecHandle Checked::apply(PC with, Vec v) const
{
  VecHandle out = filled_with_nan(A, true, VECSTANDARD);
  PETSC_OK(PCApply(with, v, out));
  remove_null_space(A, out);
  return out;
}

/* What the cycle makes of rounding: the norm of M d, where d is what a residual v - A M v is off by, the entries of the product being known to some units in
   the last place of the sum of their terms (as those of the coarse operators are). It is more than rounding of M v where M is large, as the inverse of an
   operator that is nearly singular. What the levels add where their corrections are large and cancel is measured: k times v is the same product, rounded
   otherwise everywhere, while what is not linear keeps a factor k. */
PetscReal Checked::rounding(Vec v, Vec M_v) const
{
  const std::string precision = c.option("precision");
  const PetscReal   unit      = precision.empty() || precision == "double" ? PETSC_MACHINE_EPSILON : (PetscReal)6e-8;
  Entry             terms     = entry_of(c);
  const auto        row       = terms.row;
  VecHandle         d         = vector_like(A, true, VECSTANDARD, 4), size, sum;

  terms.row = [row](PetscInt i, Row &out) {
    row(i, out);
    for (auto &a : out.val) a = PetscAbsScalar(a);
  };
  MatHandle magnitudes = assemble(terms, MATAIJ, Prealloc::exact, PETSC_COMM_WORLD);
  PETSC_OK(VecDuplicate(M_v, size.put()));
  PETSC_OK(VecCopy(M_v, size));
  PETSC_OK(VecAbs(size));
  PETSC_OK(VecDuplicate(v, sum.put()));
  PETSC_OK(VecCopy(v, sum));
  PETSC_OK(VecAbs(sum));
  PETSC_OK(MatMultAdd(magnitudes, size, sum, sum));
  PETSC_OK(VecPointwiseMult(d, d, sum));
  PetscReal spread = 0;
  for (PetscReal k : {3., 5., 7.}) {
    VecHandle times = vector_like(A, true, VECSTANDARD, 0);
    PETSC_OK(VecCopy(v, times));
    PETSC_OK(VecScale(times, k));
    PETSC_OK(VecScale(times = apply(pc, times), 1 / k));
    spread = std::max(spread, distance(times, M_v));
  }
  const PetscReal length = norm(d);
  if (length == 0) return 0;
  PETSC_OK(VecScale(d, norm(v) / length)); /* M may have no more than the range of single precision for what is larger than v */
  return std::max(16 * unit * length / norm(v) * norm(apply(pc, d)), 4 * spread);
}

/* The set-up works, or says why not; what it applies is finite. */
void Checked::set_up()
{
  PCFailedReason why;
  step();
  A                     = matrix(PETSC_COMM_WORLD);
  pc                    = make_pc(A, false);
  const Outcome outcome = attempt([&] { return PCSetUp(pc); });
  if (outcome.failed) {
    const bool saddle = outcome.says("saddle point");

    require(saddle || outcome.says("pc_saamg_"), "the set-up is an error: ", outcome.message); /* an option that this matrix refuses */
    require(!saddle || !definite(), "a definite matrix is taken for a saddle point's: ", outcome.message);
    f.refused = error = true;
    return;
  }
  PETSC_OK(PCViewFromOptions(pc, nullptr, "-fuzz_view"));
  PETSC_OK(PCGetFailedReason(pc, &why));
  if (why != PC_NOERROR) {
    require(!definite(), "the set-up fails with reason ", why);
    f.refused = true;
    return;
  }
  x  = right_hand_side(A, 1);
  y  = right_hand_side(A, 2);
  Mx = apply(pc, x);
  My = apply(pc, y);
  if (!all_finite(Mx) || !all_finite(My)) { /* a smoother that diverges leaves the range of numbers: the solver must say so */
    require(!definite() || unusual(), "M x is not finite");
    f.refused = true;
  }
}

void Checked::linear()
{
  VecHandle sum, want;
  step();
  PETSC_OK(VecDuplicate(x, sum.put()));
  PETSC_OK(VecDuplicate(x, want.put()));
  PETSC_OK(VecAXPBYPCZ(sum, 2, -3, 0, x, y));
  PETSC_OK(VecAXPBYPCZ(want, 2, -3, 0, Mx, My));
  VecHandle       got  = apply(pc, sum);
  const PetscReal size = norm(Mx) + norm(My), off = distance(got, want), rounded = rounding(x, Mx) + rounding(y, My);
  VecHandle       four_times = vector_like(A, true, VECSTANDARD, 0);
  PETSC_OK(VecCopy(x, four_times));
  PETSC_OK(VecScale(four_times, 4)); /* which rounds nothing, wherever the cycle multiplies, adds and divides */
  PETSC_OK(VecScale(four_times = apply(pc, four_times), 0.25));
  const PetscReal scaled = distance(four_times, Mx);
  if (leaves_numbers(off + scaled + size + rounded)) return;
  require(scaled <= PETSC_MACHINE_EPSILON * norm(Mx), "M 4x is not 4 M x: off by ", scaled, " of ", norm(Mx));
  require(off <= 3 * (eps() * size + rounded), "not linear: off by ", off, " of ", size, ", rounding ", rounded);
}

void Checked::symmetric()
{
  step();
  const PetscReal a = dot(Mx, y), b = dot(x, My), size = norm(Mx) * norm(y) + norm(x) * norm(My);
  const PetscReal rounded = rounding(x, Mx) * norm(y) + norm(x) * rounding(y, My);
  if (leaves_numbers(size + rounded)) return;
  require(std::abs(a - b) <= eps() * size + rounded, "not symmetric: ", a, " and ", b, ", off by ", a - b, " of ", size, ", rounding ", rounded);
  if (definite() && !unusual() && norm(Mx) > 0) require(dot(Mx, x) > -eps() * size, "not positive: ", dot(Mx, x));
}

void Checked::transposed()
{
  VecHandle Mty = filled_with_nan(A, true, VECSTANDARD);
  step();
  PETSC_OK(PCApplyTranspose(pc, y, Mty));
  remove_null_space(A, Mty);
  const PetscReal a = dot(Mx, y), b = dot(x, Mty),
                  bound = eps() * (norm(Mx) * norm(y) + norm(x) * norm(Mty)) + rounding(x, Mx) * norm(y) + norm(x) * rounding(y, Mty);
  if (leaves_numbers(bound)) return;
  require(all_finite(Mty), "M' y is not finite");
  require(std::abs(a - b) <= bound, "not the transpose: ", a, " and ", b);
}

/* Other values, and back: the operator is the first again, whatever is kept. */
void Checked::history()
{
  MatHandle first;
  VecHandle d = right_hand_side(A, 3);
  step();
  PETSC_OK(MatDuplicate(A, MAT_COPY_VALUES, first.put()));
  PETSC_OK(VecAbs(d));
  PETSC_OK(VecShift(d, 0.5));
  PETSC_OK(MatDiagonalScale(A, d, d));
  PETSC_OK(PCSetOperators(pc, A, A));
  if (attempt([&] { return PCSetUp(pc); }).failed) return;
  PETSC_OK(MatCopy(first, A, SAME_NONZERO_PATTERN));
  PETSC_OK(PCSetOperators(pc, A, A));
  PETSC_OK(PCSetUp(pc));
  VecHandle       again = apply(pc, x);
  const PetscReal off = distance(again, Mx), bound = eps() * norm(Mx) + rounding(x, Mx);
  if (leaves_numbers(bound)) return;
  require(off <= bound, "another operator after other values and back: off by ", off, " of ", norm(Mx));
}

struct Solved {
  KSPConvergedReason reason;
  PetscInt           iterations;
  PetscReal          residual;
  bool               finite;
};

Solved solve_with(Mat A, const char *type, const char *pc_type)
{
  KSPHandle ksp;
  PC        pc;
  MPI_Comm  comm;
  Solved    s{};
  VecHandle b = right_hand_side(A, 5), solution = vector_like(A, false, VECSTANDARD, 0), r = vector_like(A, true, VECSTANDARD, 0);
  PETSC_OK(MatMult(A, b, r)); /* in the range of A, whatever that is */
  PETSC_OK(VecCopy(r, b));
  PETSC_OK(PetscObjectGetComm((PetscObject)A, &comm));
  PETSC_OK(KSPCreate(comm, ksp.put()));
  PETSC_OK(KSPSetOperators(ksp, A, A));
  PETSC_OK(KSPSetType(ksp, type));
  PETSC_OK(KSPSetTolerances(ksp, 1e-7, PETSC_DEFAULT, PETSC_DEFAULT, 400));
  PETSC_OK(KSPGetPC(ksp, &pc));
  PETSC_OK(PCSetType(pc, pc_type));
  PETSC_OK(KSPSetFromOptions(ksp));
  PETSC_OK(VecSet(solution, 0));
  PETSC_OK(KSPSolve(ksp, b, solution));
  PETSC_OK(KSPGetConvergedReason(ksp, &s.reason));
  PETSC_OK(KSPGetIterationNumber(ksp, &s.iterations));
  PETSC_OK(MatResidual(A, b, solution, r));
  s.residual = norm(b) > 0 ? norm(r) / norm(b) : norm(r);
  s.finite   = all_finite(solution);
  return s;
}

/* A reason, not garbage; and convergence where that of Jacobi shows that it can be asked for. */
void Checked::solves()
{
  step();
  const char  *ksp = definite() ? KSPCG : KSPGMRES;
  const Solved s   = solve_with(A, ksp, PCSAAMG);
  require(s.reason != 0, "no reason");
  require(s.reason < 0 || s.finite, "converged to what is not finite");
  require(s.reason < 0 || std::isfinite(s.residual), "converged, the residual is not finite");
  if (!definite() || unusual()) return;
  if (s.reason > 0) {
    if (!(std::string(matrix_kinds()[c.kind].name) == "decades")) require(s.residual < 1e-3, "converged, and the residual is ", s.residual);
    return;
  }
  const Solved jacobi = solve_with(A, ksp, PCJACOBI);
  require(jacobi.reason < 0, "reason ", s.reason, " where Jacobi converges in ", jacobi.iterations, " iterations");
}

/* One rank alone takes the same iterations. */
void Checked::ranks()
{
  PetscMPIInt size;
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  if (size == 1 || !definite() || c.has(SINGULAR) || unusual()) return;
  for (const auto &o : c.options)
    if (o.second == "local") return;
  step();
  MatHandle    alone = matrix(PETSC_COMM_SELF);
  const Solved many = solve_with(A, KSPCG, PCSAAMG), one = solve_with(alone, KSPCG, PCSAAMG);
  const bool   same = (many.reason > 0) == (one.reason > 0) && std::abs(many.iterations - one.iterations) <= 1 + one.iterations / 8;
  require(!any_rank(!same), many.iterations, " iterations (reason ", many.reason, "), but ", one.iterations, " (", one.reason, ") on one rank");
}

void Checked::all()
{
  set_up();
  if (f.refused) {
    if (!error) solves();
    return;
  }
  linear();
  if (c.has(SYMMETRIC)) symmetric();
  transposed();
  solves();
  ranks();
  history();
}

} // namespace

Findings check(const Configuration &c, const std::function<void(long)> &before)
{
  Findings       f;
  const Settings settings(c);

  try {
    Checked(c, before, f).all();
  } catch (const Wrong &w) {
    f.wrong = w.what;
  }
  before(-1);
  return f;
}

} // namespace goza_fuzz
