/* Products and transposes of CSR matrices against a simple reference, on the host and, where there is one, on the device. */
#include "core/sparse/csr_ops.hpp"
#include "core/sparse/few_columns.hpp"
#include "core/sparse/host_galerkin.hpp"

#include "../support/gallery.hpp"
#include "../support/ordered_rows.hpp"
#include "../support/spaces.hpp"

#include <algorithm>
#include <cmath>
#include <map>

using namespace goza;
using goza_test::csr_of;
using goza_test::spaces;
using goza_test::uniform;

namespace {

using Sparse = goza_test::OrderedRows;

struct Shape {
  std::string name;
  PetscInt    m, n;
  Sparse      rows;
};

Shape random_matrix(const std::string &name, PetscInt m, PetscInt n, PetscInt seed, PetscInt mean)
{
  Shape s{name, m, n, Sparse(m)};

  for (PetscInt i = 0; i < m && n; i++) {
    const PetscInt length = static_cast<PetscInt>((uniform(i, 1, seed) + 1) * mean);
    for (PetscInt k = 0; k < length; k++) s.rows[i][static_cast<PetscInt>((uniform(i, 2 + k, seed) + 1) / 2 * n)] = uniform(i, 1000 + k, seed);
  }
  return s;
}

Shape dense_row(const std::string &name, PetscInt n)
{
  Shape s = random_matrix(name, n, n, 5, 2);
  for (PetscInt j = 0; j < n; j++) {
    s.rows[n / 2][j] = 1 + j;
    s.rows[j][n / 3] = 2;
  }
  return s;
}

CsrMatrix csr(Space space, const Shape &s) { return csr_of(space, s.rows, s.n); }

void check_equal(const CsrMatrix &A, const Sparse &want, const std::string &what)
{
  const auto ptr = A.ptr.to_host(), col = A.col.to_host();
  const auto val = A.val.to_host();

  BOOST_TEST_REQUIRE(A.nrows == static_cast<PetscInt>(want.size()));
  for (PetscInt i = 0; i < A.nrows; i++) {
    BOOST_TEST_REQUIRE(ptr[i + 1] - ptr[i] == static_cast<PetscInt>(want[i].size()), what << ": length of row " << i);
    PetscInt p = ptr[i];
    for (const auto &[j, v] : want[i]) {
      BOOST_TEST_REQUIRE(col[p] == j, what << ": row " << i << " column " << col[p] << " for " << j);
      BOOST_TEST_REQUIRE(PetscAbsScalar(val[p] - v) <= 1000 * PETSC_MACHINE_EPSILON * (1 + PetscAbsScalar(v)), what << ": (" << i << ", " << j << ")");
      p++;
    }
  }
}

Sparse reference_transpose(const Shape &s)
{
  Sparse t(s.n);
  for (PetscInt i = 0; i < s.m; i++)
    for (const auto &[j, v] : s.rows[i]) t[j][i] = v;
  return t;
}

Sparse reference_product(const Shape &a, const Shape &b, bool with_diagonal)
{
  Sparse c(a.m);
  for (PetscInt i = 0; i < a.m; i++) {
    if (with_diagonal) c[i][i] = 0;
    for (const auto &[j, v] : a.rows[i])
      for (const auto &[l, w] : b.rows[j]) c[i][l] += v * w;
  }
  return c;
}

std::vector<Shape> squares()
{
  return {random_matrix("empty", 0, 0, 1, 3),
          random_matrix("1x1", 1, 1, 1, 2),
          random_matrix("no entries", 7, 7, 1, 0),
          random_matrix("short rows", 900, 900, 2, 4),
          random_matrix("longer rows", 700, 700, 3, 30),
          dense_row("a dense row and a dense column", 3000),
          random_matrix("nearly dense", 300, 300, 4, 150)};
}

} // namespace

BOOST_AUTO_TEST_CASE(transposes)
{
  auto list = squares();
  list.push_back(random_matrix("wide", 40, 900, 7, 20));
  list.push_back(random_matrix("tall", 900, 40, 8, 3));
  for (Space space : spaces())
    for (const Shape &s : list) {
      const CsrMatrix A = csr(space, s);
      CsrMatrix       T = transpose(A.view());

      check_equal(T, reference_transpose(s), s.name + " transposed");
      Shape again = s; // new values in the same pattern
      for (PetscInt i = 0; i < s.m; i++)
        for (auto &[j, v] : again.rows[i]) v = uniform(i, j, 21);
      T.val = Array<PetscScalar>(space);
      transpose_numeric(csr(space, again).view(), T);
      check_equal(T, reference_transpose(again), s.name + " transposed again");
      BOOST_TEST(columns_ascend(A.view()));
    }
}

BOOST_AUTO_TEST_CASE(products)
{
  for (Space space : spaces())
    for (const Shape &s : squares())
      for (bool with_diagonal : {false, true}) {
        const CsrMatrix A = csr(space, s);
        CsrMatrix       C = multiply(A.view(), A.view(), with_diagonal);

        check_equal(C, reference_product(s, s, with_diagonal), s.name + " squared");
        check_equal(multiply(A.view(), A.view(), with_diagonal, true), reference_product(s, s, with_diagonal), s.name + " squared, ascending");
        Shape twice = s; // new values in the same pattern
        for (auto &row : twice.rows)
          for (auto &entry : row) entry.second *= 2;
        const CsrMatrix B = csr(space, twice);
        multiply_numeric(A.view(), B.view(), C);
        check_equal(C, reference_product(s, twice, with_diagonal), s.name + " with new values");
      }
}

/* Many rows of few columns, as of an interpolation, and among them some of any length. */
BOOST_AUTO_TEST_CASE(tall_products)
{
  const Shape b = random_matrix("b", 4000, 2500, 14, 3);
  Shape       a = random_matrix("a", 21000, 4000, 13, 2), twice = b;

  for (PetscInt i : {0, 31, 10000, 20999}) {
    const PetscInt length = i == 10000 ? 4000 : 12 + i / 300;
    for (PetscInt k = 0; k < length; k++) a.rows[i][k * 4000 / length] = uniform(i, k, 15);
  }
  a.rows[777].clear();
  for (auto &row : twice.rows)
    for (auto &entry : row) entry.second *= 2;
  for (Space space : spaces()) {
    const CsrMatrix A = csr(space, a);
    CsrMatrix       C = multiply(A.view(), csr(space, b).view());

    check_equal(C, reference_product(a, b, false), "21000 x 4000 times 4000 x 2500");
    multiply_numeric(A.view(), csr(space, twice).view(), C);
    check_equal(C, reference_product(a, twice, false), "21000 x 4000 times 4000 x 2500 with new values");
  }
}

/* Neighbouring rows with mostly the same columns, as of a matrix on a grid and an interpolation; then one row among them with all columns there are. */
BOOST_AUTO_TEST_CASE(products_of_rows_alike)
{
  const PetscInt n = 12005, coarse = 1501, line = 90;
  Shape          a{"a", n, n, Sparse(n)}, b{"b", n, coarse, Sparse(n)};

  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j : {i - line, i - 1, i, i + 1, i + line})
      if (j >= 0 && j < n && i % 1000 != 500) a.rows[i][j] = uniform(i, j, 21);
    for (PetscInt k = 0; k < 1 + i % 3; k++) b.rows[i][std::min(i / 8 + 2 * k, coarse - 1)] = uniform(i, k, 22);
  }
  for (bool alike : {true, false}) {
    if (!alike)
      for (PetscInt j = 0; j < n; j += 7) a.rows[4321][j] = uniform(j, 4321, 23);
    for (Space space : spaces())
      check_equal(multiply(csr(space, a).view(), csr(space, b).view()), reference_product(a, b, false), alike ? "rows alike" : "rows alike but one");
  }
}

BOOST_AUTO_TEST_CASE(rectangular_products)
{
  const Shape a = random_matrix("a", 50, 2000, 11, 40), b = random_matrix("b", 2000, 90, 12, 4);
  for (Space space : spaces()) {
    const CsrMatrix A = csr(space, a), B = csr(space, b);
    const CsrMatrix C = multiply(A.view(), B.view());

    check_equal(C, reference_product(a, b, false), "50 x 2000 times 2000 x 90");
  }
}

/* Long rows of few columns, some of terms that are longer than a thread block asks for at a time; and rows, terms and a diagonal entry that are not there. */
void narrow_product(const std::string &what, Shape a, Shape b)
{
  Shape twice;

  a.rows[7].clear();
  for (PetscInt i : {3, 4, 5, 77}) b.rows[i].clear();
  twice = b;
  for (auto &row : twice.rows)
    for (auto &entry : row) entry.second *= 2;
  for (Space space : spaces())
    for (bool with_diagonal : {false, true}) {
      const CsrMatrix A = csr(space, a);
      CsrMatrix       C = multiply(A.view(), csr(space, b).view(), with_diagonal);

      check_equal(C, reference_product(a, b, with_diagonal), what);
      multiply_numeric(A.view(), csr(space, twice).view(), C);
      check_equal(C, reference_product(a, twice, with_diagonal), what + " with new values");
    }
}

BOOST_AUTO_TEST_CASE(narrow_products)
{
  narrow_product("40 x 500 times 500 x 1900", random_matrix("a", 40, 500, 16, 40), random_matrix("b", 500, 1900, 17, 600));
  narrow_product("long rows of short terms", random_matrix("a", 300, 1000, 16, 140), random_matrix("b", 1000, 6000, 17, 10));
}

/* Of some 7000 columns, for which there is no table in a block's shared memory. */
BOOST_AUTO_TEST_CASE(one_row_of_very_many_columns)
{
  Shape a = random_matrix("a", 300, 300, 18, 3);

  for (PetscInt k = 0; k < 300; k++) a.rows[150][k] = uniform(150, k, 19);
  narrow_product("a row among short ones", a, random_matrix("b", 300, 20000, 20, 30));
}

/* P^T A P in one go: rows of A P are dropped and their places used again, where the order of the aggregates lets that be. */
BOOST_AUTO_TEST_CASE(triple_products_on_the_host)
{
  const auto near = [](const std::string &name, PetscInt m, PetscInt n, PetscInt reach, PetscInt each) {
    Shape s{name, m, n, Sparse(m)};

    for (PetscInt i = 0; i < m; i++) {
      const PetscInt middle = static_cast<PetscInt>(static_cast<std::int64_t>(i) * n / m);
      for (PetscInt k = 0; k < each && i % 97; k++) { // some rows are empty
        const PetscInt c = middle + static_cast<PetscInt>(uniform(i, k, 21) * reach);
        if (c >= 0 && c < n) s.rows[i][c] = uniform(i, k, 22);
      }
    }
    return s;
  };
  const Shape pairs[][2] = {{near("band", 30000, 30000, 300, 9), near("aggregates in order", 30000, 3000, 15, 4)},
                            {near("band", 5000, 5000, 80, 9), near("aggregates anywhere", 5000, 500, 500, 3)},
                            {near("band", 5000, 5000, 5000, 30), near("long rows", 5000, 400, 60, 40)},
                            {near("small", 3, 3, 3, 3), near("one column", 3, 1, 1, 2)},
                            {random_matrix("no rows", 0, 0, 1, 1), random_matrix("no rows", 0, 0, 1, 1)}};

  for (const auto &[a, p] : pairs) {
    const CsrMatrix A = csr(Space::Host, a), P = csr(Space::Host, p), R = transpose(P.view());

    FullBlocks by[] = {{R.view(), 1, 1}, {A.view(), 1, 1}, {P.view(), 1, 1}};
    CsrMatrix  C;
    BOOST_TEST(galerkin_host(by[0], by[1], by[2], C));
    check_equal(C, reference_product({"R", p.n, p.m, reference_transpose(p)}, {"AP", a.m, p.n, reference_product(a, p, false)}, true), a.name + " " + p.name);
  }
}

BOOST_AUTO_TEST_CASE(with_a_vector)
{
  for (Space space : spaces())
    for (const Shape &s : squares()) {
      const CsrMatrix          A = csr(space, s);
      std::vector<PetscScalar> x(s.n);

      for (PetscInt j = 0; j < s.n; j++) x[j] = uniform(j, 0, 31);
      const Array<PetscScalar> X(space, x.data(), x.size());
      Array<PetscScalar>       Y(space, s.m), W(space, s.m);
      multiply(A.view(), X.data(), Y.data());
      Array<PetscScalar> Z(space, s.m);
      Z.copy_from(Y.data(), s.m);
      multiply(A.view(), X.data(), Residual<PetscScalar>{Z.data(), Z.data()}); /* any output */
      Array<PetscScalar> dot(space, 1);
      multiply(A.view(), X.data(), W.data(), dot.data());
      const auto  y = Y.to_host(), z = Z.to_host(), w = W.to_host();
      PetscScalar product = 0;
      PetscReal   most    = 0;
      for (PetscInt i = 0; i < s.m; i++) {
        product += w[i] * PetscConj(x[i]);
        most += PetscAbsScalar(w[i] * x[i]);
        BOOST_TEST_REQUIRE(w[i] == y[i], s.name << " row " << i);
      }
      BOOST_TEST(PetscAbsScalar(dot.to_host()[0] - product) <= 1000 * PETSC_MACHINE_EPSILON * (1 + most), s.name << ": x^H A x");
      for (PetscInt i = 0; i < s.m; i++) {
        PetscScalar sum  = 0;
        PetscReal   size = 0;
        for (const auto &[j, v] : s.rows[i]) {
          sum += v * x[j];
          size += PetscAbsScalar(v * x[j]);
        }
        BOOST_TEST_REQUIRE(PetscAbsScalar(y[i] - sum) <= 1000 * PETSC_MACHINE_EPSILON * (1 + size), s.name << " row " << i);
        BOOST_TEST_REQUIRE(PetscAbsScalar(z[i]) <= PETSC_MACHINE_EPSILON * (1 + size), s.name << " residual of row " << i);
      }
    }
}

BOOST_AUTO_TEST_CASE(columns_out_of_order)
{
  const std::vector<PetscInt>    ptr{0, 2, 4}, col{1, 0, 0, 0};
  const std::vector<PetscScalar> val{1, 2, 3, 4};

  BOOST_TEST(!columns_ascend({Space::Host, 1, 2, ptr.data(), col.data(), val.data()}));
  BOOST_TEST(!columns_ascend({Space::Host, 1, 2, ptr.data(), col.data() + 2, val.data()})); // the same column twice
}

namespace {

/* Rows whose columns are those of another matrix by a table, as an interpolation's are: up to 50 of them, where a thread holds 12. */
struct ByTable {
  const PetscInt    *ptr, *col;
  const PetscScalar *val;
  const PetscInt    *table; // -1: none

  PetscInt    begin(PetscInt row) const { return ptr[row]; }
  PetscInt    end(PetscInt row) const { return ptr[row + 1]; }
  PetscInt    column(PetscInt p) const { return table[col[p]] < 0 ? goza::no_column : table[col[p]]; }
  PetscScalar value(PetscInt p) const { return val[p]; }
  PetscScalar finish(PetscInt, PetscInt, PetscScalar sum) const { return 2 * sum; }
  ByTable     on(goza::Columns, goza::Values) const { return *this; } // where rows are staged, which these are not
};

} // namespace

BOOST_AUTO_TEST_CASE(rows_of_few_columns)
{
  const PetscInt n = 200;

  for (PetscInt columns : {1, 3, 11, 12, 13, 24, 50}) {
    std::vector<PetscInt>    ptr{0}, col, table(n);
    std::vector<PetscScalar> val;

    for (PetscInt i = 0; i < n; i++) {
      table[i] = i % 11 == 0 ? -1 : (i * 7) % columns;
      for (PetscInt k = 0; k < i % 60; k++) {
        col.push_back((3 * i + k) % n);
        val.push_back(static_cast<PetscReal>(1 + k % 5)); /* small integers: exact */
      }
      ptr.push_back(static_cast<PetscInt>(col.size()));
    }
    const ByTable terms{ptr.data(), col.data(), val.data(), table.data()};
    for (PetscInt i = 0; i < n; i++) {
      std::map<PetscInt, PetscScalar> want;
      if (table[i] >= 0) want[table[i]] = 0;
      for (PetscInt p = ptr[i]; p < ptr[i + 1]; p++)
        if (table[col[p]] >= 0) want[table[col[p]]] += 2 * val[p];
      std::vector<PetscInt>    want_col, at(n + 1);
      std::vector<PetscScalar> want_val;
      for (const auto &[c, v] : want) {
        want_col.push_back(c);
        want_val.push_back(v);
      }
      std::fill(at.begin() + i + 1, at.end(), static_cast<PetscInt>(want.size())); /* this row alone */
      std::vector<PetscScalar> got(want.size(), -1);
      BOOST_TEST_CONTEXT(columns << " columns, row " << i)
      {
        goza::product::RefillFewColumns<ByTable>{terms, at.data(), want_col.data(), got.data()}(i);
        BOOST_TEST(got == want_val, boost::test_tools::per_element());
      }
    }
  }
}
