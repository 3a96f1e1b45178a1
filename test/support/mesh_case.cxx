#include "mesh_case.hpp"

#include <petscdmda.h>
#include <petscdmplex.h>

#include <algorithm>
#include <cmath>

namespace goza_test {

std::vector<MeshName> mesh_names() { return {{"da_hex", false, false}, {"da_tet", false, true}, {"plex_hex", true, false}, {"plex_tet", true, true}}; }

namespace {

/* A number in (-1, 1) that depends on a place alone. */
PetscReal noise(PetscReal x, PetscReal y, PetscReal z)
{
  const double s = std::sin(12.9898 * (double)x + 78.233 * (double)y + 37.719 * (double)z) * 43758.5453;
  return (PetscReal)(2 * (s - std::floor(s)) - 1);
}

void move_inner(PetscReal *x, const std::array<PetscInt, 3> &n, PetscReal wobble)
{
  const PetscReal old[3] = {x[0], x[1], x[2]};

  for (int d = 0; d < 3; d++) {
    if (old[d] > 1e-6 && old[d] < 1 - 1e-6)
      x[d] += wobble / (PetscReal)n[d] * noise(std::round(old[0] * 1000) + d, std::round(old[1] * 1000), std::round(old[2] * 1000));
  }
}

DMHandle make_da(bool tets, const std::array<PetscInt, 3> &n, PetscInt bs, PetscReal wobble)
{
  DMHandle     da;
  Vec          coordinates;
  PetscScalar *x;
  PetscInt     length;

  PETSC_OK(DMDACreate3d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_BOX, n[0] + 1, n[1] + 1, n[2] + 1, PETSC_DECIDE,
                        PETSC_DECIDE, PETSC_DECIDE, bs, 1, nullptr, nullptr, nullptr, da.put()));
  PETSC_OK(DMSetUp(da));
  PETSC_OK(DMDASetElementType(da, tets ? DMDA_ELEMENT_P1 : DMDA_ELEMENT_Q1));
  PETSC_OK(DMDASetUniformCoordinates(da, 0, 1, 0, 1, 0, 1));
  PETSC_OK(DMGetCoordinates(da, &coordinates));
  PETSC_OK(VecGetLocalSize(coordinates, &length));
  PETSC_OK(VecGetArray(coordinates, &x));
  for (PetscInt k = 0; k < length; k += 3) {
    PetscReal place[3] = {PetscRealPart(x[k]), PetscRealPart(x[k + 1]), PetscRealPart(x[k + 2])};

    move_inner(place, n, wobble);
    std::copy_n(place, 3, x + k);
  }
  PETSC_OK(VecRestoreArray(coordinates, &x));
  PETSC_OK(PetscObjectReference((PetscObject)coordinates));
  PETSC_OK(DMSetCoordinates(da, coordinates)); /* the local ones are made anew */
  PETSC_OK(VecDestroy(&coordinates));
  return da;
}

DMHandle make_plex(bool tets, const std::array<PetscInt, 3> &n, PetscInt bs, PetscReal wobble)
{
  static const int       cube_of_plex[8] = {0, 2, 3, 1, 4, 5, 7, 6}; /* PETSc's hexahedron in x-fastest corners */
  static const int       kuhn[6][4]      = {{0, 1, 3, 7}, {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 3, 2, 7}, {0, 6, 4, 7}, {0, 5, 1, 7}};
  DMHandle               serial, whole;
  PetscMPIInt            rank;
  std::vector<int>       cells32;
  std::vector<double>    x64;
  std::vector<PetscInt>  cells;
  std::vector<PetscReal> x;
  DM                     distributed = nullptr;
  PetscSection           section;
  PetscInt               pstart, pend, vstart, vend;

  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  const auto node = [&](PetscInt i, PetscInt j, PetscInt k) { return i + (n[0] + 1) * (j + (n[1] + 1) * k); };
  for (PetscInt k = 0; rank == 0 && k <= n[2]; k++) {
    for (PetscInt j = 0; j <= n[1]; j++) {
      for (PetscInt i = 0; i <= n[0]; i++) {
        PetscReal p[3] = {(PetscReal)i / n[0], (PetscReal)j / n[1], (PetscReal)k / n[2]};

        move_inner(p, n, wobble);
        x.insert(x.end(), p, p + 3);
        if (i == n[0] || j == n[1] || k == n[2]) continue;
        PetscInt cube[8];
        for (int b = 0; b < 8; b++) cube[b] = node(i + (b & 1), j + (b >> 1 & 1), k + (b >> 2));
        if (tets) {
          for (const auto &t : kuhn) cells.insert(cells.end(), {cube[t[1]], cube[t[0]], cube[t[2]], cube[t[3]]}); /* PETSc's tetrahedron is turned */
        } else {
          for (int b : cube_of_plex) cells.push_back(cube[b]);
        }
      }
    }
  }
  const PetscInt corners = tets ? 4 : 8;
  PETSC_OK(DMPlexCreateFromCellListPetsc(PETSC_COMM_WORLD, 3, (PetscInt)cells.size() / corners, (PetscInt)x.size() / 3, corners, PETSC_TRUE, cells.data(), 3,
                                         x.data(), serial.put()));
  if (sizeof(PetscInt) > 4) { /* Debian's PETSc of 64-bit indices calls a PT-Scotch of 32-bit ones, and crashes */
    PetscPartitioner partitioner;

    PETSC_OK(DMPlexGetPartitioner(serial, &partitioner));
    PETSC_OK(PetscPartitionerSetType(partitioner, PETSCPARTITIONERSIMPLE));
  }
  PETSC_OK(DMPlexDistribute(serial, 1, nullptr, &distributed));
  if (distributed) *whole.put() = distributed;
  else std::swap(whole, serial);

  PETSC_OK(DMPlexGetChart(whole, &pstart, &pend));
  PETSC_OK(DMPlexGetDepthStratum(whole, 0, &vstart, &vend));
  PETSC_OK(PetscSectionCreate(PETSC_COMM_WORLD, &section));
  PETSC_OK(PetscSectionSetNumFields(section, 1));
  PETSC_OK(PetscSectionSetFieldComponents(section, 0, bs));
  PETSC_OK(PetscSectionSetChart(section, pstart, pend));
  for (PetscInt v = vstart; v < vend; v++) {
    PETSC_OK(PetscSectionSetDof(section, v, bs));
    PETSC_OK(PetscSectionSetFieldDof(section, v, 0, bs));
  }
  PETSC_OK(PetscSectionSetUp(section));
  PETSC_OK(DMSetLocalSection(whole, section));
  PETSC_OK(PetscSectionDestroy(&section));
  return whole;
}

} // namespace

DMHandle make_dm(const MeshName &mesh, const std::array<PetscInt, 3> &n, PetscInt bs, PetscReal wobble)
{
  return mesh.plex ? make_plex(mesh.tets, n, bs, wobble) : make_da(mesh.tets, n, bs, wobble);
}

Elements::Elements(GozaAssembly a)
{
  const PetscInt  *c;
  const PetscReal *p;

  PETSC_OK(GozaAssemblyGetElements(a, &type, &nelem, &c, &nnodes, &p));
  corners = type == GOZA_HEX8 ? 8 : 4;
  conn.assign(c, c + (std::size_t)nelem * corners);
  x.assign(p, p + (std::size_t)3 * nnodes);
}

std::array<PetscReal, 3> Elements::center(PetscInt e) const
{
  std::array<PetscReal, 3> m = {};

  for (int b = 0; b < corners; b++) {
    for (int d = 0; d < 3; d++) m[d] += x[3 * conn[(std::size_t)e * corners + b] + d] / corners;
  }
  return m;
}

std::vector<EquationName> equation_names()
{
  return {{"diffusion", GOZA_DIFFUSION, 1}, {"elasticity", GOZA_ELASTICITY, 3}, {"mass", GOZA_MASS, 1}, {"mass3", GOZA_MASS, 3}};
}

PetscScalar lossy(PetscReal value, [[maybe_unused]] PetscReal loss)
{
#if PetscDefined(USE_COMPLEX)
  return {value, loss * value};
#else
  return value;
#endif
}

MeshCase::MeshCase(const MeshName &mesh, const EquationName &eq, const std::array<PetscInt, 3> &n, PetscReal wobble) : dm(make_dm(mesh, n, eq.bs, wobble))
{
  PETSC_OK(GozaAssemblyCreate(PETSC_COMM_WORLD, assembly.put()));
  PETSC_OK(GozaAssemblySetEquation(assembly, eq.equation, eq.bs));
  PETSC_OK(GozaAssemblySetDM(assembly, dm));
  const Elements m(assembly);
  for (PetscInt e = 0; e < m.nelem; e++) {
    const auto c = m.center(e);

    first.push_back(lossy(c[0] > 0.4 ? 100 : 1 + c[1], c[2] > 0.5 ? (PetscReal)0.2 : 0));
    second.push_back(lossy((PetscReal)(c[2] > 0.6 ? 0.3 : 0.1), (PetscReal)0.1));
  }
  PETSC_OK(GozaAssemblySetMaterial(assembly, first.data(), second.data()));
}

/* Shape functions and their derivatives in the reference element at a point; the derivatives become those in space. Returns the determinant. */
static PetscReal shapes(const Elements &m, PetscInt e, const PetscReal xi[3], PetscReal N[8], PetscReal D[8][3])
{
  PetscReal J[3][3] = {}, I[3][3], R[8][3];

  for (int b = 0; b < m.corners; b++) {
    if (m.corners == 4) {
      N[b] = b ? xi[b - 1] : 1 - xi[0] - xi[1] - xi[2];
      for (int d = 0; d < 3; d++) R[b][d] = b ? (b - 1 == d) : -1;
    } else {
      PetscReal f[3], g[3];

      for (int d = 0; d < 3; d++) {
        f[d] = b >> d & 1 ? xi[d] : 1 - xi[d];
        g[d] = b >> d & 1 ? 1 : -1;
      }
      N[b]    = f[0] * f[1] * f[2];
      R[b][0] = g[0] * f[1] * f[2];
      R[b][1] = f[0] * g[1] * f[2];
      R[b][2] = f[0] * f[1] * g[2];
    }
    for (int i = 0; i < 3; i++) {
      for (int d = 0; d < 3; d++) J[i][d] += R[b][i] * m.x[3 * m.conn[(std::size_t)e * m.corners + b] + d];
    }
  }
  const PetscReal det = J[0][0] * (J[1][1] * J[2][2] - J[1][2] * J[2][1]) - J[0][1] * (J[1][0] * J[2][2] - J[1][2] * J[2][0]) +
                        J[0][2] * (J[1][0] * J[2][1] - J[1][1] * J[2][0]);
  for (int i = 0; i < 3; i++) {
    for (int d = 0; d < 3; d++) { /* the inverse by cofactors of the transpose */
      const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, d1 = (d + 1) % 3, d2 = (d + 2) % 3;

      I[d][i] = (J[i1][d1] * J[i2][d2] - J[i1][d2] * J[i2][d1]) / det;
    }
  }
  for (int b = 0; b < m.corners; b++) {
    for (int d = 0; d < 3; d++) D[b][d] = I[d][0] * R[b][0] + I[d][1] * R[b][1] + I[d][2] * R[b][2];
  }
  return det;
}

/* B^T D B, one point after the other: [corners * bs][corners * bs] */
static std::vector<PetscScalar> textbook_matrix(const Elements &m, PetscInt e, GozaEquation equation, PetscInt bs, PetscScalar first, PetscScalar second)
{
  const int                             n = m.corners * (int)bs;
  std::vector<PetscScalar>              K((std::size_t)n * n, 0);
  std::vector<std::array<PetscReal, 4>> points; /* place and weight */

  if (m.corners == 8) {
    const PetscReal h = std::sqrt((PetscReal)3) / 6;
    for (int q = 0; q < 8; q++)
      points.push_back({(PetscReal)0.5 + (q & 1 ? h : -h), (PetscReal)0.5 + (q & 2 ? h : -h), (PetscReal)0.5 + (q & 4 ? h : -h), (PetscReal)1 / 8});
  } else { /* exact for quadratics: mass */
    const PetscReal p = (5 + 3 * std::sqrt((PetscReal)5)) / 20, s = (5 - std::sqrt((PetscReal)5)) / 20, w = (PetscReal)1 / 24;
    points = {{p, s, s, w}, {s, p, s, w}, {s, s, p, w}, {s, s, s, w}};
  }
  for (const auto &point : points) {
    PetscReal       N[8], D[8][3];
    const PetscReal w = point[3] * shapes(m, e, point.data(), N, D);

    if (equation == GOZA_ELASTICITY) {
      const PetscReal          two = 2;
      const PetscScalar        one = 1, lambda = first * second / ((one + second) * (one - two * second)), mu = first / (two * (one + second));
      std::vector<PetscReal>   B((std::size_t)6 * n, 0);
      std::vector<PetscScalar> C(36, 0);

      for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) C[6 * r + c] = lambda + (r == c ? two * mu : PetscScalar(0));
        C[7 * (r + 3)] = mu;
      }
      for (int b = 0; b < m.corners; b++) {
        for (int d = 0; d < 3; d++) B[(std::size_t)d * n + 3 * b + d] = D[b][d];
        for (int s = 0; s < 3; s++) { /* xy, yz, zx */
          B[(std::size_t)(3 + s) * n + 3 * b + s]           = D[b][(s + 1) % 3];
          B[(std::size_t)(3 + s) * n + 3 * b + (s + 1) % 3] = D[b][s];
        }
      }
      for (int r = 0; r < n; r++) {
        for (int c = 0; c < n; c++) {
          for (int s = 0; s < 6; s++) {
            for (int t = 0; t < 6; t++) K[(std::size_t)r * n + c] += w * B[(std::size_t)s * n + r] * C[6 * s + t] * B[(std::size_t)t * n + c];
          }
        }
      }
      continue;
    }
    for (int a = 0; a < m.corners; a++) {
      for (int b = 0; b < m.corners; b++) {
        const PetscReal value = equation == GOZA_MASS ? N[a] * N[b] : D[a][0] * D[b][0] + D[a][1] * D[b][1] + D[a][2] * D[b][2];

        for (int r = 0; r < bs; r++) K[(std::size_t)(a * bs + r) * n + b * bs + r] += w * first * value;
      }
    }
  }
  return K;
}

MatHandle textbook_assembly(DM dm, const Elements &m, GozaEquation equation, PetscInt bs, const std::vector<PetscScalar> &first,
                            const std::vector<PetscScalar> &second)
{
  MatHandle              A;
  PetscInt               begin, end;
  ISLocalToGlobalMapping map;
  const PetscInt        *global;
  char                  *type;

  MatType now;
  PETSC_OK(DMGetMatType(dm, &now));
  PETSC_OK(PetscStrallocpy(now, &type));
  PETSC_OK(DMSetMatType(dm, MATAIJ));
  PETSC_OK(DMCreateMatrix(dm, A.put()));
  PETSC_OK(DMSetMatType(dm, type));
  PETSC_OK(PetscFree(type));
  PETSC_OK(MatGetOwnershipRange(A, &begin, &end));
  PETSC_OK(DMGetLocalToGlobalMapping(dm, &map));
  PETSC_OK(ISLocalToGlobalMappingGetIndices(map, &global));
  for (PetscInt e = 0; e < m.nelem; e++) {
    const std::vector<PetscScalar> K = textbook_matrix(m, e, equation, bs, first[e], second.empty() ? PetscScalar(0) : second[e]);
    std::vector<PetscInt>          rows, cols;

    for (int b = 0; b < m.corners; b++) {
      for (PetscInt r = 0; r < bs; r++) {
        const PetscInt g = global[bs * m.conn[(std::size_t)e * m.corners + b] + r];

        cols.push_back(g);
        rows.push_back(g >= begin && g < end ? g : -1); /* other ranks have this element as well, and their rows */
      }
    }
    PETSC_OK(MatSetValues(A, (PetscInt)rows.size(), rows.data(), (PetscInt)cols.size(), cols.data(), K.data(), ADD_VALUES));
  }
  PETSC_OK(ISLocalToGlobalMappingRestoreIndices(map, &global));
  PETSC_OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PETSC_OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  return A;
}

PetscReal relative_difference(Mat A, Mat B)
{
  MatHandle plain, gap; /* a matrix of a DMPlex may have block sizes, which PETSc's MatAXPY() loses: a duplicate has none */
  PetscReal norm, difference;

  PETSC_OK(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, plain.put()));
  PETSC_OK(MatNorm(B, NORM_FROBENIUS, &norm));
  PETSC_OK(MatDuplicate(B, MAT_COPY_VALUES, gap.put()));
  PETSC_OK(MatAXPY(gap, -1, plain, DIFFERENT_NONZERO_PATTERN));
  PETSC_OK(MatNorm(gap, NORM_FROBENIUS, &difference));
  return difference / norm;
}

PetscReal products_differ(Mat A, Mat B, PetscScalar factor)
{
  VecHandle x, y, z;
  PetscReal norm, off;

  PETSC_OK(MatCreateVecs(A, x.put(), y.put()));
  PETSC_OK(VecDuplicate(y, z.put()));
  PETSC_OK(VecSetRandom(x, nullptr));
  PETSC_OK(MatMult(A, x, y));
  PETSC_OK(MatMult(B, x, z));
  PETSC_OK(VecNorm(z, NORM_2, &norm));
  PETSC_OK(VecAXPY(y, -factor, z));
  PETSC_OK(VecNorm(y, NORM_2, &off));
  return off / (PetscAbsScalar(factor) * norm);
}

PetscReal largest_gap(Vec v, Vec w)
{
  VecHandle d;
  PetscReal norm;

  PETSC_OK(VecDuplicate(v, d.put()));
  PETSC_OK(VecWAXPY(d, -1, v, w));
  PETSC_OK(VecNorm(d, NORM_INFINITY, &norm));
  return norm;
}

} // namespace goza_test
