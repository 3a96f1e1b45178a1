/* A fused Krylov method on ranks that share a GPU: the leaders of the groups solve, and the other ranks sleep meanwhile. */
#pragma once
#include "mat/common/group_mat.hpp"
#include <petsc/private/kspimpl.h>

namespace goza::ksp {

/* Composed on a KSP that has settings of its own: copies them to another of its type. */
inline constexpr char copies_settings[] = "KSPGozaCopySettings_C";

inline bool HasTest(KSP ksp, decltype(ksp->converged) test) { return ksp->converged == test; }

class GroupSolve {
public:
  GroupSolve() = default;
  ~GroupSolve() { reset(); }
  GroupSolve(const GroupSolve &)            = delete;
  GroupSolve &operator=(const GroupSolve &) = delete;

  /* done: the system is solved, as KSPSolve() wants it. Not where ranks are each for themselves, nor where somebody may look at the solution meanwhile.
     Collective. */
  PetscErrorCode solve(KSP ksp, bool *done);
  bool           on() const { return on_; } // the latest solve was ours
  PetscErrorCode view(PetscViewer viewer);
  void           reset();

private:
  PetscErrorCode find(KSP ksp, bool *found);
  PetscErrorCode create(KSP ksp);
  PetscErrorCode solve_there(KSP ksp);
  PetscErrorCode report(KSP ksp);

  struct Outcome {
    KSPConvergedReason reason;
    PetscInt           its, reported, noted;
    PetscReal          rnorm, rnorm0;
  };

  struct Known {                     // what there_ is for
    PC              pc       = NULL; // the user's
    const GroupMat *rows     = nullptr;
    PetscInt        patterns = -1;

    bool operator!=(const Known &other) const { return pc != other.pc || rows != other.rows || patterns != other.patterns; }
  };

  std::shared_ptr<GroupMat> A_, P_;
  Known                     known_;
  PC                        pc_    = NULL; // on leaders, lent; NULL where they make it
  KSP                       there_ = NULL;
  bool                      on_    = false;
  std::vector<PetscReal>    reports_; // its number and the norm of each: to the monitors
  std::vector<PetscReal>    history_;
};

/* The monitor that notes norms on the leaders; it does not look at the solution. */
PetscErrorCode NoteNorm(KSP ksp, PetscInt it, PetscReal norm, void *ctx);

/* An error of this rank's where the operator and the system's vectors are not of one size: a method hands their arrays to products that cannot know. */
PetscErrorCode CheckSizes(KSP ksp);

/* Whether monitors and the convergence test may look at the solution: those of PETSc's that take the norm alone are known. */
bool SolutionIsSeen(KSP ksp);

} // namespace goza::ksp
