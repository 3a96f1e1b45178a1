/* Owning matrices: creation, assembly, products, what it says of itself. */
#include "own_mat.hpp"
#include "mat/common/group_mat.hpp"
#include "mat/common/format_mat.hpp"
#include "parallel/agree.hpp"
#include "petsc/plugin.hpp"

namespace goza::mat {

OwnMat *find_own(Mat A)
{
  const char *type = A ? ((PetscObject)A)->type_name : nullptr;

  for (const auto &kind : own_kinds)
    if (type && !std::strcmp(type, kind().type)) return own_of(A);
  return nullptr;
}

PetscErrorCode OwnCheckLength(PetscLayout map, Vec v)
{
  PetscFunctionBegin;
  const PetscInt n = local_size(v);
  PetscCheck(n == map->n, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "A vector of %" PetscInt_FMT " entries on this rank where the matrix has %" PetscInt_FMT, n,
             map->n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* z = A x, or z = y + A x */
static PetscErrorCode Multiply(Mat A, Vec x, Vec y, Vec z)
{
  std::shared_ptr<ParOperator<PetscScalar>> op;

  PetscFunctionBegin;
  PetscCall(OwnGetOperator(A, &op));
  PetscCall(MatMultByOperator(A, *op, own_of(A)->staged, x, y, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatMult_Own(Mat A, Vec x, Vec y) { return Multiply(A, x, NULL, y); }

static PetscErrorCode MatMultAdd_Own(Mat A, Vec x, Vec y, Vec z) { return Multiply(A, x, y, z); }

/* By this rank's columns alone. */
static PetscErrorCode MultiplyTransposed(OwnMat *own, const OwnValues &v, Vec x, Vec y, Vec z)
{
  VecRead  xin, yin;
  VecWrite zout;

  PetscFunctionBegin;
  PetscCall(xin.get(x, own->space, own->staged.x));
  if (y && y != z) PetscCall(yin.get(y, own->space, own->staged.y));
  PetscCall(zout.get(z, own->space, own->staged.z, y == z));
  PetscCall(Guarded([&] { multiply_transposed(own->space, v, xin.data(), !y ? nullptr : y == z ? zout.data() : yin.data(), zout.data()); }));
  PetscCall(zout.restore());
  if (y && y != z) PetscCall(yin.restore());
  PetscCall(xin.restore());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatMultTransposeAdd_Own(Mat A, Vec x, Vec y, Vec z)
{
  OwnMat   *own = own_of(A);
  OwnValues v;
  Mat       rest;

  PetscFunctionBegin;
  PetscErrorCode failed = OwnSettle(A, own);
  if (!failed) failed = OwnRead(A, own, own->space, &v);
  const auto *diagonals = std::get_if<DiagonalValues>(&v);
  if (!failed && diagonals && diagonals->half && diagonals->bs == 1 && A->rmap->size == 1) { /* a diagonal block may differ from its mirror image */
    PetscCall(Multiply(A, x, y, z));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!failed) failed = MultiplyTransposed(own, v, x, y, z);
  PetscCall(FailTogether(comm_of(A), failed, "multiply by its transposed part"));
  PetscCall(OwnRest(A, own, &rest));
  if (rest) PetscCall(MatAddTransposedProduct(rest, x, z));
  PetscCall(LogFlops(own->space, 2.0 * own->op->nnz()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatMultTranspose_Own(Mat A, Vec x, Vec y) { return MatMultTransposeAdd_Own(A, x, NULL, y); }

/* What a DM's grid says of the places is known before there is a value. */
static PetscErrorCode MatSetUp_Own(Mat A)
{
  OwnMat                 *own = own_of(A);
  GridPlaces              places;
  std::vector<OtherEntry> others;

  PetscFunctionBegin;
  PetscErrorCode failed = OwnShape(A, own);
  if (!failed) failed = OwnPlacesOfGrid(A, *own, own->storage->by_rows(), &places, &others);
  if (!failed && places.known) failed = own->storage->put_grid(A, own, places);
  PetscCall(FailTogether(comm_of(A), failed, "hold the places of its grid"));
  PetscCall(OwnAddPlaces(A, own, others));
  if (!places.known) PetscFunctionReturn(PETSC_SUCCESS);
  A->preallocated = PETSC_TRUE; /* all that is there is 0, as in PETSc's own matrices of a DM */
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Collective, of a matrix that neither coordinates nor MatSetUp() have given places. One that stays empty since its type does not know a program's way to set
   entries would tell nobody so. Later releases of PETSc than 3.18 set up whatever is assembled. */
static PetscErrorCode WarnOfEmpty(Mat A, const OwnMat *own)
{
  int set = own->op || own->others.rest || !A->rmap->N || !A->cmap->N;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &set, 1, MPI_INT, MPI_MAX, comm_of(A)));
  if (set) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(
    PetscFPrintf(comm_of(A), PETSC_STDERR,
                 "Goza: WARNING! A matrix of type %s is assembled, and nothing has set an entry. petsc4py's setPreallocationCSR() does nothing for this type: "
                 "setValuesCSR() sets the same, or %s yes keeps AIJ. MatSetUp() before says that it is to be 0.\n",
                 own->kind->type, own->kind->keep_aij));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* To where the products are. */
static PetscErrorCode MatAssemblyEnd_Own(Mat A, MatAssemblyType type)
{
  OwnMat   *own = own_of(A);
  OwnValues v;

  PetscFunctionBegin;
  PetscCall(OwnDeliver(A, own));
  own->is_open = false;
  OwnKeepView(A, own);
  if (type == MAT_FLUSH_ASSEMBLY) PetscFunctionReturn(PETSC_SUCCESS);
  if (!A->preallocated) PetscCall(WarnOfEmpty(A, own));
  PetscCall(OwnLookForNewPattern(A));
  A->preallocated             = PETSC_TRUE;                           /* nobody need have asked for places */
  const bool           there  = own->op && own->space == Space::Cuda; /* a rank that has set no value holds none yet */
  const PetscErrorCode failed = there ? OwnRead(A, own, own->space, &v) : PETSC_SUCCESS;
  PetscCall(FailTogether(comm_of(A), failed, "hold its values"));
  if (!there) PetscFunctionReturn(PETSC_SUCCESS);
  own->host.reset();
  own->host_current = false;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatSetOption_Own(Mat A, MatOption option, PetscBool yes)
{
  PetscFunctionBegin;
  if (option == MAT_NEW_NONZERO_LOCATION_ERR || option == MAT_NEW_NONZERO_LOCATIONS || option == MAT_NEW_NONZERO_ALLOCATION_ERR) {
    /* the last of them counts, as for AIJ; there is always room */
    own_of(A)->fixed  = option == MAT_NEW_NONZERO_LOCATION_ERR && yes;
    own_of(A)->closed = option == MAT_NEW_NONZERO_LOCATIONS && !yes;
  }
  if (option == MAT_SYMMETRIC || option == MAT_HERMITIAN || option == MAT_SPD) {
    const bool of_present = A->assembled && !own_of(A)->zero; /* and not of those that somebody may set next */

    own_of(A)->said_at = of_present ? A->num_ass - 1 : A->num_ass;
  }
  if (option == MAT_ROW_ORIENTED) own_of(A)->row_oriented = yes;
  if (option == MAT_IGNORE_OFF_PROC_ENTRIES) own_of(A)->others.ignored = yes;
  PetscFunctionReturn(PETSC_SUCCESS); /* the others, MAT_SYMMETRIC among them, are PETSc's to keep */
}

static PetscErrorCode MatSetFromOptions_Own(Mat A, GozaOptionItems)
{
  OwnMat *own = own_of(A);

  return MatTypeFromOptions(A, own->kind->type,
                            [&](GozaOptionItems items) { return FailTogether(comm_of(A), own->storage->set_from_options(A, own, items), "take its options"); });
}

static PetscErrorCode MatGetInfo_Own(Mat A, MatInfoType type, MatInfo *info)
{
  OwnMat        *own = own_of(A);
  OwnValues      v;
  PetscLogDouble here[3] = {0, 0, 0}; /* entries, places, bytes */

  PetscFunctionBegin;
  PetscCall(OwnSettle(A, own));
  if (own->op) {
    PetscCall(OwnRead(A, own, own->space, &v));
    PetscCall(Guarded([&] { here[0] = (PetscLogDouble)count_entries(own->space, v); }));
    here[2] = (PetscLogDouble)own->op->bytes();
  }
  here[1] = own->storage->places(A, *own);
  if (own->others.rest) {
    PetscCall(MatGetInfo(blocks_of(own->others.rest).others(), MAT_LOCAL, info));
    here[0] += info->nz_used;
    here[1] += info->nz_used;
    here[2] += info->memory;
  }
  if (type != MAT_LOCAL) PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, here, 3, MPI_DOUBLE, type == MAT_GLOBAL_MAX ? MPI_MAX : MPI_SUM, comm_of(A)));
  *info              = {};
  info->block_size   = PetscAbs(A->rmap->bs);
  info->nz_allocated = here[1];
  info->nz_used      = here[0];
  info->nz_unneeded  = here[1] - here[0];
  info->memory       = here[2];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatBindToCPU_Own(Mat A, PetscBool bind)
{
  PetscFunctionBegin;
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

static PetscErrorCode MatDestroy_Own(Mat A)
{
  PetscFunctionBegin;
  PetscCall(MatDestroy(&own_of(A)->others.rest));
  PetscCall(MatDestroy(&own_of(A)->blocks));
  PetscCall(MatDestroy(&own_of(A)->stored));
  for (OwnImage &image : own_of(A)->images) PetscCall(MatDestroy(&image.aij));
  PetscCall(own_of(A)->storage->compose(A, false));
  PetscCall(OwnComposeProducts(A, false));
  PetscCall(OwnComposeAijFunctions(A, false));
  delete own_of(A);
  A->data = NULL;
  PetscCall(OwnComposeCOO(A, false));
  PetscCall(OwnComposeCSR(A, false));
  PetscCall(OwnComposeValues(A, false));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, "GozaMatGetOperator_C", NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, makes_group_mat, NULL));
  PetscCall(PetscObjectChangeTypeName((PetscObject)A, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode BecomeLike(Mat A, const OwnKind &kind, const OwnMat *like, bool transposed, Mat B)
{
  const PetscLayout rows = transposed ? A->cmap : A->rmap, columns = transposed ? A->rmap : A->cmap;

  PetscFunctionBegin;
  PetscCall(MatSetSizes(B, rows->n, columns->n, rows->N, columns->N));
  PetscCall(transposed ? MatSetBlockSizes(B, A->cmap->bs, A->rmap->bs) : MatSetBlockSizesFromMats(B, A, A));
  PetscCall(MatSetType(B, kind.type));
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
  if (like) PetscCall(Together(comm_of(B), "hold the settings of another matrix", [&] { own_of(B)->storage = like->storage->clone(); }));
  B->preallocated = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnNew(Mat A, const OwnKind &kind, const OwnMat *like, bool transposed, Mat *B)
{
  PetscFunctionBegin;
  PetscCall(MatCreate(comm_of(A), B));
  const PetscErrorCode failed = BecomeLike(A, kind, like, transposed, *B);
  if (failed) PetscCall(MatDestroy(B));
  PetscCall(failed);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatCreate_Own(Mat A, const OwnKind &kind)
{
  std::unique_ptr<OwnMat> made;

  PetscFunctionBegin;
  PetscErrorCode failed = Guarded([&] {
    made          = std::make_unique<OwnMat>();
    made->kind    = &kind;
    made->storage = kind.storage();
  });
  if (!failed) failed = made->aij.say_block(kind.type);
  PetscCall(FailTogether(comm_of(A), failed, "become a matrix that owns its values"));
  for (PetscLayout map : {A->rmap, A->cmap}) { /* programs that preallocate AIJ do not set up what is not AIJ */
    if (map->n >= 0 || map->N >= 0) PetscCall(PetscLayoutSetUp(map));
  }
  OwnMat *const own = made.release();
  A->data           = own;
  PetscCall(own->aij.say_longest_row(A, 0));
  A->assembled             = PETSC_FALSE;
  A->ops->mult             = MatMult_Own;
  A->ops->multadd          = MatMultAdd_Own;
  A->ops->multtranspose    = MatMultTranspose_Own;
  A->ops->multtransposeadd = MatMultTransposeAdd_Own;
  A->ops->setup            = MatSetUp_Own;
  A->ops->assemblyend      = MatAssemblyEnd_Own;
  A->ops->setoption        = MatSetOption_Own;
  A->ops->setfromoptions   = MatSetFromOptions_Own;
  A->ops->getinfo          = MatGetInfo_Own;
  A->ops->view             = MatView_Own;
  A->ops->bindtocpu        = MatBindToCPU_Own;
  A->ops->destroy          = MatDestroy_Own;
  OwnSetRowOps(A);
  OwnSetValueOps(A);
  OwnSetConvertOps(A);
  OwnSetBlockOps(A);
  OwnSetColoringOps(A);
  PetscCall(OwnSetAijOps(A));
  PetscCall(OwnComposeProducts(A, true));
  PetscCall(OwnComposeAijFunctions(A, true));
  PetscCall(OwnComposeCOO(A, true));
  PetscCall(OwnComposeCSR(A, true));
  PetscCall(OwnComposeValues(A, true));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, "GozaMatGetOperator_C", OwnGetOperator));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, makes_group_mat, OwnMakeGroup));
  PetscCall(own->storage->compose(A, true));
  PetscCall(MatBindToCPU_Own(A, PETSC_FALSE));
  PetscCall(PetscObjectChangeTypeName((PetscObject)A, kind.type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::mat
