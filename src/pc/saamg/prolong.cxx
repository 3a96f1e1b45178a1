#include "prolong.hpp"
#include "mat/common/compat.hpp"
#include "prolong_rows.hpp"
#include <algorithm>

namespace goza
{
namespace
{

/* T has one aggregate per row, so A T needs no general product: the blocks of a row of P are the aggregates of the row's columns. */

/* The aggregates that the rows of a node reach, ascending, into scratch with room for one per entry and one more. */
struct Reach {
  AijRowsView     A;
  PetscInt        bs;
  const PetscInt *aggregate; // [ncols + nghost] of each column, -1: none
  PetscInt       *reached, *count;

  HD void operator()(PetscInt node) const
  {
    PetscInt *list = reached + A.entries_before(node * bs) + node, n = 0, last = -1;

    for (PetscInt row = node * bs; row < (node + 1) * bs && aggregate[node * bs] >= 0; row++) {
      if (row == node * bs) insert(list, n, aggregate[row]);
      A.for_each_entry(row, [&](PetscInt j, PetscScalar) {
        if (aggregate[j] >= 0 && aggregate[j] != last) insert(list, n, last = aggregate[j]);
      });
    }
    count[node] = n;
  }

private:
  HD static void insert(PetscInt *list, PetscInt &n, PetscInt a)
  {
    PetscInt p = n;

    while (p > 0 && list[p - 1] > a) p--;
    if (p > 0 && list[p - 1] == a) return;
    for (PetscInt q = n; q > p; q--) list[q] = list[q - 1];
    list[p] = a;
    n++;
  }
};

/* Column data of the ghosts of A: values[ncols + nghost]. */
struct ColumnHalo {
  PetscSF sf = nullptr;

  ~ColumnHalo() { (void)PetscSFDestroy(&sf); }

  PetscErrorCode create(Mat A, const AijRows &rows)
  {
    PetscLayout layout;

    PetscFunctionBegin;
    PetscCall(MatGetLayouts(A, nullptr, &layout));
    PetscCall(PetscSFCreate(PetscObjectComm((PetscObject)A), &sf));
    PetscCall(PetscSFSetGraphLayout(sf, layout, rows.nghost(), nullptr, PETSC_COPY_VALUES, rows.ghost()));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode update(MPI_Datatype unit, const void *owned, void *ghosts)
  {
    PetscFunctionBegin;
    PetscCall(PetscSFBcastBegin(sf, unit, owned, ghosts, MPI_REPLACE));
    PetscCall(PetscSFBcastEnd(sf, unit, owned, ghosts, MPI_REPLACE));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

} // namespace

PetscErrorCode SmoothProlongator(Mat A, Mat T, Vec dinv, PetscReal omega_over_lambda, Mat *P)
{
  MPI_Comm                 comm;
  AijRows                  Arows, Trows;
  PetscInt                 bs, k, n, cstart, ncoarse;
  std::vector<PetscInt>    aggregate, reached, begin, count, length, ptr, col;
  std::vector<PetscScalar> Tval, val;
  const PetscScalar       *d;
  ColumnHalo               halo;
  MPI_Datatype             block;

  PetscFunctionBegin;
  PetscCall(PetscObjectGetComm((PetscObject)A, &comm));
  PetscCall(MatGetBlockSizes(T, &bs, &k));
  PetscCall(MatGetLocalSize(T, &n, &ncoarse));
  PetscCall(MatGetOwnershipRangeColumn(T, &cstart, nullptr));
  PetscCall(Arows.open(A));
  PetscCall(Trows.open(T));

  /* Each column's aggregate and k values of T, ghosts included */
  PetscCallCXX(aggregate.assign(n + Arows.nghost(), -1), Tval.assign(static_cast<std::size_t>(n + Arows.nghost()) * k, 0));
  for (PetscInt i = 0; i < n; i++) {
    PetscScalar *t = Tval.data() + static_cast<std::size_t>(i) * k;

    Trows.view().for_each_entry(i, [&](PetscInt j, PetscScalar v) {
      const PetscInt c = j < ncoarse ? cstart + j : Trows.ghost()[j - ncoarse];

      aggregate[i] = c / k;
      t[c % k]     = v;
    });
  }
  PetscCall(Trows.close());
  PetscCall(halo.create(A, Arows));
  PetscCall(halo.update(MPIU_INT, aggregate.data(), aggregate.data() + n));
  PetscCallMPI(MPI_Type_contiguous(static_cast<PetscMPIInt>(k), MPIU_SCALAR, &block));
  PetscCallMPI(MPI_Type_commit(&block));
  PetscCall(halo.update(block, Tval.data(), Tval.data() + static_cast<std::size_t>(n) * k));
  PetscCallMPI(MPI_Type_free(&block));

  /* Pattern, the same for the rows of a node, then values */
  PetscCallCXX(reached.resize(static_cast<std::size_t>(Arows.view().entries_before(n)) + n / bs), begin.resize(n / bs), count.resize(n / bs), length.resize(n));
  for (PetscInt i = 0; i < n / bs; i++) begin[i] = Arows.view().entries_before(i * bs) + i;
  PetscCallCXX(for_each_row(Space::Host, n / bs, Reach{Arows.view(), bs, aggregate.data(), reached.data(), count.data()}));
  for (PetscInt i = 0; i < n; i++) length[i] = count[i / bs] * k;
  PetscCall(RowPointer(comm, length, ptr));
  PetscCallCXX(col.resize(ptr[n]), val.resize(ptr[n]));
  PetscCall(VecGetArrayRead(dinv, &d));
  PetscCallCXX(
    for_each_row(Space::Host, n,
                 SmoothedRow{Arows.view(), bs, k, aggregate.data(), Tval.data(), d, omega_over_lambda, reached.data(), begin.data(), ptr.data(), col.data(), val.data()}));
  PetscCall(VecRestoreArrayRead(dinv, &d));
  PetscCall(Arows.close());
  PetscCall(CreateAij(comm, n, ncoarse, bs, k, ptr, col, val, P));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FilterWeak(Mat A, const Graph &G, Mat *filtered)
{
  AijRows                  rows;
  PetscInt                 m, bs, start;
  std::vector<PetscInt>    ghost_node, length, ptr, col;
  std::vector<PetscScalar> val;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(A, &m, nullptr));
  PetscCall(MatGetOwnershipRange(A, &start, nullptr));
  PetscCall(MatGetBlockSize(A, &bs));
  if (G.n && m % G.n == 0) bs = m / G.n;
  PetscCall(rows.open(A));
  PetscCallCXX(ghost_node.resize(rows.nghost()), length.resize(m));
  for (PetscInt c = 0; c < rows.nghost(); c++) { // a ghost that symmetrisation has left out has no edge
    const auto at = std::lower_bound(G.ghost.begin(), G.ghost.end(), rows.ghost()[c] / bs);

    ghost_node[c] = at != G.ghost.end() && *at == rows.ghost()[c] / bs ? static_cast<PetscInt>(at - G.ghost.begin()) : G.nghost();
  }
  FilteredRow body{rows.view(), bs, G.n, start, rows.ghost(), ghost_node.data(), G.ptr.data(), G.col.data(), nullptr, length.data(), nullptr, nullptr};
  PetscCallCXX(for_each_row(Space::Host, m, body));
  PetscCall(RowPointer(G.comm, length, ptr));
  PetscCallCXX(col.resize(ptr[m]), val.resize(ptr[m]));
  body.ptr = ptr.data();
  body.col = col.data();
  body.val = val.data();
  PetscCallCXX(for_each_row(Space::Host, m, body));
  PetscCall(rows.close());
  for (PetscInt i = 0; i < m; i++) PetscCall(PetscSortIntWithScalarArray(ptr[i + 1] - ptr[i], col.data() + ptr[i], val.data() + ptr[i]));
  PetscCall(CreateAij(G.comm, m, m, bs, bs, ptr, col, val, filtered));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza
