/* Where the values of an owning matrix are, and how they are laid out. */
#include "diagonal_ops.hpp"
#include "own_cds.hpp"
#include "mat/cds/cds_shape.hpp"
#include "mat/common/format_kind.hpp"
#include "parallel/agree.hpp"
#include "petsc/plugin.hpp"
#include <algorithm>

namespace goza::mat
{

PetscErrorCode OwnShape(Mat A, OwnCds *own)
{
  PetscFunctionBegin;
  if (own->shaped) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscLayoutSetUp(A->rmap));
  PetscCall(PetscLayoutSetUp(A->cmap));
  own->bs = compiled_block(own->options.bs ? own->options.bs : MatNodeSize(A));
  if (A->rmap->n % own->bs || A->cmap->n % own->bs) own->bs = 1;
  PetscCall(MatGetSpace(A, &own->space));
  if (A->rmap->n == A->cmap->n && own->offset.empty()) PetscCallCXX(own->offset.assign(1, 0));
  own->shaped = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::int64_t OwnEntries(const OwnCds &own, PetscInt nodes, PetscInt columns)
{
  std::int64_t n = 0;

  for (PetscInt o : own.offset)
    n += static_cast<std::int64_t>(own.bs) * own.bs * std::max<PetscInt>(0, std::min(nodes, columns - o) - std::max<PetscInt>(0, -o));
  return n;
}

/* Half where it is asked for or the matrix is said to be symmetric. */
static PetscErrorCode WantsHalf(Mat A, const OwnCds *own, bool *half)
{
  PetscBool known, symmetric;

  PetscFunctionBegin;
  PetscCall(MatIsSymmetricKnown(A, &known, &symmetric));
  *half = A->rmap->n == A->cmap->n &&
          (own->options.storage == CdsStorage::Half || (!PetscDefined(USE_COMPLEX) && own->options.storage == CdsStorage::Hermitian) || (own->options.storage == CdsStorage::Auto && known && symmetric));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static std::unique_ptr<PlainCds> zeros(Mat A, const OwnCds &own, const std::vector<PetscInt> &offset, bool half)
{
  auto cds = std::make_unique<PlainCds>(own.space, own.options);

  cds->lay_out_zeros(A->rmap->n / own.bs, A->cmap->n / own.bs, own.bs, offset, half);
  return cds;
}

static PetscLogDouble places_of(Mat A, const OwnCds &own)
{
  return static_cast<PetscLogDouble>(OwnEntries(own, A->rmap->n / own.bs, A->cmap->n / own.bs));
}

/* These diagonals are the matrix's from now on. */
static void take(Mat A, OwnCds *own, std::unique_ptr<PlainCds> cds)
{
  auto      op  = std::make_shared<ParOperator<PetscScalar>>();
  PlainCds *now = cds.get();

  op->start_from(std::move(cds));
  if (op->written(A, places_of(A, *own))) throw std::runtime_error("the state of the matrix cannot be read");
  own->op  = std::move(op);
  own->cds = now;
}

static DiagonalValues values_of(const PlainCds &cds, PetscScalar *val)
{
  return entries_in(cds.view(), static_cast<int>(cds.block_size()), cds.half(), val);
}

static std::size_t size_of(const PlainCds &cds)
{
  return cds.bytes() / sizeof(PetscScalar);
}

/* With memory: zeros where nothing was stored yet. */
static PetscErrorCode LayOut(Mat A, OwnCds *own)
{
  bool half = false;

  PetscFunctionBegin;
  PetscCall(OwnShape(A, own));
  if (own->op) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(WantsHalf(A, own, &half));
  PetscCall(use_petsc_stream());
  PetscCall(Guarded([&] { take(A, own, zeros(A, *own, own->offset, half)); }));
  own->current      = true;
  own->host_current = false;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The values of a preconditioner that shares the operator stay what they are. keep: the new one gets them, too. */
static PetscErrorCode Unshare(Mat A, OwnCds *own, bool keep)
{
  PetscFunctionBegin;
  if (own->op.use_count() == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Guarded([&] {
    auto cds = zeros(A, *own, own->offset, own->cds->half());

    if (keep) combine(own->space, values_of(*cds, cds->values_to_write()), values_of(*own->cds, own->cds->values_to_write()), 1, false);
    take(A, own, std::move(cds));
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix was bound to the CPU, or is no longer. */
PetscErrorCode OwnSettle(Mat A, OwnCds *own)
{
  Space          space;
  DiagonalValues there;

  PetscFunctionBegin;
  PetscCall(OwnShape(A, own));
  PetscCall(MatGetSpace(A, &space));
  if (space == own->space) PetscFunctionReturn(PETSC_SUCCESS);
  if (own->op && own->space == Space::Cuda) PetscCall(OwnRead(A, own, Space::Host, &there));
  PetscCall(Guarded([&] {
    if (own->op) {
      const PetscScalar *from = own->space == Space::Cuda ? own->host.data() : own->cds->values_to_write();
      const bool         half = own->cds->half();
      const auto         kept = own->op; // holds `from` for as long as it is read

      own->space = space;
      auto cds   = zeros(A, *own, own->offset, half);
      if (space == Space::Cuda) device::copy(cds->values_to_write(), from, cds->bytes());
      else std::copy_n(from, size_of(*cds), cds->values_to_write());
      take(A, own, std::move(cds));
    }
    own->space        = space;
    own->host         = Array<PetscScalar>();
    own->coo          = CooPlaces();
    own->current      = true;
    own->host_current = false;
    own->others.seen  = -1;
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnRead(Mat A, OwnCds *own, Space space, DiagonalValues *values)
{
  PetscFunctionBegin;
  own->is_open = false;
  PetscCall(LayOut(A, own));
  if (own->current || space == Space::Cuda) PetscCall(use_petsc_stream());
  if (space == own->space) {
    if (!own->current) {
      PetscCall(Unshare(A, own, false));
      PetscCall(Guarded([&] { device::copy(own->cds->values_to_write(), own->host.data(), own->host.bytes()); }));
      PetscCall(PetscLogCpuToGpu((PetscLogDouble)own->host.bytes()));
      own->current = true;
    }
    *values = values_of(*own->cds, own->cds->values_to_write());
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCheck(space == Space::Host, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A matrix on the host has no values on the device");
  if (!own->host_current) {
    PetscCall(Guarded([&] {
      if (own->host.size() != size_of(*own->cds)) own->host = Array<PetscScalar>(Space::Host, size_of(*own->cds));
      device::copy(own->host.data(), own->cds->values_to_write(), own->host.bytes());
    }));
    PetscCall(PetscLogGpuToCpu((PetscLogDouble)own->host.bytes()));
    own->host_current = true;
  }
  *values = values_of(*own->cds, own->host.data());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnWrite(Mat A, OwnCds *own, Space space, bool keep, DiagonalValues *values)
{
  PetscFunctionBegin;
  if (space == own->space && !keep) {
    PetscCall(LayOut(A, own));
    own->current = true;
  }
  PetscCall(OwnRead(A, own, space, values));
  if (space == own->space) {
    PetscCall(Unshare(A, own, keep));
    *values           = values_of(*own->cds, own->cds->values_to_write());
    own->host_current = false;
    own->host         = Array<PetscScalar>();
  } else own->current = false;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same values on these diagonals, of which those that there are are some. */
static PetscErrorCode LayOutAnew(Mat A, OwnCds *own, const std::vector<PetscInt> &offset, bool half)
{
  DiagonalValues now{};

  PetscFunctionBegin;
  PetscCall(OwnRead(A, own, own->space, &now));
  PetscCall(Guarded([&] {
    auto cds = zeros(A, *own, offset, half);

    combine(own->space, values_of(*cds, cds->values_to_write()), now, 1, false);
    own->offset = offset;
    own->coo    = CooPlaces();
    take(A, own, std::move(cds));
  }));
  own->host         = Array<PetscScalar>();
  own->host_current = false;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnAddOffsets(Mat A, OwnCds *own, const std::vector<PetscInt> &more)
{
  std::vector<PetscInt> all;
  bool                  half = false;

  PetscFunctionBegin;
  PetscCall(OwnShape(A, own));
  PetscCall(WantsHalf(A, own, &half));
  if (own->op) half = own->cds->half();
  PetscCallCXX(all = own->offset);
  PetscCallCXX(all.insert(all.end(), more.begin(), more.end()));
  if (half) {
    for (PetscInt o : more) PetscCallCXX(all.push_back(-o));
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  if (all == own->offset) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(!own->fixed, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "The matrix has no diagonal at distance %" PetscInt_FMT " for a new entry, and MAT_NEW_NONZERO_LOCATION_ERR is set",
             more.front());
  PetscCheck(all.size() <= (std::size_t)max_diagonals, PETSC_COMM_SELF, PETSC_ERR_SUP, "A matrix of type %s has at most %d diagonals, and its entries lie on more: it is not one of a grid; let it keep AIJ (-mat_cds_keep_aij yes)", own_cds_type, max_diagonals);
  A->nonzerostate++;
  if (own->op) PetscCall(LayOutAnew(A, own, all, half));
  else own->offset.swap(all);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnMakeFull(Mat A, OwnCds *own)
{
  std::vector<PetscInt> both;

  PetscFunctionBegin;
  PetscCall(LayOut(A, own));
  if (!own->cds->half()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(own->options.storage != CdsStorage::Half, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP, "-mat_cds_storage half, but the matrix is not symmetric any more");
  for (PetscInt o : own->offset) {
    PetscCallCXX(both.push_back(o));
    PetscCallCXX(both.push_back(-o));
  }
  std::sort(both.begin(), both.end());
  both.erase(std::unique(both.begin(), both.end()), both.end());
  PetscCheck(both.size() <= (std::size_t)max_diagonals, PETSC_COMM_SELF, PETSC_ERR_SUP, "A matrix of type %s has at most %d diagonals", own_cds_type, max_diagonals);
  PetscCall(LayOutAnew(A, own, both, false));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnForget(Mat A, OwnCds *own)
{
  DiagonalValues values;

  PetscFunctionBegin;
  PetscCall(OwnSettle(A, own));
  own->is_open = false;
  if (!own->op) PetscFunctionReturn(PETSC_SUCCESS);
  const bool fresh = own->op.use_count() > 1; /* the new one is of zeros */

  PetscCall(OwnWrite(A, own, own->space, false, &values));
  if (fresh) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Guarded([&] {
    if (own->space == Space::Cuda) device::fill_zero(values.val, own->cds->bytes());
    else std::fill_n(values.val, size_of(*own->cds), PetscScalar(0));
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Collective where the matrix's state has moved, which it does on all ranks: a rank that wrote values has another operator than before. */
static PetscErrorCode BringOthers(Mat A, OwnCds *own, PetscErrorCode failed)
{
  Mat              rest, Ad, Ao;
  const PetscInt  *garray;
  MatInfo          info;
  PetscObjectState state;

  PetscFunctionBegin;
  PetscCall(PetscObjectStateGet((PetscObject)A, &state));
  if (A->rmap->size == 1 || state == own->others.seen) {
    PetscCall(failed);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  own->others.seen = -1;
  if (!failed) failed = Unshare(A, own, true); /* a preconditioner's keeps this part, too */
  PetscCall(FailTogether(PetscObjectComm((PetscObject)A), failed, "hold its diagonals"));
  PetscCall(OwnRest(A, own, &rest));
  PetscCall(own->op->update_beside(rest, failed));
  PetscCall(MatGetAIJBlocks(rest, &Ad, &Ao, &garray));
  PetscCall(MatGetInfo(Ao, MAT_LOCAL, &info));
  PetscCall(own->op->written(A, places_of(A, *own) + info.nz_used));
  own->others.seen = state;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnGetOperator(Mat A, std::shared_ptr<ParOperator<PetscScalar>> *op)
{
  OwnCds        *own = static_cast<OwnCds *>(A->data);
  DiagonalValues values;

  PetscFunctionBegin;
  PetscErrorCode failed = OwnSettle(A, own);
  if (!failed) failed = OwnRead(A, own, own->space, &values);
  PetscCall(BringOthers(A, own, failed));
  *op = own->op;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::mat
