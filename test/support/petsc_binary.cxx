#include "petsc_binary.hpp"
#include "petsc/errors.hpp"
#include <algorithm>
#include <petscmat.h>
#include <sys/stat.h>

namespace goza_test {

using goza::Guarded;

namespace {

/* The file is long enough for what its header promises: nothing is allocated for a promise only. The values are not read, but have to be there. */
PetscErrorCode CheckLength(const char *file, PetscInt rows, PetscInt nnz)
{
  struct stat  found;
  const double indices = 4.0 + static_cast<double>(rows) + static_cast<double>(nnz),
               bytes   = indices * sizeof(PetscInt) + static_cast<double>(nnz) * sizeof(PetscScalar);

  PetscFunctionBegin;
  PetscCheck(!stat(file, &found), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "%s: cannot be looked at", file);
  PetscCheck(static_cast<double>(found.st_size) >= bytes, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
             "Read past end of file: %s ends after %lld of the %.0f bytes of %" PetscInt_FMT " rows and %" PetscInt_FMT " entries", file,
             (long long)found.st_size, bytes, rows, nnz);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReadPattern(const char *file, PetscViewer viewer, HostCsr *A)
{
  PetscInt head[4]; /* class, rows, columns, entries */
  PetscInt sum = 0;

  PetscFunctionBegin;
  PetscCall(PetscViewerBinaryRead(viewer, head, 4, NULL, PETSC_INT));
  const PetscInt rows = head[1], cols = head[2], nnz = head[3];

  PetscCheck(head[0] == MAT_FILE_CLASSID, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED, "Not a matrix next in %s", file);
  PetscCheck(rows >= 0 && cols >= 0 && nnz >= 0, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
             "%s: %" PetscInt_FMT " rows, %" PetscInt_FMT " columns, %" PetscInt_FMT " entries are no sparse matrix", file, rows, cols, nnz);
  PetscCall(CheckLength(file, rows, nnz));
  PetscCall(Guarded([&] {
    A->ptr.assign(static_cast<std::size_t>(rows) + 1, 0);
    A->col.resize(nnz);
  }));
  A->rows = rows;
  A->cols = cols;
  PetscCall(PetscViewerBinaryRead(viewer, A->ptr.data() + 1, rows, NULL, PETSC_INT));
  for (PetscInt i = 0; i < rows; i++) {
    const PetscInt length = A->ptr[i + 1];

    PetscCheck(length >= 0 && length <= nnz - sum, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
               "%s: row %" PetscInt_FMT " has %" PetscInt_FMT " entries, after %" PetscInt_FMT " of %" PetscInt_FMT, file, i, length, sum, nnz);
    A->ptr[i + 1] = sum += length;
  }
  PetscCheck(sum == nnz, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED, "%s: the rows have %" PetscInt_FMT " entries, not %" PetscInt_FMT, file, sum, nnz);
  PetscCall(PetscViewerBinaryRead(viewer, A->col.data(), nnz, NULL, PETSC_INT));
  for (PetscInt i = 0; i < rows; i++) {
    PetscInt *const first = A->col.data() + A->ptr[i], *const last = A->col.data() + A->ptr[i + 1];

    for (const PetscInt *j = first; j < last; j++)
      PetscCheck(*j >= 0 && *j < cols, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
                 "%s: row %" PetscInt_FMT " has an entry in column %" PetscInt_FMT ", outside the %" PetscInt_FMT " columns", file, i, *j, cols);
    if (!std::is_sorted(first, last)) std::sort(first, last);
    const PetscInt *twice = std::adjacent_find(first, last);
    PetscCheck(twice == last, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED, "%s: row %" PetscInt_FMT " has column %" PetscInt_FMT " twice", file, i, *twice);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode read_petsc_binary(const char *file, HostCsr *A)
{
  PetscViewer viewer;

  PetscFunctionBegin;
  PetscCall(PetscViewerBinaryOpen(PETSC_COMM_SELF, file, FILE_MODE_READ, &viewer));
  const PetscErrorCode failed = ReadPattern(file, viewer, A);

  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(failed);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza_test
