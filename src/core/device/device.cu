/* device.hpp with the CUDA runtime; without it: no_device.cxx. */
#include "device.hpp"
#include "cuda_check.hpp"
#include "free_blocks.hpp"
#include "numbers.hpp"
#include "properties.hpp"
#include "recording.hpp"
#include "refused_memory.hpp"
#include "scalars.hpp"
#include "upload.hpp"
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>

#if defined(__CUDACC__)
  #include <cuda_runtime.h>
#endif

namespace goza::device {

#if defined(__CUDACC__)

static cudaStream_t current = nullptr;
static std::mutex   guard;

struct Block {
  std::size_t  bytes;
  cudaStream_t stream; // where it was allocated
  int          kind;   // of FreeBlocks
};
static FreeBlocks               kept;
static std::map<void *, Block>  blocks;                              // what is allocated, so that bytes_in_use() is exact
static std::atomic<std::size_t> in_use{0}, most_in_use{0}, limit{0}; // limit 0: none
static std::atomic<std::size_t> waited{0};

__global__ static void GozaProbe(int *p) { *p = 0; }

bool available(std::string *why)
{
  int         count = 0;
  cudaError_t err   = cudaGetDeviceCount(&count);

  if (err == cudaSuccess && count > 0) {
    cudaFuncAttributes attributes;
    err = cudaFuncGetAttributes(&attributes, GozaProbe); // fails where this build holds no code for the device
    if (err == cudaSuccess) return true;
  }
  (void)cudaGetLastError();
  if (!why) return false;
  if (err == cudaErrorInsufficientDriver || err == cudaErrorStubLibrary)
    *why = "no NVIDIA driver, or one that is older than CUDA " + std::to_string(CUDART_VERSION / 1000) + "." + std::to_string(CUDART_VERSION % 1000 / 10) +
           " wants: install or update it where there is a GPU";
  else *why = err != cudaSuccess ? cudaGetErrorString(err) : "no CUDA device is attached";
  return false;
}

std::string description()
{
  int            id = 0;
  cudaDeviceProp prop;
  char           text[384];

  check(cudaGetDevice(&id), "cudaGetDevice");
  check(cudaGetDeviceProperties(&prop, id), "cudaGetDeviceProperties");
  std::snprintf(text, sizeof(text), "%.256s, %.1f GiB, compute capability %d.%d", prop.name, prop.totalGlobalMem / 1073741824.0, prop.major, prop.minor);
  return text;
}

int multiprocessors()
{
  int id = 0, n = 0;

  check(cudaGetDevice(&id), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&n, cudaDevAttrMultiProcessorCount, id), "cudaDeviceGetAttribute");
  return n;
}

/* Neighbours share a device, whose rows are then in one piece. A PETSc with CUDA takes them in turn, and its vectors are there. */
void select(int rank, int ranks)
{
  int count = 0;

  if (cudaGetDeviceCount(&count) == cudaSuccess && count > 0)
    check(cudaSetDevice(PetscDefined(HAVE_CUDA) || ranks <= count ? rank % count : static_cast<int>(static_cast<long>(rank) * count / ranks)), "cudaSetDevice");
  (void)cudaGetLastError();
}

std::array<char, 16> uuid()
{
  std::array<char, 16> id{};
  int                  device = 0;
  cudaDeviceProp       prop;

  if (!available()) return id;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaGetDeviceProperties(&prop, device), "cudaGetDeviceProperties");
  std::copy(prop.uuid.bytes, prop.uuid.bytes + id.size(), id.begin());
  return id;
}

std::string name()
{
  int            id = 0;
  cudaDeviceProp prop;

  if (!available() || cudaGetDevice(&id) != cudaSuccess || cudaGetDeviceProperties(&prop, id) != cudaSuccess) return "none";
  return prop.name;
}

int shared_memory()
{
  int id = 0, bytes = 0;

  if (!available() || cudaGetDevice(&id) != cudaSuccess || cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerMultiprocessor, id) != cudaSuccess)
    return 0;
  return bytes;
}

bool is_device_pointer(const void *p)
{
  cudaPointerAttributes attributes;

  if (!p) return false;
  if (cudaPointerGetAttributes(&attributes, p) != cudaSuccess) {
    (void)cudaGetLastError();
    return false;
  }
  return attributes.type == cudaMemoryTypeDevice;
}

static void free_kept(void *block, void *stream)
{
  if (stream != current || cudaFreeAsync(block, current) != cudaSuccess) (void)cudaFree(block);
}

/* Memory comes from the device's pool, in the order of the stream: cudaMalloc() and cudaFree() would wait for the device, and cost milliseconds. The pool keeps
   up to a quarter of the device's memory that is free at the moment, for the next set-up, and of what is freed here so much is not given back to it. */
static bool has_pool()
{
  constexpr std::size_t       share = 64;
  static std::map<int, bool>  known;
  int                         id = 0, supported = 0;
  cudaMemPool_t               pool;
  std::uint64_t               keep       = 0;
  std::size_t                 free_bytes = 0, total = 0;
  std::lock_guard<std::mutex> lock(guard);

  check(cudaGetDevice(&id), "cudaGetDevice");
  if (const auto k = known.find(id); k != known.end()) return k->second;
  check(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, id), "cudaDeviceGetAttribute");
  if (supported) {
    check(cudaDeviceGetDefaultMemPool(&pool, id), "cudaDeviceGetDefaultMemPool");
    check(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep), "cudaMemPoolGetAttribute");
    check(cudaMemGetInfo(&free_bytes, &total), "cudaMemGetInfo");
    if (keep < total / 4) { // PETSc may have asked for more
      keep = total / 4;
      check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep), "cudaMemPoolSetAttribute");
    }
    kept.allow(std::max(kept.most(), total / share));
  }
  return known[id] = supported != 0;
}

[[noreturn]] static void no_memory(std::size_t bytes)
{
  constexpr double GiB        = 1073741824.0;
  std::size_t      free_bytes = 0, total = 0;
  char             text[384], bound[64]  = "";

  (void)cudaGetLastError();
  (void)cudaMemGetInfo(&free_bytes, &total);
  if (limit) std::snprintf(bound, sizeof(bound), ", -goza_memory_limit %.3f MB", limit / 1e6);
  std::snprintf(text, sizeof(text), "device memory: %.6f GiB asked for, %.3f GiB free of %.3f GiB, %.6f GiB held by Goza%s", bytes / GiB, free_bytes / GiB,
                total / GiB, in_use / GiB, bound);
  throw DeviceMemoryError(text);
}

void *allocate(std::size_t bytes)
{
  cudaError_t err = cudaSuccess;

  if (!bytes) return nullptr;
  const bool pooled = has_pool();
  if (memory_refused(bytes) || (limit && in_use + bytes > limit)) no_memory(bytes);
  const int         kind  = pooled && !recording() ? FreeBlocks::kind_of(bytes) : -1;
  const std::size_t taken = kind < 0 ? bytes : FreeBlocks::size_of(kind);
  void             *p     = nullptr;

  {
    std::lock_guard<std::mutex> lock(guard);
    p = kept.take(kind, current);
  }
  if (!p) err = pooled ? cudaMallocAsync(&p, taken, current) : cudaMalloc(&p, bytes);
  if (pooled && err == cudaErrorMemoryAllocation) { // give back what the pool keeps, and try once more
    cudaMemPool_t pool;
    int           id = 0;

    (void)cudaGetLastError();
    {
      std::lock_guard<std::mutex> lock(guard);
      kept.drop(free_kept);
    }
    check(cudaGetDevice(&id), "cudaGetDevice");
    check(cudaDeviceGetDefaultMemPool(&pool, id), "cudaDeviceGetDefaultMemPool");
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    (void)cudaMemPoolTrimTo(pool, 0);
    err = cudaMallocAsync(&p, taken, current);
  }
  if (err == cudaErrorMemoryAllocation) no_memory(bytes);
  check(err, "cudaMallocAsync");
  std::lock_guard<std::mutex> lock(guard);
  try {
    blocks[p] = {bytes, current, kind};
  } catch (...) { // the host is out of memory
    (void)cudaFree(p);
    throw;
  }
  in_use += bytes;
  most_in_use = in_use > most_in_use ? in_use.load() : most_in_use.load();
  return p;
}

void deallocate(void *p) noexcept
{
  cudaStream_t stream = nullptr;
  bool         same   = false;

  if (!p) return;
  {
    std::lock_guard<std::mutex> lock(guard);
    auto                        block = blocks.find(p);
    if (block != blocks.end()) {
      stream = block->second.stream;
      same   = stream == current;
      in_use -= block->second.bytes;
      const int  kind  = block->second.kind;
      const bool keeps = same && !recording() && kind >= 0;

      blocks.erase(block);
      if (keeps && kept.keep(p, kind, stream)) return;
      if (keeps) kept.drop(free_kept); /* sizes that are not asked for any more would stay for ever */
    }
  }
  /* when PETSc has moved to another stream, work on the old one may still need the memory: cudaFree() waits for all */
  if (!same || cudaFreeAsync(p, stream) != cudaSuccess) (void)cudaFree(p);
  (void)cudaGetLastError();
}

void *allocate_pinned(std::size_t bytes)
{
  void *p = nullptr;

  if (memory_refused(bytes)) throw DeviceMemoryError("host memory that a device copies at full speed: none is left");
  check(cudaMallocHost(&p, bytes), "cudaMallocHost");
  return p;
}

void deallocate_pinned(void *p) noexcept
{
  if (p) (void)cudaFreeHost(p);
}

bool pin(void *p, std::size_t bytes) noexcept
{
  if (cudaHostRegister(p, bytes, cudaHostRegisterDefault) == cudaSuccess) return true;
  (void)cudaGetLastError();
  return false;
}

void unpin(void *p) noexcept { (void)cudaHostUnregister(p); }

void copy_async(void *dst, const void *src, std::size_t bytes)
{
  if (bytes) check(cudaMemcpyAsync(dst, src, bytes, cudaMemcpyDefault, current), "cudaMemcpyAsync");
}

void copy(void *dst, const void *src, std::size_t bytes)
{
  if (!bytes) return;
  const bool to_device = is_device_pointer(dst), from_device = is_device_pointer(src);

  if (to_device != from_device && !recording() && (to_device ? upload(dst, src, bytes, current) : copy_numbers(dst, src, bytes))) {
    waited++;
    return;
  }
  copy_async(dst, src, bytes);
  if (!(to_device && from_device)) synchronize();
}

void fill_zero(void *dst, std::size_t bytes)
{
  if (bytes) check(cudaMemsetAsync(dst, 0, bytes, current), "cudaMemsetAsync");
}

void synchronize()
{
  waited++;
  check(cudaStreamSynchronize(current), "cudaStreamSynchronize");
}

std::size_t waits() { return waited; }

void note_wait() { waited++; }

bool busy()
{
  const cudaError_t err = cudaStreamQuery(current);

  if (err == cudaErrorNotReady) return true;
  check(err, "cudaStreamQuery");
  return false;
}

void set_stream(void *s) { current = static_cast<cudaStream_t>(s); }

void *stream() { return current; }

/* Made on first use, of the highest priority: others wait for what is sent. */
static struct {
  cudaStream_t stream = nullptr;
  cudaEvent_t  forked = nullptr, joined = nullptr;
} beside;

void *fork()
{
  if (!beside.stream) {
    int least = 0, greatest = 0;

    check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "cudaDeviceGetStreamPriorityRange");
    check(cudaStreamCreateWithPriority(&beside.stream, cudaStreamNonBlocking, greatest), "cudaStreamCreateWithPriority");
    check(cudaEventCreateWithFlags(&beside.forked, cudaEventDisableTiming), "cudaEventCreate");
    check(cudaEventCreateWithFlags(&beside.joined, cudaEventDisableTiming), "cudaEventCreate");
  }
  check(cudaEventRecord(beside.forked, current), "cudaEventRecord");
  check(cudaStreamWaitEvent(beside.stream, beside.forked, 0), "cudaStreamWaitEvent");
  return beside.stream;
}

void join()
{
  check(cudaEventRecord(beside.joined, beside.stream), "cudaEventRecord");
  check(cudaStreamWaitEvent(current, beside.joined, 0), "cudaStreamWaitEvent");
}

std::size_t bytes_in_use() { return in_use; }

std::size_t most_bytes_in_use() { return most_in_use.exchange(in_use); }

void set_memory_limit(std::size_t bytes) { limit = bytes; }

std::size_t free_memory()
{
  std::size_t free_bytes = 0, total = 0;

  check(cudaMemGetInfo(&free_bytes, &total), "cudaMemGetInfo");
  if (!limit) return free_bytes;
  return std::min<std::size_t>(free_bytes, limit > in_use ? limit - in_use : 0);
}

#endif

} // namespace goza::device
