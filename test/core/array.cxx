/* Arrays in host memory; where a device exists, the same in device memory. */
#include "core/device/array.hpp"
#include "core/device/free_blocks.hpp"

#include "../support/check.hpp"
#include "../support/spaces.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

using goza::Array;
using goza::Space;
using goza_test::spaces;

namespace {

const std::vector<double> values{3, 1, 4, 1, 5};

} // namespace

BOOST_AUTO_TEST_CASE(keeps_what_it_was_given)
{
  for (Space space : spaces()) {
    Array<double> a(space, values.data(), values.size());
    BOOST_TEST(a.to_host() == values, boost::test_tools::per_element());
    BOOST_TEST(a.bytes() == 40);
    a.zero();
    BOOST_TEST(a.to_host() == std::vector<double>(5, 0), boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(moves_leave_an_empty_array)
{
  for (Space space : spaces()) {
    Array<double> a(space, values.data(), values.size());
    Array<double> b(std::move(a));
    BOOST_TEST(a.size() == 0);
    BOOST_TEST(b.to_host() == values, boost::test_tools::per_element());
    Array<double> c(space, 3);
    c = std::move(b);
    BOOST_TEST(c.to_host() == values, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(copies_between_spaces)
{
  for (Space from : spaces())
    for (Space to : spaces()) {
      Array<double> a(from, values.data(), values.size()), b(to, a.data(), a.size());
      BOOST_TEST(b.to_host() == values, boost::test_tools::per_element());
    }
}

/* So large that several threads bring it to a device, in more chunks than they have memory for, the last of them short. */
BOOST_AUTO_TEST_CASE(large)
{
  std::vector<double> many(3000001);

  std::iota(many.begin(), many.end(), 1);
  for (Space space : spaces()) {
    Array<double> array(space, many.data(), many.size());

    BOOST_TEST((array.to_host() == many));
    many.back() = many.front() = 0;
    array.assign(many.data());
    BOOST_TEST((array.to_host() == many));
  }
}

BOOST_AUTO_TEST_CASE(nothing)
{
  for (Space space : spaces()) {
    Array<double> a(space, values.data(), 0);
    a.zero();
    BOOST_TEST(a.to_host().empty());
    a.resize(2);
    a.resize(0);
    BOOST_TEST(a.size() == 0);
  }
}

/* A large array is zero when it is new, also where an earlier one lay, and whole up to its last byte. */
BOOST_AUTO_TEST_CASE(large_host_arrays)
{
  for (std::size_t n : {524287, 524288, 1048577, 3000000}) {
    for (int again = 0; again < 2; again++) {
      Array<double> a(Space::Host, n);

      BOOST_TEST(std::count(a.data(), a.data() + n, 0.0) == static_cast<std::ptrdiff_t>(n));
      std::fill(a.data(), a.data() + n, 7.0);
      BOOST_TEST(a.to_host() == std::vector<double>(n, 7.0));
    }
  }
  BOOST_CHECK_THROW(Array<double>(Space::Host, SIZE_MAX / 4), std::bad_alloc);
}

/* What is left is as it was, also when others get what lay behind. */
BOOST_AUTO_TEST_CASE(shortened_host_arrays)
{
  for (std::size_t n : {6, 524288, 3000000, 4194303, 4194304, 9000000}) {
    for (std::size_t fewer : {n, n - 1, n / 2, n / 6, std::size_t(0)}) {
      Array<double> a(Space::Host, n);

      std::iota(a.data(), a.data() + n, 1.0);
      a.shorten(fewer);
      BOOST_TEST(a.size() == fewer);
      Array<double> b(Space::Host, n);
      BOOST_TEST(std::count(b.data(), b.data() + n, 0.0) == static_cast<std::ptrdiff_t>(n));
      std::fill(b.data(), b.data() + n, -1.0);
      for (std::size_t i = 0; i < fewer; i++) BOOST_TEST_REQUIRE(a.data()[i] == static_cast<double>(i + 1));
    }
  }
}

/* Of any size; a copy is whole. */
BOOST_AUTO_TEST_CASE(unset_host_arrays)
{
  const std::size_t         n = 4194305;
  const std::vector<double> from(n, 3.0);
  BOOST_TEST(Array<double>(Space::Host, from.data(), n).to_host() == from);
  BOOST_TEST(Array<double>(Space::Host, 6, goza::unset).size() == 6);
}

/* Blocks that came back go to the next of their size on the same stream, up to a bound; larger ones are not kept. */
BOOST_AUTO_TEST_CASE(free_blocks)
{
  using goza::device::FreeBlocks;
  FreeBlocks blocks;
  char       memory[3], streams[2];
  const int  kind = FreeBlocks::kind_of(1000);

  BOOST_TEST(FreeBlocks::size_of(kind) == 1024u);
  BOOST_TEST(FreeBlocks::size_of(FreeBlocks::kind_of(1024)) == 1024u);
  BOOST_TEST(FreeBlocks::size_of(FreeBlocks::kind_of(1)) >= 1u);
  for (std::size_t bytes = 1000; FreeBlocks::kind_of(bytes) >= 0; bytes += bytes / 7 + 1) {
    const int k = FreeBlocks::kind_of(bytes);

    BOOST_TEST(FreeBlocks::size_of(k) >= bytes);
    BOOST_TEST(FreeBlocks::size_of(k - 1) < bytes);
    if (bytes > 1 << 20) BOOST_TEST(FreeBlocks::size_of(k) - bytes <= bytes / 16);
  }
  BOOST_TEST(FreeBlocks::kind_of(std::size_t(1) << 30) == -1);
  BOOST_TEST(!blocks.keep(memory, -1, streams));
  BOOST_TEST(blocks.keep(memory, kind, streams));
  BOOST_TEST(blocks.take(kind, streams + 1) == nullptr);
  BOOST_TEST(blocks.take(kind + 1, streams) == nullptr);
  BOOST_TEST(blocks.take(kind, streams) == memory);
  BOOST_TEST(blocks.take(kind, streams) == nullptr);
  BOOST_TEST(blocks.bytes() == 0u);

  const int   large = FreeBlocks::kind_of(1 << 20);
  std::size_t kept  = 0;
  while (blocks.keep(memory + kept % 3, large, streams)) kept++;
  BOOST_TEST(kept == blocks.most() >> 20);
  std::size_t dropped = 0;
  blocks.drop([&](void *, void *stream) { dropped += stream == streams; });
  BOOST_TEST(dropped == kept);
  BOOST_TEST(blocks.bytes() == 0u);
}

/* The bytes in use are those that were asked for, whichever block they are in, and a block that is had again has what is written into it. */
BOOST_AUTO_TEST_CASE(blocks_had_again)
{
  for (Space space : spaces()) {
    for (int k = 0; k < 100; k++) {
      const std::size_t   before = space == Space::Cuda ? goza::device::bytes_in_use() : 0;
      std::vector<double> want(1 + 37 * k);

      std::iota(want.begin(), want.end(), k);
      Array<double> a(space, want.data(), want.size()), b(space, want.size());

      b.copy_from(a.data(), want.size());
      BOOST_TEST(b.to_host() == want);
      if (space == Space::Cuda) BOOST_TEST(goza::device::bytes_in_use() == before + a.bytes() + b.bytes());
    }
  }
}
