/* The numeric phase straight into the formats' storage: what it writes into CDS and sliced ELL is what these formats make of the assembled CSR; and the device
   writes what the host does. */
#include "assembly/kernels/element_matrix.hpp"
#include "assembly/kernels/with_kinds.hpp"
#include "core/launch/for_each_row.hpp"
#include "petsc/plugin.hpp"
#include "mat/cds/cds.hpp"
#include "mat/slicedell/ell_entries.hpp"
#include "mat/slicedell/slicedell.hpp"

#include "../support/check.hpp"

#include <algorithm>
#include <cmath>

using namespace goza;

namespace {

struct Box {
  PetscInt n[3]; /* nodes */
  bool     tets, some_given;
  bool     backwards; /* the elements, so that the mesh is not seen to be a grid */
};

Mesh make_mesh(Space space, const Box &box)
{
  static const int           kuhn[6][4] = {{0, 1, 3, 7}, {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 3, 2, 7}, {0, 6, 4, 7}, {0, 5, 1, 7}};
  std::vector<PetscInt>      conn;
  std::vector<PetscReal>     x;
  std::vector<PetscScalar>   material;
  std::vector<unsigned char> fixed;
  const PetscInt             nx = box.n[0], ny = box.n[1], nz = box.n[2];
  Mesh                       m;

  for (PetscInt k = 0; k < nx * ny * nz; k++) {
    const PetscInt i = k % nx, j = k / nx % ny, l = k / nx / ny;
    PetscInt       corner[8];

    x.insert(x.end(), {i + (PetscReal)0.1 * std::sin((PetscReal)k), j + (PetscReal)0.1 * std::cos((PetscReal)k), (PetscReal)l});
    fixed.push_back((unsigned char)(box.some_given && k % 5 == 0 ? k % 8 : 0));
    if (i + 1 == nx || j + 1 == ny || l + 1 == nz) continue;
    for (int b = 0; b < 8; b++) corner[b] = i + (b & 1) + nx * (j + (b >> 1 & 1) + ny * (l + (b >> 2)));
    if (!box.tets) conn.insert(conn.end(), corner, corner + 8);
    for (int t = 0; box.tets && t < 6; t++) {
      for (int b : kuhn[t]) conn.push_back(corner[b]);
    }
  }
  m.kind  = box.tets ? ElementKind::Tet4 : ElementKind::Hex8;
  m.nelem = (PetscInt)conn.size() / m.corners();
  m.nodes = m.owned = nx * ny * nz;
  for (PetscInt e = 0; box.backwards && e < m.nelem / 2; e++)
    std::swap_ranges(&conn[e * m.corners()], &conn[(e + 1) * m.corners()], &conn[(m.nelem - 1 - e) * m.corners()]);
  for (PetscInt e = 0; e < m.nelem; e++) material.insert(material.end(), {(PetscReal)(1 + e % 3), (PetscReal)(1 + e % 5)});
  m.conn     = Array<PetscInt>(space, conn.data(), conn.size());
  m.x        = Array<PetscReal>(space, x.data(), x.size());
  m.material = Array<PetscScalar>(space, material.data(), material.size());
  m.give(Array<unsigned char>(space, fixed.data(), box.some_given ? fixed.size() : 0));
  return m;
}

PetscReal gap(const std::vector<PetscScalar> &a, const std::vector<PetscScalar> &b)
{
  PetscReal most = 0, scale = 0;

  BOOST_REQUIRE(a.size() == b.size());
  for (std::size_t k = 0; k < a.size(); k++) {
    most  = PetscMax(most, PetscAbsScalar(a[k] - b[k]));
    scale = PetscMax(scale, PetscAbsScalar(b[k]));
    if (PetscIsInfOrNanScalar(a[k])) most = PETSC_MAX_REAL;
  }
  return most / scale;
}

/* The values of CSR, each node's rows by themselves: what a device does where the scalars are complex. Equal but for rounding: a compiler may
   join multiplications and additions otherwise here than in the library. */
std::vector<PetscScalar> by_rows(const Problem &problem, const Mesh &mesh, const AssemblyMap &map, Target target, std::size_t n)
{
  std::vector<PetscScalar> val(n);

  target.val = val.data();
  with_kinds(problem, mesh.kind, [&](auto element, auto equation) {
    for_each_row(mesh.space(), mesh.owned,
                 RowAssembly<decltype(element), decltype(equation)>{{mesh.view(), map.ptr.data(), map.col.data(), map.slot.data(), target},
                                                                    map.owner_ptr.data(),
                                                                    map.owner.data()});
  });
  return val;
}

std::vector<PetscScalar> straight_into_formats(Space space, const Box &box, const Problem &problem)
{
  constexpr PetscReal         rounding = 100 * PETSC_MACHINE_EPSILON;
  const int                   bs       = problem.bs;
  const Mesh                  mesh     = make_mesh(space, box);
  const AssemblyMap           map      = make_assembly_map(problem, mesh, Layout::Csr);
  const std::vector<PetscInt> ptr = map.ptr.to_host(), col = map.col.to_host();
  std::vector<PetscInt>       rows{0}, columns;

  for (PetscInt row = 0; row < mesh.owned * bs; row++) {
    for (PetscInt k = ptr[row / bs]; k < ptr[row / bs + 1]; k++) {
      for (int c = 0; c < bs; c++) columns.push_back(col[k] * bs + c);
    }
    rows.push_back((PetscInt)columns.size());
  }
  const Array<PetscInt> row_ptr(space, rows.data(), rows.size()), column(space, columns.data(), columns.size());
  Array<PetscScalar>    val(space, columns.size());
  Target                target{};

  target.layout = Layout::Csr;
  target.bs     = bs;
  target.owned  = mesh.owned;
  target.ptr    = row_ptr.data();
  target.val    = val.data();
  assemble_matrix(problem, mesh, map, target);
  if (space == Space::Host && !box.some_given) BOOST_TEST(gap(by_rows(problem, mesh, map, target, columns.size()), val.to_host()) <= rounding);
  const Csr csr{space, mesh.owned * bs, mesh.owned * bs, row_ptr.data(), column.data(), val.data(), (PetscInt)columns.size()};

  const AssemblyMap upper = make_assembly_map(problem, mesh, Layout::Cds);
  for (const bool half : {false, true}) {
    CdsOptions options;

    options.storage   = half ? CdsStorage::Half : CdsStorage::Full;
    options.bs        = bs;
    options.share     = 0.01; // every diagonal whole: nothing in the remainder
    options.max_fill  = 100;
    options.symmetric = true;
    Cds<PetscScalar, PetscScalar> cds(space, options);
    cds.build(csr);
    BOOST_TEST(cds.in_remainder() == 0);
    const CdsView<PetscScalar> view = cds.view();
    const std::size_t          n    = (std::size_t)view.ndiag * bs * bs * view.ld;
    Array<PetscScalar>         direct(space, n);

    direct.zero();
    target.layout = Layout::Cds;
    target.val    = direct.data();
    target.half   = half;
    target.ld     = view.ld;
    target.ndiag  = (int)view.ndiag;
    std::copy(view.offset, view.offset + view.ndiag, target.offset);
    assemble_matrix(problem, mesh, upper, target);
    BOOST_TEST(gap(direct.to_host(), Array<PetscScalar>(space, view.val, n).to_host()) <= rounding);
  }

  for (const auto &[height, window] : {std::pair<PetscInt, PetscInt>{32, 0}, {4, 0}, {4, 64}}) { // with 4, threads of a device share rows
    SlicedEllOptions options;

    options.bs           = bs;
    options.slice_height = height;
    options.sort_window  = window;
    SlicedEll<PetscScalar, PetscScalar> ell(space, options);
    ell.build(csr);
    const EllEntries<PetscScalar> places = ell.entry_view();
    BOOST_TEST(places.br == bs);
    BOOST_TEST(!places.place_of == !window);
    Array<PetscScalar> direct(space, ell.stored());

    direct.zero();
    target.layout    = Layout::SlicedEll;
    target.val       = direct.data();
    target.shift     = places.A.shift;
    target.team      = places.team;
    target.slice_ptr = places.A.slice_ptr;
    target.place_of  = places.place_of;
    assemble_matrix(problem, mesh, upper, target);
    BOOST_TEST(gap(direct.to_host(), Array<PetscScalar>(space, places.val, ell.stored()).to_host()) <= rounding);
  }
  return val.to_host();
}

void add()
{
  const std::pair<const char *, Problem> problems[] = {{"diffusion", {EquationKind::Diffusion, 1}},
                                                       {"elasticity", {EquationKind::Elasticity, 3}},
                                                       {"mass", {EquationKind::Mass, 1}},
                                                       {"mass3", {EquationKind::Mass, 3}}};

  const std::pair<const char *, Box> boxes[] = {{"hex", {{6, 6, 6}, false, false, true}},
                                                {"tet", {{6, 6, 6}, true, false, false}},
                                                {"grid", {{6, 6, 6}, false, false, false}},
                                                {"long_grid", {{41, 3, 17}, false, false, false}},
                                                {"broad_grid", {{3, 47, 5}, false, false, false}}};

  for (const auto &of : boxes) {
    for (const auto &problem : problems) {
      for (const bool given : {false, true}) {
        goza_test::add_test(goza_test::suite_named(nullptr, of.first), std::string(problem.first) + (given ? "_given" : ""), [=] {
          Box box = of.second;

          box.some_given                      = given;
          const std::vector<PetscScalar> host = straight_into_formats(Space::Host, box, problem.second);

          if (default_space() == Space::Cuda) BOOST_TEST(gap(straight_into_formats(Space::Cuda, box, problem.second), host) <= 100 * PETSC_MACHINE_EPSILON);
        });
      }
    }
  }

  /* Large enough for warps that go through several rows and planes, with a rest of both; the reference is what the device makes of CSR, by tiles. */
  if (default_space() != Space::Cuda) return;
  for (const bool given : {false, true})
    goza_test::add_test(goza_test::suite_named(nullptr, "large_grid"), given ? "diffusion_given" : "diffusion", [=] {
      straight_into_formats(Space::Cuda, {{97, 83, 50}, false, given, false}, {EquationKind::Diffusion, 1});
    });
}
const goza_test::AddTests tests(add);

} // namespace
