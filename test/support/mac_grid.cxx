#include "mac_grid.hpp"

#include <algorithm>
#include <cmath>

namespace goza_test {
namespace {

template <int D> using At = std::array<PetscInt, D>;

/* Energies w (sum of c x)^2, summed up as a matrix' rows. */
class Energies {
public:
  explicit Energies(PetscInt unknowns) : rows_(unknowns) { }

  void add(double w, const Terms &form)
  {
    for (const auto &[i, a] : form)
      for (const auto &[j, b] : form) rows_[i].emplace_back(j, w * a * b);
  }
  void add(PetscInt i, PetscInt j, double a) { rows_[i].emplace_back(j, a); }

  Sparse sum()
  {
    Sparse A;

    A.rows = A.cols = static_cast<PetscInt>(rows_.size());
    for (Terms &row : rows_) {
      add_row(A, row);
      Terms().swap(row);
    }
    return A;
  }

private:
  std::vector<Terms> rows_;
};

template <int D> class Assembly {
public:
  Assembly(const MacGrid<D> &grid, const Field<D> &eta, const Flow &flow) : grid_(grid), flow_(flow), sum_(grid.velocities() + grid.cells())
  {
    for (PetscInt c = 0; c < grid.cells(); c++) eta_.push_back(eta(grid.centre(c)));
  }

  Sparse all()
  {
    const double volume = std::pow(grid_.width(), D);

    for (PetscInt c = 0; c < grid_.cells(); c++) {
      const At<D> at = place(c);

      for (int d = 0; d < D; d++) {
        Terms stretch;

        slope(at, d, d, stretch);
        sum_.add((flow_.stress ? 2 : 1) * eta_[c] * volume, stretch);
        for (const auto &[i, a] : stretch) {
          sum_.add(i, grid_.velocities() + c, -a * volume);
          sum_.add(grid_.velocities() + c, i, -a * volume);
        }
        if (at[d] > 0) sum_.add(flow_.inertia * volume, {{face(at, d), 1}});
      }
      sum_.add(grid_.velocities() + c, grid_.velocities() + c, 0); /* stored */
    }
    edges(volume);
    return sum_.sum();
  }

private:
  At<D> place(PetscInt cell) const
  {
    At<D> at;

    for (int d = 0; d < D; d++, cell /= grid_.n) at[d] = cell % grid_.n;
    return at;
  }
  /* The face at the beginning of a cell, at[d] > 0. */
  PetscInt face(const At<D> &at, int d) const
  {
    PetscInt number = 0;

    for (int k = D - 1; k >= 0; k--) number = number * (k == d ? grid_.n - 1 : grid_.n) + at[k] - (k == d);
    return d * grid_.faces() + number;
  }
  void value(const At<D> &at, int d, double factor, Terms &terms) const
  {
    if (at[d] > 0 && at[d] < grid_.n) terms.emplace_back(face(at, d), factor);
  }
  /* The derivative of component d along k: at a cell's middle where k = d, else between its face and that of the cell before. A wall is half a cell away. */
  void slope(At<D> at, int d, int k, Terms &terms) const
  {
    const double   f    = static_cast<double>(grid_.n);
    const PetscInt here = at[k];
    const bool     wall = k != d && (here == 0 || here == grid_.n);

    if (k == d) {
      value(at, d, -f, terms);
      at[k]++;
      value(at, d, f, terms);
      return;
    }
    if (here < grid_.n) value(at, d, wall ? 2 * f : f, terms);
    at[k]--;
    if (here > 0) value(at, d, wall ? -2 * f : -f, terms);
  }
  /* Where cells meet along an edge, or in a plane's point: the mean of those that there are. */
  double viscosity(const At<D> &at, int d, int k, int *count) const
  {
    double sum = 0;

    *count = 0;
    for (int side = 0; side < 4; side++) {
      At<D>    cell   = at;
      PetscInt number = 0;

      cell[d] -= side % 2;
      cell[k] -= side / 2;
      if (cell[d] < 0 || cell[d] >= grid_.n || cell[k] < 0 || cell[k] >= grid_.n) continue;
      for (int m = D - 1; m >= 0; m--) number = number * grid_.n + cell[m];
      sum += eta_[number];
      ++*count;
    }
    return sum / *count;
  }
  void edges(double volume)
  {
    for (int d = 0; d < D; d++) {
      for (int k = d + 1; k < D; k++) {
        PetscInt edges = 1;

        for (int m = 0; m < D; m++) edges *= grid_.n + (m == d || m == k);
        for (PetscInt e = 0; e < edges; e++) {
          At<D>    at;
          PetscInt rest = e;
          int      cells;
          Terms    there, back;

          for (int m = 0; m < D; m++) {
            const PetscInt points = grid_.n + (m == d || m == k);

            at[m] = rest % points;
            rest /= points;
          }
          const double eta = viscosity(at, d, k, &cells), share = eta * volume * cells / 4;

          slope(at, d, k, there);
          slope(at, k, d, back);
          if (flow_.stress) there.insert(there.end(), back.begin(), back.end());
          else sum_.add(share, back);
          sum_.add(share, there);
        }
      }
    }
  }

  MacGrid<D>          grid_;
  Flow                flow_;
  std::vector<double> eta_;
  Energies            sum_;
};

} // namespace

template <int D> PetscInt MacGrid<D>::cells() const
{
  PetscInt cells = 1;

  for (int d = 0; d < D; d++) cells *= n;
  return cells;
}

template <int D> Place<D> MacGrid<D>::centre(PetscInt cell) const
{
  Place<D> x;

  for (int d = 0; d < D; d++, cell /= n) x[d] = (static_cast<double>(cell % n) + 0.5) * width();
  return x;
}

template <int D> std::vector<std::vector<PetscReal>> MacGrid<D>::modes() const
{
  std::vector<std::vector<PetscReal>> modes;

  for (int a = 0; a < D; a++) {
    modes.emplace_back(velocities());
    std::fill_n(modes.back().begin() + a * faces(), faces(), 1);
  }
  for (int a = 0; a < D; a++) {
    for (int b = a + 1; b < D; b++) {
      modes.emplace_back(velocities());
      for (PetscInt i = 0; i < velocities(); i++) {
        const int d    = static_cast<int>(i / faces());
        PetscInt  rest = i % faces();

        for (int k = 0; k < D; k++) {
          const PetscInt points = k == d ? n - 1 : n, at = rest % points;

          rest /= points;
          if ((d == a && k == b) || (d == b && k == a)) modes.back()[i] = ((static_cast<double>(at) + 0.5) * width() - 0.5) * (d == a ? -1 : 1);
        }
      }
    }
  }
  return modes;
}

template <int D> Sparse mac_stokes(const MacGrid<D> &grid, const Field<D> &eta, const Flow &flow) { return Assembly<D>(grid, eta, flow).all(); }

template struct MacGrid<2>;
template struct MacGrid<3>;
template Sparse mac_stokes<2>(const MacGrid<2> &, const Field<2> &, const Flow &);
template Sparse mac_stokes<3>(const MacGrid<3> &, const Field<3> &, const Flow &);

} // namespace goza_test
