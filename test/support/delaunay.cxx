#include "delaunay.hpp"

#include <algorithm>
#include <cmath>

namespace goza_test {
namespace {

using Real = long double;

/* Of the n x n matrix in m, which is changed. */
template <int n> Real determinant(Real m[n][n])
{
  Real det = 1;

  for (int k = 0; k < n; k++) {
    int pivot = k;

    for (int i = k + 1; i < n; i++)
      if (std::abs(m[i][k]) > std::abs(m[pivot][k])) pivot = i;
    if (m[pivot][k] == 0) return 0;
    if (pivot != k) {
      std::swap_ranges(m[k], m[k] + n, m[pivot]);
      det = -det;
    }
    det *= m[k][k];
    for (int i = k + 1; i < n; i++) {
      const Real f = m[i][k] / m[k][k];

      for (int j = k + 1; j < n; j++) m[i][j] -= f * m[k][j];
    }
  }
  return det;
}

template <int D> class Mesher {
public:
  explicit Mesher(const std::vector<Place<D>> &points) : points_(points), n_(static_cast<PetscInt>(points.size()))
  {
    constexpr double far = 100; /* a simplex around the unit box */
    Cell             all;

    for (int k = 0; k <= D; k++) {
      Place<D> corner;

      corner.fill(0.5 - far);
      if (k) corner[k - 1] = 0.5 + 2 * D * far;
      points_.push_back(corner);
      all.corner[k]    = n_ + k;
      all.neighbour[k] = -1;
    }
    if (volume(all.corner) < 0) std::swap(all.corner[0], all.corner[1]);
    cells_.push_back(all);
    for (PetscInt p = 0; p < n_; p++) insert(p);
  }

  std::vector<std::array<PetscInt, D + 1>> cells() const
  {
    std::vector<std::array<PetscInt, D + 1>> inner;

    for (const Cell &c : cells_) {
      if (!c.dead && *std::max_element(c.corner.begin(), c.corner.end()) < n_) inner.push_back(c.corner);
    }
    return inner;
  }

private:
  using Corners = std::array<PetscInt, D + 1>;
  struct Cell {
    Corners corner, neighbour; /* neighbour[k] is opposite to corner[k] */
    bool    dead = false;
  };

  Real volume(const Corners &c) const
  {
    Real m[D][D];

    for (int i = 0; i < D; i++)
      for (int d = 0; d < D; d++) m[i][d] = static_cast<Real>(points_[c[i + 1]][d]) - points_[c[0]][d];
    return determinant<D>(m);
  }

  /* Is p inside the sphere through the corners of c, whose volume is positive? */
  bool in_sphere(const Corners &c, PetscInt p) const
  {
    Real m[D + 1][D + 1];

    for (int i = 0; i <= D; i++) {
      m[i][D] = 0;
      for (int d = 0; d < D; d++) {
        m[i][d] = static_cast<Real>(points_[c[i]][d]) - points_[p][d];
        m[i][D] += m[i][d] * m[i][d];
      }
    }
    return (D % 2 ? -1 : 1) * determinant<D + 1>(m) > 0;
  }

  /* The cell that p is in, by walking towards it. */
  PetscInt cell_of(PetscInt p) const
  {
    PetscInt at = last_;

    for (;;) {
      int way = -1;

      for (int k = 0; k <= D && way < 0; k++) {
        Corners with = cells_[at].corner;

        with[k] = p;
        if (cells_[at].neighbour[k] >= 0 && volume(with) < 0) way = k;
      }
      if (way < 0) return at;
      at = cells_[at].neighbour[way];
    }
  }

  void insert(PetscInt p)
  {
    std::vector<PetscInt> hole{cell_of(p)};

    cells_[hole[0]].dead = true;
    for (std::size_t h = 0; h < hole.size(); h++) {
      for (int k = 0; k <= D; k++) {
        const PetscInt next = cells_[hole[h]].neighbour[k];

        if (next >= 0 && cells_[next].dead) continue;
        if (next >= 0 && in_sphere(cells_[next].corner, p)) {
          cells_[next].dead = true;
          hole.push_back(next);
          continue;
        }
        faces_.push_back({hole[h], k, next});
      }
    }
    for (const Face &f : faces_) { /* a face may have been noted before the cell behind it joined the hole */
      if (f.behind < 0 || !cells_[f.behind].dead) join(f, p);
    }
    faces_.clear();
    ridges_.clear();
    free_.insert(free_.end(), hole.begin(), hole.end());
  }

  struct Face {
    PetscInt cell;
    int      k;
    PetscInt behind;
  };

  void join(const Face &f, PetscInt p)
  {
    const Cell from = cells_[f.cell];
    Cell       cell;
    PetscInt   at;

    cell.corner         = from.corner;
    cell.corner[f.k]    = p;
    cell.neighbour[f.k] = f.behind;
    if (free_.empty()) {
      at = static_cast<PetscInt>(cells_.size());
      cells_.push_back(cell);
    } else {
      at = free_.back();
      free_.pop_back();
      cells_[at] = cell;
    }
    if (f.behind >= 0) {
      for (PetscInt &back : cells_[f.behind].neighbour)
        if (back == f.cell) back = at;
    }
    for (int k = 0; k <= D; k++) { /* two of the new cells share each ridge of the hole */
      std::array<PetscInt, D - 1> ridge;
      int                         r = 0;

      if (k == f.k) continue;
      for (int j = 0; j <= D; j++)
        if (j != k && j != f.k) ridge[r++] = cell.corner[j];
      std::sort(ridge.begin(), ridge.end());
      const auto other = std::find_if(ridges_.begin(), ridges_.end(), [&](const Ridge &o) { return o.ridge == ridge; });

      if (other == ridges_.end()) ridges_.push_back({ridge, at, k});
      else {
        cells_[at].neighbour[k]                 = other->cell;
        cells_[other->cell].neighbour[other->k] = at;
        *other                                  = ridges_.back();
        ridges_.pop_back();
      }
    }
    last_ = at;
  }

  struct Ridge {
    std::array<PetscInt, D - 1> ridge;
    PetscInt                    cell;
    int                         k;
  };

  std::vector<Place<D>> points_;
  PetscInt              n_, last_ = 0;
  std::vector<Cell>     cells_;
  std::vector<PetscInt> free_;
  std::vector<Face>     faces_;
  std::vector<Ridge>    ridges_;
};

/* Where a point comes on a curve that fills the unit box: the bits of its coordinates in turn. */
template <int D> std::uint64_t curve(const Place<D> &x)
{
  std::uint64_t key = 0;

  for (int bit = 19; bit >= 0; bit--)
    for (int d = 0; d < D; d++) key = key << 1 | (static_cast<std::uint64_t>(x[d] * (1 << 20)) >> bit & 1);
  return key;
}

} // namespace

template <int D> Simplices<D> delaunay(std::vector<Place<D>> points)
{
  std::vector<std::pair<std::uint64_t, PetscInt>> order;
  Simplices<D>                                    mesh;

  for (const Place<D> &x : points) order.emplace_back(curve<D>(x), static_cast<PetscInt>(order.size()));
  std::sort(order.begin(), order.end());
  for (const auto &[key, place] : order) mesh.points.push_back(points[place]);
  mesh.cells = Mesher<D>(mesh.points).cells();
  return mesh;
}

template <int D> std::vector<Place<D>> random_points(PetscInt n, std::uint64_t seed)
{
  Random                random(seed);
  std::vector<Place<D>> points(n);

  for (Place<D> &x : points)
    for (double &at : x) at = random.uniform();
  return points;
}

template <int D> std::vector<Place<D>> spread_points(PetscInt side, std::uint64_t seed)
{
  Random                  random(seed);
  std::vector<Place<D>>   points;
  std::array<PetscInt, D> at{};

  for (int d = 0; d < D;) {
    Place<D> x;

    for (int k = 0; k < D; k++) x[k] = (static_cast<double>(at[k]) + 0.25 + 0.5 * random.uniform()) / static_cast<double>(side);
    points.push_back(x);
    for (d = 0; d < D && ++at[d] == side; d++) at[d] = 0;
  }
  return points;
}

template Simplices<2>          delaunay<2>(std::vector<Place<2>>);
template Simplices<3>          delaunay<3>(std::vector<Place<3>>);
template std::vector<Place<2>> random_points<2>(PetscInt, std::uint64_t);
template std::vector<Place<3>> random_points<3>(PetscInt, std::uint64_t);
template std::vector<Place<2>> spread_points<2>(PetscInt, std::uint64_t);
template std::vector<Place<3>> spread_points<3>(PetscInt, std::uint64_t);

} // namespace goza_test
