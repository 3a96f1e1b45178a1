/* Products of block matrices on the host, values in a pattern that is there. */
#pragma once
#include "csr.hpp"
#include <algorithm>
#include <vector>

namespace goza
{

/* BlockRowProduct's sums, in their order, for all block rows: where a block of C stands in its row is looked up by its column. Product: BlockRowProduct; R, M, K: its br, bm and bc where they
   are known when this is compiled, else 0. */
template <int R, int M, int K, class Product> void multiply_block_rows(const Product &of)
{
  const PetscInt             br = R ? R : of.br, bm = M ? M : of.bm, bc = K ? K : of.bc, nodes = of.A.nrows / br;
  std::vector<PetscInt>      place(of.B.ncols / bc);
  std::vector<PetscScalar>   block(br * bm);
  std::vector<PetscScalar *> row(br);

  for (PetscInt node = 0; node < nodes; node++) {
    for (PetscInt t = of.cptr[node]; t < of.cptr[node + 1]; t++) place[of.ccol[t]] = (t - of.cptr[node]) * bc;
    for (PetscInt r = 0; r < br; r++) row[r] = of.val + of.ptr[node * br + r];
    std::fill(row[0], of.val + of.ptr[(node + 1) * br], PetscScalar(0));
    for (PetscInt p = of.aptr[node]; p < of.aptr[node + 1]; p++) {
      const PetscInt           middle = of.acol[p], blocks = of.bptr[middle + 1] - of.bptr[middle], length = blocks * bc;
      const PetscScalar *const b = of.B.val + of.B.ptr[middle * bm];
      PetscScalar known[R && M ? R * M : 1], *const a = R && M ? known : block.data();

      for (PetscInt r = 0; r < br; r++) std::copy_n(of.A.val + of.A.ptr[node * br + r] + (p - of.aptr[node]) * bm, bm, a + r * bm);
      for (PetscInt q = 0; q < blocks; q++) {
        const PetscInt at = place[of.bcol[of.bptr[middle] + q]];

        for (PetscInt r = 0; r < br; r++) {
          for (PetscInt c = 0; c < bc; c++) {
            PetscScalar sum = 0;

            for (PetscInt s = 0; s < bm; s++) sum += a[r * bm + s] * b[s * length + q * bc + c];
            row[r][at + c] += sum;
          }
        }
      }
    }
  }
}

/* With the sizes of A P and P^T (A P) for 2 and 3 unknowns and the near-null vectors that they come with. */
template <class Product> void multiply_block_rows(const Product &of)
{
  const auto is = [&](PetscInt br, PetscInt bm, PetscInt bc) { return of.br == br && of.bm == bm && of.bc == bc; };

  if (is(2, 2, 2)) multiply_block_rows<2, 2, 2>(of);
  else if (is(3, 3, 3)) multiply_block_rows<3, 3, 3>(of);
  else if (is(3, 3, 6)) multiply_block_rows<3, 3, 6>(of);
  else if (is(6, 3, 6)) multiply_block_rows<6, 3, 6>(of);
  else if (is(6, 6, 6)) multiply_block_rows<6, 6, 6>(of);
  else if (is(2, 2, 3)) multiply_block_rows<2, 2, 3>(of);
  else if (is(3, 2, 3)) multiply_block_rows<3, 2, 3>(of);
  else multiply_block_rows<0, 0, 0>(of);
}

} // namespace goza
