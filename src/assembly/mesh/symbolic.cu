#include "symbolic.hpp"
#include "core/sparse/csr_pattern.hpp"
#include "core/sparse/row_length.hpp"
#include "core/util/search.hpp"

namespace goza::assembly {
namespace {

/* The neighbours of an owned node. */
struct NodeRows {
  int             corners;
  const PetscInt *owner_ptr, *owner, *conn;

  HD PetscInt bound(PetscInt row) const { return (owner_ptr[row + 1] - owner_ptr[row]) * corners; }

  template <class F> HD void visit(PetscInt row, int lane, int lanes, F f) const
  {
    for (PetscInt k = owner_ptr[row] + lane; k < owner_ptr[row + 1]; k += lanes) {
      const PetscInt *c = conn + static_cast<std::int64_t>(owner[k] / corners) * corners;

      for (int b = 0; b < corners; b++) f(c[b]);
    }
  }
};

struct FindSlots { // for an element's corner
  int             corners;
  PetscInt        owned;
  const PetscInt *conn, *ptr, *col;
  unsigned char  *slot;

  HD void operator()(PetscInt k) const
  {
    const PetscInt  i = conn[k];
    const PetscInt *c = conn + static_cast<std::int64_t>(k / corners) * corners;

    for (int b = 0; b < corners; b++) {
      const PetscInt place = i < owned ? lower_bound(col, ptr[i], ptr[i + 1] - 1, c[b]) - ptr[i] : 0;

      slot[static_cast<std::int64_t>(k) * corners + b] = static_cast<unsigned char>(place);
    }
  }
};

} // namespace

AssemblyMap make_assembly_map(const Mesh &mesh, const NodeGrid &grid)
{
  GridPattern p = grid_pattern(mesh.space(), grid);
  AssemblyMap m;

  m.grid = grid;
  m.owner_ptr.swap(p.owner_ptr);
  m.owner.swap(p.owner);
  m.ptr.swap(p.ptr);
  m.col.swap(p.col);
  m.longest = (grid.n[0] > 2 ? 3 : 2) * (grid.n[1] > 2 ? 3 : 2) * (grid.n[2] > 2 ? 3 : 2);
  return m;
}

AssemblyMap make_assembly_map(const Mesh &mesh)
{
  const Space    space   = mesh.space();
  const int      corners = mesh.corners();
  const PetscInt n       = mesh.nelem * corners;
  AssemblyMap    m;

  group_by(space, mesh.conn.data(), n, mesh.owned, m.owner_ptr, m.owner);
  find_pattern(space, mesh.owned, mesh.nodes, NodeRows{corners, m.owner_ptr.data(), m.owner.data(), mesh.conn.data()}, true, m.ptr, m.col);
  m.longest = most_entries(space, mesh.owned, m.ptr.data());
  if (m.longest > 256) throw std::length_error("a node of the mesh shares elements with " + std::to_string(m.longest) + " nodes; at most 256 can be assembled");
  m.slot = Array<unsigned char>(space, static_cast<std::size_t>(n) * corners);
  for_each_row(space, n, FindSlots{corners, mesh.owned, mesh.conn.data(), m.ptr.data(), m.col.data(), m.slot.data()});
  return m;
}

} // namespace goza::assembly
