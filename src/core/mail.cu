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

bool mail_was_late()
{
  if (!any_late || !*any_late) return false;
  *any_late = 0;
  return true;
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

/* What a kernel knows when it begins to wait. */
struct Waiting {
  std::uint32_t exchange;
  bool          hopeless;
  std::uint64_t begun, patience;
  bool          gave_up;

  __device__ Waiting(const MailState &state, std::uint64_t nanoseconds_at_most) :
    exchange(state.collected + 1), hopeless(state.late), begun(nanoseconds()), patience(nanoseconds_at_most), gave_up(false)
  {
  }

  template <class V> __device__ V value(const MailWord *from)
  {
    V value;

    for (unsigned polls = 1; !arrived(from, exchange, &value); polls++) {
      if (!hopeless && !gave_up && (polls % 1024 || nanoseconds() - begun < patience)) {
        if (polls > 256) __nanosleep(100); // a neighbour on the same device wants to go on
        continue;
      }
      gave_up = true;
      return static_cast<V>(__longlong_as_double(0x7ff8000000000000));
    }
    return value;
  }
};

template <class V>
__global__ void __launch_bounds__(mail_threads) ExchangeKernel(const Mail<V> mail, const V *x, std::uint64_t patience, volatile std::uint32_t *late)
{
  Waiting          waiting(*mail.state, patience);
  const PetscInt   first = static_cast<PetscInt>(blockIdx.x * blockDim.x + threadIdx.x), step = static_cast<PetscInt>(gridDim.x * blockDim.x);
  MailWord *const *place = mail.place + (waiting.exchange & 1 ? mail.nsend : 0);
  const MailWord  *words = mail.words + (waiting.exchange & 1 ? static_cast<std::size_t>(mail.nget) * mail_words<V> : 0);

  for (PetscInt k = first; k < mail.nsend; k += step) send(place[k], mail.index[k] < 0 ? V(0) : x[mail.index[k]], waiting.exchange);
  for (PetscInt k = first; k < mail.nget; k += step) {
    const V value = waiting.value<V>(words + static_cast<std::size_t>(k) * mail_words<V>);

    if (k < mail.nkept) mail.values[k] = value;
  }
  if (waiting.gave_up) {
    mail.state->late = 1;
    *late            = 1;
  }
  __syncthreads(); // all of the block have read the number
  if (threadIdx.x == 0 && atomicAdd(&mail.state->blocks, 1) == gridDim.x - 1) {
    mail.state->blocks    = 0;
    mail.state->collected = waiting.exchange;
  }
}

/* One block. */
__global__ void __launch_bounds__(mail_threads) SumKernel(const Mail<PetscScalar> mail, PetscInt width, PetscInt rank, PetscScalar *values, PetscInt n, std::uint64_t patience, volatile std::uint32_t *late)
{
  extern __shared__ PetscScalar others[]; // [nget]
  Waiting                       waiting(*mail.state, patience);
  const PetscInt                first = static_cast<PetscInt>(threadIdx.x), ranks = mail.nget / width + 1;
  MailWord *const              *place = mail.place + (waiting.exchange & 1 ? mail.nsend : 0);
  const MailWord               *words = mail.words + (waiting.exchange & 1 ? static_cast<std::size_t>(mail.nget) * mail_words<PetscScalar> : 0);

  for (PetscInt k = first; k < mail.nsend; k += mail_threads) {
    if (k % width < n) send(place[k], values[k % width], waiting.exchange);
  }
  for (PetscInt k = first; k < mail.nget; k += mail_threads) {
    if (k % width < n) others[k] = waiting.value<PetscScalar>(words + static_cast<std::size_t>(k) * mail_words<PetscScalar>);
  }
  if (waiting.gave_up) {
    mail.state->late = 1;
    *late            = 1;
  }
  __syncthreads();
  if (first < n) {
    PetscScalar sum = 0;

    for (PetscInt r = 0; r < ranks; r++) sum += r == rank ? values[first] : others[(r < rank ? r : r - 1) * width + first];
    values[first] = sum;
  }
  if (first == 0) mail.state->collected = waiting.exchange;
}

template <class V> struct FillPlaces {
  MailWord **place, *to;

  HD void operator()(PetscInt k) const { place[k] = to + static_cast<std::size_t>(k) * mail_words<V>; }
};

} // namespace

template <class V> void fill_places(MailWord **place, MailWord *to, PetscInt n)
{
  for_each_row(Space::Cuda, n, FillPlaces<V>{place, to});
}

template <class V> void exchange(const Mail<V> &mail, const V *x, unsigned most_blocks, double patience)
{
  const unsigned blocks = std::min(std::max(1u, blocks_for(std::max(mail.nsend, mail.nget), mail_threads)), most_blocks);

  launch_kernel<ExchangeKernel<V>>(blocks, mail_threads, mail, x, static_cast<std::uint64_t>(1e9 * patience), late_flag());
}

void sum_by_mail(const Mail<PetscScalar> &mail, PetscInt width, PetscInt rank, PetscScalar *values, PetscInt n, double patience)
{
  launch_kernel_with<SumKernel>(mail.nget * sizeof(PetscScalar), 1, mail_threads, mail, width, rank, values, n, static_cast<std::uint64_t>(1e9 * patience), late_flag());
}

#else

bool mail_was_late()
{
  return false;
}

void forget_mail() { }

template <class V> void fill_places(MailWord **, MailWord *, PetscInt)
{
  throw DeviceError("this libgoza was built without CUDA");
}

template <class V> void exchange(const Mail<V> &, const V *, unsigned, double)
{
  throw DeviceError("this libgoza was built without CUDA");
}

void sum_by_mail(const Mail<PetscScalar> &, PetscInt, PetscInt, PetscScalar *, PetscInt, double)
{
  throw DeviceError("this libgoza was built without CUDA");
}

#endif

void throw_late_mail()
{
  throw DeviceError("values of a neighbouring rank did not come in time (-goza_halo_patience seconds): it has failed, or is late");
}

template void fill_places<PetscScalar>(MailWord **, MailWord *, PetscInt);
template void exchange(const Mail<PetscScalar> &, const PetscScalar *, unsigned, double);
#if !PetscDefined(USE_REAL_SINGLE)
template void fill_places<float>(MailWord **, MailWord *, PetscInt);
template void exchange(const Mail<float> &, const float *, unsigned, double);
#endif

} // namespace goza
