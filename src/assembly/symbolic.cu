#include "symbolic.hpp"
#include "core/algorithm.hpp"
#include "core/csr_pattern.hpp"
#include "element.hpp"

namespace goza
{

namespace
{

/* --- owners, pattern, slots */

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
      PetscInt low = 0, high = i < owned ? ptr[i + 1] - ptr[i] - 1 : 0;

      while (low < high) {
        const PetscInt middle = (low + high) / 2;

        if (col[ptr[i] + middle] < c[b]) low = middle + 1;
        else high = middle;
      }
      slot[static_cast<std::int64_t>(k) * corners + b] = static_cast<unsigned char>(low);
    }
  }
};

struct RowLength {
  const PetscInt *ptr;
  std::int64_t   *length;

  HD void operator()(PetscInt i) const { length[i] = ptr[i + 1] - ptr[i]; }
};

/* --- the curve: coordinates in units of the mean extent of an element, their bits interleaved */

/* Of a hexahedron the means of parallel edges count: that moved nodes do not make it seem larger. */
struct Extent {
  int        corners, c;
  MeshView   mesh;
  PetscReal *extent;

  HD void operator()(PetscInt e) const
  {
    const PetscInt *corner  = mesh.conn + static_cast<std::int64_t>(e) * corners;
    PetscReal       largest = 0;

    if (corners == 8) {
      for (int i = 0; i < 3; i++) {
        PetscReal edge = 0;

        for (int b = 0; b < 8; b++) edge += (b >> i & 1 ? 1 : -1) * mesh.x[corner[b]][c];
        largest = PetscAbsReal(edge) / 4 > largest ? PetscAbsReal(edge) / 4 : largest;
      }
    } else {
      for (int b = 1; b < corners; b++) {
        for (int a = 0; a < b; a++)
          largest = PetscAbsReal(mesh.x[corner[b]][c] - mesh.x[corner[a]][c]) > largest ? PetscAbsReal(mesh.x[corner[b]][c] - mesh.x[corner[a]][c]) : largest;
      }
    }
    extent[e] = largest;
  }
};

struct Component {
  int       c;
  PetscReal sign;
  const PetscReal (*x)[3];
  PetscReal *value;

  HD void operator()(PetscInt i) const { value[i] = sign * x[i][c]; }
};

struct MortonKey {
  const PetscReal (*x)[3];
  PetscReal low[3], scale[3];
  PetscInt *key;

  HD static PetscInt spread(PetscInt v) // bit k to bit 3 k
  {
    PetscInt s = 0;

    for (int k = 0; k < 10; k++) s |= (v >> k & 1) << (3 * k);
    return s;
  }
  HD void operator()(PetscInt i) const
  {
    PetscInt k = 0;

    for (int c = 0; c < 3; c++) {
      const PetscReal v = (x[i][c] - low[c]) * scale[c] + PetscReal(0.25);

      k |= spread(v < 0 ? 0 : v > 1023 ? 1023 : static_cast<PetscInt>(v)) << c;
    }
    key[i] = k;
  }
};

Array<PetscInt> along_curve(const Mesh &mesh)
{
  const Space      space = mesh.space();
  Array<PetscReal> value(space, mesh.owned), extent(space, mesh.nelem);
  Array<PetscReal> mean(space, 1);
  Array<PetscInt>  key(space, mesh.owned);
  MortonKey        morton{mesh.view().x, {}, {}, key.data()};

  for (int c = 0; c < 3; c++) {
    PetscReal high, h;

    for_each_row(space, mesh.owned, Component{c, 1, mesh.view().x, value.data()});
    high = largest(space, value.data(), mesh.owned);
    for_each_row(space, mesh.owned, Component{c, -1, mesh.view().x, value.data()});
    morton.low[c] = -largest(space, value.data(), mesh.owned);
    for_each_row(space, mesh.nelem, Extent{mesh.corners(), c, mesh.view(), extent.data()});
    sum_into(space, extent.data(), mesh.nelem, mean.data());
    h               = read_value(space, mean.data()) / mesh.nelem;
    h               = (high - morton.low[c]) / 1023 > h ? (high - morton.low[c]) / 1023 : h;
    morton.scale[c] = h > 0 ? 1 / h : 0;
  }
  for_each_row(space, mesh.owned, morton);
  return order_by(space, key.data(), mesh.owned);
}

/* --- tiles */

struct Inverse {
  const PetscInt *node;
  PetscInt       *place;

  HD void operator()(PetscInt k) const { place[node[k]] = k; }
};

struct TileBlocks {
  PetscInt        tile_nodes, owned;
  const PetscInt *node, *ptr;
  std::int64_t   *blocks;

  HD void operator()(PetscInt t) const
  {
    std::int64_t n = 0;

    for (PetscInt k = t * tile_nodes; k < (t + 1) * tile_nodes && k < owned; k++) n += ptr[node[k] + 1] - ptr[node[k]];
    blocks[t] = n;
  }
};

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
    for (PetscInt k = t * tile_nodes + lane; k < (t + 1) * tile_nodes && k < owned; k += lanes) {
      for (PetscInt o = owner_ptr[node[k]]; o < owner_ptr[node[k] + 1]; o++) f(owner[o] / corners);
    }
  }
};

/* The first phase that none of an element's nodes in the tile has seen: 64 in a mask for each node, later ones held by one element each. */
struct Phases {
  int                 corners;
  PetscInt            tile_nodes, owned;
  const PetscInt     *conn, *place, *tile_ptr, *tile_element;
  unsigned long long *seen; // [owned] by place, zero
  unsigned short     *phase;
  std::int64_t       *count; // [ntiles]

  HD void operator()(PetscInt t) const
  {
    int most = 0, alone = 64;

    for (PetscInt k = tile_ptr[t]; k < tile_ptr[t + 1]; k++) {
      const PetscInt    *c    = conn + static_cast<std::int64_t>(tile_element[k]) * corners;
      unsigned long long mask = 0;
      int                p    = 0;

      for (int b = 0; b < corners; b++) {
        if (c[b] < owned && place[c[b]] / tile_nodes == t) mask |= seen[place[c[b]]];
      }
      while (p < 64 && mask >> p & 1) p++;
      if (p == 64) p = alone++;
      for (int b = 0; b < corners && p < 64; b++) {
        if (c[b] < owned && place[c[b]] / tile_nodes == t) seen[place[c[b]]] |= 1ull << p;
      }
      phase[k] = static_cast<unsigned short>(p);
      most     = p + 1 > most ? p + 1 : most;
    }
    count[t] = most;
  }
};

struct CountPhases { // how many elements of each phase, and how many groups they fill
  int                   in_group;
  PetscInt              phases;
  const PetscInt       *ptr;
  const unsigned short *phase;
  PetscInt             *count, *groups;

  HD void operator()(PetscInt t) const
  {
    PetscInt *mine = count + static_cast<std::int64_t>(t) * phases, n = 0;

    for (PetscInt p = 0; p < phases; p++) mine[p] = 0;
    for (PetscInt k = ptr[t]; k < ptr[t + 1]; k++) mine[phase[k]]++;
    for (PetscInt p = 0; p < phases; p++) n += (mine[p] + in_group - 1) / in_group;
    groups[t] = n;
  }
};

struct FillGroups {
  int                   in_group;
  PetscInt              phases;
  const PetscInt       *ptr, *from, *tile_ptr;
  const unsigned short *phase;
  PetscInt             *next, *to, *after; // next: counts, which become places

  HD void operator()(PetscInt t) const
  {
    PetscInt *mine  = next + static_cast<std::int64_t>(t) * phases;
    PetscInt  group = tile_ptr[t];

    for (PetscInt p = 0; p < phases; p++) {
      const PetscInt before = group - tile_ptr[t], n = mine[p];

      mine[p] = group * in_group;
      for (PetscInt k = 0; k < n; k += in_group) after[group++] = before;
      for (PetscInt k = mine[p] + n; k < group * in_group; k++) to[k] = -1;
    }
    for (PetscInt k = ptr[t]; k < ptr[t + 1]; k++) to[mine[phase[k]]++] = from[k];
  }
};

/* The triples of one node's pairs. */
struct Lists {
  int                  corners;
  PetscInt             tile_nodes;
  const PetscInt      *owner_ptr, *owner, *ptr, *place, *tile_ptr, *tile_element;
  const unsigned char *slot;
  PetscInt            *list_end;
  std::uint32_t       *triple;

  HD void operator()(PetscInt i) const
  {
    const PetscInt t = place[i] / tile_nodes, length = ptr[i + 1] - ptr[i], first = owner_ptr[i] * corners;
    unsigned short next[256], sum = 0; // of a pair, counted from `first`: memory of the thread's own, which its cache holds

    for (PetscInt s = 0; s < length; s++) next[s] = 0;
    for (PetscInt o = owner_ptr[i]; o < owner_ptr[i + 1]; o++) {
      for (int b = 0; b < corners; b++) next[slot[static_cast<std::int64_t>(owner[o]) * corners + b]]++;
    }
    for (PetscInt s = 0; s < length; s++) {
      const unsigned short n = next[s];

      next[s]              = sum;
      sum                  = static_cast<unsigned short>(sum + n);
      list_end[ptr[i] + s] = first + sum;
    }
    for (PetscInt o = owner_ptr[i]; o < owner_ptr[i + 1]; o++) {
      const PetscInt e   = owner[o] / corners;
      PetscInt       low = tile_ptr[t], high = tile_ptr[t + 1] - 1;

      while (low < high) {
        const PetscInt middle = (low + high) / 2;

        if (tile_element[middle] < e) low = middle + 1;
        else high = middle;
      }
      for (int b = 0; b < corners; b++)
        triple[first + next[slot[static_cast<std::int64_t>(owner[o]) * corners + b]]++] = static_cast<std::uint32_t>((low - tile_ptr[t]) << 4 | owner[o] % corners << 2 | b);
    }
  }
};

struct TileLength {
  const PetscInt *ptr;
  std::int64_t   *length;

  HD void operator()(PetscInt t) const { length[t] = ptr[t + 1] - ptr[t]; }
};

void make_lists(const Mesh &mesh, Array<PetscInt> &ptr, Array<PetscInt> &elements, AssemblyMap &m)
{
  const Space         space = mesh.space();
  Array<std::int64_t> length(space, m.ntiles);

  m.tile_ptr.swap(ptr);
  m.tile_element.swap(elements);
  for_each_row(space, m.ntiles, TileLength{m.tile_ptr.data(), length.data()});
  m.most_elements = static_cast<PetscInt>(largest(space, length.data(), length.size()));
  m.list_end      = Array<PetscInt>(space, m.col.size());
  m.triple        = Array<std::uint32_t>(space, static_cast<std::size_t>(read_value(space, m.owner_ptr.data() + mesh.owned)) * mesh.corners());
  for_each_row(space, mesh.owned,
               Lists{mesh.corners(), m.tile_nodes, m.owner_ptr.data(), m.owner.data(), m.ptr.data(), m.place.data(), m.tile_ptr.data(), m.tile_element.data(),
                     m.slot.data(), m.list_end.data(), m.triple.data()});
}

void make_tiles(const Mesh &mesh, PetscInt tile_nodes, PetscInt most_pairs, AssemblyMap &m)
{
  const Space space = mesh.space();

  m.node  = along_curve(mesh);
  m.place = Array<PetscInt>(space, mesh.owned);
  for_each_row(space, mesh.owned, Inverse{m.node.data(), m.place.data()});
  for (m.tile_nodes = tile_nodes;; m.tile_nodes = (m.tile_nodes + 1) / 2) {
    m.ntiles = (mesh.owned + m.tile_nodes - 1) / m.tile_nodes;
    Array<std::int64_t> blocks(space, m.ntiles);

    for_each_row(space, m.ntiles, TileBlocks{m.tile_nodes, mesh.owned, m.node.data(), m.ptr.data(), blocks.data()});
    m.most_blocks = static_cast<PetscInt>(largest(space, blocks.data(), blocks.size()));
    if (m.most_blocks <= most_pairs || m.tile_nodes == 1) break;
  }
  if (m.most_blocks > most_pairs) throw std::length_error("a node of the mesh has more neighbours than the device's on-chip memory can hold a row for");

  const int                 in_group = 32 / mesh.corners();
  Array<PetscInt>           ptr, elements;
  Array<unsigned long long> seen(space, mesh.owned);
  Array<std::int64_t>       count(space, m.ntiles);

  find_pattern(space, m.ntiles, mesh.nelem, TileElements{mesh.corners(), m.tile_nodes, mesh.owned, m.node.data(), m.owner_ptr.data(), m.owner.data()}, false, ptr, elements);
  if (mesh.kind == ElementKind::Tet4) {
    make_lists(mesh, ptr, elements, m);
    return;
  }
  Array<unsigned short> phase(space, elements.size());
  seen.zero();
  for_each_row(space, m.ntiles,
               Phases{mesh.corners(), m.tile_nodes, mesh.owned, mesh.conn.data(), m.place.data(), ptr.data(), elements.data(), seen.data(), phase.data(), count.data()});
  m.phases = static_cast<PetscInt>(largest(space, count.data(), count.size()));
  Array<PetscInt> of_phase(space, static_cast<std::size_t>(m.ntiles) * m.phases);
  m.tile_ptr = Array<PetscInt>(space, m.ntiles + 1);
  for_each_row(space, m.ntiles, CountPhases{in_group, m.phases, ptr.data(), phase.data(), of_phase.data(), m.tile_ptr.data()});
  const PetscInt groups = lengths_to_pointer(space, m.tile_ptr);
  m.tile_element        = Array<PetscInt>(space, static_cast<std::size_t>(groups) * in_group);
  m.group_after         = Array<PetscInt>(space, groups);
  for_each_row(space, m.ntiles,
               FillGroups{in_group, m.phases, ptr.data(), elements.data(), m.tile_ptr.data(), phase.data(), of_phase.data(), m.tile_element.data(),
                          m.group_after.data()});
}

/* --- elements that are none */

template <class Element> struct IsBad {
  MeshView mesh;
  char    *bad;

  HD void operator()(PetscInt e) const
  {
    PetscReal X[Element::nodes][3], g[Element::nodes][3];
    PetscReal size = 0; // below rounding of this to the third power an element is flat
    bool      good = true;

    for (int b = 0; b < Element::nodes; b++) {
      for (int c = 0; c < 3; c++) X[b][c] = mesh.x[mesh.conn[static_cast<std::int64_t>(e) * Element::nodes + b]][c];
      for (int c = 0; c < 3; c++) size = PetscAbsReal(X[b][c] - X[0][c]) > size ? PetscAbsReal(X[b][c] - X[0][c]) : size;
    }
    for (int q = 0; q < Element::points; q++) good = good && Element::gradients(X, q, g) > 10 * PETSC_MACHINE_EPSILON * size * size * size; // a NaN is not
    bad[e] = !good;
  }
};

} // namespace

Array<PetscInt> bad_elements(const Mesh &mesh)
{
  Array<char> bad(mesh.space(), mesh.nelem);

  if (mesh.kind == ElementKind::Hex8) for_each_row(mesh.space(), mesh.nelem, IsBad<Hex8>{mesh.view(), bad.data()});
  else for_each_row(mesh.space(), mesh.nelem, IsBad<Tet4>{mesh.view(), bad.data()});
  return flagged(mesh.space(), bad.data(), mesh.nelem);
}

AssemblyMap make_assembly_map(const Mesh &mesh, PetscInt tile_nodes, PetscInt most_pairs, bool with_tiles)
{
  const Space    space   = mesh.space();
  const int      corners = mesh.corners();
  const PetscInt n       = mesh.nelem * corners;
  AssemblyMap    m;

  group_by(space, mesh.conn.data(), n, mesh.owned, m.owner_ptr, m.owner);
  find_pattern(space, mesh.owned, mesh.nodes, NodeRows{corners, m.owner_ptr.data(), m.owner.data(), mesh.conn.data()}, false, m.ptr, m.col);

  Array<std::int64_t> length(space, mesh.owned);
  for_each_row(space, mesh.owned, RowLength{m.ptr.data(), length.data()});
  m.longest = static_cast<PetscInt>(largest(space, length.data(), length.size()));
  if (m.longest > 256) throw std::length_error("a node of the mesh shares elements with " + std::to_string(m.longest) + " nodes; at most 256 can be assembled");
  m.slot = Array<unsigned char>(space, static_cast<std::size_t>(n) * corners);
  for_each_row(space, n, FindSlots{corners, mesh.owned, mesh.conn.data(), m.ptr.data(), m.col.data(), m.slot.data()});
  if (with_tiles && mesh.owned) make_tiles(mesh, tile_nodes, most_pairs, m);
  return m;
}

} // namespace goza
