#include "grid_case.hpp"

namespace goza_test {

GridMatrix grid_matrix(MPI_Comm comm, PetscInt dof)
{
  GridMatrix     grid;
  PetscInt       begin[3], width[3];
  const PetscInt n[3] = {13, 12, 14};

  PETSC_OK(DMDACreate3d(comm, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, n[0], n[1], n[2], PETSC_DECIDE, PETSC_DECIDE,
                        PETSC_DECIDE, dof, 1, NULL, NULL, NULL, grid.da.put()));
  PETSC_OK(DMSetUp(grid.da));
  PETSC_OK(DMCreateMatrix(grid.da, grid.A.put()));
  PETSC_OK(DMDAGetCorners(grid.da, begin, begin + 1, begin + 2, width, width + 1, width + 2));
  for (PetscInt z = begin[2]; z < begin[2] + width[2]; z++) {
    for (PetscInt y = begin[1]; y < begin[1] + width[1]; y++) {
      for (PetscInt x = begin[0]; x < begin[0] + width[0]; x++) {
        for (PetscInt c = 0; c < dof; c++) {
          const PetscInt   here[3]  = {x, y, z};
          const MatStencil row      = {z, y, x, c};
          PetscScalar      diagonal = 1e-3;

          for (int axis = 0; axis < 3; axis++) {
            for (PetscInt side : {-1, 1}) {
              PetscInt there[3] = {x, y, z};

              there[axis] += side;
              if (there[axis] < 0 || there[axis] >= n[axis]) continue;
              const PetscInt    low   = PetscMin(here[axis], there[axis]);
              const PetscScalar a     = PetscExpReal(PetscSinReal(3 * x + 5 * y + 7 * z + (low - here[axis]) * (3 + 2 * axis)));
              const PetscScalar minus = -a;
              const MatStencil  col   = {there[2], there[1], there[0], c};

              diagonal += a;
              PETSC_OK(MatSetValuesStencil(grid.A, 1, &row, 1, &col, &minus, INSERT_VALUES));
            }
          }
          PETSC_OK(MatSetValuesStencil(grid.A, 1, &row, 1, &row, &diagonal, INSERT_VALUES));
        }
      }
    }
  }
  PETSC_OK(MatAssemblyBegin(grid.A, MAT_FINAL_ASSEMBLY));
  PETSC_OK(MatAssemblyEnd(grid.A, MAT_FINAL_ASSEMBLY));
  return grid;
}

GridMatrix on_grid(const Entry &entry, const PetscInt points[3], DMDAStencilType stencil, PetscInt width)
{
  GridMatrix made;
  AO         natural;
  PetscInt   start, end;

  PETSC_OK(DMDACreate3d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, stencil, points[0], points[1], points[2], PETSC_DECIDE,
                        PETSC_DECIDE, PETSC_DECIDE, entry.bs, width, nullptr, nullptr, nullptr, made.da.put()));
  PETSC_OK(DMSetUp(made.da));
  PETSC_OK(DMSetMatrixPreallocateSkip(made.da, PETSC_TRUE));
  PETSC_OK(DMCreateMatrix(made.da, made.A.put()));
  PETSC_OK(MatSetOption(made.A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PETSC_OK(DMDAGetAO(made.da, &natural));
  PETSC_OK(MatGetOwnershipRange(made.A, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    PetscInt from = i;
    Row      row;

    PETSC_OK(AOPetscToApplication(natural, 1, &from));
    entry.row(from, row);
    PETSC_OK(AOApplicationToPetsc(natural, static_cast<PetscInt>(row.col.size()), row.col.data()));
    PETSC_OK(MatSetValues(made.A, 1, &i, static_cast<PetscInt>(row.col.size()), row.col.data(), row.val.data(), INSERT_VALUES));
  }
  PETSC_OK(MatAssemblyBegin(made.A, MAT_FINAL_ASSEMBLY));
  PETSC_OK(MatAssemblyEnd(made.A, MAT_FINAL_ASSEMBLY));
  return made;
}

} // namespace goza_test
