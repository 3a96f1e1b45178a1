/* The KSP type fusedcg: preconditioned conjugate gradients with PETSc's semantics (its `cg`), in few passes over the vectors. */
#include "cg_passes.hpp"
#include "fused.hpp"
#include "fused_method.hpp"
#include "solver_object.hpp"

namespace goza::ksp {
namespace {

/* On one rank the sums are known where they are needed. On several, all sums of an iteration are added up at a time, as Chronopoulos and Gear do: A p is s + b
   w with s = A z, and p'A p is expanded in sums over z, s, and the p and w before. They drop the terms that vanish where A is symmetric; kept, they make it the
   same method as on one rank for matrices that are not, as with boundary conditions in rows alone.

   On one rank x follows a direction late: x + a p is made when p is needed no more, in the pass that makes the next p.

   On a device where nobody looks at x an iteration is recorded, and the device repeats it by itself until it sees that the host might end the solve: the host
   reads what each iteration tells and follows. An iteration ends with the norm: that of z, or with what comes of it that of r. Several ranks do so where their
   devices reach one another, and add up by themselves: together, since all see the same. */
class ConjugateGradients : public FusedMethod<ConjugateGradients, CgScalars> {
  friend FusedMethod;

public:
  enum : PetscInt { // the vectors of CgVectors
    R,
    P,
    W,
    Z, // on one rank it may be in single precision, in the cycle
    S,
    most_vectors
  };

  ConjugateGradients(KSP ksp, KrylovSpace &space, Scalars<CgScalars> &scalars) :
    FusedMethod(ksp, space, scalars), merged_(!space.one_rank()), norm_of_r_(ksp->normtype == KSP_NORM_UNPRECONDITIONED), narrow_z_(space.narrow_solution())
  {
  }

private:
  CgVectors vectors() { return {K_[KrylovSpace::solution], K_[R], K_[Z], K_[P], K_[W], merged_ ? K_[S] : nullptr, narrow_z_}; }

  /* z = M r, and the sums with it. */
  PetscErrorCode precondition()
  {
    PetscFunctionBegin;
    if (!merged_) {
      PetscCall(K_.precondition(R, Z, narrow_z_ != nullptr));
      PetscCall(pass(4, CgProducts{vectors(), tells(), !norm_of_r_, loop_.more()}));
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    PetscCall(merged_products());
    if (by_devices_) PetscCall(listen());
    else PetscCall(add_up([&] { return add_up_products(); }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /* The one reduction of an iteration, by devices where they can. Scalars that come of it are the same on every rank. */
  PetscErrorCode merged_products()
  {
    PetscFunctionBegin;
    PetscCall(K_.precondition(R, Z));
    PetscCall(K_.multiply(Z, S));
    PetscCall(pass(first_ ? 6 : 10, CgMergedProducts{vectors(), keeps(), norm_of_r_, first_}));
    if (by_devices_)
      PetscCall(Guarded([&] {
        K_.rank_sums().sum_on_devices(&keeps().there->zr, CgScalars::merged_sums);
        for_each_row(K_.space(), 1, bound<end_cg_merged>(tells(), loop_.more()));
      }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode add_up_products()
  {
    PetscFunctionBegin;
    PetscCall(K_.sum_over_ranks(&now_.zr, CgScalars::merged_sums));
    now_.begin_merged_direction();
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode merged_step(bool in_loop) { return pass(8, CgMergedStep{vectors(), keeps(), std::exchange(first_, false), in_loop}); }

  /* p, and x with the one before. */
  PetscErrorCode direction(const DirectionPass &what) { return pass(4, CgDirection{vectors(), keeps(), what}); }
  PetscErrorCode next_direction() { return direction({std::exchange(first_, false), std::exchange(x_is_late_, false)}); }

  /* A p and r. */
  PetscErrorCode residual()
  {
    PetscFunctionBegin;
    PetscCall(K_.multiply_dot(P, P, W, &keeps().there->pw));
    PetscCall(K_.log_flops(2));
    if (norm_of_r_) PetscCall(pass(4, CgResidual<true>{vectors(), tells(), loop_.more()}));
    else PetscCall(pass(2, CgResidual<false>{vectors(), keeps(), loop_.more()}));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode catch_up()
  {
    PetscFunctionBegin;
    x_is_late_ = false;
    PetscCall(direction({false, true, false, true}));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /* --- the device by itself */

  PetscErrorCode let_device_go_on(PetscInt iterations, bool all_launched)
  {
    PetscFunctionBegin;
    if (loop_.on() && now_.end.stop && !norm_of_r_ && !merged_) PetscCall(direction({false, false})); /* which the device has left */
    PetscCall(loop_.go_on(now_.end.stop, iterations, all_launched, norm_of_r_, [&]() -> PetscErrorCode {
      PetscFunctionBegin;
      if (merged_) {
        PetscCall(merged_step(true));
        PetscCall(merged_products());
        PetscFunctionReturn(PETSC_SUCCESS);
      }
      if (!norm_of_r_) PetscCall(residual());
      PetscCall(precondition());
      PetscCall(direction({false, true, true}));
      if (norm_of_r_) PetscCall(residual());
      PetscFunctionReturn(PETSC_SUCCESS);
    }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /* --- the host follows */

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

  /* The first residual, its norm and its z. */
  PetscErrorCode begin()
  {
    const bool norm_of_z = ksp_->normtype == KSP_NORM_PRECONDITIONED || ksp_->normtype == KSP_NORM_NATURAL;
    PetscReal  dp;

    PetscFunctionBegin;
    if (!merged_) PetscCall(K_.more_vectors(S, narrow_z_ ? Z : KrylovSpace::solution));
    PetscCall(K_.first_residual(R));
    if (norm_of_z) {
      PetscCall(precondition());
      if (!merged_) PetscCall(listen());
    } else if (norm_of_r_) {
      PetscCall(pass(2, CgNorm{vectors(), tells()}));
      PetscCall(listen());
      if (merged_) PetscCall(K_.sum_over_ranks(&now_.norm, 1));
    }
    dp = norm();
    PetscCall(check_norm(dp));
    if (ksp_->reason) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(report(0, dp));
    if (ksp_->reason) PetscFunctionReturn(PETSC_SUCCESS);
    if (!norm_of_z) {
      PetscCall(precondition());
      if (!merged_) PetscCall(listen());
    }
    PetscCall(K_.check_dot(now_.beta));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /* beta and beta_old are z'r of this z and the one before. */
  PetscErrorCode check_beta(PetscScalar beta, PetscScalar beta_old)
  {
    PetscFunctionBegin;
    if (beta == 0) {
      ksp_->reason = KSP_CONVERGED_ATOL;
      PetscCall(PetscInfo(ksp_, "converged due to beta = 0\n"));
    } else if (PetscRealPart(beta * beta_old) < 0) {
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
    PetscCall(advance(i));
    PetscCall(look(i, &dp));
    if (ksp_->reason) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(report(i + 1, dp));
    if (ksp_->reason) PetscFunctionReturn(PETSC_SUCCESS);
    if (norm_of_r_ && !merged_) PetscCall(find_beta(i));
    PetscCall(K_.check_dot(now_.beta));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /* Until x and r are new, or x late; and z where the norm is its. */
  PetscErrorCode advance(PetscInt i)
  {
    PetscFunctionBegin;
    if (merged_) {
      PetscCall(let_device_go_on(ksp_->max_it - i, i > 0));
      if (!loop_.on()) PetscCall(merged_step(false));
      if (loop_.on()) PetscCall(listen());
      else PetscCall(precondition());
      PetscCall(loop_.heard());
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    if (!loop_.on()) PetscCall(next_direction());
    if (!norm_of_r_) PetscCall(let_device_go_on(ksp_->max_it - i, i > 0));
    if (!loop_.on()) {
      PetscCall(residual());
      if (!norm_of_r_) PetscCall(precondition());
    }
    x_is_late_ = !loop_.on() || norm_of_r_;
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /* What has come of it, and the norm. */
  PetscErrorCode look(PetscInt i, PetscReal *dp)
  {
    PetscFunctionBegin;
    if (!merged_) {
      PetscCall(listen());
      PetscCall(loop_.heard());
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

  /* z where the norm is r's: a device goes on by itself, and adds to x what is due. */
  PetscErrorCode find_beta(PetscInt i)
  {
    PetscFunctionBegin;
    if (i + 1 < ksp_->max_it) PetscCall(let_device_go_on(ksp_->max_it - i - 1, true));
    else loop_.leave();
    if (loop_.on()) x_is_late_ = false;
    else PetscCall(precondition());
    PetscCall(listen());
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  const bool                merged_, norm_of_r_;
  const SingleScalar *const narrow_z_; // where z may stay
  PetscScalar               beta_old_ = 0, pw_old_ = 0;
};

} // namespace

static PetscErrorCode KSPSolve_FusedCG(KSP ksp)
{
  return SolveFused<CgScalars, ConjugateGradients>(ksp, ksp_on_one_rank(ksp) ? ConjugateGradients::Z : ConjugateGradients::most_vectors);
}

/*MC
   KSPFUSEDCG - "fusedcg": `KSPCG` in few passes over the vectors, with all of them where the operator is, on the host or on an NVIDIA GPU

   Level: beginner

   Notes:
   Norm types, convergence tests, monitors, reasons and iterates are those of `KSPCG`, up to rounding.

   With a matrix of Goza's and `PCSAAMG`, `PCJACOBI`, `PCPBJACOBI` or `PCNONE` the whole iteration runs where the matrix is, also with a PETSc that has no
   GPU: the right-hand side and the solution are copied there once a solve and the solution back once (with a monitor or convergence test that may look at the
   solution, each time that it does). With any other matrix or preconditioner, or for `KSPSolveTranspose()`, products and preconditioning are PETSc's, and
   `-info` says why.

   On several ranks all inner products of an iteration are added up by one reduction, as with `KSPCGUseSingleReduction()`: the preconditioner and one product
   with the matrix are then applied once more than with `KSPCG`. A null space that is removed takes a reduction of its own.

   Where nobody looks at the solution on the way, a device goes on from one iteration to the next by itself, and the host follows what it tells. On several
   ranks their devices do so together, and add up by themselves, where they reach one another's memory (`-goza_halo peer`). `-goza_info` counts such iterations.

   With complex scalars matrix and preconditioner are to be Hermitian, as for `KSP_CG_HERMITIAN`; for `KSP_CG_SYMMETRIC` use `KSPFUSEDGMRES` or `KSPFUSEDBCGS`.

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
