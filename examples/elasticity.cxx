static char help[] = "Linear elasticity of a solid of two materials, on hexahedra or tetrahedra, assembled by Goza.\n\
  -mesh da|plex          : a box on a DMDA (-n or -da_grid_x, ..), or a DMPLEX (-dm_plex_filename examples/hook.msh, or a box: -dm_plex_dim 3 -dm_plex_box_faces 8,8,8 -dm_plex_simplex 0)\n\
  -tets                  : six tetrahedra in the place of each hexahedron of the DMDA\n\
  -case load|smooth      : clamped below, weight and a traction on top; or a known smooth displacement, whose error is printed\n\
  -contrast <number>     : Young's modulus of the stiff half over the soft half's\n\
  -poisson <number>      : Poisson's ratio\n\
  -fixed_set, -load_set  : (DMPLEX) the face sets of the mesh file that are clamped and pulled, in place of bottom and top\n\
  -soften <number>       : Young's modulus falls with the stress: E / (1 + number * von Mises / E), solved by SNES\n\
  -output <file>         : displacement and von Mises stress, .vtu (DMPLEX) or .vts (DMDA)\n\n";

/*
   An ordinary PETSc program that links Goza for the assembly: a DM, an object that assembles on it, KSP and SNES with options.

   Default: CG with block-diagonal scaling, as in paper P4. The rigid-body modes are attached to the matrix, so that -pc_type saamg and gamg find them.

   Run lines:
     elasticity -n 9
     elasticity -n 9 -tets -pc_type saamg
     elasticity -n 17 -case smooth
     elasticity -mesh plex -dm_plex_dim 3 -dm_plex_simplex 0 -dm_plex_box_faces 6,6,6 -dm_mat_type cds
     elasticity -mesh plex -dm_plex_filename examples/hook.msh -fixed_set 1 -load_set 2 -output hook.vtu
     elasticity -n 9 -soften 5
*/
#include <petscdmda.h>
#include <petscdmplex.h>
#include <petscgoza.h>
#include <petscsnes.h>
#include <petscviewer.h>

#if PETSC_VERSION_LT(3, 19, 0)
  #define PETSC_SUCCESS 0
#endif

static const char *const Meshes[] = {"da", "plex"};
static const char *const Cases[]  = {"load", "smooth"};

typedef struct {
  DM           dm, scalar; /* three unknowns a node, and one */
  GozaAssembly assembly;
  PetscInt     mesh, which, n, fixed_set, load_set;
  PetscBool    tets;
  PetscReal    contrast, poisson, soften, low[3], high[3];
  char         output[PETSC_MAX_PATH_LEN];
  PetscReal   *young, *ratio, *hard; /* of the elements; hard: Young's modulus without stress */
} Solid;

/* ---- the mesh ---- */

/* The unknowns at every vertex: a field of three or none, then one of one or none */
static PetscErrorCode SetVertexSection(DM dm, PetscInt vector, PetscInt scalar)
{
  PetscSection section;
  PetscInt     pstart, pend, vstart, vend, fields = 0;

  PetscFunctionBeginUser;
  PetscCall(DMPlexGetChart(dm, &pstart, &pend));
  PetscCall(DMPlexGetDepthStratum(dm, 0, &vstart, &vend));
  PetscCall(PetscSectionCreate(PetscObjectComm((PetscObject)dm), &section));
  PetscCall(PetscSectionSetNumFields(section, (vector > 0) + (scalar > 0)));
  PetscCall(PetscSectionSetChart(section, pstart, pend));
  for (PetscInt v = vstart; v < vend; v++) PetscCall(PetscSectionSetDof(section, v, vector + scalar));
  for (PetscInt k = 0; k < 2; k++) {
    const PetscInt n = k ? scalar : vector;

    if (!n) continue;
    PetscCall(PetscSectionSetFieldComponents(section, fields, n));
    PetscCall(PetscSectionSetFieldName(section, fields, k ? "von_mises" : "displacement"));
    for (PetscInt v = vstart; v < vend; v++) PetscCall(PetscSectionSetFieldDof(section, v, fields, n));
    fields++;
  }
  PetscCall(PetscSectionSetUp(section));
  PetscCall(DMSetLocalSection(dm, section));
  PetscCall(PetscSectionDestroy(&section));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateMesh(Solid *S)
{
  PetscFunctionBeginUser;
  if (S->mesh == 0) {
    PetscCall(DMDACreate3d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_BOX, S->n, S->n, S->n, PETSC_DECIDE, PETSC_DECIDE, PETSC_DECIDE, 3, 1, NULL, NULL, NULL, &S->dm));
    PetscCall(DMSetFromOptions(S->dm));
    PetscCall(DMSetUp(S->dm));
    PetscCall(DMDASetElementType(S->dm, S->tets ? DMDA_ELEMENT_P1 : DMDA_ELEMENT_Q1));
    PetscCall(DMDASetUniformCoordinates(S->dm, 0, 1, 0, 1, 0, 1));
    PetscCall(DMDACreateCompatibleDMDA(S->dm, 1, &S->scalar));
    PetscCall(DMDASetUniformCoordinates(S->scalar, 0, 1, 0, 1, 0, 1));
    PetscCall(DMDASetFieldName(S->scalar, 0, "von_mises"));
  } else {
    DM distributed = NULL;

    PetscCall(DMCreate(PETSC_COMM_WORLD, &S->dm));
    PetscCall(DMSetType(S->dm, DMPLEX));
    PetscCall(DMPlexDistributeSetDefault(S->dm, PETSC_FALSE));
    PetscCall(DMSetFromOptions(S->dm));
    PetscCall(DMPlexDistribute(S->dm, 1, NULL, &distributed)); /* each rank gets the elements around its nodes */
    if (distributed) {
      PetscCall(DMDestroy(&S->dm));
      S->dm = distributed;
    }
    PetscCall(DMClone(S->dm, &S->scalar));
    PetscCall(SetVertexSection(S->dm, 3, 0));
    PetscCall(SetVertexSection(S->scalar, 0, 1));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what is known: the smooth case is u = (sin(x) y, z^2 x, x y z) / 10 with the forces that belong to it ---- */

static void SmoothDisplacement(const PetscReal x[], PetscScalar u[])
{
  u[0] = PetscSinReal(x[0]) * x[1] / 10;
  u[1] = x[2] * x[2] * x[0] / 10;
  u[2] = x[0] * x[1] * x[2] / 10;
}

/* -div sigma = -(mu laplace u + (lambda + mu) grad div u), div u = cos(x) y / 10 + x y / 10 */
static void SmoothForce(const PetscReal x[], PetscReal lambda, PetscReal mu, PetscReal f[])
{
  f[0] = -(mu * -PetscSinReal(x[0]) * x[1] + (lambda + mu) * (-PetscSinReal(x[0]) * x[1] + x[1])) / 10;
  f[1] = -(mu * 2 * x[0] + (lambda + mu) * (PetscCosReal(x[0]) + x[0])) / 10;
  f[2] = 0;
}

static PetscErrorCode GetBounds(Solid *S, PetscInt nnodes, const PetscReal x[])
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

/* marked[k]: local node k is on a face of that set of the mesh file */
static PetscErrorCode MarkSet(DM dm, PetscInt value, PetscBool marked[])
{
  DMLabel         label;
  PetscSection    section;
  IS              faces;
  const PetscInt *face;
  PetscInt        nfaces = 0, vstart, vend, total;

  PetscFunctionBeginUser;
  PetscCall(DMGetLabel(dm, "Face Sets", &label));
  PetscCheck(label, PETSC_COMM_WORLD, PETSC_ERR_ARG_WRONG, "The mesh has no label \"Face Sets\": give the file physical surfaces, or leave -fixed_set and -load_set away");
  PetscCall(DMLabelGetStratumIS(label, value, &faces));
  if (faces) PetscCall(ISGetLocalSize(faces, &nfaces));
  PetscCallMPI(MPI_Allreduce(&nfaces, &total, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  PetscCheck(total, PETSC_COMM_WORLD, PETSC_ERR_ARG_WRONG, "The mesh has no face set %" PetscInt_FMT, value);
  PetscCall(DMPlexGetDepthStratum(dm, 0, &vstart, &vend));
  PetscCall(DMGetLocalSection(dm, &section));
  if (faces) PetscCall(ISGetIndices(faces, &face));
  for (PetscInt f = 0; f < nfaces; f++) {
    PetscInt *closure = NULL, npoints, offset;

    PetscCall(DMPlexGetTransitiveClosure(dm, face[f], PETSC_TRUE, &npoints, &closure));
    for (PetscInt p = 0; p < npoints; p++) {
      if (closure[2 * p] < vstart || closure[2 * p] >= vend) continue;
      PetscCall(PetscSectionGetOffset(section, closure[2 * p], &offset));
      marked[offset / 3] = PETSC_TRUE;
    }
    PetscCall(DMPlexRestoreTransitiveClosure(dm, face[f], PETSC_TRUE, &npoints, &closure));
  }
  if (faces) PetscCall(ISRestoreIndices(faces, &face));
  PetscCall(ISDestroy(&faces));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A face of an element all of whose corners are marked, and that no other element has: part of the boundary */
static PetscErrorCode SetTraction(Solid *S, const PetscBool marked[], const PetscReal traction[3])
{
  static const PetscInt hex[6][4] = {{0, 2, 6, 4}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 3, 7, 6}, {0, 1, 3, 2}, {4, 5, 7, 6}}, tet[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
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
static PetscErrorCode SetProblem(Solid *S)
{
  GozaElementType  type;
  const PetscInt  *conn;
  const PetscReal *x;
  PetscInt         nelem, nnodes;
  PetscBool       *given, *fixed, *pulled;
  PetscScalar     *value;
  PetscReal       *force;

  PetscFunctionBeginUser;
  PetscCall(GozaAssemblyGetElements(S->assembly, &type, &nelem, &conn, &nnodes, &x));
  PetscCall(GetBounds(S, nnodes, x));
  const PetscInt  corners = type == GOZA_HEX8 ? 8 : 4;
  const PetscReal near    = (PetscReal)1e-6 * (S->high[2] - S->low[2]);
  PetscCall(PetscMalloc3(nelem, &S->young, nelem, &S->ratio, nelem, &S->hard));
  PetscCall(PetscMalloc1((size_t)3 * nelem, &force));
  for (PetscInt e = 0; e < nelem; e++) {
    PetscReal center[3] = {0, 0, 0};

    for (PetscInt b = 0; b < corners; b++) {
      for (PetscInt d = 0; d < 3; d++) center[d] += x[3 * conn[e * corners + b] + d] / corners;
    }
    S->ratio[e] = S->poisson;
    S->hard[e] = S->young[e] = S->which == 0 && center[0] > (S->low[0] + S->high[0]) / 2 ? S->contrast : 1;
    if (S->which == 0) {
      force[3 * e] = force[3 * e + 1] = 0;
      force[3 * e + 2]                = (PetscReal)-1e-3; /* weight */
    } else {
      SmoothForce(center, S->poisson / ((1 + S->poisson) * (1 - 2 * S->poisson)), 1 / (2 * (1 + S->poisson)), force + 3 * e);
    }
  }
  PetscCall(GozaAssemblySetMaterial(S->assembly, S->young, S->ratio));
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

/* The rigid-body modes, for preconditioners that coarsen */
static PetscErrorCode AttachRigidBody(Solid *S, Mat A)
{
  MatNullSpace     modes;
  Vec              x, local;
  const PetscReal *from;
  PetscScalar     *to;
  PetscInt         nnodes;

  PetscFunctionBeginUser;
  PetscCall(GozaAssemblyGetElements(S->assembly, NULL, NULL, NULL, &nnodes, &from));
  PetscCall(DMGetGlobalVector(S->dm, &x));
  PetscCall(DMGetLocalVector(S->dm, &local));
  PetscCall(VecGetArrayWrite(local, &to));
  for (PetscInt k = 0; k < 3 * nnodes; k++) to[k] = from[k];
  PetscCall(VecRestoreArrayWrite(local, &to));
  PetscCall(DMLocalToGlobal(S->dm, local, INSERT_VALUES, x));
  PetscCall(VecSetBlockSize(x, 3));
  PetscCall(MatNullSpaceCreateRigidBody(x, &modes));
  PetscCall(MatSetNearNullSpace(A, modes));
  PetscCall(MatNullSpaceDestroy(&modes));
  PetscCall(DMRestoreLocalVector(S->dm, &local));
  PetscCall(DMRestoreGlobalVector(S->dm, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- a material that softens: SNES asks for residual and matrix, whose values change in a pattern that stays ---- */

static PetscErrorCode SoftenByStress(Solid *S, Vec u)
{
  GozaElementType    type;
  const PetscInt    *conn;
  PetscInt           nelem;
  Vec                stress, local;
  const PetscScalar *s;

  PetscFunctionBeginUser;
  if (S->soften <= 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(GozaAssemblyGetElements(S->assembly, &type, &nelem, &conn, NULL, NULL));
  const PetscInt corners = type == GOZA_HEX8 ? 8 : 4;
  PetscCall(DMGetGlobalVector(S->scalar, &stress));
  PetscCall(DMGetLocalVector(S->scalar, &local));
  PetscCall(GozaAssemblySetMaterial(S->assembly, S->hard, S->ratio)); /* the stress of the material without softening decides */
  PetscCall(GozaAssemblyVonMises(S->assembly, u, stress));
  PetscCall(DMGlobalToLocal(S->scalar, stress, INSERT_VALUES, local));
  PetscCall(VecGetArrayRead(local, &s));
  for (PetscInt e = 0; e < nelem; e++) {
    PetscReal mean = 0;

    for (PetscInt b = 0; b < corners; b++) mean += PetscRealPart(s[conn[e * corners + b]]) / corners;
    S->young[e] = S->hard[e] / (1 + S->soften * mean / S->hard[e]);
  }
  PetscCall(VecRestoreArrayRead(local, &s));
  PetscCall(GozaAssemblySetMaterial(S->assembly, S->young, S->ratio));
  PetscCall(DMRestoreLocalVector(S->scalar, &local));
  PetscCall(DMRestoreGlobalVector(S->scalar, &stress));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Residual(SNES snes, Vec u, Vec r, void *ctx)
{
  Solid *S = (Solid *)ctx;

  PetscFunctionBeginUser;
  (void)snes;
  PetscCall(SoftenByStress(S, u));
  PetscCall(GozaAssemblyResidual(S->assembly, u, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Stiffness(SNES snes, Vec u, Mat A, Mat P, void *ctx)
{
  Solid *S = (Solid *)ctx;

  PetscFunctionBeginUser;
  (void)snes;
  (void)A;
  PetscCall(SoftenByStress(S, u));
  PetscCall(GozaAssemblyMatrix(S->assembly, P)); /* the secant stiffness */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what is printed and written ---- */

/* Both fields in one vector of four unknowns a node: a VTK file wants one DM */
static PetscErrorCode Write(Solid *S, Vec u, Vec s)
{
  static const char *const names[] = {"displacement_x", "displacement_y", "displacement_z", "von_mises"};
  DM                       dm;
  Vec                      both;
  PetscScalar             *b;
  const PetscScalar       *from[2];
  PetscInt                 n;
  PetscViewer              viewer;

  PetscFunctionBeginUser;
  if (S->mesh == 0) {
    PetscCall(DMDACreateCompatibleDMDA(S->dm, 4, &dm));
    PetscCall(DMDASetUniformCoordinates(dm, 0, 1, 0, 1, 0, 1));
    for (PetscInt f = 0; f < 4; f++) PetscCall(DMDASetFieldName(dm, f, names[f]));
  } else {
    PetscCall(DMClone(S->dm, &dm));
    PetscCall(SetVertexSection(dm, 3, 1));
  }
  PetscCall(DMCreateGlobalVector(dm, &both));
  PetscCall(PetscObjectSetName((PetscObject)both, "solid"));
  PetscCall(VecGetLocalSize(s, &n));
  PetscCall(VecGetArrayRead(u, &from[0]));
  PetscCall(VecGetArrayRead(s, &from[1]));
  PetscCall(VecGetArrayWrite(both, &b));
  for (PetscInt k = 0; k < n; k++) {
    for (PetscInt d = 0; d < 3; d++) b[4 * k + d] = from[0][3 * k + d];
    b[4 * k + 3] = from[1][k];
  }
  PetscCall(VecRestoreArrayWrite(both, &b));
  PetscCall(VecRestoreArrayRead(s, &from[1]));
  PetscCall(VecRestoreArrayRead(u, &from[0]));
  PetscCall(PetscViewerVTKOpen(PETSC_COMM_WORLD, S->output, FILE_MODE_WRITE, &viewer));
  PetscCall(VecView(both, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(VecDestroy(&both));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Report(Solid *S, SNES snes, Vec u)
{
  KSPConvergedReason reason;
  PetscInt           its, newton, N;
  PetscReal          most, stress;
  KSP                ksp;
  Vec                s;

  PetscFunctionBeginUser;
  PetscCall(SNESGetKSP(snes, &ksp));
  PetscCall(SNESGetIterationNumber(snes, &newton));
  PetscCall(SNESGetLinearSolveIterations(snes, &its));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(VecGetSize(u, &N));
  PetscCall(VecNorm(u, NORM_INFINITY, &most));
  PetscCall(DMCreateGlobalVector(S->scalar, &s));
  PetscCall(GozaAssemblyVonMises(S->assembly, u, s));
  PetscCall(VecNorm(s, NORM_INFINITY, &stress));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%" PetscInt_FMT " unknowns: %s after %" PetscInt_FMT " iterations in %" PetscInt_FMT " solves, largest displacement %.6g, largest von Mises stress %.4g\n", N, KSPConvergedReasons[reason], its, newton, (double)most, (double)stress));
  if (S->which == 1) {
    const PetscReal *x;
    PetscInt         nnodes;
    Vec              local;
    PetscScalar     *v;
    PetscReal        error = 0, all;

    PetscCall(GozaAssemblyGetElements(S->assembly, NULL, NULL, NULL, &nnodes, &x));
    PetscCall(DMGetLocalVector(S->dm, &local));
    PetscCall(DMGlobalToLocal(S->dm, u, INSERT_VALUES, local));
    PetscCall(VecGetArray(local, &v));
    for (PetscInt k = 0; k < nnodes; k++) {
      PetscScalar exact[3];

      SmoothDisplacement(x + 3 * k, exact);
      for (PetscInt d = 0; d < 3; d++) error = PetscMax(error, PetscAbsScalar(v[3 * k + d] - exact[d]));
    }
    PetscCall(VecRestoreArray(local, &v));
    PetscCall(DMRestoreLocalVector(S->dm, &local));
    PetscCallMPI(MPI_Allreduce(&error, &all, 1, MPIU_REAL, MPIU_MAX, PETSC_COMM_WORLD));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "largest error %.4e\n", (double)all));
  }
  if (S->output[0]) PetscCall(Write(S, u, s));
  PetscCall(VecDestroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Options(Solid *S)
{
  PetscFunctionBeginUser;
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Elasticity", NULL);
  PetscCall(PetscOptionsEList("-mesh", "Where the mesh comes from", NULL, Meshes, 2, Meshes[S->mesh], &S->mesh, NULL));
  PetscCall(PetscOptionsEList("-case", "What is solved", NULL, Cases, 2, Cases[S->which], &S->which, NULL));
  PetscCall(PetscOptionsInt("-n", "Nodes a side of the DMDA", NULL, S->n, &S->n, NULL));
  PetscCall(PetscOptionsBool("-tets", "Six tetrahedra for each hexahedron of the DMDA", NULL, S->tets, &S->tets, NULL));
  PetscCall(PetscOptionsReal("-contrast", "Young's modulus, stiff over soft", NULL, S->contrast, &S->contrast, NULL));
  PetscCall(PetscOptionsReal("-poisson", "Poisson's ratio", NULL, S->poisson, &S->poisson, NULL));
  PetscCall(PetscOptionsReal("-soften", "How fast Young's modulus falls with the stress", NULL, S->soften, &S->soften, NULL));
  PetscCall(PetscOptionsInt("-fixed_set", "Face set that is clamped", NULL, S->fixed_set, &S->fixed_set, NULL));
  PetscCall(PetscOptionsInt("-load_set", "Face set that is pulled", NULL, S->load_set, &S->load_set, NULL));
  PetscCall(PetscOptionsString("-output", "VTK file", NULL, S->output, S->output, sizeof(S->output), NULL));
  PetscOptionsEnd();
  PetscCheck(S->n > 1, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "An element needs two nodes in each direction, not %" PetscInt_FMT, S->n);
  PetscCheck(S->mesh == 1 || (S->fixed_set < 0 && S->load_set < 0), PETSC_COMM_WORLD, PETSC_ERR_ARG_INCOMP, "Face sets are a DMPLEX's: -mesh plex");
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Solid              S = {};
  SNES               snes;
  KSP                ksp;
  PC                 pc;
  Mat                A;
  Vec                u, r;
  KSPConvergedReason reason;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(GozaInitializePackage());
  S.n         = 9;
  S.contrast  = 10;
  S.poisson   = (PetscReal)0.3;
  S.fixed_set = S.load_set = -1;
  PetscCall(Options(&S));
  PetscCall(CreateMesh(&S));

  PetscCall(GozaAssemblyCreate(PETSC_COMM_WORLD, &S.assembly));
  PetscCall(GozaAssemblySetEquation(S.assembly, GOZA_ELASTICITY, 3));
  PetscCall(GozaAssemblySetDM(S.assembly, S.dm));
  PetscCall(SetProblem(&S));
  PetscCall(GozaAssemblyCreateMatrix(S.assembly, NULL, &A)); /* -dm_mat_type or -mat_type says of which type */
  PetscCall(MatSetOption(A, MAT_SPD, PETSC_TRUE));
  PetscCall(MatSetOption(A, MAT_SPD_ETERNAL, PETSC_TRUE));
  PetscCall(AttachRigidBody(&S, A));
  PetscCall(DMCreateGlobalVector(S.dm, &u));
  PetscCall(VecDuplicate(u, &r));

  PetscCall(SNESCreate(PETSC_COMM_WORLD, &snes));
  PetscCall(SNESSetFunction(snes, r, Residual, &S));
  PetscCall(SNESSetJacobian(snes, A, A, Stiffness, &S));
  PetscCall(SNESSetType(snes, S.soften > 0 ? SNESNEWTONLS : SNESKSPONLY)); /* without softening the problem is linear: one solve */
  PetscCall(SNESGetKSP(snes, &ksp));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPSetTolerances(ksp, (PetscReal)1e-8, PETSC_DEFAULT, PETSC_DEFAULT, 10000));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCPBJACOBI));
  PetscCall(SNESSetFromOptions(snes));
  PetscCall(SNESSolve(snes, NULL, u));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(Report(&S, snes, u));

  PetscCall(SNESDestroy(&snes));
  PetscCall(VecDestroy(&r));
  PetscCall(VecDestroy(&u));
  PetscCall(MatDestroy(&A));
  PetscCall(GozaAssemblyDestroy(&S.assembly));
  PetscCall(PetscFree3(S.young, S.ratio, S.hard));
  PetscCall(DMDestroy(&S.scalar));
  PetscCall(DMDestroy(&S.dm));
  PetscCall(PetscFinalize());
  return reason > 0 ? 0 : 1;
}
