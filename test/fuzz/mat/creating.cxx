/* Matrices from nothing: by MatSetValues(), by coordinates, with and without preallocation, even and uneven layouts, patterns of several kinds. */
#include "operations.hpp"

#include <algorithm>

namespace goza_fuzz {
namespace {

struct Shape {
  PetscInt              M, N, bs;
  std::vector<PetscInt> m, n; /* of each rank */
};

std::vector<PetscInt> deal(Rng &rng, PetscInt total, PetscInt bs, int ranks, long style)
{
  std::vector<PetscInt> local(ranks, 0);
  const PetscInt        nodes = total / bs;
  if (style == 1) local.back() = nodes; /* the others have none */
  else if (style == 2) local.front() = nodes;
  else
    for (PetscInt k = 0; k < nodes; k++) local[style == 0 ? k * ranks / nodes : rng.below(ranks)]++;
  for (auto &l : local) l *= bs;
  return local;
}

Shape random_shape(const Twins &t, const Op &o)
{
  static const PetscInt block_sizes[] = {1, 1, 1, 2, 3, 6, 4, 1};
  Rng                   rng(o.seed);
  Shape                 s;
  s.bs              = block_sizes[rng.below(8)];
  s.M               = o.p[0] - o.p[0] % s.bs;
  const bool square = o.p[2] % 4 != 0;
  s.N               = square ? s.M : o.p[1] - o.p[1] % s.bs;
  s.m               = deal(rng, s.M, s.bs, t.ranks, rng.below(4));
  s.n               = square ? s.m : deal(rng, s.N, s.bs, t.ranks, rng.below(4));
  return s;
}

/* The columns of a row, by the kind of pattern. */
std::vector<PetscInt> columns(const Shape &s, PetscInt row, long kind, std::uint64_t seed)
{
  std::vector<PetscInt> c;
  Rng                   rng(seed * 77 + row);
  const auto            near = [&](std::initializer_list<PetscInt> offsets) {
    for (PetscInt d : offsets)
      if (row + d >= 0 && row + d < s.N) c.push_back(row + d);
  };
  switch (kind) {
  case 0:
    near({-1, 0, 1});
    break;
  case 1:
    near({-7, -1, 0, 1, 7});
    break;
  case 2:
    near({0});
    break;
  case 3: /* random */
    for (PetscInt k = rng.below(8); k-- > 0 && s.N;) c.push_back(rng.below(s.N));
    break;
  case 4: /* full blocks of a chain of nodes */
    for (PetscInt node = row / s.bs - 1; node <= row / s.bs + 1; node++)
      for (PetscInt k = 0; k < s.bs; k++)
        if (node >= 0 && node * s.bs + k < s.N) c.push_back(node * s.bs + k);
    break;
  case 5: /* arrow: one dense row and column */
    if (row == 0)
      for (PetscInt j = 0; j < s.N; j++) c.push_back(j);
    else near({0, -row});
    break;
  case 6: /* two thirds of the rows empty */
    if (row % 3 == 0) near({0, 5, -4});
    break;
  case 7:
    break;
  default:
    near({0, 3, -3, 9, 11, -12, 20});
  }
  std::sort(c.begin(), c.end());
  c.erase(std::unique(c.begin(), c.end()), c.end());
  return c;
}

PetscErrorCode begin_matrix(Twins &t, const Shape &s, bool from_options, Mat *A)
{
  const std::string type = t.type_here(t.type);

  PetscFunctionBegin;
  TOLD(t, MatCreate(PETSC_COMM_WORLD, A), "MatCreate(PETSC_COMM_WORLD, &made)");
  TOLD(t, MatSetSizes(*A, s.m[t.rank], s.n[t.rank], s.M, s.N), "MatSetSizes(made, %d, %d, %d, %d)", (int)s.m[t.rank], (int)s.n[t.rank], (int)s.M, (int)s.N);
  if (s.bs > 1) TOLD(t, MatSetBlockSize(*A, s.bs), "MatSetBlockSize(made, %d)", (int)s.bs);
  TOLD(t, MatSetType(*A, type.c_str()), "MatSetType(made, type)");
  if (from_options || t.side == OURS) TOLD(t, MatSetFromOptions(*A), "MatSetFromOptions(made)");
  PetscFunctionReturn(PETSC_SUCCESS);
}

Step create(Twins &t, const Op &o)
{
  Rng           rng(o.seed + 5);
  const Shape   s         = random_shape(t, o);
  const long    kind      = rng.below(9);
  const int     d         = (int)o.slot[0];
  const bool    allocated = rng.chance(50), options = rng.chance(50), remote = rng.chance(25), flush = rng.chance(20);
  const auto    mode = rng.chance(50) ? INSERT_VALUES : ADD_VALUES;
  std::uint64_t seed = o.seed;
  Step          step;

  step.run = [=, &t]() -> PetscErrorCode {
    Mat      A;
    PetscInt start, end;
    PetscFunctionBegin;
    PetscCall(begin_matrix(t, s, options, &A));
    if (allocated && t.ranks == 1) TOLD(t, MatSeqAIJSetPreallocation(A, 3, nullptr), "MatSeqAIJSetPreallocation(made, 3, NULL)");
    if (allocated) TOLD(t, MatMPIAIJSetPreallocation(A, 3, nullptr, 2, nullptr), "MatMPIAIJSetPreallocation(made, 3, NULL, 2, NULL)");
    else TOLD(t, MatSetUp(A), "MatSetUp(made)");
    TOLD(t, MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE), "MatSetOption(made, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE)");
    PetscCall(MatGetOwnershipRange(A, &start, &end));
    const PetscInt shift = remote && s.M ? end - start : 0; /* some of the next rank's rows */
    for (PetscInt k = start; k < end; k++) {
      const PetscInt           i = k % 4 == 0 && s.M ? (k + shift) % s.M : k;
      const auto               c = columns(s, i, kind, seed);
      std::vector<PetscScalar> v;
      for (PetscInt j : c) v.push_back(t.value(i, j, seed));
      if (t.telling()) {
        const auto cl = t.listed("PetscInt", "c", c.data(), (PetscInt)c.size()), vl = t.listed("v", v.data(), (PetscInt)v.size());
        t.say("row = %d", (int)i);
        t.say("MatSetValues(made, 1, &row, %d, %s, %s, %s)", (int)c.size(), cl.c_str(), vl.c_str(), mode_name(mode));
      }
      PetscCall(MatSetValues(A, 1, &i, (PetscInt)c.size(), c.data(), v.data(), mode));
    }
    if (flush) {
      TOLD(t, MatAssemblyBegin(A, MAT_FLUSH_ASSEMBLY), "MatAssemblyBegin(made, MAT_FLUSH_ASSEMBLY)");
      TOLD(t, MatAssemblyEnd(A, MAT_FLUSH_ASSEMBLY), "MatAssemblyEnd(made, MAT_FLUSH_ASSEMBLY)");
    }
    TOLD(t, MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY), "MatAssemblyBegin(made, MAT_FINAL_ASSEMBLY)");
    TOLD(t, MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY), "MatAssemblyEnd(made, MAT_FINAL_ASSEMBLY)");
    PetscCall(t.put(d, A));
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  step.touched = {d};
  step.after   = [=, &t] { t.learn(d, 1); };
  return step;
}

struct Coordinates {
  std::vector<PetscInt> i, j;
};

/* Every rank gives rows of its own and others', places twice, negative ones. */
Coordinates coordinates(const Twins &t, const Shape &s, std::uint64_t seed)
{
  Coordinates c;
  Rng         rng(seed + 31 * t.rank);
  const long  kind = (long)(seed % 9);
  for (PetscInt row = t.rank; row < s.M; row += t.ranks)
    for (PetscInt col : columns(s, row, kind, seed))
      for (long again = 1 + rng.chance(20); again-- > 0;) {
        c.i.push_back(rng.chance(3) ? -1 : row);
        c.j.push_back(rng.chance(3) ? -1 : col);
      }
  return c;
}

/* The values of coordinates: the same for all ways of giving a place. */
std::vector<PetscScalar> coo_values(const Twins &t, std::size_t n, std::uint64_t seed)
{
  std::vector<PetscScalar> v(n);
  for (std::size_t k = 0; k < n; k++) v[k] = t.value((PetscInt)k, t.rank, seed);
  return v;
}

PetscErrorCode set_coo(Twins &t, Mat A, const char *name, PetscCount n, std::uint64_t seed, InsertMode mode)
{
  const auto v = coo_values(t, (std::size_t)n, seed);

  PetscFunctionBegin;
  if (t.telling()) t.say("MatSetValuesCOO(%s, %s, %s)", name, t.listed("v", v.data(), (PetscInt)n).c_str(), mode_name(mode));
  PetscCall(MatSetValuesCOO(A, v.data(), mode));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode preallocate_coo(Twins &t, Mat A, const char *name, Coordinates c)
{
  PetscFunctionBegin;
  if (t.telling()) {
    const auto i = t.listed("PetscInt", "i", c.i.data(), (PetscInt)c.i.size()), j = t.listed("PetscInt", "j", c.j.data(), (PetscInt)c.j.size());
    t.say("MatSetPreallocationCOO(%s, %d, (PetscInt *)%s, (PetscInt *)%s)", name, (int)c.i.size(), i.c_str(), j.c_str());
  }
  PetscCall(MatSetPreallocationCOO(A, (PetscCount)c.i.size(), c.i.data(), c.j.data()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void know_coo(Twins &t, int s, const Coordinates &c)
{
  t.slot[s].coo         = true;
  t.slot[s].coo_n       = (PetscCount)c.i.size();
  t.slot[s].coo_pattern = -1; /* as it is now */
}

/* The plan of the coordinates is PETSc's for as long as the pattern stays. */
bool coo_holds(const Slot &s) { return s.coo && s.coo_pattern == s.pattern; }

Step create_coo(Twins &t, const Op &o)
{
  const Shape       s    = random_shape(t, o);
  const Coordinates c    = coordinates(t, s, o.seed);
  const int         d    = (int)o.slot[0];
  const auto        seed = o.seed;
  Step              step;

  step.run = [=, &t]() -> PetscErrorCode {
    Mat A;
    PetscFunctionBegin;
    PetscCall(begin_matrix(t, s, true, &A));
    PetscCall(preallocate_coo(t, A, "made", c));
    PetscCall(set_coo(t, A, "made", (PetscCount)c.i.size(), seed, INSERT_VALUES));
    PetscCall(t.put(d, A));
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  step.touched = {d};
  step.after   = [=, &t] {
    t.learn(d, 10);
    know_coo(t, d, c);
  };
  return step;
}

Step coo_again(Twins &t, const Op &o)
{
  const int  a    = t.pick(o.slot[0], coo_holds);
  const auto mode = o.p[0] % 2 ? ADD_VALUES : INSERT_VALUES;
  Step       step;
  if (a < 0) return step;
  step.run     = [=, &t, seed = o.seed]() -> PetscErrorCode { return set_coo(t, t(a), t.name(a).c_str(), t.slot[a].coo_n, seed, mode); };
  step.touched = {a};
  step.after   = [=, &t] { t.slot[a].size += 10; };
  return step;
}

/* Another pattern by coordinates, into a matrix that may have one. */
Step coo_anew(Twins &t, const Op &o)
{
  const int a = t.pick(o.slot[0], [&](const Slot &s) { return t.is_aij(s) && s.made.by.empty() && !t.takes_own_rows_only(s); });
  Step      step;
  if (a < 0) return step;
  const Shape       s{t.slot[a].m(), t.slot[a].n(), 1, {}, {}};
  const Coordinates c = coordinates(t, s, o.seed);
  step.run            = [=, &t, seed = o.seed]() -> PetscErrorCode {
    PetscFunctionBegin;
    PetscCall(preallocate_coo(t, t(a), t.name(a).c_str(), c));
    PetscCall(set_coo(t, t(a), t.name(a).c_str(), (PetscCount)c.i.size(), seed, ADD_VALUES));
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  step.touched = {a};
  step.after   = [=, &t] {
    const bool stored = t.slot[a].stored; /* PETSc keeps those values, and the room that they have */
    t.learn(a, t.slot[a].size + 10);
    t.slot[a].stored = stored;
    know_coo(t, a, c);
  };
  return step;
}

} // namespace

std::vector<Operation> creating()
{
  return {
    {"create", 8, create},
    {"create_coo", 3, create_coo},
    {"coo_again", 4, coo_again},
    {"coo_anew", 3, coo_anew},
  };
}

} // namespace goza_fuzz
