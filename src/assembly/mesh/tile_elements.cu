#include "core/launch/by_lanes.hpp"
#include "core/sparse/csr_pattern.hpp"
#include "core/sparse/row_length.hpp"
#include "tile_steps.hpp"

namespace goza::assembly {
namespace {

/* --- numbers */

struct FindBank { // of the k-th element of all tiles
  MeshView        mesh;
  int             corners;
  Cells           cells;
  const PetscInt *element;
  unsigned char  *bank;

  HD void operator()(PetscInt k) const
  {
    const PetscInt *c  = mesh.conn + static_cast<std::int64_t>(element[k]) * corners;
    int             of = 0;

    for (int d = 0; d < 3; d++) {
      PetscReal center = 0;

      for (int b = 0; b < corners; b++) center += mesh.x[c[b]][d] / corners;
      of |= static_cast<int>(cells.at_center(center, d) & 1) << d;
    }
    bank[k] = static_cast<unsigned char>(of);
  }
};

struct CountBanks { // for tile and bank
  const PetscInt      *element_ptr;
  const unsigned char *bank;
  PetscInt            *count;

  HD void operator()(PetscInt k) const
  {
    PetscInt n = 0;

    for (PetscInt e = element_ptr[k / tile_banks]; e < element_ptr[k / tile_banks + 1]; e++) n += bank[e] == k % tile_banks;
    count[k] = n;
  }
};

struct NumberElements { // of a tile's bank: behind those of the banks before it, ascending
  const PetscInt      *element_ptr, *sorted, *count;
  const unsigned char *bank;   // of the sorted ones
  std::uint16_t       *number; // of the sorted ones, << 3 | bank
  PetscInt            *element;
  std::uint16_t       *place;

  HD void operator()(PetscInt k) const
  {
    const PetscInt t = k / tile_banks, first = element_ptr[t], *of = count + k / tile_banks * tile_banks;
    const int      b     = k % tile_banks;
    PetscInt       begin = 0, n = 0;

    for (int c = 0; c < b; c++) begin += of[c];
    for (PetscInt e = first; e < element_ptr[t + 1]; e++) {
      if (bank[e] != b) continue;
      const std::uint16_t here = static_cast<std::uint16_t>((begin + n) << 3 | b);
      PetscInt            to   = first; // behind the first n of all banks, and the next of those before b

      for (int c = 0; c < tile_banks; c++) {
        const PetscInt before = n + (c < b);

        to += of[c] < before ? of[c] : before;
      }
      number[e]   = here;
      element[to] = sorted[e];
      place[to]   = here;
      n++;
    }
  }
};

struct NumbersInTile { // of a node's elements
  PetscInt             corners, tile_nodes;
  const PetscInt      *node, *owner_ptr, *owner, *element_ptr, *sorted;
  const std::uint16_t *number_of;
  std::uint16_t       *number; // beside owner

  HD void operator()(PetscInt place) const
  {
    const PetscInt i = node[place], t = place / tile_nodes;

    for (PetscInt o = owner_ptr[i]; o < owner_ptr[i + 1]; o++)
      number[o] = number_of[lower_bound(sorted, element_ptr[t], element_ptr[t + 1], owner[o] / corners)];
  }
};

/* --- corners */

struct TileCorners {
  int             corners;
  const PetscInt *element_ptr, *element, *conn;

  HD PetscInt bound(PetscInt t) const { return (element_ptr[t + 1] - element_ptr[t]) * corners; }

  template <class F> HD void visit(PetscInt t, int lane, int lanes, F f) const
  {
    for (PetscInt k = lane; k < bound(t); k += lanes) f(conn[static_cast<std::int64_t>(element[element_ptr[t] + k / corners]) * corners + k % corners]);
  }
};

struct PlaceCorners { // of a tile
  int             corners;
  const PetscInt *element_ptr, *element, *conn, *corner_ptr, *corner;
  std::uint16_t  *place;

  HD void operator()(PetscInt t, int lane, int lanes) const
  {
    for (PetscInt k = element_ptr[t] * corners + lane; k < element_ptr[t + 1] * corners; k += lanes)
      place[k] = static_cast<std::uint16_t>(
        lower_bound(corner, corner_ptr[t], corner_ptr[t + 1], conn[static_cast<std::int64_t>(element[k / corners]) * corners + k % corners]) - corner_ptr[t]);
  }
};

} // namespace

Array<std::uint16_t> number_elements(const Mesh &mesh, const Cells &cells, const AssemblyMap &m, Tiles &tiles)
{
  const Space          space   = mesh.space();
  const int            corners = mesh.corners();
  const PetscInt       n       = static_cast<PetscInt>(tiles.element.size());
  Array<std::uint16_t> number_of(space, n), number(space, m.owner.size());
  Array<PetscInt>      sorted(space, n);
  Array<unsigned char> bank(space, n);
  Array<PetscInt>      count(space, static_cast<std::size_t>(tiles.count) * tile_banks);

  sorted.swap(tiles.element);
  tiles.place = Array<std::uint16_t>(space, n);
  for_each_row(space, n, FindBank{mesh.view(), corners, cells, sorted.data(), bank.data()});
  for_each_row(space, tiles.count * tile_banks, CountBanks{tiles.element_ptr.data(), bank.data(), count.data()});
  for_each_row(space, tiles.count * tile_banks,
               NumberElements{tiles.element_ptr.data(), sorted.data(), count.data(), bank.data(), number_of.data(), tiles.element.data(), tiles.place.data()});
  for_each_row(space, mesh.owned,
               NumbersInTile{corners, tiles.nodes, tiles.node.data(), m.owner_ptr.data(), m.owner.data(), tiles.element_ptr.data(), sorted.data(),
                             number_of.data(), number.data()});
  return number;
}

void find_corners(const Mesh &mesh, Tiles &tiles)
{
  const Space space   = mesh.space();
  const int   corners = mesh.corners();

  find_pattern(space, tiles.count, mesh.nodes, TileCorners{corners, tiles.element_ptr.data(), tiles.element.data(), mesh.conn.data()}, false, tiles.corner_ptr,
               tiles.corner);
  tiles.most_corners = most_entries(space, tiles.count, tiles.corner_ptr.data());
  tiles.conn         = Array<std::uint16_t>(space, tiles.element.size() * corners);
  for_each_row_by_lanes(space, tiles.count,
                        PlaceCorners{corners, tiles.element_ptr.data(), tiles.element.data(), mesh.conn.data(), tiles.corner_ptr.data(), tiles.corner.data(),
                                     tiles.conn.data()});
}

} // namespace goza::assembly
