/* The type ownslicedell: slices that are a whole matrix. */
#include "mat/slicedell/ell_entries.hpp"
#include "mat/slicedell/slicedell_mat.hpp"
#include "own_by_rows.hpp"

namespace goza::mat
{

const OwnKind &OwnSlicedEllKind()
{
  static const OwnKind kind{MATOWNSLICEDELL, "slices", "MATSLICEDELL", SlicedEllKind, "-mat_slicedell_keep_aij", []() -> std::unique_ptr<OwnStorage> {
                              return std::make_unique<OwnedRowsOf<SlicedEll<PetscScalar, PetscScalar>>>(SlicedEllKind());
                            }};

  return kind;
}

} // namespace goza::mat
