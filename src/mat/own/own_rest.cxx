/* The entries of an owning matrix in columns of other ranks, and those set for other ranks' rows. */
#include "mat/common/borrowed_csr.hpp"
#include "own_mat.hpp"
#include "parallel/agree.hpp"
#include "petsc/plugin.hpp"
#include <numeric>

namespace goza::mat {

static bool before(const OtherEntry &a, const OtherEntry &b) { return a.row != b.row ? a.row < b.row : a.col < b.col; }

void join_doubles(std::vector<OtherEntry> &entries, InsertMode mode)
{
  std::size_t n = 0;

  std::stable_sort(entries.begin(), entries.end(), before);
  for (std::size_t k = 0; k < entries.size(); k++) {
    if (!n || before(entries[n - 1], entries[k])) entries[n++] = entries[k];
    else if (mode == ADD_VALUES) entries[n - 1].value += entries[k].value;
    else entries[n - 1] = entries[k];
  }
  entries.resize(n);
}

namespace {

constexpr char hold[] = "hold its entries in columns of other ranks", give[] = "give entries to their owners";

/* The pattern of rest's off-diagonal block, for as long as this lives. */
struct RestRows {
  Mat             block  = NULL;
  const PetscInt *garray = NULL;
  BorrowedCsr     lent;

  PetscErrorCode open(Mat rest)
  {
    const AijBlocks of = blocks_of(rest);

    PetscFunctionBegin;
    block  = of.others();
    garray = of.garray;
    PetscCall(lent.open_pattern(block));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscInt column(PetscInt k) const { return garray[lent.csr().col[k]]; }

  PetscInt find(PetscInt row, PetscInt col) const // of a local row and a global column; -1: no place
  {
    const PetscInt end = lent.csr().ptr[row + 1], at = partition_point(lent.csr().ptr[row], end, [&](PetscInt k) { return column(k) < col; });

    return at < end && column(at) == col ? at : -1;
  }

  bool has_all(const RestRows &b) const
  {
    for (PetscInt row = 0; row < lent.csr().nrows; row++)
      for (PetscInt p = b.lent.csr().ptr[row]; p < b.lent.csr().ptr[row + 1]; p++)
        if (find(row, b.column(p)) < 0) return false;
    return true;
  }
};

/* Collective. PETSc makes another matrix of rest, which has the other's places, too. */
PetscErrorCode AddOtherPattern(Mat A, OwnMat *own, PetscScalar a, Mat other)
{
  PetscFunctionBegin;
  PetscCall(MatAXPY(own->others.rest, a, other, DIFFERENT_NONZERO_PATTERN));
  PetscCall(MatSetOption(own->others.rest, MAT_KEEP_NONZERO_PATTERN, PETSC_TRUE));
  own->coordinates.reset();
  A->nonzerostate++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Collective. Places for entries that rest has none for, of value 0. */
PetscErrorCode Enlarge(Mat A, OwnMat *own, const std::vector<OtherEntry> &more)
{
  std::vector<PetscInt>    i, j;
  std::vector<PetscScalar> val;
  Mat                      zeros;

  PetscFunctionBegin;
  PetscCall(Together(comm_of(A), hold, [&] {
    for (const OtherEntry &e : more) {
      i.push_back(e.row);
      j.push_back(e.col);
    }
    val.assign(more.size() + 1, 0);
  }));
  PetscCall(OwnNewRest(A, &zeros));
  PetscCall(MatSetPreallocationCOO(zeros, static_cast<PetscCount>(i.size()), i.data(), j.data()));
  PetscCall(MatSetValuesCOO(zeros, val.data(), INSERT_VALUES));
  PetscCall(AddOtherPattern(A, own, 1, zeros));
  PetscCall(MatDestroy(&zeros));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Those that rest has no place for. A zero needs none, unless it is wanted. fixed: new ones are an error */
PetscErrorCode FindMissing(Mat A, const RestRows &rows, const std::vector<OtherEntry> &entries, bool zeros_too, bool fixed, std::vector<OtherEntry> *missing)
{
  PetscFunctionBegin;
  PetscCall(Guarded([&] {
    for (const OtherEntry &e : entries)
      if ((zeros_too || e.value != PetscScalar(0)) && rows.find(e.row - A->rmap->rstart, e.col) < 0) missing->push_back(e);
  }));
  PetscCheck(missing->empty() || !fixed, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "The matrix has no place for a new entry (%" PetscInt_FMT ", %" PetscInt_FMT "), and MAT_NEW_NONZERO_LOCATION_ERR is set", missing->front().row,
             missing->front().col);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Collective. Rest has places for the entries, and `rows` are its. */
PetscErrorCode MakePlaces(Mat A, OwnMat *own, const std::vector<OtherEntry> &entries, bool zeros_too, bool fixed, RestRows *rows)
{
  const MPI_Comm          comm = comm_of(A);
  Mat                     rest;
  std::vector<OtherEntry> missing;
  PetscMPIInt             mine, any;

  PetscFunctionBegin;
  PetscCall(OwnRest(A, own, &rest));
  PetscErrorCode failed = rows->open(rest);
  if (!failed) failed = FindMissing(A, *rows, entries, zeros_too, fixed, &missing);
  PetscCall(FailTogether(comm, failed, hold));
  mine = !missing.empty();
  PetscCallMPI(MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, comm));
  if (!any) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(rows->lent.close());
  PetscCall(Enlarge(A, own, missing));
  PetscCall(rows->open(own->others.rest));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Collective. sent: by ascending row; received: by ascending rank. */
PetscErrorCode Exchange(Mat A, const std::vector<OtherEntry> &sent, std::vector<OtherEntry> *received)
{
  const MPI_Comm           comm = comm_of(A);
  const PetscMPIInt        size = A->rmap->size;
  std::vector<PetscMPIInt> to, from, to_at, from_at;
  MPI_Datatype             type;

  PetscFunctionBegin;
  PetscCall(Together(comm, give, [&] {
    for (auto *each : {&to, &from, &to_at, &from_at}) each->resize(size + 1);
  }));
  for (PetscMPIInt r = 0; r < size; r++) {
    const auto end = std::partition_point(sent.begin() + to_at[r], sent.end(), [&](const OtherEntry &e) { return e.row < A->rmap->range[r + 1]; });

    to_at[r + 1] = static_cast<PetscMPIInt>(end - sent.begin());
    to[r]        = to_at[r + 1] - to_at[r];
  }
  PetscCallMPI(MPI_Alltoall(to.data(), 1, MPI_INT, from.data(), 1, MPI_INT, comm));
  std::partial_sum(from.begin(), from.end() - 1, from_at.begin() + 1);
  PetscCall(Together(comm, give, [&] { received->resize(from_at[size]); }));
  PetscCallMPI(MPI_Type_contiguous(sizeof(OtherEntry), MPI_BYTE, &type));
  PetscCallMPI(MPI_Type_commit(&type));
  PetscCallMPI(MPI_Alltoallv(sent.data(), to.data(), to_at.data(), type, received->data(), from.data(), from_at.data(), type, comm));
  PetscCallMPI(MPI_Type_free(&type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Collective. What others' rows get goes to them, what this rank's rows get comes. */
PetscErrorCode ExchangeRows(Mat A, OwnMat *own, InsertMode mode)
{
  std::vector<OtherEntry> &waiting = own->others.waiting, away, received;
  const auto               is_own  = [A](const OtherEntry &e) { return e.row >= A->rmap->rstart && e.row < A->rmap->rend; };

  PetscFunctionBegin;
  PetscErrorCode failed = Guarded([&] {
    std::copy_if(waiting.begin(), waiting.end(), std::back_inserter(away), [&](const OtherEntry &e) { return !is_own(e); });
    waiting.erase(std::remove_if(waiting.begin(), waiting.end(), [&](const OtherEntry &e) { return !is_own(e); }), waiting.end());
  });
  PetscCall(FailTogether(comm_of(A), failed, give));
  PetscCall(Exchange(A, away, &received));
  for (const OtherEntry &e : received)
    if (!failed) failed = OwnSetEntry(A, own, e, mode);
  if (!failed) failed = Guarded([&] { join_doubles(waiting, mode); });
  PetscCall(FailTogether(comm_of(A), failed, hold));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Collective. */
PetscErrorCode PutIntoRest(Mat A, OwnMat *own, InsertMode mode)
{
  const std::vector<OtherEntry> none;
  RestRows                      rows;
  PetscScalar                  *val;

  PetscFunctionBegin;
  PetscCall(MakePlaces(A, own, own->closed ? none : own->others.waiting, own->storage->by_rows(), own->fixed, &rows));
  PetscErrorCode failed = MatSeqAIJGetArray(rows.block, &val);
  if (!failed) {
    for (const OtherEntry &e : own->others.waiting) {
      const PetscInt k = rows.find(e.row - A->rmap->rstart, e.col);

      if (k >= 0) val[k] = mode == ADD_VALUES ? val[k] + e.value : e.value;
    }
    failed = MatSeqAIJRestoreArray(rows.block, &val);
  }
  PetscCall(FailTogether(comm_of(A), failed, hold));
  PetscCall(PetscObjectStateIncrease((PetscObject)own->others.rest));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

/* Where it has all places of the other rest stays the matrix that it is, which knows coordinates. */
PetscErrorCode OwnCombineRest(Mat A, OwnMat *own, PetscScalar a, Mat other, bool add)
{
  const MPI_Comm comm = comm_of(A);
  Mat            rest;
  PetscMPIInt    mine[2] = {0, 0}, all[2]; /* rest has all places of the other, and no more */

  PetscFunctionBegin;
  PetscCall(OwnRest(A, own, &rest));
  {
    RestRows       rows, its;
    PetscErrorCode failed = rows.open(rest);

    if (!failed) failed = its.open(other);
    PetscCall(FailTogether(comm, failed, "compare the patterns of two matrices"));
    mine[0] = rows.has_all(its);
    mine[1] = mine[0] && rows.lent.nnz() == its.lent.nnz();
  }
  PetscCallMPI(MPI_Allreduce(mine, all, 2, MPI_INT, MPI_MIN, comm));
  if (!add) PetscCall(MatZeroEntries(rest));
  if (all[0]) PetscCall(MatAXPY(rest, a, other, all[1] ? SAME_NONZERO_PATTERN : SUBSET_NONZERO_PATTERN));
  else PetscCall(AddOtherPattern(A, own, a, other));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnAddPlaces(Mat A, OwnMat *own, std::vector<OtherEntry> &places)
{
  RestRows rows;

  PetscFunctionBegin;
  if (A->rmap->size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Together(comm_of(A), hold, [&] { join_doubles(places, INSERT_VALUES); }));
  PetscCall(MakePlaces(A, own, places, true, false, &rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OwnDeliver(Mat A, OwnMat *own)
{
  const MPI_Comm           comm    = comm_of(A);
  std::vector<OtherEntry> &waiting = own->others.waiting;
  PetscMPIInt              mine[4] = {0, 0, 0, 0}, any[4]; /* something waits; for another rank; to be added; to be set */

  PetscFunctionBegin;
  if (A->rmap->size == 1 && waiting.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Together(comm, give, [&] { join_doubles(waiting, own->others.mode); }));
  mine[0] = !waiting.empty();
  mine[1] = mine[0] && (waiting.front().row < A->rmap->rstart || waiting.back().row >= A->rmap->rend);
  mine[2] = mine[0] && own->others.mode == ADD_VALUES;
  mine[3] = mine[0] && own->others.mode != ADD_VALUES;
  PetscCallMPI(MPI_Allreduce(mine, any, 4, MPI_INT, MPI_MAX, comm));
  if (any[2] && any[3]) waiting.clear();
  PetscCheck(!any[2] || !any[3], comm, PETSC_ERR_ARG_WRONGSTATE, "Some ranks add values, others insert them");
  const InsertMode mode = any[2] ? ADD_VALUES : INSERT_VALUES;
  if (any[1]) PetscCall(ExchangeRows(A, own, mode));
  if (any[0]) PetscCall(FailTogether(comm, OwnSetWaiting(A, own, mode), hold));
  if (any[0] && A->rmap->size > 1) PetscCall(PutIntoRest(A, own, mode));
  std::vector<OtherEntry>().swap(waiting);
  own->others.joined = OwnOthers().joined;
  own->others.mode   = NOT_SET_VALUES;
  PetscCall(OwnAgreeOnPattern(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::mat
