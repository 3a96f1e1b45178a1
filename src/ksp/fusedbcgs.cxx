/* The KSP type fusedbcgs: flexible BiCGStab with PETSc's semantics (its `fbcgs`), in few passes over the vectors. */
#include "bcgs_kernels.hpp"
#include "device_loop.hpp"
#include "fused.hpp"
#include "petsc/errors.hpp"
#include "petscgoza.h"
#include "solver_object.hpp"

namespace goza::ksp
{

namespace
{

enum : PetscInt { // the vectors of BcgsVectors
  R,
  Q,
  V,
  P,
  MP,
  MS,
  T,
  all_vectors
};

/* x follows late, in the pass that makes the next direction, and a device repeats iterations by itself: see ConjugateGradients. The passes that make p and s take the first
   steps of their cycles.

   On several ranks there are two reductions in an iteration, one behind each product: the norm and rho are expanded in sums that the second one adds up, and a third is
   needed only where they cancel. */
class BiCGStab {
public:
  BiCGStab(KSP ksp, KrylovSpace &space, Scalars<BcgsScalars> &scalars) :
    ksp_(ksp), K_(space), scalars_(scalars), whole_(space.one_rank()), first_of_p_(space.first_step(MP)), first_of_s_(space.first_step(MS)), loop_(ksp, space, scalars)
  {
  }

  PetscErrorCode solve()
  {
    PetscFunctionBegin;
    ksp_->its = 0;
    PetscCall(Guarded([&] {
      scalars_.forget();
      scalars_.set(BcgsScalars());
    }));
    PetscCall(begin());
    if (!ksp_->reason) PetscCall(iterate());
    if (x_is_late_) PetscCall(catch_up());
    PetscFunctionReturn(PETSC_SUCCESS);
  }

private:
  BcgsVectors     vectors() { return {K_[KrylovSpace::solution], K_[R], K_[Q], K_[V], K_[P], K_[MP], K_[MS], K_[T]}; }
  BcgsScalarsView tells() { return scalars_.view(true); }
  BcgsScalarsView keeps() { return scalars_.view(false); }

  template <class Pass> PetscErrorCode pass(PetscLogDouble flops_per_row, const Pass &run)
  {
    PetscFunctionBegin;
    PetscCall(Guarded([&] { run(K_.space(), K_.n(), vectors(), K_.sums()); }));
    PetscCall(K_.log_flops(flops_per_row));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /* The scalars as this rank's passes have left them; change() makes them those of all ranks. */
  template <class Change> PetscErrorCode add_up(const Change &change)
  {
    PetscFunctionBegin;
    PetscCall(Guarded([&] { now_ = scalars_.get(); }));
    PetscCall(change());
    PetscCall(Guarded([&] { scalars_.set(now_); }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscReal norm() const { return ksp_->normtype == KSP_NORM_NONE ? 0 : PetscSqrtReal(PetscRealPart(now_.rr)); }

  PetscErrorCode begin()
  {
    PetscFunctionBegin;
    PetscCall(K_.first_residual(R));
    PetscCall(pass(2, [&](Space space, PetscInt n, const BcgsVectors &v, FusedSums &sums) { bcgs_begin(space, n, v, tells(), sums); }));
    PetscCall(Guarded([&] { now_ = scalars_.told(); }));
    if (!whole_)
      PetscCall(add_up([&] {
        const PetscErrorCode failed = K_.sum_over_ranks(&now_.rr, 1);

        now_.rho = now_.rr;
        return failed;
      }));
    dp_ = norm();
    PetscCall(report(0, dp_));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode report(PetscInt it, PetscReal norm)
  {
    PetscFunctionBegin;
    PetscCall(K_.report(it, norm, [&] { return x_is_late_ ? catch_up() : PETSC_SUCCESS; }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode catch_up()
  {
    PetscFunctionBegin;
    x_is_late_ = false;
    PetscCall(pass(4, [&](Space space, PetscInt n, const BcgsVectors &v, FusedSums &sums) {
      bcgs_direction(space, n, v, keeps(), {false, true, false, true}, {}, sums);
    }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode direction(const BcgsDirection &what)
  {
    PetscFunctionBegin;
    PetscCall(pass(what.first ? 0 : 8,
                   [&](Space space, PetscInt n, const BcgsVectors &v, FusedSums &sums) { bcgs_direction(space, n, v, keeps(), what, first_of_p_, sums); }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode halves()
  {
    PetscFunctionBegin;
    PetscCall(K_.precondition(P, MP, {first_of_p_.kind != AnyFirstStep::none}));
    PetscCall(K_.multiply_dot(MP, Q, V, &keeps().there->vq));
    if (!whole_) PetscCall(add_up([&] { return K_.sum_over_ranks(&now_.vq, 1); }));
    PetscCall(pass(4, [&](Space space, PetscInt n, const BcgsVectors &v, FusedSums &sums) { bcgs_first_half(space, n, v, keeps(), first_of_s_, sums); }));
    PetscCall(K_.precondition(R, MS, {first_of_s_.kind != AnyFirstStep::none}));
    if (whole_) PetscCall(K_.multiply_dot(MS, R, T, &keeps().there->st, &keeps().there->tt));
    else PetscCall(K_.multiply(MS, T));
    if (whole_) PetscCall(K_.log_flops(4));
    else {
      PetscCall(pass(8, [&](Space space, PetscInt n, const BcgsVectors &v, FusedSums &sums) { bcgs_products(space, n, v, keeps(), sums); }));
      PetscCall(add_up([&] { return add_up_products(); }));
    }
    const BcgsScalars summed = now_;
    PetscCall(pass(6, [&](Space space, PetscInt n, const BcgsVectors &v, FusedSums &sums) {
      bcgs_second_half(space, n, v, whole_ ? tells() : keeps(), whole_, loop_.more(), sums);
    }));
    if (!whole_) PetscCall(add_up([&] { return expand_residual(summed); }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode add_up_products()
  {
    PetscScalar sums[] = {now_.ss, now_.st, now_.tt, now_.sq, now_.tq};

    PetscFunctionBegin;
    PetscCall(K_.sum_over_ranks(sums, 5));
    now_.ss = sums[0];
    now_.st = sums[1];
    now_.tt = sums[2];
    now_.sq = sums[3];
    now_.tq = sums[4];
    now_.end_second_half();
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /* Products of r = s - omega t from those of s and t, which are `summed` over the ranks; now_ has this rank's own. */
  PetscErrorCode expand_residual(const BcgsScalars &summed)
  {
    constexpr PetscReal few_digits = 1e-6; /* what may be lost of them */
    PetscScalar         own[]      = {now_.rr, now_.rq};
    const PetscScalar   w          = summed.omega;

    PetscFunctionBegin;
    now_.rr = summed.ss - 2 * w * summed.st + w * w * summed.tt;
    now_.rq = summed.sq - w * summed.tq;
    if (!(now_.rr > few_digits * summed.ss && PetscAbsScalar(now_.rq) > few_digits * (PetscAbsScalar(summed.sq) + PetscAbsScalar(w * summed.tq)))) {
      PetscCall(K_.sum_over_ranks(own, 2));
      now_.rr = own[0];
      now_.rq = own[1];
    }
    now_.begin_direction();
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode iterate()
  {
    PetscInt i = 0;

    PetscFunctionBegin;
    do {
      PetscCall(step(i));
      if (ksp_->reason) break;
      i++;
    } while (i < ksp_->max_it);
    if (i >= ksp_->max_it) ksp_->reason = KSP_DIVERGED_ITS;
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode step(PetscInt i)
  {
    PetscFunctionBegin;
    if (!loop_.on()) PetscCall(direction({std::exchange(first_, false), std::exchange(x_is_late_, false)}));
    else if (now_.end.stop) PetscCall(direction({false, false})); /* which the device has left */
    PetscCall(loop_.go_on(now_.end.stop, ksp_->max_it - i, i > 0, 0, [&]() -> PetscErrorCode {
      PetscFunctionBegin;
      PetscCall(halves());
      PetscCall(direction({false, true, true}));
      PetscFunctionReturn(PETSC_SUCCESS);
    }));
    if (!loop_.on()) PetscCall(halves());
    x_is_late_ = !loop_.on();
    if (whole_) PetscCall(Guarded([&] { now_ = scalars_.told(); }));
    PetscCall(loop_.heard());
    PetscCall(look_for_breakdown(i));
    if (ksp_->reason) PetscFunctionReturn(PETSC_SUCCESS);
    if (ksp_->normtype != KSP_NORM_NONE && ksp_->chknorm < i + 2) dp_ = norm();
    ksp_->its++;
    PetscCall(report(i + 1, dp_));
    if (ksp_->reason || now_.rho_old != 0) PetscFunctionReturn(PETSC_SUCCESS);
    ksp_->reason = KSP_DIVERGED_BREAKDOWN;
    PetscCall(PetscInfo(ksp_, "Breakdown due to zero rho inner product\n"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode look_for_breakdown(PetscInt i)
  {
    PetscFunctionBegin;
    if (now_.vq == 0) {
      x_is_late_   = false;
      ksp_->reason = KSP_DIVERGED_BREAKDOWN;
      PetscCall(PetscInfo(ksp_, "Breakdown due to zero inner product\n"));
    } else if (now_.tt == 0 && now_.ss != 0) {
      x_is_late_   = false;
      ksp_->reason = KSP_DIVERGED_BREAKDOWN;
      PetscCall(PetscInfo(ksp_, "Failed due to singular preconditioned operator\n"));
    } else if (now_.tt == 0) { /* s is 0: x + alpha M p is the solution */
      ksp_->its++;
      ksp_->rnorm  = 0;
      ksp_->reason = KSP_CONVERGED_RTOL;
      PetscCall(KSPLogResidualHistory(ksp_, dp_));
      PetscCall(KSPMonitor(ksp_, i + 1, 0));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  KSP                     ksp_;
  KrylovSpace            &K_;
  Scalars<BcgsScalars>   &scalars_;
  const bool              whole_; // sums of this rank are those of all
  const AnyFirstStep      first_of_p_, first_of_s_;
  DeviceLoop<BcgsScalars> loop_;
  bool                    first_ = true, x_is_late_ = false;
  BcgsScalars             now_{}; // as the host knows them
  PetscReal               dp_ = 0;
};

} // namespace

static PetscErrorCode KSPSolve_FusedBCGS(KSP ksp)
{
  PetscFunctionBegin;
  PetscCall((SolveFused<BcgsScalars, BiCGStab>(ksp, all_vectors)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
   KSPFUSEDBCGS - "fusedbcgs": `KSPFBCGS`, flexible BiCGStab, in few passes over the vectors, with all of them where the operator is, on the host or on an NVIDIA GPU

   Level: beginner

   Notes:
   Norm types, convergence tests, monitors, reasons and iterates are those of `KSPFBCGS`, up to rounding; where the preconditioner's set-up has failed, it says so at once. The
   preconditioner may change from one application to the next, as a cycle in low precision does. What runs where is as for `KSPFUSEDCG`.

   On several ranks there are two reductions in an iteration, one behind each product with the matrix, and a third where sums would cancel. A preconditioner that may change needs
   both: what it is applied to the second time is known when the first step's length is. With a single reduction, as in `KSPIBCGS`, it must be linear.

   Only right preconditioning is supported.

.seealso: `KSPFBCGS`, `KSPFUSEDCG`, `KSPFUSEDGMRES`, `PCSAAMG`
M*/
PetscErrorCode KSPCreate_FusedBCGS(KSP ksp)
{
  PetscFunctionBegin;
  ksp->pc_side = PC_RIGHT;
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_UNPRECONDITIONED, PC_RIGHT, 2));
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_NONE, PC_RIGHT, 1));
  PetscCall(SetUpObject<FusedData<BcgsScalars>>(ksp, KSPSolve_FusedBCGS));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::ksp
