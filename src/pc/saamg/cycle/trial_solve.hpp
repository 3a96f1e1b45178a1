/* A solve's first iterations, as a trial: what a cycle gains in one, and what it takes. */
#pragma once
#include "cycle.hpp"

namespace goza::saamg {

/* The iterations are those of least residuals (GCR), which no cycle breaks down: symmetric or not, in whatever precision. Residuals count over the root of
   their rows' diagonals, so that no row outweighs the others by its scale. */
class TrialSolve {
public:
  /* finest: with the matrix's values. exact: a product with it that is faster than by its rows, or nullptr; both for as long as this lives. */
  TrialSolve(const Grid &finest, ParOperator<PetscScalar> *exact) : finest_(finest), exact_(exact) { }

  /* The residual that trials start from: A M times noise that is the same on any number of ranks, which lies in the range of a singular matrix. Collective, as
     run() is. */
  PetscErrorCode begin(Cycle &M);

  struct Result {
    PetscReal left       = 1; // of the residual
    int       iterations = 0; // the most, or until enough was reached
    double    seconds    = 0; // of a cycle and a product, the least of what the iterations took; of this rank
  };
  PetscErrorCode run(Cycle &M, Result *result);

  static constexpr int most_iterations = 16, most_vectors = most_iterations + 3; // that it holds

private:
  const ColumnMap &columns() const { return *finest_.level->columns; }
  void             hold(int products);
  PetscReal        step(int k);
  PetscScalar      dot(const PetscScalar *x, const PetscScalar *y);

  const Grid                &finest_;
  ParOperator<PetscScalar>  *exact_;
  static constexpr PetscReal enough = static_cast<PetscReal>(1e-7); // beyond it rounding may be all that is left

  Array<PetscScalar>              start_, residual_, correction_, sums_;
  std::vector<Array<PetscScalar>> products_; // of unit length, orthogonal to one another
};

} // namespace goza::saamg
