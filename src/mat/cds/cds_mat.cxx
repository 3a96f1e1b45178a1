/* The Mat type cds: settings and names of compressed diagonal storage; everything else is the glue of mat/common. */
#include "cds_mat.hpp"
#include "cds_shape.hpp"
#include "mat/common/narrow.hpp"
#include "mat/own/own_mat.hpp"

const char *const MatCDSStorages[] = {"auto", "full", "half", "hermitian", "MatCDSStorage", "MAT_CDS_", NULL};

namespace goza::mat {
namespace {

class CdsConfig final : public FormatConfig {
public:
  CdsOptions options;

  CdsConfig() { options.bs = 0; /* the matrix's own */ }

  FormatFactory<PetscScalar> factory(Mat A) const override
  {
    CdsOptions o     = options;
    PetscBool  known = PETSC_FALSE, symmetric = PETSC_FALSE;

    if (MatIsSymmetricKnown(A, &known, &symmetric) == PETSC_SUCCESS) o.symmetric = known && symmetric;
    if (MatIsHermitianKnown(A, &known, &symmetric) == PETSC_SUCCESS) o.hermitian = known && symmetric;
    if (!o.bs) o.bs = compiled_block(MatNodeSize(A));
    return [o, p = precision](Space space) { return make_format<Cds, PetscScalar>(p, space, o); };
  }

  std::unique_ptr<FormatConfig> clone() const override { return std::make_unique<CdsConfig>(*this); }

  /* All diagonals are whole then, blocks are the matrix's, and there is no rule of Hermitian ones. */
  const char *not_alone() const override
  {
    const CdsOptions any;

    if (options.bs) return "block_size";
    if (options.share != any.share) return "share";
    return PetscDefined(USE_COMPLEX) && options.storage == CdsStorage::Hermitian ? "storage" : FormatConfig::not_alone();
  }
};

constexpr PetscReal infinity      = std::numeric_limits<PetscReal>::infinity();
constexpr PetscInt  block_sizes[] = {0, 1, 2, 3, 6};

template <auto member> constexpr auto in_cds = held<&CdsConfig::options, member>;

namespace setting {

constexpr Setting storage{"-mat_cds_storage", "MatCDSSetStorage",
                          "Hold all diagonals, or those of a symmetric matrix from the main one up (auto: where the matrix is symmetric)",
                          in_cds<&CdsOptions::storage>, Words<MatCDSStorage>{MatCDSStorages}};
constexpr Setting share{"-mat_cds_share", "MatCDSSetShare", "Entries that a diagonal must hold to be stored whole, of the rows (0 to 1)",
                        in_cds<&CdsOptions::share>, RealRange{0, 1, true, false}};
constexpr Setting max_fill{"-mat_cds_max_fill", "MatCDSSetMaxFill", "Stored values for one nonzero beyond which the matrix is refused",
                           in_cds<&CdsOptions::max_fill>, RealRange{1, infinity, false, true}};
constexpr Setting block_size{"-mat_cds_block_size", "MatCDSSetBlockSize", "Unknowns of a node (auto: the matrix's block size)", in_cds<&CdsOptions::bs>,
                             IntList{block_sizes}};
constexpr Setting precision{"-mat_cds_precision", "MatCDSSetPrecision", precision_text, held<&CdsConfig::precision>,
                            Words<MatStoragePrecision>{MatStoragePrecisions}};

} // namespace setting

} // namespace

const FormatKind &CdsKind()
{
  static const FormatKind kind = MakeFormatOrOwnKind<CdsConfig, CdsKind, OwnCdsKind, &setting::storage, &setting::share, &setting::max_fill,
                                                     &setting::block_size, &setting::precision>(MATCDS, MATSEQAIJCDS, MATMPIAIJCDS);

  return kind;
}

PetscErrorCode CdsAloneFromOptions(Mat A, GozaOptionItems items, CdsOptions *options, const char **refused)
{
  CdsConfig config;

  PetscFunctionBegin;
  config.options.storage  = options->storage;
  config.options.max_fill = options->max_fill;
  PetscCall(CdsKind().from_options(A, config, items));
  *refused          = config.not_alone();
  options->storage  = config.options.storage;
  options->max_fill = config.options.max_fill;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::mat

/*@
  MatCDSSetStorage - Sets whether a `MATCDS` matrix holds all its diagonals or, being symmetric, those from the main one up

  Logically Collective

  Input Parameters:
+ A       - the matrix
- storage - `MAT_CDS_AUTO` (half where the entries on the diagonals prove equal to their mirror images, with `MAT_SYMMETRIC` up to rounding), `MAT_CDS_FULL`,
            `MAT_CDS_HALF`, `MAT_CDS_HERMITIAN` (half of a Hermitian matrix, whose lower entries are the upper ones' conjugates; with real scalars the same as
            `MAT_CDS_HALF`)

  Options Database Key:
. -mat_cds_storage (auto|full|half|hermitian) - the storage

  Level: intermediate

  Notes:
  Half storage reads half the values from memory: y_i = sum_d a_d[i] x[i + o_d] + a_d[i - o_d] x[i - o_d] (paper P1, half form), without atomic additions. In
  parallel the diagonal block of each rank is tested and stored by itself. `MAT_CDS_HALF` for a matrix that is not symmetric, or `MAT_CDS_HERMITIAN` for one
  that is not Hermitian, is an error at the next product; one that holds a NaN or infinity is held in full as long as it does. `MAT_CDS_AUTO` takes the
  Hermitian form where `MAT_HERMITIAN` is set and `MAT_SYMMETRIC` is not. With `MAT_SYMMETRIC` set when the format is built, entries may differ from their
  mirror images by 100 units of rounding of themselves or of their diagonal entries, and the one above the diagonal is taken for both.

.seealso: `MATCDS`, `MatCDSGetStorage()`, `MatCDSSetShare()`, `MatCDSSetBlockSize()`, `MatSetOption()`
@*/
MAT_FORMAT_SET_AND_GET(MatCDSSetStorage, MatCDSGetStorage, MatCDSStorage, goza::CdsKind(), goza::setting::storage)

/*@
  MatCDSSetShare - Sets how full a diagonal must be to be stored whole in a `MATCDS` matrix

  Logically Collective

  Input Parameters:
+ A     - the matrix
- share - entries that a diagonal must hold, as a share of the rows, in (0, 1]; entries on emptier diagonals go to a sliced-ELL remainder (default 0.6)

  Options Database Key:
. -mat_cds_share share - the share

  Level: advanced

.seealso: `MATCDS`, `MatCDSGetShare()`, `MatCDSSetMaxFill()`, `MatCDSSetStorage()`
@*/
MAT_FORMAT_SET_AND_GET(MatCDSSetShare, MatCDSGetShare, PetscReal, goza::CdsKind(), goza::setting::share)

/*@
  MatCDSSetMaxFill - Sets how much padding is allowed in a `MATCDS` matrix

  Logically Collective

  Input Parameters:
+ A    - the matrix
- fill - stored values for one nonzero beyond which the matrix is refused with the figures (default 3)

  Options Database Key:
. -mat_cds_max_fill fill - the most

  Level: advanced

.seealso: `MATCDS`, `MatCDSGetMaxFill()`, `MatCDSSetShare()`
@*/
MAT_FORMAT_SET_AND_GET(MatCDSSetMaxFill, MatCDSGetMaxFill, PetscReal, goza::CdsKind(), goza::setting::max_fill)

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

.seealso: `MATCDS`, `MatCDSGetBlockSize()`, `MatCDSSetStorage()`, `MatSetBlockSize()`
@*/
MAT_FORMAT_SET_AND_GET(MatCDSSetBlockSize, MatCDSGetBlockSize, PetscInt, goza::CdsKind(), goza::setting::block_size)

/*@
  MatCDSSetPrecision - Sets the precision in which a `MATCDS` matrix stores the values of its diagonal block

  Logically Collective

  Input Parameters:
+ A         - the matrix
- precision - `MAT_STORAGE_DOUBLE` (`PetscScalar`, the default), `MAT_STORAGE_SINGLE` or `MAT_STORAGE_HALF`

  Options Database Key:
. -mat_cds_precision (double|single|half) - the precision

  Level: advanced

  Notes:
  Fewer bytes are read from memory, for use inside preconditioners. Vectors and sums stay `PetscScalar`: each stored value is off by at most 2^-24 (single) or
  2^-11 (half) of itself. Where the values leave the range of the type, above all that of half (6.1e-5 to 65504), they are scaled by powers of two, which round
  nothing: by one for all, by the roots of the diagonal on both sides (D^-1/2 A D^-1/2), or, where that does not serve either, row by row. An entry far below
  the largest of its row (by 2^-10 and more) may then lose bits that do not matter beside it. A NaN or infinity stays what it is. In parallel the off-diagonal
  block stays `PetscScalar`; so does everything that is not a product with this matrix: transposed products, `MatGetValues()`, the diagonal.

.seealso: `MATCDS`, `MatCDSGetPrecision()`, `MatCDSSetStorage()`
@*/
MAT_FORMAT_SET_AND_GET(MatCDSSetPrecision, MatCDSGetPrecision, MatStoragePrecision, goza::CdsKind(), goza::setting::precision)

/*MC
  MATCDS - MATCDS = "cds": compressed diagonal storage, on the host or on a GPU

  Options Database Keys:
+ -mat_type cds                        - sets the type
. -mat_cds_storage (auto|full|half|hermitian) - all diagonals, or those of a symmetric or Hermitian matrix from the main one up
. -mat_cds_share share                 - entries that a diagonal must hold to be stored whole (0.6 of the rows)
. -mat_cds_max_fill fill               - stored values for one nonzero beyond which the matrix is refused (3)
. -mat_cds_block_size (auto|1|2|3|6)   - unknowns of a node
. -mat_cds_precision (double|single|half) - precision of the stored values
- -mat_cds_keep_aij (auto|yes|no)      - yes: AIJ is held beside the diagonals; no: nothing is held but these; auto (default): no where
                                        `GozaAssemblyCreateMatrix()` makes the matrix

  Level: beginner

  Notes:
  `MATSEQAIJCDS` on one process, `MATMPIAIJCDS` on several. The matrix is an AIJ matrix in every other respect. Entries on diagonals that are too empty go to a
  sliced-ELL remainder, so every matrix works; matrices of structured grids are what it is for. A stored zero takes part in the product: a NaN in x also reaches
  rows whose diagonals merely pass over it.

  `auto` leaves AIJ out of a matrix that `GozaAssemblyCreateMatrix()` makes, which is assembled without it: where the mesh has few diagonals and these are
  mostly full on every rank, the assembly runs where the products do, and no other option of the format asks for what the diagonals alone have not (a precision,
  a share, a block size), which with `no` is an error. Elsewhere `auto` holds AIJ, as `yes` does: when a matrix gets its type nobody knows what it will be asked
  for, and one of diagonals alone has no entries off these. A matrix whose type is asked for by the name `MATSEQAIJCDS` or `MATMPIAIJCDS` holds AIJ unless `no`
  is given.

  A setting that changes after a product has the format built anew at the next one. Functions that set one do nothing for matrices of other types.

  A matrix without AIJ is of type `MATOWNCDS`, which no program that looks for AIJ by the type's name takes for it: its diagonals are all that there is of it,
  at most 128 of them, each whole, in `PetscScalar`, with no index, so that it may have more nonzeros than a `PetscInt` counts. They are those of a `DMDA`'s
  stencil, of `MatSetPreallocationCOO()`, or of the values that are set. Values are set on the device by COO; `MatSetValues()` sets them on the host, and the
  end of the assembly takes them to the device.

  With `-mat_cds_storage auto` the half form is taken where `MAT_SYMMETRIC` (`MAT_SPD`) is set before the first value; the entry above the diagonal is then
  taken for both. `MatSetValues()` after the assembly that this was said of goes on in full, unless it was said again or to be so for ever
  (`MAT_SYMMETRY_ETERNAL`, `MAT_SPD_ETERNAL`). An entry is nonzero where its value is not 0: one that becomes 0, or is one no longer, is a new nonzero pattern
  for who has had AIJ. `MatConvert()` makes AIJ of it and it of AIJ.

  What PETSc knows of AIJ alone makes it, on the host, and gives it back: factors, products with matrices of any type, submatrices, colorings, views. A
  `MatFDColoring` holds an AIJ of its own, of a `DMDA`'s stencil or of the entries, and colors of its own where those that it is given are of fewer entries.
  `MatSOR()` and `MatGetDiagonalBlock()`, whose block is brought up to date
  when it is asked for again, keep it until the pattern moves, and a product for as long as its result lives or until it is cleared (`-mat_product_clear`). So
  `PCBJACOBI`, `PCASM`, `PCSOR`, `PCGAMG`, `PCILU`, `PCLU` take the iterations that they take of an AIJ without zeros. Where AIJ holds some, as on a `DMDA`'s
  stencil with unknowns that are not coupled or given, they see fewer entries here: graphs and overlaps are others, and iterations differ by some.
  `-mat_view ::ascii_info` and the event GozaMatToAIJ of `-log_view` say how often AIJ was made. A matrix that is not square and is preallocated as AIJ becomes
  a `MATCDS` that keeps AIJ: PETSc gives interpolations the type of the fine matrix.

  Arrays of AIJ are not there to be asked for: `MatSeqAIJGetArray()` and its like are errors that say so, and `MatSeqAIJGetMaxRowNonzeros()` gives the number of
  columns, which no row has more than. `PCSAAMG` sets up from the diagonals or, off the grids that it knows, from rows that it makes of them where they are
  (event GozaMatToRows); `PCPBJACOBI` and `PCJACOBI` take such a matrix, too. On several ranks the diagonals are those of a rank's own columns, and the entries
  in columns of other ranks, a surface of its part of a grid, are kept as AIJ.

  A program whose own kernels compute values writes them (on several ranks those in a rank's own columns, by its own numbers) straight into such a matrix: it
  composes "MatCDSSetDiagonals_C"(Mat, PetscInt n, const PetscInt offsets[]), which adds diagonals of zeros, and "MatCDSGetDiagonals_C"(Mat, PetscInt *n, const
  PetscInt *offsets[], PetscInt64 *ld, PetscScalar *values[], PetscMemType *where), which says what is stored (in half storage the offsets from 0 up) and
  where: entry (i, i + offsets[d]) at values[d * ld + i], of blocks of bs unknowns entry (r, c) of block row i at values[((d * bs + r) * bs + c) * ld + i].
  Places outside the matrix hold 0. `MatAssemblyBegin()` and `MatAssemblyEnd()` follow (examples/poisson_diagonals.cu).

  The format and its half form are those of paper P1 (Miura 2015).

.seealso: `MatCDSSetStorage()`, `MATSLICEDELL`, `MATAIJ`
M*/
