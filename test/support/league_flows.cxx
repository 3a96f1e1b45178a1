#include "league_groups.hpp"
#include "generators.hpp"
#include "operators.hpp"

#include <algorithm>

namespace goza_test {
namespace {

Sparse sparse_of(const Entry &e)
{
  Sparse A;

  A.rows = e.rows;
  A.cols = e.cols;
  for (PetscInt i = 0; i < e.rows; i++) {
    Row   row;
    Terms terms;

    e.row(i, row);
    for (std::size_t k = 0; k < row.col.size(); k++) terms.emplace_back(row.col[k], PetscRealPart(row.val[k]));
    add_row(A, terms);
  }
  return A;
}

/* The square of the Laplacian on the unit square or cube, clamped: 13 or 25 points, and `bend` times the Laplacian. */
template <int D> Sparse biharmonic(PetscInt n, double bend)
{
  PetscInt total = 1;
  Sparse   A;

  for (int d = 0; d < D; d++) total *= n;
  A.rows = A.cols      = total;
  const auto laplacian = [&](PetscInt i, double f, Terms &row) {
    PetscInt step = 1;

    row.emplace_back(i, 2 * D * f);
    for (int d = 0; d < D; d++, step *= n) {
      const PetscInt at = i / step % n;

      if (at > 0) row.emplace_back(i - step, -f);
      if (at + 1 < n) row.emplace_back(i + step, -f);
    }
  };
  for (PetscInt i = 0; i < total; i++) {
    Terms first, row;

    laplacian(i, 1, first);
    for (const auto &[j, a] : first) laplacian(j, a, row);
    laplacian(i, bend / static_cast<double>(n * n), row);
    add_row(A, row);
  }
  return A;
}

/* A graph's Laplacian with these weights, and a little on the diagonal. */
Sparse laplacian(const Sparse &graph, const std::function<double(PetscInt i, PetscInt j)> &weight)
{
  Sparse                             A;
  Terms                              row;
  std::vector<std::vector<PetscInt>> links(graph.rows);

  for (PetscInt i = 0; i < graph.rows; i++) {
    for (PetscInt p = graph.ptr[i]; p < graph.ptr[i + 1]; p++) {
      if (graph.col[p] == i || graph.col[p] >= graph.rows) continue;
      links[i].push_back(graph.col[p]);
      links[graph.col[p]].push_back(i);
    }
  }
  A.rows = A.cols = graph.rows;
  for (PetscInt i = 0; i < graph.rows; i++) {
    double sum = 0;

    std::sort(links[i].begin(), links[i].end());
    links[i].erase(std::unique(links[i].begin(), links[i].end()), links[i].end());
    row.clear();
    for (PetscInt j : links[i]) {
      row.emplace_back(j, -weight(std::min(i, j), std::max(i, j)));
      sum -= row.back().second;
    }
    row.emplace_back(i, sum + 1e-4 * (sum > 0 ? sum : 1));
    add_row(A, row);
  }
  return A;
}

double unit(PetscInt, PetscInt) { return 1; }

} // namespace

void add_flows(Problems &all)
{
  const auto add = [&](const char *group, const char *name, const char *ksp, Family family, std::function<Sparse(int)> A) {
    all.push_back({group, name, ksp, family, [A](int size) { return scalar(A(size)); }});
  };
  const auto plane = [](PetscReal eps, Wind wind, Scheme scheme = Scheme::upwind) {
    return [=](int s) { return sparse_of(convection(side(2, s), side(2, s), 1, eps, wind, scheme)); };
  };
  const auto space = [](PetscReal eps, Wind wind) { return [=](int s) { return sparse_of(convection(side(3, s), side(3, s), side(3, s), eps, wind)); }; };

  add("convection", "wind_1e-2", "gmres", Family::tuned, plane(1e-2, Wind::constant));
  add("convection", "wind_1e-4", "gmres", Family::tuned, plane(1e-4, Wind::constant));
  add("convection", "rotating_1e-2", "gmres", Family::tuned, plane(1e-2, Wind::rotating));
  add("convection", "rotating_1e-4", "gmres", Family::reported, plane(1e-4, Wind::rotating));
  add("convection", "central_1e-2", "gmres", Family::reported, plane(1e-2, Wind::constant, Scheme::central));
  add("convection", "wind_in_space", "bcgs", Family::tuned, space(1e-2, Wind::constant));
  add("convection", "rotating_in_space", "bcgs", Family::reported, space(1e-4, Wind::rotating));

  add("biharmonic", "13_points", "cg", Family::reported, [](int s) { return biharmonic<2>(side(2, s) / 2, 0); });
  add("biharmonic", "13_points_bending", "cg", Family::reported, [](int s) { return biharmonic<2>(side(2, s) / 2, 1e4); });
  add("biharmonic", "25_points", "cg", Family::reported, [](int s) { return biharmonic<3>(side(3, s), 0); });
  add("biharmonic", "25_points_bending", "cg", Family::reported, [](int s) { return biharmonic<3>(side(3, s), 1e3); });
  add("biharmonic", "13_points_tension", "cg", Family::reported, [](int s) { return biharmonic<2>(side(2, s), 1e6); });
}

void add_graphs(Problems &all)
{
  const auto add = [&](const char *name, Family family, std::function<Sparse(int)> A) {
    all.push_back({"graphs", name, "cg", family, [A](int size) { return scalar(A(size)); }});
  };

  add("road", Family::tuned, [](int s) { return laplacian(road(side(2, s), side(2, s)), unit); });
  add("mesh_graph", Family::reported, [](int s) { return laplacian(triangles(side(2, s), side(2, s)), unit); });
  add("hubs", Family::tuned, [](int s) { return sparse_of(hubs(nodes(s), 4)); });
  add("power_law", Family::reported, [](int s) { return laplacian(rmat(13 + 2 * s, 6, true, 2), unit); });
  add("small_world", Family::reported, [](int s) { return laplacian(small_world(nodes(s), 6, 3), unit); });
  add("weights_over_8_decades", Family::reported, [](int s) {
    return laplacian(triangles(side(2, s), side(2, s)), [](PetscInt i, PetscInt j) {
      return std::pow(10., 8 * Random(static_cast<std::uint64_t>(i) * 1000003 + static_cast<std::uint64_t>(j)).uniform() - 4);
    });
  });
  add("chains", Family::tuned, [](int s) { return laplacian(kmer(nodes(s), 5), unit); });
}

} // namespace goza_test
