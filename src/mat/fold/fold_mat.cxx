/* The Mat type fold: setting and names of the Fold format; everything else is the glue of mat/common. */
#include "fold_mat.hpp"
#include "mat/common/narrow.hpp"
#include "mat/own/own_mat.hpp"
#include "rectangle.hpp"
#include "renumbered.hpp"

const char *const MatFoldOrders[]  = {"auto", "natural", "breadth_first", "MatFoldOrder", "MAT_FOLD_ORDER_", NULL};
const char *const MatFoldLayouts[] = {"groups", "rectangle", "MatFoldLayout", "MAT_FOLD_LAYOUT_", NULL};

namespace goza::mat {
namespace {

enum class FoldLayout { Groups, Rectangle };

class FoldConfig final : public FormatConfig {
public:
  FoldOptions options;
  FoldOrder   order  = FoldOrder::Auto;
  FoldLayout  layout = FoldLayout::Groups;

  FormatFactory<PetscScalar> factory(Mat) const override
  {
    return [o = options, p = precision, order = order, layout = layout](Space space) -> std::unique_ptr<Format<PetscScalar>> {
      auto fold = layout == FoldLayout::Rectangle ? make_format<FoldRectangle, PetscScalar>(p, space, o) : make_format<Fold, PetscScalar>(p, space, o);

      if (order == FoldOrder::Natural) return fold;
      return std::make_unique<Renumbered>(space, order, std::move(fold));
    };
  }

  std::unique_ptr<FormatConfig> clone() const override { return std::make_unique<FoldConfig>(*this); }

  std::unique_ptr<Format<PetscScalar>> alone(Mat, Space space) const override { return std::make_unique<Fold<PetscScalar, PetscScalar>>(space, options); }
  const char                          *not_alone() const override
  {
    return order == FoldOrder::BreadthFirst ? "order" : layout == FoldLayout::Rectangle ? "layout" : FormatConfig::not_alone();
  }
};

namespace setting {

constexpr Setting width{"-mat_fold_width", "MatFoldSetWidth",
                        "Most entries of a line, 1 to 127 (auto: 8, 16 or 32, from the row lengths; of a rectangle the mean row's)",
                        held<&FoldConfig::options, &FoldOptions::width>, IntRange{1, fold_max_width, true}};
constexpr Setting order{"-mat_fold_order", "MatFoldSetOrder", "Order of the unknowns inside", held<&FoldConfig::order>, Words<MatFoldOrder>{MatFoldOrders}};
constexpr Setting layout{"-mat_fold_layout", "MatFoldSetLayout", "How lines are stored: groups of 32, or paper P3's padded rectangle",
                         held<&FoldConfig::layout>, Words<MatFoldLayout>{MatFoldLayouts}};
constexpr Setting precision{"-mat_fold_precision", "MatFoldSetPrecision", precision_text, held<&FoldConfig::precision>,
                            Words<MatStoragePrecision>{MatStoragePrecisions}};

} // namespace setting

} // namespace

const FormatKind &FoldKind()
{
  static const FormatKind kind = MakeFormatOrOwnKind<FoldConfig, FoldKind, OwnFoldKind, &setting::width, &setting::order, &setting::layout,
                                                     &setting::precision>(MATFOLD, MATSEQAIJFOLD, MATMPIAIJFOLD);

  return kind;
}

} // namespace goza::mat

/*@
  MatFoldSetWidth - Sets the fold width of a `MATFOLD` matrix

  Logically Collective

  Input Parameters:
+ A     - the matrix
- width - most entries of a line, 1 to 127; 0 (the default): 8, 16 or 32, from the mean and the spread of the row lengths; with `MAT_FOLD_LAYOUT_RECTANGLE` the
          mean row's entries

  Options Database Key:
. -mat_fold_width (auto|width) - the fold width

  Level: intermediate

  Note:
  `-mat_view ::ascii_info_detail` tells the width in use and what it makes of the matrix.

.seealso: `MATFOLD`, `MatFoldGetWidth()`, `MatFoldSetLayout()`
@*/
MAT_FORMAT_SET_AND_GET(MatFoldSetWidth, MatFoldGetWidth, PetscInt, goza::FoldKind(), goza::setting::width)

/*@
  MatFoldSetOrder - Sets the order of the unknowns inside a `MATFOLD` matrix

  Logically Collective

  Input Parameters:
+ A     - the matrix
- order - `MAT_FOLD_ORDER_AUTO` (the default), `MAT_FOLD_ORDER_NATURAL` or `MAT_FOLD_ORDER_BREADTH_FIRST`

  Options Database Key:
. -mat_fold_order (auto|natural|breadth_first) - the order

  Level: advanced

  Notes:
  Where neighbours in the matrix are far apart in x, each entry costs a 32-byte sector of the L2 cache. Numbered anew, the product gathers x first and puts the
  result back, which costs about as much as two such entries a row.

  `MAT_FOLD_ORDER_BREADTH_FIRST` numbers rows and columns as Cuthill and McKee; the matrix must be square. `MAT_FOLD_ORDER_AUTO` does so on the device where x
  is long, where it brings at least eight sectors a row near, and where the search ends within 512 levels: for meshes in space that were numbered at random.
  That takes some ten products' time more at the first product, and pays after some hundreds.

  Only the diagonal block's shadow is numbered anew: the matrix and its vectors keep their order.

.seealso: `MATFOLD`, `MatFoldGetOrder()`, `MatFoldSetWidth()`
@*/
MAT_FORMAT_SET_AND_GET(MatFoldSetOrder, MatFoldGetOrder, MatFoldOrder, goza::FoldKind(), goza::setting::order)

/*@
  MatFoldSetLayout - Sets how a `MATFOLD` matrix stores the lines of its diagonal block

  Logically Collective

  Input Parameters:
+ A      - the matrix
- layout - `MAT_FOLD_LAYOUT_GROUPS` (the default) or `MAT_FOLD_LAYOUT_RECTANGLE`

  Options Database Key:
. -mat_fold_layout (groups|rectangle) - the layout

  Level: advanced

  Notes:
  `MAT_FOLD_LAYOUT_GROUPS`: 32 lines of about the same length are stored transposed, and most rows end in the kernel that adds up their lines.

  `MAT_FOLD_LAYOUT_RECTANGLE` is the Fold of Tomimori 2012, to be compared with: all lines are filled up to one width, and their rectangle is stored transposed
  as a whole, first lines of rows before second ones. A second kernel adds the lines of each row. It is what `-mat_view ::ascii_info_detail` calls `rectangle`,
  whose locality the paper's indices describe.

.seealso: `MATFOLD`, `MatFoldGetLayout()`, `MatFoldSetWidth()`
@*/
MAT_FORMAT_SET_AND_GET(MatFoldSetLayout, MatFoldGetLayout, MatFoldLayout, goza::FoldKind(), goza::setting::layout)

/*@
  MatFoldSetPrecision - Sets the precision in which a `MATFOLD` matrix stores the values of its diagonal block

  Logically Collective

  Input Parameters:
+ A         - the matrix
- precision - `MAT_STORAGE_DOUBLE` (`PetscScalar`, the default), `MAT_STORAGE_SINGLE` or `MAT_STORAGE_HALF`

  Options Database Key:
. -mat_fold_precision (double|single|half) - the precision

  Level: advanced

  Notes:
  For use inside preconditioners: vectors and sums stay `PetscScalar`. What is rounded, and how values out of range are scaled, is as for
  `MatCDSSetPrecision()`.

.seealso: `MATFOLD`, `MatFoldGetPrecision()`, `MatCDSSetPrecision()`, `MatFoldSetWidth()`
@*/
MAT_FORMAT_SET_AND_GET(MatFoldSetPrecision, MatFoldGetPrecision, MatStoragePrecision, goza::FoldKind(), goza::setting::precision)

/*MC
   MATFOLD - MATFOLD = "fold" - A sparse matrix whose long rows are folded, for rows of very different lengths (circuits, webs, graphs), on the
   host or on an NVIDIA GPU; "seqaijfold" on one MPI process and "mpiaijfold" on several.

   Options Database Keys:
+ -mat_type fold               - sets the type during `MatSetFromOptions()`
. -mat_fold_width (auto|width) - most entries of a line, 1 to 127
. -mat_fold_order (auto|natural|breadth_first) - order of the unknowns inside
. -mat_fold_layout (groups|rectangle) - how lines are stored
. -mat_fold_precision (double|single|half) - precision of the stored values
- -mat_fold_keep_aij (auto|yes|no) - no: nothing is held but the lines; yes, auto (default): AIJ is held beside them

  Level: beginner

  Notes:
  The matrix is an `MATAIJ` (with a CUDA PETSc and a device, an `MATAIJCUSPARSE`) in all but its products with vectors, so that every function
  for these works. Products use a shadow of the diagonal block, made at the first product after the nonzero pattern moved and refilled after
  the values moved.

  A row of n entries is folded into ceil(n / width) lines; 32 lines of about the same length are stored transposed, so that the threads of a warp
  read consecutive words, and the sums of a row's lines are added without atomics: every run gives the same result.

  A setting that changes after a product has the format built anew at the next one. Functions that set one do nothing for matrices of other types.

  With `-mat_fold_keep_aij no` a matrix is of type `MATOWNFOLD`: its lines, in `PetscScalar`, in groups and in the matrix's own order, are all that there is of
  it. It is what `MATOWNSLICEDELL` is with slices (see `MATSLICEDELL`): it has places where AIJ would have them, zeros among them, and all else is as said
  there.

  Reference:
. * - S. Tomimori, N. Tanabe, M. Takata and K. Joe, "Preliminary Evaluation for Classifying Suitability for Cache Memory of Sparse Matrices", IPSJ SIG Technical
      Report 2012-HPC-135 No. 17, 2012

.seealso: `MATAIJ`, `MATAIJCUSPARSE`, `MATSLICEDELL`, `MatFoldSetWidth()`
M*/
