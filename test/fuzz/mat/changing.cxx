/* What changes a matrix. */
#include "operations.hpp"

namespace goza_fuzz {
namespace {

const auto any = [](const Slot &) { return true; };

/* Of a matrix that is there still, perhaps with stored values: PETSc writes past their end when they are stored again with more entries. */
void learn_again(Twins &t, int a, PetscReal size, const Made &how = Made())
{
  const bool stored = t.slot[a].stored;
  t.learn(a, size, how);
  t.slot[a].stored = stored;
}

/* One slot, one call: the frame of most of what is here. */
template <class F> Step on_one(Twins &t, int a, F f)
{
  Step step;
  if (a < 0) return step;
  step.run     = [&t, a, f]() -> PetscErrorCode { return f(t(a)); };
  step.touched = {a};
  step.after   = [&t, a] {
    const Slot before = t.slot[a];
    t.learn(a, before.size);
    Slot &now = t.slot[a];
    now.id = before.id, now.made = before.made, now.stored = before.stored;
    now.coo = before.coo, now.coo_n = before.coo_n, now.coo_pattern = before.coo_pattern;
  };
  return step;
}

PetscErrorCode assemble(Twins &t, int a, MatAssemblyType type)
{
  const char *how = type == MAT_FINAL_ASSEMBLY ? "MAT_FINAL_ASSEMBLY" : "MAT_FLUSH_ASSEMBLY";
  PetscFunctionBegin;
  TOLD(t, MatAssemblyBegin(t(a), type), "MatAssemblyBegin(A[%d], %s)", a, how);
  TOLD(t, MatAssemblyEnd(t(a), type), "MatAssemblyEnd(A[%d], %s)", a, how);
  PetscFunctionReturn(PETSC_SUCCESS);
}

Step set_values(Twins &t, const Op &o)
{
  const int  a     = t.pick(o.slot[0], [&](const Slot &s) {
    return (t.is_aij(s) && !(s.coo && t.ranks > 1)) /* after COO PETSc 3.18's parallel matrix crashes */ || t.is(s, MATSEQDENSE) || t.is(s, MATMPIDENSE) ||
           t.is(s, MATSEQBAIJ) || t.is(s, MATMPIBAIJ);
  });
  const auto mode  = o.p[0] % 2 ? ADD_VALUES : INSERT_VALUES;
  const long how   = o.p[1] % 6;
  const auto seed  = o.seed;
  const bool local = how < 4 || (a >= 0 && t.takes_own_rows_only(t.slot[a]));
  return on_one(t, a, [=, &t](Mat A) -> PetscErrorCode {
    const Slot    &s = t.slot[a];
    Rng            rng(seed + 101 * t.rank);
    const PetscInt start = s.rows[t.rank], mine = s.rows[t.rank + 1] - start;

    PetscFunctionBegin;
    TOLD(t, MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE), "MatSetOption(A[%d], MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE)", a);
    for (long k = rng.below(6); k-- > 0 && s.m() && s.n();) {
      const PetscInt i = local && mine ? start + (PetscInt)rng.below(mine) : (PetscInt)rng.below(s.m());
      if (local && !mine) break;
      const PetscInt j[2] = {how % 2 ? std::min<PetscInt>(i, s.n() - 1) : (PetscInt)rng.below(s.n()), rng.chance(10) ? -1 : (PetscInt)rng.below(s.n())};
      PetscScalar    v[2];
      for (int c = 0; c < 2; c++) v[c] = t.value(i, j[c], seed);
      if (t.telling()) {
        const auto jl = t.listed("PetscInt", "j", j, 2), vl = t.listed("v", v, 2);
        t.say("row = %d", (int)i);
        t.say("MatSetValues(A[%d], 1, &row, 2, %s, %s, %s)", a, jl.c_str(), vl.c_str(), mode_name(mode));
      }
      PetscCall(MatSetValues(A, 1, &i, 2, j, v, mode));
    }
    if (how == 3) PetscCall(assemble(t, a, MAT_FLUSH_ASSEMBLY));
    PetscCall(assemble(t, a, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(PETSC_SUCCESS);
  });
}

Step scale(Twins &t, const Op &o)
{
  Rng               rng(o.seed);
  const int         a = t.pick(o.slot[0]);
  const PetscScalar f = a < 0 ? 0 : t.factor(rng, t.slot[a].size);
  return on_one(t, a, [=, &t](Mat A) -> PetscErrorCode {
    PetscFunctionBegin;
    TOLD(t, MatScale(A, f), "MatScale(A[%d], %g)", a, (double)PetscRealPart(f));
    PetscFunctionReturn(PETSC_SUCCESS);
  });
}

Step shift(Twins &t, const Op &o)
{
  Rng               rng(o.seed);
  const int         a = t.pick(o.slot[0], [&](const Slot &s) {
    return s.square() && !t.is(s, MATSEQSELL) && !t.is(s, MATMPISELL); /* PETSc's defect: it puts diagonal entries that are not there where it has no room */
  });
  const PetscScalar f = a < 0 ? 0 : t.factor(rng, t.slot[a].size);
  return on_one(t, a, [=, &t](Mat A) -> PetscErrorCode {
    PetscFunctionBegin;
    TOLD(t, MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE), "MatSetOption(A[%d], MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE)", a);
    TOLD(t, MatShift(A, f), "MatShift(A[%d], %g)", a, (double)PetscRealPart(f));
    PetscFunctionReturn(PETSC_SUCCESS);
  });
}

Step zero_entries(Twins &t, const Op &o)
{
  const int a = t.pick(o.slot[0]);
  return on_one(t, a, [=, &t](Mat A) -> PetscErrorCode {
    PetscFunctionBegin;
    TOLD(t, MatZeroEntries(A), "MatZeroEntries(A[%d])", a);
    PetscFunctionReturn(PETSC_SUCCESS);
  });
}

Step diagonal_scale(Twins &t, const Op &o)
{
  const int  a    = t.pick(o.slot[0], [](const Slot &s) { return s.size < 1e6; });
  const long side = o.p[0] % 3;
  const auto seed = o.seed;
  return on_one(t, a, [=, &t](Mat A) -> PetscErrorCode {
    PetscFunctionBegin;
    Vec left = side != 1 ? t.vector(t.slot[a].rows, seed % 7 + 3) : nullptr;
    if (t.telling()) t.say("left = %s", side != 1 ? "v" : "NULL");
    Vec right = side != 0 ? t.vector(t.slot[a].cols, seed % 7 + 4) : nullptr;
    TOLD(t, MatDiagonalScale(A, left, right), "MatDiagonalScale(A[%d], left, %s)", a, right ? "v" : "NULL");
    PetscFunctionReturn(PETSC_SUCCESS);
  });
}

/* PETSc's defect: until the next assembly MatGetRow() of an MPIAIJ keeps the room that its longest row had before */
PetscErrorCode set_diagonal(Twins &t, int a, Mat A, Vec v, InsertMode mode)
{
  PetscFunctionBegin;
  TOLD(t, MatDiagonalSet(A, v, mode), "MatDiagonalSet(A[%d], v, %s)", a, mode_name(mode));
  TOLD(t, MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY), "MatAssemblyBegin(A[%d], MAT_FINAL_ASSEMBLY)", a);
  TOLD(t, MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY), "MatAssemblyEnd(A[%d], MAT_FINAL_ASSEMBLY)", a);
  PetscFunctionReturn(PETSC_SUCCESS);
}

Step diagonal_set(Twins &t, const Op &o)
{
  const int  a    = t.pick(o.slot[0], [&](const Slot &s) { return s.square() && t.is_aij(s); });
  const auto mode = o.p[0] % 2 ? ADD_VALUES : INSERT_VALUES;
  const auto seed = o.seed;
  return on_one(t, a, [=, &t](Mat A) -> PetscErrorCode {
    PetscFunctionBegin;
    TOLD(t, MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE), "MatSetOption(A[%d], MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE)", a);
    Vec d = t.vector(t.slot[a].rows, seed % 5 + 20);
    PetscCall(set_diagonal(t, a, A, d, mode));
    PetscFunctionReturn(PETSC_SUCCESS);
  });
}

std::vector<PetscInt> some_rows(const Twins &t, const Slot &s, std::uint64_t seed)
{
  Rng                   rng(seed + 17 * t.rank);
  std::vector<PetscInt> rows;
  for (PetscInt i = 0; i < s.m(); i++)
    if (rng.chance(10)) rows.push_back(i); /* also of other ranks */
  return rows;
}

Step zero_rows(Twins &t, const Op &o)
{
  const bool columns = o.p[0] % 3 == 0;
  const int  a       = t.pick(o.slot[0], [&](const Slot &s) { return s.square() && t.is_aij(s); });
  const auto keep    = o.p[1] % 2 ? PETSC_TRUE : PETSC_FALSE;
  const bool sides   = o.p[2] % 2;
  const auto seed    = o.seed;
  return on_one(t, a, [=, &t](Mat A) -> PetscErrorCode {
    const auto        rows = some_rows(t, t.slot[a], seed);
    const PetscScalar d    = (PetscScalar)(double)(seed % 3);

    PetscFunctionBegin;
    TOLD(t, MatSetOption(A, MAT_KEEP_NONZERO_PATTERN, keep), "MatSetOption(A[%d], MAT_KEEP_NONZERO_PATTERN, %s)", a, (keep ? "PETSC_TRUE" : "PETSC_FALSE"));
    TOLD(t, MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE), "MatSetOption(A[%d], MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE)", a);
    if (d != (PetscScalar)0) { /* where a row has no diagonal entry, PETSc tells one rank only, or goes on with an array that it has freed */
      Vec ones = t.vector(t.slot[a].rows, 900);
      TOLD(t, VecSet(ones, 1), "VecSet(v, 1)");
      PetscCall(set_diagonal(t, a, A, ones, ADD_VALUES));
    }
    Vec x = sides ? t.vector(t.slot[a].cols, 31) : nullptr, b = nullptr;
    if (sides) {
      PetscCall(VecDuplicate(x, &b));
      PetscCall(VecCopy(x, b));
    }
    if (t.telling()) {
      const auto list = t.listed("PetscInt", "rows", rows.data(), (PetscInt)rows.size());
      t.say("%s(A[%d], %d, %s, %g, %s, %s)", columns ? "MatZeroRowsColumns" : "MatZeroRows", a, (int)rows.size(), list.c_str(), (double)PetscRealPart(d),
            x ? "v" : "NULL", b ? "duplicate(v)" : "NULL");
    }
    PetscCall((columns ? MatZeroRowsColumns : MatZeroRows)(A, (PetscInt)rows.size(), rows.data(), d, x, b));
    if (b) {
      PetscReal size;
      PetscCall(VecNorm(b, NORM_1, &size));
      t.note(size, t.slot[a].size * 100);
      PetscCall(VecDestroy(&b));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  });
}

Step options(Twins &t, const Op &o)
{
  struct Choice {
    MatOption   option;
    const char *name;
    PetscBool   value;
  };
  /* none that says what is not so (symmetric) or what the other operations rely on; nor inodes again, with which PETSc's product fails on a rank of one row */
  static const Choice choices[] = {
    {MAT_ROW_ORIENTED, "MAT_ROW_ORIENTED", PETSC_TRUE},
    {MAT_KEEP_NONZERO_PATTERN, "MAT_KEEP_NONZERO_PATTERN", PETSC_TRUE},
    {MAT_IGNORE_ZERO_ENTRIES, "MAT_IGNORE_ZERO_ENTRIES", PETSC_FALSE},
    {MAT_USE_INODES, "MAT_USE_INODES", PETSC_FALSE},
    {MAT_IGNORE_ZERO_ENTRIES, "MAT_IGNORE_ZERO_ENTRIES", PETSC_TRUE},
    {MAT_NEW_NONZERO_LOCATIONS, "MAT_NEW_NONZERO_LOCATIONS", PETSC_TRUE},
    {MAT_SYMMETRIC, "MAT_SYMMETRIC", PETSC_FALSE},
    {MAT_NO_OFF_PROC_ZERO_ROWS, "MAT_NO_OFF_PROC_ZERO_ROWS", PETSC_FALSE},
  };
  const Choice &c = choices[o.p[0] % (long)PETSC_STATIC_ARRAY_LENGTH(choices)];
  const int     a = t.pick(o.slot[0]);
  return on_one(t, a, [=, &t](Mat A) -> PetscErrorCode {
    PetscFunctionBegin;
    TOLD(t, MatSetOption(A, c.option, c.value), "MatSetOption(A[%d], %s, %s)", a, c.name, (c.value ? "PETSC_TRUE" : "PETSC_FALSE"));
    PetscFunctionReturn(PETSC_SUCCESS);
  });
}

Step store(Twins &t, const Op &o)
{
  const int a    = t.pick(o.slot[0], [&](const Slot &s) { return t.is_aij(s) && !s.stored; });
  Step      step = on_one(t, a, [=, &t](Mat A) -> PetscErrorCode {
    PetscFunctionBegin;
    TOLD(t, MatSetOption(A, MAT_NEW_NONZERO_LOCATIONS, PETSC_FALSE), "MatSetOption(A[%d], MAT_NEW_NONZERO_LOCATIONS, PETSC_FALSE)", a);
    TOLD(t, MatStoreValues(A), "MatStoreValues(A[%d])", a);
    TOLD(t, MatSetOption(A, MAT_NEW_NONZERO_LOCATIONS, PETSC_TRUE), "MatSetOption(A[%d], MAT_NEW_NONZERO_LOCATIONS, PETSC_TRUE)", a);
    PetscFunctionReturn(PETSC_SUCCESS);
  });
  step.after     = [=, &t] {
    t.slot[a].stored = true;
    if (t.slot[a].made.by.empty()) t.slot[a].made = t.made("store", 0, -1); /* until the pattern moves */
  };
  return step;
}

Step retrieve(Twins &t, const Op &o)
{
  const int a = t.pick(o.slot[0], [](const Slot &s) { return s.stored && s.made.by == "store"; });
  if (a < 0 || !t.may_reuse(a)) return {};
  return on_one(t, a, [=, &t](Mat A) -> PetscErrorCode {
    PetscFunctionBegin;
    TOLD(t, MatSetOption(A, MAT_NEW_NONZERO_LOCATIONS, PETSC_FALSE), "MatSetOption(A[%d], MAT_NEW_NONZERO_LOCATIONS, PETSC_FALSE)", a);
    TOLD(t, MatRetrieveValues(A), "MatRetrieveValues(A[%d])", a);
    TOLD(t, assemble_plain(A), "goza ? 0 : (MatAssemblyBegin(A[%d], MAT_FINAL_ASSEMBLY), MatAssemblyEnd(A[%d], MAT_FINAL_ASSEMBLY))", a, a);
    TOLD(t, MatSetOption(A, MAT_NEW_NONZERO_LOCATIONS, PETSC_TRUE), "MatSetOption(A[%d], MAT_NEW_NONZERO_LOCATIONS, PETSC_TRUE)", a);
    PetscFunctionReturn(PETSC_SUCCESS);
  });
}

/* Two slots of one layout: Y and X. */
struct Two {
  int y, x;
};

Two two_alike(const Twins &t, const Op &o)
{
  const int y = t.pick(o.slot[0]);
  const int x = y < 0 ? -1 : t.pick(o.slot[1], [&](const Slot &s) {
    /* of others PETSc's MatAXPY() crashes: SELL, IS */
    return s.rows == t.slot[y].rows && s.cols == t.slot[y].cols && &s != &t.slot[y] && t.is_plain(s) && t.is_plain(t.slot[y]);
  });
  return {x < 0 ? -1 : y, x};
}

/* PETSc's sum of two types has the blocks of Y's rows on its columns, too. */
bool loses_blocks(Mat Y, Mat X)
{
  PetscBool same;
  PetscInt  rows, columns;

  PETSC_OK(PetscObjectObjectTypeCompare((PetscObject)X, (PetscObject)Y, &same));
  PETSC_OK(MatGetBlockSizes(Y, &rows, &columns));
  return !same && rows != columns;
}

/* structure: the same pattern is claimed only of what is known to have it, a duplicate. */
Step axpy(Twins &t, const Op &o)
{
  Rng rng(o.seed);
  Two s = two_alike(t, o);

  if (s.y >= 0 && loses_blocks(t.slot[s.y].mat[OURS], t.slot[s.x].mat[OURS])) s.y = -1;
  const bool        y_scaled = o.p[0] % 2, different = o.p[1] % 2;
  const auto        structure = different ? DIFFERENT_NONZERO_PATTERN : UNKNOWN_NONZERO_PATTERN;
  const PetscScalar f         = s.y < 0 ? 0 : t.factor(rng, t.slot[s.y].size + t.slot[s.x].size);
  Step              step      = on_one(t, s.y, [=, &t](Mat Y) -> PetscErrorCode {
    PetscFunctionBegin;
    if (t.telling())
      t.say("%s(A[%d], %g, A[%d], %s)", y_scaled ? "MatAYPX" : "MatAXPY", s.y, (double)PetscRealPart(f), s.x,
            different ? "DIFFERENT_NONZERO_PATTERN" : "UNKNOWN_NONZERO_PATTERN");
    PetscCall((y_scaled ? MatAYPX : MatAXPY)(Y, f, t(s.x), structure));
    PetscFunctionReturn(PETSC_SUCCESS);
  });
  if (step) {
    step.touched.push_back(s.x);
    step.after = [=, &t] { learn_again(t, s.y, 3 * (t.slot[s.y].size + t.slot[s.x].size)); };
  }
  return step;
}

Step copy(Twins &t, const Op &o)
{
  const Two  s    = two_alike(t, o);
  const bool same = s.y >= 0 && t.slot[s.y].made.by == "duplicate" && t.slot[s.y].made.from[0] == s.x && t.may_reuse(s.y) && o.p[0] % 2;
  Step       step = on_one(t, s.y, [=, &t](Mat Y) -> PetscErrorCode {
    PetscFunctionBegin;
    TOLD(t, MatCopy(t(s.x), Y, same ? SAME_NONZERO_PATTERN : DIFFERENT_NONZERO_PATTERN), "MatCopy(A[%d], A[%d], %s)", s.x, s.y,
         same ? "SAME_NONZERO_PATTERN" : "DIFFERENT_NONZERO_PATTERN");
    PetscFunctionReturn(PETSC_SUCCESS);
  });
  if (step) step.after = [=, &t] { learn_again(t, s.y, t.slot[s.x].size, same ? t.made("duplicate", 0, s.x) : Made()); };
  return step;
}

Step block_size(Twins &t, const Op &o)
{
  const int      a  = t.pick(o.slot[0]);
  const PetscInt bs = 1 + o.p[0] % 3;
  return on_one(t, a, [=, &t](Mat A) -> PetscErrorCode {
    PetscFunctionBegin;
    TOLD(t, MatSetBlockSize(A, bs), "MatSetBlockSize(A[%d], %d)", a, (int)bs);
    PetscFunctionReturn(PETSC_SUCCESS);
  });
}

Step bind(Twins &t, const Op &o)
{
  const int  a  = t.pick(o.slot[0]);
  const auto to = o.p[0] % 2 ? PETSC_TRUE : PETSC_FALSE;
  return on_one(t, a, [=, &t](Mat A) -> PetscErrorCode {
    PetscFunctionBegin;
    TOLD(t, MatBindToCPU(A, to), "MatBindToCPU(A[%d], %s)", a, (to ? "PETSC_TRUE" : "PETSC_FALSE"));
    PetscFunctionReturn(PETSC_SUCCESS);
  });
}

/* Settings read again between two products. */
Step from_options(Twins &t, const Op &o)
{
  const int a = t.pick(o.slot[0], [&](const Slot &s) { return t.is_aij(s); });
  return on_one(t, a, [=, &t](Mat A) -> PetscErrorCode {
    PetscFunctionBegin;
    TOLD(t, MatSetFromOptions(A), "MatSetFromOptions(A[%d])", a);
    PetscFunctionReturn(PETSC_SUCCESS);
  });
}

/* Values through the arrays of the AIJ data. */
Step array(Twins &t, const Op &o)
{
  const int a = t.pick(o.slot[0], [&](const Slot &s) { return t.is_aij(s); });
  return on_one(t, a, [=, &t](Mat A) -> PetscErrorCode {
    Mat       blocks[2] = {A, nullptr};
    PetscBool parallel;
    PetscFunctionBegin;
    PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, &parallel));
    if (parallel) TOLD(t, MatMPIAIJGetSeqAIJ(A, &blocks[0], &blocks[1], nullptr), "MatMPIAIJGetSeqAIJ(A[%d], &block, NULL, NULL)", a);
    else if (t.telling()) t.say("block = A[%d]", a);
    PetscScalar *v;
    MatInfo      info;
    PetscCall(MatGetInfo(blocks[0], MAT_LOCAL, &info));
    TOLD(t, MatSeqAIJGetArray(blocks[0], &v), "MatSeqAIJGetArray(block, &array)");
    if (info.nz_used > 0) v[0] = 3;
    if (t.telling() && info.nz_used > 0) t.say("array[0] = 3");
    TOLD(t, MatSeqAIJRestoreArray(blocks[0], &v), "MatSeqAIJRestoreArray(block, &array)");
    PetscFunctionReturn(PETSC_SUCCESS);
  });
}

Step chop(Twins &t, const Op &o)
{
  const int a = t.pick(o.slot[0], [&](const Slot &s) { return t.is_aij(s); });
  return on_one(t, a, [=, &t](Mat A) -> PetscErrorCode {
    PetscFunctionBegin;
#if PETSC_VERSION_LT(3, 20, 0)
    TOLD(t, MatChop(A, 1), "MatChop(A[%d], 1)", a);
#else
    TOLD(t, MatFilter(A, 1, PETSC_FALSE, PETSC_FALSE), "MatFilter(A[%d], 1, PETSC_FALSE, PETSC_FALSE)", a);
#endif
    PetscFunctionReturn(PETSC_SUCCESS);
  });
}

} // namespace

std::vector<Operation> changing()
{
  return {
    {"set_values", 14, set_values},
    {"scale", 8, scale},
    {"shift", 4, shift},
    {"zero_entries", 2, zero_entries},
    {"diagonal_scale", 4, diagonal_scale},
    {"diagonal_set", 4, diagonal_set},
    {"zero_rows", 6, zero_rows},
    {"options", 4, options},
    {"store", 4, store},
    {"retrieve", 6, retrieve},
    {"axpy", 8, axpy},
    {"copy", 6, copy},
    {"block_size", 2, block_size},
    {"bind", 2, bind},
    {"from_options", 3, from_options},
    {"array", 4, array},
    {"chop", 1, chop},
  };
}

} // namespace goza_fuzz
