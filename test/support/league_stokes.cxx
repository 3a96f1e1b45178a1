#include "league_groups.hpp"
#include "mac_grid.hpp"

namespace goza_test {
namespace {

template <int D> MacGrid<D> mac(int size)
{
  const PetscInt in_space[] = {13, 19, 28, 53}, in_plane[] = {52, 95, 174, 452};

  return {(D == 3 ? in_space : in_plane)[size]};
}

template <int D> Bricks<D> bricks(int size)
{
  const PetscInt in_space[] = {6, 10, 15, 28}, in_plane[] = {31, 57, 105, 272};

  return cube<D>((D == 3 ? in_space : in_plane)[size]);
}

/* Two halves, as in SolCx (Zhong 1996). */
Field<2> halves(double contrast)
{
  return [=](const Place<2> &x) { return x[0] < 0.5 ? 1 : contrast; };
}

double ball(const Place<3> &x)
{
  double away = 0;

  for (double at : x) away += (at - 0.45) * (at - 0.45);
  return away < 0.07 ? 1e2 : 1;
}

template <int D> double varied(const Place<D> &x) { return std::exp(2 * waves<D>(x, 23)); }

double varied_less(const Place<2> &x) { return std::exp(waves<2>(x, 23) / 2); }

/* Pressures are given up to a constant. */
LeagueMatrix two_fields(Sparse A, PetscInt velocities, Schur schur)
{
  LeagueMatrix m;

  m.A                 = std::move(A);
  m.constant          = true;
  m.fields.velocities = velocities;
  m.fields.schur      = schur;
  return m;
}

template <int D> LeagueMatrix staggered(int size, const Field<D> &eta, const Flow &flow, Schur schur)
{
  const MacGrid<D> grid   = mac<D>(size);
  const double     volume = std::pow(grid.width(), D);
  LeagueMatrix     m      = two_fields(mac_stokes<D>(grid, eta, flow), grid.velocities(), schur);
  Sparse          &mass   = m.fields.mass;

  if (flow.stress) m.fields.modes = grid.modes();
  mass.rows = mass.cols = schur == Schur::mass ? grid.cells() : 0;
  for (PetscInt c = 0; c < mass.rows; c++) {
    Terms row{{c, -volume / eta(grid.centre(c))}};

    add_row(mass, row);
  }
  return m;
}

template <int D> LeagueMatrix taylor_hood(int size, const Field<D> &eta)
{
  std::vector<PetscReal> places;
  Sparse                 A = brick_stokes<D>(bricks<D>(size), eta, on_wall<D>, places);
  LeagueMatrix           m = two_fields(std::move(A), static_cast<PetscInt>(places.size()), Schur::mass);

  m.bs = m.dim  = D;
  m.places      = std::move(places);
  m.fields.mass = brick_mass<D>(bricks<D>(size), 1, [&](const Place<D> &x) { return -1 / eta(x); });
  return m;
}

/* The matrix alone, for a method that knows of no fields. */
LeagueMatrix whole(LeagueMatrix m, PetscInt bs = 1)
{
  LeagueMatrix one = scalar(std::move(m.A));

  one.bs = bs;
  return one;
}

/* From row `first` on: the diagonal less `c`, all else times `sign`. */
LeagueMatrix changed(LeagueMatrix m, PetscInt first, double c, double sign)
{
  for (PetscInt i = first; i < m.A.rows; i++) {
    for (PetscInt p = m.A.ptr[i]; p < m.A.ptr[i + 1]; p++) m.A.val[p] = m.A.col[p] == i ? m.A.val[p] - c : sign * m.A.val[p];
  }
  return m;
}

/* Poisson's equation whose values on a wall are given by multipliers. */
Sparse with_multipliers(PetscInt n)
{
  const Sparse A = brick_diffusion<2>(
    even_bricks<2>({n, n}, {1, 1}), 1,
    [](const Place<2> &) {
      return Tensor<2>{{{1, 0}, {0, 1}}};
    },
    [](const Place<2> &) { return false; });
  const PetscInt wall = n + 1; /* the first nodes */
  Sparse         all;

  all.rows = all.cols = A.rows + wall;
  for (PetscInt i = 0; i < all.rows; i++) {
    Terms row;

    for (PetscInt p = i < A.rows ? A.ptr[i] : 0; i < A.rows && p < A.ptr[i + 1]; p++) row.emplace_back(A.col[p], PetscRealPart(A.val[p]));
    if (i < wall) row.emplace_back(A.rows + i, 1);
    else if (i >= A.rows) row.emplace_back(i - A.rows, 1);
    add_row(all, row);
  }
  return all;
}

void add_saddles(Problems &all)
{
  const auto add = [&](const char *name, std::function<LeagueMatrix(int)> make, Kind kind = Kind::refused) {
    all.push_back({"saddle points", name, "gmres", Family::reported, make, kind});
  };
  const auto plane = [](int s) { return staggered<2>(s, one<2>, {}, Schur::selfp); };

  add("saddle_mac", [=](int s) { return whole(plane(s)); });
  add("saddle_mac_space", [](int s) { return whole(staggered<3>(s, ball, {true, 0}, Schur::selfp)); });
  add("saddle_mac_turned", [=](int s) { return whole(changed(plane(s), mac<2>(s).velocities(), 0, -1)); });
  add("saddle_mac_stabilised", [=](int s) { return whole(changed(plane(s), mac<2>(s).velocities(), 1e-2 * std::pow(mac<2>(s).width(), 2), 1)); });
  add("saddle_elements", [](int s) { return whole(taylor_hood<2>(s, one<2>)); });
  add("saddle_equal_order", [](int s) { return whole(scalar(brick_stokes_equal<2>(cube<2>(mac<2>(s).n), one<2>, on_wall<2>)), 3); });
  add("saddle_equal_order_untold", [](int s) { return whole(scalar(brick_stokes_equal<3>(cube<3>(mac<3>(s).n - 1), one<3>, on_wall<3>))); });
  add("saddle_mixed", [](int s) {
    return whole(staggered<3>(
      s, [](const Place<3> &) { return 0.; }, {false, 1}, Schur::selfp));
  });
  add(
    "saddle_multipliers", [](int s) { return scalar(with_multipliers(side(2, s) - 1)); }, Kind::solved);
}

} // namespace

void add_stokes(Problems &all)
{
  const auto add = [&](const char *name, std::function<LeagueMatrix(int)> make) {
    all.push_back({"Stokes by fieldsplit", name, "fgmres", Family::reported, make});
  };

  add("stokes_mac_plane", [](int s) { return staggered<2>(s, one<2>, {}, Schur::mass); });
  add("stokes_mac_space", [](int s) { return staggered<3>(s, one<3>, {}, Schur::mass); });
  add("stokes_mac_plane_1e2", [](int s) { return staggered<2>(s, halves(1e2), {true, 0}, Schur::mass); });
  add("stokes_mac_plane_1e4", [](int s) { return staggered<2>(s, halves(1e4), {true, 0}, Schur::mass); });
  add("stokes_mac_space_1e2", [](int s) { return staggered<3>(s, ball, {true, 0}, Schur::mass); });
  add("stokes_elements_plane", [](int s) { return taylor_hood<2>(s, one<2>); });
  add("stokes_elements_space", [](int s) { return taylor_hood<3>(s, one<3>); });
  add("stokes_elements_varied", [](int s) { return taylor_hood<2>(s, varied<2>); });
  add("stokes_step_plane", [](int s) { return staggered<2>(s, one<2>, {false, 1e5}, Schur::selfp); });
  add("stokes_step_space", [](int s) { return staggered<3>(s, varied<3>, {true, 1e5}, Schur::selfp); });
  add("stokes_bfbt", [](int s) { return staggered<2>(s, varied_less, {true, 0}, Schur::bfbt); });
  add_saddles(all);
}

} // namespace goza_test
