#include "aggressive.hpp"
#include "mat/common/compat.hpp"
#include <algorithm>

namespace goza
{
namespace
{

/* G with a one for each edge. */
PetscErrorCode AdjacencyMatrix(const Graph &G, Mat *A)
{
  std::vector<PetscInt>    col;
  std::vector<PetscScalar> ones;

  PetscFunctionBegin;
  PetscCallCXX(col.reserve(G.col.size()), ones.assign(G.col.size(), 1));
  for (PetscInt j : G.col) col.push_back(j < G.n ? G.start + j : G.ghost[j - G.n]);
  for (PetscInt i = 0; i < G.n; i++) std::sort(col.begin() + G.ptr[i], col.begin() + G.ptr[i + 1]);
  PetscCall(CreateAij(G.comm, G.n, G.n, 1, 1, G.ptr, col, ones, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A one where a node belongs to an aggregate. */
PetscErrorCode MembershipMatrix(MPI_Comm comm, const Aggregates &aggregates, Mat *T)
{
  std::vector<PetscInt>    ptr{0}, col;
  std::vector<PetscScalar> ones;

  PetscFunctionBegin;
  for (PetscInt a : aggregates.of_node) {
    if (a >= 0) PetscCallCXX(col.push_back(a));
    PetscCallCXX(ptr.push_back(static_cast<PetscInt>(col.size())));
  }
  PetscCallCXX(ones.assign(col.size(), 1));
  PetscCall(CreateAij(comm, static_cast<PetscInt>(aggregates.of_node.size()), aggregates.n, 1, 1, ptr, col, ones, T));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Loops stay: a node that has no other edge becomes an aggregate of its own. */
PetscErrorCode GraphOf(Mat A, Graph &G)
{
  AijRows  rows;
  PetscInt nglobal;

  PetscFunctionBegin;
  PetscCall(PetscObjectGetComm((PetscObject)A, &G.comm));
  PetscCall(MatGetSize(A, &nglobal, nullptr));
  PetscCall(rows.open(A));
  G.n = rows.view().nrows;
  PetscCallCXX(G.ghost.assign(rows.ghost(), rows.ghost() + rows.nghost()), G.ptr.assign(1, 0));
  for (PetscInt i = 0; i < G.n; i++) {
    PetscCallCXX(rows.view().for_each_entry(i, [&](PetscInt j, PetscScalar a) {
      G.col.push_back(j);
      G.weight.push_back(static_cast<float>(PetscRealPart(a)));
    }));
    PetscCallCXX(G.ptr.push_back(static_cast<PetscInt>(G.col.size())));
  }
  PetscCall(rows.close());
  PetscCall(CreateHalo(G, nglobal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* of_node becomes what it is for the aggregates' aggregates. */
PetscErrorCode Compose(MPI_Comm comm, const Aggregates &first, const Aggregates &second, std::vector<PetscInt> &of_node)
{
  std::vector<PetscInt> place, wanted;
  PetscLayout           layout;
  PetscSF               sf;

  PetscFunctionBegin;
  for (std::size_t i = 0; i < first.of_node.size(); i++) {
    if (first.of_node[i] >= 0) PetscCallCXX(place.push_back(static_cast<PetscInt>(i)), wanted.push_back(first.of_node[i]));
  }
  PetscCallCXX(of_node.assign(first.of_node.size(), -1));
  PetscCall(PetscLayoutCreateFromSizes(comm, first.n, PETSC_DETERMINE, 1, &layout));
  PetscCall(PetscSFCreate(comm, &sf));
  PetscCall(PetscSFSetGraphLayout(sf, layout, static_cast<PetscInt>(place.size()), place.data(), PETSC_COPY_VALUES, wanted.data()));
  PetscCall(PetscLayoutDestroy(&layout));
  PetscCall(PetscSFBcastBegin(sf, MPIU_INT, second.of_node.data(), of_node.data(), MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(sf, MPIU_INT, second.of_node.data(), of_node.data(), MPI_REPLACE));
  PetscCall(PetscSFDestroy(&sf));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode AggregateTwice(const Graph &G, Aggregates &aggregates)
{
  Aggregates first, second;
  Graph      quotient;
  Mat        A, T, Q;

  PetscFunctionBegin;
  PetscCall(Aggregate(G, first));
  PetscCall(AdjacencyMatrix(G, &A));
  PetscCall(MembershipMatrix(G.comm, first, &T));
  PetscCall(MatPtAP(A, T, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &Q));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&T));
  PetscCall(GraphOf(Q, quotient));
  PetscCall(MatDestroy(&Q));
  PetscCall(Aggregate(quotient, second));
  PetscCall(Compose(G.comm, first, second, aggregates.of_node));
  aggregates.n     = second.n;
  aggregates.start = second.start;
  PetscCallCXX(aggregates.root.clear());
  for (PetscInt root : second.root) PetscCallCXX(aggregates.root.push_back(first.root[root - first.start]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza
