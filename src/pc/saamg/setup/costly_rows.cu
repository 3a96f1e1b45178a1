#include "costly_rows.hpp"
#include "core/launch/joined_rows.hpp"
#include "core/util/algorithm.hpp"
#include "local_rows.hpp"
#include "parallel/par_csr.hpp"
#include "parallel/rows_below.hpp"

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

HD void choose_costly(PetscInt i, const PetscInt *ptr, const PetscReal *energy, PetscReal least, PetscInt *costly, PetscInt *length)
{
  costly[i] = energy[i] > least;
  length[i] = costly[i] ? ptr[i + 1] - ptr[i] : 1;
}

/* Of I - omega D^-1 A where a row is costly, else of I. */
HD void step_row(PetscInt i, const Csr &A, const PetscScalar *dinv, PetscReal omega, const PetscInt *costly, const PetscInt *ptr, PetscInt *col,
                 PetscScalar *val)
{
  const PetscInt begin = ptr[i];

  if (!costly[i]) {
    col[begin] = i;
    val[begin] = 1;
    return;
  }
  for (PetscInt p = A.ptr[i], q = begin; p < A.ptr[i + 1]; p++, q++) {
    col[q] = A.col[p];
    val[q] = PetscScalar(A.col[p] == i) - omega * dinv[i] * A.val[p];
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

CsrMatrix step_of(const Csr &A, const Array<PetscScalar> &dinv, PetscReal omega, const Array<PetscReal> &energy, PetscReal least, Array<PetscInt> &costly)
{
  const Space space = A.space;
  CsrMatrix   step(space, A.nrows, A.ncols);

  step.ptr = Array<PetscInt>(space, A.nrows + 1);
  for_each_row(space, A.nrows, bound<choose_costly>(A.ptr, energy.data(), least, costly.data(), step.ptr.data()));
  const PetscInt nnz = lengths_to_pointer(space, step.ptr);

  step.col = Array<PetscInt>(space, nnz, unset);
  step.val = Array<PetscScalar>(space, nnz, unset);
  for_each_row(space, A.nrows, bound<step_row>(A, dinv.data(), omega, costly.data(), step.ptr.data(), step.col.data(), step.val.data()));
  return step;
}

} // namespace

void relax_costly_rows(const Csr &A, const MapPtr &columns, const Array<PetscScalar> &dinv, PetscReal omega, const ColumnsOfP &of, MapPtr &reached,
                       CsrMatrix &P)
{
  Array<PetscReal> energy(A.space, A.nrows, unset);
  Array<PetscInt>  costly(A.space, A.nrows, unset);
  const PetscReal  least = find_energy(A, *columns, dinv, of, *reached, P, energy);

  if (!(least > 0)) return;
  const CsrMatrix step = step_of(A, dinv, omega, energy, least, costly);

  for (int k = 0; k < steps; k++) {
    if (columns->size() == 1) P = multiply(step.view(), P.view());
    else {
      const RowsBelow rows(P.view(), *reached, columns);

      P       = multiply(step.view(), rows.view());
      reached = drop_unused_ghosts(*reached, rows.columns().ghosts(), P);
    }
    shorten_rows(of, costly.data(), reached, P);
  }
}

} // namespace goza::saamg
