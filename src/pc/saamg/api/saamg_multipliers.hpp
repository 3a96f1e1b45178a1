/* Lagrange multipliers that fix one unknown each: a block of zeros on the diagonal that is solved exactly. */
#pragma once
#include "saamg_inner.hpp"
#include <vector>

namespace goza::saamg {

/* Row j holds nothing but c in column i, and column j nothing but d in row i: x_i = b_j / c, and x_j = (b_i - a_ii x_i - ...) / d. With the rows and
   columns of all such i and j those of the identity, the rest is a matrix without constraints, and a PC saamg is set up for it. What couples it to the pairs
   is left to the Krylov method, which takes two iterations for it: the rest needs x_i alone, and nothing needs x_j. */
class MultiplierPC final : public InnerPC {
public:
  ~MultiplierPC() override;
  PetscErrorCode setup(PC pc, Mat A, bool *found) override; // not where two are of one unknown
  PetscErrorCode apply(PetscErrorCode (*how)(PC, Vec, Vec), bool transposed, Vec b, Vec x) override;
  PetscErrorCode view(PetscViewer viewer) override;

private:
  struct Pair {
    PetscInt    multiplier; // of this rank's rows, counted from the first
    PetscScalar c, d;
  };

  PetscErrorCode look_for_pairs(Mat A, Mat columns, std::vector<PetscInt> *fixed);
  PetscErrorCode read_diagonal(Mat A, const std::vector<PetscInt> &fixed);

  std::vector<Pair>        pairs_;
  std::vector<PetscScalar> diagonal_; // a_ii
  VecScatter               to_fixed_ = NULL;
  Vec                      fixed_    = NULL; // what is fixed by this rank's multipliers, wherever it is
};

} // namespace goza::saamg
