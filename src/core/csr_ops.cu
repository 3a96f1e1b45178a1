#include "csr_ops.hpp"
#include "csr_pattern.hpp"

namespace goza
{

namespace
{

/* --- y = A x */

template <int Lanes> struct CsrRow {
  Csr                A;
  const PetscScalar *x;
  PetscScalar       *y;

  HD void operator()(PetscInt row) const
  {
    PetscScalar sum = 0;

    for (PetscInt p = A.ptr[row]; p < A.ptr[row + 1]; p++) sum += A.val[p] * x[A.col[p]];
    y[row] = sum;
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
    if (row < A.nrows && lane % Lanes == 0) y[row] = sum;
  }
#endif
};

/* --- transpose */

struct RowOfEntry {
  const PetscInt *ptr;
  PetscInt       *row_of;

  HD void operator()(PetscInt row) const
  {
    for (PetscInt p = ptr[row]; p < ptr[row + 1]; p++) row_of[p] = row;
  }
};

struct Gather {
  const PetscInt    *order, *row_of;
  const PetscScalar *val;
  PetscInt          *col_t;
  PetscScalar       *val_t;

  HD void operator()(PetscInt k) const
  {
    col_t[k] = row_of[order[k]];
    val_t[k] = val[order[k]];
  }
};

struct Differences {
  const PetscInt *aptr, *acol, *bptr, *bcol;
  std::int64_t   *count;

  HD void operator()(PetscInt i) const
  {
    std::int64_t n = aptr[i + 1] != bptr[i + 1];

    for (PetscInt p = aptr[i]; p < aptr[i + 1] && !n; p++) n = acol[p] != bcol[p];
    count[i] = n;
  }
};

struct Descents {
  const PetscInt *ptr, *col;
  std::int64_t   *count;

  HD void operator()(PetscInt row) const
  {
    std::int64_t n = 0;

    for (PetscInt p = ptr[row] + 1; p < ptr[row + 1]; p++) n += col[p] <= col[p - 1];
    count[row] = n;
  }
};

/* --- products */

struct ProductRows {
  const PetscInt *aptr, *acol, *bptr, *bcol;
  bool            with_diagonal;

  HD PetscInt bound(PetscInt row) const
  {
    std::int64_t n = with_diagonal;

    for (PetscInt p = aptr[row]; p < aptr[row + 1]; p++) n += bptr[acol[p] + 1] - bptr[acol[p]];
    return n < PETSC_MAX_INT ? static_cast<PetscInt>(n) : PETSC_MAX_INT;
  }

  template <class F> HD void visit(PetscInt row, int lane, int lanes, F f) const
  {
    if (with_diagonal && lane == 0) f(row);
    for (PetscInt p = aptr[row]; p < aptr[row + 1]; p++) {
      const PetscInt j = acol[p], end = bptr[j + 1];

      for (PetscInt q = bptr[j] + lane; q < end; q += lanes) f(bcol[q]);
    }
  }
};

/* Pattern and values in one go: a row is added up in a dense vector, and the columns that it touches are listed (Gustavson 1978). */
void multiply_host(const Csr &A, const Csr &B, bool with_diagonal, CsrMatrix &C)
{
  std::vector<PetscInt>    last_row(C.ncols, -1), touched(C.ncols), col; // last_row: the last row that had this column
  std::vector<PetscScalar> sum(C.ncols), val;

  C.ptr = Array<PetscInt>(Space::Host, C.nrows + 1);
  for (PetscInt row = 0; row < C.nrows; row++) {
    PetscInt   n   = 0;
    const auto add = [&](PetscInt c, PetscScalar v) {
      if (last_row[c] == row) sum[c] += v;
      else {
        last_row[c]  = row;
        sum[c]       = v;
        touched[n++] = c;
      }
    };

    if (with_diagonal) add(row, 0);
    for (PetscInt p = A.ptr[row]; p < A.ptr[row + 1]; p++) {
      const PetscScalar a   = A.val[p];
      const PetscInt    end = B.ptr[A.col[p] + 1];

      for (PetscInt q = B.ptr[A.col[p]]; q < end; q++) add(B.col[q], a * B.val[q]);
    }
    std::sort(touched.begin(), touched.begin() + n);
    col.insert(col.end(), touched.begin(), touched.begin() + n);
    for (PetscInt t = 0; t < n; t++) val.push_back(sum[touched[t]]);
    C.ptr.data()[row] = n;
  }
  lengths_to_pointer(Space::Host, C.ptr);
  C.col = Array<PetscInt>(Space::Host, col.data(), col.size());
  C.val = Array<PetscScalar>(Space::Host, val.data(), val.size());
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
/* A team of threads a row: one entry of A after the other, the lanes side by side on the entries of B's row, whose columns differ. So nothing collides and the
   order of every sum is that of A's row. Rows of C with more than Cap entries are added up in global memory. */
template <int Lanes, int Cap>
__global__ void __launch_bounds__(rows_per_block) ProductKernel(Csr A, Csr B, PetscInt nrows, const PetscInt *ptr, const PetscInt *col, PetscScalar *val)
{
  constexpr int              teams = rows_per_block / Lanes;
  __shared__ PetscInt        columns[teams * Cap];
  __shared__ PetscScalar     sums[teams * Cap];
  const pattern::Team<Lanes> team;
  const int                  mine = threadIdx.x / Lanes;
  const std::int64_t         row  = static_cast<std::int64_t>(blockIdx.x) * teams + mine;

  if (row >= nrows) return;
  const PetscInt  n     = ptr[row + 1] - ptr[row];
  const bool      small = n <= Cap;
  const PetscInt *c     = small ? columns + mine * Cap : col + ptr[row];
  PetscScalar    *v     = small ? sums + mine * Cap : val + ptr[row];

  for (PetscInt t = team.lane; t < n; t += Lanes) {
    if (small) columns[mine * Cap + t] = col[ptr[row] + t];
    v[t] = 0;
  }
  team.sync();
  for (PetscInt p = A.ptr[row]; p < A.ptr[row + 1]; p++) {
    const PetscInt    j = A.col[p], end = B.ptr[j + 1];
    const PetscScalar a = A.val[p];

    for (PetscInt q = B.ptr[j] + team.lane; q < end; q += Lanes) {
      const PetscInt want = B.col[q];
      PetscInt       low = 0, high = n - 1;

      while (low < high) {
        const PetscInt middle = (low + high) / 2;

        if (c[middle] < want) low = middle + 1;
        else high = middle;
      }
      v[low] += a * B.val[q];
    }
    team.sync();
  }
  if (!small) return;
  for (PetscInt t = team.lane; t < n; t += Lanes) val[ptr[row] + t] = v[t];
}

template <int Lanes, int Cap> void launch_product(const Csr &A, const Csr &B, CsrMatrix &C)
{
  launch_kernel(ProductKernel<Lanes, Cap>, blocks_for(C.nrows, rows_per_block / Lanes), rows_per_block, A, B, C.nrows, C.ptr.data(), C.col.data(), C.val.data());
}
#endif

/* The rows of B have but a few entries, and so do those of the product. */
bool few_entries(const Csr &B)
{
  return B.space == Space::Cuda && entries(B) < static_cast<std::int64_t>(12) * B.nrows;
}

} // namespace

void multiply(const Csr &A, const PetscScalar *x, PetscScalar *y)
{
#if defined(__CUDACC__)
  if (A.space == Space::Cuda) {
    const PetscInt nnz = entries(A);

    if (nnz > static_cast<std::int64_t>(40) * A.nrows) for_each_warp(A.nrows, CsrRow<32>{A, x, y});
    else for_each_warp((A.nrows + 3) / 4, CsrRow<8>{A, x, y});
    return;
  }
#endif
  for_each_row(A.space, A.nrows, CsrRow<1>{A, x, y});
}

CsrMatrix transpose(const Csr &A)
{
  const PetscInt  nnz = entries(A);
  CsrMatrix       T(A.space, A.ncols, A.nrows);
  Array<PetscInt> order, row_of(A.space, nnz);

  group_by(A.space, A.col, nnz, A.ncols, T.ptr, order);
  T.col = Array<PetscInt>(A.space, nnz);
  T.val = Array<PetscScalar>(A.space, nnz);
  for_each_row(A.space, A.nrows, RowOfEntry{A.ptr, row_of.data()});
  for_each_row(A.space, nnz, Gather{order.data(), row_of.data(), A.val, T.col.data(), T.val.data()});
  return T;
}

bool columns_ascend(const Csr &A)
{
  Array<std::int64_t> count(A.space, A.nrows);

  for_each_row(A.space, A.nrows, Descents{A.ptr, A.col, count.data()});
  return sum(A.space, count.data(), count.size()) == 0;
}

bool same_pattern(const CsrMatrix &A, const CsrMatrix &B)
{
  Array<std::int64_t> count(A.space(), A.nrows);

  if (A.nrows != B.nrows || A.ncols != B.ncols || A.nnz() != B.nnz()) return false;
  for_each_row(A.space(), A.nrows, Differences{A.ptr.data(), A.col.data(), B.ptr.data(), B.col.data(), count.data()});
  return sum(A.space(), count.data(), count.size()) == 0;
}

CsrMatrix multiply(const Csr &A, const Csr &B, bool with_diagonal)
{
  CsrMatrix C(A.space, A.nrows, B.ncols);

  if (A.space == Space::Host) {
    multiply_host(A, B, with_diagonal, C);
    return C;
  }
  find_pattern(A.space, A.nrows, B.ncols, ProductRows{A.ptr, A.col, B.ptr, B.col, with_diagonal}, few_entries(B), C.ptr, C.col);
  multiply_numeric(A, B, C);
  return C;
}

void multiply_numeric(const Csr &A, const Csr &B, CsrMatrix &C)
{
  if (C.val.size() != C.col.size()) C.val = Array<PetscScalar>(A.space, C.col.size());
  if (!C.nnz()) return;
#if defined(__CUDACC__)
  if (A.space == Space::Cuda) {
    if (few_entries(B)) launch_product<8, 64>(A, B, C);
    else launch_product<32, 256>(A, B, C);
    return;
  }
#endif
  multiply_numeric_host(A, B, C);
}

} // namespace goza
