#include "reference.hpp"

#include "gallery.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <sstream>

namespace goza_test {
namespace {

template <class F> void for_each_value(Mat A, F f)
{
  const auto sequential = [&](Mat block) {
    MatInfo      info;
    PetscScalar *v;
    PETSC_OK(MatGetInfo(block, MAT_LOCAL, &info));
    PETSC_OK(MatSeqAIJGetArray(block, &v));
    for (PetscInt k = 0; k < (PetscInt)info.nz_used; k++) v[k] = f(v[k]);
    PETSC_OK(MatSeqAIJRestoreArray(block, &v));
  };
  PetscBool parallel;
  PETSC_OK(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, &parallel));
  if (parallel) {
    Mat diagonal, off;
    PETSC_OK(MatMPIAIJGetSeqAIJ(A, &diagonal, &off, nullptr));
    sequential(diagonal);
    sequential(off);
  } else {
    sequential(A);
  }
}

bool finite(PetscScalar v) { return std::isfinite(PetscRealPart(v)) && std::isfinite(PetscImaginaryPart(v)); }

} // namespace

VecHandle rounding_bound(Mat A, Vec x, Vec add, bool transpose, PetscReal eps, PetscReal stored)
{
  MatHandle sizes, ones;
  VecHandle ax, bound, length, one, off;

  PETSC_OK(MatDuplicate(A, MAT_COPY_VALUES, sizes.put()));
  PETSC_OK(MatDuplicate(A, MAT_COPY_VALUES, ones.put()));
  for_each_value(sizes, [](PetscScalar v) -> PetscScalar { return PetscAbsScalar(v); });
  for_each_value(ones, [](PetscScalar) -> PetscScalar { return 1; });

  const auto apply = [&](Mat M, Vec in, Vec out) { PETSC_OK(transpose ? MatMultTranspose(M, in, out) : MatMult(M, in, out)); };
  ax               = vector_like(A, transpose, VECSTANDARD, 0);
  one              = vector_like(A, transpose, VECSTANDARD, 0);
  bound            = vector_like(A, !transpose, VECSTANDARD, 0);
  length           = vector_like(A, !transpose, VECSTANDARD, 0);
  PETSC_OK(VecCopy(x, ax));
  PETSC_OK(VecAbs(ax));
  apply(sizes, ax, bound);
  off = vector_like(A, !transpose, VECSTANDARD, 0);
  PETSC_OK(VecCopy(bound, off));
  PETSC_OK(VecSet(one, 1));
  apply(ones, one, length);
  PETSC_OK(VecShift(length, 4));
  if (add) {
    VecHandle size_of_add = vector_like(A, !transpose, VECSTANDARD, 0);
    PETSC_OK(VecCopy(add, size_of_add));
    PETSC_OK(VecAbs(size_of_add));
    PETSC_OK(VecAXPY(bound, 1, size_of_add));
  }
  PETSC_OK(VecPointwiseMult(bound, bound, length));
  PETSC_OK(VecScale(bound, 2 * eps));
  if (stored > 0) PETSC_OK(VecAXPY(bound, 1.01 * stored, off));
  return bound;
}

void check_close(Vec got, Vec want, Vec bound, const std::string &what)
{
  const PetscScalar *g, *w, *b;
  PetscInt           n, ng, start, bad = 0;
  std::ostringstream first;

  PETSC_OK(VecGetLocalSize(want, &n));
  PETSC_OK(VecGetLocalSize(got, &ng));
  PETSC_OK(VecGetOwnershipRange(want, &start, nullptr));
  BOOST_CHECK_MESSAGE(n == ng, what << ": " << ng << " local values instead of " << n);
  if (n != ng) return;
  PETSC_OK(VecGetArrayRead(got, &g));
  PETSC_OK(VecGetArrayRead(want, &w));
  PETSC_OK(VecGetArrayRead(bound, &b));
  for (PetscInt i = 0; i < n; i++)
    if (!finite(g[i]) || !(PetscAbsScalar(g[i] - w[i]) <= PetscRealPart(b[i])))
      if (!bad++) first << "first at " << start + i << ": " << g[i] << " instead of " << w[i] << ", allowed " << PetscRealPart(b[i]);
  PETSC_OK(VecRestoreArrayRead(got, &g));
  PETSC_OK(VecRestoreArrayRead(want, &w));
  PETSC_OK(VecRestoreArrayRead(bound, &b));
  BOOST_CHECK_MESSAGE(!bad, what << ": " << bad << " of " << n << " values wrong, " << first.str());
}

void check_entries(Mat got, Mat want, const std::string &what, PetscReal relative_eps, PetscReal floor)
{
  PetscInt           start, end, got_start, got_end, bad = 0;
  std::ostringstream first;

  PETSC_OK(MatGetOwnershipRange(want, &start, &end));
  PETSC_OK(MatGetOwnershipRange(got, &got_start, &got_end));
  BOOST_CHECK_MESSAGE(start == got_start && end == got_end, what << ": other row layout");
  if (start != got_start || end != got_end) return;

  using Sorted      = std::map<PetscInt, PetscScalar>;
  const auto row_of = [](Mat A, PetscInt i) {
    PetscInt           n;
    const PetscInt    *c;
    const PetscScalar *v;
    Sorted             row;
    PETSC_OK(MatGetRow(A, i, &n, &c, &v));
    for (PetscInt k = 0; k < n; k++) row[c[k]] += v[k];
    PETSC_OK(MatRestoreRow(A, i, &n, &c, &v));
    return row;
  };
  for (PetscInt i = start; i < end; i++) {
    const Sorted g = row_of(got, i), w = row_of(want, i);
    const auto   differs = [&](const Sorted::value_type &a, const Sorted::value_type &b) {
      return a.first != b.first || !finite(a.second) ||
             !(PetscAbsScalar(a.second - b.second) <= relative_eps * PETSC_MACHINE_EPSILON * std::max(PetscAbsScalar(b.second), floor));
    };
    bool same = g.size() == w.size();
    for (auto a = g.begin(), b = w.begin(); same && a != g.end(); ++a, ++b)
      if (differs(*a, *b)) {
        same = false;
        if (!bad) first << "entry (" << i << "," << b->first << "): column " << a->first << " value " << a->second << " instead of " << b->second;
      }
    if (!same && !bad++ && g.size() != w.size()) first << "row " << i << " has " << g.size() << " entries instead of " << w.size();
  }
  BOOST_CHECK_MESSAGE(!bad, what << ": " << bad << " rows differ, first: " << first.str());
}

VecHandle vector_like(Mat A, bool of_rows, const std::string &type, PetscInt seed)
{
  VecHandle    v;
  PetscInt     m, n, start, end;
  MPI_Comm     comm;
  PetscScalar *a;

  PETSC_OK(PetscObjectGetComm((PetscObject)A, &comm));
  PETSC_OK(MatGetLocalSize(A, &m, &n));
  PETSC_OK(VecCreate(comm, v.put()));
  PETSC_OK(VecSetSizes(v, of_rows ? m : n, PETSC_DETERMINE));
  PETSC_OK(VecSetType(v, type.c_str()));
  PETSC_OK(VecGetOwnershipRange(v, &start, &end));
  PETSC_OK(VecGetArray(v, &a));
  for (PetscInt i = start; i < end; i++) a[i - start] = scalar(uniform(i, 3, seed + 1000), uniform(i, 5, seed + 1000));
  PETSC_OK(VecRestoreArray(v, &a));
  return v;
}

VecHandle filled_with_nan(Mat A, bool of_rows, const std::string &type)
{
  VecHandle    v = vector_like(A, of_rows, type, 0);
  PetscInt     n;
  PetscScalar *a;

  /* through the array: VecSet() refuses to agree on NaN over the ranks in a debug build */
  PETSC_OK(VecGetLocalSize(v, &n));
  PETSC_OK(VecGetArray(v, &a));
  std::fill(a, a + n, std::numeric_limits<PetscReal>::quiet_NaN());
  PETSC_OK(VecRestoreArray(v, &a));
  return v;
}

long event_count(const char *name)
{
  PetscLogEvent      event = -1;
  PetscEventPerfInfo info;

  PETSC_OK(PetscLogEventGetId(name, &event));
  if (event < 0) return -1;
  PETSC_OK(PetscLogEventGetPerfInfo(PETSC_DETERMINE, event, &info));
  return info.count;
}

long kernel_count() { return event_count("GozaMatMult"); }

} // namespace goza_test
