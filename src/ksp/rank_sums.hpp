/* Sums over the ranks of a solver: waited for at once, or behind work that does not need them, or by devices alone. */
#pragma once
#include "parallel/device_sums.hpp"

namespace goza::ksp {

class RankSums {
public:
  ~RankSums() { (void)reset(); }

  void open(MPI_Comm comm) /* for a solve; throws */
  {
    comm_ = comm;
    if (!sums_) sums_ = std::make_unique<Sums>();
  }

  PetscErrorCode sum(PetscScalar *values, PetscInt n) const
  {
    PetscFunctionBegin;
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, values, (PetscMPIInt)n, MPIU_SCALAR, MPIU_SUM, comm_));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /* values[n] of at most so many are summed up while work() goes on. After an error: abandon(). */
  static constexpr PetscInt            most_beside = 2;
  template <class Work> PetscErrorCode sum_beside(PetscScalar *values, PetscInt n, const Work &work)
  {
    MPI_Request request;

    PetscFunctionBegin;
    if (apart_ == MPI_COMM_NULL) PetscCallMPI(MPI_Comm_dup(comm_, &apart_));
    std::copy_n(values, n, sums_->begin());
    PetscCallMPI(MPI_Iallreduce(MPI_IN_PLACE, sums_->data(), (PetscMPIInt)n, MPIU_SCALAR, MPIU_SUM, apart_, &request));
    PetscCall(work());
    PetscCallMPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
    std::copy_n(sums_->begin(), n, values);
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /* Whether devices can do it: they are of one host, and every rank wants that. Collective. */
  PetscErrorCode find_devices(bool wanted, bool *found)
  {
    PetscMPIInt all = wanted, tag;
    std::string why;

    PetscFunctionBegin;
    *found = false;
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, comm_));
    if (!all) PetscFunctionReturn(PETSC_SUCCESS);
    if (!devices_ && !asked_devices_) {
      PetscCall(PetscCommGetNewTag(comm_, &tag));
      PetscCall(DeviceSums::Create(comm_, tag, most_on_devices, &devices_, &why));
      if (!why.empty()) PetscCall(PetscInfo(NULL, "Sums over the ranks go through the hosts: %s\n", why.c_str()));
    }
    asked_devices_ = true;
    *found         = devices_ != nullptr;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  const std::shared_ptr<DeviceSums> &devices() const { return devices_; }
  /* values[n] of at most so many, on the device; no host waits. wanted: as there. Errors are exceptions. */
  static constexpr PetscInt most_on_devices = 5;
  void                      sum_on_devices(PetscScalar *values, PetscInt n, const bool *wanted = nullptr) { devices_->sum_in_turn(values, n, wanted); }

  /* On all ranks when a solve has failed. A sum may be on its way that a rank which failed before it takes no part in: it is left alone, with the communicator
     that it alone goes by, and what it writes to. */
  void abandon()
  {
    if (devices_) devices_->give_up();
    devices_.reset();
    asked_devices_ = false;
    if (apart_ == MPI_COMM_NULL) return;
    (void)sums_.release();
    apart_ = MPI_COMM_NULL;
  }

  PetscErrorCode reset()
  {
    PetscFunctionBegin;
    devices_.reset();
    asked_devices_ = false;
    if (apart_ != MPI_COMM_NULL) PetscCallMPI(MPI_Comm_free(&apart_));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

private:
  using Sums = std::array<PetscScalar, most_beside>;

  MPI_Comm                    comm_ = MPI_COMM_NULL, apart_ = MPI_COMM_NULL;
  std::unique_ptr<Sums>       sums_;
  std::shared_ptr<DeviceSums> devices_;
  bool                        asked_devices_ = false;
};

} // namespace goza::ksp
