/* The coarse operator, in the space where the matrix is. */
#pragma once
#include "boxes.hpp"
#include "core/sparse/block_product.hpp"
#include "parallel/rows_below.hpp"
#include "parallel/summed_rows.hpp"
#include "sorted_product.hpp"

namespace goza::saamg {

/* An interpolation, the restriction, which is its transpose, that of other test functions, or the conjugate of either, and the map of the columns of each. */
struct Interpolation {
  CsrMatrix P, R;
  MapPtr    coarse, fine;
  CsrMatrix W; // test functions, where they are not P; else empty
  MapPtr    wcoarse;
  PetscInt  bs = 1, k = 1;      // unknowns of a node, fine and coarse
  bool      conjugated = false; // R = W^H
  bool      smoothed = true; // false: P has at most an entry a row and near-null vector, since nothing was asked for, or its product would have taken too long

  std::shared_ptr<Boxes> boxes; // where it was made on them

  BlockPatternPtr nodes, blocks, transposed_blocks; // of the fine operator, of P and of its transpose of this rank, where they are known

  /* One rank's device reads P^T from P by place: there is no R. On the host a cycle is faster by R's rows, and a product without. */
  bool by_place() const { return boxes && !boxes->ranks && P.space() == Space::Cuda; }
  bool multiplied_by_place() const { return boxes && !boxes->ranks; }

  /* P is of boxes of 7 points, and smoothed to degree 2. */
  bool on_stars() const { return boxes && boxes->stars; }

  const CsrMatrix &tests() const { return W.ptr.size() ? W : P; }
  const MapPtr    &columns_of_tests() const { return W.ptr.size() ? wcoarse : coarse; }
  BlockPatternPtr  blocks_of_tests() const { return W.ptr.size() ? nullptr : blocks; }
  CsrMatrix        own_restriction(BlockPatternPtr *blocks = nullptr) const; // of this rank's test functions

  /* R is made from them; where R's pattern is there, on one rank, its values alone. Collective. */
  void transpose();
  void release_transpose(bool pattern_too = true)
  {
    R.val = Array<PetscScalar>(R.space());
    if (pattern_too || own_transpose.ptr.size()) {
      R = CsrMatrix();
      transposed_blocks.reset();
    }
    own_transpose = CsrMatrix();
  }
  bool      transposed() const { return by_place() || (R.ptr.size() > 0 && R.val.size() == R.col.size()); }
  CsrMatrix own_transpose; // of this rank's test functions, several ranks: rows of R in parts, which are not yet summed over the ranks
};

/* What an entry a_ij of a product comes to by rounding alone is less than this times the root of m_i m_j, with the magnitudes m of the rows: those of the
   user's matrix, and in R A P the diagonal of R diag(m) R^H. An entry of that size says nothing. */
constexpr PetscReal rounding_of_products = 16 * PETSC_MACHINE_EPSILON;

/* Of the user's matrix: |a_ii|, or, where that is zero, the largest entry of the row. dinv: 1 / a_ii or 0. */
Array<PetscReal> magnitudes(const StoredRows &A, const Array<PetscScalar> &dinv);

/* Multiplications of blocks in R (A P), of all ranks, or more: where terms of a row of A P have the same column, they are counted as if they had not.
   Collective. */
double product_work(const Csr &A, const ColumnMap &columns, const Interpolation &I);

/* No more than it would say of an interpolation from these aggregates that is smoothed once, where a node is a row: without that interpolation, and of long
   rows their first entries alone. aggregate: [columns]. Collective. */
double least_product_work(const Csr &A, const ColumnMap &columns, const Array<PetscInt> &aggregate, const LocalColumns &aggregates);

/* Walks of two steps in A's graph to a row on an average, those that stay or come back included: of a symmetric pattern the mean square of a row's length.
   Collective. */
double walks_of_two(const Csr &A, const LocalColumns &columns);

/* Ac = R A P. Rows that come out as nothing but rounding, where a column of P is in A's null space, get a diagonal entry of their magnitude: what smoothers and
   an inverse make of them is then harmless. So do rows of zeros, from zero columns of P, which have no magnitude: the mean of the others' diagonal. On several
   ranks the rows of P that A reaches are fetched from other ranks, and the parts of Ac's rows are sent to their owners: one exchange each. */
class GalerkinProduct {
public:
  /* magnitude: of A's rows, becomes that of Ac's. once: no update() will come. blocks(): afterwards the pattern of Ac's blocks, where it is known.
     Collective. */
  CsrMatrix make(const StoredRows &A, const MapPtr &columns, const Interpolation &I, MapPtr &coarse_columns, Array<PetscReal> &magnitude, bool once = false);
  /* New values in A, or in A and P, with all patterns as they were. Collective. */
  void update(const StoredRows &A, const Interpolation &I, CsrMatrix &Ac, Array<PetscReal> &magnitude);

  /* Of the last product, where it was made by diagonals, too; else nullptr. */
  std::unique_ptr<Format<PetscScalar>> take_diagonals() { return std::move(diagonals_); }

  BlockPatternPtr blocks() const { return sum_ ? nullptr : blocks_; }

  bool        made() const { return on_boxes_ || row_by_row_ || by_blocks() || sorted_.made() || AP_.ptr.size() > 0; }
  std::size_t bytes() const
  {
    return AP_.bytes() + blocks_of_AP_.pattern.bytes() + parts_.bytes() + (P_ ? P_->bytes() : 0) + (sum_ ? sum_->bytes() : 0) +
           (blocks_ ? blocks_->bytes() : 0) + sorted_.bytes();
  }
  void release_values() // until the next update()
  {
    AP_.val    = Array<PetscScalar>(AP_.space());
    parts_.val = Array<PetscScalar>(AP_.space());
  }

private:
  bool   by_blocks() const { return blocks_of_AP_.pattern.ptr.size() > 0; }
  MapPtr make_on_boxes(const StoredRows &A, const Interpolation &I, Array<PetscReal> &magnitude, CsrMatrix &Ac);

  bool                                 on_boxes_ = false, row_by_row_ = false; // nothing is kept
  std::unique_ptr<Format<PetscScalar>> diagonals_;
  SortedProduct                        sorted_;
  CsrMatrix                            AP_, parts_;
  BlocksInParts                        blocks_of_AP_; // or these, where all are full
  BlockPatternPtr                      blocks_;       // of Ac, or of parts_
  std::unique_ptr<RowsBelow>           P_;            // several ranks
  std::unique_ptr<SummedRows>          sum_;
};

} // namespace goza::saamg
