/* Matrices that laws hold for. Each is defined by global row, so it is the same on any number of ranks; only its distribution differs. */
#pragma once

#include "check.hpp"
#include "entry.hpp"

#include <vector>

namespace goza_test {

/* A number in [-1, 1) that depends on nothing but its arguments. */
PetscReal uniform(PetscInt i, PetscInt j, PetscInt seed = 0);

/* With an imaginary part where PetscScalar has one. */
inline PetscScalar scalar(PetscReal re, [[maybe_unused]] PetscReal im)
{
#if PetscDefined(USE_COMPLEX)
  return PetscCMPLX(re, im);
#else
  return re;
#endif
}

const std::vector<Entry> &gallery();
const Entry              &gallery_entry(const std::string &name);

/* Families, for sizes of one's own */
Entry stencil5(PetscInt nx, PetscInt ny, PetscReal anisotropy = 1);
Entry upwind5(PetscInt n); /* n x n points, nonsymmetric in its values alone */
Entry stencil7(PetscInt nx, PetscInt ny, PetscInt nz);
Entry stencil27(PetscInt nx, PetscInt ny, PetscInt nz);
Entry neumann5(PetscInt nx, PetscInt ny);                              /* singular: constants are the null space */
Entry elasticity(PetscInt nx, PetscInt ny, PetscInt nz);               /* Q1 elements, the plane x=0 clamped and left out */
void  elasticity_node(const Entry &, PetscInt node, PetscReal xyz[3]); /* coordinates, for rigid-body modes */

#if PetscDefined(USE_COMPLEX)
PetscScalar phase(PetscInt i);                                                            // of size 1
Entry       turned(const Entry &, std::function<PetscScalar(PetscInt, PetscInt)> factor); // each entry times factor(i, j)
Entry       hermitian(const Entry &);                                                     // D A D^H with d_i = phase(i)
#endif

/* Local sizes of an entry on comm. */
void local_sizes(const Entry &, MPI_Comm, PetscInt *m, PetscInt *n);

enum class Prealloc { exact, none };
MatHandle assemble(const Entry &, MatType, Prealloc = Prealloc::exact, MPI_Comm = PETSC_COMM_WORLD);

/* Inserts all rows this rank owns, and assembles. */
void fill(const Entry &, Mat, PetscReal factor = 1);

} // namespace goza_test
