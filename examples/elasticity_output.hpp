/* What the program elasticity prints and writes. */
#pragma once
#include "elasticity_problem.hpp"

/* Of rank 0, how often in brackets. On a device, calls that wait for nothing hand their time on to those that wait. */
static inline PetscErrorCode PrintTimes(void)
{
  static const char *const events[] = {"GozaFEMInputs", "GozaFEMSymbolic", "GozaFEMCreate", "GozaFEMMatrix",
                                       "GozaFEMVector", "PCSetUp",         "KSPSolve",      "SNESSolve"};
  static const char *const names[]  = {"inputs",         "symbolic phase",    "new matrix", "matrix values", "vectors", "set-up of the preconditioner",
                                       "solves with it", "the whole solution"};

  PetscFunctionBeginUser;
  for (int k = 0; k < 8; k++) {
    PetscLogEvent      event;
    PetscEventPerfInfo info;

    PetscCall(PetscLogEventGetId(events[k], &event));
    PetscCall(PetscLogEventGetPerfInfo(PETSC_DETERMINE, event, &info));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s%s %.4f s (%d)", k ? ", " : "", names[k], (double)info.time, info.count));
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Both fields in one vector of four unknowns a node: a VTK file wants one DM */
static inline PetscErrorCode Write(Solid *S, Vec u, Vec s)
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

static inline PetscErrorCode Report(Solid *S, SNES snes, Vec u)
{
  KSPConvergedReason reason;
  PetscInt           its, newton, N;
  PetscReal          most, stress;
  KSP                ksp;
  Vec                s;

  PetscFunctionBeginUser;
  if (S->times) PetscCall(PrintTimes());
  if (S->times) PetscCall(PrintCopies(&S->copies));
  PetscCall(SNESGetKSP(snes, &ksp));
  PetscCall(SNESGetIterationNumber(snes, &newton));
  PetscCall(SNESGetLinearSolveIterations(snes, &its));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(VecGetSize(u, &N));
  PetscCall(VecNorm(u, NORM_INFINITY, &most));
  PetscCall(DMCreateGlobalVector(S->scalar, &s));
  PetscCall(GozaAssemblyVonMises(S->assembly, u, s));
  PetscCall(VecNorm(s, NORM_INFINITY, &stress));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "%" PetscInt_FMT " unknowns: %s after %" PetscInt_FMT " iterations in %" PetscInt_FMT
                        " solves, largest displacement %.6g, largest von Mises stress %.4g\n",
                        N, KSPConvergedReasons[reason], its, newton, (double)most, (double)stress));
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
