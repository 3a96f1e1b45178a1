/* The few functions used of NVIDIA's NCCL 2, found at run time: Goza is built without it. The declarations are those of its public interface. */
#pragma once
#include "core/rooms.hpp"
#include <cstddef>
#include <string>

namespace goza::parallel {

struct Nccl {
  using Comm = struct ncclComm *;
  struct Id {
    char internal[128];
  };
  static constexpr int success = 0, bytes = 0; // ncclSuccess; ncclInt8

  int (*get_version)(int *);
  int (*get_unique_id)(Id *);
  int (*comm_init_rank)(Comm *, int nranks, Id, int rank);
  int (*comm_destroy)(Comm);
  int (*comm_get_async_error)(Comm, int *);
  int (*send)(const void *, std::size_t, int type, int peer, Comm, void *stream);
  int (*recv)(void *, std::size_t, int type, int peer, Comm, void *stream);
  int (*group_start)();
  int (*group_end)();
  const char *(*get_error_string)(int);
};

/* nullptr, and why, where there is no such library or it lacks one of these. Loaded once for a file. */
const Nccl *load_nccl(const std::string &file, std::string *why);

} // namespace goza::parallel
