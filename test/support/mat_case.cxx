#include "mat_case.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace goza_test {

std::string MatCase::storage_option() const
{
  const bool form = type.set.rfind("seqaij", 0) == 0 || type.set.rfind("mpiaij", 0) == 0;
  return "-mat_" + (form ? type.set.substr(6) : type.set) + "_precision";
}

bool MatCase::parallel() const
{
  PetscMPIInt size;

  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  return type.is.rfind("mpi", 0) == 0 || (type.is.rfind("own", 0) == 0 && size > 1);
}

MatHandle MatCase::ours() const
{
  MatHandle A = assemble(entry, type.set.c_str());
  VecHandle x = in(A), y = out(A);
  PETSC_OK(MatMult(A, x, y));
  return A;
}

MatHandle MatCase::aij() const
{
  PetscBool parallel;
  MatHandle A = assemble(entry, base());
  PETSC_OK(PetscObjectBaseTypeCompare((PetscObject)(Mat)A, MATMPIAIJ, &parallel));
  return A;
}

void MatCase::check_type(Mat A, const std::string &what) const
{
  MatType now;
  PETSC_OK(MatGetType(A, &now));
  BOOST_CHECK_MESSAGE(type.is == now, what << ": type " << now << " instead of " << type.is);
}

void MatCase::check_same(Mat A, Mat R, const std::string &what, PetscReal entries_eps, PetscReal floor) const
{
  PetscInt M, N;

  check_type(A, what);
  PETSC_OK(MatGetSize(R, &M, &N));

  VecHandle  x = in(R), got = junk(R), want = out(R), bound = this->bound(R, x, nullptr);
  const long before = kernel_count();
  PETSC_OK(MatMult(A, x, got));
  /* a rank without rows, and a matrix without entries, need not launch anything */
  const bool ran = kernel_count() > before;
  if (type.ours && M && N) BOOST_CHECK_MESSAGE(any_rank(ran), what << ": Goza's product did not run");
  PETSC_OK(MatMult(R, x, want));
  check_close(got, want, bound, what + ": MatMult");

  VecHandle y = out(R), got_t = junk_in(R), want_t = in(R), bound_t = rounding_bound(R, y, nullptr, true);
  PETSC_OK(MatMultTranspose(A, y, got_t));
  PETSC_OK(MatMultTranspose(R, y, want_t));
  check_close(got_t, want_t, bound_t, what + ": MatMultTranspose");

  check_entries(A, R, what + ": MatGetRow", entries_eps, floor);
}

void add_mat_laws(const std::vector<MatLaw> &laws, bool all_precisions)
{
  for (const auto &type : mat_names())
    for (const auto &storage : storage_names()) {
      const bool narrow = storage.name != storage_names().front().name;
      if (narrow && (!all_precisions || !type.ours || type.set != MatCase{type, "", gallery().front()}.storage_option().substr(5, type.set.size())))
        continue; /* the two forms share all that a precision touches */
      for (const auto &vec : vec_names())
        for (const auto &entry : gallery()) {
          auto *suite = suite_named(suite_named(suite_named(nullptr, narrow ? type.set + "_" + storage.name : type.set), vec), entry.name);
          for (const auto &law : laws)
            if (entry.has(law.needs))
              add_test(suite, law.name, [=, &entry, run = law.law] {
                const MatCase c{type, vec, entry, storage};
                const Option  stored(c.storage_option(), storage.name);
                run(c);
              });
        }
    }
}

std::vector<PetscInt> some_rows(Mat M, PetscInt step)
{
  PetscInt              start, end, rows;
  std::vector<PetscInt> list;

  PETSC_OK(MatGetSize(M, &rows, nullptr));
  PETSC_OK(MatGetOwnershipRange(M, &start, &end));
  for (PetscInt i = start; i < end; i += step) list.push_back(i);
  if (end > start && end < rows) list.push_back(end);
  return list;
}

TemporaryFile::TemporaryFile()
{
  PetscMPIInt rank;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  if (!rank) {
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof(path), "%s/goza_test_XXXXXX", folder ? folder : "/tmp");
    const int fd = mkstemp(path);
    if (fd >= 0) close(fd);
  }
  MPI_Bcast(path, sizeof(path), MPI_CHAR, 0, PETSC_COMM_WORLD);
}

TemporaryFile::~TemporaryFile()
{
  PetscMPIInt rank;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  MPI_Barrier(PETSC_COMM_WORLD);
  if (!rank) {
    unlink(path);
    unlink((std::string(path) + ".info").c_str()); /* PETSc's binary viewer puts one beside */
  }
}

std::string TemporaryFile::text() const
{
  MPI_Barrier(PETSC_COMM_WORLD);
  std::ifstream     file(path);
  std::stringstream all;
  all << file.rdbuf();
  return all.str();
}

std::string printed(const std::function<PetscErrorCode(PetscViewer)> &view, PetscViewerFormat format)
{
  TemporaryFile file;
  ViewerHandle  viewer;

  PETSC_OK(PetscViewerASCIIOpen(PETSC_COMM_WORLD, file.name(), viewer.put()));
  PETSC_OK(PetscViewerPushFormat(viewer, format));
  PETSC_OK(view(viewer));
  viewer.reset();
  return file.text();
}

std::string printed(Mat A, PetscViewerFormat format)
{
  return printed([A](PetscViewer viewer) { return MatView(A, viewer); }, format);
}

} // namespace goza_test
