#include "study_gallery.hpp"

#include <algorithm>
#include <cmath>

namespace goza_test {
namespace {

using Maker = std::function<Sparse(double entries, std::uint64_t seed)>; /* about so many entries */

PetscInt side(double points, int dimensions) { return std::max<PetscInt>(3, (PetscInt)std::lround(std::pow(points, 1.0 / dimensions))); }

PetscInt rows(double entries, double in_a_row) { return std::max<PetscInt>(64, (PetscInt)(entries / in_a_row)); }

Sparse cube(double points, const Offsets &offsets, double probability = 1)
{
  const PetscInt n = side(points, 3);

  return on_grid(n, n, n, offsets, probability);
}

Sparse square_grid(double points, const Offsets &offsets, double probability = 1)
{
  const PetscInt n = side(points, 2);

  return on_grid(n, n, 1, offsets, probability);
}

/* Within two steps in each direction: 125 points */
Offsets two_steps()
{
  Offsets all;

  for (PetscInt z = -2; z <= 2; z++)
    for (PetscInt y = -2; y <= 2; y++)
      for (PetscInt x = -2; x <= 2; x++) all.push_back({x, y, z});
  return all;
}

/* Two kinds of unknowns: a grid's 27 points and, for every row, a few entries of constraints far away, as of a coupled problem */
Sparse coupled(double points, std::uint64_t seed)
{
  const Sparse      A = cube(points, steps(3, 3));
  Random            random(seed);
  std::vector<Pair> pairs;
  const PetscInt    n = A.rows, m = std::max<PetscInt>(1, n / 10);

  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt k = A.ptr[i]; k < A.ptr[i + 1]; k++) pairs.push_back({i, A.col[k]});
    for (int k = 0; k < 2; k++) {
      const PetscInt j = n + random.below(m);
      pairs.push_back({i, j});
      pairs.push_back({j, i});
    }
  }
  return from_pairs(n + m, n + m, pairs);
}

/* A grid's points and links between rows anywhere, which are on no diagonal: one of four rows has two */
Sparse linked(const Sparse &grid, std::uint64_t seed)
{
  Random            random(seed);
  std::vector<Pair> pairs;

  for (PetscInt i = 0; i < grid.rows; i++) {
    for (PetscInt k = grid.ptr[i]; k < grid.ptr[i + 1]; k++) pairs.push_back({i, grid.col[k]});
    for (int k = 0; i % 4 == 0 && k < 2; k++) {
      const PetscInt j = random.below(grid.rows);
      pairs.push_back({i, j});
      pairs.push_back({j, i});
    }
  }
  return from_pairs(grid.rows, grid.rows, pairs);
}

/* The entries of both */
Sparse together(const Sparse &A, const Sparse &B)
{
  std::vector<Pair> pairs;

  for (const Sparse *one : {&A, &B}) {
    for (PetscInt i = 0; i < one->rows; i++) {
      for (PetscInt k = one->ptr[i]; k < one->ptr[i + 1]; k++) pairs.push_back({i, one->col[k]});
    }
  }
  return from_pairs(A.rows, A.cols, pairs);
}

std::vector<StudyMatrix> make()
{
  static constexpr double  sizes[] = {4e4, 2.5e5, 1.5e6, 6e6, 1.8e7};
  std::vector<StudyMatrix> g;
  const auto               add = [&](Role role, const char *family, const Maker &maker) {
    for (int s = 0; s < 5; s++) {
      const std::uint64_t seed    = 1000 + 10 * g.size();
      const double        entries = sizes[s] * (0.7 + 0.06 * (double)(g.size() * 7 % 11)); /* the families do not meet at the same sizes */

      g.push_back({std::string(family) + "_" + std::to_string(s + 1), family, role, [=] { return maker(entries, seed); }});
    }
  };
  const auto fit    = [&](const char *family, const Maker &maker) { add(Role::Fit, family, maker); };
  const auto report = [&](const char *family, const Maker &maker) { add(Role::Report, family, maker); };
  const auto p3     = [&](const char *name, const std::function<Sparse()> &f) { g.push_back({name, "p3", Role::P3, f}); };

  fit("27-point", [](double e, auto) { return cube(e / 27, steps(3, 3)); });
  fit("5-point", [](double e, auto) { return square_grid(e / 5, steps(2, 1)); });
  fit("tets", [](double e, auto) { return cube(e / 12.2, tetrahedra(), 0.8); });
  fit("tets_shuffled", [](double e, auto seed) { return shuffled(cube(e / 12.2, tetrahedra(), 0.8), seed); });
  fit("road", [](double e, auto) { return road(side(e / 2.8, 2), side(e / 2.8, 2)); });
  fit("circuit", [](double e, auto seed) { return circuit(rows(e, 4.1), 4, rows(e, 60), 0.1, seed); });
  fit("rmat", [](double e, auto seed) { return rmat((int)std::lround(std::log2(e / 14)), 16, false, seed); });
  fit("structural_3x3", [](double e, auto) { return in_blocks(cube(e / 110, tetrahedra(), 0.8), 3); });
  fit("clustered", [](double e, auto seed) { return clustered(rows(e, 150), 28, 10, 4000, seed); });
  fit("band", [](double e, auto seed) { return scattered(rows(e, 13.5), rows(e, 13.5), 3, 24, 2000, seed); });
  fit("log_normal", [](double e, auto seed) { return log_normal(rows(e, 33), 2.8, 1.2, seed); });
  fit("uniform_random", [](double e, auto seed) { return scattered(rows(e, 10), rows(e, 10), 10, 10, rows(e, 10), seed); });
  fit("dense_rows", [](double e, auto seed) { return scattered(rows(e, 400), rows(e, 400), 300, 500, 4000, seed); });

  report("tridiagonal", [](double e, auto) { return on_grid(rows(e, 3), 1, 1, steps(1, 1)); });
  report("7-point", [](double e, auto) { return cube(e / 7, steps(3, 1)); });
  report("9-point", [](double e, auto) { return square_grid(e / 9, steps(2, 2)); });
  report("19-point", [](double e, auto) { return cube(e / 19, steps(3, 2)); });
  report("27-point_gaps", [](double e, auto) { return cube(e / 17, steps(3, 3), 0.6); });
  report("27-point_3x3", [](double e, auto) { return in_blocks(cube(e / 243, steps(3, 3)), 3); });
  report("triangles", [](double e, auto) { return triangles(side(e / 7, 2), side(e / 7, 2)); });
  report("triangles_shuffled", [](double e, auto seed) { return shuffled(triangles(side(e / 7, 2), side(e / 7, 2)), seed); });
  report("tets_rcm", [](double e, auto seed) {
    const Sparse A = shuffled(cube(e / 12.2, tetrahedra(), 0.8), seed);
    return renumbered(A, reverse_cuthill_mckee(A));
  });
  report("structural_6x6", [](double e, auto) { return in_blocks(triangles(side(e / 250, 2), side(e / 250, 2)), 6); });
  report("web", [](double e, auto seed) { return web(rows(e, 5), seed); });
  report("social", [](double e, auto seed) { return shuffled(rmat((int)std::lround(std::log2(e / 20)), 12, true, seed), seed + 1); });
  report("small_world", [](double e, auto seed) { return small_world(rows(e, 10), 10, seed); });
  report("kmer", [](double e, auto seed) { return kmer(rows(e, 2), seed); });
  report("wide", [](double e, auto seed) { return scattered(rows(e, 32), rows(e, 4), 5, 60, rows(e, 400), seed); });
  report("tall", [](double e, auto seed) { return scattered(rows(e, 4.5), rows(e, 45), 1, 8, rows(e, 45), seed); });
  report("arrow", [](double e, auto) { return arrow(rows(e, 11), 5); });
  report("coupled", [](double e, auto seed) { return coupled(e / 31, seed); });

  /* Rows and entries are the real ones' to within 3 per cent; the structure is that of the class which the collection names, with what the paper finds special
     of each (test/locality/stand_ins.cxx). */
  p3("crankseg_2", [] { return in_blocks(on_grid(28, 28, 27, two_steps(), 0.675), 3); }); /* 63838 rows, 14.1e6: structural, solid */
  p3("nd24k", [] { return clustered(72000, 28, 29, 3000, 31); }); /* 72000, 28.7e6: 3-D mesh, long rows of long runs, elsewhere in the next row */
  /* Botonakis' FEM_3D_thermal2: 147900, 3.5e6: steady thermal, 3-D, unstructured */
  p3("thermal2", [] { return shuffled(on_grid(52, 53, 54, steps(3, 3), 0.9), 32, 2048); });
  p3("hood", [] { return in_blocks(on_grid(271, 271, 1, two_steps(), 0.645), 3); });             /* 220542, 10.8e6: shell, 3 unknowns a node */
  p3("F1", [] { return in_blocks(shuffled(on_grid(49, 49, 48, steps(3, 3), 0.99), 33), 3); });   /* 343791, 26.8e6: structural, numbered badly */
  p3("msdoor", [] { return in_blocks(on_grid(372, 372, 1, two_steps(), 0.64), 3); });            /* 415863, 20.2e6: shell */
  p3("rajat29", [] { return circuit(643994, 17, 70000, 0.1, 34); });                             /* 643994, 4.9e6: circuit */
  p3("ASIC_680ks", [] { return shuffled(circuit(682712, 0, 0, 0.05, 35, 0.81), 36, 4096); });    /* 682712, 2.3e6: circuit, dense rows taken off */
  p3("apache2", [] { return on_grid(299, 299, 8, steps(3, 1)); });                               /* 715176, 4.8e6: 3-D finite differences */
  p3("ldoor", [] { return in_blocks(on_grid(563, 563, 1, two_steps(), 0.64), 3); });             /* 952203, 46.5e6: shell */
  p3("webbase-1M", [] { return web(1000005, 37, 2.3, 0.9); });                                   /* 1000005, 3.1e6: web, many pages of one template */
  p3("delaunay_n20", [] { return without_diagonal(shuffled(triangles(1024, 1024), 38, 128)); }); /* 1048576, 6.3e6: Delaunay, a graph */
  p3("roadNet-TX", [] { return road(1200, 1161); });                                             /* 1393383, 3.8e6: roads */
  p3("roadNet-CA", [] { return road(1404, 1404); });                                             /* 1971281, 5.5e6: roads */
  p3("Hamrle3", [] { return pieces_of_diagonals(1447360, 3.81, 12, 90000, 39); }); /* 1447360, 5.5e6: circuit, its entries far apart on pieces of diagonals */
  p3("G3_circuit", [] { return shuffled(on_grid(1260, 1258, 1, steps(2, 1), 0.96), 40, 64); }); /* 1585478, 7.7e6: circuit like a plane grid */
  /* After the others, whose seeds and sizes go by their place: matrices with a remainder beside their diagonals, and with blocks */
  fit("linked", [](double e, auto seed) { return linked(square_grid(e / 6, steps(2, 1)), seed); });
  fit("7-point_and_corners", [](double e, auto) { return together(cube(e / 15, steps(3, 1)), cube(e / 15, steps(3, 3), 0.4)); });
  fit("7-point_3x3", [](double e, auto) { return in_blocks(cube(e / 63, steps(3, 1)), 3); });
  fit("9-point_6x6", [](double e, auto) { return in_blocks(square_grid(e / 324, steps(2, 2)), 6); });
  return g;
}

} // namespace

const char *role_name(Role role) { return role == Role::Fit ? "fit" : role == Role::Report ? "report" : "p3"; }

const std::vector<StudyMatrix> &study_gallery()
{
  static const std::vector<StudyMatrix> gallery = make();
  return gallery;
}

} // namespace goza_test
