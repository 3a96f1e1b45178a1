#include "l1_diagonal.hpp"
#include "core/launch/for_each_row.hpp"

namespace goza::saamg {
namespace {

template <class V>
HD void add_norm(PetscInt i, const PetscInt *ptr, const PetscInt *col, const PetscScalar *val, bool diagonal_block, V *inv, const PetscReal *row_scale,
                 const PetscReal *col_scale)
{
  PetscReal sum = 0;

  if (inv[i] == V(0)) return;
  for (PetscInt p = ptr[i]; p < ptr[i + 1]; p++) {
    if (diagonal_block && col[p] == i) continue;
    const PetscReal a = PetscAbsScalar(val[p]);

    sum += col_scale && col_scale[col[p]] > 0 ? a * (row_scale[i] / col_scale[col[p]]) : a;
  }
  inv[i] = static_cast<V>(PetscScalar(1) / lengthened(PetscScalar(1) / static_cast<PetscScalar>(inv[i]), sum));
}

template <class V> HD void scale_of_row(PetscInt i, const V *inv, PetscReal *scale)
{
  const PetscReal d = PetscAbsScalar(static_cast<PetscScalar>(inv[i]));

  scale[i] = d > 0 ? 1 / PetscSqrtReal(d) : 0;
}

template <class V> HD void scale_at(PetscInt i, V factor, V *x) { x[i] *= factor; }

} // namespace

template <class V> void scale(Space space, std::size_t n, V factor, V *x) { for_each_row(space, static_cast<PetscInt>(n), bound<scale_at<V>>(factor, x)); }

template <class V> void add_l1_norms(const Csr &A, bool diagonal_block, V *inv, const PetscReal *row_scale, const PetscReal *col_scale)
{
  for_each_row(A.space, A.nrows, bound<add_norm<V>>(A.ptr, A.col, A.val, diagonal_block, inv, row_scale, col_scale));
}

template <class V> void diagonal_scales(Space space, PetscInt n, const V *inv, PetscReal *scale) { for_each_row(space, n, bound<scale_of_row<V>>(inv, scale)); }

#define INSTANTIATE_L1(Csr, V) \
  template void add_l1_norms(const Csr &, bool, V *, const PetscReal *, const PetscReal *); \
  template void diagonal_scales(Space, PetscInt, const V *, PetscReal *); \
  template void scale(Space, std::size_t, V, V *);
FOR_EACH_VECTOR(INSTANTIATE_L1, Csr)

} // namespace goza::saamg
