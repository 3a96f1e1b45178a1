#include "league_groups.hpp"
#include "matrix_market.hpp"

#include <petscmat.h>
#include <stdexcept>
#include <sys/stat.h>

namespace goza_test {
namespace {

/* Beside PETSc's configuration, or where Debian has what is the same for all of them; empty: it is not installed. */
std::string folder()
{
  const char       *petsc;
  const std::string version = std::to_string(PETSC_VERSION_MAJOR) + "." + std::to_string(PETSC_VERSION_MINOR), inside = "/share/petsc/datafiles/matrices/";

  if (PetscGetPetscDir(&petsc)) return "";
  for (const std::string &top : {std::string(petsc), "/usr/share/petsc/" + version}) {
    struct stat found;

    if (!stat((top + inside).c_str(), &found)) return top + inside;
  }
  return "";
}

/* A file in PETSc's format for these scalars and indices. */
std::string of_this_petsc(const std::string &kind)
{
  return kind + "-int" + std::to_string(8 * sizeof(PetscInt)) + "-float" + std::to_string(8 * sizeof(PetscReal));
}

PetscErrorCode read_binary(const std::string &path, Sparse *A)
{
  PetscViewer viewer;
  Mat         mat;

  PetscFunctionBeginUser;
  PetscCall(PetscViewerBinaryOpen(PETSC_COMM_SELF, path.c_str(), FILE_MODE_READ, &viewer));
  PetscCall(MatCreate(PETSC_COMM_SELF, &mat));
  PetscCall(MatSetType(mat, MATSEQAIJ));
  PetscCall(MatLoad(mat, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(MatGetSize(mat, &A->rows, &A->cols));
  for (PetscInt i = 0; i < A->rows; i++) {
    PetscInt           n;
    const PetscInt    *col;
    const PetscScalar *val;

    PetscCall(MatGetRow(mat, i, &n, &col, &val));
    A->col.insert(A->col.end(), col, col + n);
    A->val.insert(A->val.end(), val, val + n);
    A->ptr.push_back(static_cast<PetscInt>(A->col.size()));
    PetscCall(MatRestoreRow(mat, i, &n, &col, &val));
  }
  PetscCall(MatDestroy(&mat));
  PetscFunctionReturn((PetscErrorCode)0);
}

} // namespace

void add_files(Problems &all)
{
  const std::string in  = folder();
  const auto        add = [&](const char *name, const std::string &file, const char *ksp) {
    struct stat found;

    if (in.empty() || stat((in + file).c_str(), &found)) return;
    all.push_back({"PETSc's datafiles", name, ksp, Family::reported,
                   [path = in + file](int) {
                     Sparse A;

                     if (is_matrix_market(path.c_str()) ? read_matrix_market(path.c_str(), &A) : read_binary(path, &A)) throw std::runtime_error(path);
                     return scalar(std::move(A));
                   },
                   Kind::given});
  };

  add("spd_12", of_this_petsc("spd-real"), "cg");
  add("nonsymmetric_12", of_this_petsc("ns-real"), "gmres");
  add("LFAT5", "LFAT5.mtx", "cg");
  add("amesos2_test_mat0", "amesos2_test_mat0.mtx", "gmres");
  add("m_05_05_crk", "m_05_05_crk.mtx", "gmres");
  if (sizeof(PetscInt) == 4 && sizeof(PetscScalar) == 8) {
    add("tiny_system", "tiny_system", "gmres");
    add("ritz2", "ritz2", "gmres");
    add("ritz5", "ritz5", "gmres");
  }
}

} // namespace goza_test
