/* Runs of a fused Krylov method beside PETSc's method of the same iteration. */
#pragma once

#include "mat_case.hpp"
#include "pc_case.hpp"

#include <petscgoza.h>

namespace goza_test {

/* Iterations over which rounding has not grown beyond what is allowed; in single precision it grows from half as many digits. */
constexpr PetscInt before_rounding_grows(PetscInt in_double) { return PetscDefined(USE_REAL_SINGLE) ? in_double / 2 : in_double; }

struct Method {
  std::string              ours, petscs;
  std::vector<std::string> norms;
  PetscInt                 its = before_rounding_grows(25);
};

const std::vector<Method> &methods();
void                       for_each_method(const std::function<void(const Method &)> &body);

struct System {
  MatHandle                A;
  std::function<void(KSP)> prepare = [](KSP) {}; /* before KSPSetFromOptions() */
};

System poisson(const char *mat = MATCDS);

struct Run {
  KSPConvergedReason     reason;
  PetscInt               its;
  std::vector<PetscReal> history;
  VecHandle              x;
  std::string            view;
};

KSPHandle make_ksp(const System &s, const std::string &type);
Run       solve_with(KSP ksp, Vec b, Vec guess);
bool      is_native(const Run &run);
VecHandle vector_of(Mat A, PetscInt seed);

/* Reason, iterations, history and solution. growth: of rounding, over the iterations. */
void same(const Run &ours, const Run &petscs, const std::string &what, PetscReal growth = 1e8);

/* PETSc 3.18's fgmres notes a norm at the end of a cycle and again at the beginning of the next; 3.26's does not. */
void forget_repeated(std::vector<PetscReal> &history);

} // namespace goza_test
