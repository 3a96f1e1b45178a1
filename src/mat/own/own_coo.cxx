/* Assembly by coordinates into an owning matrix: the values on the host or on the device, written where they are to be. */
#include "coo_values.hpp"
#include "core/util/gather.hpp"
#include "mat/common/borrowed_csr.hpp"
#include "own_cds.hpp"
#include "parallel/agree.hpp"
#include "petsc/plugin.hpp"

namespace goza::mat
{

namespace
{

constexpr char preallocate[] = "preallocate by coordinates", set[] = "set values by coordinates";

OwnCds *own_of(Mat A)
{
  return static_cast<OwnCds *>(A->data);
}

PetscErrorCode NoPlaces()
{
  PetscFunctionBegin;
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE, "The matrix has got other diagonals since MatSetPreallocationCOO(): call that again");
}

/* Entries by coordinates, of which those in the rows and columns of a rank are its diagonals'. */
struct Entries {
  std::int64_t    n;
  const PetscInt *i, *j;
  PetscInt        first_row, first_col, rows, cols;

  bool     counts(std::int64_t k) const { return i[k] >= 0 && j[k] >= 0; }
  bool     own(std::int64_t k) const { return i[k] >= first_row && j[k] >= first_col && row(k) < rows && col(k) < cols; }
  PetscInt row(std::int64_t k) const { return i[k] - first_row; }
  PetscInt col(std::int64_t k) const { return j[k] - first_col; }
};

Entries entries_of(Mat A, PetscCount n, const PetscInt i[], const PetscInt j[])
{
  return {n, i, j, A->rmap->rstart, A->cmap->rstart, A->rmap->n, A->cmap->n};
}

/* Those that other ranks give to the diagonals: rest's diagonal block has the pattern of all, and their values for as long as it takes to add them. */
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

  Entries entries(Mat A) const { return {static_cast<std::int64_t>(i.size()), i.data(), j.data(), 0, 0, A->rmap->n, A->cmap->n}; }
};

/* The diagonals that the entries lie on. */
void find_offsets(PetscInt bs, const Entries &e, std::vector<PetscInt> &offset)
{
  std::size_t d = 0;

  for (std::int64_t k = 0; k < e.n; k++) {
    if (!e.own(k)) continue;
    const PetscInt o = e.col(k) / bs - e.row(k) / bs;

    if (d + 1 < offset.size() && offset[d + 1] == o) d++; /* mostly: rows come one after another */
    if (d < offset.size() && offset[d] == o) continue;
    const auto at = std::lower_bound(offset.begin(), offset.end(), o);

    d = static_cast<std::size_t>(at - offset.begin());
    if (at == offset.end() || *at != o) offset.insert(at, o);
    if (offset.size() > static_cast<std::size_t>(max_diagonals)) return; /* OwnAddOffsets() says so */
  }
}

/* Where each entry goes. Place: PetscInt or std::int64_t */
template <class Place> Array<Place> find_places(Space space, const DiagonalValues &v, std::size_t size, const Entries &e, bool *doubles)
{
  Array<Place>      place(Space::Host, e.n);
  std::vector<bool> taken(size);

  *doubles = false;
  for (std::int64_t k = 0; k < e.n; k++) {
    place.data()[k] = -1;
    if (!e.own(k) || (v.half && e.col(k) / v.bs < e.row(k) / v.bs)) continue;
    const std::size_t at = static_cast<std::size_t>(v.place(e.row(k), e.col(k)) - v.val);

    place.data()[k] = static_cast<Place>(at);
    if (taken[at]) *doubles = true;
    taken[at] = true;
  }
  if (space == Space::Host) return place;
  return Array<Place>(space, place.data(), place.size());
}

CooPlaces places_of(const OwnCds &own, const DiagonalValues &v, const Entries &e)
{
  const std::size_t size = own.cds->bytes() / sizeof(PetscScalar);
  CooPlaces         coo;

  if (size <= static_cast<std::size_t>(PETSC_MAX_INT)) coo.narrow = find_places<PetscInt>(own.space, v, size, e, &coo.doubles);
  else coo.wide = find_places<std::int64_t>(own.space, v, size, e, &coo.doubles);
  if (coo.doubles) sort_places(own.space, coo);
  coo.n     = e.n;
  coo.known = true;
  return coo;
}

PetscErrorCode CheckEntries(Mat A, const Entries &e)
{
  PetscFunctionBegin;
  for (std::int64_t k = 0; k < e.n; k++) {
    PetscCheck(e.i[k] < A->rmap->N && e.j[k] < A->cmap->N, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "COO entry (%" PetscInt_FMT ", %" PetscInt_FMT ") is outside the matrix of %" PetscInt_FMT " x %" PetscInt_FMT, e.i[k], e.j[k],
               A->rmap->N, A->cmap->N);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Collective, on several ranks: what is not for this rank's diagonals is for rest, whose pattern it becomes, here and at the ranks whose rows it is in. */
PetscErrorCode PreallocateRest(Mat A, OwnCds *own, const Entries &e)
{
  std::vector<std::int64_t> which;
  std::vector<PetscInt>     i, j;
  Mat                       rest;

  PetscFunctionBegin;
  PetscErrorCode failed = CheckEntries(A, e);
  if (!failed)
    failed = Guarded([&] {
      for (std::int64_t k = 0; k < e.n; k++) {
        if (!e.counts(k) || e.own(k)) continue;
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

PetscErrorCode FindPlaces(Mat A, OwnCds *own, const Entries &mine, Mat rest)
{
  Received              received;
  std::vector<PetscInt> offset;
  DiagonalValues        v;

  PetscFunctionBegin;
  if (rest) PetscCall(received.find(rest));
  PetscCall(Guarded([&] {
    find_offsets(own->bs, mine, offset);
    find_offsets(own->bs, received.entries(A), offset);
  }));
  const bool           fixed = std::exchange(own->fixed, false); /* a new preallocation is a new pattern */
  const PetscErrorCode added = OwnAddOffsets(A, own, offset);
  own->fixed                 = fixed;
  PetscCall(added);
  PetscCall(OwnForget(A, own));
  PetscCall(OwnRead(A, own, own->space, &v));
  PetscCall(Guarded([&] {
    own->coo = CooPlaces();
    if (rest) own->others.received = places_of(*own, v, received.entries(A));
    own->coo = places_of(*own, v, mine);
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSetPreallocationCOO_OwnCds(Mat A, PetscCount n, PetscInt i[], PetscInt j[])
{
  OwnCds        *own  = own_of(A);
  const MPI_Comm comm = PetscObjectComm((PetscObject)A);

  PetscFunctionBegin;
  PetscCall(FailTogether(comm, OwnSettle(A, own), preallocate));
  const Entries mine = entries_of(A, n, i, j);
  if (A->rmap->size > 1) PetscCall(PreallocateRest(A, own, mine));
  else PetscCall(CheckEntries(A, mine));
  PetscCall(FailTogether(comm, FindPlaces(A, own, mine, own->others.rest), preallocate));
  PetscCall(OwnAgreeOnPattern(A));
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

PetscErrorCode PutOwn(Mat A, OwnCds *own, const CooPlaces &coo, const PetscScalar from[], bool add)
{
  DiagonalValues v;

  PetscFunctionBegin;
  if (!add) PetscCall(OwnForget(A, own));
  PetscCall(OwnWrite(A, own, own->space, true, &v));
  if (from) PetscCall(Guarded([&] { put_values(own->space, coo, from, v.val); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What came from other ranks goes into the diagonals, and rest's diagonal block holds nothing again. */
PetscErrorCode AddReceived(Mat A, OwnCds *own)
{
  Mat             block, others;
  const PetscInt *garray;
  BorrowedCsr     lent;
  DiagonalValues  v;

  PetscFunctionBegin;
  PetscCall(MatGetAIJBlocks(own->others.rest, &block, &others, &garray));
  if (!own->others.received.n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(OwnWrite(A, own, own->space, true, &v));
  PetscCall(lent.open(block, own->space, false));
  const PetscErrorCode failed = Guarded([&] { put_values(own->space, own->others.received, lent.csr().val, v.val); });
  PetscCall(lent.close());
  PetscCall(failed);
  PetscCall(MatZeroEntries(block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Collective, on several ranks. */
PetscErrorCode PutOthers(Mat A, OwnCds *own, const PetscScalar from[], InsertMode mode)
{
  const MPI_Comm     comm  = PetscObjectComm((PetscObject)A);
  const Space        there = petsc_on_device() ? own->space : Space::Host; /* rest's */
  Array<PetscScalar> picked;

  PetscFunctionBegin;
  PetscCall(FailTogether(comm, Guarded([&] {
                           picked = Array<PetscScalar>(own->space, own->others.picked.size());
                           if (from) gather(own->space, static_cast<PetscInt>(picked.size()), own->others.picked.data(), from, picked.data());
                           else picked.zero();
                           if (there != own->space) picked = Array<PetscScalar>(there, picked.data(), picked.size());
                         }),
                         set));
  PetscCall(MatSetValuesCOO(own->others.rest, picked.data(), mode));
  PetscCall(FailTogether(comm, AddReceived(A, own), set));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSetValuesCOO_OwnCds(Mat A, const PetscScalar values[], InsertMode mode)
{
  OwnCds            *own  = own_of(A);
  const MPI_Comm     comm = PetscObjectComm((PetscObject)A);
  Array<PetscScalar> brought;
  const PetscScalar *from   = NULL;
  PetscErrorCode     failed = OwnSettle(A, own);

  PetscFunctionBegin;
  if (!failed && !own->coo.known) failed = NoPlaces();
  CooPlaces coo = std::move(own->coo); /* writing does not lay the matrix out anew, but may take another piece of memory */
  if (!failed) failed = Bring(own->space, coo.n, values, &brought, &from);
  if (!failed) failed = PutOwn(A, own, coo, from, mode == ADD_VALUES);
  own->coo = std::move(coo);
  PetscCall(FailTogether(comm, failed, set));
  if (A->rmap->size > 1) PetscCall(PutOthers(A, own, from, mode));
  A->assembled = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode OwnCdsComposeCOO(Mat A, bool attach)
{
  PetscFunctionBegin;
  PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatSetPreallocationCOO_C", attach ? MatSetPreallocationCOO_OwnCds : NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatSetValuesCOO_C", attach ? MatSetValuesCOO_OwnCds : NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::mat
