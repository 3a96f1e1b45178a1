/* Couplings of very different strengths: where the entries tell them, aggregates follow the strong ones with no option set, and where they do not nothing
   changes. */
#include "pc/saamg/setup/couplings.hpp"
#include "pc/saamg/setup/own_rows.hpp"
#include "../support/grid_case.hpp"
#include "../support/league.hpp"
#include "../support/mesh_case.hpp"
#include "../support/operators.hpp"
#include "../support/pc_case.hpp"
#include "../support/brick_elements.hpp"
#include "../support/spaces.hpp"

#include <petscdmda.h>
#include <algorithm>
#include <cmath>
#include <memory>

using namespace goza_test;

namespace {

goza::Couplings found(Mat A, goza::Space space)
{
  goza::OwnRows rows;

  PETSC_OK(rows.open(A, space));
  return goza::couplings_of(rows.A, *rows.columns, goza::row_facts(rows.A, *rows.columns));
}

PetscInt iterations(Mat A)
{
  const Solve s = solve(make_cg(A), A);

  BOOST_TEST(s.reason > 0, KSPConvergedReasons[s.reason]);
  return s.iterations;
}

/* P1 tetrahedra whose nodes were moved: obtuse angles, and off-diagonal entries of either sign. */
MatHandle tetrahedra(PetscReal wobble)
{
  const MeshCase mesh({"da_tet", false, true}, {"diffusion", GOZA_DIFFUSION, 1}, {9, 8, 7}, wobble);

  return textbook_assembly(mesh.dm, Elements(mesh.assembly), GOZA_DIFFUSION, 1, mesh.first, mesh.second);
}

Entry entry_of(const char *name, const Sparse &made)
{
  const auto A = std::make_shared<Sparse>(made);

  return {name, A->rows, A->rows, square | symmetric | full_diagonal | no_zero_pivots | nonempty, [A](PetscInt i, Row &r) {
            for (PetscInt p = A->ptr[i]; p < A->ptr[i + 1]; p++) r.add(A->col[p], PetscRealPart(A->val[p]));
          }};
}

/* P1 on the Delaunay mesh of random points, held near the floor. */
Entry slivers(PetscInt n, double factor = 1)
{
  return entry_of("slivers", p1_diffusion<3>(
                               delaunay<3>(random_points<3>(n, 1)), [=](const Place<3> &) { return factor; }, [](const Place<3> &x) { return x[2] < 0.05; }));
}

/* The Laplacian of a graph whose nodes are in random order, and a thousandth on the diagonal. */
Entry graph(const char *name, PetscInt n, const std::vector<Pair> &edges)
{
  const auto         number = random_numbering(n, 7);
  std::vector<Terms> rows(n);
  Sparse             A;

  for (PetscInt i = 0; i < n; i++) rows[i] = {{i, 1e-3}};
  for (const auto &[a, b] : edges) {
    for (const auto &[i, j] : {Pair{number[a], number[b]}, Pair{number[b], number[a]}}) {
      rows[i].emplace_back(i, 1.);
      rows[i].emplace_back(j, -1.);
    }
  }
  A.rows = A.cols = n;
  for (Terms &row : rows) add_row(A, row);
  return entry_of(name, A);
}

/* A square of crossings, with a node in the middle between two of them. */
Entry streets(PetscInt n)
{
  std::vector<Pair> edges;
  PetscInt          nodes = n * n;

  for (PetscInt i = 0; i < n * n; i++) {
    for (PetscInt j : {i % n + 1 < n ? i + 1 : -1, i + n < n * n ? i + n : -1}) {
      if (j < 0) continue;
      edges.push_back({i, nodes});
      edges.push_back({nodes++, j});
    }
  }
  return graph("streets", nodes, edges);
}

/* A node is joined to one of so many before it; a chain where that is one. */
Entry tree(PetscInt n, PetscInt reach)
{
  Random            random(3);
  std::vector<Pair> edges;

  for (PetscInt i = 1; i < n; i++) edges.push_back({i, std::max<PetscInt>(0, i - 1 - random.below(reach))});
  return graph("tree", n, edges);
}

} // namespace

BOOST_AUTO_TEST_CASE(few_iterations)
{
  const MatHandle stretched = assemble(stretched7(40, 40, 40, 1.15), MATAIJ), layers = assemble(stencil5(90, 80, 1e-3), MATAIJ);
  const PetscInt  of_stretched = iterations(stretched), of_layers = iterations(layers);

  BOOST_TEST(of_stretched <= 7);
  BOOST_TEST(of_layers <= 9);
  BOOST_TEST(says(make_pc(stretched), "% of its couplings are weak, and it is an M-matrix: strength threshold 0.08"));
  Option set("-pc_saamg_threshold", "0");
  BOOST_TEST(iterations(stretched) > 2 * of_stretched);
  BOOST_TEST(iterations(layers) > 2 * of_layers);
  BOOST_TEST(says(make_pc(stretched), "strength threshold 0.\n")); /* what is set stays */
}

BOOST_AUTO_TEST_CASE(found_in_the_entries)
{
  for (goza::Space space : spaces()) {
    const goza::Couplings layers = found(assemble(stencil5(30, 20, 1e-3), MATAIJ), space);

    BOOST_TEST(layers.anisotropic());
    BOOST_TEST(layers.rows == 600);
    BOOST_TEST(layers.edges == 2 * (29 * 20 + 30 * 19));
    BOOST_TEST(layers.weak >= 2 * 30 * 19); /* those between layers, and a few that chance made small */
    BOOST_TEST(layers.weak <= 2 * 30 * 20);
    BOOST_TEST(std::abs(layers.threshold() - 300. / 2300) < 1e-12);
    for (const Entry &e : {stencil5(30, 20), stencil7(9, 8, 7), stencil27(9, 8, 7), hubs(3000, 3)})
      BOOST_TEST(!found(assemble(e, MATAIJ), space).anisotropic(), e.name);
    for (PetscReal wobble : {0., 0.4}) BOOST_TEST(!found(tetrahedra(wobble), space).anisotropic(), wobble);
  }
}

/* Of a large matrix all rows are looked at where some of them say that it is not plain. */
BOOST_AUTO_TEST_CASE(found_in_some_rows)
{
  constexpr PetscInt nx = 1000, ny = 700;

  for (goza::Space space : spaces()) {
    const goza::Couplings some = found(assemble(stencil5(nx, ny), MATAIJ), space), all = found(assemble(stencil5(nx, ny, 1e-3), MATAIJ), space);

    BOOST_TEST(some.plain());
    BOOST_TEST(some.rows < nx * ny);
    BOOST_TEST(some.rows > nx * ny / 4);
    BOOST_TEST(std::abs(static_cast<double>(some.edges) / static_cast<double>(some.rows) - 4) < 0.01);
    BOOST_TEST(all.anisotropic());
    BOOST_TEST(all.rows == nx * ny);
    BOOST_TEST(all.edges == 2 * ((nx - 1) * ny + nx * (ny - 1)));
  }
}

/* Where entries are of both signs, aggregates follow large ones that are not of the diagonal's. */
BOOST_AUTO_TEST_CASE(entries_of_both_signs)
{
  const char *const sentence = "% of its couplings are of the diagonal's sign or below 0.35 of their row's largest: aggregates follow the others";

  const MatHandle A = assemble(slivers(6000), MATAIJ), negative = assemble(slivers(1000, -1), MATAIJ);
  const PetscInt  few = iterations(A);

  const MatHandle elements = assemble(entry_of("long elements", brick_diffusion<2>(
                                                                  even_bricks<2>({80, 80}, {1, 1}), 1,
                                                                  [](const Place<2> &) {
                                                                    return Tensor<2>{{{1, 0}, {0, 1e-2}}};
                                                                  },
                                                                  [](const Place<2> &x) { return x[0] == 0; })),
                                      MATAIJ);

  BOOST_TEST(iterations(elements) <= 6);
  BOOST_TEST(says(make_pc(elements), sentence));
  BOOST_TEST(few <= 36);
  BOOST_TEST(says(make_pc(A), sentence));
  BOOST_TEST(says(make_pc(negative), sentence));
  for (const Entry &e : {stencil7(9, 8, 7), stencil27(9, 8, 7), hubs(3000, 3)}) BOOST_TEST(!says(make_pc(assemble(e, MATAIJ)), sentence), e.name);
  Option set("-pc_saamg_threshold", "0");
  BOOST_TEST(!says(make_pc(A), sentence)); /* what is set stays */
  BOOST_TEST(iterations(A) > few);
  BOOST_TEST(iterations(elements) > 24);
}

/* At an angle of 30 degrees strong entries lead along two directions, aggregates are as wide as boxes, and interpolation is smoothed by strong entries twice.
   Smoothed so once: 31 iterations. */
BOOST_AUTO_TEST_CASE(strong_entries_at_an_angle)
{
  const char *const sentence = "level 0 has few entries a row, and wide aggregates along strong ones: interpolation is smoothed by a polynomial of degree 2";
  const auto        turned   = [](double weak, double angle) {
    const double c = std::cos(angle), s = std::sin(angle);

    return assemble(entry_of("turned", brick_diffusion<2>(
                                         even_bricks<2>({90, 90}, {1, 1}), 1,
                                         [=](const Place<2> &) {
                                           return Tensor<2>{{{c * c + weak * s * s, (1 - weak) * c * s}, {(1 - weak) * c * s, s * s + weak * c * c}}};
                                         },
                                         [](const Place<2> &x) { return x[0] == 0; })),
                             MATAIJ);
  };

  BOOST_TEST(iterations(turned(1e-3, M_PI / 6)) <= 14);
  BOOST_TEST(says(make_pc(turned(1e-3, M_PI / 6)), sentence));
  BOOST_TEST(!says(make_pc(turned(1e-2, 0)), sentence)); /* lines */
}

/* Along an axis interpolation keeps to lines, however weak the entries across are: smoothed with whole operators, CG takes 37 iterations with a thousandth. */
BOOST_AUTO_TEST_CASE(weak_entries_along_an_axis)
{
  for (double weak : {1e-2, 1e-3, 1e-5}) {
    const MatHandle A = assemble(entry_of("long elements", brick_diffusion<2>(
                                                             even_bricks<2>({90, 90}, {1, 1}), 1,
                                                             [=](const Place<2> &) {
                                                               return Tensor<2>{{{1, 0}, {0, weak}}};
                                                             },
                                                             [](const Place<2> &x) { return x[0] == 0; })),
                                 MATAIJ);

    BOOST_TEST(iterations(A) <= (weak < 1e-4 ? 9 : 6), weak);
  }
}

/* Where rows have few entries, or those that are not weak are few, interpolation is smoothed a second time within its pattern. Smoothed once: 9 and 44. */
BOOST_AUTO_TEST_CASE(few_entries_a_row)
{
  const char *const sentence = "entries a row that are not weak: interpolation is smoothed a second time within its pattern";
  const MatHandle   plane = assemble(stencil5(90, 90), MATAIJ), space = assemble(stencil7(20, 20, 20), MATAIJ), both = assemble(slivers(8000), MATAIJ);

  BOOST_TEST(iterations(plane) <= 7);
  BOOST_TEST(iterations(both) <= 41);
  for (Mat A : {(Mat)plane, (Mat)space, (Mat)both}) BOOST_TEST(says(make_pc(A), sentence));
  for (Mat A : {(Mat)plane, (Mat)space}) BOOST_TEST(says(make_pc(A), "level 1 has")); /* below, too, but where entries are weak */
  BOOST_TEST(!says(make_pc(both), "level 1 has"));
  for (const Entry &e : {stencil27(9, 8, 7), elasticity(6, 5, 4)}) BOOST_TEST(!says(make_pc(assemble(e, MATAIJ)), sentence), e.name);
  BOOST_TEST(iterations(assemble(hubs(3000, 3), MATAIJ)) <= 4); /* smoothed or not, the aggregates being larger */
  const Option paper("-pc_saamg_paper", "darcy");

  BOOST_TEST(!says(make_pc(plane), sentence));
}

/* Where nodes have two or three neighbours it is smoothed further, but where the next level would fill up. Smoothed once: 8 and 8. */
BOOST_AUTO_TEST_CASE(few_neighbours)
{
  const char *const sentence = "few entries a row: interpolation is smoothed by a polynomial of degree";
  const MatHandle   along = assemble(tree(8000, 1), MATAIJ), across = assemble(streets(52), MATAIJ), branching = assemble(tree(8000, 200), MATAIJ);

  BOOST_TEST(iterations(along) <= 7);
  BOOST_TEST(iterations(across) <= 6);
  BOOST_TEST(iterations(branching) <= 11);
  BOOST_TEST(says(make_pc(along), std::string(sentence) + " 3"));
  BOOST_TEST(says(make_pc(across), std::string(sentence) + " 2"));
  for (const Entry &e : {tree(8000, 200), stencil5(30, 20, 1), hubs(3000, 3)}) BOOST_TEST(!says(make_pc(assemble(e, MATAIJ)), sentence), e.name);
}

/* On a grid in space they do so only where its points are far denser along one axis than along the others. */
BOOST_AUTO_TEST_CASE(entries_of_both_signs_on_a_grid)
{
  PetscMPIInt size;

  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  if (size > 1) return; /* whose rows would have to be the grid's parts */
  for (PetscInt dense : {16, 160}) {
    const MatHandle A = assemble(entry_of("unequal bricks", brick_diffusion<3>(
                                                              even_bricks<3>({dense, 12, 11}, {1, 1, 1}), 1,
                                                              [](const Place<3> &) {
                                                                return Tensor<3>{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
                                                              },
                                                              [](const Place<3> &) { return false; }, 1)),
                                 MATAIJ);
    DMHandle        da;

    BOOST_TEST(says(make_pc(A), "of the diagonal's sign")); /* nobody knows of the grid */
    PETSC_OK(DMDACreate3d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_BOX, dense + 1, 13, 12, 1, 1, 1, 1, 1, NULL,
                          NULL, NULL, da.put()));
    PETSC_OK(DMSetUp(da));
    PETSC_OK(MatSetDM(A, da));
    BOOST_TEST(says(make_pc(A), "of the diagonal's sign") == (dense == 160), dense);
  }
}

/* Where coarse operators are as large as the matrix and rows outweigh their diagonals, the finest level's polynomial is of a higher degree: up to the bound of
   the spectrum, beyond which such a one would grow. */
BOOST_AUTO_TEST_CASE(degrees_on_slivers)
{
  const MatHandle A = assemble(slivers(4000), MATAIJ);

  BOOST_TEST(says(make_pc(A), ", 3.2]"));
  const PetscInt its = iterations(A);
  const Option   set("-pc_saamg_finest_chebyshev_degree", "3");
  BOOST_TEST(its <= 13);
  BOOST_TEST(its < iterations(A), its);
}

/* Beside slivers interpolation is relaxed further in the few rows that hold most of its energy, and below it keeps few entries a row where it could not be
   smoothed otherwise. */
BOOST_AUTO_TEST_CASE(costly_rows_of_slivers)
{
  BOOST_TEST(iterations(assemble(slivers(8000), MATAIJ)) <= 20);
  BOOST_TEST(iterations(assemble(slivers(20000), MATAIJ)) <= 24);
}

static MatHandle of_league(const char *name)
{
  const auto found_by = [name](const LeagueProblem &p) { return p.name == name; };

  return assemble(entry_of(name, std::find_if(league().begin(), league().end(), found_by)->make(1).A), MATAIJ);
}

/* Aggregates of slivers follow couplings that elsewhere are weak, and are larger: operators have fewer entries. */
BOOST_AUTO_TEST_CASE(aggregates_of_slivers)
{
  for (const char *name : {"slivers_jump", "slivers_graded"}) {
    const MatHandle A = of_league(name);

    BOOST_TEST(says(make_pc(A), "follow couplings from 0.15 of"));
    BOOST_TEST(iterations(A) <= 23, name);
  }
}

/* Where a few triangles are nearly flat the nodes whose errors outlast smoothing are aggregates of their own, on meshes whose other entries are all of one
   sign, too. */
BOOST_AUTO_TEST_CASE(lasting_rows)
{
  for (const char *name : {"triangles_lognormal", "triangles_p2"}) {
    const MatHandle A = of_league(name);

    BOOST_TEST(says(make_pc(A), "whose errors outlast smoothing"));
    BOOST_TEST(iterations(A) <= 28, name);
  }
  BOOST_TEST(!says(make_pc(assemble(stencil27(12, 12, 12), MATAIJ)), "outlast"));
}

/* And of one more where the levels below take long beside the finest, as those of 27 points do not. */
BOOST_AUTO_TEST_CASE(degrees_by_the_levels_below)
{
  BOOST_TEST(says(make_pc(assemble(stencil27(12, 12, 12), MATAIJ)), "of degree 3 on"));
  for (const Entry &e : {stencil7(12, 12, 12), stencil5(40, 40, 1e-3), stretched7(16, 16, 16, 1.4)}) {
    const MatHandle A = assemble(e, MATAIJ);

    BOOST_TEST(says(make_pc(A), "of degree 4 on"), e.name);
    const PetscInt its = iterations(A);
    const Option   set("-pc_saamg_finest_chebyshev_degree", "3");
    BOOST_TEST(its <= iterations(A), e.name);
  }
}

/* Along lines of strong couplings, where a third of the rows is left on each level, two corrections of lesser degree on the finest one leave less than one. */
BOOST_AUTO_TEST_CASE(corrections_along_lines)
{
  const auto        found_by = [](const LeagueProblem &p) { return p.name == "stretched_elements"; };
  const MatHandle   A        = assemble(entry_of("stretched", std::find_if(league().begin(), league().end(), found_by)->make(0).A), MATAIJ);
  const std::string found    = viewed(make_pc(A));

  BOOST_TEST(found.find("two coarse corrections on level 0") != std::string::npos, found);
  BOOST_TEST(found.find("degree 3 on") != std::string::npos, found);
  const PetscInt its = iterations(A);
  const Option   set("-pc_saamg_finest_chebyshev_degree", "4");
  BOOST_TEST(its + 2 <= iterations(A), its);
}

/* Where rows are too long for interpolation to be smoothed more is the smoother's. */
BOOST_AUTO_TEST_CASE(degrees_beside_hubs)
{
  const MatHandle A = assemble(hubs(25000, 4), MATAIJ);

  BOOST_TEST(says(make_pc(A), "rows too long for its interpolation to be smoothed"));
  BOOST_TEST(says(make_pc(A), "degree 5 on"));
  BOOST_TEST(!says(make_pc(A), "two coarse corrections"));
}

/* Finite volumes with cells that conduct a million times as well as others: aggregates do not reach across. */
BOOST_AUTO_TEST_CASE(jumps_of_coefficients)
{
  const auto      k = [](const Place<3> &x) { return std::cos(14 * x[0]) * std::cos(13 * x[1]) * std::cos(15 * x[2]) > 0.3 ? 1e6 : 1.; };
  const MatHandle A = assemble(entry_of("balls", brick_volumes<3>(
                                                   even_bricks<3>({16, 16, 16}, {1, 1, 1}), [=](int, const Place<3> &x) { return k(x); },
                                                   [](int, bool) { return true; })),
                               MATAIJ);
  constexpr const char
    *sentence = "% of its couplings are as nothing beside the diagonals, as where coefficients jump, and it is an M-matrix: strength threshold 0.02";

  BOOST_TEST(says(make_pc(A), sentence));
  BOOST_TEST(iterations(A) <= 8);
  for (const Entry &e : {stencil7(9, 8, 7), stencil27(9, 8, 7), stencil5(30, 20, 1e-3)})
    BOOST_TEST(!says(make_pc(assemble(e, MATAIJ)), "as where coefficients jump"), e.name);
  Option set("-pc_saamg_threshold", "0");
  BOOST_TEST(iterations(A) > 24);
}

/* Small jumps show where there is nothing between the couplings across and the others; a field that varies from cell to cell has all of them. */
BOOST_AUTO_TEST_CASE(small_jumps_of_coefficients)
{
  const auto volumes = [](const std::function<PetscReal(const Place<3> &)> &k) {
    return assemble(entry_of("cubes", brick_volumes<3>(
                                        even_bricks<3>({32, 32, 32}, {1, 1, 1}), [=](int, const Place<3> &x) { return k(x); }, [](int, bool) { return true; })),
                    MATAIJ);
  };
  const auto number = [](const Place<3> &x, int cells) {
    return static_cast<std::int64_t>(cells * x[0]) + cells * (static_cast<std::int64_t>(cells * x[1]) + cells * static_cast<std::int64_t>(cells * x[2]));
  };

  for (PetscReal contrast : {100., 1000.}) {
    const MatHandle A = volumes([=](const Place<3> &x) { return goza::hash62(number(x, 8)) % 2 ? contrast : 1; });

    BOOST_TEST(says(make_pc(A), "as where coefficients jump"), contrast);
    const PetscInt its = iterations(A);
    Option         set("-pc_saamg_threshold", "0");
    BOOST_TEST(4 * its <= 3 * iterations(A), its);
  }
  BOOST_TEST(!says(make_pc(volumes([=](const Place<3> &x) { return std::exp(4. * static_cast<double>(goza::hash62(number(x, 32)) % 1000) / 1000); })),
                   "as where coefficients jump"));
  MatHandle step = volumes([](const Place<3> &) { return 1; }); /* of time, in which diagonals outweigh all couplings */
  PetscReal largest;

  PETSC_OK(MatNorm(step, NORM_INFINITY, &largest));
  PETSC_OK(MatShift(step, 2 * largest));
  BOOST_TEST(!says(make_pc(step), "as where coefficients jump"));
}

/* Cells by chance, each by itself or eight together. The couplings across are where they are, whatever the contrast: the threshold is in the middle between
   them and the others. What an aggregate has across grows from level to level: the threshold stays where it is, or the iterations would be half as many more.
   */
BOOST_AUTO_TEST_CASE(cells_of_another_coefficient)
{
  const auto cells = [](PetscInt points, PetscInt along, double share, double contrast) {
    return assemble(entry_of("cells", brick_volumes<3>(
                                        even_bricks<3>({points, points, points}, {1, 1, 1}),
                                        [=](int, const Place<3> &x) {
                                          const auto at = [&](int d) { return static_cast<std::int64_t>(static_cast<double>(along) * x[d]); };

                                          return static_cast<double>(goza::hash62(at(0) + along * (at(1) + along * at(2))) % 1000) < 1000 * share ? contrast
                                                                                                                                                  : 1.;
                                        },
                                        [](int, bool) { return true; })),
                    MATAIJ);
  };

  BOOST_TEST(iterations(cells(24, 24, 0.2, 1e4)) <= 11);
  BOOST_TEST(iterations(cells(24, 12, 0.2, 1e4)) <= 11);
}

/* Cells by chance over six decades: a node is with the one that it is coupled with most, since a root with all its neighbours cuts through couplings that
   outweigh all others. */
BOOST_AUTO_TEST_CASE(couplings_of_all_sizes)
{
  const auto cells = [](double decades) {
    return assemble(entry_of("cells", brick_volumes<2>(
                                        even_bricks<2>({80, 80}, {1, 1}),
                                        [=](int, const Place<2> &x) {
                                          const auto at = [&](int d) { return static_cast<std::uint64_t>(80 * x[d]); };

                                          return std::pow(10., decades * static_cast<double>(goza::hash62(at(0) + 80 * at(1)) % 1000) / 1000);
                                        },
                                        [](int, bool) { return true; })),
                    MATAIJ);
  };
  const char *const sentence = "aggregates follow each row's largest";

  const MatHandle A = cells(6);

  BOOST_TEST(says(make_pc(A), sentence));
  const PetscInt its = iterations(A);
  BOOST_TEST(its <= 20);
  BOOST_TEST(iterations(cells(3.5)) <= 12);
  BOOST_TEST(says(make_pc(cells(3.5)), "aggregates follow each row's largest, strength threshold 0"));
  BOOST_TEST(!says(make_pc(cells(1)), sentence));
  for (const Entry &e : {stencil7(9, 8, 7), stencil5(30, 20, 1e-3), stretched7(12, 12, 12, 1.4)})
    BOOST_TEST(!says(make_pc(assemble(e, MATAIJ)), sentence), e.name);
  Option set("-pc_saamg_threshold", "0.02");
  BOOST_TEST(!says(make_pc(A), sentence));
  BOOST_TEST(2 * iterations(A) > 3 * its);
}

/* Row by row, by what each number says of a row: all couplings alike, of three sizes, one of the diagonal's sign, one smaller than the others. */
BOOST_AUTO_TEST_CASE(couplings_are_counted)
{
  constexpr PetscInt n = 60, reach = 3;
  constexpr int      cuts  = goza::Couplings::cuts;
  const auto         value = [](PetscInt i, PetscInt k) -> PetscReal {
    if (k == 0) return 5;
    if (i % 4 == 1) return -PetscPowRealInt(10, -static_cast<int>(PetscAbsInt(k)));
    return k == 2 && i % 4 == 2 ? 0.3 : k == 3 && i % 4 == 3 ? -0.3 : -1;
  };
  const Entry  rows{"rows", n, n, square | full_diagonal | no_zero_pivots | nonempty, [=](PetscInt i, Row &r) {
                     for (PetscInt k = -reach; k <= reach; k++)
                       if (i + k >= 0 && i + k < n) r.add(i + k, value(i, k));
                   }};
  std::int64_t weak = 0, minor = 0, below[cuts] = {};

  for (PetscInt i = 0; i < n; i++) {
    PetscReal  sum = 0, largest = 0;
    int        edges = 0;
    const auto each  = [&](auto f) {
      for (PetscInt k = -reach; k <= reach; k++)
        if (k && i + k >= 0 && i + k < n) f(value(i, k));
    };

    each([&](PetscReal a) {
      edges++;
      sum += PetscAbsReal(a);
      if (a < 0) largest = PetscMax(largest, -a);
    });
    each([&](PetscReal a) {
      weak += PetscAbsReal(a) < sum / (2 * edges);
      minor += a > 0 || -a < goza::Couplings::strong_share * largest;
      for (int k = 0; k < cuts; k++) below[k] += PetscAbsReal(a) / 5 * edges < goza::Couplings::cut(k);
    });
  }
  for (goza::Space space : spaces()) {
    const goza::Couplings c = found(assemble(rows, MATAIJ), space);

    BOOST_TEST(c.rows == n);
    BOOST_TEST(c.weak == weak);
    BOOST_TEST(c.minor == minor);
    for (int k = 0; k < cuts; k++) BOOST_TEST(c.below[k] == below[k], k);
  }
}

/* With new values in an old pattern the aggregates stay, or follow. */
BOOST_AUTO_TEST_CASE(anew_with_new_values)
{
  for (const char *reuse : {"none", "pattern", "interpolation"}) {
    Option    kept("-pc_saamg_reuse", reuse);
    MatHandle A   = assemble(stencil5(60, 60, 1e-3), MATAIJ);
    KSPHandle ksp = make_cg(A);
    PC        pc;

    PETSC_OK(KSPGetPC(ksp, &pc));
    BOOST_TEST(solve(ksp, A).reason > 0);
    fill(stencil5(60, 60), A);
    PETSC_OK(KSPSetOperators(ksp, A, A));
    BOOST_TEST(solve(ksp, A).reason > 0);
    BOOST_TEST(says(pc, "strength threshold 0.\n") == (std::string(reuse) == "none"));
  }
}
