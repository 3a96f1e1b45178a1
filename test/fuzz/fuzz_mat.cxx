/* Random sequences of matrix operations on a Goza matrix and an AIJ twin; a product compared after each operation.

     fuzz_mat [-fuzz_first 1] [-fuzz_count 300]     seeds
     fuzz_mat -fuzz_case FILE [-fuzz_calls PREFIX]  one sequence as text, and its PETSc calls into PREFIX.RANK; of a folder each *.case
     fuzz_mat -fuzz_show SEED                       a seed's sequence as text
     -fuzz_owning                                   of owncds and ownslicedell, without operations that read AIJ itself, or whose rounding zeros change
     -fuzz_without op,op                            operations that are left out
     -fuzz_progress FILE                            where it is

   test/fuzz/fuzz.py runs it over many seeds, goes on after a crash or a hang, and makes a failing sequence short. */
#include "options.hpp"
#include "mat/run.hpp"
#include "progress.hpp"

#include "../support/check.hpp"

#include <fstream>
#include <iostream>
#include <sstream>

using namespace goza_test;
using namespace goza_fuzz;

namespace {

bool owning()
{
  PetscBool yes = PETSC_FALSE;
  PETSC_OK(PetscOptionsGetBool(nullptr, nullptr, "-fuzz_owning", &yes, nullptr));
  return yes;
}

std::set<std::string> left_out()
{
  std::istringstream    list(text_option("-fuzz_without"));
  std::set<std::string> names;
  if (owning()) names = {"array", "info", "kron", "local_matrix", "rows", "submatrices", "factor", "sor", "norms", "symmetric"};
  for (std::string name; std::getline(list, name, ',');) names.insert(name);
  return names;
}

Watch watch(Progress &progress, std::uint64_t seed)
{
  PetscMPIInt rank;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  return {[&progress, seed](long op, int side) { progress.at((unsigned long)seed, op, side); },
          [&progress, rank](const std::string &failed) { progress.failed(rank, failed); }};
}

/* All ranks' differences, in the order of the ranks. */
void report(const Case &c, const Verdict &v)
{
  PetscMPIInt rank;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  if (!rank) std::cout << "FAILED seed " << c.seed << ": " << v.wrong << std::endl;
  else std::cout << "  rank " << rank << ": " << v.wrong << std::endl;
  if (!rank) std::cout << c << std::flush;
}

void one_case(const std::string &file)
{
  std::ifstream in(file);
  BOOST_TEST_REQUIRE((bool)in, "no file " << file);
  Case              c = read_case(in);
  Progress          progress(text_option("-fuzz_progress"));
  const std::string calls = text_option("-fuzz_calls");
  PetscMPIInt       rank;
  c.without       = left_out();
  const Verdict v = run_case(c, !calls.empty(), watch(progress, c.seed));

  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  if (!calls.empty()) std::ofstream(calls + "." + std::to_string(rank)) << v.program;
  BOOST_CHECK_MESSAGE(v.wrong.empty(), "seed " << c.seed << ": " << v.wrong);
  if (!v.wrong.empty()) report(c, v);
  if (!rank)
    std::cout << "fuzz_mat: " << v.done << " operations, " << v.skipped << " did not fit" << (v.refused.empty() ? "" : ", AIJ refuses " + v.refused)
              << std::endl;
}

void many_cases()
{
  Progress       progress(text_option("-fuzz_progress"));
  const PetscInt first = number_option("-fuzz_first", 1), count = number_option("-fuzz_count", 300), tell_refused = number_option("-fuzz_refused", 0);
  const auto     without = left_out();
  long           done = 0, refused = 0, wrong = 0;
  PetscMPIInt    rank, size;

  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  for (PetscInt seed = first; seed < first + count; seed++) {
    Case c          = random_case((std::uint64_t)seed, size, owning());
    c.without       = without;
    const Verdict v = run_case(c, false, watch(progress, c.seed));
    done += v.done;
    refused += !v.refused.empty();
    wrong += !v.wrong.empty();
    if (tell_refused && !v.refused.empty() && !rank) std::cout << "refused " << seed << " " << v.refused << std::endl;
    if (!v.wrong.empty()) report(c, v);
    progress.counts(done, refused);
    BOOST_CHECK_MESSAGE(v.wrong.empty(), "seed " << seed << ": " << v.wrong);
  }
  if (!rank)
    std::cout << "fuzz_mat: " << count << " sequences from seed " << first << " on " << size << " ranks, " << done << " operations, " << wrong << " differ, "
              << refused << " ended where AIJ refuses" << std::endl;
}

const AddTests add([] {
  add_test(suite_named(nullptr, "fuzz_mat"), "sequences", [] {
    const std::string file = text_option("-fuzz_case");
    const PetscInt    show = number_option("-fuzz_show", -1);
    PetscMPIInt       size, rank;
    MPI_Comm_size(PETSC_COMM_WORLD, &size);
    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    if (show >= 0) {
      if (!rank) std::cout << random_case((std::uint64_t)show, size, owning());
    } else if (file.empty()) many_cases();
    else
      for (const auto &f : case_files(file)) one_case(f);
  });
});

} // namespace
