/* Elements that are none. */
#include "core/launch/for_each_row.hpp"
#include "assembly/kernels/element.hpp"
#include "mesh.hpp"

namespace goza::assembly {

template <class Element> static HD void is_bad(PetscInt e, const MeshView &mesh, char *bad)
{
  PetscReal X[Element::nodes][3], g[Element::nodes][3];
  PetscReal size = 0; // below rounding of this to the third power an element is flat
  bool      good = true;

  for (int b = 0; b < Element::nodes; b++) {
    for (int c = 0; c < 3; c++) X[b][c] = mesh.x[mesh.conn[static_cast<std::int64_t>(e) * Element::nodes + b]][c];
    for (int c = 0; c < 3; c++) size = PetscAbsReal(X[b][c] - X[0][c]) > size ? PetscAbsReal(X[b][c] - X[0][c]) : size;
  }
  for (int q = 0; q < Element::points; q++) good = good && Element::gradients(X, q, g) > 10 * PETSC_MACHINE_EPSILON * size * size * size; // a NaN is not
  bad[e] = !good;
}

static HD void is_outside(PetscInt e, int corners, PetscInt nodes, const PetscInt *conn, char *bad)
{
  bad[e] = 0;
  for (int b = 0; b < corners; b++) {
    const PetscInt node = conn[static_cast<std::int64_t>(e) * corners + b];

    if (node < 0 || node >= nodes) bad[e] = 1;
  }
}

Array<PetscInt> elements_outside(const Mesh &mesh)
{
  Array<char> bad(mesh.space(), mesh.nelem);

  for_each_row(mesh.space(), mesh.nelem, bound<is_outside>(mesh.corners(), mesh.nodes, mesh.conn.data(), bad.data()));
  return flagged(mesh.space(), bad.data(), mesh.nelem);
}

Array<PetscInt> bad_elements(const Mesh &mesh)
{
  Array<char> bad(mesh.space(), mesh.nelem);

  if (mesh.kind == ElementKind::Hex8) for_each_row(mesh.space(), mesh.nelem, bound<is_bad<Hex8>>(mesh.view(), bad.data()));
  else for_each_row(mesh.space(), mesh.nelem, bound<is_bad<Tet4>>(mesh.view(), bad.data()));
  return flagged(mesh.space(), bad.data(), mesh.nelem);
}

} // namespace goza::assembly
