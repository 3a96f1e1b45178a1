/* What a smoother is to the cycle, and the table of their ids.

   A smoother may work out of place, on a pair of vectors: it begins in x[at] and returns where it ended. steps() tells the number of changes
   of place beforehand, so that the cycle can arrange for the last one to end in the user's vector. */
#pragma once
#include "mat/common/par_operator.hpp"

namespace goza::saamg {

struct Grid;

constexpr PetscInt most_sweeps = 10000, most_chebyshev_degree = 100; // of a degree of some hundreds, rounding leaves nothing

struct SmootherOptions {
  PetscInt  sweeps           = 1;       // applications before and after the coarse correction
  PetscReal jacobi_relax     = 2. / 3.; // D^-1 is multiplied by this
  PetscInt  chebyshev_degree = 4;       // products with A in an application that begins from zero: degree - 1
  bool      chebyshev_fourth = false;   // of the fourth kind, with optimal weights; else of the first
  PetscReal mcgs_relax       = 1;       // of Gauss-Seidel by colours: x_i += relax D_ii^-1 (b - A x)_i
  PetscInt  mcgs_coupling    = 0;       // PCSAAMGCoupling
  bool      mcgs_flow        = false;   // the colours follow the flow; set by what is found in the matrix
  PetscInt  mcgs_downstream  = 2;       // then so many sweeps for each that is asked for, before and after the coarse correction; the same
  PetscReal chebyshev_ratio  = 10;      // smooths the part [lambda_max / ratio, lambda_max] of D^-1 A's spectrum: paper P5
};

PetscInt smoother_named(const char *name); // its index in smoother_names, of which it is one

struct SmootherChoice {
  PetscInt        which = smoother_named("auto"); // index in smoother_names
  SmootherOptions options;
};

/* The diagonal as smoothers see it, [n] in A's space: inv is 0 where a row is isolated (or has no diagonal), and isolated, nullptr where
   there is no such row, holds the inverse for those. */
template <class V> struct InverseDiagonal {
  PetscInt n;
  const V *inv, *isolated;
  bool     of_A = true; // or of something in its place
};

/* Where in the cycle: a smoother that prefers a direction turns round after the coarse correction, so that the preconditioner stays symmetric. */
enum class Pass {
  FromZero, // before, and x[at], which is not read, counts as zero
  Begun,    // the same, and the first step has been taken
  Before,
  After
};

template <class V> class Smoother {
public:
  virtual ~Smoother() = default;

  virtual bool turns() const { return false; }   // Pass::After is another direction
  virtual int  steps(bool zero_guess) const = 0; // places changed by apply()
  /* The first step from zero where it is one of elements alone, with x to write to; false: it is not. */
  virtual bool           first_step(FirstStep<V> *) const { return false; }
  virtual PetscErrorCode apply(const V *b, V *const x[2], int at, Pass pass, int *end) = 0;
  virtual std::string    describe() const                                              = 0;
  virtual double         products(bool zero_guess) const                               = 0; // with A, for counting flops
  virtual std::size_t    bytes() const { return 0; }                                        // of its own
};

/* What a smoother is made from. The grid's rows can be read while it is made. */
template <class V> struct SmootherInput {
  const Grid        &grid;
  ParOperator<V>    &A;           // the grid's operator
  InverseDiagonal<V> D, relaxing; // the latter is D's or, where rows outweigh their diagonals, less: see balanced.hpp
  PetscReal          lambda;      // largest eigenvalue of A times the latter
};

template <class V>
using SmootherFactory = PetscErrorCode (*)(const SmootherInput<V> &input, const SmootherOptions &options, std::unique_ptr<Smoother<V>> &smoother);

template <class V> struct SmootherEntry {
  const char        *name;
  SmootherFactory<V> create;
};

extern const char *const                   smoother_names[]; // ends with NULL; the index is the same in smoother_table
template <class V> const SmootherEntry<V> *smoother_table();

} // namespace goza::saamg
