/* A preconditioner that works on arrays: saamg's cycle, an inverse of diagonal blocks (jacobi, pbjacobi), nothing (none); and the null space that PETSc removes
   behind it. */
#pragma once
#include "core/launch/fused_elements.hpp"
#include "footprint.hpp"
#include "petsc/short_text.hpp"
#include "pc/saamg/cycle/cycle.hpp"
#include <petscksp.h>

namespace goza::ksp {

class NativePC {
public:
  /* like: a vector of the system. why: empty, or why this one cannot be had, the same on every rank; errors are this rank's. */
  PetscErrorCode      find(KSP ksp, Vec like, Space space, ShortText *why);
  PetscErrorCode      fill(PC pc, Vec like);                                                             // collective, when all ranks have found it
  PetscErrorCode      apply(const PetscScalar *r, PetscScalar *z, FusedSums &sums, bool narrow = false); // narrow: z may stay there:
  const SingleScalar *narrow_solution() const; // where apply() may leave z; nullptr: nowhere but there
  bool                removes_nothing() const { return !constants_ && null_.empty(); }
  bool                has_cycle() const { return cycle_; }
  bool                recordable() const; // apply() launches kernels and no more
  void                add_to(Footprint *footprint) const;
  const char         *describe() const { return cycle_ ? "cycle" : bs_ ? "inverse diagonal blocks" : "no preconditioner"; }

private:
  PetscErrorCode fill_blocks(PC pc, Vec ones, Vec column);
  PetscErrorCode find_null_space(KSP ksp, ShortText *why);
  PetscErrorCode remove_null_space(PetscScalar *z, FusedSums &sums);
  PetscErrorCode remove(const PetscScalar *v, PetscScalar factor, PetscScalar *z, FusedSums &sums);

  Space                           space_ = Space::Host;
  MPI_Comm                        comm_  = MPI_COMM_NULL;
  PetscInt                        n_ = 0, global_n_ = 0, bs_ = 0; // bs_: 0 where there are no blocks
  bool                            one_rank_ = true, constants_ = false;
  Cycle                          *cycle_ = nullptr;
  Array<PetscScalar>              blocks_; // [bs][n]: column c of the blocks, by row
  std::vector<Array<PetscScalar>> null_;   // vectors of the null space, orthonormal
  Array<PetscScalar>              sum_;    // of a dot product
};

} // namespace goza::ksp
