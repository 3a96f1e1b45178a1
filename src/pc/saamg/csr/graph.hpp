/* The strength graph and the aggregates of one rank's matrix, in the space where the matrix is. */
#pragma once
#include "core/csr_matrix.hpp"
#include "pc/saamg/aggregate_rows.hpp"
#include "pc/saamg/strength_rows.hpp"

namespace goza
{

/* The weight of an edge that is a matrix's entry, computed when it is asked for. */
struct EntryWeight {
  const PetscScalar *val;
  Measure            measure;

  HD float operator()(PetscInt i, PetscInt p, PetscInt j) const { return measure(i, j, val[p] * val[p]); }
};

/* As Graph, of nodes of bs rows. Where every entry between coupled nodes is an edge, as for threshold 0, the matrix's own pattern serves as the graph: it is
   borrowed, and `degree` tells which nodes are isolated. */
struct CsrGraph {
  PetscInt         n = 0;
  Edges            edges{};
  bool             borrowed = false;
  EntryWeight      entry{}; // where borrowed
  Array<PetscInt>  ptr, col, degree;
  Array<float>     weight;
  Array<PetscReal> rdiag;

  Space space() const { return degree.space(); }
};

CsrGraph strength_graph(const Csr &A, PetscInt bs, PetscReal threshold);

struct CsrAggregates {
  PetscInt        n = 0;
  Array<PetscInt> of_node; // [nodes], -1: isolated
};

CsrAggregates aggregate(const CsrGraph &G);
CsrAggregates aggregate_twice(const CsrGraph &G); // aggressive.hpp

} // namespace goza
