#include "league_groups.hpp"

namespace goza_test {
namespace {

const auto nowhere2 = [](const Place<2> &) { return false; };
const auto nowhere3 = [](const Place<3> &) { return false; };

template <int D> Tensor<D> times_identity(double k)
{
  Tensor<D> t{};

  for (int d = 0; d < D; d++) t[d][d] = k;
  return t;
}

template <int D> Tensor<D> identity(const Place<D> &) { return times_identity<D>(1); }

/* With the diagonal's rows and columns in order: A - shift times the volume of a cell. */
Sparse shifted_by(Sparse A, double shift)
{
  for (PetscInt i = 0; i < A.rows; i++) {
    for (PetscInt p = A.ptr[i]; p < A.ptr[i + 1]; p++)
      if (A.col[p] == i) A.val[p] -= shift;
  }
  return A;
}

LeagueMatrix singular(Sparse A, bool marked)
{
  LeagueMatrix m = scalar(std::move(A));

  m.constant = true;
  m.marked   = marked;
  return m;
}

} // namespace

void add_bricks(Problems &all)
{
  const auto add = [&](const char *group, const char *name, Family family, std::function<Sparse(int)> A, const char *ksp = "cg") {
    all.push_back({group, name, ksp, family, [A](int size) { return scalar(A(size)); }});
  };
  const auto random3 = [](const Place<3> &x) { return times_identity<3>(0.5 + noise<3>(x, 1000, 8)); };
  const auto jumps3  = [](const Place<3> &x) { return times_identity<3>(noise<3>(x, 4, 9) < 0.5 ? 1e3 : 1.); };

  add("hexahedra", "q1", Family::tuned, [](int s) { return brick_diffusion<3>(cube<3>(side(3, s) - 1), 1, identity<3>, on_wall<3>); });
  add("hexahedra", "q1_random", Family::tuned, [=](int s) { return brick_diffusion<3>(cube<3>(side(3, s) - 1), 1, random3, on_wall<3>); });
  add("hexahedra", "q1_jump", Family::reported, [=](int s) { return brick_diffusion<3>(cube<3>(side(3, s) - 1), 1, jumps3, on_floor<3>); });
  add("hexahedra", "q1_plane", Family::reported, [](int s) { return brick_diffusion<2>(cube<2>(side(2, s) - 1), 1, identity<2>, on_floor<2>); });
  add("hexahedra", "q2", Family::reported, [](int s) { return brick_diffusion<3>(cube<3>(side(3, s) / 2), 2, identity<3>, on_wall<3>); });
  add("hexahedra", "q2_plane", Family::reported, [](int s) { return brick_diffusion<2>(cube<2>(side(2, s) / 2), 2, identity<2>, on_wall<2>); });

  add("heat and shifts", "heat_long_step", Family::reported, [](int s) { return brick_diffusion<3>(cube<3>(side(3, s) - 1), 1, identity<3>, nowhere3, 1); });
  add("heat and shifts", "heat_step", Family::reported, [](int s) { return brick_diffusion<3>(cube<3>(side(3, s) - 1), 1, identity<3>, nowhere3, 1e2); });
  add("heat and shifts", "heat_short_step", Family::reported, [](int s) { return brick_diffusion<3>(cube<3>(side(3, s) - 1), 1, identity<3>, nowhere3, 1e5); });
  add("heat and shifts", "reaction_patches", Family::reported, [=](int s) {
    const PetscInt n = side(2, s);
    Sparse         A = brick_volumes<2>(
      cube<2>(n), [](int, const Place<2> &) { return 1.; }, [](int, bool) { return false; });

    for (PetscInt i = 0; i < A.rows; i++) {
      for (PetscInt p = A.ptr[i]; p < A.ptr[i + 1]; p++)
        if (A.col[p] == i && (i % n / 8 + i / n / 8) % 2) A.val[p] += 1;
    }
    return A;
  });
  add(
    "heat and shifts", "shift_small", Family::reported,
    [](int s) {
      const PetscInt n = side(2, s);

      return shifted_by(brick_volumes<2>(
                          cube<2>(n), [](int, const Place<2> &) { return 1.; }, [](int, bool) { return true; }),
                        15. / static_cast<double>(n * n));
    },
    "cg");
  add(
    "heat and shifts", "shift_indefinite", Family::reported,
    [](int s) {
      const PetscInt n = side(2, s);

      return shifted_by(brick_volumes<2>(
                          cube<2>(n), [](int, const Place<2> &) { return 1.; }, [](int, bool) { return true; }),
                        120. / static_cast<double>(n * n));
    },
    "gmres");

  const auto neumann = [&](const char *name, Family family, std::function<LeagueMatrix(int)> make) {
    all.push_back({"pure Neumann", name, "cg", family, make});
  };
  const auto closed = [](int, bool) { return false; };
  neumann("neumann", Family::tuned, [=](int s) {
    return singular(brick_volumes<3>(
                      cube<3>(side(3, s)), [](int, const Place<3> &) { return 1.; }, closed),
                    true);
  });
  neumann("neumann_unmarked", Family::reported, [=](int s) {
    return singular(brick_volumes<3>(
                      cube<3>(side(3, s)), [](int, const Place<3> &) { return 1.; }, closed),
                    false);
  });
  neumann("neumann_elements", Family::reported, [](int s) { return singular(brick_diffusion<2>(cube<2>(side(2, s) - 1), 1, identity<2>, nowhere2), true); });
  neumann("neumann_jump", Family::reported, [=](int s) {
    return singular(brick_volumes<3>(
                      cube<3>(side(3, s)), [](int, const Place<3> &x) { return noise<3>(x, 5, 7) < 0.5 ? 1e4 : 1.; }, closed),
                    true);
  });
  neumann("neumann_lognormal", Family::reported, [=](int s) {
    return singular(brick_volumes<2>(
                      cube<2>(side(2, s)), [](int, const Place<2> &x) { return std::exp(3 * waves<2>(x, 13)); }, closed),
                    true);
  });
}

} // namespace goza_test
