/* A program of a user who links Goza: it must compile with what goza.pc and GozaConfig.cmake say, and find the types. */
#include <petscgoza.h>
#include <petscksp.h>

int main(int argc, char **argv)
{
  PetscInt major, minor, subminor;
  PC       pc;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(GozaInitializePackage());
  PetscCall(GozaGetVersionNumber(&major, &minor, &subminor));
  PetscCall(PCCreate(PETSC_COMM_WORLD, &pc));
  PetscCall(PCSetType(pc, PCSAAMG));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "linked with Goza %d.%d.%d\n", (int)major, (int)minor, (int)subminor));
  PetscCall(PCDestroy(&pc));
  PetscCall(PetscFinalize());
  return 0;
}
