/* Meshes for the tests of assembly: boxes of hexahedra or tetrahedra from a DMDA or a DMPLEX, with inner nodes moved, on any number of ranks. */
#pragma once

#include "grid_case.hpp"
#include "reference.hpp"

#include <petscdm.h>
#include <petscgoza.h>

#include <array>
#include <memory>
#include <vector>

namespace goza_test {

using AssemblyHandle = Handle<GozaAssembly, GozaAssemblyDestroy>;

struct MeshName {
  std::string name;
  bool        plex, tets;
};
std::vector<MeshName> mesh_names(); /* da_hex, da_tet, plex_hex, plex_tet */

/* The unit cube in n[0] x n[1] x n[2] cubes; wobble: inner nodes are moved by up to so much of a cube's edge. bs unknowns a vertex. */
DMHandle make_dm(const MeshName &mesh, const std::array<PetscInt, 3> &n, PetscInt bs, PetscReal wobble);

/* Flags for PETSc: std::vector<PetscBool> is one of bits where PetscBool is bool. */
class Flags {
public:
  explicit Flags(std::size_t size) : n(size), flag(new PetscBool[size]()) { }

  PetscBool       *data() { return flag.get(); }
  const PetscBool *data() const { return flag.get(); }
  PetscBool       &operator[](std::size_t k) { return flag[k]; }
  const PetscBool &operator[](std::size_t k) const { return flag[k]; }
  std::size_t      size() const { return n; }

private:
  std::size_t                  n;
  std::unique_ptr<PetscBool[]> flag;
};

/* The elements of an assembly, in vectors of their own. */
struct Elements {
  GozaElementType        type;
  PetscInt               nelem = 0, nnodes = 0;
  int                    corners = 0;
  std::vector<PetscInt>  conn;
  std::vector<PetscReal> x;

  explicit Elements(GozaAssembly a);
  std::array<PetscReal, 3> center(PetscInt e) const;
};

struct EquationName {
  std::string  name;
  GozaEquation equation;
  PetscInt     bs;
};
std::vector<EquationName> equation_names(); /* diffusion, elasticity, mass, mass3 */

/* With complex scalars a number that is not real, by so much of itself. */
PetscScalar lossy(PetscReal value, PetscReal loss);

/* An assembly of a mesh with two materials, one of them a hundred times as stiff, that vary with the place; with complex scalars they have losses. */
struct MeshCase {
  DMHandle                 dm;
  AssemblyHandle           assembly;
  std::vector<PetscScalar> first, second;

  MeshCase(const MeshName &mesh, const EquationName &eq, const std::array<PetscInt, 3> &n, PetscReal wobble);
};

/* A in PETSc's AIJ, element by element with MatSetValues(), each rank its own rows: the textbook's element matrices, which share nothing with the library. */
MatHandle textbook_assembly(DM dm, const Elements &m, GozaEquation equation, PetscInt bs, const std::vector<PetscScalar> &first,
                            const std::vector<PetscScalar> &second);

PetscReal largest_gap(Vec v, Vec w); /* ||v - w||, infinity */

/* ||A - B|| / ||B||, Frobenius; B is changed. */
PetscReal relative_difference(Mat A, Mat B);
PetscReal products_differ(Mat A, Mat B, PetscScalar factor = 1); /* A x and factor B x, of a random x: the same, of the product and not of the entries */

} // namespace goza_test
