/* The diagonal of a matrix and the spectrum of D^-1 A, in the space where the matrix is: Columns of A are local ones of a map. */
#pragma once
#include "mat/common/par_operator.hpp"
#include "core/sparse/full_blocks.hpp"
#include "core/sparse/value_scaling.hpp"
#include "core/util/half.hpp"
#include "stored_rows.hpp"
#include <limits>
#include <memory>

namespace goza::saamg {

/* Of a row's other entries beside its diagonal. Where none has more, by Gershgorin all eigenvalues of D^-1 A are from 2/11 to 20/11, and a polynomial that
   smooths a tenth of the spectrum and more smooths all of it. */
constexpr PetscReal most_covered = static_cast<PetscReal>(9) / 11;

/* A copy in half precision of one rank's diagonals times a power of two, for products whose rounding may have a margin. */
struct RoughRows {
  mat::Cds<HalfScalar, SingleScalar> A;
  PetscReal                          factor = 1;
  RowExponents                       diagonal{}; // of the matrix

  RoughRows(Space space, const mat::CdsOptions &options) : A(space, options) { }
};

constexpr std::size_t no_rough_rows = std::numeric_limits<std::size_t>::max();

/* What one pass over the rows tells: of all ranks' but for the arrays and nisolated. */
struct CsrFacts {
  bool                 finite = true, squares_finite = true; // no NaN or Inf among the values, among their squares
  std::int64_t         nisolated    = 0;                     // rows that are coupled to nothing
  std::int64_t         couplings    = 0;                     // of rows with other nodes, but for zeros and what is as small beside another entry of the row
  std::int64_t         coupled      = 0;                     // the other rows
  std::int64_t         hollow       = 0;                     // those of them whose diagonal entry is zero, not stored, or too small to invert
  std::int64_t         faint        = 0;                     // those of them whose entries' squares are no normal numbers
  bool                 any_isolated = false;                 // on any rank
  bool                 positive = false, negative = false;   // is there such a diagonal entry; one that is not real counts as both
  bool                 real     = true;                      // all entries are
  bool                 dominant = false; // no row's other entries add up to more than its diagonal one: no eigenvalue of D^-1 A is larger than 2
  bool                 covered  = false; // none adds up to more than most_covered of it, and all diagonal entries are of one sign
  Array<PetscScalar>   dinv;             // [rows] 1 / a_ii; 0 where it is zero, not stored, or too small to invert: smoothers do not change such rows
  Array<unsigned char> isolated;         // [rows] 1 or 0

  BlockPatternPtr            blocks; // of nodes' rows, where they have been looked for
  std::shared_ptr<RoughRows> rough;  // where it was asked for and A's diagonal entries are of few magnitudes; of dominant rows all are finite
};

/* bs rows are a node. rough_from: bytes of diagonals from which the pass makes a copy of them that lambda_max() may take. Collective. */
CsrFacts row_facts(const StoredRows &A, const LocalColumns &columns, PetscInt bs = 1, std::size_t rough_from = no_rough_rows);

/* The exponent of two of the largest entry, or, of diagonals, of those on the main one. Collective. */
int largest_exponent(const StoredRows &A, const LocalColumns &columns);

/* The largest share of its diagonal entry that a row's other entries come to: by Gershgorin no eigenvalue of D^-1 A is further from 1. Collective. */
PetscReal most_beside_diagonal(const StoredRows &A, const LocalColumns &columns, const CsrFacts &facts);

/* of Lanczos; `most` where the last vector shows that an eigenvector of few rows is still to come. */
struct LanczosSteps {
  PetscInt its, most;

  LanczosSteps(PetscInt n) : LanczosSteps(n, n) { }
  LanczosSteps(PetscInt its, PetscInt most) : its(its), most(most) { }
};

/* The largest |eigenvalue| of D^-1 A seen by steps of Lanczos from a vector hashed from the rows' ids: the same on any number of ranks, but for rounding;
   rows that are coupled to nothing are left out. Where A turns out not to be symmetric, or D is indefinite, Arnoldi. From Ritz values, which lie below the
   truth, by extrapolation of Lanczos' steps: smoothers multiply it by a safety factor. The result is finite and positive; 1 if A is zero. exact: of A, where
   there is one that is faster, or nullptr. symmetric: whether A is expected to be, so that the host need not look after two steps; becomes whether it was.
   Collective. */
PetscReal lambda_max(const StoredRows &A, const ColumnMap &columns, const CsrFacts &facts, LanczosSteps steps, NodeIds ids,
                     ParOperator<PetscScalar> *exact = nullptr, bool *symmetric = nullptr);

} // namespace goza::saamg
