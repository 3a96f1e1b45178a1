/* The symbolic phase: what of an assembly depends on the connectivity alone. Made on the host or on the device, where the mesh is.

   owners    the (element, corner) pairs of every owned node
   pattern   the nodes that share an element with an owned node, ascending
   slot      where corner b of an element stands in the pattern's row of its corner a: the numeric phase searches nothing
   lists     (device, tetrahedra) for every pair of the pattern its element-corner-corner triples: so many elements meet at a node that gathering costs less than
             adding on chip
   tiles     (device) groups of nodes near one another, along a Morton curve. A thread block owns the rows of a tile: it visits the elements that touch it, adds
             their rows up on chip, and writes every value of the matrix once. The elements of a tile come in phases, in each of which no two share an owned node
             of the tile: no atomic operation is needed, and sums are taken in the same order in every run. With lists there are no phases. */
#pragma once
#include "mesh.hpp"

namespace goza
{

struct AssemblyMap {
  Array<PetscInt>      owner_ptr, owner; // [owned + 1], [.] element * corners + corner
  Array<PetscInt>      ptr, col;         // [owned + 1], [pairs]
  PetscInt             longest = 0;      // most pairs of a row
  Array<unsigned char> slot;             // [nelem][corners a][corners b]; meaningless where a is a ghost

  PetscInt        tile_nodes = 0, ntiles = 0, phases = 0, most_blocks = 0; // most_blocks: largest number of pairs in the rows of one tile
  Array<PetscInt> node, place;                                             // [owned] the nodes along the curve, and the inverse; tile = place / tile_nodes
  Array<PetscInt> tile_ptr;     // [ntiles + 1] in groups of 32 / corners elements, those that a warp takes; with lists: in elements
  Array<PetscInt> tile_element; // [groups][32 / corners] by phase; a phase ends with a whole group: -1 is no element; with lists: ascending
  Array<PetscInt> group_after;  // [groups] how many groups of the tile are of earlier phases

  PetscInt             most_elements = 0; // of a tile with lists
  Array<PetscInt>      list_end;          // [pairs] in triple; the first pair of node i begins at owner_ptr[i] * corners
  Array<std::uint32_t> triple;            // place of the element in its tile, a, b: << 4, << 2, << 0

  PetscInt    pairs() const { return static_cast<PetscInt>(col.size()); }
  std::size_t bytes() const
  {
    return owner_ptr.bytes() + owner.bytes() + ptr.bytes() + col.bytes() + slot.bytes() + node.bytes() + place.bytes() + tile_ptr.bytes() + tile_element.bytes() +
           group_after.bytes() + list_end.bytes() + triple.bytes();
  }
};

/* most_pairs: how many pairs the rows of a tile may hold on chip; tile_nodes: nodes of a tile to begin with, halved until its rows fit. with_tiles: the host needs
   none, but can make them. */
AssemblyMap make_assembly_map(const Mesh &mesh, PetscInt tile_nodes, PetscInt most_pairs, bool with_tiles);

inline AssemblyMap make_assembly_map(const Mesh &mesh, PetscInt tile_nodes, PetscInt most_pairs)
{
  return make_assembly_map(mesh, tile_nodes, most_pairs, mesh.space() == Space::Cuda);
}

} // namespace goza
