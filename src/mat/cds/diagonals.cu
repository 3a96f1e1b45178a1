#include "diagonals.hpp"
#include "offset_table.hpp"
#include "core/util/algorithm.hpp"
#include "core/util/divided.hpp"
#include "core/launch/staged_rows.hpp"

namespace goza::mat {
namespace {

/* Runs of rows of a host matrix whose entries lie alike, but for the step from node to node and for those that are on no candidate: what is found for the first
   of them is true of all. */

/* Whether row i, whose node is `step` columns further than that of the row before, has that one's entries. */
inline bool like_row_before(const Csr &A, PetscInt i, PetscInt step, PetscInt bs, const OffsetTable &table)
{
  const PetscInt *const col = A.col + A.ptr[i], *const last = A.col + A.ptr[i - 1], n = A.ptr[i + 1] - A.ptr[i];
  PetscInt other = 0;

  if (n != A.ptr[i] - A.ptr[i - 1] || (n && col[0] - last[0] != step)) return false;
  for (PetscInt k = 0; k < n; k++) other |= col[k] - last[k] - step;
  for (PetscInt k = 0; other && k < n; k++)
    if (col[k] - last[k] != step && (table.has(divided(col[k], bs) - i / bs) || table.has(divided(last[k], bs) - (i - 1) / bs))) return false;
  return true;
}

/* run(first, count), one after the other; bs: rows of a node */
template <class Run> void for_each_run(const Csr &A, PetscInt bs, const OffsetTable &table, const Run &run)
{
  PetscInt first = 0, r = 0; // r: of row i in its node

  for (PetscInt i = 1; i < A.nrows; i++) {
    r = r + 1 < bs ? r + 1 : 0;
    if (like_row_before(A, i, r ? 0 : bs, bs, table)) continue;
    run(first, i - first);
    first = i;
  }
  if (A.nrows) run(first, A.nrows - first);
}

/* Whether rows here and there are like those before them: where few are, to look at all for runs would take longer than to count. */
bool some_alike(const Csr &A, PetscInt bs, const OffsetTable &table)
{
  const PetscInt n    = std::min<PetscInt>(A.nrows, 256);
  PetscInt       like = 0;

  for (PetscInt s = 0; s < n; s++) {
    const PetscInt row = somewhere_in_part(s, n, A.nrows);

    like += row && like_row_before(A, row, row % bs ? 0 : bs, bs, table);
  }
  return 2 * like >= n;
}

constexpr PetscInt sampled_rows = 128, sampled_entries = 256; // looked at for candidates: at most so many rows, and of each so many entries

/* Node offsets of some rows: one somewhere in each of nsamples equal parts. offset: [nsamples][sampled_entries]; none: PETSC_MAX_INT */
HD void sample_offsets(PetscInt s, PetscInt nrows, PetscInt nsamples, PetscInt bs, const PetscInt *ptr, const PetscInt *col, PetscInt *offset)
{
  const PetscInt row = somewhere_in_part(s, nsamples, nrows), n = ptr[row + 1] - ptr[row];

  for (PetscInt k = 0; k < sampled_entries; k++) offset[s * sampled_entries + k] = k < n ? col[ptr[row] + k] / bs - row / bs : PETSC_MAX_INT;
}

/* Entries of one row on each candidate. The rows of a chunk share a line of counters, so that only neighbours meet in an atomic addition. */
struct CountOnDiagonals {
  PetscInt        bs, ncandidates;
  const PetscInt *ptr;
  Columns         col;
  const PetscInt *candidate;
  int            *count; // [chunks][ncandidates]

  static constexpr PetscInt rows_per_chunk = 256;

  HD CountOnDiagonals on(Columns c, Values) const { return {bs, ncandidates, ptr, c, candidate, count}; }

  HD void operator()(PetscInt row) const
  {
    int *mine = count + (row / rows_per_chunk) * ncandidates;

    for (PetscInt j = ptr[row], d = 0; j < ptr[row + 1]; j++) {
      const PetscInt offset = divided(col[j], bs) - divided(row, bs);

      if (d < ncandidates && candidate[d] > offset) d = 0; // columns that are not ascending
      while (d < ncandidates && candidate[d] < offset) d++;
      if (d < ncandidates && candidate[d] == offset) {
#if defined(__CUDA_ARCH__)
        atomicAdd(mine + d, 1);
#else
        mine[d]++;
#endif
      }
    }
  }
};

/* The same on the device where a node is a row: which candidates a row has entries on, a bit each. */
struct MarkDiagonals {
  PetscInt        nrows, ncandidates;
  const PetscInt *ptr;
  Columns         col;
  const PetscInt *candidate;
  std::uint64_t  *mark; // [words][nrows]

  static constexpr int bits = 64, words = max_diagonals / bits;

  HD MarkDiagonals on(Columns c, Values) const { return {nrows, ncandidates, ptr, c, candidate, mark}; }

  HD void operator()(PetscInt row) const
  {
    std::uint64_t found[words] = {};

    for (PetscInt j = ptr[row], d = 0; j < ptr[row + 1]; j++) {
      const PetscInt offset = col[j] - row;

      if (d < ncandidates && candidate[d] > offset) d = 0; // columns that are not ascending
      while (d < ncandidates && candidate[d] < offset) d++;
      if (d == ncandidates || candidate[d] != offset) continue;
      for (int w = 0; w < words; w++) found[w] |= d / bits == w ? std::uint64_t(1) << (d % bits) : 0;
    }
    for (int w = 0; w * bits < ncandidates; w++) mark[static_cast<std::size_t>(w) * nrows + row] = found[w];
  }
};

/* count: [chunks][ncandidates] */
HD void count_marks(PetscInt k, PetscInt nrows, PetscInt ncandidates, const std::uint64_t *mark, int *count)
{
  const PetscInt     d   = k % ncandidates;
  const std::int64_t row = static_cast<std::int64_t>(k / ncandidates) * CountOnDiagonals::rows_per_chunk, end = row + CountOnDiagonals::rows_per_chunk;
  int                n = 0;

  for (std::int64_t i = row; i < end && i < nrows; i++)
    n += static_cast<int>(mark[static_cast<std::size_t>(d / MarkDiagonals::bits) * nrows + i] >> (d % MarkDiagonals::bits) & 1);
  count[k] = n;
}

/* The sum over one part of the chunks: a few threads for each diagonal, since one alone would walk through all chunks of a large matrix. */
struct SumChunks {
  PetscInt      chunks, ncandidates;
  const int    *count;
  std::int64_t *sum; // [parts][ncandidates]

  static constexpr PetscInt parts = 256;

  HD void operator()(PetscInt k) const
  {
    const std::int64_t part = k / ncandidates, d = k % ncandidates, end = (part + 1) * chunks / parts;
    std::int64_t       n = 0;

    for (std::int64_t c = part * chunks / parts; c < end; c++) n += count[c * ncandidates + d];
    sum[k] = n;
  }
};

/* Entries on each candidate. */
std::vector<std::int64_t> count_on_device(const Csr &pattern, PetscInt bs, const std::vector<PetscInt> &candidate)
{
  const PetscInt n = static_cast<PetscInt>(candidate.size()), nrows = pattern.nrows,
                 chunks = (nrows + CountOnDiagonals::rows_per_chunk - 1) / CountOnDiagonals::rows_per_chunk;
  Array<PetscInt>           sorted(pattern.space, candidate.data(), n);
  Array<int>                count(pattern.space, static_cast<std::size_t>(chunks) * n);
  Array<std::int64_t>       sums(pattern.space, SumChunks::parts * n);
  std::vector<std::int64_t> totals(n);

  if (bs == 1) { // atomic additions to the same counters would take most of the time
    Array<std::uint64_t> mark(pattern.space, static_cast<std::size_t>((n - 1) / MarkDiagonals::bits + 1) * nrows);

    for_each_csr_row(pattern, 1, MarkDiagonals{nrows, n, pattern.ptr, pattern.col, sorted.data(), mark.data()});
    for_each_row(pattern.space, chunks * n, bound<count_marks>(nrows, n, mark.data(), count.data()));
  } else {
    count.zero();
    for_each_csr_row(pattern, 1, CountOnDiagonals{bs, n, pattern.ptr, pattern.col, sorted.data(), count.data()});
  }
  for_each_row(pattern.space, SumChunks::parts * n, SumChunks{chunks, n, count.data(), sums.data()});
  const std::vector<std::int64_t> part = sums.to_host();
  for (std::size_t k = 0; k < part.size(); k++) totals[k % n] += part[k];
  return totals;
}

/* The same, looking for the entries of those rows alone that are not like the row before. *runs: see Diagonals */
std::vector<std::int64_t> count_on_host(const Csr &A, PetscInt bs, const std::vector<PetscInt> &candidate, std::vector<PetscInt> *runs)
{
  const OffsetTable         table(candidate);
  std::vector<std::int64_t> totals(candidate.size() + 1); // the last: of entries on none of them
  const std::size_t         most = static_cast<std::size_t>(A.nrows / rows_of_a_run) + 1;

  if (!some_alike(A, bs, table)) {
    run_on_host([&] {
      for (PetscInt row = 0; row < A.nrows; row++) {
        const PetscInt node = row / bs;

        for (PetscInt j = A.ptr[row]; j < A.ptr[row + 1]; j++) totals[table.find(divided(A.col[j], bs) - node)]++;
      }
    });
    totals.pop_back();
    return totals;
  }
  runs->reserve(most + 2); // a host's loop is none to be without memory in
  run_on_host([&] {
    for_each_run(A, bs, table, [&](PetscInt row, PetscInt count) {
      const PetscInt node = row / bs;

      if (runs->size() <= most) runs->push_back(row);
      for (PetscInt j = A.ptr[row]; j < A.ptr[row + 1]; j++) totals[table.find(divided(A.col[j], bs) - node)] += count;
    });
  });
  if (runs->size() <= most) runs->push_back(A.nrows);
  else runs->clear();
  totals.pop_back();
  return totals;
}

} // namespace

Diagonals find_diagonals(const Csr &A, PetscInt bs, double share)
{
  Diagonals      found;
  const PetscInt nsamples = std::min(A.nrows, sampled_rows);
  PetscInt       nnz      = 0;

  found.bs = bs;
  if (!A.nrows) return found;
  nnz       = entries(A);
  found.nnz = nnz;

  Array<PetscInt> sample(A.space, static_cast<std::size_t>(nsamples) * sampled_entries);
  for_each_row(A.space, nsamples, bound<sample_offsets>(A.nrows, nsamples, bs, A.ptr, A.col, sample.data()));
  std::vector<PetscInt>                      seen = sample.to_host();
  std::vector<std::pair<PetscInt, PetscInt>> often; // (-times, offset)
  seen.erase(std::remove(seen.begin(), seen.end(), PETSC_MAX_INT), seen.end());
  std::sort(seen.begin(), seen.end());
  for (std::size_t k = 0, next; k < seen.size(); k = next) {
    next               = static_cast<std::size_t>(std::upper_bound(seen.begin() + k, seen.end(), seen[k]) - seen.begin());
    const double times = static_cast<double>(next - k);

    /* a sample may miss a little: the count below decides */
    if (times >= 0.5 * share * nsamples * bs) often.push_back({-static_cast<PetscInt>(times), seen[k]});
  }
  std::sort(often.begin(), often.end());
  if (often.size() > max_diagonals) often.resize(max_diagonals);
  std::vector<PetscInt> candidate;
  for (const auto &pair : often) candidate.push_back(pair.second);
  std::sort(candidate.begin(), candidate.end());
  if (candidate.empty()) return found;

  const PetscInt                  n      = static_cast<PetscInt>(candidate.size());
  const std::vector<std::int64_t> totals = A.space == Space::Host ? count_on_host(A, bs, candidate, &found.runs)
                                                                  : count_on_device({A.space, A.nrows, A.ncols, A.ptr, A.col, nullptr, nnz}, bs, candidate);
  for (PetscInt d = 0; d < n; d++) {
    if (static_cast<double>(totals[d]) < share * static_cast<double>(A.nrows) * static_cast<double>(bs)) continue;
    found.offset.push_back(candidate[d]);
    found.inside += totals[d];
  }
  return found;
}

/* 27 points on a grid of n x n x n have the positive offsets  1 | n-1 n n+1 | n^2-n-1 ... n^2+n+1: the middle of the second group is the line, the
   middle of what follows the plane. */
GridStrides grid_strides(const std::vector<PetscInt> &offset)
{
  GridStrides           grid;
  std::vector<PetscInt> positive;
  std::size_t           k = 0;

  for (PetscInt o : offset)
    if (o > 0) positive.push_back(o);
  if (positive.empty()) return grid;
  while (k + 1 < positive.size() && positive[k + 1] - positive[k] <= positive[0]) k++;
  const PetscInt    reach = positive[k];
  const std::size_t begin = ++k;
  if (begin == positive.size() || positive[begin] < 4 * reach) return grid;
  while (k + 1 < positive.size() && positive[k + 1] - positive[k] <= 2 * reach) k++;
  grid.line = (positive[begin] + positive[k]) / 2;
  if (k + 1 < positive.size()) {
    const PetscInt middle = (positive[k + 1] + positive.back()) / 2;

    if (middle >= 2 * grid.line) grid.plane = middle;
  }
  return grid;
}

} // namespace goza::mat
