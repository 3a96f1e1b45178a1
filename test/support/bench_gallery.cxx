#include "bench_gallery.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <thread>

namespace goza_test
{

namespace
{

using Offset  = std::array<PetscInt, 3>;
using Offsets = std::vector<Offset>;

/* Whether the edge between i and j is there, with the probability given: the same both ways. */
bool edge(PetscInt i, PetscInt j, double probability)
{
  return coefficient(i, j) - 0.5 < probability;
}

/* The neighbours of each point of a box; an edge is there with the probability given */
Sparse on_grid(PetscInt nx, PetscInt ny, PetscInt nz, const Offsets &offsets, double probability = 1)
{
  return from_rows(nx * ny * nz, nx * ny * nz, [&](PetscInt i, std::vector<PetscInt> &row) {
    const PetscInt x = i % nx, y = i / nx % ny, z = i / nx / ny;

    for (const auto &[dx, dy, dz] : offsets) {
      const PetscInt a = x + dx, b = y + dy, c = z + dz, j = (c * ny + b) * nx + a;

      if (a >= 0 && a < nx && b >= 0 && b < ny && c >= 0 && c < nz && (j == i || probability >= 1 || edge(i, j, probability))) row.push_back(j);
    }
  });
}

/* Offsets within one step, at most `far` of them along axes at the same time: 7, 19, 27 points; in two dimensions 5 and 9 */
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

/* Edges of Kuhn's six tetrahedra in each cube: 15 points */
Offsets tetrahedra()
{
  Offsets all;

  for (const Offset &o : steps(3, 3))
    if ((o[0] >= 0 && o[1] >= 0 && o[2] >= 0) || (o[0] <= 0 && o[1] <= 0 && o[2] <= 0)) all.push_back(o);
  return all;
}

/* Streets: a grid with gaps, numbered at random inside neighbourhoods; no diagonal, some rows empty */
Sparse road(PetscInt nx, PetscInt ny)
{
  Sparse                grid = on_grid(nx, ny, 1, {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}}, 0.7);
  std::vector<PetscInt> number(grid.rows);

  for (PetscInt begin = 0; begin < grid.rows; begin += 8192) {
    const PetscInt n     = std::min<PetscInt>(8192, grid.rows - begin);
    const auto     local = random_numbering(n, 100 + begin);
    for (PetscInt i = 0; i < n; i++) number[begin + i] = begin + local[i];
  }
  return renumbered(grid, number);
}

/* A triangulation whose squares are cut along one diagonal or the other: 5 to 9 entries a row, as Delaunay's have */
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

/* Components with a few neighbours near by, some far, and nets that reach 100 000 of them */
Sparse circuit(PetscInt n, PetscInt nets, PetscInt reach, double far, std::uint64_t seed)
{
  Random            random(seed);
  std::vector<Pair> pairs;
  const auto        both = [&](PetscInt i, PetscInt j) {
    pairs.push_back({i, j});
    pairs.push_back({j, i});
  };

  for (PetscInt i = 0; i < n; i++) {
    pairs.push_back({i, i});
    for (PetscInt k = random.below(4); k > 0; k--) both(i, random.uniform() < far ? random.below(n) : std::min(n - 1, i + 1 + random.below(60)));
  }
  for (PetscInt k = 0; k < nets; k++) {
    const PetscInt net = random.below(n);
    for (PetscInt i = 0; i < reach; i++) both(net, random.below(n));
  }
  return from_pairs(n, n, pairs);
}

/* At least 1, P(more than d) = d^(1 - exponent), at most `most` */
PetscInt power_law(Random &random, double exponent, PetscInt most)
{
  return (PetscInt)std::min((double)most, std::pow(1 - random.uniform(), 1 / (1 - exponent)));
}

/* Pages: links mostly to the same site, else to popular pages; many without links */
Sparse web(PetscInt n, std::uint64_t seed)
{
  Random random(seed);

  return from_rows(n, n, [&, n](PetscInt i, std::vector<PetscInt> &row) {
    if (random.uniform() < 0.1) return;
    for (PetscInt k = power_law(random, 1.9, 5000); k > 0; k--) {
      const double   u     = random.uniform();
      const PetscInt site  = i / 200 * 200;
      const PetscInt where = u < 0.7 ? std::min(n - 1, site + random.below(200)) : (PetscInt)((double)n * std::pow(random.uniform(), 3.0));
      row.push_back(where);
    }
  });
}

/* R-MAT (Chakrabarti 2004) with Graph500's 0.57, 0.19, 0.19, 0.05 */
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

/* A ring with `near` neighbours, a tenth of the edges moved to anywhere (Watts and Strogatz 1998) */
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

/* Rows of runs of neighbouring columns inside a band, as in nd24k */
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

/* `least` to `most` columns anywhere inside +- band of the row's place */
Sparse scattered(PetscInt rows, PetscInt cols, PetscInt least, PetscInt most, PetscInt band, std::uint64_t seed)
{
  Random random(seed);

  return from_rows(rows, cols, [=, &random](PetscInt i, std::vector<PetscInt> &row) {
    const PetscInt place = (PetscInt)((double)i / (double)rows * (double)cols), begin = std::max<PetscInt>(0, place - band), end = std::min(cols, place + band + 1);
    for (PetscInt k = least + random.below(most - least + 1); k > 0; k--) row.push_back(begin + random.below(end - begin));
  });
}

/* Row lengths whose logarithm is normal; columns anywhere */
Sparse log_normal(PetscInt n, double mean_log, double sigma, std::uint64_t seed)
{
  Random random(seed);

  return from_rows(n, n, [=, &random](PetscInt, std::vector<PetscInt> &row) {
    const double normal = std::sqrt(-2 * std::log(1 - random.uniform())) * std::cos(6.283185307179586 * random.uniform());
    for (PetscInt k = (PetscInt)std::min(1e5, std::exp(mean_log + sigma * normal)); k > 0; k--) row.push_back(random.below(n));
  });
}

/* A diagonal with a few full rows and columns at the end */
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

/* Long chains with few branches, numbered at random: at most four neighbours, as in graphs of genome words */
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

Sparse shuffled(const Sparse &A, std::uint64_t seed)
{
  return renumbered(A, random_numbering(A.rows, seed));
}

std::vector<BenchMatrix> make()
{
  std::vector<BenchMatrix> g;
  const auto               irregular = [&](const char *name, const std::function<Sparse()> &f, PetscInt bs = 1) { g.push_back({name, true, f, bs}); };
  const auto               regular   = [&](const char *name, const std::function<Sparse()> &f, PetscInt bs = 1) { g.push_back({name, false, f, bs}); };
  const auto               tets      = [] { return on_grid(110, 110, 110, tetrahedra(), 0.8); };
  const auto               nodes     = [] { return on_grid(60, 60, 60, tetrahedra(), 0.8); };

  irregular("road", [] { return road(1600, 1250); });
  irregular("road_large", [] { return road(2500, 2000); });
  irregular("triangles", [] { return triangles(1400, 1400); });
  irregular("triangles_random", [] { return shuffled(triangles(1400, 1400), 3); });
  irregular("tets", tets);
  irregular("tets_random", [=] { return shuffled(tets(), 4); });
  irregular("tets_rcm", [=] {
    const Sparse A = shuffled(tets(), 4);
    return renumbered(A, reverse_cuthill_mckee(A));
  });
  irregular("circuit", [] { return circuit(1500000, 5, 100000, 0.1, 5); });
  irregular("circuit_large", [] { return circuit(3500000, 2, 150000, 0.02, 6); });
  irregular("web", [] { return web(2000000, 7); });
  irregular("rmat", [] { return rmat(20, 16, false, 8); });
  irregular("social", [] { return shuffled(rmat(19, 12, true, 9), 10); });
  irregular("small_world", [] { return small_world(1500000, 10, 11); });
  irregular(
    "structural_3x3", [=] { return in_blocks(nodes(), 3); }, 3);
  irregular(
    "structural_3x3_random", [=] { return in_blocks(shuffled(nodes(), 12), 3); }, 3);
  irregular(
    "structural_6x6", [] { return in_blocks(triangles(330, 330), 6); }, 6);
  irregular("clustered", [] { return clustered(72000, 40, 10, 6000, 13); });
  irregular("wide", [] { return scattered(300000, 2400000, 5, 60, 40000, 14); });
  irregular("tall", [] { return scattered(3000000, 300000, 1, 8, 300000, 15); });
  irregular("arrow", [] { return arrow(1000000, 5); });
  irregular("band", [] { return scattered(1000000, 1000000, 3, 24, 2000, 16); });
  irregular("kmer", [] { return kmer(4000000, 17); });
  irregular("log_normal", [] { return log_normal(400000, 2.8, 1.2, 18); });
  irregular("uniform_random", [] { return scattered(1000000, 1000000, 10, 10, 1000000, 19); });

  regular("tridiagonal", [] { return on_grid(4000000, 1, 1, steps(1, 1)); });
  regular("5-point", [] { return on_grid(1800, 1800, 1, steps(2, 1)); });
  regular("9-point", [] { return on_grid(1500, 1500, 1, steps(2, 2)); });
  regular("7-point", [] { return on_grid(140, 140, 140, steps(3, 1)); });
  regular("15-point", [] { return on_grid(110, 110, 110, tetrahedra()); });
  regular("19-point", [] { return on_grid(110, 110, 110, steps(3, 2)); });
  regular("27-point", [] { return stencil_27_points(110); });
  regular("27-point_small", [] { return stencil_27_points(40); });
  regular(
    "5-point_3x3", [] { return in_blocks(on_grid(600, 600, 1, steps(2, 1)), 3); }, 3);
  regular(
    "7-point_3x3", [] { return in_blocks(on_grid(70, 70, 70, steps(3, 1)), 3); }, 3);
  regular(
    "27-point_3x3", [] { return in_blocks(stencil_27_points(45), 3); }, 3);
  regular(
    "9-point_6x6", [] { return in_blocks(on_grid(220, 220, 1, steps(2, 2)), 6); }, 6);
  return g;
}

} // namespace

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
      const PetscInt begin = (PetscInt)((PetscInt64)planes * t / nthreads) * n[0] * n[1], end = (PetscInt)((PetscInt64)planes * (t + 1) / nthreads) * n[0] * n[1];

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

const std::vector<BenchMatrix> &bench_gallery()
{
  static const std::vector<BenchMatrix> gallery = make();
  return gallery;
}

} // namespace goza_test
