/* How the arrays of sliced ELL are filled from CSR: bodies that write one place of the slices, or what one of several threads writes of it. */
#pragma once
#include "block_ell_view.hpp"

namespace goza::mat {

constexpr int ell_largest_block = 6; // see ell_holds_blocks()

/* The values of the places of the slices, block by block. */
template <class Store> struct BlockFill {
  PetscInt            nplaces;
  int                 shift, br, bc;
  PetscInt            team, W; // threads that share a block row in a product; values that stand together
  const PetscInt     *ptr, *row;
  const PetscScalar  *aval;
  const std::int64_t *slice_ptr;
  Store              *val;

  HD void operator()(PetscInt place) const { put(place, br, bc); }

  /* rows, columns: br and bc, or constants that are the same */
  template <class Rows, class Columns> HD void put(PetscInt place, Rows rows, Columns columns, PetscInt first = 0) const
  {
    const PetscInt H = PetscInt(1) << shift, offset = place & (H - 1), slice = place >> shift;
    const PetscInt i = place < nplaces && row ? row[place] : place, n = place < nplaces ? (ptr[i * rows + 1] - ptr[i * rows]) / columns : 0;
    const PetscInt width = static_cast<PetscInt>((slice_ptr[slice + 1] - slice_ptr[slice]) >> shift);

    for (PetscInt k = first; k < width; k++) {
      const BlockPlace block(slice_ptr[slice], width, k, H, team, rows * columns, W);
      Store           *to = val + (block.at + offset * W);

      PetscInt w = 0; // of the values that stand together; counted, for divisions take longer than all else
      for (int r = 0; r < rows; r++) {
        const PetscScalar *from = k < n ? aval + (ptr[i * rows + r] + k * columns) : nullptr;

        for (int c = 0; c < columns; c++) {
          to[w] = from ? static_cast<Store>(from[c]) : Store(0);
          if (++w < W) continue;
          w = 0;
          to += block.step;
        }
      }
    }
  }

  /* On a host: the blocks that all places of a slice have, a value of each place after the other. */
  template <class Rows, class Columns> void put_slice(PetscInt slice, Rows rows, Columns columns) const
  {
    constexpr int      H      = 1 << host_shift;
    const PetscInt     place  = slice << shift;
    PetscInt           common = shift == host_shift && place + H <= nplaces && team == 1 && W == 1 ? PETSC_MAX_INT : 0;
    const PetscScalar *from[ell_largest_block][H];

    for (int p = 0; common && p < H; p++) {
      const PetscInt i = row ? row[place + p] : place + p;

      common = PetscMin(common, (ptr[i * rows + 1] - ptr[i * rows]) / columns);
      for (int r = 0; r < rows; r++) from[r][p] = aval + ptr[i * rows + r];
    }
    Store *to = val + slice_ptr[slice] * (rows * columns);

    for (PetscInt k = 0; k < common; k++) {
      for (int r = 0; r < rows; r++) {
        for (int c = 0; c < columns; c++, to += H) {
          Store of_all[H];

          for (int p = 0; p < H; p++) of_all[p] = static_cast<Store>(from[r][p][k * columns + c]);
          for (int p = 0; p < H; p++) to[p] = of_all[p]; // H values at once: by themselves each could be the next one's source
        }
      }
    }
    for (PetscInt p = place; p < (slice + 1) << shift; p++) put(p, rows, columns, common);
  }
};

#if defined(__CUDACC__)
constexpr int block_fill_threads = 256;

/* The same with a block of threads a slice, `at_once` of its blocks by way of shared memory: compressed rows are read along, and slices written along. */
template <class Store> __global__ void __launch_bounds__(block_fill_threads) BlockFillKernel(const BlockFill<Store> fill, PetscInt at_once)
{
  extern __shared__ double memory[];

  Store *const       chip  = reinterpret_cast<Store *>(memory);
  const auto         place = [](PetscInt e) { return e + e / 32; }; // the values of a row, which lie H words apart, in different banks
  const PetscInt     H = PetscInt(1) << fill.shift, slice = blockIdx.x, values = fill.br * fill.bc;
  const std::int64_t begin = fill.slice_ptr[slice];
  const PetscInt     width = static_cast<PetscInt>((fill.slice_ptr[slice + 1] - begin) >> fill.shift);

  for (PetscInt first = 0; first < width; first += at_once) {
    const PetscInt held = width - first < at_once ? width - first : at_once, stored = held * H * values;

    for (PetscInt e = threadIdx.x; e < stored; e += block_fill_threads) chip[place(e)] = Store(0);
    __syncthreads();
    for (PetscInt t = threadIdx.x / 32; t < H * fill.br; t += block_fill_threads / 32) { // a warp a row
      const PetscInt offset = t / fill.br, r = t % fill.br;

      if ((slice << fill.shift) + offset >= fill.nplaces) break;
      const PetscInt i    = fill.row ? fill.row[(slice << fill.shift) + offset] : (slice << fill.shift) + offset;
      const PetscInt from = fill.ptr[i * fill.br + r] + first * fill.bc, left = fill.ptr[i * fill.br + r + 1] - from,
                     n = left < held * fill.bc ? left : held * fill.bc;

      for (PetscInt j = threadIdx.x % 32; j < n; j += 32) {
        const PetscInt   v = r * fill.bc + j % fill.bc;
        const BlockPlace block(0, width - first, j / fill.bc, H, fill.team, values, fill.W);

        chip[place(static_cast<PetscInt>(block.at) + offset * fill.W + v / fill.W * block.step + v % fill.W)] = static_cast<Store>(fill.aval[from + j]);
      }
    }
    __syncthreads();
    for (PetscInt e = threadIdx.x; e < stored; e += block_fill_threads) fill.val[(begin + static_cast<std::int64_t>(first) * H) * values + e] = chip[place(e)];
    __syncthreads();
  }
}

template <class Store> void fill_blocks_on_device(PetscInt nslices, const BlockFill<Store> &fill)
{
  constexpr std::size_t bytes    = 32 * 1024; // of a block of threads
  const std::size_t     of_block = (static_cast<std::size_t>(fill.br * fill.bc) << fill.shift) * sizeof(Store);
  const PetscInt        fit = static_cast<PetscInt>(bytes / of_block) / fill.team, at_once = fill.team * (fit > 0 ? fit : 1);

  launch_kernel_with<BlockFillKernel<Store>>(at_once * of_block / 32 * 33 + sizeof(Store), dim3(static_cast<unsigned>(nslices)), block_fill_threads, fill,
                                             at_once);
}
#endif

/* Writes the places of the slices, all H of the last slice included, each by `team` threads; columns and values where they are asked for, shared columns by one
   of the slices that share them. */
template <class Store> struct EllFill {
  PetscInt            nplaces;
  int                 shift, team;
  bool                columns, spread; // spread: first[] holds the slices' least columns
  const PetscInt     *ptr, *acol, *row;
  const PetscScalar  *aval;
  const std::int64_t *slice_ptr, *col_ptr;
  const EllHead      *head; // of slices that share their columns, or none
  const PetscInt     *like; // the slice whose columns a slice has
  LocalColumn        *col, *first;
  std::uint16_t      *gap;
  Store              *val; // or none

  HD void operator()(PetscInt k) const
  {
    const PetscInt H = PetscInt(1) << shift, offset = k & (H - 1), slice = (k >> shift) / team, member = (k >> shift) % team, place = (slice << shift) + offset;
    const std::int64_t begin = slice_ptr[slice], end = slice_ptr[slice + 1], at = head ? head[slice].at : columns ? col_ptr[slice] : 0;
    PetscInt           j = 0, stop = 0, last = spread && columns ? first[slice] : head ? head[slice].base : 0, before = last;

    if (like && like[slice] != slice) return;
    if (place < nplaces) {
      const PetscInt i = row ? row[place] : place;

      j    = ptr[i];
      stop = ptr[i + 1];
      if (columns && j < stop) {
        last = acol[j];
        if (!spread) before = last;
      }
      if (columns && !spread && first && member == 0) first[place] = static_cast<LocalColumn>(last);
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
      if (columns && at >= 0) col[at + e - begin] = static_cast<LocalColumn>(head ? last - head[slice].base : last);
      if (!spread) before = last;
    }
  }
};

/* The same on a host where every column is whole and slices share none: the entries that all rows of a slice have are written H at a time, what is left a row
   after the other. */
template <class Store> struct EllFillOnHost {
  PetscInt            nplaces;
  int                 shift;
  const PetscInt     *ptr, *acol, *row;
  const PetscScalar  *aval;
  const std::int64_t *slice_ptr, *col_ptr;
  LocalColumn        *col; // or none
  Store              *val; // or none

  void operator()(PetscInt slice) const
  {
    constexpr int usual = 1 << host_shift, ahead = 4; // slices

    if (shift != host_shift || ((slice + 1) << shift) > nplaces) {
      for (PetscInt offset = 0; offset < PetscInt(1) << shift; offset++) fill_row(slice, offset, 0);
      return;
    }
    PetscInt from[usual], most = PETSC_MAX_INT;

    for (PetscInt place = (slice + ahead) << host_shift, end = PetscMin(place + usual, nplaces); row && place < end; place++) ask_for(row[place]);
    for (int p = 0; p < usual; p++) {
      const PetscInt place = (slice << host_shift) + p, i = row ? row[place] : place;

      from[p] = ptr[i];
      most    = PetscMin(most, ptr[i + 1] - from[p]);
    }
    if (val) put_together<usual>(val + slice_ptr[slice], most, [&](int p, PetscInt m) { return static_cast<Store>(aval[from[p] + m]); });
    if (col) put_together<usual>(col + col_ptr[slice], most, [&](int p, PetscInt m) { return static_cast<LocalColumn>(acol[from[p] + m]); });
    if ((static_cast<std::int64_t>(most) << shift) == slice_ptr[slice + 1] - slice_ptr[slice]) return;
    for (int p = 0; p < usual; p++) fill_row(slice, p, most);
  }

private:
  /* Sorted rows are read from here and there, which no processor foresees. Both ends: most rows have few lines of the cache. */
  [[gnu::always_inline]] void ask_for(PetscInt i) const // as a call it would be one without effect
  {
    const PetscInt ends[] = {ptr[i], ptr[i] + 8, ptr[i + 1] - 1};

    for (PetscInt j : ends) {
      if (j >= ptr[i + 1] || j < ptr[i]) continue;
      if (val) __builtin_prefetch(aval + j);
      if (col) __builtin_prefetch(acol + j);
    }
  }

  template <int H, class T, class From> static void put_together(T *to, PetscInt steps, const From &from)
  {
    for (PetscInt m = 0; m < steps; m++, to += H)
      for (int p = 0; p < H; p++) to[p] = from(p, m);
  }

  /* A place's entries but for the first so many, and what stands behind their end. */
  void fill_row(PetscInt slice, PetscInt offset, PetscInt first) const
  {
    const PetscInt H = PetscInt(1) << shift, place = (slice << shift) + offset, i = place >= nplaces ? -1 : row ? row[place] : place, from = i < 0 ? 0 : ptr[i];
    const std::int64_t begin = slice_ptr[slice], steps = (slice_ptr[slice + 1] - begin) >> shift, n = i < 0 ? 0 : PetscMin(steps, ptr[i + 1] - from);

    if (val)
      put(
        val + begin + offset, H, first, steps, n, [&](std::int64_t m) { return static_cast<Store>(aval[from + m]); }, Store(0));
    if (col)
      put(
        col + col_ptr[slice] + offset, H, first, steps, n, [&](std::int64_t m) { return static_cast<LocalColumn>(acol[from + m]); },
        static_cast<LocalColumn>(n ? acol[from + n - 1] : 0));
  }

  template <class T, class From> static void put(T *to, PetscInt H, std::int64_t first, std::int64_t steps, std::int64_t n, const From &from, T behind)
  {
    to += first * H;
    for (std::int64_t m = first; m < n; m++, to += H) *to = from(m);
    for (std::int64_t m = PetscMax(first, n); m < steps; m++, to += H) *to = behind;
  }
};

} // namespace goza::mat
