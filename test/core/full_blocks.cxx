/* Matrices of full blocks: told from others, and their products, against the products entry by entry. */
#include "core/sparse/block_product.hpp"
#include "core/sparse/csr_ops.hpp"
#include "core/sparse/host_galerkin.hpp"
#include "pc/saamg/smoother/node_blocks.hpp"
#include "../support/gallery.hpp"
#include "../support/spaces.hpp"

#include <algorithm>
#include <cmath>
#include <map>

using namespace goza;
using namespace goza_test;

namespace {

/* m x n nodes, about `each` blocks in a row, some rows without any; br x bc values in each. Drawn from `seed`. */
CsrMatrix blocks(Space space, PetscInt m, PetscInt n, PetscInt each, PetscInt br, PetscInt bc, PetscInt seed, bool descending = false)
{
  std::vector<PetscInt>    ptr{0}, col;
  std::vector<PetscScalar> val;

  for (PetscInt i = 0; i < m; i++) {
    std::vector<PetscInt> nodes;
    for (PetscInt j = 0; j < n; j++)
      if (i % 7 != 3 && (uniform(i, j, seed) + 1) / 2 * n < each) nodes.push_back(j);
    if (descending) std::reverse(nodes.begin(), nodes.end());
    for (PetscInt r = 0; r < br; r++) {
      for (PetscInt j : nodes)
        for (PetscInt c = 0; c < bc; c++) {
          col.push_back(j * bc + c);
          val.push_back(uniform(i * br + r, j * bc + c, seed + 1));
        }
      ptr.push_back(static_cast<PetscInt>(col.size()));
    }
  }
  CsrMatrix M(space, m * br, n * bc);
  M.ptr = Array<PetscInt>(space, ptr.data(), ptr.size());
  M.col = Array<PetscInt>(space, col.data(), col.size());
  M.val = Array<PetscScalar>(space, val.data(), val.size());
  return M;
}

void check_equal(const CsrMatrix &got, const CsrMatrix &want)
{
  const auto a = got.val.to_host(), b = want.val.to_host();

  BOOST_TEST(got.ptr.to_host() == want.ptr.to_host(), boost::test_tools::per_element());
  BOOST_TEST_REQUIRE(got.col.to_host() == want.col.to_host(), boost::test_tools::per_element());
  for (std::size_t p = 0; p < b.size(); p++) BOOST_TEST_REQUIRE(PetscAbsScalar(a[p] - b[p]) <= 1e-12, p << ": " << a[p] << " for " << b[p]);
}

std::vector<PetscScalar> dense(const CsrMatrix &A)
{
  std::vector<PetscScalar> M(static_cast<std::size_t>(A.nrows) * A.ncols);
  const auto               ptr = A.ptr.to_host(), col = A.col.to_host();
  const auto               val = A.val.to_host();

  for (PetscInt i = 0; i < A.nrows; i++)
    for (PetscInt p = ptr[i]; p < ptr[i + 1]; p++) M[static_cast<std::size_t>(i) * A.ncols + col[p]] += val[p];
  return M;
}

} // namespace

BOOST_AUTO_TEST_CASE(products)
{
  const PetscInt shapes[][3] = {{3, 3, 6}, {6, 3, 6}, {6, 6, 6}, {1, 2, 3}, {2, 1, 1}};

  for (Space space : spaces())
    for (const auto &[br, bm, bc] : shapes)
      for (const auto &[rows, inner, cols, each] : {std::array<PetscInt, 4>{40, 50, 30, 5}, {1, 300, 200, 120}, {60, 3, 2, 1}}) {
        const CsrMatrix A = blocks(space, rows, inner, each, br, bm, 3), B = blocks(space, inner, cols, each, bm, bc, 9), want = multiply(A.view(), B.view());
        const CsrMatrix unsorted = blocks(space, inner, cols, each, bm, bc, 9, true); /* rows as they come from other ranks */

        check_equal(multiply(A.view(), br, bm, B.view(), bc), want);
        check_equal(multiply(A.view(), br, bm, unsorted.view(), bc), want);
      }
}

BOOST_AUTO_TEST_CASE(product_with_its_diagonal)
{
  for (Space space : spaces()) {
    const CsrMatrix A = blocks(space, 20, 30, 3, 6, 3, 5), B = blocks(space, 30, 20, 3, 3, 6, 8), C = multiply(A.view(), 6, 3, B.view(), 6, true);
    const auto      ptr = C.ptr.to_host(), col = C.col.to_host();

    for (PetscInt i = 0; i < C.nrows; i++)
      for (PetscInt c = 0; c < 6; c++) BOOST_TEST(std::count(col.begin() + ptr[i], col.begin() + ptr[i + 1], i / 6 * 6 + c) == 1);
  }
}

/* P^T A P row by row beside two products, with sizes that are known when it is compiled and others. */
BOOST_AUTO_TEST_CASE(triple_products_on_the_host)
{
  const PetscInt sizes[][2] = {{1, 1}, {1, 3}, {2, 2}, {2, 3}, {3, 3}, {3, 6}, {6, 6}, {5, 4}};

  for (const auto &[bs, k] : sizes)
    for (const auto &[nodes, coarse, each] : {std::array<PetscInt, 3>{700, 60, 9}, {90, 110, 4}, {40, 1, 1}, {0, 0, 1}}) {
      const CsrMatrix A = blocks(Space::Host, nodes, nodes, each, bs, bs, 3), P = blocks(Space::Host, nodes, coarse, 3, bs, k, 9), R = transpose(P.view());
      const CsrMatrix want = multiply(R.view(), k, bs, multiply(A.view(), bs, bs, P.view(), k).view(), k, true);
      CsrMatrix       C;

      for (bool known : {false, true}) {
        const auto pattern = [&](const CsrMatrix &M, PetscInt br, PetscInt bc) { return known ? pattern_of_blocks(M.view(), br, bc) : nullptr; };
        FullBlocks by_R(R.view(), k, bs, pattern(R, k, bs)), by_A(A.view(), bs, bs, pattern(A, bs, bs)), by_P(P.view(), bs, k, pattern(P, bs, k));

        BOOST_TEST_REQUIRE(galerkin_host(by_R, by_A, by_P, C));
        check_equal(C, want);
        if (bs * k == 1) continue;
        const MadeRows made{nodes, bs, nodes, [&, bs = bs](PetscInt i, PetscInt *cols, PetscScalar *val) {
                              const PetscInt begin = A.ptr.data()[i * bs], n = (A.ptr.data()[i * bs + 1] - begin) / bs;

                              for (PetscInt b = 0; b < n; b++) {
                                cols[b] = A.col.data()[begin + b * bs] / bs;
                                for (PetscInt r = 0; r < bs; r++)
                                  for (PetscInt c = 0; c < bs; c++) val[(b * bs + r) * bs + c] = A.val.data()[A.ptr.data()[i * bs + r] + b * bs + c];
                              }
                              return n;
                            }};
        BOOST_TEST_REQUIRE(galerkin_host(by_R, made, by_P, C));
        check_equal(C, want);
      }
    }
}

/* The same where entries are missing in A's blocks, whose zeros are not compared; P that is not of full blocks is refused. */
BOOST_AUTO_TEST_CASE(triple_products_by_entries_on_the_host)
{
  const PetscInt sizes[][2] = {{2, 2}, {2, 3}, {3, 6}, {5, 4}, {9, 9}, {4, 13}};

  for (const auto &[bs, k] : sizes)
    for (const auto &[nodes, coarse, each] : {std::array<PetscInt, 3>{700, 60, 9}, {90, 110, 4}, {40, 1, 1}, {0, 0, 1}}) {
      const CsrMatrix A = blocks(Space::Host, nodes * bs, nodes * bs, each, 1, 1, 3), P = blocks(Space::Host, nodes, coarse, 3, bs, k, 9),
                      R = transpose(P.view());
      const auto want   = dense(multiply(R.view(), multiply(A.view(), P.view()).view()));
      FullBlocks by_R(R.view(), k, bs), by_A(A.view(), bs, bs), by_P(P.view(), bs, k);
      CsrMatrix  C;

      BOOST_TEST_REQUIRE(galerkin_host(by_R, by_A, by_P, C));
      BOOST_TEST(FullBlocks(C.view(), k, k).find());
      const auto got = dense(C);
      for (std::size_t p = 0; p < want.size(); p++) BOOST_TEST_REQUIRE(PetscAbsScalar(got[p] - want[p]) <= 1e-12, p << ": " << got[p] << " for " << want[p]);
    }

  const CsrMatrix A = blocks(Space::Host, 30, 30, 4, 3, 3, 3), odd = blocks(Space::Host, 90, 60, 7, 1, 1, 5), R = transpose(odd.view());
  FullBlocks      by[] = {{R.view(), 6, 3}, {A.view(), 3, 3}, {odd.view(), 3, 6}};
  CsrMatrix       C;
  BOOST_TEST(!galerkin_host(by[0], by[1], by[2], C));
}

/* P^T A P with A P as a whole and in parts, some without a block: the same to the last bit, and A P's values are gone. */
BOOST_AUTO_TEST_CASE(triple_products_in_parts)
{
  const PetscInt sizes[][2] = {{2, 3}, {3, 6}, {6, 6}, {5, 4}};

  for (Space space : spaces())
    for (const auto &[bs, k] : sizes)
      for (const auto &[nodes, coarse, each] : {std::array<PetscInt, 3>{300, 40, 9}, {200, 150, 4}, {60, 50, 60}, {3, 2, 3}, {1, 1, 1}, {0, 0, 1}}) {
        const CsrMatrix P = blocks(space, nodes, coarse, 3, bs, k, 9), R = transpose(P.view());
        FullBlocks      by_R(R.view(), k, bs), by_P(P.view(), bs, k);

        BOOST_TEST_REQUIRE(by_R.find());
        BOOST_TEST_REQUIRE(by_P.find());
        for (bool with_diagonal : {false, true}) {
          const CsrMatrix A = blocks(space, nodes, nodes, each, bs, bs, 3);
          FullBlocks      by_A(A.view(), bs, bs);
          BlocksInParts   whole, parts;

          BOOST_TEST_REQUIRE(by_A.find());
          const CsrMatrix want = multiply_blocks(by_R.blocks(), by_A.blocks(), by_P.blocks(), with_diagonal, std::size_t(1) << 30, whole);
          CsrMatrix       got  = multiply_blocks(by_R.blocks(), by_A.blocks(), by_P.blocks(), with_diagonal, 1, parts);

          BOOST_TEST(whole.row.size() == 2u);
          BOOST_TEST(parts.row.size() == (whole.pattern.nnz() ? BlocksInParts::most + 1u : 2u));
          BOOST_TEST(parts.pattern.val.size() == 0u);
          BOOST_TEST((got.ptr.to_host() == want.ptr.to_host() && got.col.to_host() == want.col.to_host() && got.val.to_host() == want.val.to_host()));
          check_equal(rows_of_blocks(std::move(got), k, k), multiply(R.view(), k, bs, multiply(A.view(), bs, bs, P.view(), k).view(), k, with_diagonal));

          Array<PetscScalar> values(space, want.val.size());
          multiply_blocks_numeric(by_R.blocks(), by_A.blocks(), by_P.blocks(), parts, want.view(), values.data());
          BOOST_TEST((values.to_host() == want.val.to_host()));
        }
      }
}

BOOST_AUTO_TEST_CASE(norms)
{
  for (Space space : spaces()) {
    for (PetscInt bs : {2, 3, 6}) {
      /* rows of more than 32 blocks */
      const CsrMatrix A = blocks(space, 30, 40, 35, bs, bs, 4), N = block_norms(A.view(), *pattern_of_blocks(A.view(), bs, bs));
      const auto      ptr = A.ptr.to_host(), col = A.col.to_host(), nptr = N.ptr.to_host(), ncol = N.col.to_host();
      const auto      val = A.val.to_host(), norm = N.val.to_host();

      BOOST_TEST_REQUIRE(N.nrows == 30);
      BOOST_TEST(N.ncols == 40);
      for (PetscInt i = 0; i < N.nrows; i++) {
        BOOST_TEST_REQUIRE(nptr[i + 1] - nptr[i] == (ptr[i * bs + 1] - ptr[i * bs]) / bs);
        for (PetscInt k = nptr[i]; k < nptr[i + 1]; k++) {
          PetscReal sum = 0;

          for (PetscInt r = 0; r < bs; r++)
            for (PetscInt p = ptr[i * bs + r]; p < ptr[i * bs + r + 1]; p++) sum += col[p] / bs == ncol[k] ? PetscRealPart(val[p] * PetscConj(val[p])) : 0;
          BOOST_TEST(PetscAbsScalar(norm[k] - std::sqrt(sum)) <= 1e-14 * std::sqrt(sum));
        }
      }
      BOOST_TEST(!pattern_of_blocks(blocks(space, 6, 6, 3, 1, 1, 4).view(), 2, 2)); /* not of blocks */
    }
  }
}

BOOST_AUTO_TEST_CASE(others)
{
  const std::vector<PetscInt> full{0, 2, 4}, ragged{0, 2, 3}, first{0, 1, 0, 1}, shifted{1, 2, 1, 2}, unequal{0, 1, 2, 3}, descending{2, 3, 0, 1, 2, 3, 0, 1},
    two{0, 4, 8};
  const std::vector<PetscScalar> val(8, 1);

  for (Space space : spaces()) {
    const auto is_full = [&](const std::vector<PetscInt> &p, const std::vector<PetscInt> &c, PetscInt br, PetscInt bc, bool any_order = false) {
      const Array<PetscInt>    ptr(space, p.data(), p.size()), col(space, c.data(), c.size());
      const Array<PetscScalar> v(space, val.data(), val.size());
      Array<PetscInt>          block_ptr, block_col;
      return full_blocks(Csr{space, 2, 4, ptr.data(), col.data(), v.data()}, br, bc, block_ptr, block_col, any_order);
    };
    BOOST_TEST(is_full(full, first, 2, 2));
    BOOST_TEST(is_full(full, shifted, 1, 1));
    BOOST_TEST(!is_full(full, shifted, 2, 2));
    BOOST_TEST(!is_full(ragged, first, 2, 2));
    BOOST_TEST(!is_full(full, unequal, 2, 2));
    BOOST_TEST(!is_full(two, descending, 2, 2));
    BOOST_TEST(is_full(two, descending, 2, 2, true));
    BOOST_TEST(!is_full(full, first, 2, 3)); /* 3 does not divide 4 columns */
  }
}

/* Blocks of which entries are missing, as in rows of given values: the norms are of what is there, and each node has a diagonal block. */
BOOST_AUTO_TEST_CASE(norms_of_incomplete_blocks)
{
  for (Space space : spaces())
    for (PetscInt bs : {2, 3, 6}) {
      const CsrMatrix                                    A = blocks(space, 60 * bs, 60 * bs, 12, 1, 1, 6), N = saamg::norms_of_blocks(A.view(), bs);
      const auto                                         ptr = A.ptr.to_host(), col = A.col.to_host(), nptr = N.ptr.to_host(), ncol = N.col.to_host();
      const auto                                         val = A.val.to_host(), norm = N.val.to_host();
      std::map<std::pair<PetscInt, PetscInt>, PetscReal> want;

      BOOST_TEST_REQUIRE(N.nrows == 60);
      for (PetscInt i = 0; i < N.nrows; i++) want[{i, i}] = 0;
      for (PetscInt row = 0; row < A.nrows; row++)
        for (PetscInt p = ptr[row]; p < ptr[row + 1]; p++) want[{row / bs, col[p] / bs}] += PetscRealPart(val[p] * PetscConj(val[p]));
      BOOST_TEST_REQUIRE(norm.size() == want.size());
      auto next = want.begin();
      for (PetscInt i = 0; i < N.nrows; i++)
        for (PetscInt k = nptr[i]; k < nptr[i + 1]; k++, ++next) {
          BOOST_TEST_REQUIRE((next->first == std::pair{i, ncol[k]}));
          BOOST_TEST(PetscAbsScalar(norm[k] - std::sqrt(next->second)) <= 100 * PETSC_MACHINE_EPSILON * std::sqrt(next->second));
        }
    }
}
