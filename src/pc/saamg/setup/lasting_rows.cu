#include "lasting_rows.hpp"
#include "core/launch/by_lanes.hpp"
#include "core/launch/joined_rows.hpp"
#include "core/util/algorithm.hpp"
#include "pc/saamg/smoother/chebyshev_roots.hpp"

namespace goza::saamg {
namespace {

/* With four vectors one row in a hundred of a good mesh seems to last. A polynomial of degree 4 tells lasting rows from others less well. */
constexpr int vectors = 8, degree = 8;
static_assert(vectors <= few_lanes);
constexpr double ratio = 0.8 * degree * degree;

/* What is left in a lasting row, 0.03 on an average; and the share of rows beyond which they are no exception. With 0.07 for 0.1 iterations are a tenth fewer
   and coarse operators as much larger. */
constexpr float  least_left = 0.1f;
constexpr double most_rows  = 0.06;

/* x [columns][vectors] = D^(-1/2) times signs */
HD void scaled_signs(PetscInt i, NodeIds ids, const PetscScalar *dinv, PetscScalar *x)
{
  const std::uint64_t bits = hash62(static_cast<std::uint64_t>(ids(i))) >> 20;
  const PetscReal     size = PetscSqrtReal(PetscAbsScalar(dinv[i]));

  for (int v = 0; v < vectors; v++) x[vectors * i + v] = bits >> v & 1 ? size : -size;
}

/* On a device a vector is a lane's, and a row's entries are shared by as many lanes as there are for each. */
struct RelaxRow {
  Csr                A;
  const PetscScalar *dinv, *x;
  PetscReal          omega;
  PetscScalar       *next;

  HD void operator()(PetscInt i, int lane, int lanes) const
  {
    PetscScalar sum[vectors] = {};

    if (lanes > 1) {
      const PetscScalar all = sum_of_lanes(part(i, lane % vectors, lane / vectors, lanes / vectors), lanes, vectors);

      if (lane < vectors) step(i, lane, all);
      return;
    }
    for (PetscInt p = A.ptr[i]; p < A.ptr[i + 1]; p++) {
      const PetscScalar a = A.val[p], *from = x + vectors * A.col[p];

      for (int v = 0; v < vectors; v++) sum[v] += a * from[v];
    }
    for (int v = 0; v < vectors; v++) step(i, v, sum[v]);
  }

private:
  HD void step(PetscInt i, int v, PetscScalar sum) const { next[vectors * i + v] = x[vectors * i + v] - omega * dinv[i] * sum; }

  /* Of the row's product with vector v, from every `each`-th entry. */
  HD PetscScalar part(PetscInt i, int v, int first, int each) const
  {
    constexpr int  asked = 8; // entries, before any is added
    const PetscInt end   = A.ptr[i + 1];
    PetscScalar    sum   = 0;

    for (PetscInt p = A.ptr[i] + first; p < end; p += asked * each) {
      PetscInt    col[asked];
      PetscScalar a[asked], from[asked];

      UNROLL()
      for (int u = 0; u < asked; u++) {
        const bool there = p + u * each < end;

        col[u] = there ? A.col[p + u * each] : -1;
        a[u]   = there ? A.val[p + u * each] : PetscScalar(0);
      }
      UNROLL()
      for (int u = 0; u < asked; u++) from[u] = col[u] >= 0 ? x[vectors * col[u] + v] : PetscScalar(0);
      UNROLL()
      for (int u = 0; u < asked; u++) sum += a[u] * from[u];
    }
    return sum;
  }
};

/* Of those that are coupled to others. Rounded to float: values that differ only by the order of a sum compare equal. */
HD void choose_lasting(PetscInt i, const PetscScalar *dinv, const PetscScalar *x, const PetscInt *edges, PetscInt *lasting)
{
  PetscReal sum = 0;

  for (int v = 0; v < vectors; v++) sum += PetscRealPart(x[vectors * i + v] * PetscConj(x[vectors * i + v]));
  lasting[i] = edges[i] > 0 && dinv[i] != PetscScalar(0) && static_cast<float>(sum / (vectors * PetscAbsScalar(dinv[i]))) > least_left;
}

} // namespace

std::int64_t leave_lasting_rows_alone(const Csr &A, const ColumnMap &columns, const Array<PetscScalar> &dinv, PetscReal lambda, CsrGraph &G)
{
  const Space        space = A.space;
  const std::size_t  n     = static_cast<std::size_t>(columns.nlocal()) * vectors;
  Array<PetscScalar> x(space, n, unset), next(space, n, unset);
  Array<PetscInt>    lasting(space, G.nodes->nlocal(), unset);

  for_each_row(space, A.nrows, bound<scaled_signs>(G.ids, dinv.data(), x.data()));
  for (const double root : leja_order(first_kind_roots(degree, ratio))) {
    columns.update(x.data(), vectors);
    const RelaxRow body{A, dinv.data(), x.data(), static_cast<PetscReal>(1 / (static_cast<double>(lambda) * root)), next.data()};

    if (entries(A) > static_cast<std::int64_t>(warp_lanes) * A.nrows) for_each_row_by_lanes(space, A.nrows, body);
    else for_each_row_by_few_lanes(space, A.nrows, body);
    x.swap(next);
  }
  for_each_row(space, A.nrows, bound<choose_lasting>(dinv.data(), x.data(), G.degree.data(), lasting.data()));
  std::int64_t count = joined_rows<Plus, 1, std::int64_t>(space, A.nrows, bound<count_marked>(lasting.data()))[0];

  columns.sum(&count, 1);
  if (count == 0 || static_cast<double>(count) > most_rows * columns.nglobal()) return 0;
  G.nodes->update(lasting);
  set_alone(G, std::move(lasting));
  return count;
}

} // namespace goza::saamg
