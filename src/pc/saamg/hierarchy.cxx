#include "hierarchy.hpp"
#include "aggressive.hpp"
#include "eigen.hpp"
#include "galerkin.hpp"
#include "goza.hpp"
#include "mat/common/compat.hpp"
#include "prolong.hpp"
#include "strength.hpp"
#include "tentative.hpp"
#include <algorithm>

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

/* The values of B into A where their patterns are the same on all ranks: then *same. */
static PetscErrorCode CopyInPattern(Mat B, Mat A, bool *same)
{
  AijRows  a, b;
  PetscInt equal;

  PetscFunctionBegin;
  PetscCall(a.open(A));
  PetscCall(b.open(B));
  const AijRowsView &va = a.view(), &vb = b.view();
  const auto         rows_equal = [](PetscInt n, const PetscInt *p, const PetscInt *c, const PetscInt *q, const PetscInt *d) {
    return !p == !q && (!p || (std::equal(p, p + n + 1, q) && std::equal(c, c + p[n], d)));
  };

  equal = va.nrows == vb.nrows && a.nghost() == b.nghost() && std::equal(a.ghost(), a.ghost() + a.nghost(), b.ghost()) &&
          rows_equal(va.nrows, va.dptr, va.dcol.all, vb.dptr, vb.dcol.all) && rows_equal(va.nrows, va.optr, va.ocol, vb.optr, vb.ocol);
  PetscCall(b.close());
  PetscCall(a.close());
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &equal, 1, MPIU_INT, MPI_MIN, PetscObjectComm((PetscObject)A)));
  *same = equal;
  if (equal) PetscCall(MatCopy(B, A, SAME_NONZERO_PATTERN));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* P and R of a grid from its tentative P and, where weak entries are filtered, the strength graph, for the values that A has now. *same: the pattern is the one that P had. */
static PetscErrorCode Interpolate(Grid &grid, Mat T, const Graph *graph, const HierarchyOptions &options, bool *same)
{
  Mat P, filtered = NULL;

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(events.prolong, grid.A, 0, 0, 0));
  if (options.threshold > 0) {
    Vec       dinv;
    PetscReal lambda;

    PetscCall(FilterWeak(grid.A, *graph, &filtered));
    PetscCall(MatCreateVecs(filtered, NULL, &dinv));
    PetscCall(DiagonalInverse(filtered, dinv));
    PetscCall(EstimateLambdaMax(filtered, dinv, options.esteig_iterations, &lambda));
    PetscCall(SmoothProlongator(filtered, T, dinv, options.prolongator_relax / lambda, &P));
    PetscCall(VecDestroy(&dinv));
    PetscCall(MatDestroy(&filtered));
  } else PetscCall(SmoothProlongator(grid.A, T, grid.dinv, options.prolongator_relax / grid.lambda, &P));
  *same = false;
  if (grid.P) PetscCall(CopyInPattern(P, grid.P, same));
  if (*same) PetscCall(MatDestroy(&P));
  else {
    PetscCall(MatDestroy(&grid.P));
    grid.P = P;
  }
  PetscCall(MatDestroy(&grid.R));
  PetscCall(MatTranspose(grid.P, MAT_INITIAL_MATRIX, &grid.R));
  PetscCall(PetscLogEventEnd(events.prolong, grid.A, 0, 0, 0));
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
    Grid                  &grid = grids_.back();
    Grid                   next;
    Aggregates             aggregates;
    PetscInt               rows, coarse_rows;
    Mat                    T;
    MPI_Comm               comm = PetscObjectComm((PetscObject)A);
    bool                   same;
    std::shared_ptr<Graph> strength;

    PetscCall(PetscLogEventBegin(events.eigen, grid.A, 0, 0, 0));
    PetscCall(Measure(grid, options.esteig_iterations, finite));
    PetscCall(PetscLogEventEnd(events.eigen, grid.A, 0, 0, 0));
    if (!*finite) break;
    PetscCall(MatGetSize(grid.A, &rows, NULL));
    if (rows <= options.coarse_limit || (PetscInt)grids_.size() >= options.max_levels) break;

    PetscCallCXX(strength = std::make_shared<Graph>());
    Graph &graph = *strength;
    PetscCall(PetscLogEventBegin(events.strength, grid.A, 0, 0, 0));
    PetscCall(StrengthGraph(grid.A, grid.bs, threshold, graph));
    PetscCall(PetscLogEventEnd(events.strength, grid.A, 0, 0, 0));
    *finite = graph.finite;
    if (!*finite) break;
    PetscCall(PetscLogEventBegin(events.aggregate, grid.A, 0, 0, 0));
    if ((PetscInt)grids_.size() <= options.aggressive_levels) PetscCall(AggregateTwice(graph, aggregates));
    else PetscCall(Aggregate(graph, aggregates));
    PetscCall(PetscLogEventEnd(events.aggregate, grid.A, 0, 0, 0));
    PetscCallMPI(MPI_Allreduce(&aggregates.n, &coarse_rows, 1, MPIU_INT, MPI_SUM, comm));
    coarse_rows *= k;
    if (coarse_rows == 0 || coarse_rows > rows - rows / 10) {
      PetscCall(PetscInfo(A, "Coarsening stops at %" PetscInt_FMT " rows: the next level would have %" PetscInt_FMT "\n", rows, coarse_rows));
      break;
    }

    PetscCall(PetscLogEventBegin(events.prolong, grid.A, 0, 0, 0));
    for (PetscInt row : grid.alone) std::fill_n(B.begin() + static_cast<std::ptrdiff_t>(row) * k, k, PetscScalar(0)); /* its node may be in an aggregate */
    PetscCall(TentativeProlongator(comm, aggregates, grid.bs, k, B, &T, Bcoarse));
    PetscCall(PetscLogEventEnd(events.prolong, grid.A, 0, 0, 0));
    PetscCall(Interpolate(grid, T, strength.get(), options, &same));
    if (options.keep == Keep::Aggregates) {
      grid.T = T;
      if (threshold > 0) grid.graph = strength;
    } else PetscCall(MatDestroy(&T));

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
      bool same = true;

      if (options.keep == Keep::Aggregates) PetscCall(Interpolate(grids_[l], grids_[l].T, grids_[l].graph.get(), options, &same));
      PetscCall(PetscLogEventBegin(events.galerkin, A, 0, 0, 0));
      if (!same) PetscCall(MatDestroy(&grids_[l + 1].A));
      PetscCall(GalerkinProduct(grids_[l].A, grids_[l].P, same ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX, &grids_[l + 1].A));
      PetscCall(PetscLogEventEnd(events.galerkin, A, 0, 0, 0));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Hierarchy::bytes(PetscLogDouble *bytes) const
{
  PetscFunctionBegin;
  *bytes = 0;
  for (std::size_t l = 0; l < grids_.size(); l++) {
    const Grid &grid = grids_[l];

    if (grid.level) *bytes += static_cast<PetscLogDouble>(grid.level->own.bytes() + grid.level->dinv.bytes() + grid.level->alone.bytes());
    if (grid.transfer) *bytes += static_cast<PetscLogDouble>(bytes_of(*grid.transfer));
    for (Mat M : {l ? grid.A : NULL, grid.P, grid.R, grid.T}) {
      MatInfo info;

      if (!M) continue;
      PetscCall(MatGetInfo(M, MAT_LOCAL, &info));
      *bytes += info.nz_used * static_cast<PetscLogDouble>(sizeof(PetscScalar) + sizeof(PetscInt));
    }
    if (grid.dinv) {
      PetscInt n;

      PetscCall(VecGetLocalSize(grid.dinv, &n));
      *bytes += static_cast<PetscLogDouble>(n) * static_cast<PetscLogDouble>(sizeof(PetscScalar));
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
    PetscCall(MatDestroy(&grid.T));
    PetscCall(VecDestroy(&grid.dinv));
  }
  grids_.clear();
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza
