/* The Fold arrays of small matrices, worked out by hand. */
#include "core/sparse/csr.hpp"
#include "mat/fold/fold.hpp"
#include "mat/fold/rectangle.hpp"

#include "../support/check.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

using goza::Csr;
using goza::Fold;
using goza::FoldOptions;
using goza::Space;

namespace {

/*   1 . 2 . 3
     . 4 . . .
     . . . . .
     5 6 7 8 9
     . . . . 10   */
const std::vector<PetscInt>    ptr{0, 3, 4, 4, 9, 10}, col{0, 2, 4, 1, 0, 1, 2, 3, 4, 4};
const std::vector<PetscScalar> val{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, x{1, 10, 100, 1000, 10000}, Ax{30201, 40, 0, 98765, 100000};
const Csr                      A{Space::Host, 5, 5, ptr.data(), col.data(), val.data()};

template <class F> F made(const Csr &B, PetscInt width)
{
  FoldOptions options;
  options.width = width;
  F fold(Space::Host, options);
  fold.build(B);
  return fold;
}

template <class V = PetscScalar> Fold<V, V> built(const Csr &B, PetscInt width) { return made<Fold<V, V>>(B, width); }

using Rectangle = goza::FoldRectangle<PetscScalar, PetscScalar>;

void check_product(const goza::Format<PetscScalar> &fold)
{
  std::vector<PetscScalar> y(5, -1);
  fold.apply(x.data(), goza::Assign<PetscScalar>{y.data()});
  BOOST_TEST(y == Ax, boost::test_tools::per_element());
}

/* Row lengths given, value e + 1 in entry e, columns 0, 1, 2, ... of each row */
struct Rows {
  std::vector<PetscInt>    ptr{0}, col;
  std::vector<PetscScalar> val;
  PetscInt                 ncols = 0;

  explicit Rows(const std::vector<PetscInt> &lengths)
  {
    for (PetscInt n : lengths) {
      for (PetscInt j = 0; j < n; j++) {
        col.push_back(j);
        val.push_back(static_cast<PetscReal>(val.size() % 7 + 1));
      }
      ptr.push_back(ptr.back() + n);
      ncols = std::max(ncols, n);
    }
  }

  Csr csr() const { return {Space::Host, static_cast<PetscInt>(ptr.size()) - 1, ncols, ptr.data(), col.data(), val.data()}; }

  /* small integers: exact in any order */
  std::vector<PetscScalar> times_ones() const
  {
    std::vector<PetscScalar> y;
    for (std::size_t i = 0; i + 1 < ptr.size(); i++) y.push_back(std::accumulate(val.begin() + ptr[i], val.begin() + ptr[i + 1], PetscScalar(0)));
    return y;
  }
};

std::vector<int> lines_of(const goza::FoldView<PetscScalar> &view, PetscInt group, int n) { return {view.head[group].line, view.head[group].line + n}; }

/* n columns of a group, as they are stored */
std::vector<PetscInt> columns_of(const goza::FoldView<PetscScalar> &view, PetscInt group, int n)
{
  const goza::FoldHead &head = view.head[group];

  if (head.base < 0) return {view.col + head.col, view.col + head.col + n};
  std::vector<PetscInt> col(view.near_columns(head), view.near_columns(head) + n);
  for (PetscInt &c : col) c += head.base;
  return col;
}

} // namespace

BOOST_AUTO_TEST_CASE(folded_at_width_two)
{
  const auto fold  = built(A, 2);
  const auto view  = fold.view();
  const int  first = goza::fold_first;

  /* longest lines first: row 0 (1 3)(2), row 3 (5 8)(6 9)(7), row 1, row 4, row 2 */
  BOOST_TEST(view.ngroups == 1);
  BOOST_TEST(view.head[0].begin == 0);
  BOOST_TEST(view.head[0].first_row == 0);
  BOOST_TEST(view.head[0].base == 0);
  BOOST_TEST(lines_of(view, 0, 10) == (std::vector<int>{2 | first, 1, 2 | first, 2, 1, 1 | first, 1 | first, 0 | first, 0, 0}),
             boost::test_tools::per_element());
  BOOST_TEST((std::vector<int>(view.head[0].row, view.head[0].row + 8)) == (std::vector<int>{0, 0, 3, 3, 3, 1, 4, 2}), boost::test_tools::per_element());
  BOOST_TEST((std::vector<PetscScalar>(view.val, view.val + 7)) == (std::vector<PetscScalar>{1, 2, 5, 6, 7, 4, 10}), boost::test_tools::per_element());
  BOOST_TEST(columns_of(view, 0, 7) == (std::vector<PetscInt>{0, 2, 0, 1, 2, 1, 4}), boost::test_tools::per_element());
  for (auto [lane, value, column] : {std::array<int, 3>{0, 3, 4}, {2, 8, 3}, {3, 9, 4}}) {
    BOOST_TEST(view.val[32 + lane] == value);
    BOOST_TEST(columns_of(view, 0, 64)[32 + lane] == column);
  }
  BOOST_TEST(fold.shape().folded == 2);
  BOOST_TEST(fold.shape().steps == 2);
  BOOST_TEST(fold.shape().pieces == 0);
  check_product(fold);
}

/* Columns of a group take 16 bits when they lie within 65536 of each other. Groups of one row each: 20 lines. */
BOOST_AUTO_TEST_CASE(columns_near_and_far)
{
  std::vector<PetscInt> wide_ptr{0}, wide_col;
  for (PetscInt last : {65635, 65636, 119}) {
    for (PetscInt j = 0; j < 19; j++) wide_col.push_back(100 + j);
    wide_col.push_back(last);
    wide_ptr.push_back(static_cast<PetscInt>(wide_col.size()));
  }
  const std::vector<PetscScalar> ones(60, 1);
  std::vector<PetscScalar>       u(70000), y(3);
  for (std::size_t i = 0; i < u.size(); i++) u[i] = static_cast<PetscReal>(i);
  const auto fold = built(Csr{Space::Host, 3, 70000, wide_ptr.data(), wide_col.data(), ones.data()}, 1);
  const auto view = fold.view();

  BOOST_TEST(view.ngroups == 3);
  BOOST_TEST(view.head[0].base == 100);
  BOOST_TEST(view.head[1].base == -1);
  BOOST_TEST(view.head[2].base == 100);
  for (int g = 0; g < 3; g++)
    BOOST_TEST(columns_of(view, g, 20) == std::vector<PetscInt>(wide_col.begin() + 20 * g, wide_col.begin() + 20 * (g + 1)), boost::test_tools::per_element());
  fold.apply(u.data(), goza::Assign<PetscScalar>{y.data()});
  BOOST_TEST(y == (std::vector<PetscScalar>{2071 + 65635, 2071 + 65636, 2071 + 119}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(every_width_gives_the_same_product)
{
  for (int width : {0, 1, 2, 3, 4, 5, 8, 64, 127}) { BOOST_TEST_CONTEXT("width " << width) check_product(built(A, width)); }
}

/* A row that does not fit behind the others begins a group. */
BOOST_AUTO_TEST_CASE(rows_are_not_torn_apart)
{
  const Rows rows({20, 20, 3});
  const auto fold = built(rows.csr(), 1);
  const auto view = fold.view();

  BOOST_TEST(view.ngroups == 2);
  BOOST_TEST(view.head[1].row[0] == 1);
  BOOST_TEST(view.head[1].begin == 32);
  BOOST_TEST(lines_of(view, 0, 32)[19] == 1);
  BOOST_TEST(lines_of(view, 0, 32)[20] == 0);
  BOOST_TEST(lines_of(view, 1, 32)[20] == (1 | goza::fold_first));
}

/* 150 entries at width 2: more than 32 lines, so groups of their own with 64, 64 and 22 entries, before the others of the chunk. */
BOOST_AUTO_TEST_CASE(a_row_of_several_groups)
{
  const Rows                     rows({1, 150, 0, 2});
  const auto                     fold = built(rows.csr(), 2);
  const auto                     view = fold.view();
  const std::vector<PetscScalar> ones(150, 1);
  std::vector<PetscScalar>       y(4, -1);

  BOOST_TEST(view.ngroups == 4);
  BOOST_TEST(fold.shape().long_rows == 1);
  BOOST_TEST(fold.shape().pieces == 3);
  const PetscInt     row[]   = {~0, ~1, ~2, 0};
  const std::int64_t begin[] = {0, 64, 128, 160};
  for (int g = 0; g < 4; g++) {
    BOOST_TEST(view.head[g].first_row == row[g]);
    BOOST_TEST(view.head[g].begin == begin[g]);
  }
  BOOST_TEST(lines_of(view, 2, 32)[21] == 1);
  BOOST_TEST(lines_of(view, 2, 32)[22] == 0);
  std::vector<PetscInt> second(64);
  std::iota(second.begin(), second.end(), 64);
  BOOST_TEST(columns_of(view, 1, 64) == second, boost::test_tools::per_element()); /* a piece keeps CSR's order */
  BOOST_TEST(view.head[1].base == 64);
  fold.apply(ones.data(), goza::Assign<PetscScalar>{y.data()});
  BOOST_TEST(y == rows.times_ones(), boost::test_tools::per_element());
}

/* Lengths of every kind beyond one chunk of rows, among them one row that is longer than all the others together. */
BOOST_AUTO_TEST_CASE(lengths_of_every_kind)
{
  std::vector<PetscInt> lengths;
  for (PetscInt i = 0; i < 3000; i++) lengths.push_back(i == 1500 ? 200000 : (i * 37 % 11 == 0 ? i % 400 : i % 7));
  const Rows                     rows(lengths);
  const std::vector<PetscScalar> ones(rows.ncols, 1), want = rows.times_ones();

  for (int width : {0, 1, 2, 5, 8, 32, 127}) {
    BOOST_TEST_CONTEXT("width " << width)
    {
      const auto               fold = built(rows.csr(), width);
      std::vector<PetscScalar> y(lengths.size(), -1), z(y);

      fold.apply(ones.data(), goza::Assign<PetscScalar>{y.data()});
      BOOST_TEST(y == want, boost::test_tools::per_element());
      fold.apply(ones.data(), goza::Assign<PetscScalar>{z.data()});
      BOOST_TEST(z == y, boost::test_tools::per_element());
    }
  }
}

/* Every output, also of the empty row 2: used once for each row. Width 1: rows of several lines; the long row has pieces. */
BOOST_AUTO_TEST_CASE(every_output)
{
  using V = PetscScalar;
  const Rows           rows({3, 40, 0, 1});
  const Csr            B    = rows.csr();
  const auto           fold = built(B, 1);
  const std::vector<V> u(40, 1), s = rows.times_ones(), b{100, 200, 300, 400}, dinv{0.5, 0.25, 2, 1};
  std::vector<V>       y(4), want(4);

  BOOST_TEST(fold.shape().pieces == 2);
  for (int i = 0; i < 4; i++) want[i] = b[i] + s[i];
  fold.apply(u.data(), goza::Add<V>{b.data(), y.data()});
  BOOST_TEST(y == want, boost::test_tools::per_element());
  y = b; /* in place: twice would show */
  fold.apply(u.data(), goza::Add<V>{y.data(), y.data()});
  BOOST_TEST(y == want, boost::test_tools::per_element());
  for (int i = 0; i < 4; i++) want[i] = b[i] - s[i];
  fold.apply(u.data(), goza::Residual<V>{b.data(), y.data()});
  BOOST_TEST(y == want, boost::test_tools::per_element());
  for (int i = 0; i < 4; i++) want[i] = u[i] + 0.5 * dinv[i] * (b[i] - s[i]);
  fold.apply(u.data(), goza::JacobiStep<V>{0.5, dinv.data(), b.data(), u.data(), y.data()});
  BOOST_TEST(y == want, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(nan_stays_with_the_rows_that_read_it)
{
  for (int width : {1, 2, 4}) {
    auto                     bad = x;
    std::vector<PetscScalar> y(5);

    bad[4] = std::numeric_limits<PetscReal>::quiet_NaN();
    built(A, width).apply(bad.data(), goza::Assign<PetscScalar>{y.data()});
    BOOST_TEST(std::isnan(PetscRealPart(y[0])));
    BOOST_TEST(y[1] == 40);
    BOOST_TEST(y[2] == 0);
    BOOST_TEST(std::isnan(PetscRealPart(y[3])));
    BOOST_TEST(std::isnan(PetscRealPart(y[4])));
  }
}

BOOST_AUTO_TEST_CASE(refill_takes_new_values_and_keeps_the_layout)
{
  const Rows                     rows({1, 150, 0, 2, 9});
  auto                           fold    = built(rows.csr(), 2);
  auto                           doubled = rows.val;
  auto                           want    = rows.times_ones();
  const std::vector<PetscScalar> ones(150, 1);
  std::vector<PetscScalar>       y(5);

  for (auto &v : doubled) v *= 2;
  for (auto &v : want) v *= 2;
  fold.refill(Csr{Space::Host, 5, 150, rows.ptr.data(), nullptr, doubled.data()});
  fold.apply(ones.data(), goza::Assign<PetscScalar>{y.data()});
  BOOST_TEST(y == want, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(single_precision)
{
  const auto                            fold = built<goza::SingleScalar>(A, 2);
  std::vector<goza::SingleScalar>       y(5);
  const std::vector<goza::SingleScalar> one(5, 1);

  fold.apply(one.data(), goza::Assign<goza::SingleScalar>{y.data()});
  BOOST_TEST(y == (std::vector<goza::SingleScalar>{6, 4, 0, 35, 10}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(nothing_at_all)
{
  const PetscInt zero = 0;
  const auto     fold = built(Csr{Space::Host, 0, 0, &zero, nullptr, nullptr}, 0);

  fold.apply(nullptr, goza::Assign<PetscScalar>{nullptr});
  BOOST_TEST(fold.view().ngroups == 0);
}

/* The width chosen: one line a row where rows are short and alike; less than the longest row where few are long. */
BOOST_AUTO_TEST_CASE(the_chosen_width_follows_the_row_lengths)
{
  std::vector<PetscInt> alike(4000, 4), skewed(4000, 3);
  for (std::size_t i = 0; i < skewed.size(); i += 40) skewed[i] = 100;

  const auto regular = built(Rows(alike).csr(), 0), few_long = built(Rows(skewed).csr(), 0);
  BOOST_TEST(regular.shape().folded == 0);
  BOOST_TEST(few_long.shape().folded == 100);
  BOOST_TEST(few_long.shape().width < 64);
  BOOST_TEST(regular.describe().find("auto") != std::string::npos);
  BOOST_TEST(built(A, 2).describe().find("auto") == std::string::npos);
}

/* Lines 1 2 | 4 | 5 6 | 10, then 3 | 7 8, then 9; the mean row has two entries. */
BOOST_AUTO_TEST_CASE(rectangle_of_paper_p3)
{
  const auto fold = made<Rectangle>(A, 0);
  const auto view = fold.view();

  BOOST_TEST(view.width == 2);
  BOOST_TEST(view.nlines == 7);
  BOOST_TEST((std::vector<PetscScalar>(view.val, view.val + 14)) == (std::vector<PetscScalar>{1, 4, 5, 10, 3, 7, 9, 2, 0, 6, 0, 0, 8, 0}),
             boost::test_tools::per_element());
  BOOST_TEST((std::vector<PetscInt>(view.col, view.col + 14)) == (std::vector<PetscInt>{0, 1, 0, 4, 4, 2, 4, 2, -1, 1, -1, -1, 3, -1}),
             boost::test_tools::per_element());
  BOOST_TEST((std::vector<PetscInt>(view.at, view.at + 7)) == (std::vector<PetscInt>{0, 2, 3, 6, 1, 4, 5}), boost::test_tools::per_element());
  BOOST_TEST(fold.describe().find("width 2 (auto: the mean row): 7 lines, 29 % of the places padded") != std::string::npos, fold.describe());
}

/* A chunk's rows stand in groups of their own, each row once. */
BOOST_AUTO_TEST_CASE(chunks)
{
  constexpr PetscInt    n = 1000, width = 4;
  std::vector<PetscInt> lengths(n);

  for (PetscInt i = 0; i < n; i++) lengths[i] = i * 7 % 19;
  const Rows rows(lengths);
  for (PetscInt chunk : {128, 300, 1024}) {
    goza::FoldPacking           packing(rows.csr(), width, chunk);
    std::vector<goza::FoldHead> head(packing.shape.groups);
    std::vector<PetscInt>       seen(n);

    packing.write(head.data(), nullptr, nullptr);
    for (const goza::FoldHead &h : head) {
      BOOST_TEST(h.first_row % chunk == 0);
      for (int lane = 0; lane < goza::fold_lanes; lane++) {
        if (!(h.line[lane] & goza::fold_first)) continue;
        BOOST_TEST(h.row[lane] < chunk);
        seen.at(h.first_row + h.row[lane])++;
      }
    }
    BOOST_TEST((seen == std::vector<PetscInt>(n, 1)), "chunks of " << chunk);
  }
}

BOOST_AUTO_TEST_CASE(rectangle_products)
{
  const Rows                     rows({3, 400, 0, 1, 70});
  const std::vector<PetscScalar> ones(400, 1), b{100, 200, 300, 400, 500};
  const PetscInt                 zero = 0;
  auto                           want = rows.times_ones(), doubled = rows.val;
  std::vector<PetscScalar>       y(5);

  for (int width : {0, 1, 2, 5, 64, 127}) {
    BOOST_TEST_CONTEXT("width " << width)
    {
      check_product(made<Rectangle>(A, width));
      made<Rectangle>(rows.csr(), width).apply(ones.data(), goza::Assign<PetscScalar>{y.data()});
      BOOST_TEST(y == want, boost::test_tools::per_element());
    }
  }
  auto fold = made<Rectangle>(rows.csr(), 4);
  for (auto &v : doubled) v *= 2;
  for (std::size_t i = 0; i < 5; i++) want[i] = b[i] - 2. * want[i];
  fold.refill(Csr{Space::Host, 5, 400, rows.ptr.data(), nullptr, doubled.data()});
  fold.apply(ones.data(), goza::Residual<PetscScalar>{b.data(), y.data()}); /* also of the empty row 2 */
  BOOST_TEST(y == want, boost::test_tools::per_element());
  made<Rectangle>(Csr{Space::Host, 0, 0, &zero, nullptr, nullptr}, 0).apply(nullptr, goza::Assign<PetscScalar>{nullptr});
}

/* Padding reads x[0] and adds nothing. */
BOOST_AUTO_TEST_CASE(rectangle_padding_hands_no_nan_on)
{
  auto                     bad = x;
  std::vector<PetscScalar> y(5);

  bad[0] = std::numeric_limits<PetscReal>::quiet_NaN();
  made<Rectangle>(A, 2).apply(bad.data(), goza::Assign<PetscScalar>{y.data()});
  BOOST_TEST(std::isnan(PetscRealPart(y[0])));
  BOOST_TEST(y[1] == 40);
  BOOST_TEST(y[2] == 0);
  BOOST_TEST(std::isnan(PetscRealPart(y[3])));
  BOOST_TEST(y[4] == 100000);
}
