/* Rows without a diagonal entry, as of Lagrange multipliers: no smoother changes their unknowns, so that a cycle would leave an error there that a
   preconditioned residual does not show. */
#pragma once
#include "saamg_inner.hpp"
#include <vector>

namespace goza::saamg {

/* A multiplier that fixes one unknown: row j holds nothing but c in column i, and column j nothing but d in row i: x_i = b_j / c, and
   x_j = (b_i - a_ii x_i - ...) / d. The others, of which there may be few: x = S^-1 b, with S = B M B^T, where M is what the rest is preconditioned with: a
   cycle for each. With the rows and columns of all such i and j those of the identity, the rest is a matrix without constraints, and a PC saamg is set up for
   it. What couples it to the multipliers is left to the Krylov method, which takes two iterations for all pairs: the rest needs x_i alone, and nothing needs
   x_j; and twice as many where there are others. */
class MultiplierPC final : public InnerPC {
public:
  ~MultiplierPC() override;
  PetscErrorCode setup(PC pc, Mat A, bool *found) override; // not where two fix one unknown, or too many none
  PetscErrorCode apply(PetscErrorCode (*how)(PC, Vec, Vec), bool transposed, Vec b, Vec x) override;
  PetscErrorCode view(PetscViewer viewer) override;

private:
  struct Pair {
    PetscInt    multiplier; // of this rank's rows, counted from the first
    PetscScalar c, d;
  };

  PetscErrorCode look_for_them(Mat A, Mat columns, std::vector<PetscInt> *fixed);
  PetscErrorCode read_diagonal(Vec diagonal, const std::vector<PetscInt> &fixed);
  PetscErrorCode find_others(Mat A, IS *all);
  PetscErrorCode schur_column(Mat A, PetscInt row, PetscScalar s[]);
  PetscErrorCode find_inverse(Mat A, IS all);
  PetscErrorCode apply_rest(PetscErrorCode (*how)(PC, Vec, Vec), bool transposed, Vec b, Vec x);

  std::vector<Pair>        pairs_;
  std::vector<PetscInt>    others_;          // of this rank's rows, counted from the first
  PetscInt                 first_other_ = 0; // of all ranks'
  std::vector<PetscScalar> inverse_;         // S^-1, of all ranks', by rows
  VecScatter               to_all_ = NULL;
  Vec                      all_    = NULL; // the others' entries, of all ranks'
  std::vector<PetscScalar> diagonal_;      // a_ii
  VecScatter               to_fixed_ = NULL;
  Vec                      fixed_    = NULL; // what is fixed by this rank's multipliers, wherever it is
};

} // namespace goza::saamg
