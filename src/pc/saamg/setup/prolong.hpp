/* Interpolation, in the space where the matrix is. Columns of A are local ones of a map; all functions are collective. */
#pragma once
#include "boxes.hpp"
#include "graph.hpp"

namespace goza::saamg {

struct CsrTentative {
  Array<PetscScalar> Q;       // [local columns of A][k]: the entries of T; a row's columns are its aggregate's
  Array<PetscScalar> Bcoarse; // [k * aggregates of this rank][k]
};

/* What the tentative interpolation is smoothed with */
enum class SmoothedWith {
  Matrix,
  DiffusivePart, // of a matrix that is not symmetric: see symmetry_rows.hpp
  Nothing
};

/* Where an interpolation comes from; while it may be made again for other values, this is kept. */
struct Coarsening {
  CsrGraph           graph; // where weak entries are filtered
  MapPtr             aggregates;
  Array<PetscInt>    aggregate;    // [local columns of A], -1: none
  Array<PetscScalar> Q, coarse_B;  // as of CsrTentative
  Array<PetscInt>    name;         // [aggregates of this rank], where rows are relaxed further: see costly_rows.hpp
  bool               ones = false; // of boxes: these come of a near-null vector of ones, and are made again where they are not kept
  PetscInt           bs = 1, k = 1;
  PetscInt           degree        = 1;     // of the polynomial that smooths it; 0: it is not smoothed
  std::int64_t       alone         = 0;     // nodes of all ranks that are aggregates of their own
  double             within        = 0;     // entries a row up to which it is smoothed within its pattern, too
  bool               shortens      = false; // rows keep their largest entries
  bool               uneven        = false; // some rows are much longer than most, and a node is a row
  bool               filters       = false; // weak entries are left out; else there is no graph
  SmoothedWith       smoothed_with = SmoothedWith::Matrix;
  bool               adjoint       = false; // test functions are smoothed with the transpose of that

  std::shared_ptr<Boxes> boxes; // in the place of aggregates, where these are boxes of a lattice

  bool by_place() const { return boxes && !boxes->doubtful; }
  void spare_ones()
  {
    Q        = Array<PetscScalar>(Q.space());
    coarse_B = Array<PetscScalar>(Q.space());
  }
};

/* B [rows][k]. An isolated row takes no part, though its node may be in an aggregate: its part of B becomes 0. isolated [rows]: 1 for those. */
void clear_isolated_rows(const Array<unsigned char> &isolated, PetscInt k, Array<PetscScalar> &B);

/* B [rows][k] */
CsrTentative tentative(const CsrAggregates &aggregates, const ColumnMap &columns, PetscInt bs, PetscInt k, const Array<PetscScalar> &B);

/* The same on one rank's boxes, B null: of ones; the map holds their numbers alone. */
CsrTentative tentative(Boxes &boxes, const PetscScalar *B);
bool         all_ones(const Array<PetscScalar> &B);

/* Boxes as aggregates; of one rank their numbers alone. Collective. */
CsrAggregates aggregates_of(Boxes &boxes, const LocalColumns &columns, NodeIds ids, PetscInt least);

/* Of a coarsening on boxes: call(Q, coarse_B). */
template <class Call> auto with_tentative(const Coarsening &from, const Call &call)
{
  Array<PetscScalar> Q, Bcoarse;

  if (from.Q.size() || from.boxes->ranks) return call(from.Q, from.coarse_B);
  normalise(*from.boxes, nullptr, Q, Bcoarse);
  return call(Q, Bcoarse);
}

/* A's blocks, where they are known, and where P's become known. */
struct KnownBlocks {
  BlockPatternPtr  nodes = nullptr;
  BlockPatternPtr *of_P  = nullptr;
};

/* P = (I - omega D^-1 A) T on the rows that have an aggregate. columns: of P. A may be without rows where its blocks are known, on one rank's host. */
CsrMatrix smoothed_prolongator(const StoredRows &A, const Coarsening &from, const Array<PetscScalar> &dinv, PetscReal omega, MapPtr &columns,
                               const KnownBlocks &known = {});

/* New values in a P that was made so, of an A with the pattern that it had, all of it. False: there is no quicker way than to make it anew. */
bool smooth_again(const StoredRows &A, const Coarsening &from, const Array<PetscScalar> &dinv, PetscReal omega, CsrMatrix &P, const KnownBlocks &known);

/* P becomes (I - omega D^-1 A) P for an A whose rows all have their diagonal entry. columns: of A; reached: of P, and then of the new P. */
void smooth_once_more(const Csr &A, const MapPtr &columns, const Array<PetscScalar> &dinv, PetscReal omega, PetscInt bs, PetscInt k, CsrMatrix &P,
                      MapPtr &reached);

/* A without the weak entries, which are added to the diagonal. G is not borrowed. */
CsrMatrix filter_weak(const Csr &A, const LocalColumns &columns, PetscInt bs, const CsrGraph &G);

} // namespace goza::saamg
