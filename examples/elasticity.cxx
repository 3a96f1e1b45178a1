static char help[] = "Linear elasticity of a solid of two materials, on hexahedra or tetrahedra, assembled by Goza.\n\
  -mesh da|plex          : a box on a DMDA (-n or -da_grid_x, ..), or a DMPLEX (-dm_plex_filename examples/hook.msh,\n\
                           or a box: -dm_plex_dim 3 -dm_plex_box_faces 8,8,8 -dm_plex_simplex 0)\n\
  -tets                  : six tetrahedra in the place of each hexahedron of the DMDA\n\
  -case load|smooth      : clamped below, weight and a traction on top; or a known smooth displacement, whose error is printed\n\
  -contrast <number>     : Young's modulus of the stiff half over the soft half's\n\
  -poisson <number>      : Poisson's ratio\n\
  -fixed_set, -load_set  : (DMPLEX) the face sets of the mesh file that are clamped and pulled, in place of bottom and top\n\
  -soften <number>       : Young's modulus of an element falls with its stress: E / (1 + number * von Mises / E), solved by SNES\n\
  -setups <number>       : then set the solver up so many times more, each from nothing, report the fastest\n\
  -times                 : what the user waits for, by PETSc's events, and how often something was copied between host and device\n\
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
     elasticity -n 9 -soften 5 -times
     elasticity -n 9 -soften 5 -times -dm_mat_type cds -pc_type saamg -setups 2
*/
#include "box.hpp"
#include "elasticity_output.hpp"

static const char *const Meshes[] = {"da", "plex"};
static const char *const Cases[]  = {"load", "smooth"};

/* Vectors on the device where the products are done there */
static PetscErrorCode VectorsLikeMatrix(Solid *S, Mat A)
{
  VecType   type;
  PetscBool chosen;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsHasName(NULL, NULL, "-dm_vec_type", &chosen));
  if (chosen) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetVecType(A, &type));
  PetscCall(DMSetVecType(S->dm, type));
  PetscCall(DMSetVecType(S->scalar, type));
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

/* ---- a material that softens: SNES asks for residual and matrix, whose values change in a pattern that stays. All of it is done where the vectors are ---- */

static PetscErrorCode SoftenByStress(Solid *S, Vec u)
{
  PetscFunctionBeginUser;
  if (S->soften <= 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(GozaAssemblySetMaterialVecs(S->assembly, S->hard, S->ratio)); /* the stress of the material without softening decides */
  PetscCall(GozaAssemblyElementVonMises(S->assembly, u, S->stress));
  PetscCall(VecAYPX(S->stress, S->soften, S->hard));
  PetscCall(VecPointwiseDivide(S->young, S->hard, S->stress));
  PetscCall(VecPointwiseMult(S->young, S->young, S->hard)); /* E E / (E + soften * stress) */
  PetscCall(GozaAssemblySetMaterialVecs(S->assembly, S->young, S->ratio));
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

static PetscErrorCode Monitor(SNES snes, PetscInt step, PetscReal norm, void *ctx)
{
  PetscFunctionBeginUser;
  (void)snes;
  (void)norm;
  PetscCall(CountCopies(&((Solid *)ctx)->copies, step));
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
  PetscCall(PetscOptionsInt("-setups", "Number of set-ups after the solution, the fastest is reported", NULL, S->setups, &S->setups, NULL));
  PetscCall(PetscOptionsBool("-times", "Print what the user waits for", NULL, S->times, &S->times, NULL));
  PetscCall(PetscOptionsString("-output", "VTK file", NULL, S->output, S->output, sizeof(S->output), NULL));
  PetscOptionsEnd();
  PetscCheck(S->n > 1, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "An element needs two nodes in each direction, not %" PetscInt_FMT, S->n);
  PetscCheck(S->setups >= 0, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "-setups %" PetscInt_FMT " must not be negative", S->setups);
  PetscCheck(S->soften >= 0, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "-soften %g must not be negative", (double)S->soften);
  PetscCheck(S->mesh == 1 || (S->fixed_set < 0 && S->load_set < 0), PETSC_COMM_WORLD, PETSC_ERR_ARG_INCOMP, "Face sets are a DMPLEX's: -mesh plex");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetUpAgain(const Solid *S, KSP ksp, Mat A)
{
  PetscLogDouble fastest;

  PetscFunctionBeginUser;
  if (!S->setups) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPReset(ksp));
  PetscCall(SetUp(S->setups, ksp, A, &fastest, NULL));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "set-up from nothing again %.4f s\n", (double)fastest));
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
  if (S.times) PetscCall(PetscLogDefaultBegin());
  PetscCall(CreateMesh(&S));

  PetscCall(GozaAssemblyCreate(PETSC_COMM_WORLD, &S.assembly));
  PetscCall(GozaAssemblySetEquation(S.assembly, GOZA_ELASTICITY, 3));
  PetscCall(GozaAssemblySetDM(S.assembly, S.dm));
  PetscCall(SetProblem(&S));
  PetscCall(GozaAssemblyCreateMatrix(S.assembly, NULL, &A)); /* -dm_mat_type or -mat_type says of which type */
  PetscCall(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));     /* and positive definite, but PETSc 3.18 refuses MAT_SPD for baij on several ranks */
  PetscCall(MatSetOption(A, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
  PetscCall(VectorsLikeMatrix(&S, A));
  PetscCall(AttachRigidBody(&S, A));
  PetscCall(DMCreateGlobalVector(S.dm, &u));
  PetscCall(VecDuplicate(u, &r));

  PetscCall(SNESCreate(PETSC_COMM_WORLD, &snes));
  PetscCall(SNESSetFunction(snes, r, Residual, &S));
  PetscCall(SNESSetJacobian(snes, A, A, Stiffness, &S));
  PetscCall(SNESSetType(snes, S.soften > 0 ? SNESNEWTONLS : SNESKSPONLY)); /* without softening the problem is linear: one solve */
  PetscCall(SNESSetLagPreconditioner(snes, 20)); /* the stiffness changes little from step to step: the preconditioner of the first one serves */
  PetscCall(SNESGetKSP(snes, &ksp));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPSetTolerances(ksp, (PetscReal)1e-8, PETSC_DEFAULT, PETSC_DEFAULT, 10000));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCPBJACOBI));
  PetscCall(SNESMonitorSet(snes, Monitor, &S, NULL));
  PetscCall(SNESSetFromOptions(snes));
  PetscCall(SNESSolve(snes, NULL, u));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(Report(&S, snes, u));
  PetscCall(SetUpAgain(&S, ksp, A));

  PetscCall(SNESDestroy(&snes));
  PetscCall(VecDestroy(&r));
  PetscCall(VecDestroy(&u));
  PetscCall(MatDestroy(&A));
  PetscCall(GozaAssemblyDestroy(&S.assembly));
  PetscCall(VecDestroy(&S.hard));
  PetscCall(VecDestroy(&S.young));
  PetscCall(VecDestroy(&S.ratio));
  PetscCall(VecDestroy(&S.stress));
  PetscCall(DMDestroy(&S.scalar));
  PetscCall(DMDestroy(&S.dm));
  PetscCall(PetscFinalize());
  return reason > 0 ? 0 : 1;
}
