/* The solid of the program elasticity, and its mesh: a box on a DMDA, or a DMPLEX. */
#pragma once
#include "copies.hpp"
#include <petscdmda.h>
#include <petscdmplex.h>
#include <petscgoza.h>
#include <petscsnes.h>
#include <petscviewer.h>

typedef struct {
  DM           dm, scalar; /* three unknowns a node, and one */
  GozaAssembly assembly;
  PetscInt     mesh, which, n, setups, fixed_set, load_set;
  PetscBool    tets, times;
  PetscReal    contrast, poisson, soften, low[3], high[3];
  char         output[PETSC_MAX_PATH_LEN];
  Vec          young, ratio, hard, stress; /* of the elements; hard: Young's modulus without stress */
  Copies       copies;
} Solid;

/* The unknowns at every vertex: a field of three or none, then one of one or none */
static inline PetscErrorCode SetVertexSection(DM dm, PetscInt vector, PetscInt scalar)
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

static inline PetscErrorCode CreateMesh(Solid *S)
{
  PetscFunctionBeginUser;
  if (S->mesh == 0) {
    PetscCall(DMDACreate3d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_BOX, S->n, S->n, S->n, PETSC_DECIDE,
                           PETSC_DECIDE, PETSC_DECIDE, 3, 1, NULL, NULL, NULL, &S->dm));
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

/* marked[k]: local node k is on a face of that set of the mesh file */
static inline PetscErrorCode MarkSet(DM dm, PetscInt value, PetscBool marked[])
{
  DMLabel         label;
  PetscSection    section;
  IS              faces;
  const PetscInt *face;
  PetscInt        nfaces = 0, vstart, vend, total;

  PetscFunctionBeginUser;
  PetscCall(DMGetLabel(dm, "Face Sets", &label));
  PetscCheck(label, PETSC_COMM_WORLD, PETSC_ERR_ARG_WRONG,
             "The mesh has no label \"Face Sets\": give the file physical surfaces, or leave -fixed_set and -load_set away");
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
