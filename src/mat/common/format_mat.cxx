#include "format_mat.hpp"
#include "errors.hpp"
#include "goza.hpp"
#include <petsc/private/petscimpl.h>

namespace goza
{

static const char context_key[] = "GozaFormatMat";

MatType BaseType(bool mpi)
{
  if (petsc_on_device()) return mpi ? MATMPIAIJCUSPARSE : MATSEQAIJCUSPARSE;
  return mpi ? MATMPIAIJ : MATSEQAIJ;
}

PetscErrorCode MatGetFormatMat(Mat A, FormatMat **f)
{
  PetscContainer container;

  PetscFunctionBegin;
  *f = nullptr;
  PetscCall(PetscObjectQuery((PetscObject)A, context_key, (PetscObject *)&container));
  if (container) PetscCall(PetscContainerGetPointer(container, (void **)f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FormatMatDestroy(GozaDestroyContext ctx)
{
  PetscFunctionBegin;
  delete static_cast<FormatMat *>(GozaDestroyedPointer(ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatFormatGetConfig(Mat A, FormatConfig **config)
{
  FormatMat *f;

  PetscFunctionBegin;
  PetscCall(MatGetFormatMat(A, &f));
  PetscCheck(f, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONG, "Not a Goza matrix: type %s", ((PetscObject)A)->type_name);
  *config = f->config.get();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatFormatChanged(Mat A)
{
  FormatMat *f;

  PetscFunctionBegin;
  PetscCall(MatGetFormatMat(A, &f));
  if (f) PetscCallCXX(f->op = std::make_shared<ParOperator<PetscScalar>>());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- operations that need more than the base's */

static PetscErrorCode MatAssemblyEnd_Format(Mat A, MatAssemblyType type)
{
  PetscFunctionBegin;
  /* puts our view back over a DM's, which hides every ascii_info format of a parallel matrix */
  PetscCall(AsBase<&_MatOps::assemblyend>::call(A, type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatSetFromOptions_Format(Mat A, GozaOptionItems PetscOptionsObject)
{
  FormatMat *f;
  bool       changed = false;

  PetscFunctionBegin;
  PetscCall(MatGetFormatMat(A, &f));
  if (f->base.setfromoptions) PetscCall(MatFormatAsBase(A, f, [&] { return f->base.setfromoptions(A, PetscOptionsObject); }));
  PetscCall(f->config->set_from_options(A, PetscOptionsObject, &changed));
  if (changed) PetscCall(MatFormatChanged(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Only over SeqAIJCUSPARSE: a product with its own kernels checks exact type names later, when ours are back; the AIJ product, which a matrix bound to the
   CPU gets, is the one that fits. */
static PetscErrorCode MatProductSetFromOptions_Format(Mat C)
{
  FormatMat *f;

  PetscFunctionBegin;
  PetscCall(MatGetFormatMat(C->product->A, &f));
  if (!f) PetscCall(MatGetFormatMat(C->product->B, &f)); /* only B is ours */
#if PetscDefined(HAVE_DEVICE)
  Mat             A     = C->product->A;
  const PetscBool bound = A->boundtocpu;

  A->boundtocpu             = f->base_type == MATSEQAIJCUSPARSE ? PETSC_TRUE : bound;
  const PetscErrorCode ierr = f->base.productsetfromoptions(C);
  A->boundtocpu             = bound;
  PetscCall(ierr);
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatSetPreallocationCOO_Format(Mat A, PetscCount n, PetscInt i[], PetscInt j[])
{
  FormatMat *f;

  PetscFunctionBegin;
  PetscCall(MatGetFormatMat(A, &f));
  f->coo_n = n;
  PetscCall(MatFormatAsBase(A, f, [&] { return f->base_coo_preallocate(A, n, i, j); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatSetValuesCOO_Format(Mat A, const PetscScalar v[], InsertMode mode)
{
  FormatMat               *f;
  std::vector<PetscScalar> host;

  PetscFunctionBegin;
  PetscCall(MatGetFormatMat(A, &f));
  if (!petsc_on_device() && device::is_device_pointer(v)) { /* this PETSc knows no device memory */
    PetscCall(Guarded([&] {
      host.resize(f->coo_n);
      device::copy(host.data(), v, host.size() * sizeof(PetscScalar));
    }));
    v = host.data();
  }
  PetscCall(MatFormatAsBase(A, f, [&] { return f->base_coo_values(A, v, mode); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --- operations of SeqAIJCUSPARSE and MPIAIJCUSPARSE that take vectors: those take device vectors only, ours any */

static PetscErrorCode OnDevice(Vec v, bool read, Vec *w)
{
  PetscBool cuda;
  PetscInt  n, N;

  PetscFunctionBegin;
  *w = v;
  if (!v) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectTypeCompareAny((PetscObject)v, &cuda, VECSEQCUDA, VECMPICUDA, ""));
  if (cuda) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetLocalSize(v, &n));
  PetscCall(VecGetSize(v, &N));
  PetscCall(VecCreate(PetscObjectComm((PetscObject)v), w));
  PetscCall(VecSetSizes(*w, n, N));
  PetscCall(VecSetType(*w, VECCUDA));
  if (read) PetscCall(VecCopy(v, *w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Back(Vec v, bool written, Vec *w)
{
  PetscFunctionBegin;
  if (v != *w) {
    if (written) PetscCall(VecCopy(*w, v));
    PetscCall(VecDestroy(w));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <auto Op> static PetscErrorCode MatInOut_Device(Mat A, Vec x, Vec y) /* y = op(A) x */
{
  Vec dx, dy;

  PetscFunctionBegin;
  PetscCall(OnDevice(x, true, &dx));
  PetscCall(OnDevice(y, false, &dy));
  PetscCall(AsBase<Op>::call(A, dx, dy));
  PetscCall(Back(x, false, &dx));
  PetscCall(Back(y, true, &dy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* z = y + op(A) x; y may be z. SeqAIJCUSPARSE's of 3.26 adds what was in z to the sum unless y is z, so that is what it is given. */
template <auto Op> static PetscErrorCode MatInInOut_Device(Mat A, Vec x, Vec y, Vec z)
{
  Vec dx, dz;

  PetscFunctionBegin;
  if (y != z) PetscCall(VecCopy(y, z));
  PetscCall(OnDevice(x, true, &dx));
  PetscCall(OnDevice(z, true, &dz));
  PetscCall(AsBase<Op>::call(A, dx, dz, dz));
  PetscCall(Back(x, false, &dx));
  PetscCall(Back(z, true, &dz));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Some operations of AIJCUSPARSE read or write the host's values without a look at where the newer ones are. */
static PetscErrorCode HostValues(Mat A, bool written)
{
  Mat             blocks[2];
  const PetscInt *garray;

  PetscFunctionBegin;
  PetscCall(MatGetAIJBlocks(A, &blocks[0], &blocks[1], &garray));
  for (Mat block : blocks) {
    const PetscScalar *a;

    if (!block) continue;
    if (written) {
#if PetscDefined(HAVE_DEVICE)
      block->offloadmask = PETSC_OFFLOAD_CPU;
#endif
      PetscCall(PetscObjectStateIncrease((PetscObject)block));
    } else { /* copies what the device has newer */
      PetscCall(MatSeqAIJGetArrayRead(block, &a));
      PetscCall(MatSeqAIJRestoreArrayRead(block, &a));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <auto Op> struct OnHost;
template <class... Args, PetscErrorCode (*_MatOps::*Op)(Mat, Args...)> struct OnHost<Op> {
  static PetscErrorCode call(Mat A, Args... args)
  {
    FormatMat *f;

    PetscFunctionBegin;
    PetscCall(HostValues(A, false));
    PetscCall(MatGetFormatMat(A, &f));
    PetscCall((f->base.*Op)(A, args...));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

static PetscErrorCode MatTranspose_Device(Mat A, MatReuse reuse, Mat *B)
{
  PetscFunctionBegin;
  PetscCall((OnHost<&_MatOps::transpose>::call(A, reuse, B)));
  if (reuse == MAT_REUSE_MATRIX) PetscCall(HostValues(*B, true));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatStoreValues_Device(Mat A)
{
  FormatMat *f;

  PetscFunctionBegin;
  PetscCall(MatGetFormatMat(A, &f));
  PetscCall(HostValues(A, false));
  PetscCall(f->base_store(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatRetrieveValues_Device(Mat A)
{
  FormatMat *f;

  PetscFunctionBegin;
  PetscCall(MatGetFormatMat(A, &f));
  PetscCall(f->base_retrieve(A));
  PetscCall(HostValues(A, true));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Both are ours, or PETSc had not come here. cuSPARSE's sum wants entries in both; without them, and as soon as the two differ in their operations,
   PETSc adds on the host. */
static PetscErrorCode MatAXPY_Device(Mat Y, PetscScalar a, Mat X, MatStructure structure)
{
  FormatMat *fx, *fy;
  MatInfo    ix, iy;

  PetscFunctionBegin;
  PetscCall(MatGetFormatMat(X, &fx));
  PetscCall(MatGetFormatMat(Y, &fy));
  PetscCall(MatGetInfo(X, MAT_LOCAL, &ix));
  PetscCall(MatGetInfo(Y, MAT_LOCAL, &iy));
  if (ix.nz_used == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatFormatAsBase(Y, fy, [&] {
    if (X == Y || iy.nz_used == 0) return fy->base.axpy(Y, a, X, structure);
    return MatFormatAsBase(X, fx, [&] { return fy->base.axpy(Y, a, X, structure); });
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatGetDiagonal_Device(Mat A, Vec d)
{
  Vec dd;

  PetscFunctionBegin;
  PetscCall(OnDevice(d, false, &dd));
  PetscCall(AsBase<&_MatOps::getdiagonal>::call(A, dd));
  PetscCall(Back(d, true, &dd));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatDiagonalScale_Device(Mat A, Vec l, Vec r)
{
  Vec dl, dr;

  PetscFunctionBegin;
  PetscCall(OnDevice(l, true, &dl));
  PetscCall(OnDevice(r, true, &dr));
  PetscCall(AsBase<&_MatOps::diagonalscale>::call(A, dl, dr));
  PetscCall(Back(l, false, &dl));
  PetscCall(Back(r, false, &dr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc destroys the inside of a matrix in two ways: with the whole matrix, and, its composed objects already taken away, to put another one's
   inside there (MatHeaderMerge()). In the second the shell stays a Goza matrix, and only the base type's part goes. */
static const char *const base_types[] = {MATSEQAIJ, MATMPIAIJ, "seqaijcusparse", "mpiaijcusparse"};
static PetscErrorCode (*base_destroy[PETSC_STATIC_ARRAY_LENGTH(base_types)])(Mat);

template <int base> static PetscErrorCode MatDestroy_Format(Mat A)
{
  FormatMat *f;

  PetscFunctionBegin;
  PetscCall(MatGetFormatMat(A, &f));
  if (f) PetscCall(MatFormatDetach(A));
  PetscCall((*base_destroy[base])(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode OverrideDestroy(Mat A, const FormatMat *f)
{
  static PetscErrorCode (*const ours[])(Mat) = {MatDestroy_Format<0>, MatDestroy_Format<1>, MatDestroy_Format<2>, MatDestroy_Format<3>};

  PetscFunctionBegin;
  for (std::size_t b = 0; b < PETSC_STATIC_ARRAY_LENGTH(base_types); b++) {
    if (f->base_type == base_types[b]) {
      base_destroy[b] = f->base.destroy;
      A->ops->destroy = ours[b];
      PetscFunctionReturn(PETSC_SUCCESS);
    }
  }
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP, "A Goza matrix cannot be made from type %s", f->base_type.c_str());
}

/* --- attaching and detaching */

template <auto Op> static void wrap(Mat A)
{
  if (A->ops->*Op) A->ops->*Op = AsBase<Op>::call;
}

template <class F> static PetscErrorCode ComposeOver(Mat A, const char *name, F ours, F *base)
{
  F now = nullptr;

  PetscFunctionBegin;
  PetscCall(PetscObjectQueryFunction((PetscObject)A, name, &now));
  if (now && now != ours) {
    *base = now;
    PetscCall(PetscObjectComposeFunction((PetscObject)A, name, ours));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatFormatOverride(Mat A, FormatMat *f)
{
  PetscFunctionBegin;
  f->base                = *A->ops;
  A->ops->mult           = MatMult_Format;
  A->ops->multadd        = MatMultAdd_Format;
  A->ops->view           = MatView_Format;
  A->ops->duplicate      = MatDuplicate_Format;
  A->ops->assemblyend    = MatAssemblyEnd_Format;
  A->ops->setfromoptions = MatSetFromOptions_Format;
  A->ops->convertfrom    = MatConvert_Any_Format;
  PetscCall(OverrideDestroy(A, f));
  if (f->base.createsubmatrix) A->ops->createsubmatrix = MatCreateSubMatrix_Format;
  if (f->base_type == MATSEQAIJCUSPARSE) {
    A->ops->productsetfromoptions = MatProductSetFromOptions_Format;
    A->ops->axpy                  = MatAXPY_Device;
  }
  if (f->base_type == MATSEQAIJCUSPARSE || f->base_type == MATMPIAIJCUSPARSE) {
    PetscBool bound;

    PetscCall(MatBoundToCPU(A, &bound));
    if (!bound) {
      A->ops->multtranspose    = MatInOut_Device<&_MatOps::multtranspose>;
      A->ops->multtransposeadd = MatInInOut_Device<&_MatOps::multtransposeadd>;
      A->ops->getdiagonal      = MatGetDiagonal_Device;
      A->ops->diagonalscale    = MatDiagonalScale_Device;
      if (f->base.multhermitiantranspose) A->ops->multhermitiantranspose = MatInOut_Device<&_MatOps::multhermitiantranspose>;
      if (f->base.multhermitiantransposeadd) A->ops->multhermitiantransposeadd = MatInInOut_Device<&_MatOps::multhermitiantransposeadd>;
    }
    if (f->base.transpose) A->ops->transpose = MatTranspose_Device;
    if (f->base.sor) A->ops->sor = OnHost<&_MatOps::sor>::call;
    if (f->base.norm) A->ops->norm = OnHost<&_MatOps::norm>::call;
    PetscCall(ComposeOver(A, "MatStoreValues_C", MatStoreValues_Device, &f->base_store));
    PetscCall(ComposeOver(A, "MatRetrieveValues_C", MatRetrieveValues_Device, &f->base_retrieve));
    wrap<&_MatOps::scale>(A);
    wrap<&_MatOps::shift>(A);
    wrap<&_MatOps::zeroentries>(A);
    wrap<&_MatOps::bindtocpu>(A);
    wrap<&_MatOps::setoption>(A);
  }
  PetscCall(ComposeOver(A, "MatSetPreallocationCOO_C", MatSetPreallocationCOO_Format, &f->base_coo_preallocate));
  PetscCall(ComposeOver(A, "MatSetValuesCOO_C", MatSetValuesCOO_Format, &f->base_coo_values));
  f->ours = *A->ops;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The base's operations again. What PETSc has put there since (the numeric phase of a product that made A) stays. */
static void RestoreBaseOps(Mat A, const FormatMat *f)
{
  using Function = void (*)();

  static_assert(sizeof(struct _MatOps) % sizeof(Function) == 0, "a table of functions");
  Function       *now  = reinterpret_cast<Function *>(A->ops);
  const Function *base = reinterpret_cast<const Function *>(&f->base), *ours = reinterpret_cast<const Function *>(&f->ours);

  for (std::size_t k = 0; k < sizeof(struct _MatOps) / sizeof(Function); k++) {
    if (now[k] == ours[k]) now[k] = base[k];
  }
}

PetscErrorCode MatFormatBeginBase(Mat A, FormatMat *f, char **name)
{
  PetscObject obj = (PetscObject)A;

  PetscFunctionBegin;
  if (A->ops->view && A->ops->view != f->base.view && A->ops->view != MatView_Format) f->chained_view = A->ops->view;
  A->ops->view = f->ours.view;
  RestoreBaseOps(A, f);
  *name = obj->type_name; /* kept, not freed: a user may hold what MatGetType() gave */
  PetscCall(PetscStrallocpy(f->base_type.c_str(), &obj->type_name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatFormatEndBase(Mat A, FormatMat *f, char *name)
{
  PetscObject obj = (PetscObject)A;

  PetscFunctionBegin;
  PetscCall(PetscFree(obj->type_name));
  obj->type_name = name;
  PetscCall(MatFormatOverride(A, f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Functions that PETSc looks for by type names: conversions from us (those to us are ops->convertfrom), and products with other types. */
static PetscErrorCode ComposeByName(Mat A, const FormatMat *f, bool attach)
{
  char        name[128];
  const bool  mpi  = f->base_type.rfind("mpi", 0) == 0;
  const char *size = mpi ? "mpi" : "seq", *type = mpi ? f->kind->mpi : f->kind->seq;
  const bool  on_device = f->base_type != MATSEQAIJ && f->base_type != MATMPIAIJ;

  PetscFunctionBegin;
  for (const char *to : {"aij", "aijcusparse"}) {
    PetscCall(PetscSNPrintf(name, sizeof(name), "MatConvert_%s_%s%s_C", type, size, to));
    PetscCall(PetscObjectComposeFunction((PetscObject)A, name, attach ? MatConvert_Format_Base : NULL));
    PetscCall(PetscSNPrintf(name, sizeof(name), "MatProductSetFromOptions_%s_%s%s_C", type, size, to));
    if (on_device) PetscCall(PetscObjectComposeFunction((PetscObject)A, name, attach ? MatProductSetFromOptions_Format : NULL));
    PetscCall(PetscSNPrintf(name, sizeof(name), "MatProductSetFromOptions_%s%s_%s_C", size, to, type));
    if (on_device) PetscCall(PetscObjectComposeFunction((PetscObject)A, name, attach ? MatProductSetFromOptions_Format : NULL));
  }
  /* to the same type by its root name, which PETSc's test for "the same type" does not know */
  PetscCall(PetscSNPrintf(name, sizeof(name), "MatConvert_%s_%s_C", type, f->kind->root));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, name, attach ? MatConvert_Format_Same : NULL));
  for (const char *dense : {"seqdense", "mpidense"}) {
    PetscErrorCode (*product)(Mat) = nullptr;

    PetscCall(PetscSNPrintf(name, sizeof(name), "MatProductSetFromOptions_%saij_%s_C", size, dense));
    PetscCall(PetscObjectQueryFunction((PetscObject)A, name, &product));
    PetscCall(PetscSNPrintf(name, sizeof(name), "MatProductSetFromOptions_%s_%s_C", type, dense));
    if (product) PetscCall(PetscObjectComposeFunction((PetscObject)A, name, attach ? product : NULL));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatFormatAttach(Mat A, const FormatKind &kind, std::unique_ptr<FormatConfig> config)
{
  FormatMat     *f;
  PetscContainer container;

  PetscFunctionBegin;
  PetscCallCXX(f = new FormatMat);
  f->kind      = &kind;
  f->config    = std::move(config);
  f->base_type = ((PetscObject)A)->type_name;
  PetscCall(PetscContainerCreate(PetscObjectComm((PetscObject)A), &container));
  PetscCall(PetscContainerSetPointer(container, f));
  PetscCall(PetscContainerSetCtxDestroy(container, FormatMatDestroy));
  PetscCall(PetscObjectCompose((PetscObject)A, context_key, (PetscObject)container));
  PetscCall(PetscContainerDestroy(&container));
  PetscCall(PetscObjectChangeTypeName((PetscObject)A, f->base_type.rfind("mpi", 0) == 0 ? kind.mpi : kind.seq));
  PetscCall(MatFormatOverride(A, f));
  PetscCall(ComposeByName(A, f, true));
  PetscCall(f->config->compose(A, true));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatFormatDetach(Mat A)
{
  FormatMat *f;

  PetscFunctionBegin;
  PetscCall(MatGetFormatMat(A, &f));
  PetscCall(ComposeByName(A, f, false));
  PetscCall(f->config->compose(A, false));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatSetPreallocationCOO_C", f->base_coo_preallocate));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatSetValuesCOO_C", f->base_coo_values));
  if (f->base_store) PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatStoreValues_C", f->base_store));
  if (f->base_retrieve) PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatRetrieveValues_C", f->base_retrieve));
  if (!MatIsHashed(A)) RestoreBaseOps(A, f);
  PetscCall(PetscObjectChangeTypeName((PetscObject)A, f->base_type.c_str()));
  PetscCall(PetscObjectCompose((PetscObject)A, context_key, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatCreate_Format(Mat A, const FormatKind &kind, bool mpi)
{
  std::unique_ptr<FormatConfig> config;

  PetscFunctionBegin;
  PetscCallCXX(config = kind.config());
  PetscCall(MatSetType(A, BaseType(mpi)));
  PetscCall(MatFormatAttach(A, kind, std::move(config)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatRegister_Format(const FormatKind &kind)
{
  PetscFunctionBegin;
  PetscCall(MatRegisterRootName(kind.root, kind.seq, kind.mpi));
  PetscCall(MatRegister(kind.seq, kind.create_seq));
  PetscCall(MatRegister(kind.mpi, kind.create_mpi));
  PetscCall(MatSeqAIJRegister(kind.seq, MatConvert_Any_Format)); /* -mat_seqaij_type: every SeqAIJ block, also inside an MPIAIJ */
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza
