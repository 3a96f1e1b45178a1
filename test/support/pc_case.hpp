/* Linear systems for the laws of preconditioners, and one configuration of the preconditioner. */
#pragma once

#include "gallery.hpp"
#include "names.hpp"
#include "reference.hpp"

#include <memory>

namespace goza_test {

enum class Kernel {
  none,
  constants,
  rigid_body,
  phases
}; /* constants: true null space (Neumann); rigid_body: near null space; phases: the same of a Hermitian matrix, of complex scalars */

struct Problem {
  std::string name;
  Entry       entry;
  Kernel      kernel;
  PetscInt    ceiling; /* iterations of CG to 1e-7, with any smoother, cycle and precision */
  std::string threshold = "0";
};

const std::vector<Problem> &problems();
const Problem              &problem(const std::string &name);

/* The matrix with its null space or near null space attached. */
MatHandle system_matrix(const Problem &, MatType = MATAIJ, MPI_Comm = PETSC_COMM_WORLD);

struct PCConfig {
  std::string smoother, cycle, precision;

  std::string name() const { return smoother + "_" + cycle + "_" + precision; }
  PetscReal   eps() const
  {
    return precision == "double" ? PETSC_MACHINE_EPSILON : (PetscReal)PETSC_MACHINE_EPSILON > 1e-7 ? PETSC_MACHINE_EPSILON : (PetscReal)6e-8;
  }
};

/* The options of a configuration, for as long as the object lives. */
class Configured {
public:
  explicit Configured(const PCConfig &, const std::string &threshold = "0");

private:
  std::vector<std::unique_ptr<Option>> options;
};

/* A tolerance of a solve, or what this PETSc's precision reaches of it. */
inline PetscReal reached(PetscReal tolerance) { return PetscMax(tolerance, 100 * PETSC_MACHINE_EPSILON); }

PCHandle  make_pc(Mat A, bool set_up = true);                                                 /* with the options set now */
KSPHandle make_solver(Mat A, KSPType, PetscReal rtol = 1e-7, PetscInt most_iterations = 200); /* the same; to reached(rtol) */
KSPHandle make_cg(Mat A, PetscReal rtol = 1e-7);
PC        pc_of(KSP);

struct Solve {
  KSPConvergedReason reason;
  PetscInt           iterations;
  PetscReal          true_residual; /* relative */
};
Solve solve(KSP, Mat A, PetscInt seed = 5);

/* Right-hand side with values by global index, in the range of A. */
VecHandle right_hand_side(Mat A, PetscInt seed);
void      remove_null_space(Mat A, Vec);

std::string viewed(PC); /* what -pc_view prints, on all ranks */
bool        says(PC, const std::string &words);

bool      all_finite(Vec); /* on all ranks */
PetscReal norm(Vec);

/* How far the preconditioner, with the options set now, is from what each rank has of the whole matrix alone: of one vector, over its largest entry; on this
   rank. */
PetscReal off_one_rank(const Entry &);

} // namespace goza_test
