/* y = A x with a level's rows as the set-up holds them. */
#pragma once
#include "core/sparse/csr_ops.hpp"
#include "mat/common/par_operator.hpp"
#include "parallel/agree.hpp"
#include "parallel/mpi_call.hpp"

namespace goza::saamg {

/* x[nlocal] gets the other ranks' values where they are wanted there. exact: of A, where there is one that is faster, or nullptr. Collective; throws. */
struct LevelProduct {
  Csr                       A;
  const ColumnMap          &columns;
  ParOperator<PetscScalar> *exact;

  const Format<PetscScalar> *format = nullptr; // of one rank's A, as exact

  void operator()(Array<PetscScalar> &x, Array<PetscScalar> &y) const
  {
    if (exact) {
      AgreeNoFailure(columns.comm());
      must(exact->apply(x.data(), Assign<PetscScalar>{y.data()}), "a product");
    } else if (format) {
      format->apply(x.data(), Assign<PetscScalar>{y.data()});
    } else {
      columns.update(x);
      multiply(A, x.data(), y.data());
    }
  }
};

} // namespace goza::saamg
