/* What the parts of bench_assembly share: the cube of elements, medians, lines of JSON, the largest difference. */
#pragma once
#include "assembly/kernels/numeric.hpp"
#include "core/util/algorithm.hpp"
#include "core/launch/for_each_row.hpp"
#include "core/launch/joined_rows.hpp"
#include "petsc/plugin.hpp"
#include "petscgoza.h"
#include "../support/bench_timing.hpp"
#include <algorithm>
#include <cmath>
#include <petscmat.h>
#include <petscsys.h>
#include <petsctime.h>

#if PETSC_VERSION_LT(3, 19, 0) && !defined(PETSC_SUCCESS)
  #define PETSC_SUCCESS ((PetscErrorCode)0)
#endif

namespace goza_bench {
using namespace goza;
using goza_test::CopyBandwidth;

/* n^3 nodes, inner ones moved, materials in turn. backwards: the elements, so that the mesh is not seen to be a grid */

inline Mesh make_cube(Space space, PetscInt n, bool tets, bool backwards = false)
{
  static const int       kuhn[6][4] = {{0, 1, 3, 7}, {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 3, 2, 7}, {0, 6, 4, 7}, {0, 5, 1, 7}};
  const std::size_t      nodes      = static_cast<std::size_t>(n) * n * n;
  std::vector<PetscInt>  conn;
  std::vector<PetscReal> x(3 * nodes), material;
  Mesh                   m;

  for (std::size_t k = 0; k < nodes; k++) {
    const double   s = std::sin(12.9898 * static_cast<double>(k)) * 43758.5453, move = 0.1 * (s - std::floor(s) - 0.5);
    const PetscInt i[3] = {static_cast<PetscInt>(k % n), static_cast<PetscInt>(k / n % n), static_cast<PetscInt>(k / n / n)};

    for (int d = 0; d < 3; d++) x[3 * k + d] = i[d] + (d == 1 ? -move : move);
  }
  for (PetscInt k = 0; k + 1 < n; k++) {
    for (PetscInt j = 0; j + 1 < n; j++) {
      for (PetscInt i = 0; i + 1 < n; i++) {
        PetscInt cube[8];

        for (int b = 0; b < 8; b++) cube[b] = i + (b & 1) + n * (j + (b >> 1 & 1) + n * (k + (b >> 2)));
        if (!tets) conn.insert(conn.end(), cube, cube + 8);
        for (int t = 0; tets && t < 6; t++) {
          for (int b : kuhn[t]) conn.push_back(cube[b]);
        }
      }
    }
  }
  m.kind  = tets ? ElementKind::Tet4 : ElementKind::Hex8;
  m.nelem = static_cast<PetscInt>(conn.size()) / m.corners();
  m.nodes = m.owned = static_cast<PetscInt>(nodes);
  for (PetscInt e = 0; backwards && e < m.nelem / 2; e++)
    std::swap_ranges(conn.begin() + e * m.corners(), conn.begin() + (e + 1) * m.corners(), conn.begin() + (m.nelem - 1 - e) * m.corners());
  for (PetscInt e = 0; e < m.nelem; e++) {
    material.push_back(1 + e % 7);
    material.push_back(1 + e % 3);
  }
  m.conn     = Array<PetscInt>(space, conn.data(), conn.size());
  m.x        = Array<PetscReal>(space, x.data(), x.size());
  m.material = Array<PetscReal>(space, material.data(), material.size());
  return m;
}

struct Bench {
  Space       space;
  PetscInt    repeats = 7;
  PetscBool   general = PETSC_FALSE; // meshes that are not seen to be grids
  FILE       *json    = NULL;
  std::string how; // RunFields()
};

inline PetscErrorCode Wait(const Bench &bench)
{
  PetscFunctionBeginUser;
  if (bench.space == Space::Cuda) device::synchronize();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The median time of call(), in seconds. */
template <class Call> PetscErrorCode Median(const Bench &bench, const Call &call, PetscLogDouble *seconds)
{
  std::vector<PetscLogDouble> all;

  PetscFunctionBeginUser;
  call();
  for (PetscInt k = 0; k < bench.repeats; k++) {
    PetscLogDouble begin, end;

    PetscCall(Wait(bench));
    PetscCall(PetscTime(&begin));
    call();
    PetscCall(Wait(bench));
    PetscCall(PetscTime(&end));
    all.push_back(end - begin);
  }
  std::sort(all.begin(), all.end());
  *seconds = all[all.size() / 2];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* fields: without braces */
inline PetscErrorCode Line(const Bench &bench, const char *fields)
{
  PetscFunctionBeginUser;
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "{\"work\": \"assembly\", %s}\n", fields));
  if (bench.json) fprintf(bench.json, "{\"work\": \"assembly\", %s, \"mesh\": \"%s\", %s}\n", fields, bench.general ? "general" : "box", bench.how.c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

struct Gap {
  const PetscScalar *a, *b; // b null: of a alone

  HD void operator()(PetscInt k, PetscReal *largest) const { *largest = Most::join(*largest, PetscAbsReal(a[k] - (b ? b[k] : PetscScalar(0)))); }
};

inline PetscReal largest_gap(Space space, const PetscScalar *a, const PetscScalar *b, std::size_t n)
{
  return joined_rows<Most, 1, PetscReal>(space, static_cast<PetscInt>(n), Gap{a, b})[0];
}

struct RowPointers {
  const PetscInt *ptr;
  PetscInt        n, *row;

  HD void operator()(PetscInt i) const
  {
    for (int r = 0; r < 3 && (i < n || r == 0); r++) row[3 * i + r] = 9 * ptr[i] + (i < n ? 3 * r * (ptr[i + 1] - ptr[i]) : 0);
  }
};

} // namespace goza_bench
