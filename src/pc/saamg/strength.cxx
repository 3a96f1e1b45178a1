#include "strength.hpp"
#include "mat/common/compat.hpp"
#include "strength_rows.hpp"
#include <petsc/private/petscimpl.h>
#include <algorithm>
#include <limits>
#include <numeric>

namespace goza
{

PetscErrorCode AijRows::Block::open(Mat A)
{
  PetscBool done, sorted = PETSC_TRUE;

  PetscFunctionBegin;
  mat = A;
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &ptr, &col, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "No rows from a matrix of type %s", ((PetscObject)A)->type_name);
  PetscCall(MatSeqAIJGetArrayRead(A, &val));
  for (PetscInt i = 0; i < n && sorted; i++) {
    for (PetscInt p = ptr[i] + 1; p < ptr[i + 1]; p++) sorted = col[p] < col[p - 1] ? PETSC_FALSE : sorted;
  }
  if (!sorted) {
    PetscCallCXX(sorted_col.assign(col, col + ptr[n]), sorted_val.assign(val, val + ptr[n]));
    for (PetscInt i = 0; i < n; i++) PetscCall(PetscSortIntWithScalarArray(ptr[i + 1] - ptr[i], sorted_col.data() + ptr[i], sorted_val.data() + ptr[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AijRows::Block::close()
{
  PetscBool done;

  PetscFunctionBegin;
  if (mat) {
    PetscCall(MatSeqAIJRestoreArrayRead(mat, &val));
    PetscCall(MatRestoreRowIJ(mat, 0, PETSC_FALSE, PETSC_FALSE, &n, &ptr, &col, &done));
    mat = nullptr;
  }
  sorted_col.clear();
  sorted_val.clear();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AijRows::open(Mat A)
{
  PetscBool mpi, seq;
  Mat       Ad = A, Ao = nullptr;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, &mpi));
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQAIJ, &seq));
  PetscCheck(mpi || seq, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP, "The set-up of saamg reads AIJ, not %s", ((PetscObject)A)->type_name);
  ghost_  = nullptr;
  nghost_ = 0;
  if (mpi) {
    PetscCall(MatMPIAIJGetSeqAIJ(A, &Ad, &Ao, &ghost_));
    PetscCall(MatGetLocalSize(Ao, nullptr, &nghost_));
  }
  PetscCall(diag_.open(Ad));
  if (Ao) PetscCall(off_.open(Ao));
  else PetscCallCXX(no_rows_.assign(diag_.n + 1, 0));
  PetscCall(MatGetLocalSize(Ad, &view_.nrows, &view_.ncols));
  view_.dptr = diag_.ptr;
  view_.dcol = diag_.sorted_col.empty() ? diag_.col : diag_.sorted_col.data();
  view_.dval = diag_.sorted_col.empty() ? diag_.val : diag_.sorted_val.data();
  view_.optr = Ao ? off_.ptr : no_rows_.data();
  view_.ocol = off_.sorted_col.empty() ? off_.col : off_.sorted_col.data();
  view_.oval = off_.sorted_col.empty() ? off_.val : off_.sorted_val.data();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AijRows::close()
{
  PetscFunctionBegin;
  PetscCall(diag_.close());
  PetscCall(off_.close());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CreateHalo(Graph &G, PetscInt nglobal)
{
  PetscLayout layout;

  PetscFunctionBegin;
  PetscCall(PetscSFDestroy(&G.sf));
  PetscCall(PetscLayoutCreateFromSizes(G.comm, G.n, nglobal, 1, &layout));
  G.start = layout->rstart;
  PetscCall(PetscSFCreate(G.comm, &G.sf));
  PetscCall(PetscSFSetGraphLayout(G.sf, layout, G.nghost(), nullptr, PETSC_COPY_VALUES, G.ghost.data()));
  PetscCall(PetscSFSetUp(G.sf));
  PetscCall(PetscLayoutDestroy(&layout));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UpdateGhosts(const Graph &G, MPI_Datatype unit, const void *owned, void *ghosts)
{
  PetscFunctionBegin;
  PetscCall(PetscSFBcastBegin(G.sf, unit, owned, ghosts, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(G.sf, unit, owned, ghosts, MPI_REPLACE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RowPointer(MPI_Comm comm, const std::vector<PetscInt> &length, std::vector<PetscInt> &ptr)
{
  std::int64_t total = 0;
  int          here, any;

  PetscFunctionBegin;
  PetscCallCXX(ptr.resize(length.size() + 1));
  for (std::size_t i = 0; i < length.size(); i++) {
    ptr[i] = static_cast<PetscInt>(total);
    total += length[i];
  }
  ptr[length.size()] = static_cast<PetscInt>(total);
  here               = total > static_cast<std::int64_t>(PETSC_MAX_INT);
  PetscCallMPI(MPI_Allreduce(&here, &any, 1, MPI_INT, MPI_MAX, comm));
  PetscCheck(!any, comm, PETSC_ERR_ARG_OUTOFRANGE, "A rank has more entries than this PETSc's integers can count: use 64-bit indices or more ranks");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CreateAij(MPI_Comm comm, PetscInt m, PetscInt n, PetscInt rbs, PetscInt cbs, const std::vector<PetscInt> &ptr, const std::vector<PetscInt> &col, const std::vector<PetscScalar> &val, Mat *A)
{
  static const PetscInt no_col = 0; // PETSc takes a null pointer for "not given"
  PetscMPIInt           size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(MatCreate(comm, A));
  PetscCall(MatSetSizes(*A, m, n, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetBlockSizes(*A, rbs, cbs));
  PetscCall(MatSetType(*A, size > 1 ? MATMPIAIJ : MATSEQAIJ));
  if (size > 1) PetscCall(MatMPIAIJSetPreallocationCSR(*A, ptr.data(), col.empty() ? &no_col : col.data(), val.data()));
  else PetscCall(MatSeqAIJSetPreallocationCSR(*A, ptr.data(), col.empty() ? &no_col : col.data(), val.data()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

namespace
{

/* Removes the gaps that edges to isolated nodes left. */
PetscErrorCode Compact(Graph &G, const std::vector<PetscInt> &length)
{
  PetscInt to = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < G.n; i++) {
    const PetscInt from = G.ptr[i];

    if (to != from) {
      std::copy_n(G.col.begin() + from, length[i], G.col.begin() + to);
      std::copy_n(G.weight.begin() + from, length[i], G.weight.begin() + to);
    }
    G.ptr[i] = to;
    to += length[i];
  }
  G.ptr[G.n] = to;
  PetscCallCXX(G.col.resize(to), G.weight.resize(to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The union with the transposed graph, by PETSc's transpose; weights are the larger of the two. The rare case, so not a row kernel. */
PetscErrorCode Symmetrize(Graph &G)
{
  Mat                      W, Wt, both[2];
  std::vector<PetscInt>    gcol, ptr, col;
  std::vector<PetscScalar> value;
  std::vector<float>       weight;
  std::vector<PetscInt>    ghost;
  PetscInt                 nglobal = 0;

  PetscFunctionBegin;
  PetscCallCXX(gcol.resize(G.col.size()), value.assign(G.weight.begin(), G.weight.end()), ptr.assign(1, 0));
  for (std::size_t p = 0; p < G.col.size(); p++) gcol[p] = G.col[p] < G.n ? G.start + G.col[p] : G.ghost[G.col[p] - G.n];
  PetscCall(MatCreate(G.comm, &W));
  PetscCall(MatSetSizes(W, G.n, G.n, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetType(W, MATMPIAIJ));
  for (PetscInt i = 0; i < G.n; i++) PetscCall(PetscSortIntWithScalarArray(G.ptr[i + 1] - G.ptr[i], gcol.data() + G.ptr[i], value.data() + G.ptr[i]));
  PetscCall(MatMPIAIJSetPreallocationCSR(W, G.ptr.data(), gcol.data(), value.data()));
  PetscCall(MatTranspose(W, MAT_INITIAL_MATRIX, &Wt));
  PetscCall(MatGetSize(W, &nglobal, nullptr));
  both[0] = W;
  both[1] = Wt;
  PetscCallCXX(gcol.clear(), value.clear());
  for (PetscInt i = 0; i < G.n; i++) {
    std::vector<std::pair<PetscInt, float>> row;

    for (Mat M : both) {
      PetscInt           ncols;
      const PetscInt    *cols;
      const PetscScalar *vals;

      PetscCall(MatGetRow(M, G.start + i, &ncols, &cols, &vals));
      for (PetscInt k = 0; k < ncols; k++) PetscCallCXX(row.emplace_back(cols[k], static_cast<float>(PetscRealPart(vals[k]))));
      PetscCall(MatRestoreRow(M, G.start + i, &ncols, &cols, &vals));
    }
    std::sort(row.begin(), row.end());
    for (std::size_t k = 0; k < row.size(); k++) {
      if (k + 1 < row.size() && row[k + 1].first == row[k].first) continue; // the last of equals has the largest weight
      PetscCallCXX(gcol.push_back(row[k].first), weight.push_back(row[k].second));
      if (row[k].first < G.start || row[k].first >= G.start + G.n) PetscCallCXX(ghost.push_back(row[k].first));
    }
    PetscCallCXX(ptr.push_back(static_cast<PetscInt>(gcol.size())));
  }
  PetscCall(MatDestroy(&W));
  PetscCall(MatDestroy(&Wt));
  std::sort(ghost.begin(), ghost.end());
  ghost.erase(std::unique(ghost.begin(), ghost.end()), ghost.end());
  PetscCallCXX(G.col.resize(gcol.size()), G.weight.resize(gcol.size()));
  G.ptr = std::move(ptr);
  for (PetscInt i = 0; i < G.n; i++) { // local ones first
    PetscInt p = G.ptr[i];

    for (bool local : {true, false}) {
      for (PetscInt q = G.ptr[i]; q < G.ptr[i + 1]; q++) {
        const PetscInt g = gcol[q];

        if ((g >= G.start && g < G.start + G.n) != local) continue;
        G.col[p]      = local ? g - G.start : G.n + static_cast<PetscInt>(std::lower_bound(ghost.begin(), ghost.end(), g) - ghost.begin());
        G.weight[p++] = weight[q];
      }
    }
  }
  G.ghost = std::move(ghost);
  PetscCall(CreateHalo(G, nglobal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode StrengthGraph(Mat A, PetscInt bs, PetscReal threshold, Graph &G)
{
  const PetscReal            rounding = 64 * PETSC_MACHINE_EPSILON;
  AijRows                    rows;
  BlockRows                  blocks;
  Measure                    measure;
  PetscInt                   m, M;
  std::vector<PetscInt>      ghost_node, place, count, length;
  std::vector<PetscReal>     rdiag;
  std::vector<std::uint64_t> check;
  std::uint64_t              asymmetry;
  PetscInt                   nbad;

  PetscFunctionBegin;
  PetscCall(PetscObjectGetComm((PetscObject)A, &G.comm));
  PetscCall(MatGetLocalSize(A, &m, nullptr));
  PetscCall(MatGetSize(A, &M, nullptr));
  nbad = bs < 1 || m % bs;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &nbad, 1, MPIU_INT, MPI_MAX, G.comm));
  PetscCheck(!nbad, G.comm, PETSC_ERR_ARG_SIZ, "Block size %" PetscInt_FMT " does not divide the local rows of every rank", bs);
  PetscCall(rows.open(A));

  /* Nodes, and the halo of nodes */
  G.n      = m / bs;
  G.finite = true;
  PetscCallCXX(G.ghost.clear(), ghost_node.resize(rows.nghost()));
  for (PetscInt c = 0; c < rows.nghost(); c++) {
    const PetscInt node = rows.ghost()[c] / bs;

    if (G.ghost.empty() || G.ghost.back() != node) PetscCallCXX(G.ghost.push_back(node));
    ghost_node[c] = G.nghost() - 1;
  }
  PetscCall(CreateHalo(G, M / bs));

  /* Diagonal, with a look for NaN and Inf: all ranks learn of one */
  PetscCallCXX(rdiag.resize(G.n + G.nghost()), count.resize(G.n + G.nghost()), length.resize(G.n), check.resize(G.n), place.resize(bs > 1 ? m : 0));
  blocks  = {rows.view(), bs, G.n, ghost_node.data(), place.data()};
  measure = {rdiag.data(), static_cast<float>(PetscMax(PetscSqr(threshold), PetscSqr(rounding)))};
  PetscCallCXX(for_each_row(Space::Host, G.n, DiagonalNorm{blocks, rdiag.data(), length.data()}));
  nbad = std::accumulate(length.begin(), length.end(), PetscInt(0)) > 0;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &nbad, 1, MPIU_INT, MPI_MAX, G.comm));
  if (nbad) {
    G.finite = false;
    PetscCallCXX(G.ptr.assign(G.n + 1, 0), G.col.clear(), G.weight.clear());
    PetscCall(rows.close());
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(UpdateGhosts(G, MPIU_REAL, rdiag));

  /* Edges */
  PetscCallCXX(for_each_row(Space::Host, G.n, CountStrong{blocks, measure, count.data()}));
  PetscCall(UpdateGhosts(G, MPIU_INT, count));
  std::copy_n(count.begin(), G.n, length.begin());
  PetscCall(RowPointer(G.comm, length, G.ptr));
  PetscCallCXX(G.col.resize(G.ptr[G.n]), G.weight.resize(G.ptr[G.n]));
  PetscCallCXX(for_each_row(Space::Host, G.n,
                            FillStrong{blocks, measure, G.start, G.ghost.data(), count.data(), G.ptr.data(), G.col.data(), length.data(), G.weight.data(), check.data(), nullptr}));
  PetscCall(rows.close());
  asymmetry = std::accumulate(check.begin(), check.end(), std::uint64_t(0));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &asymmetry, 1, MPI_UINT64_T, MPI_SUM, G.comm));
  PetscCall(Compact(G, length));
  if (asymmetry) PetscCall(Symmetrize(G));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza
