#include "vector_ops.hpp"
#include "algorithm.hpp"
#include "core/launch/for_each_row.hpp"

namespace goza
{

namespace
{

/* What a body does element by element. A thread of the device takes elements k, k + apart, ... and reads all of them before it writes the first. */
template <class Body> struct Elements {
  static constexpr int each = 4;

  PetscInt n, apart;
  Body     body;

  HD void operator()(PetscInt k) const
  {
#if defined(__CUDA_ARCH__)
    decltype(body.load(0)) read[each];

  #pragma unroll
    for (int u = 0; u < each; u++) {
      const std::int64_t i = k + static_cast<std::int64_t>(u) * apart;

      if (i < n) read[u] = body.load(static_cast<PetscInt>(i));
    }
  #pragma unroll
    for (int u = 0; u < each; u++) {
      const std::int64_t i = k + static_cast<std::int64_t>(u) * apart;

      if (i < n) body.store(static_cast<PetscInt>(i), read[u]);
    }
#else
    body.store(k, body.load(k));
#endif
  }
};

template <class Body> void for_each_element(Space space, PetscInt n, const Body &body)
{
  const PetscInt apart = space == Space::Host ? n : n / Elements<Body>::each + (n % Elements<Body>::each > 0);

  for_each_row(space, apart, Elements<Body>{n, apart, body});
}

template <class From, class To> struct Convert {
  const From *x;
  To         *y;

  HD From load(PetscInt i) const { return x[i]; }
  HD void store(PetscInt i, From value) const { y[i] = static_cast<To>(value); }
};

template <class From, class To> struct AddConverted {
  const From *e;
  To         *x;

  HD void operator()(PetscInt i) const { x[i] += static_cast<To>(e[i]); }
};

template <class V> struct AddListed {
  const PetscInt *list;
  const V        *x;
  V              *y;

  HD void operator()(PetscInt k) const { y[list[k]] += x[list[k]]; }
};

template <class V> struct FirstStep {
  V        c;
  const V *dinv, *alone, *b;
  V       *x;

  struct Read {
    V dinv, alone, b;
  };

  HD Read load(PetscInt i, V b) const { return {dinv[i], alone ? alone[i] : V(0), b}; }
  HD Read load(PetscInt i) const { return load(i, b[i]); }
  HD void store(PetscInt i, const Read &read) const { x[i] = c * read.dinv * read.b + read.alone * read.b; }
};

template <class V> struct ConvertedFirstStep {
  FirstStep<V>       step;
  const PetscScalar *given;
  V                 *b;

  HD typename FirstStep<V>::Read load(PetscInt i) const { return step.load(i, static_cast<V>(given[i])); }
  HD void                        store(PetscInt i, const typename FirstStep<V>::Read &read) const
  {
    b[i] = read.b;
    step.store(i, read);
  }
};

template <class V> struct SplitDiagonal {
  const PetscScalar  *dinv;
  const std::int64_t *alone;
  V                  *inv, *alone_inv;

  HD void operator()(PetscInt i) const
  {
    const bool apart = alone && alone[i];

    inv[i] = apart ? V(0) : static_cast<V>(dinv[i]);
    if (alone) alone_inv[i] = apart ? static_cast<V>(dinv[i]) : V(0);
  }
};

template <class V> struct Multiply {
  const V *x, *y;
  V       *product;

  HD void operator()(PetscInt i) const { product[i] = x[i] * y[i]; }
};

template <class V> struct DotOut {
  using Sum = V;

  V *dot;
};

/* Elements k, k + apart, ... of a dot product. */
template <class V> struct DotRow {
  static constexpr int each = 8;

  PetscInt  n, apart;
  const V  *x, *y;
  DotOut<V> out;

  HD void operator()(PetscInt k) const
  {
    V sum = 0;

#if defined(__CUDA_ARCH__)
  #pragma unroll
#endif
    for (int u = 0; u < each; u++) {
      const std::int64_t i = k + static_cast<std::int64_t>(u) * apart;

      if (i < n) sum += x[i] * y[i];
    }
    *thread_sum<V>() += sum;
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

template <class From, class To> void convert(Space space, PetscInt n, const From *x, To *y)
{
  for_each_element(space, n, Convert<From, To>{x, y});
}

template <class From, class To> void add_converted(Space space, PetscInt n, const From *e, To *x)
{
  for_each_row(space, n, AddConverted<From, To>{e, x});
}

template <class V> void add_listed(Space space, PetscInt n, const PetscInt *list, const V *x, V *y)
{
  for_each_row(space, n, AddListed<V>{list, x, y});
}

template <class V> void first_step(Space space, PetscInt n, V c, const V *dinv, const V *alone, const V *b, V *x)
{
  for_each_element(space, n, FirstStep<V>{c, dinv, alone, b, x});
}

template <class V> void first_step(Space space, PetscInt n, V c, const V *dinv, const V *alone, const PetscScalar *given, V *b, V *x)
{
  for_each_element(space, n, ConvertedFirstStep<V>{{c, dinv, alone, b, x}, given, b});
}

template <class V> void split_diagonal(Space space, PetscInt n, const PetscScalar *dinv, const std::int64_t *alone, V *inv, V *alone_inv)
{
  for_each_row(space, n, SplitDiagonal<V>{dinv, alone, inv, alone_inv});
}

template <class V> void dot(Space space, std::size_t n, const V *x, const V *y, V *result)
{
  if (space == Space::Cuda && n) {
    const PetscInt apart = static_cast<PetscInt>((n + DotRow<V>::each - 1) / DotRow<V>::each);

    for_each_row(space, apart, DotRow<V>{static_cast<PetscInt>(n), apart, x, y, {result}});
    return;
  }
  Array<V> product(space, n); // the host adds up an array with its vector unit

  for_each_row(space, static_cast<PetscInt>(n), Multiply<V>{x, y, product.data()});
  sum_into(space, product.data(), n, result);
}

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
  template void first_step(Space, PetscInt, V, const V *, const V *, const V *, V *); \
  template void first_step(Space, PetscInt, V, const V *, const V *, const PetscScalar *, V *, V *); \
  template void add_listed(Space, PetscInt, const PetscInt *, const V *, V *); \
  template void split_diagonal(Space, PetscInt, const PetscScalar *, const std::int64_t *, V *, V *); \
  template void dense_multiply(Space, PetscInt, PetscInt, const V *, const V *, V *); \
  template void dot(Space, std::size_t, const V *, const V *, V *); \
  template void convert(Space, PetscInt, const PetscScalar *, V *); \
  template void add_converted(Space, PetscInt, const V *, PetscScalar *);

GOZA_VECTOR_OPS(PetscScalar)
#if !PetscDefined(USE_REAL_SINGLE)
GOZA_VECTOR_OPS(float)
template void convert(Space, PetscInt, const float *, PetscScalar *);
template void convert(Space, PetscInt, const float *, float *);
#endif

} // namespace goza
