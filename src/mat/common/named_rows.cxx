#include "named_rows.hpp"
#include "parallel/agree.hpp"
#include <petsc/private/matimpl.h>
#include <petscis.h>

namespace goza::mat {

static PetscErrorCode CheckRows(Mat A, PetscInt n, const PetscInt rows[])
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; k++) {
    PetscCheck(rows[k] >= 0 && rows[k] < A->rmap->N, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "Row %" PetscInt_FMT " out of range [0,%" PetscInt_FMT ")",
               rows[k], A->rmap->N);
    PetscCheck(!A->nooffproczerorows || (rows[k] >= A->rmap->rstart && rows[k] < A->rmap->rend), PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
               "MAT_NO_OFF_PROC_ZERO_ROWS set, but row %" PetscInt_FMT " is not owned by this rank", rows[k]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatFindNamedRows(Mat A, PetscInt n, const PetscInt rows[], const char *what, std::vector<PetscInt> *mine)
{
  const MPI_Comm comm = comm_of(A);
  PetscInt       found, *list;

  PetscFunctionBegin;
  PetscCall(FailTogether(comm, CheckRows(A, n, rows), what));
  PetscCall(PetscLayoutMapLocal(A->rmap, n, rows, &found, &list, NULL));
  const PetscErrorCode failed = Guarded([&] { mine->assign(list, list + found); });
  PetscCall(PetscFree(list));
  PetscCall(FailTogether(comm, failed, what));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::mat
