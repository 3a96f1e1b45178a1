/* The levels that the leaders have, as matrices of all ranks: coarse rows are the leaders', those of the finest level lie where the user's do. */
#include "parallel/agree.hpp"
#include "saamg_group.hpp"
#include <petsc/private/pcimpl.h>

namespace goza::saamg {

static const char showing[] = "show its group's levels";

namespace {

/* Rows in memory in common, columns by their numbers among all. */
struct SharedRows {
  PetscInt     m = 0, n = 0, entries = 0; // of the group; n: columns of its own
  SharedWindow window;

  PetscInt    *ptr() const { return window.at<PetscInt>(); }
  PetscInt    *col() const { return ptr() + m + 1; }
  PetscScalar *val() const { return window.at<PetscScalar>(bytes_of_pattern()); }

  std::size_t bytes_of_pattern() const
  {
    const std::size_t bytes = (static_cast<std::size_t>(m) + 1 + entries) * sizeof(PetscInt), whole = sizeof(PetscScalar);

    return (bytes + whole - 1) / whole * whole;
  }
};

struct CsrRows {
  std::vector<PetscInt>    ptr{0}, col;
  std::vector<PetscScalar> val;

  void add(const SharedRows &from, PetscInt row)
  {
    const PetscInt begin = from.ptr()[row], end = from.ptr()[row + 1];

    col.insert(col.end(), from.col() + begin, from.col() + end);
    val.insert(val.end(), from.val() + begin, from.val() + end);
    ptr.push_back(static_cast<PetscInt>(col.size()));
  }
};

} // namespace

static PetscErrorCode CountRows(Mat there, PetscInt sizes[3])
{
  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(there, sizes, sizes + 1));
  PetscCall(PetscIntCast((PetscInt64)nonzeros_of(there), sizes + 2));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WriteRows(Mat there, SharedRows *rows)
{
  PetscInt begin, end;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(there, &begin, &end));
  for (PetscInt i = begin; i < end; i++) {
    PetscInt          *ptr = rows->ptr() + (i - begin), n;
    const PetscInt    *col;
    const PetscScalar *val;

    PetscCall(MatGetRow(there, i, &n, &col, &val));
    PetscCall(PetscArraycpy(rows->col() + ptr[0], col, n));
    PetscCall(PetscArraycpy(rows->val() + ptr[0], val, n));
    ptr[1] = ptr[0] + n;
    PetscCall(MatRestoreRow(there, i, &n, &col, &val));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* there: on leaders. finest: its rows are those of the user's matrix. */
PetscErrorCode GroupPC::spread(MPI_Comm comm, Mat there, bool finest, Mat *all)
{
  RankGroup     &group    = rows_->group();
  PetscInt       sizes[3] = {0, 0, 0};
  SharedRows     rows;
  CsrRows        mine;
  PetscErrorCode here;

  PetscFunctionBegin;
  PetscCall(group.on_leader(PETSC_SUCCESS, showing, [&] { return CountRows(there, sizes); }));
  PetscCallMPI(MPI_Bcast(sizes, 3, MPIU_INT, 0, group.members()));
  rows.m       = sizes[0];
  rows.n       = sizes[1];
  rows.entries = sizes[2];
  here         = CreateSharedWindow(group.members(), rows.bytes_of_pattern() + static_cast<std::size_t>(rows.entries) * sizeof(PetscScalar), &rows.window);
  PetscCall(group.on_leader(here, showing, [&] { return WriteRows(there, &rows); }));
  here = Guarded([&] {
    const PetscInt n = finest ? rows_->rows().n : group.leads() ? rows.m : 0;

    for (PetscInt i = 0; i < n; i++) mine.add(rows, finest ? rows_->row(i) : i);
    mine.col.reserve(1); // PETSc takes a null pointer for "not given"
    mine.val.reserve(1);
  });
  PetscCall(FailTogether(comm, here, showing));
  PetscCall(MatCreateMPIAIJWithArrays(comm, (PetscInt)mine.ptr.size() - 1, group.leads() ? rows.n : 0, PETSC_DETERMINE, PETSC_DETERMINE, mine.ptr.data(),
                                      mine.col.data(), mine.val.data(), all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupPC::get_levels(MPI_Comm comm, PetscErrorCode (*get)(PC, PetscInt *, Mat *[]), bool interpolations, PetscInt *levels, Mat *mats[])
{
  PetscInt n     = 0;
  Mat     *there = NULL;

  PetscFunctionBegin;
  PetscCall(rows_->group().on_leader(PETSC_SUCCESS, showing, [&]() -> PetscErrorCode {
    PetscFunctionBegin;
    PetscCheck(there_, PETSC_COMM_SELF, PETSC_ERR_ORDER, "PC of type saamg has no levels: call PCSetUp() first");
    PetscCall(get(there_, &n, &there));
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  PetscCallMPI(MPI_Bcast(&n, 1, MPIU_INT, 0, rows_->group().members()));
  PetscCall(FailTogether(comm, PetscMalloc1(n, mats), showing));
  *levels = n;
  for (PetscInt l = 0; l + 1 < n; l++) PetscCall(spread(comm, there ? there[l] : NULL, interpolations && l + 2 == n, *mats + l));
  for (PetscInt l = 0; there && l + 1 < n; l++) PetscCall(MatDestroy(there + l));
  PetscCall(PetscFree(there));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::saamg
