/* Any AIJ-based matrix as a plain host MATSEQAIJ/MATMPIAIJ for the set-up steps. The arrays are lent, not copied, where the type allows it. */
#pragma once
#include <petscmat.h>
#include <vector>

namespace goza
{

class HostAij {
public:
  HostAij()                           = default;
  HostAij(const HostAij &)            = delete;
  HostAij &operator=(const HostAij &) = delete;
  ~HostAij() { (void)close(); }

  PetscErrorCode open(Mat A); // A must outlive it, and keep its values while it is open
  PetscErrorCode close();
  Mat            mat() const { return mat_; }

private:
  struct Lent {
    Mat                block = NULL;
    PetscInt           n     = 0;
    const PetscInt    *ptr = NULL, *col = NULL;
    const PetscScalar *val = NULL;

    PetscErrorCode open(Mat);
    PetscErrorCode close();
  };

  Lent                  diag_, offd_;
  std::vector<PetscInt> global_; // the off-diagonal block's columns, which PETSc renumbers in place
  Mat                   mat_ = NULL;
};

} // namespace goza
