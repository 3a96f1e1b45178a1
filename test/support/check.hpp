/* Boost.Test with PETSc: error codes become failed tests, and handles are destroyed even when a test ends early. */
#pragma once

#include <boost/test/unit_test.hpp>
#include <petscksp.h>

#include <functional>
#include <ostream>
#include <string>
#include <utility>

#if PETSC_VERSION_LT(3, 19, 0) && !defined(PETSC_SUCCESS)
  #define PETSC_SUCCESS 0
#endif

#if PetscDefined(USE_COMPLEX)
namespace goza::complex_library // where std::ostream and Boost.Test look for it
{

template <class T> std::ostream &operator<<(std::ostream &out, Complex<T> a) { return out << '(' << a.real() << ',' << a.imag() << ')'; }

} // namespace goza::complex_library
#endif

namespace goza_test {

/* On one rank a PETSc error ends the test case. On several it ends the program: the other ranks may already wait for this one in a collective call. */
void require_ok(PetscErrorCode code, const char *call, const char *file, int line);

#define PETSC_OK(...) ::goza_test::require_ok((__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)

/* What a call that is expected to fail said. message is the text of the innermost error on this rank. */
struct Outcome {
  bool           failed = false;
  PetscErrorCode code   = PETSC_SUCCESS;
  std::string    message;

  bool says(const std::string &word) const { return message.find(word) != std::string::npos; }
};

/* Runs call with the error handler silenced. */
Outcome attempt(const std::function<PetscErrorCode()> &call);

/* This machine cannot run the case, and why: unless another fails, the program's exit status is 77, by which run.sh and ctest know. The caller returns. */
void skip_case(const std::string &why);

/* Logical or maximum over all ranks of PETSC_COMM_WORLD: for decisions that all ranks must take alike. */
bool      any_rank(bool here);
PetscReal max_over_ranks(PetscReal here);
void      all_ranks(bool here, const std::string &what); /* fails the test case on all ranks alike, so that none waits for another */

template <class T, PetscErrorCode (*Destroy)(T *)> class Handle {
public:
  Handle() = default;
  Handle(Handle &&other) noexcept : h(std::exchange(other.h, nullptr)) { }
  Handle &operator=(Handle &&other) noexcept
  {
    std::swap(h, other.h);
    return *this;
  }
  ~Handle() { reset(); }

  operator T() const { return h; }

  T *get() { return &h; } /* for in-out arguments */

  T *put() /* for output arguments */
  {
    reset();
    return &h;
  }

  void reset()
  {
    if (h) PETSC_OK(Destroy(&h));
  }

private:
  T h = nullptr;
};

using MatHandle    = Handle<Mat, MatDestroy>;
using VecHandle    = Handle<Vec, VecDestroy>;
using KSPHandle    = Handle<KSP, KSPDestroy>;
using PCHandle     = Handle<PC, PCDestroy>;
using ISHandle     = Handle<IS, ISDestroy>;
using ViewerHandle = Handle<PetscViewer, PetscViewerDestroy>;
using NullHandle   = Handle<MatNullSpace, MatNullSpaceDestroy>;

/* Sets an option of PETSc's data base for the lifetime of the object. */
class Option {
public:
  Option(std::string option_name, const std::string &value) : name(std::move(option_name))
  {
    PETSC_OK(PetscOptionsSetValue(nullptr, name.c_str(), value.c_str()));
  }
  ~Option() { PETSC_OK(PetscOptionsClearValue(nullptr, name.c_str())); }
  Option(const Option &)            = delete;
  Option &operator=(const Option &) = delete;

private:
  std::string name;
};

/* Test cases that loop over tables need PETSc (number of ranks, options), so they are added after PetscInitialize: give the function that adds them. */
struct AddTests {
  explicit AddTests(void (*add)());
};

void add_test(boost::unit_test::test_suite *suite, const std::string &name, const std::function<void()> &body);

/* The suite called name inside parent (the master suite for nullptr), made when it is not there yet. */
boost::unit_test::test_suite *suite_named(boost::unit_test::test_suite *parent, const std::string &name);

} // namespace goza_test
