/* The parts that ranks have of their group's vector, to it and back, in its order and in another, on the host and by the device's kernel. */
#include "mat/common/group_parts.hpp"
#include "core/device/array.hpp"

#include "../support/check.hpp"
#include "../support/spaces.hpp"

#include <numeric>
#include <string>
#include <vector>

using goza::Array;
using goza::Move;
using goza::Parts;
using goza::Space;
using goza_test::spaces;

namespace {

void there_and_back(Space space, const std::vector<PetscInt> &sizes, bool natural, const std::string &what)
{
  constexpr PetscInt              begin = 5; // parts of other ranks lie before these
  std::vector<Array<PetscScalar>> data;
  Parts                           parts;
  PetscInt                        end = begin;

  parts.n = (int)sizes.size();
  for (int k = 0; k < parts.n; k++) {
    std::vector<PetscScalar> values(sizes[k]);

    std::iota(values.begin(), values.end(), PetscScalar(end));
    data.emplace_back(space, values.data(), values.size());
    parts.data[k]  = data.back().data();
    parts.first[k] = end;
    end += sizes[k];
  }
  parts.first[parts.n] = end;
  std::vector<PetscInt>    place(end);
  std::vector<PetscScalar> expected(end, 0), twice;
  for (PetscInt i = 0; i < end; i++) place[i] = natural ? end - 1 - i : i;
  for (PetscInt i = begin; i < end; i++) expected[place[i]] = PetscScalar(i);
  const Array<PetscInt> order(space, place.data(), place.size());
  Array<PetscScalar>    whole(space, expected.size());
  whole.zero();
  const Move<false> there{parts, natural ? order.data() : nullptr, whole.data()};
  goza::for_each_row(space, there.rows(), there);
  BOOST_TEST(whole.to_host() == expected, what);

  for (PetscScalar v : expected) twice.push_back(2 * v);
  whole.assign(twice.data());
  const Move<true> back{parts, natural ? order.data() : nullptr, whole.data()};
  goza::for_each_row(space, back.rows(), back);
  for (int k = 0; k < parts.n; k++) {
    std::vector<PetscScalar> values(sizes[k]);

    for (PetscInt i = 0; i < sizes[k]; i++) values[i] = PetscScalar(2 * (parts.first[k] + i));
    BOOST_TEST(data[k].to_host() == values, what + ", back, part " + std::to_string(k));
  }
}

} // namespace

BOOST_AUTO_TEST_CASE(parts_and_the_whole)
{
  const std::vector<PetscInt> cuts[] = {{7}, {0}, {0, 0, 3}, {3, 0, 0}, {1, 0, 5, 0, 2}, {1000, 1, 999, 3000}, std::vector<PetscInt>(Parts::most, 11)};

  for (Space space : spaces())
    for (const auto &sizes : cuts)
      for (bool natural : {false, true}) there_and_back(space, sizes, natural, std::to_string(sizes.size()) + " parts" + (natural ? ", in another order" : ""));
}
