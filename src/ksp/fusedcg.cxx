/* The KSP type fusedcg: preconditioned conjugate gradients with PETSc's semantics (its `cg`), in few passes over the vectors. */
#include "cg_kernels.hpp"
#include "fused.hpp"
#include "krylov_space.hpp"
#include "petsc/errors.hpp"
#include "petscgoza.h"
#include "solver_object.hpp"

namespace goza::ksp
{

namespace
{

enum : PetscInt { // the vectors of CgVectors
  R,
  Z,
  P,
  W,
  S,
  most_vectors
};

/* On one rank the sums are known where they are needed. On several, all sums of an iteration are added up at a time, as Chronopoulos and Gear do: A p is s + b w with
   s = A z, and p'A p is expanded in sums over z, s, and the p and w before. They drop the terms that vanish where A is symmetric; kept, they make it the same method as on
   one rank for matrices that are not, as with boundary conditions in rows alone.

   On one rank x follows a direction late: x + a p is made when p is needed no more, in the pass that makes the next p. On a device the host can therefore let the device
   begin the next iteration before it has seen the norm of this one: if that was the last, nothing of what has begun has touched x but the addition that was due. */
class ConjugateGradients {
public:
  ConjugateGradients(KSP ksp, KrylovSpace &space, Scalars<CgScalars> &scalars) :
    ksp_(ksp), K_(space), scalars_(scalars), merged_(!space.alone()), norm_of_r_(ksp->normtype == KSP_NORM_UNPRECONDITIONED)
  {
  }

  PetscErrorCode solve()
  {
    PetscFunctionBegin;
    ksp_->its = 0;
    PetscCall(Guarded([&] {
      scalars_.forget();
      scalars_.set(CgScalars());
    }));
    PetscCall(begin());
    if (!ksp_->reason) PetscCall(iterate());
    if (x_is_late_) PetscCall(catch_up());
    PetscFunctionReturn(PETSC_SUCCESS);
  }

private:
  CgVectors     vectors() { return {K_[KrylovSpace::solution], K_[R], K_[Z], K_[P], K_[W], merged_ ? K_[S] : nullptr}; }
  CgScalarsView tells() { return scalars_.view(true); }
  CgScalarsView keeps() { return scalars_.view(false); }

  template <class Pass> PetscErrorCode pass(PetscLogDouble flops_per_row, const Pass &run)
  {
    PetscFunctionBegin;
    PetscCall(Guarded([&] { run(K_.space(), K_.n(), vectors(), K_.sums()); }));
    PetscCall(K_.log_flops(flops_per_row));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode listen()
  {
    PetscFunctionBegin;
    PetscCall(Guarded([&] { now_ = scalars_.told(); }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /* z = M r, and the sums with it. tell: the host listens. */
  PetscErrorCode precondition(bool tell)
  {
    PetscFunctionBegin;
    PetscCall(K_.precondition(R, Z));
    if (!merged_) {
      PetscCall(pass(4, [&](Space space, PetscInt n, const CgVectors &v, FusedSums &sums) { cg_products(space, n, v, tell ? tells() : keeps(), sums); }));
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    PetscCall(K_.multiply(Z, S));
    PetscCall(pass(first_ ? 6 : 10,
                   [&](Space space, PetscInt n, const CgVectors &v, FusedSums &sums) { cg_merged_products(space, n, v, keeps(), norm_of_r_, first_, sums); }));
    PetscCall(add_up());
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /* The one reduction of an iteration. Scalars that come of it are the same on every rank. */
  PetscErrorCode add_up()
  {
    CgScalars here{};

    PetscFunctionBegin;
    PetscCall(Guarded([&] { here = scalars_.get(); }));
    PetscScalar sums[] = {here.zr, here.norm, here.zs, here.mixed};
    PetscCall(K_.sum_over_ranks(sums, 4));
    now_.zr    = sums[0];
    now_.norm  = sums[1];
    now_.zs    = sums[2];
    now_.mixed = sums[3];
    now_.begin_direction();
    now_.expand_product();
    now_.a = now_.step();
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /* p, A p, r; and x, on one rank the one before. */
  PetscErrorCode advance()
  {
    const bool first = first_, late = x_is_late_;

    PetscFunctionBegin;
    first_     = false;
    x_is_late_ = false;
    if (merged_) {
      PetscCall(Guarded([&] { scalars_.set(now_); }));
      PetscCall(pass(8, [&](Space space, PetscInt n, const CgVectors &v, FusedSums &sums) { cg_merged_step(space, n, v, keeps(), first, sums); }));
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    PetscCall(pass(4, [&](Space space, PetscInt n, const CgVectors &v, FusedSums &sums) { cg_direction(space, n, v, keeps(), first, late, sums); }));
    PetscCall(K_.multiply_dot(P, P, W, &keeps().there->pw));
    PetscCall(K_.log_flops(2));
    PetscCall(pass(norm_of_r_ ? 4 : 2, [&](Space space, PetscInt n, const CgVectors &v, FusedSums &sums) {
      cg_residual(space, n, v, norm_of_r_ ? tells() : keeps(), norm_of_r_, sums);
    }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode catch_up()
  {
    PetscFunctionBegin;
    x_is_late_ = false;
    PetscCall(pass(2, [&](Space space, PetscInt n, const CgVectors &v, FusedSums &sums) { cg_solution(space, n, v, keeps(), sums); }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscReal norm() const
  {
    switch (ksp_->normtype) {
    case KSP_NORM_NATURAL:
      return PetscSqrtReal(PetscAbsScalar(now_.zr));
    case KSP_NORM_NONE:
      return 0;
    default:
      return PetscSqrtReal(PetscRealPart(now_.norm));
    }
  }

  PetscErrorCode check_norm(PetscReal norm)
  {
    PetscFunctionBegin;
    if (ksp_->normtype == KSP_NORM_NATURAL) PetscCall(K_.check_dot(now_.zr));
    else PetscCall(K_.check(norm));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode report(PetscInt it, PetscReal norm)
  {
    PetscFunctionBegin;
    PetscCall(K_.report(it, norm, [&] { return x_is_late_ ? catch_up() : PETSC_SUCCESS; }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /* The first residual, its norm and its z. */
  PetscErrorCode begin()
  {
    const bool norm_of_z = ksp_->normtype == KSP_NORM_PRECONDITIONED || ksp_->normtype == KSP_NORM_NATURAL;
    PetscReal  dp;

    PetscFunctionBegin;
    PetscCall(K_.first_residual(R));
    if (norm_of_z) {
      PetscCall(precondition(true));
      if (!merged_) PetscCall(listen());
    } else if (norm_of_r_) {
      PetscCall(pass(2, [&](Space space, PetscInt n, const CgVectors &v, FusedSums &sums) { cg_norm(space, n, v, tells(), sums); }));
      PetscCall(listen());
      if (merged_) PetscCall(K_.sum_over_ranks(&now_.norm, 1));
    }
    dp = norm();
    PetscCall(check_norm(dp));
    if (ksp_->reason) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(report(0, dp));
    if (ksp_->reason || norm_of_z) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(precondition(true));
    if (!merged_) PetscCall(listen());
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /* beta and beta_old are z'r of this z and the one before. */
  PetscErrorCode check_beta(PetscScalar beta, PetscScalar beta_old)
  {
    PetscFunctionBegin;
    if (beta == 0) {
      ksp_->reason = KSP_CONVERGED_ATOL;
      PetscCall(PetscInfo(ksp_, "converged due to beta = 0\n"));
    } else if (beta * beta_old < 0) {
      ksp_->reason = KSP_DIVERGED_INDEFINITE_PC;
      PetscCall(PetscInfo(ksp_, "diverging due to indefinite preconditioner\n"));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode check_product(PetscScalar pw)
  {
    CgScalars s;

    PetscFunctionBegin;
    PetscCall(K_.check_dot(pw));
    if (ksp_->reason) PetscFunctionReturn(PETSC_SUCCESS);
    s.pw     = pw;
    s.pw_old = pw_old_;
    pw_old_  = pw;
    if (!s.is_indefinite()) PetscFunctionReturn(PETSC_SUCCESS);
#if PETSC_VERSION_GE(3, 20, 0)
    if (ksp_->converged_neg_curve) {
      PetscCall(PetscInfo(ksp_, "converged due to negative curvature: %g\n", (double)PetscRealPart(pw)));
      ksp_->reason = KSP_CONVERGED_NEG_CURVE;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
#endif
    ksp_->reason = KSP_DIVERGED_INDEFINITE_MAT;
    PetscCall(PetscInfo(ksp_, "diverging due to indefinite matrix\n"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode iterate()
  {
    PetscInt i = 0;

    PetscFunctionBegin;
    PetscCall(K_.check_dot(now_.beta));
    while (!ksp_->reason) {
      PetscCall(step(i));
      if (ksp_->reason) break;
      if (++i >= ksp_->max_it) break;
    }
    if (i >= ksp_->max_it) ksp_->reason = KSP_DIVERGED_ITS;
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode step(PetscInt i)
  {
    PetscReal dp = 0;

    PetscFunctionBegin;
    ksp_->its = i + 1;
    PetscCall(check_beta(now_.beta, beta_old_));
    if (ksp_->reason) PetscFunctionReturn(PETSC_SUCCESS);
    beta_old_ = now_.beta;
    if (merged_) PetscCall(check_product(now_.pw));
    if (ksp_->reason) PetscFunctionReturn(PETSC_SUCCESS);
    if (!ahead_) PetscCall(advance());
    ahead_     = false;
    x_is_late_ = !merged_;
    PetscCall(look(i, &dp));
    if (ksp_->reason) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(report(i + 1, dp));
    if (ksp_->reason) PetscFunctionReturn(PETSC_SUCCESS);
    if (norm_of_r_ && !merged_) {
      PetscCall(precondition(true));
      PetscCall(listen());
    }
    PetscCall(K_.check_dot(now_.beta));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /* What has come of the step, and the norm. */
  PetscErrorCode look(PetscInt i, PetscReal *dp)
  {
    PetscFunctionBegin;
    if (merged_) PetscCall(precondition(false));
    else {
      if (!norm_of_r_) PetscCall(precondition(true));
      if (!norm_of_r_ && may_go_ahead(i)) PetscCall(go_ahead());
      PetscCall(listen());
      PetscCall(check_product(now_.pw));
      if (ksp_->reason) { /* a is 0 */
        x_is_late_ = false;
        PetscFunctionReturn(PETSC_SUCCESS);
      }
    }
    *dp = ksp_->chknorm < i + 2 || ksp_->normtype == KSP_NORM_NATURAL ? norm() : 0;
    PetscCall(check_norm(*dp));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  bool may_go_ahead(PetscInt i) const
  {
    return K_.space() == Space::Cuda && K_.native() && !K_.solution_is_seen() && i + 1 < ksp_->max_it;
  }

  PetscErrorCode go_ahead()
  {
    PetscFunctionBegin;
    PetscCall(advance());
    ahead_ = true;
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  KSP                 ksp_;
  KrylovSpace        &K_;
  Scalars<CgScalars> &scalars_;
  const bool          merged_, norm_of_r_;
  bool                first_ = true, ahead_ = false, x_is_late_ = false;
  CgScalars           now_{}; // as the host knows them
  PetscScalar         beta_old_ = 0, pw_old_ = 0;
};

} // namespace

static PetscErrorCode KSPSolve_FusedCG(KSP ksp)
{
  PetscFunctionBegin;
  PetscCall((SolveFused<CgScalars, ConjugateGradients>(ksp, ksp_is_alone(ksp) ? S : most_vectors)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
   KSPFUSEDCG - "fusedcg": `KSPCG` in few passes over the vectors, with all of them where the operator is, on the host or on an NVIDIA GPU

   Level: beginner

   Notes:
   Norm types, convergence tests, monitors, reasons and iterates are those of `KSPCG`, up to rounding.

   With a matrix of Goza's and `PCSAAMG`, `PCJACOBI`, `PCPBJACOBI` or `PCNONE` the whole iteration runs where the matrix is, also with a PETSc that has no GPU: the right-hand side and
   the solution are copied there once a solve and the solution back once (with a monitor or convergence test that may look at the solution, each time that it does). With any other matrix
   or preconditioner, or for `KSPSolveTranspose()`, products and preconditioning are PETSc's, and `-info` says why.

   On several ranks all inner products of an iteration are added up by one reduction, as with `KSPCGUseSingleReduction()`: the preconditioner and one product with the matrix are then applied
   once more than with `KSPCG`. A null space that is removed takes a reduction of its own.

   Not supported: eigenvalue estimates (`KSPSetComputeEigenvalues()`), and the trust regions of `KSPCGSetRadius()`.

.seealso: `KSPCG`, `PCSAAMG`, `MATCDS`, `MATAUTOFORMAT`
M*/
PetscErrorCode KSPCreate_FusedCG(KSP ksp)
{
  PetscFunctionBegin;
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_PRECONDITIONED, PC_LEFT, 3));
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_UNPRECONDITIONED, PC_LEFT, 2));
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_NATURAL, PC_LEFT, 2));
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_NONE, PC_LEFT, 1));
  PetscCall(SetUpObject<FusedData<CgScalars>>(ksp, KSPSolve_FusedCG));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::ksp
