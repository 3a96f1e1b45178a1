/* A borrowed compressed-row matrix, in either space. */
#pragma once
#include "core/device/space.hpp"

namespace goza {

constexpr PetscInt most_in_16_bits = 65535; // of columns counted from a base, or from the column before

struct Csr {
  Space              space;
  PetscInt           nrows, ncols;
  const PetscInt    *ptr, *col; // [nrows + 1], [ptr[nrows]]
  const PetscScalar *val;       // [ptr[nrows]]
  PetscInt           nnz = -1;  // ptr[nrows] where it is known without asking the device
  /* the same pattern on the host, where it happens to be there as well */
  const PetscInt *host_ptr = nullptr, *host_col = nullptr;
};

/* Entries of a matrix, by their numbers: all of them or, in a block's shared memory, those from number `from` on. The latter go by an address that is no
   pointer: nvcc 13.0 takes all pointers in a kernel's argument for global ones, and reads global memory where such a pointer was exchanged for one into shared
   memory. */
template <class T> struct Entries {
  const T *all    = nullptr;
  unsigned shared = 0;
  PetscInt from   = 0;
  bool     staged = false;

  HD Entries(const T *p = nullptr) : all(p) { }
#if defined(__CUDACC__)
  __device__ static Entries in_shared_memory(const T *p, PetscInt from)
  {
    Entries entries;

    entries.shared = static_cast<unsigned>(__cvta_generic_to_shared(p));
    entries.from   = from;
    entries.staged = true;
    return entries;
  }
#endif

  HD T operator[](PetscInt p) const
  {
#if defined(__CUDA_ARCH__)
    if (staged) return *static_cast<const T *>(__cvta_shared_to_generic(shared + static_cast<unsigned>(p - from) * static_cast<unsigned>(sizeof(T))));
#endif
    return all[p];
  }
};
constexpr PetscInt no_column = PETSC_MAX_INT; // sorts behind all columns

using Columns = Entries<PetscInt>;
using Values  = Entries<PetscScalar>;

} // namespace goza
