/* Row bodies of the second smoothing of P within its pattern. */
#pragma once
#include "core/launch/by_lanes.hpp"
#include "core/sparse/csr.hpp"

namespace goza::saamg {

/* Rows of P that are longer keep what they have, and count elsewhere as what is outside: the work of an entry of A is bounded. */
constexpr PetscInt most_reached_within = 64;

/* By what a row is multiplied that interpolates `found` and is to interpolate `wanted`; 0: that is no small matter, as where the near-null vector is 0. */
HD inline PetscScalar share_out(PetscScalar wanted, PetscScalar found)
{
  const PetscReal size2 = PetscRealPart(found * PetscConj(found)), along = PetscRealPart(wanted * PetscConj(found));

  return 3 * along >= size2 && along <= 3 * size2 && size2 > 0 ? wanted / found : PetscScalar(0);
}

/* P coarse_B */
HD inline void interpolate_at(PetscInt i, const PetscInt *ptr, const PetscInt *col, const PetscScalar *val, const PetscScalar *coarse, PetscScalar *sum)
{
  PetscScalar s = 0;

  for (PetscInt p = ptr[i]; p < ptr[i + 1]; p++) s += val[p] * coarse[col[p]];
  sum[i] = s;
}

/* A row of (I - omega D^-1 A) P in the pattern of P's. */
struct WithinRow {
  const PetscInt    *aptr, *acol;
  const PetscScalar *aval, *dinv;
  PetscReal          omega;
  const PetscInt    *ptr, *col;    // of P's rows and, below them, those of A's ghosts
  const PetscScalar *old;          // values of these
  const PetscInt    *coarse_place; // of P's own entries in coarse
  const PetscScalar *coarse, *sum; // [P's columns], [A's columns]
  PetscScalar       *val;
  PetscInt          *place = nullptr; // [columns of P's rows] zeros, on a host, where rows come one after the other; else val has A P's entries

  HD void operator()(PetscInt i, int lane, int lanes) const
  {
    const PetscInt first = ptr[i], end = ptr[i + 1];

    if (first == end || end - first > most_reached_within) {
      for (PetscInt p = first + lane; p < end; p += lanes) val[p] = old[p];
      return;
    }
    const PetscScalar wanted = place ? add_by_place(*this, i, first, end, place, val) : sum_of_lanes(interpolated(i, lane, lanes), lanes);
    const PetscScalar f      = -omega * dinv[i];
    PetscScalar       found  = 0;

    for (PetscInt p = first + lane; p < end; p += lanes) {
      val[p] = old[p] + f * val[p];
      found += val[p] * coarse[coarse_place[p]];
    }
    const PetscScalar share = share_out(sum[i] + f * wanted, sum_of_lanes(found, lanes));

    for (PetscInt p = first + lane; p < end; p += lanes) val[p] = share == PetscScalar(0) ? old[p] : share * val[p];
  }

private:
  /* A lane's part of A's row times `sum`. */
  HD PetscScalar interpolated(PetscInt i, int lane, int lanes) const
  {
    PetscScalar part = 0;

    for (PetscInt q = aptr[i] + lane; q < aptr[i + 1]; q += lanes) part += aval[q] * sum[acol[q]];
    return part;
  }

  /* val = the row of A P, without a jump: what falls outside the pattern is summed up in the first place. Returns A's row times `sum`. A function of its own,
     so that its numbers stay in registers. */
#if !defined(__CUDA_ARCH__)
  __attribute__((noinline))
#endif
  HD static PetscScalar
  add_by_place(const WithinRow row, PetscInt i, PetscInt first, PetscInt end, PetscInt *__restrict__ place, PetscScalar *__restrict__ val)
  {
    PetscScalar sums[most_reached_within + 1], wanted = 0;

    for (PetscInt p = first; p < end; p++) {
      place[row.col[p]]   = p - first + 1;
      sums[p - first + 1] = 0;
    }
    sums[0] = 0;
    for (PetscInt q = row.aptr[i]; q < row.aptr[i + 1]; q++) {
      const PetscInt    j = row.acol[q], begin = row.ptr[j], last = row.ptr[j + 1] - begin > most_reached_within ? begin : row.ptr[j + 1];
      const PetscScalar a = row.aval[q];

      wanted += a * row.sum[j];
      for (PetscInt r = begin; r < last; r++) sums[place[row.col[r]]] += a * row.old[r];
    }
    for (PetscInt p = first; p < end; p++) {
      val[p]            = sums[p - first + 1];
      place[row.col[p]] = 0;
    }
    return wanted;
  }
};

#if defined(__CUDACC__)
/* The rows of A P, for csr_product.hpp. */
struct WithinTerms {
  const PetscInt    *aptr, *acol;
  const PetscScalar *aval;
  const PetscInt    *ptr, *col;
  const PetscScalar *old;

  __device__ PetscInt begin(PetscInt row) const { return aptr[row]; }
  __device__ PetscInt end(PetscInt row) const { return aptr[row + 1]; }
  __device__ void     open(PetscInt p, PetscInt &first, PetscInt &length, PetscScalar &factor) const
  {
    first  = ptr[acol[p]];
    length = ptr[acol[p] + 1] - first;
    if (length > most_reached_within) length = 0;
    factor = aval[p];
  }
  __device__ PetscInt    column(PetscInt q) const { return col[q]; }
  __device__ PetscScalar value(PetscInt q) const { return old[q]; }
  __device__ PetscInt    extra(PetscInt) const { return no_column; }
  __device__ PetscScalar finish(PetscInt, PetscInt, PetscScalar total) const { return total; }
};
#endif

} // namespace goza::saamg
