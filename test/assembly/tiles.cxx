/* The maps that the device's numeric phase trusts, made on the host: tiles hold every node and every pair once, the lists of the pairs name every
   element-corner-corner once, and elements that are read together lie in different banks. */
#include "assembly/mesh/grid.hpp"
#include "assembly/mesh/symbolic.hpp"

#include "../support/check.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

using namespace goza;

namespace {

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

/* Every pair of the pattern once, with the mirror image's slot; its list names every element that has both nodes, by their corners. */
void tiles(const Mesh &mesh, TilePairs what, PetscInt nodes)
{
  const AssemblyMap                 map = make_assembly_map(mesh, what, {nodes, 1000000, 1024});
  const Tiles                      &t   = map.tiles;
  const int                         n   = mesh.corners();
  std::set<PetscInt>                placed(t.node.data(), t.node.data() + mesh.owned);
  std::set<std::array<PetscInt, 2>> pairs;
  std::set<std::array<PetscInt, 3>> seen;
  PetscInt                          wanted = 0;

  pattern_and_slots(mesh, map);
  BOOST_TEST((PetscInt)placed.size() == mesh.owned);
  for (PetscInt tile = 0; tile < t.count; tile++) {
    PetscInt                     before = 1000000;
    std::set<PetscInt>           elements;
    std::map<PetscInt, PetscInt> of_number;

    for (PetscInt k = t.element_ptr.data()[tile]; k < t.element_ptr.data()[tile + 1]; k++) {
      BOOST_REQUIRE(elements.insert(t.element.data()[k]).second);
      BOOST_REQUIRE(of_number.insert({t.place.data()[k] >> 3, k}).second);
      for (int b = 0; b < n; b++)
        BOOST_REQUIRE(t.corner.data()[t.corner_ptr.data()[tile] + t.conn.data()[k * n + b]] == mesh.conn.data()[t.element.data()[k] * n + b]);
    }

    for (PetscInt p = t.pair_ptr.data()[tile]; p < t.pair_ptr.data()[tile + 1]; p++) {
      const std::uint32_t which = t.pair.data()[p];
      const PetscInt      i = t.node.data()[tile * t.nodes + (which >> 16)], j = map.col.data()[map.ptr.data()[i] + (which >> 8 & 255)];
      const PetscInt      length = t.list_ptr.data()[p + 1] - t.list_ptr.data()[p];

      BOOST_REQUIRE(pairs.insert({i, j}).second);
      BOOST_REQUIRE((what == TilePairs::Rows || j >= i));
      if (what == TilePairs::Upper && j < mesh.owned) BOOST_REQUIRE(map.col.data()[map.ptr.data()[j] + (which & 255)] == i);
      BOOST_REQUIRE(length < 2 * before); /* longer lists first, in classes */
      BOOST_REQUIRE((length > tile_long) == (p - t.pair_ptr.data()[tile] < t.long_pairs.data()[tile]));
      before = length;
      for (PetscInt l = t.list_ptr.data()[p]; l < t.list_ptr.data()[p + 1]; l++) {
        const Triple   triple = t.triple.data()[l];
        const int      a = triple.a(), b = triple.b();
        const PetscInt at = of_number[triple.element()];

        BOOST_REQUIRE(triple.bank() == (t.place.data()[at] & 7));
        const PetscInt e = t.element.data()[at];
        BOOST_REQUIRE(mesh.conn.data()[e * n + a] == i);
        BOOST_REQUIRE(mesh.conn.data()[e * n + b] == j);
        BOOST_REQUIRE(seen.insert({e, a, b}).second);
      }
    }
  }
  for (PetscInt k = 0; k < mesh.nelem * n; k++) {
    const PetscInt i = mesh.conn.data()[k];

    for (int b = 0; b < n && i < mesh.owned; b++) wanted += what == TilePairs::Rows || mesh.conn.data()[k / n * n + b] >= i;
  }
  BOOST_TEST((PetscInt)seen.size() == wanted);
}

} // namespace

BOOST_AUTO_TEST_CASE(tiles_of_hexahedra)
{
  for (const TilePairs what : {TilePairs::Rows, TilePairs::Upper}) {
    for (PetscInt size : {1, 7, 32, 1000}) tiles(cube(6, false, 216), what, size);
    tiles(cube(6, false, 100), what, 16);
    Mesh wedge                    = cube(6, false, 216); /* an edge without length: its node is two corners of the element */
    wedge.conn.data()[8 * 31 + 7] = wedge.conn.data()[8 * 31 + 3];
    tiles(wedge, what, 32);
  }
}

BOOST_AUTO_TEST_CASE(tiles_of_tetrahedra)
{
  for (const TilePairs what : {TilePairs::Rows, TilePairs::Upper}) {
    for (PetscInt size : {1, 7, 24, 1000}) tiles(cube(5, true, 125), what, size);
    tiles(cube(5, true, 61), what, 16);
  }
}

/* Neighbours have different banks, and numbers follow the banks. */
BOOST_AUTO_TEST_CASE(banks_of_elements)
{
  const PetscInt    n    = 9;
  const Mesh        mesh = cube(n, false, n * n * n);
  const AssemblyMap map  = make_assembly_map(mesh, TilePairs::Rows, {32, 1000000, 1024});
  const Tiles      &t    = map.tiles;

  for (PetscInt tile = 0; tile < t.count; tile++) {
    std::map<PetscInt, PetscInt> bank; /* by number */

    for (PetscInt k = t.element_ptr.data()[tile]; k < t.element_ptr.data()[tile + 1]; k++) {
      const PetscInt e = t.element.data()[k], i = e % (n - 1), j = e / (n - 1) % (n - 1), l = e / (n - 1) / (n - 1);

      bank[t.place.data()[k] >> 3] = t.place.data()[k] & 7;
      BOOST_REQUIRE((t.place.data()[k] & 7) == i % 2 + 2 * (j % 2) + 4 * (l % 2));
    }
    BOOST_REQUIRE((PetscInt)bank.size() == t.element_ptr.data()[tile + 1] - t.element_ptr.data()[tile]);
    BOOST_REQUIRE(bank.rbegin()->first == (PetscInt)bank.size() - 1);
    PetscInt before = 0;
    for (const auto &b : bank) {
      BOOST_REQUIRE(b.second >= before);
      before = b.second;
    }
  }
}

/* What does not fit makes the tiles smaller; a row that cannot fit is refused. */
BOOST_AUTO_TEST_CASE(tiles_that_fit)
{
  const Mesh mesh     = cube(6, false, 216);
  const auto tiles_of = [&](PetscInt pairs, PetscInt elements) { return make_assembly_map(mesh, TilePairs::Rows, {64, pairs, elements}).tiles; };

  BOOST_TEST(tiles_of(300, 1000).most_pairs <= 300);
  BOOST_TEST(tiles_of(300, 1000).nodes < 64);
  BOOST_TEST(tiles_of(10000, 40).most_elements <= 40);
  BOOST_TEST(tiles_of(10000, 40).nodes < 64);
  BOOST_CHECK_THROW(tiles_of(20, 1000), std::length_error);
  BOOST_CHECK_THROW(tiles_of(10000, 7), std::length_error);
}

/* A box whose nodes and elements are numbered line after line is known as a grid; one element turned, two that change places, nodes of another rank: no
   grid. */
BOOST_AUTO_TEST_CASE(grids)
{
  const NodeGrid grid = find_grid(cube(5, false, 125));

  BOOST_TEST((grid.n[0] == 5 && grid.n[1] == 5 && grid.n[2] == 5));
  BOOST_TEST(grid.element(3, 3, 3) == 63);
  BOOST_TEST(find_grid(cube(2, false, 8)).is());
  BOOST_TEST(!find_grid(cube(5, true, 125)).is());
  BOOST_TEST(!find_grid(cube(5, false, 100)).is());

  Mesh turned = cube(5, false, 125);
  std::swap(turned.conn.data()[8 * 40], turned.conn.data()[8 * 40 + 7]);
  BOOST_TEST(!find_grid(turned).is());
  Mesh swapped = cube(5, false, 125);
  std::swap_ranges(swapped.conn.data() + 8 * 20, swapped.conn.data() + 8 * 21, swapped.conn.data() + 8 * 50);
  BOOST_TEST(!find_grid(swapped).is());
  Mesh shorter  = cube(5, false, 125);
  shorter.nelem = 60;
  BOOST_TEST(!find_grid(shorter).is());
  Mesh none  = cube(5, false, 125);
  none.nelem = 0;
  BOOST_TEST(!find_grid(none).is());
}

/* What is counted on a grid is what is found on any mesh. */
BOOST_AUTO_TEST_CASE(patterns_of_grids)
{
  for (PetscInt n : {2, 3, 6}) {
    const Mesh        mesh    = cube(n, false, n * n * n);
    const AssemblyMap counted = make_assembly_map(mesh, find_grid(mesh)), found = make_assembly_map(mesh);

    BOOST_TEST(counted.longest == found.longest);
    BOOST_TEST(counted.owner_ptr.to_host() == found.owner_ptr.to_host());
    BOOST_TEST(counted.owner.to_host() == found.owner.to_host());
    BOOST_TEST(counted.ptr.to_host() == found.ptr.to_host());
    BOOST_TEST(counted.col.to_host() == found.col.to_host());
  }
}
