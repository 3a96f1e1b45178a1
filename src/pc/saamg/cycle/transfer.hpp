/* Interpolation and restriction as the cycle has them. Half precision where that keeps the small entries of both: where rows are scaled over many decades,
   those are what couples them. */
#pragma once
#include "borrowed_rows.hpp"
#include "box_transfer.hpp"
#include "pc/saamg/setup/hierarchy.hpp"
#include "parallel/agree.hpp"
#include "mat/common/narrow.hpp"
#include "transfer_shape.hpp"

namespace goza::saamg {

constexpr PetscInt transfer_short_row = 24, transfer_long_row_slice = 2; // of an interpolation, of its transpose

/* Of an interpolation: the range of its values, and whether half precision keeps them. */
struct TransferRange {
  std::array<RowExponents, 2> exponents; // of P and R
  bool                        narrow = false;
};

/* Whether the product with it has told of P's rows. */
inline bool is_told(const CsrTransfer &t) { return t.by_place() && t.boxes->exponents.size(); }

/* Whether P is there, and as a cycle of this kind reads it. */
inline bool is_there(const CsrTransfer &t, bool half) { return t.has_rows() || (half && t.by_place() && t.boxes->pairs.size()); }

/* What products have told, for which a device is asked once. */
inline void read_told(const std::vector<Grid> &grids, std::vector<TransferRange> &ranges)
{
  std::size_t n = 0, at = 0;

  for (std::size_t l = 0; l < ranges.size(); l++) n += is_told(*grids[l].transfer) ? grids[l].transfer->boxes->exponents.size() : 0;
  Array<std::int64_t> all(grids[0].level->A.space, n, unset);
  for (std::size_t l = 0; l < ranges.size(); l++) {
    if (!is_told(*grids[l].transfer)) continue;
    const Array<std::int64_t> &told = grids[l].transfer->boxes->exponents;

    copy_values(all.space(), told.data(), told.size(), all.data() + at);
    at += told.size();
  }
  const std::vector<std::int64_t> found = all.to_host();
  at                                    = 0;
  for (std::size_t l = 0; l < ranges.size(); l++) {
    const std::size_t end = at + (is_told(*grids[l].transfer) ? grids[l].transfer->boxes->exponents.size() : 0);

    for (; at < end; at += 3) {
      RowExponents &P = ranges[l].exponents[0];

      P = {PetscMax(P.most, found[at]), PetscMax(P.least, found[at + 1]), PetscMax(P.smallest, found[at + 2])};
    }
  }
}

/* Those of all interpolations, for which a device is asked once or twice. One choice for all ranks: the preconditioner is that of the matrix, not that of its
   distribution. */
template <class V> PetscErrorCode find_ranges(const std::vector<Grid> &grids, bool half, std::vector<TransferRange> &ranges)
{
  const MPI_Comm           comm = grids[0].level->columns->comm();
  std::vector<PetscMPIInt> wide;

  PetscFunctionBegin;
  PetscCall(Together(comm, "look at the range of its interpolations", [&] {
    ranges.assign(grids.size() - 1, {});
    if constexpr (!std::is_same_v<V, PetscScalar>) {
      constexpr StoreRange range{StoreLimits<Half>::least, StoreLimits<Half>::most};
      std::vector<Csr>     all;

      for (std::size_t l = 0; half && l < ranges.size(); l++) {
        if (!is_told(*grids[l].transfer)) all.push_back(grids[l].transfer->P.view());
        if (!grids[l].transfer->by_place()) all.push_back(grids[l].transfer->R.view());
      }
      const std::vector<RowExponents> found = exponents_of(all);
      auto                            next  = found.begin();

      if (half) read_told(grids, ranges);
      for (std::size_t l = 0; half && l < ranges.size(); l++) {
        auto &[P, R] = ranges[l].exponents;
        if (!is_told(*grids[l].transfer)) P = *next++;
        if (!grids[l].transfer->by_place()) R = *next++; // of none all are kept
        wide.push_back(!ValueScaling<V>::keeps_all(P, range) || !ValueScaling<V>::keeps_all(R, range));
      }
    }
  }));
  if (wide.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, wide.data(), static_cast<PetscMPIInt>(wide.size()), MPI_INT, MPI_MAX, comm));
  for (std::size_t l = 0; l < ranges.size(); l++) {
    ranges[l].narrow = !wide[l];
    if (wide[l] && grids[l].transfer->boxes) grids[l].transfer->boxes->wide = true;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class V> struct Transfer {
  ParOperator<V> P, R;
  Csr            rows{};                                             // of the test functions, where they are lent; R is not needed then
  bool           lent = false, conjugated = false, as_it_is = false; // as_it_is: P and R are lent
  TransferRange  range;                                              // of both, which a refill reads as well

  std::unique_ptr<BoxTransfer<V>> boxes; // instead of both

  PetscErrorCode setup(const CsrTransfer &t, const TransferRange &found, bool all_lent)
  {
    const bool       narrow_before = range.narrow, lent_before = lent;
    FormatFactory<V> of_P, of_R;

    PetscFunctionBegin;
    range = found;
    if (t.by_place()) {
      PetscCall(Guarded([&] {
        if (!boxes) boxes = std::make_unique<BoxTransfer<V>>();
        if (t.has_rows()) boxes->fill(*t.boxes, t.P, range.narrow, t.conjugated);
        else boxes->take(*t.boxes, t.conjugated);
      }));
      P    = ParOperator<V>();
      R    = ParOperator<V>();
      nnz_ = t.has_rows() ? t.P.nnz() : t.boxes->entries;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    boxes.reset();
    conjugated = t.conjugated;
    lent       = std::is_same_v<V, PetscScalar> && t.lends_rows();
    as_it_is   = all_lent && t.coarse->size() == 1;
    if (range.narrow != narrow_before || lent != lent_before) {
      P = ParOperator<V>();
      R = ParOperator<V>();
    }
    PetscCall(Together(t.fine->comm(), "choose a format of an interpolation", [&] {
      const bool one = t.coarse->size() == 1; // then these are all of it

      of_P = factory(t.P, t.bs, t.k, &range.exponents[0], one ? t.blocks : nullptr);
      if (!lent) of_R = factory(t.R, t.k, t.bs, &range.exponents[1], one ? t.transposed_blocks : nullptr);
    }));
    PetscCall(P.update(t.P.view(), t.coarse, t.stamp, of_P));
    if (lent) rows = t.tests().view();
    else PetscCall(R.update(t.R.view(), t.fine, t.stamp, of_R));
    nnz_ = P.nnz();
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  void spare() // what another setup() makes or takes anew
  {
    if (boxes) boxes->spare();
  }

  PetscLogDouble nnz() const { return nnz_; } // local
  std::size_t    bytes() const { return P.bytes() + R.bytes() + (boxes ? boxes->bytes() : 0); }
  bool           recordable() const { return P.recordable() && R.recordable(); }

  PetscErrorCode to_coarse(const V *r, V *b)
  {
    PetscFunctionBegin;
    if (boxes) {
      PetscCall(Guarded([&] { boxes->to_boxes(r, b); }));
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    if constexpr (std::is_same_v<V, PetscScalar>) {
      if (lent) {
        transposed_product(rows, conjugated, r, b);
        PetscFunctionReturn(PETSC_SUCCESS);
      }
    }
    PetscCall(R.apply(r, Assign<V>{b}));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /* P e */
  PetscErrorCode to_fine(const V *e, const RowOut<V> &out)
  {
    PetscFunctionBegin;
    if (boxes) PetscCall(Guarded([&] { boxes->interpolate(e, out); }));
    else PetscCall(P.apply(e, out));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

private:
  FormatFactory<V> factory(const CsrMatrix &M, PetscInt rows, PetscInt columns, const RowExponents *exponents, const BlockPatternPtr &blocks) const
  {
    const PetscInt nodes = M.nrows / rows, of_node = nodes ? M.nnz() / (nodes * rows * columns) : 0;

    return [this, rows, columns, nodes, of_node, exponents, blocks](Space s) -> std::unique_ptr<Format<V>> {
      SlicedEllOptions options;

      options.gaps = s == Space::Host || static_cast<std::int64_t>(of_node) * nodes * rows * columns >= few_entries;
      if constexpr (std::is_same_v<V, PetscScalar>) {
        if (lent || as_it_is) return std::make_unique<BorrowedRows>(s);
      }
      if (s == Space::Cuda && rows == 1 && columns == 1) {
        /* neighbours among the rows of P read the same of x, and would not if they were sorted by length; a row of R reads runs of x */
        if (of_node < transfer_short_row) options.sort_window = 0;
        else options.slice_height = PetscMin(sliced_ell_height(s, nodes, static_cast<std::int64_t>(of_node) * nodes), transfer_long_row_slice);
      }
      if (transfer_by_blocks(s, nodes, of_node)) {
        options.bs        = rows;
        options.column_bs = columns;
        options.blocks    = blocks;
      }
      if constexpr (!std::is_same_v<V, PetscScalar>) {
        if (range.narrow) {
          auto format = std::make_unique<Narrow<SlicedEll<HalfScalar, V>, V>>(s, options);

          format->expect(exponents);
          return format;
        }
      }
      return std::make_unique<SlicedEll<V, V>>(s, options);
    };
  }

  PetscLogDouble nnz_ = 0;
};

} // namespace goza::saamg
