#include "gallery.hpp"
#include "hexahedron.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>

namespace goza_test {

PetscReal uniform(PetscInt i, PetscInt j, PetscInt seed)
{
  /* splitmix64 */
  std::uint64_t z = (std::uint64_t)i * 0x9E3779B97F4A7C15u + (std::uint64_t)j * 0xC2B2AE3D27D4EB4Fu + (std::uint64_t)seed * 0x165667B19E3779F9u +
                    0x27D4EB2F165667C5u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  z ^= z >> 31;
  return (PetscReal)((double)(z >> 11) / 4503599627370496.0 - 1.0); /* 53 bits / 2^52 */
}

namespace {

constexpr unsigned any_square = square | nonempty;
constexpr unsigned all_good   = square | symmetric | spd | full_diagonal | no_zero_pivots | nonempty;

/* Symmetric positive weight of the edge between two unknowns, within a factor of 19. */
PetscReal weight(PetscInt i, PetscInt j) { return 1 + 0.9 * uniform(std::min(i, j), std::max(i, j), 7); }

/* A graph Laplacian on a grid with the neighbours given; an edge that leaves the grid goes to a Dirichlet value, or does not exist. */
struct Grid {
  std::array<PetscInt, 3>                                    n;
  std::vector<std::pair<std::array<PetscInt, 3>, PetscReal>> neighbours; /* offset, factor */
  bool                                                       dirichlet = true;

  void operator()(PetscInt i, Row &out) const
  {
    const PetscInt x = i % n[0], y = i / n[0] % n[1], z = i / n[0] / n[1];
    PetscReal      diagonal = 0;

    for (const auto &[d, factor] : neighbours) {
      const std::array<PetscInt, 3> p{x + d[0], y + d[1], z + d[2]};
      const PetscInt                j      = p[0] + n[0] * (p[1] + n[1] * p[2]);
      const bool                    inside = p[0] >= 0 && p[0] < n[0] && p[1] >= 0 && p[1] < n[1] && p[2] >= 0 && p[2] < n[2];
      const PetscReal               w      = factor * (inside ? weight(i, j) : 1);
      if (inside) out.add(j, -w);
      if (inside || dirichlet) diagonal += w;
    }
    out.add(i, diagonal);
  }
};

Entry grid_entry(std::string name, const Grid &g, unsigned flags = all_good)
{
  const PetscInt n = g.n[0] * g.n[1] * g.n[2];
  return {std::move(name), n, n, flags, g};
}

/* count random columns of row i, without repeats, in random order */
void random_columns(PetscInt i, PetscInt count, PetscInt ncols, Row &out, PetscInt seed, PetscInt skip = -1)
{
  std::set<PetscInt> used;
  for (PetscInt k = 0; (PetscInt)used.size() < std::min(count, skip >= 0 && skip < ncols ? ncols - 1 : ncols); k++) {
    const PetscInt c = std::min(ncols - 1, (PetscInt)((uniform(i, k, seed) + 1) / 2 * ncols));
    if (c != skip && used.insert(c).second) out.add(c, uniform(i, c, seed + 1));
  }
}

Entry random_entry(std::string name, PetscInt rows, PetscInt cols, unsigned flags, PetscInt seed, Layout layout = Layout::even)
{
  return {std::move(name), rows, cols, flags, [=](PetscInt i, Row &out) { random_columns(i, 1 + (i * 7) % 12, cols, out, seed); }, 1, layout};
}

/* Full blocks, 1 to 4 in a row of them and in every seventh none, as nodes of an irregular mesh have. */
Entry blocks_entry(std::string name, PetscInt nodes, PetscInt bs)
{
  return {std::move(name),
          nodes * bs,
          nodes * bs,
          any_square,
          [=](PetscInt i, Row &out) {
            const PetscInt node = i / bs;

            for (PetscInt k = 0; node % 7 != 3 && k <= node % 4; k++)
              for (PetscInt c = 0; c < bs; c++) out.add((node + 5 * k) % nodes * bs + c, uniform(i, k * bs + c, 71) + (k == 0 && i % bs == c ? 4 : 0));
          },
          bs};
}

std::vector<Entry> make_gallery()
{
  std::vector<Entry> g;
  const auto         nothing = [](PetscInt, Row &) {};

  g.push_back({"0x0", 0, 0, square, nothing});
  g.push_back({"7x0", 7, 0, 0, nothing});
  g.push_back({"0x7", 0, 7, 0, nothing});
  g.push_back({"1x1", 1, 1, all_good, [](PetscInt, Row &r) { r.add(0, 3); }});
  g.push_back({"no_entries", 20, 20, square, nothing});
  g.push_back({"empty_rows", 60, 60, any_square, [](PetscInt i, Row &r) {
                 if (i % 3) random_columns(i, 5, 60, r, 11);
               }});
  g.push_back({"dense_row", 130, 130, any_square | full_diagonal | no_zero_pivots, [](PetscInt i, Row &r) {
                 for (PetscInt j = i == 7 ? 0 : i; j < (i == 7 ? 130 : i + 1); j++) r.add(j, i == j ? 20 : uniform(i, j));
               }});
  g.push_back({"arrow", 97, 97, all_good, [](PetscInt i, Row &r) {
                 for (PetscInt j = i == 96 ? 0 : i; j < i; j++) r.add(j, -0.5 + 0.4 * uniform(0, j));
                 r.add(i, i == 96 ? 98 : 2);
                 if (i < 96) r.add(96, -0.5 + 0.4 * uniform(0, i));
               }});
  g.push_back({"three_rows", 3, 3, all_good, [](PetscInt i, Row &r) { /* fewer rows than ranks, on 4 */
                                                                      if (i) r.add(i - 1, -1);
                                                                      r.add(i, 2);
                                                                      if (i < 2) r.add(i + 1, -1);
               }});
  g.push_back(stencil5(20, 17));
  g.push_back(stencil7(9, 8, 7));
  g.push_back(stencil27(8, 8, 8));
  g.push_back(random_entry("random", 150, 150, any_square, 21));
  g.push_back({"power_law", 300, 300, any_square, [](PetscInt i, Row &r) {
                 const PetscReal u = (uniform(i, 0, 31) + 1) / 2;
                 random_columns(i, std::min((PetscInt)250, (PetscInt)(1 / (u + 0.004))), 300, r, 32);
               }});
  g.push_back(random_entry("wide", 40, 150, nonempty, 41));
  g.push_back(random_entry("tall", 150, 40, nonempty, 42));
  g.push_back(random_entry("skewed", 90, 120, nonempty, 43, Layout::skewed));
  g.push_back(random_entry("cols_on_first", 60, 60, nonempty, 44, Layout::cols_on_first));
  g.push_back({"zero_diagonal", 80, 80, any_square | full_diagonal, [](PetscInt i, Row &r) {
                 random_columns(i, 4, 80, r, 51, i);
                 r.add(i, i % 4 ? 5 : 0);
               }});
  g.push_back({"missing_diagonal", 80, 80, any_square, [](PetscInt i, Row &r) {
                 random_columns(i, 4, 80, r, 52, i);
                 if (i % 2) r.add(i, 5);
               }});
  Entry zeros = stencil5(11, 12);
  zeros.name  = "explicit_zeros";
  zeros.row   = [five = zeros.row](PetscInt i, Row &r) {
    five(i, r);
    for (std::size_t k = 0; k < r.col.size(); k++)
      if (r.col[k] != i && (r.col[k] + i) % 3 == 0) r.val[k] = 0;
  };
  g.push_back(zeros);
  g.push_back({"diagonal", 75, 75, all_good, [](PetscInt i, Row &r) { r.add(i, 2 + uniform(i, i)); }});
  g.push_back({"unsorted", 110, 110, any_square | full_diagonal | no_zero_pivots, [](PetscInt i, Row &r) {
                 random_columns(i, 8, 110, r, 61, i);
                 r.add(i, 9); /* the diagonal last */
               }});
  g.push_back({"scales", 64, 64, all_good, [](PetscInt i, Row &r) { /* D T D with 15 decades in D D */
                                                                    const auto d = [](PetscInt k) {
                                                                      return std::pow((PetscReal)10, (PetscReal)(k * 5 % 16) / 2 - 4);
                                                                    };
                                                                    if (i) r.add(i - 1, -d(i) * d(i - 1));
                                                                    r.add(i, 2.2 * d(i) * d(i));
                                                                    if (i < 63) r.add(i + 1, -d(i) * d(i + 1));
               }});
  g.push_back(elasticity(3, 3, 2));
  g.push_back(blocks_entry("blocks3", 41, 3));
  g.push_back(blocks_entry("blocks6", 23, 6));
  Entry idle  = stencil5(12, 12);
  idle.name   = "idle_ranks";
  idle.layout = Layout::all_on_last;
  g.push_back(idle);
  return g;
}

} // namespace

Entry stencil5(PetscInt nx, PetscInt ny, PetscReal anisotropy)
{
  return grid_entry("stencil5", {{nx, ny, 1}, {{{-1, 0, 0}, 1}, {{1, 0, 0}, 1}, {{0, -1, 0}, anisotropy}, {{0, 1, 0}, anisotropy}}});
}

Entry upwind5(PetscInt n)
{
  return {"upwind", n * n, n * n, square, [n](PetscInt i, Row &r) {
            r.add(i, 7);
            if (i % n) r.add(i - 1, -4);
            if (i % n < n - 1) r.add(i + 1, -1);
            if (i >= n) r.add(i - n, -1);
            if (i < n * n - n) r.add(i + n, -1);
          }};
}

Entry stencil7(PetscInt nx, PetscInt ny, PetscInt nz)
{
  return grid_entry("stencil7", {{nx, ny, nz}, {{{-1, 0, 0}, 1}, {{1, 0, 0}, 1}, {{0, -1, 0}, 1}, {{0, 1, 0}, 1}, {{0, 0, -1}, 1}, {{0, 0, 1}, 1}}});
}

Entry stencil27(PetscInt nx, PetscInt ny, PetscInt nz)
{
  Grid g{{nx, ny, nz}, {}};
  for (PetscInt k = 0; k < 27; k++)
    if (k != 13) g.neighbours.push_back({{k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1}, 1});
  return grid_entry("stencil27", g);
}

Entry neumann5(PetscInt nx, PetscInt ny)
{
  return grid_entry("neumann5", {{nx, ny, 1}, {{{-1, 0, 0}, 1}, {{1, 0, 0}, 1}, {{0, -1, 0}, 1}, {{0, 1, 0}, 1}}, false}, all_good & ~spd);
}

/* Nodes are numbered over (nx) x (ny+1) x (nz+1): the plane x=0 is not there. The sizes live in the name's entry through the closure, and again here. */
static std::map<PetscInt, std::array<PetscInt, 3>> &elasticity_sizes()
{
  static std::map<PetscInt, std::array<PetscInt, 3>> sizes;
  return sizes;
}

Entry elasticity(PetscInt nx, PetscInt ny, PetscInt nz)
{
  const std::array<PetscInt, 3> n{nx, ny + 1, nz + 1};
  const PetscInt                dofs = 3 * n[0] * n[1] * n[2];

  elasticity_sizes()[dofs] = n;
  return {"elasticity",
          dofs,
          dofs,
          all_good,
          [n, nx, ny, nz](PetscInt dof, Row &out) {
            static const Element          K    = element_stiffness();
            const PetscInt                node = dof / 3, component = dof % 3;
            const std::array<PetscInt, 3> at{node % n[0] + 1, node / n[0] % n[1], node / n[0] / n[1]};
            std::map<PetscInt, PetscReal> sum; /* by column */

            for (int a = 0; a < 8; a++) { /* this node is corner a of the element whose origin is at - corner */
              const std::array<PetscInt, 3> e{at[0] - (a & 1), at[1] - (a >> 1 & 1), at[2] - (a >> 2 & 1)};
              if (e[0] < 0 || e[1] < 0 || e[2] < 0 || e[0] >= nx || e[1] >= ny || e[2] >= nz) continue;
              for (int b = 0; b < 8; b++) {
                const std::array<PetscInt, 3> p{e[0] + (b & 1), e[1] + (b >> 1 & 1), e[2] + (b >> 2 & 1)};
                if (p[0] == 0) continue;
                const PetscInt other = p[0] - 1 + n[0] * (p[1] + n[1] * p[2]);
                for (int j = 0; j < 3; j++) sum[3 * other + j] += K[3 * a + component][3 * b + j];
              }
            }
            for (const auto &[c, v] : sum) out.add(c, v);
          },
          3};
}

void elasticity_node(const Entry &entry, PetscInt node, PetscReal xyz[3])
{
  const auto &n = elasticity_sizes().at(entry.rows);
  xyz[0]        = node % n[0] + 1;
  xyz[1]        = node / n[0] % n[1];
  xyz[2]        = node / n[0] / n[1];
}

#if PetscDefined(USE_COMPLEX)
Entry turned(const Entry &e, std::function<PetscScalar(PetscInt, PetscInt)> factor)
{
  Entry t = e;

  t.row = [row = e.row, factor = std::move(factor)](PetscInt i, Row &out) {
    row(i, out);
    for (std::size_t k = 0; k < out.col.size(); k++) out.val[k] *= factor(i, out.col[k]);
  };
  return t;
}

PetscScalar phase(PetscInt i) { return PetscCMPLX(PetscCosReal(uniform(i, 0, 83)), PetscSinReal(uniform(i, 0, 83))); }

Entry hermitian(const Entry &e)
{
  Entry t = turned(e, [](PetscInt i, PetscInt j) { return phase(i) * PetscConj(phase(j)); });

  t.flags &= ~(spd | symmetric);
  return t;
}

/* The matrices that need not be symmetric get values with imaginary parts, and there are two that are symmetric and Hermitian with them. */
static std::vector<Entry> with_imaginary_parts(std::vector<Entry> all)
{
  for (Entry &e : all) {
    if (!e.has(symmetric)) e = turned(e, [](PetscInt i, PetscInt j) { return PetscCMPLX(1, uniform(i, j, 89)); });
  }
  const Entry grid = stencil7(5, 4, 6);

  all.push_back(turned(grid, [](PetscInt i, PetscInt j) { return PetscCMPLX(1, uniform(std::min(i, j), std::max(i, j), 97)); }));
  all.back().name = "complex_symmetric";
  all.back().flags &= ~spd;
  all.push_back(hermitian(grid));
  all.back().name = "hermitian";
  return all;
}
#endif

const std::vector<Entry> &gallery()
{
#if PetscDefined(USE_COMPLEX)
  static const std::vector<Entry> all = with_imaginary_parts(make_gallery());
#else
  static const std::vector<Entry> all = make_gallery();
#endif
  return all;
}

const Entry &gallery_entry(const std::string &name)
{
  for (const auto &e : gallery())
    if (e.name == name) return e;
  throw std::out_of_range("no gallery entry " + name);
}

void local_sizes(const Entry &e, MPI_Comm comm, PetscInt *m, PetscInt *n)
{
  PetscMPIInt rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const auto even = [&](PetscInt total) { /* whole blocks */
                                          const PetscInt blocks = total / e.bs;
                                          return e.bs * (blocks / size + (rank < blocks % size));
  };
  const auto all_on = [&](PetscInt total, PetscMPIInt owner) { return rank == owner ? total : 0; };
  switch (e.layout) {
  case Layout::even:
    *m = even(e.rows);
    *n = even(e.cols);
    break;
  case Layout::all_on_last:
    *m = all_on(e.rows, size - 1);
    *n = all_on(e.cols, size - 1);
    break;
  case Layout::skewed: { /* rank r has r+1 parts of the columns */
    const PetscInt parts = size * (size + 1) / 2, from = rank * (rank + 1) / 2, to = from + rank + 1;
    *m = even(e.rows);
    *n = e.cols * to / parts - e.cols * from / parts;
    break;
  }
  case Layout::cols_on_first:
    *m = even(e.rows);
    *n = all_on(e.cols, 0);
    break;
  }
}

void fill(const Entry &e, Mat A, PetscReal factor)
{
  PetscInt start, end;
  PETSC_OK(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    Row r;
    e.row(i, r);
    for (auto &v : r.val) v *= factor;
    PETSC_OK(MatSetValues(A, 1, &i, (PetscInt)r.col.size(), r.col.data(), r.val.data(), INSERT_VALUES));
  }
  PETSC_OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PETSC_OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
}

MatHandle assemble(const Entry &e, MatType type, Prealloc how, MPI_Comm comm)
{
  MatHandle A;
  PetscInt  m, n;

  local_sizes(e, comm, &m, &n);
  PETSC_OK(MatCreate(comm, A.put()));
  PETSC_OK(MatSetSizes(A, m, n, e.rows, e.cols));
  if (e.bs > 1) PETSC_OK(MatSetBlockSize(A, e.bs));
  PETSC_OK(MatSetType(A, type));
  PETSC_OK(MatSetFromOptions(A));
  if (how == Prealloc::exact) {
    PetscInt row_end = 0, col_end = 0;
    PETSC_OK((PetscErrorCode)MPI_Scan(&m, &row_end, 1, MPIU_INT, MPI_SUM, comm));
    PETSC_OK((PetscErrorCode)MPI_Scan(&n, &col_end, 1, MPIU_INT, MPI_SUM, comm));
    std::vector<PetscInt> here(m + 1, 0), away(m + 1, 0); /* never empty: a null pointer would mean "not given" */
    for (PetscInt i = 0; i < m; i++) {
      Row r;
      e.row(row_end - m + i, r);
      for (PetscInt c : r.col) (c >= col_end - n && c < col_end ? here : away)[i]++;
    }
    for (PetscInt i = 0; i < m; i++) { /* a column that comes twice is one */
      here[i] = std::min(here[i], n);
      away[i] = std::min(away[i], e.cols - n);
    }
    PETSC_OK(MatSeqAIJSetPreallocation(A, 0, here.data()));
    PETSC_OK(MatMPIAIJSetPreallocation(A, 0, here.data(), 0, away.data()));
  } else {
    PETSC_OK(MatSetUp(A));
  }
  fill(e, A);
  return A;
}

} // namespace goza_test
