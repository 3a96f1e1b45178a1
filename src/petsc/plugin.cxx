#include "plugin.hpp"
#include "core/device/device.hpp"
#include "petscgoza.h"
#if PetscDefined(HAVE_CUDA)
  #include <petsc/private/logimpl.h>
  #include <petscdevice_cuda.h>
#endif

PetscClassId GOZA_ASSEMBLY_CLASSID;

namespace goza {

Events events;
Usage  usage;

Plugin plugin;

Space default_space() { return plugin.space; }

Space space_of(Mat A) { return PetscDefined(HAVE_DEVICE) && is_bound(A) ? Space::Host : default_space(); }

bool petsc_on_device() { return PetscDefined(HAVE_CUDA) && plugin.space == Space::Cuda; }

bool check_results() { return plugin.check; }

bool device_time_logged()
{
#if PetscDefined(HAVE_CUDA) && PetscDefined(USE_LOG)
  return PetscLogGpuTimeFlag;
#else
  return false;
#endif
}

PetscErrorCode use_petsc_stream()
{
  PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA) && defined(GOZA_HAVE_CUDA)
  if (plugin.space == Space::Cuda) {
    cudaStream_t stream;

    PetscCall(PetscGetCurrentCUDAStream(&stream));
    device::set_stream(stream);
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza
