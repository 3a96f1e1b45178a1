/* Products of block matrices on the host, values in a pattern that is there. */
#pragma once
#include "csr.hpp"
#include <algorithm>
#include <type_traits>
#include <vector>

namespace goza {

/* A size of blocks that is known when this is compiled; 0: it is not */
template <int n> using Size = std::integral_constant<int, n>;

/* Where blocks of a row of C stand, by their columns; one of A's blocks; and C's rows. */
struct BlockRoom {
  std::vector<PetscInt>      place;
  std::vector<PetscScalar>   block;
  std::vector<PetscScalar *> row;

  BlockRoom(PetscInt br, PetscInt bm, PetscInt ncols) : place(ncols), block(br * bm), row(br) { }
};

/* BlockRow's sums, in their order, for all block rows. Product: BlockProduct; R, M, K: its br, bm and bc where they are known when this is compiled, else 0.
   room: for C's columns of blocks. */
template <int R, int M, int K, class Product> void multiply_block_rows(const Product &of, PetscInt nodes, BlockRoom &room)
{
  const PetscInt      br = R ? R : of.br, bm = M ? M : of.bm, bc = K ? K : of.bc;
  PetscInt *const     place = room.place.data();
  PetscScalar **const row   = room.row.data();

  for (PetscInt node = 0; node < nodes; node++) {
    const PetscInt     first = of.cptr[node], n = of.cptr[node + 1] - first, row_of_a = of.aptr[node], stride = (of.aptr[node + 1] - row_of_a) * bm;
    const auto         taken = of.taken(node);
    const PetscScalar *from  = of.a + row_of_a * (br * bm) + (taken.begin - row_of_a) * bm;

    for (PetscInt t = 0; t < n; t++) place[of.ccol[first + t]] = t * bc;
    for (PetscInt r = 0; r < br; r++) row[r] = of.c + (first - of.c_first) * (br * bc) + r * n * bc;
    if (taken.anew) std::fill_n(row[0], n * br * bc, PetscScalar(0));
    for (PetscInt p = taken.begin; p < taken.end; p++, from += bm) {
      const PetscInt           begin = of.bptr[of.acol[p]], blocks = of.bptr[of.acol[p] + 1] - begin, length = blocks * bc;
      const PetscScalar *const b = of.b + (begin - of.b_first) * (bm * bc);
      PetscScalar known[R && M ? R * M : 1], *const a = R && M ? known : room.block.data();

      for (PetscInt r = 0; r < br; r++) std::copy_n(from + r * stride, bm, a + r * bm);
      for (PetscInt q = 0; q < blocks; q++) {
        const PetscInt at = place[of.bcol[begin + q]];

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

} // namespace goza
