#include "league_groups.hpp"

#include <algorithm>

namespace goza_test {
namespace {

/* Each square or cube of a grid in the simplices around its diagonal (Kuhn), inner nodes moved by up to `wobble` of an edge: good shapes. grade: x becomes
   x^grade. */
template <int D> Simplices<D> good_mesh(PetscInt side, double wobble, double grade = 1)
{
  Simplices<D>            mesh;
  Random                  random(3);
  PetscInt                total = 1, step[D];
  std::array<PetscInt, D> at{}, axes;

  for (int d = 0; d < D; d++) {
    step[d] = total;
    axes[d] = d;
    total *= side;
  }
  for (PetscInt p = 0; p < total; p++) {
    Place<D> x;

    for (int d = 0; d < D; d++) {
      const PetscInt k     = p / step[d] % side;
      const double   moved = (random.uniform() - 0.5) * 2 * wobble;

      at[d] = k;
      x[d]  = std::pow((static_cast<double>(k) + (k > 0 && k < side - 1 ? moved : 0)) / static_cast<double>(side - 1), grade);
    }
    mesh.points.push_back(x);
    if (*std::max_element(at.begin(), at.end()) == side - 1) continue;
    std::sort(axes.begin(), axes.end());
    do {
      std::array<PetscInt, D + 1> cell{p};

      for (int d = 0; d < D; d++) cell[d + 1] = cell[d] + step[axes[d]];
      mesh.cells.push_back(cell);
    } while (std::next_permutation(axes.begin(), axes.end()));
  }
  return mesh;
}

template <int D> Simplices<D> slivers(int size, double grade = 1)
{
  std::vector<Place<D>> points = random_points<D>(D == 3 ? nodes(size) : side(2, size) * side(2, size), 1);

  for (Place<D> &x : points)
    for (double &at : x) at = std::pow(at, grade);
  return delaunay<D>(points);
}

template <int D> bool near_floor(const Place<D> &x) { return x[D - 1] < 0.05; }

template <int D> double chequers(const Place<D> &x, double jump)
{
  int sum = 0;

  for (double at : x) sum += static_cast<int>(4 * at);
  return sum % 2 ? jump : 1;
}

} // namespace

void add_simplices(Problems &all)
{
  const auto add = [&](const char *group, const char *name, Family family, std::function<Sparse(int)> A) {
    all.push_back({group, name, "cg", family, [A](int size) { return scalar(A(size)); }});
  };
  const auto lognormal = [](const Place<2> &x) { return std::exp(2 * waves<2>(x, 5)); };

  add("good simplices", "p1_triangles", Family::tuned, [](int s) { return p1_diffusion<2>(good_mesh<2>(side(2, s), 0.2), one<2>, on_wall<2>); });
  add("good simplices", "p1_tetrahedra", Family::tuned, [](int s) { return p1_diffusion<3>(good_mesh<3>(side(3, s), 0.15), one<3>, on_floor<3>); });
  add("good simplices", "p1_tetrahedra_graded", Family::reported, [](int s) { return p1_diffusion<3>(good_mesh<3>(side(3, s), 0.1, 2), one<3>, on_wall<3>); });
  add("good simplices", "p2_triangles", Family::reported, [](int s) { return p2_diffusion<2>(good_mesh<2>(side(2, s) / 2, 0.2), one<2>, on_wall<2>); });
  add("good simplices", "p2_tetrahedra", Family::reported, [](int s) { return p2_diffusion<3>(good_mesh<3>(side(3, s) / 2, 0.15), one<3>, on_wall<3>); });
  add("good simplices", "p1_tetrahedra_jump", Family::reported, [](int s) {
    return p1_diffusion<3>(
      good_mesh<3>(side(3, s), 0.15), [](const Place<3> &x) { return chequers<3>(x, 1e4); }, on_floor<3>);
  });

  add("slivers", "slivers", Family::tuned, [](int s) { return p1_diffusion<3>(slivers<3>(s), one<3>, near_floor<3>); });
  add("slivers", "slivers_jump", Family::tuned, [](int s) {
    return p1_diffusion<3>(
      slivers<3>(s), [](const Place<3> &x) { return chequers<3>(x, 1e4); }, near_floor<3>);
  });
  add("slivers", "slivers_graded", Family::reported, [](int s) { return p1_diffusion<3>(slivers<3>(s, 2), one<3>, near_floor<3>); });
  add("slivers", "slivers_spread", Family::reported,
      [](int s) { return p1_diffusion<3>(delaunay<3>(spread_points<3>(side(3, s), 2)), one<3>, near_floor<3>); });
  add("slivers", "triangles_lognormal", Family::reported, [=](int s) { return p1_diffusion<2>(slivers<2>(s), lognormal, near_floor<2>); });
  add("slivers", "triangles_p2", Family::reported,
      [](int s) { return p2_diffusion<2>(delaunay<2>(random_points<2>(side(2, s) * side(2, s) / 4, 4)), one<2>, near_floor<2>); });

  const auto add_solid = [&](const char *name, Family family, std::function<LeagueMatrix(int)> make) {
    all.push_back({"elasticity, simplices", name, "cg", family, make});
  };
  const auto on_slivers = [](int size, double jump, double ratio) {
    const Simplices<3>     mesh = delaunay<3>(random_points<3>(nodes(size) / 3, 6));
    std::vector<PetscReal> places;

    for (const Place<3> &x : mesh.points) places.insert(places.end(), x.begin(), x.end());
    return solid(p1_elasticity<3>(
                   mesh, [=](const Place<3> &x) { return chequers<3>(x, jump); }, ratio, near_floor<3>),
                 3, places);
  };
  const auto on_good = [](int size, double ratio) {
    const Simplices<3>     mesh = good_mesh<3>(static_cast<PetscInt>(std::cbrt(nodes(size) / 3)), 0.15);
    std::vector<PetscReal> places;

    for (const Place<3> &x : mesh.points) places.insert(places.end(), x.begin(), x.end());
    return solid(p1_elasticity<3>(mesh, one<3>, ratio, on_floor<3>), 3, places);
  };
  add_solid("solid_tetrahedra", Family::tuned, [=](int s) { return on_good(s, 0.3); });
  add_solid("solid_tetrahedra_045", Family::reported, [=](int s) { return on_good(s, 0.45); });
  add_solid("solid_slivers", Family::tuned, [=](int s) { return on_slivers(s, 1, 0.3); });
  add_solid("solid_slivers_jump", Family::reported, [=](int s) { return on_slivers(s, 100, 0.3); });
  add_solid("solid_triangles", Family::reported, [](int s) {
    const Simplices<2>     mesh = good_mesh<2>(side(2, s) / 2, 0.2);
    std::vector<PetscReal> places;

    for (const Place<2> &x : mesh.points) places.insert(places.end(), x.begin(), x.end());
    return solid(p1_elasticity<2>(mesh, one<2>, 0.3, on_floor<2>), 2, places);
  });
}

} // namespace goza_test
