#include "nccl.hpp"
#include <dlfcn.h>
#include <map>
#include <memory>

namespace goza::parallel {

template <class F> static bool find(void *library, const char *name, F **function, std::string *why)
{
  *function = reinterpret_cast<F *>(dlsym(library, name));
  if (!*function && why->empty()) *why = std::string("it has no ") + name + "()";
  return *function != nullptr;
}

const Nccl *load_nccl(const std::string &file, std::string *why)
{
  static std::map<std::string, std::unique_ptr<Nccl>> loaded;
  auto                                               &nccl = loaded[file];
  int                                                 version;

  if (nccl) return nccl.get();
  void *library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    *why = dlerror();
    return nullptr;
  }
  auto       made = std::make_unique<Nccl>();
  const bool all  = find(library, "ncclGetVersion", &made->get_version, why) && find(library, "ncclGetUniqueId", &made->get_unique_id, why) &&
                   find(library, "ncclCommInitRank", &made->comm_init_rank, why) && find(library, "ncclCommDestroy", &made->comm_destroy, why) &&
                   find(library, "ncclCommGetAsyncError", &made->comm_get_async_error, why) && find(library, "ncclSend", &made->send, why) &&
                   find(library, "ncclRecv", &made->recv, why) && find(library, "ncclGroupStart", &made->group_start, why) &&
                   find(library, "ncclGroupEnd", &made->group_end, why) && find(library, "ncclGetErrorString", &made->get_error_string, why);
  if (all && (made->get_version(&version) != Nccl::success || version < 20700)) *why = "it is older than 2.7, which brought ncclSend()";
  if (!why->empty()) {
    *why = file + ": " + *why;
    dlclose(library);
    return nullptr;
  }
  nccl = std::move(made);
  return nccl.get();
}

} // namespace goza::parallel
