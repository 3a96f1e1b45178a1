/* Eddy currents in block form: a Laplacian, and i w times a mass in the conductor, half of the grid, as two unknowns a node with - w and w beside the diagonal.
   Blocks off the diagonal are symmetric, diagonal ones are not. The cycle is nearly as good as for the Laplacian while w is smaller than the diagonal, of any
   matrix type and on any number of ranks. */
#include "../support/pc_case.hpp"

#include <petscgoza.h>

using namespace goza_test;

namespace {

Entry block_form(const Entry &laplacian, PetscReal w)
{
  const PetscInt n = laplacian.rows;
  Entry          e = laplacian;

  e.name  = "block form";
  e.rows  = 2 * n;
  e.cols  = 2 * n;
  e.bs    = 2;
  e.flags = square | full_diagonal | no_zero_pivots | nonempty;
  e.row   = [row = laplacian.row, w, n](PetscInt i, Row &r) {
    const PetscInt node = i / 2, part = i % 2;
    Row            of_node;

    row(node, of_node);
    for (std::size_t k = 0; k < of_node.col.size(); k++) {
      r.add(2 * of_node.col[k] + part, of_node.val[k]);
      if (of_node.col[k] == node) r.add(2 * node + 1 - part, node < n / 2 ? (part ? w : -w) : 0);
      else r.add(2 * of_node.col[k] + 1 - part, 0);
    }
  };
  return e;
}

Solve solved(const Entry &e, MatType type, MPI_Comm comm = PETSC_COMM_WORLD)
{
  Option          method("-ksp_type", KSPFUSEDGMRES);
  const MatHandle A = assemble(e, type, Prealloc::exact, comm);

  return solve(make_cg(A), A);
}

void converges(const Entry &e, PetscInt most)
{
  const Solve alone = solved(e, MATAIJ, PETSC_COMM_SELF);

  for (const char *type : {MATAIJ, MATCDS, MATSLICEDELL, MATFOLD}) {
    const Solve s = solved(e, type);

    BOOST_TEST(s.reason > 0, type << ": " << KSPConvergedReasons[s.reason]);
    BOOST_TEST(s.true_residual <= 10 * reached(1e-7), type << ": " << s.true_residual);
    BOOST_TEST(s.iterations <= most, type << ": " << s.iterations << " iterations");
    BOOST_TEST(PetscAbsInt(s.iterations - alone.iterations) <= 1, type << ": " << s.iterations << " iterations, but " << alone.iterations << " on one rank");
  }
}

const AddTests add([] {
  for (const PetscReal w : {PetscReal(0.01), PetscReal(1), PetscReal(10)}) {
    auto          *suite = suite_named(nullptr, "w_" + std::to_string((int)(100 * w)));
    const auto     grid  = stencil27(11, 12, 13);
    const PetscInt most  = w > 1 ? 20 : 12;

    add_test(suite, "block_form", [=] { converges(block_form(grid, w), most); });
  }
});

} // namespace
