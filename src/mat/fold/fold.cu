#include "fold.hpp"
#include "core/launch/joined_rows.hpp"
#include "core/util/algorithm.hpp"
#include "core/sparse/csr_matrix.hpp"
#include "core/util/search.hpp"
#include "mat/common/row_pieces.hpp"
#include <cstdio>

namespace goza::mat {
namespace {

/* Where the entries of a line are in CSR: from, from + stride, ... */
struct LineSource {
  std::int64_t from;
  PetscInt     stride;
};

/* Finds the lines of a group in CSR. */
struct Origin {
  PetscInt        width;
  const PetscInt *ptr, *long_row, *piece_ptr; // of the pieces
  PetscInt        nlong;

  HD LineSource line(const FoldHead &head, int lane) const
  {
    if (head.first_row < 0) return {piece(~head.first_row) + lane, fold_lanes};

    const PetscInt row = head.first_row + head.row[lane], n = ptr[row + 1] - ptr[row];
    int            j = 0;

    while (!(head.line[lane - j] & fold_first)) j++;
    return {static_cast<std::int64_t>(ptr[row]) + j, (n - 1) / width + 1};
  }

private:
  HD std::int64_t piece(PetscInt p) const
  {
    const PetscInt k = partition_point(1, nlong, [&](PetscInt next) { return piece_ptr[next] <= p; }) - 1;

    return ptr[long_row[k]] + static_cast<std::int64_t>(p - piece_ptr[k]) * width * fold_lanes;
  }
};

/* Whether the columns of a group lie within 65536 of each other, and the words that they take. words, near: [ngroups + 1], [ngroups] */
HD void find_span(PetscInt group, int lane, int lanes, const Origin &origin, const PetscInt *acol, FoldHead *head, std::int64_t *words, std::int64_t *near)
{
  const FoldHead    &h      = head[group];
  const std::int64_t places = static_cast<std::int64_t>(fold_lanes) * line_length(h.line[0]);
  PetscInt           least = PETSC_MAX_INT, most = -1;
  std::int64_t       n = 0;

  for (int l = lane; l < fold_lanes; l += lanes) {
    const int length = line_length(h.line[l]);

    if (!length) continue;
    const LineSource source = origin.line(h, l);

    n += length;
    for (int k = 0; k < length; k++) {
      const PetscInt c = acol[source.from + static_cast<std::int64_t>(k) * source.stride];

      least = c < least ? c : least;
      most  = c > most ? c : most;
    }
  }
  n     = sum_of_lanes(n, lanes);
  most  = most_of_lanes(most, lanes);
  least = -most_of_lanes(-least, lanes);
  if (lane) return;
  const bool fits = n == 0 || most - least <= most_in_16_bits;

  head[group].base = !fits ? -1 : n ? least : 0;
  near[group]      = fits ? n : 0;
  words[group]     = fits ? places * 2 / static_cast<int>(sizeof(LocalColumn)) : places;
}

HD void add_spans(PetscInt group, std::int64_t *sum, const std::int64_t *words, const std::int64_t *near)
{
  sum[0] += words[group];
  sum[1] += near[group];
}

/* word: scanned */
HD void place_group(PetscInt group, const std::int64_t *word, FoldHead *head) { head[group].col = word[group]; }

/* The first group of each block of threads: equal shares of the entries and of what a group costs beside them. */
struct ShareOut {
  PetscInt        ngroups, nranges;
  std::int64_t    places;
  const FoldHead *head;
  PetscInt       *range; // [nranges + 1]

  HD std::int64_t weight(PetscInt group) const { return (group < ngroups ? head[group].begin : places) + 96 * static_cast<std::int64_t>(group); }

  HD void operator()(PetscInt r) const
  {
    const std::int64_t share = weight(ngroups) / nranges * r + weight(ngroups) % nranges * r / nranges;

    range[r] = partition_point(0, ngroups, [&](PetscInt group) { return weight(group) < share; }); // the first group whose weight reaches the share
  }
};

/* Brings a line's entries from CSR; columns only when they are asked for. aval null: zeros. */
template <class Store>
HD void fill_line(PetscInt place, const FoldHead *head, const Origin &origin, bool columns, const PetscInt *acol, const PetscScalar *aval, LocalColumn *col,
                  Store *val)
{
  const FoldHead &h    = head[place / fold_lanes];
  const int       lane = static_cast<int>(place % fold_lanes), length = line_length(h.line[lane]);
  std::uint16_t  *near = reinterpret_cast<std::uint16_t *>(col + h.col);

  if (!length) return;
  LineSource source = origin.line(h, lane);

  for (std::int64_t at = lane; at < static_cast<std::int64_t>(length) * fold_lanes; at += fold_lanes, source.from += source.stride) {
    val[h.begin + at] = aval ? static_cast<Store>(aval[source.from]) : Store(0);
    if (!columns) continue; // a refill is given values only
    if (h.base >= 0) near[at] = static_cast<std::uint16_t>(acol[source.from] - h.base);
    else col[h.col + at] = static_cast<LocalColumn>(acol[source.from]);
  }
}

template <class Body> void for_each_group(Space space, PetscInt n, const Body &body)
{
#if defined(__CUDACC__)
  if (space == Space::Cuda) {
    for_each_warp(n, body);
    return;
  }
#endif
  if (space == Space::Cuda && n) throw DeviceError("this libgoza was built without CUDA");
  sum_on_host(body, [&] {
    for (PetscInt group = 0; group < n; group++) body(group);
  });
}

} // namespace

template <class Store, class V> FoldView<Store> Fold<Store, V>::view() const
{
  return {static_cast<PetscInt>(head_.size()), head_.data(), val_.data(), col_.data()};
}

template <class Store, class V> void Fold<Store, V>::lay_out(const Csr &A, PetscInt width)
{
  FoldPacking packing(A, width, fold_chunk_for(A));

  shape_     = packing.shape;
  head_      = Array<FoldHead>(this->space_, shape_.groups);
  long_row_  = Array<PetscInt>(this->space_, shape_.long_rows);
  piece_ptr_ = Array<PetscInt>(this->space_, shape_.long_rows ? shape_.long_rows + 1 : 0);
  piece_     = Array<V>(this->space_, shape_.pieces);
  line_of_   = Array<PetscInt>(this->space_);
  head_.zero();
  packing.write(head_.data(), long_row_.data(), piece_ptr_.data());
  if (shape_.long_rows) {
    const PetscInt end = static_cast<PetscInt>(shape_.pieces);

    if (this->space_ == Space::Cuda) device::copy(piece_ptr_.data() + shape_.long_rows, &end, sizeof(end));
    else piece_ptr_.data()[shape_.long_rows] = end;
  }
}

template <class Store, class V> void Fold<Store, V>::place_columns(const Csr &A)
{
  const PetscInt      n = static_cast<PetscInt>(shape_.groups);
  Array<std::int64_t> word(this->space_, n + 1), near(this->space_, n);

  word.zero();
  for_each_row_by_lanes(this->space_, n,
                        bound<find_span>(Origin{shape_.width, A.ptr, long_row_.data(), piece_ptr_.data(), static_cast<PetscInt>(long_row_.size())}, A.col,
                                         head_.data(), word.data(), near.data()));
  const std::vector<std::int64_t> all = joined_rows<Plus, 2, std::int64_t>(this->space_, n, bound<add_spans>(word.data(), near.data()));

  exclusive_scan(this->space_, word.data(), n + 1);
  for_each_row(this->space_, n, bound<place_group>(word.data(), head_.data()));
  col_  = Array<LocalColumn>(this->space_, all[0]);
  near_ = all[1];
}

template <class Store, class V> void Fold<Store, V>::share_out()
{
  const std::int64_t ngroups = shape_.groups;

  range_ = Array<PetscInt>(this->space_);
  if (this->space_ == Space::Host || !nnz_ || !fold_in_ranges(static_cast<double>(near_) / static_cast<double>(nnz_), static_cast<double>(nnz_), this->nrows_))
    return;

  const PetscInt nranges = static_cast<PetscInt>(
    std::min<std::int64_t>((ngroups + 31) / 32, std::int64_t(device::multiprocessors()) * ranges_per_multiprocessor));

  range_ = Array<PetscInt>(this->space_, nranges + 1);
  for_each_row(this->space_, nranges + 1,
               ShareOut{static_cast<PetscInt>(ngroups), nranges, static_cast<std::int64_t>(val_.size()), head_.data(), range_.data()});
}

template <class Store, class V> void Fold<Store, V>::build(const Csr &A)
{
  this->nrows_ = A.nrows;
  this->ncols_ = A.ncols;
  nnz_         = entries(A);
  check_local_columns(A.ncols);
  lay_out(A, options_.width ? options_.width : fold_width_for(A));
  place_columns(A);
  val_ = Array<Store>(this->space_, shape_.steps * fold_lanes);
  share_out();
  fill(A, true);
}

template <class Store, class V> void Fold<Store, V>::refill(const Csr &A) { fill(A, false); }

template <class Store, class V> void Fold<Store, V>::fill(const Csr &A, bool columns)
{
  const Origin origin{shape_.width, A.ptr, long_row_.data(), piece_ptr_.data(), static_cast<PetscInt>(long_row_.size())};

  if (nnz_)
    for_each_row(this->space_, static_cast<PetscInt>(head_.size()) * fold_lanes,
                 bound<fill_line<Store>>(head_.data(), origin, columns, A.col, A.val, col_.data(), val_.data()));
}

template <class Store, class V> template <class Out> void Fold<Store, V>::launch(const V *x, const Out &out) const
{
  const FoldGroup<Store, V, Out> group{view(), x, piece_.data(), out};

#if defined(__CUDACC__)
  if (range_.size()) for_each_warp_in_ranges(range_.data(), static_cast<PetscInt>(range_.size()) - 1, FoldRangeGroup<Store, V, Out>{group});
  else
#endif
    for_each_group(this->space_, static_cast<PetscInt>(head_.size()), group);
  if constexpr (!is_sum<Out>::value)
    for_each_row_by_lanes(this->space_, static_cast<PetscInt>(long_row_.size()), RowOfPieces<V, Out>{long_row_.data(), piece_ptr_.data(), piece_.data(), out});
}

template <class Store, class V> void Fold<Store, V>::apply(const V *x, const RowOut<V> &out) const
{
  if constexpr (std::is_same_v<Store, V>) std::visit([&](const auto &o) { launch(x, o); }, out);
  else apply_as(x, ScaledOut<V>(out));
}

template <class Store, class V> void Fold<Store, V>::apply_dots(const V *x, const WithDots<V> &out) const
{
  if constexpr (std::is_same_v<Store, PetscScalar>) {
    if (!shape_.long_rows && this->nrows_) { // else rows end in two kernels
      launch(x, out);
      return;
    }
  }
  Format<V>::apply_dots(x, out);
}

template <class Store, class V> void Fold<Store, V>::apply_as(const V *x, const ScaledOut<V> &out) const { launch(x, out); }

template <class Store, class V> std::size_t Fold<Store, V>::bytes() const
{
  return head_.bytes() + col_.bytes() + range_.bytes() + long_row_.bytes() + piece_ptr_.bytes() + val_.bytes() + piece_.bytes() + line_of_.bytes() +
         long_group_.bytes();
}

template <class Store, class V> std::string Fold<Store, V>::describe() const
{
  const double nnz = static_cast<double>(nnz_), rows = this->nrows_ ? static_cast<double>(this->nrows_) : 1, places = static_cast<double>(val_.size());
  char         text[384];

  std::snprintf(text, sizeof(text),
                "fold width %d%s, %.2f entries in a row, %.2f %% of the rows folded, %lld in groups of their own; %lld groups of 32 lines, %.0f %% of the "
                "lanes busy, %.0f %% of the columns in 16 bits, %zu-byte values",
                static_cast<int>(shape_.width), options_.width ? "" : " (auto: from 8 to 32, by the mean and the spread of the row lengths)", nnz / rows,
                100.0 * static_cast<double>(shape_.folded) / rows, static_cast<long long>(shape_.long_rows), static_cast<long long>(shape_.groups),
                places > 0 ? 100.0 * nnz / places : 0.0, nnz_ ? 100.0 * static_cast<double>(near_) / nnz : 0.0, sizeof(Store));
  return text;
}

FOR_EACH_STORE(INSTANTIATE, Fold)

} // namespace goza::mat
