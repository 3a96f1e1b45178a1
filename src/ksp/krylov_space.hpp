/* Where the iteration of a fused Krylov method lives: its vectors, the product with the operator and the preconditioner.

   Native: operator and preconditioner are Goza's, or as simple as a diagonal. All vectors are arrays where the operator is; the right-hand side comes there
   once, the solution once and back once. Otherwise: the vectors are PETSc's, which does products and preconditioning; their arrays are ours in between. A
   method sees arrays and no difference. */
#pragma once
#include "group_solve.hpp"
#include "native_pc.hpp"
#include "rank_sums.hpp"
#include "recorded_loop.hpp"
#include <deque>

namespace goza::ksp {

class KrylovSpace {
public:
  static constexpr PetscInt solution = -1; // as the number of a vector: x itself

  ~KrylovSpace() { (void)reset(); }

  /* For one solve, with vectors 0 .. nvectors - 1, whose contents are what earlier solves have left, at first 0. prepare(): what the method holds besides, on
     this rank.
     Collective: on all ranks or on none. */
  template <class Prepare> PetscErrorCode open(KSP ksp, PetscInt nvectors, const Prepare &prepare)
  {
    PetscFunctionBegin;
    PetscCall(find_operator(ksp));
    PetscErrorCode here = take(nvectors);
    if (!here) here = prepare();
    PetscCall(FailTogether(comm_, here, "hold the vectors of a solve"));
    if (op_) PetscCall(pc_.fill(ksp_->pc, ksp_->vec_sol));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  // while it is open, but for one that is never looked at; an error is this rank's: the method tells the others
  PetscErrorCode more_vectors(PetscInt nvectors, PetscInt without = solution);
  PetscErrorCode fail_together(PetscErrorCode here); // collective: where one rank has an error
  PetscErrorCode close();                            // the solution is where the user has it; after an error, too
  PetscErrorCode reset();                            // nothing is held
  PetscErrorCode view(KSP ksp, PetscViewer viewer);  // how the latest solve went; collective
  GroupSolve    &leaders() { return leaders_; }      // which may do all of it

  bool         one_rank() const { return one_rank_; } // one rank
  Space        space() const { return space_; }
  PetscInt     n() const { return n_; }
  FusedSums   &sums() { return sums_; }
  PetscScalar *operator[](PetscInt k) { return k == solution ? x_.data : vectors_[k].data; } // until the next product or preconditioning

  PetscErrorCode first_residual(PetscInt r);       // r = b - A x, and a sign in it where the preconditioner's set-up failed on this rank
  PetscErrorCode residual(PetscInt r);             // r = b - A x
  PetscErrorCode multiply(PetscInt x, PetscInt y); // y = A x
  /* and this rank's part of w^H y and, unless it is nullptr, of y^H y, in the space */
  PetscErrorCode      multiply_dot(PetscInt x, PetscInt w, PetscInt y, PetscScalar *wy, PetscScalar *yy = nullptr);
  PetscErrorCode      precondition(PetscInt r, PetscInt z, bool narrow = false); // z = M r, without what is in the null space; narrow: z may stay in the cycle
  const SingleScalar *narrow_solution() const { return op_ && one_rank_ && !seen_ && ksp_->guess_zero ? pc_.narrow_solution() : nullptr; }
  PetscErrorCode      multiply_transposed(PetscInt x, PetscInt y); // y = A^H x
  bool                has_transpose() const;                       // the same on all ranks
  bool                preconditions_cheaply() const { return op_ && !pc_.has_cycle(); }
  PetscErrorCode      sum_over_ranks(PetscScalar *values, PetscInt n) { return one_rank_ ? PETSC_SUCCESS : rank_sums_.sum(values, n); } // values in host memory
  RankSums           &rank_sums() { return rank_sums_; }
  PetscErrorCode      find_devices_sums(bool *found); // collective: of several ranks, where an iteration can be recorded
  PetscErrorCode      log_flops(PetscLogDouble per_row);

  /* History, monitors, convergence test. up_to_date() runs first where one of them may look at the solution. */
  template <class UpToDate> PetscErrorCode report(PetscInt it, PetscReal norm, const UpToDate &up_to_date)
  {
    PetscFunctionBegin;
    if (seen_) PetscCall(up_to_date());
    PetscCall(monitor(it, norm));
    PetscCall(test(it, norm));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscErrorCode monitor(PetscInt it, PetscReal norm); // history and monitors alone
  PetscErrorCode test(PetscInt it, PetscReal norm);
  /* What is done between two reports launches kernels and no more, and nobody looks; on several ranks with sums on their devices. */
  bool recordable() const;
  // collective: whether every rank has recorded its iteration, and goes the same way; failed: this one has not
  PetscErrorCode agree_on_loop(PetscErrorCode failed, bool *yes);
  Footprint      footprint(); // of all but the solution
  RecordedLoop  &loop() { return loop_; }
  bool           tests_norm() const;        // PETSc's default test ends the solve
  PetscErrorCode check(PetscReal norm);     // KSPCheckNorm(), and the caller looks for a reason
  PetscErrorCode check_dot(PetscScalar xy); // KSPCheckDot()

private:
  /* An array in the space: of our own, or of a Vec, staged where that is on the other side. */
  struct Vector {
    Vec          vec = NULL; // its own, but for the solution
    Stage        stage;      // or the array
    VecWrite     access;
    bool         is_open = false;
    PetscScalar *data    = nullptr;

    PetscErrorCode open(Space space, bool read_too);
    PetscErrorCode close();
  };

  template <class Call> PetscErrorCode show(const Call &call) /* while the solution is the user's again */
  {
    PetscFunctionBegin;
    PetscCall(x_.close());
    const PetscErrorCode failed = call();
    PetscCall(failed);
    PetscCall(x_.open(space_, true));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  template <class Call> PetscErrorCode through_petsc(Vector &from, Vector &to, const Call &call)
  {
    PetscFunctionBegin;
    PetscCall(from.close());
    PetscCall(to.close());
    PetscCall(call(from.vec, to.vec));
    PetscCall(from.open(space_, true));
    PetscCall(to.open(space_, true));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  Vector                                 &vector(PetscInt k) { return k == solution ? x_ : vectors_[k]; }
  PetscErrorCode                          find_operator(KSP ksp);  // collective
  PetscErrorCode                          take(PetscInt nvectors); // this rank's, what is open after an error included
  PetscErrorCode                          find_pc(ShortText *why);
  template <class Product> PetscErrorCode logged_product(const Product &product); // of the operator's, under its event
  std::string                             describe() const;

  KSP      ksp_    = NULL;
  Mat      A_      = NULL;
  MPI_Comm comm_   = MPI_COMM_NULL;
  Space    space_  = Space::Host;
  PetscInt n_      = 0;
  bool     native_ = false, one_rank_ = true, seen_ = false, pc_failed_ = false, pc_failed_here_ = false, have_sums_ = false, b_is_open_ = false;
  std::shared_ptr<ParOperator<PetscScalar>> op_; // native, during a solve
  NativePC                                  pc_;
  FusedSums                                 sums_;
  RankSums                                  rank_sums_;
  Vector                                    x_;
  VecRead                                   b_;
  Stage                                     staged_b_;
  std::deque<Vector>                        vectors_;
  RecordedLoop                              loop_;
  GroupSolve                                leaders_;
};

/* prepare(), see KrylovSpace::open(), and run() in the space, which is closed whatever happens, unless the leaders of ranks that share a GPU solve. */
template <class Prepare, class Run> PetscErrorCode InKrylovSpace(KrylovSpace &space, KSP ksp, PetscInt nvectors, const Prepare &prepare, const Run &run)
{
  bool done;

  PetscFunctionBegin;
  PetscCall(space.leaders().solve(ksp, &done));
  if (done) PetscFunctionReturn(PETSC_SUCCESS);
  PetscErrorCode failed = space.open(ksp, nvectors, prepare);
  if (!failed) {
    failed = run();
    if (failed) space.rank_sums().abandon();
  }
  const PetscErrorCode also = space.close();
  PetscCall(failed);
  PetscCall(also);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::ksp
