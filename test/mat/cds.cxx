/* The CDS arrays of small matrices, worked out by hand; which diagonals are kept; when half storage is refused. */
#include "core/sparse/csr.hpp"
#include "core/sparse/value_scaling.hpp"
#include "mat/cds/cds_like.hpp"
#include "mat/cds/offset_table.hpp"

#include "../support/check.hpp"
#include "../support/host_csr.hpp"
#include "../support/spaces.hpp"

#include <vector>

using goza::Cds;
using goza::CdsOptions;
using goza::CdsStorage;
using goza::Csr;
using goza::OffsetTable;
using goza::Space;
using goza_test::spaces;

namespace {

/* What entry(i, j) gives; NaN is no entry. */
struct Matrix : goza_test::HostCsr {
  template <class Entry> Matrix(PetscInt m, PetscInt n, const Entry &entry)
  {
    rows = m;
    cols = n;
    for (PetscInt i = 0; i < m; i++) {
      for (PetscInt j = 0; j < n; j++) {
        const double a = entry(i, j);

        if (std::isnan(a)) continue;
        col.push_back(j);
        val.push_back(a);
      }
      ptr.push_back(static_cast<PetscInt>(col.size()));
    }
  }

  std::vector<PetscScalar> times(const std::vector<PetscScalar> &x) const
  {
    std::vector<PetscScalar> y(rows);

    for (PetscInt i = 0; i < rows; i++) {
      for (PetscInt k = ptr[i]; k < ptr[i + 1]; k++) y[i] += val[k] * x[col[k]];
    }
    return y;
  }
};

constexpr double none = std::numeric_limits<double>::quiet_NaN();

std::vector<PetscScalar> counted(PetscInt n)
{
  std::vector<PetscScalar> x(n);

  for (PetscInt i = 0; i < n; i++) x[i] = 1 + i % 7; /* small integers: every sum is exact */
  return x;
}

Cds<PetscScalar, PetscScalar> built(const Matrix &A, const CdsOptions &options = {})
{
  Cds<PetscScalar, PetscScalar> cds(Space::Host, options);

  cds.build(A.view());
  return cds;
}

void check_product(const Cds<PetscScalar, PetscScalar> &cds, const Matrix &A)
{
  const std::vector<PetscScalar> x = counted(A.cols), want = A.times(x);
  std::vector<PetscScalar>       y(A.rows, -1);

  cds.apply(x.data(), goza::Assign<PetscScalar>{y.data()});
  BOOST_TEST(y == want, boost::test_tools::per_element());
}

double symmetric(PetscInt i, PetscInt j) { return 1 + std::min(i, j) % 5 + 10 * (std::abs(i - j) % 3); }

Matrix tridiagonal(PetscInt n)
{
  return Matrix(n, n, [](PetscInt i, PetscInt j) { return std::abs(i - j) <= 1 ? symmetric(i, j) : none; });
}

} // namespace

BOOST_AUTO_TEST_CASE(half_holds_the_upper_diagonals)
{
  const Matrix A   = tridiagonal(5);
  const auto   cds = built(A);
  const auto   v   = cds.view();

  BOOST_TEST(cds.half());
  BOOST_TEST(v.ndiag == 2);
  BOOST_TEST(v.offset[0] == 0);
  BOOST_TEST(v.offset[1] == 1);
  for (PetscInt i = 0; i < 5; i++) {
    BOOST_TEST(v.val[i] == symmetric(i, i));
    BOOST_TEST(v.val[v.ld + i] == (i < 4 ? symmetric(i, i + 1) : 0.0));
  }
  check_product(cds, A);
}

BOOST_AUTO_TEST_CASE(half_with_a_nan_is_full_while_it_has_it)
{
  CdsOptions half;
  half.storage = CdsStorage::Half;

  const Matrix                   A = tridiagonal(40);
  const std::vector<PetscScalar> x = counted(A.cols);
  for (const double bad : {none, std::numeric_limits<double>::infinity()}) {
    Matrix B         = tridiagonal(40);
    B.val[B.ptr[20]] = bad; /* (20, 19) */
    for (bool first : {true, false}) {
      auto cds = built(first ? B : A, half);
      if (!first) cds.refill(B.view());
      BOOST_TEST(!cds.half());

      std::vector<PetscScalar> y(A.rows);
      cds.apply(x.data(), goza::Assign<PetscScalar>{y.data()});
      for (PetscInt i = 0; i < A.rows; i++) BOOST_TEST(!PetscIsInfOrNanScalar(y[i]) == (i != 20));

      cds.refill(A.view());
      BOOST_TEST(cds.half());
      check_product(cds, A);
    }
    B.val[B.ptr[30]] += 1; /* (30, 29) */
    BOOST_TEST(!built(B, half).half());
    B.val[B.ptr[20]] = A.val[A.ptr[20]];
    BOOST_CHECK_THROW(built(B, half), goza::FormatRefusal);
  }
}

BOOST_AUTO_TEST_CASE(full_holds_all_and_half_must_be_symmetric)
{
  CdsOptions full, half;
  full.storage = CdsStorage::Full;
  half.storage = CdsStorage::Half;

  const Matrix A = tridiagonal(40);
  check_product(built(A, full), A);
  BOOST_TEST(built(A, full).view().ndiag == 3);
  BOOST_TEST(built(A, half).half());

  Matrix B = tridiagonal(40);
  B.val[B.ptr[20]] += 1; /* (20, 19) */
  check_product(built(B), B);
  BOOST_TEST(!built(B).half());
  BOOST_CHECK_THROW(built(B, half), goza::FormatRefusal);
  half.symmetric = true; /* a promise covers rounding, and no more */
  BOOST_CHECK_THROW(built(B, half), goza::FormatRefusal);
  B.val[B.ptr[20]] = A.val[A.ptr[20]] * (1 + 10 * PETSC_MACHINE_EPSILON);
  check_product(built(B, half), A); /* the upper part counts */
  CdsOptions promised;
  promised.symmetric = true;
  auto cds           = built(B, promised);
  BOOST_TEST(cds.half());
  cds.refill(A.view()); /* symmetric to the last bit */
  BOOST_TEST(cds.half());
  check_product(cds, A);
  B.val[B.ptr[30]] += 1; /* rounding once does not excuse what is none */
  cds.refill(B.view());
  BOOST_TEST(!cds.half());
  check_product(cds, B);

  Matrix C             = tridiagonal(40); /* the sum of large terms that cancel */
  C.val[C.ptr[20]]     = PETSC_MACHINE_EPSILON;
  C.val[C.ptr[19] + 2] = -PETSC_MACHINE_EPSILON;
  BOOST_TEST(built(C, half).half());
  half.symmetric = false;
  BOOST_CHECK_THROW(built(C, half), goza::FormatRefusal);
}

/* A 0 below the diagonal without an image does not make up for an entry above that has none. */
BOOST_AUTO_TEST_CASE(a_zero_does_not_stand_for_a_missing_image)
{
  const Matrix A(600, 600, [](PetscInt i, PetscInt j) { /* beyond the rows that are looked at first */
                                                        return std::abs(i - j) > 1 || (i == 508 && j == 507) || (i == 520 && j == 521) ? none
                                                             : i == 521 && j == 520                                                    ? 0.0
                                                                                                                                       : symmetric(i, j);
  });
  CdsOptions   promised;

  BOOST_TEST(!built(A).half());
  check_product(built(A), A);
  promised.symmetric = true;
  BOOST_TEST(!built(A, promised).half());
}

/* A missing mirror image makes a matrix unsymmetric even where the one entry is 0. */
BOOST_AUTO_TEST_CASE(pattern_counts_as_well)
{
  const Matrix A(30, 30, [](PetscInt i, PetscInt j) { return std::abs(i - j) > 1 || (i == 7 && j == 8) ? none : i == 8 && j == 7 ? 0.0 : symmetric(i, j); });

  BOOST_TEST(!built(A).half());
  check_product(built(A), A);
}

BOOST_AUTO_TEST_CASE(sparse_diagonals_go_to_the_remainder)
{
  const Matrix A(50, 50, [](PetscInt i, PetscInt j) { return std::abs(i - j) <= 1 || (i % 10 == 3 && j == (7 * i) % 50) ? 1.0 + i + j : none; });
  const auto   cds = built(A);

  BOOST_TEST(cds.in_remainder() > 0);
  BOOST_TEST(cds.view().ndiag == 2);
  check_product(cds, A);

  /* nothing is dense enough: all in the remainder */
  const Matrix B(50, 50, [](PetscInt i, PetscInt j) { return j == (7 * i) % 50 ? 2.0 : none; });
  BOOST_TEST(built(B).view().ndiag == 0);
  check_product(built(B), B);
}

/* Rows like the one before are written many at a time, others one by one: lines of every length, ends of a matrix, rows with entries on no diagonal, and
   columns that do not ascend. */
BOOST_AUTO_TEST_CASE(like_rows_and_others)
{
  for (PetscInt line : {1, 2, 7, 64, 65, 150}) {
    Matrix A(331, 331, [line](PetscInt i, PetscInt j) {
      return std::abs(i - j) <= 1 && (i >= j || j % line) ? 1.0 + (3 * i + j) % 11 : line > 2 && i % 40 == 3 && j == (7 * i) % 331 ? 5.0 : none;
    });

    for (PetscInt i = 10; i < 331; i += 50) {
      std::swap(A.col[A.ptr[i]], A.col[A.ptr[i] + 1]);
      std::swap(A.val[A.ptr[i]], A.val[A.ptr[i] + 1]);
    }
    auto cds = built(A);

    BOOST_TEST(cds.view().ndiag >= 2);
    BOOST_TEST((cds.in_remainder() > 0) == (line > 1));
    check_product(cds, A);
    for (PetscScalar &a : A.val) a += 1;
    cds.refill(A.view());
    check_product(cds, A);
  }
}

/* Rows of a grid's line with entries far away, each elsewhere, are one run; where such an entry meets a diagonal, or one on a diagonal is missing, it ends. */
BOOST_AUTO_TEST_CASE(rows_alike_but_for_entries_on_no_diagonal)
{
  for (PetscInt bs : {1, 2, 3}) {
    constexpr PetscInt grid = 200, all = grid + 40;
    const auto         far  = [](PetscInt i) { return grid + (i * i + 3) % 40; };
    const auto         node = [=](PetscInt i, PetscInt j) { // (190, 191) is missing, and its place in the row is that of a far entry
      const PetscInt a = std::min(i, j), b = std::max(i, j);

      if (b < grid) return b - a <= 1 && !(a == 190 && b == 191);
      return a == b || (a < grid && (b == far(a) || (b == far(a) - 1 && (a == 190 || a == 191))));
    };
    CdsOptions options;
    options.bs    = bs;
    options.share = 0.5;
    const Matrix          A(bs * all, bs * all, [&](PetscInt i, PetscInt j) { return node(i / bs, j / bs) ? symmetric(i, j) : none; });
    const goza::Diagonals found = goza::find_diagonals(A.view(), bs, options.share);
    Matrix                B     = A;

    BOOST_TEST(found.offset == (std::vector<PetscInt>{-1, 0, 1}), boost::test_tools::per_element());
    BOOST_TEST(found.runs.size() > 2);
    BOOST_TEST(found.runs.size() < 50U);
    for (CdsStorage storage : {CdsStorage::Auto, CdsStorage::Full}) {
      options.storage = storage;
      auto cds        = built(A, options);

      BOOST_TEST(cds.half() == (storage == CdsStorage::Auto));
      BOOST_TEST(cds.in_remainder() > grid * bs * bs);
      check_product(cds, A);
      for (PetscScalar &a : B.val) a += 1;
      cds.refill(B.view());
      check_product(cds, B);
    }
  }
}

/* Half storage with entries on no diagonal; new values of which one differs from its mirror image are held whole, with the same remainder. */
BOOST_AUTO_TEST_CASE(half_and_whole_with_a_remainder)
{
  Matrix A(200, 200,
           [](PetscInt i, PetscInt j) { return std::abs(i - j) <= 1 || (std::abs(i - j) == 90 && std::min(i, j) % 20 == 0) ? symmetric(i, j) : none; });
  auto   cds = built(A);

  BOOST_TEST(cds.half());
  BOOST_TEST(cds.in_remainder() == 12);
  check_product(cds, A);
  A.val[A.ptr[110]] += 1; /* (110, 20), on no diagonal */
  cds.refill(A.view());
  BOOST_TEST(cds.half());
  check_product(cds, A);
  A.val[A.ptr[77]] += 1;
  cds.refill(A.view());
  BOOST_TEST(!cds.half());
  check_product(cds, A);
}

BOOST_AUTO_TEST_CASE(too_much_padding_is_refused_with_the_numbers)
{
  CdsOptions options;
  options.share    = 0.01;
  options.max_fill = 1.5;
  const Matrix A(2000, 2000, [](PetscInt i, PetscInt j) { return i == j || (i % 40 == 0 && std::abs(i - j) < 20) ? 1.0 : none; });

  BOOST_CHECK_EXCEPTION(built(A, options), goza::FormatRefusal,
                        [](const goza::FormatRefusal &e) { return std::string(e.what()).find("-mat_cds_max_fill allows 1.50") != std::string::npos; });
}

BOOST_AUTO_TEST_CASE(rectangular)
{
  const Matrix wide(20, 33, [](PetscInt i, PetscInt j) { return j - i == 0 || j - i == 5 ? 1.0 + i : none; }),
    tall(33, 20, [](PetscInt i, PetscInt j) { return i - j == 0 || i - j == 4 ? 1.0 + j : none; });
  CdsOptions loose;

  loose.share = 0.3;
  check_product(built(wide, loose), wide);
  check_product(built(tall, loose), tall);
}

BOOST_AUTO_TEST_CASE(blocks)
{
  for (PetscInt bs : {2, 3, 6}) {
    CdsOptions options;
    options.bs = bs;
    const Matrix A(bs * 30, bs * 30, [bs](PetscInt i, PetscInt j) { return std::abs(i / bs - j / bs) <= 1 ? symmetric(i, j) : none; });
    auto         cds = built(A, options);

    BOOST_TEST(cds.half());
    BOOST_TEST(cds.view().ndiag == 2);
    check_product(cds, A);
    Matrix other = A;

    other.val[other.ptr[15 * bs + 1]] += 1; /* among rows that lie alike, below the diagonal blocks */
    cds.refill(other.view());
    BOOST_TEST(!cds.half());
    check_product(cds, other);

    const Matrix B(bs * 30, bs * 30, [bs](PetscInt i, PetscInt j) { return std::abs(i / bs - j / bs) <= 1 ? 1.0 + i % 3 + 2 * (j % 4) : none; });
    BOOST_TEST(!built(B, options).half());
    check_product(built(B, options), B);
  }
}

/* Values that stop being symmetric make a full matrix of a half one, and the other way the form is kept. */
BOOST_AUTO_TEST_CASE(refill)
{
  Matrix A   = tridiagonal(40);
  auto   cds = built(A);

  for (PetscScalar &a : A.val) a *= 3;
  cds.refill(A.view());
  BOOST_TEST(cds.half());
  check_product(cds, A);
  A.val[1] += 1;
  cds.refill(A.view());
  BOOST_TEST(!cds.half());
  check_product(cds, A);
}

BOOST_AUTO_TEST_CASE(every_output)
{
  const Matrix                   A   = tridiagonal(300);
  const auto                     cds = built(A);
  const std::vector<PetscScalar> x = counted(300), b(300, 5), dinv(300, 0.5), ax = A.times(x);
  std::vector<PetscScalar>       y(300);

  cds.apply(x.data(), goza::Add<PetscScalar>{b.data(), y.data()});
  for (int i = 0; i < 300; i++) BOOST_TEST(y[i] == 5 + ax[i]);
  cds.apply(x.data(), goza::Residual<PetscScalar>{b.data(), y.data()});
  for (int i = 0; i < 300; i++) BOOST_TEST(y[i] == 5 - ax[i]);
  cds.apply(x.data(), goza::JacobiStep<PetscScalar>{2, dinv.data(), b.data(), x.data(), y.data()});
  for (int i = 0; i < 300; i++) BOOST_TEST(y[i] == x[i] + 5 - ax[i]);
}

BOOST_AUTO_TEST_CASE(strides_of_a_grid)
{
  const auto strides = [](std::vector<PetscInt> o) {
    const goza::GridStrides g = goza::grid_strides(o);
    return std::vector<PetscInt>{g.line, g.plane};
  };
  const auto is = [](PetscInt line, PetscInt plane) { return std::vector<PetscInt>{line, plane}; };

  BOOST_TEST(strides({-1, 0, 1}) == is(0, 0));
  BOOST_TEST(strides({-30, -1, 0, 1, 30}) == is(30, 0));
  BOOST_TEST(strides({0, 1, 29, 30, 31}) == is(30, 0));
  BOOST_TEST(strides({0, 1, 30, 900}) == is(30, 900));
  BOOST_TEST(strides({0, 1, 29, 30, 31, 869, 870, 871, 899, 900, 901, 929, 930, 931}) == is(30, 900));
  BOOST_TEST(strides({}) == is(0, 0));
}

/* Grids of 7 and 27 points whose lines fill bricks of threads, and whose lines do not, on the host and on the device. */
template <class Store, class V> void products_on_a_grid(PetscInt line, bool corners)
{
  const PetscInt                 plane = 5 * line, n = 4 * plane;
  const Matrix                   A(n, n, [&](PetscInt i, PetscInt j) {
    const PetscInt dx = std::abs(i % line - j % line), dy = std::abs(i / line % 5 - j / line % 5), dz = std::abs(i / plane - j / plane);
    const bool     near = dx <= 1 && dy <= 1 && dz <= 1 && (corners || dx + dy + dz <= 1);

    return near ? symmetric(i, j) : none;
  });
  const std::vector<PetscScalar> x = counted(n), want = A.times(x);

  for (Space space : spaces()) {
    const goza::Array<PetscInt>    ptr(space, A.ptr.data(), A.ptr.size()), col(space, A.col.data(), A.col.size());
    const goza::Array<PetscScalar> val(space, A.val.data(), A.val.size());
    const std::vector<V>           narrow(x.begin(), x.end());
    const goza::Array<V>           from(space, narrow.data(), n);
    goza::Array<V>                 to(space, n);

    for (CdsStorage storage : {CdsStorage::Full, CdsStorage::Half}) {
      CdsOptions options;

      options.storage = storage;
      Cds<Store, V> cds(space, options);
      cds.build(Csr{space, n, n, ptr.data(), col.data(), val.data()});
      cds.apply(from.data(), goza::Assign<V>{to.data()});
      const std::vector<V>           y = to.to_host();
      const std::vector<PetscScalar> got(y.begin(), y.end());
      BOOST_TEST_CONTEXT((storage == CdsStorage::Half ? "half, " : "full, ") << (space == Space::Host ? "host" : "device"))
      BOOST_TEST(got == want, boost::test_tools::per_element());
    }
  }
}

BOOST_AUTO_TEST_CASE(lines_of_many_lengths)
{
  for (PetscInt line : {16, 17, 28, 29, 32, 33, 57, 58, 64, 65, 132}) {
    for (bool corners : {false, true}) {
      BOOST_TEST_CONTEXT("line " << line << (corners ? ", 27 points" : ", 7 points"))
      {
        products_on_a_grid<PetscScalar, PetscScalar>(line, corners);
        products_on_a_grid<goza::HalfScalar, goza::SingleScalar>(line, corners);
      }
    }
  }
}

/* The place of each of many offsets, and of none beside them. */
BOOST_AUTO_TEST_CASE(places_of_offsets)
{
  for (const PetscInt n : {0, 1, 7, 128}) {
    std::vector<PetscInt> offset;

    for (PetscInt k = 0; k < n; k++) offset.push_back((k - n / 2) * (k % 3 ? 1 : 4096) * 5);
    std::sort(offset.begin(), offset.end());
    offset.erase(std::unique(offset.begin(), offset.end()), offset.end());
    const OffsetTable table(offset);

    for (std::size_t k = 0; k < offset.size(); k++) {
      BOOST_TEST(table.find(offset[k]) == static_cast<PetscInt>(k));
      BOOST_TEST(table.find(offset[k] + 1) == static_cast<PetscInt>(offset.size()));
    }
    BOOST_TEST(table.find(3) == static_cast<PetscInt>(offset.size()));
  }
}

/* The rows that are looked at for candidates must not all lie on one face of a grid whose sides are powers of two. */
BOOST_AUTO_TEST_CASE(no_diagonal_is_missed)
{
  const PetscInt n = 4096;
  const Matrix   A(n, n, [](PetscInt i, PetscInt j) { return i == j || (j == i + 1 && j % 8) || (i == j + 1 && i % 8) ? 1.0 : none; });

  BOOST_TEST(built(A).view().ndiag == 2);
  BOOST_TEST(built(A).in_remainder() == 0);
  check_product(built(A), A);
}

/* From CDS of the same matrix as from its rows: whole and half either way, narrower, and new values. */
template <class Store, class V> void made_from_cds(const Matrix &A, const Matrix &other, CdsStorage from, const CdsOptions &options, bool half)
{
  for (Space space : spaces()) {
    const goza::Array<PetscInt>    ptr(space, A.ptr.data(), A.ptr.size()), col(space, A.col.data(), A.col.size());
    const goza::Array<PetscScalar> val(space, A.val.data(), A.val.size()), new_val(space, other.val.data(), other.val.size());
    const Csr rows{space, A.rows, A.cols, ptr.data(), col.data(), val.data()}, new_rows{space, A.rows, A.cols, ptr.data(), col.data(), new_val.data()};
    const std::vector<PetscScalar> x = counted(A.cols);
    const std::vector<V>           narrow(x.begin(), x.end());
    const goza::Array<V>           in(space, narrow.data(), narrow.size());
    goza::Array<V>                 out(space, A.rows);
    CdsOptions                     given;

    given.storage = from;
    given.bs      = options.bs;
    Cds<PetscScalar, PetscScalar> source(space, given);
    Cds<Store, V>                 like(space, options);
    const auto                    check = [&](const Matrix &want) {
      like.apply(in.data(), goza::Assign<V>{out.data()});
      const std::vector<V>           y = out.to_host();
      const std::vector<PetscScalar> got(y.begin(), y.end());
      BOOST_TEST(got == want.times(x), boost::test_tools::per_element());
    };

    source.build(rows);
    BOOST_REQUIRE(like.build_like(source));
    BOOST_TEST(like.half() == half);
    check(A);
    source.refill(new_rows);
    BOOST_REQUIRE(like.refill_like(source));
    check(other);
  }
}

/* Where diagonal entries are the largest of their rows they alone tell the range of all rows. */
BOOST_AUTO_TEST_CASE(range_of_diagonals)
{
  const auto   band = [](PetscInt i, PetscInt j) { return std::abs(i - j) <= 1 || std::abs(i - j) == 7 ? symmetric(i, j) : none; };
  const Matrix A(45, 45, [&](PetscInt i, PetscInt j) { return i == j ? std::ldexp(1000., static_cast<int>(i) / 3) : band(i, j); });

  for (Space space : spaces()) {
    const goza::Array<PetscInt>    ptr(space, A.ptr.data(), A.ptr.size()), col(space, A.col.data(), A.col.size());
    const goza::Array<PetscScalar> val(space, A.val.data(), A.val.size());

    for (CdsStorage storage : {CdsStorage::Full, CdsStorage::Half}) {
      CdsOptions options;

      options.storage = storage;
      Cds<PetscScalar, PetscScalar> cds(space, options);

      cds.build({space, A.rows, A.cols, ptr.data(), col.data(), val.data()});
      const goza::RowExponents all = row_exponents(cds), diagonal = diagonal_exponents(cds);

      BOOST_TEST(cds.half() == (storage == CdsStorage::Half));
      BOOST_TEST(all.most == diagonal.most);
      BOOST_TEST(all.least == diagonal.least);
      BOOST_TEST(all.most == all.far_above + 23);
      BOOST_TEST(all.least == all.far_above - 9);
    }
  }
}

BOOST_AUTO_TEST_CASE(from_diagonals)
{
  const auto   band      = [](PetscInt i, PetscInt j) { return std::abs(i - j) <= 1 || std::abs(i - j) == 7; };
  const auto   alike     = [&](PetscInt i, PetscInt j) { return band(i, j) ? symmetric(i, j) : none; };
  const auto   different = [&](PetscInt i, PetscInt j) { return band(i, j) ? 1.0 + (3 * i + j) % 5 : none; };
  const auto   upper     = [&](PetscInt i, PetscInt j) { return band(i, j) && j >= i ? 1.0 + (i + j) % 5 : none; };
  const Matrix S(45, 45, alike), twice(45, 45, [&](PetscInt i, PetscInt j) { return 2 * alike(i, j); }), U(45, 45, different), T(45, 45, upper);
  const auto   nodes = [](PetscInt i, PetscInt j) { return std::abs(i / 3 - j / 3) <= 1 ? symmetric(i, j) : none; };
  const Matrix N(48, 48, nodes);
  CdsOptions   whole, promised, blocks;

  whole.storage      = CdsStorage::Full;
  promised.symmetric = true;
  blocks.bs          = 3;
  made_from_cds<PetscScalar, PetscScalar>(S, twice, CdsStorage::Half, {}, true);
  made_from_cds<PetscScalar, PetscScalar>(S, twice, CdsStorage::Half, whole, false);
  made_from_cds<goza::HalfScalar, goza::SingleScalar>(S, twice, CdsStorage::Full, promised, true);
  made_from_cds<goza::SingleScalar, goza::SingleScalar>(S, twice, CdsStorage::Full, {}, true);
  made_from_cds<goza::HalfScalar, goza::SingleScalar>(U, U, CdsStorage::Auto, promised, false);
  made_from_cds<goza::SingleScalar, goza::SingleScalar>(S, U, CdsStorage::Auto, {}, true); // new values that are not symmetric any more
  made_from_cds<goza::SingleScalar, goza::SingleScalar>(T, T, CdsStorage::Auto, {}, false);
  made_from_cds<goza::HalfScalar, goza::SingleScalar>(N, N, CdsStorage::Auto, blocks, true);
  made_from_cds<goza::SingleScalar, goza::SingleScalar>(N, N, CdsStorage::Full, blocks, true);
  blocks.storage = CdsStorage::Full;
  made_from_cds<goza::SingleScalar, goza::SingleScalar>(N, N, CdsStorage::Half, blocks, false);
}
