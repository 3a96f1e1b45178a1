/* Laws of every Goza Mat type: what PETSc finds by the exact name of AIJ - conversions, the blocks that -mat_seqaij_type makes - it finds for ours too. */
#include "../support/mat_case.hpp"

#include <petscdmda.h>

using namespace goza_test;

namespace {

using Mats = std::vector<std::string>;

/* PETSc puts a dense matrix into a parallel one of 3.18 place by place. */
bool is_small(const MatCase &c) { return c.entry.rows * c.entry.cols < 5000; }

void same_type(Mat A, Mat R, const std::string &what)
{
  MatType now, want;
  PETSC_OK(MatGetType(A, &now));
  PETSC_OK(MatGetType(R, &want));
  BOOST_CHECK_MESSAGE(std::string(now) == want, what << ": type " << now << " instead of " << want);
}

/* M x is R x, for M of any type and R an aij matrix: more roundings where M stores zeros as well. */
void acts_like(Mat M, Mat R, const std::string &what)
{
  PetscInt  rows, cols;
  VecHandle x = vector_like(R, false, VECSTANDARD, 3), got = filled_with_nan(R, true, VECSTANDARD), want = vector_like(R, true, VECSTANDARD, 3),
            bound = rounding_bound(R, x, nullptr);

  PETSC_OK(MatGetSize(R, &rows, &cols));
  PETSC_OK(VecScale(bound, 8 + cols));
  PETSC_OK(MatMult(M, x, got));
  PETSC_OK(MatMult(R, x, want));
  check_close(got, want, bound, what);
}

MatHandle convert(Mat A, const std::string &type)
{
  MatHandle B;
  PETSC_OK(MatConvert(A, type.c_str(), MAT_INITIAL_MATRIX, B.put()));
  return B;
}

/* The types that PETSc converts an aij matrix to, and back from. */
Mats other_types(const MatCase &c)
{
  Mats names{c.sized("baij")};

  if (is_small(c)) names.push_back(c.sized("dense"));
  /* PETSc 3.18 crashes on the others */
  if (c.entry.layout == Layout::even) names.insert(names.end(), {c.sized("sell"), MATIS});
  if (c.entry.has(symmetric) && c.entry.bs == 1) names.push_back(c.sized("sbaij"));
#if PetscDefined(HAVE_SCALAPACK)
  PetscMPIInt size;
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  /* PETSc itself stops at dense on the way back, and wants as many rows on every rank */
  if (c.type.ours && c.entry.has(square) && c.entry.rows < 100 && c.entry.layout == Layout::even && c.entry.rows % (size * c.entry.bs) == 0)
    names.push_back(MATSCALAPACK);
#endif
  return names;
}

void mark_symmetric(const MatCase &c, Mat M)
{
  if (c.entry.has(symmetric)) PETSC_OK(MatSetOption(M, MAT_SYMMETRIC, PETSC_TRUE));
}

void convert_to_others(const MatCase &c)
{
  const Mats subtypes{c.sized("aijperm"), c.sized("aijsell")};
  Mats       types = other_types(c);

  types.insert(types.end(), subtypes.begin(), subtypes.end());
  for (const auto &type : types) {
    MatHandle A = c.ours(), R = c.aij(), B, S;
    to_both(A, R, [&](Mat M) { mark_symmetric(c, M); });

    B = convert(A, type);
    S = convert(R, type);
    same_type(B, S, "initial");
    acts_like(B, R, type + ", initial");
    c.check_same(A, R, type + ": the original");
    to_both(A, R, [](Mat M) { PETSC_OK(MatScale(M, -2)); });
    if (type != subtypes[0] && type != subtypes[1]) { /* for these PETSc does nothing */
      PETSC_OK(MatConvert(A, type.c_str(), MAT_REUSE_MATRIX, B.get()));
      acts_like(B, R, type + ", reused");
    }
    S.reset();
    PETSC_OK(MatDuplicate(R, MAT_COPY_VALUES, S.put()));
    mark_symmetric(c, S);
    for (MatHandle *M : {&A, &S}) PETSC_OK(MatConvert(*M, type.c_str(), MAT_INPLACE_MATRIX, M->get()));
    same_type(A, S, "in place");
    acts_like(A, R, type + ", in place");
  }
}

void convert_from_others(const MatCase &c)
{
  for (const auto &type : other_types(c)) {
    MatHandle R = c.aij(), X, A;

    mark_symmetric(c, R);
    X = convert(R, type);
    PETSC_OK(MatConvert(X, c.type.set.c_str(), MAT_INITIAL_MATRIX, A.put()));
    c.check_type(A, type + ", initial");
    acts_like(A, R, type + ", initial");
    to_both(X, R, [](Mat M) { PETSC_OK(MatScale(M, -2)); });
    PETSC_OK(MatConvert(X, c.type.set.c_str(), MAT_REUSE_MATRIX, A.get()));
    c.check_type(A, type + ", reused");
    acts_like(A, R, type + ", reused");
    PETSC_OK(MatConvert(X, c.type.set.c_str(), MAT_INPLACE_MATRIX, X.get()));
    c.check_type(X, type + ", in place");
    acts_like(X, R, type + ", in place");
  }
}

/* S (x) I + T (x) A, of two unknowns a node, with the values that A has when it multiplies. PETSc compares the name of the type on one rank, and of the blocks
   on several: of its own AIJPERM and AIJCUSPARSE it makes none either. */
void kaij(const MatCase &c)
{
  const PetscScalar S[] = {1, 2, -1, 3}, T[] = {2, 0.5, 0, -1};
  const bool        on_device = vec_names().size() > 1, by_name = c.type.ours && (!c.parallel() || on_device);
  MatHandle         A = c.ours(), R = c.aij(), K, L;
  PetscReal         off, size;
  PetscMPIInt       ranks;
  PetscBool         plain;

  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  PETSC_OK(PetscObjectTypeCompare((PetscObject)(Mat)R, ranks == 1 ? MATSEQAIJ : MATMPIAIJ, &plain));
  if (!plain) return;
  if (by_name) {
    MatHandle other = convert(R, on_device ? "aijcusparse" : MATAIJPERM);

    for (Mat M : {(Mat)A, (Mat)other}) {
      const Outcome said = attempt([&] { return MatCreateKAIJ(M, 2, 2, S, T, K.put()); });
      MatType       type;

      PETSC_OK(MatGetType(M, &type));
      BOOST_TEST((said.failed && (c.parallel() || said.says(type))), said.message);
    }
    PETSC_OK(MatConvert(A, c.base(), MAT_INPLACE_MATRIX, A.get()));
  }
  PETSC_OK(MatCreateKAIJ(A, 2, 2, S, T, K.put()));
  PETSC_OK(MatCreateKAIJ(R, 2, 2, S, T, L.put()));
  for (const char *what : {"I S + A T", "I S + 3 A T"}) {
    VecHandle x = vector_like(L, true, VECSTANDARD, 1), y = filled_with_nan(L, false, VECSTANDARD), want = vector_like(L, false, VECSTANDARD, 2);

    PETSC_OK(MatMult(K, x, y));
    PETSC_OK(MatMult(L, x, want));
    PETSC_OK(VecAXPY(y, -1, want));
    PETSC_OK(VecNorm(y, NORM_2, &off));
    PETSC_OK(VecNorm(want, NORM_2, &size));
    BOOST_TEST(off <= 100 * PETSC_MACHINE_EPSILON * size, what);
    to_both(A, R, [](Mat M) { PETSC_OK(MatScale(M, 3)); });
  }
}

/* PETSc 3.18 coarsens a graph by heavy edges where its type is AIJ by its exact name, and crashes otherwise. */
void graph(const MatCase &c)
{
  MatHandle A = c.ours(), R = c.aij(), G, H;

#if PETSC_VERSION_GE(3, 21, 0)
  to_both(A, R, [&](Mat M) { PETSC_OK(MatCreateGraph(M, PETSC_TRUE, PETSC_TRUE, -1, 0, nullptr, M == (Mat)A ? G.put() : H.put())); });
#else
  to_both(A, R, [&](Mat M) { PETSC_OK(MatCreateGraph(M, PETSC_TRUE, PETSC_TRUE, -1, M == (Mat)A ? G.put() : H.put())); });
#endif
  MatType now;
  PETSC_OK(MatGetType(G, &now));
  BOOST_CHECK_MESSAGE(c.sized("aij") + (vec_names().size() > 1 ? "cusparse" : "") == now, "graph: type " << now);
  acts_like(convert(G, MATAIJ), H, "graph"); /* PETSc's aijcusparse gives zero of host vectors */
}

/* What ASM does: submatrices that PETSc destroys by a function of its own, converted in place, while other matrices of one rank are there. */
void converted_submatrices(const MatCase &c)
{
  const std::string type = "seqaij" + c.type.is.substr(6);
  MatHandle         A = c.ours(), R = c.aij(), before = assemble(c.entry, type.c_str(), Prealloc::exact, PETSC_COMM_SELF), after;
  ISHandle          rows, cols;
  Mat              *some, *others;
  PetscInt          m, n;

  PETSC_OK(MatGetSize(R, &m, &n));
  PETSC_OK(ISCreateStride(PETSC_COMM_SELF, (m + 1) / 2, 0, 2, rows.put()));
  PETSC_OK(ISCreateStride(PETSC_COMM_SELF, n, 0, 1, cols.put()));
  const IS row = rows, col = cols;

  PETSC_OK(MatCreateSubMatrices(A, 1, &row, &col, MAT_INITIAL_MATRIX, &some));
  PETSC_OK(MatCreateSubMatrices(R, 1, &row, &col, MAT_INITIAL_MATRIX, &others));
  PETSC_OK(MatConvert(some[0], type.c_str(), MAT_INPLACE_MATRIX, &some[0]));
  before.reset();
  after = assemble(c.entry, type.c_str(), Prealloc::exact, PETSC_COMM_SELF);
  acts_like(some[0], others[0], "submatrix");
  to_both(some[0], others[0], [](Mat M) { /* puts PETSc's operations back for a while */
                                          PETSC_OK(MatAssemblyBegin(M, MAT_FINAL_ASSEMBLY));
                                          PETSC_OK(MatAssemblyEnd(M, MAT_FINAL_ASSEMBLY));
  });
  PETSC_OK(MatDestroySubMatrices(1, &some));
  after.reset();
  PETSC_OK(MatDestroySubMatrices(1, &others));
}

/* --- -mat_seqaij_type: every SeqAIJ that PETSc makes is ours */

void multiplies_like(Mat M, Mat R)
{
  MatHandle C, D;
  PetscReal off, size;

  PETSC_OK(MatMatMult(M, M, MAT_INITIAL_MATRIX, PETSC_DEFAULT, C.put()));
  PETSC_OK(MatMatMult(R, R, MAT_INITIAL_MATRIX, PETSC_DEFAULT, D.put()));
  VecHandle x = vector_like(D, false, VECSTANDARD, 3), got = filled_with_nan(D, true, VECSTANDARD), want = vector_like(D, true, VECSTANDARD, 3);

  PETSC_OK(MatMult(C, x, got));
  PETSC_OK(MatMult(D, x, want));
  PETSC_OK(VecAXPY(got, -1, want));
  PETSC_OK(VecNorm(got, NORM_2, &off));
  PETSC_OK(VecNorm(want, NORM_2, &size));
  BOOST_TEST(off <= 100 * PETSC_MACHINE_EPSILON * size, "product: " << off << " of " << size);
}

void seqaij_option(const MatCase &c, const std::string &named)
{
  MatHandle          R = c.aij(), B = convert(R, c.sized("baij")), D = is_small(c) ? convert(R, c.sized("dense")) : MatHandle();
  const Option       option("-mat_seqaij_type", named);
  MatCase            made = c;
  const std::string &is   = c.type.is;

  made.type = c.parallel() ? MatName{c.base(), c.base(), false} : MatName{is, is, c.type.ours};

  MatHandle P = assemble(c.entry, c.base()), A = c.ours();
  made.check_same(P, R, "made as aij");
  c.check_same(A, R, "made as ours");
  for (Mat M : {static_cast<Mat>(P), static_cast<Mat>(A)}) {
    const MatCase &as = M == (Mat)A ? c : made;
    MatHandle      copy, converted;

    PETSC_OK(MatDuplicate(M, MAT_COPY_VALUES, copy.put()));
    as.check_same(copy, R, "duplicate");
    PETSC_OK(MatConvert(M, c.type.set.c_str(), MAT_INITIAL_MATRIX, converted.put()));
    c.check_same(converted, R, "to ours");
    PETSC_OK(MatConvert(copy, c.type.set.c_str(), MAT_INPLACE_MATRIX, copy.get()));
    c.check_same(copy, R, "to ours in place");
    acts_like(convert(M, c.sized("baij")), R, "to baij");
    if (c.entry.has(square)) multiplies_like(M, R);
  }
  for (Mat M : {static_cast<Mat>(B), static_cast<Mat>(D)}) {
    if (!M) continue;
    acts_like(convert(M, c.base()), R, "to aij");
    acts_like(convert(M, c.type.set), R, "to ours");
  }
  converted_submatrices(c);
}

void blocks_by_option(const MatCase &c)
{
  const std::string root = c.type.is.substr(6);

  if (!root.empty()) seqaij_option(c, "seqaij" + root);
  if (c.type.ours) seqaij_option(c, root);
}

/* --- a DM's view, in natural ordering, is the duplicate's as well */

std::string viewed(Mat A)
{
  const std::string text = printed(A, PETSC_VIEWER_ASCII_COMMON);
  return text.substr(text.find('\n') + 1 < text.size() ? text.find("row 0") : 0); /* without the lines that name the type */
}

DM grid_with(const std::string &type)
{
  DM da;

  PETSC_OK(
    DMDACreate2d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 5, 4, PETSC_DECIDE, PETSC_DECIDE, 1, 1, nullptr, nullptr, &da));
  PETSC_OK(DMSetMatType(da, type.c_str()));
  PETSC_OK(DMSetUp(da));
  return da;
}

/* What -mat_view ::ascii_info says, without the name of the type and our own lines. */
std::string info_of_dm_matrix(const std::string &type)
{
  DM          da = grid_with(type);
  std::string said;
  {
    MatHandle A;
    PETSC_OK(DMCreateMatrix(da, A.put()));
    PETSC_OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PETSC_OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    std::istringstream lines(printed(A, PETSC_VIEWER_ASCII_INFO));
    for (std::string line; std::getline(lines, line);)
      if (line.find("type:") == std::string::npos && line.find("Goza") == std::string::npos) said += line + "\n";
  }
  PETSC_OK(DMDestroy(&da));
  return said;
}

void duplicate_of_dm_matrix(const std::string &type)
{
  DM da = grid_with(type);

  for (bool used : {false, true}) {
    MatHandle A, B, C;
    PetscInt  start, end;

    PETSC_OK(DMCreateMatrix(da, A.put()));
    PETSC_OK(MatGetOwnershipRange(A, &start, &end));
    for (PetscInt i = start; i < end; i++) PETSC_OK(MatSetValue(A, i, i, i + 1, INSERT_VALUES));
    PETSC_OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PETSC_OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    const std::string want = used ? viewed(A) : "";
    PETSC_OK(MatDuplicate(A, MAT_COPY_VALUES, B.put()));
    BOOST_TEST(viewed(B) == (used ? want : viewed(A)));
    PETSC_OK(MatDuplicate(B, MAT_COPY_VALUES, C.put()));
    BOOST_TEST(viewed(C) == viewed(A));
    PETSC_OK(MatConvert(C, MATAIJ, MAT_INPLACE_MATRIX, C.get()));
    BOOST_TEST(viewed(C) == viewed(A), "converted in place");
  }
  PETSC_OK(DMDestroy(&da));
}

const AddTests add([] {
  add_mat_laws(
    {
      {"convert_to_others", convert_to_others, nonempty},
      {"convert_from_others", convert_from_others, nonempty},
      {"kaij", kaij, square | nonempty},
      {"graph", graph, square | nonempty | symmetric},
      {"converted_submatrices", converted_submatrices},
      {"blocks_by_option", blocks_by_option},
    },
    false);
  for (const MatName &type : mat_names())
    if (type.set.rfind("mpi", 0) != 0) {
      boost::unit_test::test_suite *suite = suite_named(suite_named(nullptr, type.set), "dm");
      add_test(suite, "duplicate", [type] { duplicate_of_dm_matrix(type.set); });
      add_test(suite, "info", [type] { BOOST_TEST(info_of_dm_matrix(type.set) == info_of_dm_matrix(vec_names().size() > 1 ? "aijcusparse" : MATAIJ)); });
    }
});

} // namespace
