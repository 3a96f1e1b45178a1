/* Vector kernels of the cycle that are not products with a matrix. */
#pragma once
#include "core/launch/first_step.hpp"
#include "core/launch/fused_sums.hpp"

namespace goza {

template <class From, class To> void convert(Space space, PetscInt n, const From *x, To *y);       // y = x
template <class From, class To> void add_converted(Space space, PetscInt n, const From *e, To *x); // x += e

/* Of rhs, or of what is given in another precision. */
template <class V> void take_first_step(Space space, PetscInt n, const FirstStep<V> &step, const V *rhs, const PetscScalar *given = nullptr);

template <class V> void add_listed(Space space, PetscInt n, const PetscInt *list, const V *x, V *y); // y += x at the n places listed, none twice

/* The inverse diagonal as smoothers want it: inv = D^-1 and, unless isolated is nullptr, the rows with isolated[i] moved to isolated_inv, 0 in inv. */
template <class V> void split_diagonal(Space space, PetscInt n, const PetscScalar *dinv, const unsigned char *isolated, V *inv, V *isolated_inv);

/* w^H y and, if asked for, y^H y are left in `sums` as a product with dot products would leave them. */
template <class V> void leave_dots(Space space, PetscInt n, const V *w, const V *y, bool squares, FusedSums &sums);
/* What has been left: *wy and, unless it is nullptr, *yy, in the space. */
void add_up(Space space, FusedSums &sums, PetscScalar *wy, PetscScalar *yy);

void conjugate(Space space, std::size_t n, PetscScalar *x); // in place; of real numbers nothing

void round_as_half(Space space, std::size_t n, PetscScalar *x); // in place, to 11 bits, whatever the exponents

/* y = M x, M dense [nrows][ncols] */
template <class V> void dense_multiply(Space space, PetscInt nrows, PetscInt ncols, const V *M, const V *x, V *y);

} // namespace goza
