#include "simplex_elements.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace goza_test {
namespace {

/* Volume and the gradients of the corners' hat functions. */
template <int D> struct Simplex {
  double   volume = 1;
  Place<D> grad[D + 1], centre;

  Simplex(const Simplices<D> &mesh, PetscInt c)
  {
    const auto &corner = mesh.cells[c];
    double      m[D][2 * D];

    centre.fill(0);
    for (PetscInt p : corner)
      for (int d = 0; d < D; d++) centre[d] += mesh.points[p][d] / (D + 1);
    for (int i = 0; i < D; i++) {
      for (int d = 0; d < D; d++) {
        m[i][d]     = mesh.points[corner[i + 1]][d] - mesh.points[corner[0]][d];
        m[i][D + d] = i == d;
      }
    }
    for (int k = 0; k < D; k++) { /* Gauss and Jordan, with pivots */
      int pivot = k;

      for (int i = k + 1; i < D; i++)
        if (std::abs(m[i][k]) > std::abs(m[pivot][k])) pivot = i;
      if (pivot != k) std::swap_ranges(m[k], m[k] + 2 * D, m[pivot]);
      volume *= std::abs(m[k][k]) / (k + 1);
      for (int j = 2 * D - 1; j >= k; j--) m[k][j] /= m[k][k];
      for (int i = 0; i < D; i++) {
        const double f = m[i][k];

        for (int j = 0; i != k && j < 2 * D; j++) m[i][j] -= f * m[k][j];
      }
    }
    grad[0].fill(0);
    for (int i = 0; i < D; i++) { /* column i of the inverse */
      for (int d = 0; d < D; d++) {
        grad[i + 1][d] = m[d][D + i];
        grad[0][d] -= m[d][D + i];
      }
    }
  }

  double dot(int i, int j) const
  {
    double sum = 0;

    for (int d = 0; d < D; d++) sum += grad[i][d] * grad[j][d];
    return sum;
  }
};

template <int D> CellUnknowns unknowns_at_corners(const Simplices<D> &mesh, int bs)
{
  CellUnknowns unknowns{static_cast<PetscInt>(mesh.points.size()) * bs, (D + 1) * bs, {}};

  for (const auto &cell : mesh.cells)
    for (PetscInt p : cell)
      for (int b = 0; b < bs; b++) unknowns.dof.push_back(p * bs + b);
  return unknowns;
}

} // namespace

Sparse sum_of_elements(const CellUnknowns &unknowns, const ElementRow &element, const std::function<bool(PetscInt)> &fixed)
{
  const PetscInt        n = unknowns.n;
  std::vector<PetscInt> begin(unknowns.rows + 1, 0), place(unknowns.dof.size());
  Terms                 terms;
  std::vector<double>   row(n);
  std::vector<bool>     given(unknowns.rows);
  Sparse                A;

  for (PetscInt i = 0; i < unknowns.rows; i++) given[i] = fixed(i);
  for (PetscInt i : unknowns.dof) begin[i + 1]++;
  for (PetscInt i = 0; i < unknowns.rows; i++) begin[i + 1] += begin[i];
  std::vector<PetscInt> next(begin.begin(), begin.end() - 1);
  for (std::size_t p = 0; p < unknowns.dof.size(); p++) place[next[unknowns.dof[p]]++] = static_cast<PetscInt>(p);
  A.rows = A.cols = unknowns.rows;
  for (PetscInt i = 0; i < unknowns.rows; i++) {
    terms.assign(1, {i, 0});
    for (PetscInt q = begin[i]; q < begin[i + 1]; q++) {
      const PetscInt c = place[q] / n, k = place[q] % n;

      std::fill(row.begin(), row.end(), 0);
      element(c, k, row.data());
      for (PetscInt j = 0; j < n; j++) {
        const PetscInt col = unknowns.dof[c * n + j];

        if (col == i || (!given[i] && !given[col])) terms.emplace_back(col, row[j]);
      }
    }
    add_row(A, terms);
  }
  return A;
}

template <int D> Sparse p1_diffusion(const Simplices<D> &mesh, const Field<D> &k, const Where<D> &fixed, double reaction)
{
  const auto element = [&](PetscInt c, PetscInt i, double *row) {
    const Simplex<D> s(mesh, c);
    const double     f = s.volume * k(s.centre), mass = reaction * s.volume / ((D + 1) * (D + 2));

    for (int j = 0; j <= D; j++) row[j] = f * s.dot(static_cast<int>(i), j) + mass * (i == j ? 2 : 1);
  };
  return sum_of_elements(unknowns_at_corners(mesh, 1), element, [&](PetscInt i) { return fixed(mesh.points[i]); });
}

template <int D> Sparse p1_elasticity(const Simplices<D> &mesh, const Field<D> &E, double ratio, const Where<D> &fixed)
{
  const double lambda = ratio / ((1 + ratio) * (1 - 2 * ratio)), mu = 1 / (2 * (1 + ratio));
  const auto   element = [&](PetscInt c, PetscInt k, double *row) {
    const Simplex<D> s(mesh, c);
    const double     f = s.volume * E(s.centre);
    const int        a = static_cast<int>(k) / D, i = static_cast<int>(k) % D;

    for (int b = 0; b <= D; b++)
      for (int j = 0; j < D; j++)
        row[b * D + j] = f * (lambda * s.grad[a][i] * s.grad[b][j] + mu * s.grad[a][j] * s.grad[b][i] + (i == j ? mu * s.dot(a, b) : 0));
  };
  return sum_of_elements(unknowns_at_corners(mesh, D), element, [&](PetscInt i) { return fixed(mesh.points[i / D]); });
}

/* The functions are l_i (2 l_i - 1) and 4 l_i l_j; their gradients are linear, and the rule of D + 1 points integrates products of two exactly. */
template <int D> Sparse p2_diffusion(const Simplices<D> &mesh, const Field<D> &k, const Where<D> &fixed)
{
  constexpr int                                     n    = (D + 1) * (D + 2) / 2;
  const double                                      near = D == 2 ? 2. / 3 : 0.58541019662496845446, off = (1 - near) / D;
  CellUnknowns                                      unknowns{0, n, {}};
  std::map<std::pair<PetscInt, PetscInt>, PetscInt> middle;
  std::vector<Place<D>>                             at = mesh.points;

  for (const auto &cell : mesh.cells) {
    unknowns.dof.insert(unknowns.dof.end(), cell.begin(), cell.end());
    for (int i = 0; i <= D; i++) {
      for (int j = i + 1; j <= D; j++) {
        const auto [edge, fresh] = middle.insert({std::minmax(cell[i], cell[j]), static_cast<PetscInt>(at.size())});

        unknowns.dof.push_back(edge->second);
        if (!fresh) continue;
        Place<D> x;
        for (int d = 0; d < D; d++) x[d] = (mesh.points[cell[i]][d] + mesh.points[cell[j]][d]) / 2;
        at.push_back(x);
      }
    }
  }
  unknowns.rows      = static_cast<PetscInt>(at.size());
  const auto element = [&](PetscInt c, PetscInt a, double *row) {
    const Simplex<D> s(mesh, c);
    const double     f = s.volume * k(s.centre) / (D + 1);

    for (int q = 0; q <= D; q++) {
      Place<D> g[n];
      int      m = D + 1;

      const auto l = [&](int i) { return i == q ? near : off; };
      for (int i = 0; i <= D; i++)
        for (int d = 0; d < D; d++) g[i][d] = (4 * l(i) - 1) * s.grad[i][d];
      for (int i = 0; i <= D; i++)
        for (int j = i + 1; j <= D; j++, m++)
          for (int d = 0; d < D; d++) g[m][d] = 4 * (l(i) * s.grad[j][d] + l(j) * s.grad[i][d]);
      for (int b = 0; b < n; b++)
        for (int d = 0; d < D; d++) row[b] += f * g[a][d] * g[b][d];
    }
  };
  return sum_of_elements(unknowns, element, [&](PetscInt i) { return fixed(at[i]); });
}

template Sparse p1_diffusion<2>(const Simplices<2> &, const Field<2> &, const Where<2> &, double);
template Sparse p1_diffusion<3>(const Simplices<3> &, const Field<3> &, const Where<3> &, double);
template Sparse p2_diffusion<2>(const Simplices<2> &, const Field<2> &, const Where<2> &);
template Sparse p2_diffusion<3>(const Simplices<3> &, const Field<3> &, const Where<3> &);
template Sparse p1_elasticity<2>(const Simplices<2> &, const Field<2> &, double, const Where<2> &);
template Sparse p1_elasticity<3>(const Simplices<3> &, const Field<3> &, double, const Where<3> &);

} // namespace goza_test
