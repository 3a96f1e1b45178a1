/* What saamg will take of memory, told before the set-up from what is known then. */
#pragma once
#include "core/rooms.hpp"
#include <petscsys.h>

namespace goza::saamg
{

/* Of one rank; bytes are those of a value. */
struct MemoryQuestion {
  PetscLogDouble rows = 0, nonzeros = 0, copy = 0; // copy: bytes of the matrix, where the set-up needs one
  PetscLogDouble choice = 0, trial = 0;            // while formats and settings are chosen; vectors of a trial of half precision
  PetscInt       bs = 1, vectors = 1;              // near-null vectors
  PetscInt       max_levels = 10, coarse_limit = 200, aggressive_levels = 0, coarse_interpolation_degree = 1;
  std::size_t    fine_value = sizeof(PetscScalar), coarse_value = sizeof(PetscScalar); // of vectors
  std::size_t    transfer_value = sizeof(PetscScalar);
  std::size_t    fine_operator = sizeof(PetscScalar), coarse_operator = sizeof(PetscScalar); // as stored in the cycle
  bool           several      = false;                                                       // ranks: what they add up to lies beside the sums
  bool           device       = false;                                                       // where long slices pad rows more
  PetscInt       directions   = 0;                                                           // of the grid that the rows are numbered along, 0: none
  bool           fine_lent    = false;                                                       // the cycle uses the matrix's own format
  bool           boxes        = false;                                                       // asked for what may be boxes of a lattice: see boxes.hpp
  bool           kept         = false;                                                       // what a set-up with new values will use again stays
  bool           ones         = false;                                                       // the near-null vector, one, is of these
  bool           aggregates   = false;                                                       // of that, the aggregates
  bool           half_stored  = false;                                                       // diagonals hold each pair once
  double         full_below   = 0;                             // ... but where all of them take less: in a host's cache full ones are faster
  double         wide_below   = 0;                             // half precision: operators whose diagonals take less in single stay in that, and full
  double         strong       = 1;                             // share of the entries off the diagonal that are strong
  bool           rows_lent    = false;                         // the cycle uses P as it was made, and no P^T
  bool           tested       = false;                         // restriction has test functions of its own
  bool           fine_colored = false, coarse_colored = false; // mcgs holds the rows once more
};

struct MemoryEstimate {
  PetscLogDouble during, after; // bytes: the most while the set-up lasts, and what stays
};

/* The hierarchy is guessed level by level from the nonzeros z of a node's row: aggregates of 1.3 + z nodes (15 times that where coarsened aggressively),
   5.4 z / (z + 4) aggregates reached by a node's row of P (1.9 + 0.03 z), rows of 48 z^2 / (z^2 + 50) nodes (22) below; what boxes of a lattice come to is
   known. Fitted to 5, 7 and 27 points, on grids and in random order, and to elasticity on hexahedra and tetrahedra (test/pc/memory.cxx); a graph of another
   kind may need a multiple. Where entries are weak, aggregates follow the strong ones: 1.5 times as many nodes as a row has strong ones off the diagonal. */
MemoryEstimate estimate_memory(const MemoryQuestion &question);

} // namespace goza::saamg
