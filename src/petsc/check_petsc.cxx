#include "check_petsc.hpp"
#include "compat.hpp"

namespace goza {

/* The sentence is printed, and no PetscError() raised here, nor PetscCall() used on the way out: another PETSc may have another MPI, whose communicators are of
   another kind than ours. */
template <class... Args> static PetscErrorCode Refuse(const char *sentence, Args... args)
{
  (void)(*PetscErrorPrintf)(sentence, args...);
  return PETSC_ERR_LIB;
}

PetscErrorCode GozaCheckRelease(int major, int minor)
{
  if (major == PETSC_VERSION_MAJOR && minor == PETSC_VERSION_MINOR) return PETSC_SUCCESS;
  return Refuse("libgoza was built for PETSc %d.%d and cannot be loaded into PETSc %d.%d; rebuild it with this PETSc\n", PETSC_VERSION_MAJOR,
                PETSC_VERSION_MINOR, major, minor);
}

PetscErrorCode GozaCheckTypes(PetscDataType scalar, size_t scalar_size, size_t index_size)
{
  if (scalar != PETSC_SCALAR)
    return Refuse("libgoza was built for a PetscScalar that is %s, but this PETSc's is %s; rebuild it with this PETSc\n", PetscDataTypes[PETSC_SCALAR],
                  PetscDataTypes[scalar]);
  if (scalar_size != sizeof(PetscScalar))
    return Refuse("libgoza was built for a PetscScalar of %d bytes and cannot be loaded into a PETSc whose has %d; rebuild it with this PETSc\n",
                  (int)sizeof(PetscScalar), (int)scalar_size);
  if (index_size != sizeof(PetscInt))
    return Refuse("libgoza was built for a PetscInt of %d bytes and cannot be loaded into a PETSc whose has %d; rebuild it with this PETSc\n",
                  (int)sizeof(PetscInt), (int)index_size);
  return PETSC_SUCCESS;
}

PetscErrorCode CheckPETSc()
{
  PetscInt64     major = 0, minor = 0; // with room for the PetscInt of any PETSc
  PetscDataType  type;
  PetscBool      known;
  size_t         scalar, index;
  PetscErrorCode ierr;

  ierr = PetscGetVersionNumber(reinterpret_cast<PetscInt *>(&major), reinterpret_cast<PetscInt *>(&minor), NULL, NULL);
  if (!ierr) ierr = GozaCheckRelease((int)major, (int)minor);
  if (ierr) return ierr; // a PetscBool of another release is of another size: nothing more is asked
  /* by name: the macro PETSC_SCALAR is what we were compiled with, not what this PETSc has */
  ierr = PetscDataTypeFromString("scalar", &type, &known);
  if (!ierr) ierr = PetscDataTypeGetSize(type, &scalar);
  if (!ierr) ierr = PetscDataTypeGetSize(PETSC_INT, &index);
  if (!ierr) ierr = GozaCheckTypes(type, scalar, index);
  return ierr;
}

} // namespace goza
