/* PETSc's own star forest. With a CUDA PETSc it takes device arrays, and gives them to the MPI as they are where -use_gpu_aware_mpi says that it may. */
#pragma once
#include "exchange.hpp"
#include "petsc/errors.hpp"
#include <petscsf.h>

namespace goza::parallel
{

template <class V> class SfExchange final : public Exchange<V> {
public:
  explicit SfExchange(const HaloPlan &plan) : memory_(plan.space == Space::Cuda ? PETSC_MEMTYPE_CUDA : PETSC_MEMTYPE_HOST), ghost_(plan.space, plan.nghost) { }
  ~SfExchange() override { (void)PetscSFDestroy(&sf_); }

  PetscErrorCode setup(const HaloPlan &plan)
  {
    PetscFunctionBegin;
    PetscCall(PetscSFCreate(plan.comm, &sf_));
    PetscCall(PetscSFSetGraphLayout(sf_, plan.columns, plan.nghost, NULL, PETSC_COPY_VALUES, plan.ghosts));
    PetscCall(PetscSFSetUp(sf_));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode begin(const V *x) override
  {
    PetscFunctionBegin;
    x_ = x;
    PetscCall(PetscSFBcastWithMemTypeBegin(sf_, MpiType<V>(), memory_, x, memory_, ghost_.data(), MPI_REPLACE));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode end() override
  {
    PetscFunctionBegin;
    PetscCall(PetscSFBcastEnd(sf_, MpiType<V>(), x_, ghost_.data(), MPI_REPLACE));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  const V    *ghost() const override { return ghost_.data(); }
  std::size_t bytes() const override { return ghost_.bytes(); }

private:
  PetscSF      sf_ = NULL;
  PetscMemType memory_;
  Array<V>     ghost_;
  const V     *x_ = nullptr;
};

} // namespace goza::parallel
