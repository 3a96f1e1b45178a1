#include "shared_memory.hpp"
#include "cuda_check.hpp"
#include "refused_memory.hpp"
#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#if defined(__CUDACC__)
  #include <cuda.h>
  #include <cuda_runtime.h>
#endif

namespace goza {

#if defined(__CUDACC__)

namespace {

/* One allocation that others open. Memory goes back to CUDA only in close_shared(): a neighbour may still have it mapped. */
struct Chunk {
  char              *base;
  std::size_t        bytes, used;
  cudaIpcMemHandle_t handle;
};

struct Returned {
  std::size_t chunk, bytes;
  char       *data;
  cudaEvent_t done; // no stream of ours reads it any more; where a neighbour failed this may never be, and the block stays out of use
};

constexpr std::size_t         chunk_bytes = std::size_t(8) << 20, least_bytes = 256;
std::vector<Chunk>            chunks;
std::vector<Returned>         returned;
std::map<std::string, char *> opened; // handle -> where its allocation is here

std::size_t power_of_two(std::size_t bytes)
{
  std::size_t size = least_bytes;

  while (size < bytes) size *= 2;
  return size;
}

} // namespace

SharedBlock::SharedBlock(std::size_t bytes) : bytes_(power_of_two(bytes))
{
  if (memory_refused(bytes_)) throw DeviceMemoryError("device memory to share with other ranks: none is left");
  const auto free_now = std::find_if(returned.begin(), returned.end(),
                                     [this](const Returned &r) { return r.bytes == bytes_ && cudaEventQuery(r.done) == cudaSuccess; });

  (void)cudaGetLastError(); // an event that is not reached is no error
  if (free_now != returned.end()) {
    data_  = free_now->data;
    chunk_ = free_now->chunk;
    (void)cudaEventDestroy(free_now->done);
    returned.erase(free_now);
  } else {
    if (chunks.empty() || chunks.back().used + bytes_ > chunks.back().bytes) {
      Chunk chunk{nullptr, std::max(chunk_bytes, bytes_), 0, {}}; // a multiple of 2 MiB, so that no other allocation shares its pages

      check(cudaMalloc(reinterpret_cast<void **>(&chunk.base), chunk.bytes), "cudaMalloc of memory to share");
      if (const cudaError_t err = cudaIpcGetMemHandle(&chunk.handle, chunk.base); err != cudaSuccess) {
        (void)cudaFree(chunk.base);
        check(err, "cudaIpcGetMemHandle");
      }
      chunks.push_back(chunk);
    }
    chunk_ = chunks.size() - 1;
    data_  = chunks[chunk_].base + chunks[chunk_].used;
    chunks[chunk_].used += bytes_;
  }
  const device::OnStream beside(device::fork());
  device::fill_zero(data_, bytes_);
  device::synchronize();
}

SharedBlock::~SharedBlock()
{
  cudaEvent_t done = nullptr;

  try {
    void *beside = device::fork();

    check(cudaEventCreateWithFlags(&done, cudaEventDisableTiming), "cudaEventCreate");
    check(cudaEventRecord(done, static_cast<cudaStream_t>(beside)), "cudaEventRecord");
    returned.push_back({chunk_, bytes_, data_, done});
  } catch (...) { // the block is not used again
    if (done) (void)cudaEventDestroy(done);
  }
}

SharedBlock::Name SharedBlock::name() const
{
  Name name;

  static_assert(sizeof(name.handle) == sizeof(cudaIpcMemHandle_t), "a name holds a handle");
  std::memcpy(name.handle, &chunks[chunk_].handle, sizeof(name.handle));
  name.offset = static_cast<std::uint64_t>(data_ - chunks[chunk_].base);
  return name;
}

namespace device {

bool can_share(std::string *why)
{
  int id = 0, unified = 0;

  check(cudaGetDevice(&id), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&unified, cudaDevAttrUnifiedAddressing, id), "cudaDeviceGetAttribute");
  if (!unified) *why = "the device has no unified addresses";
  return why->empty();
}

char *open_shared(const SharedBlock::Name &name)
{
  const std::string key(name.handle, sizeof(name.handle));
  const auto        known = opened.find(key);

  return (known != opened.end() ? known->second : opened[key] = open_allocation(name)) + name.offset;
}

void close_shared()
{
  for (const auto &known : opened) (void)cudaIpcCloseMemHandle(known.second);
  opened.clear();
  for (const Returned &r : returned) (void)cudaEventDestroy(r.done);
  returned.clear();
  for (const Chunk &chunk : chunks) (void)cudaFree(chunk.base);
  chunks.clear();
  (void)cudaGetLastError();
}

/* A function of the driver's, with which this library is not linked. */
static auto pointer_attributes()
{
  using Function             = CUresult (*)(unsigned int, CUpointer_attribute *, void **, CUdeviceptr);
  static const auto function = [] {
    void                           *found = nullptr;
    cudaDriverEntryPointQueryResult known;

  #if CUDART_VERSION >= 12050
    check(cudaGetDriverEntryPointByVersion("cuPointerGetAttributes", &found, 11020, cudaEnableDefault, &known), "cudaGetDriverEntryPointByVersion");
  #else
    check(cudaGetDriverEntryPoint("cuPointerGetAttributes", &found, cudaEnableDefault, &known), "cudaGetDriverEntryPoint");
  #endif
    return reinterpret_cast<Function>(found);
  }();
  return function;
}

bool find_allocation(const void *p, Allocation *found)
{
  CUpointer_attribute asked[]   = {CU_POINTER_ATTRIBUTE_BUFFER_ID, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE};
  unsigned long long  id        = 0;
  CUdeviceptr         base      = 0;
  int                 capable   = 0;
  void               *answers[] = {&id, &base, &capable};
  const auto          function  = pointer_attributes();

  if (!function || function(3, asked, answers, reinterpret_cast<CUdeviceptr>(p)) != CUDA_SUCCESS || !capable) return false;
  *found = {reinterpret_cast<char *>(base), id};
  return id != 0;
}

SharedBlock::Name name_of(const Allocation &allocation)
{
  cudaIpcMemHandle_t handle;
  SharedBlock::Name  name{};

  check(cudaIpcGetMemHandle(&handle, allocation.base), "cudaIpcGetMemHandle");
  std::memcpy(name.handle, &handle, sizeof(handle));
  return name;
}

char *open_allocation(const SharedBlock::Name &name)
{
  cudaIpcMemHandle_t handle;
  void              *base = nullptr;

  std::memcpy(&handle, name.handle, sizeof(handle));
  check(cudaIpcOpenMemHandle(&base, handle, cudaIpcMemLazyEnablePeerAccess), "cudaIpcOpenMemHandle");
  return static_cast<char *>(base);
}

void close_allocation(char *base) noexcept
{
  if (base && cudaIpcCloseMemHandle(base) != cudaSuccess) (void)cudaGetLastError();
}

} // namespace device

#else

SharedBlock::SharedBlock(std::size_t) { throw DeviceError("this libgoza was built without CUDA"); }

SharedBlock::~SharedBlock() = default;

SharedBlock::Name SharedBlock::name() const { return {}; }

namespace device {

bool can_share(std::string *why)
{
  *why = "this libgoza was built without CUDA";
  return false;
}

char *open_shared(const SharedBlock::Name &) { throw DeviceError("this libgoza was built without CUDA"); }

void close_shared() { }

bool find_allocation(const void *, Allocation *) { return false; }

SharedBlock::Name name_of(const Allocation &) { return {}; }

char *open_allocation(const SharedBlock::Name &name) { return open_shared(name); }

void close_allocation(char *) noexcept { }

} // namespace device

#endif

} // namespace goza
