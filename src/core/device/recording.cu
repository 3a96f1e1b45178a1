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
static bool loop_begun(LoopSwitch *more)
{
  cudaGraphNode_t            node;
  cudaGraphConditionalHandle handle;
  cudaGraphNodeParams        loop   = {};
  int                        driver = 0;

  if (!has_recorder() || cudaDriverGetVersion(&driver) != cudaSuccess || driver < 12030) return false;
  if (cudaGraphCreate(&recorder.loop, 0) != cudaSuccess) return false;
  if (cudaGraphConditionalHandleCreate(&handle, recorder.loop, 1, cudaGraphCondAssignDefault) != cudaSuccess) return false;
  loop.type               = cudaGraphNodeTypeConditional;
  loop.conditional.handle = handle;
  loop.conditional.type   = cudaGraphCondTypeWhile;
  loop.conditional.size   = 1;
    #if CUDART_VERSION >= 13000
  if (cudaGraphAddNode(&node, recorder.loop, nullptr, nullptr, 0, &loop) != cudaSuccess) return false;
    #else
  if (cudaGraphAddNode(&node, recorder.loop, nullptr, 0, &loop) != cudaSuccess) return false;
    #endif
  more->handle  = handle;
  more->in_loop = true;
  return cudaStreamBeginCaptureToGraph(recorder.stream, loop.conditional.phGraph_out[0], nullptr, nullptr, 0, cudaStreamCaptureModeThreadLocal) == cudaSuccess;
}
  #else
static bool loop_begun(LoopSwitch *) { return false; }
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
