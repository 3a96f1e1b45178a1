/* The league's problems of two fields: fieldsplit by a Schur complement around the method that -pc_type names, which is to precondition the velocities and,
   where it is not diagonal, what stands for the complement. */
#pragma once
#include "../support/league.hpp"
#include "petsc/compat.hpp"
#include <petscksp.h>
#include <algorithm>
#include <vector>

namespace goza_test {

inline PetscErrorCode MatOf(const Sparse &A, PetscInt bs, Mat *mat)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_SELF, mat));
  PetscCall(MatSetSizes(*mat, A.rows, A.cols, A.rows, A.cols));
  PetscCall(MatSetBlockSize(*mat, bs));
  PetscCall(MatSetType(*mat, MATSEQAIJ));
  PetscCall(MatSetFromOptions(*mat));
  PetscCall(MatSeqAIJSetPreallocationCSR(*mat, A.ptr.data(), A.col.data(), A.val.data()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Constants of the pressures, or of all where there is one field. */
inline PetscErrorCode NullSpaceOf(const LeagueMatrix &m, Mat A, MatNullSpace *space)
{
  Vec          z;
  PetscScalar *array;

  PetscFunctionBeginUser;
  if (!m.fields.velocities) {
    PetscCall(MatNullSpaceCreate(PETSC_COMM_SELF, PETSC_TRUE, 0, NULL, space));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatCreateVecs(A, &z, NULL));
  PetscCall(VecGetArray(z, &array));
  for (PetscInt i = 0; i < m.A.rows; i++) array[i] = i >= m.fields.velocities;
  PetscCall(VecRestoreArray(z, &array));
  PetscCall(VecNormalize(z, NULL));
  PetscCall(MatNullSpaceCreate(PETSC_COMM_SELF, PETSC_FALSE, 1, &z, space));
  PetscCall(VecDestroy(&z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

inline PetscErrorCode RigidBodyModes(const LeagueMatrix &m, MatNullSpace *modes)
{
  Vec x;

  PetscFunctionBeginUser;
  PetscCall(VecCreateSeqWithArray(PETSC_COMM_SELF, m.dim, static_cast<PetscInt>(m.places.size()), m.places.data(), &x));
  PetscCall(MatNullSpaceCreateRigidBody(x, modes));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is near null in the velocities' operator; NULL: nothing is told. */
inline PetscErrorCode NearNullOfVelocities(const LeagueMatrix &m, MatNullSpace *space)
{
  std::vector<Vec> modes;

  PetscFunctionBeginUser;
  *space = NULL;
  if (m.dim) PetscCall(RigidBodyModes(m, space));
  for (const auto &mode : m.fields.modes) {
    PetscScalar *array;
    Vec          v;

    PetscCall(VecCreateSeq(PETSC_COMM_SELF, m.fields.velocities, &v));
    PetscCall(VecGetArray(v, &array));
    std::copy(mode.begin(), mode.end(), array);
    PetscCall(VecRestoreArray(v, &array));
    modes.push_back(v);
    for (std::size_t k = 0; k + 1 < modes.size(); k++) {
      PetscScalar dot;

      PetscCall(VecDot(v, modes[k], &dot));
      PetscCall(VecAXPY(v, -dot, modes[k]));
    }
    PetscCall(VecNormalize(v, NULL));
  }
  if (!modes.empty()) PetscCall(MatNullSpaceCreate(PETSC_COMM_SELF, PETSC_FALSE, static_cast<PetscInt>(modes.size()), modes.data(), space));
  for (Vec &v : modes) PetscCall(VecDestroy(&v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Both fields' solvers, as options, which their KSPs read in the set-up. */
inline PetscErrorCode OptionsOfFields(const Fields &fields, const char *method)
{
  const bool diagonal = fields.schur == Schur::mass && fields.mass.col.size() == static_cast<std::size_t>(fields.mass.rows);

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsSetValue(NULL, "-fieldsplit_velocity_ksp_type", KSPPREONLY));
  PetscCall(PetscOptionsSetValue(NULL, "-fieldsplit_velocity_pc_type", method));
  PetscCall(PetscOptionsSetValue(NULL, "-fieldsplit_pressure_ksp_type", KSPPREONLY));
  PetscCall(PetscOptionsSetValue(NULL, "-fieldsplit_pressure_pc_type", fields.schur == Schur::bfbt ? PCLSC : diagonal ? PCJACOBI : method));
  if (fields.schur == Schur::bfbt) PetscCall(PetscOptionsSetValue(NULL, "-fieldsplit_pressure_lsc_pc_type", method));
  PetscFunctionReturn(PETSC_SUCCESS);
}

inline PetscErrorCode SplitFields(const LeagueMatrix &m, PC pc)
{
  const char *const names[] = {"velocity", "pressure"};
  const PetscInt    first[] = {0, m.fields.velocities, m.A.rows};
  PCType            method;
  Mat               mass = NULL;

  PetscFunctionBeginUser;
  PetscCall(PCGetType(pc, &method));
  PetscCall(OptionsOfFields(m.fields, method));
  PetscCall(PCSetType(pc, PCFIELDSPLIT));
  for (int f = 0; f < 2; f++) {
    IS           rows;
    MatNullSpace space = NULL;

    PetscCall(ISCreateStride(PETSC_COMM_SELF, first[f + 1] - first[f], first[f], 1, &rows));
    PetscCall(ISSetBlockSize(rows, f ? 1 : m.bs));
    if (f == 0) PetscCall(NearNullOfVelocities(m, &space));
    if (f == 1 && m.constant) PetscCall(MatNullSpaceCreate(PETSC_COMM_SELF, PETSC_TRUE, 0, NULL, &space));
    if (space) PetscCall(PetscObjectCompose((PetscObject)rows, f ? "nullspace" : "nearnullspace", (PetscObject)space));
    PetscCall(PCFieldSplitSetIS(pc, names[f], rows));
    PetscCall(MatNullSpaceDestroy(&space));
    PetscCall(ISDestroy(&rows));
  }
  PetscCall(PCFieldSplitSetType(pc, PC_COMPOSITE_SCHUR));
  PetscCall(PCFieldSplitSetSchurFactType(pc, PC_FIELDSPLIT_SCHUR_FACT_UPPER));
  if (m.fields.schur == Schur::mass) PetscCall(MatOf(m.fields.mass, 1, &mass));
  PetscCall(PCFieldSplitSetSchurPre(pc,
                                    mass                             ? PC_FIELDSPLIT_SCHUR_PRE_USER
                                    : m.fields.schur == Schur::selfp ? PC_FIELDSPLIT_SCHUR_PRE_SELFP
                                                                     : PC_FIELDSPLIT_SCHUR_PRE_SELF,
                                    mass));
  PetscCall(MatDestroy(&mass));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The fields' solvers, which fieldsplit leaves to the first solve. */
inline PetscErrorCode SetUpFields(PC pc)
{
  PetscBool split;
  PetscInt  n;
  KSP      *fields;

  PetscFunctionBeginUser;
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCFIELDSPLIT, &split));
  if (!split) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCFieldSplitGetSubKSP(pc, &n, &fields));
  for (PetscInt k = 0; k < n; k++) PetscCall(KSPSetUp(fields[k]));
  PetscCall(PetscFree(fields));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza_test
