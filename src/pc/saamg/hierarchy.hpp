/* The levels of smoothed aggregation: what the set-up makes and the cycle is made from. On several ranks they are host matrices; on one rank they are CSR
   arrays in the space of the cycle, and the set-up runs there. */
#pragma once
#include "core/csr_matrix.hpp"
#include "mat/common/par_operator.hpp"
#include <memory>
#include <petscmat.h>

namespace goza
{

/* What update() keeps; see PCSAAMGReuse */
enum class Keep {
  Nothing,
  Aggregates,
  Interpolation
};

struct HierarchyOptions {
  PetscReal threshold         = 0; // of strength, relative to the diagonals
  PetscInt  max_levels        = 10;
  PetscInt  coarse_limit      = 200;           // rows at which coarsening may stop
  PetscInt  aggressive_levels = 0;             // finest levels whose aggregates are aggregated once more
  PetscInt  esteig_iterations = 10;            // of the largest eigenvalue's estimate
  PetscReal prolongator_relax = 4. / 3.;       // P = (I - relax/lambda D^-1 A) T
  Keep      keep              = Keep::Nothing; // for an update() to come
};

/* What a level holds on one rank. */
struct CsrLevel {
  Csr                 A{}; // own.view(), or, while a set-up lasts, the user's matrix
  CsrMatrix           own; // empty on the finest level
  PetscLogDouble      nnz = 0;
  Stamp               stamp; // of A
  Array<PetscScalar>  dinv;  // [rows] inverse diagonal
  Array<std::int64_t> alone; // [rows] 1 where a row is coupled to nothing, or empty
  bool                squares_finite = true;
};

/* Where P comes from: aggregates, tentative values and, where weak entries are filtered, the strength graph. */
struct Coarsening;
struct Graph;

struct CsrTransfer {
  CsrMatrix P, R;
  CsrMatrix AP; // pattern of A P, while values may change
  Stamp     stamp;

  std::shared_ptr<Coarsening> coarsening; // while only aggregates are to be kept
};

struct Grid {
  std::shared_ptr<CsrLevel>    level;    // one rank; then the matrices below are NULL
  std::shared_ptr<CsrTransfer> transfer; // one rank; none on the coarsest

  Mat                    A = NULL;           // host AIJ
  Mat                    P = NULL, R = NULL; // from the next coarser grid, and P^T; NULL on the coarsest
  Mat                    T = NULL;           // tentative P and, where weak entries are filtered, the strength graph: while only aggregates are to be kept
  std::shared_ptr<Graph> graph;
  Vec                    dinv = NULL;    // inverse diagonal
  std::vector<PetscInt>  alone;          // local rows that are coupled to nothing: Dirichlet rows, diagonal matrices
  PetscReal              lambda     = 1; // estimate, from below, of the largest eigenvalue of D^-1 A
  PetscInt               bs         = 1;
  bool                   transposed = false; // of the cycle of A^T: dinv, alone and transfers are those of A
};

std::size_t bytes_of(const CsrTransfer &transfer); // with what it comes from

PetscErrorCode GridSize(const Grid &grid, PetscInt *rows, PetscLogDouble *nonzeros); // global; either may be NULL

class Hierarchy {
public:
  Hierarchy()                             = default;
  Hierarchy(const Hierarchy &)            = delete;
  Hierarchy &operator=(const Hierarchy &) = delete;
  ~Hierarchy() { (void)reset(); }

  /* B[local rows][k]: the near-null vectors. finite: false (on all ranks) when A holds a NaN or Inf; then there are no grids. */
  PetscErrorCode build(Mat A, PetscInt bs, PetscInt k, const std::vector<PetscScalar> &B, const HierarchyOptions &options, bool *finite);
  /* On one rank; B in A's space. A is borrowed until release_finest(). */
  PetscErrorCode build(const Csr &A, PetscLogDouble nnz, PetscInt bs, PetscInt k, Array<PetscScalar> B, const HierarchyOptions &options, bool *finite);
  /* Same pattern, new values: coarse operators, diagonals and eigenvalues anew, and the interpolation too where only aggregates were kept. */
  PetscErrorCode update(Mat A, const HierarchyOptions &options, bool *finite);
  PetscErrorCode update(const Csr &A, const HierarchyOptions &options, bool *finite);
  PetscErrorCode reset();
  void           release_finest();
  PetscErrorCode bytes(PetscLogDouble *bytes) const; // of this rank, without the user's matrix

  const std::vector<Grid> &grids() const { return grids_; }
  bool                     empty() const { return grids_.empty(); }

private:
  PetscErrorCode measure(Grid &grid, PetscInt its, bool *finite);
  PetscErrorCode interpolate(Grid &grid, const Coarsening &from, const HierarchyOptions &options);
  PetscErrorCode project(Grid &grid, CsrLevel &next, PetscInt k, const HierarchyOptions &options);
  PetscErrorCode coarsen(Array<PetscScalar> &B, PetscInt k, PetscReal threshold, const HierarchyOptions &options, bool *stop);

  std::vector<Grid> grids_;
};

} // namespace goza
