/* Columns in a small table in shared memory, key[slots], which lanes enter all at once. slots is a power of two; a free one holds no_column. */
#pragma once
#include "csr_pattern.hpp"

#if defined(__CUDACC__)
namespace goza
{
namespace product
{

template <int slots> __device__ int first_probe(PetscInt c)
{
  return static_cast<int>(scattered(c) >> 15) & (slots - 1);
}

/* s becomes the column's slot; the one lane that enters it there calls entered(). False where all slots are other columns'. */
template <int slots, class Entered> __device__ bool find_or_enter(PetscInt *key, PetscInt c, int &s, const Entered &entered)
{
  s = first_probe<slots>(c);
  for (int probe = 0; probe < slots; probe++) {
    PetscInt held = *const_cast<volatile PetscInt *>(key + s);

    if (held == c) return true;
    if (held == no_column) {
      held = pattern::claim(key + s, c);
      if (held == c) return true;
      if (held == no_column) {
        entered();
        return true;
      }
    }
    s = (s + 1) & (slots - 1);
  }
  return false;
}

} // namespace product
} // namespace goza
#endif
