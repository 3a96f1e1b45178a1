#include "generators.hpp"
#include "hexahedron.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <thread>

namespace goza_test {
namespace {

/* Whether the edge between i and j is there, with the probability given: the same both ways. */
bool edge(PetscInt i, PetscInt j, double probability) { return coefficient(i, j) - 0.5 < probability; }

} // namespace

Sparse on_grid(PetscInt nx, PetscInt ny, PetscInt nz, const Offsets &offsets, double probability)
{
  return from_rows(nx * ny * nz, nx * ny * nz, [&](PetscInt i, std::vector<PetscInt> &row) {
    const PetscInt x = i % nx, y = i / nx % ny, z = i / nx / ny;

    for (const auto &[dx, dy, dz] : offsets) {
      const PetscInt a = x + dx, b = y + dy, c = z + dz, j = (c * ny + b) * nx + a;

      if (a >= 0 && a < nx && b >= 0 && b < ny && c >= 0 && c < nz && (j == i || probability >= 1 || edge(i, j, probability))) row.push_back(j);
    }
  });
}

Offsets steps(int dimensions, int far)
{
  Offsets      all;
  const Offset r{1, dimensions > 1, dimensions > 2};

  for (PetscInt z = -r[2]; z <= r[2]; z++)
    for (PetscInt y = -r[1]; y <= r[1]; y++)
      for (PetscInt x = -r[0]; x <= r[0]; x++)
        if (std::abs(x) + std::abs(y) + std::abs(z) <= far) all.push_back({x, y, z});
  return all;
}

Offsets tetrahedra()
{
  Offsets all;

  for (const Offset &o : steps(3, 3))
    if ((o[0] >= 0 && o[1] >= 0 && o[2] >= 0) || (o[0] <= 0 && o[1] <= 0 && o[2] <= 0)) all.push_back(o);
  return all;
}

Sparse road(PetscInt nx, PetscInt ny) { return shuffled(on_grid(nx, ny, 1, {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}}, 0.7), 100, 8192); }

Sparse triangles(PetscInt nx, PetscInt ny)
{
  const auto cut = [=](PetscInt x, PetscInt y) { return edge(y * nx + x, nx * ny + 17, 0.5); }; /* square (x, y): from its corner (0, 0), or from (1, 0) */

  return from_rows(nx * ny, nx * ny, [=](PetscInt i, std::vector<PetscInt> &row) {
    const PetscInt x = i % nx, y = i / nx;

    row.push_back(i);
    if (x > 0) row.push_back(i - 1);
    if (x + 1 < nx) row.push_back(i + 1);
    if (y > 0) row.push_back(i - nx);
    if (y + 1 < ny) row.push_back(i + nx);
    if (x > 0 && y > 0 && cut(x - 1, y - 1)) row.push_back(i - nx - 1);
    if (x + 1 < nx && y + 1 < ny && cut(x, y)) row.push_back(i + nx + 1);
    if (x + 1 < nx && y > 0 && !cut(x, y - 1)) row.push_back(i - nx + 1);
    if (x > 0 && y + 1 < ny && !cut(x - 1, y)) row.push_back(i + nx - 1);
  });
}

Sparse circuit(PetscInt n, PetscInt nets, PetscInt reach, double far, std::uint64_t seed, double kept)
{
  Random            random(seed);
  std::vector<Pair> pairs;
  const auto        both = [&](PetscInt i, PetscInt j) {
    pairs.push_back({i, j});
    pairs.push_back({j, i});
  };

  for (PetscInt i = 0; i < n; i++) {
    pairs.push_back({i, i});
    for (PetscInt k = random.below(4); k > 0; k--) {
      const PetscInt j = random.uniform() < far ? random.below(n) : std::min(n - 1, i + 1 + random.below(60));
      if (kept == 1 || random.uniform() < kept) both(i, j);
    }
  }
  for (PetscInt k = 0; k < nets; k++) {
    const PetscInt net = random.below(n);
    for (PetscInt i = 0; i < reach; i++) both(net, random.below(n));
  }
  return from_pairs(n, n, pairs);
}

/* At least 1, P(more than d) = d^(1 - exponent), at most `most` */
static PetscInt power_law(Random &random, double exponent, PetscInt most)
{
  return (PetscInt)std::min((double)most, std::pow(1 - random.uniform(), 1 / (1 - exponent)));
}

Sparse web(PetscInt n, std::uint64_t seed, double exponent, double copied)
{
  Random                random(seed);
  std::vector<PetscInt> before;

  return from_rows(n, n, [&, n](PetscInt i, std::vector<PetscInt> &row) {
    if (copied > 0 && random.uniform() < copied) {
      row = before;
      return;
    }
    before.clear();
    if (random.uniform() < 0.1) return;
    for (PetscInt k = power_law(random, exponent, 5000); k > 0; k--) {
      const double   u     = random.uniform();
      const PetscInt site  = i / 200 * 200;
      const PetscInt where = u < 0.7 ? std::min(n - 1, site + random.below(200)) : (PetscInt)((double)n * std::pow(random.uniform(), 3.0));
      row.push_back(where);
    }
    before = row;
  });
}

Sparse rmat(int scale, PetscInt edges_per_vertex, bool symmetric, std::uint64_t seed)
{
  Random            random(seed);
  const PetscInt    n = (PetscInt)1 << scale;
  std::vector<Pair> pairs;

  for (PetscInt e = 0; e < n * edges_per_vertex; e++) {
    PetscInt i = 0, j = 0;

    for (int level = 0; level < scale; level++) {
      const double u = random.uniform();
      i              = 2 * i + (u >= 0.76);
      j              = 2 * j + ((u >= 0.57 && u < 0.76) || u >= 0.95);
    }
    pairs.push_back({i, j});
    if (symmetric) pairs.push_back({j, i});
  }
  return from_pairs(n, n, pairs);
}

Sparse small_world(PetscInt n, PetscInt near, std::uint64_t seed)
{
  Random            random(seed);
  std::vector<Pair> pairs;

  for (PetscInt i = 0; i < n; i++)
    for (PetscInt d = 1; d <= near / 2; d++) {
      const PetscInt j = random.uniform() < 0.1 ? random.below(n) : (i + d) % n;
      pairs.push_back({i, j});
      pairs.push_back({j, i});
    }
  return from_pairs(n, n, pairs);
}

Sparse clustered(PetscInt n, PetscInt runs, PetscInt longest, PetscInt band, std::uint64_t seed)
{
  Random random(seed);

  return from_rows(n, n, [=, &random](PetscInt i, std::vector<PetscInt> &row) {
    row.push_back(i);
    for (PetscInt r = 0; r < runs; r++) {
      const PetscInt begin = std::max<PetscInt>(0, i - band + random.below(2 * band)), end = std::min(n, begin + 1 + random.below(longest));
      for (PetscInt j = begin; j < end; j++) row.push_back(j);
    }
  });
}

Sparse scattered(PetscInt rows, PetscInt cols, PetscInt least, PetscInt most, PetscInt band, std::uint64_t seed)
{
  Random random(seed);

  return from_rows(rows, cols, [=, &random](PetscInt i, std::vector<PetscInt> &row) {
    const PetscInt place = (PetscInt)((double)i / (double)rows * (double)cols), begin = std::max<PetscInt>(0, place - band),
                   end = std::min(cols, place + band + 1);
    for (PetscInt k = least + random.below(most - least + 1); k > 0; k--) row.push_back(begin + random.below(end - begin));
  });
}

Sparse pieces_of_diagonals(PetscInt n, double mean, PetscInt stretch, PetscInt band, std::uint64_t seed)
{
  Random                random(seed);
  std::vector<PetscInt> distances;
  PetscInt              left = 0;

  return from_rows(n, n, [&, n](PetscInt i, std::vector<PetscInt> &row) {
    if (!left--) {
      left = random.below(2 * stretch);
      distances.resize((std::size_t)std::max(1.0, mean - 1.5 + 4 * random.uniform()));
      for (PetscInt &d : distances) d = random.below(2 * band + 1) - band;
    }
    for (PetscInt d : distances) row.push_back(std::clamp<PetscInt>(i + d, 0, n - 1));
  });
}

Sparse log_normal(PetscInt n, double mean_log, double sigma, std::uint64_t seed)
{
  Random random(seed);

  return from_rows(n, n, [=, &random](PetscInt, std::vector<PetscInt> &row) {
    const double normal = std::sqrt(-2 * std::log(1 - random.uniform())) * std::cos(6.283185307179586 * random.uniform());
    for (PetscInt k = (PetscInt)std::min(1e5, std::exp(mean_log + sigma * normal)); k > 0; k--) row.push_back(random.below(n));
  });
}

Sparse arrow(PetscInt n, PetscInt heads)
{
  return from_rows(n, n, [=](PetscInt i, std::vector<PetscInt> &row) {
    if (i >= n - heads) {
      for (PetscInt j = 0; j < n; j++) row.push_back(j);
    } else {
      row.push_back(i);
      for (PetscInt k = 1; k <= heads; k++) row.push_back(n - k);
    }
  });
}

Sparse kmer(PetscInt n, std::uint64_t seed)
{
  Random            random(seed);
  const auto        number = random_numbering(n, seed + 1);
  std::vector<Pair> pairs;

  for (PetscInt i = 0; i + 1 < n; i++) {
    const PetscInt j = random.uniform() < 0.03 ? random.below(n) : i + 1;
    if (random.uniform() < 0.02) continue;
    pairs.push_back({number[i], number[j]});
    pairs.push_back({number[j], number[i]});
  }
  return from_pairs(n, n, pairs);
}

Sparse shuffled(const Sparse &A, std::uint64_t seed, PetscInt near)
{
  std::vector<PetscInt> number(A.rows);

  if (!near) near = std::max<PetscInt>(A.rows, 1);
  for (PetscInt begin = 0; begin < A.rows; begin += near) {
    const PetscInt n     = std::min(near, A.rows - begin);
    const auto     local = random_numbering(n, seed + begin);
    for (PetscInt i = 0; i < n; i++) number[begin + i] = begin + local[i];
  }
  return renumbered(A, number);
}

Sparse without_diagonal(const Sparse &A)
{
  return from_rows(A.rows, A.cols, [&](PetscInt i, std::vector<PetscInt> &row) {
    std::copy_if(A.col.begin() + A.ptr[i], A.col.begin() + A.ptr[i + 1], std::back_inserter(row), [i](PetscInt j) { return j != i; });
  });
}

Sparse stencil_27_points(const PetscInt n[3], PetscInt bs, const std::function<PetscReal(PetscInt, PetscInt)> &value)
{
  const PetscInt           planes = n[2], nodes = n[0] * n[1] * n[2], nthreads = (PetscInt)std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> threads;
  Sparse                   A;
  const auto               least = [&](PetscInt at, int) { return at > 0 ? at - 1 : 0; };
  const auto               most  = [&](PetscInt at, int d) { return at + 1 < n[d] ? at + 1 : at; };
  const auto               width = [&](PetscInt at, int d) { return most(at, d) - least(at, d) + 1; };

  A.rows = A.cols = nodes * bs;
  A.ptr.resize(A.rows + 1);
  for (PetscInt i = 0; i < nodes; i++)
    for (PetscInt r = 0; r < bs; r++)
      A.ptr[i * bs + r + 1] = A.ptr[i * bs + r] + bs * width(i % n[0], 0) * width(i / n[0] % n[1], 1) * width(i / n[0] / n[1], 2);
  A.col.resize(A.ptr.back());
  A.val.resize(A.ptr.back());
  for (PetscInt t = 0; t < nthreads; t++)
    threads.emplace_back([&, t] {
      const PetscInt begin = (PetscInt)((PetscInt64)planes * t / nthreads) * n[0] * n[1],
                     end   = (PetscInt)((PetscInt64)planes * (t + 1) / nthreads) * n[0] * n[1];

      for (PetscInt i = begin; i < end; i++) {
        const PetscInt x = i % n[0], y = i / n[0] % n[1], z = i / n[0] / n[1];

        for (PetscInt row = i * bs, k = A.ptr[row]; row < (i + 1) * bs; row++)
          for (PetscInt c = least(z, 2); c <= most(z, 2); c++)
            for (PetscInt b = least(y, 1); b <= most(y, 1); b++)
              for (PetscInt j = (c * n[1] + b) * n[0] + least(x, 0); j <= (c * n[1] + b) * n[0] + most(x, 0); j++)
                for (PetscInt s = 0; s < bs; s++, k++) {
                  A.col[k] = j * bs + s;
                  A.val[k] = value(row, A.col[k]);
                }
      }
    });
  for (std::thread &thread : threads) thread.join();
  return A;
}

Sparse stencil_27_points(PetscInt n, PetscInt bs)
{
  const PetscInt box[3] = {n, n, n};

  return stencil_27_points(box, bs, coefficient);
}

Sparse elasticity_on_grid(PetscInt n)
{
  const PetscInt box[3] = {n, n, n};
  Element        K      = element_stiffness();

  for (int i = 0; i < 24; i++) /* to the last bit */
    for (int j = 0; j < i; j++) K[i][j] = K[j][i];
  return stencil_27_points(box, 3, [n, K](PetscInt row, PetscInt col) {
    const PetscInt a = row / 3, b = col / 3, pa[3] = {a % n, a / n % n, a / n / n}, pb[3] = {b % n, b / n % n, b / n / n};
    PetscInt       least[3], most[3]; /* the elements that have both nodes */
    PetscReal      sum = 0;

    if (!pa[0] || !pb[0]) return row == col ? PetscReal(1) : PetscReal(0);
    for (int d = 0; d < 3; d++) {
      least[d] = std::max<PetscInt>(std::max(pa[d], pb[d]) - 1, 0);
      most[d]  = std::min(std::min(pa[d], pb[d]), n - 2);
    }
    for (PetscInt z = least[2]; z <= most[2]; z++)
      for (PetscInt y = least[1]; y <= most[1]; y++)
        for (PetscInt x = least[0]; x <= most[0]; x++) {
          const PetscInt element = (z * n + y) * n + x;
          const auto     corner  = [&](const PetscInt p[3]) { return (p[0] - x) + 2 * (p[1] - y) + 4 * (p[2] - z); };

          sum += coefficient(element, element) * K[3 * corner(pa) + row % 3][3 * corner(pb) + col % 3];
        }
    return sum;
  });
}

} // namespace goza_test
