#include "packing.hpp"
#include "core/util/algorithm.hpp"
#include "core/launch/joined_rows.hpp"

namespace goza::mat {
namespace {

/* Packs the rows of a chunk and tells the sink: long_row(row, n), then, longest lines first, open_group(longest) and add_row(row, n, lines, lane). */
struct Chunks {
  PetscInt        nrows, width, rows; // rows: of a chunk
  const PetscInt *ptr;
  const PetscInt *order; // of each chunk's rows: long ones, then by their longest lines

  /* of one chunk's rows in that order, where they and its part of it are on chip */
  const PetscInt      *length     = nullptr;
  const unsigned char *line_count = nullptr, *longest = nullptr; // at most 255

  HD PetscInt lines(PetscInt n) const { return n <= width ? 1 : (n - 1) / width + 1; }
  HD PetscInt longest_line(PetscInt n) const { return n <= width ? n : (n - 1) / lines(n) + 1; }

  template <class Sink> HD void pack(PetscInt chunk, Sink &sink) const
  {
    const PetscInt  begin = chunk * rows, count = nrows - begin < rows ? nrows - begin : rows;
    const PetscInt *sorted = length ? order : order + begin;
    PetscInt        used   = fold_lanes; // no group is open

    for (PetscInt k = 0; k < count; k++) {
      const PetscInt row = sorted[k], n = length ? length[k] : ptr[row + 1] - ptr[row], nlines = line_count ? line_count[k] : lines(n);

      if (nlines > fold_lanes) {
        sink.long_row(row, n);
        continue;
      }
      if (used + nlines > fold_lanes) {
        sink.open_group(longest ? longest[k] : longest_line(n));
        used = 0;
      }
      sink.add_row(row, n, nlines, used);
      used += nlines;
    }
  }
};

/* What rows are sorted by: none's is more than its length. */
HD void sort_key_of(PetscInt row, const Chunks &chunks, PetscInt *key)
{
  const PetscInt n = chunks.ptr[row + 1] - chunks.ptr[row];

  key[row] = chunks.lines(n) > fold_lanes ? chunks.width + 1 : chunks.longest_line(n);
}

#if defined(__CUDACC__)
constexpr int chunk_threads = 256;

/* One row comes after the other: a thread packs a chunk, of what the others of its block have brought to the chip. */
template <class Body> __global__ void __launch_bounds__(chunk_threads) ChunkKernel(Body body)
{
  __shared__ PetscInt      length[fold_chunk], order[fold_chunk];
  __shared__ unsigned char line_count[fold_chunk], longest[fold_chunk];
  const PetscInt           most = body.chunks.rows, begin = blockIdx.x * most, *ptr = body.chunks.ptr;
  const PetscInt           nrows = body.chunks.nrows - begin < most ? body.chunks.nrows - begin : most;

  for (PetscInt k = threadIdx.x; k < nrows; k += chunk_threads) {
    const PetscInt row = body.chunks.order[begin + k], n = ptr[row + 1] - ptr[row], lines = body.chunks.lines(n);

    order[k]      = row;
    length[k]     = n;
    line_count[k] = static_cast<unsigned char>(lines < 255 ? lines : 255);
    longest[k]    = static_cast<unsigned char>(body.chunks.longest_line(n));
  }
  __syncthreads();
  if (threadIdx.x) return;
  body.chunks.length     = length;
  body.chunks.line_count = line_count;
  body.chunks.longest    = longest;
  body.chunks.order      = order;
  body(static_cast<PetscInt>(blockIdx.x));
}
#endif

template <class Body> void for_each_chunk(Space space, PetscInt nchunks, const Body &body)
{
#if defined(__CUDACC__)
  if (space == Space::Cuda) {
    if (nchunks) launch_kernel<ChunkKernel<Body>>(static_cast<unsigned>(nchunks), chunk_threads, body);
    return;
  }
#endif
  for_each_row(space, nchunks, body);
}

/* Counts of each chunk [nchunks + 1], one behind the other. */
struct Counts {
  std::int64_t *groups, *pieces, *long_rows, *steps, *folded;
};

HD void counts_of_chunk(PetscInt chunk, std::int64_t *all, const Counts &counts)
{
  all[0] += counts.groups[chunk];
  all[1] += counts.pieces[chunk];
  all[2] += counts.long_rows[chunk];
  all[3] += counts.steps[chunk];
  all[4] += counts.folded[chunk];
}

struct CountChunk {
  Chunks chunks;
  Counts counts;

  struct Sink {
    PetscInt     piece_size;
    std::int64_t groups = 0, pieces = 0, long_rows = 0, steps = 0, folded = 0;

    HD void long_row(PetscInt, PetscInt n)
    {
      const PetscInt npieces = (n - 1) / piece_size + 1;

      groups += npieces;
      pieces += npieces;
      steps += (n - 1) / fold_lanes + 1;
      long_rows++;
      folded++;
    }
    HD void open_group(PetscInt longest)
    {
      groups++;
      steps += longest;
    }
    HD void add_row(PetscInt, PetscInt, PetscInt lines, PetscInt) { folded += lines > 1; }
  };

  HD void operator()(PetscInt chunk) const
  {
    Sink sink{chunks.width * fold_lanes};

    chunks.pack(chunk, sink);
    counts.groups[chunk]    = sink.groups;
    counts.pieces[chunk]    = sink.pieces;
    counts.long_rows[chunk] = sink.long_rows;
    counts.steps[chunk]     = sink.steps;
    counts.folded[chunk]    = sink.folded;
  }
};

struct WriteChunk {
  Chunks    chunks;
  Counts    counts; // scanned in one go: those of a kind count from the first of them
  FoldHead *head;   // zero before
  PetscInt *long_row, *piece_ptr;

  struct Sink {
    const WriteChunk &to;
    PetscInt          first_row, piece, k;
    std::int64_t      group, step; // the next ones

    HD void long_row(PetscInt row, PetscInt n)
    {
      const PetscInt most = to.chunks.width * fold_lanes;

      to.long_row[k]  = row;
      to.piece_ptr[k] = piece;
      for (PetscInt left = n; left > 0; left -= most, piece++) {
        const PetscInt here = left < most ? left : most;

        open_group((here - 1) / fold_lanes + 1);
        to.head[group - 1].first_row = ~piece;
        write_lines(0, here, fold_lanes, 0);
      }
      k++;
    }
    HD void open_group(PetscInt longest)
    {
      to.head[group].begin     = step * fold_lanes;
      to.head[group].first_row = first_row;
      group++;
      step += longest;
    }
    HD void add_row(PetscInt row, PetscInt n, PetscInt lines, PetscInt lane) { write_lines(lane, n, lines, row - first_row); }

    HD void write_lines(PetscInt lane, PetscInt n, PetscInt lines, PetscInt row)
    {
      for (PetscInt j = 0; j < lines; j++) {
        to.head[group - 1].line[lane + j] = static_cast<std::uint8_t>(n / lines + (j < n % lines) + (j ? 0 : fold_first));
        to.head[group - 1].row[lane + j]  = static_cast<std::uint16_t>(row);
      }
    }
  };

  HD void operator()(PetscInt chunk) const
  {
    Sink sink{*this,
              chunk * chunks.rows,
              static_cast<PetscInt>(counts.pieces[chunk] - counts.pieces[0]),
              static_cast<PetscInt>(counts.long_rows[chunk] - counts.long_rows[0]),
              counts.groups[chunk],
              counts.steps[chunk] - counts.steps[0]};

    chunks.pack(chunk, sink);
  }
};

/* Rows that hold entries, and the entries. */
HD void rows_and_entries(PetscInt row, std::int64_t *count, const PetscInt *ptr)
{
  count[0] += ptr[row + 1] > ptr[row];
  count[1] += ptr[row + 1] - ptr[row];
}

/* How far a row's length is from the mean; rows without entries do not count. */
HD void deviation_of_row(PetscInt row, std::int64_t *deviation, const PetscInt *ptr, PetscInt mean)
{
  const PetscInt n = ptr[row + 1] - ptr[row];

  *deviation += !n ? 0 : n > mean ? n - mean : mean - n;
}

/* Far entries, and entries, by up to 32 of a row. */
HD void count_far_entries(PetscInt row, std::int64_t *count, const PetscInt *ptr, const PetscInt *col, double cols_per_row)
{
  const PetscInt n = ptr[row + 1] - ptr[row], step = n / 32 + 1;

  for (PetscInt j = 0; j < n; j += step) {
    count[0] += is_far(row, col[ptr[row] + j], cols_per_row) ? step : 0;
    count[1] += step;
  }
}

Counts counts_in(Array<std::int64_t> &counts, PetscInt nchunks)
{
  std::int64_t     *c = counts.data();
  const std::size_t n = nchunks + 1;

  return {c, c + n, c + 2 * n, c + 3 * n, c + 4 * n};
}

} // namespace

FoldPacking::FoldPacking(const Csr &A, PetscInt width, PetscInt chunk) :
  A_(A),
  chunk_(chunk),
  nchunks_((A.nrows + chunk_ - 1) / chunk_),
  counts_(A.space, 5 * static_cast<std::size_t>(nchunks_ + 1)),
  order_(places(A.space, A.nrows))
{
  const Counts    counts = counts_in(counts_, nchunks_);
  const Chunks    chunks{A.nrows, width, chunk_, A.ptr, order_.data()};
  Array<PetscInt> key(A.space, A.nrows + 1);

  for_each_row(A.space, A.nrows, bound<sort_key_of>(chunks, key.data()));
  scan_lengths(A.space, key.data(), key); // which sort_by_length() takes for rows of these lengths
  sort_by_length(A.space, key.data(), order_.data(), order_.size(), chunk_);
  counts_.zero();
  shape.width = width;
  for_each_chunk(A.space, nchunks_, CountChunk{chunks, counts});
  const std::vector<std::int64_t> all = joined_rows<Plus, 5, std::int64_t>(A.space, nchunks_, bound<counts_of_chunk>(counts));

  shape.groups    = all[0];
  shape.pieces    = all[1];
  shape.long_rows = all[2];
  shape.steps     = all[3];
  shape.folded    = all[4];
}

void FoldPacking::write(FoldHead *head, PetscInt *long_row, PetscInt *piece_ptr)
{
  const Counts counts = counts_in(counts_, nchunks_);

  exclusive_scan(A_.space, counts_.data(), counts_.size());
  for_each_chunk(A_.space, nchunks_, WriteChunk{{A_.nrows, shape.width, chunk_, A_.ptr, order_.data()}, counts, head, long_row, piece_ptr});
}

/* The paper's open question, answered by measurement of the bench's gallery: one line a row, so the power of two over the mean, where rows of
   up to 32 entries are alike; 16 where they are alike and longer. 8 where lengths deviate from the mean by more than a quarter of it: a warp with
   longer lines would still be at work when all others are done; and on the device where longer lines would be too few for all its warps. */
PetscInt fold_width_for(const Csr &A)
{
  const std::vector<std::int64_t> count = joined_rows<Plus, 2, std::int64_t>(A.space, A.nrows, bound<rows_and_entries>(A.ptr));
  const std::int64_t              rows = count[0], nnz = count[1];
  const PetscInt                  mean  = rows ? static_cast<PetscInt>((nnz + rows - 1) / rows) : 0;
  const std::int64_t              full  = A.space == Space::Cuda ? std::int64_t(device::multiprocessors()) * 64 * fold_lanes : 0; // threads
  const PetscInt                  least = fold_widths[0], middle = fold_widths[1], most = fold_widths[2];
  PetscInt                        width = least;

  if (joined_rows<Plus, 1, std::int64_t>(A.space, A.nrows, bound<deviation_of_row>(A.ptr, mean))[0] * 4 > nnz) return width;
  while (width < most && width < mean) width *= 2;
  if (mean > most) width = middle;
  while (width > least && nnz < full * width) width /= 2;
  return width;
}

PetscInt fold_chunk_for(const Csr &A)
{
  if (A.space == Space::Host || !A.nrows) return fold_chunk;
  const std::vector<std::int64_t> count = joined_rows<Plus, 2, std::int64_t>(A.space, A.nrows,
                                                                             bound<count_far_entries>(A.ptr, A.col, static_cast<double>(A.ncols) / A.nrows));
  const double                    all   = static_cast<double>(count[1]);

  return fold_chunk_for(all > 0 ? static_cast<double>(count[0]) / all : 0, all, A.nrows);
}

} // namespace goza::mat
