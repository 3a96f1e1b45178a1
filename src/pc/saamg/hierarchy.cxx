#include "hierarchy.hpp"
#include "aggregate.hpp"
#include "eigen.hpp"
#include "galerkin.hpp"
#include "goza.hpp"
#include "mat/common/compat.hpp"
#include "prolong.hpp"
#include "strength.hpp"
#include "tentative.hpp"

namespace goza
{

PetscErrorCode GridSize(const Grid &grid, PetscInt *rows, PetscLogDouble *nonzeros)
{
  MatInfo info;

  PetscFunctionBegin;
  if (grid.level) {
    if (rows) *rows = grid.level->A.nrows;
    if (nonzeros) *nonzeros = grid.level->nnz;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (rows) PetscCall(MatGetSize(grid.A, rows, NULL));
  if (nonzeros) {
    PetscCall(MatGetInfo(grid.A, MAT_GLOBAL_SUM, &info));
    *nonzeros = info.nz_used;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FindRowsAlone(Mat A, std::vector<PetscInt> &alone)
{
  AijRows rows;

  PetscFunctionBegin;
  PetscCall(rows.open(A));
  const AijRowsView &view = rows.view();

  alone.clear();
  for (PetscInt i = 0; i < view.nrows; i++) {
    bool coupled = false;

    view.for_each_entry(i, [&](PetscInt j, PetscScalar a) { coupled = coupled || (j != i && a != 0.0); });
    if (!coupled) PetscCallCXX(alone.push_back(i));
  }
  PetscCall(rows.close());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Diagonal and largest eigenvalue; false on all ranks where the values are not finite. */
static PetscErrorCode Measure(Grid &grid, PetscInt its, bool *finite)
{
  PetscReal norm;

  PetscFunctionBegin;
  PetscCall(MatNorm(grid.A, NORM_FROBENIUS, &norm));
  *finite = !PetscIsInfOrNanReal(norm);
  if (!*finite) PetscFunctionReturn(PETSC_SUCCESS);
  if (!grid.dinv) PetscCall(MatCreateVecs(grid.A, NULL, &grid.dinv));
  PetscCall(DiagonalInverse(grid.A, grid.dinv));
  PetscCall(EstimateLambdaMax(grid.A, grid.dinv, its, &grid.lambda));
  PetscCall(FindRowsAlone(grid.A, grid.alone));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Hierarchy::build(Mat A, PetscInt bs, PetscInt k, const std::vector<PetscScalar> &B_fine, const HierarchyOptions &options, bool *finite)
{
  std::vector<PetscScalar> B         = B_fine, Bcoarse;
  PetscReal                threshold = options.threshold;

  PetscFunctionBegin;
  PetscCall(reset());
  PetscCall(PetscObjectReference((PetscObject)A));
  PetscCallCXX(grids_.emplace_back());
  grids_[0].A  = A;
  grids_[0].bs = bs;
  while (true) {
    Grid      &grid = grids_.back();
    Grid       next;
    Graph      graph;
    Aggregates aggregates;
    PetscInt   rows, coarse_rows;
    Mat        T, filtered = NULL;
    MPI_Comm   comm = PetscObjectComm((PetscObject)A);

    PetscCall(PetscLogEventBegin(events.eigen, grid.A, 0, 0, 0));
    PetscCall(Measure(grid, options.esteig_iterations, finite));
    PetscCall(PetscLogEventEnd(events.eigen, grid.A, 0, 0, 0));
    if (!*finite) break;
    PetscCall(MatGetSize(grid.A, &rows, NULL));
    if (rows <= options.coarse_limit || (PetscInt)grids_.size() >= options.max_levels) break;

    PetscCall(PetscLogEventBegin(events.strength, grid.A, 0, 0, 0));
    PetscCall(StrengthGraph(grid.A, grid.bs, threshold, graph));
    PetscCall(PetscLogEventEnd(events.strength, grid.A, 0, 0, 0));
    *finite = graph.finite;
    if (!*finite) break;
    PetscCall(PetscLogEventBegin(events.aggregate, grid.A, 0, 0, 0));
    PetscCall(Aggregate(graph, aggregates));
    PetscCall(PetscLogEventEnd(events.aggregate, grid.A, 0, 0, 0));
    PetscCallMPI(MPI_Allreduce(&aggregates.n, &coarse_rows, 1, MPIU_INT, MPI_SUM, comm));
    coarse_rows *= k;
    if (coarse_rows == 0 || coarse_rows > rows - rows / 10) {
      PetscCall(PetscInfo(A, "Coarsening stops at %" PetscInt_FMT " rows: the next level would have %" PetscInt_FMT "\n", rows, coarse_rows));
      break;
    }

    PetscCall(PetscLogEventBegin(events.prolong, grid.A, 0, 0, 0));
    PetscCall(TentativeProlongator(comm, aggregates, grid.bs, k, B, &T, Bcoarse));
    if (threshold > 0) {
      Vec       dinv;
      PetscReal lambda;

      PetscCall(FilterWeak(grid.A, graph, &filtered));
      PetscCall(MatCreateVecs(filtered, NULL, &dinv));
      PetscCall(DiagonalInverse(filtered, dinv));
      PetscCall(EstimateLambdaMax(filtered, dinv, options.esteig_iterations, &lambda));
      PetscCall(SmoothProlongator(filtered, T, dinv, options.prolongator_relax / lambda, &grid.P));
      PetscCall(VecDestroy(&dinv));
      PetscCall(MatDestroy(&filtered));
    } else PetscCall(SmoothProlongator(grid.A, T, grid.dinv, options.prolongator_relax / grid.lambda, &grid.P));
    PetscCall(MatDestroy(&T));
    PetscCall(MatTranspose(grid.P, MAT_INITIAL_MATRIX, &grid.R));
    PetscCall(PetscLogEventEnd(events.prolong, grid.A, 0, 0, 0));

    PetscCall(PetscLogEventBegin(events.galerkin, grid.A, 0, 0, 0));
    PetscCall(GalerkinProduct(grid.A, grid.P, MAT_INITIAL_MATRIX, &next.A));
    PetscCall(PetscLogEventEnd(events.galerkin, grid.A, 0, 0, 0));
    next.bs = k;
    B.swap(Bcoarse);
    threshold /= 2; /* coarse operators are denser and their entries smaller: Vanek, Mandel, Brezina 1996 */
    PetscCallCXX(grids_.push_back(next));
  }
  if (!*finite) PetscCall(reset());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Hierarchy::update(Mat A, const HierarchyOptions &options, bool *finite)
{
  PetscFunctionBegin;
  PetscCall(PetscObjectReference((PetscObject)A));
  PetscCall(MatDestroy(&grids_[0].A));
  grids_[0].A = A;
  for (std::size_t l = 0; l < grids_.size(); l++) {
    PetscCall(PetscLogEventBegin(events.eigen, A, 0, 0, 0));
    PetscCall(Measure(grids_[l], options.esteig_iterations, finite));
    PetscCall(PetscLogEventEnd(events.eigen, A, 0, 0, 0));
    if (!*finite) {
      PetscCall(reset());
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    if (l + 1 < grids_.size()) {
      PetscCall(PetscLogEventBegin(events.galerkin, A, 0, 0, 0));
      PetscCall(GalerkinProduct(grids_[l].A, grids_[l].P, MAT_REUSE_MATRIX, &grids_[l + 1].A));
      PetscCall(PetscLogEventEnd(events.galerkin, A, 0, 0, 0));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Hierarchy::reset()
{
  PetscFunctionBegin;
  for (Grid &grid : grids_) {
    PetscCall(MatDestroy(&grid.A));
    PetscCall(MatDestroy(&grid.P));
    PetscCall(MatDestroy(&grid.R));
    PetscCall(VecDestroy(&grid.dinv));
  }
  grids_.clear();
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza
