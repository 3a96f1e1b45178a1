#include "alloc_failure.hpp"

#include "core/device/device.hpp"
#include "core/device/refused_memory.hpp"

#include <petscsys.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <new>
#include <string>
#include <thread>

#if defined(__GNUC__) && !defined(__clang__)
/* Where sanitizers keep only one of the two from being inlined, gcc takes free() for what it does not belong to. */
  #pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif

namespace goza_test {
namespace {

std::atomic<bool> counting{false}, was_refused{false};
std::atomic<long> counted{0};
Refusal           asked; /* changes only while nothing is counted */
std::thread::id   whose; /* others go on as ever: what loads kernels beside the program */

decltype(PetscTrMalloc)  petsc_malloc  = nullptr;
decltype(PetscTrRealloc) petsc_realloc = nullptr;

bool refuse(std::size_t bytes) noexcept
{
  if (!counting || bytes < asked.least || std::this_thread::get_id() != whose) return false;
  const long n = counted++;

  if (asked.nth < 0 || n < asked.nth || (n > asked.nth && !asked.onwards)) return false;
  was_refused = true;
  return true;
}

/* Sources are named relative to where they are compiled, as this one is. */
bool is_ours(const char *file)
{
  static const std::size_t here = std::strlen(__FILE__) - std::strlen("test/support/alloc_failure.cxx");

  return std::strncmp(file, __FILE__, here) == 0 && std::strncmp(file + here, "src/", 4) == 0;
}

/* What a shared PETSc asks with operator new, for cuSPARSE's matrices: it lets the exception through C functions, which end the program. */
bool is_petscs(const void *caller)
{
  static const void *const petsc = [] {
    Dl_info of_petsc{}, of_this{};

    dladdr(dlsym(RTLD_DEFAULT, "PetscInitialized"), &of_petsc);
    dladdr(&counting, &of_this);
    return of_petsc.dli_fbase == of_this.dli_fbase ? nullptr : of_petsc.dli_fbase;
  }();
  Dl_info of{};

  return counting && petsc && dladdr(caller, &of) && of.dli_fbase == petsc;
}

bool refuse(std::size_t bytes, const char *file) { return bytes && (asked.of == Of::all || is_ours(file)) && refuse(bytes); }

PetscErrorCode Malloc(std::size_t bytes, PetscBool clear, int line, const char function[], const char file[], void **result)
{
  if (!refuse(bytes, file)) return petsc_malloc(bytes, clear, line, function, file, result);
  *result = nullptr;
  return PetscError(PETSC_COMM_SELF, line, function, file, PETSC_ERR_MEM, PETSC_ERROR_INITIAL, "host memory exhausted: refused by the test");
}

PetscErrorCode Realloc(std::size_t bytes, int line, const char function[], const char file[], void **result)
{
  if (!refuse(bytes, file)) return petsc_realloc(bytes, line, function, file, result);
  return PetscError(PETSC_COMM_SELF, line, function, file, PETSC_ERR_MEM, PETSC_ERROR_INITIAL, "host memory exhausted: refused by the test");
}

[[noreturn]] void fail()
{
  if (!asked.device) throw std::bad_alloc();
  const WithMemory message;

  throw goza::DeviceError("an error of the device, made by the test");
}

} // namespace

AllocFailure::AllocFailure(const Refusal &refusal)
{
  asked         = refusal;
  whose         = std::this_thread::get_id();
  counted       = 0;
  was_refused   = false;
  petsc_malloc  = PetscTrMalloc;
  petsc_realloc = PetscTrRealloc;
  if (!refusal.device) goza::set_refuses_memory(refuse);
  PetscTrMalloc  = Malloc;
  PetscTrRealloc = Realloc;
  counting       = true;
}

AllocFailure::~AllocFailure()
{
  counting       = false;
  PetscTrMalloc  = petsc_malloc;
  PetscTrRealloc = petsc_realloc;
  goza::set_refuses_memory(nullptr);
}

long AllocFailure::count() { return counted; }

bool AllocFailure::refused() { return was_refused; }

WithMemory::WithMemory() : before_(counting.exchange(false)) { }

WithMemory::~WithMemory() { counting = before_; }

} // namespace goza_test

void *operator new(std::size_t n)
{
  if (!goza_test::is_petscs(__builtin_return_address(0)) && goza_test::refuse(n)) goza_test::fail();
  if (void *p = std::malloc(n ? n : 1)) return p;
  throw std::bad_alloc();
}

void *operator new(std::size_t n, std::align_val_t alignment)
{
  const std::size_t a = static_cast<std::size_t>(alignment);

  if (goza_test::refuse(n)) goza_test::fail();
  if (void *p = std::aligned_alloc(a, (n + a - 1) / a * a)) return p;
  throw std::bad_alloc();
}

/* What std::stable_sort() asks with: it goes on without. */
void *operator new(std::size_t n, const std::nothrow_t &) noexcept
{
  return !goza_test::asked.device && goza_test::refuse(n) ? nullptr : std::malloc(n ? n : 1);
}

void operator delete(void *p, const std::nothrow_t &) noexcept { std::free(p); }

void operator delete(void *p) noexcept { std::free(p); }

void operator delete(void *p, std::size_t) noexcept { std::free(p); }

void operator delete(void *p, std::align_val_t) noexcept { std::free(p); }

void operator delete(void *p, std::size_t, std::align_val_t) noexcept { std::free(p); }
