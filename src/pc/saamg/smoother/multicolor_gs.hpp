/* Gauss-Seidel over the colours of the rows: forward before the coarse correction, backward after it, so that a symmetric preconditioner stays symmetric.
   The rows of a colour lie together in a sliced ELL of their own and are relaxed in one launch, in place. Across ranks it is Jacobi: a sweep
   sees the other ranks' values as they were when it began, and the l1 norms of what couples them stand in the diagonal, so that it converges on any number
   of ranks (Baker, Falgout, Kolev, Yang 2011). */
#pragma once
#include "coloring.hpp"
#include "l1_diagonal.hpp"
#include "level_rows.hpp"
#include "mat/common/errors.hpp"
#include "smoother.hpp"
#include <cstdio>

namespace goza
{

template <class V> class MulticolorGaussSeidel final : public Smoother<V> {
public:
  MulticolorGaussSeidel(const SmootherInput<V> &input, const LevelRows &rows, const Csr &others, const SmootherOptions &options) :
    A_(input.A), D_(input.D), inv_(input.A.space(), others.nrows), start_(input.A.space(), D_.n), options_(options)
  {
    if (others.nrows) {
      inv_.copy_from(D_.inv, D_.n);
      add_l1_norms(others, false, inv_.data());
      D_.inv = inv_.data();
    }
    const Csr      block    = rows.diagonal_block();
    const Coloring coloring = color_rows(block, rows.first());

    for (PetscInt c = 0; c < coloring.ncolors(); c++) {
      colors_.emplace_back(block.space);
      colors_.back().build(block, coloring.rows.data() + coloring.begin[c], coloring.begin[c + 1] - coloring.begin[c]);
    }
    /* a sweep from zero changes the first colour's rows, and those that are coupled to nothing, without a look at the others */
    start_.zero();
    if (D_.alone) start_.copy_from(D_.alone, D_.n);
    if (D_.n) add_listed(block.space, coloring.begin[1], coloring.rows.data(), D_.inv, start_.data());
    first_share_ = D_.n ? static_cast<double>(coloring.begin[1]) / static_cast<double>(D_.n) : 0;
  }

  static PetscErrorCode create(const SmootherInput<V> &input, const SmootherOptions &options, std::unique_ptr<Smoother<V>> &smoother)
  {
    LevelRows rows, original; // the cycle of A^T has the diagonal of A's

    PetscFunctionBegin;
    PetscCall(rows.open(input.grid));
    PetscCall(original.open(input.grid, true));
    PetscCall(Guarded([&] { smoother = std::make_unique<MulticolorGaussSeidel>(input, rows, original.off_diagonal_block(), options); }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  int    steps(bool) const override { return 0; } // in place
  double products(bool zero_guess) const override { return static_cast<double>(options_.sweeps) - (zero_guess ? first_share_ : 0); }

  PetscErrorCode apply(const V *b, const LevelVectors<V> &v, int at, Pass pass, int *end) override
  {
    const PetscInt ncolors = static_cast<PetscInt>(colors_.size());
    const Space    space   = A_.space();
    V             *x       = v.x[at];

    PetscFunctionBegin;
    for (PetscInt sweep = 0; sweep < options_.sweeps; sweep++) {
      const bool from_zero = sweep == 0 && pass == Pass::FromZero;
      const V   *rhs       = b;

      if (from_zero) PetscCallCXX(first_step(space, D_.n, V(1), start_.data(), static_cast<const V *>(nullptr), b, x, static_cast<V *>(nullptr)));
      else if (A_.has_others()) {
        PetscCallCXX(convert(space, D_.n, b, v.d));
        PetscCall(A_.apply_others(x, Residual<V>{b, v.d}));
        rhs = v.d;
      }
      for (PetscInt c = from_zero; c < ncolors; c++) PetscCallCXX(colors_[pass == Pass::After ? ncolors - 1 - c : c].relax(rhs, D_.inv, x));
    }
    *end = at;
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  std::string describe() const override
  {
    char text[80];

    std::snprintf(text, sizeof(text), "mcgs, %d sweep(s), %d colours", static_cast<int>(options_.sweeps), static_cast<int>(colors_.size()));
    return text;
  }

  std::size_t bytes() const override
  {
    std::size_t sum = inv_.bytes() + start_.bytes();

    for (const auto &color : colors_) sum += color.bytes();
    return sum;
  }

private:
  ParOperator<V>              &A_;
  InverseDiagonal<V>           D_;
  Array<V>                     inv_;   // [n] on several ranks
  Array<V>                     start_; // [n]
  std::vector<SlicedEll<V, V>> colors_;
  SmootherOptions              options_;
  double                       first_share_ = 0; // of the rows
};

} // namespace goza
