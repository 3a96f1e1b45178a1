/* Where entries of a rank go among those of its group: by runs, on the host and by the device's kernel, whose body is called here, too. */
#include "core/launch/for_each_row.hpp"
#include "mat/common/entry_places.hpp"

#include "../support/check.hpp"
#include "../support/spaces.hpp"

#include <algorithm>
#include <string>
#include <vector>

using goza::Array;
using goza::EntryPlaces;
using goza::PlaceEntry;
using goza::Space;
using goza_test::spaces;

namespace {

struct Places {
  EntryPlaces           places;
  std::vector<PetscInt> to; // of each entry

  /* Runs of `length` entries each, from the last to the first, with a hole between them; every `broken`th run lies entry by entry. */
  Places(PetscInt runs, PetscInt length, PetscInt broken)
  {
    for (PetscInt r = 0; r < runs; r++) {
      const PetscInt begin = (runs - 1 - r) * (2 * length + 1);

      if (broken && r % broken == 0)
        for (PetscInt k = 0; k < length; k++) add(1, begin + 2 * k);
      else add(length, begin);
    }
  }

  void check(Space space, const std::string &what)
  {
    const auto               n = places.size(), room = to.empty() ? 0 : 1 + *std::max_element(to.begin(), to.end());
    std::vector<PetscScalar> values(n), expected(room, 0);

    BOOST_TEST_REQUIRE(n == (PetscInt)to.size());
    for (std::size_t k = 0; k < values.size(); k++) values[k] = static_cast<PetscReal>(k + 1);
    for (PetscInt p = 0; p < n; p++) expected[to[p]] = values[p];
    const Array<PetscScalar> from(space, values.data(), n);
    Array<PetscScalar>       out(space, room);

    out.zero();
    places.put(space, from.data(), out.data());
    BOOST_TEST(out.to_host() == expected, what);
    if (!n) return;
    out.zero();
    const EntryPlaces::Index index = places.index(space);

    goza::for_each_row(space, n, PlaceEntry{index.begin.data(), index.to.data(), index.first.data(), from.data(), out.data()});
    BOOST_TEST(out.to_host() == expected, what + ", by the kernel");
  }

private:
  void add(PetscInt n, PetscInt at)
  {
    places.add(n, at);
    for (PetscInt k = 0; k < n; k++) to.push_back(at + k);
  }
};

} // namespace

BOOST_AUTO_TEST_CASE(entries_come_to_their_places)
{
  for (Space space : spaces())
    for (PetscInt length : {1, 2, 27, 255, 256, 257, 1000})
      for (PetscInt runs : {0, 1, 2, 9, 70})
        for (PetscInt broken : {0, 1, 3})
          Places(runs, length, broken).check(space, std::to_string(runs) + " runs of " + std::to_string(length) + ", broken " + std::to_string(broken));
}

BOOST_AUTO_TEST_CASE(runs_that_go_on_are_one)
{
  EntryPlaces places;

  places.add(3, 10);
  places.add(0, 99);
  places.add(2, 13);
  places.add(1, 15);
  BOOST_TEST(places.runs() == 1);
  places.add(1, 17);
  places.add(1, 16);
  BOOST_TEST(places.runs() == 3);
  BOOST_TEST(places.size() == 8);
  places.clear();
  BOOST_TEST(places.runs() == 0);
  BOOST_TEST(places.size() == 0);
}
