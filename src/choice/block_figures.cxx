#include "block_figures.hpp"
#include "petsc/errors.hpp"
#include "parallel/agree.hpp"
#include "mat/common/borrowed_csr.hpp"
#include <vector>

namespace goza::choice {

PetscErrorCode MatBlockFigures(Mat A, int n, const std::function<void(const Csr &block, double *figure)> &find, double *least, double *most)
{
  MPI_Comm            comm = comm_of(A);
  BorrowedCsr         block;
  std::vector<double> figure;

  PetscFunctionBegin;
  PetscCall(block.open_pattern(blocks_of(A).diagonal()));
  const PetscErrorCode failed = Guarded([&] {
    figure.assign(n, no_figure);
    find(block.csr(), figure.data());
  });
  PetscCall(block.close());
  PetscCall(FailTogether(comm, failed, "look at its block of the matrix"));
  PetscCallMPI(MPI_Allreduce(figure.data(), least, n, MPI_DOUBLE, MPI_MIN, comm));
  for (double &value : figure) value = value == no_figure ? -no_figure : value;
  PetscCallMPI(MPI_Allreduce(figure.data(), most, n, MPI_DOUBLE, MPI_MAX, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::choice
