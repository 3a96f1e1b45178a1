/* What a Goza matrix does for itself over SeqAIJCUSPARSE and MPIAIJCUSPARSE, whose own operations take device vectors only, or do not look at
   where the newer values are, or insist on their exact type name. */
#include "block_diagonal.hpp"
#include "format_mat.hpp"

namespace goza::mat {

/* --- vectors: those take device vectors only, ours any */

static PetscErrorCode OnDevice(Vec v, bool read, Vec *w)
{
  PetscInt N;

  PetscFunctionBegin;
  *w = v;
  if (!v) PetscFunctionReturn(PETSC_SUCCESS);
  if (is_type(v, VECSEQCUDA, VECMPICUDA)) PetscFunctionReturn(PETSC_SUCCESS);
  const PetscInt n = local_size(v);
  PetscCall(VecGetSize(v, &N));
  PetscCall(VecCreate(comm_of(v), w));
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

/* call(x, y), of vectors on the device. */
template <class Call> static PetscErrorCode WithDeviceVectors(Vec x, Vec y, bool y_read, bool y_written, const Call &call)
{
  Vec dx, dy;

  PetscFunctionBegin;
  PetscCall(OnDevice(x, true, &dx));
  PetscCall(OnDevice(y, y_read, &dy));
  PetscCall(call(dx, dy));
  PetscCall(Back(x, false, &dx));
  PetscCall(Back(y, y_written, &dy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <auto Op> static PetscErrorCode MatInOut_Device(Mat A, Vec x, Vec y) /* y = op(A) x */
{
  return WithDeviceVectors(x, y, false, true, [A](Vec dx, Vec dy) { return AsBase<Op>::call(A, dx, dy); });
}

/* z = y + op(A) x; y may be z. SeqAIJCUSPARSE's of 3.26 adds what was in z to the sum unless y is z, so that is what it is given. */
template <auto Op> static PetscErrorCode MatInInOut_Device(Mat A, Vec x, Vec y, Vec z)
{
  PetscFunctionBegin;
  if (y != z) PetscCall(VecCopy(y, z));
  PetscCall(WithDeviceVectors(x, z, true, true, [A](Vec dx, Vec dz) { return AsBase<Op>::call(A, dx, dz, dz); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The base's operations are called as they are, without its type's name, which they do not look at: a change of name and operations costs as much as a small
   product. */
PetscErrorCode MatMultBase(Mat A, FormatMat *f, Vec x, Vec y, Vec z)
{
  const bool cusparse = f->base_type == MATSEQAIJCUSPARSE || f->base_type == MATMPIAIJCUSPARSE;

  PetscFunctionBegin;
  if (!cusparse || is_bound(A)) {
    if (y) PetscCall(f->base.multadd(A, x, y, z));
    else PetscCall(f->base.mult(A, x, z));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (y && y != z) PetscCall(VecCopy(y, z)); /* see MatInInOut_Device() */
  PetscCall(WithDeviceVectors(x, z, y, true, [&](Vec dx, Vec dz) { return y ? f->base.multadd(A, dx, dz, dz) : f->base.mult(A, dx, dz); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* call(x, y), of vectors as A of PETSc's wants them. */
template <class Call> static PetscErrorCode WithVectorsOf(Mat A, Vec x, Vec y, bool y_written, const Call &call)
{
  PetscFunctionBegin;
  if (is_type(A, MATSEQAIJCUSPARSE, MATMPIAIJCUSPARSE)) PetscCall(WithDeviceVectors(x, y, true, y_written, call));
  else PetscCall(call(x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatAddProduct(Mat A, Vec x, Vec z)
{
  return WithVectorsOf(A, x, z, true, [A](Vec dx, Vec dz) { return MatMultAdd(A, dx, dz, dz); });
}

PetscErrorCode MatAddTransposedProduct(Mat A, Vec x, Vec z)
{
  return WithVectorsOf(A, x, z, true, [A](Vec dx, Vec dz) { return MatMultTransposeAdd(A, dx, dz, dz); });
}

PetscErrorCode MatScaleRowsAndColumns(Mat A, Vec l, Vec r)
{
  return WithVectorsOf(A, l, r, false, [A](Vec dl, Vec dr) { return MatDiagonalScale(A, dl, dr); });
}

/* --- values */

/* Some operations of AIJCUSPARSE read or write the host's values without a look at where the newer ones are. */
template <auto Op> struct OnHost;
template <class... Args, PetscErrorCode (*_MatOps::*Op)(Mat, Args...)> struct OnHost<Op> {
  static PetscErrorCode call(Mat A, Args... args)
  {
    FormatMat *f = format_of(A);

    PetscFunctionBegin;
    PetscCall(MatFormatHostValues(A, false));
    PetscCall((f->base.*Op)(A, args...));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

/* PETSc 3.26's MatNorm_MPIAIJ() sums the columns of the off-diagonal block, for the 1-norm, in the host array of a new vector of that block's
   kind, and takes it for zero: true of VECSEQ, not of VECSEQCUDA. */
static PetscErrorCode MatNorm_Device(Mat A, NormType type, PetscReal *norm)
{
  const Mat Ao     = blocks_of(A).others();
  char      host[] = VECSTANDARD, *kind = host;

  PetscFunctionBegin;
  if (Ao) std::swap(Ao->defaultvectype, kind);
  const PetscErrorCode ierr = OnHost<&_MatOps::norm>::call(A, type, norm);
  if (Ao) std::swap(Ao->defaultvectype, kind);
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatTranspose_Device(Mat A, MatReuse reuse, Mat *B)
{
  PetscFunctionBegin;
  PetscCall((OnHost<&_MatOps::transpose>::call(A, reuse, B)));
  if (reuse == MAT_REUSE_MATRIX) PetscCall(MatFormatHostValues(*B, true));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if PETSC_VERSION_GE(3, 20, 0)
static PetscErrorCode MatEliminateZeros_Device(Mat A, PetscBool keep)
{
  PetscFunctionBegin;
  PetscCall((OnHost<&_MatOps::eliminatezeros>::call(A, keep)));
  PetscCall(MatFormatHostValues(A, true));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

/* The same of a parallel matrix's blocks, which are PETSc's: its products of AIJ matrices on the host transpose those again for new values. */
static PetscErrorCode (*block_transpose)(Mat, MatReuse, Mat *); // of SeqAIJCUSPARSE

static PetscErrorCode MatTranspose_Block(Mat A, MatReuse reuse, Mat *B)
{
  PetscFunctionBegin;
  PetscCall(block_transpose(A, reuse, B));
  if (reuse == MAT_REUSE_MATRIX) PetscCall(MatFormatHostValues(*B, true));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode OverrideBlocks(Mat A)
{
  PetscFunctionBegin;
  for (Mat block : blocks_of(A)) {
    if (block == A || !is_type(block, MATSEQAIJCUSPARSE) || block->ops->transpose == MatTranspose_Block) continue;
    block_transpose       = block->ops->transpose;
    block->ops->transpose = MatTranspose_Block;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatInvertBlockDiagonal_Device(Mat A, const PetscScalar **values)
{
  FormatMat *f = format_of(A);

  PetscFunctionBegin;
  PetscCall(PassOnBlockSize(A));
  PetscCall(f->base.invertblockdiagonal(A, values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether PETSc's copy on the device has no row pointers of empty rows, as it is where most rows are: its diagonal (3.26) and cuSPARSE's sum count all rows
   there. */
static PetscErrorCode WithoutEmptyRows(Mat block, PetscBool *yes)
{
  PetscFunctionBegin;
  *yes = PETSC_FALSE;
#if PetscDefined(HAVE_CUDA)
  const PetscInt *ptr = nullptr, *col, *all = nullptr;

  PetscCall(MatAsPlain(block, [&]() -> PetscErrorCode {
    PetscFunctionBegin;
    PetscCall(MatSeqAIJCUSPARSEGetIJ(block, PETSC_TRUE, &ptr, &col));
    PetscCall(MatSeqAIJCUSPARSEGetIJ(block, PETSC_FALSE, &all, &col));
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  *yes = PetscBool(ptr != all);
#else
  (void)block;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Both are ours, or PETSc had not come here. cuSPARSE's sum wants entries in both; without them, and as soon as the two differ in their operations,
   PETSc adds on the host. */
static PetscErrorCode MatAXPY_Device(Mat Y, PetscScalar a, Mat X, MatStructure structure)
{
  FormatMat *fx = format_of(X), *fy = format_of(Y);
  PetscBool  x_few, y_few;
  const bool y_empty = nonzeros_of(Y) == 0;

  PetscFunctionBegin;
  if (nonzeros_of(X) == 0) PetscFunctionReturn(PETSC_SUCCESS);
  if (structure == SUBSET_NONZERO_PATTERN && !y_empty) {
    PetscCall(WithoutEmptyRows(X, &x_few));
    PetscCall(WithoutEmptyRows(Y, &y_few));
    if (x_few || y_few) structure = DIFFERENT_NONZERO_PATTERN;
  }
  PetscCall(MatFormatAsBase(Y, fy, [&] {
    if (X == Y || y_empty) return fy->base.axpy(Y, a, X, structure);
    return MatFormatAsBase(X, fx, [&] { return fy->base.axpy(Y, a, X, structure); });
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatGetDiagonal_Device(Mat A, Vec d)
{
  const auto get = [A, d] { return WithDeviceVectors(NULL, d, false, true, [A](Vec, Vec dd) { return AsBase<&_MatOps::getdiagonal>::call(A, dd); }); };
#if PetscDefined(HAVE_DEVICE)
  const Mat         block = blocks_of(A).diagonal();
  PetscBool         few   = PETSC_FALSE;
  PetscOffloadMask &where = block->offloadmask, before;

  PetscFunctionBegin;
  if (where == PETSC_OFFLOAD_GPU || where == PETSC_OFFLOAD_BOTH) PetscCall(WithoutEmptyRows(block, &few));
  if (few) { /* by the host's, which it takes where the device has none that are as new */
    PetscCall(MatFormatHostValues(A, false));
    before = where;
    where  = PETSC_OFFLOAD_CPU;
  }
  const PetscErrorCode ierr = get();
  if (few) where = before;
  PetscCall(ierr);
#else
  PetscFunctionBegin;
  PetscCall(get());
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatDiagonalScale_Device(Mat A, Vec l, Vec r)
{
  return WithDeviceVectors(l, r, true, false, [A](Vec dl, Vec dr) { return AsBase<&_MatOps::diagonalscale>::call(A, dl, dr); });
}

/* PETSc 3.26 zeroes what the device holds and takes it for the newest, also where the host has had entries since for which the device has no room. What the
   host holds alone is zeroed there. */
static PetscErrorCode MatZeroEntries_Device(Mat A)
{
#if PetscDefined(HAVE_DEVICE)
  PetscFunctionBegin;
  for (Mat block : blocks_of(A)) {
    PetscScalar *a;

    if (block->offloadmask != PETSC_OFFLOAD_CPU) {
      PetscCall(block == A ? AsBase<&_MatOps::zeroentries>::call(A) : MatZeroEntries(block));
      continue;
    }
    PetscCall(MatSeqAIJGetArrayWrite(block, &a));
    PetscCall(PetscArrayzero(a, (size_t)nonzeros_of(block)));
    PetscCall(MatSeqAIJRestoreArrayWrite(block, &a));
  }
#else
  PetscFunctionBegin;
  PetscCall(AsBase<&_MatOps::zeroentries>::call(A));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* While a matrix is bound to the CPU its values change there only, and PETSc 3.26 does not note that a copy which the device holds grows old. It binds a block
   while the entries are in a hash table, too, whose end brings back the operations of before: then that waits for the end of the assembly. */
static PetscErrorCode MatBindToCPU_Device(Mat A, PetscBool to_cpu)
{
  FormatMat *f = format_of(A);

  PetscFunctionBegin;
  if (MatIsHashed(A)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AsBase<&_MatOps::bindtocpu>::call(A, to_cpu));
  f->bound = to_cpu;
  if (to_cpu) PetscFunctionReturn(PETSC_SUCCESS);
#if PetscDefined(HAVE_DEVICE)
  for (Mat block : blocks_of(A))
    if (block->offloadmask == PETSC_OFFLOAD_BOTH) block->offloadmask = PETSC_OFFLOAD_CPU;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <auto Op> static void wrap(Mat A)
{
  if (A->ops->*Op) A->ops->*Op = AsBase<Op>::call;
}

PetscErrorCode MatFormatOverrideDevice(Mat A, FormatMat *f)
{
  PetscFunctionBegin;
  if (f->base_type == MATSEQAIJCUSPARSE) A->ops->axpy = MatAXPY_Device;
  if (!is_bound(A)) {
    A->ops->multtranspose    = MatInOut_Device<&_MatOps::multtranspose>;
    A->ops->multtransposeadd = MatInInOut_Device<&_MatOps::multtransposeadd>;
    A->ops->getdiagonal      = MatGetDiagonal_Device;
    A->ops->diagonalscale    = MatDiagonalScale_Device;
    MatFormatOverrideZeroRows(A);
#if PETSC_VERSION_GE(3, 22, 0)
    A->ops->getblockdiagonal = MatGetBlockDiagonal_Device;
#endif
#if PetscDefined(USE_COMPLEX)
    if (f->base.multhermitiantranspose) A->ops->multhermitiantranspose = MatInOut_Device<&_MatOps::multhermitiantranspose>;
    if (f->base.multhermitiantransposeadd) A->ops->multhermitiantransposeadd = MatInInOut_Device<&_MatOps::multhermitiantransposeadd>;
#else /* PETSc asks cuSPARSE for a conjugate transpose, which that refuses of real numbers */
    A->ops->multhermitiantranspose    = A->ops->multtranspose;
    A->ops->multhermitiantransposeadd = A->ops->multtransposeadd;
#endif
  }
  if (f->base.transpose) A->ops->transpose = MatTranspose_Device;
  if (f->base.sor) A->ops->sor = OnHost<&_MatOps::sor>::call;
  if (f->base.norm) A->ops->norm = MatNorm_Device;
  if (f->base.getcolumnreductions) A->ops->getcolumnreductions = OnHost<&_MatOps::getcolumnreductions>::call;
#if PETSC_VERSION_GE(3, 20, 0)
  if (f->base.eliminatezeros) A->ops->eliminatezeros = MatEliminateZeros_Device;
#endif
  PetscCall(OverrideBlocks(A));
  if (f->base.invertblockdiagonal) A->ops->invertblockdiagonal = MatInvertBlockDiagonal_Device;
  wrap<&_MatOps::scale>(A);
  wrap<&_MatOps::shift>(A);
  A->ops->zeroentries = MatZeroEntries_Device;
  if (A->ops->bindtocpu) A->ops->bindtocpu = MatBindToCPU_Device;
  wrap<&_MatOps::setoption>(A);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::mat
