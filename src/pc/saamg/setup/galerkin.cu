#include "galerkin.hpp"
#include "core/util/algorithm.hpp"
#include "core/sparse/csr_ops.hpp"
#include "core/sparse/host_galerkin.hpp"
#include "core/launch/by_lanes.hpp"
#include "core/launch/row_sums.hpp"
#include "core/launch/staged_rows.hpp"
#include "core/util/vector_ops.hpp"
#include "pc/saamg/smoother/node_blocks.hpp"
#include "tuning.hpp"
#include <stdexcept>

namespace goza::saamg {
namespace {

/* The largest entry where there is no inverse diagonal. */
template <class Rows> HD void magnitude_of_row(PetscInt i, const Rows &A, const PetscScalar *dinv, PetscReal *magnitude)
{
  PetscReal most = dinv[i] != PetscScalar(0) ? PetscAbsScalar(PetscReal(1) / dinv[i]) : 0;

  if (dinv[i] == PetscScalar(0)) A.for_each_entry(i, [&](PetscInt, PetscScalar a) { most = PetscMax(most, PetscAbsScalar(a)); });
  magnitude[i] = most;
}

/* Of R A P, from a row of R. */
HD void magnitude_of_product(PetscInt i, int lane, int lanes, const PetscInt *ptr, const PetscInt *col, const PetscScalar *val, const PetscReal *fine,
                             PetscReal *coarse)
{
  PetscReal sum = 0;

  for (PetscInt p = ptr[i] + lane; p < ptr[i + 1]; p += lanes) sum += PetscRealPart(val[p] * PetscConj(val[p])) * fine[col[p]];
  sum = sum_of_lanes(sum, lanes);
  if (lane == 0) coarse[i] = sum;
}

HD void take_root(PetscInt i, const PetscReal *value, PetscReal *root) { root[i] = PetscSqrtReal(value[i]); }

/* Whether a row is of nothing but what rounding leaves of zeros; else its diagonal entry's part of the sums. */
struct LookAtRow {
  static constexpr bool walks_along_row = true, by_lanes = true;

  enum Sums { number, signs, sizes, n };

  const PetscInt  *ptr;
  Columns          col;
  Values           val;
  const PetscReal *root; // [columns] of the magnitude
  unsigned char   *empty;

  HD LookAtRow on(Columns c, Values v) const { return {ptr, c, v, root, empty}; }

  HD void operator()(PetscInt i, PetscScalar *sum) const { (*this)(i, 0, 1, sum); }

  HD void operator()(PetscInt i, int lane, int lanes, PetscScalar *sum) const
  {
    PetscScalar d    = 0;
    bool        zero = true;

    for (PetscInt p = ptr[i] + lane; p < ptr[i + 1]; p += lanes) {
      if (col[p] == i) d = val[p];
      zero = zero && PetscAbsScalar(val[p]) <= rounding_of_products * root[i] * root[col[p]]; // not a NaN
    }
    d    = sum_of_lanes(d, lanes);
    zero = in_all_lanes(zero, lanes);
    if (lane > 0) return;
    empty[i] = zero;
    if (zero || d == PetscScalar(0)) return;
    sum[number] += PetscScalar(1);
    sum[signs] += PetscScalar(PetscRealPart(d) < 0 ? -1 : 1);
    sum[sizes] += PetscScalar(PetscAbsScalar(d));
  }
};

/* With the diagonals' mean where a column of the interpolation is zero, and there is no magnitude. diagonal: where it is held once more, or null */
HD void fill_row(PetscInt i, const Csr &A, const unsigned char *empty, const PetscReal *root, const PetscScalar *sum, PetscScalar *val, PetscScalar *diagonal)
{
  if (!empty[i]) return;
  const PetscReal n = PetscRealPart(sum[LookAtRow::number]), mean = n > 0 ? PetscRealPart(sum[LookAtRow::sizes]) / n : 1,
                  sign = PetscRealPart(sum[LookAtRow::signs]) < 0 ? -1 : 1;
  const PetscReal d    = sign * (root[i] > 0 ? root[i] * root[i] : mean > 0 && mean <= PETSC_MAX_REAL ? mean : 1);

  for (PetscInt p = A.ptr[i]; p < A.ptr[i + 1]; p++)
    if (A.col[p] == i) val[p] = d;
  if (diagonal) diagonal[i] = d;
}

/* The magnitudes of R A P from those of A. Collective. */
Array<PetscReal> coarse_magnitudes(const Interpolation &I, const Array<PetscReal> &magnitude)
{
  const Space      space = magnitude.space();
  Array<PetscReal> fine(space, I.fine->nlocal(), unset), coarse(space, I.R.nrows, unset);

  if (magnitude.size()) fine.copy_from(magnitude.data(), magnitude.size());
  I.fine->update(fine);
  for_each_row_by_lanes(space, I.R.nrows, bound<magnitude_of_product>(I.R.ptr.data(), I.R.col.data(), I.R.val.data(), fine.data(), coarse.data()));
  return coarse;
}

/* The diagonal entry is always in the pattern. diagonal: where it is held once more, or null. The host of one rank does not wait for the device. Collective. */
void fill_rows_of_nothing(CsrMatrix &A, const ColumnMap &columns, const Array<PetscReal> &magnitude, PetscScalar *diagonal = nullptr)
{
  const Space          space = A.space();
  Array<PetscReal>     root(space, columns.nlocal(), unset);
  Array<unsigned char> empty(space, A.nrows, unset);
  Array<PetscScalar>   sums(space, LookAtRow::n);

  for_each_row(space, A.nrows, bound<take_root>(magnitude.data(), root.data()));
  columns.update(root);
  join_csr_rows<Plus, LookAtRow::n>(A.view(), 1, LookAtRow{A.ptr.data(), A.col.data(), A.val.data(), root.data(), empty.data()}, sums.data());
  columns.sum_here(sums.data(), LookAtRow::n);
  for_each_row(space, A.nrows, bound<fill_row>(A.view(), empty.data(), root.data(), sums.data(), A.val.data(), diagonal));
}

/* So many times the entries of A may be stored for its blocks to be full: where rows are given (Dirichlet), or zeros were left out, a few are missing, and
   entry by entry a product takes ten times as long. */
constexpr double bearable_fill = 1.5;

/* The factors of R (A P) by blocks. R is P's transpose or of its kind; p of several ranks has rows of others, too. */
struct BlockFactors {
  FullBlocks                  R, A, P;
  std::unique_ptr<NodeBlocks> filled; // A with zeros where blocks have none of its entries

  BlockFactors(const Csr &r, const Csr &a, const Csr &p, const Interpolation &I) :
    R(r, I.k, I.bs, I.transposed_blocks), A(a, I.bs, I.bs, I.nodes), P(p, I.bs, I.k, I.coarse->size() == 1 ? I.blocks : nullptr)
  {
  }
  bool find(bool fill)
  {
    if (R.br * R.bc == 1 || !P.find(true) || !R.find()) return false;
    if (A.find()) return true;
    if (!fill || A.br == 1 || static_cast<double>(A.br) * entries(A.A) > PETSC_MAX_INT) return false;
    filled = std::make_unique<NodeBlocks>(A.A, A.br);
    return entries(filled->rows()) <= bearable_fill * entries(A.A);
  }
  Blocks of_A() const { return filled ? Blocks{filled->nodes(), A.br, A.bc} : A.blocks(); }
};

/* A node's blocks as compressed_rows() makes them. */
MadeRows rows_made_of(const mat::CdsEntries<const PetscScalar> &A)
{
  return {A.nodes, A.bs, A.blocks(), [A](PetscInt node, PetscInt *col, PetscScalar *val) {
            const int bs = A.bs;
            PetscInt  n  = 0;

            for (int k = 0; k < A.blocks(); k++) {
              const auto b = A.block(node, k);

              if (b.node < 0) continue;
              const PetscScalar *const from = A.in_block(node, b, 0, 0);
              const std::int64_t       row = b.mirrored ? A.ld : A.ld * bs, column = b.mirrored ? A.ld * bs : A.ld; // to the block's next one
              bool                     any = b.node == node;

              for (int r = 0, e = 0; r < bs; r++) {
                for (int c = 0; c < bs; c++, e++) {
                  val[e] = from[r * row + c * column];
                  any    = any || val[e] != PetscScalar(0);
                }
              }
              if (!any) continue;
              col[n++] = b.node;
              val += bs * bs;
            }
            return n;
          }};
}

/* On the host, where A is all of one rank's. */
bool row_by_row(const StoredRows &A, const Interpolation &I, CsrMatrix &Ac)
{
  if (A.no_rows()) {
    FullBlocks R(I.R.view(), I.k, I.bs, I.transposed_blocks), P(I.P.view(), I.bs, I.k, I.blocks);

    return galerkin_host(R, rows_made_of(entries_of(*A.diagonals())), P, Ac);
  }
  BlockFactors by(I.R.view(), A.A, I.P.view(), I);

  return galerkin_host(by.R, by.A, by.P, Ac);
}

} // namespace

Array<PetscReal> magnitudes(const StoredRows &rows, const Array<PetscScalar> &dinv)
{
  const Csr       &A = rows.A;
  Array<PetscReal> magnitude(A.space, A.nrows, unset);

  if (rows.no_rows())
    for_each_row(A.space, A.nrows, bound<magnitude_of_row<mat::CdsEntries<const PetscScalar>>>(entries_of(*rows.diagonals()), dinv.data(), magnitude.data()));
  else for_each_row(A.space, A.nrows, bound<magnitude_of_row<AijRowsView>>(rows_of(A), dinv.data(), magnitude.data()));
  return magnitude;
}

CsrMatrix Interpolation::own_restriction(BlockPatternPtr *transposed) const
{
  FullBlocks by(tests().view(), bs, k, blocks_of_tests());
  CsrMatrix  T = bs * k > 1 && by.find() ? transpose_blocks(by.blocks(), transposed) : goza::transpose(tests().view());

  if (conjugated) conjugate(T.space(), T.val.size(), T.val.data());
  return T;
}

void Interpolation::transpose()
{
  if (by_place()) return;
  if (R.ptr.size() && coarse->size() == 1) {
    FullBlocks by(tests().view(), bs, k, blocks_of_tests());

    if (bs * k > 1 && by.find()) transpose_blocks_numeric(by.blocks(), R);
    else transpose_numeric(tests().view(), R);
    if (conjugated) conjugate(R.space(), R.val.size(), R.val.data());
    return;
  }
  release_transpose();
  CsrMatrix whole = own_restriction(&transposed_blocks);

  if (coarse->size() > 1) {
    CsrMatrix parts = std::move(whole);

    fine          = SummedRows(parts.view(), LocalColumns(*fine, {}), columns_of_tests(), false, whole).columns();
    own_transpose = std::move(parts);
  }
  R = std::move(whole); // last: transposed() asks for it
}

/* Returns its columns. Collective. */
MapPtr GalerkinProduct::make_on_boxes(const StoredRows &A, const Interpolation &I, Array<PetscReal> &magnitude, CsrMatrix &Ac)
{
  if (!I.boxes->ranks) {
    BoxProduct product = galerkin(*I.boxes, A, I.P, I.conjugated, magnitude);

    magnitude  = std::move(product.magnitude);
    diagonals_ = std::move(product.diagonals);
    Ac         = std::move(product.rows);
    fill_rows_of_nothing(Ac, *I.coarse, magnitude, product.diagonal);
    return I.coarse;
  }
  magnitude                   = coarse_magnitudes(I, magnitude);
  const CsrMatrix     parts   = galerkin_in_parts(*I.boxes, A, I.P, *I.coarse, I.conjugated);
  const LocalColumns &reached = *I.boxes->ranks->reached;

  if (sum_) sum_->update(parts.view(), reached, Ac);
  else sum_ = std::make_unique<SummedRows>(parts.view(), reached, I.coarse, true, Ac);
  fill_rows_of_nothing(Ac, *sum_->columns(), magnitude);
  return sum_->columns();
}

CsrMatrix GalerkinProduct::make(const StoredRows &from, const MapPtr &columns, const Interpolation &I, MapPtr &coarse_columns, Array<PetscReal> &magnitude,
                                bool once)
{
  const bool isolated = columns->size() == 1;
  const Csr &A        = from.A;
  CsrMatrix  Ac;

  if (isolated && A.space == Space::Host && (!from.no_rows() || I.bs * I.k > 1) && !I.boxes && row_by_row(from, I, Ac)) {
    magnitude      = coarse_magnitudes(I, magnitude);
    coarse_columns = I.coarse;
    row_by_row_    = !once;
    fill_rows_of_nothing(Ac, *coarse_columns, magnitude);
    return Ac;
  }
  if (I.boxes) {
    on_boxes_      = !once;
    sum_           = nullptr;
    coarse_columns = make_on_boxes(from, I, magnitude, Ac);
    return Ac;
  }
  magnitude = coarse_magnitudes(I, magnitude);
  if (isolated && A.space == Space::Cuda && I.bs * I.k == 1 && !I.smoothed) {
    Ac             = sorted_.make(A, I.P.view(), I.conjugated);
    coarse_columns = I.coarse;
    fill_rows_of_nothing(Ac, *coarse_columns, magnitude);
    return Ac;
  }
  if (!isolated) P_ = std::make_unique<RowsBelow>(I.P.view(), *I.coarse, columns);
  const CsrMatrix again = isolated || I.own_transpose.ptr.size() ? CsrMatrix() : I.own_restriction(); // where it was not kept
  const Csr       R = isolated ? I.R.view() : again.ptr.size() ? again.view() : I.own_transpose.view(), P = isolated ? I.P.view() : P_->view();
  CsrMatrix      &RAP = isolated ? Ac : parts_;

  blocks_of_AP_ = BlocksInParts();
  blocks_.reset();
  if (BlockFactors by(R, A, P, I); by.find(isolated)) {
    RAP = rows_of_blocks(multiply_blocks(by.R.blocks(), by.of_A(), by.P.blocks(), isolated, room_of_part, blocks_of_AP_), I.k, I.k, &blocks_);
  } else {
    AP_ = multiply(A, P, false, isolated);
    RAP = multiply(R, AP_.view(), isolated);
  }
  if (isolated) coarse_columns = I.coarse;
  else {
    sum_ = std::make_unique<SummedRows>(parts_.view(), P_->columns(), I.columns_of_tests(), true, Ac);

    coarse_columns = sum_->columns();
  }
  fill_rows_of_nothing(Ac, *coarse_columns, magnitude);
  return Ac;
}

void GalerkinProduct::update(const StoredRows &from, const Interpolation &I, CsrMatrix &Ac, Array<PetscReal> &magnitude)
{
  const Csr &A = from.A;

  if (on_boxes_) {
    make_on_boxes(from, I, magnitude, Ac);
    return;
  }
  magnitude = coarse_magnitudes(I, magnitude);
  if (sorted_.made() || (row_by_row_ && row_by_row(from, I, Ac))) {
    if (sorted_.made()) sorted_.update(A, I.P.view(), I.conjugated, Ac);
    fill_rows_of_nothing(Ac, *I.coarse, magnitude);
    return;
  }
  if (P_) P_->update(I.P.view());
  const Csr    R = sum_ ? I.own_transpose.view() : I.R.view(), P = P_ ? P_->view() : I.P.view();
  CsrMatrix   &RAP = sum_ ? parts_ : Ac;
  BlockFactors by(R, A, P, I);

  if (by_blocks()) {
    if (!by.find(!sum_)) throw std::logic_error("a product of blocks has lost them");
    if (RAP.val.size() != RAP.col.size()) RAP.val = Array<PetscScalar>(A.space, RAP.col.size());
    multiply_blocks_numeric(by.R.blocks(), by.of_A(), by.P.blocks(), blocks_of_AP_, FullBlocks(RAP.view(), I.k, I.k, blocks_).pattern(), RAP.val.data());
  } else {
    multiply_numeric(A, P, AP_);
    multiply_numeric(R, AP_.view(), RAP);
  }
  if (sum_) sum_->update(parts_.view(), P_->columns(), Ac);
  fill_rows_of_nothing(Ac, sum_ ? *sum_->columns() : *I.coarse, magnitude);
}

} // namespace goza::saamg
