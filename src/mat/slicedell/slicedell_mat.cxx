/* The Mat type slicedell: settings and names of the sliced-ELL format; everything else is the glue of mat/common. */
#include "slicedell_mat.hpp"
#include "mat/common/narrow.hpp"
#include "mat/own/own_mat.hpp"

const char *const MatSlicedEllIndices[] = {"auto", "32", "MatSlicedEllIndex", "MAT_SLICEDELL_INDEX_", NULL};

namespace goza::mat {
namespace {

class SlicedEllConfig final : public FormatConfig {
public:
  SlicedEllOptions  options;
  MatSlicedEllIndex index = MAT_SLICEDELL_INDEX_AUTO;

  SlicedEllConfig() { options.bs = 0; /* the matrix's own */ }

  FormatFactory<PetscScalar> factory(Mat A) const override
  {
    SlicedEllOptions o = options;

    o.gaps = index == MAT_SLICEDELL_INDEX_AUTO;
    if (!o.bs) o.bs = MatNodeSize(A); /* other sizes than 3 and 6 are as good as 1 */
    return [o, p = precision](Space space) { return make_format<SlicedEll, PetscScalar>(p, space, o); };
  }

  std::unique_ptr<FormatConfig> clone() const override { return std::make_unique<SlicedEllConfig>(*this); }
};

constexpr PetscInt slice_heights[] = {0, 1, 2, 4, 8, 16, 32, 64, 128}, block_sizes[] = {0, 1, 3, 6};

template <auto member> constexpr auto in_ell = held<&SlicedEllConfig::options, member>;

namespace setting {

constexpr Setting slice_height{"-mat_slicedell_slice_height", "MatSlicedEllSetSliceHeight",
                               "Rows in a slice (auto: 4 on the host; on the device 32, fewer where there are few rows)",
                               in_ell<&SlicedEllOptions::slice_height>, IntList{slice_heights}};
constexpr Setting sort_window{"-mat_slicedell_sort_window", "MatSlicedEllSetSortWindow",
                              "Sort rows by length inside windows of this many rows (0: never, -1: where it saves 5 %)", in_ell<&SlicedEllOptions::sort_window>,
                              IntRange{-1}};
constexpr Setting index{"-mat_slicedell_index", "MatSlicedEllSetIndex",
                        "Column indices (auto: one copy for slices that are alike, where most are; else on the device 16 bits where they fit)",
                        held<&SlicedEllConfig::index>, Words<MatSlicedEllIndex>{MatSlicedEllIndices}};
constexpr Setting block_size{"-mat_slicedell_block_size", "MatSlicedEllSetBlockSize",
                             "Unknowns of a node, whose blocks share a column index where all are full (auto: the matrix's block size)",
                             in_ell<&SlicedEllOptions::bs>, IntList{block_sizes}};
constexpr Setting precision{"-mat_slicedell_precision", "MatSlicedEllSetPrecision", precision_text, held<&SlicedEllConfig::precision>,
                            Words<MatStoragePrecision>{MatStoragePrecisions}};

} // namespace setting

} // namespace

const FormatKind &SlicedEllKind()
{
  static const FormatKind kind = MakeFormatOrOwnKind<SlicedEllConfig, SlicedEllKind, OwnSlicedEllKind, &setting::slice_height, &setting::sort_window,
                                                     &setting::index, &setting::block_size, &setting::precision>(MATSLICEDELL, MATSEQAIJSLICEDELL,
                                                                                                                 MATMPIAIJSLICEDELL);

  return kind;
}

} // namespace goza::mat

/*@
  MatSlicedEllSetSliceHeight - Sets the number of rows in a slice of a `MATSLICEDELL` matrix

  Logically Collective

  Input Parameters:
+ A      - the matrix
- height - a power of two up to 128, or 0 for the default (4 on the host; on the device 32, fewer where there are few rows: 32/height threads share a row)

  Options Database Key:
. -mat_slicedell_slice_height (auto|1|2|4|8|16|32|64|128) - rows in a slice

  Level: intermediate

.seealso: `MATSLICEDELL`, `MatSlicedEllGetSliceHeight()`, `MatSlicedEllSetSortWindow()`
@*/
MAT_FORMAT_SET_AND_GET(MatSlicedEllSetSliceHeight, MatSlicedEllGetSliceHeight, PetscInt, goza::SlicedEllKind(), goza::setting::slice_height)

/*@
  MatSlicedEllSetSortWindow - Sets the window inside which a `MATSLICEDELL` matrix sorts its rows by length

  Logically Collective

  Input Parameters:
+ A      - the matrix
- window - number of rows in a window, 0 for no sorting, -1 to sort (windows of 4096) where it saves at least 5 % of the stored entries

  Options Database Key:
. -mat_slicedell_sort_window window - rows in a window

  Level: intermediate

.seealso: `MATSLICEDELL`, `MatSlicedEllGetSortWindow()`, `MatSlicedEllSetSliceHeight()`
@*/
MAT_FORMAT_SET_AND_GET(MatSlicedEllSetSortWindow, MatSlicedEllGetSortWindow, PetscInt, goza::SlicedEllKind(), goza::setting::sort_window)

/*@
  MatSlicedEllSetIndex - Sets how a `MATSLICEDELL` matrix stores its column indices

  Logically Collective

  Input Parameters:
+ A     - the matrix
- index - `MAT_SLICEDELL_INDEX_AUTO` (the default): where most slices have the same columns, counted from their first, as on grids, each kind is stored once;
          else, on the device, gaps of 16 bits between columns in the slices where all fit; `MAT_SLICEDELL_INDEX_32`: an index of 32 bits (of a `PetscInt`) for
          each entry

  Options Database Key:
. -mat_slicedell_index (auto|32) - columns shared or in 16 bits where they can be, or 32 bits for each entry

  Level: intermediate

.seealso: `MATSLICEDELL`, `MatSlicedEllGetIndex()`, `MatSlicedEllSetSliceHeight()`
@*/
MAT_FORMAT_SET_AND_GET(MatSlicedEllSetIndex, MatSlicedEllGetIndex, MatSlicedEllIndex, goza::SlicedEllKind(), goza::setting::index)

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

.seealso: `MATSLICEDELL`, `MatSlicedEllGetBlockSize()`, `MatSetBlockSize()`
@*/
MAT_FORMAT_SET_AND_GET(MatSlicedEllSetBlockSize, MatSlicedEllGetBlockSize, PetscInt, goza::SlicedEllKind(), goza::setting::block_size)

/*@
  MatSlicedEllSetPrecision - Sets the precision in which a `MATSLICEDELL` matrix stores the values of its diagonal block

  Logically Collective

  Input Parameters:
+ A         - the matrix
- precision - `MAT_STORAGE_DOUBLE` (`PetscScalar`, the default), `MAT_STORAGE_SINGLE` or `MAT_STORAGE_HALF`

  Options Database Key:
. -mat_slicedell_precision (double|single|half) - the precision

  Level: advanced

  Notes:
  For use inside preconditioners: vectors and sums stay `PetscScalar`. What is rounded, and how values out of range are scaled, is as for
  `MatCDSSetPrecision()`.

.seealso: `MATSLICEDELL`, `MatSlicedEllGetPrecision()`, `MatCDSSetPrecision()`, `MatSlicedEllSetIndex()`
@*/
MAT_FORMAT_SET_AND_GET(MatSlicedEllSetPrecision, MatSlicedEllGetPrecision, MatStoragePrecision, goza::SlicedEllKind(), goza::setting::precision)

/*MC
   MATSLICEDELL - MATSLICEDELL = "slicedell" - A sparse matrix in sliced ELL storage, on the host or on an NVIDIA GPU; "seqaijslicedell" on one
   MPI process and "mpiaijslicedell" on several.

   Options Database Keys:
+ -mat_type slicedell                                         - sets the type during `MatSetFromOptions()`
. -mat_slicedell_slice_height (auto|1|2|4|8|16|32|64|128)     - rows in a slice
. -mat_slicedell_index (auto|32)                              - columns shared or in 16 bits where they can be, or 32 bits for each entry
. -mat_slicedell_block_size (auto|1|3|6)                      - unknowns of a node, whose blocks share a column index where all are full
. -mat_slicedell_sort_window window                           - sort rows by length inside windows of this many rows
. -mat_slicedell_precision (double|single|half)               - precision of the stored values
- -mat_slicedell_keep_aij (auto|yes|no)                       - yes: AIJ is held beside the slices; no: nothing is held but these; auto (default): no where
                                        `GozaAssemblyCreateMatrix()` makes the matrix

  Level: beginner

  Notes:
  The matrix is an `MATAIJ` (with a CUDA PETSc and a device, an `MATAIJCUSPARSE`) in all but its products with vectors, so that every function
  for these works. Products use a shadow of the diagonal block, made at the first product after the nonzero pattern moved and refilled after
  the values moved.

  Each slice of H rows is stored column by column, so that the H threads of a warp read consecutive words.
  Rows of more than 256 entries and eight times the mean are held apart, and cut into pieces of 1024 entries for a warp each.
  With several ranks the rows that have off-process entries are finished by a second kernel when the halo has arrived.

  A setting that changes after a product has the format built anew at the next one. Functions that set one do nothing for matrices of other types.

  Without AIJ (`-mat_slicedell_keep_aij`) a matrix is of type `MATOWNSLICEDELL`: its slices, in `PetscScalar`, are all that there is of it. It has places where
  AIJ would have them, zeros among them: those of a `DMDA`'s stencil, of `MatSetPreallocationCOO()`, of a `GozaAssembly`, or of the values that are set, which
  wait in a list, on the host, for the end of the assembly where there is no place for them yet. Everything else is as with `-mat_cds_keep_aij no` (see
  `MATCDS`): what needs AIJ makes it for as long as that takes, and `-mat_view ::ascii_info` and the event GozaMatToAIJ count it; `PCSAAMG` sets up from rows
  that it makes where the slices are (event GozaMatToRows). On the device transposed products and `NORM_1` make such rows each time. `auto` is as for `MATCDS`,
  of any mesh.

.seealso: `MATAIJ`, `MATCDS`, `MATAIJCUSPARSE`, `MatSlicedEllSetSliceHeight()`, `MatSlicedEllSetSortWindow()`
M*/
