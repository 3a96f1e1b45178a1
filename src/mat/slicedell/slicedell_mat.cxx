/* The Mat type slicedell: settings and names of the sliced-ELL format; everything else is the glue of mat/common. */
#include "slicedell_mat.hpp"
#include "petsc/errors.hpp"
#include "mat/common/narrow.hpp"
#include "petscgoza.h"
#include <petsc/private/matimpl.h>

namespace goza::mat
{

namespace
{

const char *const indices[]       = {"auto", "32"};
const char *const block_sizes[]   = {"auto", "1", "3", "6"};
const char *const slice_heights[] = {"auto", "1", "2", "4", "8", "16", "32", "64", "128"};

class SlicedEllConfig final : public FormatConfig {
public:
  SlicedEllOptions options;

  SlicedEllConfig() { options.bs = 0; /* the matrix's own */ }

  PetscErrorCode set_from_options(Mat A, GozaOptionItems PetscOptionsObject, bool *changed) override
  {
    const SlicedEllOptions before = options;
    PetscInt               which  = 0;
    PetscBool              flg;

    PetscFunctionBegin;
    PetscOptionsHeadBegin(PetscOptionsObject, "Sliced ELL options");
    while ((which ? PetscInt(1) << (which - 1) : 0) != options.slice_height) which++;
    PetscCall(PetscOptionsEList("-mat_slicedell_slice_height", "Rows in a slice (auto: 4 on the host; on the device 32, fewer where there are few rows)", "MatSlicedEllSetSliceHeight", slice_heights, PETSC_STATIC_ARRAY_LENGTH(slice_heights), slice_heights[which], &which, &flg));
    if (flg) PetscCall(MatSlicedEllSetSliceHeight(A, which ? PetscInt(1) << (which - 1) : 0));
    PetscCall(PetscOptionsInt("-mat_slicedell_sort_window", "Sort rows by length inside windows of this many rows (0: never, -1: where it saves 5 %)", "MatSlicedEllSetSortWindow",
                              options.sort_window, &which, &flg));
    if (flg) PetscCall(MatSlicedEllSetSortWindow(A, which));
    PetscCall(PetscOptionsEList("-mat_slicedell_index", "Column indices (auto: one copy for slices that are alike, where most are; else on the device 16 bits where they fit)", "MatSlicedEllSetShortIndices", indices, 2,
                                indices[!options.gaps], &which, &flg));
    if (flg) PetscCall(MatSlicedEllSetShortIndices(A, which ? PETSC_FALSE : PETSC_TRUE));
    for (which = 0; which < 4 && block_of(which) != options.bs; which++) { }
    PetscCall(PetscOptionsEList("-mat_slicedell_block_size", "Unknowns of a node, whose blocks share a column index where all are full (auto: the matrix's block size)", "MatSlicedEllSetBlockSize", block_sizes, 4, block_sizes[which], &which, &flg));
    if (flg) PetscCall(MatSlicedEllSetBlockSize(A, block_of(which)));
    PetscCall(MatFormatPrecisionFromOptions(A, this, PetscOptionsObject, "-mat_slicedell_precision", "MatSlicedEllSetPrecision", MatSlicedEllSetPrecision));
    PetscOptionsHeadEnd();
    *changed = before.slice_height != options.slice_height || before.sort_window != options.sort_window || before.gaps != options.gaps || before.bs != options.bs;
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  FormatFactory<PetscScalar> factory(Mat A) const override
  {
    SlicedEllOptions o = options;

    if (!o.bs) o.bs = A->rmap->bs == A->cmap->bs ? A->rmap->bs : 1; /* other sizes than 3 and 6 are as good as 1 */
    return [o, p = precision](Space space) { return make_format<SlicedEll, PetscScalar>(p, space, o); };
  }

  std::unique_ptr<FormatConfig> clone() const override { return std::make_unique<SlicedEllConfig>(*this); }

private:
  static PetscInt block_of(PetscInt which)
  {
    constexpr PetscInt sizes[] = {0, 1, 3, 6};

    return sizes[which];
  }
};

} // namespace

const FormatKind &SlicedEllKind()
{
  static const FormatKind kind = MakeFormatKind<SlicedEllConfig, SlicedEllKind>(MATSLICEDELL, MATSEQAIJSLICEDELL, MATMPIAIJSLICEDELL);

  return kind;
}

static PetscErrorCode FindOptions(Mat A, SlicedEllOptions **options)
{
  return MatFormatFindOptions<SlicedEllConfig>(A, SlicedEllKind(), options);
}

} // namespace goza::mat

using goza::FindOptions;
using goza::MatFormatChanged;
using goza::SlicedEllOptions;

/*@
  MatSlicedEllSetSliceHeight - Sets the number of rows in a slice of a `MATSLICEDELL` matrix

  Logically Collective

  Input Parameters:
+ A      - the matrix
- height - a power of two up to 128, or 0 for the default (4 on the host; on the device 32, fewer where there are few rows: 32/height threads share a row)

  Options Database Key:
. -mat_slicedell_slice_height (auto|1|2|4|8|16|32|64|128) - rows in a slice

  Level: intermediate

  Notes:
  The format is built anew at the next product. Does nothing for other matrix types.

.seealso: `MATSLICEDELL`, `MatSlicedEllSetSortWindow()`
@*/
PetscErrorCode MatSlicedEllSetSliceHeight(Mat A, PetscInt height)
{
  SlicedEllOptions *options = nullptr;

  PetscFunctionBegin;
  PetscCall(FindOptions(A, &options));
  if (!options) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(height >= 0 && height <= 128 && (height & (height - 1)) == 0, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_OUTOFRANGE, "-mat_slicedell_slice_height %" PetscInt_FMT " is not 0 (auto) or a power of two up to 128", height);
  options->slice_height = height;
  PetscCall(MatFormatChanged(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  MatSlicedEllSetSortWindow - Sets the window inside which a `MATSLICEDELL` matrix sorts its rows by length

  Logically Collective

  Input Parameters:
+ A      - the matrix
- window - number of rows in a window, 0 for no sorting, -1 to sort (windows of 4096) where it saves at least 5 % of the stored entries

  Options Database Key:
. -mat_slicedell_sort_window window - rows in a window

  Level: intermediate

  Note:
  The format is built anew at the next product. Does nothing for other matrix types.

.seealso: `MATSLICEDELL`, `MatSlicedEllSetSliceHeight()`
@*/
PetscErrorCode MatSlicedEllSetSortWindow(Mat A, PetscInt window)
{
  SlicedEllOptions *options = nullptr;

  PetscFunctionBegin;
  PetscCall(FindOptions(A, &options));
  if (!options) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(window >= -1, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_OUTOFRANGE, "-mat_slicedell_sort_window %" PetscInt_FMT " is not -1 (auto), 0 (never) or a number of rows", window);
  options->sort_window = window;
  PetscCall(MatFormatChanged(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  MatSlicedEllSetShortIndices - Says whether a `MATSLICEDELL` matrix may store fewer column indices, or shorter ones, than one of 32 bits for each entry

  Logically Collective

  Input Parameters:
+ A       - the matrix
- shorter - `PETSC_TRUE` (the default): where most slices have the same columns, counted from their first, as on grids, each kind is stored once; else, on the device,
            gaps of 16 bits between columns in the slices where all fit; `PETSC_FALSE`: 32-bit columns everywhere

  Options Database Key:
. -mat_slicedell_index (auto|32) - columns shared or in 16 bits where they can be, or 32 bits for each entry

  Level: intermediate

  Note:
  The format is built anew at the next product. Does nothing for other matrix types.

.seealso: `MATSLICEDELL`, `MatSlicedEllSetSliceHeight()`
@*/
PetscErrorCode MatSlicedEllSetShortIndices(Mat A, PetscBool shorter)
{
  SlicedEllOptions *options = nullptr;

  PetscFunctionBegin;
  PetscCall(FindOptions(A, &options));
  if (!options) PetscFunctionReturn(PETSC_SUCCESS);
  options->gaps = shorter;
  PetscCall(MatFormatChanged(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  MatSlicedEllSetBlockSize - Sets the unknowns of a node in a `MATSLICEDELL` matrix, whose dense blocks then share one column index

  Logically Collective

  Input Parameters:
+ A  - the matrix
- bs - 1, 3 or 6, or 0 (the default) for the matrix's own block size (1 where that is another)

  Options Database Key:
. -mat_slicedell_block_size (auto|1|3|6) - unknowns of a node

  Level: intermediate

  Notes:
  Taken as 1 where the pattern of the local diagonal block does not consist of full blocks. `-mat_view ::ascii_info` tells.

  The format is built anew at the next product. Does nothing for other matrix types.

.seealso: `MATSLICEDELL`, `MatSetBlockSize()`
@*/
PetscErrorCode MatSlicedEllSetBlockSize(Mat A, PetscInt bs)
{
  SlicedEllOptions *options = nullptr;

  PetscFunctionBegin;
  PetscCall(FindOptions(A, &options));
  if (!options) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(bs == 0 || bs == 1 || bs == 3 || bs == 6, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_OUTOFRANGE, "-mat_slicedell_block_size %" PetscInt_FMT " is not 0 (auto), 1, 3 or 6", bs);
  options->bs = bs;
  PetscCall(MatFormatChanged(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  MatSlicedEllSetPrecision - Sets the precision in which a `MATSLICEDELL` matrix stores the values of its diagonal block

  Logically Collective

  Input Parameters:
+ A         - the matrix
- precision - `MAT_STORAGE_DOUBLE` (`PetscScalar`, the default), `MAT_STORAGE_SINGLE`, `MAT_STORAGE_HALF` or `MAT_STORAGE_BFLOAT16`

  Options Database Key:
. -mat_slicedell_precision (double|single|half|bfloat16) - the precision

  Level: advanced

  Notes:
  Fewer bytes are read from memory, for use inside preconditioners. Vectors and sums stay `PetscScalar`: each stored value is off by at most 2^-24 (single), 2^-11 (half) or 2^-8 (bfloat16)
  of itself. Where the values leave the range of the type, above all that of half (6.1e-5 to 65504), they are scaled by powers of two, which round nothing: by one for all, by the roots of
  the diagonal on both sides (D^-1/2 A D^-1/2), or, where that does not serve either, row by row. An entry far below the largest of its row (by 2^-10 and more) may then lose bits that do not matter beside it.
  A NaN or infinity stays what it is. In parallel the off-diagonal block stays `PetscScalar`; so does everything that is not a product with this matrix: transposed products, `MatGetValues()`, the diagonal.

  The format is built anew at the next product. Does nothing for other matrix types.

.seealso: `MATSLICEDELL`, `MatSlicedEllSetShortIndices()`
@*/
PetscErrorCode MatSlicedEllSetPrecision(Mat A, MatStoragePrecision precision)
{
  PetscFunctionBegin;
  PetscCall(goza::MatFormatSetPrecision(A, goza::SlicedEllKind(), precision, "-mat_slicedell_precision"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
   MATSLICEDELL - MATSLICEDELL = "slicedell" - A sparse matrix in sliced ELL storage, on the host or on an NVIDIA GPU; "seqaijslicedell" on one
   MPI process and "mpiaijslicedell" on several.

   Options Database Keys:
+ -mat_type slicedell                                         - sets the type during `MatSetFromOptions()`
. -mat_slicedell_slice_height (auto|1|2|4|8|16|32|64|128)     - rows in a slice
. -mat_slicedell_index (auto|32)                              - columns shared or in 16 bits where they can be, or 32 bits for each entry
. -mat_slicedell_block_size (auto|1|3|6)                      - unknowns of a node, whose blocks share a column index where all are full
. -mat_slicedell_sort_window window                           - sort rows by length inside windows of this many rows
- -mat_slicedell_precision (double|single|half|bfloat16)      - precision of the stored values

  Level: beginner

  Notes:
  The matrix is an `MATAIJ` (with a CUDA PETSc and a device, an `MATAIJCUSPARSE`) in all but its products with vectors, so that every function
  for these works. Products use a shadow of the diagonal block, made at the first product after the nonzero pattern moved and refilled after
  the values moved.

  Each slice of H rows is stored column by column, so that the H threads of a warp read consecutive words.
  Rows of more than 256 entries and eight times the mean are held apart, and cut into pieces of 1024 entries for a warp each.
  With several ranks the rows that have off-process entries are finished by a second kernel when the halo has arrived.

.seealso: `MATAIJ`, `MATAIJCUSPARSE`, `MatSlicedEllSetSliceHeight()`, `MatSlicedEllSetSortWindow()`
M*/
