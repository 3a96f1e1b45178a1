#include "device_window.hpp"
#include "agree.hpp"

namespace goza::parallel {

PetscErrorCode DeviceWindow::create(const RankGroup &group, std::size_t bytes)
{
  SharedBlock::Name name{};

  PetscFunctionBegin;
  reset();
  PetscCall(Together(group.members(), "share device memory", [&] {
    if (!group.leads()) return;
    block_ = std::make_unique<SharedBlock>(bytes);
    name   = block_->name();
  }));
  PetscCallMPI(MPI_Bcast(&name, (PetscMPIInt)sizeof(name), MPI_BYTE, 0, group.members()));
  char *data = nullptr;
  PetscCall(Together(group.members(), "open device memory", [&] { data = group.leads() ? block_->data() : device::open_shared(name); }));
  data_ = data;
  PetscFunctionReturn(PETSC_SUCCESS);
}

void DeviceWindow::reset()
{
  block_.reset();
  data_ = nullptr;
}

} // namespace goza::parallel
