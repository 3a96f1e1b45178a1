/* The order in which the model says that a format's kernel reads x is the order of the kernel's own body: it runs here with numbers that note where they are
   read. */
#include "../support/host_csr.hpp"
#include "locality/order/cds_order.hpp"
#include "locality/order/fold_order.hpp"
#include "locality/order/sliced_ell_order.hpp"
#include "mat/cds/cds_shape.hpp"
#include "mat/fold/fold.hpp"
#include "mat/slicedell/slicedell.hpp"

#include "../support/check.hpp"
#include "../support/sparse.hpp"

#include <algorithm>
#include <set>
#include <vector>

using namespace goza;
using goza_test::HostCsr;

namespace {

using Sequence = std::vector<PetscInt>;

/* As large as a PetscScalar, since kernels choose by the size of their values. */
struct Noted {
  PetscScalar value = 0;

  static inline std::vector<const Noted *> read;

  Noted(int = 0) { }
  Noted(const Noted &other) : value(other.value) { read.push_back(&other); }
  Noted       &operator=(const Noted &) = default;
  Noted       &operator+=(const Noted &) { return *this; }
  friend Noted operator*(const Noted &a, const Noted &b)
  {
    read.push_back(&a);
    read.push_back(&b);
    return {};
  }
};

struct Nowhere {
  void operator()(PetscInt, const Noted &) const { }
};

/* The columns that work() reads x at */
template <class Work> Sequence reads_of(const std::vector<Noted> &x, const Work &work)
{
  Sequence columns;

  Noted::read.clear();
  work();
  for (const Noted *p : Noted::read) {
    if (p >= x.data() && p < x.data() + x.size()) columns.push_back(static_cast<PetscInt>(p - x.data()));
  }
  return columns;
}

template <class Order> Sequence columns_of(const Order &order)
{
  Sequence columns;

  order([&](PetscInt col, bool) { columns.push_back(col); });
  return columns;
}

/* The lanes of a warp in step, those whose reads have ended left out */
void in_step(const std::vector<Sequence> &lanes, Sequence &all)
{
  bool any = true;

  for (std::size_t k = 0; any; k++) {
    any = false;
    for (const Sequence &lane : lanes) {
      if (k >= lane.size()) continue;
      all.push_back(lane[k]);
      any = true;
    }
  }
}

constexpr PetscInt grid_line = 8, grid_plane = 64, grid_nodes = 512;

std::vector<PetscInt> stencil(int points)
{
  std::set<PetscInt> offsets;

  for (PetscInt z = -1; z <= 1; z++) {
    for (PetscInt y = -1; y <= 1; y++) {
      for (PetscInt x = -1; x <= 1; x++) {
        const bool axis = (x != 0) + (y != 0) + (z != 0) <= 1;

        if (points == 27 || (axis && (points == 7 || (!z && (points == 5 || !y))))) offsets.insert(x + y * grid_line + z * grid_plane);
      }
    }
  }
  return {offsets.begin(), offsets.end()};
}

template <int bs, bool half, int N> Sequence kernel_reads(const CdsView<PetscScalar> &A, PetscInt begin, PetscInt end)
{
  std::vector<Noted> x(static_cast<std::size_t>(A.ncols) * bs), val(static_cast<std::size_t>(A.ndiag) * bs * bs * A.ld);
  CdsView<Noted>     view{A.nrows, A.ncols, A.ndiag, A.ld, val.data(), {}};
  Sequence           all;

  std::copy(A.offset, A.offset + A.ndiag, view.offset);
  const CdsRow<Noted, Noted, Nowhere, bs, half, N> body{view, x.data(), {}};
  for (PetscInt first = begin; first < end; first += 32) {
    std::vector<Sequence> lanes;

    for (PetscInt i = first; i < first + 32; i++) {
      const Sequence reads = reads_of(x, [&] { body(i); });

      lanes.emplace_back();
      for (std::size_t k = 0; k < reads.size(); k++) { // the rows of a block read the same x: a load each for the first
        if (k % (bs * bs) < bs) lanes.back().push_back(reads[k]);
      }
    }
    in_step(lanes, all);
  }
  return all;
}

void check_cds(PetscInt bs, bool half, int points)
{
  const std::vector<PetscInt> offsets = stencil(points);
  const PetscInt              reach = (offsets.back() + 31) / 32 * 32, begin = reach, end = grid_nodes - reach; // nodes whose diagonals lie inside the matrix
  const std::vector<PetscInt> ptr(static_cast<std::size_t>(grid_nodes * bs) + 1);                               // all of it padding: columns are compared
  CdsView<PetscScalar>        A{grid_nodes, grid_nodes, 0, grid_nodes, nullptr, {}};

  for (PetscInt o : offsets) {
    if (!half || o >= 0) A.offset[A.ndiag++] = o;
  }
  const Sequence modelled = columns_of(CdsOrder{A, bs, half, ptr.data(), nullptr, begin, end});

  with_shape(bs, half, [&](auto size, auto halved) {
    constexpr int  of_node = decltype(size)::value;
    constexpr bool is_half = decltype(halved)::value;

    with_compiled_count<of_node, is_half>(A.ndiag, A.offset[0] == 0, [&](auto N) {
      BOOST_TEST(modelled == (kernel_reads<of_node, is_half, decltype(N)::value>(A, begin, end)),
                 "blocks of " << bs << (half ? ", half, " : ", full, ") << points << " points, compiled for " << N.value);
    });
  });
}

/* Rows of 1 to 12 entries, some of them far away */
HostCsr uneven(PetscInt n)
{
  return goza_test::ones(n, n, [n](PetscInt i, std::vector<PetscInt> &row) {
    row.push_back(i);
    for (PetscInt k = 1; k <= i % 12; k++) row.push_back((i + k * (i % 5 ? 3 : 977)) % n);
  });
}

/* Every slice with the columns of the others, from its own first */
HostCsr banded(PetscInt n)
{
  return goza_test::ones(n, n + 4, [](PetscInt i, std::vector<PetscInt> &row) { row = {i, i + 1, i + 4}; });
}

void check_sliced_ell(const HostCsr &A, PetscInt height, bool gaps, bool shared)
{
  SlicedEllOptions options;

  options.slice_height = height;
  options.gaps         = gaps;
  SlicedEll<PetscScalar, PetscScalar> ell(Space::Host, options);

  ell.build(A.view());
  const EllView<PetscScalar> view = ell.view();
  const std::vector<Noted>   x(A.cols), val(static_cast<std::size_t>(ell.stored()));
  const EllView<Noted>       noted{view.nplaces, view.shift, view.slice_ptr, view.row,   view.length, val.data(),
                             view.col_ptr, view.col,   view.gap,       view.first, view.head};
  Sequence                   all;

  BOOST_TEST((view.head != nullptr) == shared);
  for (PetscInt first = 0; first < view.nplaces; first += 32) {
    std::vector<Sequence> lanes;

    for (PetscInt place = first; place < first + 32 && place < view.nplaces; place++)
      lanes.push_back(reads_of(x, [&] { EllRow<Noted, Noted, Nowhere>{noted, x.data(), {}}(place); }));
    in_step(lanes, all);
  }
  BOOST_TEST((columns_of(SlicedEllOrder<PetscScalar>{view, A.ptr.data()}) == all), "height " << height << (gaps ? ", gaps" : ""));
}

} // namespace

BOOST_AUTO_TEST_SUITE(kernel_order)

BOOST_AUTO_TEST_CASE(cds)
{
  for (PetscInt bs : {1, 2, 3, 6}) {
    for (int points : {27, 7, 5, 3}) {
      check_cds(bs, false, points);
      check_cds(bs, true, points);
    }
  }
}

BOOST_AUTO_TEST_CASE(sliced_ell)
{
  for (PetscInt height : {32, 64}) {
    check_sliced_ell(uneven(1000), height, false, false);
    check_sliced_ell(uneven(1000), height, true, false);
    check_sliced_ell(banded(1024), height, true, true);
  }
}

BOOST_AUTO_TEST_CASE(fold)
{
  for (PetscInt width : {2, 8, 16}) {
    const HostCsr A = uneven(1000);
    FoldOptions   options;

    options.width = width;
    Fold<PetscScalar, PetscScalar> fold(Space::Host, options);
    fold.build(A.view());
    const FoldView<PetscScalar> view = fold.view();
    const std::vector<Noted>    x(A.cols), val(static_cast<std::size_t>(fold.shape().steps) * fold_lanes);
    const FoldView<Noted>       noted{view.ngroups, view.head, val.data(), view.col};
    Sequence                    all;

    for (PetscInt group = 0; group < view.ngroups; group++) {
      const Sequence reads = reads_of(x, [&] { FoldGroup<Noted, Noted, Nowhere>{noted, x.data(), nullptr, {}}(group); });

      all.insert(all.end(), reads.begin(), reads.end());
    }
    BOOST_TEST((columns_of(FoldOrder<PetscScalar>{view}) == all), "width " << width);
  }
}

BOOST_AUTO_TEST_SUITE_END()
