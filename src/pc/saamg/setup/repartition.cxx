#include "repartition.hpp"
#include "parallel/agree.hpp"
#include <petscmat.h>

namespace goza::saamg
{

/* Over all ranks; none of them where there is less than one aggregate a rank. */
static PetscErrorCode IsPoor(const CsrAggregates &aggregates, PetscReal ratio, bool *poor)
{
  const ColumnMap &map    = *aggregates.map;
  PetscInt64       sum[2] = {aggregates.n, map.nghost()}, most = aggregates.n;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPIU_INT64, MPI_SUM, map.comm()));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPIU_INT64, MPI_MAX, map.comm()));
  *poor = sum[0] >= map.size() && ((PetscReal)most * map.size() > ratio * (PetscReal)sum[0] || sum[1] > sum[0]);
  PetscCall(PetscInfo(NULL, "%" PetscInt64_FMT " aggregates, at most %" PetscInt64_FMT " on a rank, %" PetscInt64_FMT " reached on others: %s\n", sum[0], most, sum[1], *poor ? "partitioned anew" : "left as they are"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Which aggregates touch, as a matrix of ones. */
static PetscErrorCode Quotient(const CsrAggregates &aggregates, const std::vector<PetscInt> &ptr, const std::vector<PetscInt> &col, const std::vector<PetscInt> &global, Mat *Q)
{
  const PetscScalar one = 1;

  PetscFunctionBegin;
  PetscCall(MatCreate(aggregates.map->comm(), Q));
  PetscCall(MatSetSizes(*Q, aggregates.n, aggregates.n, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetType(*Q, MATMPIAIJ));
  PetscCall(MatMPIAIJSetPreallocation(*Q, 30, NULL, 30, NULL));
  PetscCall(MatSetOption(*Q, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  for (std::size_t i = 0; i + 1 < ptr.size(); i++) {
    for (PetscInt p = ptr[i]; p < ptr[i + 1]; p++) {
      const PetscInt a = global[i], b = global[col[p]];

      if (a >= 0 && b >= 0 && a != b) PetscCall(MatSetValues(*Q, 1, &a, 1, &b, &one, INSERT_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(*Q, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*Q, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* number[n]: the new number of each of this rank's aggregates; counts[ranks]: how many each then has. */
static PetscErrorCode Partition(Mat Q, std::vector<PetscInt> &number, std::vector<PetscInt> &counts)
{
  MatPartitioning     partitioning;
  MatPartitioningType type;
  Mat                 adjacency;
  IS                  owner, numbers;
  PetscBool           current;
  const PetscInt     *values;

  PetscFunctionBegin;
  PetscCall(MatConvert(Q, MATMPIADJ, MAT_INITIAL_MATRIX, &adjacency));
  PetscCall(MatPartitioningCreate(PetscObjectComm((PetscObject)Q), &partitioning));
  PetscCall(PetscObjectSetOptionsPrefix((PetscObject)partitioning, "pc_saamg_"));
  PetscCall(MatPartitioningSetAdjacency(partitioning, adjacency));
  PetscCall(MatPartitioningSetFromOptions(partitioning));
  PetscCall(MatPartitioningGetType(partitioning, &type));
  PetscCall(PetscStrcmp(type, MATPARTITIONINGCURRENT, &current));
  if (current) PetscCall(MatPartitioningSetType(partitioning, MATPARTITIONINGAVERAGE)); /* what PETSc falls back to leaves all where it is */
  PetscCall(MatPartitioningApply(partitioning, &owner));
  PetscCall(ISPartitioningCount(owner, (PetscInt)counts.size(), counts.data()));
  PetscCall(ISPartitioningToNumbering(owner, &numbers));
  PetscCall(ISGetIndices(numbers, &values));
  std::copy_n(values, number.size(), number.begin());
  PetscCall(ISRestoreIndices(numbers, &values));
  PetscCall(ISDestroy(&numbers));
  PetscCall(ISDestroy(&owner));
  PetscCall(MatPartitioningDestroy(&partitioning));
  PetscCall(MatDestroy(&adjacency));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Repartition(const CsrGraph &G, PetscReal ratio, CsrAggregates &aggregates, bool *moved)
{
  const MapPtr          map   = aggregates.map;
  const MPI_Comm        comm  = map->comm();
  const Space           space = G.space();
  std::vector<PetscInt> ptr, col, global, number, counts;
  PetscMPIInt           rank;
  Mat                   Q = NULL;

  PetscFunctionBegin;
  *moved = false;
  if (ratio <= 0 || map->size() == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(IsPoor(aggregates, ratio, moved));
  if (!*moved) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Together(comm, "read its part of a graph", [&] {
    ptr = Array<PetscInt>(space, G.edges.ptr, G.n + 1).to_host();
    if (!G.n) ptr.assign(1, 0);
    col    = Array<PetscInt>(space, G.edges.col, ptr.back()).to_host();
    global = aggregates.of_node.to_host();
    number.resize(aggregates.n);
    counts.resize(map->size());
    for (PetscInt &a : global) a = a < 0 ? a : a < map->n() ? map->start() + a : map->ghosts()[a - map->n()];
  }));
  PetscCall(FailTogether(comm, Quotient(aggregates, ptr, col, global, &Q), "say which aggregates touch"));
  PetscCall(FailTogether(comm, Partition(Q, number, counts), "partition a level"));
  PetscCall(MatDestroy(&Q));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(Together(comm, "number its aggregates anew", [&] {
    std::vector<PetscInt> all(map->nlocal());
    Array<PetscInt>       here(space, map->nlocal());

    std::copy(number.begin(), number.end(), all.begin());
    here.assign(all.data());
    map->update(here);
    all                           = here.to_host();
    std::vector<PetscInt> of_node = aggregates.of_node.to_host();
    for (PetscInt &a : of_node) a = a < 0 ? a : all[a];
    aggregates = numbered_locally(LocalColumns(comm, counts[rank], space), Array<PetscInt>(space, of_node.data(), of_node.size()), std::move(aggregates.name),
                                  aggregates.lattice);
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::saamg
