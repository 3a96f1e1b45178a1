/* The diagonal with a row's other entries added to it by their magnitudes: D_l1 - A is diagonally dominant, so that Jacobi with D_l1 converges for every
   symmetric positive definite A without an eigenvalue estimate (Baker, Falgout, Kolev, Yang 2011). */
#pragma once
#include "core/sparse/csr.hpp"

namespace goza::saamg {

/* inv[i] holds 1/d_i and gets 1/(d_i + sum |a_ij|), the sum with d_i's sign and over the block's row, its diagonal left out where the block is the
   diagonal one; 0 stays 0. With scales of the rows and of the block's columns, |a_ij| counts scale_i / scale_j times; 0 is none. In A's space. */
template <class V> void add_l1_norms(const Csr &A, bool diagonal_block, V *inv, const PetscReal *row_scale = nullptr, const PetscReal *col_scale = nullptr);

/* scale[i] = sqrt |d_i|: D_l1 - A stays positive semidefinite, since 2 |x_i x_j| <= x_i^2 s_i / s_j + x_j^2 s_j / s_i, and scaling A's rows and columns scales
   D_l1 alike. */
template <class V> void diagonal_scales(Space space, PetscInt n, const V *inv, PetscReal *scale);

template <class V> void scale(Space space, std::size_t n, V factor, V *x); // x *= factor

} // namespace goza::saamg
