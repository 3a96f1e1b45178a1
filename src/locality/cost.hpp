/* Goza's model of a product's time, and the choice of a format by it.

   It carries on from paper P2's eqs. 1 to 3 with what they leave out: launches, two caches, sectors of x, padding, threads that wait for memory step by
   step, and too few blocks to fill the machine. With M the bytes of the format's arrays, y those of the result, R sectors of x asked for, U of these not in a
   block's cache (traits.hpp), F of U asked for far away and lost by L2, s bytes of a sector, and u the share of the multiprocessors that have a block:

     L2        (M + y + s U) / l2_bandwidth   on a host, whose core waits for a line of x: (M + y) / l2_bandwidth + F miss,
               and what fits in the core's own cache at own_bandwidth
     memory    m ((M + y + min(s U, x)) (1 / bandwidth - 1 / l2_bandwidth) + sizeof(x) F / gather)   m: share that L2 does not hold from the last product
     L1        (R / sectors + warp steps * step + warps * warp + warps for parts of rows * part, and what the rows beside diagonals ask for as sliced ELL's do)
     / u   on a host, of PETSc's product: entries of I-nodes from beyond that cache * part
     waiting   steps of the longest thread * latency, from the 65th on * long_latency; a step waits longer the more the arrays take, M / near to 40: up to
     1 + slower times
     time      the sum of these, launch, rows * row, unforeseen ends of rows * turn, and `second` for a second kernel

   What a machine's memory does is measured (calibrate.cu); what the kernels cost is fitted to products (test/bench/fit_model.cxx; families that were fitted to
   are not those that are reported). */
#pragma once
#include "machine.hpp"
#include "traits.hpp"
#include <string>

namespace goza::locality {

struct Cost {
  double seconds = 0, gflops = 0;
  double bytes  = 0;                                         // moved from and to memory when no cache holds anything
  double memory = 0, l2 = 0, l1 = 0, waiting = 0, fixed = 0; // s: the parts
};

Cost cost_of(const Machine &machine, const Sample &sample, const FormatChoice &choice, const Traits &traits);

Caches caches_of(const Machine &machine);

/* --- the choice */

enum : unsigned { format_csr = 1, format_sliced_ell = 2, format_fold = 4, format_cds = 8, all_formats = 15 };

struct DecisionInput {
  Space          space       = Space::Host;
  const Machine *machine     = nullptr;
  unsigned       candidates  = all_formats;
  bool           csr         = true; // PETSc's product can be had
  PetscInt       bs          = 1;    // unknowns of a node, for CDS and blocks
  int            value_bytes = sizeof(PetscScalar), x_bytes = sizeof(PetscScalar);
  double         margin = 1; // usual formats (CDS, and sliced ELL but where nearly all entries are on diagonals) are left for one that is this much faster
};

struct Candidate {
  FormatChoice choice;
  Cost         cost;
};

struct Decision {
  FormatChoice           choice;
  std::string            sentence;         // the choice and the reason
  bool                   measured = false; // by trials, see AutoFormat
  std::vector<Candidate> candidates;       // fastest first
  std::string            machine;
  PetscInt               height = 32; // of sliced ELL, where nothing else is left
  double                 narrow = 1;  // time of the first candidate with its values in half the bytes, relative to that with value_bytes

  Decision without_csr() const;                                         // the next best
  void     choose(const FormatChoice &chosen);                          // one of the candidates
  void     take(const FormatChoice &chosen, double seconds, int tried); // after trials: the fastest, and what it took
};

Decision decide(const Csr &A, const DecisionInput &input);

/* Of a device's memory, while a format is chosen for so many rows of one unknown a node. */
std::size_t bytes_of_decision(PetscInt rows);

std::string choice_name(const FormatChoice &choice);

} // namespace goza::locality
