#include "packing.hpp"
#include "core/util/algorithm.hpp"
#include "core/sparse/csr_matrix.hpp"
#include "core/launch/for_each_row.hpp"

namespace goza::mat
{

namespace
{

/* Packs the rows of a chunk and tells the sink: long_row(row, n), then, longest lines first, open_group(longest) and add_row(row, n, lines, lane). */
struct Chunks {
  PetscInt        nrows, width;
  const PetscInt *ptr;
  PetscInt       *order; // [nrows] for sorting

  /* of one chunk's rows, where they and its part of `order` are on chip */
  const PetscInt      *length     = nullptr;
  const unsigned char *line_count = nullptr, *longest = nullptr; // at most 255

  HD PetscInt lines(PetscInt n) const { return n <= width ? 1 : (n - 1) / width + 1; }
  HD PetscInt longest_line(PetscInt n) const { return n <= width ? n : (n - 1) / lines(n) + 1; }

  template <class Sink> HD void pack(PetscInt chunk, Sink &sink) const
  {
    const PetscInt begin = chunk * fold_chunk, end = nrows - begin < fold_chunk ? nrows : begin + fold_chunk;
    PetscInt       place[fold_max_width + 1] = {}, next = 0, used = fold_lanes; // no group is open
    PetscInt      *sorted     = length ? order : order + begin;
    const auto     lines_of   = [&](PetscInt row, PetscInt n) { return line_count ? line_count[row - begin] : lines(n); };
    const auto     longest_of = [&](PetscInt row, PetscInt n) { return longest ? longest[row - begin] : longest_line(n); };
    const auto     entries_of = [&](PetscInt row) { return length ? length[row - begin] : ptr[row + 1] - ptr[row]; };

    for (PetscInt row = begin; row < end; row++) {
      const PetscInt n = entries_of(row);

      if (lines_of(row, n) > fold_lanes) sink.long_row(row, n);
      else place[longest_of(row, n)]++;
    }
    for (int length = fold_max_width; length >= 0; length--) { // from counts to places
      const PetscInt here = place[length];

      place[length] = next;
      next += here;
    }
    for (PetscInt row = begin; row < end; row++) {
      const PetscInt n = entries_of(row);

      if (lines_of(row, n) <= fold_lanes) sorted[place[longest_of(row, n)]++] = row;
    }
    for (PetscInt k = 0; k < next; k++) {
      const PetscInt row = sorted[k], n = entries_of(row);

      if (used + lines_of(row, n) > fold_lanes) {
        sink.open_group(longest_of(row, n));
        used = 0;
      }
      sink.add_row(row, n, lines_of(row, n), used);
      used += lines_of(row, n);
    }
  }
};

#if defined(__CUDACC__)
/* One row comes after the other: a thread does a chunk, from what the others of its block have brought to the chip. */
template <class Body> __global__ void __launch_bounds__(256) ChunkKernel(Body body)
{
  __shared__ PetscInt      length[fold_chunk], order[fold_chunk];
  __shared__ unsigned char line_count[fold_chunk], longest[fold_chunk];
  const PetscInt           begin = blockIdx.x * fold_chunk, *ptr = body.chunks.ptr;

  for (PetscInt k = threadIdx.x; k < fold_chunk && begin + k < body.chunks.nrows; k += blockDim.x) {
    const PetscInt n = ptr[begin + k + 1] - ptr[begin + k], lines = body.chunks.lines(n);

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
    if (nchunks) launch_kernel<ChunkKernel<Body>>(static_cast<unsigned>(nchunks), 256, body);
    return;
  }
#endif
  for_each_row(space, nchunks, body);
}

/* Counts of each chunk [nchunks + 1]; once scanned, the places where the chunk begins. */
struct Counts {
  std::int64_t *groups, *pieces, *long_rows, *steps, *folded;
};

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
  Counts    counts;
  FoldHead *head; // zero before
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
              chunk * fold_chunk,
              static_cast<PetscInt>(counts.pieces[chunk]),
              static_cast<PetscInt>(counts.long_rows[chunk]),
              counts.groups[chunk],
              counts.steps[chunk]};

    chunks.pack(chunk, sink);
  }
};

/* How far a row's length is from the mean; rows without entries do not count. */
struct Deviation {
  const PetscInt *ptr;
  PetscInt        mean;
  std::int64_t   *deviation;

  HD void operator()(PetscInt row) const
  {
    const PetscInt n = ptr[row + 1] - ptr[row];

    deviation[row] = !n ? 0 : n > mean ? n - mean : mean - n;
  }
};

/* The five counts of all chunks, one behind the other. */
Counts counts_in(Array<std::int64_t> &counts, PetscInt nchunks)
{
  std::int64_t     *c = counts.data();
  const std::size_t n = nchunks + 1;

  return {c, c + n, c + 2 * n, c + 3 * n, c + 4 * n};
}

} // namespace

FoldPacking::FoldPacking(const Csr &A, PetscInt width) :
  A_(A), nchunks_((A.nrows + fold_chunk - 1) / fold_chunk), counts_(A.space, 5 * static_cast<std::size_t>(nchunks_ + 1)), order_(A.space, A.nrows)
{
  const Counts counts = counts_in(counts_, nchunks_);

  counts_.zero();
  shape.width = width;
  for_each_chunk(A.space, nchunks_, CountChunk{{A.nrows, width, A.ptr, order_.data()}, counts});
  shape.groups    = sum(A.space, counts.groups, nchunks_);
  shape.pieces    = sum(A.space, counts.pieces, nchunks_);
  shape.long_rows = sum(A.space, counts.long_rows, nchunks_);
  shape.steps     = sum(A.space, counts.steps, nchunks_);
  shape.folded    = sum(A.space, counts.folded, nchunks_);
}

void FoldPacking::write(FoldHead *head, PetscInt *long_row, PetscInt *piece_ptr)
{
  const Counts counts = counts_in(counts_, nchunks_);

  for (std::int64_t *count : {counts.groups, counts.pieces, counts.long_rows, counts.steps}) exclusive_scan(A_.space, count, nchunks_ + 1);
  for_each_chunk(A_.space, nchunks_, WriteChunk{{A_.nrows, shape.width, A_.ptr, order_.data()}, counts, head, long_row, piece_ptr});
}

/* The paper's open question, answered by measurement of the bench's gallery: one line a row, so the power of two over the mean, where rows of
   up to 32 entries are alike; 16 where they are alike and longer. 8 where lengths deviate from the mean by more than a quarter of it: a warp with
   longer lines would still be at work when all others are done; and on the device where longer lines would be too few for all its warps. */
PetscInt fold_width_for(const Csr &A)
{
  const std::int64_t  nnz  = entries(A);
  const std::int64_t  rows = static_cast<std::int64_t>(nonempty_rows(A.space, A.ptr, A.nrows).size());
  const PetscInt      mean = rows ? static_cast<PetscInt>((nnz + rows - 1) / rows) : 0;
  const std::int64_t  full = A.space == Space::Cuda ? std::int64_t(device::multiprocessors()) * 64 * fold_lanes : 0; // threads
  Array<std::int64_t> deviation(A.space, A.nrows);
  const PetscInt      least = fold_widths[0], middle = fold_widths[1], most = fold_widths[2];
  PetscInt            width = least;

  for_each_row(A.space, A.nrows, Deviation{A.ptr, mean, deviation.data()});
  if (sum(A.space, deviation.data(), A.nrows) * 4 > nnz) return width;
  while (width < most && width < mean) width *= 2;
  if (mean > most) width = middle;
  while (width > least && nnz < full * width) width /= 2;
  return width;
}

} // namespace goza::mat
