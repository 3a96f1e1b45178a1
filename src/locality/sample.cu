#include "sample.hpp"
#include "core/algorithm.hpp"
#include "core/csr_matrix.hpp"
#include "core/for_each_row.hpp"
#include <algorithm>

namespace goza
{

namespace
{

constexpr std::int64_t block_entries = 4096; // a block of long rows takes fewer of them

/* Rows of more than ordinary_row entries: 2^40 for each and their entries; and the length of all. */
struct LongRows {
  const PetscInt *ptr;
  std::int64_t   *length, *beyond;

  HD void operator()(PetscInt row) const
  {
    const std::int64_t n = ptr[row + 1] - ptr[row];

    length[row] = n;
    beyond[row] = n > ordinary_row ? n : 0;
  }
};

struct IsLong {
  std::int64_t *beyond;

  HD void operator()(PetscInt row) const { beyond[row] = beyond[row] > 0; }
};

void count_long_rows(const Csr &A, Sample &sample)
{
  if (A.space == Space::Host) {
    for (PetscInt row = 0; row < A.nrows; row++) {
      const PetscInt n = A.ptr[row + 1] - A.ptr[row];

      sample.longest = std::max(sample.longest, n);
      if (n > ordinary_row) {
        sample.long_rows++;
        sample.long_nnz += n;
      }
    }
    return;
  }
  Array<std::int64_t> length(A.space, A.nrows), beyond(A.space, A.nrows);

  for_each_row(A.space, A.nrows, LongRows{A.ptr, length.data(), beyond.data()});
  sample.longest = static_cast<PetscInt>(largest(A.space, length.data(), A.nrows));
  if (sample.longest <= ordinary_row) return;
  sample.long_nnz = sum(A.space, beyond.data(), A.nrows);
  for_each_row(A.space, A.nrows, IsLong{beyond.data()});
  sample.long_rows = sum(A.space, beyond.data(), A.nrows);
}

/* n values from `from` of an array, wherever it is */
void fetch(Space space, const PetscInt *from, PetscInt n, std::vector<PetscInt> &to)
{
  to.resize(n);
  if (!n) return;
  if (space == Space::Host) std::copy(from, from + n, to.begin());
  else device::copy(to.data(), from, n * sizeof(PetscInt));
}

} // namespace

Sample take_sample(const Csr &A)
{
  const bool      at_hand = A.host_ptr && A.host_col;
  const Space     space   = at_hand ? Space::Host : A.space;
  const PetscInt *ptr = at_hand ? A.host_ptr : A.ptr, *col = at_hand ? A.host_col : A.col;
  const PetscInt  all = (A.nrows + sample_window - 1) / sample_window, n = std::min(all, sample_windows);
  std::int64_t    rows = 0, entries = 0;
  Sample          sample;

  sample.rows = A.nrows;
  sample.cols = A.ncols;
  sample.nnz = entries = 0;
  if (!A.nrows) return sample;
  sample.nnz = goza::entries(A);
  count_long_rows(A, sample);
  for (PetscInt w = 0; w < n; w++) {
    SampleWindow          window;
    const std::int64_t    place = (2 * static_cast<std::int64_t>(w) + 1) * all / (2 * n);
    std::vector<PetscInt> pointers;

    window.begin       = static_cast<PetscInt>(place) * sample_window;
    const PetscInt end = std::min(window.begin + std::min(sample_window, A.nrows - window.begin), A.nrows), nrows = end - window.begin;
    fetch(space, ptr + window.begin, nrows + 1, pointers);
    window.length.resize(nrows);
    for (PetscInt i = 0; i < nrows; i++) window.length[i] = pointers[i + 1] - pointers[i];
    /* a block somewhere in the window: a fixed place would meet only the faces of some grids */
    const PetscInt nblocks = (nrows + sample_block - 1) / sample_block, block = static_cast<PetscInt>(w * 2654435761u % static_cast<unsigned>(nblocks)) * sample_block;
    PetscInt last = block, left = static_cast<PetscInt>(block_entries);

    while (last < nrows && last < block + sample_block && (last < block + 32 || left > 0)) left -= std::min(window.length[last++], ordinary_row);
    window.block = window.begin + block;
    window.ptr.push_back(0);
    for (PetscInt i = block; i < last; i++) { // long rows are left out: they are not ordinary
      if (window.length[i] <= ordinary_row) {
        window.ptr.push_back(window.ptr.back() + window.length[i]);
        continue;
      }
      window.ptr.push_back(window.ptr.back());
    }
    if (window.ptr.back() == pointers[last] - pointers[block]) fetch(space, col + pointers[block], window.ptr.back(), window.col);
    else {
      std::vector<PetscInt> row;

      for (PetscInt i = block; i < last; i++) {
        if (window.length[i] > ordinary_row) continue;
        fetch(space, col + pointers[i], window.length[i], row);
        window.col.insert(window.col.end(), row.begin(), row.end());
      }
    }
    rows += nrows;
    entries += window.ptr.back();
    sample.windows.push_back(std::move(window));
  }
  sample.row_share = static_cast<double>(rows) / static_cast<double>(A.nrows);
  sample.nnz_share = sample.nnz ? static_cast<double>(entries) / static_cast<double>(sample.nnz) : 1;
  return sample;
}

} // namespace goza
