/* The sliced-ELL arrays of a small matrix, worked out by hand. */
#include "core/sparse/csr.hpp"
#include "core/device/device.hpp"
#include "mat/slicedell/slicedell.hpp"

#include "../support/check.hpp"
#include "../support/space_matrix.hpp"
#include "../support/spaces.hpp"

#include <algorithm>
#include <limits>
#include <vector>

using goza::Csr;
using goza::SlicedEll;
using goza::SlicedEllOptions;
using goza::Space;
using goza_test::spaces;

namespace {

/*   1 . 2 .
     . 3 . .
     4 5 6 7
     . . . .
     . . . 8   */
const std::vector<PetscInt>    ptr{0, 2, 3, 7, 7, 8}, col{0, 2, 1, 0, 1, 2, 3, 3};
const std::vector<PetscScalar> val{1, 2, 3, 4, 5, 6, 7, 8};
const Csr                      A{Space::Host, 5, 4, ptr.data(), col.data(), val.data()};

template <class T> SlicedEll<PetscScalar, PetscScalar> built(T height, T window, bool drop_empty = false)
{
  SlicedEllOptions options;
  options.slice_height = height;
  options.sort_window  = window;
  options.drop_empty   = drop_empty;
  SlicedEll<PetscScalar, PetscScalar> ell(Space::Host, options);
  ell.build(A);
  return ell;
}

void check_product(const SlicedEll<PetscScalar, PetscScalar> &ell)
{
  const std::vector<PetscScalar> x{1, 10, 100, 1000}, want{201, 30, 7654, 0, 8000};
  std::vector<PetscScalar>       y(5, -1);
  ell.apply(x.data(), goza::Assign<PetscScalar>{y.data()});
  BOOST_TEST(y == want, boost::test_tools::per_element());
}

} // namespace

/* On a host, whole slices: what the padding of row 3 reads is not its sum. */
BOOST_AUTO_TEST_CASE(empty_row_in_a_slice_reads_nothing)
{
  const std::vector<PetscScalar> x{std::numeric_limits<PetscReal>::quiet_NaN(), 10, 100, 1000};
  std::vector<PetscScalar>       y(5, -1);

  built(4, 0).apply(x.data(), goza::Assign<PetscScalar>{y.data()});
  BOOST_TEST(y[1] == PetscScalar(30));
  BOOST_TEST(y[3] == PetscScalar(0));
  BOOST_TEST(y[4] == PetscScalar(8000));
}

/* Of a large host matrix a few slices are looked at first: those of a grid's line are alike, those of scattered columns are not. */
BOOST_AUTO_TEST_CASE(large_host_matrix_shares_columns)
{
  constexpr PetscInt       n = 80000;
  std::vector<PetscInt>    begin{0}, line, scattered;
  std::vector<PetscScalar> ones(3 * n, 1);

  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt k = 0; k < 3; k++) {
      line.push_back(i + k);
      scattered.push_back((i % 40000 * (i % 40000) + k * 3001) % n);
    }
    std::sort(scattered.end() - 3, scattered.end());
    begin.push_back(3 * (i + 1));
  }
  for (const auto &[columns, shared] : {std::pair(&line, true), std::pair(&scattered, false)}) {
    SlicedEll<PetscScalar, PetscScalar> ell(Space::Host, {});

    ell.build({Space::Host, n, n + 2, begin.data(), columns->data(), ones.data()});
    BOOST_TEST((ell.view().head != nullptr) == shared);
  }
}

BOOST_AUTO_TEST_CASE(slices_of_two_unsorted)
{
  const auto ell  = built(2, 0);
  const auto view = ell.view();

  BOOST_TEST(view.nplaces == 5);
  BOOST_TEST(view.shift == 1);
  /* widths 2, 4, 1: slices 0-1, 2-3, 4 */
  const std::vector<std::int64_t> slice_ptr(view.slice_ptr, view.slice_ptr + 4);
  BOOST_TEST(slice_ptr == (std::vector<std::int64_t>{0, 4, 12, 14}), boost::test_tools::per_element());
  const std::vector<PetscScalar> first(view.val, view.val + 4);
  BOOST_TEST(first == (std::vector<PetscScalar>{1, 3, 2, 0}), boost::test_tools::per_element());
  for (int k = 0; k < 4; k++) BOOST_TEST(view.val[4 + 2 * k] == val[3 + k]); /* row 2, every second word of its slice */
  /* columns: the first of each row, then the gaps, in the places of the values */
  const std::vector<PetscInt>      first_col(view.first, view.first + 5);
  const std::vector<std::uint16_t> gaps(view.gap, view.gap + 4);
  for (int s = 0; s < 3; s++) BOOST_TEST(view.col_ptr[s] == ~slice_ptr[s]);
  BOOST_TEST(first_col[0] == 0);
  BOOST_TEST(first_col[1] == 1);
  BOOST_TEST(first_col[2] == 0);
  BOOST_TEST(first_col[4] == 3);
  BOOST_TEST(gaps == (std::vector<std::uint16_t>{0, 0, 2, 0}), boost::test_tools::per_element()); /* padding: a column of its own row */
  check_product(ell);
}

/* Blocks a b / . c of 3 x 3: one column a block, values block by block; a pattern with one entry less is held by rows. */
BOOST_AUTO_TEST_CASE(blocks)
{
  std::vector<PetscInt>    row_ptr{0}, cols;
  std::vector<PetscScalar> vals, x{1, 2, 3, 4, 5, 6}, want(6), y(6, -1);
  SlicedEllOptions         options;

  options.slice_height = 2;
  options.bs           = 3;
  for (PetscInt i = 0; i < 6; i++) {
    for (PetscInt j = i < 3 ? 0 : 3; j < 6; j++) {
      cols.push_back(j);
      vals.push_back(10 * i + j);
      want[i] += vals.back() * x[j];
    }
    row_ptr.push_back((PetscInt)cols.size());
  }
  SlicedEll<PetscScalar, PetscScalar> ell(Space::Host, options);
  ell.build({Space::Host, 6, 6, row_ptr.data(), cols.data(), vals.data()});
  const auto view = ell.view();

  BOOST_TEST(view.nplaces == 2);
  BOOST_TEST(view.slice_ptr[1] == 4);
  BOOST_TEST(ell.stored() == 36);
  for (int r = 0; r < 3; r++) {
    for (int c = 0; c < 3; c++) {
      BOOST_TEST(view.val[2 * (3 * r + c)] == 10 * r + c);               /* a */
      BOOST_TEST(view.val[2 * (3 * r + c) + 1] == 10 * (3 + r) + 3 + c); /* c, beside it */
      BOOST_TEST(view.val[18 + 2 * (3 * r + c)] == 10 * r + 3 + c);      /* b */
      BOOST_TEST(view.val[18 + 2 * (3 * r + c) + 1] == 0);               /* padding */
    }
  }
  ell.apply(x.data(), goza::Assign<PetscScalar>{y.data()});
  BOOST_TEST(y == want, boost::test_tools::per_element());
  for (PetscScalar &v : vals) v *= 2;
  ell.refill({Space::Host, 6, 6, row_ptr.data(), nullptr, vals.data()});
  ell.apply(x.data(), goza::Add<PetscScalar>{want.data(), y.data()});
  for (int i = 0; i < 6; i++) BOOST_TEST(y[i] == 3 * want[i]);
  BOOST_TEST(ell.describe().find("blocks of 3") != std::string::npos);

  cols.pop_back();
  row_ptr.back()--;
  ell.build({Space::Host, 6, 6, row_ptr.data(), cols.data(), vals.data()});
  BOOST_TEST(ell.describe().find("blocks") == std::string::npos);
  ell.apply(x.data(), goza::Assign<PetscScalar>{y.data()});
  for (int i = 0; i < 6; i++) BOOST_TEST(y[i] == 2 * want[i] - (i == 5 ? vals.back() * x[5] : 0));
}

BOOST_AUTO_TEST_CASE(columns_in_full)
{
  SlicedEllOptions options;
  options.slice_height = 2;
  options.sort_window  = 0;
  options.gaps         = false;
  SlicedEll<PetscScalar, PetscScalar> ell(Space::Host, options);
  ell.build(A);
  const auto                  view = ell.view();
  const std::vector<PetscInt> first(view.col, view.col + 4);

  BOOST_TEST(view.col_ptr[1] == 4);
  BOOST_TEST(first == (std::vector<PetscInt>{0, 1, 2, 1}), boost::test_tools::per_element()); /* padding: a column of its own row */
  for (int k = 0; k < 4; k++) BOOST_TEST(view.col[4 + 2 * k] == col[3 + k]);
  static_assert(sizeof(*view.col) == 4, "a column takes 32 bits, whatever PetscInt takes");
  check_product(ell);
  if (sizeof(PetscInt) > 4) {
    goza::Csr wide = A;
    wide.ncols     = static_cast<PetscInt>(std::int64_t(1) << 31);
    BOOST_CHECK_THROW(ell.build(wide), std::length_error);
  }
}

/* Slice 0 has a gap of more than 16 bits, slice 1 one that goes back (unsorted columns), slice 2 the widest that fits. */
BOOST_AUTO_TEST_CASE(columns_that_do_not_fit_in_16_bits)
{
  const std::vector<PetscInt>    wide_ptr{0, 2, 4, 6}, wide_col{1, 65537, 7, 3, 2, 65537};
  const std::vector<PetscScalar> ones(6, 1);
  std::vector<PetscScalar>       x(70000), y(3);
  SlicedEllOptions               options;

  options.slice_height = 1;
  for (std::size_t i = 0; i < x.size(); i++) x[i] = static_cast<PetscReal>(i);
  SlicedEll<PetscScalar, PetscScalar> ell(Space::Host, options);
  ell.build(Csr{Space::Host, 3, 70000, wide_ptr.data(), wide_col.data(), ones.data()});
  const auto view = ell.view();
  BOOST_TEST(view.col_ptr[0] == 0);
  BOOST_TEST(view.col_ptr[1] == 2);
  BOOST_TEST(view.col_ptr[2] == ~0);
  ell.apply(x.data(), goza::Assign<PetscScalar>{y.data()});
  BOOST_TEST(y == (std::vector<PetscScalar>{65538, 10, 65539}), boost::test_tools::per_element());
}

/* Rows of 0 to 40 entries whose columns lie near each other in some slices and far apart in others, on the host and on the device, where 32/H threads share a
   row. */
BOOST_AUTO_TEST_CASE(near_and_far_columns_in_every_height)
{
  const PetscInt           nrows = 1000, ncols = 2800000;
  std::vector<PetscInt>    row_ptr{0}, cols;
  std::vector<PetscScalar> vals, x(ncols), want(nrows);

  for (PetscInt j = 0; j < ncols; j++) x[j] = 1 + j % 7;
  for (PetscInt i = 0; i < nrows; i++) {
    const PetscInt n = (i * 7) % 41, step = i % 200 < 100 ? 1 + i % 5 : 66000; /* 100 rows near, 100 far */

    for (PetscInt k = 0; k < n; k++) {
      cols.push_back(3 * i + 50000 + k * step);
      vals.push_back(1 + (i + k) % 3);
      want[i] += vals.back() * x[cols.back()];
    }
    row_ptr.push_back(static_cast<PetscInt>(cols.size()));
  }
  for (Space space : spaces()) {
    const goza::Array<PetscInt>    p(space, row_ptr.data(), row_ptr.size()), c(space, cols.data(), cols.size());
    const goza::Array<PetscScalar> v(space, vals.data(), vals.size()), from(space, x.data(), x.size());
    goza::Array<PetscScalar>       to(space, nrows);

    for (int height : {1, 2, 4, 8, 16, 32}) {
      SlicedEllOptions options;

      options.slice_height = height;
      options.sort_window  = 0;
      SlicedEll<PetscScalar, PetscScalar> ell(space, options);
      ell.build(Csr{space, nrows, ncols, p.data(), c.data(), v.data()});
      ell.apply(from.data(), goza::Assign<PetscScalar>{to.data()});
      BOOST_TEST_CONTEXT("height " << height << (space == Space::Host ? ", host" : ", device"))
      BOOST_TEST(to.to_host() == want, boost::test_tools::per_element());
      BOOST_TEST(ell.describe().find(" 0 % of the columns") == std::string::npos, ell.describe());
      BOOST_TEST(ell.describe().find(" 100 % of the columns") == std::string::npos, ell.describe());
    }
  }
}

/* Block rows of 0 to 40 full blocks of br x bc, near one another and far apart, on the host and on the device, where 32/H threads share a block row. */
template <class Store, class V> void blocks_in_every_height(PetscInt br, PetscInt bc)
{
  const PetscInt           nodes = 500, columns = 2800000;
  std::vector<PetscInt>    row_ptr{0}, cols;
  std::vector<PetscScalar> vals;
  std::vector<V>           x(static_cast<std::size_t>(columns) * bc), want(nodes * br);

  for (std::size_t j = 0; j < x.size(); j++) x[j] = static_cast<V>(1 + j % 7);
  for (PetscInt row = 0; row < nodes * br; row++) {
    const PetscInt i = row / br, n = (i * 7) % 41, step = i % 200 < 100 ? 1 + i % 5 : 66000;

    for (PetscInt k = 0; k < n; k++) {
      for (PetscInt c = 0; c < bc; c++) {
        cols.push_back((3 * i + 50000 + k * step) * bc + c);
        vals.push_back(static_cast<PetscReal>(1 + (row + 2 * k + 3 * c) % 5)); /* small integers are exact */
        want[row] += static_cast<V>(vals.back()) * x[cols.back()];
      }
    }
    row_ptr.push_back(static_cast<PetscInt>(cols.size()));
  }
  for (Space space : spaces()) {
    const goza::Array<PetscInt>    p(space, row_ptr.data(), row_ptr.size()), c(space, cols.data(), cols.size());
    const goza::Array<PetscScalar> v(space, vals.data(), vals.size());
    const goza::Array<V>           from(space, x.data(), x.size());
    goza::Array<V>                 to(space, want.size());

    for (int height : {0, 1, 2, 4, 8, 16, 32, 64}) {
      SlicedEllOptions options;

      options.slice_height = height;
      options.bs           = br;
      options.column_bs    = bc;
      SlicedEll<Store, V> ell(space, options);
      ell.build(Csr{space, nodes * br, columns * bc, p.data(), c.data(), v.data()});
      BOOST_TEST_CONTEXT("height " << height << (space == Space::Host ? ", host" : ", device"))
      {
        BOOST_TEST(ell.describe().find("blocks of " + std::to_string(br)) != std::string::npos, ell.describe());
        ell.apply_as(from.data(), goza::ScaledOut<V>(goza::Assign<V>{to.data()}));
        BOOST_TEST(to.to_host() == want, boost::test_tools::per_element());
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(blocks_near_and_far_in_every_height)
{
  for (PetscInt br : {3, 6}) {
    for (PetscInt bc : {3, 6}) {
      BOOST_TEST_CONTEXT("blocks of " << br << " x " << bc)
      {
        blocks_in_every_height<PetscScalar, PetscScalar>(br, bc);
        blocks_in_every_height<goza::HalfScalar, goza::SingleScalar>(br, bc);
      }
    }
  }
}

/* Rows that repeat every 64, of `least` to `longest` entries near and far, before and after their own place, or (runs) of either that are next to those of the
   row before; a few are unlike the others. Every output. */
template <class Store, class V> void shared_columns(PetscInt bs, PetscInt least, PetscInt longest, bool runs = false)
{
  const PetscInt           nodes = 64 * 80, far = 70000, ncols = nodes + 2 * far;
  std::vector<PetscInt>    row_ptr{0}, cols;
  std::vector<PetscScalar> vals;

  for (PetscInt row = 0; row < nodes * bs; row++) {
    const PetscInt i = row / bs, kind = i == 1000 ? 5 : i % 64,
                   n = i == 2000 ? 3
                     : runs      ? (kind < 32 ? longest : least)
                                 : least + kind * 7 % (longest - least + 1);

    for (PetscInt k = 0; k < n; k++) {
      const PetscInt near_or_far = runs ? (k - 2) * 64 + (k == 4) : (k % 3 - 1) * (kind % 5 < 2 ? far / 2 : 5) + k * (kind % 4);
      const PetscInt place       = i + far + near_or_far + (i == 3000 && k == 1);

      for (PetscInt c = 0; c < bs; c++) {
        cols.push_back(place * bs + c);
        vals.push_back(static_cast<PetscReal>(1 + (row + 2 * k + 3 * c) % 5));
      }
    }
    row_ptr.push_back(static_cast<PetscInt>(cols.size()));
  }
  std::vector<V> x(static_cast<std::size_t>(ncols) * bs), b(nodes * bs), product(nodes * bs);
  for (std::size_t j = 0; j < x.size(); j++) x[j] = static_cast<V>(1 + j % 7);
  for (PetscInt i = 0; i < nodes * bs; i++) {
    b[i] = static_cast<V>(i % 11);
    for (PetscInt j = row_ptr[i]; j < row_ptr[i + 1]; j++) product[i] += static_cast<V>(vals[j]) * x[cols[j]];
  }
  for (Space space : spaces()) {
    const goza::Array<PetscInt> p(space, row_ptr.data(), row_ptr.size()), c(space, cols.data(), cols.size());
    goza::Array<PetscScalar>    v(space, vals.data(), vals.size());
    const goza::Array<V>        from(space, x.data(), x.size()), right(space, b.data(), b.size());
    goza::Array<V>              to(space, b.size());

    for (int height : {0, 1, 2, 4, 8, 16, 32, 64}) {
      for (int window : {0, 64, 4096}) {
        SlicedEllOptions options;

        options.slice_height = height;
        options.sort_window  = window;
        options.bs           = bs;
        SlicedEll<Store, V> ell(space, options);
        ell.build(Csr{space, nodes * bs, ncols * bs, p.data(), c.data(), v.data()});
        BOOST_TEST_CONTEXT("height " << height << ", window " << window << (space == Space::Host ? ", host" : ", device"))
        {
          if (window <= 64) {
            BOOST_TEST(ell.view().head, ell.describe());
            BOOST_TEST(ell.describe().find("which slices share") != std::string::npos, ell.describe());
          }
          ell.apply_as(from.data(), goza::ScaledOut<V>(goza::Assign<V>{to.data()}));
          BOOST_TEST(to.to_host() == product, boost::test_tools::per_element());
          auto doubled = vals;
          for (PetscScalar &value : doubled) value *= 2;
          const goza::Array<PetscScalar> new_values(space, doubled.data(), doubled.size());
          ell.refill(Csr{space, nodes * bs, ncols * bs, p.data(), nullptr, new_values.data()});
          auto sum = product, rest = product;
          for (std::size_t i = 0; i < sum.size(); i++) {
            sum[i]  = b[i] + 2 * product[i];
            rest[i] = b[i] - 2 * product[i];
          }
          ell.apply_as(from.data(), goza::ScaledOut<V>(goza::Add<V>{right.data(), to.data()}));
          BOOST_TEST(to.to_host() == sum, boost::test_tools::per_element());
          ell.apply_as(from.data(), goza::ScaledOut<V>(goza::Residual<V>{right.data(), to.data()}));
          BOOST_TEST(to.to_host() == rest, boost::test_tools::per_element());
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(slices_that_are_alike_share_their_columns)
{
  shared_columns<PetscScalar, PetscScalar>(1, 0, 11);
  shared_columns<goza::HalfScalar, goza::SingleScalar>(1, 0, 11);
  shared_columns<PetscScalar, PetscScalar>(3, 0, 11);
  shared_columns<goza::HalfScalar, goza::SingleScalar>(1, 1, 7); // from here on short rows, of which a thread of the device takes four
  shared_columns<goza::HalfScalar, goza::SingleScalar>(1, 3, 5, true);
  shared_columns<goza::SingleScalar, goza::SingleScalar>(1, 3, 5, true);
}

/* Rows of 3 entries, some of none, and three of 300, 2500 and 5000, which no slice is to be as wide as; a warp of a device takes the first of them. */
template <class Store, class V> void long_rows_apart(Space space)
{
  const PetscInt                     nrows = 3000, ncols = 5000;
  std::vector<std::vector<PetscInt>> rows(nrows);

  for (PetscInt i = 0; i < nrows; i++) {
    const PetscInt n = i == 7 ? 300 : i == 1500 ? 2500 : i == 2999 ? 5000 : i % 50 ? 3 : 0;

    for (PetscInt k = 0; k < n; k++) rows[i].push_back((i + k * (i == 7 ? 3 : 1)) % ncols);
    std::sort(rows[i].begin(), rows[i].end());
  }
  goza_test::Matrix        M(space, rows, ncols);
  std::vector<PetscScalar> x(ncols);
  for (PetscInt j = 0; j < ncols; j++) x[j] = 1 + j % 16; /* small integers: exact in any order */
  const std::vector<V> narrow(x.begin(), x.end()), ones(nrows, 1);
  const goza::Array<V> from(space, narrow.data(), narrow.size()), b(space, ones.data(), ones.size());
  const auto           product = M.times(x);
  const std::int64_t   nnz     = static_cast<std::int64_t>(M.hcol.size());

  for (int height : {0, 1, 8, 32}) {
    for (bool drop_empty : {false, true}) {
      SlicedEllOptions options;
      options.slice_height = height;
      options.drop_empty   = drop_empty;
      SlicedEll<Store, V> ell(space, options);

      BOOST_TEST_CONTEXT("height " << height << (drop_empty ? ", without empty rows" : "") << (space == Space::Host ? ", host" : ", device"))
      {
        const bool by_warps = height == 0 && space == Space::Cuda;
        ell.build(M.csr());
        BOOST_TEST(ell.long_rows().rows() == (by_warps ? 2 : 3));
        BOOST_TEST(ell.long_rows().entries() == (by_warps ? 7500 : 7800));
        BOOST_TEST(ell.describe().find(by_warps ? "2 long rows apart" : "3 long rows apart") != std::string::npos, ell.describe());
        BOOST_TEST(ell.stored() <= nnz + nnz / 20 + 3 * 32, ell.describe());
        goza::Array<V> y(space, ones.data(), nrows);
        ell.apply_as(from.data(), goza::ScaledOut<V>(goza::Assign<V>{y.data()}).rest());
        std::vector<V> want(nrows);
        for (PetscInt i = 0; i < nrows; i++) want[i] = static_cast<V>(1 + product[i]);
        BOOST_TEST(y.to_host() == want, boost::test_tools::per_element());
        M.scale(2);
        Csr values = M.csr();
        values.col = nullptr;
        ell.refill(values);
        y = goza::Array<V>(space, ones.data(), nrows);
        ell.apply_as(from.data(), goza::ScaledOut<V>(goza::Residual<V>{b.data(), y.data()}));
        for (PetscInt i = 0; i < nrows; i++) want[i] = static_cast<V>(1 - (drop_empty && rows[i].empty() ? 0 : 2 * product[i]));
        BOOST_TEST(y.to_host() == want, boost::test_tools::per_element());
        M.scale(0.5);
      }
    }
  }
  if constexpr (std::is_same_v<Store, V>) {
    /* a list of rows: the others are left alone. Relaxed in place, those in slices first; none of these is coupled to another */
    std::vector<PetscInt> some;
    for (PetscInt i = 10; i < 1000; i += 10) some.push_back(i);
    some.push_back(2999);
    const goza::Array<PetscInt> list(space, some.data(), some.size());
    SlicedEll<Store, V>         ell(space, {});
    goza::Array<V>              y(space, ones.data(), nrows), relaxed(space, narrow.data(), ncols);
    ell.build(M.csr(), list.data(), static_cast<PetscInt>(some.size()));
    BOOST_TEST(ell.long_rows().rows() == 1);
    ell.apply(from.data(), goza::Assign<V>{y.data()});
    std::vector<V> want = ones;
    for (PetscInt i : some) want[i] = static_cast<V>(product[i]);
    BOOST_TEST(y.to_host() == want, boost::test_tools::per_element());
    ell.relax(b.data(), b.data(), relaxed.data());
    for (PetscInt i : some) x[i] += 1 - M.times(x)[i];
    BOOST_TEST(relaxed.to_host() == std::vector<V>(x.begin(), x.end()), boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(long_rows_are_held_apart)
{
  for (Space space : spaces()) {
    long_rows_apart<PetscScalar, PetscScalar>(space);
    long_rows_apart<goza::HalfScalar, PetscScalar>(space);
#if !PetscDefined(USE_REAL_SINGLE)
    long_rows_apart<goza::SingleScalar, goza::SingleScalar>(space);
    long_rows_apart<goza::HalfScalar, goza::SingleScalar>(space);
#endif
  }
}

/* The dot product with the result, too, which takes another way there. */
BOOST_AUTO_TEST_CASE(products_with_a_dense_row)
{
  for (Space space : spaces()) {
    std::vector<std::vector<PetscInt>> rows(3000);
    for (PetscInt i = 0; i < 3000; i++) rows[i] = i == 1500 ? std::vector<PetscInt>() : std::vector<PetscInt>{i};
    for (PetscInt j = 0; j < 3000; j++) rows[1500].push_back(j);
    const goza_test::Matrix             M(space, rows, 3000);
    SlicedEll<PetscScalar, PetscScalar> ell(space, {});
    ell.build(M.csr());
    BOOST_TEST(ell.long_rows().rows() == 1);
    goza_test::check_product(ell, M, space, "dense row");
  }
}

BOOST_AUTO_TEST_CASE(every_height_and_window_gives_the_same_product)
{
  for (int height : {1, 2, 4, 8, 32})
    for (int window : {-1, 0, 2, 5, 4096}) { BOOST_TEST_CONTEXT("height " << height << ", window " << window) check_product(built(height, window)); }
}

BOOST_AUTO_TEST_CASE(height_one_stores_no_padding) { BOOST_TEST(built(1, 0).stored() == 8); }

BOOST_AUTO_TEST_CASE(sorting_saves_padding) { BOOST_TEST(built(2, 4096).stored() < built(2, 0).stored()); }

BOOST_AUTO_TEST_CASE(rows_without_entries_can_be_left_out)
{
  const auto                     ell = built(2, 0, true);
  std::vector<PetscScalar>       y(5, 100);
  const std::vector<PetscScalar> x{1, 10, 100, 1000};

  BOOST_TEST(ell.view().nplaces == 4);
  ell.apply_as(x.data(), goza::ScaledOut<PetscScalar>(goza::Assign<PetscScalar>{y.data()}).rest()); /* adds to what is there */
  BOOST_TEST(y == (std::vector<PetscScalar>{301, 130, 7754, 100, 8100}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(refill_takes_new_values_and_keeps_the_layout)
{
  auto                           ell     = built(2, 4096);
  const auto                     stored  = ell.stored();
  auto                           doubled = val;
  std::vector<PetscScalar>       y(5);
  const std::vector<PetscScalar> x{1, 10, 100, 1000};

  for (auto &v : doubled) v *= 2;
  ell.refill(Csr{Space::Host, 5, 4, ptr.data(), col.data(), doubled.data()});
  ell.apply(x.data(), goza::Assign<PetscScalar>{y.data()});
  BOOST_TEST(y == (std::vector<PetscScalar>{402, 60, 15308, 0, 16000}), boost::test_tools::per_element());
  BOOST_TEST(ell.stored() == stored);
}

BOOST_AUTO_TEST_CASE(single_precision)
{
  SlicedEll<goza::SingleScalar, goza::SingleScalar> ell(Space::Host, {});
  std::vector<goza::SingleScalar>                   y(5);
  const std::vector<goza::SingleScalar>             x{1, 10, 100, 1000};

  ell.build(A);
  ell.apply(x.data(), goza::Assign<goza::SingleScalar>{y.data()});
  BOOST_TEST(y == (std::vector<goza::SingleScalar>{201, 30, 7654, 0, 8000}), boost::test_tools::per_element()); /* small integers are exact */
}

BOOST_AUTO_TEST_CASE(nothing_at_all)
{
  const PetscInt                      zero = 0;
  SlicedEll<PetscScalar, PetscScalar> ell(Space::Host, {});

  ell.build(Csr{Space::Host, 0, 0, &zero, nullptr, nullptr});
  ell.apply(nullptr, goza::Assign<PetscScalar>{nullptr});
  BOOST_TEST(ell.stored() == 0);
}
