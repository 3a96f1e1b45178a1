#include "costly_rows.hpp"
#include "core/launch/by_lanes.hpp"
#include "core/launch/joined_rows.hpp"
#include "core/sparse/row_length.hpp"
#include "core/util/algorithm.hpp"
#include "local_rows.hpp"
#include "parallel/par_csr.hpp"
#include "parallel/rows_below.hpp"
#include <optional>

namespace goza::saamg {
namespace {

constexpr int test_vectors = 4, steps = 4;

/* Rows are costly from so many times the mean energy on, where those of outstanding_from times it have outstanding_mean times it on average, and hold a share
   of at least outstanding_share. On slivers they have 30 to 58 times it; of good meshes, long elements and elements of degree 2 there 13 to 16 times, and of Q1
   at an angle, where further steps take up to twice the iterations, there are none. */
constexpr PetscReal costly_from = 2, outstanding_from = 10, outstanding_mean = 22, outstanding_share = static_cast<PetscReal>(0.1);

/* z [columns][test_vectors] */
HD void hashed_signs(PetscInt a, const PetscInt *name, PetscScalar *z)
{
  const std::uint64_t bits = hash62(static_cast<std::uint64_t>(name[a])) >> 20;

  for (int v = 0; v < test_vectors; v++) z[test_vectors * a + v] = bits >> v & 1 ? 1 : -1;
}

HD void interpolate_tests(PetscInt i, const PetscInt *ptr, const PetscInt *col, const PetscScalar *val, const PetscScalar *z, PetscScalar *x)
{
  PetscScalar sum[test_vectors] = {};

  for (PetscInt p = ptr[i]; p < ptr[i + 1]; p++)
    for (int v = 0; v < test_vectors; v++) sum[v] += val[p] * z[test_vectors * col[p] + v];
  for (int v = 0; v < test_vectors; v++) x[test_vectors * i + v] = sum[v];
}

struct RowEnergy {
  static constexpr bool walks_along_row = true;

  Csr                A;
  const PetscScalar *dinv, *x; // [columns][test_vectors]
  PetscReal         *energy;

  HD void operator()(PetscInt i, PetscScalar *all) const
  {
    PetscScalar sum[test_vectors] = {};
    PetscReal   found             = 0;

    for (PetscInt p = A.ptr[i]; p < A.ptr[i + 1]; p++)
      for (int v = 0; v < test_vectors; v++) sum[v] += A.val[p] * x[test_vectors * A.col[p] + v];
    for (int v = 0; v < test_vectors; v++) found += PetscRealPart(sum[v] * PetscConj(sum[v]));
    energy[i] = found * PetscAbsScalar(dinv[i]);
    *all += energy[i];
  }
};

struct Outstanding {
  const PetscReal *energy;
  PetscReal        least;

  HD void operator()(PetscInt i, PetscScalar *sums) const
  {
    if (!(energy[i] > least)) return;
    sums[0] += energy[i];
    sums[1] += 1;
  }
};

HD void is_costly(PetscInt i, const PetscReal *energy, PetscReal least, PetscInt *costly) { costly[i] = energy[i] > least; }

HD bool listed(PetscInt i, const PetscInt *number) { return number[i] < number[i + 1]; }

HD void list_costly(PetscInt i, const PetscInt *number, PetscInt *list)
{
  if (listed(i, number)) list[number[i]] = i;
}

/* Rows of I - omega D^-1 A, those listed. */
struct StepRow {
  Csr                A;
  const PetscScalar *dinv;
  PetscReal          omega;
  const PetscInt    *list, *ptr;
  PetscInt          *col;
  PetscScalar       *val;

  HD void operator()(PetscInt k, int lane, int lanes) const
  {
    const PetscInt i = list[k];

    for (PetscInt p = A.ptr[i] + lane, q = ptr[k] + lane; p < A.ptr[i + 1]; p += lanes, q += lanes) {
      col[q] = A.col[p];
      val[q] = PetscScalar(A.col[p] == i) - omega * dinv[i] * A.val[p];
    }
  }
};

/* The rows of P, but those that are listed from `relaxed`. */
struct Replaced {
  const PetscInt *number;
  Csr             P, relaxed;

  HD PetscInt row(PetscInt i) const { return listed(i, number) ? number[i] : i; }
  HD Csr      from(PetscInt i) const { return listed(i, number) ? relaxed : P; }
};

HD void length_of_replaced(PetscInt i, const Replaced &rows, PetscInt *length)
{
  const PetscInt *ptr = rows.from(i).ptr + rows.row(i);

  length[i] = ptr[1] - ptr[0];
}

HD void copy_replaced(PetscInt i, int lane, int lanes, const Replaced &rows, const PetscInt *ptr, PetscInt *col, PetscScalar *val)
{
  const Csr      from  = rows.from(i);
  const PetscInt begin = from.ptr[rows.row(i)];

  for (PetscInt q = ptr[i] + lane, p = begin + lane; q < ptr[i + 1]; q += lanes, p += lanes) {
    col[q] = from.col[p];
    val[q] = from.val[p];
  }
}

/* Sums over all rows. Collective. */
template <int K, class Body> std::vector<PetscScalar> sums_of(Space space, const ColumnMap &columns, const Body &body)
{
  std::vector<PetscScalar> all = joined_rows<Plus, K, PetscScalar>(space, columns.n(), body);

  columns.sum(all.data(), K);
  return all;
}

/* The energy from which rows are costly; negative: none is. Collective. */
PetscReal find_energy(const Csr &A, const ColumnMap &columns, const Array<PetscScalar> &dinv, const ColumnsOfP &of, const ColumnMap &reached,
                      const CsrMatrix &P, Array<PetscReal> &energy)
{
  const Space           space = A.space;
  const Array<PetscInt> name  = with_ghosts(of.name, reached);
  const auto            tests = [](PetscInt n) { return static_cast<std::size_t>(n) * test_vectors; };
  Array<PetscScalar>    z(space, tests(reached.nlocal()), unset), x(space, tests(columns.nlocal()), unset);

  for_each_row(space, reached.nlocal(), bound<hashed_signs>(name.data(), z.data()));
  for_each_row(space, P.nrows, bound<interpolate_tests>(P.ptr.data(), P.col.data(), P.val.data(), z.data(), x.data()));
  columns.update(x.data(), test_vectors);
  const PetscReal all   = PetscRealPart(sums_of<1>(space, columns, RowEnergy{A, dinv.data(), x.data(), energy.data()})[0]);
  const PetscReal mean  = all / PetscMax(columns.nglobal(), 1);
  const auto      found = sums_of<2>(space, columns, Outstanding{energy.data(), outstanding_from * mean});
  const PetscReal held = PetscRealPart(found[0]), rows = PetscRealPart(found[1]);

  return held > outstanding_share * all && held > outstanding_mean * mean * rows ? costly_from * mean : -1;
}

/* number [rows + 1]: how many listed rows there are before each. */
Array<PetscInt> costly_rows(const Array<PetscReal> &energy, PetscReal least, PetscInt nrows, Array<PetscInt> &number)
{
  const Space space = energy.space();

  number = Array<PetscInt>(space, nrows + 1);
  for_each_row(space, nrows, bound<is_costly>(energy.data(), least, number.data()));
  Array<PetscInt> list(space, lengths_to_pointer(space, number), unset);

  for_each_row(space, nrows, bound<list_costly>(number.data(), list.data()));
  return list;
}

CsrMatrix with_rows_of(const Csr &A, PetscInt nrows, PetscInt ncols)
{
  CsrMatrix M(A.space, nrows, ncols);

  M.ptr = Array<PetscInt>(A.space, nrows + 1);
  return M;
}

/* Room for entries; M.ptr holds the rows' lengths. */
void make_room(CsrMatrix &M)
{
  const PetscInt nnz = lengths_to_pointer(M.space(), M.ptr);

  M.col = Array<PetscInt>(M.space(), nnz, unset);
  M.val = Array<PetscScalar>(M.space(), nnz, unset);
}

CsrMatrix step_of(const Csr &A, const Array<PetscScalar> &dinv, PetscReal omega, const Array<PetscInt> &list)
{
  const PetscInt n    = static_cast<PetscInt>(list.size());
  CsrMatrix      step = with_rows_of(A, n, A.ncols);

  for_each_row(A.space, n, RowLength<PetscInt>{A.ptr, list.data(), step.ptr.data()});
  make_room(step);
  for_each_row_by_few_lanes(A.space, n, StepRow{A, dinv.data(), omega, list.data(), step.ptr.data(), step.col.data(), step.val.data()});
  return step;
}

/* The first nrows rows of P. */
CsrMatrix replace(const Csr &P, PetscInt nrows, const Array<PetscInt> &number, const CsrMatrix &relaxed)
{
  const Replaced rows{number.data(), P, relaxed.view()};
  CsrMatrix      all = with_rows_of(P, nrows, P.ncols);

  for_each_row(P.space, nrows, bound<length_of_replaced>(rows, all.ptr.data()));
  make_room(all);
  for_each_row_by_few_lanes(P.space, nrows, bound<copy_replaced>(rows, all.ptr.data(), all.col.data(), all.val.data()));
  return all;
}

} // namespace

void relax_costly_rows(const Csr &A, const MapPtr &columns, const Array<PetscScalar> &dinv, PetscReal omega, const ColumnsOfP &of, MapPtr &reached,
                       CsrMatrix &P)
{
  Array<PetscReal> energy(A.space, A.nrows, unset);
  Array<PetscInt>  number;
  const PetscReal  least = find_energy(A, *columns, dinv, of, *reached, P, energy);

  if (!(least > 0)) return;
  const Array<PetscInt> list = costly_rows(energy, least, A.nrows, number);
  const CsrMatrix       step = step_of(A, dinv, omega, list);

  for (int k = 0; k < steps; k++) {
    std::optional<RowsBelow> below;
    MapPtr                   all = reached;

    if (columns->size() > 1) {
      below.emplace(P.view(), *reached, columns);
      all = std::make_shared<ColumnMap>(*reached, below->columns().ghosts());
    }
    const Csr rows = below ? below->view() : P.view();

    P = replace(rows, A.nrows, number, with_largest(of, &list, *all, multiply(step.view(), rows)));
    if (below) reached = drop_unused_ghosts(*reached, all->ghosts(), P);
  }
}

} // namespace goza::saamg
