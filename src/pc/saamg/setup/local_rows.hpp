/* What the row bodies of the set-up look at: the rows of a matrix by local column numbers. */
#pragma once
#include "core/sparse/csr.hpp"
#include "core/util/hash.hpp"
#include "lattice.hpp"

namespace goza::saamg {

/* A rank's rows of a square matrix, as a row functor sees them. */
struct AijRowsView {
  PetscInt        nrows, ncols; // ncols: owned columns; ghost column c has local number ncols + c
  const PetscInt *dptr;
  Columns         dcol;
  Values          dval;

  /* f(local column, value) for every entry of a row, local columns ascending. */
  template <class F> HD void for_each_entry(PetscInt row, F f) const
  {
    for (PetscInt p = dptr[row]; p < dptr[row + 1]; p++) f(dcol[p], dval[p]);
  }

  /* The entries from other arrays. */
  HD AijRowsView on(Columns col, Values val) const { return {nrows, ncols, dptr, col, val}; }

  HD PetscInt entries_before(PetscInt row) const { return dptr[row]; }
};

inline AijRowsView rows_of(const Csr &A) { return {A.nrows, A.nrows, A.ptr, A.col, A.val}; }

/* What is hashed for the nodes of a level, of which each has bs rows: numbers that do not depend on how the ranks share the nodes. */
struct NodeIds {
  const PetscInt *name  = nullptr; // [nodes], null: the global numbers
  PetscInt        first = 0;       // global number of node 0
  PetscInt        bs    = 1;
  Lattice         lattice{}; // that the ids are points of

  HD PetscInt operator()(PetscInt node) const { return name ? name[node] : first + node; }
  HD std::int64_t of_row(PetscInt row) const { return static_cast<std::int64_t>((*this)(row / bs)) * bs + row % bs; }
};

struct WriteIds {
  NodeIds   ids;
  PetscInt *id; // [nodes]

  HD void operator()(PetscInt i) const { id[i] = ids(i); }
};

/* A well-mixed number of so many bits; different for different i < 2^bits (each step can be undone), so that it needs no tie break. */
template <int bits> HD inline std::uint64_t mixed(std::uint64_t i)
{
  constexpr std::uint64_t mask = (std::uint64_t(1) << bits) - 1;

  i = (i * golden_64 + 0x1B873593u) & mask;
  i ^= i >> 31;
  i = (i * splitmix_1) & mask;
  i ^= i >> 29;
  i = (i * splitmix_2) & mask;
  return i ^ (i >> 32);
}

HD inline std::uint64_t hash62(std::uint64_t i) { return mixed<62>(i); }

/* The same below a rank of 0 .. 63. */
HD inline std::uint64_t ranked_hash(PetscInt rank, std::uint64_t i) { return static_cast<std::uint64_t>(rank < 63 ? rank : 63) << 56 | mixed<56>(i); }

} // namespace goza::saamg
