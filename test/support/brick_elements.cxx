#include "brick_elements.hpp"

#include <algorithm>
#include <cmath>

namespace goza_test {
namespace {

/* Integrals of products of an element's functions, or their derivatives, along one axis: on the unit interval. */
struct Line {
  int    n;                                                          /* functions */
  double product[3][3] = {}, slopes[3][3] = {}, slope_by[3][3] = {}; /* of N N, N' N', N' N */

  explicit Line(int order) : n(order + 1)
  {
    const double at[3] = {0.5 - std::sqrt(0.15), 0.5, 0.5 + std::sqrt(0.15)}, weight[3] = {5. / 18, 8. / 18, 5. / 18};

    for (int q = 0; q < 3; q++) {
      const double s = at[q], f[2][3] = {{1 - s, s, 0}, {(1 - s) * (1 - 2 * s), 4 * s * (1 - s), s * (2 * s - 1)}},
                   g[2][3] = {{-1, 1, 0}, {4 * s - 3, 4 - 8 * s, 4 * s - 1}};

      for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
          product[i][j] += weight[q] * f[order - 1][i] * f[order - 1][j];
          slopes[i][j] += weight[q] * g[order - 1][i] * g[order - 1][j];
          slope_by[i][j] += weight[q] * g[order - 1][i] * f[order - 1][j];
        }
      }
    }
  }
};

/* The grid's nodes and, for two functions of a cell, the integrals of their derivatives' products. */
template <int D> class Cells {
public:
  CellUnknowns          unknowns;
  std::vector<Place<D>> nodes;

  Cells(const Bricks<D> &bricks, int order, int bs) : line_(order), n_(bricks.n), edges_(bricks.edges())
  {
    std::array<PetscInt, D> points;
    PetscInt                cells = 1, total = 1;

    for (int d = 0; d < D; d++) {
      points[d] = n_[d] * order + 1;
      cells *= n_[d];
      total *= points[d];
      corners_ *= line_.n;
    }
    for (PetscInt p = 0; p < total; p++) {
      Place<D> x;
      PetscInt rest = p;

      for (int d = 0; d < D; d++, rest /= points[d - 1]) {
        const PetscInt at = rest % points[d], cell = std::min(at / order, n_[d] - 1);

        x[d] = edges_[d][cell] + (edges_[d][cell + 1] - edges_[d][cell]) * static_cast<double>(at - cell * order) / order;
      }
      nodes.push_back(x);
    }
    unknowns = {total * bs, corners_ * bs, {}};
    for (PetscInt c = 0; c < cells; c++) {
      const auto at = cell(c);

      for (int k = 0; k < corners_; k++) {
        PetscInt node = 0;

        for (int d = D - 1; d >= 0; d--) node = node * points[d] + at[d] * order + corner(k, d);
        for (int b = 0; b < bs; b++) unknowns.dof.push_back(node * bs + b);
      }
    }
  }

  int      corners() const { return corners_; }
  Place<D> centre(PetscInt c) const
  {
    const auto at = cell(c);
    Place<D>   x;

    for (int d = 0; d < D; d++) x[d] = (edges_[d][at[d]] + edges_[d][at[d] + 1]) / 2;
    return x;
  }
  /* Of the derivatives of function i along a and of j along b; a, b < 0: of the functions. */
  double integral(PetscInt c, int i, int a, int j, int b) const
  {
    const auto at   = cell(c);
    double     term = 1;

    for (int d = 0; d < D; d++) {
      const double h = edges_[d][at[d] + 1] - edges_[d][at[d]];
      const int    k = corner(i, d), l = corner(j, d);

      term *= d == a && d == b ? line_.slopes[k][l] / h : d == a ? line_.slope_by[k][l] : d == b ? line_.slope_by[l][k] : h * line_.product[k][l];
    }
    return term;
  }

private:
  int corner(int k, int d) const
  {
    for (; d > 0; d--) k /= line_.n;
    return k % line_.n;
  }
  std::array<PetscInt, D> cell(PetscInt c) const
  {
    std::array<PetscInt, D> at;

    for (int d = 0; d < D; d++) {
      at[d] = c % n_[d];
      c /= n_[d];
    }
    return at;
  }

  Line                               line_;
  std::array<PetscInt, D>            n_;
  std::array<std::vector<double>, D> edges_;
  int                                corners_ = 1;
};

} // namespace

template <int D> std::array<std::vector<double>, D> Bricks<D>::edges() const
{
  std::array<std::vector<double>, D> edges;

  for (int d = 0; d < D; d++) {
    edges[d].push_back(0);
    for (PetscInt k = 0; k < n[d]; k++) edges[d].push_back(edges[d].back() + width(d, k));
  }
  return edges;
}

template <int D> Bricks<D> even_bricks(const std::array<PetscInt, D> &n, const Place<D> &length)
{
  return {n, [n, length](int d, PetscInt) { return length[d] / static_cast<double>(n[d]); }};
}

template <int D>
Sparse brick_diffusion(const Bricks<D> &bricks, int order, const std::function<Tensor<D>(const Place<D> &)> &T, const Where<D> &fixed, double reaction)
{
  const Cells<D> cells(bricks, order, 1);
  const auto     element = [&](PetscInt c, PetscInt i, double *row) {
    const Tensor<D> t = T(cells.centre(c));

    for (int j = 0; j < cells.corners(); j++) {
      if (reaction != 0) row[j] += reaction * cells.integral(c, static_cast<int>(i), -1, j, -1);
      for (int a = 0; a < D; a++)
        for (int b = 0; b < D; b++)
          if (t[a][b] != 0) row[j] += t[a][b] * cells.integral(c, static_cast<int>(i), a, j, b);
    }
  };
  return sum_of_elements(cells.unknowns, element, [&](PetscInt i) { return fixed(cells.nodes[i]); });
}

template <int D>
Sparse brick_elasticity(const Bricks<D> &bricks, int order, const Field<D> &E, double ratio, const Where<D> &fixed, std::vector<PetscReal> &places)
{
  const double   lambda = ratio / ((1 + ratio) * (1 - 2 * ratio)), mu = 1 / (2 * (1 + ratio));
  const Cells<D> cells(bricks, order, D);
  const auto     element = [&](PetscInt c, PetscInt k, double *row) {
    const double f = E(cells.centre(c));
    const int    a = static_cast<int>(k) / D, i = static_cast<int>(k) % D;

    for (int b = 0; b < cells.corners(); b++) {
      double all = 0;

      for (int d = 0; d < D; d++) all += cells.integral(c, a, d, b, d);
      for (int j = 0; j < D; j++) row[b * D + j] = f * (lambda * cells.integral(c, a, i, b, j) + mu * cells.integral(c, a, j, b, i) + (i == j ? mu * all : 0));
    }
  };
  for (const Place<D> &x : cells.nodes) places.insert(places.end(), x.begin(), x.end());
  return sum_of_elements(cells.unknowns, element, [&](PetscInt i) { return fixed(cells.nodes[i / D]); });
}

template <int D> Sparse brick_mass(const Bricks<D> &bricks, int order, const Field<D> &k)
{
  const Cells<D> cells(bricks, order, 1);
  const auto     element = [&](PetscInt c, PetscInt i, double *row) {
    for (int j = 0; j < cells.corners(); j++) row[j] = k(cells.centre(c)) * cells.integral(c, static_cast<int>(i), -1, j, -1);
  };

  return sum_of_elements(cells.unknowns, element, [](PetscInt) { return false; });
}

/* A cell's functions of order 1, by those of order 2: 1 at their own corner, a half at what lies between it and the next. */
template <int D> static double of_quadratic(int corner, int function)
{
  double value = 1;

  for (int d = 0; d < D; d++, corner /= 2, function /= 3) value *= 1 - 0.5 * std::abs(2 * (corner % 2) - function % 3);
  return value;
}

template <int D> Sparse brick_stokes(const Bricks<D> &bricks, const Field<D> &eta, const Where<D> &fixed, std::vector<PetscReal> &places)
{
  const Cells<D> cells(bricks, 2, D), pressures(bricks, 1, 1);
  const int      nu = cells.corners() * D, np = pressures.corners();
  CellUnknowns   all{cells.unknowns.rows + pressures.unknowns.rows, nu + np, {}};
  const auto     divergence = [&](PetscInt c, int p, int a, int i) { /* of component i's function a, times pressure p */
                                                                 double sum = 0;

                                                                 for (int b = 0; b < cells.corners(); b++)
                                                                   if (const double f = of_quadratic<D>(p, b)) sum += f * cells.integral(c, a, i, b, -1);
                                                                 return -sum;
  };
  const auto element = [&](PetscInt c, PetscInt k, double *row) {
    const int a = static_cast<int>(k) / D, i = static_cast<int>(k) % D;

    for (int b = 0; k >= nu && b < nu; b++) row[b] = divergence(c, static_cast<int>(k) - nu, b / D, b % D);
    if (k >= nu) return;
    const double f = eta(cells.centre(c));

    for (int b = 0; b < cells.corners(); b++) {
      double grads = 0;

      for (int d = 0; d < D; d++) grads += cells.integral(c, a, d, b, d);
      for (int j = 0; j < D; j++) row[b * D + j] = f * (cells.integral(c, a, j, b, i) + (i == j ? grads : 0));
    }
    for (int p = 0; p < np; p++) row[nu + p] = divergence(c, p, a, i);
  };

  for (PetscInt c = 0; c < cells.unknowns.cells(); c++) {
    const auto of_cell = [&](const CellUnknowns &unknowns, PetscInt offset) {
      for (PetscInt k = 0; k < unknowns.n; k++) all.dof.push_back(offset + unknowns.dof[c * unknowns.n + k]);
    };

    of_cell(cells.unknowns, 0);
    of_cell(pressures.unknowns, cells.unknowns.rows);
  }
  for (const Place<D> &x : cells.nodes) places.insert(places.end(), x.begin(), x.end());
  return sum_of_elements(all, element, [&](PetscInt i) { return i < cells.unknowns.rows && fixed(cells.nodes[i / D]); });
}

template <int D> Sparse brick_stokes_equal(const Bricks<D> &bricks, const Field<D> &eta, const Where<D> &fixed)
{
  constexpr int  bs = D + 1;
  const Cells<D> cells(bricks, 1, bs);
  const auto     element = [&](PetscInt c, PetscInt k, double *row) {
    const double f = eta(cells.centre(c)), h = bricks.width(0, 0);
    const int    a = static_cast<int>(k) / bs, i = static_cast<int>(k) % bs;

    for (int b = 0; b < cells.corners(); b++) {
      double grads = 0;

      for (int d = 0; d < D; d++) grads += cells.integral(c, a, d, b, d);
      for (int j = 0; j < D && i < D; j++) row[b * bs + j] = f * (cells.integral(c, a, j, b, i) + (i == j ? grads : 0));
      for (int j = 0; j < D && i == D; j++) row[b * bs + j] = -cells.integral(c, b, j, a, -1);
      row[b * bs + D] = i < D ? -cells.integral(c, a, i, b, -1) : -h * h / 12 / f * grads;
    }
  };
  return sum_of_elements(cells.unknowns, element, [&](PetscInt i) { return i % bs < D && fixed(cells.nodes[i / bs]); });
}

template <int D>
Sparse brick_volumes(const Bricks<D> &bricks, const std::function<double(int, const Place<D> &)> &k, const std::function<bool(int, bool)> &wall,
                     double reaction)
{
  const auto              edges = bricks.edges();
  std::array<PetscInt, D> step;
  Sparse                  A;

  A.rows = 1;
  for (int d = 0; d < D; d++) {
    step[d] = A.rows;
    A.rows *= bricks.n[d];
  }
  A.cols = A.rows;
  for (PetscInt i = 0; i < A.rows; i++) {
    std::array<PetscInt, D> at;
    std::array<double, D>   h;
    Place<D>                x;
    Terms                   row;
    double                  volume = 1;

    for (int d = 0; d < D; d++) {
      at[d] = i / step[d] % bricks.n[d];
      h[d]  = edges[d][at[d] + 1] - edges[d][at[d]];
      x[d]  = edges[d][at[d]] + h[d] / 2;
      volume *= h[d];
    }
    double diagonal = reaction * volume;
    for (int d = 0; d < D; d++) {
      for (int side : {-1, 1}) {
        const PetscInt there = at[d] + side;
        double         rest  = h[d] / 2 / k(d, x);

        if (there < 0 || there >= bricks.n[d]) {
          if (wall(d, side > 0)) diagonal += volume / h[d] / rest;
          continue;
        }
        Place<D>     y     = x;
        const double width = edges[d][there + 1] - edges[d][there];

        y[d] = edges[d][there] + width / 2;
        rest += width / 2 / k(d, y);
        diagonal += volume / h[d] / rest;
        row.emplace_back(i + side * step[d], -volume / h[d] / rest);
      }
    }
    row.emplace_back(i, diagonal);
    add_row(A, row);
  }
  return A;
}

template struct Bricks<2>;
template struct Bricks<3>;
template Bricks<2> even_bricks<2>(const std::array<PetscInt, 2> &, const Place<2> &);
template Bricks<3> even_bricks<3>(const std::array<PetscInt, 3> &, const Place<3> &);
template Sparse    brick_diffusion<2>(const Bricks<2> &, int, const std::function<Tensor<2>(const Place<2> &)> &, const Where<2> &, double);
template Sparse    brick_diffusion<3>(const Bricks<3> &, int, const std::function<Tensor<3>(const Place<3> &)> &, const Where<3> &, double);
template Sparse    brick_elasticity<2>(const Bricks<2> &, int, const Field<2> &, double, const Where<2> &, std::vector<PetscReal> &);
template Sparse    brick_elasticity<3>(const Bricks<3> &, int, const Field<3> &, double, const Where<3> &, std::vector<PetscReal> &);
template Sparse    brick_mass<2>(const Bricks<2> &, int, const Field<2> &);
template Sparse    brick_mass<3>(const Bricks<3> &, int, const Field<3> &);
template Sparse    brick_stokes<2>(const Bricks<2> &, const Field<2> &, const Where<2> &, std::vector<PetscReal> &);
template Sparse    brick_stokes<3>(const Bricks<3> &, const Field<3> &, const Where<3> &, std::vector<PetscReal> &);
template Sparse    brick_stokes_equal<2>(const Bricks<2> &, const Field<2> &, const Where<2> &);
template Sparse    brick_stokes_equal<3>(const Bricks<3> &, const Field<3> &, const Where<3> &);
template Sparse    brick_volumes<2>(const Bricks<2> &, const std::function<double(int, const Place<2> &)> &, const std::function<bool(int, bool)> &, double);
template Sparse    brick_volumes<3>(const Bricks<3> &, const std::function<double(int, const Place<3> &)> &, const std::function<bool(int, bool)> &, double);

} // namespace goza_test
