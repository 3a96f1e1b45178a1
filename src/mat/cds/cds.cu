#include "cds.hpp"
#include "cds_host.hpp"
#include "cds_host_fill.hpp"
#include "cds_shape.hpp"
#include "core/util/hash.hpp"
#include "core/util/algorithm.hpp"
#include "core/launch/staged_rows.hpp"
#include <cstdio>

namespace goza::mat {
namespace {

/* Whether entries are like their mirror images, told by a sum. */
template <class Pair> HD std::uint64_t bits_of_parts(const Pair &wide)
{
  const double  part[] = {wide.real() + 0., wide.imag() + 0.}; // a zero has no sign
  std::uint64_t bits[2];

  memcpy(bits, part, sizeof(bits));
  return bits[0] ^ (bits[1] * golden_64 + (bits[1] >> 32));
}

/* A number for an entry above the diagonal and its value; 0 for a value of 0. Where all entries are like their mirror images, those of both add up to 0, and
   else hardly ever: once in 2^64. */
template <class Wide> HD std::uint64_t entry_check(PetscInt i, PetscInt j, Wide wide)
{
  std::uint64_t bits;

  if (wide == 0.) return 0;
  if constexpr (std::is_same_v<Wide, double>) memcpy(&bits, &wide, sizeof(bits));
  else bits = bits_of_parts(wide);
  bits ^= static_cast<std::uint64_t>(i) * splitmix_1 + static_cast<std::uint64_t>(j) * golden_64;
  bits = (bits ^ bits >> 31) * splitmix_2;
  bits = (bits ^ bits >> 29) * splitmix_1;
  return bits ^ bits >> 32;
}

/* The stored diagonals of a view, which stays where it is: a copy of all offsets in each thread would go to the device's memory. */
template <class Store> struct Stored {
  PetscInt        ndiag;
  std::int64_t    ld;
  const Store    *val;
  const PetscInt *offset;
#if PetscDefined(USE_COMPLEX)
  bool hermitian;

  HD explicit Stored(const CdsView<Store> &A) : ndiag(A.ndiag), ld(A.ld), val(A.val), offset(A.offset), hermitian(A.hermitian) { }
#else

  HD explicit Stored(const CdsView<Store> &A) : ndiag(A.ndiag), ld(A.ld), val(A.val), offset(A.offset) { }
#endif
};

/* Puts one row's entries where they belong. Of a half matrix only those above the diagonal are, and, where it is asked, all are told to *sum, which says
   whether they are like those below; see entry_check().
   View: CdsView; Stored in what on() makes. */
template <template <class> class View, class Store, int bs, bool half> struct CdsFill {
  View<Store>     A;
  const PetscInt *ptr;
  Columns         col;
  Values          aval;
  PetscScalar     factor;
  Store          *val;
  bool            ask = half;

  HD CdsFill<Stored, Store, bs, half> on(Columns c, Values a) const { return {Stored<Store>(A), ptr, c, a, factor, val, ask}; }

  HD void operator()(PetscInt row) const
  {
    std::uint64_t sum = 0;

    (*this)(row, &sum);
  }

  HD void operator()(PetscInt row, std::uint64_t *sum) const
  {
    const PetscInt i = row / bs, r = row % bs;
    OffsetCursor   cursor;

    for (PetscInt j = ptr[row]; j < ptr[row + 1]; j++) {
      const PetscInt offset = col[j] / bs - i;
      const bool     below  = half && offset < 0;
      const PetscInt d      = cursor.find(A, below ? -offset : offset);

      if (d < 0) continue;
      const Store value = static_cast<Store>(aval[j] * factor);

      if (half && ask && offset)
        *sum += below ? -entry_check(col[j], row, mirrored(A, static_cast<DoubleScalar>(value))) : entry_check(row, col[j], static_cast<DoubleScalar>(value));
      if (!below) val[((d * bs + r) * bs + col[j] % bs) * A.ld + i] = value;
    }
  }
};

struct AddNotFinite {
  static constexpr bool walks_along_row = true;

  const PetscInt    *ptr;
  const PetscScalar *val;

  HD void operator()(PetscInt row, std::int64_t *sum) const
  {
    for (PetscInt j = ptr[row]; j < ptr[row + 1]; j++) *sum += !(val[j] - val[j] == 0);
  }
};

bool all_finite(const Csr &A) { return joined_rows<Plus, 1, std::int64_t>(A.space, A.nrows, AddNotFinite{A.ptr, A.val})[0] == 0; }

/* Counts, for one row of a half matrix, the entries below the diagonal that differ from their mirror images; entries above less entries below; and the same of
   those that are not 0, below of those whose images are not 0. The sums over all rows are 0 when the stored diagonals are symmetric in pattern and, to a
   tolerance, in values: each entry below has its image, and no entry above that is not 0 is left without one. (By the pattern's balance alone a 0 below without
   an image would make up for an entry above that has none.) The tolerance is relative to the entry or, where that is more, to the diagonal entries of its row
   and its column: an entry that is the small sum of large terms has the rounding of those. */
template <template <class> class View, class Store, int bs> struct CdsCompare {
  View<Store>     A;
  const PetscInt *ptr;
  Columns         col;
  Values          aval;
  PetscScalar     factor;
  double          tolerance;

  HD CdsCompare<Stored, Store, bs> on(Columns c, Values a) const { return {Stored<Store>(A), ptr, c, a, factor, tolerance}; }

  HD void operator()(PetscInt row, std::int64_t *sum) const
  {
    const PetscInt i = row / bs, r = row % bs;
    const bool     main = tolerance > 0 && A.ndiag && A.offset[0] == 0;
    int            bad = 0, above = 0, above_nonzero = 0;
    OffsetCursor   cursor;

    for (PetscInt j = ptr[row]; j < ptr[row + 1]; j++) {
      const PetscInt node = col[j] / bs, c = col[j] % bs, d = cursor.find(A, node < i ? i - node : node - i);

      if (d < 0 || node == i) continue;
      const DoubleScalar value = static_cast<DoubleScalar>(static_cast<Store>(aval[j] * factor));

      if (node > i) {
        above++;
        above_nonzero += value != 0.;
        continue;
      }
      const DoubleScalar mirror = mirrored(A, static_cast<DoubleScalar>(A.val[((d * bs + c) * bs + r) * A.ld + node])), gap = mirror - value;

      above--;
      above_nonzero -= mirror != 0.;
      if (gap == 0. || size_of(gap) <= tolerance * size_of(value)) continue; // mostly
      const double diagonals = main ? sqrt(size_of(static_cast<DoubleScalar>(A.val[(r * bs + r) * A.ld + i]))) *
                                        sqrt(size_of(static_cast<DoubleScalar>(A.val[(c * bs + c) * A.ld + node])))
                                    : 0;

      bad += !(size_of(gap) <= tolerance * diagonals); // a NaN differs
    }
    sum[0] += bad;
    sum[1] += above;
    sum[2] += above_nonzero;
  }
};

/* Whether a few rows of a host matrix show already that its diagonals are not symmetric: to fill the half of them and to compare it takes as long as to fill
   all. */
template <class Store>
bool few_rows_differ(const CdsView<Store> &rule, PetscInt bs, const Csr &A, const std::vector<PetscInt> &offset, PetscScalar factor, double tolerance)
{
  constexpr std::int64_t looked_at = 256;
  const std::int64_t     n         = std::min<std::int64_t>(A.nrows, looked_at);
  const auto             entry     = [&](PetscInt i, PetscInt j) { return std::find(A.col + A.ptr[i], A.col + A.ptr[i + 1], j) - A.col; };
  const auto             diagonal  = [&](PetscInt i) {
    const std::ptrdiff_t p = entry(i, i);

    return p < A.ptr[i + 1] ? size_of(static_cast<DoubleScalar>(A.val[p] * factor)) : 0.0;
  };

  for (std::int64_t s = 0; s < n; s++) {
    const PetscInt i = somewhere_in_part(s, n, A.nrows); // as find_diagonals() looks

    for (PetscInt p = A.ptr[i]; p < A.ptr[i + 1]; p++) {
      const PetscInt j = A.col[p];

      if (j / bs == i / bs || !std::binary_search(offset.begin(), offset.end(), j / bs - i / bs)) continue;
      const std::ptrdiff_t mirror = entry(j, i);

      if (mirror == A.ptr[j + 1]) return true;
      const DoubleScalar a = static_cast<DoubleScalar>(static_cast<Store>(A.val[p] * factor)),
                         b = mirrored(rule, static_cast<DoubleScalar>(static_cast<Store>(A.val[mirror] * factor)));

      if (a == b) continue;
      const double size = std::max({size_of(a), size_of(b), tolerance > 0 ? std::sqrt(diagonal(i)) * std::sqrt(diagonal(j)) : 0.0});

      if (!(size_of(a - b) <= 2 * tolerance * size)) return true; // not on the edge of what the comparison of all rows allows
    }
  }
  return false;
}

SlicedEllOptions compressed()
{
  SlicedEllOptions options;

  options.drop_empty = true;
  return options;
}

} // namespace

template <class Store, class V>
Cds<Store, V>::Cds(Space space, const CdsOptions &options) : Format<V>(space), options_(options), remainder_(space, compressed())
{
}

template <class Store, class V> CdsView<Store> Cds<Store, V>::view() const
{
  CdsView<Store> v{this->nrows_ / bs_, this->ncols_ / bs_, static_cast<PetscInt>(offset_.size()), ld_, val_.data(), {}};

  std::copy(offset_.begin(), offset_.end(), v.offset);
#if PetscDefined(USE_COMPLEX)
  v.hermitian = hermitian_;
#endif
  return v;
}

/* Zeros for these diagonals, or, where that is not asked for, whatever is there; a refusal where they take more than was allowed. */
template <class Store, class V> void Cds<Store, V>::lay_out(const std::vector<PetscInt> &offset, bool half, bool zeros)
{
  half_ = half;
  offset_.clear();
  for (PetscInt o : offset)
    if (!half || o >= 0) offset_.push_back(o);
  ld_                 = (static_cast<std::int64_t>(this->nrows_ / bs_) + 31) / 32 * 32; // every diagonal begins at a multiple of 128 bytes
  const double stored = static_cast<double>(offset_.size()) * bs_ * static_cast<double>(this->nrows_);
  if (inside_ && stored > options_.max_fill * static_cast<double>(inside_) + 4096) {
    char text[256];

    std::snprintf(text, sizeof(text), "%zu diagonals of %d rows would store %.3g values for %.3g nonzeros, %.2f for one; -mat_cds_max_fill allows %.2f",
                  offset_.size(), static_cast<int>(this->nrows_), stored, static_cast<double>(inside_), stored / static_cast<double>(inside_),
                  options_.max_fill);
    throw FormatRefusal(text);
  }
  const std::size_t places = offset_.size() * bs_ * bs_ * ld_;

  val_ = zeros ? Array<Store>(this->space_, places) : Array<Store>(this->space_, places, unset);
  if (zeros && this->space_ == Space::Cuda) val_.zero(); // a refill writes the same places again; a host's memory comes zeroed
  host_sums_ = Array<V>(Space::Host, this->space_ == Space::Host ? cds_host_sums(static_cast<int>(bs_), half && !offset_.empty() ? offset_.back() : 0) : 0);
}

template <class Store, class V>
void Cds<Store, V>::lay_out_zeros(PetscInt nodes, PetscInt node_columns, PetscInt bs, const std::vector<PetscInt> &offset, bool half)
{
  this->nrows_ = nodes * bs;
  this->ncols_ = node_columns * bs;
  bs_          = bs;
  factor_      = 1;
  all_         = offset;
  runs_.clear();
  grid_    = grid_strides(all_);
  rem_ptr_ = Array<PetscInt>(this->space_);
  nnz_     = 0;
  for (PetscInt o : all_) nnz_ += static_cast<std::int64_t>(bs) * bs * std::max<PetscInt>(0, std::min(nodes, node_columns - o) - std::max<PetscInt>(0, -o));
  inside_ = nnz_;
  lay_out(all_, half);
}

template <class Store, class V> void Cds<Store, V>::build(const Csr &A)
{
  build(A, find_diagonals(A, A.nrows % options_.bs == 0 && A.ncols % options_.bs == 0 ? options_.bs : 1, options_.share));
}

template <class Store, class V> void Cds<Store, V>::build(const Csr &A, const Diagonals &found)
{
  this->nrows_ = A.nrows;
  this->ncols_ = A.ncols;
  bs_          = found.bs;
  nnz_         = found.nnz;
  inside_      = found.inside;
  all_         = found.offset;
  grid_        = grid_strides(all_);
  rem_ptr_     = Array<PetscInt>(this->space_);
  runs_        = found.runs;
  hermitian_   = wants_hermitian();
  offset_.clear();
  lay_out(all_, options_.storage != CdsStorage::Full && in_pairs() &&
                  !(this->space_ == Space::Host && few_rows_differ<Store>(view(), bs_, A, all_, factor_, mirror_tolerance<Store>(promised()))));
  refill(A);
}

template <class Store, class V> bool Cds<Store, V>::in_pairs() const
{
  bool pairs = this->nrows_ == this->ncols_ && !all_.empty();

  for (PetscInt o : all_) pairs = pairs && std::binary_search(all_.begin(), all_.end(), -o);
  return pairs;
}

template <class Store, class V> void Cds<Store, V>::refill(const Csr &A)
{
  const bool new_rest   = inside_ < nnz_ && !rem_ptr_.size();
  const bool to_be_half = (options_.storage == CdsStorage::Half || options_.storage == CdsStorage::Hermitian) && !all_.empty();

  if (to_be_half && !half_ && in_pairs()) lay_out(all_, true); // it held a NaN
  if (!fill(A)) {                                              // the values are not symmetric (any more)
    lay_out(all_, false);
    fill(A);
  }
  /* a NaN or infinity, which differs from its mirror image, is for who computes with it to find */
  if (to_be_half && !half_ && all_finite(A))
    throw FormatRefusal(options_.storage == CdsStorage::Half ? "-mat_cds_storage half, but the matrix is not symmetric"
                                                             : "-mat_cds_storage hermitian, but the matrix is not Hermitian");
  if (inside_ < nnz_) split_remainder(A, new_rest);
}

template <class Store, class V> bool Cds<Store, V>::fill(const Csr &A)
{
  if (this->space_ == Space::Host) {
    const Mirrored found = fill_on_host(A);

    if (!half_ || (found.balanced() && !found.differ)) return true;
    return promised() && found.balanced() && is_mirrored(A);
  }
  Array<std::uint64_t> check(this->space_, 1); // whether each entry is the same as its mirror image is told in the same pass
  const auto           row_by_row = [&](auto bs, auto half) {
    const CdsFill<CdsView, Store, bs.value, half.value> body{view(), A.ptr, A.col, A.val, factor_, val_.data(), half.value && !rounded_};

    if constexpr (half.value) join_csr_rows<Plus, 1>(A, 1, body, check.data());
    else for_each_csr_row(A, 1, body);
  };

  if (val_.size()) with_shape(bs_, half_, row_by_row);
  if (!half_ || !val_.size() || (!rounded_ && read_value(this->space_, check.data()) == 0)) return true;
  return rounded_ = promised() && is_mirrored(A);
}

/* But for rounding. */
template <class Store, class V> bool Cds<Store, V>::is_mirrored(const Csr &A) const
{
  Array<std::int64_t> sums(this->space_, 3);

  with_shape(bs_, true, [&](auto bs, auto) {
    join_csr_rows<Plus, 3>(A, 1, CdsCompare<CdsView, Store, bs.value>{view(), A.ptr, A.col, A.val, factor_, mirror_tolerance<Store>(true)}, sums.data());
  });
  const std::vector<std::int64_t> all = sums.to_host();

  return all[0] == 0 && all[1] == 0 && all[2] == 0;
}

template <class Store, class V> std::size_t Cds<Store, V>::bytes() const
{
  return val_.bytes() + rem_ptr_.bytes() + rem_col_.bytes() + (rem_ptr_.size() ? remainder_.bytes() : 0);
}

template <class Store, class V> std::string Cds<Store, V>::describe() const
{
  char text[320];
  int  n = std::snprintf(text, sizeof(text),
                         "%s storage, %zu diagonals%s, %.2f stored values for one nonzero on them, %zu-byte values, %lld nonzeros in the remainder",
                        !half_       ? "full"
                         : hermitian_ ? "half (Hermitian)"
                                      : "half (symmetric)",
                         offset_.size(), bs_ > 1 ? " of blocks" : "", inside_ ? static_cast<double>(val_.size()) / static_cast<double>(inside_) : 0.0,
                         sizeof(Store), static_cast<long long>(nnz_ - inside_));

  if (bs_ > 1) n += std::snprintf(text + n, sizeof(text) - n, ", blocks of %d", static_cast<int>(bs_));
  if (grid_.line) n += std::snprintf(text + n, sizeof(text) - n, ", grid lines of %d", static_cast<int>(grid_.line));
  if (grid_.plane) std::snprintf(text + n, sizeof(text) - n, ", planes of %d", static_cast<int>(grid_.plane));
  return text;
}

FOR_EACH_STORE(INSTANTIATE, Cds)

} // namespace goza::mat
