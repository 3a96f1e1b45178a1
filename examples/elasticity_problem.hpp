/* What acts on the solid of the program elasticity: materials, forces, boundaries. The smooth case is u = (sin(x) y, z^2 x, x y z) / 10 with the forces that
   belong to it. */
#pragma once
#include "elasticity_mesh.hpp"

static inline void SmoothDisplacement(const PetscReal x[], PetscScalar u[])
{
  u[0] = PetscSinReal(x[0]) * x[1] / 10;
  u[1] = x[2] * x[2] * x[0] / 10;
  u[2] = x[0] * x[1] * x[2] / 10;
}

/* -div sigma = -(mu laplace u + (lambda + mu) grad div u), div u = cos(x) y / 10 + x y / 10 */
static inline void SmoothForce(const PetscReal x[], PetscReal lambda, PetscReal mu, PetscReal f[])
{
  f[0] = -(mu * -PetscSinReal(x[0]) * x[1] + (lambda + mu) * (-PetscSinReal(x[0]) * x[1] + x[1])) / 10;
  f[1] = -(mu * 2 * x[0] + (lambda + mu) * (PetscCosReal(x[0]) + x[0])) / 10;
  f[2] = 0;
}

static inline PetscErrorCode GetBounds(Solid *S, PetscInt nnodes, const PetscReal x[])
{
  PetscReal low[3] = {PETSC_MAX_REAL, PETSC_MAX_REAL, PETSC_MAX_REAL}, high[3] = {PETSC_MIN_REAL, PETSC_MIN_REAL, PETSC_MIN_REAL};

  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < 3 * nnodes; k++) {
    low[k % 3]  = PetscMin(low[k % 3], x[k]);
    high[k % 3] = PetscMax(high[k % 3], x[k]);
  }
  PetscCallMPI(MPI_Allreduce(low, S->low, 3, MPIU_REAL, MPIU_MIN, PETSC_COMM_WORLD));
  PetscCallMPI(MPI_Allreduce(high, S->high, 3, MPIU_REAL, MPIU_MAX, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A face of an element all of whose corners are marked, and that no other element has: part of the boundary */
static inline PetscErrorCode SetTraction(Solid *S, const PetscBool marked[], const PetscReal traction[3])
{
  static const PetscInt hex[6][4] = {{0, 2, 6, 4}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 3, 7, 6}, {0, 1, 3, 2}, {4, 5, 7, 6}},
                        tet[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  GozaElementType type;
  const PetscInt *conn;
  PetscInt        nelem, nfaces = 0, *faces;
  PetscReal      *t;

  PetscFunctionBeginUser;
  PetscCall(GozaAssemblyGetElements(S->assembly, &type, &nelem, &conn, NULL, NULL));
  const PetscInt corners = type == GOZA_HEX8 ? 8 : 4, sides = type == GOZA_HEX8 ? 6 : 4, k = type == GOZA_HEX8 ? 4 : 3;
  PetscCall(PetscMalloc2((size_t)nelem * sides * k, &faces, (size_t)nelem * sides * 3, &t));
  for (PetscInt e = 0; e < nelem; e++) {
    for (PetscInt s = 0; s < sides; s++) {
      PetscBool all = PETSC_TRUE;

      for (PetscInt b = 0; b < k; b++) {
        faces[nfaces * k + b] = conn[e * corners + (type == GOZA_HEX8 ? hex[s][b] : tet[s][b])];
        all                   = (PetscBool)(all && marked[faces[nfaces * k + b]]);
      }
      for (PetscInt d = 0; d < 3; d++) t[3 * nfaces + d] = traction[d];
      if (all) nfaces++;
    }
  }
  PetscCall(GozaAssemblySetTraction(S->assembly, nfaces, k, faces, t));
  PetscCall(PetscFree2(faces, t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Materials, forces, boundaries */
static inline PetscErrorCode SetProblem(Solid *S)
{
  GozaElementType  type;
  const PetscInt  *conn;
  const PetscReal *x;
  PetscInt         nelem, nnodes;
  PetscBool       *given, *fixed, *pulled;
  PetscScalar     *value;
  PetscReal       *force;
  PetscScalar     *hard;

  PetscFunctionBeginUser;
  PetscCall(GozaAssemblyGetElements(S->assembly, &type, &nelem, &conn, &nnodes, &x));
  PetscCall(GetBounds(S, nnodes, x));
  const PetscInt  corners = type == GOZA_HEX8 ? 8 : 4;
  const PetscReal near    = (PetscReal)1e-6 * (S->high[2] - S->low[2]);
  PetscCall(GozaAssemblyCreateElementVec(S->assembly, &S->hard));
  PetscCall(VecDuplicate(S->hard, &S->young));
  PetscCall(VecDuplicate(S->hard, &S->ratio));
  PetscCall(VecDuplicate(S->hard, &S->stress));
  PetscCall(VecSet(S->ratio, S->poisson));
  PetscCall(VecGetArrayWrite(S->hard, &hard));
  PetscCall(PetscMalloc1((size_t)3 * nelem, &force));
  for (PetscInt e = 0; e < nelem; e++) {
    PetscReal center[3] = {0, 0, 0};

    for (PetscInt b = 0; b < corners; b++) {
      for (PetscInt d = 0; d < 3; d++) center[d] += x[3 * conn[e * corners + b] + d] / corners;
    }
    hard[e] = S->which == 0 && center[0] > (S->low[0] + S->high[0]) / 2 ? S->contrast : 1;
    if (S->which == 0) {
      force[3 * e] = force[3 * e + 1] = 0;
      force[3 * e + 2]                = (PetscReal)-1e-3; /* weight */
    } else {
      SmoothForce(center, S->poisson / ((1 + S->poisson) * (1 - 2 * S->poisson)), 1 / (2 * (1 + S->poisson)), force + 3 * e);
    }
  }
  PetscCall(VecRestoreArrayWrite(S->hard, &hard));
  PetscCall(GozaAssemblySetMaterialVecs(S->assembly, S->hard, S->ratio));
  PetscCall(GozaAssemblySetForce(S->assembly, force));
  PetscCall(PetscFree(force));

  PetscCall(PetscCalloc2((size_t)3 * nnodes, &given, (size_t)3 * nnodes, &value));
  PetscCall(PetscCalloc2(nnodes, &fixed, nnodes, &pulled));
  if (S->fixed_set >= 0) PetscCall(MarkSet(S->dm, S->fixed_set, fixed));
  if (S->load_set >= 0) PetscCall(MarkSet(S->dm, S->load_set, pulled));
  for (PetscInt k = 0; k < nnodes; k++) {
    PetscBool boundary = PETSC_FALSE;

    for (PetscInt d = 0; d < 3; d++) boundary = (PetscBool)(boundary || x[3 * k + d] < S->low[d] + near || x[3 * k + d] > S->high[d] - near);
    if (S->fixed_set < 0) fixed[k] = (PetscBool)((S->which == 1 && boundary) || (S->which == 0 && x[3 * k + 2] < S->low[2] + near));
    if (S->load_set < 0) pulled[k] = (PetscBool)(x[3 * k + 2] > S->high[2] - near);
    for (PetscInt d = 0; d < 3; d++) given[3 * k + d] = fixed[k];
    if (S->which == 1) SmoothDisplacement(x + 3 * k, value + 3 * k);
  }
  PetscCall(GozaAssemblySetDirichlet(S->assembly, given, value));
  if (S->which == 0) {
    const PetscReal traction[3] = {(PetscReal)1e-2, 0, 0};

    PetscCall(SetTraction(S, pulled, traction));
  }
  PetscCall(PetscFree2(fixed, pulled));
  PetscCall(PetscFree2(given, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}
