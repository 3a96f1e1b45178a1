#include "grid.hpp"
#include "core/algorithm.hpp"
#include "core/for_each_row.hpp"

namespace goza
{

namespace
{

struct IsElsewhere {
  NodeGrid        grid;
  const PetscInt *conn;
  PetscReal      *elsewhere;

  HD void operator()(PetscInt e) const
  {
    const PetscInt lines = e / (grid.n[0] - 1), x = e % (grid.n[0] - 1), y = lines % (grid.n[1] - 1), z = lines / (grid.n[1] - 1);
    bool           here = true;

    for (int b = 0; b < 8; b++) here = here && conn[static_cast<std::int64_t>(e) * 8 + b] == grid.node(x + (b & 1), y + (b >> 1 & 1), z + (b >> 2));
    elsewhere[e] = here ? 0 : 1;
  }
};

} // namespace

NodeGrid find_grid(const Mesh &mesh)
{
  NodeGrid grid;
  PetscInt first[8];

  if (mesh.kind != ElementKind::Hex8 || mesh.nelem < 1 || mesh.owned != mesh.nodes) return {};
  for (int b = 0; b < 8; b++) first[b] = read_value(mesh.space(), mesh.conn.data() + b);
  const PetscInt line = first[2] - first[0], plane = first[4] - first[0];

  if (line < 2 || plane < 2 * line || plane % line || mesh.nodes % plane || mesh.nodes / plane < 2) return {};
  grid = {{line, plane / line, mesh.nodes / plane}};
  if (static_cast<std::int64_t>(grid.n[0] - 1) * (grid.n[1] - 1) * (grid.n[2] - 1) != mesh.nelem) return {};
  Array<PetscReal> elsewhere(mesh.space(), mesh.nelem);
  for_each_row(mesh.space(), mesh.nelem, IsElsewhere{grid, mesh.conn.data(), elsewhere.data()});
  return largest(mesh.space(), elsewhere.data(), mesh.nelem) > 0 ? NodeGrid() : grid;
}

} // namespace goza
