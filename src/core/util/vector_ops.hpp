/* Vector kernels of the cycle that are not products with a matrix. */
#pragma once
#include "core/device/array.hpp"

namespace goza
{

template <class From, class To> void convert(Space space, PetscInt n, const From *x, To *y);       // y = x
template <class From, class To> void add_converted(Space space, PetscInt n, const From *e, To *x); // x += e

/* The first step of a smoother from zero: x = (c D^-1 + isolated) b. isolated, where it is not nullptr, holds the
   inverse diagonal of isolated rows, whose D^-1 is 0: they are solved once and then left as they are. */
template <class V> void first_step(Space space, PetscInt n, V c, const V *dinv, const V *isolated, const V *b, V *x);
template <class V> void first_step(Space space, PetscInt n, V c, const V *dinv, const V *isolated, const PetscScalar *given, V *b, V *x); // after b = given

template <class V> void add_listed(Space space, PetscInt n, const PetscInt *list, const V *x, V *y); // y += x at the n places listed, none twice

/* The inverse diagonal as smoothers want it: inv = D^-1 and, unless isolated is nullptr, the rows with isolated[i] moved to isolated_inv, 0 in inv. */
template <class V> void split_diagonal(Space space, PetscInt n, const PetscScalar *dinv, const std::int64_t *isolated, V *inv, V *isolated_inv);

template <class V> void dot(Space space, std::size_t n, const V *x, const V *y, V *result); // *result = x'y, in the same space; nothing waits for it

/* y = M x, M dense [nrows][ncols] */
template <class V> void dense_multiply(Space space, PetscInt nrows, PetscInt ncols, const V *M, const V *x, V *y);

} // namespace goza
