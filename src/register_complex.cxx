/* The types of solvers are written for real numbers. A library for a complex PETSc is built without them (makefile), and who asks for one gets an error that says so. */
#include "petsc/errors.hpp"
#include "pc/saamg/api/pcsaamg.hpp"
#include "pc/saamg/cycle/cycle_log.hpp"
#include "ksp/fused.hpp"
#include "petscgoza.h"

#if PetscDefined(USE_COMPLEX)

namespace goza
{

template <class Object> static PetscErrorCode RefuseComplex(Object object, const char *type)
{
  SETERRQ(PetscObjectComm(reinterpret_cast<PetscObject>(object)), PETSC_ERR_SUP, "Goza's %s is for real scalars, and those of this PETSc are complex", type);
}

PetscErrorCode saamg::PCCreate_SAAMG(PC pc)
{
  return RefuseComplex(pc, PCSAAMG);
}

PetscErrorCode ksp::KSPCreate_FusedCG(KSP ksp)
{
  return RefuseComplex(ksp, KSPFUSEDCG);
}

PetscErrorCode ksp::KSPCreate_FusedBCGS(KSP ksp)
{
  return RefuseComplex(ksp, KSPFUSEDBCGS);
}

PetscErrorCode ksp::KSPCreate_FusedGMRES(KSP ksp)
{
  return RefuseComplex(ksp, KSPFUSEDGMRES);
}

void saamg::forget_cycle_events() { }

} // namespace goza

#endif
