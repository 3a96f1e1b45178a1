/* The strength graph and the aggregates of a matrix, in the space where the matrix is. Columns of A, and neighbours, are by local numbers of a map. */
#pragma once
#include "core/sparse/full_blocks.hpp"
#include "parallel/column_map.hpp"
#include "aggregate_rows.hpp"
#include "strength_rows.hpp"
#include "tuning.hpp"

namespace goza::saamg {

/* The weight of an edge that is a matrix's entry, computed when it is asked for. */
struct EntryWeight {
  const PetscScalar *val;
  Measure            measure;

  HD float operator()(PetscInt i, PetscInt p, PetscInt j) const { return measure(i, j, PetscRealPart(val[p] * PetscConj(val[p]))); }
};

/* As Graph, of nodes of bs rows. Where every entry between coupled nodes is an edge, as for threshold 0, the matrix's own pattern serves as the graph: it is
   borrowed, and `degree` tells which nodes are isolated. */
struct CsrGraph {
  PetscInt         n = 0, nedges = 0; // nedges: in the lists of this rank's nodes
  Edges            edges{};
  StrongLinks      strong_links{};
  bool             borrowed = false;
  bool             uneven   = false;     // some nodes have many more edges than most
  EntryWeight      entry{};              // where borrowed
  MapPtr           nodes;                // owned ones and ghosts
  NodeIds          ids;                  // of the owned ones
  Array<PetscInt>  ptr, col, degree;     // degree: [nodes]
  Array<PetscInt>  node_of_ghost_column; // [ghosts of A] among the ghost nodes; those that are none of them have the number behind the last
  Array<float>     weight;
  Array<PetscReal> rdiag;
  Array<PetscInt>  alone;    // [nodes] 1 for nodes that are aggregates of their own, or nothing; to all others they are as isolated ones
  Array<PetscInt>  filtered; // [owned nodes + 1] lengths of filter_weak()'s rows, where they are known: of these values of A

  Space space() const { return degree.space(); }
  bool  long_rows() const { return uneven || nedges > long_row * n; }
};

/* What makes an entry an edge: see strength_rows.hpp. */
struct Strength {
  PetscReal threshold;
  PetscReal diagonal_sign; // 1 or -1: entries of this sign are none; 0: signs do not count, as of blocks
  PetscReal share;         // of the row's largest entry that can be an edge; less is none

  Strength(PetscReal threshold, PetscReal diagonal_sign = 0, PetscReal share = 0) : threshold(threshold), diagonal_sign(diagonal_sign), share(share) { }

  bool all() const { return threshold == 0 && share == 0; } // entries, but for their sign
};

/* Of rows, where it is known; of nodes of several unknowns, their blocks. */
struct KnownRows {
  const PetscScalar   *dinv     = nullptr; // [rows]; null: nothing is known
  const unsigned char *isolated = nullptr; // [rows] 1 for those that are coupled to nothing; null: none is
  BlockPatternPtr      blocks   = nullptr;
};

/* The rows that strength is measured on: of a matrix with one entry for each block, its norm, where columns of other ranks are those of whole nodes, too; else
   A's own. known: where the blocks are, or null. */
struct NodeRows {
  CsrMatrix       norms; // empty where the rows are A's
  Csr             rows;
  PetscInt        unit;  // rows of a node
  Array<PetscInt> place; // of BlockRows

  NodeRows(const Csr &A, const LocalColumns &columns, PetscInt bs, const BlockPatternPtr &known);
};

/* name: [owned nodes], or null for the global numbers; lattice: which they are points of. Collective. */
CsrGraph strength_graph(const Csr &A, const MapPtr &columns, PetscInt bs, const Strength &strength, const PetscInt *name = nullptr, const Lattice &lattice = {},
                        const KnownRows &known = {});

/* The nodes that are marked [nodes] are to be aggregates of their own. */
void set_alone(CsrGraph &G, Array<PetscInt> marked);

HD inline void count_marked(PetscInt i, std::int64_t *count, const PetscInt *marked) { count[0] += marked[i]; }

struct CsrAggregates {
  PetscInt        n = 0;        // of this rank
  MapPtr          map;          // those that this rank's nodes and their neighbours belong to
  Array<PetscInt> of_node;      // [nodes] by the map's local numbers, -1: isolated
  Array<PetscInt> name;         // [owned nodes] of their aggregates: its root's; -1: the root knows
  Lattice         lattice;      // of these ids
  bool            even = false; // roots are those that a lattice wants, and no others
};

/* Of G with a lattice: the edges between tiles that lie beside each other. Where entries reach further no root could be every third tile. Collective. */
CsrGraph beside_alone(CsrGraph &&G);

/* The global numbers of aggregates ascend with their roots', their ids are those of the roots. An aggregate belongs to the rank of its root; where that leaves
   the ranks less than `least` each on average, to as few ranks as have so many. Collective. */
CsrAggregates aggregate(const CsrGraph &G, PetscInt least = 0);

/* The same without roots of the second set, so that aggregates have half as many nodes more. Collective. */
CsrAggregates aggregate_around_first_roots(const CsrGraph &G, PetscInt least = 0);

/* The same where one coupling of a row outweighs all others: see heaviest.cu. Collective. */
CsrAggregates aggregate_by_heaviest(const CsrGraph &G, PetscInt least = 0);

/* member: [nodes] what those of this rank are in; the roots of this rank's nodes have numbers as they have there. Collective. */
CsrAggregates of_members(const CsrGraph &G, const Array<Member> &member, const LocalColumns &roots, PetscInt least);

/* Aggressive coarsening. The aggregates of G are the nodes of another graph, whose edges weigh as many edges of G as they stand for; its aggregates are the
   result. Weights are counts, so that the result is the same for any number of ranks. An aggregate without neighbours, a component of G, stays. Collective. */
CsrAggregates aggregate_twice(const CsrGraph &G, PetscInt least = 0);

/* How many of `total` aggregates belong to this rank, of which `rooted` have their roots here. */
PetscInt aggregates_owned(const LocalColumns &nodes, std::int64_t total, PetscInt rooted, PetscInt least);

/* of_node: global numbers of aggregates, of which the ranks own what `owners` says. */
CsrAggregates numbered_locally(const LocalColumns &owners, Array<PetscInt> of_node, Array<PetscInt> name, const Lattice &lattice);

/* [n] The ids of this rank's aggregates. Collective. */
Array<PetscInt> ids_of(const CsrAggregates &aggregates);

/* The aggregate of every local column of the matrix, of nodes of bs columns. */
Array<PetscInt> aggregate_of_columns(const CsrGraph &G, const CsrAggregates &aggregates, const LocalColumns &columns, PetscInt bs);

} // namespace goza::saamg
