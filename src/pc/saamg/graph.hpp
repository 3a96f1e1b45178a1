/* What the set-up steps of smoothed aggregation look at: the rows of a distributed CSR matrix with local column numbers, and the strength graph.

   Local numbers: 0 .. n-1 are owned, n .. n+nghost-1 are ghosts in ascending global order. */
#pragma once
#include "core/csr.hpp"
#include <petscmat.h>
#include <petscsf.h>
#include <cstdint>
#include <vector>

namespace goza
{

/* The diagonal and the off-diagonal block of this rank's rows, as a row functor sees them. */
struct AijRowsView {
  PetscInt           nrows, ncols; // of the diagonal block: ghost column c has local number ncols + c
  const PetscInt    *dptr;
  Columns            dcol;
  Values             dval;
  const PetscInt    *optr, *ocol; // null where there is no off-diagonal block
  const PetscScalar *oval;

  /* f(local column, value) for every entry of a row, local columns ascending. */
  template <class F> HD void for_each_entry(PetscInt row, F f) const
  {
    for (PetscInt p = dptr[row]; p < dptr[row + 1]; p++) f(dcol[p], dval[p]);
    if (!optr) return;
    for (PetscInt p = optr[row]; p < optr[row + 1]; p++) f(ncols + ocol[p], oval[p]);
  }

  /* The diagonal block from other arrays. */
  HD AijRowsView on(Columns col, Values val) const { return {nrows, ncols, dptr, col, val, optr, ocol, oval}; }

  HD PetscInt entries_before(PetscInt row) const { return dptr[row] + (optr ? optr[row] : 0); }
};

inline AijRowsView rows_of(const Csr &A)
{
  return {A.nrows, A.ncols, A.ptr, A.col, A.val, nullptr, nullptr, nullptr};
}

/* Access to a host MATSEQAIJ or MATMPIAIJ. Rows whose columns are not sorted (a user's own arrays) are read from a sorted copy. */
class AijRows {
public:
  AijRows()                           = default;
  AijRows(const AijRows &)            = delete;
  AijRows &operator=(const AijRows &) = delete;
  ~AijRows() { (void)close(); }

  PetscErrorCode open(Mat A);
  PetscErrorCode close();

  const AijRowsView &view() const { return view_; }
  PetscInt           nghost() const { return nghost_; }
  const PetscInt    *ghost() const { return ghost_; } // [nghost] global columns

private:
  struct Block {
    Mat                      mat = nullptr;
    PetscInt                 n   = 0;
    const PetscInt          *ptr = nullptr, *col = nullptr;
    const PetscScalar       *val = nullptr; // what PETSc lent
    std::vector<PetscInt>    sorted_col;
    std::vector<PetscScalar> sorted_val;

    PetscErrorCode open(Mat);
    PetscErrorCode close();
  };

  Block                 diag_, off_;
  AijRowsView           view_{};
  PetscInt              nghost_ = 0;
  const PetscInt       *ghost_  = nullptr;
  std::vector<PetscInt> no_rows_; // row pointer of an empty off-diagonal block
};

/* Nodes (bs rows each) and their strong connections. Symmetric; without loops. A node without an edge is isolated: it stays out of every aggregate. */
struct Graph {
  MPI_Comm              comm   = MPI_COMM_NULL; // the matrix's, not a duplicate
  PetscInt              n      = 0;             // owned nodes
  PetscInt              start  = 0;             // global number of the first
  bool                  finite = true;          // no NaN or Inf in the matrix; the same on all ranks. If false, there are no edges
  std::vector<PetscInt> ptr, col;               // [n + 1], [ptr[n]] local numbers, ascending in a row
  std::vector<float>    weight;                 // [ptr[n]] |a_ij|^2 / |a_ii a_jj|, the same from both sides if the matrix is symmetric
  std::vector<PetscInt> ghost;                  // [nghost] global numbers
  PetscSF               sf = nullptr;           // owned nodes -> ghosts

  Graph()                         = default;
  Graph(const Graph &)            = delete;
  Graph &operator=(const Graph &) = delete;
  ~Graph() { (void)PetscSFDestroy(&sf); }

  PetscInt nghost() const { return static_cast<PetscInt>(ghost.size()); }
};

/* start and sf of a graph whose comm, n and ghosts are set. */
PetscErrorCode CreateHalo(Graph &G, PetscInt nglobal);

/* Values of owned nodes to their ghosts: values[n + nghost]. */
PetscErrorCode UpdateGhosts(const Graph &G, MPI_Datatype unit, const void *owned, void *ghosts);

template <class T> PetscErrorCode UpdateGhosts(const Graph &G, MPI_Datatype unit, std::vector<T> &values)
{
  return UpdateGhosts(G, unit, values.data(), values.data() + G.n);
}

/* Row lengths [n] to a row pointer [n + 1]; an error where PetscInt cannot count them. */
PetscErrorCode RowPointer(MPI_Comm comm, const std::vector<PetscInt> &length, std::vector<PetscInt> &ptr);

/* A host AIJ matrix (MATSEQAIJ on one rank, else MATMPIAIJ) from rows with ascending global columns, with blocks of rbs x cbs. The arrays are copied. */
PetscErrorCode CreateAij(MPI_Comm comm, PetscInt m, PetscInt n, PetscInt rbs, PetscInt cbs, const std::vector<PetscInt> &ptr, const std::vector<PetscInt> &col, const std::vector<PetscScalar> &val, Mat *A);

/* A well-mixed number of 62 bits; different for different i < 2^62 (each step can be undone), so that it needs no tie break. */
HD inline std::uint64_t hash62(std::uint64_t i)
{
  constexpr std::uint64_t mask = (std::uint64_t(1) << 62) - 1;

  i = (i * 0x9E3779B97F4A7C15u + 0x1B873593u) & mask;
  i ^= i >> 31;
  i = (i * 0xBF58476D1CE4E5B9u) & mask;
  i ^= i >> 29;
  i = (i * 0x94D049BB133111EBu) & mask;
  return i ^ (i >> 32);
}

} // namespace goza
