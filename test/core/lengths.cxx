/* Row pointers from row lengths, and what is told where lengths are no lengths or a PetscInt cannot count the entries. */
#include "core/util/algorithm.hpp"

#include "../support/check.hpp"
#include "../support/spaces.hpp"

#include <stdexcept>

using namespace goza;
using goza_test::spaces;

namespace {

/* Of lengths, the last for the end's place: what scan_lengths() says, and finds. */
bool scanned(Space space, const std::vector<PetscInt> &length, std::vector<PetscInt> &ptr, PetscInt *nnz)
{
  const Array<PetscInt> from(space, length.data(), length.size());
  Array<PetscInt>       to(space, length.size());
  const bool            countable = scan_lengths(space, from.data(), to, nnz);

  ptr = to.to_host();
  return countable;
}

} // namespace

BOOST_AUTO_TEST_CASE(pointers_of_lengths)
{
  for (Space space : spaces()) {
    const PetscInt        n = 100000; /* more than a block of any scan takes */
    std::vector<PetscInt> length(n + 1), ptr;
    PetscInt              nnz, want = 0;

    for (PetscInt i = 0; i < n; i++) length[i] = i % 7 == 3 ? 0 : i % 11;
    BOOST_TEST_REQUIRE(scanned(space, length, ptr, &nnz));
    for (PetscInt i = 0; i < n; i++) {
      BOOST_TEST_REQUIRE(ptr[i] == want);
      want += length[i];
    }
    BOOST_TEST(ptr[n] == want);
    BOOST_TEST(nnz == want);

    Array<PetscInt> in_place(space, length.data(), length.size());
    BOOST_TEST(lengths_to_pointer(space, in_place) == want);
    BOOST_TEST(in_place.to_host() == ptr);
  }
}

BOOST_AUTO_TEST_CASE(no_rows)
{
  for (Space space : spaces()) {
    std::vector<PetscInt> ptr;
    PetscInt              nnz;

    BOOST_TEST(scanned(space, {5}, ptr, &nnz));
    BOOST_TEST(nnz == 0);
    BOOST_TEST(ptr == std::vector<PetscInt>{0});
  }
}

/* A row of length -1 is one that no table held: wherever it stands, and whatever comes after it. */
BOOST_AUTO_TEST_CASE(a_length_that_is_none)
{
  for (Space space : spaces()) {
    for (PetscInt at : {0, 1, 4999, 9999}) {
      std::vector<PetscInt> length(10001, 2), ptr;
      PetscInt              nnz;

      length[at] = -1;
      BOOST_TEST(!scanned(space, length, ptr, &nnz), "row " << at);
    }
  }
}

BOOST_AUTO_TEST_CASE(more_than_can_be_counted)
{
  const PetscInt half = PETSC_MAX_INT / 2;

  for (Space space : spaces()) {
    std::vector<PetscInt> ptr;
    PetscInt              nnz;

    BOOST_TEST(scanned(space, {half, half, 0}, ptr, &nnz)); /* the most less one */
    BOOST_TEST(nnz == 2 * half);
    for (const std::vector<PetscInt> &length : {std::vector<PetscInt>{half, half, 2, 0}, std::vector<PetscInt>{half, half, half, half, half, 0}}) {
      Array<PetscInt> in_place(space, length.data(), length.size());

      BOOST_TEST(!scanned(space, length, ptr, &nnz));
      BOOST_CHECK_THROW(lengths_to_pointer(space, in_place), std::length_error);
    }
  }
}
