/* Another distribution of a coarse level, where that of the aggregates' roots is poor. */
#pragma once
#include "graph.hpp"
#include "petsc/compat.hpp"

namespace goza::saamg
{

/* Poor: the fullest rank has more than `ratio` times the mean, or the ranks together reach more aggregates of other ranks than there are. Then PETSc's
   MatPartitioning (options -pc_saamg_mat_partitioning_...; without a partitioning package equal shares in the order of the numbers) says where each belongs, and they are numbered
   anew by rank. moved: whether. Collective, as errors are. */
PetscErrorCode Repartition(const CsrGraph &G, PetscReal ratio, CsrAggregates &aggregates, bool *moved);

} // namespace goza::saamg
