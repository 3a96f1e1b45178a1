/* Every request for memory of one rank refused in turn. */
#pragma once

#include "alloc_failure.hpp"
#include "check.hpp"

#include <algorithm>
#include <petscdevice.h>

namespace goza_test
{

enum class How {
  once,
  onwards, /* all requests from there on */
  device   /* another error than that of memory, which nothing may take for one */
};

/* asks: memory is asked for on every rank, or the test is none. make(): a new state; call(state): what is to fail; check(state): of what a call that did not fail has left.
   Without -every the later requests are refused more and more seldom, and those of one rank only. */
template <class Make, class Call, class Check> void sweep(bool asks, How how, Make make, Call call, Check check)
{
  PetscMPIInt rank, size;
  PetscBool   every = PETSC_FALSE;

  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  PETSC_OK(PetscOptionsGetBool(nullptr, nullptr, "-every", &every, nullptr));
#if PetscDefined(HAVE_CUDA)
  PetscDeviceContext context; /* the first call makes it, and PETSc does not look whether it got the memory */

  PETSC_OK(PetscDeviceContextGetCurrentContext(&context));
#endif
  for (PetscMPIInt poor = every || how == How::once ? 0 : size - 1; poor < size; poor += every ? 1 : PetscMax(size - 1, 1)) {
    bool enough = false;

    for (long n = 0; !enough; n += every ? 1 : 1 + n / 8) {
      auto           state = make();
      PetscErrorCode code;

      PETSC_OK(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
      {
        const AllocFailure memory({rank == poor ? n : -1, how == How::onwards, 0, Of::goza, how == How::device});

        code = call(*state);
      }
      PETSC_OK(PetscPopErrorHandler());
      enough            = !any_rank(rank == poor && AllocFailure::refused());
      const bool failed = any_rank(code != PETSC_SUCCESS);
      all_ranks(failed == (code != PETSC_SUCCESS), "request " + std::to_string(n) + " of rank " + std::to_string(poor) + ": the others heard nothing of its failure");
      if (how == How::device && !enough) BOOST_TEST(failed, "request " << n << " of rank " << poor << ": the error of the device was swallowed");
      if (failed) PETSC_OK(call(*state));
      check(*state);
      if (n == 0 && asks) BOOST_TEST(!enough, "nothing is asked for");
    }
  }
}

} // namespace goza_test
