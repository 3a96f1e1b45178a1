/* The value array of a SeqAIJ-based matrix, to be written whole, in the space where the values are computed. */
#pragma once
#include "format_mat.hpp"

namespace goza::mat {

class ValuesToWrite {
public:
  /* They are where PETSc has them, and nothing is copied. */
  static PetscErrorCode is_resident(Mat A, Space space, bool *resident)
  {
    ValuesToWrite values;

    PetscFunctionBegin;
    values.A_     = A;
    values.space_ = space;
    PetscCall(values.look_for_device());
    *resident = values.resident_;
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode open(Mat A, Space space, PetscInt nnz, bool zeroed)
  {
    PetscFunctionBegin;
    A_     = A;
    space_ = space;
    nnz_   = nnz;
    PetscCall(look_for_device());
    if (resident_) {
#if PetscDefined(HAVE_CUDA)
      const PetscInt *i, *j;
      PetscScalar    *a;
      PetscMemType    memtype;

      PetscCall(MatSeqAIJGetCSRAndMemType(A, &i, &j, &a, &memtype)); /* puts the pattern there */
      PetscCall(as_base([&] { return MatSeqAIJCUSPARSEGetArrayWrite(A, &data_); }));
#endif
    } else if (space == Space::Cuda) {
      PetscCall(Guarded([&] { stage_ = Array<PetscScalar>(space, nnz); }));
      data_ = stage_.data();
    } else {
      PetscCall(MatSeqAIJGetArrayWrite(A, &data_));
    }
    if (zeroed && nnz) {
      PetscCall(Guarded([&] {
        if (space == Space::Cuda) device::fill_zero(data_, nnz * sizeof(PetscScalar));
        else std::fill(data_, data_ + nnz, PetscScalar(0));
      }));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode close()
  {
    PetscFunctionBegin;
    if (resident_) {
#if PetscDefined(HAVE_CUDA)
      PetscCall(as_base([&] { return MatSeqAIJCUSPARSERestoreArrayWrite(A_, &data_); }));
#endif
    } else if (space_ == Space::Cuda) {
      PetscScalar *host;

      PetscCall(MatSeqAIJGetArrayWrite(A_, &host));
      PetscCall(Guarded([&] { device::copy(host, stage_.data(), stage_.bytes()); }));
      PetscCall(PetscLogGpuToCpu((PetscLogDouble)stage_.bytes()));
      PetscCall(MatSeqAIJRestoreArrayWrite(A_, &host));
    } else {
      PetscCall(MatSeqAIJRestoreArrayWrite(A_, &data_));
    }
    PetscCall(PetscObjectStateIncrease((PetscObject)A_));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscScalar *data() const { return data_; }

private:
  PetscErrorCode look_for_device()
  {
    PetscBool cusparse = PETSC_FALSE;

    PetscFunctionBegin;
    f_ = format_of(A_);
    if (f_) cusparse = (PetscBool)(f_->base_type == "seqaijcusparse");
    else PetscCall(PetscObjectTypeCompare((PetscObject)A_, "seqaijcusparse", &cusparse));
    resident_ = space_ == Space::Cuda && cusparse && !is_bound(A_);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  template <class Call> PetscErrorCode as_base(const Call &call) /* PETSc's functions insist on their exact type name */
  {
    PetscFunctionBegin;
    if (f_) PetscCall(MatFormatAsBase(A_, f_, call));
    else PetscCall(call());
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  Mat                A_        = NULL;
  FormatMat         *f_        = nullptr;
  Space              space_    = Space::Host;
  bool               resident_ = false;
  PetscInt           nnz_      = 0;
  PetscScalar       *data_     = NULL;
  Array<PetscScalar> stage_;
};

} // namespace goza::mat
