/* The multigrid cycle, where the matrix is, in the precision asked for. */
#pragma once
#include "pc/saamg/setup/hierarchy.hpp"
#include "pc/saamg/smoother/smoother.hpp"

namespace goza::saamg {

constexpr PetscInt most_direct_rows = 46340; // whose squares 32 bits count, as LAPACK, MPI and a PetscInt may

struct CycleOptions {
  PetscInt       type         = 0;     // a PCSAAMGCycleType: in a V-cycle one coarse correction a level
  PetscInt       again        = -1;    // two on this level; -1: on none
  PetscInt       direct_limit = 500;   // rows up to which the coarsest level is solved by its inverse; above, it is smoothed
  bool           half         = false; // operators and interpolations in half precision, where the vectors are single
  bool           spares       = false; // transposed interpolations go when the cycle has them: who wants them makes them anew
  bool           lent         = false; // in double on one rank: for as long as the grids hold them their rows are read as they are, but on boxes by place
  SmootherChoice smoothers[3];         // by PCSAAMGLevels: finest, intermediate, coarsest

  CycleOptions()
  {
    smoothers[0].options.chebyshev_degree = PETSC_DECIDE;
    smoothers[1].options.chebyshev_degree = PETSC_DECIDE;
    smoothers[0].options.chebyshev_ratio  = PETSC_DECIDE;
    smoothers[2].options.sweeps           = 30; // as in paper P5
  }
  const SmootherChoice &smoother_of(std::size_t level, std::size_t nlevels) const { return smoothers[level + 1 == nlevels ? 2 : level > 0]; }
};

class Cycle {
public:
  virtual ~Cycle() = default;

  /* fine: the finest operator in PetscScalar where somebody (a Goza matrix) holds one already, else empty; restore(): makes the rows of interpolations that
     are not there */
  virtual PetscErrorCode setup(const std::vector<Grid> &grids, Space space, std::shared_ptr<ParOperator<PetscScalar>> fine, const CycleOptions &options,
                               const std::function<PetscErrorCode()> &restore) = 0;
  /* Before a setup() with new values: a matrix whose operator nobody else has fills it again, where it would build another; and interpolations from boxes are
     made anew. No apply() until then. */
  virtual void let_go_of_finest() = 0;
  /* x = M b, local parts in the space; logs its steps and their flops. narrow: x may stay where narrow_solution() says. */
  virtual PetscErrorCode      apply(const PetscScalar *b, PetscScalar *x, bool narrow = false) = 0;
  virtual const SingleScalar *narrow_solution() const                                          = 0; // nullptr: it is in double precision
  virtual bool                recordable() const                                               = 0; // apply() launches kernels and no more
  std::uint64_t               version() const { return version_; }                                  // another with each setup(), and in each cycle

  virtual std::size_t bytes() const                           = 0;
  virtual std::string describe_level(std::size_t level) const = 0;
  virtual std::string describe_halo() const                   = 0; // empty on one rank

protected:
  void new_version();

private:
  std::uint64_t version_ = 0;
};

/* precision: a PCSAAMGPrecision */
std::unique_ptr<Cycle> make_cycle(int precision);

} // namespace goza::saamg
