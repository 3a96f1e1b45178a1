/* What saamg will take of memory, told before the set-up from what is known then. */
#pragma once
#include "core/rooms.hpp"
#include <petscsys.h>

namespace goza::saamg {

/* Of one rank; bytes are those of a value. */
struct MemoryQuestion {
  PetscLogDouble rows = 0, nonzeros = 0, copy = 0;  // copy: bytes of the matrix, where the set-up needs one
  PetscLogDouble choice = 0, tuning = 0, trial = 0; // while a format is chosen; vectors while settings are; of a trial of half precision
  PetscInt       bs = 1, vectors = 1;               // near-null vectors
  PetscInt       max_levels = 10, coarse_limit = 200, aggressive_levels = 0, coarse_interpolation_degree = 1;
  std::size_t    fine_value = sizeof(PetscScalar), coarse_value = sizeof(PetscScalar); // of vectors
  std::size_t    transfer_value = sizeof(PetscScalar);
  std::size_t    fine_operator = sizeof(PetscScalar), coarse_operator = sizeof(PetscScalar); // as stored in the cycle
  bool           several      = false;                                                       // ranks: what they add up to lies beside the sums
  bool           device       = false;                                                       // where long slices pad rows more
  PetscInt       directions   = 0;                                                           // of the grid that the rows are numbered along, 0: none
  bool           fine_lent    = false;                                                       // the cycle uses the matrix's format
  bool           fine_like    = false;                                                       // ... or one like it, which need not be chosen
  double         compared     = 0;                                                           // how likely a cycle in double is tried as well
  bool           boxes        = false;                                                       // asked for what may be boxes of a lattice: see boxes.hpp
  bool           stars        = false;                                                       // ... those of 7 points among them
  bool           kept         = false;                                                       // what a set-up with new values will use again stays
  bool           ones         = false;                                                       // the near-null vector, one, is of these
  bool           aggregates   = false;                                                       // of that, the aggregates
  bool           half_stored  = false;                                                       // diagonals hold each pair once
  double         full_below   = 0;                             // ... but where all of them take less: in a host's cache full ones are faster
  double         wide_below   = 0;                             // half precision: operators whose diagonals take less in single stay in that, and full
  double         strong       = 1;                             // share of the entries off the diagonal that are strong
  bool           by_signs     = false;                         // ... by their signs
  bool           rows_lent    = false;                         // the cycle uses P as it was made, and no P^T
  bool           tested       = false;                         // restriction has test functions of its own
  bool           fine_colored = false, coarse_colored = false; // mcgs holds the rows once more
};

struct MemoryEstimate {
  PetscLogDouble during, after; // bytes: the most while the set-up lasts, and what stays
};

/* The hierarchy is guessed level by level from the nonzeros z of a node's row, by fits to grids of 7 and 27 points, to elasticity on hexahedra and to
   tetrahedra in cubes' order and on points at random (test/pc/memory.cxx); what boxes of a lattice come to is known. On meshes aggregates have 1.3 + 1.09 z
   nodes, a row of P reaches 2.6 + 0.14 z of them, a row below has 3.6 z, and fewer where the mesh ends; in random order, and where corners make z larger, 1.3
   + z, 5.4 z / (z + 4) and 48 z^2 / (z^2 + 50). Coarsened aggressively they are 15 times as large. A graph of another kind may need a multiple. Where entries
   are weak, aggregates follow the strong ones: 1.5 times as many nodes as a row has strong ones off the diagonal. */
MemoryEstimate estimate_memory(const MemoryQuestion &question);

} // namespace goza::saamg
