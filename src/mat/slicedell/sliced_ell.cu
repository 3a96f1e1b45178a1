#include "sliced_ell.hpp"
#include "block_ell_view.hpp"
#include "core/algorithm.hpp"
#include "core/csr_matrix.hpp"
#include "core/full_blocks.hpp"
#include <cstdio>
#include <numeric>

namespace goza
{

namespace
{

/* Width of one slice, in stored entries, and whether an empty row shares it with others. */
struct SliceWidth {
  PetscInt        nplaces;
  int             shift;
  const PetscInt *ptr, *row;
  std::int64_t   *width, *mixed;

  HD void operator()(PetscInt slice) const
  {
    const PetscInt H       = PetscInt(1) << shift;
    PetscInt       longest = 0;
    bool           empty   = false;

    for (PetscInt place = slice << shift; place < (slice + 1) << shift && place < nplaces; place++) {
      const PetscInt i = row ? row[place] : place, n = ptr[i + 1] - ptr[i];

      longest = n > longest ? n : longest;
      empty   = empty || n == 0;
    }
    width[slice] = static_cast<std::int64_t>(longest) * H;
    mixed[slice] = longest && empty;
  }
};

template <class Integer> struct RowLength {
  const PetscInt *ptr, *row;
  Integer        *length;

  HD void operator()(PetscInt place) const
  {
    const PetscInt i = row ? row[place] : place;

    length[place] = ptr[i + 1] - ptr[i];
  }
};

struct Iota {
  PetscInt *p;

  HD void operator()(PetscInt i) const { p[i] = i; }
};

/* Whether the columns of a place ascend and, unless spread, every gap between neighbours fits in 16 bits. */
struct PlaceColumns {
  bool            spread;
  const PetscInt *ptr, *col, *row;
  char           *fits; // [nplaces]

  HD void operator()(PetscInt place) const
  {
    const PetscInt i = row ? row[place] : place, end = ptr[i + 1];
    bool           ok = true;

    for (PetscInt j = ptr[i] + 1; j < end; j++) ok = ok && col[j] >= col[j - 1] && (spread || col[j] - col[j - 1] <= 65535);
    fits[place] = ok;
  }
};

/* Whether all places of a slice fit (spread: and every distance from the slice's least column, which goes to least[]); entries[] and gaps[] get the slice's stored
   entries in the one that will hold its columns, 0 in the other. */
struct SliceColumns {
  PetscInt            nplaces;
  int                 shift;
  bool                gaps_allowed, spread;
  const PetscInt     *ptr, *col, *row;
  const char         *place_fits;
  const std::int64_t *slice_ptr;
  std::int64_t       *entries, *gaps;
  PetscInt           *least;

  HD void operator()(PetscInt slice) const
  {
    bool     fits = gaps_allowed, any = false;
    PetscInt low = 0, high = 0;

    for (PetscInt place = slice << shift; place < (slice + 1) << shift && place < nplaces && fits; place++) {
      const PetscInt i = row ? row[place] : place;

      fits = place_fits[place];
      if (!spread || ptr[i] >= ptr[i + 1]) continue;
      const PetscInt from = col[ptr[i]], to = col[ptr[i + 1] - 1];

      low  = !any || from < low ? from : low;
      high = !any || to > high ? to : high;
      any  = true;
    }
    if (spread) {
      fits         = fits && high - low <= 65535;
      least[slice] = low;
    }
    gaps[slice]    = fits ? slice_ptr[slice + 1] - slice_ptr[slice] : 0;
    entries[slice] = fits ? 0 : slice_ptr[slice + 1] - slice_ptr[slice];
  }
};

/* After both were scanned [nslices + 1]: one signed place for either. */
struct SliceColumnPlace {
  const std::int64_t *gaps;
  std::int64_t       *entries; // becomes col_ptr

  HD void operator()(PetscInt slice) const
  {
    if (gaps[slice + 1] > gaps[slice]) entries[slice] = ~gaps[slice];
  }
};

/* The values of one place of the slices, block by block. */
template <class Store> struct BlockFill {
  PetscInt            nplaces;
  int                 shift, br, bc;
  PetscInt            team, W; // threads that share a block row; values that stand together
  const PetscInt     *ptr, *row;
  const PetscScalar  *aval;
  const std::int64_t *slice_ptr;
  Store              *val;

  HD void operator()(PetscInt place) const
  {
    const PetscInt slice = place >> shift, H = PetscInt(1) << shift, offset = place & (H - 1), i = place < nplaces && row ? row[place] : place;
    const PetscInt n = place < nplaces ? (ptr[i * br + 1] - ptr[i * br]) / bc : 0, width = static_cast<PetscInt>((slice_ptr[slice + 1] - slice_ptr[slice]) >> shift);

    for (PetscInt k = 0; k < width; k++) {
      const BlockPlace block(slice_ptr[slice], width, k, H, team, br * bc, W);
      Store           *to = val + (block.at + offset * W);

      for (int v = 0; v < br * bc; v++) to[v / W * block.step + v % W] = k < n ? static_cast<Store>(aval[ptr[i * br + v / bc] + k * bc + v % bc]) : Store(0);
    }
  }
};

/* Writes the places of the slices, all H of the last slice included, each by `team` threads; columns and values where they are asked for. */
template <class Store> struct EllFill {
  PetscInt            nplaces;
  int                 shift, team;
  bool                columns, spread; // spread: first[] holds the slices' least columns
  const PetscInt     *ptr, *acol, *row;
  const PetscScalar  *aval;
  const std::int64_t *slice_ptr, *col_ptr;
  PetscInt           *col, *first;
  std::uint16_t      *gap;
  Store              *val; // or none

  HD void operator()(PetscInt k) const
  {
    const PetscInt H = PetscInt(1) << shift, offset = k & (H - 1), slice = (k >> shift) / team, member = (k >> shift) % team, place = (slice << shift) + offset;
    const std::int64_t begin = slice_ptr[slice], end = slice_ptr[slice + 1], at = col_ptr[slice];
    PetscInt           j = 0, stop = 0, last = spread && columns ? first[slice] : 0, before = last;

    if (place < nplaces) {
      const PetscInt i = row ? row[place] : place;

      j    = ptr[i];
      stop = ptr[i + 1];
      if (columns && j < stop) {
        last = acol[j];
        if (!spread) before = last;
      }
      if (columns && !spread && first && member == 0) first[place] = last;
    }
    /* behind the end of a row its last column goes on */
    for (std::int64_t e = begin + offset + static_cast<std::int64_t>(member) * H, m = member; e < end; e += static_cast<std::int64_t>(team) * H, m += team) {
      const PetscInt p = j + static_cast<PetscInt>(m);

      if (columns && j < stop) { // a refill is given values only
        if (team > 1 && !spread && m) before = acol[p <= stop ? p - 1 : stop - 1];
        last = acol[p < stop ? p : stop - 1];
      }
      if (val) val[e] = p < stop ? static_cast<Store>(aval[p]) : Store(0);
      if (columns && at < 0) gap[~at + e - begin] = static_cast<std::uint16_t>(last - before);
      if (columns && at >= 0) col[at + e - begin] = last;
      if (!spread) before = last;
    }
  }
};

/* Threads to a place, so that they fill the device, as long as each has entries to write. */
int fill_team(Space space, std::int64_t nplaces, std::int64_t stored)
{
  constexpr std::int64_t device_full = 300000;
  int                    team        = 1;

  if (space == Space::Host) return 1;
  while (team < 32 && nplaces * team < device_full && nplaces * team * 4 <= stored) team *= 2;
  return team;
}

template <class V> struct Relax { // in place
  const V *b, *dinv;
  V       *x;

  HD void operator()(PetscInt i, V s) const { x[i] += dinv[i] * (b[i] - s); }
};

template <class V, int bs> struct RelaxNode { // in place
  const V *b, *inverse;                       // [nodes][bs][bs]
  V       *x;

  HD void node(PetscInt i, const V *sum) const
  {
    const V *D     = inverse + static_cast<std::size_t>(i) * (bs * bs);
    V        r[bs] = {};

    for (int c = 0; c < bs; c++) r[c] = b[i * bs + c] - sum[c];
    for (int k = 0; k < bs; k++) {
      V step = 0;

      for (int c = 0; c < bs; c++) step += D[k * bs + c] * r[c];
      x[i * bs + k] += step;
    }
  }
};

template <class Out> struct More {
  Out out;

  template <class V> HD void operator()(PetscInt i, V s) const { out.more(i, s); }
};

int log2_exact(PetscInt n)
{
  int shift = 0;

  while ((PetscInt(1) << shift) < n) shift++;
  return shift;
}

} // namespace

template <class Store, class V> SlicedEll<Store, V>::SlicedEll(Space space, const SlicedEllOptions &options) : Format<V>(space), options_(options) { }

constexpr int host_shift = 2; // slices of 4 rows: measured against 1, 2 and 8, 27-point 64^3 to 128^3

/* On the device 32/H threads share a row: more of them, the fewer rows there are to fill the device with, as long as each has entries to add. Short rows
   want it only below 80 000 rows: measured on an H200, 12 entries a row, 91 000 rows 6.5 us one thread each and 7.7 us two, but 35 a row, 129 000 rows 22 and 17. */
PetscInt sliced_ell_height(Space space, PetscInt nrows, std::int64_t nnz)
{
  const std::int64_t device_full = nnz >= 24 * static_cast<std::int64_t>(nrows) ? 160000 : 80000; // threads; an H200 holds 270336: 188,000 rows of 42 took 36 us two threads each, 29 one each
  std::int64_t       team = 1;

  if (space == Space::Host) return 1 << host_shift;
  while (team < 32 && nrows * team < device_full && team * 4 * nrows <= nnz) team *= 2;
  return static_cast<PetscInt>(32 / team);
}

template <class Store, class V> EllView<Store> SlicedEll<Store, V>::view() const
{
  return {nplaces_, shift_, slice_ptr_.data(), row_.data(), length_.data(), val_.data(), col_ptr_.data(), col_.data(), gap_.data(), first_.data()};
}

/* Order of the rows and slice pointers. */
template <class Store, class V> void SlicedEll<Store, V>::lay_out(const Csr &A, PetscInt window)
{
  const Space space = this->space_;

  if (!listed_) row_ = Array<PetscInt>(space);
  nplaces_ = listed_ ? static_cast<PetscInt>(row_.size()) : A.nrows;
  window_  = window;
  if (window > 1 && nplaces_) {
    if (!listed_) {
      row_ = Array<PetscInt>(space, nplaces_);
      for_each_row(space, nplaces_, Iota{row_.data()});
    }
    sort_by_length(space, A.ptr, row_.data(), row_.size(), window);
  }

  const PetscInt      nslices = (nplaces_ + (PetscInt(1) << shift_) - 1) >> shift_;
  Array<std::int64_t> mixed(space, nslices);

  slice_ptr_ = Array<std::int64_t>(space, nslices + 1);
  slice_ptr_.zero();
  for_each_row(space, nslices, SliceWidth{nplaces_, shift_, A.ptr, row_.data(), slice_ptr_.data(), mixed.data()});
  length_ = Array<PetscInt>(space);
  if (sum(space, mixed.data(), nslices)) {
    length_ = Array<PetscInt>(space, nplaces_);
    for_each_row(space, nplaces_, RowLength<PetscInt>{A.ptr, row_.data(), length_.data()});
  }
  exclusive_scan(space, slice_ptr_.data(), nslices + 1);
}

template <class T> static T last(const Array<T> &a)
{
  T value = 0;

  if (!a.size()) return value;
  if (a.space() == Space::Cuda) device::copy(&value, a.data() + a.size() - 1, sizeof(T));
  else value = a.data()[a.size() - 1];
  return value;
}

template <class Store, class V> void SlicedEll<Store, V>::build(const Csr &A)
{
  listed_ = options_.drop_empty;
  if (listed_) row_ = nonempty_rows(this->space_, A.ptr, A.nrows);
  nnz_ = entries(A);
  lay_out_and_fill(A);
}

template <class Store, class V> void SlicedEll<Store, V>::build(const Csr &A, const PetscInt *rows, PetscInt n)
{
  Array<std::int64_t> length(this->space_, n);

  listed_ = true;
  row_    = Array<PetscInt>(this->space_, rows, n);
  for_each_row(this->space_, n, RowLength<std::int64_t>{A.ptr, rows, length.data()});
  nnz_ = sum(this->space_, length.data(), length.size());
  lay_out_and_fill(A);
}

template <class Store, class V> void SlicedEll<Store, V>::build_nodes(const Csr &A, const Csr &blocks, const PetscInt *nodes, PetscInt n)
{
  Array<std::int64_t> length(this->space_, n);

  this->nrows_ = A.nrows;
  this->ncols_ = A.ncols;
  listed_      = true;
  br_ = bc_ = blocks.nrows ? A.nrows / blocks.nrows : 1; // of a rank without rows nothing is held
  row_      = Array<PetscInt>(this->space_, nodes, n);
  for_each_row(this->space_, n, RowLength<std::int64_t>{blocks.ptr, nodes, length.data()});
  const std::int64_t held = sum(this->space_, length.data(), length.size());
  nnz_                    = held * br_ * bc_;
  lay_out_all(blocks, n, held);
  fill(A, true);
}

template <class Store, class V> void SlicedEll<Store, V>::lay_out_and_fill(const Csr &A)
{
  Array<PetscInt> ptr(this->space_), col(this->space_);

  this->nrows_      = A.nrows;
  this->ncols_      = A.ncols;
  const PetscInt br = options_.bs, bc = options_.column_bs ? options_.column_bs : br;
  const bool     held = (br == 3 || br == 6) && (bc == 3 || bc == 6), full = held && !listed_ && nnz_ && full_blocks(A, br, bc, ptr, col);

  br_ = full ? br : 1;
  bc_ = full ? bc : 1;
  if (full) lay_out_all({A.space, A.nrows / br, A.ncols / bc, ptr.data(), col.data(), nullptr}, A.nrows / br, nnz_ / (br * bc));
  else lay_out_all(A, listed_ ? static_cast<PetscInt>(row_.size()) : A.nrows, nnz_);
  fill(A, true);
}

template <class Store, class V> void SlicedEll<Store, V>::lay_out_all(const Csr &pattern, PetscInt nrows, std::int64_t nnz)
{
  shift_ = log2_exact(options_.slice_height ? options_.slice_height : sliced_ell_height(this->space_, nrows, nnz));
  lay_out(pattern, options_.sort_window > 0 ? options_.sort_window : 0);
  if (options_.sort_window < 0 && shift_ > 0 && last(slice_ptr_) > nnz + nnz / 20) lay_out(pattern, 4096);
  val_ = Array<Store>(this->space_, last(slice_ptr_) * br_ * bc_);
  place_columns(pattern);
  if (br_ == 1 || !val_.size()) return; // fill() brings the columns with the values
  const PetscInt nplaces = (static_cast<PetscInt>(slice_ptr_.size()) - 1) << shift_;
  const int      team    = fill_team(this->space_, nplaces, static_cast<std::int64_t>(val_.size()) / (br_ * bc_));
  for_each_row(this->space_, nplaces * team,
               EllFill<Store>{nplaces_, shift_, team, true, spread_, pattern.ptr, pattern.col, row_.data(), nullptr, slice_ptr_.data(), col_ptr_.data(), col_.data(),
                              first_.data(), gap_.data(), nullptr});
}

template <class Store, class V> void SlicedEll<Store, V>::place_columns(const Csr &A)
{
  const Space         space   = this->space_;
  const PetscInt      nslices = static_cast<PetscInt>(slice_ptr_.size()) - 1;
  const bool          shared  = space == Space::Cuda && shift_ < 5;                 // threads that share a row cannot add up its gaps
  const bool          host    = space == Space::Host && options_.slice_height == 0; // a core is bound by instructions: full columns are faster
  const bool          allowed = options_.gaps && !host;
  Array<std::int64_t> gaps(space, nslices + 1);
  Array<PetscInt>     least(space, shared ? nslices : 0);
  Array<char>         fits(space, allowed ? nplaces_ : 0);

  col_ptr_ = Array<std::int64_t>(space, nslices + 1);
  gaps.zero();
  col_ptr_.zero();
  if (allowed) for_each_row(space, nplaces_, PlaceColumns{shared, A.ptr, A.col, row_.data(), fits.data()});
  for_each_row(space, nslices,
               SliceColumns{nplaces_, shift_, allowed, shared, A.ptr, A.col, row_.data(), fits.data(), slice_ptr_.data(), col_ptr_.data(), gaps.data(), least.data()});
  exclusive_scan(space, gaps.data(), gaps.size());
  exclusive_scan(space, col_ptr_.data(), col_ptr_.size());
  in_gaps_ = last(gaps);
  col_     = Array<PetscInt>(space, last(col_ptr_));
  gap_     = Array<std::uint16_t>(space, in_gaps_);
  spread_  = shared && in_gaps_;
  first_   = spread_ ? std::move(least) : Array<PetscInt>(space, in_gaps_ ? nplaces_ : 0);
  for_each_row(space, nslices, SliceColumnPlace{gaps.data(), col_ptr_.data()});
}

template <class Store, class V> void SlicedEll<Store, V>::refill(const Csr &A)
{
  fill(A, false);
}

template <class Store, class V> void SlicedEll<Store, V>::fill(const Csr &A, bool columns)
{
  const PetscInt nslices = static_cast<PetscInt>(slice_ptr_.size()) - 1;

  if (!val_.size()) return;
  if (br_ > 1) {
    const PetscInt team = this->space_ == Space::Cuda && shift_ < 5 ? 32 >> shift_ : 1;

    for_each_row(this->space_, nslices << shift_,
                 BlockFill<Store>{nplaces_, shift_, static_cast<int>(br_), static_cast<int>(bc_), team, values_together(this->space_, sizeof(Store), br_ * bc_), A.ptr,
                                  row_.data(), A.val, slice_ptr_.data(), val_.data()});
    return;
  }
  const int team = fill_team(this->space_, static_cast<std::int64_t>(nslices) << shift_, static_cast<std::int64_t>(val_.size()));
  for_each_row(this->space_, (nslices << shift_) * team,
               EllFill<Store>{nplaces_, shift_, team, columns, spread_, A.ptr, A.col, row_.data(), A.val, slice_ptr_.data(), col_ptr_.data(), col_.data(),
                              first_.data(), gap_.data(), val_.data()});
}

template <class Store, class V, class Out> static void launch_rows(Space space, const EllView<Store> &A, const V *x, const Out &out)
{
#if defined(__CUDACC__)
  if (space == Space::Cuda && A.shift < 5) {
    for_each_warp((A.nplaces + (PetscInt(1) << A.shift) - 1) >> A.shift, EllSlice<Store, V, Out>{A, x, out});
    return;
  }
#endif
  if (space == Space::Host && A.shift == host_shift && !A.length) {
    const EllHostSlice<1 << host_shift, Store, V, Out> whole{A, x, out};
    const EllRow<Store, V, Out>                        rest{A, x, out};

    sum_on_host(rest, [&] {
      for (PetscInt slice = 0; slice < A.nplaces >> host_shift; slice++) whole(slice);
      for (PetscInt place = A.nplaces >> host_shift << host_shift; place < A.nplaces; place++) rest(place);
    });
    return;
  }
  for_each_row(space, A.nplaces, EllRow<Store, V, Out>{A, x, out});
}

template <int br, int bc, class Store, class V, class Out>
static void launch_blocks([[maybe_unused]] Space space, const EllView<Store> &A, [[maybe_unused]] std::size_t stored, const V *x, const Out &out)
{
#if defined(__CUDACC__)
  if (space == Space::Cuda) {
    constexpr int W   = values_together(Space::Cuda, sizeof(Store), br * bc);
    constexpr int few = 2000; // block rows that a warp each would not fill the device with
    using Slice       = EllBlockSlice<Store, V, Out, br, bc, W>;

    if constexpr (!sums_up<Slice>) {
      if (A.shift == 0 && A.nplaces > 0 && A.nplaces <= few && stored >= static_cast<std::size_t>(64 * br * bc) * static_cast<std::size_t>(A.nplaces)) {
        launch_kernel(EllBlockTeamKernel<Store, V, Out, br, bc, W>, static_cast<unsigned>(A.nplaces), team_threads, Slice{A, x, out});
        return;
      }
    }
    if (A.shift < 5) for_each_warp((A.nplaces + (PetscInt(1) << A.shift) - 1) >> A.shift, Slice{A, x, out});
    else for_each_row(space, A.nplaces, EllBlockRow<Store, V, Out, br, bc, W>{A, x, out});
    return;
  }
#endif
  const EllBlockRow<Store, V, Out, br, bc, 1> row{A, x, out};

  if (A.shift == host_shift && !A.length) {
    const EllBlockHostSlice<1 << host_shift, Store, V, Out, br, bc> whole{A, x, out};

    sum_on_host(row, [&] {
      for (PetscInt slice = 0; slice < A.nplaces >> host_shift; slice++) whole(slice);
      for (PetscInt place = A.nplaces >> host_shift << host_shift; place < A.nplaces; place++) row(place);
    });
    return;
  }
  sum_on_host(row, [&] {
    for (PetscInt place = 0; place < A.nplaces; place++) row(place);
  });
}

/* All rows, which may be in blocks; lists of rows are so for relax_nodes() alone. */
template <class Store, class V> template <class Out> void SlicedEll<Store, V>::launch(const V *x, const Out &out) const
{
  if (br_ == 3 && bc_ == 3) launch_blocks<3, 3>(this->space_, view(), val_.size(), x, out);
  else if (br_ == 6 && bc_ == 6) launch_blocks<6, 6>(this->space_, view(), val_.size(), x, out);
  else if (br_ == 3) launch_blocks<3, 6>(this->space_, view(), val_.size(), x, out);
  else if (br_ == 6) launch_blocks<6, 3>(this->space_, view(), val_.size(), x, out);
  else launch_rows(this->space_, view(), x, out);
}

template <class Store, class V> void SlicedEll<Store, V>::apply(const V *x, const RowOut<V> &out) const
{
  if constexpr (std::is_same_v<Store, V>) std::visit([&](const auto &o) { launch(x, o); }, out);
  else apply_as(x, ScaledOut<V>(out));
}

template <class Store, class V> void SlicedEll<Store, V>::apply_dot(const V *x, const V *w, V *y, V *dot) const
{
  if constexpr (std::is_same_v<Store, PetscScalar>) {
    if (!listed_ && nplaces_) {
      launch(x, AssignAndDot<V>{w, y, dot});
      return;
    }
  }
  Format<V>::apply_dot(x, w, y, dot);
}

template <class Store, class V> void SlicedEll<Store, V>::apply_as(const V *x, const ScaledOut<V> &out) const
{
  launch(x, out);
}

template <class Store, class V> void SlicedEll<Store, V>::apply_more_as(const V *x, const ScaledOut<V> &out) const
{
  launch_rows(this->space_, view(), x, More<ScaledOut<V>>{out});
}

template <class Store, class V> void SlicedEll<Store, V>::apply_more(const V *x, const RowOut<V> &out) const
{
  if constexpr (std::is_same_v<Store, V>) std::visit([&](const auto &o) { launch_rows(this->space_, view(), x, More<std::decay_t<decltype(o)>>{o}); }, out);
  else apply_more_as(x, ScaledOut<V>(out));
}

template <class Store, class V> void SlicedEll<Store, V>::relax(const V *b, const V *dinv, V *x) const
{
  if constexpr (std::is_same_v<Store, V>) launch_rows(this->space_, view(), static_cast<const V *>(x), Relax<V>{b, dinv, x});
  else throw std::logic_error("relaxation wants values of the vectors' type"); // who relaxes has them
}

template <class Store, class V> void SlicedEll<Store, V>::relax_nodes(const V *b, const V *inverse, V *x) const
{
  if constexpr (std::is_same_v<Store, V>) {
    if (br_ == 2) launch_blocks<2, 2>(this->space_, view(), val_.size(), static_cast<const V *>(x), RelaxNode<V, 2>{b, inverse, x});
    else if (br_ == 3) launch_blocks<3, 3>(this->space_, view(), val_.size(), static_cast<const V *>(x), RelaxNode<V, 3>{b, inverse, x});
    else launch_blocks<6, 6>(this->space_, view(), val_.size(), static_cast<const V *>(x), RelaxNode<V, 6>{b, inverse, x});
  } else throw std::logic_error("relaxation wants values of the vectors' type"); // who relaxes has them
}

template <class Store, class V> std::size_t SlicedEll<Store, V>::bytes() const
{
  return slice_ptr_.bytes() + row_.bytes() + length_.bytes() + val_.bytes() + col_ptr_.bytes() + col_.bytes() + gap_.bytes() + first_.bytes();
}

template <class Store, class V> std::string SlicedEll<Store, V>::describe() const
{
  char text[256];

  std::snprintf(text, sizeof(text), "slice height %d, sort window %d, stored %lld for %lld nonzeros (padding %.2f %%), %zu-byte values, %.0f %% of the columns in 16 bits", 1 << shift_, static_cast<int>(window_),
                static_cast<long long>(val_.size()), static_cast<long long>(nnz_), nnz_ ? 100.0 * (static_cast<double>(val_.size()) / static_cast<double>(nnz_) - 1.0) : 0.0, sizeof(Store),
                val_.size() ? 100.0 * static_cast<double>(in_gaps_ * br_ * bc_) / static_cast<double>(val_.size()) : 0.0);
  return br_ > 1 ? std::string(text) + ", blocks of " + std::to_string(br_) + (br_ == bc_ ? "" : " x " + std::to_string(bc_)) : text;
}

template class SlicedEll<PetscScalar, PetscScalar>;
template class SlicedEll<Half, PetscScalar>;
template class SlicedEll<BFloat16, PetscScalar>;
#if !PetscDefined(USE_REAL_SINGLE)
template class SlicedEll<float, PetscScalar>;
template class SlicedEll<float, float>;
template class SlicedEll<Half, float>;
#endif

} // namespace goza
