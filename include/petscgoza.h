/*
   Goza: GPU matrix types and smoothed-aggregation AMG for PETSc.

   A program that only uses -dll_append libgoza.so needs nothing of this; one that links libgoza calls GozaInitializePackage() after
   PetscInitialize().
*/
#pragma once
#include <petscksp.h>

#define MATCDS       "cds"
#define MATSEQAIJCDS "seqaijcds"
#define MATMPIAIJCDS "mpiaijcds"

#define MATSLICEDELL       "slicedell"
#define MATSEQAIJSLICEDELL "seqaijslicedell"
#define MATMPIAIJSLICEDELL "mpiaijslicedell"

#define MATFOLD       "fold"
#define MATSEQAIJFOLD "seqaijfold"
#define MATMPIAIJFOLD "mpiaijfold"

#define MATAUTOFORMAT       "autoformat"
#define MATSEQAIJAUTOFORMAT "seqaijautoformat"
#define MATMPIAIJAUTOFORMAT "mpiaijautoformat"

#define PCSAAMG "saamg"

typedef enum {
  MAT_CDS_AUTO, /* half where the matrix is symmetric */
  MAT_CDS_FULL,
  MAT_CDS_HALF
} MatCDSStorage;

typedef enum {
  PC_SAAMG_CYCLE_V,
  PC_SAAMG_CYCLE_W
} PCSAAMGCycleType;

typedef enum {
  PC_SAAMG_DOUBLE, /* every level in PetscScalar */
  PC_SAAMG_MIXED,  /* finest level in PetscScalar, coarser ones in single: paper P5 */
  PC_SAAMG_SINGLE  /* the whole cycle in single */
} PCSAAMGPrecision;

typedef enum {
  PC_SAAMG_REUSE_NONE,         /* new values: a new hierarchy */
  PC_SAAMG_REUSE_INTERPOLATION /* new values, same pattern: keep P, redo the coarse operators */
} PCSAAMGReuse;

PETSC_EXTERN PetscErrorCode GozaInitializePackage(void);

PETSC_EXTERN PetscErrorCode MatCDSSetStorage(Mat, MatCDSStorage);
PETSC_EXTERN PetscErrorCode MatCDSSetLimits(Mat, PetscReal, PetscReal);
PETSC_EXTERN PetscErrorCode MatCDSSetBlockSize(Mat, PetscInt);

PETSC_EXTERN PetscErrorCode MatSlicedEllSetSliceHeight(Mat, PetscInt);
PETSC_EXTERN PetscErrorCode MatSlicedEllSetSortWindow(Mat, PetscInt);
PETSC_EXTERN PetscErrorCode MatSlicedEllSetShortIndices(Mat, PetscBool);

PETSC_EXTERN PetscErrorCode MatFoldSetWidth(Mat, PetscInt);

PETSC_EXTERN PetscErrorCode MatAutoFormatSetCandidates(Mat, const char[]);
PETSC_EXTERN PetscErrorCode MatAutoFormatSetPlatform(Mat, const char[]);
PETSC_EXTERN PetscErrorCode MatAutoFormatSetTrials(Mat, PetscInt);

PETSC_EXTERN PetscErrorCode PCSAAMGSetThreshold(PC, PetscReal);
PETSC_EXTERN PetscErrorCode PCSAAMGGetThreshold(PC, PetscReal *);
PETSC_EXTERN PetscErrorCode PCSAAMGSetMaxLevels(PC, PetscInt);
PETSC_EXTERN PetscErrorCode PCSAAMGGetMaxLevels(PC, PetscInt *);
PETSC_EXTERN PetscErrorCode PCSAAMGSetCoarseLimit(PC, PetscInt);
PETSC_EXTERN PetscErrorCode PCSAAMGGetCoarseLimit(PC, PetscInt *);
PETSC_EXTERN PetscErrorCode PCSAAMGSetCycleType(PC, PCSAAMGCycleType);
PETSC_EXTERN PetscErrorCode PCSAAMGGetCycleType(PC, PCSAAMGCycleType *);
PETSC_EXTERN PetscErrorCode PCSAAMGSetSmoother(PC, const char[]);
PETSC_EXTERN PetscErrorCode PCSAAMGGetSmoother(PC, const char *[]);
PETSC_EXTERN PetscErrorCode PCSAAMGSetSweeps(PC, PetscInt);
PETSC_EXTERN PetscErrorCode PCSAAMGGetSweeps(PC, PetscInt *);
PETSC_EXTERN PetscErrorCode PCSAAMGSetJacobiRelax(PC, PetscReal);
PETSC_EXTERN PetscErrorCode PCSAAMGGetJacobiRelax(PC, PetscReal *);
PETSC_EXTERN PetscErrorCode PCSAAMGSetChebyshev(PC, PetscInt, PetscReal);
PETSC_EXTERN PetscErrorCode PCSAAMGGetChebyshev(PC, PetscInt *, PetscReal *);
PETSC_EXTERN PetscErrorCode PCSAAMGSetChebyshevKind(PC, PetscInt);
PETSC_EXTERN PetscErrorCode PCSAAMGGetChebyshevKind(PC, PetscInt *);
PETSC_EXTERN PetscErrorCode PCSAAMGSetCoarseChebyshevDegree(PC, PetscInt);
PETSC_EXTERN PetscErrorCode PCSAAMGGetCoarseChebyshevDegree(PC, PetscInt *);
PETSC_EXTERN PetscErrorCode PCSAAMGSetEstEigIterations(PC, PetscInt);
PETSC_EXTERN PetscErrorCode PCSAAMGGetEstEigIterations(PC, PetscInt *);
PETSC_EXTERN PetscErrorCode PCSAAMGSetPrecision(PC, PCSAAMGPrecision);
PETSC_EXTERN PetscErrorCode PCSAAMGGetPrecision(PC, PCSAAMGPrecision *);
PETSC_EXTERN PetscErrorCode PCSAAMGSetReuse(PC, PCSAAMGReuse);
PETSC_EXTERN PetscErrorCode PCSAAMGGetReuse(PC, PCSAAMGReuse *);
