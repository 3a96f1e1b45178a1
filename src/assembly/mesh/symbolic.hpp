/* The symbolic phase: what of an assembly depends on the connectivity alone. Made on the host or on the device, where the mesh is.

   owners    the (element, corner) pairs of every owned node
   pattern   the nodes that share an element with an owned node, ascending
   slot      where corner b of an element stands in the pattern's row of its corner a: the numeric phase searches nothing
   tiles     (device) who computes what: tiles.hpp
   grid      (device) instead of tiles, where the numeric phase knows a faster way for a grid */
#pragma once
#include "grid.hpp"
#include "tiles.hpp"

namespace goza::assembly {

struct AssemblyMap {
  Array<PetscInt>      owner_ptr, owner; // [owned + 1], [.] element * corners + corner
  Array<PetscInt>      ptr, col;         // [owned + 1], [pairs]
  PetscInt             longest = 0;      // most pairs of a row
  Array<unsigned char> slot;             // [nelem][corners a][corners b]; meaningless where a is a ghost. Not where there are tiles, which hold it
  Tiles                tiles;
  NodeGrid             grid;

  PetscInt    pairs() const { return static_cast<PetscInt>(col.size()); }
  std::size_t bytes() const { return owner_ptr.bytes() + owner.bytes() + ptr.bytes() + col.bytes() + slot.bytes() + tiles.bytes(); }
};

/* Without tiles: for the host, and for what goes row by row. */
AssemblyMap make_assembly_map(const Mesh &mesh);

/* Of a grid: owners and pattern alone. */
AssemblyMap make_assembly_map(const Mesh &mesh, const NodeGrid &grid);

/* With tiles. */
AssemblyMap make_assembly_map(const Mesh &mesh, TilePairs what, const TileLimits &limits);

} // namespace goza::assembly
