/* Assembly by coordinates into an owning matrix: the values on the host or on the device, written where they are to be. */
#include "coo_values.hpp"
#include "core/util/algorithm.hpp"
#include "mat/common/borrowed_csr.hpp"
#include "own_mat.hpp"
#include "parallel/agree.hpp"
#include "petsc/plugin.hpp"

namespace goza::mat
{

namespace
{

constexpr char preallocate[] = "preallocate by coordinates", set[] = "set values by coordinates";

PetscErrorCode NoPlaces()
{
  PetscFunctionBegin;
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE, "The matrix has got other places since MatSetPreallocationCOO(): call that again");
}

EntryList entries_of(Mat A, PetscCount n, const PetscInt i[], const PetscInt j[])
{
  return {n, i, j, A->rmap->rstart, A->cmap->rstart, A->rmap->n, A->cmap->n};
}

/* Those that other ranks give to this one's columns: rest's diagonal block has the pattern of all, and their values for as long as it takes to add them. */
struct Received {
  Mat                   block = NULL;
  std::vector<PetscInt> i, j;

  PetscErrorCode find(Mat rest)
  {
    Mat             others;
    const PetscInt *garray;
    BorrowedCsr     lent;

    PetscFunctionBegin;
    PetscCall(MatGetAIJBlocks(rest, &block, &others, &garray));
    PetscCall(lent.open_pattern(block));
    PetscCall(Guarded([&] {
      const Csr &csr = lent.csr();

      j.assign(csr.col, csr.col + lent.nnz());
      for (PetscInt row = 0; row < csr.nrows; row++) i.insert(i.end(), csr.ptr[row + 1] - csr.ptr[row], row);
    }));
    PetscCall(lent.close());
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  EntryList entries(Mat A) const { return {static_cast<std::int64_t>(i.size()), i.data(), j.data(), 0, 0, A->rmap->n, A->cmap->n}; }
};

/* Where each entry goes. Place: PetscInt or std::int64_t; v: on the host, or at least laid out there */
template <class Place, class V> Array<Place> find_places(Space space, const V &v, const EntryList &e, bool *doubles)
{
  Array<Place>      place(Space::Host, e.n);
  std::vector<bool> taken(v.places());

  *doubles = false;
  for (std::int64_t k = 0; k < e.n; k++) {
    place.data()[k] = -1;
    if (!e.inside(k) || v.mirrored(e.row(k), e.col(k))) continue;
    const std::size_t at = static_cast<std::size_t>(v.place(e.row(k), e.col(k)) - v.val);

    place.data()[k] = static_cast<Place>(at);
    if (taken[at]) *doubles = true;
    taken[at] = true;
  }
  if (space == Space::Host) return place;
  return Array<Place>(space, place.data(), place.size());
}

CooPlaces places_of(const OwnMat &own, const OwnValues &values, const EntryList &e)
{
  CooPlaces coo;

  std::visit(
    [&](const auto &v) {
      if (v.places() <= static_cast<std::size_t>(PETSC_MAX_INT)) coo.narrow = find_places<PetscInt>(own.space, v, e, &coo.doubles);
      else coo.wide = find_places<std::int64_t>(own.space, v, e, &coo.doubles);
    },
    values);
  if (coo.doubles) sort_places(own.space, coo);
  coo.n     = e.n;
  coo.known = true;
  return coo;
}

PetscErrorCode CheckEntries(Mat A, const EntryList &e)
{
  PetscFunctionBegin;
  for (std::int64_t k = 0; k < e.n; k++) {
    PetscCheck(e.i[k] < A->rmap->N && e.j[k] < A->cmap->N, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
               "COO entry (%" PetscInt_FMT ", %" PetscInt_FMT ") is outside the matrix of %" PetscInt_FMT " x %" PetscInt_FMT, e.i[k], e.j[k], A->rmap->N,
               A->cmap->N);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Collective, on several ranks: what is not for this rank's columns is for rest, whose pattern it becomes, here and at the ranks whose rows it is in. */
PetscErrorCode PreallocateRest(Mat A, OwnMat *own, const EntryList &e)
{
  std::vector<std::int64_t> which;
  std::vector<PetscInt>     i, j;
  Mat                       rest;

  PetscFunctionBegin;
  PetscErrorCode failed = CheckEntries(A, e);
  if (!failed)
    failed = Guarded([&] {
      for (std::int64_t k = 0; k < e.n; k++) {
        if (!e.counts(k) || e.inside(k)) continue;
        which.push_back(k);
        i.push_back(e.i[k]);
        j.push_back(e.j[k]);
      }
      own->others.picked = Array<std::int64_t>(own->space, which.data(), which.size());
    });
  PetscCall(FailTogether(PetscObjectComm((PetscObject)A), failed, preallocate));
  PetscCall(OwnNewRest(A, &rest));
  PetscCall(OwnTakeRest(A, own, rest, MatSetPreallocationCOO(rest, static_cast<PetscCount>(which.size()), i.data(), j.data())));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FindPlaces(Mat A, OwnMat *own, const EntryList &mine, Mat rest)
{
  Received  received;
  OwnValues v;

  PetscFunctionBegin;
  if (rest) PetscCall(received.find(rest));
  const EntryList lists[] = {mine, received.entries(A)};
  PetscCall(own->storage->put(A, own, lists, 2, true));
  PetscCall(OwnForget(A, own));
  PetscCall(OwnRead(A, own, own->storage->by_rows() ? Space::Host : own->space, &v)); /* where a diagonal is needs no look at it */
  PetscCall(Guarded([&] {
    own->coo = CooPlaces();
    if (rest) own->others.received = places_of(*own, v, lists[1]);
    own->coo = places_of(*own, v, mine);
  }));
  if (own->space == Space::Cuda) {
    own->host.reset();
    own->host_current = false;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSetPreallocationCOO_Own(Mat A, PetscCount n, PetscInt i[], PetscInt j[])
{
  OwnMat        *own  = own_of(A);
  const MPI_Comm comm = PetscObjectComm((PetscObject)A);

  PetscFunctionBegin;
  PetscCall(FailTogether(comm, OwnSettle(A, own), preallocate));
  const EntryList mine = entries_of(A, n, i, j);
  if (A->rmap->size > 1) PetscCall(PreallocateRest(A, own, mine));
  else PetscCall(CheckEntries(A, mine));
  PetscCall(FailTogether(comm, FindPlaces(A, own, mine, own->others.rest), preallocate));
  PetscCall(OwnAgreeOnPattern(A));
  PetscCall(PetscObjectStateIncrease((PetscObject)A));
  A->preallocated = PETSC_TRUE;
  A->assembled    = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The values where they are to be read: as they come, or brought there. */
PetscErrorCode Bring(Space space, PetscCount n, const PetscScalar values[], Array<PetscScalar> *brought, const PetscScalar **from)
{
  PetscFunctionBegin;
  *from = values;
  if (!values || device::is_device_pointer(values) == (space == Space::Cuda)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Guarded([&] {
    *brought = Array<PetscScalar>(space, n);
    device::copy(brought->data(), values, brought->bytes());
  }));
  PetscCall(space == Space::Cuda ? PetscLogCpuToGpu((PetscLogDouble)brought->bytes()) : PetscLogGpuToCpu((PetscLogDouble)brought->bytes()));
  *from = brought->data();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PutOwn(Mat A, OwnMat *own, const CooPlaces &coo, const PetscScalar from[], bool add)
{
  OwnValues v;

  PetscFunctionBegin;
  if (!add) PetscCall(OwnForget(A, own));
  PetscCall(OwnWrite(A, own, own->space, true, &v));
  if (from) PetscCall(Guarded([&] { put_values(own->space, coo, from, array_of(v)); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What came from other ranks goes to its places, and rest's diagonal block holds nothing again. */
PetscErrorCode AddReceived(Mat A, OwnMat *own)
{
  Mat             block, others;
  const PetscInt *garray;
  BorrowedCsr     lent;
  OwnValues       v;

  PetscFunctionBegin;
  PetscCall(MatGetAIJBlocks(own->others.rest, &block, &others, &garray));
  if (!own->others.received.n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(OwnWrite(A, own, own->space, true, &v));
  PetscCall(lent.open(block, own->space, false));
  const PetscErrorCode failed = Guarded([&] { put_values(own->space, own->others.received, lent.csr().val, array_of(v)); });
  PetscCall(lent.close());
  PetscCall(failed);
  PetscCall(MatZeroEntries(block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Collective, on several ranks. */
PetscErrorCode PutOthers(Mat A, OwnMat *own, const PetscScalar from[], InsertMode mode)
{
  const MPI_Comm     comm  = PetscObjectComm((PetscObject)A);
  const Space        there = petsc_on_device() ? own->space : Space::Host; /* rest's */
  Array<PetscScalar> picked;

  PetscFunctionBegin;
  PetscCall(FailTogether(comm, Guarded([&] {
                           picked = Array<PetscScalar>(own->space, own->others.picked.size());
                           if (from) gather(own->space, static_cast<PetscInt>(picked.size()), own->others.picked.data(), from, picked.data());
                           else picked.zero();
                           if (there != own->space) picked = picked.copied(there);
                         }),
                         set));
  PetscCall(MatSetValuesCOO(own->others.rest, picked.data(), mode));
  PetscCall(FailTogether(comm, AddReceived(A, own), set));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSetValuesCOO_Own(Mat A, const PetscScalar values[], InsertMode mode)
{
  OwnMat            *own  = own_of(A);
  const MPI_Comm     comm = PetscObjectComm((PetscObject)A);
  Array<PetscScalar> brought;
  const PetscScalar *from   = NULL;
  PetscErrorCode     failed = OwnSettle(A, own);

  PetscFunctionBegin;
  if (!failed && A->symmetric == PETSC_BOOL3_FALSE) failed = own->storage->before_values(A, own); /* else what was said at the preallocation holds */
  if (!failed && !own->coo.known) failed = NoPlaces();
  CooPlaces coo = std::move(own->coo); /* writing does not lay the matrix out anew, but may take another piece of memory */
  if (!failed) failed = Bring(own->space, coo.n, values, &brought, &from);
  if (!failed) failed = PutOwn(A, own, coo, from, mode == ADD_VALUES);
  own->coo = std::move(coo);
  PetscCall(FailTogether(comm, failed, set));
  if (A->rmap->size > 1) PetscCall(PutOthers(A, own, from, mode));
  A->assembled = PETSC_TRUE;
  PetscCall(OwnLookForNewPattern(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode OwnComposeCOO(Mat A, bool attach)
{
  PetscFunctionBegin;
  PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatSetPreallocationCOO_C", attach ? MatSetPreallocationCOO_Own : NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatSetValuesCOO_C", attach ? MatSetValuesCOO_Own : NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::mat
