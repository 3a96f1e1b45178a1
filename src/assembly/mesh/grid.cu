#include "grid.hpp"
#include "core/launch/joined_rows.hpp"

namespace goza::assembly {
namespace {

HD void is_elsewhere(PetscInt e, PetscInt *elsewhere, const NodeGrid &grid, const PetscInt *conn)
{
  const PetscInt lines = e / (grid.n[0] - 1), x = e % (grid.n[0] - 1), y = lines % (grid.n[1] - 1), z = lines / (grid.n[1] - 1);
  bool           here = true;

  for (int b = 0; b < 8; b++) here = here && conn[static_cast<std::int64_t>(e) * 8 + b] == grid.node(x + (b & 1), y + (b >> 1 & 1), z + (b >> 2));
  *elsewhere += !here;
}

struct FillPattern {
  NodeGrid  grid;
  PetscInt *owner_ptr, *owner, *ptr, *col;

  HD void at(PetscInt i, PetscInt x[3]) const
  {
    x[0] = i % grid.n[0];
    x[1] = i / grid.n[0] % grid.n[1];
    x[2] = i / grid.n[0] / grid.n[1];
  }
  HD PetscInt first(const PetscInt x[3], PetscInt most) const
  {
    const GridCount c[3] = {{grid.n[0], most}, {grid.n[1], most}, {grid.n[2], most}};

    return c[0].all() * (c[1].all() * c[2].before(x[2]) + c[2].of(x[2]) * c[1].before(x[1])) + c[2].of(x[2]) * c[1].of(x[1]) * c[0].before(x[0]);
  }
  HD void operator()(PetscInt i) const
  {
    PetscInt x[3];

    at(i, x);
    PetscInt to = owner_ptr[i] = first(x, 2), k = ptr[i] = first(x, 3);

    for (int b = 7; b >= 0; b--) { // elements ascend where the node's corner descends
      const PetscInt e[3] = {x[0] - (b & 1), x[1] - (b >> 1 & 1), x[2] - (b >> 2)};

      if (e[0] >= 0 && e[0] + 1 < grid.n[0] && e[1] >= 0 && e[1] + 1 < grid.n[1] && e[2] >= 0 && e[2] + 1 < grid.n[2])
        owner[to++] = grid.element(e[0], e[1], e[2]) * 8 + b;
    }
    for (int s = 0; s < 27; s++) {
      const PetscInt j[3] = {x[0] + s % 3 - 1, x[1] + s / 3 % 3 - 1, x[2] + s / 9 - 1};

      if (j[0] >= 0 && j[0] < grid.n[0] && j[1] >= 0 && j[1] < grid.n[1] && j[2] >= 0 && j[2] < grid.n[2]) col[k++] = grid.node(j[0], j[1], j[2]);
    }
    if (i + 1 == grid.n[0] * grid.n[1] * grid.n[2]) {
      owner_ptr[i + 1] = to;
      ptr[i + 1]       = k;
    }
  }
};

} // namespace

GridPattern grid_pattern(Space space, const NodeGrid &grid)
{
  const PetscInt nodes  = grid.n[0] * grid.n[1] * grid.n[2];
  std::int64_t   owners = 1, pairs = 1;
  GridPattern    p;

  for (PetscInt n : grid.n) {
    owners *= GridCount{n, 2}.all();
    pairs *= GridCount{n, 3}.all();
  }
  if (pairs > PETSC_MAX_INT)
    throw std::length_error("the pattern's " + std::to_string(pairs) + " pairs of nodes are more than this PETSc's integers can count");
  p.owner_ptr = Array<PetscInt>(space, static_cast<std::size_t>(nodes) + 1);
  p.ptr       = Array<PetscInt>(space, static_cast<std::size_t>(nodes) + 1);
  p.owner     = Array<PetscInt>(space, static_cast<std::size_t>(owners));
  p.col       = Array<PetscInt>(space, static_cast<std::size_t>(pairs));
  for_each_row(space, nodes, FillPattern{grid, p.owner_ptr.data(), p.owner.data(), p.ptr.data(), p.col.data()});
  return p;
}

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
  return joined_rows<Plus, 1, PetscInt>(mesh.space(), mesh.nelem, bound<is_elsewhere>(grid, mesh.conn.data()))[0] ? NodeGrid() : grid;
}

} // namespace goza::assembly
