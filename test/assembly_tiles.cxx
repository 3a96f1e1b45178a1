/* The maps that the device's numeric phase trusts, made on the host: tiles hold every node once, the elements of a phase share none of them, and the lists of the
   pairs name every element-corner-corner once. */
#include "assembly/symbolic.hpp"

#include "support/check.hpp"

#include <array>
#include <map>
#include <set>

using namespace goza;

namespace
{

Mesh cube(PetscInt n, bool tets, PetscInt owned)
{
  static const int       kuhn[6][4] = {{0, 1, 3, 7}, {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 3, 2, 7}, {0, 6, 4, 7}, {0, 5, 1, 7}};
  std::vector<PetscInt>  conn;
  std::vector<PetscReal> x;
  Mesh                   m;

  for (PetscInt k = 0; k < n * n * n; k++) {
    const PetscInt i = k % n, j = k / n % n, l = k / n / n, b0 = i + n * (j + n * l);
    PetscInt       corner[8];

    x.insert(x.end(), {(PetscReal)i, (PetscReal)j / 3, (PetscReal)l * 2});
    if (i + 1 == n || j + 1 == n || l + 1 == n) continue;
    for (int b = 0; b < 8; b++) corner[b] = b0 + (b & 1) + n * ((b >> 1 & 1) + n * (b >> 2));
    if (!tets) conn.insert(conn.end(), corner, corner + 8);
    for (int t = 0; tets && t < 6; t++) {
      for (int b : kuhn[t]) conn.push_back(corner[b]);
    }
  }
  m.kind  = tets ? ElementKind::Tet4 : ElementKind::Hex8;
  m.nelem = (PetscInt)conn.size() / m.corners();
  m.nodes = n * n * n;
  m.owned = owned; /* the rest are another rank's */
  m.conn  = Array<PetscInt>(Space::Host, conn.data(), conn.size());
  m.x     = Array<PetscReal>(Space::Host, x.data(), x.size());
  return m;
}

void pattern_and_slots(const Mesh &mesh, const AssemblyMap &map)
{
  const int n = mesh.corners();

  for (PetscInt e = 0; e < mesh.nelem; e++) {
    const PetscInt *c = mesh.conn.data() + e * n;

    for (int a = 0; a < n; a++) {
      if (c[a] >= mesh.owned) continue;
      for (int b = 0; b < n; b++) BOOST_REQUIRE(map.col.data()[map.ptr.data()[c[a]] + map.slot.data()[(e * n + a) * n + b]] == c[b]);
    }
  }
}

void tiles(const Mesh &mesh, PetscInt tile_nodes)
{
  const AssemblyMap  map = make_assembly_map(mesh, tile_nodes, 1000000, true);
  const int          n = mesh.corners(), in_group = 32 / n;
  std::set<PetscInt> placed(map.node.data(), map.node.data() + mesh.owned);

  pattern_and_slots(mesh, map);
  BOOST_TEST((PetscInt)placed.size() == mesh.owned);
  for (PetscInt i = 0; i < mesh.owned; i++) BOOST_REQUIRE(map.node.data()[map.place.data()[i]] == i);
  for (PetscInt t = 0; t < map.ntiles; t++) {
    const auto                             in_tile = [&](PetscInt v) { return v < mesh.owned && map.place.data()[v] / map.tile_nodes == t; };
    std::set<PetscInt>                     seen;
    std::map<PetscInt, std::set<PetscInt>> touched; /* by how many groups come before: the nodes of the phase */

    for (PetscInt g = map.tile_ptr.data()[t]; g < map.tile_ptr.data()[t + 1]; g++) {
      BOOST_REQUIRE(map.group_after.data()[g] <= g - map.tile_ptr.data()[t]);
      for (int k = 0; k < in_group; k++) {
        const PetscInt e = map.tile_element.data()[g * in_group + k];

        if (e < 0) continue;
        BOOST_REQUIRE(seen.insert(e).second);
        for (int b = 0; b < n; b++) {
          const PetscInt v = mesh.conn.data()[e * n + b];
          if (in_tile(v)) BOOST_REQUIRE(touched[map.group_after.data()[g]].insert(v).second);
        }
      }
    }
    for (PetscInt e = 0; e < mesh.nelem; e++) {
      bool touches = false;
      for (int b = 0; b < n; b++) touches = touches || in_tile(mesh.conn.data()[e * n + b]);
      BOOST_REQUIRE(touches == (seen.count(e) == 1));
    }
  }
}

void lists(const Mesh &mesh, PetscInt tile_nodes)
{
  const AssemblyMap                 map = make_assembly_map(mesh, tile_nodes, 1000000, true);
  const int                         n   = mesh.corners();
  std::set<std::array<PetscInt, 3>> seen;

  pattern_and_slots(mesh, map);
  for (PetscInt i = 0; i < mesh.owned; i++) {
    const PetscInt t    = map.place.data()[i] / map.tile_nodes;
    PetscInt       from = map.owner_ptr.data()[i] * n;

    for (PetscInt k = map.ptr.data()[i]; k < map.ptr.data()[i + 1]; k++) {
      BOOST_REQUIRE(map.list_end.data()[k] > from);
      for (; from < map.list_end.data()[k]; from++) {
        const std::uint32_t what = map.triple.data()[from];
        const PetscInt      a = what >> 2 & 3, b = what & 3, at = map.tile_ptr.data()[t] + (PetscInt)(what >> 4);

        BOOST_REQUIRE(at < map.tile_ptr.data()[t + 1]);
        const PetscInt e = map.tile_element.data()[at];
        BOOST_REQUIRE(mesh.conn.data()[e * n + a] == i);
        BOOST_REQUIRE(mesh.conn.data()[e * n + b] == map.col.data()[k]);
        BOOST_REQUIRE(seen.insert({e, a, b}).second);
      }
    }
  }
  PetscInt wanted = 0;
  for (PetscInt k = 0; k < mesh.nelem * n; k++) wanted += mesh.conn.data()[k] < mesh.owned ? n : 0;
  BOOST_TEST((PetscInt)seen.size() == wanted);
}

} // namespace

BOOST_AUTO_TEST_CASE(tiles_of_hexahedra)
{
  for (PetscInt size : {1, 7, 32, 1000}) tiles(cube(6, false, 216), size);
  tiles(cube(6, false, 100), 16);
}

BOOST_AUTO_TEST_CASE(lists_of_tetrahedra)
{
  for (PetscInt size : {1, 7, 24, 1000}) lists(cube(5, true, 125), size);
  lists(cube(5, true, 61), 16);
}

/* Rows that do not fit make the tiles smaller; a row that cannot fit is refused. */
BOOST_AUTO_TEST_CASE(tiles_that_fit)
{
  const Mesh        mesh = cube(6, false, 216);
  const AssemblyMap map  = make_assembly_map(mesh, 64, 300, true);

  BOOST_TEST(map.most_blocks <= 300);
  BOOST_TEST(map.tile_nodes < 64);
  BOOST_CHECK_THROW(make_assembly_map(mesh, 64, 20, true), std::length_error);
}
