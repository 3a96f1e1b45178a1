#include "bench_gallery.hpp"

namespace goza_test {
namespace {

std::vector<BenchMatrix> make()
{
  std::vector<BenchMatrix> g;
  const auto               irregular = [&](const char *name, const std::function<Sparse()> &f, PetscInt bs = 1) { g.push_back({name, true, f, bs}); };
  const auto               regular   = [&](const char *name, const std::function<Sparse()> &f, PetscInt bs = 1) { g.push_back({name, false, f, bs}); };
  const auto               tets      = [] { return on_grid(110, 110, 110, tetrahedra(), 0.8); };
  const auto               nodes     = [] { return on_grid(60, 60, 60, tetrahedra(), 0.8); };

  irregular("road", [] { return road(1600, 1250); });
  irregular("road_large", [] { return road(2500, 2000); });
  irregular("triangles", [] { return triangles(1400, 1400); });
  irregular("triangles_random", [] { return shuffled(triangles(1400, 1400), 3); });
  irregular("tets", tets);
  irregular("tets_random", [=] { return shuffled(tets(), 4); });
  irregular("tets_rcm", [=] {
    const Sparse A = shuffled(tets(), 4);
    return renumbered(A, reverse_cuthill_mckee(A));
  });
  irregular("circuit", [] { return circuit(1500000, 5, 100000, 0.1, 5); });
  irregular("circuit_large", [] { return circuit(3500000, 2, 150000, 0.02, 6); });
  irregular("web", [] { return web(2000000, 7); });
  irregular("rmat", [] { return rmat(20, 16, false, 8); });
  irregular("social", [] { return shuffled(rmat(19, 12, true, 9), 10); });
  irregular("small_world", [] { return small_world(1500000, 10, 11); });
  irregular(
    "structural_3x3", [=] { return in_blocks(nodes(), 3); }, 3);
  irregular(
    "structural_3x3_random", [=] { return in_blocks(shuffled(nodes(), 12), 3); }, 3);
  irregular(
    "structural_6x6", [] { return in_blocks(triangles(330, 330), 6); }, 6);
  irregular("clustered", [] { return clustered(72000, 40, 10, 6000, 13); });
  irregular("wide", [] { return scattered(300000, 2400000, 5, 60, 40000, 14); });
  irregular("tall", [] { return scattered(3000000, 300000, 1, 8, 300000, 15); });
  irregular("arrow", [] { return arrow(1000000, 5); });
  irregular("band", [] { return scattered(1000000, 1000000, 3, 24, 2000, 16); });
  irregular("kmer", [] { return kmer(4000000, 17); });
  irregular("log_normal", [] { return log_normal(400000, 2.8, 1.2, 18); });
  irregular("uniform_random", [] { return scattered(1000000, 1000000, 10, 10, 1000000, 19); });

  regular("tridiagonal", [] { return on_grid(4000000, 1, 1, steps(1, 1)); });
  regular("5-point", [] { return on_grid(1800, 1800, 1, steps(2, 1)); });
  regular("9-point", [] { return on_grid(1500, 1500, 1, steps(2, 2)); });
  regular("7-point", [] { return on_grid(140, 140, 140, steps(3, 1)); });
  regular("15-point", [] { return on_grid(110, 110, 110, tetrahedra()); });
  regular("19-point", [] { return on_grid(110, 110, 110, steps(3, 2)); });
  regular("27-point", [] { return stencil_27_points(110); });
  regular("27-point_small", [] { return stencil_27_points(40); });
  regular(
    "5-point_3x3", [] { return in_blocks(on_grid(600, 600, 1, steps(2, 1)), 3); }, 3);
  regular(
    "7-point_3x3", [] { return in_blocks(on_grid(70, 70, 70, steps(3, 1)), 3); }, 3);
  regular(
    "27-point_3x3", [] { return in_blocks(stencil_27_points(45), 3); }, 3);
  regular(
    "9-point_6x6", [] { return in_blocks(on_grid(220, 220, 1, steps(2, 2)), 6); }, 6);
  return g;
}

} // namespace

const std::vector<BenchMatrix> &bench_gallery()
{
  static const std::vector<BenchMatrix> gallery = make();
  return gallery;
}

} // namespace goza_test
