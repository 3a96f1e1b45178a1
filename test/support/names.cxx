#include "names.hpp"

#include <dlfcn.h>

namespace goza_test {
namespace {

const std::vector<std::string> goza_mat_types{"cds", "fold", "slicedell", "autoformat"};

/* Asks the driver itself, so that neither CUDA headers nor the library under test are needed. */
bool cuda_device_exists()
{
  void *driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (!driver) return false;
  const auto init  = (int (*)(unsigned))dlsym(driver, "cuInit");
  const auto count = (int (*)(int *))dlsym(driver, "cuDeviceGetCount");
  int        n     = 0;
  return init && count && !init(0) && !count(&n) && n > 0;
}

std::string option(const char *name, const std::string &otherwise)
{
  char      text[256];
  PetscBool set;
  PETSC_OK(PetscOptionsGetString(nullptr, nullptr, name, text, sizeof(text), &set));
  return set ? text : otherwise;
}

} // namespace

std::vector<MatName> mat_names()
{
  std::vector<std::string> roots   = goza_mat_types;
  const std::string        instead = option("-test_mat_types", "");
  std::vector<MatName>     names;
  PetscMPIInt              size;

  if (!instead.empty()) roots = {instead};
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  for (const auto &root : roots) {
    const bool ours = instead.empty();

    if (root.rfind("own", 0) == 0) { /* one name on any number of ranks */
      names.push_back({root, root, true});
      continue;
    }
    const std::string after = root.rfind("aij", 0) == 0 ? root.substr(3) : root; /* seqaij, seqaijslicedell */
    names.push_back({root, (size == 1 ? "seqaij" : "mpiaij") + after, ours});
    if (size == 1) names.push_back({"mpiaij" + after, "mpiaij" + after, ours});
  }
  return names;
}

MatName mat_named(const std::string &set)
{
  for (const MatName &name : mat_names()) {
    if (name.set == set) return name;
  }
  return {set, set, false}; /* -test_mat_types leaves it out: the test will say so */
}

std::vector<StorageName> storage_names() { return {{"double", 0}, {"single", PetscDefined(USE_REAL_SINGLE) ? 0 : 0x1p-24}, {"half", 0x1p-11}}; }

std::vector<std::string> vec_names()
{
  std::vector<std::string> names{VECSTANDARD};
  if (PetscDefined(HAVE_CUDA) && cuda_device_exists()) names.push_back(VECCUDA);
  return names;
}

std::string pc_name() { return option("-test_pc_type", "saamg"); }

std::vector<std::string> smoother_names() { return {"jacobi", "chebyshev", "mcgs", "l1jacobi"}; }

std::vector<std::string> cycle_names() { return {"v", "w"}; }

std::vector<std::string> precision_names() { return {"double", "single", "mixed", "half"}; }

std::vector<std::string> halo_names() { return {"auto", "nccl", "peer", "host"}; }

} // namespace goza_test
