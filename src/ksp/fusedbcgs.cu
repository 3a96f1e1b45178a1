/* The KSP type fusedbcgs: flexible BiCGStab with PETSc's semantics (its `fbcgs`), in few passes over the vectors. */
#include "bcgs_passes.hpp"
#include "fused.hpp"
#include "fused_method.hpp"
#include "petscgoza.h"
#include "solver_object.hpp"
#include "vector_kernels.hpp"

namespace goza::ksp {
namespace {

enum : PetscInt { // the vectors of BcgsVectors
  R,
  Q,
  V,
  P,
  MP,
  MS,
  T,
  ATQ, // A^H q, on several ranks
  most_vectors
};

/* x follows late, in the pass that makes the next direction, and a device repeats iterations by itself: see ConjugateGradients.

   On several ranks one reduction of an iteration is waited for, behind the second product: the norm and rho are expanded in sums that it adds up, and another
   is needed only where they cancel. What alpha needs is added up beside the first product: q^H v is (A^H q)^H M p, which is known before v is. How much the two
   differ by rounding shows in q^H s, which is 0 but for that; where it has cost digits, or A has no transposed product, q^H v itself is summed up and waited
   for. Devices that reach one another add up by themselves, in the same order, and so repeat iterations on several ranks as well. */
class BiCGStab : public FusedMethod<BiCGStab, BcgsScalars> {
  friend FusedMethod;

public:
  using FusedMethod::FusedMethod;

private:
  BcgsVectors vectors() { return {K_[KrylovSpace::solution], K_[R], K_[Q], K_[V], K_[P], K_[MP], K_[MS], K_[T]}; }

  PetscReal norm() const { return ksp_->normtype == KSP_NORM_NONE ? 0 : PetscSqrtReal(PetscRealPart(now_.rr)); }

  PetscErrorCode begin()
  {
    PetscFunctionBegin;
    early_ = !whole_ && K_.has_transpose();
    PetscCall(K_.first_residual(R));
    PetscCall(pass(2, BcgsBegin{vectors(), tells()}));
    PetscCall(listen());
    if (!whole_)
      PetscCall(add_up([&] {
        const PetscErrorCode failed = K_.sum_over_ranks(&now_.rr, 1);

        now_.rho = now_.rr;
        return failed;
      }));
    dp_ = norm();
    PetscCall(report(0, dp_));
    if (early_ && !ksp_->reason) PetscCall(K_.multiply_transposed(Q, ATQ));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode catch_up()
  {
    PetscFunctionBegin;
    x_is_late_ = false;
    PetscCall(pass(4, BcgsDirection{vectors(), keeps(), {false, true, false, true}}));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode direction(const DirectionPass &what) { return pass(what.first ? 0 : 8, BcgsDirection{vectors(), keeps(), what}); }

  /* On the device, where nobody waits. */
  PetscErrorCode add_up_there(PetscScalar *values, PetscInt n, const bool *wanted = nullptr)
  {
    return Guarded([&] { K_.rank_sums().sum_on_devices(values, n, wanted); });
  }

  /* v and q^H v. */
  PetscErrorCode first_product()
  {
    PetscScalar *vq = &keeps().there->vq;

    PetscFunctionBegin;
    if (early_) {
      PetscCall(Guarded([&] { dot(K_.space(), K_.n(), K_[MP], K_[ATQ], vq, K_.sums()); }));
      if (by_devices_) {
        PetscCall(add_up_there(vq, 1));
        PetscCall(K_.multiply(MP, V));
      } else PetscCall(add_up([&] { return K_.rank_sums().sum_beside(&now_.vq, 1, [&] { return K_.multiply(MP, V); }); }));
    } else {
      PetscCall(K_.multiply_dot(MP, Q, V, vq));
      if (by_devices_) PetscCall(add_up_there(vq, 1));
      else if (!whole_) PetscCall(add_up([&] { return K_.sum_over_ranks(&now_.vq, 1); }));
    }
    PetscCall(K_.log_flops(2));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode second_half() { return pass(6, BcgsSecondHalf{vectors(), whole_ ? tells() : keeps(), whole_, loop_.more()}); }

  PetscErrorCode halves()
  {
    PetscFunctionBegin;
    PetscCall(K_.precondition(P, MP));
    PetscCall(first_product());
    PetscCall(pass(4, BcgsFirstHalf{vectors(), keeps()}));
    PetscCall(K_.precondition(R, MS));
    if (whole_) {
      PetscCall(K_.multiply_dot(MS, R, T, &keeps().there->st, &keeps().there->tt));
      PetscCall(K_.log_flops(4));
      PetscCall(second_half());
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    PetscCall(K_.multiply(MS, T));
    PetscCall(pass(8, BcgsProducts{vectors(), keeps()}));
    if (by_devices_) PetscCall(second_half_by_devices());
    else {
      PetscCall(add_up([&] { return add_up_products(); }));
      PetscCall(second_half());
      PetscCall(add_up([&] { return add_up_residual(); }));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode second_half_by_devices()
  {
    BcgsScalars *there = keeps().there;

    PetscFunctionBegin;
    PetscCall(add_up_there(&there->ss, BcgsScalars::products));
    PetscCall(Guarded([&] { for_each_row(K_.space(), 1, bound<expand_bcgs_residual>(keeps(), early_)); }));
    PetscCall(second_half());
    PetscCall(add_up_there(&there->rr, 2, &there->cancels));
    PetscCall(Guarded([&] { for_each_row(K_.space(), 1, bound<end_bcgs>(tells(), loop_.more())); }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode add_up_products()
  {
    PetscFunctionBegin;
    PetscCall(K_.sum_over_ranks(&now_.ss, BcgsScalars::products));
    now_.expand_residual(early_);
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode add_up_residual()
  {
    PetscFunctionBegin;
    if (now_.cancels) PetscCall(K_.sum_over_ranks(&now_.rr, 2));
    now_.begin_expanded_direction();
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode step(PetscInt i)
  {
    PetscFunctionBegin;
    if (!loop_.on()) PetscCall(direction({std::exchange(first_, false), std::exchange(x_is_late_, false)}));
    else if (now_.end.stop) PetscCall(direction({false, false})); /* which the device has left */
    PetscCall(loop_.go_on(now_.end.stop, ksp_->max_it - i, i > 0, early_, [&]() -> PetscErrorCode {
      PetscFunctionBegin;
      PetscCall(halves());
      PetscCall(direction({false, true, true}));
      PetscFunctionReturn(PETSC_SUCCESS);
    }));
    if (!loop_.on()) PetscCall(halves());
    x_is_late_ = !loop_.on();
    if (whole_ || by_devices_) PetscCall(listen());
    PetscCall(loop_.heard());
    if (now_.lost) {
      early_ = false;
      loop_.leave();
    }
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

  bool      early_ = false; // q^H v is summed up beside the product, or before it
  PetscReal dp_    = 0;
};

} // namespace

static PetscErrorCode KSPSolve_FusedBCGS(KSP ksp) { return SolveFused<BcgsScalars, BiCGStab>(ksp, ksp_on_one_rank(ksp) ? ATQ : most_vectors); }

/*MC
   KSPFUSEDBCGS - "fusedbcgs": `KSPFBCGS`, flexible BiCGStab, in few passes over the vectors, with all of them where the operator is, on the host or on an
   NVIDIA GPU

   Level: beginner

   Notes:
   Norm types, convergence tests, monitors, reasons and iterates are those of `KSPFBCGS`, up to rounding; where the preconditioner's set-up has failed, it says
   so at once. The preconditioner may change from one application to the next, as a cycle in low precision does. What runs where is as for `KSPFUSEDCG`.

   On several ranks one reduction in an iteration is waited for, behind the second product with the matrix, and another where sums would cancel. What the first
   step's length needs is added up while the first product is under way, for which a solve begins with one transposed product; of operators that are not
   `MATAIJ` or derived from it the sum is waited for. Devices that reach one another's memory add up by themselves, and hosts wait for none of it.

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
