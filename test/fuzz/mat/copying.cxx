/* Matrices made from one other: duplicates, conversions, transposes, submatrices, files. */
#include "operations.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <unistd.h>

namespace goza_fuzz {
namespace {

/* A new matrix from slot a into slot d, or the one that is there again. make(A, reuse, &B) is the call; text what it is called. */
template <class F> Step one_from_one(Twins &t, const Op &o, const char *by, long how, int a, F make)
{
  Step step;
  if (a < 0) return step;
  int d = t.pick(o.slot[1], [&](const Slot &s) { return s.made.by == by && s.made.how == how && s.made.from[0] == a && t.may_reuse((int)(&s - t.slot)); });

  const bool again = d >= 0 && d != a && o.p[2] % 3;
  if (!again) d = (int)o.slot[1];
  step.run = [=, &t]() -> PetscErrorCode {
    Mat B = again ? t(d) : nullptr;
    PetscFunctionBegin;
    if (t.telling()) t.say("made = %s", again ? t.name(d).c_str() : "NULL");
    PetscCall(make(t(a), again ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX, again ? "MAT_REUSE_MATRIX" : "MAT_INITIAL_MATRIX", &B));
    PetscCall(t.put(d, B));
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  step.touched = {d};
  if (a != d) step.touched.push_back(a);
  step.after = [=, &t, made = t.made(by, how, a)] { t.learn(d, t.slot[a].size, a == d ? Made() : made); };
  return step;
}

Step duplicate(Twins &t, const Op &o)
{
  static const MatDuplicateOption hows[]  = {MAT_COPY_VALUES, MAT_COPY_VALUES, MAT_DO_NOT_COPY_VALUES, MAT_SHARE_NONZERO_PATTERN};
  static const char *const        names[] = {"MAT_COPY_VALUES", "MAT_COPY_VALUES", "MAT_DO_NOT_COPY_VALUES", "MAT_SHARE_NONZERO_PATTERN"};
  /* PETSc's defect: a duplicate's duplicate crashes */
  const int  a    = t.pick(o.slot[0], [&](const Slot &s) { return !t.is(s, MATSEQSELL) && !t.is(s, MATMPISELL); });
  const bool baij = a >= 0 && (t.is(t.slot[a], MATSEQBAIJ) || t.is(t.slot[a], MATMPIBAIJ));
  const long how  = o.p[0] % (baij ? 3 : 4); /* PETSc's defect: BAIJ matrices that share a pattern free it where one gets new entries */
  Op         anew = o;
  anew.p[2]       = 0; /* never into what is there */
  return one_from_one(t, anew, "duplicate", 0, a, [=, &t](Mat A, MatReuse, const char *, Mat *B) -> PetscErrorCode {
    PetscFunctionBegin;
    TOLD(t, MatDuplicate(A, hows[how], B), "MatDuplicate(A[%d], %s, &made)", a, names[how]);
    PetscFunctionReturn(PETSC_SUCCESS);
  });
}

/* What slot a may be converted to: by its name on PETSc's side, and on ours. */
struct Target {
  std::string petscs, ours;
};

PetscInt block_size(const Slot &s)
{
  PetscInt rows = 1, cols = 1;
  if (MatGetBlockSizes(s.mat[PETSCS], &rows, &cols)) return 1;
  return std::max(rows, cols);
}

Target target(const Twins &t, const Slot &s, long which)
{
  const std::string        form    = t.is(s, MATMPIAIJ) ? "mpiaij" : t.is(s, MATSEQAIJ) ? "seqaij" : t.ranks > 1 ? "mpiaij" : "seqaij";
  static const char *const roots[] = {"cds", "fold", "slicedell", "autoformat"};
  const bool               owning  = t.type.rfind("own", 0) == 0;
  if (!t.is_plain(s)) which -= which % 12 - 1; /* PETSc's own ways between its other types crash: BAIJ to SELL */
  else if (owning && (which % 12 == 4 || which % 12 == 6 || which % 12 == 7))
    which -= which % 12 - 1; /* its BAIJ, SELL and IS of entries that are not whole blocks multiply wrongly */
  which -= which % 12 - 1;   /* its transposed products of SELL, and products of a BAIJ's duplicate, are wrong for some patterns */
  switch (which % 12) {
  case 0:
    return {MATSAME, MATSAME};
  case 1:
  case 2:
    return {form, form};
  case 3:
    return {MATDENSE, MATDENSE};
  case 4: /* PETSc's defect: the room of an MPIBAIJ's block row is counted in the first of its rows, and a rank where that is too little says so to no other */
    return form == "mpiaij" && t.ranks > 1 && block_size(s) > 1 ? Target{form, form} : Target{MATBAIJ, MATBAIJ};
  case 5:
    return {form == "mpiaij" ? MATMPIAIJPERM : MATSEQAIJPERM, form == "mpiaij" ? MATMPIAIJPERM : MATSEQAIJPERM};
  case 6: /* PETSc 3.18's way from MPIAIJ leaves a matrix without layouts */
    return form == "mpiaij" ? Target{form, form} : Target{MATSELL, MATSELL};
  case 7:
    return {MATIS, MATIS};
  case 8:
    return {form, form + roots[which / 12 % 4]};
  default:
    if (which % 2 && owning) return {form, t.type};
    return which % 2 && form.rfind("mpi", 0) == t.type.rfind("mpi", 0) ? Target{form, t.type} : Target{form, roots[which / 12 % 4]};
  }
}

Step convert(Twins &t, const Op &o)
{
  const int a = t.pick(o.slot[0]);
  if (a < 0) return {};
  const Target to = target(t, t.slot[a], o.p[0]);
  if (to.ours == MATIS && !t.slot[a].square()) return {};
  return one_from_one(t, o, "convert", o.p[0] % 60, a, [=, &t](Mat A, MatReuse reuse, const char *how, Mat *B) -> PetscErrorCode {
    const auto &type = t.side == OURS ? to.ours : to.petscs;
    PetscFunctionBegin;
    TOLD(t, MatConvert(A, type.c_str(), reuse, B), "MatConvert(A[%d], goza ? \"%s\" : \"%s\", %s, &made)", a, to.ours.c_str(), to.petscs.c_str(), how);
    PetscFunctionReturn(PETSC_SUCCESS);
  });
}

Step convert_in_place(Twins &t, const Op &o)
{
  const int a = t.pick(o.slot[0]);
  Step      step;
  if (a < 0) return step;
  const Target to = target(t, t.slot[a], o.p[0]);
  if (to.ours == MATIS) return step;
  step.run = [=, &t]() -> PetscErrorCode {
    const auto &type = t.side == OURS ? to.ours : to.petscs;
    PetscFunctionBegin;
    TOLD(t, MatConvert(t(a), type.c_str(), MAT_INPLACE_MATRIX, &t(a)), "MatConvert(A[%d], goza ? \"%s\" : \"%s\", MAT_INPLACE_MATRIX, &A[%d])", a,
         to.ours.c_str(), to.petscs.c_str(), a);
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  step.touched = {a};
  step.after   = [=, &t] {
    /* of the same type it is the same matrix, with the values that it has stored and what COO has left of it */
    const bool stored = t.slot[a].stored, coo = t.slot[a].coo;
    t.learn(a, t.slot[a].size);
    t.slot[a].stored      = stored;
    t.slot[a].coo         = coo;
    t.slot[a].coo_pattern = std::numeric_limits<double>::infinity();
  };
  return step;
}

Step transpose(Twins &t, const Op &o)
{
  const int a = t.pick(o.slot[0]);
  return one_from_one(t, o, "transpose", 0, a, [=, &t](Mat A, MatReuse reuse, const char *how, Mat *B) -> PetscErrorCode {
    PetscFunctionBegin;
    TOLD(t, MatTranspose(A, reuse, B), "MatTranspose(A[%d], %s, &made)", a, how);
    PetscFunctionReturn(PETSC_SUCCESS);
  });
}

Step transpose_in_place(Twins &t, const Op &o)
{
  const int a = t.pick(o.slot[0], [&](const Slot &s) { return t.is_aij(s); });
  Step      step;
  if (a < 0) return step;
  step.run = [=, &t]() -> PetscErrorCode {
    PetscFunctionBegin;
    TOLD(t, MatTranspose(t(a), MAT_INPLACE_MATRIX, &t(a)), "MatTranspose(A[%d], MAT_INPLACE_MATRIX, &A[%d])", a, a);
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  step.touched = {a};
  step.after   = [=, &t] { /* one that is known to be symmetric stays the matrix that it is, with the values that it has stored */
                         const bool stored = t.slot[a].stored;
                         t.learn(a, t.slot[a].size);
                         t.slot[a].stored = stored;
  };
  return step;
}

/* A product's operand: the transpose as a matrix of its own kind, without entries. */
Step transposed_view(Twins &t, const Op &o)
{
  const int a    = t.pick(o.slot[0], [&](const Slot &s) { return t.is_aij(s) && !t.narrow; });
  Op        anew = o;
  anew.p[2]      = 0;
  return one_from_one(t, anew, "", 0, a, [=, &t](Mat A, MatReuse, const char *, Mat *B) -> PetscErrorCode {
    PetscFunctionBegin;
    TOLD(t, MatCreateTranspose(A, B), "MatCreateTranspose(A[%d], &made)", a);
    PetscFunctionReturn(PETSC_SUCCESS);
  });
}

std::vector<PetscInt> some(PetscInt start, PetscInt end, long how, Rng &rng)
{
  std::vector<PetscInt> list;
  for (PetscInt i = start; i < end; i++)
    if (how == 0 || rng.chance(60)) list.push_back(i);
  if (how == 2) std::reverse(list.begin(), list.end());
  return list;
}

PetscErrorCode index_set(Twins &t, const char *name, const std::vector<PetscInt> &list, const char *comm_name, MPI_Comm comm, IS *is)
{
  PetscFunctionBegin;
  if (t.telling()) {
    const auto text = t.listed("PetscInt", "is", list.data(), (PetscInt)list.size());
    t.say("ISCreateGeneral(%s, %d, %s, PETSC_COPY_VALUES, &%s)", comm_name, (int)list.size(), text.c_str(), name);
  }
  PetscCall(ISCreateGeneral(comm, (PetscInt)list.size(), list.data(), PETSC_COPY_VALUES, is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

Step submatrix(Twins &t, const Op &o)
{
  const int  a    = t.pick(o.slot[0], [&](const Slot &s) { return t.is_aij(s); });
  const long kind = o.p[0] % 3, seed = o.p[1];
  return one_from_one(t, o, "submatrix", 3 * seed + kind, a, [=, &t](Mat A, MatReuse reuse, const char *how, Mat *B) -> PetscErrorCode {
    Rng         rng(seed * 5 + t.rank);
    const Slot &s = t.slot[a];
    IS          rows, cols;
    PetscFunctionBegin;
    PetscCall(index_set(t, "rows", some(s.rows[t.rank], s.rows[t.rank + 1], kind, rng), "PETSC_COMM_WORLD", PETSC_COMM_WORLD, &rows));
    PetscCall(index_set(t, "cols", some(s.cols[t.rank], s.cols[t.rank + 1], kind == 2 ? 1 : kind, rng), "PETSC_COMM_WORLD", PETSC_COMM_WORLD, &cols));
    TOLD(t, MatCreateSubMatrix(A, rows, cols, reuse, B), "MatCreateSubMatrix(A[%d], rows, cols, %s, &made)", a, how);
    TOLD(t, ISDestroy(&rows), "ISDestroy(&rows)");
    TOLD(t, ISDestroy(&cols), "ISDestroy(&cols)");
    PetscFunctionReturn(PETSC_SUCCESS);
  });
}

/* As ASM does: sequential submatrices, perhaps converted, looked at, the same again, and destroyed. */
Step submatrices(Twins &t, const Op &o)
{
  const int  a      = t.pick(o.slot[0], [&](const Slot &s) { return t.is_aij(s); });
  const long change = o.p[0] % 4;
  Step       step;
  if (a < 0) return step;
  step.run = [=, &t, seed = o.seed]() -> PetscErrorCode {
    Rng         rng(seed + t.rank);
    const Slot &s = t.slot[a];
    IS          rows, cols;
    Mat        *subs;
    PetscReal   size;
    PetscFunctionBegin;
    PetscCall(index_set(t, "rows", some(0, s.m(), 1, rng), "PETSC_COMM_SELF", PETSC_COMM_SELF, &rows));
    PetscCall(index_set(t, "cols", some(0, s.n(), 1, rng), "PETSC_COMM_SELF", PETSC_COMM_SELF, &cols));
    TOLD(t, MatCreateSubMatrices(t(a), 1, &rows, &cols, MAT_INITIAL_MATRIX, &subs), "MatCreateSubMatrices(A[%d], 1, &rows, &cols, MAT_INITIAL_MATRIX, &subs)",
         a);
    if (change == 1)
      TOLD(t, MatCreateSubMatrices(t(a), 1, &rows, &cols, MAT_REUSE_MATRIX, &subs), "MatCreateSubMatrices(A[%d], 1, &rows, &cols, MAT_REUSE_MATRIX, &subs)", a);
    if (change == 2) {
      const std::string to   = t.type_here(t.type.rfind("mpiaij", 0) == 0 ? "seqaij" + t.type.substr(6) : "seqaij" + t.type),
                        type = to.rfind("mpi", 0) == 0 || t.side == PETSCS ? MATSEQAIJ : to;
      TOLD(t, MatConvert(subs[0], type.c_str(), MAT_INPLACE_MATRIX, &subs[0]), "MatConvert(subs[0], goza ? \"%s\" : \"seqaij\", MAT_INPLACE_MATRIX, &subs[0])",
           type.c_str());
    }
    if (change == 3) TOLD(t, MatScale(subs[0], 2), "MatScale(subs[0], 2)");
    PetscCall(MatNorm(subs[0], NORM_FROBENIUS, &size));
    t.note(size * size, s.size * s.size * 3600);
    Vec x, y;
    PetscCall(MatCreateVecs(subs[0], &x, &y));
    PetscCall(VecSet(x, 1));
    TOLD(t, MatMult(subs[0], x, y), "multiply(subs[0])");
    PetscCall(VecNorm(y, NORM_1, &size));
    t.note(size, s.size * 3600);
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&y));
    TOLD(t, MatDestroySubMatrices(1, &subs), "MatDestroySubMatrices(1, &subs)");
    TOLD(t, ISDestroy(&rows), "ISDestroy(&rows)");
    TOLD(t, ISDestroy(&cols), "ISDestroy(&cols)");
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  step.touched = {a};
  return step;
}

Step permute(Twins &t, const Op &o)
{
  const int a    = t.pick(o.slot[0], [&](const Slot &s) { return t.is_aij(s) && s.square(); });
  Op        anew = o;
  anew.p[2]      = 0;
  return one_from_one(t, anew, "", 0, a, [=, &t](Mat A, MatReuse, const char *, Mat *B) -> PetscErrorCode {
    const Slot           &s = t.slot[a];
    std::vector<PetscInt> order;
    IS                    rows;
    PetscFunctionBegin;
    for (PetscInt i = s.rows[t.rank + 1]; i-- > s.rows[t.rank];) order.push_back(i);
    PetscCall(index_set(t, "rows", order, "PETSC_COMM_WORLD", PETSC_COMM_WORLD, &rows));
    if (t.ranks == 1) PetscCall(ISSetPermutation(rows));
    TOLD(t, MatPermute(A, rows, rows, B), "MatPermute(A[%d], rows, rows, &made)", a);
    TOLD(t, ISDestroy(&rows), "ISDestroy(&rows)");
    PetscFunctionReturn(PETSC_SUCCESS);
  });
}

/* A name of all ranks' for a file that is gone afterwards, with what PETSc writes beside it. */
struct ScratchFile {
  std::string name;

  ScratchFile()
  {
    int of_first = (int)getpid();
    MPI_Bcast(&of_first, 1, MPI_INT, 0, PETSC_COMM_WORLD);
    name = (std::filesystem::temp_directory_path() / ("fuzz_mat_" + std::to_string(of_first))).string();
  }
  ~ScratchFile()
  {
    std::error_code none; /* another rank was first */
    MPI_Barrier(PETSC_COMM_WORLD);
    std::filesystem::remove(name, none);
    std::filesystem::remove(name + ".info", none);
  }
};

/* Written in PETSc's binary format and read as the type of the case. */
Step through_file(Twins &t, const Op &o)
{
  const int a    = t.pick(o.slot[0], [&](const Slot &s) { return t.is_aij(s); });
  Op        anew = o;
  anew.p[2]      = 0;
  return one_from_one(t, anew, "", 0, a, [=, &t](Mat A, MatReuse, const char *, Mat *B) -> PetscErrorCode {
    const ScratchFile scratch;
    const char       *file = scratch.name.c_str();
    const Slot       &s    = t.slot[a];
    const std::string type = t.type_here(t.type);
    PetscViewer       viewer;
    PetscBool         mpiaij;
    Mat               block;
    PetscFunctionBegin;
    TOLD(t, PetscViewerBinaryOpen(PETSC_COMM_WORLD, file, FILE_MODE_WRITE, &viewer),
         "PetscViewerBinaryOpen(PETSC_COMM_WORLD, \"%s\", FILE_MODE_WRITE, &viewer)", file);
    PetscCall(PetscObjectTypeCompare((PetscObject)A, MATMPIAIJ, &mpiaij));
    if (mpiaij && t.ranks == 1) { /* it writes that of its diagonal block, which COO leaves 1 */
      TOLD(t, MatGetDiagonalBlock(A, &block), "MatGetDiagonalBlock(A[%d], &block)", a);
      TOLD(t, MatSetBlockSizesFromMats(block, A, A), "MatSetBlockSizesFromMats(block, A[%d], A[%d])", a, a);
    }
    TOLD(t, MatView(A, viewer), "MatView(A[%d], viewer)", a);
    TOLD(t, PetscViewerDestroy(&viewer), "PetscViewerDestroy(&viewer)");
    TOLD(t, PetscViewerBinaryOpen(PETSC_COMM_WORLD, file, FILE_MODE_READ, &viewer), "PetscViewerBinaryOpen(PETSC_COMM_WORLD, \"%s\", FILE_MODE_READ, &viewer)",
         file);
    TOLD(t, MatCreate(PETSC_COMM_WORLD, B), "MatCreate(PETSC_COMM_WORLD, &made)");
    TOLD(t, MatSetSizes(*B, s.rows[t.rank + 1] - s.rows[t.rank], s.cols[t.rank + 1] - s.cols[t.rank], s.m(), s.n()), "MatSetSizes(made, %d, %d, %d, %d)",
         (int)(s.rows[t.rank + 1] - s.rows[t.rank]), (int)(s.cols[t.rank + 1] - s.cols[t.rank]), (int)s.m(), (int)s.n());
    TOLD(t, MatSetType(*B, type.c_str()), "MatSetType(made, type)");
    TOLD(t, MatLoad(*B, viewer), "MatLoad(made, viewer)");
    TOLD(t, PetscViewerDestroy(&viewer), "PetscViewerDestroy(&viewer)");
    PetscFunctionReturn(PETSC_SUCCESS);
  });
}

Step forget(Twins &t, const Op &o)
{
  const int a    = t.pick(o.slot[0]);
  int       live = 0;
  Step      step;
  for (const auto &s : t.slot) live += s.live();
  if (live < 2) return step;
  step.run = [=, &t]() -> PetscErrorCode {
    PetscFunctionBegin;
    TOLD(t, MatDestroy(&t(a)), "MatDestroy(&A[%d])", a);
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  step.after = [=, &t] { t.slot[a] = Slot(); };
  return step;
}

} // namespace

std::vector<Operation> copying()
{
  return {
    {"duplicate", 8, duplicate},
    {"convert", 9, convert},
    {"convert_in_place", 4, convert_in_place},
    {"transpose", 5, transpose},
    {"transpose_in_place", 2, transpose_in_place},
    {"transposed_view", 1, transposed_view},
    {"submatrix", 4, submatrix},
    {"submatrices", 4, submatrices},
    {"permute", 1, permute},
    {"through_file", 1, through_file},
    {"forget", 4, forget},
  };
}

} // namespace goza_fuzz
