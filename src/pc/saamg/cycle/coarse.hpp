/* The coarsest level: its (pseudo-)inverse, dense, every rank holding its own rows. One product and, where the rows are on several ranks, one
   MPI_Allgatherv. */
#pragma once
#include "pc/saamg/setup/hierarchy.hpp"

namespace goza::saamg {

template <class V> class CoarseSolver {
public:
  PetscErrorCode setup(const Grid &grid, Space space);
  PetscErrorCode apply(const V *b, V *x); // local parts, in the space
  std::size_t    bytes() const { return inverse_.bytes() + all_.bytes(); }
  bool           singular() const { return singular_; }
  bool           isolated() const { return counts_.empty(); } // apply() asks no other rank

private:
  PetscErrorCode invert_there(const CsrLevel &level, Space space, bool *done);
  PetscErrorCode gather(const CsrLevel &level, std::vector<PetscScalar> &M, std::vector<PetscReal> &magnitude);

  MPI_Comm                 comm_ = MPI_COMM_NULL;
  PetscInt                 m_ = 0, n_ = 0; // local rows, and those of all ranks
  bool                     singular_ = false;
  std::vector<PetscMPIInt> counts_, offsets_; // bytes per rank, where several have rows
  std::vector<V>           mine_, everyone_;
  Array<V>                 inverse_, all_; // [m][n]; [n]
};

} // namespace goza::saamg
