/* CDS from CDS of the same matrix: of other values, or by its upper half, or whole where that was half. */
#include "cds_like.hpp"
#include "cds_entries.hpp"
#include "core/launch/joined_rows.hpp"
#include "core/sparse/value_scaling.hpp"

namespace goza::mat {
namespace {

/* A node's values, and zeros where there is none. Where the one is half and the other whole, the diagonals from the main one up are the last of the whole. Some
   are on their way while others are written, since a device's memory is far away. scaled: times inverse[row] inverse[column], of one unknown a node. */
template <class Store, bool scaled> struct CopyNode {
  CdsView<PetscScalar> from;
  CdsView<Store>       to;
  int                  bs;
  PetscScalar          factor;
  const PetscScalar   *inverse;
  Store               *val;

  HD void operator()(PetscInt i) const
  {
    constexpr int  ahead = 7;
    const PetscInt each = bs * bs, n = to.ndiag * each, more = (from.ndiag - to.ndiag) * each;

    for (PetscInt first = 0; first < n; first += ahead) {
      PetscScalar a[ahead];

      UNROLL()
      for (int u = 0; u < ahead; u++) {
        const PetscInt k = first + u;

        a[u] = k >= n || i >= from.nrows ? PetscScalar(0) : k + more >= 0 ? from.val[(k + more) * from.ld + i] : mirror_image(k, i);
      }
      UNROLL()
      for (int u = 0; u < ahead; u++)
        if (first + u < n) val[(first + u) * to.ld + i] = static_cast<Store>(a[u] * factor_at(first + u, i));
    }
  }

private:
  HD PetscScalar factor_at(PetscInt d, PetscInt i) const
  {
    if constexpr (!scaled) return factor;
    const PetscInt j = i + to.offset[d];

    return i < from.nrows && j >= 0 && j < from.nrows ? inverse[i] * inverse[j] : PetscScalar(1);
  }

  HD PetscScalar mirror_image(PetscInt k, PetscInt i) const
  {
    const PetscInt d = k / (bs * bs), e = k % (bs * bs), j = i + to.offset[d];

    return j >= 0 ? from.val[((from.ndiag - 1 - d) * bs * bs + e % bs * bs + e / bs) * from.ld + j] : PetscScalar(0);
  }
};

/* How many entries above the main diagonal of a node's rows differ from their mirror images, as CdsCompare has it. */
template <class Store> struct CountDifferent {
  static constexpr bool walks_along_row = true;

  CdsView<PetscScalar> A; // all diagonals, o and -o both or neither
  int                  bs;
  PetscScalar          factor;
  double               tolerance;

  HD void operator()(PetscInt i, std::int64_t *count) const
  {
    for (PetscInt d = (A.ndiag + 1) / 2; d < A.ndiag; d++) {
      const PetscInt j = i + A.offset[d], mirror = A.ndiag - 1 - d;

      if (j >= A.ncols) continue;
      for (int e = 0; e < bs * bs; e++) {
        const int          r = e / bs, c = e % bs;
        const DoubleScalar upper = stored(d, r, c, i), lower = stored(mirror, c, r, j);
        const double       gap = size_of(upper - lower);

        if (gap == 0 || gap <= tolerance * size_of(lower)) continue; // mostly
        // a NaN differs
        *count += !(tolerance > 0 && A.ndiag % 2 &&
                    gap <= tolerance * sqrt(size_of(stored(A.ndiag / 2, r, r, i))) * sqrt(size_of(stored(A.ndiag / 2, c, c, j))));
      }
    }
  }

private:
  HD DoubleScalar stored(PetscInt d, int r, int c, PetscInt i) const
  {
    return static_cast<DoubleScalar>(static_cast<Store>(A.val[((d * bs + r) * bs + c) * A.ld + i] * factor));
  }
};

/* Of rows as they are stored: of half storage from the main diagonal on, where the largest entry of a row mostly is, and of two mirror images one. */
struct JoinExponents {
  static constexpr bool walks_along_row = true;
  static constexpr int  together        = 3; // values that are asked for before one is looked at

  CdsView<PetscScalar> A;
  PetscInt             bs, begin, end; // of these diagonals

  HD void operator()(PetscInt row, std::int64_t *most) const
  {
    const PetscInt node = row / bs, r = row - node * bs;
    double         largest = 0;

    for (PetscInt d = begin; d < end; d++) {
      const PetscInt     j = node + A.offset[d];
      const PetscInt     n = j >= 0 && j < A.ncols ? bs : 0;
      const PetscScalar *p = A.val + ((d * bs + r) * bs * A.ld + node);

      for (PetscInt first = 0; first < n; first += together) {
        PetscScalar value[together];

        UNROLL()
        for (int c = 0; c < together; c++) value[c] = first + c < n ? p[(first + c) * A.ld] : PetscScalar(0);
        UNROLL()
        for (int c = 0; c < together; c++) {
          const double size = size_of(value[c]);

          if (size > largest && size - size == 0) largest = size;
        }
      }
    }
    most[0] = Most::join(most[0], RowExponents::high(largest));
    most[1] = Most::join(most[1], RowExponents::low(largest));
  }
};

} // namespace

static RowExponents exponents_of(const Cds<PetscScalar, PetscScalar> &A, PetscInt begin, PetscInt end)
{
  const std::vector<std::int64_t> all = joined_rows<Most, 2, std::int64_t>(A.space(), A.nrows(), JoinExponents{A.view(), A.block_size(), begin, end});

  return {all[0], all[1]};
}

RowExponents row_exponents(const Cds<PetscScalar, PetscScalar> &A) { return exponents_of(A, 0, A.view().ndiag); }

RowExponents diagonal_exponents(const Cds<PetscScalar, PetscScalar> &A)
{
  const CdsView<PetscScalar> view = A.view();
  PetscInt                   main = 0;

  while (main < view.ndiag && view.offset[main]) main++;
  return exponents_of(A, main, PetscMin(main + 1, view.ndiag));
}

template <class Store, class V> bool Cds<Store, V>::can_be_like(const Cds<PetscScalar, PetscScalar> &same) const
{
  const bool both_signs = !same.half_ || same.all_.front() < 0 || same.all_.size() == 1; // of its offsets

  return !hermitian_ && !wants_hermitian() && !same.hermitian_ && (both_signs || options_.storage != CdsStorage::Full) && same.bs_ == options_.bs &&
         same.nrows_ == same.ncols_ && !same.in_remainder() && same.unscaled() && same.space_ == this->space_ && !same.all_.empty() &&
         static_cast<double>(same.val_.size()) <= options_.max_fill * static_cast<double>(same.nnz_);
}

/* Whether its upper half will do. */
template <class Store, class V> bool Cds<Store, V>::half_of(const Cds<PetscScalar, PetscScalar> &same) const
{
  const std::vector<PetscInt> &o = same.all_;

  if (options_.storage == CdsStorage::Full) return false;
  if (same.half_) return true;
  for (std::size_t d = 0; d < o.size(); d++)
    if (o[d] != -o[o.size() - 1 - d]) return false;
  return joined_rows<Plus, 1, std::int64_t>(this->space_, same.nrows_ / same.bs_,
                                            CountDifferent<Store>{same.view(), static_cast<int>(same.bs_), factor_,
                                                                  mirror_tolerance<Store>(options_.symmetric)})[0] == 0;
}

template <class Store, class V> void Cds<Store, V>::copy(const Cds<PetscScalar, PetscScalar> &same, const PetscScalar *inverse)
{
  const PetscInt n  = static_cast<PetscInt>(val_.size() ? ld_ : 0);
  const int      bs = static_cast<int>(bs_);

  if (inverse) for_each_row(this->space_, n, CopyNode<Store, true>{same.view(), view(), bs, factor_, inverse, val_.data()});
  else for_each_row(this->space_, n, CopyNode<Store, false>{same.view(), view(), bs, factor_, inverse, val_.data()});
}

template <class Store, class V> bool Cds<Store, V>::lay_out_like(const Cds<PetscScalar, PetscScalar> &same)
{
  if (!can_be_like(same)) return false;
  this->nrows_ = same.nrows_;
  this->ncols_ = same.ncols_;
  bs_          = same.bs_;
  nnz_         = same.nnz_;
  inside_      = same.inside_;
  all_         = same.all_;
  runs_        = same.runs_;
  grid_        = same.grid_;
  rem_ptr_     = Array<PetscInt>(this->space_);
  lay_out(all_, half_of(same), false);
  return true;
}

template <class Store, class V> bool Cds<Store, V>::build_like(const Cds<PetscScalar, PetscScalar> &same, const PetscScalar *inverse)
{
  if (!lay_out_like(same)) return false;
  copy(same, inverse);
  return true;
}

template <class Store, class V> bool Cds<Store, V>::refill_like(const Cds<PetscScalar, PetscScalar> &same, const PetscScalar *inverse)
{
  if (!can_be_like(same) || same.nrows_ != this->nrows_ || same.all_ != all_ || rem_ptr_.size()) return false;
  if (!same.half_ && half_ && !half_of(same)) lay_out(all_, false);
  copy(same, inverse);
  return true;
}

template bool Cds<PetscScalar, PetscScalar>::build_like(const Cds<PetscScalar, PetscScalar> &, const PetscScalar *);
template bool Cds<PetscScalar, PetscScalar>::refill_like(const Cds<PetscScalar, PetscScalar> &, const PetscScalar *);
#if !PetscDefined(USE_REAL_SINGLE)
template bool Cds<SingleScalar, SingleScalar>::build_like(const Cds<PetscScalar, PetscScalar> &, const PetscScalar *);
template bool Cds<SingleScalar, SingleScalar>::refill_like(const Cds<PetscScalar, PetscScalar> &, const PetscScalar *);
#endif
template bool Cds<HalfScalar, SingleScalar>::lay_out_like(const Cds<PetscScalar, PetscScalar> &);
template bool Cds<HalfScalar, SingleScalar>::build_like(const Cds<PetscScalar, PetscScalar> &, const PetscScalar *);
template bool Cds<HalfScalar, SingleScalar>::refill_like(const Cds<PetscScalar, PetscScalar> &, const PetscScalar *);

} // namespace goza::mat
