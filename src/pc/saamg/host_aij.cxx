#include "host_aij.hpp"
#include "mat/common/par_operator.hpp"
#include "mat/common/compat.hpp"
#include <petsc/private/petscimpl.h>

namespace goza
{

PetscErrorCode HostAij::Lent::open(Mat A)
{
  PetscBool done;

  PetscFunctionBegin;
  block = A;
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &ptr, &col, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Matrix type %s gives no row pointers", ((PetscObject)A)->type_name);
  PetscCall(MatSeqAIJGetArrayRead(A, &val));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HostAij::Lent::close()
{
  PetscBool done;

  PetscFunctionBegin;
  if (!block) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatSeqAIJRestoreArrayRead(block, &val));
  PetscCall(MatRestoreRowIJ(block, 0, PETSC_FALSE, PETSC_FALSE, &n, &ptr, &col, &done));
  block = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HostAij::open(Mat A)
{
  PetscBool       plain;
  Mat             Ad, Ao;
  const PetscInt *garray;
  PetscInt        m, n, M, N;
  PetscMPIInt     size;

  PetscFunctionBegin;
  PetscCall(close());
  PetscCall(MatGetAIJBlocks(A, &Ad, &Ao, &garray));
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)A), &size));
  if (size == 1) { /* a parallel type on one rank is its diagonal block, and the other levels will be sequential */
    A  = Ad;
    Ao = NULL;
  }
  PetscCall(PetscObjectTypeCompareAny((PetscObject)A, &plain, MATSEQAIJ, MATMPIAIJ, ""));
  if (plain) {
    PetscCall(PetscObjectReference((PetscObject)A));
    mat_ = A;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatGetLocalSize(A, &m, &n));
  PetscCall(MatGetSize(A, &M, &N));
  PetscCall(diag_.open(Ad));
  if (!Ao) PetscCall(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, m, n, (PetscInt *)diag_.ptr, (PetscInt *)diag_.col, (PetscScalar *)diag_.val, &mat_));
  else {
    PetscCall(offd_.open(Ao));
    PetscCallCXX(global_.assign(offd_.col, offd_.col + offd_.ptr[m]));
    for (PetscInt &c : global_) c = garray[c];
    PetscCall(MatCreateMPIAIJWithSplitArrays(PetscObjectComm((PetscObject)A), m, n, M, N, (PetscInt *)diag_.ptr, (PetscInt *)diag_.col, (PetscScalar *)diag_.val,
                                             (PetscInt *)offd_.ptr, global_.data(), (PetscScalar *)offd_.val, &mat_));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HostAij::close()
{
  PetscFunctionBegin;
  PetscCall(MatDestroy(&mat_));
  PetscCall(diag_.close());
  PetscCall(offd_.close());
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza
