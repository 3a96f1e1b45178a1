#include "core/sparse/csr_pattern.hpp"
#include "core/sparse/row_length.hpp"
#include "tile_steps.hpp"

namespace goza::assembly {
namespace {

struct TileElements {
  int             corners;
  PetscInt        tile_nodes, owned;
  const PetscInt *node, *owner_ptr, *owner;

  HD PetscInt bound(PetscInt t) const
  {
    PetscInt n = 0;

    for (PetscInt k = t * tile_nodes; k < (t + 1) * tile_nodes && k < owned; k++) n += owner_ptr[node[k] + 1] - owner_ptr[node[k]];
    return n;
  }
  template <class F> HD void visit(PetscInt t, int lane, int lanes, F f) const
  {
    for (PetscInt k = t * tile_nodes + lane; k < (t + 1) * tile_nodes && k < owned; k += lanes)
      for (PetscInt o = owner_ptr[node[k]]; o < owner_ptr[node[k] + 1]; o++) f(owner[o] / corners);
  }
};

struct CountPairs { // of a tile
  PairPattern     pattern;
  PetscInt        tile_nodes, owned;
  const PetscInt *node;
  PetscInt       *pairs;

  HD void operator()(PetscInt t) const
  {
    PetscInt n = 0;

    for (PetscInt k = t * tile_nodes; k < (t + 1) * tile_nodes && k < owned; k++) n += pattern.slots(node[k]) - pattern.first_slot(node[k]);
    pairs[t] = n;
  }
};

/* Tiles of so many nodes: their pairs are counted, and their elements found, ascending; false: something is beyond its limit. */
bool lay_out(const Mesh &mesh, const PairPattern &pattern, const TileLimits &limits, Tiles &tiles)
{
  const Space    space = mesh.space();
  const PetscInt owned = mesh.owned;

  tiles.count    = (owned + tiles.nodes - 1) / tiles.nodes;
  tiles.pair_ptr = Array<PetscInt>(space, tiles.count + 1);
  for_each_row(space, tiles.count, CountPairs{pattern, tiles.nodes, owned, tiles.node.data(), tiles.pair_ptr.data()});
  lengths_to_pointer(space, tiles.pair_ptr);
  tiles.most_pairs = most_entries(space, tiles.count, tiles.pair_ptr.data());
  if (tiles.most_pairs > limits.pairs) return false;
  find_pattern(space, tiles.count, mesh.nelem, TileElements{mesh.corners(), tiles.nodes, owned, tiles.node.data(), pattern.owner_ptr, pattern.owner}, false,
               tiles.element_ptr, tiles.element);
  tiles.most_elements = most_entries(space, tiles.count, tiles.element_ptr.data());
  return tiles.most_elements <= limits.elements;
}

} // namespace

Tiles make_tiles(const Mesh &mesh, const AssemblyMap &m, TilePairs what, const TileLimits &limits)
{
  const PairPattern pattern{what, mesh.corners(), m.owner_ptr.data(), m.owner.data(), m.ptr.data(), m.col.data(), m.slot.data()};
  Tiles             tiles;

  tiles.what = what;
  if (!mesh.owned) return tiles;
  const Cells cells = find_cells(mesh);

  tiles.node = along_curve(mesh, cells);
  for (tiles.nodes = limits.nodes; !lay_out(mesh, pattern, limits, tiles); tiles.nodes = (tiles.nodes + 1) / 2)
    if (tiles.nodes == 1) throw std::length_error("a node of the mesh has more neighbours or elements than the device's on-chip memory can hold");
  const Array<PetscInt>      position = order_pairs(mesh, pattern, m.longest, tiles);
  const Array<std::uint16_t> number   = number_elements(mesh, cells, m, tiles);

  fill_lists(pattern, position, number, tiles);
  find_corners(mesh, tiles);
  return tiles;
}

AssemblyMap make_assembly_map(const Mesh &mesh, TilePairs what, const TileLimits &limits)
{
  AssemblyMap m = make_assembly_map(mesh);

  m.tiles = make_tiles(mesh, m, what, limits);
  if (mesh.space() == Space::Cuda) m.slot = Array<unsigned char>(Space::Cuda);
  return m;
}

} // namespace goza::assembly
