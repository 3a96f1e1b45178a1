/* The type ownfold: folded lines that are a whole matrix. */
#include "mat/fold/fold.hpp"
#include "mat/fold/fold_mat.hpp"
#include "own_by_rows.hpp"

namespace goza::mat
{

const OwnKind &OwnFoldKind()
{
  static const OwnKind kind{MATOWNFOLD, "lines", "MATFOLD", FoldKind, "-mat_fold_keep_aij", []() -> std::unique_ptr<OwnStorage> {
                              return std::make_unique<OwnedRowsOf<Fold<PetscScalar, PetscScalar>>>(FoldKind());
                            }};

  return kind;
}

} // namespace goza::mat
