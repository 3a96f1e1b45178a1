/* How fast a cycle reduces the errors that a smoother leaves: what tells a cycle in low precision from one in double. */
#pragma once
#include "cycle.hpp"

namespace goza::saamg {

void noise(const Grid &grid, PetscScalar *r); // [rows] the same on any number of ranks

/* Costs three cycles and two products, or a cycle and a product less, and spares what Hierarchy::restore() makes again. */
class TrialCycles {
public:
  /* finest: with the matrix's values. exact: a product with it that is faster than by its rows, or nullptr. Both for as long as this lives. */
  TrialCycles(const Grid &finest, ParOperator<PetscScalar> *exact) : finest_(finest), exact_(exact) { }

  /* |M A e_1| / |M A e_0| with e_0 = M of noise that is the same on any number of ranks, e_1 = (I - M A) e_0: an error is smooth where M has been applied, and
     M A leaves out what a singular matrix does not see. Where |e_1| / |e_0| is `enough` it is that, and there is no more to be told. Collective, as
     difference() is. */
  PetscErrorCode contraction(Cycle &M, PetscReal enough, PetscReal *left);
  /* Of r' M r / r' D^-1 r for the noise r that the last contraction() began with, the part that |e_1| / |e_0| leaves. Large where near-null vectors of a nearly
     singular matrix are most of e_0, and outweigh all that a cycle does to other errors. */
  PetscReal remaining() const { return remaining_; }
  /* |N A e_1 - M A e_1| / |M A e_1| with the e_1 that the last contraction() ended with, which is lost, and its M, which has not been applied since. */
  PetscErrorCode difference(const Cycle &M, Cycle &N, PetscReal *share);

private:
  const ColumnMap &columns() const { return *finest_.level->columns; }

  const Grid               &finest_;
  ParOperator<PetscScalar> *exact_;
  Array<PetscScalar>        residual_, correction_, error_, squares_;
  PetscReal                 remaining_ = 0;
};

} // namespace goza::saamg
