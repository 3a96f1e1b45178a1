#include "slicedell.hpp"
#include "ell_fill.hpp"
#include "ell_layout.hpp"
#include "ell_sharing.hpp"
#include "long_rows_bodies.hpp"
#include "core/launch/joined_rows.hpp"
#include "core/sparse/block_product.hpp"
#include <cstdio>

namespace goza::mat {

/* Threads to a place, so that they fill the device, and those of a warp write words that lie together, as long as each has entries to write. */
static int fill_team(Space space, int shift, std::int64_t nplaces, std::int64_t stored)
{
  int team = 1;

  if (space == Space::Host) return 1;
  while (team < 32 && (nplaces * team < ell_fill_full || team << shift < 32) && nplaces * team * 4 <= stored) team *= 2;
  return team;
}

static int log2_exact(PetscInt n)
{
  int shift = 0;

  while ((PetscInt(1) << shift) < n) shift++;
  return shift;
}

static std::int64_t last(const Array<std::int64_t> &a) { return a.size() ? read_value(a.space(), a.data() + a.size() - 1) : 0; }

template <class Store, class V>
SlicedEll<Store, V>::SlicedEll(Space space, const SlicedEllOptions &options) : Format<V>(space), options_(options), team_space_(space)
{
}

/* On the device 32/H threads share a row: more of them, the fewer rows there are to fill the device with, as long as each has entries to add. */
PetscInt sliced_ell_height(Space space, PetscInt nrows, std::int64_t nnz)
{
  const std::int64_t device_full = nnz >= ell_long_mean * nrows ? ell_full_long : ell_full; // threads
  std::int64_t       team        = 1;

  if (space == Space::Host) return 1 << host_shift;
  while (team < 32 && nrows * team < device_full && team * ell_least_each * nrows <= nnz) team *= 2;
  return static_cast<PetscInt>(32 / team);
}

/* The same for rows of dense blocks. */
PetscInt block_ell_height(Space space, PetscInt nrows, std::int64_t nblocks)
{
  const std::int64_t device_full = nblocks >= block_ell_long_mean * nrows ? block_ell_full_long : block_ell_full;
  std::int64_t       team        = nrows < ell_full ? 2 : 1;

  if (space == Space::Host) return 1 << host_shift;
  while (team < 32 && nrows * team < device_full && 5 * team * nrows <= 2 * nblocks) team *= 2;
  return static_cast<PetscInt>(32 / team);
}

template <class Store, class V> EllView<Store> SlicedEll<Store, V>::view() const
{
  return {nplaces_, shift_, slice_ptr_.data(), row_.data(), length_.data(), val_.data(), columns_at(), col_.data(), gap_.data(), first_.data(), head_.data()};
}

/* Order of the rows and slice pointers; returns the sums of SliceWidth. */
template <class Store, class V> std::vector<std::int64_t> SlicedEll<Store, V>::lay_out(const Csr &A, PetscInt window, PetscInt most)
{
  const Space space = this->space_;

  if (!named_) row_ = Array<PetscInt>(space);
  nplaces_ = named_ ? static_cast<PetscInt>(row_.size()) : A.nrows;
  window_  = window;
  if (window > 1 && nplaces_) {
    if (!named_) row_ = places(space, nplaces_);
    sort_by_length(space, A.ptr, row_.data(), row_.size(), window);
  }

  const PetscInt nslices = (nplaces_ + (PetscInt(1) << shift_) - 1) >> shift_;

  slice_ptr_       = Array<std::int64_t>(space, nslices + 1);
  const auto found = joined_rows<Plus, SliceWidth::sums, std::int64_t>(space, nslices,
                                                                       SliceWidth{nplaces_, shift_, most, A.ptr, row_.data(), slice_ptr_.data()});
  exclusive_scan(space, slice_ptr_.data(), slice_ptr_.size()); // the last place is not a width, and not read before
  return found;
}

/* Of the rows held, those with more than `most` entries. */
template <class Store, class V> void SlicedEll<Store, V>::set_apart(const Csr &A, PetscInt most)
{
  const Space     space = this->space_;
  Array<PetscInt> held  = named_ ? std::move(row_) : places(space, A.nrows), longer(space, held.size()), other(space, held.size());
  Array<char>     is_longer(space, held.size()), is_other(space, held.size());
  const PetscInt  n = static_cast<PetscInt>(held.size());

  for_each_row(space, n, bound<is_long>(most, A.ptr, held.data(), is_longer.data(), is_other.data()));
  const PetscInt nlonger = keep_flagged(space, held.data(), is_longer.data(), n, longer.data()),
                 nother  = keep_flagged(space, held.data(), is_other.data(), n, other.data());
  long_.lay_out(A, Array<PetscInt>(space, longer.data(), nlonger));
  row_   = Array<PetscInt>(space, other.data(), nother);
  named_ = true;
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
  fill(A, false);
}

template <class Store, class V> void SlicedEll<Store, V>::lay_out_and_fill(const Csr &A)
{
  this->nrows_      = A.nrows;
  this->ncols_      = A.ncols;
  const PetscInt br = options_.bs, bc = options_.column_bs ? options_.column_bs : br;
  FullBlocks     blocks(A, br, bc, std::move(options_.blocks)); // which are not those of another matrix
  const bool     held = ell_holds_blocks(br) && ell_holds_blocks(bc), full = held && !listed_ && nnz_ && blocks.find();

  br_ = full ? br : 1;
  bc_ = full ? bc : 1;
  if (full) lay_out_all(blocks.pattern(), A.nrows / br, nnz_ / (br * bc));
  else lay_out_all(A, listed_ ? static_cast<PetscInt>(row_.size()) : A.nrows, nnz_);
  fill(A, br_ == 1 && !head_.size());
}

template <class Store, class V> void SlicedEll<Store, V>::lay_out_all(const Csr &pattern, PetscInt nrows, std::int64_t nnz)
{
  check_local_columns(this->ncols_);
  const PetscInt height = br_ > 1 ? block_ell_height(this->space_, nrows, nnz) : sliced_ell_height(this->space_, nrows, nnz);

  const PetscInt window = options_.sort_window > 0 ? options_.sort_window : 0;
  PetscInt       most   = br_ > 1 ? PETSC_MAX_INT : longest_in_slices(nrows, nnz);

  shift_            = log2_exact(options_.slice_height ? options_.slice_height : height);
  named_            = listed_;
  place_of_         = Array<PetscInt>(this->space_);
  long_             = LongRows<Store, V>(this->space_);
  auto       found  = lay_out(pattern, window, most);
  const bool uneven = found[SliceWidth::with_long_row] || found[SliceWidth::stored] > 2 * nnz;

  if (uneven && br_ == 1 && !options_.slice_height && this->space_ == Space::Cuda) {
    while (shift_ > 0 && static_cast<std::int64_t>(nplaces_) * team() < ell_full_uneven) shift_--;
    most  = PetscMax(most, ell_longest_each * team());
    found = lay_out(pattern, window, most);
  }
  if (found[SliceWidth::with_long_row]) {
    set_apart(pattern, most);
    nnz -= long_.entries();
    found = lay_out(pattern, window, most);
  }
  if (options_.sort_window < 0 && shift_ > 0 && worth_sorting(found[SliceWidth::stored], nnz)) found = lay_out(pattern, sort_window, most);
  const std::int64_t stored = found[SliceWidth::stored];
  length_                   = Array<PetscInt>(this->space_, found[SliceWidth::mixed] ? nplaces_ : 0, unset);
  if (length_.size()) for_each_row(this->space_, nplaces_, RowLength<PetscInt>{pattern.ptr, row_.data(), length_.data()});
  val_ = Array<Store>(this->space_, stored * br_ * bc_ + long_.entries(), unset);
  long_.put_values_at(val_.data() + in_slices());
  head_ = Array<EllHead>(this->space_);
  if (stored && options_.gaps && share_columns(pattern, stored)) return;
  place_columns(pattern, stored);
  if (br_ > 1) fill_columns(pattern); // else fill() brings them with the values
}

/* like: of shared columns, the slice whose columns they are */
template <class Store, class V> void SlicedEll<Store, V>::fill_columns(const Csr &pattern, const PetscInt *like)
{
  const PetscInt nplaces = (static_cast<PetscInt>(slice_ptr_.size()) - 1) << shift_;
  const int      team    = fill_team(this->space_, shift_, nplaces, in_slices() / (br_ * bc_));

  for_each_row(this->space_, nplaces * team,
               EllFill<Store>{nplaces_, shift_, team, true, spread_, pattern.ptr, pattern.col, row_.data(), nullptr, slice_ptr_.data(), columns_at(),
                              head_.data(), like, col_.data(), first_.data(), gap_.data(), nullptr});
}

/* Whether slices here and there, of which three in four are like no other, or all of them, of which half are, show that few share their columns. On a host
   where there are many. */
static bool few_alike(Space space, const Csr &A, const PetscInt *row, PetscInt nplaces, int shift)
{
  constexpr PetscInt most = 1024, least = 64;
  const PetscInt     nslices = nplaces >> shift, sampled = PetscMin(space == Space::Host ? nslices / 8 : nslices, most), n = sampled << shift;

  if (sampled < (space == Space::Host ? least : 1)) return false;
  Array<PetscInt>      rows(space, n), base(space, sampled), key(space, sampled), table(space, CountRepeated::slots * sampled);
  Array<std::uint32_t> pattern(space, n);

  table.zero();
  for_each_row(space, n, bound<sample_row_at>(sampled, nslices, shift, row, rows.data()));
  for_each_row(space, n, PlacePattern{A.ptr, A.col, rows.data(), pattern.data()});
  for_each_row(space, sampled, SlicePattern{n, shift, A.ptr, A.col, rows.data(), pattern.data(), base.data(), key.data()});
  return (sampled < nslices ? 4 : 2) * joined_rows<Plus, 1, std::int64_t>(space, sampled, CountRepeated{sampled, key.data(), table.data()})[0] < sampled;
}

/* One copy of the columns for all slices that have the same, counted from a base of each; false: too few have. */
template <class Store, class V> bool SlicedEll<Store, V>::share_columns(const Csr &A, std::int64_t stored)
{
  const Space    space   = this->space_;
  const PetscInt nslices = static_cast<PetscInt>(slice_ptr_.size()) - 1;

  if (few_alike(space, A, row_.data(), nplaces_, shift_)) return false;
  Array<std::uint32_t> pattern(space, nplaces_, unset);
  Array<PetscInt>      key(space, nslices), like(space, nslices), base(space, nslices);
  Array<std::int64_t>  own(space, nslices + 1);
  Array<char>          differs(space, nslices);

  for_each_row(space, nplaces_, PlacePattern{A.ptr, A.col, row_.data(), pattern.data()});
  for_each_row(space, nslices, SlicePattern{nplaces_, shift_, A.ptr, A.col, row_.data(), pattern.data(), base.data(), key.data()});
  for_each_row(space, nslices, bound<first_alike>(key.data(), order_by(space, key.data(), nslices).data(), like.data()));
  differs.zero();
  for_each_row(space, nplaces_, bound<compare_places>(shift_, A.ptr, A.col, row_.data(), base.data(), like.data(), differs.data()));
  own.zero();
  for_each_row(space, nslices, bound<own_columns>(differs.data(), slice_ptr_.data(), like.data(), own.data()));
  exclusive_scan(space, own.data(), own.size());
  const std::int64_t held = last(own);
  if (held * columns_worth_sharing > stored || std::max(held, stored >> shift_) > std::numeric_limits<LocalColumn>::max()) return false;
  head_ = Array<EllHead>(space, nslices);
  for_each_row(space, nslices, bound<make_heads>(shift_, like.data(), base.data(), slice_ptr_.data(), own.data(), head_.data()));
  col_ptr_ = Array<std::int64_t>(space);
  col_     = Array<LocalColumn>(space, held);
  gap_     = Array<std::uint16_t>(space);
  first_   = Array<LocalColumn>(space);
  in_gaps_ = 0;
  spread_  = false;
  fill_columns(A, like.data());
  return true;
}

template <class Store, class V> void SlicedEll<Store, V>::place_columns(const Csr &A, std::int64_t stored)
{
  const Space    space   = this->space_;
  const PetscInt nslices = static_cast<PetscInt>(slice_ptr_.size()) - 1;
  const bool     shared  = space == Space::Cuda && shift_ < 5;                 // threads that share a row cannot add up its gaps
  const bool     host    = space == Space::Host && options_.slice_height == 0; // a core is bound by instructions: full columns are faster
  const bool     allowed = options_.gaps && !host;

  col_ptr_ = Array<std::int64_t>(space, allowed ? nslices + 1 : 0);
  if (!allowed) {
    in_gaps_ = 0;
    spread_  = false;
    col_     = Array<LocalColumn>(space, stored, unset);
    gap_     = Array<std::uint16_t>(space);
    first_   = Array<LocalColumn>(space);
    return;
  }
  Array<std::int64_t> gaps(space, nslices + 1);
  Array<LocalColumn>  least(space, shared ? nslices : 0);
  Array<char>         fits(space, nplaces_);

  gaps.zero();
  col_ptr_.zero();
  for_each_row(space, nplaces_, bound<place_columns_at>(shared, A.ptr, A.col, row_.data(), fits.data()));
  for_each_row(space, nslices,
               SliceColumns{nplaces_, shift_, shared, A.ptr, A.col, row_.data(), fits.data(), slice_ptr_.data(), col_ptr_.data(), gaps.data(), least.data()});
  exclusive_scan(space, gaps.data(), gaps.size());
  exclusive_scan(space, col_ptr_.data(), col_ptr_.size());
  in_gaps_ = last(gaps);
  col_     = Array<LocalColumn>(space, stored - in_gaps_);
  gap_     = Array<std::uint16_t>(space, in_gaps_);
  spread_  = shared && in_gaps_;
  first_   = spread_ ? std::move(least) : Array<LocalColumn>(space, in_gaps_ ? nplaces_ : 0);
  for_each_row(space, nslices, bound<slice_column_place>(gaps.data(), col_ptr_.data()));
}

template <class Store, class V> void SlicedEll<Store, V>::refill(const Csr &A) { fill(A, false); }

template <class Store> static void fill_blocks_on_host(PetscInt nslices, const BlockFill<Store> &body)
{
  const auto with = [&](auto rows, auto columns) {
    run_on_host([&] {
      for (PetscInt slice = 0; slice < nslices; slice++) body.put_slice(slice, rows, columns);
    });
  };

  if (body.br == 3 && body.bc == 3) with(std::integral_constant<int, 3>(), std::integral_constant<int, 3>());
  else if (body.br == 6 && body.bc == 6) with(std::integral_constant<int, 6>(), std::integral_constant<int, 6>());
  else with(body.br, body.bc);
}

template <class Store, class V> void SlicedEll<Store, V>::fill(const Csr &A, bool columns)
{
  const PetscInt nslices = static_cast<PetscInt>(slice_ptr_.size()) - 1;

  if (A.val) long_.fill(A);
  else val_.zero();
  if (!in_slices() || (!A.val && !columns)) return;
  if (br_ > 1) {
    const BlockFill<Store> body{nplaces_,
                                shift_,
                                static_cast<int>(br_),
                                static_cast<int>(bc_),
                                team(),
                                values_together(this->space_, sizeof(Store), br_ * bc_),
                                A.ptr,
                                row_.data(),
                                A.val,
                                slice_ptr_.data(),
                                val_.data()};

#if defined(__CUDACC__)
    if (this->space_ == Space::Cuda) {
      fill_blocks_on_device(nslices, body);
      return;
    }
#endif
    fill_blocks_on_host(nslices, body);
    return;
  }
  if (this->space_ == Space::Host && !in_gaps_ && !head_.size()) {
    const EllFillOnHost<Store>
      body{nplaces_, shift_, A.ptr, A.col, row_.data(), A.val, slice_ptr_.data(), columns_at(), columns ? col_.data() : nullptr, A.val ? val_.data() : nullptr};

    run_on_host([&] {
      for (PetscInt slice = 0; slice < nslices; slice++) body(slice);
    });
    return;
  }
  const int members = fill_team(this->space_, shift_, static_cast<std::int64_t>(nslices) << shift_, in_slices());
  for_each_row(this->space_, (nslices << shift_) * members,
               EllFill<Store>{nplaces_, shift_, members, columns, spread_, A.ptr, A.col, row_.data(), A.val, slice_ptr_.data(), columns_at(), nullptr, nullptr,
                              col_.data(), first_.data(), gap_.data(), A.val ? val_.data() : nullptr});
}

template <class Store, class V> std::size_t SlicedEll<Store, V>::bytes() const
{
  return slice_ptr_.bytes() + row_.bytes() + length_.bytes() + val_.bytes() + col_ptr_.bytes() + col_.bytes() + gap_.bytes() + first_.bytes() + head_.bytes() +
         long_.bytes() + place_of_.bytes();
}

template <class Store, class V> std::string SlicedEll<Store, V>::describe() const
{
  const double of_stored = in_slices() ? 100.0 * br_ * bc_ / static_cast<double>(in_slices()) : 0.0;
  char         text[256];

  std::snprintf(text, sizeof(text), "slice height %d, sort window %d, stored %lld for %lld nonzeros (padding %.2f %%), %zu-byte values, ", 1 << shift_,
                static_cast<int>(window_), static_cast<long long>(stored()), static_cast<long long>(nnz_),
                nnz_ ? 100.0 * (static_cast<double>(stored()) / static_cast<double>(nnz_) - 1.0) : 0.0, sizeof(Store));
  std::string all = text;
  if (head_.size()) std::snprintf(text, sizeof(text), "%.2f %% of the columns, which slices share", of_stored * static_cast<double>(col_.size()));
  else std::snprintf(text, sizeof(text), "%.0f %% of the columns in 16 bits", of_stored * static_cast<double>(in_gaps_));
  all += text;
  if (long_.rows()) all += ", " + std::to_string(long_.rows()) + " long rows apart";
  return br_ > 1 ? all + ", blocks of " + std::to_string(br_) + (br_ == bc_ ? "" : " x " + std::to_string(bc_)) : all;
}

FOR_EACH_STORE(INSTANTIATE, SlicedEll)

} // namespace goza::mat
