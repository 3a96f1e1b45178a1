/* The 16-bit types against their definitions; the scaling that keeps values in their range; what a format makes of both. */
#include "core/util/half.hpp"
#include "mat/cds/cds.hpp"
#include "mat/common/narrow.hpp"
#include "mat/fold/fold.hpp"
#include "mat/slicedell/slicedell.hpp"

#include "../support/check.hpp"
#include "../support/host_csr.hpp"
#include "../support/spaces.hpp"

#include <cmath>
#include <vector>

using namespace goza;
using goza_test::spaces;

namespace {

/* What the bits of a small float type mean. */
double value_of(unsigned bits, int significand, int exponents)
{
  const int    e = static_cast<int>(bits >> significand) & ((1 << exponents) - 1), bias = (1 << (exponents - 1)) - 1;
  const double f = static_cast<double>(bits & ((1u << significand) - 1)) / (1 << significand), sign = bits >> (significand + exponents) ? -1 : 1;

  if (e == (1 << exponents) - 1) return f > 0 ? NAN : sign * INFINITY;
  return sign * (e ? std::ldexp(1 + f, e - bias) : std::ldexp(f, 1 - bias));
}

template <class T> void check_type(int significand, int exponents)
{
  const unsigned infinity = ((1u << exponents) - 1) << significand;
  long           bad      = 0;

  for (unsigned bits = 0; bits < 65536; bits++) {
    T h;
    h.bits            = static_cast<std::uint16_t>(bits);
    const double want = value_of(bits, significand, exponents), got = static_cast<double>(h);

    bad += std::isnan(want) ? !std::isnan(got) || !std::isnan(static_cast<double>(T(got))) : got != want || T(want).bits != bits;
    if ((bits & 0x7fff) + 1 >= infinity) continue; /* between two neighbours: the nearer; half way: the even one */
    const double next = value_of(bits + 1, significand, exponents), middle = (want + next) / 2;

    bad += T(middle).bits != bits + (bits & 1) || T(0.75 * want + 0.25 * next).bits != bits || T(0.25 * want + 0.75 * next).bits != bits + 1;
  }
  BOOST_TEST(bad == 0);
  BOOST_TEST(std::isinf(static_cast<double>(T(1e300))));
  BOOST_TEST(static_cast<double>(T(-1e-300)) == 0);
}

/* a(i, j) tridiagonal */
struct Tridiagonal : goza_test::HostCsr {
  template <class Entry> Tridiagonal(PetscInt m, PetscInt n, const Entry &a)
  {
    rows = m;
    cols = n;
    for (PetscInt i = 0; i < m; i++) {
      for (PetscInt j = std::max<PetscInt>(0, i - 1); j <= std::min(n - 1, i + 1); j++) {
        col.push_back(j);
        val.push_back(a(i, j));
      }
      ptr.push_back(static_cast<PetscInt>(col.size()));
    }
  }
};

template <class F> std::vector<PetscScalar> product(const F &f, PetscInt rows, const std::vector<PetscScalar> &x)
{
  std::vector<PetscScalar> y(rows, -7);

  f.apply(x.data(), Assign<PetscScalar>{y.data()});
  return y;
}

constexpr bool  single       = PetscDefined(USE_REAL_SINGLE); // PetscScalar's own precision
const Precision precisions[] = {Precision::Single, Precision::Half};

/* Each row's error against what its precision allows, |A| |x| times the rounding; and for a value that is no power of two, that it is rounded at all. */
template <template <class, class> class F, class Options> void check_precisions(const Tridiagonal &A, const std::string &scaling, Precision only)
{
  const auto               exact = make_format<F, PetscScalar>(Precision::Double, Space::Host, Options());
  std::vector<PetscScalar> x(A.cols);

  for (PetscInt j = 0; j < A.cols; j++) x[j] = 1 + (j % 5) * 0.25;
  exact->build(A.view());
  for (Precision p : precisions) {
    const auto f = make_format<F, PetscScalar>(p, Space::Host, Options());

    f->build(A.view());
    BOOST_TEST(f->bytes() < exact->bytes() + 16 * A.rows); /* with the scaling */
    if (p == only) BOOST_TEST(f->describe().find(scaling) != std::string::npos, f->describe());
    for (int again = 0; again < 2; again++) {
      const auto want = product(*exact, A.rows, x), got = product(*f, A.rows, x);
      bool       rounded = false;

      for (PetscInt i = 0; i < A.rows; i++) {
        double size = 0;
        for (PetscInt k = A.ptr[i]; k < A.ptr[i + 1]; k++) size += PetscAbsScalar(A.val[k] * x[A.col[k]]);
        BOOST_TEST(PetscAbsScalar(got[i] - want[i]) <= 1.01 * f->rounding() * size, "row " << i << ": " << got[i] << " instead of " << want[i]);
        rounded = rounded || got[i] != want[i];
      }
      BOOST_TEST(rounded == (p != Precision::Single || !single));
      f->refill(A.view());
    }
  }
}

template <template <class, class> class F, class Options> void check_format()
{
  const auto sizes       = [](PetscInt i, PetscInt j) { return i == j ? 4.0 / 3 : -1.0 / (3 + (i + j) % 7); };
  const auto graded      = [=](PetscInt i, PetscInt j) { return sizes(i, j) * std::pow(10., -(i + j) / 4.); }; /* D^1/2 M D^1/2 over 15 decades */
  const auto no_diagonal = [=](PetscInt i, PetscInt j) { return i == j ? 0 : sizes(i, j) * std::pow(10., -i); };

  check_precisions<F, Options>(Tridiagonal(30, 30, sizes), "unscaled", Precision::Half);
  check_precisions<F, Options>(Tridiagonal(30, 30, [=](PetscInt i, PetscInt j) { return 1e7 * sizes(i, j); }), "one scale", Precision::Half);
  if (!single) check_precisions<F, Options>(Tridiagonal(30, 30, [=](PetscInt i, PetscInt j) { return 1e-200 * sizes(i, j); }), "one scale", Precision::Single);
  const double tiny = single ? 1e-34 : 1e-300; /* a power of two that brings it to the top of the range is none of this type's */
  check_precisions<F, Options>(Tridiagonal(30, 30, [=](PetscInt i, PetscInt j) { return tiny * sizes(i, j); }), "one scale", Precision::Half);
  check_precisions<F, Options>(Tridiagonal(30, 30, graded), "symmetric scaling", Precision::Half);
  check_precisions<F, Options>(Tridiagonal(30, 30, no_diagonal), "scaling of the rows", Precision::Half);
  check_precisions<F, Options>(Tridiagonal(30, 31, graded), "scaling of the rows", Precision::Half);
}

} // namespace

BOOST_AUTO_TEST_CASE(half) { check_type<Half>(10, 5); }

BOOST_AUTO_TEST_CASE(cds) { check_format<Cds, CdsOptions>(); }

BOOST_AUTO_TEST_CASE(fold) { check_format<Fold, FoldOptions>(); }

BOOST_AUTO_TEST_CASE(slicedell) { check_format<SlicedEll, SlicedEllOptions>(); }

/* Scaling from both sides keeps half storage of the diagonals, whose other half is a mirror image. */
BOOST_AUTO_TEST_CASE(symmetric_scaling_keeps_symmetry)
{
  const Tridiagonal                                 A(30, 30, [](PetscInt i, PetscInt j) { return (i == j ? 3. : 1.) * std::pow(10., -(i + j) / 4.); });
  Narrow<Cds<HalfScalar, PetscScalar>, PetscScalar> f(Space::Host, CdsOptions());

  f.build(A.view());
  BOOST_TEST(f.describe().find("half (symmetric)") != std::string::npos, f.describe());
  BOOST_TEST(f.describe().find("symmetric scaling") != std::string::npos, f.describe());
}

/* What an interpolation asks for before it is narrowed: small entries are kept or there are none, but for rounding. */
BOOST_AUTO_TEST_CASE(keeps_all)
{
  const StoreRange range{StoreLimits<Half>::least, StoreLimits<Half>::most};
  const auto       kept = [&](auto entry) { return ValueScaling<SingleScalar>::keeps_all(exponents_of({Tridiagonal(30, 31, entry).view()})[0], range); };
  const auto       with = [](double small) { return [=](PetscInt i, PetscInt j) { return i == 7 && j == 8 ? small : 0.75; }; };

  BOOST_TEST(kept(with(0.75)));
  BOOST_TEST(kept(with(1e-4)));
  BOOST_TEST(!kept(with(3e-5)));           /* less than 2^-14 */
  BOOST_TEST(kept(with(1e-12)) == single); /* which is rounding there */
  BOOST_TEST(kept(with(1e-15)));
  BOOST_TEST(kept(with(0)));
  BOOST_TEST(kept(with(6e4)));
  BOOST_TEST(kept([](PetscInt i, PetscInt) { return 1e200 * (i + 1); }));
  BOOST_TEST(!kept([](PetscInt i, PetscInt) { return std::pow(10., i); }));
}

BOOST_AUTO_TEST_CASE(nan_and_infinity_stay)
{
  for (double bad : {static_cast<double>(NAN), static_cast<double>(INFINITY)}) {
    const Tridiagonal              A(20, 20, [=](PetscInt i, PetscInt j) { return i == 7 && j == 8 ? bad : 1e8 + i; });
    const std::vector<PetscScalar> x(20, 1);

    for (Precision p : precisions) {
      const auto f = make_format<SlicedEll, PetscScalar>(p, Space::Host, SlicedEllOptions());
      f->build(A.view());
      const auto y = product(*f, 20, x);
      for (int i = 0; i < 20; i++) BOOST_TEST(std::isfinite(PetscRealPart(y[i])) == (i != 7));
    }
  }
}

/* What is known beforehand is not looked for, and the values are stored with the same factor. */
BOOST_AUTO_TEST_CASE(known_exponents)
{
  using Format = Narrow<SlicedEll<HalfScalar, PetscScalar>, PetscScalar>;

  const std::vector<PetscScalar> x(30, 1);
  const Tridiagonal              small(30, 30, [](PetscInt i, PetscInt j) { return std::ldexp(i == j ? 3. : 1., -30); }),
    large(30, 30, [](PetscInt i, PetscInt j) { return std::ldexp(i == j ? 5. : 1., 40); });
  Format       known(Space::Host, SlicedEllOptions()), looked_for(Space::Host, SlicedEllOptions());
  RowExponents exponents = exponents_of({small.view()})[0];

  known.expect(&exponents);
  known.build(small.view());
  looked_for.build(small.view());
  BOOST_TEST(product(known, 30, x) == product(looked_for, 30, x), boost::test_tools::per_element());
  BOOST_TEST(known.describe() == looked_for.describe());
  exponents = exponents_of({large.view()})[0];
  known.refill(large.view());
  looked_for.refill(large.view());
  BOOST_TEST(product(known, 30, x) == product(looked_for, 30, x), boost::test_tools::per_element());
  exponents.most = exponents.least = RowExponents::far_above; // as of entries about 1, which these are not: it is believed
  known.refill(large.view());
  BOOST_TEST((product(known, 30, x) != product(looked_for, 30, x)));
}

/* Every output through the factors of the scaling. */
BOOST_AUTO_TEST_CASE(every_output)
{
  const PetscInt           n = 30;
  const Tridiagonal        A(n, n, [](PetscInt i, PetscInt j) { return std::ldexp(i == j ? 3 : 1, -(i + j)); }); /* exact in half, once scaled */
  std::vector<PetscScalar> x(n), b(n, 5), dinv(n, 0.5), y(n);
  const auto               exact = make_format<SlicedEll, PetscScalar>(Precision::Double, Space::Host, SlicedEllOptions());

  for (PetscInt i = 0; i < n; i++) x[i] = 1 + i % 3;
  exact->build(A.view());
  const auto ax    = product(*exact, n, x);
  const auto check = [&](const Format<PetscScalar> &f) {
    f.apply(x.data(), Add<PetscScalar>{b.data(), y.data()});
    for (int i = 0; i < n; i++) BOOST_TEST(y[i] == 5 + ax[i]);
    f.apply(x.data(), Residual<PetscScalar>{b.data(), y.data()});
    for (int i = 0; i < n; i++) BOOST_TEST(y[i] == 5 - ax[i]);
    f.apply(x.data(), JacobiStep<PetscScalar>{2, dinv.data(), b.data(), x.data(), y.data()});
    for (int i = 0; i < n; i++) BOOST_TEST(y[i] == x[i] + 5 - ax[i]);
  };

  for (Precision p : precisions) {
    const auto ell = make_format<SlicedEll, PetscScalar>(p, Space::Host, SlicedEllOptions()), cds = make_format<Cds, PetscScalar>(p, Space::Host, CdsOptions()),
               fold = make_format<Fold, PetscScalar>(p, Space::Host, FoldOptions());

    for (const auto *f : {&ell, &cds, &fold}) {
      (*f)->build(A.view());
      check(**f);
    }
  }
}

/* The points that a grid's node is coupled to: all around it; those beside it along one direction; and the latter with all below and above them, as where lines
   along z were coarsened. */
enum class Points { All, Seven, Fan };

/* On nx x 6 x 5 nodes, where the device takes four rows a thread if nx is a multiple of 4, and large enough. */
struct PointGrid {
  PetscInt                 nx, n;
  std::vector<PetscInt>    ptr{0}, col;
  std::vector<PetscScalar> val;

  PointGrid(Points points, PetscInt nx, PetscInt ny = 6, PetscInt nz = 5) : nx(nx), n(nx * ny * nz)
  {
    const auto coupled = [points](PetscInt x, PetscInt y, PetscInt z) {
      return points == Points::All || std::abs(x) + std::abs(y) + (points == Points::Seven ? std::abs(z) : 0) <= 1;
    };

    for (PetscInt i = 0; i < n; i++) {
      for (PetscInt k = 0; k < 27; k++) {
        const PetscInt x = k % 3 - 1, y = k / 3 % 3 - 1, z = k / 9 - 1, a = i % nx + x, b = i / nx % ny + y, c = i / nx / ny + z, j = (c * ny + b) * nx + a;

        if (!coupled(x, y, z) || a < 0 || a >= nx || b < 0 || b >= ny || c < 0 || c >= nz) continue;
        col.push_back(j);
        val.push_back(1. / (1 + (i + j) % 7 + (i * j) % 3));
      }
      ptr.push_back(static_cast<PetscInt>(col.size()));
    }
  }
};

/* Every output, into arrays that begin at a multiple of 16 bytes and into others. */
template <class V, class Make> void check_grid(const PointGrid &A, int ndiag, const Make &make)
{
  const PetscInt      n = A.n;
  std::vector<V>      x(n), b(n), dinv(n);
  std::vector<double> ax(n), size(n);
  double              w_ax = 0;

  for (PetscInt i = 0; i < n; i++) {
    x[i]    = static_cast<V>(1 + i % 5 * 0.25);
    b[i]    = static_cast<V>(2 - i % 3 * 0.5);
    dinv[i] = static_cast<V>(0.25 + i % 4 * 0.125);
  }
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt k = A.ptr[i]; k < A.ptr[i + 1]; k++) ax[i] += PetscRealPart(A.val[k]) * PetscRealPart(PetscScalar(x[A.col[k]]));
    size[i] = ax[i] + PetscRealPart(PetscScalar(x[i] + b[i])); /* all are positive */
    w_ax += PetscRealPart(PetscScalar(b[i])) * ax[i];
  }
  for (Space space : spaces()) {
    const Array<PetscInt>    ptrs(space, A.ptr.data(), A.ptr.size()), cols(space, A.col.data(), A.col.size());
    const Array<PetscScalar> vals(space, A.val.data(), A.val.size());
    const Array<V>           xs(space, x.data(), x.size());
    const auto               f         = make(space);
    const double             tolerance = 1.01 * f->rounding() + 30 * std::numeric_limits<RealOf<V>>::epsilon();

    f->build({space, n, n, ptrs.data(), cols.data(), vals.data()});
    BOOST_TEST(f->describe().find(" " + std::to_string(ndiag) + " diagonals") != std::string::npos, f->describe());
    for (PetscInt first : {0, 1}) {
      const auto placed = [&](const std::vector<V> &from) {
        std::vector<V> all(first);

        all.insert(all.end(), from.begin(), from.end());
        return Array<V>(space, all.data(), all.size());
      };
      const Array<V>     bs = placed(b), inverses = placed(dinv), old = placed(x);
      Array<V>           y = placed(b);
      Array<PetscScalar> dot(space, 1);
      FusedSums          sums(space);
      const auto         check = [&](const char *what, const Array<V> &result, auto want) {
        const std::vector<V> got = result.to_host();
        long                 bad = 0;

        for (PetscInt i = 0; i < n; i++) bad += !(PetscAbsScalar(PetscScalar(got[first + i]) - want(i)) <= tolerance * size[i]);
        BOOST_TEST(bad == 0, what << " on " << space_name(space) << ", " << A.nx << ", from " << first << ": " << bad << " rows are wrong");
      };
      f->apply(xs.data(), Add<V>{y.data() + first, y.data() + first});
      check("sum", y, [&](PetscInt i) { return PetscScalar(b[i]) + ax[i]; });
      f->apply(xs.data(), Assign<V>{y.data() + first});
      check("product", y, [&](PetscInt i) { return ax[i]; });
      f->apply(xs.data(), Residual<V>{bs.data() + first, y.data() + first});
      check("residual", y, [&](PetscInt i) { return PetscScalar(b[i]) - ax[i]; });
      f->apply(xs.data(), JacobiStep<V>{V(0.5), inverses.data() + first, bs.data() + first, old.data() + first, y.data() + first});
      check("Jacobi step", y, [&](PetscInt i) { return PetscScalar(x[i]) + 0.5 * PetscScalar(dinv[i]) * (PetscScalar(b[i]) - ax[i]); });
      f->apply_dots(xs.data(), {bs.data() + first, y.data() + first, false, &sums});
      add_up(space, sums, dot.data(), nullptr);
      check("product of dot", y, [&](PetscInt i) { return ax[i]; });
      BOOST_TEST(PetscAbsScalar(dot.to_host()[0] - w_ax) <= (tolerance + n * std::numeric_limits<RealOf<V>>::epsilon()) * w_ax,
                 "dot product on " << space_name(space) << ", " << A.nx << ", from " << first);
    }
  }
}

BOOST_AUTO_TEST_CASE(grids)
{
  const struct {
    Points   points;
    PetscInt nx;
    int      ndiag; /* in half storage */
  } cases[] = {{Points::All, 128, 14}, {Points::All, 126, 14}, {Points::Seven, 48, 4}, {Points::Seven, 50, 4}, {Points::Fan, 48, 8}, {Points::Fan, 50, 8}};

  for (const auto &c : cases) {
    const PointGrid A(c.points, c.nx);

    for (Precision p : {Precision::Double, Precision::Single, Precision::Half})
      check_grid<PetscScalar>(A, c.ndiag, [p](Space space) { return make_format<Cds, PetscScalar>(p, space, CdsOptions()); });
    check_grid<SingleScalar>(A, c.ndiag, [](Space space) { return std::make_unique<Cds<SingleScalar, SingleScalar>>(space); });
    check_grid<SingleScalar>(A, c.ndiag,
                             [](Space space) { return std::make_unique<Narrow<Cds<HalfScalar, SingleScalar>, SingleScalar>>(space, CdsOptions()); });
  }
}
