/*
   Goza: GPU matrix types and smoothed-aggregation AMG for PETSc.

   A program that only uses -dll_append libgoza.so needs nothing of this; one that links libgoza calls GozaInitializePackage() after
   PetscInitialize().
*/
#pragma once
#include <petscdm.h>
#include <petscksp.h>

#define GOZA_VERSION_MAJOR    0
#define GOZA_VERSION_MINOR    1
#define GOZA_VERSION_SUBMINOR 0

#define MATCDS       "cds"
#define MATSEQAIJCDS "seqaijcds"
#define MATMPIAIJCDS "mpiaijcds"
#define MATOWNCDS    "owncds" /* without AIJ: -mat_cds_keep_aij */

#define MATSLICEDELL       "slicedell"
#define MATSEQAIJSLICEDELL "seqaijslicedell"
#define MATMPIAIJSLICEDELL "mpiaijslicedell"
#define MATOWNSLICEDELL    "ownslicedell"

#define MATFOLD       "fold"
#define MATSEQAIJFOLD "seqaijfold"
#define MATMPIAIJFOLD "mpiaijfold"
#define MATOWNFOLD    "ownfold"

#define MATAUTOFORMAT       "autoformat"
#define MATSEQAIJAUTOFORMAT "seqaijautoformat"
#define MATMPIAIJAUTOFORMAT "mpiaijautoformat"

#define PCSAAMG "saamg"

#define KSPFUSEDCG    "fusedcg"
#define KSPFUSEDBCGS  "fusedbcgs"
#define KSPFUSEDGMRES "fusedgmres"

typedef enum {
  MAT_CDS_AUTO, /* half where the matrix is symmetric */
  MAT_CDS_FULL,
  MAT_CDS_HALF,
  MAT_CDS_HERMITIAN /* half of a Hermitian matrix; with real scalars the same */
} MatCDSStorage;

typedef enum {
  MAT_STORAGE_DOUBLE, /* PetscScalar */
  MAT_STORAGE_SINGLE,
  MAT_STORAGE_HALF
} MatStoragePrecision;

typedef enum { MAT_FOLD_ORDER_AUTO, MAT_FOLD_ORDER_NATURAL, MAT_FOLD_ORDER_BREADTH_FIRST } MatFoldOrder;

typedef enum {
  MAT_FOLD_LAYOUT_GROUPS,
  MAT_FOLD_LAYOUT_RECTANGLE /* Tomimori's, to be compared with */
} MatFoldLayout;

typedef enum {
  MAT_SLICEDELL_INDEX_AUTO, /* shared by slices that are alike, or in 16 bits where they fit */
  MAT_SLICEDELL_INDEX_32    /* one for each entry */
} MatSlicedEllIndex;

typedef enum {
  PC_SAAMG_CYCLE_V,
  PC_SAAMG_CYCLE_W /* two coarse corrections a level */
} PCSAAMGCycleType;

typedef enum {
  PC_SAAMG_INTERPOLATION_AUTO,      /* by the matrix */
  PC_SAAMG_INTERPOLATION_SMOOTHED,  /* with the matrix */
  PC_SAAMG_INTERPOLATION_DIFFUSIVE, /* with what both directions of an edge share */
  PC_SAAMG_INTERPOLATION_UNSMOOTHED /* piecewise constant */
} PCSAAMGInterpolation;

typedef enum {
  PC_SAAMG_RESTRICTION_AUTO,      /* by the matrix */
  PC_SAAMG_RESTRICTION_TRANSPOSE, /* of interpolation */
  PC_SAAMG_RESTRICTION_ADJOINT    /* smoothed with the transpose of the matrix */
} PCSAAMGRestriction;

typedef enum {
  PC_SAAMG_FINEST,
  PC_SAAMG_INTERMEDIATE,
  PC_SAAMG_COARSEST, /* where it is smoothed and not solved */
  PC_SAAMG_ALL_LEVELS
} PCSAAMGLevels;

typedef enum {
  PC_SAAMG_DOUBLE, /* every level in PetscScalar */
  PC_SAAMG_MIXED,  /* finest level in PetscScalar, coarser ones in single: paper P5 */
  PC_SAAMG_SINGLE, /* the whole cycle in single */
  PC_SAAMG_HALF,   /* the same, the values of operators and interpolations stored in half precision */
  PC_SAAMG_AUTO    /* half where a GPU works on it and it converges as double does, else double */
} PCSAAMGPrecision;

typedef enum {
  PC_SAAMG_REUSE_AUTO,         /* new values, same pattern: as PATTERN where no threshold is in use and as many entries couple rows as before, else as NONE */
  PC_SAAMG_REUSE_NONE,         /* new values: a new hierarchy */
  PC_SAAMG_REUSE_PATTERN,      /* new values, same pattern: keep the aggregates, redo the interpolation and the coarse operators in the patterns they have */
  PC_SAAMG_REUSE_INTERPOLATION /* new values, same pattern: keep P, redo the coarse operators */
} PCSAAMGReuse;

typedef enum {
  PC_SAAMG_TUNE_NONE,
  PC_SAAMG_TUNE_QUICK, /* from the second set-up with a pattern on a lower precision on the host, by the user's own solves */
  PC_SAAMG_TUNE_FULL   /* cycles are tried for the fastest in the first set-up */
} PCSAAMGTune;

typedef enum {
  PC_SAAMG_COUPLING_GLOBAL, /* a sweep of mcgs is the same on any number of ranks: an exchange for each colour */
  PC_SAAMG_COUPLING_LOCAL   /* Jacobi between ranks: an exchange for each sweep */
} PCSAAMGCoupling;

typedef enum {
  PC_SAAMG_CHEBYSHEV_FIRST, /* option 1: of the first kind */
  PC_SAAMG_CHEBYSHEV_FOURTH /* option 4: of the fourth kind, with optimal weights */
} PCSAAMGChebyshevKind;

typedef enum {
  PC_SAAMG_PAPER_NONE,
  PC_SAAMG_PAPER_DARCY,      /* flow through a heterogeneous medium */
  PC_SAAMG_PAPER_ANISOTROPIC /* diffusion, a hundred times as strong along z */
} PCSAAMGPaper;

/* The words of the options, as PETSc lists those of its own enums: by value, then the type's name, the prefix and NULL. */
PETSC_EXTERN const char *const MatCDSStorages[];
PETSC_EXTERN const char *const MatStoragePrecisions[];
PETSC_EXTERN const char *const MatFoldOrders[];
PETSC_EXTERN const char *const MatFoldLayouts[];
PETSC_EXTERN const char *const MatSlicedEllIndices[];
PETSC_EXTERN const char *const PCSAAMGCycleTypes[];
PETSC_EXTERN const char *const PCSAAMGInterpolations[];
PETSC_EXTERN const char *const PCSAAMGRestrictions[];
PETSC_EXTERN const char *const PCSAAMGPrecisions[];
PETSC_EXTERN const char *const PCSAAMGReuses[];
PETSC_EXTERN const char *const PCSAAMGTunes[];
PETSC_EXTERN const char *const PCSAAMGCouplings[];
PETSC_EXTERN const char *const PCSAAMGChebyshevKinds[];
PETSC_EXTERN const char *const PCSAAMGPapers[];

/* Finite-element assembly on the host or on a GPU: paper P4. Nodes and elements of one rank are numbered as a DM numbers them locally, from 0. */
typedef struct _p_GozaAssembly *GozaAssembly; /* a PetscObject */

PETSC_EXTERN PetscClassId GOZA_ASSEMBLY_CLASSID;

typedef enum {
  GOZA_HEX8, /* trilinear hexahedron, 2x2x2 Gauss points; corner b at (b & 1, b >> 1 & 1, b >> 2 & 1): x fastest, as in a DMDA */
  GOZA_TET4  /* linear tetrahedron, exact; corners 0 1 2 3 of positive volume: (x1-x0) x (x2-x0) . (x3-x0) > 0 */
} GozaElementType;

typedef enum {
  GOZA_DIFFUSION,  /* -div(k grad u), one unknown a node */
  GOZA_ELASTICITY, /* isotropic linear elasticity, three unknowns a node */
  GOZA_MASS        /* rho u, one or three unknowns a node */
} GozaEquation;

PETSC_EXTERN const char *const GozaElementTypes[];
PETSC_EXTERN const char *const GozaEquations[];

PETSC_EXTERN PetscErrorCode GozaInitializePackage(void);
PETSC_EXTERN PetscErrorCode GozaGetVersionNumber(PetscInt *, PetscInt *, PetscInt *);

PETSC_EXTERN PetscErrorCode GozaAssemblyCreate(MPI_Comm, GozaAssembly *);
PETSC_EXTERN PetscErrorCode GozaAssemblyDestroy(GozaAssembly *);
PETSC_EXTERN PetscErrorCode GozaAssemblyView(GozaAssembly, PetscViewer);
PETSC_EXTERN PetscErrorCode GozaAssemblySetOptionsPrefix(GozaAssembly, const char[]);
PETSC_EXTERN PetscErrorCode GozaAssemblyGetOptionsPrefix(GozaAssembly, const char *[]);
PETSC_EXTERN PetscErrorCode GozaAssemblySetFromOptions(GozaAssembly);
PETSC_EXTERN PetscErrorCode GozaAssemblySetEquation(GozaAssembly, GozaEquation, PetscInt);
PETSC_EXTERN PetscErrorCode GozaAssemblyGetEquation(GozaAssembly, GozaEquation *, PetscInt *);
PETSC_EXTERN PetscErrorCode GozaAssemblySetDM(GozaAssembly, DM);
PETSC_EXTERN PetscErrorCode GozaAssemblyGetDM(GozaAssembly, DM *);
PETSC_EXTERN PetscErrorCode GozaAssemblySetElements(GozaAssembly, GozaElementType, PetscInt, const PetscInt[], PetscInt, const PetscReal[], PetscInt,
                                                    const PetscInt[]);
PETSC_EXTERN PetscErrorCode GozaAssemblyGetElements(GozaAssembly, GozaElementType *, PetscInt *, const PetscInt *[], PetscInt *, const PetscReal *[]);
PETSC_EXTERN PetscErrorCode GozaAssemblySetMaterial(GozaAssembly, const PetscScalar[], const PetscScalar[]);
PETSC_EXTERN PetscErrorCode GozaAssemblySetMaterialVecs(GozaAssembly, Vec, Vec);
PETSC_EXTERN PetscErrorCode GozaAssemblyCreateElementVec(GozaAssembly, Vec *);
PETSC_EXTERN PetscErrorCode GozaAssemblySetCoordinates(GozaAssembly, const PetscReal[]);
PETSC_EXTERN PetscErrorCode GozaAssemblySetDirichlet(GozaAssembly, const PetscBool[], const PetscScalar[]);
PETSC_EXTERN PetscErrorCode GozaAssemblySetForce(GozaAssembly, const PetscScalar[]);
PETSC_EXTERN PetscErrorCode GozaAssemblySetTraction(GozaAssembly, PetscInt, PetscInt, const PetscInt[], const PetscScalar[]);
PETSC_EXTERN PetscErrorCode GozaAssemblySetUp(GozaAssembly);
PETSC_EXTERN PetscErrorCode GozaAssemblyCreateMatrix(GozaAssembly, MatType, Mat *);
PETSC_EXTERN PetscErrorCode GozaAssemblyMatrix(GozaAssembly, Mat);
PETSC_EXTERN PetscErrorCode GozaAssemblyRHS(GozaAssembly, Vec);
PETSC_EXTERN PetscErrorCode GozaAssemblyResidual(GozaAssembly, Vec, Vec);
PETSC_EXTERN PetscErrorCode GozaAssemblyVonMises(GozaAssembly, Vec, Vec);
PETSC_EXTERN PetscErrorCode GozaAssemblyElementVonMises(GozaAssembly, Vec, Vec);

PETSC_EXTERN PetscErrorCode MatCDSSetStorage(Mat, MatCDSStorage);
PETSC_EXTERN PetscErrorCode MatCDSGetStorage(Mat, MatCDSStorage *);
PETSC_EXTERN PetscErrorCode MatCDSSetShare(Mat, PetscReal);
PETSC_EXTERN PetscErrorCode MatCDSGetShare(Mat, PetscReal *);
PETSC_EXTERN PetscErrorCode MatCDSSetMaxFill(Mat, PetscReal);
PETSC_EXTERN PetscErrorCode MatCDSGetMaxFill(Mat, PetscReal *);
PETSC_EXTERN PetscErrorCode MatCDSSetBlockSize(Mat, PetscInt);
PETSC_EXTERN PetscErrorCode MatCDSGetBlockSize(Mat, PetscInt *);
PETSC_EXTERN PetscErrorCode MatCDSSetPrecision(Mat, MatStoragePrecision);
PETSC_EXTERN PetscErrorCode MatCDSGetPrecision(Mat, MatStoragePrecision *);

PETSC_EXTERN PetscErrorCode MatSlicedEllSetSliceHeight(Mat, PetscInt);
PETSC_EXTERN PetscErrorCode MatSlicedEllGetSliceHeight(Mat, PetscInt *);
PETSC_EXTERN PetscErrorCode MatSlicedEllSetSortWindow(Mat, PetscInt);
PETSC_EXTERN PetscErrorCode MatSlicedEllGetSortWindow(Mat, PetscInt *);
PETSC_EXTERN PetscErrorCode MatSlicedEllSetIndex(Mat, MatSlicedEllIndex);
PETSC_EXTERN PetscErrorCode MatSlicedEllGetIndex(Mat, MatSlicedEllIndex *);
PETSC_EXTERN PetscErrorCode MatSlicedEllSetBlockSize(Mat, PetscInt);
PETSC_EXTERN PetscErrorCode MatSlicedEllGetBlockSize(Mat, PetscInt *);
PETSC_EXTERN PetscErrorCode MatSlicedEllSetPrecision(Mat, MatStoragePrecision);
PETSC_EXTERN PetscErrorCode MatSlicedEllGetPrecision(Mat, MatStoragePrecision *);

PETSC_EXTERN PetscErrorCode MatFoldSetWidth(Mat, PetscInt);
PETSC_EXTERN PetscErrorCode MatFoldGetWidth(Mat, PetscInt *);
PETSC_EXTERN PetscErrorCode MatFoldSetOrder(Mat, MatFoldOrder);
PETSC_EXTERN PetscErrorCode MatFoldGetOrder(Mat, MatFoldOrder *);
PETSC_EXTERN PetscErrorCode MatFoldSetLayout(Mat, MatFoldLayout);
PETSC_EXTERN PetscErrorCode MatFoldGetLayout(Mat, MatFoldLayout *);
PETSC_EXTERN PetscErrorCode MatFoldSetPrecision(Mat, MatStoragePrecision);
PETSC_EXTERN PetscErrorCode MatFoldGetPrecision(Mat, MatStoragePrecision *);

PETSC_EXTERN PetscErrorCode MatAutoFormatSetCandidates(Mat, const char[]);
PETSC_EXTERN PetscErrorCode MatAutoFormatGetCandidates(Mat, const char *[]);
PETSC_EXTERN PetscErrorCode MatAutoFormatSetTrials(Mat, PetscInt);
PETSC_EXTERN PetscErrorCode MatAutoFormatGetTrials(Mat, PetscInt *);

PETSC_EXTERN PetscErrorCode PCSAAMGSetThreshold(PC, PetscReal);
PETSC_EXTERN PetscErrorCode PCSAAMGGetThreshold(PC, PetscReal *);
PETSC_EXTERN PetscErrorCode PCSAAMGSetMaxLevels(PC, PetscInt);
PETSC_EXTERN PetscErrorCode PCSAAMGGetMaxLevels(PC, PetscInt *);
PETSC_EXTERN PetscErrorCode PCSAAMGSetCoarseLimit(PC, PetscInt);
PETSC_EXTERN PetscErrorCode PCSAAMGGetCoarseLimit(PC, PetscInt *);
PETSC_EXTERN PetscErrorCode PCSAAMGSetAggressiveLevels(PC, PetscInt);
PETSC_EXTERN PetscErrorCode PCSAAMGGetAggressiveLevels(PC, PetscInt *);
PETSC_EXTERN PetscErrorCode PCSAAMGSetMaxComplexity(PC, PetscReal);
PETSC_EXTERN PetscErrorCode PCSAAMGGetMaxComplexity(PC, PetscReal *);
PETSC_EXTERN PetscErrorCode PCSAAMGSetCycleType(PC, PCSAAMGCycleType);
PETSC_EXTERN PetscErrorCode PCSAAMGGetCycleType(PC, PCSAAMGCycleType *);
PETSC_EXTERN PetscErrorCode PCSAAMGSetInterpolation(PC, PCSAAMGInterpolation);
PETSC_EXTERN PetscErrorCode PCSAAMGGetInterpolation(PC, PCSAAMGInterpolation *);
PETSC_EXTERN PetscErrorCode PCSAAMGSetRestriction(PC, PCSAAMGRestriction);
PETSC_EXTERN PetscErrorCode PCSAAMGGetRestriction(PC, PCSAAMGRestriction *);
PETSC_EXTERN PetscErrorCode PCSAAMGSetDirectLimit(PC, PetscInt);
PETSC_EXTERN PetscErrorCode PCSAAMGGetDirectLimit(PC, PetscInt *);
PETSC_EXTERN PetscErrorCode PCSAAMGSetGatherLimit(PC, PetscInt);
PETSC_EXTERN PetscErrorCode PCSAAMGGetGatherLimit(PC, PetscInt *);
PETSC_EXTERN PetscErrorCode PCSAAMGSetCoarseInterpolationDegree(PC, PetscInt);
PETSC_EXTERN PetscErrorCode PCSAAMGGetCoarseInterpolationDegree(PC, PetscInt *);
PETSC_EXTERN PetscErrorCode PCSAAMGSetPaper(PC, PCSAAMGPaper, const char[]);
PETSC_EXTERN PetscErrorCode PCSAAMGSetSmoother(PC, PCSAAMGLevels, const char[]);
PETSC_EXTERN PetscErrorCode PCSAAMGGetSmoother(PC, PCSAAMGLevels, const char *[]);
PETSC_EXTERN PetscErrorCode PCSAAMGSetSweeps(PC, PCSAAMGLevels, PetscInt);
PETSC_EXTERN PetscErrorCode PCSAAMGGetSweeps(PC, PCSAAMGLevels, PetscInt *);
PETSC_EXTERN PetscErrorCode PCSAAMGSetJacobiRelax(PC, PCSAAMGLevels, PetscReal);
PETSC_EXTERN PetscErrorCode PCSAAMGGetJacobiRelax(PC, PCSAAMGLevels, PetscReal *);
PETSC_EXTERN PetscErrorCode PCSAAMGSetChebyshevDegree(PC, PCSAAMGLevels, PetscInt);
PETSC_EXTERN PetscErrorCode PCSAAMGGetChebyshevDegree(PC, PCSAAMGLevels, PetscInt *);
PETSC_EXTERN PetscErrorCode PCSAAMGSetChebyshevRatio(PC, PCSAAMGLevels, PetscReal);
PETSC_EXTERN PetscErrorCode PCSAAMGGetChebyshevRatio(PC, PCSAAMGLevels, PetscReal *);
PETSC_EXTERN PetscErrorCode PCSAAMGSetChebyshevKind(PC, PCSAAMGLevels, PCSAAMGChebyshevKind);
PETSC_EXTERN PetscErrorCode PCSAAMGGetChebyshevKind(PC, PCSAAMGLevels, PCSAAMGChebyshevKind *);
PETSC_EXTERN PetscErrorCode PCSAAMGSetMCGSRelax(PC, PCSAAMGLevels, PetscReal);
PETSC_EXTERN PetscErrorCode PCSAAMGGetMCGSRelax(PC, PCSAAMGLevels, PetscReal *);
PETSC_EXTERN PetscErrorCode PCSAAMGSetMCGSCoupling(PC, PCSAAMGLevels, PCSAAMGCoupling);
PETSC_EXTERN PetscErrorCode PCSAAMGGetMCGSCoupling(PC, PCSAAMGLevels, PCSAAMGCoupling *);
PETSC_EXTERN PetscErrorCode PCSAAMGSetEstEigIterations(PC, PetscInt);
PETSC_EXTERN PetscErrorCode PCSAAMGGetEstEigIterations(PC, PetscInt *);
PETSC_EXTERN PetscErrorCode PCSAAMGSetPrecision(PC, PCSAAMGPrecision);
PETSC_EXTERN PetscErrorCode PCSAAMGGetPrecision(PC, PCSAAMGPrecision *);
PETSC_EXTERN PetscErrorCode PCSAAMGSetReuse(PC, PCSAAMGReuse);
PETSC_EXTERN PetscErrorCode PCSAAMGGetReuse(PC, PCSAAMGReuse *);
PETSC_EXTERN PetscErrorCode PCSAAMGSetTune(PC, PCSAAMGTune);
PETSC_EXTERN PetscErrorCode PCSAAMGGetTune(PC, PCSAAMGTune *);
