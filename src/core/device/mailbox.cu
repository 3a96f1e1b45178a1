#include "mailbox.hpp"
#include "core/launch/for_each_row.hpp"

namespace goza {

void LateFlag::check() const
{
  if (raised()) throw DeviceError("values of a neighbouring rank did not come in time (-goza_halo_timeout seconds): it has failed, or is late");
}

#if defined(__CUDACC__)

/* Pinned memory comes in pages. */
static constexpr std::size_t                 flags_at_once = 1024;
static std::vector<std::uint32_t *>          flag_pages;
static std::vector<volatile std::uint32_t *> free_flags;

LateFlag::LateFlag()
{
  if (free_flags.empty()) {
    flag_pages.reserve(flag_pages.size() + 1);
    free_flags.reserve((flag_pages.size() + 1) * flags_at_once); // so that a destructor need not
    flag_pages.push_back(static_cast<std::uint32_t *>(device::allocate_pinned(flags_at_once * sizeof(std::uint32_t))));
    for (std::size_t k = 0; k < flags_at_once; k++) free_flags.push_back(flag_pages.back() + k);
  }
  word_ = free_flags.back();
  free_flags.pop_back();
  *word_ = 0;
}

LateFlag::~LateFlag() { free_flags.push_back(word_); }

void forget_late_flags()
{
  free_flags.clear();
  for (std::uint32_t *page : flag_pages) device::deallocate_pinned(page);
  flag_pages.clear();
}

namespace {

constexpr int mailbox_threads = 256;

template <class V> using Bits = std::conditional_t<sizeof(V) == 4, std::uint32_t, std::uint64_t>;

template <class V> __device__ inline Bits<V> bits_of(V value)
{
  Bits<V> bits;

  memcpy(&bits, &value, sizeof(V));
  return bits;
}

template <class V> __device__ inline V value_of(Bits<V> bits)
{
  V value;

  memcpy(&value, &bits, sizeof(V));
  return value;
}

/* Not through a cache that other devices do not see, and a word as a whole. */
__device__ inline void store_word(MailboxWord *to, MailboxWord word) { *const_cast<volatile MailboxWord *>(to) = word; }

__device__ inline MailboxWord load_word(const MailboxWord *from) { return *const_cast<const volatile MailboxWord *>(from); }

__device__ inline void store_words(MailboxWord *to, MailboxWord a, MailboxWord b)
{
  asm volatile("st.volatile.global.v2.u64 [%0], {%1, %2};" ::"l"(to), "l"(a), "l"(b) : "memory");
}

__device__ inline void load_words(const MailboxWord *from, MailboxWord *a, MailboxWord *b)
{
  asm volatile("ld.volatile.global.v2.u64 {%0, %1}, [%2];" : "=l"(*a), "=l"(*b) : "l"(from) : "memory");
}

__device__ inline MailboxWord word(std::uint32_t half, std::uint32_t exchange) { return static_cast<MailboxWord>(exchange) << 32 | half; }

__device__ inline void send(MailboxWord *to, std::uint32_t bits, std::uint32_t exchange) { store_word(to, word(bits, exchange)); }

__device__ inline void send(MailboxWord *to, std::uint64_t bits, std::uint32_t exchange)
{
  store_words(to, word(static_cast<std::uint32_t>(bits), exchange), word(static_cast<std::uint32_t>(bits >> 32), exchange));
}

__device__ inline bool arrived(const MailboxWord *from, std::uint32_t exchange, std::uint32_t *bits)
{
  const MailboxWord a = load_word(from);

  *bits = static_cast<std::uint32_t>(a);
  return static_cast<std::uint32_t>(a >> 32) == exchange;
}

__device__ inline bool arrived(const MailboxWord *from, std::uint32_t exchange, std::uint64_t *bits)
{
  MailboxWord a, b;

  load_words(from, &a, &b);
  *bits = b << 32 | static_cast<std::uint32_t>(a);
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
  std::uint32_t                 exchange;
  bool                          hopeless;
  std::uint64_t                 begun, timeout;
  const volatile std::uint32_t *late;
  bool                          gave_up;

  __device__ Waiting(const Mailbox &box, std::uint64_t nanoseconds_at_most) :
    exchange(box.state->collected + 1), hopeless(box.state->late), begun(nanoseconds()), timeout(nanoseconds_at_most), late(box.late), gave_up(false)
  {
  }

  template <class V> __device__ V value(const MailboxWord *from)
  {
    Bits<V> bits;

    for (unsigned polls = 1; !arrived(from, exchange, &bits); polls++) {
      if (!hopeless && !gave_up && (polls % 1024 || (nanoseconds() - begun < timeout && !*late))) {
        if (polls > 256) __nanosleep(100); // a neighbour on the same device wants to go on
        continue;
      }
      gave_up = true;
      if constexpr (std::is_floating_point_v<V>) return static_cast<V>(__longlong_as_double(0x7ff8000000000000));
      else return 0; // an index that is none would lead out of an array before the host looks at the flag
    }
    return value_of<V>(bits);
  }

  __device__ void tell(const Mailbox &box) const
  {
    if (!gave_up) return;
    box.state->late = 1;
    *box.late       = 1;
  }
};

template <class V> __global__ void __launch_bounds__(mailbox_threads) ExchangeKernel(const Mailbox box, const V *x, V *values, std::uint64_t timeout)
{
  Waiting             waiting(box, timeout);
  const PetscInt      first = static_cast<PetscInt>(blockIdx.x * blockDim.x + threadIdx.x), step = static_cast<PetscInt>(gridDim.x * blockDim.x);
  MailboxWord *const *place = box.place + (waiting.exchange & 1 ? box.nsend : 0);
  const MailboxWord  *words = box.words + (waiting.exchange & 1 ? static_cast<std::size_t>(box.nget) * mailbox_words<V> : 0);

  for (PetscInt k = first; k < box.nsend; k += step) send(place[k], bits_of(x && box.index[k] >= 0 ? x[box.index[k]] : V(0)), waiting.exchange);
  for (PetscInt k = first; k < box.nget; k += step) {
    const V value = waiting.value<V>(words + static_cast<std::size_t>(k) * mailbox_words<V>);

    if (k < box.nkept) values[k] = value;
  }
  waiting.tell(box);
  __syncthreads(); // all of the block have read the number
  if (threadIdx.x == 0 && atomicAdd(&box.state->blocks, 1) == gridDim.x - 1) {
    box.state->blocks    = 0;
    box.state->collected = waiting.exchange;
  }
}

/* One block. */
__global__ void __launch_bounds__(mailbox_threads)
  SumKernel(const Mailbox box, PetscInt width, PetscInt rank, PetscScalar *values, PetscInt n, std::uint64_t timeout, const bool *wanted)
{
  if (wanted && !*wanted) return;
  extern __shared__ PetscScalar others[]; // [nget]
  Waiting                       waiting(box, timeout);
  const PetscInt                first = static_cast<PetscInt>(threadIdx.x), ranks = box.nget / width + 1;
  MailboxWord *const           *place = box.place + (waiting.exchange & 1 ? box.nsend : 0);
  const MailboxWord            *words = box.words + (waiting.exchange & 1 ? static_cast<std::size_t>(box.nget) * mailbox_words<PetscScalar> : 0);

  for (PetscInt k = first; k < box.nsend; k += mailbox_threads)
    if (k % width < n) send(place[k], bits_of(values[k % width]), waiting.exchange);
  for (PetscInt k = first; k < box.nget; k += mailbox_threads)
    if (k % width < n) others[k] = waiting.value<PetscScalar>(words + static_cast<std::size_t>(k) * mailbox_words<PetscScalar>);
  waiting.tell(box);
  __syncthreads();
  if (first < n) {
    PetscScalar sum = 0;

    for (PetscInt r = 0; r < ranks; r++) sum += r == rank ? values[first] : others[(r < rank ? r : r - 1) * width + first];
    values[first] = sum;
  }
  if (first == 0) box.state->collected = waiting.exchange;
}

template <class V> HD void fill_place(PetscInt k, MailboxWord **place, MailboxWord *to) { place[k] = to + static_cast<std::size_t>(k) * mailbox_words<V>; }

} // namespace

template <class V> void fill_places(MailboxWord **place, MailboxWord *to, PetscInt n) { for_each_row(Space::Cuda, n, bound<fill_place<V>>(place, to)); }

template <class V> void exchange(const Mailbox &box, const V *x, V *values, unsigned most_blocks, double timeout)
{
  const unsigned blocks = std::min(std::max(1u, blocks_for(std::max(box.nsend, box.nget), mailbox_threads)), most_blocks);

  launch_kernel<ExchangeKernel<V>>(blocks, mailbox_threads, box, x, values, static_cast<std::uint64_t>(1e9 * timeout));
}

void sum_over_ranks(const Mailbox &box, PetscInt width, PetscInt rank, PetscScalar *values, PetscInt n, double timeout, const bool *wanted)
{
  launch_kernel_with<SumKernel>(box.nget * sizeof(PetscScalar), 1, mailbox_threads, box, width, rank, values, n, static_cast<std::uint64_t>(1e9 * timeout),
                                wanted);
}

#else

LateFlag::LateFlag() : word_(nullptr) { throw DeviceError("this libgoza was built without CUDA"); }

LateFlag::~LateFlag() { }

void forget_late_flags() { }

template <class V> void fill_places(MailboxWord **, MailboxWord *, PetscInt) { throw DeviceError("this libgoza was built without CUDA"); }

template <class V> void exchange(const Mailbox &, const V *, V *, unsigned, double) { throw DeviceError("this libgoza was built without CUDA"); }

void sum_over_ranks(const Mailbox &, PetscInt, PetscInt, PetscScalar *, PetscInt, double, const bool *)
{
  throw DeviceError("this libgoza was built without CUDA");
}

#endif

#define INSTANTIATE_EXCHANGE(Word, V) \
  template void fill_places<V>(Word **, Word *, PetscInt); \
  template void exchange(const Mailbox &, const V *, V *, unsigned, double);
FOR_EACH_VECTOR(INSTANTIATE_EXCHANGE, MailboxWord)
template void exchange(const Mailbox &, const PetscInt *, PetscInt *, unsigned, double);
template void exchange(const Mailbox &, const std::uint64_t *, std::uint64_t *, unsigned, double);

} // namespace goza
