/* Rows without a diagonal entry, as of Lagrange multipliers: no smoother changes their unknowns, so that a cycle would leave an error there that a
   preconditioned residual does not show. */
#pragma once
#include "saamg_inner.hpp"
#include <vector>

namespace goza::saamg {

/* A multiplier that fixes one unknown: row j holds nothing but c in column i, and column j nothing but d in row i: x_i = b_j / c, and
   x_j = (b_i - a_ii x_i - ...) / d. Any other one, of which there may be few: x_j = b_j / s_j, s_j its diagonal entry of B D^-1 B^T, with D the diagonal.
   With the rows and columns of all such i and j those of the identity, the rest is a matrix without constraints, and a PC saamg is set up for it. What couples
   it to the multipliers is left to the Krylov method, which takes two iterations for all pairs: the rest needs x_i alone, and nothing needs x_j; and a step or
   two for each of the others. */
class MultiplierPC final : public InnerPC {
public:
  explicit MultiplierPC(PetscInt most) : most_(most) { } // of those that fix no unknown
  ~MultiplierPC() override;
  PetscErrorCode setup(PC pc, Mat A, bool *found) override; // not where two fix one unknown
  PetscErrorCode apply(PetscErrorCode (*how)(PC, Vec, Vec), bool transposed, Vec b, Vec x) override;
  PetscErrorCode view(PetscViewer viewer) override;

private:
  struct Pair {
    PetscInt    multiplier; // of this rank's rows, counted from the first
    PetscScalar c, d;
  };

  struct Other {
    PetscInt    multiplier;
    PetscScalar inverse; // 1 / s_j
  };

  PetscErrorCode look_for_them(Mat A, Mat columns, std::vector<PetscInt> *fixed);
  PetscErrorCode read_diagonal(Vec diagonal, const std::vector<PetscInt> &fixed);
  PetscErrorCode find_inverses(Mat A, Vec diagonal);
  PetscErrorCode find_inverse(Mat A, Vec inverse, PetscInt row, Other *other);

  PetscInt                 most_;
  std::vector<Pair>        pairs_;
  std::vector<Other>       others_;
  std::vector<PetscScalar> diagonal_; // a_ii
  VecScatter               to_fixed_ = NULL;
  Vec                      fixed_    = NULL; // what is fixed by this rank's multipliers, wherever it is
};

} // namespace goza::saamg
