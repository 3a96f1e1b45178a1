/* Every request for memory of one rank refused in turn. */
#pragma once

#include "alloc_failure.hpp"
#include "check.hpp"

#include <algorithm>
#include <cstdio>
#include <petscdevice.h>
#include <string>

namespace goza_test {

enum class How {
  once,
  onwards, /* all requests from there on */
  device   /* another error than that of memory, which nothing may take for one */
};

/* Which requests are refused: the later ones more and more seldom, or -every one; of those -part k/n: the k-th, (k + n)-th, ..., for runs of bounded length.
   -sweep_at FILE: where rank 0 is, in a file that survives an abort. */
struct Requests {
  PetscBool   every = PETSC_FALSE;
  long        first = 0, step = 1;
  std::FILE  *at = nullptr;
  PetscMPIInt rank;

  Requests()
  {
    char      part[64] = "", file[PETSC_MAX_PATH_LEN] = "";
    PetscBool given;

    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    PETSC_OK(PetscOptionsGetBool(nullptr, nullptr, "-every", &every, nullptr));
    PETSC_OK(PetscOptionsGetString(nullptr, nullptr, "-part", part, sizeof(part), &given));
    if (given) BOOST_TEST_REQUIRE((std::sscanf(part, "%ld/%ld", &first, &step) == 2 && first >= 1 && first-- <= step), "-part " << part);
    PETSC_OK(PetscOptionsGetString(nullptr, nullptr, "-sweep_at", file, sizeof(file), &given));
    if (given && !rank) at = std::fopen(file, "w");
  }
  ~Requests()
  {
    if (at) std::fclose(at);
  }
  Requests(const Requests &)            = delete;
  Requests &operator=(const Requests &) = delete;

  long after(long n) const { return every ? n + step : n + 1 + n / 8; }
  void tell(PetscMPIInt poor, long n) const
  {
    if (!at) return;
    std::rewind(at);
    std::fprintf(at, "%s: request %ld of rank %d        \n", boost::unit_test::framework::current_test_case().full_name().c_str(), n, (int)poor);
    std::fflush(at);
  }
};

/* asks: memory is asked for on every rank, or the test is none. make(): a new state; call(state): what is to fail; check(state): of what a call that did not
   fail has left. Without -every the requests of one rank only are refused. */
template <class Make, class Call, class Check> void sweep(bool asks, How how, Make make, Call call, Check check)
{
  PetscMPIInt    rank, size;
  const Requests requests;
  const bool     every = requests.every;

  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
#if PetscDefined(HAVE_CUDA)
  PetscDeviceContext context; /* the first call makes it, and PETSc does not look whether it got the memory */

  PETSC_OK(PetscDeviceContextGetCurrentContext(&context));
#endif
  for (PetscMPIInt poor = every || how == How::once ? 0 : size - 1; poor < size; poor += every ? 1 : PetscMax(size - 1, 1)) {
    bool enough = false;

    for (long n = every ? requests.first : 0; !enough; n = requests.after(n)) {
      auto           state = make();
      PetscErrorCode code;

      requests.tell(poor, n);
      PETSC_OK(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
      {
        const AllocFailure memory({rank == poor ? n : -1, how == How::onwards, 0, Of::goza, how == How::device});

        code = call(*state);
      }
      PETSC_OK(PetscPopErrorHandler());
      enough            = !any_rank(rank == poor && AllocFailure::refused());
      const bool failed = any_rank(code != PETSC_SUCCESS);
      all_ranks(failed == (code != PETSC_SUCCESS),
                "request " + std::to_string(n) + " of rank " + std::to_string(poor) + ": the others heard nothing of its failure");
      if (how == How::device && !enough) BOOST_TEST(failed, "request " << n << " of rank " << poor << ": the error of the device was swallowed");
      if (failed) PETSC_OK(call(*state));
      check(*state);
      if (n == 0 && asks) BOOST_TEST(!enough, "nothing is asked for");
    }
  }
}

} // namespace goza_test
