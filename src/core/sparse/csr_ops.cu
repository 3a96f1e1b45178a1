#include "csr_ops.hpp"
#include "merged_product.hpp"
#include "csr_product.hpp"
#include "core/launch/by_lanes.hpp"
#include "host_rows.hpp"
#include "core/launch/staged_rows.hpp"

namespace goza {
namespace {

/* --- y = A x */

template <int Lanes, class Out> struct CsrRow {
  Csr                A;
  const PetscScalar *x;
  Out                out;

  /* Long rows would wait for each addition. */
  HD void operator()(PetscInt row) const
  {
    constexpr PetscInt few    = 8;
    const PetscInt     end    = A.ptr[row + 1];
    PetscInt           p      = A.ptr[row];
    PetscScalar        sum[4] = {};

    if (end - p >= few) {
      for (; p + 4 <= end; p += 4)
        for (int k = 0; k < 4; k++) sum[k] += A.val[p + k] * x[A.col[p + k]];
    }
    for (; p < end; p++) sum[0] += A.val[p] * x[A.col[p]];
    out(row, (sum[0] + sum[1]) + (sum[2] + sum[3]));
  }

#if defined(__CUDACC__)
  /* 32 / Lanes rows a warp */
  __device__ void operator()(PetscInt k, int lane) const
  {
    const std::int64_t row = static_cast<std::int64_t>(k) * (32 / Lanes) + lane / Lanes;
    PetscScalar        sum = 0;

    if (row < A.nrows) {
      const PetscInt end = A.ptr[row + 1];

      for (PetscInt p = A.ptr[row] + lane % Lanes; p < end; p += Lanes) sum += stream_load(A.val + p) * x[stream_load(A.col + p)];
    }
    for (int offset = 1; offset < Lanes; offset <<= 1) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    if (row < A.nrows && lane % Lanes == 0) out(static_cast<PetscInt>(row), sum);
  }
#endif
};

struct DotOfRow {
  const PetscScalar *x, *y;

  HD void operator()(PetscInt i, PetscScalar *sum) const { *sum += y[i] * PetscConj(x[i]); }
};

#if defined(__CUDACC__)
/* A row's sum becomes y_i, and a part of the dot product. */
struct AssignAndAdd {
  DotOfRow     row;
  PetscScalar *y, *sum;

  __device__ void operator()(PetscInt i, PetscScalar value) const
  {
    y[i] = value;
    row(i, sum);
  }
};

template <int Lanes>
__global__ void __launch_bounds__(sum_threads, 4) CsrDotKernel(Csr A, const PetscScalar *x, PetscScalar *y, PetscInt groups, GridSum<PetscScalar> sum)
{
  PetscScalar                       mine = 0;
  const CsrRow<Lanes, AssignAndAdd> row{A, x, {{x, y}, y, &mine}};

  for (std::int64_t k = (static_cast<std::int64_t>(blockIdx.x) * sum_threads + threadIdx.x) / 32; k < groups; k += gridDim.x * (sum_threads / 32))
    row(static_cast<PetscInt>(k), threadIdx.x % 32);
  join_grid<Plus, 1>(&mine, sum);
}

/* call(lanes): as many as a row's length is worth. */
template <class Call> void with_lanes(const Csr &A, const Call &call)
{
  const PetscInt nnz = entries(A);

  if (nnz > static_cast<std::int64_t>(40) * A.nrows) call(std::integral_constant<int, 32>());
  else if (nnz > static_cast<std::int64_t>(8) * A.nrows) call(std::integral_constant<int, 8>());
  else call(std::integral_constant<int, 4>());
}

/* Warps for all rows of so many lanes. */
PetscInt groups_of(const Csr &A, int lanes) { return A.nrows / (32 / lanes) + (A.nrows % (32 / lanes) > 0); }
#endif

/* --- transpose */

HD void row_of_entry(PetscInt row, const PetscInt *ptr, PetscInt *row_of)
{
  for (PetscInt p = ptr[row]; p < ptr[row + 1]; p++) row_of[p] = row;
}

HD void gather_at(PetscInt k, const PetscInt *order, const PetscInt *row_of, const PetscScalar *val, PetscInt *col_t, PetscScalar *val_t)
{
  col_t[k] = row_of[order[k]];
  val_t[k] = val[order[k]];
}

/* Values into rows of the transpose: A's entry is looked for in its row. */
struct FillTransposed {
  Csr             A;
  const PetscInt *ptr, *col; // of the transpose
  PetscScalar    *val;

  HD void operator()(PetscInt row, int lane, int lanes) const
  {
    for (PetscInt q = ptr[row] + lane; q < ptr[row + 1]; q += lanes) val[q] = find(col[q], row);
  }

private:
  HD PetscScalar find(PetscInt i, PetscInt j) const { return A.val[lower_bound(A.col, A.ptr[i], A.ptr[i + 1] - 1, j)]; }
};

/* T's columns and values. Row by row: what falls to a row of the transpose comes in the order of its columns. */
void fill_transpose_host(const Csr &A, CsrMatrix &T)
{
  std::vector<PetscInt> next(T.ptr.data(), T.ptr.data() + T.nrows);

  for (PetscInt row = 0; row < A.nrows; row++) {
    for (PetscInt p = A.ptr[row]; p < A.ptr[row + 1]; p++) {
      const PetscInt to = next[A.col[p]]++;

      T.col.data()[to] = row;
      T.val.data()[to] = A.val[p];
    }
  }
}

void transpose_host(const Csr &A, CsrMatrix &T)
{
  const PetscInt nnz = entries(A);

  T.ptr = Array<PetscInt>(Space::Host, T.nrows + 1);
  T.col = Array<PetscInt>(Space::Host, nnz, unset);
  T.val = Array<PetscScalar>(Space::Host, nnz, unset);
  for (PetscInt p = 0; p < nnz; p++) T.ptr.data()[A.col[p]]++;
  lengths_to_pointer(Space::Host, T.ptr);
  fill_transpose_host(A, T);
}

struct Differences {
  static constexpr bool walks_along_row = true;

  const PetscInt *aptr, *acol, *bptr, *bcol;

  HD void operator()(PetscInt i, std::int64_t *count) const
  {
    bool differ = aptr[i + 1] != bptr[i + 1];

    for (PetscInt p = aptr[i]; p < aptr[i + 1] && !differ; p++) differ = acol[p] != bcol[p];
    *count += differ;
  }
};

struct Descents {
  const PetscInt *ptr;
  Columns         col;

  HD Descents on(Columns c, Values) const { return {ptr, c}; }

  HD void operator()(PetscInt row, std::int64_t *count) const
  {
    for (PetscInt p = ptr[row] + 1; p < ptr[row + 1]; p++) *count += col[p] <= col[p - 1];
  }
};

/* --- products */

void multiply_host(const Csr &A, const Csr &B, bool with_diagonal, CsrMatrix &C)
{
  make_rows([&](PetscInt row) { return terms_of(A, row); }, CsrRows(B), [&](PetscInt row) { return with_diagonal ? row : no_extra; },
            [](PetscInt, PetscInt, PetscScalar sum) { return sum; }, C);
}

void multiply_numeric_host(const Csr &A, const Csr &B, CsrMatrix &C)
{
  std::vector<PetscInt> place(C.ncols);

  for (PetscInt row = 0; row < C.nrows; row++) {
    for (PetscInt t = C.ptr.data()[row]; t < C.ptr.data()[row + 1]; t++) {
      place[C.col.data()[t]] = t;
      C.val.data()[t]        = 0;
    }
    for (PetscInt p = A.ptr[row]; p < A.ptr[row + 1]; p++) {
      const PetscScalar a = A.val[p];

      for (PetscInt q = B.ptr[A.col[p]]; q < B.ptr[A.col[p] + 1]; q++) C.val.data()[place[B.col[q]]] += a * B.val[q];
    }
  }
}

#if defined(__CUDACC__)
struct ProductTerms {
  Csr  A, B;
  bool with_diagonal;

  __device__ PetscInt begin(PetscInt row) const { return A.ptr[row]; }
  __device__ PetscInt end(PetscInt row) const { return A.ptr[row + 1]; }
  __device__ void     open(PetscInt p, PetscInt &first, PetscInt &length, PetscScalar &factor) const
  {
    const PetscInt j = A.col[p];

    first  = B.ptr[j];
    length = B.ptr[j + 1] - first;
    factor = A.val[p];
  }
  __device__ PetscInt    column(PetscInt q) const { return B.col[q]; }
  __device__ PetscScalar value(PetscInt q) const { return B.val[q]; }
  __device__ PetscInt    extra(PetscInt row) const { return with_diagonal ? row : no_column; }
  __device__ PetscScalar finish(PetscInt, PetscInt, PetscScalar sum) const { return sum; }
};

/* A lane takes two entries of a term, on an average. */
int lanes_of_term(double mean)
{
  int lanes = 1;

  while (lanes < warp_lanes && 2 * lanes < mean) lanes *= 2;
  return lanes;
}

double entries_of_row(const Csr &A) { return A.nrows ? static_cast<double>(entries(A)) / A.nrows : 0; }

/* Whether all rows of a product of few columns are a block's: with a term for each of its warps, and an entry for each of its lanes, or so many that a warp
   would work for long after those of other rows, or so few rows that most of a device would have none. */
bool blocks_of_rows(const Csr &A, const Csr &B)
{
  constexpr double long_row = 1024;
  const double     terms = entries_of_row(A), mean = entries_of_row(B);

  return B.ncols <= pattern::few_by_bits && terms >= product::block_warps &&
         (mean >= warp_lanes || A.nrows <= product::few_rows || (A.nrows <= pattern::few_by_bits && terms * mean >= long_row));
}
#endif

} // namespace

void multiply(const Csr &A, const PetscScalar *x, const RowOut<PetscScalar> &out)
{
#if defined(__CUDACC__)
  if (A.space == Space::Cuda) {
    const ScaledOut<PetscScalar> any(out);

    with_lanes(A, [&](auto lanes) { for_each_warp(groups_of(A, lanes), CsrRow<lanes(), ScaledOut<PetscScalar>>{A, x, any}); });
    return;
  }
#endif
  std::visit([&](const auto &o) { for_each_row(A.space, A.nrows, CsrRow<1, std::decay_t<decltype(o)>>{A, x, o}); }, out);
}

void multiply(const Csr &A, const PetscScalar *x, PetscScalar *y) { multiply(A, x, Assign<PetscScalar>{y}); }

void multiply(const Csr &A, const PetscScalar *x, PetscScalar *y, PetscScalar *dot)
{
#if defined(__CUDACC__)
  if (A.space == Space::Cuda) {
    with_lanes(A, [&](auto lanes) {
      const PetscInt     groups = groups_of(A, lanes);
      const unsigned     blocks = std::clamp(blocks_for(groups, sum_threads / 32), 1u, unsigned(most_sum_blocks));
      Array<PetscScalar> part(A.space, blocks > 1 ? blocks : 0, unset);

      launch_kernel<CsrDotKernel<lanes()>>(blocks, sum_threads, A, x, y, groups, GridSum<PetscScalar>{part.data(), device::ticket(), dot});
    });
    return;
  }
#endif
  multiply(A, x, y);
  join_rows<Plus, 1>(A.space, A.nrows, DotOfRow{x, y}, dot);
}

CsrMatrix transpose(const Csr &A)
{
  const PetscInt nnz = entries(A);
  CsrMatrix      T(A.space, A.ncols, A.nrows);

  if (A.space == Space::Host) {
    transpose_host(A, T);
    return T;
  }
  Array<PetscInt> order, row_of(A.space, nnz);

  group_by(A.space, A.col, nnz, A.ncols, T.ptr, order);
  T.col = Array<PetscInt>(A.space, nnz);
  T.val = Array<PetscScalar>(A.space, nnz);
  for_each_row(A.space, A.nrows, bound<row_of_entry>(A.ptr, row_of.data()));
  for_each_row(A.space, nnz, bound<gather_at>(order.data(), row_of.data(), A.val, T.col.data(), T.val.data()));
  return T;
}

void transpose_numeric(const Csr &A, CsrMatrix &T)
{
  if (T.val.size() != T.col.size()) T.val = Array<PetscScalar>(A.space, T.col.size());
  if (A.space == Space::Host) fill_transpose_host(A, T);
  else for_each_row_by_lanes(A.space, T.nrows, FillTransposed{A, T.ptr.data(), T.col.data(), T.val.data()});
}

bool columns_ascend(const Csr &A)
{
  return joined_csr_rows<Plus, 1, std::int64_t>({A.space, A.nrows, A.ncols, A.ptr, A.col, nullptr, A.nnz}, 1, Descents{A.ptr, A.col})[0] == 0;
}

bool same_pattern(const CsrMatrix &A, const CsrMatrix &B)
{
  if (A.nrows != B.nrows || A.ncols != B.ncols || A.nnz() != B.nnz()) return false;
  return joined_rows<Plus, 1, std::int64_t>(A.space(), A.nrows, Differences{A.ptr.data(), A.col.data(), B.ptr.data(), B.col.data()})[0] == 0;
}

CsrMatrix multiply(const Csr &A, const Csr &B, bool with_diagonal, [[maybe_unused]] bool ascend)
{
  CsrMatrix C(A.space, A.nrows, B.ncols);

  if (A.space == Space::Host) {
    multiply_host(A, B, with_diagonal, C);
    return C;
  }
#if defined(__CUDACC__)
  if (ascend && !with_diagonal && product::make_merged(A, B, C)) return C;
  const ProductTerms terms{A, B, with_diagonal};
  const double       mean = entries_of_row(B);
  const ProductRows  rows{A.ptr, A.col, B.ptr, B.col, with_diagonal, lanes_of_term(mean)};

  if (blocks_of_rows(A, B)) {
    find_pattern(A.space, C.nrows, C.ncols, rows, false, C.ptr, C.col);
    C.val = Array<PetscScalar>(A.space, C.col.size());
    product::fill_long(terms, {C.nrows}, mean, C);
  } else product::make(terms, rows, mean, entries_of_row(A) * mean, C);
#endif
  return C;
}

void multiply_numeric(const Csr &A, const Csr &B, CsrMatrix &C)
{
  if (C.val.size() != C.col.size()) C.val = Array<PetscScalar>(A.space, C.col.size());
  if (!C.nnz()) return;
#if defined(__CUDACC__)
  if (A.space == Space::Cuda) {
    const ProductTerms terms{A, B, false};

    if (blocks_of_rows(A, B)) product::fill_long(terms, {C.nrows}, entries_of_row(B), C);
    else product::refill(terms, entries_of_row(B), entries_of_row(A) * entries_of_row(B), C);
    return;
  }
#endif
  multiply_numeric_host(A, B, C);
}

} // namespace goza
