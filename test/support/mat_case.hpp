/* One law, one Mat type, one vector type, one matrix of the gallery. */
#pragma once

#include "gallery.hpp"
#include "names.hpp"
#include "reference.hpp"

namespace goza_test {

struct MatCase {
  MatName      type;
  std::string  vec;
  const Entry &entry;
  StorageName  storage = storage_names().front();

  std::string storage_option() const; /* -mat_cds_precision */

  bool        parallel() const;
  const char *base() const { return parallel() ? MATMPIAIJ : MATSEQAIJ; }
  std::string sized(const std::string &root) const { return (parallel() ? "mpi" : "seq") + root; } /* of a type that has both forms */

  /* rounding_bound() of a product with the type under test */
  VecHandle bound(Mat R, Vec x, Vec add) const { return rounding_bound(R, x, add, false, PETSC_MACHINE_EPSILON, storage.rounding); }

  MatHandle ours() const; /* the entry as the type under test, its product taken once so that there is a shadow to go stale */
  MatHandle aij() const;  /* the same as PETSc's aij */

  VecHandle in(Mat A, PetscInt seed = 1) const { return vector_like(A, false, vec, seed); } /* as MatMult's x */
  VecHandle out(Mat A, PetscInt seed = 2) const { return vector_like(A, true, vec, seed); } /* as MatMult's y */
  VecHandle junk(Mat A) const { return filled_with_nan(A, true, vec); }                     /* an output that must not be read */
  VecHandle junk_in(Mat A) const { return filled_with_nan(A, false, vec); }

  /* A still has the type under test, our kernel does its product, and it is the same operator as R, an aij matrix: product, transposed product, entries.
     entries_eps and floor: see check_entries(). */
  void check_same(Mat A, Mat R, const std::string &what, PetscReal entries_eps = 4, PetscReal floor = 0) const;

  void check_type(Mat A, const std::string &what) const;
};

struct MatLaw {
  const char *name;
  void (*law)(const MatCase &);
  unsigned needs = 0; /* flags of the gallery entry */
};

/* Adds law x type x storage precision x vector type x entry to the tests, as TYPE/VECTOR/ENTRY/LAW or, for other storage than double, as
   TYPE_PRECISION/VECTOR/ENTRY/LAW. */
void add_mat_laws(const std::vector<MatLaw> &, bool all_precisions = true);

/* Does the same to both matrices, one of them ours. */
template <class F> void to_both(Mat A, Mat R, F f)
{
  f(A);
  f(R);
}

/* Every so many-th of a rank's rows, and one of the next rank's. */
std::vector<PetscInt> some_rows(Mat M, PetscInt step);

/* A file of this process group's own, removed at the end. All ranks have the same name. */
class TemporaryFile {
public:
  TemporaryFile();
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile &)            = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;

  const char *name() const { return path; }
  std::string text() const; /* what it holds, on every rank */

private:
  char path[256] = "";
};

/* What view(viewer) prints, on all ranks. */
std::string printed(const std::function<PetscErrorCode(PetscViewer)> &view, PetscViewerFormat format = PETSC_VIEWER_DEFAULT);
std::string printed(Mat A, PetscViewerFormat format = PETSC_VIEWER_DEFAULT);

} // namespace goza_test
