#include "league_groups.hpp"

#include <algorithm>

namespace goza_test {
namespace {

Sparse volumes(int size, const std::function<double(const Place<3> &)> &k)
{
  const PetscInt n = side(3, size);

  return brick_volumes<3>(
    even_bricks<3>({n, n, n}, {1, 1, 1}), [&](int, const Place<3> &x) { return k(x); }, [](int, bool) { return true; });
}

Sparse volumes2(int size, const std::function<double(const Place<2> &)> &k)
{
  const PetscInt n = side(2, size);

  return brick_volumes<2>(
    even_bricks<2>({n, n}, {1, 1}), [&](int, const Place<2> &x) { return k(x); }, [](int d, bool) { return d == 1; });
}

/* Cells that grow from both walls inwards by `ratio` each, along the axes given. */
template <int D> Bricks<D> stretched(PetscInt n, double ratio, std::array<bool, D> along)
{
  std::array<PetscInt, D> all;

  all.fill(n);
  return {all, [=](int d, PetscInt k) { return along[d] ? std::pow(ratio, static_cast<double>(std::min({k, n - 1 - k, PetscInt(40)}))) : 10.; }};
}

Tensor<2> turned(double angle, double small)
{
  const double c = std::cos(angle), s = std::sin(angle);

  return {{{c * c + small * s * s, (1 - small) * c * s}, {(1 - small) * c * s, s * s + small * c * c}}};
}

Sparse anisotropic(int size, const std::function<Tensor<2>(const Place<2> &)> &T)
{
  const PetscInt n = side(2, size);

  return brick_diffusion<2>(even_bricks<2>({n, n}, {1, 1}), 1, T, on_wall<2>);
}

} // namespace

void add_grids(Problems &all)
{
  const auto add = [&](const char *group, const char *name, Family family, std::function<Sparse(int)> A) {
    all.push_back({group, name, "cg", family, [A](int size) { return scalar(A(size)); }});
  };
  const auto walls = [](int, bool) { return true; };
  const auto flat  = [](int, const auto &) { return 1.; };

  add("stretched grids", "stretched_1.05", Family::reported, [=](int s) {
    return brick_volumes<3>(stretched<3>(side(3, s), 1.05, {true, true, true}), flat, walls);
  });
  add("stretched grids", "stretched_1.15", Family::tuned, [=](int s) {
    return brick_volumes<3>(stretched<3>(side(3, s), 1.15, {true, true, true}), flat, walls);
  });
  add("stretched grids", "stretched_1.3", Family::reported, [=](int s) {
    return brick_volumes<3>(stretched<3>(side(3, s), 1.3, {true, true, true}), flat, walls);
  });
  add("stretched grids", "boundary_layer", Family::reported, [=](int s) {
    return brick_volumes<3>(stretched<3>(side(3, s), 1.3, {false, false, true}), flat, walls);
  });
  add("stretched grids", "stretched_elements", Family::reported, [=](int s) {
    return brick_diffusion<2>(
      stretched<2>(side(2, s), 1.1, {true, true}), 1, [](const Place<2> &) { return turned(0, 1); }, on_floor<2>);
  });

  add("jumps", "blocks_1e4", Family::tuned, [](int s) { return volumes(s, [](const Place<3> &x) { return noise<3>(x, 5, 1) < 0.5 ? 1e4 : 1.; }); });
  add("jumps", "blocks_1e8", Family::reported, [](int s) { return volumes(s, [](const Place<3> &x) { return noise<3>(x, 5, 1) < 0.5 ? 1e8 : 1.; }); });
  add("jumps", "cells_1e6", Family::reported, [](int s) { return volumes(s, [](const Place<3> &x) { return noise<3>(x, 1000, 2) < 0.3 ? 1e6 : 1.; }); });
  add("jumps", "cells_1e4", Family::tuned, [](int s) { return volumes(s, [](const Place<3> &x) { return noise<3>(x, 1000, 77) < 0.2 ? 1e4 : 1.; }); });
  add("jumps", "pairs_1e4", Family::tuned,
      [](int s) { return volumes(s, [=](const Place<3> &x) { return noise<3>(x, side(3, s) / 2, 79) < 0.3 ? 1e4 : 1.; }); });
  add("jumps", "balls_1e6", Family::reported,
      [](int s) { return volumes(s, [](const Place<3> &x) { return std::cos(14 * x[0]) * std::cos(13 * x[1]) * std::cos(15 * x[2]) > 0.3 ? 1e6 : 1.; }); });
  add("jumps", "channels_1e6", Family::reported,
      [](int s) { return volumes2(s, [](const Place<2> &x) { return std::abs(std::sin(9 * x[0] + 4 * std::sin(6 * x[1]))) < 0.1 ? 1e6 : 1.; }); });
  add("jumps", "elements_1e4", Family::reported, [](int s) {
    const PetscInt n = side(2, s);

    return brick_diffusion<2>(
      even_bricks<2>({n, n}, {1, 1}), 1,
      [](const Place<2> &x) {
        return waves<2>(x, 3) > 0 ? Tensor<2>{{{1e4, 0}, {0, 1e4}}} : turned(0, 1);
      },
      on_wall<2>);
  });

  add("log-normal fields", "lognormal_1", Family::tuned,
      [](int s) { return volumes(s, [](const Place<3> &x) { return std::exp(4 * noise<3>(x, 1000, 3) - 2); }); });
  add("log-normal fields", "lognormal_3", Family::reported,
      [](int s) { return volumes(s, [](const Place<3> &x) { return std::exp(12 * noise<3>(x, 1000, 3) - 6); }); });
  add("log-normal fields", "lognormal_smooth", Family::reported,
      [](int s) { return volumes(s, [](const Place<3> &x) { return std::exp(3 * waves<3>(x, 9)); }); });
  add("log-normal fields", "lognormal_plane", Family::reported,
      [](int s) { return volumes2(s, [](const Place<2> &x) { return std::exp(3 * waves<2>(x, 11) + noise<2>(x, 1000, 4)); }); });
  add("log-normal fields", "layers", Family::reported, [](int s) {
    return volumes(s, [](const Place<3> &x) { return std::pow(10., 6 * noise<3>({0, 0, x[2]}, 10, 5)); });
  });

  add("anisotropy", "aligned_1e-2", Family::tuned, [](int s) { return anisotropic(s, [](const Place<2> &) { return turned(0, 1e-2); }); });
  add("anisotropy", "aligned_1e-4_volumes", Family::tuned, [=](int s) {
    const PetscInt n = side(2, s);

    return brick_volumes<2>(
      even_bricks<2>({n, n}, {1, 1}), [](int d, const Place<2> &) { return d ? 1e-4 : 1.; }, walls);
  });
  add("anisotropy", "rotated_1e-1", Family::reported, [](int s) { return anisotropic(s, [](const Place<2> &) { return turned(M_PI / 6, 1e-1); }); });
  add("anisotropy", "rotated_1e-3", Family::reported, [](int s) { return anisotropic(s, [](const Place<2> &) { return turned(M_PI / 6, 1e-3); }); });
  add("anisotropy", "circling_1e-2", Family::reported,
      [](int s) { return anisotropic(s, [](const Place<2> &x) { return turned(std::atan2(x[1] - 0.5, x[0] - 0.5) + M_PI / 2, 1e-2); }); });
  add("anisotropy", "layers_in_space", Family::reported, [=](int s) {
    const PetscInt n = side(3, s);

    return brick_volumes<3>(
      even_bricks<3>({n, n, n}, {1, 1, 1}), [](int d, const Place<3> &x) { return d == 2     ? 1e-3
                                                                                : x[2] < 0.5 ? 1.
                                                                                             : 10.; }, walls);
  });
}

} // namespace goza_test
