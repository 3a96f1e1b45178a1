/* The columns with most entries, and Fold's product that keeps their x on chip. */
#include "core/util/half.hpp"
#include "mat/common/narrow.hpp"
#include "mat/fold/fold.hpp"

#include "../support/space_matrix.hpp"

#include <algorithm>

using namespace goza;
using namespace goza_test;

namespace
{

/* Rows of every length up to 70, one of 400 (groups of its own), some empty; columns 3, 5 and 399 in most of them. */
std::vector<std::vector<PetscInt>> hubs(PetscInt n)
{
  std::vector<std::vector<PetscInt>> rows(n);

  for (PetscInt i = 0; i < n; i++) {
    auto &row = rows[i];

    for (PetscInt k = 0; k < (i == 17 ? 400 : i % 9 == 4 ? 0 : i * 13 % 70); k++) row.push_back(i == 17 ? k : (i * 31 + k * 57) % n);
    if (i % 9 != 4 && i % 5) row.insert(row.end(), {3, 5, 399});
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
  }
  return rows;
}

} // namespace

BOOST_AUTO_TEST_CASE(by_hand)
{
  for (Space space : spaces()) {
    const Matrix A(space, {{0, 2, 4}, {2}, {}, {1, 2, 4}, {2, 3, 4}}, 6); /* columns of 1, 1, 4, 1, 3 and 0 entries */
    const auto   two = find_hot_columns(A.csr(), 2, 0.7), all = find_hot_columns(A.csr(), 100, 1);

    BOOST_TEST((two.list.to_host() == std::vector<PetscInt>{2, 4}));
    BOOST_TEST((two.code.to_host() == std::vector<PetscInt>{2, 3, 0, 5, 1, 7}));
    BOOST_TEST(two.share == 0.7);
    BOOST_TEST(find_hot_columns(A.csr(), 2, 0.71).list.size() == 0u);
    BOOST_TEST((all.list.to_host() == std::vector<PetscInt>{0, 1, 2, 3, 4, 5}));
    BOOST_TEST((all.code.to_host() == std::vector<PetscInt>{0, 1, 2, 3, 4, 5}));
    BOOST_TEST(find_hot_columns(Matrix(space, {{}, {}}, 2).csr(), 2, 0).list.size() == 0u);
  }
}

/* Of one, few and all columns; the values change; the outputs that a row is not assigned to, and the sum over all rows. On the host they are not told apart. */
BOOST_AUTO_TEST_CASE(product)
{
  for (Space space : spaces())
    for (Precision precision : {Precision::Double, Precision::Half})
      for (PetscInt n : {1, 3, 500})
        for (PetscInt width : {1, 8}) {
          FoldOptions options;

          options.hot   = n;
          options.width = width;
          Matrix            A(space, hubs(500), 500);
          const auto        f    = make_format<Fold, PetscScalar>(precision, space, options);
          const std::string what = "hot " + std::to_string(n) + ", width " + std::to_string(width) + (precision == Precision::Half ? ", half" : ", double");

          f->build(A.csr());
          BOOST_TEST((f->describe().find("x of " + std::to_string(n) + " columns") != std::string::npos) == (space == Space::Cuda), f->describe());
          check_product(*f, A, space, what);
          A.scale(-2);
          f->refill(A.csr());
          check_product(*f, A, space, what + ", new values");
        }
}

/* A graph whose hubs hold half of the entries, all far away: the rule takes them. A band of the same size: it does not. */
BOOST_AUTO_TEST_CASE(the_rule)
{
  if (!device::available()) return;
  const PetscInt                     n = 1 << 18;
  std::vector<std::vector<PetscInt>> graph(n), band(n);

  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt k = 0; k < 6; k++) {
      const std::int64_t far = (static_cast<std::int64_t>(i) * 48271 + k * 69621) % n;

      graph[i].push_back(static_cast<PetscInt>(k % 2 ? far : far % 4096 * 64));
      band[i].push_back(std::max<PetscInt>(0, std::min<PetscInt>(n - 1, i + k - 3)));
    }
    for (auto *row : {&graph[i], &band[i]}) {
      std::sort(row->begin(), row->end());
      row->erase(std::unique(row->begin(), row->end()), row->end());
    }
  }
  for (const auto *rows : {&graph, &band}) {
    const Matrix                   A(Space::Cuda, *rows, n);
    Fold<PetscScalar, PetscScalar> f(Space::Cuda);

    f.build(A.csr());
    BOOST_TEST((f.describe().find("on chip") != std::string::npos) == (rows == &graph), f.describe());
    check_product(f, A, Space::Cuda, "chosen");
  }
}
