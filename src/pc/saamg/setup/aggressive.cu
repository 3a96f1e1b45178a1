#include "core/sparse/row_length.hpp"
#include "core/util/algorithm.hpp"
#include "graph.hpp"
#include "parallel/par_csr.hpp"
#include "parallel/summed_rows.hpp"

namespace goza::saamg {
namespace {

HD void put_one(PetscInt p, PetscScalar *val) { val[p] = 1; }

HD void membership_length(PetscInt i, const PetscInt *of_node, PetscInt *length) { length[i] = of_node[i] >= 0; }

HD void membership_column(PetscInt i, const PetscInt *of_node, const PetscInt *ptr, PetscInt *col)
{
  if (of_node[i] >= 0) col[ptr[i]] = of_node[i];
}

HD void count_to_weight(PetscInt p, const PetscScalar *val, float *weight) { weight[p] = static_cast<float>(PetscRealPart(val[p])); }

/* second: [aggregates][2] number and name of the aggregate that an aggregate is in; n: owned nodes */
HD void of_aggregate(PetscInt i, const PetscInt *first, const PetscInt *second, PetscInt n, PetscInt *of_node, PetscInt *name)
{
  of_node[i] = first[i] >= 0 ? second[2 * first[i]] : -1;
  if (i < n) name[i] = first[i] >= 0 ? second[2 * first[i] + 1] : -1;
}

struct Pair {
  const PetscInt *a, *b;
  PetscInt       *pair;

  HD void operator()(PetscInt i) const
  {
    pair[2 * i]     = a[i];
    pair[2 * i + 1] = b[i];
  }
};

Array<PetscScalar> ones(Space space, PetscInt n)
{
  Array<PetscScalar> val(space, n);

  for_each_row(space, n, bound<put_one>(val.data()));
  return val;
}

/* A one where one of the first n nodes belongs to an aggregate. */
CsrMatrix membership(const CsrAggregates &aggregates, PetscInt n)
{
  const Space space = aggregates.of_node.space();
  CsrMatrix   T(space, n, aggregates.map->nlocal());

  T.ptr = Array<PetscInt>(space, n + 1);
  for_each_row(space, n, bound<membership_length>(aggregates.of_node.data(), T.ptr.data()));
  const PetscInt nnz = lengths_to_pointer(space, T.ptr);
  T.col              = Array<PetscInt>(space, nnz);
  T.val              = ones(space, nnz);
  for_each_row(space, n, bound<membership_column>(aggregates.of_node.data(), T.ptr.data(), T.col.data()));
  return T;
}

/* T^T G T: how many edges there are between any two aggregates. */
CsrMatrix count_edges(const CsrGraph &G, const CsrAggregates &aggregates, MapPtr &columns)
{
  const Space              space = G.space();
  const PetscInt           nnz   = G.n ? read_value(space, G.edges.ptr + G.n) : 0;
  const Array<PetscScalar> val   = ones(space, nnz);
  const CsrMatrix          GT    = multiply(Csr{space, G.n, G.nodes->nlocal(), G.edges.ptr, G.edges.col, val.data(), nnz},
                                            membership(aggregates, G.nodes->nlocal()).view());
  const CsrMatrix          Tt    = transpose(membership(aggregates, G.n).view());
  CsrMatrix                Q     = multiply(Tt.view(), GT.view(), true);

  columns = aggregates.map;
  if (G.nodes->size() > 1) {
    const CsrMatrix parts = std::move(Q);

    columns = SummedRows(parts.view(), *aggregates.map, aggregates.map, true, Q).columns();
  }
  return Q;
}

} // namespace

CsrAggregates aggregate_twice(const CsrGraph &G, PetscInt least)
{
  const Space           space  = G.space();
  const PetscInt        nlocal = G.nodes->nlocal();
  const CsrAggregates   first  = aggregate(G);
  CsrGraph              quotient;
  CsrMatrix             Q = count_edges(G, first, quotient.nodes);
  Array<PetscInt>       second(space, 2 * first.map->nlocal()), of_node(space, nlocal), name(space, G.n);
  const Array<PetscInt> ids = ids_of(first);

  quotient.n      = first.n;
  quotient.ids    = {ids.data(), 0, 1, first.lattice};
  quotient.degree = Array<PetscInt>(space, quotient.nodes->nlocal());
  quotient.weight = Array<float>(space, Q.nnz());
  for_each_row(space, first.n, RowLength<PetscInt>{Q.ptr.data(), nullptr, quotient.degree.data()});
  quotient.nodes->update(quotient.degree);
  for_each_row(space, Q.nnz(), bound<count_to_weight>(Q.val.data(), quotient.weight.data()));
  quotient.ptr            = std::move(Q.ptr);
  quotient.col            = std::move(Q.col);
  quotient.edges          = {quotient.ptr.data(), quotient.col.data(), quotient.degree.data()};
  const CsrAggregates top = aggregate(quotient, least);

  /* what aggregates of aggregates the nodes are in, by global numbers */
  const Array<PetscInt> own = globalize(*top.map, top.of_node.data(), first.n);
  for_each_row(space, first.n, Pair{own.data(), top.name.data(), second.data()});
  first.map->update(second.data(), 2);
  for_each_row(space, nlocal, bound<of_aggregate>(first.of_node.data(), second.data(), G.n, of_node.data(), name.data()));
  return numbered_locally(LocalColumns(*top.map, {}), std::move(of_node), std::move(name), top.lattice);
}

} // namespace goza::saamg
