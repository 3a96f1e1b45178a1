#include "tentative.hpp"
#include "mat/common/compat.hpp"
#include "tentative_rows.hpp"
#include <algorithm>

namespace goza
{
namespace
{

/* The upper triangles of Q^H Q of the aggregates' parts on this rank. */
void AddGram(PetscInt nrows, PetscInt bs, PetscInt k, const std::vector<PetscInt> &leaf, const std::vector<PetscScalar> &Q, std::vector<PetscScalar> &gram)
{
  std::fill(gram.begin(), gram.end(), PetscScalar(0));
  for (PetscInt row = 0; row < nrows; row++) {
    if (leaf[row / bs] < 0) continue;
    PetscScalar       *g = gram.data() + static_cast<std::size_t>(leaf[row / bs]) * k * k;
    const PetscScalar *q = Q.data() + static_cast<std::size_t>(row) * k;

    for (PetscInt i = 0; i < k; i++) {
      for (PetscInt j = i; j < k; j++) g[i * k + j] += PetscConj(q[i]) * q[j];
    }
  }
}

} // namespace

PetscErrorCode TentativeProlongator(MPI_Comm comm, const Aggregates &aggregates, PetscInt bs, PetscInt k, const std::vector<PetscScalar> &B, Mat *T, std::vector<PetscScalar> &Bcoarse)
{
  const PetscInt           nnodes = static_cast<PetscInt>(aggregates.of_node.size()), nrows = nnodes * bs, kk = k * k;
  std::vector<PetscInt>    touched, leaf, length, ptr, col;
  std::vector<PetscScalar> Q, gram, R, again;
  PetscLayout              layout;
  PetscSF                  sf;
  MPI_Datatype             block = MPIU_SCALAR;

  PetscFunctionBegin;
  PetscCheck(k > 0 && B.size() == static_cast<std::size_t>(nrows) * k, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "Near-null vectors do not fit the matrix");

  /* Aggregates with nodes on this rank: its own, in order, then others' */
  PetscCallCXX(touched.resize(aggregates.n), leaf.resize(nnodes), length.assign(nrows, 0));
  for (PetscInt a = 0; a < aggregates.n; a++) touched[a] = aggregates.start + a;
  for (PetscInt a : aggregates.of_node) {
    if (a >= 0 && (a < aggregates.start || a >= aggregates.start + aggregates.n)) PetscCallCXX(touched.push_back(a));
  }
  std::sort(touched.begin() + aggregates.n, touched.end());
  touched.erase(std::unique(touched.begin() + aggregates.n, touched.end()), touched.end());
  for (PetscInt i = 0; i < nnodes; i++) {
    const PetscInt a = aggregates.of_node[i] - aggregates.start;

    if (aggregates.of_node[i] < 0) leaf[i] = -1;
    else if (a >= 0 && a < aggregates.n) leaf[i] = a;
    else leaf[i] = static_cast<PetscInt>(std::lower_bound(touched.begin() + aggregates.n, touched.end(), aggregates.of_node[i]) - touched.begin());
    if (leaf[i] >= 0) {
      for (PetscInt c = 0; c < bs; c++) length[i * bs + c] = k;
    }
  }
  PetscCall(PetscLayoutCreateFromSizes(comm, aggregates.n, PETSC_DETERMINE, 1, &layout));
  PetscCall(PetscSFCreate(comm, &sf));
  PetscCall(PetscSFSetGraphLayout(sf, layout, static_cast<PetscInt>(touched.size()), nullptr, PETSC_COPY_VALUES, touched.data()));
  PetscCall(PetscLayoutDestroy(&layout));
  if (kk > 1) { // PetscSF can sum scalars and runs of scalars, but not a run of one
    PetscCallMPI(MPI_Type_contiguous(static_cast<PetscMPIInt>(kk), MPIU_SCALAR, &block));
    PetscCallMPI(MPI_Type_commit(&block));
  }

  /* Q R = B: the second pass removes what rounding left in the first */
  PetscCallCXX(Q = B, gram.resize(touched.size() * kk), R.resize(touched.size() * kk), again.resize(static_cast<std::size_t>(aggregates.n) * kk),
               Bcoarse.resize(static_cast<std::size_t>(aggregates.n) * kk));
  for (int pass = 0; pass < 2; pass++) {
    std::vector<PetscScalar> &owned = pass ? again : Bcoarse;

    AddGram(nrows, bs, k, leaf, Q, gram);
    std::fill(owned.begin(), owned.end(), PetscScalar(0));
    PetscCall(PetscSFReduceBegin(sf, block, gram.data(), owned.data(), MPIU_SUM));
    PetscCall(PetscSFReduceEnd(sf, block, gram.data(), owned.data(), MPIU_SUM));
    PetscCallCXX(for_each_row(Space::Host, aggregates.n, Factor{k, owned.data()}));
    PetscCall(PetscSFBcastBegin(sf, block, owned.data(), R.data(), MPI_REPLACE));
    PetscCall(PetscSFBcastEnd(sf, block, owned.data(), R.data(), MPI_REPLACE));
    PetscCallCXX(for_each_row(Space::Host, nrows, SolveRow{k, leaf.data(), R.data(), Q.data(), bs}));
  }
  PetscCallCXX(for_each_row(Space::Host, aggregates.n, MultiplyFactors{k, again.data(), Bcoarse.data()}));
  if (kk > 1) PetscCallMPI(MPI_Type_free(&block));
  PetscCall(PetscSFDestroy(&sf));

  /* T: k entries in every row of an aggregate */
  PetscCall(RowPointer(comm, length, ptr));
  PetscCallCXX(col.resize(ptr[nrows]));
  for (PetscInt row = 0; row < nrows; row++) {
    for (PetscInt p = ptr[row]; p < ptr[row + 1]; p++) {
      const PetscInt j = p - ptr[row];

      col[p] = aggregates.of_node[row / bs] * k + j;
      Q[p]   = Q[static_cast<std::size_t>(row) * k + j]; // closes the gaps of rows without an aggregate
    }
  }
  PetscCall(CreateAij(comm, nrows, aggregates.n * k, bs, k, ptr, col, Q, T));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza
