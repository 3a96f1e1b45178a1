#include "mail.hpp"
#include "for_each_row.hpp"
#include <cstring>
#include <limits>

namespace goza
{

#if defined(__CUDACC__)

static volatile std::uint32_t *any_late = nullptr; // pinned: kernels write it, the host looks

static volatile std::uint32_t *late_flag()
{
  if (!any_late) {
    any_late  = static_cast<std::uint32_t *>(device::allocate_pinned(sizeof(std::uint32_t)));
    *any_late = 0;
  }
  return any_late;
}

void check_mail()
{
  if (!any_late || !*any_late) return;
  *any_late = 0;
  throw DeviceError("values of a neighbouring rank did not come in time (-goza_halo_patience seconds): it has failed, or is late");
}

void forget_mail()
{
  device::deallocate_pinned(const_cast<std::uint32_t *>(any_late));
  any_late = nullptr;
}

namespace
{

constexpr int mail_threads = 256;

/* Not through a cache that other devices do not see, and a word as a whole. */
__device__ inline void store_word(MailWord *to, MailWord word)
{
  *const_cast<volatile MailWord *>(to) = word;
}

__device__ inline MailWord load_word(const MailWord *from)
{
  return *const_cast<const volatile MailWord *>(from);
}

__device__ inline void store_words(MailWord *to, MailWord a, MailWord b)
{
  asm volatile("st.volatile.global.v2.u64 [%0], {%1, %2};" ::"l"(to), "l"(a), "l"(b) : "memory");
}

__device__ inline void load_words(const MailWord *from, MailWord *a, MailWord *b)
{
  asm volatile("ld.volatile.global.v2.u64 {%0, %1}, [%2];" : "=l"(*a), "=l"(*b) : "l"(from) : "memory");
}

__device__ inline MailWord word(std::uint32_t half, std::uint32_t exchange)
{
  return static_cast<MailWord>(exchange) << 32 | half;
}

__device__ inline void send(MailWord *to, float value, std::uint32_t exchange)
{
  store_word(to, word(__float_as_uint(value), exchange));
}

__device__ inline void send(MailWord *to, double value, std::uint32_t exchange)
{
  store_words(to, word(static_cast<std::uint32_t>(__double2loint(value)), exchange), word(static_cast<std::uint32_t>(__double2hiint(value)), exchange));
}

__device__ inline bool arrived(const MailWord *from, std::uint32_t exchange, float *value)
{
  const MailWord a = load_word(from);

  *value = __uint_as_float(static_cast<std::uint32_t>(a));
  return static_cast<std::uint32_t>(a >> 32) == exchange;
}

__device__ inline bool arrived(const MailWord *from, std::uint32_t exchange, double *value)
{
  MailWord a, b;

  load_words(from, &a, &b);
  *value = __hiloint2double(static_cast<int>(static_cast<std::uint32_t>(b)), static_cast<int>(static_cast<std::uint32_t>(a)));
  return static_cast<std::uint32_t>(a >> 32) == exchange && static_cast<std::uint32_t>(b >> 32) == exchange;
}

__device__ inline std::uint64_t nanoseconds()
{
  std::uint64_t now;

  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

template <class V>
__global__ void __launch_bounds__(mail_threads) PostKernel(PetscInt n, const PetscInt *index, const V *x, MailWord *const *place, const MailState *state)
{
  const std::int64_t  k        = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::uint32_t exchange = state->collected + 1;

  if (k >= n) return;
  send(place[(exchange & 1 ? n : 0) + k], index[k] < 0 ? V(0) : x[index[k]], exchange);
}

template <class V>
__global__ void __launch_bounds__(mail_threads) CollectKernel(PetscInt n, const MailWord *words, PetscInt nkept, V *values, MailState *state, std::uint64_t patience, volatile std::uint32_t *late)
{
  const std::uint32_t exchange = state->collected + 1;
  const bool          hopeless = state->late;
  const MailWord     *mine     = words + (exchange & 1 ? static_cast<std::size_t>(n) * mail_words<V> : 0);
  const std::uint64_t begun    = nanoseconds();
  bool                gave_up  = false;

  for (PetscInt k = static_cast<PetscInt>(blockIdx.x * blockDim.x + threadIdx.x); k < n; k += static_cast<PetscInt>(gridDim.x * blockDim.x)) {
    V value;

    for (unsigned polls = 1; !arrived(mine + static_cast<std::size_t>(k) * mail_words<V>, exchange, &value); polls++) {
      if (!hopeless && !gave_up && (polls % 1024 || nanoseconds() - begun < patience)) {
        if (polls > 256) __nanosleep(100); // a neighbour on the same device wants to go on
        continue;
      }
      gave_up = true;
      value   = static_cast<V>(__longlong_as_double(0x7ff8000000000000));
      break;
    }
    if (k < nkept) values[k] = value;
  }
  if (gave_up) {
    state->late = 1;
    *late       = 1;
  }
  __syncthreads(); // all of the block have read the number
  if (threadIdx.x == 0 && atomicAdd(&state->blocks, 1) == gridDim.x - 1) {
    state->blocks    = 0;
    state->collected = exchange;
  }
}

} // namespace

template <class V> void post(PetscInt n, const PetscInt *index, const V *x, MailWord *const *place, const MailState *state)
{
  launch_kernel(PostKernel<V>, blocks_for(n, mail_threads), mail_threads, n, index, x, place, state);
}

template <class V> void collect(PetscInt n, const MailWord *words, PetscInt nkept, V *values, MailState *state, unsigned most_blocks, double patience)
{
  const unsigned blocks = std::min(std::max(1u, blocks_for(n, mail_threads)), most_blocks);

  launch_kernel(CollectKernel<V>, blocks, mail_threads, n, words, nkept, values, state, static_cast<std::uint64_t>(1e9 * patience), late_flag());
}

#else

void check_mail() { }

void forget_mail() { }

template <class V> void post(PetscInt, const PetscInt *, const V *, MailWord *const *, const MailState *)
{
  throw DeviceError("this libgoza was built without CUDA");
}

template <class V> void collect(PetscInt, const MailWord *, PetscInt, V *, MailState *, unsigned, double)
{
  throw DeviceError("this libgoza was built without CUDA");
}

#endif

template void post(PetscInt, const PetscInt *, const PetscScalar *, MailWord *const *, const MailState *);
template void collect(PetscInt, const MailWord *, PetscInt, PetscScalar *, MailState *, unsigned, double);
#if !PetscDefined(USE_REAL_SINGLE)
template void post(PetscInt, const PetscInt *, const float *, MailWord *const *, const MailState *);
template void collect(PetscInt, const MailWord *, PetscInt, float *, MailState *, unsigned, double);
#endif

} // namespace goza
