/* Jacobi with the l1 norms of the rows, as they are where the diagonal is scaled to 1, in the diagonal's place. The spectrum of D_l1^-1 A is in (0, 1],
   whatever A is: a step of 4/3 smooths its upper half. */
#pragma once
#include "jacobi.hpp"
#include "l1_diagonal.hpp"
#include "level_rows.hpp"
#include "parallel/agree.hpp"

namespace goza::saamg {

template <class V> class L1JacobiSmoother final : public Smoother<V> {
public:
  L1JacobiSmoother(const SmootherInput<V> &input, const LevelRows &rows, const SmootherOptions &options) : inv_(input.A.space(), input.D.n)
  {
    SmootherInput<V> with_norms = input;

    Array<PetscReal> scale(input.A.space(), rows.columns()->nlocal());

    if (input.D.n) inv_.copy_from(input.D.inv, input.D.n);
    diagonal_scales(input.A.space(), input.D.n, inv_.data(), scale.data());
    rows.columns()->update(scale);
    add_l1_norms(rows.diagonal_block(), true, inv_.data(), scale.data(), scale.data());
    add_l1_norms(rows.off_diagonal_block(), false, inv_.data(), scale.data(), scale.data() + input.D.n);
    with_norms.relaxing = {input.D.n, inv_.data(), input.D.isolated, false};
    jacobi_             = std::make_unique<JacobiSmoother<V>>(with_norms, options.sweeps, static_cast<PetscReal>(4) / 3);
  }

  static PetscErrorCode create(const SmootherInput<V> &input, const SmootherOptions &options, std::unique_ptr<Smoother<V>> &smoother)
  {
    LevelRows rows;

    PetscFunctionBegin;
    PetscCall(rows.open(input.grid, true)); // the cycle of A^T has the diagonal of A's
    PetscCall(Together(rows.columns()->comm(), "make its smoother", [&] { smoother = std::make_unique<L1JacobiSmoother>(input, rows, options); }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  int            steps(bool zero_guess) const override { return jacobi_->steps(zero_guess); }
  double         products(bool zero_guess) const override { return jacobi_->products(zero_guess); }
  bool           first_step(FirstStep<V> *step) const override { return jacobi_->first_step(step); }
  PetscErrorCode apply(const V *b, V *const x[2], int at, Pass pass, int *end) override { return jacobi_->apply(b, x, at, pass, end); }
  std::string    describe() const override { return "l1" + jacobi_->describe(); }
  std::size_t    bytes() const override { return inv_.bytes(); }

private:
  Array<V>                           inv_; // [n]
  std::unique_ptr<JacobiSmoother<V>> jacobi_;
};

} // namespace goza::saamg
