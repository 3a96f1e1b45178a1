/* What Goza calls of the CUDA runtime. All is done when a call returns. An allocation ends where a page ends, with one behind it that nobody may touch, and
   what is freed is gone: an access beside the memory of a device is a segmentation fault in the line that makes it. */
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <map>
#include <mutex>
#include <sys/mman.h>

namespace {

constexpr std::size_t page = 4096, all_memory = std::size_t(8) << 30;
constexpr int         unknown_byte = 0xf7; // of memory that nobody has written: floats are large, and integers negative

struct Piece {
  std::size_t bytes, mapped;
  char       *map;
};

class DeviceMemory {
public:
  void *take(std::size_t bytes)
  {
    const std::lock_guard<std::mutex> lock(guard_);
    const std::size_t                 pages = (bytes + page - 1) / page * page, mapped = pages + 2 * page;
    char                             *map = nullptr;

    if (taken_ + bytes > all_memory) return nullptr;
    map = static_cast<char *>(mmap(nullptr, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    if (map == MAP_FAILED) return nullptr;
    mprotect(map + page, pages, PROT_READ | PROT_WRITE);
    std::memset(map + page, unknown_byte, pages);
    char *const p = map + page + pages - (bytes + 15) / 16 * 16;

    pieces_[reinterpret_cast<std::uintptr_t>(p)] = {bytes, mapped, map};
    taken_ += bytes;
    return p;
  }
  bool give_back(void *p)
  {
    const std::lock_guard<std::mutex> lock(guard_);
    const auto                        piece = pieces_.find(reinterpret_cast<std::uintptr_t>(p));

    if (piece == pieces_.end()) return false;
    taken_ -= piece->second.bytes;
    munmap(piece->second.map, piece->second.mapped);
    pieces_.erase(piece);
    return true;
  }
  bool holds(const void *p)
  {
    const std::lock_guard<std::mutex> lock(guard_);
    const auto                        at    = reinterpret_cast<std::uintptr_t>(p);
    auto                              piece = pieces_.upper_bound(at);

    if (piece == pieces_.begin()) return false;
    --piece;
    return at < piece->first + (piece->second.bytes ? piece->second.bytes : 1);
  }
  std::size_t left() const { return all_memory - taken_; }

private:
  std::mutex                      guard_;
  std::map<std::uintptr_t, Piece> pieces_;
  std::size_t                     taken_ = 0;
};

DeviceMemory &memory()
{
  static auto *all = new DeviceMemory; // arrays of the process's end ask for it

  return *all;
}

double &time_of(cudaEvent_t event) { return *reinterpret_cast<double *>(event); }

constexpr int multiprocessors = 4, cache_bytes = 256 << 10;

} // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int *n)
{
  *n = 1;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int *id)
{
  *id = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int) { return cudaSuccess; }
cudaError_t cudaGetLastError() { return cudaSuccess; }
const char *cudaGetErrorString(cudaError_t) { return "an error of the emulated device"; }
cudaError_t cudaDriverGetVersion(int *version)
{
  *version = 12000;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int)
{
  switch (attribute) {
  case cudaDevAttrComputeCapabilityMajor:
    *value = 7;
    break;
  case cudaDevAttrMultiProcessorCount:
    *value = multiprocessors;
    break;
  case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
    *value = 228 << 10;
    break;
  case cudaDevAttrMemoryPoolsSupported:
    *value = 0;
    break; // nothing is kept: what is freed is gone
  case cudaDevAttrL2CacheSize:
    *value = cache_bytes;
    break;
  default:
    *value = 1;
  }
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int)
{
  *properties = {};
  std::strcpy(properties->name, "emulated device");
  properties->totalGlobalMem      = all_memory;
  properties->major               = 7;
  properties->multiProcessorCount = multiprocessors;
  properties->l2CacheSize         = cache_bytes;
  return cudaSuccess;
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *)
{
  *attributes                    = {};
  attributes->maxThreadsPerBlock = 1024;
  attributes->numRegs            = 32;
  attributes->ptxVersion         = 70;
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *, int, std::size_t)
{
  *blocks = 2;
  return cudaSuccess;
}
cudaError_t cudaGetSymbolAddress(void **p, const void *symbol)
{
  *p = const_cast<void *>(symbol);
  return cudaSuccess;
}

cudaError_t cudaMalloc(void **p, std::size_t bytes)
{
  *p = memory().take(bytes);
  return *p ? cudaSuccess : cudaErrorMemoryAllocation;
}
cudaError_t cudaFree(void *p) { return !p || memory().give_back(p) ? cudaSuccess : cudaErrorInvalidValue; }
cudaError_t cudaMallocAsync(void **p, std::size_t bytes, cudaStream_t) { return cudaMalloc(p, bytes); }
cudaError_t cudaFreeAsync(void *p, cudaStream_t) { return cudaFree(p); }
cudaError_t cudaMallocHost(void **p, std::size_t bytes)
{
  *p = std::malloc(bytes);
  return *p ? cudaSuccess : cudaErrorMemoryAllocation;
}
cudaError_t cudaFreeHost(void *p)
{
  std::free(p);
  return cudaSuccess;
}
cudaError_t cudaHostRegister(void *, std::size_t, unsigned) { return cudaSuccess; }
cudaError_t cudaHostUnregister(void *) { return cudaSuccess; }
cudaError_t cudaMemcpyAsync(void *to, const void *from, std::size_t bytes, cudaMemcpyKind, cudaStream_t)
{
  std::memmove(to, from, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void *to, int value, std::size_t bytes, cudaStream_t)
{
  std::memset(to, value, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(std::size_t *left, std::size_t *all)
{
  *left = memory().left();
  *all  = all_memory;
  return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *p)
{
  *attributes      = {};
  attributes->type = memory().holds(p) ? cudaMemoryTypeDevice : cudaMemoryTypeUnregistered;
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamQuery(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned, int)
{
  *stream = nullptr;
  return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) { return cudaSuccess; }
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
  *least = *greatest = 0;
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t *event)
{
  *event = reinterpret_cast<cudaEvent_t>(new double(0));
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned) { return cudaEventCreate(event); }
cudaError_t cudaEventDestroy(cudaEvent_t event)
{
  delete &time_of(event);
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t)
{
  time_of(event) = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventQuery(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t begin, cudaEvent_t end)
{
  *milliseconds = static_cast<float>(time_of(end) - time_of(begin));
  return cudaSuccess;
}

/* What an emulated device has not: pools, graphs, memory of other processes. */
#define LACKS(name, ...) \
  cudaError_t name(__VA_ARGS__) { return cudaErrorNotSupported; }
LACKS(cudaStreamCreateWithFlags, cudaStream_t *, unsigned)
LACKS(cudaLaunchKernelExC, const cudaLaunchConfig_t *, const void *, void **)
LACKS(cudaFuncSetAttribute, const void *, cudaFuncAttribute, int)
LACKS(cudaDeviceGetDefaultMemPool, cudaMemPool_t *, int)
LACKS(cudaMemPoolGetAttribute, cudaMemPool_t, cudaMemPoolAttr, void *)
LACKS(cudaMemPoolSetAttribute, cudaMemPool_t, cudaMemPoolAttr, void *)
LACKS(cudaMemPoolTrimTo, cudaMemPool_t, std::size_t)
LACKS(cudaStreamBeginCapture, cudaStream_t, cudaStreamCaptureMode)
LACKS(cudaStreamBeginCaptureToGraph, cudaStream_t, cudaGraph_t, const cudaGraphNode_t *, const cudaGraphEdgeData *, std::size_t, cudaStreamCaptureMode)
LACKS(cudaStreamEndCapture, cudaStream_t, cudaGraph_t *)
LACKS(cudaGraphCreate, cudaGraph_t *, unsigned)
LACKS(cudaGraphDestroy, cudaGraph_t)
LACKS(cudaGraphAddNode, cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, const cudaGraphEdgeData *, std::size_t, cudaGraphNodeParams *)
LACKS(cudaGraphAddKernelNode, cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, std::size_t, const cudaKernelNodeParams *)
LACKS(cudaGraphConditionalHandleCreate, cudaGraphConditionalHandle *, cudaGraph_t, unsigned, unsigned)
LACKS(cudaGraphInstantiate, cudaGraphExec_t *, cudaGraph_t, unsigned long long)
LACKS(cudaGraphExecDestroy, cudaGraphExec_t)
LACKS(cudaGraphLaunch, cudaGraphExec_t, cudaStream_t)
LACKS(cudaIpcGetMemHandle, cudaIpcMemHandle_t *, void *)
LACKS(cudaIpcOpenMemHandle, void **, cudaIpcMemHandle_t, unsigned)
LACKS(cudaIpcCloseMemHandle, void *)
LACKS(cudaGetDriverEntryPointByVersion, const char *, void **, unsigned, unsigned long long, cudaDriverEntryPointQueryResult *)

} // extern "C"
