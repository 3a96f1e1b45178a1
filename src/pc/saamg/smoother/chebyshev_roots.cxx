#include "chebyshev_roots.hpp"
#include <algorithm>
#include <cmath>

namespace goza::saamg {

static double p(const std::vector<double> &r, double t)
{
  double product = 1;

  for (double root : r) product *= 1 - t / root;
  return product;
}

/* log of t p^2 / (1 - p^2), halved; at 0 its limit, 1 - p^2 being 2 t sum 1/r there */
static double height(const std::vector<double> &r, double t)
{
  double slope = 0;

  for (double root : r) slope += 1 / root;
  if (t == 0) return -0.5 * std::log(2 * slope);
  const double v = p(r, t);
  return std::log(std::abs(v)) + 0.5 * std::log(t / (1 - v * v));
}

/* d height / d r_j where the height has a maximum in t, or t is an end */
static double height_slope(const std::vector<double> &r, double t, std::size_t j)
{
  double slope = 0;

  for (double root : r) slope += 1 / root;
  if (t == 0) return 0.5 / (slope * r[j] * r[j]);
  const double v = p(r, t);
  return t / (r[j] * (r[j] - t)) / (1 - v * v);
}

static double highest_between(const std::vector<double> &r, double low, double high)
{
  constexpr double golden = 0.6180339887498949;

  for (int step = 0; step < 80; step++) {
    const double a = high - golden * (high - low), b = low + golden * (high - low);

    if (height(r, a) < height(r, b)) low = a;
    else high = b;
  }
  return 0.5 * (low + high);
}

/* M x = b, M[n][n], partial pivoting. Not by LAPACK: PETSc names its routines of PETSc's own scalars, and these are double with any of them. */
static std::vector<double> solve(std::vector<double> M, std::vector<double> b)
{
  const std::size_t n = b.size();

  for (std::size_t k = 0; k < n; k++) {
    std::size_t pivot = k;

    for (std::size_t i = k + 1; i < n; i++)
      if (std::abs(M[i * n + k]) > std::abs(M[pivot * n + k])) pivot = i;
    for (std::size_t j = 0; j < n; j++) std::swap(M[k * n + j], M[pivot * n + j]);
    std::swap(b[k], b[pivot]);
    for (std::size_t i = k + 1; i < n; i++) {
      const double f = M[i * n + k] / M[k * n + k];

      for (std::size_t j = k; j < n; j++) M[i * n + j] -= f * M[k * n + j];
      b[i] -= f * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; j++) b[k] -= M[k * n + j] * b[j];
    b[k] /= M[k * n + k];
  }
  return b;
}

std::vector<double> first_kind_roots(int degree, double ratio)
{
  const double        pi = std::acos(-1.), middle = (1 + 1 / ratio) / 2, reach = (1 - 1 / ratio) / 2;
  std::vector<double> r(static_cast<std::size_t>(degree));

  for (std::size_t j = 0; j < r.size(); j++) r[j] = middle + reach * std::cos(pi * (static_cast<double>(j) + 0.5) / degree);
  return r;
}

/* The optimum is as high at 0, at 1 and at the maxima between neighbouring roots: degree equations, solved by Newton's method from the roots of the plain
   polynomial of the fourth kind, sin((k + 1/2) theta) = 0. */
std::vector<double> optimal_roots(int degree)
{
  const std::size_t   n  = static_cast<std::size_t>(degree);
  const double        pi = std::acos(-1.);
  std::vector<double> r(n), at(n + 1, 0), residual(n), M(n * n);

  for (std::size_t j = 0; j < n; j++) r[j] = 0.5 * (1 - std::cos((j + 1) * pi / (n + 0.5)));
  at[n] = 1;
  for (int step = 0; step < 30; step++) {
    double largest = 0, damping = 1;

    for (std::size_t e = 1; e < n; e++) at[e] = highest_between(r, r[e - 1], r[e]);
    for (std::size_t e = 1; e <= n; e++) {
      residual[e - 1] = height(r, 0) - height(r, at[e]);
      for (std::size_t j = 0; j < n; j++) M[(e - 1) * n + j] = height_slope(r, at[e], j) - height_slope(r, 0, j);
      largest = std::max(largest, std::abs(residual[e - 1]));
    }
    if (largest < 1e-11) break; // rounding, for degrees of some hundreds
    const std::vector<double> change = solve(M, residual);
    for (std::size_t j = 0; j < n; j++) { // roots must not meet, nor leave (0, 1)
      const double below = r[j] - (j ? r[j - 1] : 0), above = (j + 1 < n ? r[j + 1] : 1) - r[j];

      if (change[j] < 0) damping = std::min(damping, 0.3 * below / -change[j]);
      if (change[j] > 0) damping = std::min(damping, 0.3 * above / change[j]);
    }
    for (std::size_t j = 0; j < n; j++) r[j] += damping * change[j];
  }
  return r;
}

std::vector<double> leja_order(std::vector<double> roots)
{
  const std::size_t n = roots.size();

  for (std::size_t k = 0; k < n; k++) { // the largest first
    std::size_t best      = k;
    double      best_size = -HUGE_VAL;

    for (std::size_t i = k; i < n; i++) {
      double size = std::log(roots[i]);

      for (std::size_t j = 0; j < k; j++) size += std::log(std::abs(roots[i] - roots[j]));
      if (size > best_size) best = i, best_size = size;
    }
    std::swap(roots[k], roots[best]);
  }
  return roots;
}

} // namespace goza::saamg
