#include "small_colors.hpp"
#include "core/launch/by_lanes.hpp"
#include "core/sparse/row_length.hpp"

namespace goza::saamg {
namespace {

template <class V> struct CopyRow {
  const PetscInt    *from_ptr, *from_col, *row, *ptr;
  const PetscScalar *from_val;
  LocalColumn       *col;
  V                 *val;

  HD void operator()(PetscInt k, int lane, int lanes) const
  {
    const PetscInt from = from_ptr[row[k]] - ptr[k];

    for (PetscInt p = ptr[k] + lane; p < ptr[k + 1]; p += lanes) {
      col[p] = static_cast<LocalColumn>(from_col[from + p]);
      val[p] = static_cast<V>(from_val[from + p]);
    }
  }
};

template <class V> struct ColoredCsr {
  const PetscInt    *begin, *row, *ptr;
  const LocalColumn *col;
  const V           *val, *b, *dinv;
  V                 *x;

  /* On the host. */
  void relax(PetscInt k) const
  {
    const PetscInt i   = row[k];
    V              sum = 0;

    for (PetscInt p = ptr[k]; p < ptr[k + 1]; p++) sum += val[p] * x[col[p]];
    x[i] += dinv[i] * (b[i] - sum);
  }
};

#if defined(__CUDACC__)
constexpr int sweep_threads = 1024;

/* A colour takes one latency of memory and not four: while its entries of x come, the entries of the next colour's rows are asked for, the places of those of
   the one behind it, and where the colour behind that begins. */
template <class V> struct Sweeper {
  static constexpr int early = 4; // entries of a lane that are asked for early

  struct Span {
    PetscInt begin = 0, end = 0;
  };
  struct Head {
    PetscInt k = 0, end = 0, row = 0, first = 0, last = 0; // end: of the colour
  };
  struct Entries {
    Head        head;
    V           b = 0, dinv = 0, val[early] = {};
    LocalColumn col[early] = {};
  };

  ColoredCsr<V> A;
  PetscInt      color, ncolors;
  int           step, lanes, lane, team, teams;

  __device__ Span span(PetscInt c) const // the c-th that is relaxed
  {
    if (c >= ncolors) return {};
    return {A.begin[color + step * c], A.begin[color + step * c + 1]};
  }
  __device__ Head head(PetscInt k, PetscInt end) const
  {
    if (k >= end) return {};
    return {k, end, A.row[k], A.ptr[k], A.ptr[k + 1]};
  }
  __device__ Head    head(const Span &s) const { return head(s.begin + team, s.end); }
  __device__ Entries entries(const Head &h) const
  {
    Entries e;

    e.head = h;
    if (!h.end) return e;
    for (int m = 0; m < early; m++) {
      const PetscInt p = h.first + lane + m * lanes;

      if (p >= h.last) break;
      e.col[m] = A.col[p];
      e.val[m] = A.val[p];
    }
    e.b    = A.b[h.row];
    e.dinv = A.dinv[h.row];
    return e;
  }
  /* The part of the sum that a lane has asked for early, all of it, and what becomes of it. */
  __device__ V begin(const Entries &e) const
  {
    V sum = 0;

    for (int m = 0; m < early; m++)
      if (e.head.first + lane + m * lanes < e.head.last) sum += e.val[m] * A.x[e.col[m]];
    return sum;
  }
  __device__ void end(const Entries &e, V sum) const
  {
    for (PetscInt p = e.head.first + lane + early * lanes; p < e.head.last; p += lanes) sum += A.val[p] * A.x[A.col[p]];
    for (int offset = 1; offset < lanes; offset <<= 1) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    if (e.head.end && lane == 0) A.x[e.head.row] += e.dinv * (e.b - sum);
  }
  __device__ void run() const
  {
    Span    s = span(2);
    Head    h = head(span(1));
    Entries e = entries(head(span(0)));

    for (PetscInt c = 0; c < ncolors; c++) {
      const Entries  now  = e;
      const V        sum  = begin(now);
      const PetscInt from = A.begin[color + step * c], to = A.begin[color + step * c + 1];

      e = entries(h);
      h = head(s);
      s = span(c + 3);
      end(now, sum);
      for (PetscInt more = from + teams; more < to; more += teams) { // the same for all lanes
        const Entries rest = entries(head(more + team, to));

        end(rest, begin(rest));
      }
      sync_cluster();
    }
  }
};

template <class V> __global__ void __launch_bounds__(sweep_threads) SweepKernel(ColoredCsr<V> A, PetscInt color, PetscInt ncolors, int step, int lanes)
{
  const int thread = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);

  Sweeper<V>{A, color, ncolors, step, lanes, thread % lanes, thread / lanes, static_cast<int>(gridDim.x * blockDim.x) / lanes}.run();
}
#endif

/* Blocks that sweep together, of the device in use. */
PetscInt most_blocks()
{
#if defined(__CUDACC__)
  return most_in_cluster<SweepKernel<PetscScalar>>();
#else
  return 1;
#endif
}

} // namespace

PetscInt largest_small_color(const Csr &A)
{
  constexpr PetscInt rows_on_host     = 2048;
  constexpr PetscInt entries_of_block = 8192, entries_of_cluster = 32768; // the latter compared with 8192 to 65536

  if (A.space == Space::Host || !A.nrows) return rows_on_host;
  return (most_blocks() > 1 ? entries_of_cluster : entries_of_block) / PetscMax(1, entries(A) / A.nrows);
}

template <class V> void SmallColors<V>::build(const Csr &A, const Coloring &coloring, const std::vector<char> &held)
{
  const Space           space   = A.space;
  const PetscInt        ncolors = coloring.ncolors();
  PetscInt              most    = 0;
  std::vector<PetscInt> begin{0};

  check_local_columns(A.ncols);
  for (PetscInt c = 0; c < ncolors; c++) {
    const PetscInt n = held[c] ? coloring.size(c) : 0;

    begin.push_back(begin.back() + n);
    most = std::max(most, n);
  }
  if (!most) return;
  const PetscInt n = begin.back();

  begin_ = Array<PetscInt>(space, begin.data(), begin.size());
  row_   = Array<PetscInt>(space, n);
  ptr_   = Array<PetscInt>(space, n + 1);
  for (PetscInt c = 0, end; c < ncolors; c = end) {
    for (end = c + 1; end < ncolors && held[end] == held[c];) end++;
    if (held[c]) copy_values(space, coloring.rows.data() + coloring.begin[c], begin[end] - begin[c], row_.data() + begin[c]);
  }
  for_each_row(space, n, RowLength<PetscInt>{A.ptr, row_.data(), ptr_.data()});
  const PetscInt nnz = lengths_to_pointer(space, ptr_);
  col_               = Array<LocalColumn>(space, nnz);
  val_               = Array<V>(space, nnz);
  for_each_row_by_lanes(space, n, CopyRow<V>{A.ptr, A.col, row_.data(), ptr_.data(), A.val, col_.data(), val_.data()});
  if (space != Space::Cuda) return;
#if defined(__CUDACC__)
  const PetscInt blocks = most_blocks();

  for (lanes_ = 1; lanes_ < 32 && most * lanes_ < sweep_threads * blocks && 2 * lanes_ * n <= nnz;) lanes_ *= 2;
  blocks_  = most * lanes_ > sweep_threads ? blocks : 1;
  threads_ = std::min<PetscInt>(sweep_threads, ((most * lanes_ + blocks_ - 1) / blocks_ + 31) / 32 * 32);
#endif
}

template <class V> void SmallColors<V>::relax(PetscInt first, PetscInt ncolors, bool back, const V *b, const V *dinv, V *x) const
{
  const int           step = back ? -1 : 1;
  const ColoredCsr<V> A{begin_.data(), row_.data(), ptr_.data(), col_.data(), val_.data(), b, dinv, x};

  if (!row_.size()) return;
#if defined(__CUDACC__)
  if (begin_.space() == Space::Cuda) {
    launch_kernel<SweepKernel<V>, Start::Cluster>(static_cast<unsigned>(blocks_), static_cast<int>(threads_), A, first, ncolors, step,
                                                  static_cast<int>(lanes_));
    return;
  }
#endif
  run_on_host([&] {
    for (PetscInt c = 0, color = first; c < ncolors; c++, color += step)
      for (PetscInt k = A.begin[color]; k < A.begin[color + 1]; k++) A.relax(k);
  });
}

FOR_EACH_VECTOR(INSTANTIATE, SmallColors)

} // namespace goza::saamg
