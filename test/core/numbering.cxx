/* Orders of unknowns by hand, and a format that is numbered anew: the same product, in its place. */
#include "core/util/half.hpp"
#include "core/sparse/numbering.hpp"
#include "core/util/algorithm.hpp"
#include "mat/common/narrow.hpp"
#include "mat/fold/fold.hpp"
#include "mat/fold/renumbered.hpp"

#include "../support/space_matrix.hpp"

#include <algorithm>
#include <vector>

using namespace goza;
using namespace goza_test;

namespace {

/* A path 0 - 5 - 3 - 1 - 4 - 2, and 6 alone, 7 with itself only. */
const std::vector<std::vector<PetscInt>> path{{0, 5}, {1, 3, 4}, {2, 4}, {1, 3, 5}, {1, 2, 4}, {0, 3, 5}, {}, {7}};

/* n unknowns of a ring with neighbours at distance up to 3, numbered i * step mod n: neighbours are far apart. */
std::vector<std::vector<PetscInt>> scattered_ring(PetscInt n, PetscInt step)
{
  std::vector<std::vector<PetscInt>> rows(n);

  for (PetscInt i = 0; i < n; i++) {
    auto &row = rows[static_cast<std::int64_t>(i) * step % n];

    for (PetscInt d = -3; d <= 3; d++) row.push_back(static_cast<PetscInt>(static_cast<std::int64_t>((i + d + n) % n) * step % n));
    std::sort(row.begin(), row.end());
  }
  return rows;
}

void check_renumbered(const std::vector<std::vector<PetscInt>> &rows)
{
  for (Space space : spaces())
    for (Precision precision : {Precision::Double, Precision::Half}) { /* small integers are exact in half precision too */
      Matrix            A(space, rows, static_cast<PetscInt>(rows.size()));
      Renumbered        f(space, FoldOrder::BreadthFirst, make_format<Fold, PetscScalar>(precision, space, FoldOptions()));
      const std::string what = precision == Precision::Half ? "half" : "double";

      f.build(A.csr());
      BOOST_TEST(f.taken());
      BOOST_TEST(f.describe().find("breadth first") != std::string::npos, f.describe());
      check_product(f, A, space, what);
      A.scale(-2);
      f.refill(A.csr());
      check_product(f, A, space, what + ", new values");
    }
}

} // namespace

BOOST_AUTO_TEST_CASE(breadth_first)
{
  for (Space space : spaces()) {
    /* from 0 the last met is 2; from there along the path, then what is not connected */
    const auto order = breadth_first_order(Matrix(space, path, 8).csr());
    BOOST_TEST((order.to_host() == std::vector<PetscInt>{2, 4, 1, 3, 5, 0, 6, 7}));
    BOOST_TEST((inverse_of(order).to_host() == std::vector<PetscInt>{5, 2, 0, 3, 1, 4, 6, 7}));
  }
}

/* 20 unknowns that know nobody: more than are begun anew. Each stands once. */
BOOST_AUTO_TEST_CASE(unconnected)
{
  for (Space space : spaces()) {
    auto order = breadth_first_order(Matrix(space, std::vector<std::vector<PetscInt>>(20), 20).csr()).to_host();
    BOOST_TEST(order[0] == 0);
    std::sort(order.begin(), order.end());
    for (PetscInt k = 0; k < 20; k++) BOOST_TEST(order[k] == k);
    BOOST_TEST(breadth_first_order(Matrix(space, {}, 0).csr()).size() == 0u);
  }
}

BOOST_AUTO_TEST_CASE(too_many_levels)
{
  for (Space space : spaces()) {
    const Matrix A(space, path, 8); /* 6 levels from one end */
    BOOST_TEST(breadth_first_order(A.csr(), 6).size() == 8u);
    BOOST_TEST(breadth_first_order(A.csr(), 5).size() == 0u);
  }
}

BOOST_AUTO_TEST_CASE(far)
{
  for (Space space : spaces()) {
    const Matrix          A(space, path, 8);
    const Array<PetscInt> number(inverse_of(breadth_first_order(A.csr())));
    BOOST_TEST(far_entries(A.csr(), 0, number.data()) == 10);
    BOOST_TEST(far_entries(A.csr(), 1, number.data()) == 0);
    /* sector 1 of rows 0, 1, 2 and 3: 3 and 1 of row 1 share sector 0; the 1 of rows 3 and 4 and the 0 of row 5 stand below others of sector 0 */
    BOOST_TEST(far_sectors(A.csr(), 1) == 4);
    BOOST_TEST(far_sectors(A.csr(), 7) == 0);
  }
}

BOOST_AUTO_TEST_CASE(products)
{
  check_renumbered(path);
  check_renumbered(scattered_ring(1009, 389));
}

BOOST_AUTO_TEST_CASE(refused)
{
  const Matrix A(Space::Host, {{0}, {150}}, 200);
  Renumbered   f(Space::Host, FoldOrder::BreadthFirst, make_format<Fold, PetscScalar>(Precision::Double, Space::Host, FoldOptions()));

  BOOST_CHECK_THROW(f.build(A.csr()), FormatRefusal);
}

/* What is numbered well is left so; what can be brought together is. On the host nothing is: its caches are large. */
BOOST_AUTO_TEST_CASE(automatic)
{
  const PetscInt n = 50, nodes = n * n * n * 2; /* a box of 27 points, twice as long as wide, numbered at random */
  const auto     box = [&](std::int64_t step) {
    std::vector<std::vector<PetscInt>> rows(nodes);

    for (PetscInt i = 0; i < nodes; i++) {
      auto &row = rows[i * step % nodes];

      for (PetscInt k = 0; k < 27; k++) {
        const PetscInt a = i % n + k % 3 - 1, b = i / n % n + k / 3 % 3 - 1, c = i / n / n + k / 9 - 1;

        if (a >= 0 && a < n && b >= 0 && b < n && c >= 0 && c < 2 * n) row.push_back(static_cast<PetscInt>(((c * n + b) * n + a) * step % nodes));
      }
      std::sort(row.begin(), row.end());
    }
    return rows;
  };

  for (Space space : spaces()) {
    const auto taken = [space](const std::vector<std::vector<PetscInt>> &rows) {
      const Matrix A(space, rows, static_cast<PetscInt>(rows.size()));
      Renumbered   f(space, FoldOrder::Auto, make_format<Fold, PetscScalar>(Precision::Double, space, FoldOptions()));

      f.build(A.csr());
      check_product(f, A, space, "automatic");
      return f.taken();
    };
    BOOST_TEST(!taken(box(1)));
    BOOST_TEST(taken(box(77777)) == (space == Space::Cuda)); /* 8.4 sectors a row */
    BOOST_TEST(!taken(box(77773)));                          /* 7.7 */
    BOOST_TEST(!taken(scattered_ring(250007, 77773)));       /* 7 sectors a row, and 40,000 levels */
    BOOST_TEST(!taken(scattered_ring(1009, 389)));
  }
}

/* Keys of few and of all bits, alike, and none: equal ones stay in order. */
BOOST_AUTO_TEST_CASE(places_by_their_keys)
{
  for (Space space : spaces())
    for (PetscInt most : {PetscInt(0), PetscInt(7), PetscInt(5000), PetscInt(PETSC_MAX_INT)}) {
      for (PetscInt n : {0, 1, 4000}) {
        std::vector<PetscInt> keys(n), want(n);

        for (PetscInt i = 0; i < n; i++) {
          keys[i] = static_cast<PetscInt>(static_cast<std::int64_t>(i) * 1103515245 % 2147483647 % (static_cast<std::int64_t>(most) + 1));
          want[i] = i;
        }
        std::stable_sort(want.begin(), want.end(), [&](PetscInt a, PetscInt b) { return keys[a] < keys[b]; });
        BOOST_TEST(order_by(space, Array<PetscInt>(space, keys.data(), n).data(), n).to_host() == want, boost::test_tools::per_element());
      }
    }
}

/* Groups that are none, empty, small, of more places than a warp compares, and of all; keys that count nowhere; more places than a device counts. */
BOOST_AUTO_TEST_CASE(places_in_groups)
{
  for (Space space : spaces())
    for (PetscInt nkeys : {0, 1, 5, 100, 3000})
      for (PetscInt n : {0, 1, 700, 20000, 300000}) {
        std::vector<std::vector<PetscInt>> groups(nkeys + 1); /* the last: of keys that count nowhere */
        std::vector<PetscInt>              keys(n), first(nkeys + 1), want;
        Array<PetscInt>                    ptr, order;

        for (PetscInt i = 0; i < n; i++) {
          const PetscInt mixed = static_cast<PetscInt>(static_cast<std::int64_t>(i) * 1103515245 % 2147483647 % (nkeys + 2)) - 1;

          keys[i] = i % 3 ? mixed : nkeys / 2;
          groups[keys[i] < 0 || keys[i] > nkeys ? nkeys : keys[i]].push_back(i);
        }
        for (PetscInt g = 0; g <= nkeys; g++) {
          first[g] = static_cast<PetscInt>(want.size());
          want.insert(want.end(), groups[g].begin(), groups[g].end());
        }
        group_by(space, Array<PetscInt>(space, keys.data(), n).data(), n, nkeys, ptr, order);
        std::vector<PetscInt> found = order.to_host();

        std::sort(found.begin() + first[nkeys], found.end());
        BOOST_TEST(ptr.to_host() == first, boost::test_tools::per_element());
        BOOST_TEST((found == want));
      }
}

/* Windows whose rows are alike, differ by a little, or by more than there are rows; the last one is shorter. */
BOOST_AUTO_TEST_CASE(rows_by_length_in_windows)
{
  const PetscInt n = 1000;

  for (Space space : spaces())
    for (PetscInt most : {1, 20, 1000000})
      for (PetscInt window : {1, 64, 300, 4096}) {
        std::vector<PetscInt> ptr(n + 1), want(n);

        for (PetscInt i = 0; i < n; i++) {
          ptr[i + 1] = ptr[i] + static_cast<PetscInt>(static_cast<std::int64_t>(i) * 1103515245 % 2147483647 % most);
          want[i]    = n - 1 - i;
        }
        Array<PetscInt> rows(space, want.data(), n), begin(space, ptr.data(), n + 1);

        for (PetscInt first = 0; first < n; first += window)
          std::stable_sort(want.begin() + first, want.begin() + std::min(n, first + window),
                           [&](PetscInt a, PetscInt b) { return ptr[a + 1] - ptr[a] > ptr[b + 1] - ptr[b]; });
        sort_by_length(space, begin.data(), rows.data(), n, window);
        BOOST_TEST(rows.to_host() == want, boost::test_tools::per_element());
      }
}
