/* The main program of every test: PETSc and Goza first, then Boost.Test on every rank. A failure on any rank fails the program on all. */
#define BOOST_TEST_NO_MAIN
#define BOOST_TEST_ALTERNATIVE_INIT_API
#include <boost/test/included/unit_test.hpp>

#include "alloc_failure.hpp"
#include "check.hpp"

#include <petscgoza.h>

#include <map>
#include <string>
#include <vector>

namespace goza_test {
namespace {

/* A function and not a variable: AddTests objects of other files may be constructed before this file's variables. */
std::vector<void (*)()> &adders()
{
  static std::vector<void (*)()> list;
  return list;
}

bool init_tests()
{
  for (auto *add : adders()) add();
  return true;
}

std::string &last_message()
{
  static std::string text;
  return text;
}

/* PETSc calls the handler once for every stack frame; the first call has the message. */
PetscErrorCode remember_error(MPI_Comm, int, const char *, const char *, PetscErrorCode code, PetscErrorType type, const char *message, void *)
{
  const WithMemory memory;

  if (type == PETSC_ERROR_INITIAL) last_message() = message ? message : "";
  return code;
}

} // namespace

static bool skipped = false;

void skip_case(const std::string &why)
{
  skipped = true;
  printf("skipped: %s\n", why.c_str());
}

AddTests::AddTests(void (*add)()) { adders().push_back(add); }

void add_test(boost::unit_test::test_suite *suite, const std::string &name, const std::function<void()> &body)
{
  suite->add(boost::unit_test::make_test_case(body, name, __FILE__, __LINE__));
}

boost::unit_test::test_suite *suite_named(boost::unit_test::test_suite *parent, const std::string &name)
{
  static std::map<std::pair<boost::unit_test::test_suite *, std::string>, boost::unit_test::test_suite *> made;

  if (!parent) parent = &boost::unit_test::framework::master_test_suite();
  auto &suite = made[{parent, name}];
  if (!suite) {
    suite = BOOST_TEST_SUITE(name);
    parent->add(suite);
  }
  return suite;
}

void require_ok(PetscErrorCode code, const char *call, const char *file, int line)
{
  if (code == PETSC_SUCCESS) return;
  PetscMPIInt size = 1, rank = 0;
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  const std::string what = std::string(file) + "(" + std::to_string(line) + "): PETSc error " + std::to_string((int)code) + " from " + call;
  if (size > 1) {
    fprintf(stderr, "[%d] in test %s: %s\n", rank, boost::unit_test::framework::current_test_case().full_name().c_str(), what.c_str());
    fflush(stderr);
    MPI_Abort(PETSC_COMM_WORLD, 1);
  }
  BOOST_FAIL(what);
}

Outcome attempt(const std::function<PetscErrorCode()> &call)
{
  Outcome out;

  last_message().clear();
  PETSC_OK(PetscPushErrorHandler(remember_error, nullptr));
  out.code = call();
  PETSC_OK(PetscPopErrorHandler());
  out.failed  = out.code != PETSC_SUCCESS;
  out.message = last_message();
  return out;
}

bool any_rank(bool here)
{
  int mine = here, any = 0;
  PETSC_OK((PetscErrorCode)MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_LOR, PETSC_COMM_WORLD));
  return any != 0;
}

PetscReal max_over_ranks(PetscReal here)
{
  PetscReal all = 0;
  PETSC_OK((PetscErrorCode)MPI_Allreduce(&here, &all, 1, MPIU_REAL, MPIU_MAX, PETSC_COMM_WORLD));
  return all;
}

void all_ranks(bool here, const std::string &what)
{
  const bool wrong_elsewhere = any_rank(!here); /* no short circuit: collective */

  BOOST_TEST_REQUIRE(!wrong_elsewhere, what << (here ? " (on another rank)" : ""));
}

} // namespace goza_test

int main(int argc, char **argv)
{
  /* Boost.Test's arguments begin with two dashes, PETSc's with one */
  std::vector<char *> petsc{argv[0]}, boost_args{argv[0]};
  for (int i = 1; i < argc; i++) (std::string(argv[i]).rfind("--", 0) == 0 ? boost_args : petsc).push_back(argv[i]);
  petsc.push_back(nullptr);

  int    petsc_argc = (int)petsc.size() - 1;
  char **petsc_argv = petsc.data();
  if (PetscInitialize(&petsc_argc, &petsc_argv, nullptr, nullptr) != PETSC_SUCCESS) return 2;
  if (GozaInitializePackage() != PETSC_SUCCESS) return 2;

  PetscMPIInt rank = 0;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  /* a crash shall reach PETSc's or the sanitizer's handler, and end the program */
  std::string quiet = "--report_level=no", signals = "--catch_system_errors=no", plain = "--color_output=no";
  if (rank) boost_args.push_back(quiet.data());
  boost_args.push_back(signals.data());
  boost_args.push_back(plain.data());

  /* counts of events are what proves that a kernel ran */
  if (PetscLogDefaultBegin() != PETSC_SUCCESS) return 2;

  int here = boost::unit_test::unit_test_main(goza_test::init_tests, (int)boost_args.size(), boost_args.data()), all = 0;
  MPI_Allreduce(&here, &all, 1, MPI_INT, MPI_MAX, PETSC_COMM_WORLD);
  if (all && !here) fprintf(stderr, "[%d] failed on another rank\n", rank);
  if (PetscFinalize() != PETSC_SUCCESS) return 2;
  return all ? all : goza_test::skipped ? 77 : 0;
}
