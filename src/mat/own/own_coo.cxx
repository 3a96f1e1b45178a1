/* Assembly by coordinates into an owning matrix: the values on the host or on the device, written where they are to be. */
#include "coo_values.hpp"
#include "own_cds.hpp"
#include "petsc/plugin.hpp"

namespace goza::mat
{

static OwnCds *own_of(Mat A)
{
  return static_cast<OwnCds *>(A->data);
}

/* The diagonals that the entries lie on. */
static void find_offsets(PetscInt bs, PetscCount n, const PetscInt i[], const PetscInt j[], std::vector<PetscInt> &offset)
{
  std::size_t d = 0;

  for (PetscCount k = 0; k < n; k++) {
    if (i[k] < 0 || j[k] < 0) continue;
    const PetscInt o = j[k] / bs - i[k] / bs;

    if (d + 1 < offset.size() && offset[d + 1] == o) d++; /* mostly: rows come one after another */
    if (d < offset.size() && offset[d] == o) continue;
    const auto at = std::lower_bound(offset.begin(), offset.end(), o);

    d = static_cast<std::size_t>(at - offset.begin());
    if (at == offset.end() || *at != o) offset.insert(at, o);
    if (offset.size() > static_cast<std::size_t>(max_diagonals)) return; /* OwnAddOffsets() says so */
  }
}

/* Where each entry goes. Place: PetscInt or std::int64_t */
template <class Place>
static Array<Place> find_places(Space space, const DiagonalValues &v, std::size_t size, PetscCount n, const PetscInt i[], const PetscInt j[], bool *doubles)
{
  Array<Place>      place(Space::Host, n);
  std::vector<bool> taken(size);

  *doubles = false;
  for (PetscCount k = 0; k < n; k++) {
    place.data()[k] = -1;
    if (i[k] < 0 || j[k] < 0 || (v.half && j[k] / v.bs < i[k] / v.bs)) continue;
    const std::size_t at = static_cast<std::size_t>(v.place(i[k], j[k]) - v.val);

    place.data()[k] = static_cast<Place>(at);
    if (taken[at]) *doubles = true;
    taken[at] = true;
  }
  if (space == Space::Host) return place;
  return Array<Place>(space, place.data(), place.size());
}

static PetscErrorCode MatSetPreallocationCOO_OwnCds(Mat A, PetscCount n, PetscInt i[], PetscInt j[])
{
  OwnCds               *own = own_of(A);
  std::vector<PetscInt> offset;
  DiagonalValues        v;

  PetscFunctionBegin;
  PetscCall(OwnSettle(A, own));
  for (PetscCount k = 0; k < n; k++) {
    PetscCheck(i[k] < A->rmap->N && j[k] < A->cmap->N, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "COO entry (%" PetscInt_FMT ", %" PetscInt_FMT ") is outside the matrix of %" PetscInt_FMT " x %" PetscInt_FMT, i[k], j[k],
               A->rmap->N, A->cmap->N);
  }
  PetscCall(Guarded([&] { find_offsets(own->bs, n, i, j, offset); }));
  const PetscBool fixed      = (PetscBool)own->fixed;
  own->fixed                 = false; /* a new preallocation is a new pattern */
  const PetscErrorCode added = OwnAddOffsets(A, own, offset);
  own->fixed                 = fixed;
  PetscCall(added);
  PetscCall(OwnForget(A, own));
  PetscCall(OwnRead(A, own, own->space, &v));
  PetscCall(Guarded([&] {
    const std::size_t size = own->cds->bytes() / sizeof(PetscScalar);

    own->coo = CooPlaces();
    if (size <= static_cast<std::size_t>(PETSC_MAX_INT)) own->coo.narrow = find_places<PetscInt>(own->space, v, size, n, i, j, &own->coo.doubles);
    else own->coo.wide = find_places<std::int64_t>(own->space, v, size, n, i, j, &own->coo.doubles);
    if (own->coo.doubles) sort_places(own->space, own->coo);
    own->coo.n     = n;
    own->coo.known = true;
  }));
  A->preallocated = PETSC_TRUE;
  A->assembled    = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatSetValuesCOO_OwnCds(Mat A, const PetscScalar values[], InsertMode mode)
{
  OwnCds            *own = own_of(A);
  DiagonalValues     v;
  Array<PetscScalar> brought;
  const bool         add = mode == ADD_VALUES;

  PetscFunctionBegin;
  PetscCall(OwnSettle(A, own));
  PetscCheck(own->coo.known, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE, "The matrix has got other diagonals since MatSetPreallocationCOO(): call that again");
  CooPlaces      coo    = std::move(own->coo); /* writing does not lay the matrix out anew, but may take another piece of memory */
  PetscErrorCode failed = add ? PETSC_SUCCESS : OwnForget(A, own);
  if (!failed) failed = OwnWrite(A, own, own->space, true, &v);
  if (!failed)
    failed = Guarded([&] {
      const PetscScalar *from = values;

      if (values && device::is_device_pointer(values) != (own->space == Space::Cuda)) {
        brought = Array<PetscScalar>(own->space, coo.n);
        device::copy(brought.data(), values, brought.bytes());
        from = brought.data();
      }
      if (values) put_values(own->space, coo, from, v.val);
    });
  own->coo = std::move(coo);
  PetscCall(failed);
  if (brought.size())
    PetscCall(own->space == Space::Cuda ? PetscLogCpuToGpu((PetscLogDouble)brought.bytes()) : PetscLogGpuToCpu((PetscLogDouble)brought.bytes()));
  A->assembled = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnCdsComposeCOO(Mat A, bool attach)
{
  PetscFunctionBegin;
  PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatSetPreallocationCOO_C", attach ? MatSetPreallocationCOO_OwnCds : NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatSetValuesCOO_C", attach ? MatSetValuesCOO_OwnCds : NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::mat
