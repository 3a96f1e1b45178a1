/* Where the values of an owning matrix are, and how they are laid out. */
#include "own_mat.hpp"
#include "parallel/agree.hpp"
#include "petsc/plugin.hpp"

namespace goza::mat {

PetscErrorCode OwnShape(Mat A, OwnMat *own)
{
  PetscFunctionBegin;
  if (own->shaped) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscLayoutSetUp(A->rmap));
  PetscCall(PetscLayoutSetUp(A->cmap));
  own->space = space_of(A);
  PetscCall(Guarded([&] { own->bs = own->storage->begin(A); }));
  PetscCall(own->aij.say_longest_row(A, A->cmap->n));
  own->shaped = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnTake(Mat A, OwnMat *own, std::unique_ptr<OwnFormat> f)
{
  std::shared_ptr<ParOperator<PetscScalar>> op;
  OwnFormat *const                          now = f.get();

  PetscFunctionBegin;
  PetscCall(Guarded([&] {
    op = std::make_shared<ParOperator<PetscScalar>>();
    op->start_from(std::move(f));
  }));
  own->op           = std::move(op);
  own->held         = now;
  own->current      = true;
  own->host_current = false;
  own->is_open      = false;
  own->coo          = CooPlaces();
  own->host.reset();
  own->op->written(A, own->storage->places(A, *own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With memory: zeros where nothing was stored yet. */
static PetscErrorCode LayOut(Mat A, OwnMat *own)
{
  std::unique_ptr<OwnFormat> f;

  PetscFunctionBegin;
  PetscCall(OwnShape(A, own));
  if (own->op) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(use_petsc_stream());
  PetscCall(own->storage->first(A, *own, &f));
  PetscCall(OwnTake(A, own, std::move(f)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The values of a preconditioner that shares the operator stay what they are. keep: the new one gets them, too. */
static PetscErrorCode Unshare(Mat A, OwnMat *own, bool keep)
{
  std::unique_ptr<OwnFormat> f;
  CooPlaces                  coo; /* they are where they were, in another piece of memory */

  PetscFunctionBegin;
  if (own->op.use_count() == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Guarded([&] {
    f = own->storage->like(*own->held, own->space);
    if (!keep) return;
    const OwnValues to = own->storage->values(*f), from = own->storage->values(*own->held);

    if (own->space == Space::Cuda) device::copy_async(array_of(to), array_of(from), places_in(from) * sizeof(PetscScalar));
    else std::copy_n(array_of(from), places_in(from), array_of(to));
  }));
  std::swap(coo, own->coo);
  PetscCall(OwnTake(A, own, std::move(f)));
  std::swap(coo, own->coo);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix was bound to the CPU, or is no longer. */
PetscErrorCode OwnSettle(Mat A, OwnMat *own)
{
  Space                      space;
  std::unique_ptr<OwnFormat> f;

  PetscFunctionBegin;
  PetscCall(OwnShape(A, own));
  space = space_of(A);
  if (space == own->space) PetscFunctionReturn(PETSC_SUCCESS);
  if (own->op) PetscCall(Guarded([&] { f = own->storage->moved(A, own->current ? *own->held : *own->host, space); }));
  own->space       = space;
  own->others.seen = -1;
  if (f) PetscCall(OwnTake(A, own, std::move(f)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnRead(Mat A, OwnMat *own, Space space, OwnValues *values)
{
  const auto copy = [own](OwnFormat &to, OwnFormat &from) {
    const OwnValues there = own->storage->values(from);

    device::copy(array_of(own->storage->values(to)), array_of(there), places_in(there) * sizeof(PetscScalar));
    return static_cast<PetscLogDouble>(places_in(there) * sizeof(PetscScalar));
  };
  PetscLogDouble bytes = 0;

  PetscFunctionBegin;
  own->is_open = false;
  PetscCall(LayOut(A, own));
  if (own->current || space == Space::Cuda) PetscCall(use_petsc_stream());
  if (space == own->space) {
    if (!own->current) {
      auto                 host   = std::move(own->host);
      const PetscErrorCode failed = Unshare(A, own, false);

      own->host    = std::move(host);
      own->current = false; /* until they are there */
      PetscCall(failed);
      PetscCall(Guarded([&] { bytes = copy(*own->held, *own->host); }));
      PetscCall(PetscLogCpuToGpu(bytes));
      own->current = true;
    }
    PetscCall(Guarded([&] { *values = own->storage->values(*own->held); }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCheck(space == Space::Host, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A matrix on the host has no values on the device");
  PetscCall(Guarded([&] {
    if (!own->host) own->host = own->storage->like(*own->held, Space::Host);
    if (!own->host_current) bytes = copy(*own->host, *own->held);
    *values = own->storage->values(*own->host);
  }));
  if (!own->host_current) PetscCall(PetscLogGpuToCpu(bytes));
  own->host_current = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnWrite(Mat A, OwnMat *own, Space space, bool keep, OwnValues *values)
{
  PetscFunctionBegin;
  own->zero = false;
  if (space == own->space && !keep) {
    PetscCall(LayOut(A, own));
    own->current = true;
  }
  PetscCall(OwnRead(A, own, space, values));
  if (space == own->space) {
    PetscCall(Unshare(A, own, keep));
    PetscCall(Guarded([&] { *values = own->storage->values(*own->held); }));
    own->host_current = false;
    own->host.reset();
  } else own->current = false;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnForget(Mat A, OwnMat *own)
{
  OwnValues values;

  PetscFunctionBegin;
  PetscCall(OwnSettle(A, own));
  own->is_open = false;
  if (!own->op) PetscFunctionReturn(PETSC_SUCCESS);
  const bool fresh = own->op.use_count() > 1; /* the new one is of zeros */

  PetscCall(OwnWrite(A, own, own->space, false, &values));
  own->zero = true;
  if (fresh) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Guarded([&] {
    if (own->space == Space::Cuda) device::fill_zero(array_of(values), places_in(values) * sizeof(PetscScalar));
    else std::fill_n(array_of(values), places_in(values), PetscScalar(0));
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void OwnUnsay(Mat A, bool symmetric, bool hermitian)
{
  if (!A->symmetry_eternal && !symmetric) A->symmetric = PETSC_BOOL3_UNKNOWN;
  if (!A->symmetry_eternal && !hermitian) A->hermitian = PETSC_BOOL3_UNKNOWN;
  if (!A->spd_eternal) A->spd = PETSC_BOOL3_UNKNOWN;
}

/* Collective where the matrix's state has moved, which it does on all ranks: a rank that wrote values has another operator than before. */
static PetscErrorCode BringOthers(Mat A, OwnMat *own, PetscErrorCode failed)
{
  Mat rest;

  PetscFunctionBegin;
  const PetscObjectState state = state_of(A);
  if (A->rmap->size == 1 || state == own->others.seen) {
    PetscCall(failed);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  own->others.seen = -1;
  if (!failed) failed = Unshare(A, own, true); /* a preconditioner's keeps this part, too */
  PetscCall(FailTogether(comm_of(A), failed, "hold its values"));
  PetscCall(OwnRest(A, own, &rest));
  PetscCall(own->op->update_beside(rest, failed));
  own->op->written(A, own->storage->places(A, *own) + static_cast<PetscLogDouble>(nonzeros_of(blocks_of(rest).others())));
  own->others.seen = state;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnGetOperator(Mat A, std::shared_ptr<ParOperator<PetscScalar>> *op)
{
  OwnMat   *own = own_of(A);
  OwnValues values;

  PetscFunctionBegin;
  PetscErrorCode failed = OwnSettle(A, own);
  if (!failed) failed = OwnRead(A, own, own->space, &values);
  PetscCall(BringOthers(A, own, failed));
  *op = own->op;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatStoreValues_Own(Mat A)
{
  OwnMat *own = own_of(A);

  PetscFunctionBegin;
  PetscCall(MatDestroy(&own->stored));
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &own->stored));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatRetrieveValues_Own(Mat A)
{
  OwnMat *own = own_of(A);

  PetscFunctionBegin;
  PetscCheck(own->stored, PETSC_COMM_SELF, PETSC_ERR_ORDER, "Must call MatStoreValues(A); first");
  PetscCall(OwnCopy(A, own->stored));
  PetscCall(PetscObjectStateIncrease((PetscObject)A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The places that there are now are the preallocation's, and some more. */
static PetscErrorCode MatResetPreallocation_Own(Mat A)
{
  PetscFunctionBegin;
  PetscUseTypeMethod(A, zeroentries);
  A->was_assembled = A->assembled = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In the order of its entries. */
static PetscErrorCode MatSetValuesRow_Own(Mat A, PetscInt row, const PetscScalar v[])
{
  PetscInt              n;
  const PetscInt       *col;
  std::vector<PetscInt> cols;

  PetscFunctionBegin;
  PetscCall(MatGetRow(A, row, &n, &col, NULL));
  const PetscErrorCode failed = Guarded([&] { cols.assign(col, col + n); });
  PetscCall(MatRestoreRow(A, row, &n, &col, NULL));
  PetscCall(failed);
  PetscCall(MatSetValues(A, 1, &row, static_cast<PetscInt>(cols.size()), cols.data(), v, INSERT_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnComposeValues(Mat A, bool attach)
{
  PetscFunctionBegin;
  if (attach) A->ops->setvaluesrow = MatSetValuesRow_Own;
  PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatStoreValues_C", attach ? MatStoreValues_Own : NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatRetrieveValues_C", attach ? MatRetrieveValues_Own : NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatResetPreallocation_C", attach ? MatResetPreallocation_Own : NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::mat
