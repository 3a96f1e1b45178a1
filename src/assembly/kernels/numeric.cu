#include "numeric.hpp"
#include "core/launch/for_each_row.hpp"
#include "grid_numeric.hpp"
#include "host_matrix.hpp"
#include "node_bodies.hpp"
#include "tile_kernel.hpp"

namespace goza::assembly
{

namespace
{

/* call(Element(), Equation()) */
template <class Call> void with_kinds(const Problem &problem, ElementKind element, const Call &call)
{
  const auto with = [&](auto equation) {
    if (element == ElementKind::Hex8) call(Hex8(), equation);
    else call(Tet4(), equation);
  };

  if (problem.equation == EquationKind::Diffusion) with(Diffusion());
  else if (problem.equation == EquationKind::Elasticity) with(Elasticity());
  else if (problem.bs == 3) with(Mass<3>());
  else with(Mass<1>());
}

} // namespace

AssemblyMap make_assembly_map(const Problem &problem, const Mesh &mesh, Layout layout)
{
  AssemblyMap m;

  if (mesh.space() == Space::Host) return make_assembly_map(mesh);
  if (is_for_grids(problem.equation, layout)) {
    if (const NodeGrid grid = find_grid(mesh); grid.is()) return make_assembly_map(mesh, grid);
  }
  with_kinds(problem, mesh.kind, [&](auto element, auto equation) {
    using Element  = decltype(element);
    using Equation = decltype(equation);

    if (layout == Layout::Csr) m = make_assembly_map(mesh, TilePairs::Rows, tile::limits<Element, Equation, TilePairs::Rows>());
    else m = make_assembly_map(mesh, TilePairs::Upper, tile::limits<Element, Equation, TilePairs::Upper>());
  });
  return m;
}

void assemble_matrix(const Problem &problem, const Mesh &mesh, const AssemblyMap &map, const Target &target)
{
  if (!mesh.owned) return;
  with_kinds(problem, mesh.kind, [&](auto element, auto equation) {
    using Element  = decltype(element);
    using Equation = decltype(equation);

    if (mesh.space() == Space::Host) {
      const HostAssembly<Element, Equation> body{mesh.view(), map.ptr.data(), map.col.data(), map.slot.data(), target};

      for (PetscInt i = 0; i < mesh.owned; i++) body.zero(i);
      for (PetscInt e = 0; e < mesh.nelem; e++) body(e);
      return;
    }
#if defined(__CUDACC__)
    const bool csr = target.layout == Layout::Csr;

    if (map.grid.is() ? !is_for_grids(problem.equation, target.layout) : (map.tiles.what == TilePairs::Rows) != csr)
      throw std::logic_error("the map was made for another layout");
    if (map.grid.is()) {
      assemble_on_grid(problem, mesh, map, target);
      return;
    }
    if (map.tiles.what == TilePairs::Rows) tile::launch<Element, Equation, TilePairs::Rows>(mesh, map, target);
    else tile::launch<Element, Equation, TilePairs::Upper>(mesh, map, target);
#else
    throw DeviceError("this libgoza was built without CUDA");
#endif
  });
}

void assemble_vector(const Problem &problem, const Mesh &mesh, const AssemblyMap &map, const PetscReal *force, const PetscScalar *u, bool only_diagonal, PetscScalar *y)
{
  with_kinds(problem, mesh.kind, [&](auto element, auto equation) {
    for_each_row(mesh.space(), mesh.owned, NodeVector<decltype(element), decltype(equation)>{mesh.view(), map.owner_ptr.data(), map.owner.data(), force, u, only_diagonal, y});
  });
}

void von_mises(const Mesh &mesh, const AssemblyMap &map, const PetscScalar *u, PetscScalar *stress)
{
  if (mesh.kind == ElementKind::Hex8) for_each_row(mesh.space(), mesh.owned, NodeStress<Hex8>{mesh.view(), map.owner_ptr.data(), map.owner.data(), u, stress});
  else for_each_row(mesh.space(), mesh.owned, NodeStress<Tet4>{mesh.view(), map.owner_ptr.data(), map.owner.data(), u, stress});
}

} // namespace goza::assembly
