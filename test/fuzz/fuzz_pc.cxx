/* Random configurations of saamg over random matrices: linear, symmetric where it must be, its transpose, independent of history and of the number of ranks,
   and a reason instead of garbage.

     fuzz_pc [-fuzz_first 1] [-fuzz_count 200]    seeds
     fuzz_pc -fuzz_case FILE                      one configuration as text; its "set" lines are options for any program. Of a folder each *.case
     fuzz_pc -fuzz_show SEED                      a seed's configuration as text
     -fuzz_progress FILE                          where it is

   test/fuzz/fuzz.py runs it over many seeds. */
#include "options.hpp"
#include "pc/checks.hpp"
#include "progress.hpp"

#include <fstream>
#include <iostream>

using namespace goza_test;
using namespace goza_fuzz;

namespace {

/* The checks are of norms and counts, so that all ranks see the same. */
bool report(const Configuration &c, const Findings &f)
{
  PetscMPIInt rank;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  if (f.wrong.empty()) return false;
  if (!rank) std::cout << "FAILED seed " << c.seed << ": " << f.wrong << " [" << matrix_kinds()[c.kind].name << "]\n" << c << std::flush;
  BOOST_ERROR("seed " << c.seed << ": " << f.wrong);
  return true;
}

void many()
{
  Progress       progress(text_option("-fuzz_progress"));
  const PetscInt first = number_option("-fuzz_first", 1), count = number_option("-fuzz_count", 200);
  long           checks = 0, wrong = 0, refused = 0;
  PetscMPIInt    rank, size;

  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  for (PetscInt seed = first; seed < first + count; seed++) {
    const Configuration c = random_configuration((std::uint64_t)seed, size);
    const Findings      f = check(c, [&](long step) { progress.at((unsigned long)seed, step, 1); });
    checks += f.checks;
    refused += f.refused;
    wrong += report(c, f);
    progress.counts(checks, refused);
  }
  if (!rank)
    std::cout << "fuzz_pc: " << count << " configurations from seed " << first << " on " << size << " ranks, " << checks << " operations, " << wrong
              << " differ, " << refused << " ended with a failed set-up" << std::endl;
}

const AddTests add([] {
  add_test(suite_named(nullptr, "fuzz_pc"), "configurations", [] {
    const std::string file = text_option("-fuzz_case");
    const PetscInt    show = number_option("-fuzz_show", -1);
    PetscMPIInt       size, rank;
    MPI_Comm_size(PETSC_COMM_WORLD, &size);
    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    if (show >= 0) {
      if (!rank) std::cout << random_configuration((std::uint64_t)show, size);
    } else if (!file.empty()) {
      for (const auto &f : case_files(file)) {
        std::ifstream in(f);
        BOOST_TEST_REQUIRE((bool)in, "no file " << f);
        const Configuration c = read_configuration(in);
        Progress            progress(text_option("-fuzz_progress"));
        report(c, check(c, [&](long step) { progress.at(c.seed, step, 1); }));
      }
    } else many();
  });
});

} // namespace
