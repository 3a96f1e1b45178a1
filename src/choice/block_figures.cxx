#include "block_figures.hpp"
#include "petsc/errors.hpp"
#include "parallel/agree.hpp"
#include "mat/common/par_operator.hpp"
#include <petsc/private/matimpl.h>
#include <vector>

namespace goza::choice {

PetscErrorCode MatBlockFigures(Mat A, int n, const std::function<void(const Csr &block, double *figure)> &find, double *least, double *most)
{
  MPI_Comm            comm = comm_of(A);
  const Mat           Ad   = blocks_of(A).diagonal();
  const PetscInt     *ptr, *col;
  PetscInt            nrows;
  PetscBool           done;
  std::vector<double> figure;

  PetscFunctionBegin;
  PetscCall(MatGetRowIJ(Ad, 0, PETSC_FALSE, PETSC_FALSE, &nrows, &ptr, &col, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Matrix type %s gives no row pointers", ((PetscObject)Ad)->type_name);
  const PetscErrorCode failed = Guarded([&] {
    figure.assign(n, no_figure);
    find({Space::Host, Ad->rmap->n, Ad->cmap->n, ptr, col, nullptr, Ad->rmap->n ? ptr[Ad->rmap->n] : 0}, figure.data());
  });
  PetscCall(MatRestoreRowIJ(Ad, 0, PETSC_FALSE, PETSC_FALSE, &nrows, &ptr, &col, &done));
  PetscCall(FailTogether(comm, failed, "look at its block of the matrix"));
  PetscCallMPI(MPI_Allreduce(figure.data(), least, n, MPI_DOUBLE, MPI_MIN, comm));
  for (double &value : figure) value = value == no_figure ? -no_figure : value;
  PetscCallMPI(MPI_Allreduce(figure.data(), most, n, MPI_DOUBLE, MPI_MAX, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::choice
