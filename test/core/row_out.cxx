/* What each output does with a row sum; and that a sum which comes in two parts ends as the whole sum would. */
#include "core/launch/row_out.hpp"

#include "../support/check.hpp"

#include <array>

using namespace goza;

namespace {

const double b = 5, x = 2, dinv = 0.5, z = 100, s = 3;

/* out(0, s) against out(0, s - 1) and its rest with 1; the same of ScaledOut */
template <class Make> void check_parts(double want, Make make)
{
  double whole = -7, parts = -7;
  make (&whole)(0, s);
  BOOST_TEST(whole == want);
  auto out = make(&parts);
  out(0, s - 1);
  const ScaledOut<double> any(out), rest = any.rest();
  rest(0, 1);
  BOOST_TEST(parts == want);
  parts = -7;
  any(0, s);
  BOOST_TEST(parts == want);
}

} // namespace

BOOST_AUTO_TEST_CASE(assign)
{
  check_parts(3, [](double *y) { return Assign<double>{y}; });
}

BOOST_AUTO_TEST_CASE(add)
{
  check_parts(103, [](double *y) { return Add<double>{&z, y}; });
  double y = 10; /* in place */
  Add<double>{&y, &y}(0, s);
  BOOST_TEST(y == 13);
}

BOOST_AUTO_TEST_CASE(residual)
{
  check_parts(2, [](double *r) { return Residual<double>{&b, r}; });
}

BOOST_AUTO_TEST_CASE(jacobi)
{
  const double d = 1 / dinv, no_d = 0;

  check_parts(2 + 0.75 * 0.5 * (5 - 3), [](double *y) { return JacobiStep<double>{0.75, &dinv, &b, &x, y}; });
  check_parts(2 + 0.75 * 0.5 * (5 - 3), [&](double *y) { return JacobiStep<double>{0.75, &d, &b, &x, y, true}; });
  check_parts(2, [&](double *y) { return JacobiStep<double>{0.75, &no_d, &b, &x, y, true}; });
}
