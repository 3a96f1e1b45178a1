/* Interpolation for one rank's matrix, in the space where the matrix is: as tentative.hpp and prolong.hpp. */
#pragma once
#include "graph.hpp"

namespace goza
{

struct CsrTentative {
  Array<PetscScalar> Q;       // [rows][k]: the entries of T; a row's columns are its aggregate's
  Array<PetscScalar> Bcoarse; // [k * aggregates][k]
};

/* Where an interpolation comes from; while it may be made again for other values, this is kept. */
struct Coarsening {
  CsrGraph           graph; // where weak entries are filtered
  CsrAggregates      aggregates;
  Array<PetscScalar> Q;
  PetscInt           bs = 1, k = 1;
};

/* B [rows][k]. A row that is coupled to nothing takes no part, though its node may be in an aggregate: its part of B becomes 0. alone [rows]: 1 for those. */
void clear_rows_alone(const Array<std::int64_t> &alone, PetscInt k, Array<PetscScalar> &B);

/* B [rows][k] */
CsrTentative tentative(const CsrAggregates &aggregates, PetscInt bs, PetscInt k, const Array<PetscScalar> &B);

/* P = (I - omega D^-1 A) T on the rows that have an aggregate */
CsrMatrix smoothed_prolongator(const Csr &A, const CsrAggregates &aggregates, PetscInt bs, PetscInt k, const Array<PetscScalar> &Q, const Array<PetscScalar> &dinv, PetscReal omega);

/* A without the weak entries, which are added to the diagonal. G is not borrowed. */
CsrMatrix filter_weak(const Csr &A, PetscInt bs, const CsrGraph &G);

} // namespace goza
