/* The levels of smoothed aggregation as host matrices: what the set-up makes and the cycle is made from. */
#pragma once
#include <petscmat.h>
#include <vector>

namespace goza
{

struct HierarchyOptions {
  PetscReal threshold         = 0; // of strength, relative to the diagonals
  PetscInt  max_levels        = 10;
  PetscInt  coarse_limit      = 200;     // rows at which coarsening may stop
  PetscInt  esteig_iterations = 10;      // of the largest eigenvalue's estimate
  PetscReal prolongator_relax = 4. / 3.; // P = (I - relax/lambda D^-1 A) T
};

struct Grid {
  Mat                   A = NULL;           // host AIJ
  Mat                   P = NULL, R = NULL; // from the next coarser grid, and P^T; NULL on the coarsest
  Vec                   dinv = NULL;        // inverse diagonal
  std::vector<PetscInt> alone;              // local rows that are coupled to nothing: Dirichlet rows, diagonal matrices
  PetscReal             lambda = 1;         // estimate, from below, of the largest eigenvalue of D^-1 A
  PetscInt              bs     = 1;
};

class Hierarchy {
public:
  Hierarchy()                             = default;
  Hierarchy(const Hierarchy &)            = delete;
  Hierarchy &operator=(const Hierarchy &) = delete;
  ~Hierarchy() { (void)reset(); }

  /* B[local rows][k]: the near-null vectors. finite: false (on all ranks) when A holds a NaN or Inf; then there are no grids. */
  PetscErrorCode build(Mat A, PetscInt bs, PetscInt k, const std::vector<PetscScalar> &B, const HierarchyOptions &options, bool *finite);
  /* Same pattern, new values: interpolation kept, coarse operators, diagonals and eigenvalues anew. */
  PetscErrorCode update(Mat A, const HierarchyOptions &options, bool *finite);
  PetscErrorCode reset();

  const std::vector<Grid> &grids() const { return grids_; }
  bool                     empty() const { return grids_.empty(); }

private:
  std::vector<Grid> grids_;
};

} // namespace goza
