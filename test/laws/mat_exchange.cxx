/* Laws of every Goza Mat type: matrices made from others - duplicates, copies, conversions, COO, files, transposes, products. */
#include "../support/mat_case.hpp"

#include <algorithm>
#include <sstream>

using namespace goza_test;

namespace {

void check_is(Mat A, const std::string &type, const std::string &what)
{
  MatType now;
  PETSC_OK(MatGetType(A, &now));
  BOOST_CHECK_MESSAGE(type == now, what << ": type " << now << " instead of " << type);
}

/* A is a plain AIJ matrix of PETSc's now, and acts like R. */
void check_plain(const MatCase &c, Mat A, Mat R, const std::string &type, const std::string &what)
{
  MatCase plain = c;
  plain.type    = {type, type, false};
  plain.check_same(A, R, what);
}

void duplicate(const MatCase &c)
{
  MatHandle A = c.ours(), R = c.aij();

  for (MatDuplicateOption how : {MAT_COPY_VALUES, MAT_DO_NOT_COPY_VALUES, MAT_SHARE_NONZERO_PATTERN}) {
    MatHandle B, S;
    PETSC_OK(MatDuplicate(A, how, B.put()));
    PETSC_OK(MatDuplicate(R, how, S.put()));
    c.check_same(B, S, "duplicate");
    to_both(B, S, [](Mat M) { PETSC_OK(MatScale(M, 2)); });
    fill(c.entry, B, 3);
    fill(c.entry, S, 3);
    c.check_same(B, S, "changed duplicate");
    c.check_same(A, R, "original after change of duplicate");
  }
  /* the copy outlives the original */
  MatHandle B;
  PETSC_OK(MatDuplicate(A, MAT_COPY_VALUES, B.put()));
  A.reset();
  c.check_same(B, R, "duplicate after destruction of the original");
}

void copy(const MatCase &c)
{
  MatHandle R = c.aij(), R2 = c.aij();
  PETSC_OK(MatScale(R2, 4));

  for (MatStructure structure : {SAME_NONZERO_PATTERN, DIFFERENT_NONZERO_PATTERN}) {
    MatHandle A = c.ours(), B = c.ours();
    PETSC_OK(MatScale(B, 4));
    PETSC_OK(MatCopy(B, A, structure));
    c.check_same(A, R2, "ours from ours");
    PETSC_OK(MatCopy(R, A, structure));
    c.check_same(A, R, "ours from aij");
    MatHandle P = c.aij();
    PETSC_OK(MatCopy(B, P, structure));
    check_entries(P, R2, "aij from ours");
  }
}

/* Into a matrix that has all places of the source, and more. */
void copy_into_larger_pattern(const MatCase &c)
{
  Entry more = c.entry;
  more.row   = [row = c.entry.row, cols = c.entry.cols](PetscInt i, Row &out) {
    row(i, out);
    const PetscInt extra = (i * 11 + 5) % cols;
    if (std::find(out.col.begin(), out.col.end(), extra) == out.col.end()) out.add(extra, 2);
  };
  MatHandle A = assemble(more, c.type.set.c_str()), R = assemble(more, c.base()), from = c.ours(), from_r = c.aij();

  PETSC_OK(MatCopy(from, A, DIFFERENT_NONZERO_PATTERN));
  PETSC_OK(MatCopy(from_r, R, DIFFERENT_NONZERO_PATTERN));
  c.check_same(A, R, "copied");
}

void convert_to_aij(const MatCase &c)
{
  std::vector<std::string> targets{c.base()};
  /* PETSc's own aijcusparse takes device vectors only */
  if (PetscDefined(HAVE_CUDA) && vec_names().size() > 1 && c.vec != VECSTANDARD) targets.push_back(std::string(c.base()) + "cusparse");
  for (const auto &target : targets) {
    MatHandle A = c.ours(), R = c.aij(), B;

    PETSC_OK(MatConvert(A, target.c_str(), MAT_INITIAL_MATRIX, B.put()));
    check_plain(c, B, R, target, "initial");
    c.check_same(A, R, "the original");
    to_both(A, R, [](Mat M) { PETSC_OK(MatScale(M, -2)); });
    PETSC_OK(MatConvert(A, target.c_str(), MAT_REUSE_MATRIX, B.get()));
    check_plain(c, B, R, target, "reuse");
    PETSC_OK(MatConvert(A, target.c_str(), MAT_INPLACE_MATRIX, A.get()));
    check_plain(c, A, R, target, "in place");
    PETSC_OK(MatConvert(A, c.type.set.c_str(), MAT_INPLACE_MATRIX, A.get()));
    c.check_same(A, R, "in place and back");
  }
}

void convert_from_aij(const MatCase &c)
{
  std::vector<std::string> sources{c.base()};
  if (PetscDefined(HAVE_CUDA) && vec_names().size() > 1) sources.push_back(std::string(c.base()) + "cusparse");
  for (const auto &source : sources) {
    MatHandle A = assemble(c.entry, source.c_str()), R = c.aij(), B;

    PETSC_OK(MatConvert(A, c.type.set.c_str(), MAT_INITIAL_MATRIX, B.put()));
    c.check_same(B, R, "initial");
    check_is(A, source, "the original");
    to_both(A, R, [](Mat M) { PETSC_OK(MatScale(M, -2)); });
    PETSC_OK(MatConvert(A, c.type.set.c_str(), MAT_REUSE_MATRIX, B.get()));
    c.check_same(B, R, "reuse");
    PETSC_OK(MatConvert(A, c.type.set.c_str(), MAT_INPLACE_MATRIX, A.get()));
    c.check_same(A, R, "in place");
    /* a change after the conversion */
    fill(c.entry, A, 0.25);
    fill(c.entry, R, 0.25);
    c.check_same(A, R, "filled after the conversion");
  }
}

void convert_to_same(const MatCase &c)
{
  MatHandle A = c.ours(), R = c.aij(), B;

  PETSC_OK(MatConvert(A, MATSAME, MAT_INITIAL_MATRIX, B.put()));
  c.check_same(B, R, "MATSAME");
  PETSC_OK(MatConvert(A, c.type.is.c_str(), MAT_INPLACE_MATRIX, A.get()));
  c.check_same(A, R, "its own type");
}

void convert_to_dense(const MatCase &c)
{
  MatHandle A = c.ours(), R = c.aij(), D;
  VecHandle x = vector_like(R, false, VECSTANDARD, 1), got = filled_with_nan(R, true, VECSTANDARD), want = vector_like(R, true, VECSTANDARD, 2),
            bound = rounding_bound(R, x, nullptr);

  PETSC_OK(MatConvert(A, MATDENSE, MAT_INITIAL_MATRIX, D.put()));
  PETSC_OK(MatMult(D, x, got));
  PETSC_OK(MatMult(R, x, want));
  PetscInt cols;
  PETSC_OK(MatGetSize(R, nullptr, &cols));
  PETSC_OK(VecScale(bound, 1 + cols)); /* a dense row is as long as the matrix is wide */
  check_close(got, want, bound, "dense");
  to_both(A, R, [](Mat M) { PETSC_OK(MatScale(M, -2)); });
  PETSC_OK(MatConvert(A, MATDENSE, MAT_REUSE_MATRIX, D.get()));
  PETSC_OK(MatMult(D, x, got));
  PETSC_OK(MatMult(R, x, want));
  PETSC_OK(VecScale(bound, 2));
  check_close(got, want, bound, "dense, reused");
  PETSC_OK(MatConvert(A, MATDENSE, MAT_INPLACE_MATRIX, A.get()));
  PETSC_OK(MatMult(A, x, got));
  check_close(got, want, bound, "dense, in place");
}

struct Coo {
  std::vector<PetscInt>    i, j;
  std::vector<PetscScalar> v;
};

/* Every entry in two halves, given by a rank that does not own it; every fifth with a companion that has a negative index and counts for nothing. */
Coo coo_of(const Entry &e)
{
  PetscMPIInt rank, size;
  Coo         coo;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  const auto add = [&](PetscInt i, PetscInt j, PetscScalar v) {
    coo.i.push_back(i);
    coo.j.push_back(j);
    coo.v.push_back(v);
  };
  for (PetscInt row = rank; row < e.rows; row += size) {
    Row r;
    e.row(row, r);
    for (std::size_t k = 0; k < r.col.size(); k++) {
      add(row, r.col[k], (PetscReal)0.25 * r.val[k]);
      if ((row + (PetscInt)k) % 5 == 0) add(k % 2 ? -1 : row, k % 2 ? r.col[k] : -1, 1e10);
    }
    for (std::size_t k = r.col.size(); k-- > 0;) add(row, r.col[k], (PetscReal)0.75 * r.val[k]);
  }
  return coo;
}

MatHandle coo_matrix(const Entry &e, const char *type, Coo &coo)
{
  MatHandle A;
  PetscInt  m, n;
  local_sizes(e, PETSC_COMM_WORLD, &m, &n);
  PETSC_OK(MatCreate(PETSC_COMM_WORLD, A.put()));
  PETSC_OK(MatSetSizes(A, m, n, e.rows, e.cols));
  PETSC_OK(MatSetType(A, type));
  PETSC_OK(MatSetFromOptions(A));
  PETSC_OK(MatSetPreallocationCOO(A, (PetscCount)coo.i.size(), coo.i.data(), coo.j.data()));
  return A;
}

/* values may be in device memory: those of a CUDA vector */
void set_coo(const MatCase &c, Mat A, const std::vector<PetscScalar> &v, InsertMode mode)
{
  PetscBool plain;
  PETSC_OK(PetscObjectTypeCompareAny((PetscObject)A, &plain, MATSEQAIJ, MATMPIAIJ, ""));
  if (c.vec == VECSTANDARD || plain) { /* PETSc's AIJ reads arrays of the host alone */
    PETSC_OK(MatSetValuesCOO(A, v.data(), mode));
    return;
  }
  VecHandle          d;
  PetscScalar       *host;
  const PetscScalar *device;
  PetscMemType       where;
  PETSC_OK(VecCreate(PETSC_COMM_SELF, d.put()));
  PETSC_OK(VecSetSizes(d, (PetscInt)v.size(), PETSC_DETERMINE));
  PETSC_OK(VecSetType(d, c.vec.c_str()));
  PETSC_OK(VecGetArrayWrite(d, &host));
  std::copy(v.begin(), v.end(), host);
  PETSC_OK(VecRestoreArrayWrite(d, &host));
  PETSC_OK(VecGetArrayReadAndMemType(d, &device, &where));
  BOOST_TEST((v.empty() || !PetscMemTypeHost(where)));
  PETSC_OK(MatSetValuesCOO(A, device, mode));
  PETSC_OK(VecRestoreArrayReadAndMemType(d, &device));
}

/* What was copied or converted takes coordinates as any other matrix of its type. */
void coo_of_copies(const MatCase &c, Mat A, Mat R)
{
  MatHandle duplicate, converted;

  PETSC_OK(MatDuplicate(A, MAT_DO_NOT_COPY_VALUES, duplicate.put()));
  PETSC_OK(MatConvert(A, c.base(), MAT_INITIAL_MATRIX, converted.put()));
  for (Mat M : {static_cast<Mat>(duplicate), static_cast<Mat>(converted)}) {
    Coo data = coo_of(c.entry), again = data;
    PETSC_OK(MatSetPreallocationCOO(M, (PetscCount)data.i.size(), data.i.data(), data.j.data()));
    PETSC_OK(MatSetValuesCOO(M, data.v.data(), INSERT_VALUES));
    PETSC_OK(MatSetPreallocationCOO(R, (PetscCount)again.i.size(), again.i.data(), again.j.data()));
    PETSC_OK(MatSetValuesCOO(R, data.v.data(), INSERT_VALUES));
    check_entries(M, R, "copy, then COO", 20);
  }
  c.check_same(duplicate, R, "duplicate, then COO", 20);
}

void coo(const MatCase &c)
{
  Coo  data = coo_of(c.entry), again = data; /* PETSc may change the index arrays */
  auto halves = data.v;
  for (auto &v : halves) v *= -2;
  MatHandle A = coo_matrix(c.entry, c.type.set.c_str(), data), R = coo_matrix(c.entry, c.base(), again);

  set_coo(c, A, data.v, INSERT_VALUES);
  PETSC_OK(MatSetValuesCOO(R, data.v.data(), INSERT_VALUES));
  c.check_same(A, R, "first values", 20);
  set_coo(c, A, halves, ADD_VALUES);
  PETSC_OK(MatSetValuesCOO(R, halves.data(), ADD_VALUES));
  PetscReal size;
  PETSC_OK(MatNorm(R, NORM_FROBENIUS, &size));
  c.check_same(A, R, "added values", 20, size);
  set_coo(c, A, halves, INSERT_VALUES);
  PETSC_OK(MatSetValuesCOO(R, halves.data(), INSERT_VALUES));
  c.check_same(A, R, "inserted values", 20);
  PETSC_OK(MatBindToCPU(A, PETSC_TRUE));
  for (InsertMode mode : {INSERT_VALUES, ADD_VALUES}) {
    const auto &v = mode == ADD_VALUES ? halves : data.v;
    PETSC_OK(MatSetValuesCOO(A, v.data(), mode));
    PETSC_OK(MatSetValuesCOO(R, v.data(), mode));
    c.check_same(A, R, "bound to the CPU", 20, size);
  }
  PETSC_OK(MatBindToCPU(A, PETSC_FALSE));
  set_coo(c, A, halves, INSERT_VALUES);
  PETSC_OK(MatSetValuesCOO(R, halves.data(), INSERT_VALUES));
  c.check_same(A, R, "free again", 20);

  /* and the same as assembly of -2 times the entry */
  MatHandle S = c.aij();
  PETSC_OK(MatScale(S, -2));
  check_entries(A, S, "COO against MatSetValues", 20);

  /* another pattern into the same matrix */
  Entry transposed_like = c.entry;
  transposed_like.row   = [cols = c.entry.cols](PetscInt i, Row &r) {
    if (cols) r.add((i * 7 + 2) % cols, 1 + uniform(i, i));
  };
  Coo other = coo_of(transposed_like), other_r = other;
  PETSC_OK(MatSetPreallocationCOO(A, (PetscCount)other.i.size(), other.i.data(), other.j.data()));
  PETSC_OK(MatSetPreallocationCOO(R, (PetscCount)other_r.i.size(), other_r.i.data(), other_r.j.data()));
  set_coo(c, A, other.v, INSERT_VALUES);
  PETSC_OK(MatSetValuesCOO(R, other.v.data(), INSERT_VALUES));
  c.check_same(A, R, "other pattern", 20);
  coo_of_copies(c, A, R);
}

/* without the lines that name the type */
std::string without_type(const std::string &text)
{
  std::istringstream in(text);
  std::string        line, out;
  while (std::getline(in, line))
    if (line.find("type:") == std::string::npos && line.find("Mat Object") == std::string::npos) out += line + "\n";
  return out;
}

void view_ascii(const MatCase &c)
{
  MatHandle A = c.ours(), R = c.aij();

  BOOST_TEST(without_type(printed(A, PETSC_VIEWER_DEFAULT)) == without_type(printed(R, PETSC_VIEWER_DEFAULT)));
  BOOST_TEST(printed(A, PETSC_VIEWER_ASCII_INFO).find("type: " + c.type.is) != std::string::npos);
  BOOST_TEST(printed(A, PETSC_VIEWER_ASCII_INFO_DETAIL).find(c.type.is) != std::string::npos);
}

void view_binary(const MatCase &c)
{
  MatHandle     A = c.ours(), R = c.aij();
  TemporaryFile file;
  {
    ViewerHandle viewer;
    PETSC_OK(PetscViewerBinaryOpen(PETSC_COMM_WORLD, file.name(), FILE_MODE_WRITE, viewer.put()));
    PETSC_OK(MatView(A, viewer));
  }
  const auto loaded = [&](const char *type) {
    MatHandle    B;
    ViewerHandle viewer;
    PetscInt     m, n;
    local_sizes(c.entry, PETSC_COMM_WORLD, &m, &n);
    PETSC_OK(PetscViewerBinaryOpen(PETSC_COMM_WORLD, file.name(), FILE_MODE_READ, viewer.put()));
    PETSC_OK(MatCreate(PETSC_COMM_WORLD, B.put()));
    PETSC_OK(MatSetSizes(B, m, n, PETSC_DECIDE, PETSC_DECIDE));
    PETSC_OK(MatSetType(B, type));
    PETSC_OK(MatLoad(B, viewer));
    return B;
  };
  const MatHandle L = loaded(c.type.set.c_str());
  PetscInt        bs, its;
  PETSC_OK(MatGetBlockSize(R, &bs));
  PETSC_OK(MatGetBlockSize(L, &its));
  BOOST_TEST(its == bs);
  c.check_same(L, R, "loaded as ours");
  check_entries(loaded(c.base()), R, "loaded as aij");
}

void transpose(const MatCase &c)
{
  MatHandle A = c.ours(), R = c.aij(), T, TR;

  PETSC_OK(MatTranspose(A, MAT_INITIAL_MATRIX, T.put()));
  PETSC_OK(MatTranspose(R, MAT_INITIAL_MATRIX, TR.put()));
  c.check_same(T, TR, "new");
  to_both(A, R, [](Mat M) { PETSC_OK(MatScale(M, 2)); });
  PETSC_OK(MatTranspose(A, MAT_REUSE_MATRIX, T.get()));
  PETSC_OK(MatTranspose(R, MAT_REUSE_MATRIX, TR.get()));
  c.check_same(T, TR, "reused");
  PETSC_OK(MatTranspose(A, MAT_INPLACE_MATRIX, A.get()));
  c.check_same(A, TR, "in place");
}

/* C and D come from the same sums of products in perhaps another order. */
void check_product(Mat C, Mat D, const std::string &what)
{
  PetscReal size;
  PETSC_OK(MatNorm(D, NORM_FROBENIUS, &size));
  check_entries(C, D, what, 100, size);
  VecHandle x = vector_like(D, false, VECSTANDARD, 4), got = filled_with_nan(D, true, VECSTANDARD), want = vector_like(D, true, VECSTANDARD, 4),
            bound = rounding_bound(D, x, nullptr);
  PETSC_OK(MatMult(C, x, got));
  PETSC_OK(MatMult(D, x, want));
  PETSC_OK(VecShift(bound, 1000 * PETSC_MACHINE_EPSILON * size)); /* the entries differ in the last places already */
  check_close(got, want, bound, what + ": product");
}

/* f(A, B, reuse, C): our matrix with ours, ours with aij, aij with ours; new and reused with other values. */
template <class F> void products(const MatCase &c, const std::string &what, F f)
{
  MatHandle A = c.ours(), R = c.aij(), C, C1, C2, D;

  f(A, A, MAT_INITIAL_MATRIX, C.put());
  f(A, R, MAT_INITIAL_MATRIX, C1.put());
  f(R, A, MAT_INITIAL_MATRIX, C2.put());
  f(R, R, MAT_INITIAL_MATRIX, D.put());
  check_product(C, D, what + " (ours, ours)");
  check_product(C1, D, what + " (ours, aij)");
  check_product(C2, D, what + " (aij, ours)");
  to_both(A, R, [](Mat M) { PETSC_OK(MatScale(M, 2)); });
  f(A, A, MAT_REUSE_MATRIX, C.get());
  f(R, R, MAT_REUSE_MATRIX, D.get());
  check_product(C, D, what + " reused");
}

void product_ab(const MatCase &c)
{
  products(c, "A B", [](Mat A, Mat B, MatReuse r, Mat *C) { PETSC_OK(MatMatMult(A, B, r, PETSC_DEFAULT, C)); });
}

void product_atb(const MatCase &c)
{
  products(c, "A' B", [](Mat A, Mat B, MatReuse r, Mat *C) { PETSC_OK(MatTransposeMatMult(A, B, r, PETSC_DEFAULT, C)); });
}

void product_ptap(const MatCase &c)
{
  products(c, "P' A P", [](Mat A, Mat P, MatReuse r, Mat *C) { PETSC_OK(MatPtAP(A, P, r, PETSC_DEFAULT, C)); });
}

/* What DMs and geometric multigrid do: a rectangular aij interpolation. */
void product_ptap_rectangular(const MatCase &c)
{
  Entry P = c.entry;
  P.name  = "interpolation";
  P.cols  = (c.entry.rows + 2) / 3;
  P.bs    = 1;
  P.row   = [cols = P.cols](PetscInt i, Row &r) {
    r.add(i / 3, 1);
    if (i / 3 + 1 < cols && i % 3) r.add(i / 3 + 1, 0.5);
  };
  MatHandle A = c.ours(), R = c.aij(), PA, C, D;
  P.layout = c.entry.layout;
  PA       = [&] { /* row layout must be that of A, whatever the block size */
             MatHandle B;
             PetscInt  m, n = PETSC_DECIDE, cols = P.cols;
             PETSC_OK(MatGetLocalSize(R, &m, nullptr));
             PETSC_OK(PetscSplitOwnership(PETSC_COMM_WORLD, &n, &cols));
             PETSC_OK(MatCreate(PETSC_COMM_WORLD, B.put()));
             PETSC_OK(MatSetSizes(B, m, n, P.rows, P.cols));
             PETSC_OK(MatSetType(B, c.base()));
             PETSC_OK(MatSetUp(B));
             fill(P, B);
             return B;
  }();
  PETSC_OK(MatPtAP(A, PA, MAT_INITIAL_MATRIX, PETSC_DEFAULT, C.put()));
  PETSC_OK(MatPtAP(R, PA, MAT_INITIAL_MATRIX, PETSC_DEFAULT, D.put()));
  check_product(C, D, "P' A P");
  to_both(A, R, [](Mat M) { PETSC_OK(MatScale(M, 3)); });
  PETSC_OK(MatPtAP(A, PA, MAT_REUSE_MATRIX, PETSC_DEFAULT, C.get()));
  PETSC_OK(MatPtAP(R, PA, MAT_REUSE_MATRIX, PETSC_DEFAULT, D.get()));
  check_product(C, D, "P' A P again");
}

const AddTests add([] {
  add_mat_laws(
    {
      {"duplicate", duplicate},
      {"copy", copy},
      {"copy_into_larger_pattern", copy_into_larger_pattern, nonempty},
      {"convert_to_aij", convert_to_aij},
      {"convert_from_aij", convert_from_aij},
      {"convert_to_same", convert_to_same},
      {"convert_to_dense", convert_to_dense, nonempty},
      {"coo", coo},
      {"view_ascii", view_ascii},
      {"view_binary", view_binary},
      {"transpose", transpose},
      {"product_ab", product_ab, square},
      {"product_atb", product_atb, nonempty},
      {"product_ptap", product_ptap, square},
      {"product_ptap_rectangular", product_ptap_rectangular, square | nonempty},
    },
    false);
});

} // namespace
