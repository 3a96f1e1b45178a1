/* The Mat type cds: settings and names of compressed diagonal storage; everything else is the glue of mat/common. */
#include "cds_mat.hpp"
#include "cds.hpp"
#include "petsc/errors.hpp"
#include "mat/common/narrow.hpp"
#include "petscgoza.h"
#include <petsc/private/matimpl.h>

namespace goza::mat
{

namespace
{

const char *const storages[]    = {"auto", "full", "half"};
const char *const block_sizes[] = {"auto", "1", "2", "3", "6"};

class CdsConfig final : public FormatConfig {
public:
  CdsOptions options;

  CdsConfig() { options.bs = 0; /* the matrix's own */ }

  PetscErrorCode set_from_options(Mat A, GozaOptionItems PetscOptionsObject, bool *changed) override
  {
    const CdsOptions before = options;
    PetscInt         which  = 0;
    PetscReal        share = options.share, fill = options.max_fill;
    PetscBool        flg, flg2;

    PetscFunctionBegin;
    PetscOptionsHeadBegin(PetscOptionsObject, "Compressed diagonal storage options");
    PetscCall(PetscOptionsEList("-mat_cds_storage", "Hold all diagonals, or those of a symmetric matrix from the main one up (auto: where the matrix is symmetric)", "MatCDSSetStorage", storages, 3,
                                storages[(int)options.storage], &which, &flg));
    if (flg) PetscCall(MatCDSSetStorage(A, (MatCDSStorage)which));
    PetscCall(PetscOptionsReal("-mat_cds_share", "Entries that a diagonal must hold to be stored whole, of the rows (0 to 1)", "MatCDSSetLimits", share, &share, &flg));
    PetscCall(PetscOptionsReal("-mat_cds_max_fill", "Stored values for one nonzero beyond which the matrix is refused", "MatCDSSetLimits", fill, &fill, &flg2));
    if (flg || flg2) PetscCall(MatCDSSetLimits(A, share, fill));
    for (which = 0; which < 5 && block_of(which) != options.bs; which++) { }
    PetscCall(PetscOptionsEList("-mat_cds_block_size", "Unknowns of a node (auto: the matrix's block size)", "MatCDSSetBlockSize", block_sizes, 5, block_sizes[which], &which, &flg));
    if (flg) PetscCall(MatCDSSetBlockSize(A, block_of(which)));
    PetscCall(MatFormatPrecisionFromOptions(A, this, PetscOptionsObject, "-mat_cds_precision", "MatCDSSetPrecision", MatCDSSetPrecision));
    PetscOptionsHeadEnd();
    *changed = before.storage != options.storage || before.share != options.share || before.max_fill != options.max_fill || before.bs != options.bs;
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  FormatFactory<PetscScalar> factory(Mat A) const override
  {
    CdsOptions o     = options;
    PetscBool  known = PETSC_FALSE, symmetric = PETSC_FALSE;

    if (MatIsSymmetricKnown(A, &known, &symmetric) == PETSC_SUCCESS) o.symmetric = known && symmetric;
    if (!o.bs) {
      o.bs = A->rmap->bs == A->cmap->bs ? A->rmap->bs : 1;
      if (o.bs != 2 && o.bs != 3 && o.bs != 6) o.bs = 1;
    }
    return [o, p = precision](Space space) { return make_format<Cds, PetscScalar>(p, space, o); };
  }

  std::unique_ptr<FormatConfig> clone() const override { return std::make_unique<CdsConfig>(*this); }

private:
  static PetscInt block_of(PetscInt which)
  {
    constexpr PetscInt sizes[] = {0, 1, 2, 3, 6};

    return sizes[which];
  }
};

} // namespace

const FormatKind &CdsKind()
{
  static const FormatKind kind = MakeFormatKind<CdsConfig, CdsKind>(MATCDS, MATSEQAIJCDS, MATMPIAIJCDS);

  return kind;
}

static PetscErrorCode FindOptions(Mat A, CdsOptions **options)
{
  return MatFormatFindOptions<CdsConfig>(A, CdsKind(), options);
}

} // namespace goza::mat

using goza::CdsOptions;
using goza::CdsStorage;
using goza::FindOptions;
using goza::MatFormatChanged;

/*@
  MatCDSSetStorage - Sets whether a `MATCDS` matrix holds all its diagonals or, being symmetric, those from the main one up

  Logically Collective

  Input Parameters:
+ A       - the matrix
- storage - `MAT_CDS_AUTO` (half where the entries on the diagonals prove equal to their mirror images, with `MAT_SYMMETRIC` up to rounding), `MAT_CDS_FULL`, `MAT_CDS_HALF`

  Options Database Key:
. -mat_cds_storage (auto|full|half) - the storage

  Level: intermediate

  Notes:
  Half storage reads half the values from memory: y_i = sum_d a_d[i] x[i + o_d] + a_d[i - o_d] x[i - o_d] (paper P1, half form), without atomic additions.
  In parallel the diagonal block of each rank is tested and stored by itself. `MAT_CDS_HALF` for a matrix that is not symmetric is an error at the next product.
  With `MAT_SYMMETRIC` set when the format is built, entries may differ from their mirror images by 100 units of rounding of
  themselves or of their diagonal entries, and the one above the diagonal is taken for both.

.seealso: `MATCDS`, `MatCDSSetLimits()`, `MatCDSSetBlockSize()`, `MatSetOption()`
@*/
PetscErrorCode MatCDSSetStorage(Mat A, MatCDSStorage storage)
{
  CdsOptions *options = nullptr;

  PetscFunctionBegin;
  PetscCall(FindOptions(A, &options));
  if (!options) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(storage >= MAT_CDS_AUTO && storage <= MAT_CDS_HALF, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_OUTOFRANGE, "-mat_cds_storage: MatCDSStorage %d is not MAT_CDS_AUTO, MAT_CDS_FULL or MAT_CDS_HALF", (int)storage);
  options->storage = (CdsStorage)storage;
  PetscCall(MatFormatChanged(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  MatCDSSetLimits - Sets which diagonals a `MATCDS` matrix stores whole, and how much padding is allowed

  Logically Collective

  Input Parameters:
+ A        - the matrix
. share    - entries that a diagonal must hold, as a share of the rows, in (0, 1]; entries on emptier diagonals go to a sliced-ELL remainder (default 0.6)
- max_fill - stored values for one nonzero beyond which the matrix is refused with the figures (default 3)

  Options Database Keys:
+ -mat_cds_share share       - see above
- -mat_cds_max_fill max_fill - see above

  Level: advanced

.seealso: `MATCDS`, `MatCDSSetStorage()`
@*/
PetscErrorCode MatCDSSetLimits(Mat A, PetscReal share, PetscReal max_fill)
{
  CdsOptions *options = nullptr;

  PetscFunctionBegin;
  PetscCall(FindOptions(A, &options));
  if (!options) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(share > 0 && share <= 1, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_OUTOFRANGE, "-mat_cds_share %g is not above 0 and at most 1", (double)share);
  PetscCheck(max_fill >= 1 && !PetscIsInfReal(max_fill), PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_OUTOFRANGE, "-mat_cds_max_fill %g is below 1, or not finite", (double)max_fill);
  options->share    = share;
  options->max_fill = max_fill;
  PetscCall(MatFormatChanged(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  MatCDSSetBlockSize - Sets the unknowns of a node in a `MATCDS` matrix, whose diagonals then consist of dense blocks

  Logically Collective

  Input Parameters:
+ A  - the matrix
- bs - 1, 2, 3 or 6, or 0 for the matrix's own block size (1 where that is another)

  Options Database Key:
. -mat_cds_block_size (auto|1|2|3|6) - unknowns of a node

  Level: intermediate

  Note:
  A size that does not divide the local rows and columns is taken as 1.

.seealso: `MATCDS`, `MatCDSSetStorage()`, `MatSetBlockSize()`
@*/
PetscErrorCode MatCDSSetBlockSize(Mat A, PetscInt bs)
{
  CdsOptions *options = nullptr;

  PetscFunctionBegin;
  PetscCall(FindOptions(A, &options));
  if (!options) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(bs == 0 || bs == 1 || bs == 2 || bs == 3 || bs == 6, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_OUTOFRANGE, "-mat_cds_block_size %" PetscInt_FMT " is not 0 (auto), 1, 2, 3 or 6", bs);
  options->bs = bs;
  PetscCall(MatFormatChanged(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  MatCDSSetPrecision - Sets the precision in which a `MATCDS` matrix stores the values of its diagonal block

  Logically Collective

  Input Parameters:
+ A         - the matrix
- precision - `MAT_STORAGE_DOUBLE` (`PetscScalar`, the default), `MAT_STORAGE_SINGLE`, `MAT_STORAGE_HALF` or `MAT_STORAGE_BFLOAT16`

  Options Database Key:
. -mat_cds_precision (double|single|half|bfloat16) - the precision

  Level: advanced

  Notes:
  Fewer bytes are read from memory, for use inside preconditioners. Vectors and sums stay `PetscScalar`: each stored value is off by at most 2^-24 (single), 2^-11 (half) or 2^-8 (bfloat16)
  of itself. Where the values leave the range of the type, above all that of half (6.1e-5 to 65504), they are scaled by powers of two, which round nothing: by one for all, by the roots of
  the diagonal on both sides (D^-1/2 A D^-1/2), or, where that does not serve either, row by row. An entry far below the largest of its row (by 2^-10 and more) may then lose bits that do not matter beside it.
  A NaN or infinity stays what it is. In parallel the off-diagonal block stays `PetscScalar`; so does everything that is not a product with this matrix: transposed products, `MatGetValues()`, the diagonal.

  The format is built anew at the next product. Does nothing for other matrix types.

.seealso: `MATCDS`, `MatCDSSetStorage()`
@*/
PetscErrorCode MatCDSSetPrecision(Mat A, MatStoragePrecision precision)
{
  PetscFunctionBegin;
  PetscCall(goza::MatFormatSetPrecision(A, goza::CdsKind(), precision, "-mat_cds_precision"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
  MATCDS - MATCDS = "cds": compressed diagonal storage, on the host or on a GPU

  Options Database Keys:
+ -mat_type cds                        - sets the type
. -mat_cds_storage (auto|full|half)    - all diagonals, or those of a symmetric matrix from the main one up
. -mat_cds_share share                 - entries that a diagonal must hold to be stored whole (0.6 of the rows)
. -mat_cds_max_fill fill               - stored values for one nonzero beyond which the matrix is refused (3)
. -mat_cds_block_size (auto|1|2|3|6)   - unknowns of a node
- -mat_cds_precision (double|single|half|bfloat16) - precision of the stored values

  Level: beginner

  Notes:
  `MATSEQAIJCDS` on one process, `MATMPIAIJCDS` on several. The matrix is an AIJ matrix in every other respect. Entries on diagonals that are too empty go to a sliced-ELL
  remainder, so every matrix works; matrices of structured grids are what it is for. A stored zero takes part in the product: a NaN in x also reaches
  rows whose diagonals merely pass over it.

  The format and its half form are those of paper P1 (Miura 2015).

.seealso: `MatCDSSetStorage()`, `MATSLICEDELL`, `MATAIJ`
M*/
