#include "core/algorithm.hpp"
#include "core/csr_ops.hpp"
#include "core/csr_pattern.hpp"
#include "core/staged_rows.hpp"
#include "graph.hpp"

namespace goza
{

namespace
{

/* The union of a graph and its transpose. */
struct UnionRows {
  const PetscInt *ptr, *col, *tptr, *tcol;

  HD PetscInt bound(PetscInt i) const { return ptr[i + 1] - ptr[i] + tptr[i + 1] - tptr[i]; }

  template <class F> HD void visit(PetscInt i, int lane, int lanes, F f) const
  {
    for (PetscInt p = ptr[i] + lane; p < ptr[i + 1]; p += lanes) f(col[p]);
    for (PetscInt p = tptr[i] + lane; p < tptr[i + 1]; p += lanes) f(tcol[p]);
  }
};

/* The larger weight of the two directions. */
struct UnionWeight {
  Csr             G, T;
  const PetscInt *ptr, *col;
  float          *weight;
  PetscInt       *degree;

  HD void operator()(PetscInt i) const
  {
    for (PetscInt p = ptr[i]; p < ptr[i + 1]; p++) {
      const PetscScalar a = find(G, i, col[p]), b = find(T, i, col[p]);

      weight[p] = static_cast<float>(a > b ? a : b);
    }
    degree[i] = ptr[i + 1] - ptr[i];
  }

private:
  HD static PetscScalar find(const Csr &M, PetscInt i, PetscInt j)
  {
    PetscInt low = M.ptr[i], high = M.ptr[i + 1];

    while (low < high) {
      const PetscInt middle = low + (high - low) / 2;

      if (M.col[middle] < j) low = middle + 1;
      else high = middle;
    }
    return low < M.ptr[i + 1] && M.col[low] == j ? M.val[low] : PetscScalar(0);
  }
};

struct Widen {
  const float *weight;
  PetscScalar *val;

  HD void operator()(PetscInt p) const { val[p] = weight[p]; }
};

void symmetrize(CsrGraph &G)
{
  const Space        space = G.space();
  const PetscInt     nnz   = static_cast<PetscInt>(G.col.size());
  Array<PetscScalar> val(space, nnz);
  Array<PetscInt>    ptr, col;

  for_each_row(space, nnz, Widen{G.weight.data(), val.data()});
  const Csr       W{space, G.n, G.n, G.ptr.data(), G.col.data(), val.data(), nnz};
  const CsrMatrix T = transpose(W);
  find_pattern(space, G.n, G.n, UnionRows{W.ptr, W.col, T.ptr.data(), T.col.data()}, true, ptr, col);
  G.weight = Array<float>(space, col.size());
  for_each_row(space, G.n, UnionWeight{W, T.view(), ptr.data(), col.data(), G.weight.data(), G.degree.data()});
  G.ptr = std::move(ptr);
  G.col = std::move(col);
}

template <class T> T total(Space space, const Array<T> &values)
{
  Array<T> result(space, 1);

  sum_into(space, values.data(), values.size(), result.data());
  return read_value(space, result.data());
}

} // namespace

CsrGraph strength_graph(const Csr &A, PetscInt bs, PetscReal threshold)
{
  const PetscReal      rounding = 64 * PETSC_MACHINE_EPSILON;
  const Space          space    = A.space;
  CsrGraph             G;
  Array<PetscInt>      place(space, bs > 1 ? A.nrows : 0), count(space, A.nrows / bs);
  Array<std::uint64_t> check(space, A.nrows / bs);
  Array<std::int64_t>  weak(space, A.nrows / bs);

  G.n      = A.nrows / bs;
  G.rdiag  = Array<PetscReal>(space, G.n);
  G.degree = Array<PetscInt>(space, G.n);
  const BlockRows blocks{rows_of(A), bs, G.n, nullptr, place.data()};
  const Measure   measure{G.rdiag.data(), static_cast<float>(PetscMax(PetscSqr(threshold), PetscSqr(rounding)))};
  FillStrong      fill{blocks, measure, 0, nullptr, count.data(), nullptr, nullptr, G.degree.data(), nullptr, check.data(), weak.data()};

  for_each_csr_row(A, bs, DiagonalNorm{blocks, G.rdiag.data(), count.data()});
  for_each_csr_row(A, bs, CountStrong{blocks, measure, count.data()});
  for_each_csr_row(A, bs, fill);
  const bool symmetric = total(space, check) == 0;

  if (threshold == 0 && bs == 1 && symmetric && !total(space, weak)) {
    G.borrowed = true;
    G.entry    = {A.val, measure};
    G.edges    = {A.ptr, A.col, G.degree.data()};
    return G;
  }
  G.ptr = Array<PetscInt>(space, G.n + 1);
  if (G.n) G.ptr.copy_from(G.degree.data(), G.n);
  const PetscInt nedges = lengths_to_pointer(space, G.ptr);
  G.col                 = Array<PetscInt>(space, nedges);
  G.weight              = Array<float>(space, nedges);
  fill.ptr              = G.ptr.data();
  fill.col              = G.col.data();
  fill.weight           = G.weight.data();
  if (nedges) for_each_csr_row(A, bs, fill);
  if (!symmetric) symmetrize(G);
  G.edges = {G.ptr.data(), G.col.data(), G.degree.data()};
  return G;
}

} // namespace goza
