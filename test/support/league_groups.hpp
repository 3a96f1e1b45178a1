/* The league's groups: each adds its problems to the list. */
#pragma once

#include "brick_elements.hpp"
#include "league.hpp"

#include <cmath>

namespace goza_test {

using Problems = std::vector<LeagueProblem>;

void add_simplices(Problems &all); /* good meshes, slivers */
void add_grids(Problems &all);     /* stretched grids, jumps, log-normal fields, anisotropy */
void add_bricks(Problems &all);    /* Q1 and Q2, heat and shifts, pure Neumann */
void add_solids(Problems &all);    /* elasticity on hexahedra, on simplices, thin solids */
void add_flows(Problems &all);     /* convection, biharmonic */
void add_graphs(Problems &all);    /* graph Laplacians */
void add_systems(Problems &all);   /* blocks, scaled rows, Dirichlet rows */
void add_stokes(Problems &all);    /* Stokes by fieldsplit, saddle points */
void add_files(Problems &all);     /* PETSc's datafiles */

/* Points along an edge in `d` dimensions: sizes 0 to 3 have 8 000, 27 000, 91 000 and 614 000 nodes or a few more. */
inline PetscInt side(int dimensions, int size)
{
  const PetscInt in_space[] = {20, 30, 45, 85}, in_plane[] = {90, 164, 302, 784};

  return dimensions == 3 ? in_space[size] : in_plane[size];
}

inline PetscInt nodes(int size)
{
  const PetscInt n = side(3, size);

  return n * n * n;
}

/* A number in [0, 1) that depends on a place's cell among n along each axis, and a seed. */
template <int D> double noise(const Place<D> &x, PetscInt n, std::uint64_t seed)
{
  std::uint64_t key = seed;

  for (double at : x) key = key * 1000003 + static_cast<std::uint64_t>(static_cast<PetscInt>(at * static_cast<double>(n)));
  return Random(key).uniform();
}

/* Smooth and random: a sum of waves of a few lengths, of about unit variance. */
template <int D> double waves(const Place<D> &x, std::uint64_t seed)
{
  Random random(seed);
  double sum = 0;

  for (int k = 0; k < 12; k++) {
    double phase = 2 * M_PI * random.uniform();

    for (double at : x) phase += 30 * (random.uniform() - 0.5) * at;
    sum += std::cos(phase);
  }
  return sum / std::sqrt(6.);
}

template <int D> bool on_wall(const Place<D> &x)
{
  for (double at : x)
    if (at < 1e-9 || at > 1 - 1e-9) return true;
  return false;
}

template <int D> bool on_floor(const Place<D> &x) { return x[D - 1] < 1e-9; }

/* The unit square or cube. */
template <int D> Bricks<D> cube(PetscInt cells)
{
  std::array<PetscInt, D> n;
  Place<D>                length;

  n.fill(cells);
  length.fill(1);
  return even_bricks<D>(n, length);
}

template <int D> double one(const Place<D> &) { return 1; }

inline LeagueMatrix scalar(Sparse A)
{
  LeagueMatrix m;

  m.A = std::move(A);
  return m;
}

inline LeagueMatrix solid(Sparse A, int dim, std::vector<PetscReal> places)
{
  LeagueMatrix m;

  m.A      = std::move(A);
  m.bs     = dim;
  m.dim    = dim;
  m.places = std::move(places);
  return m;
}

} // namespace goza_test
