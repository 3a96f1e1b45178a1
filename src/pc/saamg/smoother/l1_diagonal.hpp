/* The diagonal with a row's other entries added to it by their magnitudes: D_l1 - A is diagonally dominant, so that Jacobi with D_l1 converges for every
   symmetric positive definite A without an eigenvalue estimate (Baker, Falgout, Kolev, Yang 2011). */
#pragma once
#include "core/sparse/csr.hpp"

namespace goza::saamg
{

/* inv[i] holds 1/d_i and gets 1/(d_i + sum |a_ij|), the sum with d_i's sign and over the block's row, its diagonal left out where the block is the
   diagonal one; 0 stays 0. In A's space. */
template <class V> void add_l1_norms(const Csr &A, bool diagonal_block, V *inv);

} // namespace goza::saamg
