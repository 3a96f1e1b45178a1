/* Files of matrices with every byte changed in turn: an error of PETSc, or a pattern that is one. */
#include "../support/matrix_market.hpp"
#include "../support/petsc_binary.hpp"

#include "../support/check.hpp"

#include <petscmat.h>

#include <cstdio>
#include <fstream>
#include <string>

using namespace goza_test;

namespace {

using Reader = PetscErrorCode (*)(const char *, HostCsr *);

std::string big_endian(const std::vector<PetscInt> &numbers)
{
  std::string text;

  for (PetscInt n : numbers)
    for (int byte = (int)sizeof(PetscInt) - 1; byte >= 0; byte--) text += (char)((std::uint64_t)n >> 8 * byte & 0xff);
  return text;
}

bool is_pattern(const HostCsr &A)
{
  if (A.rows < 0 || A.cols < 0 || A.ptr.size() != (std::size_t)A.rows + 1 || A.ptr[0] != 0 || (std::size_t)A.ptr.back() != A.col.size()) return false;
  for (PetscInt i = 0; i < A.rows; i++) {
    if (A.ptr[i] > A.ptr[i + 1]) return false;
    for (PetscInt k = A.ptr[i]; k < A.ptr[i + 1]; k++) {
      if (A.col[k] < 0 || A.col[k] >= A.cols || (k > A.ptr[i] && A.col[k] <= A.col[k - 1])) return false;
    }
  }
  return true;
}

/* How many were refused. */
int read_changed(const std::string &good, const char *suffix, Reader read)
{
  const std::string name    = std::string("changed_") + std::to_string((long)PetscGlobalRank) + suffix;
  int               refused = 0;
  const auto        one     = [&](const std::string &bytes, const std::string &what) {
    HostCsr A;

    std::ofstream(name, std::ios::binary) << bytes;
    const Outcome outcome = attempt([&] { return read(name.c_str(), &A); });
    refused += outcome.failed;
    if (!outcome.failed) BOOST_TEST(is_pattern(A), what);
    return !outcome.failed;
  };

  BOOST_TEST(one(good, "as it is"));
  for (std::size_t k = 0; k < good.size(); k++) {
    std::string bytes = good;

    for (int value : {0, 1, 9, 0x20, 0x2d, 0x39, 0x7f, 0x80, 0xff}) {
      bytes[k] = (char)value;
      one(bytes, "byte " + std::to_string(k) + " is " + std::to_string(value));
    }
    one(good.substr(0, k), "the first " + std::to_string(k) + " bytes");
  }
  std::remove(name.c_str());
  return refused;
}

} // namespace

BOOST_AUTO_TEST_CASE(petsc_binary)
{
  const std::string good = big_endian({MAT_FILE_CLASSID, 4, 5, 6, 1, 2, 0, 3, 0, 1, 4, 0, 2, 3}) + std::string(6 * sizeof(PetscScalar), '\0');

  BOOST_TEST(read_changed(good, ".petsc", goza_test::read_petsc_binary) > (int)good.size()); /* shorter ones, and those that are no matrix */
}

BOOST_AUTO_TEST_CASE(matrix_market)
{
  const std::string good = "%%MatrixMarket matrix coordinate real general\n% a comment\n4 5 6\n1 1 1.5\n2 2 -2\n2 5 3e1\n4 1 4\n4 3 5\n4 4 6\n";

  BOOST_TEST(read_changed(good, ".mtx", goza_test::read_matrix_market) > 50);
}
