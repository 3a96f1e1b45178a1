/* The SpMV models of paper P2 (Tanabe 2014), section 3 and eq. 7, as printed.

   Symbols: F, I bytes of a value and of an index; L bytes of a line; S useful values in a line (spatial locality index); hit share of the reads of x that
   find their line in the cache; W bandwidth [B/s]; Nnz entries, Nnzp entries with padding. GFLOPS count 2 operations for each of Nnz. */
#pragma once
#include "locality.hpp"
#include "machine.hpp"

namespace goza::locality {

/* Eq. 1: bytes/flop of a processor with a cache. */
constexpr double bpf_cache(double F, double I, double hit, double L, double S) { return F / 2 + I / 2 + (1 - hit) * L / S; }
/* Eq. 2: flop/s. */
constexpr double flops_cache(double W, double F, double I, double hit, double L, double S) { return W / bpf_cache(F, I, hit, L, S); }
/* Eq. 3: the same where padding is computed as well. */
constexpr double flops_cache_padded(double Nnz, double Nnzp, double W, double F, double I, double hit, double L, double S)
{
  return Nnz / Nnzp * flops_cache(W, F, I, hit, L, S);
}
/* Eq. 4: bytes/flop of a memory that gathers: F/2 for the value, F/2 for x; indices do not leave the memory. */
constexpr double bpf_gather(double F) { return F; }
/* Eq. 5. */
constexpr double flops_gather(double W, double F) { return W / bpf_gather(F); }
/* Eq. 6. */
constexpr double flops_gather_padded(double Nnz, double Nnzp, double W, double F) { return Nnz / Nnzp * flops_gather(W, F); }
/* Eq. 7, for matrices of less than 70 000 rows on the C2050; N: entries with padding. The 6 is the paper's, though eq. 3 with its I = F = 4 has
   F/2 + I/2 = 4 there; the factor Nnz/Nnzp of eq. 3 is not in it. Above N = 1.67e6 the "correction" raises the figure. */
constexpr double flops_small(double W, double hit, double S, double N) { return W / (6 + (1 - hit) * 128 / S) * (N * 6e-7); }

/* F, I: bytes of a value and of an index as they are stored; X: of a value of x, 0: F. */
struct Bytes {
  double F = sizeof(PetscScalar), I = sizeof(PetscInt), X = 0;
};

struct Prediction {
  double S = 0, hit = 0;
  double bpf    = 0; // eq. 1 [B/flop]
  double gflops = 0; // eq. 3, or eq. 7 where it is meant for the matrix
  double gather = 0; // eq. 6 [GFLOPS], of a memory that gathers. No such memory was built; as in P2's section 5 it delivers what it reads: W_cache
  bool   small  = false;
  /* P2's section 5 and figure 15, what if: */
  double full_lines = 0; // eq. 3 with S raised to a line's values [GFLOPS]
  double more_hits  = 0; // with 30 % more hits
  /* P2's figure 4: */
  double line_hit    = 0; // by the line of matrices of so many rows; 0: the platform has none
  double line_gflops = 0; // with it
};

/* rows, nnz: of the matrix. hit is not measured but taken from the reuse intervals: a read finds its line when that was read at most as many reads ago as the
   cache has lines. At least as many lines as were read in between would still be there, so a cache that forgets the oldest line hits as often or more. (P2 fits
   two lines to a figure, without printing them.) Where a read of x reads no index, as on the diagonals of CDS, it counts no I. The models read a value for each
   product: that half storage reads one for two is not in them. Eq. 7 goes by the platform, the rows and the values of x alone, so that it is for all formats of
   a matrix or for none. */
Prediction predict(const Machine &platform, const LayoutLocality &A, std::int64_t rows, std::int64_t nnz, const Bytes &bytes);

} // namespace goza::locality
