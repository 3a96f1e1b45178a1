/* Assembly by coordinates into an owning matrix: the values on the host or on the device, written where they are to be. */
#include "coo_values.hpp"
#include "core/util/algorithm.hpp"
#include "mat/common/borrowed_csr.hpp"
#include "parallel/agree.hpp"

namespace goza::mat {
namespace {

constexpr char preallocate[] = "preallocate by coordinates", set[] = "set values by coordinates";

PetscErrorCode NoPlaces()
{
  PetscFunctionBegin;
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE, "The matrix has got other places since MatSetPreallocationCOO(): call that again");
}

EntryList entries_of(Mat A, const Coordinates &given)
{
  return {static_cast<std::int64_t>(given.i.size()), given.i.data(), given.j.data(), A->rmap->rstart, A->cmap->rstart, A->rmap->n, A->cmap->n};
}

/* Those that other ranks give to this one's columns: rest's diagonal block has the pattern of all, and their values for as long as it takes to add them. */
struct Received {
  Mat                   block = NULL;
  std::vector<PetscInt> i, j;

  PetscErrorCode find(Mat rest)
  {
    BorrowedCsr lent;

    PetscFunctionBegin;
    block = blocks_of(rest).diagonal();
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

/* Where each entry goes; false: one has no place. Place: PetscInt or std::int64_t; v: on the host, or at least laid out there */
template <class Place, class V> bool find_places(const V &v, const EntryList &e, Array<Place> &found, bool *doubles)
{
  Array<Place>      place(Space::Host, e.n, unset);
  std::vector<bool> taken(v.places());

  *doubles = false;
  for (std::int64_t k = 0; k < e.n; k++) {
    place.data()[k] = -1;
    if (!e.inside(k) || v.mirrored(e.row(k), e.col(k))) continue;
    const auto *const there = v.place(e.row(k), e.col(k));
    if (!there) return false;
    const std::size_t at = static_cast<std::size_t>(there - v.val);

    place.data()[k] = static_cast<Place>(at);
    if (taken[at]) *doubles = true;
    taken[at] = true;
  }
  found = std::move(place);
  return true;
}

/* Not known where an entry has none. */
CooPlaces places_of(const OwnValues &values, const EntryList &e)
{
  CooPlaces coo;

  std::visit(
    [&](const auto &v) {
      if (v.places() <= static_cast<std::size_t>(PETSC_MAX_INT)) coo.known = find_places(v, e, coo.narrow, &coo.doubles);
      else coo.known = find_places(v, e, coo.wide, &coo.doubles);
    },
    values);
  if (coo.known && coo.doubles) sort_places(coo);
  coo.n = e.n;
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
PetscErrorCode PreallocateRest(Mat A, OwnMat *own, Coordinates *given)
{
  const EntryList       e = entries_of(A, *given);
  std::vector<PetscInt> i, j;
  Mat                   rest;

  PetscFunctionBegin;
  PetscErrorCode failed = CheckEntries(A, e);
  if (!failed)
    failed = Guarded([&] {
      for (std::int64_t k = 0; k < e.n; k++) {
        if (!e.counts(k) || e.inside(k)) continue;
        given->of_rest.push_back(k);
        i.push_back(e.i[k]);
        j.push_back(e.j[k]);
      }
    });
  PetscCall(FailTogether(comm_of(A), failed, preallocate));
  PetscCall(OwnNewRest(A, &rest));
  PetscCall(OwnTakeRest(A, own, rest, MatSetPreallocationCOO(rest, static_cast<PetscCount>(i.size()), i.data(), j.data())));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the present layout, which may be another than that of the preallocation, has for them. */
PetscErrorCode FindPlaces(Mat A, OwnMat *own)
{
  Received                   received;
  OwnValues                  v;
  std::unique_ptr<OwnFormat> on_host;
  CooPlaces                  mine, others;

  PetscFunctionBegin;
  if (!own->coordinates) PetscCall(NoPlaces());
  if (own->coo.known) PetscFunctionReturn(PETSC_SUCCESS);
  if (own->others.rest) PetscCall(received.find(own->others.rest));
  PetscCall(OwnRead(A, own, own->space, &v));
  PetscCall(Guarded([&] {
    if (own->space == Space::Cuda && own->storage->by_rows()) { // where a diagonal is needs no look at it
      on_host = own->storage->like(*own->held, Space::Host);
      v       = own->storage->values(*on_host);
    }
    others             = places_of(v, received.entries(A));
    mine               = places_of(v, entries_of(A, *own->coordinates));
    own->others.picked = Array<std::int64_t>(Space::Host, own->coordinates->of_rest.data(), own->coordinates->of_rest.size());
    others.move_to(own->space);
  }));
  if (!mine.known || !others.known) PetscCall(NoPlaces());
  if (own->space == Space::Cuda && others.n) PetscCall(PetscLogCpuToGpu((PetscLogDouble)others.bytes()));
  own->others.received = std::move(others);
  own->coo             = std::move(mine);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PutPlaces(Mat A, OwnMat *own, std::shared_ptr<const Coordinates> given)
{
  Received received;

  PetscFunctionBegin;
  if (own->others.rest) PetscCall(received.find(own->others.rest));
  const EntryList lists[] = {entries_of(A, *given), received.entries(A)};
  PetscCall(own->storage->put(A, own, lists, 2, true));
  own->coordinates = std::move(given);
  own->coo         = CooPlaces();
  PetscCall(OwnForget(A, own));
  PetscCall(FindPlaces(A, own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSetPreallocationCOO_Own(Mat A, PetscCount n, PetscInt i[], PetscInt j[])
{
  OwnMat                      *own  = own_of(A);
  const MPI_Comm               comm = comm_of(A);
  std::shared_ptr<Coordinates> given;
  PetscErrorCode               failed = OwnSettle(A, own);

  PetscFunctionBegin;
  if (!failed) failed = Guarded([&] { given = std::make_shared<Coordinates>(Coordinates{{i, i + n}, {j, j + n}, {}}); });
  PetscCall(FailTogether(comm, failed, preallocate));
  if (A->rmap->size > 1) PetscCall(PreallocateRest(A, own, given.get()));
  else PetscCall(CheckEntries(A, entries_of(A, *given)));
  PetscCall(FailTogether(comm, PutPlaces(A, own, std::move(given)), preallocate));
  PetscCall(OwnAgreeOnPattern(A));
  PetscCall(PetscObjectStateIncrease((PetscObject)A));
  A->preallocated = PETSC_TRUE;
  A->assembled    = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values that a program gives, where they are read: as they come, brought there whole, or, from the host to places that are there too, in parts. */
struct GivenValues {
  const PetscScalar *from  = NULL;
  Space              space = Space::Host;
  Array<PetscScalar> whole;
  CooParts           parts;
};

PetscErrorCode Bring(OwnMat *own, const PetscScalar values[], GivenValues *given)
{
  const Space there = values && device::is_device_pointer(values) ? Space::Cuda : Space::Host;
  const bool  up    = own->space == Space::Cuda && there == Space::Host;
  std::size_t moved = 0; // bytes of places that go to the device: once, or with each part

  PetscFunctionBegin;
  given->from  = values;
  given->space = there;
  if (!values) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Guarded([&] {
    if (own->space == Space::Cuda && own->coo.space == Space::Host) moved = own->coo.bytes();
    if (own->space == Space::Cuda && (!up || own->coo.doubles)) own->coo.move_to(Space::Cuda);
    if (own->coo.space == there) {
      if (up) given->parts = CooParts(own->coo);
      return;
    }
    given->whole = Array<PetscScalar>(own->coo.space, values, own->coo.n);
    given->from  = given->whole.data();
    given->space = own->coo.space;
  }));
  if (moved) PetscCall(PetscLogCpuToGpu((PetscLogDouble)moved));
  if (up) PetscCall(PetscLogCpuToGpu((PetscLogDouble)own->coo.n * sizeof(PetscScalar)));
  else if (given->from != values) PetscCall(PetscLogGpuToCpu((PetscLogDouble)own->coo.n * sizeof(PetscScalar)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PutOwn(Mat A, OwnMat *own, GivenValues *given, bool add)
{
  OwnValues v;

  PetscFunctionBegin;
  if (!add) PetscCall(OwnForget(A, own));
  PetscCall(OwnWrite(A, own, own->space, true, &v));
  if (!given->from) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Guarded([&] {
    if (given->space == own->space) put_values(own->space, own->coo, given->from, array_of(v));
    else given->parts.put(own->coo, given->from, array_of(v));
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What came from other ranks goes to its places, and rest's diagonal block holds nothing again. */
PetscErrorCode AddReceived(Mat A, OwnMat *own)
{
  const Mat   block = blocks_of(own->others.rest).diagonal();
  BorrowedCsr lent;
  OwnValues   v;

  PetscFunctionBegin;
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
PetscErrorCode PutOthers(Mat A, OwnMat *own, const GivenValues &given, InsertMode mode)
{
  const MPI_Comm       comm = comm_of(A);
  Array<std::int64_t> &at   = own->others.picked;
  Array<PetscScalar>   picked;

  PetscFunctionBegin;
  /* it is what A was when it was made */
  const Space there = is_type(own->others.rest, MATMPIAIJ) ? Space::Host : own->space;
  PetscCall(Together(comm, set, [&] {
    picked = Array<PetscScalar>(given.space, at.size());
    if (at.space() != given.space) at = at.copied(given.space);
    if (given.from) gather(given.space, static_cast<PetscInt>(at.size()), at.data(), given.from, picked.data());
    else picked.zero();
    if (there != given.space) picked = picked.copied(there);
  }));
  PetscCall(MatSetValuesCOO(own->others.rest, picked.data(), mode));
  PetscCall(FailTogether(comm, AddReceived(A, own), set));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSetValuesCOO_Own(Mat A, const PetscScalar values[], InsertMode mode)
{
  OwnMat        *own  = own_of(A);
  const MPI_Comm comm = comm_of(A);
  GivenValues    given;
  PetscErrorCode failed = OwnSettle(A, own);

  PetscFunctionBegin;
  if (!failed && A->symmetric == PETSC_BOOL3_FALSE) failed = own->storage->before_values(A, own); /* else what was said at the preallocation holds */
  if (!failed) failed = FindPlaces(A, own);
  if (!failed) failed = Bring(own, values, &given);
  if (!failed) failed = PutOwn(A, own, &given, mode == ADD_VALUES);
  PetscCall(FailTogether(comm, failed, set));
  if (A->rmap->size > 1) PetscCall(PutOthers(A, own, given, mode));
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
