#include "recording.hpp"
#include "cuda_check.hpp"

#if defined(__CUDACC__)
  #include <cuda_runtime.h>
#endif

namespace goza::device {

#if defined(__CUDACC__)

static struct {
  cudaStream_t stream  = nullptr;
  void        *resumed = nullptr; // where recording happens; the stream that was current
  bool         on      = false;
  cudaGraph_t  loop    = nullptr; // around what is recorded
} recorder;

static bool has_recorder()
{
  if (!recorder.stream && cudaStreamCreateWithFlags(&recorder.stream, cudaStreamNonBlocking) != cudaSuccess) recorder.stream = nullptr;
  return recorder.stream;
}

static bool has_begun(bool yes)
{
  (void)cudaGetLastError();
  if (!yes) return false;
  recorder.resumed = stream();
  recorder.on      = true;
  set_stream(recorder.stream);
  return true;
}

bool begin_recording() { return has_begun(has_recorder() && cudaStreamBeginCapture(recorder.stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess); }

  #if CUDART_VERSION >= 12030
/* The graph whose only node repeats its body, which is empty yet. */
static bool make_loop(cudaGraph_t *graph, LoopSwitch *more, cudaGraph_t *body)
{
  cudaGraphNode_t            node;
  cudaGraphConditionalHandle handle;
  cudaGraphNodeParams        loop   = {};
  int                        driver = 0;

  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver < 12030 || cudaGraphCreate(graph, 0) != cudaSuccess) return false;
  if (cudaGraphConditionalHandleCreate(&handle, *graph, 1, cudaGraphCondAssignDefault) != cudaSuccess) return false;
  loop.type               = cudaGraphNodeTypeConditional;
  loop.conditional.handle = handle;
  loop.conditional.type   = cudaGraphCondTypeWhile;
  loop.conditional.size   = 1;
    #if CUDART_VERSION >= 13000
  if (cudaGraphAddNode(&node, *graph, nullptr, nullptr, 0, &loop) != cudaSuccess) return false;
    #else
  if (cudaGraphAddNode(&node, *graph, nullptr, 0, &loop) != cudaSuccess) return false;
    #endif
  more->handle  = handle;
  more->in_loop = true;
  *body         = loop.conditional.phGraph_out[0];
  return true;
}

static bool loop_begun(LoopSwitch *more)
{
  cudaGraph_t body;

  return has_recorder() && make_loop(&recorder.loop, more, &body) &&
         cudaStreamBeginCaptureToGraph(recorder.stream, body, nullptr, nullptr, 0, cudaStreamCaptureModeThreadLocal) == cudaSuccess;
}

static __global__ void EndLoopKernel(LoopSwitch more) { more.again(false); }

void prepare_recording() noexcept
{
  cudaGraph_t          graph = nullptr, body;
  cudaGraphExec_t      made  = nullptr;
  cudaGraphNode_t      node;
  LoopSwitch           more;
  void                *argument[] = {&more};
  cudaKernelNodeParams kernel     = {};

  kernel.func         = reinterpret_cast<void *>(EndLoopKernel);
  kernel.gridDim      = 1;
  kernel.blockDim     = 1;
  kernel.kernelParams = argument;
  if (make_loop(&graph, &more, &body) && cudaGraphAddKernelNode(&node, body, nullptr, 0, &kernel) == cudaSuccess &&
      cudaGraphInstantiate(&made, graph, 0) == cudaSuccess)
    (void)cudaGraphExecDestroy(made);
  if (graph) (void)cudaGraphDestroy(graph);
  (void)cudaGetLastError();
}
  #else
static bool loop_begun(LoopSwitch *) { return false; }
void        prepare_recording() noexcept { }
  #endif

static void drop_loop() noexcept
{
  if (recorder.loop) (void)cudaGraphDestroy(recorder.loop);
  recorder.loop = nullptr;
}

bool begin_recording_loop(LoopSwitch *more)
{
  const bool yes = has_begun(loop_begun(more));

  if (!yes) drop_loop();
  return yes;
}

void *end_recording() noexcept
{
  cudaGraph_t     graph = nullptr; // of a loop: its body
  cudaGraphExec_t made  = nullptr;

  set_stream(recorder.resumed);
  recorder.on = false;
  if (cudaStreamEndCapture(recorder.stream, &graph) != cudaSuccess || cudaGraphInstantiate(&made, recorder.loop ? recorder.loop : graph, 0) != cudaSuccess)
    made = nullptr;
  if (graph && !recorder.loop) (void)cudaGraphDestroy(graph);
  drop_loop();
  (void)cudaGetLastError();
  return made;
}

bool recording() { return recorder.on; }

void launch_recording(void *recording)
{
  check(cudaGraphLaunch(static_cast<cudaGraphExec_t>(recording), static_cast<cudaStream_t>(stream())), "cudaGraphLaunch");
}

void drop_recording(void *recording) noexcept
{
  if (recording) (void)cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(recording));
}

#endif

} // namespace goza::device
