/* What other threads of a kernel may read and write meanwhile. */
#pragma once
#include "core/device/space.hpp"
#if defined(__CUDACC__)
  #include <cuda/atomic>
#endif

namespace goza {

HD inline PetscInt load_relaxed(PetscInt *p)
{
#if defined(__CUDA_ARCH__)
  return cuda::atomic_ref<PetscInt, cuda::thread_scope_device>(*p).load(cuda::memory_order_relaxed);
#else
  return *p;
#endif
}

HD inline void store_relaxed(PetscInt *p, PetscInt value)
{
#if defined(__CUDA_ARCH__)
  cuda::atomic_ref<PetscInt, cuda::thread_scope_device>(*p).store(value, cuda::memory_order_relaxed);
#else
  *p                    = value;
#endif
}

/* *p as it was before. */
HD inline PetscInt add_relaxed(PetscInt *p, PetscInt value)
{
#if defined(__CUDA_ARCH__)
  return cuda::atomic_ref<PetscInt, cuda::thread_scope_device>(*p).fetch_add(value, cuda::memory_order_relaxed);
#else
  const PetscInt before = *p;

  *p = before + value;
  return before;
#endif
}

} // namespace goza
