/* Rows of a product whose terms have no more entries, all together, than there are lanes: each lane has one, and those of the same column find one another,
   without a table. Terms and sums are those of csr_product.hpp. */
#pragma once
#include "csr.hpp"
#include <cstdint>

#if defined(__CUDACC__)
namespace goza
{
namespace product
{

constexpr unsigned all_lanes = 0xffffffffu;

/* A lane's entry of a row that is done by so many lanes of a warp, all of which come here. there: the row is one. */
template <int Lanes> struct ShortRow {
  bool        fits;                // else nothing else is known
  PetscInt    column  = no_column; // or it is not there
  PetscScalar value   = 0;         // only with `sums`
  unsigned    peers   = 0;         // the lanes with this column
  unsigned    leaders = 0;         // of the row, the first with each column

  template <bool sums, class Terms> __device__ void find(const Terms &terms, bool there, PetscInt row)
  {
    const int      lane  = self() % Lanes;
    const PetscInt begin = there ? terms.begin(row) : 0, end = there ? terms.end(row) : 0, extra = there ? terms.extra(row) : no_column;
    PetscInt       first = 0, length = 0;
    PetscScalar    factor = 0;

    fits = end - begin <= Lanes;
    if (!__any_sync(all_lanes, fits)) return;
    if (fits && begin + lane < end) terms.open(begin + lane, first, length, factor);
    PetscInt before = length; // entries of this and all earlier terms, then of the earlier ones

    for (int d = 1; d < Lanes; d *= 2) {
      const PetscInt other = __shfl_sync(all_lanes, before, self() - (lane >= d ? d : 0));

      if (lane >= d) before += other;
    }
    const PetscInt total = __shfl_sync(all_lanes, before, self() - lane + Lanes - 1);

    before -= length;
    first -= before;
    fits = fits && total + (extra != no_column) <= Lanes;
    if (!__any_sync(all_lanes, fits)) return;
    int owner = self() - lane; // the last term with no more than `lane` entries before it

    for (int step = Lanes / 2; step; step /= 2) {
      const PetscInt b = __shfl_sync(all_lanes, before, owner + step);

      if (b <= lane) owner += step;
    }
    const PetscInt q = __shfl_sync(all_lanes, first, owner) + lane;

    if (fits && lane < total) column = terms.column(q);
    else if (fits && lane == total) column = extra;
    if constexpr (sums) {
      const PetscScalar f = __shfl_sync(all_lanes, factor, owner);

      if (fits && lane < total) value = f * terms.value(q);
    }
    peers   = __match_any_sync(all_lanes, column) & lanes();
    leaders = __ballot_sync(all_lanes, column != no_column && leads()) & lanes();
  }

  /* The row's entries, of which there are as many as leaders, columns ascending. */
  template <class Terms> __device__ void write(const Terms &terms, PetscInt row, PetscInt at, PetscInt *col, PetscScalar *val) const
  {
    const bool  mine = fits && leaders >> self() & 1;
    unsigned    rest = mine ? peers & (peers - 1) : 0;
    PetscScalar sum  = PetscScalar(0) + value;

    while (__any_sync(all_lanes, rest != 0)) {
      const PetscScalar other = __shfl_sync(all_lanes, value, rest ? __ffs(rest) - 1 : self());

      if (rest) sum += other;
      rest &= rest - 1;
    }
    int rank = 0;

    for (rest = fits ? leaders : 0; __any_sync(all_lanes, rest != 0); rest &= rest - 1) {
      const PetscInt other = __shfl_sync(all_lanes, column, rest ? __ffs(rest) - 1 : self());

      rank += rest && other < column;
    }
    if (!mine) return;
    col[at + rank] = column;
    val[at + rank] = terms.finish(row, column, sum);
  }

private:
  __device__ static int      self() { return threadIdx.x % 32; }
  __device__ static unsigned lanes() { return (all_lanes >> (32 - Lanes)) << (self() / Lanes * Lanes); }
  __device__ bool            leads() const { return __ffs(peers) - 1 == self(); }
};

/* Several rows a warp, where all of them are short. Lengths; -1: it is not. */
template <int Lanes, class Terms> __global__ void __launch_bounds__(128) ShortCountKernel(PetscInt n, Terms terms, PetscInt *length)
{
  const std::int64_t row = (static_cast<std::int64_t>(blockIdx.x) * 128 + threadIdx.x) / Lanes;
  ShortRow<Lanes>    brief;

  brief.template find<false>(terms, row < n, static_cast<PetscInt>(row));
  if (row < n && threadIdx.x % Lanes == 0) length[row] = brief.fits ? __popc(brief.leaders) : -1;
}

template <int Lanes, class Terms>
__global__ void __launch_bounds__(128) ShortFillKernel(PetscInt n, Terms terms, const PetscInt *ptr, PetscInt *col, PetscScalar *val)
{
  const std::int64_t row = (static_cast<std::int64_t>(blockIdx.x) * 128 + threadIdx.x) / Lanes;
  ShortRow<Lanes>    brief;

  brief.template find<true>(terms, row < n, static_cast<PetscInt>(row));
  brief.write(terms, static_cast<PetscInt>(row), row < n ? ptr[row] : 0, col, val);
}

} // namespace product
} // namespace goza
#endif
