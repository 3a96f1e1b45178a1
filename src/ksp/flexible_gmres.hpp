/* Flexible GMRES, the method: fusedgmres.cxx makes a KSP type of it. */
#pragma once
#include "gmres_kernels.hpp"
#include "krylov_space.hpp"

namespace goza::ksp {

class FlexibleGMRES;

struct FusedGMRES {
  KrylovSpace        space;
  Array<PetscScalar> h; // coefficients of the basis, where that is
  ColumnMessages     columns;
  PetscInt           restart = 30;
  PetscReal          haptol  = 1e-30;
  Vec                built   = NULL; // KSPBuildSolution()'s
  FlexibleGMRES     *running = nullptr;
};

/* On one rank a device makes a direction without the host, which reads its coefficients and rotates them meanwhile; where an application of the preconditioner
   costs little, and nobody looks at x, the next direction is launched before that.

   On several ranks there is one reduction in an iteration: the new vector's products with the basis and with itself. The norm of what is left of it comes of
   those, and where the basis has lost its orthogonality of a reduction of its own. */
class FlexibleGMRES {
public:
  FlexibleGMRES(KSP ksp, FusedGMRES &data) :
    ksp_(ksp),
    K_(data.space),
    h_there_(data.h),
    columns_(data.columns),
    haptol_(data.haptol),
    m_(data.restart),
    ld_(m_ + 2),
    H_(static_cast<std::size_t>(ld_) * (m_ + 1)),
    cos_(m_ + 1),
    sin_(m_ + 1),
    rs_(ld_),
    h_(m_ + 4),
    y_(m_),
    lengths_(m_ + 1, 1)
  {
    pointers_.reserve(ld_);
    if (h_there_.space() != K_.space()) h_there_ = Array<PetscScalar>(K_.space());
    h_there_.resize(h_.size());
    columns_.resize(K_.space(), static_cast<PetscInt>(h_.size()));
  }

  static PetscInt v(PetscInt k) { return 2 * k; }     // as the number of a vector: the basis,
  static PetscInt z(PetscInt k) { return 2 * k + 1; } // preconditioned

  PetscErrorCode solve()
  {
    PetscFunctionBegin;
    ksp_->its = 0;
    PetscCall(K_.first_residual(v(0)));
    PetscCall(cycle());
    while (!ksp_->reason) {
      PetscCall(K_.residual(v(0)));
      if (ksp_->its >= ksp_->max_it) break;
      PetscCall(cycle());
    }
    if (ksp_->its >= ksp_->max_it && !ksp_->reason) ksp_->reason = KSP_DIVERGED_ITS;
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /* x += what the directions so far give; x in the space. */
  PetscErrorCode add_correction(PetscScalar *x)
  {
    PetscFunctionBegin;
    if (!it_) PetscFunctionReturn(PETSC_SUCCESS);
    for (PetscInt k = it_ - 1; k >= 0; k--) {
      PetscScalar t = rs_[k];

      for (PetscInt j = k + 1; j < it_; j++) t -= H(k, j) * y_[j];
      y_[k] = k == it_ - 1 && H(k, k) == 0 ? 0 : t / H(k, k);
    }
    const auto &list = pointers(z, it_);
    PetscCall(Guarded([&] {
      write(y_.data(), it_);
      gmres_combine(K_.space(), K_.n(), 1, {list.data(), it_}, h_there_.data(), x, nullptr, K_.sums());
    }));
    PetscCall(K_.log_flops(2. * it_));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

private:
  PetscScalar &H(PetscInt row, PetscInt col) { return H_[static_cast<std::size_t>(col) * ld_ + row]; }

  /* Valid until the next call. */
  const std::vector<const PetscScalar *> &pointers(PetscInt (*number)(PetscInt), PetscInt n)
  {
    pointers_.clear();
    for (PetscInt k = 0; k < n; k++) pointers_.push_back(K_[number(k)]);
    return pointers_;
  }

  /* The coefficients, from where the basis is and back. Behind the products: the square of the norm of what this rank has left of a vector, and of all
     ranks'. */
  PetscInt left_at() const { return m_ + 2; }
  PetscInt norm_at() const { return K_.one_rank() ? m_ + 2 : m_ + 3; }
  void     read()
  {
    if (K_.space() == Space::Host) std::copy(h_there_.data(), h_there_.data() + h_.size(), h_.begin());
    else device::copy(h_.data(), h_there_.data(), h_.size() * sizeof(PetscScalar));
  }
  void write(const PetscScalar *h, PetscInt n, PetscInt first = 0)
  {
    if (K_.space() == Space::Host) std::copy(h, h + n, h_there_.data() + first);
    else device::copy(h_there_.data() + first, h, n * sizeof(PetscScalar));
  }

  /* *norm = |v_0|, and v_0 /= *norm */
  PetscErrorCode normalize_first(PetscReal *norm)
  {
    PetscFunctionBegin;
    const PetscScalar *v0[] = {K_[v(0)]};
    PetscCall(Guarded([&] {
      gmres_products(K_.space(), K_.n(), {v0, 1}, v0[0], h_there_.data(), K_.sums());
      read();
    }));
    if (!K_.one_rank()) {
      PetscCall(K_.sum_over_ranks(h_.data(), 1));
      PetscCall(Guarded([&] { write(h_.data(), 1); }));
    }
    PetscCall(Guarded([&] { gmres_normalize(K_.space(), K_.n(), h_there_.data(), K_[v(0)], {}, K_.sums()); }));
    PetscCall(K_.log_flops(3));
    *norm = PetscSqrtReal(PetscRealPart(h_[0]));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode cycle()
  {
    PetscReal res    = 0;
    bool      hapend = false;

    PetscFunctionBegin;
    it_    = 0;
    ahead_ = false;
    loss_  = PETSC_MACHINE_EPSILON;
    PetscCall(normalize_first(&res));
    PetscCall(K_.check(res));
    if (ksp_->reason) PetscFunctionReturn(PETSC_SUCCESS);
    rs_[0] = res;
    PetscCall(K_.report(ksp_->its, res, [] { return PETSC_SUCCESS; }));
    if (!ksp_->reason && res == 0) { /* without a norm there is no test that would have seen it */
      PetscCall(PetscInfo(ksp_, "Converged due to zero residual norm on entry\n"));
      ksp_->reason = KSP_CONVERGED_ATOL;
    }
    if (ksp_->reason) PetscFunctionReturn(PETSC_SUCCESS);
    while (!ksp_->reason && it_ < m_ && ksp_->its < ksp_->max_it) {
      if (it_) PetscCall(K_.monitor(ksp_->its, res));
      PetscCall(direction(&hapend));
      if (ksp_->reason) break;
      PetscCall(rotate(hapend, &res));
      if (ksp_->reason) break;
      it_++;
      ksp_->its++;
      ksp_->rnorm = res;
      PetscCall(K_.test(ksp_->its, res));
      if (hapend && !ksp_->reason) {
        PetscCall(PetscInfo(ksp_, "Reached happy break down, but convergence was not indicated. Residual norm = %g\n", (double)res));
        ksp_->reason = KSP_DIVERGED_BREAKDOWN;
      }
    }
    PetscCall(add_correction(K_[KrylovSpace::solution]));
    const PetscInt directions = std::exchange(it_, 0);
    if (!ksp_->reason && ksp_->its >= ksp_->max_it) ksp_->reason = KSP_DIVERGED_ITS;
    if (directions && ksp_->reason) PetscCall(K_.monitor(ksp_->its, res));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /* v_{k+1} = A M v_k, orthogonalized and normalized; column k of H. */
  PetscErrorCode direction(bool *hapend)
  {
    const PetscInt k    = it_;
    PetscReal      norm = 0;

    PetscFunctionBegin;
    if (!ahead_) PetscCall(launch(k));
    const ColumnMessage column = column_;
    ahead_                     = K_.one_rank() && K_.recordable() && K_.preconditions_cheaply() && k + 1 < m_ && ksp_->its + 1 < ksp_->max_it;
    if (ahead_) PetscCall(launch(k + 1));
    PetscCall(Guarded([&] { hear(column); }));
    norm = PetscIsInfOrNanScalar(h_[norm_at()]) ? PetscRealPart(h_[norm_at()]) : PetscSqrtReal(PetscMax(PetscRealPart(h_[norm_at()]), 0));
    PetscCall(K_.check(norm));
    if (ksp_->reason) PetscFunctionReturn(PETSC_SUCCESS);
    for (PetscInt j = 0; j <= k; j++) H(j, k) = h_[j];
    H(k + 1, k) = norm;
    *hapend     = !(norm > PetscMin(haptol_, PetscAbsScalar(norm / rs_[k])));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode launch(PetscInt k)
  {
    PetscFunctionBegin;
    if (K_.one_rank()) PetscCall(K_.more_vectors(2 * k + 3));
    PetscCall(K_.precondition(v(k), z(k)));
    PetscCall(K_.multiply(z(k), v(k + 1)));
    PetscCall(orthogonalize(k));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /* h_, on one rank; on several they come of the reduction. */
  void hear(const ColumnMessage &column)
  {
    if (!K_.one_rank()) return;
    if (!column.n) read();
    else std::copy_n(columns_.hear(column), h_.size(), h_.begin());
  }

  PetscErrorCode orthogonalize(PetscInt k)
  {
    const auto        &basis = pointers(v, k + 2); /* and the new vector itself */
    const Space        space = K_.space();
    const PetscInt     n     = K_.n();
    PetscScalar *const w = K_[v(k + 1)], *const h = h_there_.data();

    PetscFunctionBegin;
    PetscCall(Guarded([&] { gmres_products(space, n, {basis.data(), k + 2}, w, h, K_.sums()); }));
    if (!K_.one_rank()) PetscCall(add_up_products(k));
    PetscCall(Guarded([&] { gmres_combine(space, n, -1, {basis.data(), k + 1}, h, w, h + left_at(), K_.sums()); }));
    if (!K_.one_rank()) PetscCall(norm_over_ranks(k));
    PetscCall(Guarded([&] {
      column_ = K_.one_rank() ? columns_.next(h) : ColumnMessage();
      gmres_normalize(space, n, h + norm_at(), w, column_, K_.sums());
    }));
    PetscCall(K_.log_flops(4. * k + 9));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /* The one reduction. What was left of the vector before comes with it, and tells the norm of v_k, which was divided by what one took for that, and how far
     the basis is from being orthogonal. And whether a rank lacks the vectors of the next direction, which are made here so that no reduction of their own is
     needed for all to have them or none. */
  PetscErrorCode add_up_products(PetscInt k)
  {
    PetscFunctionBegin;
    const bool           goes_on = k + 1 < m_;
    const PetscErrorCode here    = goes_on ? K_.more_vectors(2 * k + 5) : PETSC_SUCCESS;
    PetscCall(Guarded([&] { read(); }));
    std::swap(h_[k + 2], h_[left_at()]);
    if (goes_on) h_[k + 3] = here ? 1 : 0;
    PetscCall(K_.sum_over_ranks(h_.data(), k + 3 + goes_on));
    if (goes_on && h_[k + 3] != PetscScalar(0)) PetscCall(K_.fail_together(here));
    if (k) {
      const PetscReal left = PetscRealPart(h_[k + 2]);

      loss_       = PetscMax(loss_, PetscAbsReal(left - before_.found) / before_.whole);
      lengths_[k] = left / before_.taken;
    }
    for (PetscInt j = 0; j <= k; j++) h_[j] /= lengths_[j];
    PetscCall(Guarded([&] { write(h_.data(), k + 2); }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /* The square of the norm of what is left of a vector: of its products with the basis, as long as that is orthogonal enough, or else summed up anew.
     The latest vector has lost more than the basis before it, whose loss is known: by as much as it was shortened. Two thirds of the digits are asked for: by
     what the norm lacks the basis's vector is longer or shorter than 1, which the next reduction tells, and the residual's norm is known no better. */
  PetscErrorCode norm_over_ranks(PetscInt k)
  {
    const PetscReal whole = PetscRealPart(h_[k + 1]), allowed = 4 * PetscPowReal(PETSC_MACHINE_EPSILON, PetscReal(2) / 3), margin = 5;
    const PetscReal lost  = loss_ * (k ? PetscSqrtReal(before_.whole / before_.taken) : 1);
    PetscReal       found = whole;

    PetscFunctionBegin;
    for (PetscInt j = 0; j <= k; j++) found -= PetscRealPart(h_[j] * PetscConj(h_[j])) * lengths_[j];
    PetscScalar left = found;
    if (!(margin * lost * whole < allowed * found)) {
      PetscCall(Guarded([&] { left = read_value(K_.space(), h_there_.data() + left_at()); }));
      PetscCall(K_.sum_over_ranks(&left, 1));
    }
    before_       = {whole, found, PetscRealPart(left)};
    h_[norm_at()] = left;
    PetscCall(Guarded([&] { write(&left, 1, norm_at()); }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /* The rotations so far on column k, a new one, and the residual's norm. */
  PetscErrorCode rotate(bool hapend, PetscReal *res)
  {
    const PetscInt k = it_;

    PetscFunctionBegin;
    for (PetscInt j = 0; j < k; j++) {
      const PetscScalar t = H(j, k);

      H(j, k)     = PetscConj(cos_[j]) * t + sin_[j] * H(j + 1, k);
      H(j + 1, k) = cos_[j] * H(j + 1, k) - sin_[j] * t;
    }
    if (hapend) {
      *res = 0;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    const PetscScalar t = PetscSqrtScalar(PetscConj(H(k, k)) * H(k, k) + PetscConj(H(k + 1, k)) * H(k + 1, k));
    if (t == 0) {
      ksp_->reason = KSP_DIVERGED_NULL;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    cos_[k]    = H(k, k) / t;
    sin_[k]    = H(k + 1, k) / t;
    rs_[k + 1] = -sin_[k] * rs_[k];
    rs_[k]     = PetscConj(cos_[k]) * rs_[k];
    H(k, k)    = PetscConj(cos_[k]) * H(k, k) + sin_[k] * H(k + 1, k);
    *res       = PetscAbsScalar(rs_[k + 1]);
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  KSP                 ksp_;
  KrylovSpace        &K_;
  Array<PetscScalar> &h_there_;
  ColumnMessages     &columns_;
  ColumnMessage       column_;        // of the latest direction
  bool                ahead_ = false; // the next direction is launched
  const PetscReal     haptol_;
  const PetscInt      m_, ld_;
  PetscReal           loss_ = 0; // of the basis's orthogonality, an estimate
  struct {
    PetscReal whole, found, taken;
  } before_{};                              // squares of norms of the vector before: of all of it; of what the basis left, as a difference and as it was taken
  PetscInt                 it_ = 0;         // directions of the present cycle
  std::vector<PetscScalar> H_;              // by columns, rotated to triangular form
  std::vector<PetscScalar> cos_, sin_, rs_; // rs: the right-hand side, rotated
  std::vector<PetscScalar> h_;              // products of a new vector with the basis and itself, and norms: see norm_at()
  // coefficients of the directions in a correction: here, and the pointers too, so that a solve asks for no memory when it is under way
  std::vector<PetscScalar>         y_;
  std::vector<PetscReal>           lengths_; // squares of the norms of the basis's vectors, which are 1 but for rounding; of several ranks
  std::vector<const PetscScalar *> pointers_;
};

} // namespace goza::ksp
