#pragma once
#include "core/device/array.hpp"
#include <petscmat.h>

namespace goza::saamg {

struct NearNull {
  PetscInt           bs = 1, k = 0; // unknowns of a node, vectors; 0: they are not there yet
  Array<PetscScalar> B;             // [local rows][k], in the matrix's space

  void *beside = nullptr; // a stream on which they are sent to a device

  bool        held = false; // the null space had what was sent before
  std::size_t left = 0;     // bytes that it holds from now on
};

/* The near-null vectors of A, and the block size that goes with them: MatSetNearNullSpace()'s, else rigid-body modes from coordinates [nodes][dim] where they
   are given, else the constant of each of the bs components. */
PetscErrorCode NearNullVectors(Mat A, const std::vector<PetscReal> &coordinates, PetscInt dim, Space space, NearNull &modes);

/* The translations and rotations of nodes at place[nodes][dim], about `centre`: [rows][3], or [rows][6] in space. */
Array<PetscScalar> rigid_body_modes(Space space, PetscInt rows, PetscInt dim, const PetscReal *place, const PetscReal centre[3]);

/* Room for those that come from the host: they then travel beside what is sent to the device between this and NearNullVectors(). */
PetscErrorCode RoomForNearNull(Mat A, Space space, NearNull &modes);

/* What one rank can find wrong with them. */
PetscErrorCode CheckNearNull(Mat A, const std::vector<PetscReal> &coordinates, PetscInt dim);

} // namespace goza::saamg
