/* The type owncds: creation, assembly, products, what it says of itself. */
#include "diagonal_ops.hpp"
#include "own_cds.hpp"
#include "mat/common/format_mat.hpp"
#include "parallel/agree.hpp"
#include "petsc/plugin.hpp"
#include "petscgoza.h"

namespace goza::mat
{

PetscErrorCode MatGetOwnCds(Mat A, OwnCds **own)
{
  PetscBool yes;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)A, own_cds_type, &yes));
  *own = yes ? static_cast<OwnCds *>(A->data) : nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static OwnCds *own_of(Mat A)
{
  return static_cast<OwnCds *>(A->data);
}

/* z = A x, or z = y + A x */
static PetscErrorCode Multiply(Mat A, Vec x, Vec y, Vec z)
{
  OwnCds                                   *own = own_of(A);
  std::shared_ptr<ParOperator<PetscScalar>> op;
  VecRead                                   xin, yin;
  VecWrite                                  zout;

  PetscFunctionBegin;
  PetscCall(OwnGetOperator(A, &op));
  const Space space = own->space;
  PetscCall(PetscLogEventBegin(events.mult, A, x, z, 0));
  PetscErrorCode failed = xin.get(x, space, own->staged_x);
  if (!failed && y && y != z) failed = yin.get(y, space, own->staged_y);
  if (!failed) failed = zout.get(z, space, own->staged_z, y == z);
  if (failed) PetscCall(op->decline());
  PetscCall(failed);
  if (space == Space::Cuda) PetscCall(PetscLogGpuTimeBegin());
  PetscCall(op->apply(xin.data(),
                      y ? RowOut<PetscScalar>(Add<PetscScalar>{y == z ? zout.data() : yin.data(), zout.data()}) : RowOut<PetscScalar>(Assign<PetscScalar>{zout.data()})));
  if (space == Space::Cuda) PetscCall(PetscLogGpuTimeEnd());
  PetscCall(zout.restore());
  if (y && y != z) PetscCall(yin.restore());
  PetscCall(xin.restore());
  usage.products[(int)space]++;
  PetscCall(LogFlops(space, PetscMax(2 * op->nnz() - (y ? 0 : A->rmap->n), 0)));
  PetscCall(PetscLogEventEnd(events.mult, A, x, z, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatMult_OwnCds(Mat A, Vec x, Vec y)
{
  PetscFunctionBegin;
  PetscCall(Multiply(A, x, NULL, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatMultAdd_OwnCds(Mat A, Vec x, Vec y, Vec z)
{
  PetscFunctionBegin;
  PetscCall(Multiply(A, x, y, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By the diagonals alone. */
static PetscErrorCode MultiplyTransposed(OwnCds *own, const DiagonalValues &v, Vec x, Vec y, Vec z)
{
  VecRead  xin, yin;
  VecWrite zout;

  PetscFunctionBegin;
  PetscCall(xin.get(x, own->space, own->staged_x));
  if (y && y != z) PetscCall(yin.get(y, own->space, own->staged_y));
  PetscCall(zout.get(z, own->space, own->staged_z, y == z));
  PetscCall(Guarded([&] { multiply_transposed(own->space, v, xin.data(), !y ? nullptr : y == z ? zout.data() : yin.data(), zout.data()); }));
  PetscCall(zout.restore());
  if (y && y != z) PetscCall(yin.restore());
  PetscCall(xin.restore());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatMultTransposeAdd_OwnCds(Mat A, Vec x, Vec y, Vec z)
{
  OwnCds        *own = own_of(A);
  DiagonalValues v;
  Mat            rest;

  PetscFunctionBegin;
  PetscErrorCode failed = OwnSettle(A, own);
  if (!failed) failed = OwnRead(A, own, own->space, &v);
  if (!failed && v.half && A->rmap->size == 1) {
    PetscCall(Multiply(A, x, y, z));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!failed) failed = MultiplyTransposed(own, v, x, y, z);
  PetscCall(FailTogether(PetscObjectComm((PetscObject)A), failed, "multiply by its transposed part"));
  PetscCall(OwnRest(A, own, &rest));
  if (rest) PetscCall(MatAddTransposedProduct(rest, x, z));
  PetscCall(LogFlops(own->space, 2.0 * own->op->nnz()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatMultTranspose_OwnCds(Mat A, Vec x, Vec y)
{
  PetscFunctionBegin;
  PetscCall(MatMultTransposeAdd_OwnCds(A, x, NULL, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a DM's grid says of the diagonals is known before there is a value. */
static PetscErrorCode MatSetUp_OwnCds(Mat A)
{
  OwnCds                 *own = own_of(A);
  std::vector<PetscInt>   offset;
  std::vector<OtherEntry> others;

  PetscFunctionBegin;
  PetscErrorCode failed = OwnShape(A, own);
  if (!failed) failed = OwnPlacesOfGrid(A, *own, &offset, &others);
  const bool of_grid = !offset.empty();
  if (!failed && of_grid) failed = OwnAddOffsets(A, own, offset);
  PetscCall(FailTogether(PetscObjectComm((PetscObject)A), failed, "hold the diagonals of its grid"));
  PetscCall(OwnAddPlaces(A, own, others));
  if (!of_grid) PetscFunctionReturn(PETSC_SUCCESS);
  A->preallocated = PETSC_TRUE; /* all that is there is 0, as in PETSc's own matrices of a DM */
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* To where the products are. */
static PetscErrorCode MatAssemblyEnd_OwnCds(Mat A, MatAssemblyType type)
{
  OwnCds        *own = own_of(A);
  DiagonalValues v;

  PetscFunctionBegin;
  PetscCall(OwnDeliver(A, own));
  own->is_open = false;
  if (type == MAT_FLUSH_ASSEMBLY) PetscFunctionReturn(PETSC_SUCCESS);
  const bool           there  = own->op && own->space == Space::Cuda; /* a rank that has set no value holds none yet */
  const PetscErrorCode failed = there ? OwnRead(A, own, own->space, &v) : PETSC_SUCCESS;
  PetscCall(FailTogether(PetscObjectComm((PetscObject)A), failed, "hold its diagonals"));
  if (!there) PetscFunctionReturn(PETSC_SUCCESS);
  own->host         = Array<PetscScalar>();
  own->host_current = false;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatSetOption_OwnCds(Mat A, MatOption option, PetscBool yes)
{
  PetscFunctionBegin;
  if (option == MAT_NEW_NONZERO_LOCATION_ERR) own_of(A)->fixed = yes;
  if (option == MAT_ROW_ORIENTED) own_of(A)->row_oriented = yes;
  if (option == MAT_IGNORE_OFF_PROC_ENTRIES) own_of(A)->others.ignored = yes;
  PetscFunctionReturn(PETSC_SUCCESS); /* the others, MAT_SYMMETRIC among them, are PETSc's to keep */
}

static PetscErrorCode MatSetFromOptions_OwnCds(Mat A, GozaOptionItems PetscOptionsObject)
{
  OwnCds   *own     = own_of(A);
  PetscEnum storage = (PetscEnum)own->options.storage;
  PetscBool given;

  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "Matrices that own their diagonals");
  PetscCall(PetscOptionsEnum("-mat_cds_storage", "Hold all diagonals, or those of a symmetric matrix from the main one up (auto: where the matrix is said to be symmetric)", "MatCDSSetStorage", MatCDSStorages, storage, &storage, &given));
  PetscOptionsHeadEnd();
  PetscCheck(!given || !own->op || own->options.storage == (CdsStorage)storage, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONGSTATE, "-mat_cds_storage comes too late: the matrix has values");
  own->options.storage = (CdsStorage)storage;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatGetInfo_OwnCds(Mat A, MatInfoType type, MatInfo *info)
{
  OwnCds         *own = own_of(A);
  DiagonalValues  v;
  Mat             Ad, Ao;
  const PetscInt *garray;
  PetscLogDouble  here[3] = {0, 0, 0}; /* entries, places, bytes */

  PetscFunctionBegin;
  PetscCall(OwnSettle(A, own));
  if (own->op) {
    PetscCall(OwnRead(A, own, own->space, &v));
    PetscCall(Guarded([&] { here[0] = (PetscLogDouble)count_entries(own->space, v); }));
    here[2] = (PetscLogDouble)own->op->bytes();
  }
  here[1] = (PetscLogDouble)OwnEntries(*own, A->rmap->n / own->bs, A->cmap->n / own->bs);
  if (own->others.rest) {
    PetscCall(MatGetAIJBlocks(own->others.rest, &Ad, &Ao, &garray));
    PetscCall(MatGetInfo(Ao, MAT_LOCAL, info));
    here[0] += info->nz_used;
    here[1] += info->nz_used;
    here[2] += info->memory;
  }
  if (type != MAT_LOCAL)
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, here, 3, MPI_DOUBLE, type == MAT_GLOBAL_MAX ? MPI_MAX : MPI_SUM, PetscObjectComm((PetscObject)A)));
  *info              = {};
  info->block_size   = PetscAbs(A->rmap->bs);
  info->nz_allocated = here[1];
  info->nz_used      = here[0];
  info->nz_unneeded  = here[1] - here[0];
  info->memory       = here[2];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatView_OwnCds(Mat A, PetscViewer viewer)
{
  OwnCds           *own = own_of(A);
  PetscBool         ascii;
  PetscViewerFormat format;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  PetscCall(PetscViewerGetFormat(viewer, &format));
  if (ascii && (format == PETSC_VIEWER_ASCII_INFO || format == PETSC_VIEWER_ASCII_INFO_DETAIL)) {
    PetscCall(OwnShape(A, own));
    if (!own->op) PetscCall(PetscViewerASCIIPrintf(viewer, "  Goza diagonals: %d, no value is set yet\n", (int)own->offset.size()));
    else
      PetscCall(PetscViewerASCIIPrintf(viewer, "  Goza diagonals on %s%s, no AIJ beside them: %s; %.3f MB%s%s\n", space_name(own->space),
                                       own->space == Space::Host ? "" : DescribeStages({&own->staged_x, &own->staged_y, &own->staged_z}), own->cds->describe().c_str(),
                                       own->op->bytes() / 1e6, own->op->has_others() ? "; halo " : "", own->op->describe_halo().c_str()));
    PetscCall(PetscViewerASCIIPrintf(viewer, "  Goza diagonals: AIJ was made of them %d times\n", (int)own->made));
    if (own->made) PetscCall(PetscViewerASCIIPrintf(viewer, "  Goza diagonals: the latest AIJ held %.3f MB\n", own->made_bytes / 1e6));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  Mat B;
  PetscCall(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &B)); /* each other view is AIJ's */
  PetscCall(PetscObjectSetName((PetscObject)B, ((PetscObject)A)->name));
  PetscCall(MatView(B, viewer));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatBindToCPU_OwnCds(Mat A, PetscBool bind)
{
  PetscFunctionBegin;
  if (own_of(A)->others.rest) PetscCall(MatBindToCPU(own_of(A)->others.rest, bind));
#if PetscDefined(HAVE_DEVICE)
  A->boundtocpu = bind;
  if (petsc_on_device()) {
    PetscCall(PetscFree(A->defaultvectype));
    PetscCall(PetscStrallocpy(bind ? VECSTANDARD : VECCUDA, &A->defaultvectype));
  }
#else
  (void)A;
  (void)bind;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A product that is computed again would read AIJ of old values. */
static PetscErrorCode MatProductSetFromOptions_OwnCds(Mat C)
{
  PetscFunctionBegin;
  SETERRQ(PetscObjectComm((PetscObject)C), PETSC_ERR_SUP, "Matrices of type %s have no products with matrices: convert them to AIJ, by MatConvert()", own_cds_type);
}

static PetscErrorCode MatDestroy_OwnCds(Mat A)
{
  PetscFunctionBegin;
  PetscCall(MatDestroy(&own_of(A)->others.rest));
  PetscCall(MatDestroy(&own_of(A)->blocks));
  delete own_of(A);
  A->data = NULL;
  PetscCall(OwnCdsComposeCOO(A, false));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, "GozaMatGetOperator_C", NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatCDSSetDiagonals_C", NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatCDSGetDiagonals_C", NULL));
  PetscCall(PetscObjectChangeTypeName((PetscObject)A, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* For programs whose own kernels write values: composed, so that they need not link this library. */
static PetscErrorCode MatCDSSetDiagonals_OwnCds(Mat A, PetscInt n, const PetscInt offsets[])
{
  OwnCds               *own = own_of(A);
  std::vector<PetscInt> more;

  PetscFunctionBegin;
  PetscCall(OwnSettle(A, own));
  PetscCallCXX(more.assign(offsets, offsets + n));
  PetscCall(OwnAddOffsets(A, own, more));
  A->preallocated = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatCDSGetDiagonals_OwnCds(Mat A, PetscInt *n, const PetscInt *offsets[], PetscInt64 *ld, PetscScalar *values[], PetscMemType *where)
{
  OwnCds *own = own_of(A);

  PetscFunctionBegin;
  PetscCall(OwnSettle(A, own));
  PetscCall(OwnWrite(A, own, own->space, true, &own->open));
  *n      = own->open.ndiag;
  *ld     = own->open.ld;
  *values = own->open.val;
  *where  = own->space == Space::Host ? PETSC_MEMTYPE_HOST : PETSC_MEMTYPE_CUDA;
  if (offsets) *offsets = own->open.offset;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode BecomeLike(Mat A, const OwnCds *like, bool transposed, Mat B)
{
  const PetscLayout rows = transposed ? A->cmap : A->rmap, columns = transposed ? A->rmap : A->cmap;

  PetscFunctionBegin;
  PetscCall(MatSetSizes(B, rows->n, columns->n, rows->N, columns->N));
  PetscCall(transposed ? MatSetBlockSizes(B, A->cmap->bs, A->rmap->bs) : MatSetBlockSizesFromMats(B, A, A));
  PetscCall(MatSetType(B, own_cds_type));
  PetscCall(PetscLayoutReference(rows, &B->rmap));
  PetscCall(PetscLayoutReference(columns, &B->cmap));
  PetscCall(MatPropagateSymmetryOptions(A, B));
  if (A->defaultvectype) {
    PetscCall(PetscFree(B->defaultvectype));
    PetscCall(PetscStrallocpy(A->defaultvectype, &B->defaultvectype));
  }
#if PetscDefined(HAVE_DEVICE)
  B->boundtocpu = A->boundtocpu;
#endif
  if (like) own_of(B)->options = like->options;
  B->preallocated = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnCdsNew(Mat A, const OwnCds *like, bool transposed, Mat *B)
{
  PetscFunctionBegin;
  PetscCall(MatCreate(PetscObjectComm((PetscObject)A), B));
  const PetscErrorCode failed = BecomeLike(A, like, transposed, *B);
  if (failed) PetscCall(MatDestroy(B));
  PetscCall(failed);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatCreate_OwnCds(Mat A)
{
  OwnCds *own = nullptr;

  PetscFunctionBegin;
  PetscCall(FailTogether(PetscObjectComm((PetscObject)A), Guarded([&] {
                           own             = new OwnCds;
                           own->options.bs = 0; /* the matrix's own */
                         }),
                         "become a matrix of diagonals"));
  for (PetscLayout map : {A->rmap, A->cmap}) { /* programs that preallocate AIJ do not set up what is not AIJ */
    if (map->n >= 0 || map->N >= 0) PetscCall(PetscLayoutSetUp(map));
  }
  A->data                       = own;
  A->assembled                  = PETSC_FALSE;
  A->ops->mult                  = MatMult_OwnCds;
  A->ops->multadd               = MatMultAdd_OwnCds;
  A->ops->multtranspose         = MatMultTranspose_OwnCds;
  A->ops->multtransposeadd      = MatMultTransposeAdd_OwnCds;
  A->ops->setup                 = MatSetUp_OwnCds;
  A->ops->assemblyend           = MatAssemblyEnd_OwnCds;
  A->ops->setoption             = MatSetOption_OwnCds;
  A->ops->setfromoptions        = MatSetFromOptions_OwnCds;
  A->ops->getinfo               = MatGetInfo_OwnCds;
  A->ops->view                  = MatView_OwnCds;
  A->ops->bindtocpu             = MatBindToCPU_OwnCds;
  A->ops->destroy               = MatDestroy_OwnCds;
  A->ops->productsetfromoptions = MatProductSetFromOptions_OwnCds;
  OwnCdsSetRowOps(A);
  OwnCdsSetValueOps(A);
  OwnCdsSetConvertOps(A);
  OwnCdsSetBlockOps(A);
  PetscCall(OwnCdsComposeCOO(A, true));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, "GozaMatGetOperator_C", OwnGetOperator));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatCDSSetDiagonals_C", MatCDSSetDiagonals_OwnCds));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatCDSGetDiagonals_C", MatCDSGetDiagonals_OwnCds));
  PetscCall(MatBindToCPU_OwnCds(A, PETSC_FALSE));
  PetscCall(PetscObjectChangeTypeName((PetscObject)A, own_cds_type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::mat
