#include "league_groups.hpp"

namespace goza_test {
namespace {

/* A box of bricks, clamped where x = 0. */
LeagueMatrix box(const std::array<PetscInt, 3> &n, const Place<3> &length, const Field<3> &E, double ratio, int order = 1)
{
  std::vector<PetscReal> places;
  const Sparse           A = brick_elasticity<3>(
    even_bricks<3>(n, length), order, E, ratio, [](const Place<3> &x) { return x[0] < 1e-9; }, places);

  return solid(A, 3, places);
}

std::array<PetscInt, 3> scaled(const std::array<PetscInt, 3> &n, int size)
{
  const double by[] = {1, 1.5, 2.25};

  return {static_cast<PetscInt>(static_cast<double>(n[0]) * by[size]), static_cast<PetscInt>(static_cast<double>(n[1]) * by[size]),
          static_cast<PetscInt>(static_cast<double>(n[2]) * by[size])};
}

/* A plate of so many layers, which do not become more. */
LeagueMatrix plate(int size, PetscInt layers, double thickness)
{
  const PetscInt n[] = {30, 52, 90};

  return box({n[size], n[size], layers}, {1, 1, thickness}, one<3>, 0.3);
}

} // namespace

void add_solids(Problems &all)
{
  const auto add = [&](const char *group, const char *name, Family family, std::function<LeagueMatrix(int)> make) {
    all.push_back({group, name, "cg", family, make});
  };

  add("elasticity, hexahedra", "solid", Family::tuned, [](int s) { return box(scaled({13, 13, 13}, s), {1, 1, 1}, one<3>, 0.3); });
  add("elasticity, hexahedra", "solid_contrast", Family::tuned, [](int s) {
    return box(
      scaled({13, 13, 13}, s), {1, 1, 1}, [](const Place<3> &x) { return noise<3>(x, 4, 1) < 0.5 ? 1e3 : 1.; }, 0.3);
  });
  add("elasticity, hexahedra", "solid_045", Family::reported, [](int s) { return box(scaled({13, 13, 13}, s), {1, 1, 1}, one<3>, 0.45); });
  add("elasticity, hexahedra", "solid_049", Family::reported, [](int s) { return box(scaled({13, 13, 13}, s), {1, 1, 1}, one<3>, 0.49); });
  add("elasticity, hexahedra", "beam", Family::reported, [](int s) { return box(scaled({60, 6, 6}, s), {10, 1, 1}, one<3>, 0.3); });
  add("elasticity, hexahedra", "bodies", Family::reported, [](int s) {
    return box(
      scaled({24, 9, 9}, s), {3, 1, 1}, [](const Place<3> &x) { return static_cast<int>(8 * x[0] / 3) % 2 ? 1e-4 : 1.; }, 0.3);
  });
  add("elasticity, hexahedra", "solid_without_modes", Family::reported, [](int s) {
    LeagueMatrix m = box(scaled({13, 13, 13}, s), {1, 1, 1}, one<3>, 0.3);

    m.dim = 0; /* and the block size alone is known */
    return m;
  });
  add("elasticity, hexahedra", "solid_q2", Family::reported, [](int s) { return box(scaled({6, 6, 6}, s), {1, 1, 1}, one<3>, 0.3, 2); });

  add("thin solids", "plate_0.1", Family::tuned, [](int s) { return plate(s, 2, 0.1); });
  add("thin solids", "plate_0.03", Family::reported, [](int s) { return plate(s, 2, 0.03); });
  add("thin solids", "plate_0.01", Family::reported, [](int s) { return plate(s, 1, 0.01); });
  add("thin solids", "sandwich", Family::reported, [](int s) {
    const PetscInt n[] = {26, 44, 76};

    return box(
      {n[s], n[s], 3}, {1, 1, 0.06}, [](const Place<3> &x) { return x[2] > 0.02 && x[2] < 0.04 ? 1e-2 : 1.; }, 0.3);
  });
  add("thin solids", "strip", Family::reported, [](int s) {
    const PetscInt n[] = {150, 260, 450};

    return box({n[s], 5, 2}, {3, 0.1, 0.02}, one<3>, 0.3);
  });
}

} // namespace goza_test
