/* Operators on lattices, and whether a set-up's aggregates are boxes there. */
#pragma once

#include "gallery.hpp"

#include <algorithm>
#include <array>
#include <functional>

namespace goza_test {

using Taken = std::function<bool(PetscInt axes)>; // of the neighbours around, by how many of their coordinates differ

/* -div(k grad u) on a grid, with a k of its own for each two neighbours, positive and summed up on the diagonal, along each axis so many times as large. given:
   nodes of faces whose rows are identity, columns eliminated; spread: k is up to so much more or less than 1, or 0.5 where it differs from axis to axis. */
inline Entry lattice_points(const std::string &name, std::array<PetscInt, 3> n, const Taken &taken, const Taken &zero, unsigned given = 0, bool stored = true,
                            std::array<PetscReal, 3> along = {1, 1, 1}, PetscReal spread = 0.9)
{
  const PetscInt total = n[0] * n[1] * n[2];

  return {name, total, total, square | symmetric | spd | full_diagonal | no_zero_pivots | nonempty, [=](PetscInt i, Row &out) {
            const PetscInt at[3]    = {i % n[0], i / n[0] % n[1], i / n[0] / n[1]};
            const auto     on_faces = [&](const PetscInt *x) {
              bool on = false;
              for (int f = 0; f < 6; f++) on = on || (given >> f & 1 && x[f / 2] == f % 2 * (n[f / 2] - 1));
              return on;
            };
            const PetscReal differs  = along[0] * along[1] * along[2] == 1 ? spread : 0.5;
            PetscReal       diagonal = 0.01;
            for (PetscInt k = 0; k < 27; k++) {
              const PetscInt to[3] = {at[0] + k % 3 - 1, at[1] + k / 3 % 3 - 1, at[2] + k / 9 - 1}, j = to[0] + n[0] * (to[1] + n[1] * to[2]);
              const PetscInt axes  = (to[0] != at[0]) + (to[1] != at[1]) + (to[2] != at[2]);
              bool           there = axes > 0 && taken(axes);
              for (int d = 0; d < 3; d++) there = there && to[d] >= 0 && to[d] < n[d];
              if (!there) continue;
              PetscReal a = zero(axes) ? 0 : -1 - differs * uniform(std::min(i, j), std::max(i, j), 5);
              for (int d = 0; d < 3; d++) a *= to[d] != at[d] ? along[d] : 1;
              const bool coupled = !on_faces(at) && !on_faces(to);
              diagonal -= a;
              if (coupled || stored) out.add(j, coupled ? a : 0);
            }
            out.add(i, diagonal);
          }};
}

inline bool all_neighbours(PetscInt) { return true; }
inline bool no_neighbours(PetscInt) { return false; }
inline bool along_axes(PetscInt axes) { return axes == 1; }

struct BoxCase {
  Entry    entry;
  int      boxes; // levels at least whose aggregates are boxes; -1: none is
  PetscInt n[3];
  bool     stars = false; // the general steps make other aggregates

  PetscReal threshold = 0;
};

inline BoxCase on_lattice(std::array<PetscInt, 3> n, int boxes, const std::string &name, const Taken &taken = all_neighbours, const Taken &zero = no_neighbours,
                          unsigned given = 0, bool stored = true, PetscReal spread = 0.9)
{
  return {lattice_points(name + "_" + std::to_string(n[0]) + "_" + std::to_string(n[1]) + "_" + std::to_string(n[2]), n, taken, zero, given, stored, {1, 1, 1},
                         spread),
          boxes,
          {n[0], n[1], n[2]}};
}

/* Of tetrahedra that cut each cell along the same diagonal: the neighbours of 27 points that lie before a point along no axis, or behind it along none. */
inline BoxCase of_tetrahedra(BoxCase c)
{
  const auto                    all = c.entry.row;
  const std::array<PetscInt, 3> n   = {c.n[0], c.n[1], c.n[2]};

  c.entry.name += "_of_tetrahedra";
  c.entry.row = [=](PetscInt i, Row &out) {
    Row row;

    all(i, row);
    for (std::size_t k = 0; k < row.col.size(); k++) {
      const PetscInt j = row.col[k], step[3] = {j % n[0] - i % n[0], j / n[0] % n[1] - i / n[0] % n[1], j / n[0] / n[1] - i / n[0] / n[1]};
      const auto     ends = std::minmax({step[0], step[1], step[2]});

      if (ends.first >= 0 || ends.second <= 0) out.add(j, row.val[k]);
    }
  };
  return c;
}

inline std::vector<BoxCase> box_cases()
{
  std::vector<BoxCase> list;

  for (PetscInt more = 0; more < 3; more++) { // each remainder by three
    list.push_back(on_lattice({10 + more, 11 + more, 12 + more}, 2, "27_points"));
    list.push_back(on_lattice({40 + more, 31 + more, 1}, 2, "9_points"));
    list.push_back(on_lattice({10 + more, 9, 14 - more}, 1, "27_points_zero_axes", all_neighbours, along_axes));
    list.push_back(on_lattice({10 + more, 9 + more, 8 + more}, 1, "27_points_one_face_given", all_neighbours, along_axes, 1));
    list.push_back(on_lattice({11 + more, 10 + more, 9}, 1, "27_points_faces_given", all_neighbours, no_neighbours, 0b101101, false));
    list.push_back(on_lattice({33 + more, 22 + more, 1}, 1, "9_points_given", all_neighbours, no_neighbours, 0b1111));
  }
  list.push_back(on_lattice({2, 9, 8}, 1, "27_points_thin"));
  list.push_back(on_lattice({9, 1, 8}, 1, "9_points_upright"));
  list.push_back(on_lattice({10, 11, 12}, 1, "19_points", [](PetscInt axes) { return axes < 3; }));
  const Taken axes_and_corners = [](PetscInt axes) { return axes != 2; };
  list.push_back(on_lattice({10, 11, 12}, 1, "15_points", axes_and_corners));
  list.push_back(on_lattice({11, 11, 13}, -1, "15_points", axes_and_corners));
  list.push_back(on_lattice({11, 12, 10}, 1, "15_points_even", axes_and_corners, no_neighbours, 0, true, 0.2));
  list.push_back(on_lattice({12, 10, 11}, 1, "15_points_fairly_even", axes_and_corners, no_neighbours, 0, true, 0.5));
  for (PetscInt more = 0; more < 3; more++)
    list.push_back(of_tetrahedra(on_lattice({16 + more, 17, 18 - more}, more ? 1 : -1, "15_points", all_neighbours, no_neighbours, 0, true, 0.2)));
  list.push_back(on_lattice({30, 23, 1}, 2, "5_points", along_axes));
  return list;
}

/* Weak along some axes: boxes of one node there. remainders: each by three, of all axes. */
inline std::vector<BoxCase> narrow_cases(bool remainders = true)
{
  const std::array<PetscReal, 3> weak[] = {{1, 1, 0.01}, {1, 0.01, 1}, {0.01, 1, 1}, {1, 0.01, 0.01}, {0.01, 1, 0.01}, {0.01, 0.01, 1}};
  std::vector<BoxCase>           list;

  const auto add = [&](const char *name, std::array<PetscInt, 3> n, int axes, const Taken &taken, unsigned given = 0) {
    list.push_back(
      {lattice_points(std::string(name) + "_weak_" + std::to_string(axes) + "_" + std::to_string(n[0]), n, taken, no_neighbours, given, true, weak[axes]),
       1,
       {n[0], n[1], n[2]},
       false,
       taken(3) ? 0.03 : 0.09});
  };
  for (int axes = 0; axes < 6; axes++) {
    for (PetscInt more = 0; more < 3; more++)
      if (remainders || more == axes % 3) add("7_points", {10 + more, 11 + more, 12 + more}, axes, along_axes);
    add("27_points", {11, 9, 10}, axes, all_neighbours);
    add("7_points_one_face_given", {10, 12, 11}, axes, along_axes, 1);
    if (axes == 1 || axes == 2) add("5_points", {31, 40, 1}, axes, along_axes);
    if (axes == 1 || axes == 2) add("9_points", {30, 41, 1}, axes, all_neighbours);
  }
  add("7_points_other_levels", {30, 31, 32}, 0, along_axes);
  list.back().boxes = 2;
  return list;
}

/* Seven points. */
inline std::vector<BoxCase> star_cases()
{
  std::vector<BoxCase> list;

  for (PetscInt more = 0; more < 3; more++) {
    list.push_back(on_lattice({12 + more, 11 + more, 10 + more}, 1, "7_points", along_axes));
    list.push_back(on_lattice({10 + more, 9 + more, 11 + more}, 1, "7_points_one_face_given", along_axes, no_neighbours, 1));
    list.push_back(on_lattice({11 + more, 10 + more, 9}, 1, "7_points_faces_given", along_axes, no_neighbours, 0b101101, false));
  }
  list.push_back(on_lattice({2, 9, 8}, 1, "7_points_thin", along_axes));
  for (BoxCase &c : list) c.stars = true;
  return list;
}

} // namespace goza_test
