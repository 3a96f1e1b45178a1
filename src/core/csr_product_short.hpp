/* Rows of few columns of a product, a thread each (csr_product.hpp: terms, order of the sums, and the rows that are longer). The threads' tables lie side by side,
   a word of each after the other, so that no two meet in a bank of the shared memory. */
#pragma once
#include "csr_matrix.hpp"
#include "csr_pattern.hpp"

#if defined(__CUDACC__)
namespace goza
{
namespace product
{

constexpr int      short_slots = 32, short_threads = 49152 / (short_slots * (sizeof(PetscInt) + sizeof(PetscScalar))) / 32 * 32;
constexpr PetscInt fit_short = short_slots / 4 * 3; // columns

/* Whether most rows of a matrix may be taken for short, and are enough to fill the device one thread each: of an interpolation, and of a matrix times one. */
inline bool mostly_short(PetscInt nrows, PetscInt ncols)
{
  return nrows >= 20000 && nrows / 4 >= ncols;
}

template <bool sums> struct ShortTables {
  PetscInt    key[short_slots][short_threads];
  PetscScalar sum[sums ? short_slots : 1][sums ? short_threads : 1];
};

/* A thread's place in them. */
template <bool sums> struct ShortTable {
  ShortTables<sums> &all;

  __device__ PetscInt    &key(int s) const { return all.key[s][threadIdx.x]; }
  __device__ PetscScalar &sum(int s) const { return all.sum[s][threadIdx.x]; }

  __device__ void clear() const
  {
    for (int s = 0; s < short_slots; s++) key(s) = pattern::no_column;
  }

  /* The column's slot. Never full: fit_short and one more are inserted at most. */
  __device__ int insert(PetscInt c, PetscInt &count) const
  {
    int s = static_cast<int>((static_cast<std::uint32_t>(c) * 0x9E3779B1u) >> 15) & (short_slots - 1);

    for (;;) {
      const PetscInt held = key(s);

      if (held == c) return s;
      if (held == pattern::no_column) {
        key(s) = c;
        if constexpr (sums) sum(s) = 0;
        count++;
        return s;
      }
      s = (s + 1) & (short_slots - 1);
    }
  }

  /* The columns to the front, ascending, and the sums with them. */
  __device__ void sort() const
  {
    int n = 0;

    for (int s = 0; s < short_slots; s++) {
      const PetscInt    c = key(s);
      const PetscScalar v = sum(s);
      int               t = n;

      if (c == pattern::no_column) continue;
      for (; t > 0 && key(t - 1) > c; t--) {
        key(t) = key(t - 1);
        sum(t) = sum(t - 1);
      }
      key(t) = c;
      sum(t) = v;
      n++;
    }
  }
};

/* Not fused with the addition behind it: every way of doing a row then gives the same sums. */
__device__ inline double rounded_product(double a, double b)
{
  return __dmul_rn(a, b);
}
__device__ inline float rounded_product(float a, float b)
{
  return __fmul_rn(a, b);
}

/* Lengths of the rows; of more columns than fit_short, -1, and *longer is set. */
template <class Terms> __global__ void __launch_bounds__(short_threads) ShortCountKernel(PetscInt n, Terms terms, PetscInt *length, int *longer)
{
  __shared__ ShortTables<false> tables;
  const ShortTable<false>       table{tables};
  const std::int64_t            i     = static_cast<std::int64_t>(blockIdx.x) * short_threads + threadIdx.x;
  const PetscInt                row   = static_cast<PetscInt>(i);
  PetscInt                      count = 0;

  if (i >= n) return;
  table.clear();
  if (terms.extra(row) != pattern::no_column) table.insert(terms.extra(row), count);
  for (PetscInt p = terms.begin(row); p < terms.end(row) && count <= fit_short; p++) {
    PetscInt    first, entries;
    PetscScalar factor;

    terms.open(p, first, entries, factor);
    for (PetscInt q = first; q < first + entries && count <= fit_short; q++) table.insert(terms.column(q), count);
  }
  length[row] = count <= fit_short ? count : -1;
  if (count > fit_short) *longer = 1;
}

/* Columns, ascending, unless they are known, and values of the rows of at most fit_short entries; *longer is set where some have more. */
template <bool known, class Terms>
__global__ void __launch_bounds__(short_threads) ShortFillKernel(PetscInt n, Terms terms, const PetscInt *ptr, PetscInt *col, PetscScalar *val, int *longer)
{
  __shared__ ShortTables<true> tables;
  const ShortTable<true>       table{tables};
  const std::int64_t           i     = static_cast<std::int64_t>(blockIdx.x) * short_threads + threadIdx.x;
  const PetscInt               row   = static_cast<PetscInt>(i);
  PetscInt                     count = 0;

  if (i >= n) return;
  const PetscInt at = ptr[row], length = ptr[row + 1] - at;

  if (length > fit_short) {
    *longer = 1;
    return;
  }
  if (!length) return;
  table.clear();
  for (PetscInt k = 0; known && k < length; k++) table.insert(col[at + k], count);
  if (!known && terms.extra(row) != pattern::no_column) table.insert(terms.extra(row), count);
  for (PetscInt p = terms.begin(row); p < terms.end(row); p++) {
    PetscInt    first, entries;
    PetscScalar factor;

    terms.open(p, first, entries, factor);
    for (PetscInt q = first; q < first + entries; q++) {
      const int s = table.insert(terms.column(q), count);

      table.sum(s) += rounded_product(factor, terms.value(q));
    }
  }
  if (!known) table.sort();
  for (PetscInt k = 0; k < length; k++) {
    const PetscInt c = known ? col[at + k] : table.key(k);

    if (!known) col[at + k] = c;
    val[at + k] = terms.finish(row, c, table.sum(known ? table.insert(c, count) : k));
  }
}

template <class Terms> void count_short_rows(PetscInt n, const Terms &terms, PetscInt *length, int *longer)
{
  launch_kernel(ShortCountKernel<Terms>, blocks_for(n, short_threads), short_threads, n, terms, length, longer);
}

template <bool known, class Terms> void fill_short_rows(const Terms &terms, CsrMatrix &C, int *longer)
{
  launch_kernel(ShortFillKernel<known, Terms>, blocks_for(C.nrows, short_threads), short_threads, C.nrows, terms, static_cast<const PetscInt *>(C.ptr.data()),
                C.col.data(), C.val.data(), longer);
}

} // namespace product
} // namespace goza
#endif
