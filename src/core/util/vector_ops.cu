#include "vector_ops.hpp"
#include "core/launch/fused_elements.hpp"

namespace goza {
namespace {

template <class From, class To> HD void convert_at(PetscInt i, const From *x, To *y) { y[i] = static_cast<To>(x[i]); }

HD void conjugate_at(PetscInt i, PetscScalar *x) { x[i] = PetscConj(x[i]); }

/* x: real and imaginary parts */
HD void round_as_half_at(PetscInt i, PetscReal *x)
{
  int             exponent;
  const PetscReal mantissa = frexp(x[i], &exponent);

  x[i] = ldexp(rint(ldexp(mantissa, 11)), exponent - 11);
}

template <class From, class To> HD void add_converted_at(PetscInt i, const From *e, To *x) { x[i] += static_cast<To>(e[i]); }

template <class V> HD void add_listed_at(PetscInt k, const PetscInt *list, const V *x, V *y) { y[list[k]] += x[list[k]]; }

template <class V> HD void take_first_step_at(PetscInt i, const FirstStep<V> &step, const V *rhs, const PetscScalar *given)
{
  step.store(i, step.load(i, given ? static_cast<V>(given[i]) : rhs[i]));
}

/* A row of nothing has 1 in the place of an inverse: what its right-hand side asks for in vain stays in the preconditioned residual, and no solver converges
   without it. */
template <class V> HD void split_diagonal_at(PetscInt i, const PetscScalar *dinv, const unsigned char *isolated, V *inv, V *isolated_inv)
{
  const bool apart = isolated && isolated[i];

  inv[i] = apart ? V(0) : static_cast<V>(dinv[i]);
  if (isolated) isolated_inv[i] = !apart ? V(0) : dinv[i] == PetscScalar(0) ? V(1) : static_cast<V>(dinv[i]);
}

template <class V> struct Dots {
  static constexpr int dots = 2;

  const V     *w, *y;
  bool         squares;
  PetscScalar *result; // [2]

  struct Values {
    PetscScalar w, y;
  };
  HD Values      load(PetscInt i) const { return {static_cast<PetscScalar>(w[i]), static_cast<PetscScalar>(y[i])}; }
  HD PetscScalar term(int d, const Values &e) const { return d == 0 ? PetscConj(e.w) * e.y : squares ? PetscConj(e.y) * e.y : PetscScalar(0); }
  HD void        finish(const PetscScalar *sums) const
  {
    result[0] = sums[0];
    result[1] = sums[1];
  }
};

struct AddUp {
  static constexpr int dots = 2;

  const PetscScalar *part; // [n][2]
  PetscScalar       *wy, *yy;

  struct Values {
    PetscScalar wy, yy;
  };
  HD Values      load(PetscInt i) const { return {part[2 * static_cast<std::size_t>(i)], part[2 * static_cast<std::size_t>(i) + 1]}; }
  HD PetscScalar term(int d, const Values &e) const { return d == 0 ? e.wy : e.yy; }
  HD void        finish(const PetscScalar *sums) const
  {
    *wy = sums[0];
    if (yy) *yy = sums[1];
  }
};

template <class V> struct DenseRow {
  PetscInt ncols;
  const V *M, *x;
  V       *y;

  HD void operator()(PetscInt i) const
  {
    V sum = 0;

    for (PetscInt j = 0; j < ncols; j++) sum += M[static_cast<std::size_t>(i) * ncols + j] * x[j];
    y[i] = sum;
  }

#if defined(__CUDACC__)
  __device__ void operator()(PetscInt i, int lane) const
  {
    V sum = 0;

    for (PetscInt j = lane; j < ncols; j += 32) sum += M[static_cast<std::size_t>(i) * ncols + j] * x[j];
    sum = sum_lanes(sum, 1);
    if (lane == 0) y[i] = sum;
  }
#endif
};

} // namespace

template <class From, class To> void convert(Space space, PetscInt n, const From *x, To *y) { for_each_row(space, n, bound<convert_at<From, To>>(x, y)); }

template <class From, class To> void add_converted(Space space, PetscInt n, const From *e, To *x)
{
  for_each_row(space, n, bound<add_converted_at<From, To>>(e, x));
}

void conjugate(Space space, std::size_t n, PetscScalar *x)
{
  constexpr std::size_t most = PETSC_MAX_INT; // at once

  for (std::size_t first = 0; PetscDefined(USE_COMPLEX) && first < n; first += most)
    for_each_row(space, static_cast<PetscInt>(std::min(most, n - first)), bound<conjugate_at>(x + first));
}

void round_as_half(Space space, std::size_t n, PetscScalar *x)
{
  constexpr std::size_t parts = sizeof(PetscScalar) / sizeof(PetscReal);

  for_each_row(space, static_cast<PetscInt>(parts * n), bound<round_as_half_at>(reinterpret_cast<PetscReal *>(x)));
}

template <class V> void add_listed(Space space, PetscInt n, const PetscInt *list, const V *x, V *y)
{
  for_each_row(space, n, bound<add_listed_at<V>>(list, x, y));
}

template <class V> void take_first_step(Space space, PetscInt n, const FirstStep<V> &step, const V *rhs, const PetscScalar *given)
{
  for_each_row(space, n, bound<take_first_step_at<V>>(step, rhs, given));
}

template <class V> void split_diagonal(Space space, PetscInt n, const PetscScalar *dinv, const unsigned char *isolated, V *inv, V *isolated_inv)
{
  for_each_row(space, n, bound<split_diagonal_at<V>>(dinv, isolated, inv, isolated_inv));
}

template <class V> void leave_dots(Space space, PetscInt n, const V *w, const V *y, bool squares, FusedSums &sums)
{
  fuse(space, n, Dots<V>{w, y, squares, sums.leave(1)}, sums);
}

void add_up(Space space, FusedSums &sums, PetscScalar *wy, PetscScalar *yy) { fuse(space, sums.nleft(), AddUp{sums.left(), wy, yy}, sums); }

template <class V> void dense_multiply(Space space, PetscInt nrows, PetscInt ncols, const V *M, const V *x, V *y)
{
#if defined(__CUDACC__)
  if (space == Space::Cuda) {
    for_each_warp(nrows, DenseRow<V>{ncols, M, x, y});
    return;
  }
#endif
  for_each_row(space, nrows, DenseRow<V>{ncols, M, x, y});
}

#define GOZA_VECTOR_OPS(V) \
  template void take_first_step(Space, PetscInt, const FirstStep<V> &, const V *, const PetscScalar *); \
  template void add_listed(Space, PetscInt, const PetscInt *, const V *, V *); \
  template void split_diagonal(Space, PetscInt, const PetscScalar *, const unsigned char *, V *, V *); \
  template void dense_multiply(Space, PetscInt, PetscInt, const V *, const V *, V *); \
  template void leave_dots(Space, PetscInt, const V *, const V *, bool, FusedSums &); \
  template void convert(Space, PetscInt, const PetscScalar *, V *); \
  template void add_converted(Space, PetscInt, const V *, PetscScalar *);

GOZA_VECTOR_OPS(PetscScalar)
#if !PetscDefined(USE_REAL_SINGLE)
GOZA_VECTOR_OPS(SingleScalar)
template void convert(Space, PetscInt, const SingleScalar *, PetscScalar *);
template void convert(Space, PetscInt, const SingleScalar *, SingleScalar *);
#endif

} // namespace goza
