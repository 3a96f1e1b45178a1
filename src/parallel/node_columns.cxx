#include "node_columns.hpp"

namespace goza::parallel {

MapPtr nodes_of_columns(const MapPtr &columns, PetscInt bs)
{
  std::vector<PetscInt> ghosts;

  if (bs == 1) return columns;
  for (PetscInt g : columns->ghosts())
    if (ghosts.empty() || ghosts.back() != g / bs) ghosts.push_back(g / bs);
  return std::make_shared<ColumnMap>(LocalColumns(columns->comm(), columns->n() / bs, columns->space()), std::move(ghosts));
}

Array<PetscInt> nodes_of_ghost_columns(const LocalColumns &columns, const LocalColumns &nodes, PetscInt bs)
{
  std::vector<PetscInt> node;
  PetscInt              at = 0;

  for (PetscInt g : columns.ghosts()) { // both ascend
    while (at < nodes.nghost() && nodes.ghosts()[at] < g / bs) at++;
    node.push_back(at < nodes.nghost() && nodes.ghosts()[at] == g / bs ? at : nodes.nghost());
  }
  return Array<PetscInt>(columns.space(), node.data(), node.size());
}

} // namespace goza::parallel
