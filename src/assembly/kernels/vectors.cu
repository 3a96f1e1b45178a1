#include "vectors.hpp"
#include "element_bodies.hpp"
#include "with_kinds.hpp"

namespace goza::assembly {

/* On the host an element's share goes straight into the rows: the same sums in the same order. */
template <class Element, class Equation> static void sum_on_host(const Mesh &mesh, const VectorTerms &terms, PetscScalar *y)
{
  constexpr int                          n = Element::nodes, bs = Equation::bs;
  const ElementForces<Element, Equation> forces{mesh.view(), terms.force, terms.u};
  const std::int64_t                     rows = static_cast<std::int64_t>(mesh.owned) * bs;

  std::fill(y, y + rows, PetscScalar(0));
  for (PetscInt e = 0; e < mesh.nelem; e++) {
    const PetscInt *c = forces.mesh.conn + static_cast<std::int64_t>(e) * n;
    PetscScalar     f[n][bs];

    forces.of(e, f);
    for (int a = 0; a < n; a++)
      for (int r = 0; c[a] < mesh.owned && r < bs; r++) y[static_cast<std::int64_t>(c[a]) * bs + r] += f[a][r];
  }
  for (std::int64_t k = 0; k < rows; k++) y[k] = terms.scale * (terms.load ? y[k] + terms.load[k] : y[k]);
}

void assemble_vector(const Problem &problem, const Mesh &mesh, const AssemblyMap &map, const VectorTerms &terms, PetscScalar *y)
{
  with_kinds(problem, mesh.kind, [&](auto element, auto equation) {
    using Element  = decltype(element);
    using Equation = decltype(equation);

    if (mesh.space() == Space::Host) {
      sum_on_host<Element, Equation>(mesh, terms, y);
      return;
    }
    Array<PetscScalar> parts(mesh.space(), terms.force || terms.u ? static_cast<std::size_t>(mesh.nelem) * Element::nodes * Equation::bs : 0);

    if (parts.size()) for_each_row(mesh.space(), mesh.nelem, StoreForces<Element, Equation>{{mesh.view(), terms.force, terms.u}, parts.data()});
    for_each_row(mesh.space(), mesh.owned,
                 bound<sum_forces<Element::nodes, Equation::bs>>(mesh.nelem, map.owner_ptr.data(), map.owner.data(), parts.data(), terms.load, terms.scale, y));
  });
}

void assemble_given_rows(const Problem &problem, const Mesh &mesh, const AssemblyMap &map, const GivenRows &rows, PetscScalar *y)
{
  with_kinds(problem, mesh.kind, [&](auto element, auto equation) {
    for_each_row(mesh.space(), rows.n, SetGivenRows<decltype(element), decltype(equation)>{mesh.view(), map.owner_ptr.data(), map.owner.data(), rows, y});
  });
}

void fill_local(const Mesh &mesh, int bs, const PetscScalar *own, const PetscScalar *ghost, const PetscScalar *value, PetscScalar *local)
{
  for_each_row(mesh.space(), mesh.nodes, bound<fill_local_at>(mesh.view().fixed, mesh.owned, bs, own, ghost, value, local));
}

void scatter_values(Space space, PetscInt n, const PetscInt *index, const PetscScalar *from, PetscScalar *to)
{
  for_each_row(space, n, bound<scatter>(index, from, to));
}

void element_stress(const Mesh &mesh, const PetscScalar *u, PetscScalar *stress, PetscReal *volume)
{
  if (mesh.kind == ElementKind::Hex8) for_each_row(mesh.space(), mesh.nelem, ElementStress<Hex8>{mesh.view(), u, stress, volume});
  else for_each_row(mesh.space(), mesh.nelem, ElementStress<Tet4>{mesh.view(), u, stress, volume});
}

void von_mises(const Mesh &mesh, const AssemblyMap &map, const PetscScalar *u, PetscScalar *stress)
{
  Array<PetscScalar> of_element(mesh.space(), mesh.nelem);
  Array<PetscReal>   volume(mesh.space(), mesh.nelem);

  element_stress(mesh, u, of_element.data(), volume.data());
  for_each_row(mesh.space(), mesh.owned, bound<node_mean>(mesh.corners(), map.owner_ptr.data(), map.owner.data(), of_element.data(), volume.data(), stress));
}

} // namespace goza::assembly
