static char help[] = "The heat equation on the unit cube, stepped by TS, mass and stiffness assembled by Goza.\n\
  -n <number>           : nodes a side of the DMDA (or -da_grid_x, ..)\n\
  -conductivity <number>: k in u' = div(k grad u)\n\
  -insulated            : only the faces x = 0 and x = 1 have a given temperature, else all have\n\n";

/*
   M u' + K u = 0, with one GozaAssembly for the mass M and one for the stiffness K: their matrices have one pattern. TS asks for the residual F = M u' + K u,
   where K u comes from the elements and needs no matrix, and for its derivative shift M + K, which is assembled when the shift is another: with a step of one
   length, once. With a PETSc that has CUDA all of it stays on the device.

   The solution is exp(-3 k pi^2 t) sin(pi x) sin(pi y) sin(pi z) (insulated: exp(-k pi^2 t) sin(pi x)); its largest error is printed.

   Run lines:
     heat -n 9
     heat -n 9 -insulated -dm_mat_type cds -pc_type saamg
     heat -n 9 -dm_mat_type slicedell -ts_type bdf -ts_dt 0.0005 -ts_adapt_type basic
*/
#include "copies.hpp"
#include <petscdmda.h>
#include <petscgoza.h>
#include <petscts.h>

typedef struct {
  DM           dm;
  GozaAssembly mass, stiffness;
  Mat          M;
  PetscInt     n;
  PetscReal    conductivity, shift; /* that J has now; negative: none yet */
  PetscBool    insulated;
  Copies       copies;
} Heat;

static PetscReal Exact(const Heat *H, const PetscReal x[], PetscReal t)
{
  const PetscReal u = PetscSinReal(PETSC_PI * x[0]);

  if (H->insulated) return u * PetscExpReal(-H->conductivity * PETSC_PI * PETSC_PI * t);
  return u * PetscSinReal(PETSC_PI * x[1]) * PetscSinReal(PETSC_PI * x[2]) * PetscExpReal(-3 * H->conductivity * PETSC_PI * PETSC_PI * t);
}

static PetscErrorCode CreateAssembly(Heat *H, GozaEquation equation, PetscReal material, GozaAssembly *assembly)
{
  const PetscReal *x;
  PetscInt         nelem, nnodes;
  PetscReal       *constant;
  PetscBool       *given;

  PetscFunctionBeginUser;
  PetscCall(GozaAssemblyCreate(PETSC_COMM_WORLD, assembly));
  PetscCall(GozaAssemblySetEquation(*assembly, equation, 1));
  PetscCall(GozaAssemblySetDM(*assembly, H->dm));
  PetscCall(GozaAssemblyGetElements(*assembly, NULL, &nelem, NULL, &nnodes, &x));
  PetscCall(PetscMalloc2(nelem, &constant, nnodes, &given));
  for (PetscInt e = 0; e < nelem; e++) constant[e] = material;
  for (PetscInt k = 0; k < nnodes; k++) {
    given[k] = PETSC_FALSE;
    for (PetscInt d = 0; d < (H->insulated ? 1 : 3); d++) {
      if (x[3 * k + d] < 1e-8 || x[3 * k + d] > 1 - 1e-8) given[k] = PETSC_TRUE;
    }
  }
  PetscCall(GozaAssemblySetMaterial(*assembly, constant, NULL));
  PetscCall(GozaAssemblySetDirichlet(*assembly, given, NULL));
  PetscCall(PetscFree2(constant, given));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The exact solution at the nodes */
static PetscErrorCode SetExact(Heat *H, PetscReal t, Vec u)
{
  const PetscReal *x;
  PetscInt         nnodes;
  Vec              local;
  PetscScalar     *v;

  PetscFunctionBeginUser;
  PetscCall(GozaAssemblyGetElements(H->mass, NULL, NULL, NULL, &nnodes, &x));
  PetscCall(DMGetLocalVector(H->dm, &local));
  PetscCall(VecGetArrayWrite(local, &v));
  for (PetscInt k = 0; k < nnodes; k++) v[k] = Exact(H, x + 3 * k, t);
  PetscCall(VecRestoreArrayWrite(local, &v));
  PetscCall(DMLocalToGlobal(H->dm, local, INSERT_VALUES, u));
  PetscCall(DMRestoreLocalVector(H->dm, &local));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Residual(TS ts, PetscReal t, Vec u, Vec udot, Vec r, void *ctx)
{
  Heat *H = (Heat *)ctx;

  PetscFunctionBeginUser;
  (void)ts;
  (void)t;
  PetscCall(GozaAssemblyResidual(H->stiffness, u, r));
  PetscCall(MatMultAdd(H->M, udot, r, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Jacobian(TS ts, PetscReal t, Vec u, Vec udot, PetscReal shift, Mat J, Mat P, void *ctx)
{
  Heat *H = (Heat *)ctx;

  PetscFunctionBeginUser;
  (void)ts;
  (void)t;
  (void)u;
  (void)udot;
  (void)J;
  if (PetscAbsReal(shift - H->shift) <= 1e-9 * shift) PetscFunctionReturn(PETSC_SUCCESS); /* a step's length is rounded */
  PetscCall(GozaAssemblyMatrix(H->stiffness, P));
  PetscCall(MatAXPY(P, shift, H->M, SAME_NONZERO_PATTERN));
  H->shift = shift;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Monitor(TS ts, PetscInt step, PetscReal t, Vec u, void *ctx)
{
  PetscFunctionBeginUser;
  (void)ts;
  (void)t;
  (void)u;
  if (step >= 0) PetscCall(CountCopies(&((Heat *)ctx)->copies, step)); /* else PETSc interpolates the end */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Options(Heat *H)
{
  PetscFunctionBeginUser;
  H->n            = 9;
  H->conductivity = 1;
  H->insulated    = PETSC_FALSE;
  H->shift        = -1;
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Heat equation", NULL);
  PetscCall(PetscOptionsInt("-n", "Nodes a side", NULL, H->n, &H->n, NULL));
  PetscCall(PetscOptionsReal("-conductivity", "k in u' = div(k grad u)", NULL, H->conductivity, &H->conductivity, NULL));
  PetscCall(PetscOptionsBool("-insulated", "Given temperatures at x = 0 and x = 1 alone", NULL, H->insulated, &H->insulated, NULL));
  PetscOptionsEnd();
  PetscCheck(H->n > 1, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "An element needs two nodes in each direction, not %" PetscInt_FMT, H->n);
  PetscCheck(H->conductivity > 0, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "-conductivity %g must be positive", (double)H->conductivity);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* DM, matrices, and vectors where the matrices have theirs */
static PetscErrorCode Create(Heat *H, Mat *J, Vec *u)
{
  VecType   type;
  PetscBool chosen;

  PetscFunctionBeginUser;
  PetscCall(DMDACreate3d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_BOX, H->n, H->n, H->n, PETSC_DECIDE, PETSC_DECIDE,
                         PETSC_DECIDE, 1, 1, NULL, NULL, NULL, &H->dm));
  PetscCall(DMSetFromOptions(H->dm));
  PetscCall(DMSetUp(H->dm));
  PetscCall(DMDASetUniformCoordinates(H->dm, 0, 1, 0, 1, 0, 1));
  PetscCall(DMDASetElementType(H->dm, DMDA_ELEMENT_Q1));
  PetscCall(CreateAssembly(H, GOZA_MASS, 1, &H->mass));
  PetscCall(CreateAssembly(H, GOZA_DIFFUSION, H->conductivity, &H->stiffness));
  PetscCall(GozaAssemblyCreateMatrix(H->mass, NULL, &H->M));
  PetscCall(GozaAssemblyMatrix(H->mass, H->M));
  PetscCall(GozaAssemblyCreateMatrix(H->stiffness, NULL, J));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-dm_vec_type", &chosen));
  PetscCall(MatGetVecType(H->M, &type));
  if (!chosen) PetscCall(DMSetVecType(H->dm, type));
  PetscCall(DMCreateGlobalVector(H->dm, u));
  PetscCall(SetExact(H, 0, *u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Report(Heat *H, TS ts, Vec u)
{
  TSConvergedReason reason;
  PetscInt          steps;
  PetscReal         t, error, size;
  Vec               exact;

  PetscFunctionBeginUser;
  PetscCall(TSGetConvergedReason(ts, &reason));
  PetscCall(TSGetStepNumber(ts, &steps));
  PetscCall(TSGetSolveTime(ts, &t));
  PetscCall(VecDuplicate(u, &exact));
  PetscCall(SetExact(H, t, exact));
  PetscCall(VecNorm(exact, NORM_INFINITY, &size));
  PetscCall(VecAXPY(exact, -1, u));
  PetscCall(VecNorm(exact, NORM_INFINITY, &error));
  PetscCall(VecDestroy(&exact));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s after %" PetscInt_FMT " steps to t = %g, largest error %.2e of the largest temperature\n",
                        TSConvergedReasons[reason], steps, (double)t, (double)(error / size)));
  PetscCall(PrintCopies(&H->copies));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Heat H = {};
  TS   ts;
  KSP  ksp;
  PC   pc;
  SNES snes;
  Mat  J;
  Vec  u;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(GozaInitializePackage());
  PetscCall(Options(&H));
  PetscCall(Create(&H, &J, &u));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetProblemType(ts, TS_LINEAR));
  PetscCall(TSSetType(ts, TSCN));
  PetscCall(TSSetIFunction(ts, NULL, Residual, &H));
  PetscCall(TSSetIJacobian(ts, J, J, Jacobian, &H));
  PetscCall(TSSetTimeStep(ts, (PetscReal)0.001));
  PetscCall(TSSetMaxTime(ts, (PetscReal)0.02));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
  PetscCall(TSGetSNES(ts, &snes));
  PetscCall(SNESGetKSP(snes, &ksp));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPSetTolerances(ksp, (PetscReal)1e-8, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCJACOBI));
  PetscCall(TSMonitorSet(ts, Monitor, &H, NULL));
  PetscCall(TSSetFromOptions(ts));
  PetscCall(TSSolve(ts, u));
  PetscCall(Report(&H, ts, u));

  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&u));
  PetscCall(MatDestroy(&J));
  PetscCall(MatDestroy(&H.M));
  PetscCall(GozaAssemblyDestroy(&H.mass));
  PetscCall(GozaAssemblyDestroy(&H.stiffness));
  PetscCall(DMDestroy(&H.dm));
  PetscCall(PetscFinalize());
  return 0;
}
