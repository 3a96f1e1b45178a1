/* The entries of an owning matrix in columns of other ranks, and those set for other ranks' rows. */
#include "core/util/search.hpp"
#include "mat/common/borrowed_csr.hpp"
#include "own_mat.hpp"
#include "parallel/agree.hpp"
#include "petsc/plugin.hpp"
#include "petsc/errors.hpp"
#include <algorithm>

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

  bool find_all(const RestRows &b, std::vector<PetscInt> *at) const // where b's entries are to go; false: there is no place for one of them
  {
    for (PetscInt row = 0; row < lent.csr().nrows; row++) {
      for (PetscInt p = b.lent.csr().ptr[row]; p < b.lent.csr().ptr[row + 1]; p++) {
        at->push_back(find(row, b.column(p)));
        if (at->back() < 0) return false;
      }
    }
    return true;
  }
};

/* at: where each of its entries goes. */
PetscErrorCode AddEntries(Mat block, PetscScalar a, Mat its, const std::vector<PetscInt> &at)
{
  const PetscScalar *from;
  PetscScalar       *to;

  PetscFunctionBegin;
  PetscCall(MatSeqAIJGetArrayRead(its, &from));
  PetscCall(MatSeqAIJGetArray(block, &to));
  for (std::size_t p = 0; p < at.size(); p++) to[at[p]] += a * from[p];
  PetscCall(MatSeqAIJRestoreArray(block, &to));
  PetscCall(MatSeqAIJRestoreArrayRead(its, &from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Collective. A rest with the places of the old one and more, which are none of its, with the old one's values. */
PetscErrorCode Enlarge(Mat A, OwnMat *own, RestRows &rows, const std::vector<OtherEntry> &more)
{
  std::vector<PetscInt>    ptr(1, 0), col, garray;
  std::vector<PetscScalar> val;
  const PetscScalar       *old;

  PetscFunctionBegin;
  PetscErrorCode failed = MatSeqAIJGetArrayRead(rows.block, &old);
  if (!failed) {
    const Csr     &R     = rows.lent.csr();
    std::size_t    next  = 0;
    const PetscInt first = A->rmap->rstart;

    failed = Guarded([&] {
      const auto put = [&](PetscInt j, PetscScalar v) {
        col.push_back(j);
        val.push_back(v);
      };

      for (PetscInt i = 0; i < R.nrows; i++) {
        for (PetscInt k = R.ptr[i]; k < R.ptr[i + 1]; k++) {
          for (; next < more.size() && more[next].row == first + i && more[next].col < rows.column(k); next++) put(more[next].col, 0);
          put(rows.column(k), old[k]);
        }
        for (; next < more.size() && more[next].row == first + i; next++) put(more[next].col, 0);
        ptr.push_back(static_cast<PetscInt>(col.size()));
      }
      garray = col;
      std::sort(garray.begin(), garray.end());
      garray.erase(std::unique(garray.begin(), garray.end()), garray.end());
      for (PetscInt &c : col) c = static_cast<PetscInt>(std::lower_bound(garray.begin(), garray.end(), c) - garray.begin());
    });
    PetscCall(MatSeqAIJRestoreArrayRead(rows.block, &old));
  }
  PetscCall(rows.lent.close());
  PetscCall(OwnSetRest(A, own, {Space::Host, A->rmap->n, static_cast<PetscInt>(garray.size()), ptr.data(), col.data(), val.data()}, garray.data(), failed));
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
  PetscCall(Enlarge(A, own, *rows, missing));
  PetscCall(rows->open(own->others.rest));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Those that wait for other ranks, one after another: where each rank's begin. */
struct Parts {
  std::vector<PetscMPIInt> rank, begin; // begin: one more
};

PetscErrorCode FindParts(Mat A, const std::vector<OtherEntry> &entries, Parts *parts)
{
  PetscFunctionBegin;
  for (std::size_t k = 0; k < entries.size(); k++) {
    PetscMPIInt owner;

    if (k && entries[k].row < A->rmap->range[parts->rank.back() + 1]) continue;
    PetscCall(PetscLayoutFindOwner(A->rmap, entries[k].row, &owner));
    PetscCall(Guarded([&] { parts->rank.push_back(owner); }));
    PetscCall(Guarded([&] { parts->begin.push_back(static_cast<PetscMPIInt>(k)); }));
  }
  PetscCall(Guarded([&] { parts->begin.push_back(static_cast<PetscMPIInt>(entries.size())); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Collective. sent: by ascending row; received: by ascending rank. */
PetscErrorCode Exchange(Mat A, const std::vector<OtherEntry> &sent, std::vector<OtherEntry> *received)
{
  const MPI_Comm           comm = comm_of(A);
  Parts                    parts;
  std::vector<PetscMPIInt> count;
  std::vector<MPI_Request> requests;
  PetscMPIInt              tag, nfrom = 0, *from = NULL, *length = NULL, all = 0;
  MPI_Datatype             type;

  PetscFunctionBegin;
  PetscErrorCode failed = FindParts(A, sent, &parts);
  if (!failed)
    failed = Guarded([&] {
      for (std::size_t p = 0; p < parts.rank.size(); p++) count.push_back(parts.begin[p + 1] - parts.begin[p]);
    });
  PetscCall(FailTogether(comm, failed, give));
  const PetscMPIInt nto = static_cast<PetscMPIInt>(parts.rank.size());
  PetscCall(PetscCommBuildTwoSided(comm, 1, MPI_INT, nto, parts.rank.data(), count.data(), &nfrom, &from, (void *)&length));
  PetscCall(PetscSortMPIIntWithArray(nfrom, from, length));
  for (PetscMPIInt k = 0; k < nfrom; k++) all += length[k];
  PetscCall(Together(comm, give, [&] {
    received->resize(all);
    requests.resize(nfrom + nto);
  }));
  PetscCall(PetscObjectGetNewTag((PetscObject)A, &tag));
  PetscCallMPI(MPI_Type_contiguous(sizeof(OtherEntry), MPI_BYTE, &type));
  PetscCallMPI(MPI_Type_commit(&type));
  for (PetscMPIInt k = 0, at = 0; k < nfrom; at += length[k], k++)
    PetscCallMPI(MPI_Irecv(received->data() + at, length[k], type, from[k], tag, comm, &requests[k]));
  for (PetscMPIInt p = 0; p < nto; p++) PetscCallMPI(MPI_Isend(sent.data() + parts.begin[p], count[p], type, parts.rank[p], tag, comm, &requests[nfrom + p]));
  PetscCallMPI(MPI_Waitall(nfrom + nto, requests.data(), MPI_STATUSES_IGNORE));
  PetscCallMPI(MPI_Type_free(&type));
  PetscCall(PetscFree(from));
  PetscCall(PetscFree(length));
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

/* Where it has all places of the other rest stays the matrix that it is, which knows coordinates; else PETSc makes another of it. */
PetscErrorCode OwnCombineRest(Mat A, OwnMat *own, PetscScalar a, Mat other, bool add)
{
  const MPI_Comm        comm = comm_of(A);
  Mat                   rest, block = NULL, its_block = NULL;
  std::vector<PetscInt> at;
  PetscInt              places = 0;
  PetscMPIInt           mine   = 0, all;

  PetscFunctionBegin;
  PetscCall(OwnRest(A, own, &rest));
  {
    RestRows       rows, its;
    PetscErrorCode failed = rows.open(rest);

    if (!failed) failed = its.open(other);
    if (!failed) failed = Guarded([&] { mine = rows.find_all(its, &at); });
    PetscCall(FailTogether(comm, failed, "compare the patterns of two matrices"));
    block     = rows.block;
    its_block = its.block;
    places    = rows.lent.nnz();
  }
  PetscCallMPI(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm));
  if (!add) PetscCall(MatZeroEntries(rest));
  if (all) {
    const bool           same   = at.size() == static_cast<std::size_t>(places); /* then PETSc adds them where they are */
    const PetscErrorCode failed = !same ? AddEntries(block, a, its_block, at) : places ? MatAXPY(block, a, its_block, SAME_NONZERO_PATTERN) : PETSC_SUCCESS;

    PetscCall(FailTogether(comm, failed, "add another matrix"));
    PetscCall(PetscObjectStateIncrease((PetscObject)rest));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  const PetscObjectState before = rest->nonzerostate;
  PetscCall(MatAXPY(rest, a, other, DIFFERENT_NONZERO_PATTERN));
  PetscCall(MatSetOption(rest, MAT_KEEP_NONZERO_PATTERN, PETSC_TRUE));
  own->coordinates.reset();
  if (rest->nonzerostate != before) A->nonzerostate++;
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
