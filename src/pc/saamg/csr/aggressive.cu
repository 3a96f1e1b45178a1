/* As ../aggressive.cxx, for one rank's matrix, in the space where it is. */
#include "core/algorithm.hpp"
#include "core/csr_ops.hpp"
#include "graph.hpp"

namespace goza
{

namespace
{

struct Ones {
  PetscScalar *val;

  HD void operator()(PetscInt p) const { val[p] = 1; }
};

struct Membership {
  const PetscInt *of_node;
  PetscInt       *length;

  HD void operator()(PetscInt i) const { length[i] = of_node[i] >= 0; }
};

struct MembershipColumn {
  const PetscInt *of_node, *ptr;
  PetscInt       *col;

  HD void operator()(PetscInt i) const
  {
    if (of_node[i] >= 0) col[ptr[i]] = of_node[i];
  }
};

struct CountToWeight {
  const PetscScalar *val;
  float             *weight;

  HD void operator()(PetscInt p) const { weight[p] = static_cast<float>(val[p]); }
};

struct Degree {
  const PetscInt *ptr;
  PetscInt       *degree;

  HD void operator()(PetscInt i) const { degree[i] = ptr[i + 1] - ptr[i]; }
};

struct OfAggregate {
  const PetscInt *second;
  PetscInt       *of_node;

  HD void operator()(PetscInt i) const
  {
    if (of_node[i] >= 0) of_node[i] = second[of_node[i]];
  }
};

Array<PetscScalar> ones(Space space, PetscInt n)
{
  Array<PetscScalar> val(space, n);

  for_each_row(space, n, Ones{val.data()});
  return val;
}

CsrMatrix membership(const CsrAggregates &aggregates)
{
  const Space    space = aggregates.of_node.space();
  const PetscInt n     = static_cast<PetscInt>(aggregates.of_node.size());
  CsrMatrix      T(space, n, aggregates.n);

  T.ptr = Array<PetscInt>(space, n + 1);
  for_each_row(space, n, Membership{aggregates.of_node.data(), T.ptr.data()});
  const PetscInt nnz = lengths_to_pointer(space, T.ptr);
  T.col              = Array<PetscInt>(space, nnz);
  T.val              = ones(space, nnz);
  for_each_row(space, n, MembershipColumn{aggregates.of_node.data(), T.ptr.data(), T.col.data()});
  return T;
}

/* T^T G T: how many edges there are between any two aggregates. */
CsrMatrix count_edges(const CsrGraph &G, const CsrAggregates &aggregates)
{
  const Space              space = G.space();
  const PetscInt           nnz   = G.n ? read_value(space, G.edges.ptr + G.n) : 0;
  const Array<PetscScalar> val   = ones(space, nnz);
  const CsrMatrix          T     = membership(aggregates);
  const CsrMatrix          GT    = multiply(Csr{space, G.n, G.n, G.edges.ptr, G.edges.col, val.data(), nnz}, T.view());

  return multiply(transpose(T.view()).view(), GT.view(), true);
}

} // namespace

CsrAggregates aggregate_twice(const CsrGraph &G)
{
  const Space   space = G.space();
  CsrAggregates first = aggregate(G);
  CsrMatrix     Q     = count_edges(G, first);
  CsrGraph      quotient;

  quotient.n      = first.n;
  quotient.degree = Array<PetscInt>(space, first.n);
  quotient.weight = Array<float>(space, Q.nnz());
  for_each_row(space, first.n, Degree{Q.ptr.data(), quotient.degree.data()});
  for_each_row(space, Q.nnz(), CountToWeight{Q.val.data(), quotient.weight.data()});
  quotient.ptr               = std::move(Q.ptr);
  quotient.col               = std::move(Q.col);
  quotient.edges             = {quotient.ptr.data(), quotient.col.data(), quotient.degree.data()};
  const CsrAggregates second = aggregate(quotient);
  for_each_row(space, G.n, OfAggregate{second.of_node.data(), first.of_node.data()});
  first.n = second.n;
  return first;
}

} // namespace goza
