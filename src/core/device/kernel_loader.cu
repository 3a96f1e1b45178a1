#include "kernel_loader.hpp"
#include "numbers.hpp"
#include "recording.hpp"
#include "upload.hpp"
#include <atomic>
#include <thread>
#include <vector>

#if defined(__CUDACC__)
  #include <cuda_runtime.h>
  #include <pthread.h>
#endif

namespace goza::kernel_loader {

/* Never destroyed: the objects that add kernels are made in any order. */
static std::vector<const void *> &kernels()
{
  static auto *all = new std::vector<const void *>;

  return *all;
}

bool add(const void *kernel)
{
  kernels().push_back(kernel);
  return true;
}

#if defined(__CUDACC__)

/* Joined at the latest when the process ends, while the CUDA runtime is there. */
static struct Loader {
  std::atomic<bool> stopped{false};
  std::thread       thread;

  void run(int id)
  {
    const sched_param none{};

    (void)pthread_setschedparam(pthread_self(), SCHED_IDLE, &none);
    if (cudaSetDevice(id) != cudaSuccess) return;
    device::prepare_numbers();
    device::prepare_recording();
    device::prepare_upload();
    /* in the reverse order of linking: what a solver launches comes before the kernels of finite elements */
    for (auto kernel = kernels().rbegin(); kernel != kernels().rend() && !stopped; ++kernel) {
      cudaFuncAttributes attributes;

      if (cudaFuncGetAttributes(&attributes, *kernel) != cudaSuccess) (void)cudaGetLastError(); /* its launch will say what is wrong */
    }
  }
  void wait() noexcept
  {
    if (thread.joinable()) thread.join();
  }
  void stop() noexcept
  {
    stopped = true;
    wait();
  }
  ~Loader() { stop(); }
} loader;

void start()
{
  int id = 0;

  if (loader.thread.joinable() || cudaGetDevice(&id) != cudaSuccess) return;
  loader.stopped = false;
  loader.thread  = std::thread([id] { loader.run(id); });
}

void wait() noexcept { loader.wait(); }

void stop() noexcept { loader.stop(); }

#else

void start() { }
void wait() noexcept { }
void stop() noexcept { }

#endif

} // namespace goza::kernel_loader
