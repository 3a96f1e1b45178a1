#include "configuration.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>

namespace goza_fuzz {
namespace {

enum Kind {
  GRID,
  ANISOTROPIC,
  GRAPH,
  NEUMANN,
  NEUMANN_UNSAID,
  CHAINS,
  DISCONNECTED,
  CONVECTION,
  NONSYMMETRIC,
  INDEFINITE,
  NEGATIVE,
  ZERO_DIAGONALS,
  ISOLATED,
  EMPTY_ROWS,
  DECADES,
  NOISE,
  DIAGONAL,
  CUBE,
  CUBE_JUMPS,
  CUBE_NEUMANN
};

struct Value {
  const char               *name;
  std::vector<const char *> values;
  bool                      by_level = false; /* also with finest_, intermediate_, coarsest_ */
  int                       percent  = 20;    /* of the configurations have it */
};

const std::vector<Value> &values()
{
  static const std::vector<Value> all{
    {"threshold", {"0", "0.02", "0.08", "0.25", "0.5", "0.99"}},
    {"max_levels", {"1", "2", "3", "10"}},
    {"coarse_limit", {"1", "2", "5", "20", "100"}, false, 60},
    {"aggressive_levels", {"0", "1", "2"}},
    {"coarse_interpolation_degree", {"1", "2", "3"}},
    {"cycle", {"v", "w"}, false, 50},
    {"direct_limit", {"0", "1", "10", "1000"}},
    {"gather_limit", {"0", "1", "10", "100000"}},
    {"esteig_iterations", {"2", "3", "10", "50"}},
    {"precision", {"double", "mixed", "single", "half"}, false, 50},
    {"reuse", {"none", "pattern", "interpolation"}, false, 50},
    {"smoother", {"jacobi", "chebyshev", "mcgs", "l1jacobi"}, true, 60},
    {"sweeps", {"1", "2", "3", "4"}, true, 30},
    {"jacobi_relax", {"0.3", "0.8", "1", "1.9"}, true, 10},
    {"chebyshev_degree", {"1", "2", "3", "6"}, true},
    {"chebyshev_kind", {"1", "4"}, true},
    {"chebyshev_ratio", {"1.1", "3", "30", "1000"}, true, 10},
    {"mcgs_coupling", {"global", "local"}, true, 10},
  };
  return all;
}

double number(std::uint64_t seed, PetscInt i, PetscInt j)
{
  Rng rng(seed * 1000033 + (std::uint64_t)i * 7919 + (std::uint64_t)j);
  rng.bits();
  return rng.unit();
}

/* A grid of 7 points: nodes to a line, a plane and in all. */
struct Cube {
  long line, plane, all;

  explicit Cube(std::uint64_t values)
  {
    Rng        rng(values * 3 + 1);
    const long most = rng.chance(30) ? 4 : 9;

    line  = 1 + rng.below(most);
    plane = line * (1 + rng.below(most));
    all   = plane * (1 + rng.below(most));
  }
};

/* The graph of the nodes: links i to i + d, and their weights. */
class Graph {
public:
  explicit Graph(const Configuration &configuration) : c(configuration)
  {
    Rng rng(c.values);
    width   = 2 + rng.below(std::max(1l, (long)std::sqrt((double)c.nodes) + 2));
    density = rng.chance(50) ? 100 : 60 + (int)rng.below(40);
    offsets = {1, (PetscInt)width};
    if (c.kind == GRAPH || c.kind == NOISE) offsets.push_back(1 + (PetscInt)rng.below(std::max(1l, c.nodes)));
    if (c.kind == CHAINS) offsets = {1};
    if (c.kind == DIAGONAL) offsets.clear();
    if (c.kind >= CUBE) {
      const Cube cube(c.values);

      offsets = {1, (PetscInt)cube.line, (PetscInt)cube.plane};
      offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
      if (rng.chance(8)) offsets.push_back(1 + (PetscInt)rng.below(std::max(1l, c.nodes)));
      given  = rng.chance(50) ? (int)rng.below(64) : 0;
      lost   = rng.chance(20) ? 0.02 : 0;
      spread = c.kind != CUBE_JUMPS ? 0 : rng.chance(50) ? 2 : 14;
    }
  }

  bool cut_off(PetscInt i) const { return (c.kind == ISOLATED && number(c.values, i, -1) < 0.3) || (c.kind == EMPTY_ROWS && number(c.values, i, -1) < 0.2); }

  /* of the link between i and i + d; 0: none */
  double weight(PetscInt i, PetscInt d) const
  {
    if (i < 0 || i + d >= c.nodes || cut_off(i) || cut_off(i + d)) return 0;
    if (c.kind == CHAINS && i % 3 == 2) return 0;
    if (c.kind == DISCONNECTED && i / 20 != (i + d) / 20) return 0;
    if (d == 1 && (i + 1) % width == 0 && c.kind <= ANISOTROPIC) return 0; /* the end of a line of the grid */
    if (c.kind >= CUBE) return weight_in_cube(i, d);
    if (c.kind == GRAPH && number(c.values, i, d) * 100 > density) return 0;
    if (c.kind == GRID || c.kind == CHAINS || c.kind == NEUMANN) return 1;
    if (c.kind == ANISOTROPIC) return d == 1 ? 1 : 1e-3;
    return 0.1 + number(c.values, i, d + 1000);
  }

  std::vector<PetscInt> offsets;
  long                  width;
  int                   density;

private:
  /* A node on one of the faces that the bits say, which has no links. */
  bool is_given(PetscInt i) const
  {
    const Cube cube(c.values);
    const long at[3]   = {i % cube.line, i % cube.plane / cube.line, i / cube.plane},
               last[3] = {cube.line - 1, cube.plane / cube.line - 1, cube.all / cube.plane - 1};
    bool yes           = false;

    for (int d = 0; d < 3; d++) yes = yes || ((given >> 2 * d & 1) && at[d] == 0) || ((given >> 2 * d & 2) && at[d] == last[d]);
    return yes;
  }
  double weight_in_cube(PetscInt i, PetscInt d) const
  {
    const Cube cube(c.values);
    const bool apart = (d != 1 || (i + 1) % cube.line == 0) && (d != cube.line || i % cube.plane + d >= cube.plane) && d < cube.plane;

    if (apart || is_given(i) || is_given(i + d) || number(c.values, i, d) < lost) return 0;
    return spread != 0 ? std::exp(spread * (number(c.values, i, d + 1000) - 0.5)) : 1;
  }

  int                  given = 0;
  double               lost = 0, spread = 0;
  const Configuration &c;
};

double scale_of(const Configuration &c, PetscInt row) { return c.kind == DECADES ? std::pow(10.0, std::floor(12 * number(c.values, row, -7) - 6)) : 1; }

/* One scalar row of the node matrix, the diagonal last. */
void node_row(const Configuration &c, const Graph &g, PetscInt i, std::vector<std::pair<PetscInt, double>> &row)
{
  double     sum  = 0;
  const bool wind = c.kind == CONVECTION, noise = c.kind == NOISE || c.kind == NONSYMMETRIC;
  for (PetscInt d : g.offsets)
    for (int side : {1, -1}) {
      const double w = side > 0 ? g.weight(i, d) : g.weight(i - d, d);
      if (w == 0) continue;
      const double one_sided = c.kind == NONSYMMETRIC ? number(c.values, i, i + side * d + 5000) : wind && d == 1 ? (side > 0 ? 0.2 : 1.8) : 1;
      const double sign      = noise && number(c.values, std::min(i, i + side * d), d + 9000) < 0.4 ? 1 : -1;
      row.emplace_back(i + side * d, sign * w * one_sided);
      sum += w * (wind ? 1 : std::max(one_sided, 1.0));
    }
  double diagonal = sum;
  switch (c.kind) {
  case NEUMANN:
  case NEUMANN_UNSAID:
  case CHAINS:
    break;
  case CUBE_NEUMANN:
    diagonal += sum == 0; /* a node that is given or alone */
    break;
  case DISCONNECTED:
    diagonal += i / 20 % 2 ? 0 : 0.1;
    break;
  case GRID:
  case ANISOTROPIC:
  case CUBE:
  case CUBE_JUMPS:
    diagonal += i < g.width || i + g.width >= c.nodes ? 1 : 0.001;
    break;
  case INDEFINITE:
    diagonal -= 0.7 * sum * number(c.values, i, -3) + 0.1;
    break;
  case ZERO_DIAGONALS:
    diagonal = number(c.values, i, -3) < 0.2 ? 0 : sum + 0.1;
    break;
  case EMPTY_ROWS:
    diagonal = g.cut_off(i) ? 0 : sum + 0.1;
    break;
  case NOISE:
    diagonal = 2 * number(c.values, i, -3) - 1;
    break;
  case DIAGONAL:
    diagonal = number(c.values, i, -3) + 0.01;
    break;
  default:
    diagonal += 0.1 * number(c.values, i, -3) + 0.01;
  }
  if (c.kind != EMPTY_ROWS || diagonal != 0) row.emplace_back(i, diagonal);
  if (c.kind == NEGATIVE)
    for (auto &entry : row) entry.second *= -1;
}

} // namespace

const std::vector<MatrixKind> &matrix_kinds()
{
  constexpr unsigned spd = SYMMETRIC | DEFINITE;

  static const std::vector<MatrixKind> all{
    {"grid", spd},
    {"anisotropic", spd},
    {"graph", spd},
    {"neumann", spd | SINGULAR | CONSTANT_NULL},
    {"neumann_unsaid", spd | SINGULAR},
    {"chains", spd | SINGULAR},
    {"disconnected", spd | SINGULAR},
    {"convection", 0},
    {"nonsymmetric", 0},
    {"indefinite", SYMMETRIC},
    {"negative", SYMMETRIC},
    {"zero_diagonals", SYMMETRIC},
    {"isolated", spd},
    {"empty_rows", SYMMETRIC | SINGULAR},
    {"decades", spd},
    {"noise", SYMMETRIC},
    {"diagonal", spd},
    {"cube", spd},
    {"cube_jumps", spd},
    {"cube_neumann", spd | SINGULAR},
  };
  return all;
}

std::string Configuration::option(const std::string &name) const
{
  for (const auto &o : options)
    if (o.first == "-pc_saamg_" + name) return o.second;
  return "";
}

Configuration random_configuration(std::uint64_t seed, int ranks)
{
  static const char *const prefixes[]    = {"", "", "finest_", "intermediate_", "coarsest_"};
  static const long        block_sizes[] = {1, 1, 1, 2, 3, 6};
  Rng                      rng(seed * 8 + (std::uint64_t)ranks);
  Configuration            c;

  c.seed   = seed;
  c.kind   = rng.below((long)matrix_kinds().size());
  c.nodes  = rng.chance(20) ? rng.below(8) : rng.below(150);
  c.bs     = block_sizes[rng.below(6)];
  c.layout = rng.below(4) ? 0 : 1 + rng.below(2);
  c.values = (std::uint64_t)rng.below(1 << 20);
  if (c.kind >= CUBE) c.nodes = Cube(c.values).all;
  for (const auto &v : values()) {
    if (!rng.chance(v.percent)) continue;
    const std::string name = std::string("-pc_saamg_") + (v.by_level ? prefixes[rng.below(5)] : "") + v.name;
    c.options.emplace_back(name, v.values[rng.below((long)v.values.size())]);
  }
  return c;
}

std::ostream &operator<<(std::ostream &out, const Configuration &c)
{
  out << "seed " << c.seed << "\nmatrix " << matrix_kinds()[c.kind].name << " " << c.nodes << " " << c.bs << " " << c.layout << " " << c.values << "\n";
  for (const auto &o : c.options) out << "set " << o.first << " " << o.second << "\n";
  return out;
}

Configuration read_configuration(std::istream &in)
{
  Configuration c;
  std::string   line, word, name, value;

  while (std::getline(in, line)) {
    std::istringstream words(line);
    words >> word;
    if (word == "seed") words >> c.seed;
    else if (word == "matrix") {
      words >> name >> c.nodes >> c.bs >> c.layout >> c.values;
      for (c.kind = 0; matrix_kinds().at(c.kind).name != name;) c.kind++;
      c.bs = std::max(1l, c.bs);
    } else if (word == "set") {
      words >> name >> value;
      c.options.emplace_back(name, value);
    }
    if (!words) throw std::runtime_error("not a line of a configuration: " + line);
  }
  return c;
}

goza_test::Entry entry_of(const Configuration &c)
{
  goza_test::Entry e;

  e.name = matrix_kinds()[c.kind].name;
  e.rows = e.cols = (PetscInt)(c.nodes * c.bs);
  e.bs            = (PetscInt)c.bs;
  e.flags         = goza_test::square;
  e.layout        = c.layout == 1 ? goza_test::Layout::all_on_last : goza_test::Layout::even;
  e.row           = [c](PetscInt row, goza_test::Row &out) {
    const PetscInt                           bs = (PetscInt)c.bs, node = row / bs, part = row % bs;
    const Graph                              graph(c);
    std::vector<std::pair<PetscInt, double>> nodes;
    node_row(c, graph, node, nodes);
    for (const auto &n : nodes)
      for (PetscInt k = 0; k < bs; k++) { /* the node matrix times a small definite block */
        const double coupling = k == part ? 1 : c.kind == NEUMANN ? 0 : 0.5 / (double)bs;
        if (coupling != 0) out.add(n.first * bs + k, n.second * coupling * scale_of(c, row) * scale_of(c, n.first * bs + k));
      }
  };
  return e;
}

} // namespace goza_fuzz
