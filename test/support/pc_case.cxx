#include "pc_case.hpp"
#include "mat_case.hpp"

#include <cmath>

namespace goza_test {

const std::vector<Problem> &problems()
{
  static const std::vector<Problem> all = [] {
    std::vector<Problem> p{
      {"poisson27", stencil27(12, 12, 12), Kernel::none, 12},
      {"poisson7", stencil7(14, 13, 12), Kernel::none, 14},
      {"poisson5", stencil5(40, 37), Kernel::none, 16},
      {"anisotropic", stencil5(40, 37, 1e-3), Kernel::none, 30, "0.05"}, /* without a threshold, as GAMG's default is, 66 for GAMG */
      {"neumann", neumann5(30, 31), Kernel::constants, 18},
      {"elasticity", elasticity(6, 5, 5), Kernel::rigid_body, 22},
      {"elasticity_no", elasticity(6, 5, 5), Kernel::none, 60}, /* without rigid-body modes: constants of each component */
    };
    for (const char *name : {"1x1", "three_rows", "diagonal", "arrow", "scales", "idle_ranks"}) p.push_back({name, gallery_entry(name), Kernel::none, 20});
#if PetscDefined(USE_COMPLEX)
    p.push_back({"hermitian27", hermitian(stencil27(12, 12, 12)), Kernel::phases, 12});
    p.push_back({"hermitian5", hermitian(stencil5(40, 37)), Kernel::phases, 16});
#endif
    return p;
  }();
  return all;
}

const Problem &problem(const std::string &name)
{
  for (const auto &p : problems())
    if (p.name == name) return p;
  throw std::out_of_range("no problem " + name);
}

#if PetscDefined(USE_COMPLEX)
/* The near-null vector of D A D^H, which are the constants for A. On one rank it is said that the matrix is Hermitian, on several that is to be found. */
static void set_phases(Mat A)
{
  MPI_Comm    comm;
  PetscMPIInt size;
  PetscInt    start, end;
  PetscReal   length;
  VecHandle   d;
  NullHandle  space;

  PETSC_OK(PetscObjectGetComm((PetscObject)A, &comm));
  MPI_Comm_size(comm, &size);
  if (size == 1) PETSC_OK(MatSetOption(A, MAT_HERMITIAN, PETSC_TRUE));
  PETSC_OK(MatCreateVecs(A, d.put(), nullptr));
  PETSC_OK(VecGetOwnershipRange(d, &start, &end));
  for (PetscInt i = start; i < end; i++) PETSC_OK(VecSetValue(d, i, phase(i), INSERT_VALUES));
  PETSC_OK(VecAssemblyBegin(d));
  PETSC_OK(VecAssemblyEnd(d));
  PETSC_OK(VecNormalize(d, &length));
  PETSC_OK(MatNullSpaceCreate(comm, PETSC_FALSE, 1, d.get(), space.put()));
  PETSC_OK(MatSetNearNullSpace(A, space));
}
#endif

MatHandle system_matrix(const Problem &p, MatType type, MPI_Comm comm)
{
  MatHandle  A = assemble(p.entry, type, Prealloc::exact, comm);
  NullHandle space;

#if PetscDefined(USE_COMPLEX)
  if (p.kernel == Kernel::phases) {
    set_phases(A);
    return A;
  }
#endif
  PETSC_OK(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
  if (p.kernel == Kernel::constants) {
    PETSC_OK(MatNullSpaceCreate(comm, PETSC_TRUE, 0, nullptr, space.put()));
    PETSC_OK(MatSetNullSpace(A, space));
  } else if (p.kernel == Kernel::rigid_body) {
    VecHandle    xyz;
    PetscScalar *a;
    PetscInt     start, end;
    PETSC_OK(MatSetOption(A, MAT_SPD, PETSC_TRUE));
    PETSC_OK(MatCreateVecs(A, xyz.put(), nullptr));
    PETSC_OK(VecSetBlockSize(xyz, 3));
    PETSC_OK(VecGetOwnershipRange(xyz, &start, &end));
    PETSC_OK(VecGetArray(xyz, &a));
    for (PetscInt i = start; i < end; i += 3) {
      PetscReal at[3];
      elasticity_node(p.entry, i / 3, at);
      for (int d = 0; d < 3; d++) a[i - start + d] = at[d];
    }
    PETSC_OK(VecRestoreArray(xyz, &a));
    PETSC_OK(MatNullSpaceCreateRigidBody(xyz, space.put()));
    PETSC_OK(MatSetNearNullSpace(A, space));
  } else {
    PETSC_OK(MatSetOption(A, MAT_SPD, PETSC_TRUE));
  }
  return A;
}

Configured::Configured(const PCConfig &c, const std::string &threshold)
{
  const auto set = [this](const char *name, const std::string &value) { options.push_back(std::make_unique<Option>(name, value)); };
  if (pc_name() != "saamg") return;
  set("-pc_saamg_smoother", c.smoother);
  set("-pc_saamg_cycle", c.cycle);
  set("-pc_saamg_precision", c.precision);
  set("-pc_saamg_threshold", threshold);
  set("-pc_saamg_coarse_limit", "30"); /* several levels, for problems as small as these */
}

PCHandle make_pc(Mat A, bool set_up)
{
  PCHandle pc;
  MPI_Comm comm;
  PETSC_OK(PetscObjectGetComm((PetscObject)A, &comm));
  PETSC_OK(PCCreate(comm, pc.put()));
  PETSC_OK(PCSetOperators(pc, A, A));
  PETSC_OK(PCSetType(pc, pc_name().c_str()));
  PETSC_OK(PCSetFromOptions(pc));
  if (set_up) PETSC_OK(PCSetUp(pc));
  return pc;
}

KSPHandle make_solver(Mat A, KSPType type, PetscReal rtol, PetscInt most_iterations)
{
  KSPHandle ksp;
  MPI_Comm  comm;
  PETSC_OK(PetscObjectGetComm((PetscObject)A, &comm));
  PETSC_OK(KSPCreate(comm, ksp.put()));
  PETSC_OK(KSPSetOperators(ksp, A, A));
  PETSC_OK(KSPSetType(ksp, type));
  PETSC_OK(KSPSetTolerances(ksp, reached(rtol), PETSC_DEFAULT, PETSC_DEFAULT, most_iterations));
  PETSC_OK(PCSetType(pc_of(ksp), pc_name().c_str()));
  PETSC_OK(KSPSetFromOptions(ksp));
  return ksp;
}

KSPHandle make_cg(Mat A, PetscReal rtol) { return make_solver(A, KSPCG, rtol); }

PC pc_of(KSP ksp)
{
  PC pc;

  PETSC_OK(KSPGetPC(ksp, &pc));
  return pc;
}

PetscReal off_one_rank(const Entry &e)
{
  const MatHandle    A = assemble(e, MATAIJ), isolated = assemble(e, MATAIJ, Prealloc::exact, PETSC_COMM_SELF);
  const PCHandle     pc = make_pc(A), pc_alone = make_pc(isolated);
  const VecHandle    b = right_hand_side(A, 1), x = right_hand_side(A, 2), b_alone = right_hand_side(isolated, 1), x_alone = right_hand_side(isolated, 2);
  const PetscScalar *got, *want;
  PetscInt           start, end;
  PetscReal          scale, difference = 0;

  PETSC_OK(PCApply(pc, b, x));
  PETSC_OK(PCApply(pc_alone, b_alone, x_alone));
  PETSC_OK(VecNorm(x_alone, NORM_INFINITY, &scale));
  PETSC_OK(VecGetOwnershipRange(x, &start, &end));
  PETSC_OK(VecGetArrayRead(x, &got));
  PETSC_OK(VecGetArrayRead(x_alone, &want));
  for (PetscInt i = start; i < end; i++) difference = PetscMax(difference, PetscAbsScalar(got[i - start] - want[i]));
  PETSC_OK(VecRestoreArrayRead(x, &got));
  PETSC_OK(VecRestoreArrayRead(x_alone, &want));
  BOOST_TEST(scale > 0);
  return difference / scale;
}

Solve solve(KSP ksp, Mat A, PetscInt seed)
{
  VecHandle b = right_hand_side(A, seed), x = vector_like(A, false, VECSTANDARD, 0), r = vector_like(A, true, VECSTANDARD, 0);
  Solve     s{};

  PETSC_OK(VecSet(x, 0));
  PETSC_OK(KSPSolve(ksp, b, x));
  PETSC_OK(KSPGetConvergedReason(ksp, &s.reason));
  PETSC_OK(KSPGetIterationNumber(ksp, &s.iterations));
  PETSC_OK(MatResidual(A, b, x, r));
  s.true_residual = norm(r) / norm(b);
  return s;
}

VecHandle right_hand_side(Mat A, PetscInt seed)
{
  VecHandle b = vector_like(A, true, VECSTANDARD, seed);
  remove_null_space(A, b);
  return b;
}

void remove_null_space(Mat A, Vec v)
{
  MatNullSpace space;
  PETSC_OK(MatGetNullSpace(A, &space));
  if (space) PETSC_OK(MatNullSpaceRemove(space, v));
}

std::string viewed(PC pc)
{
  return printed([pc](PetscViewer viewer) { return PCView(pc, viewer); });
}

bool says(PC pc, const std::string &words) { return !any_rank(viewed(pc).find(words) == std::string::npos); }

bool all_finite(Vec v)
{
  const PetscScalar *a;
  PetscInt           n;
  bool               bad = false;
  PETSC_OK(VecGetLocalSize(v, &n));
  PETSC_OK(VecGetArrayRead(v, &a));
  for (PetscInt i = 0; i < n; i++) bad = bad || !std::isfinite(PetscRealPart(a[i])) || !std::isfinite(PetscImaginaryPart(a[i]));
  PETSC_OK(VecRestoreArrayRead(v, &a));
  return !any_rank(bad);
}

PetscReal norm(Vec v)
{
  PetscReal n;
  PETSC_OK(VecNorm(v, NORM_2, &n));
  return n;
}

} // namespace goza_test
