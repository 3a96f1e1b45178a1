/* Compressed rows in plain arrays, for matrices that are made or read before there is a Mat. */
#pragma once

#include "host_csr.hpp"
#include <petscmat.h>

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace goza_test {

using Sparse = HostCsr;

/* A stream of numbers that is the same everywhere (splitmix64). */
class Random {
public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 0x7F4A7C159E3779B9u) { }

  std::uint64_t next();
  double        uniform() { return (double)(next() >> 11) / 9007199254740992.0; } /* [0, 1) */
  PetscInt      below(PetscInt n) { return (PetscInt)(uniform() * (double)n); }

private:
  std::uint64_t state_;
};

/* Uniform in [0.5, 1.5), the same for (i, j) and (j, i) */
PetscReal coefficient(PetscInt i, PetscInt j);

using Pair       = std::pair<PetscInt, PetscInt>; /* row, column */
using RowColumns = std::function<void(PetscInt row, std::vector<PetscInt> &col)>;

/* Repeated entries count once. The values are coefficient(i, j). */
Sparse from_rows(PetscInt rows, PetscInt cols, const RowColumns &columns); /* called once for each row, in order */
Sparse ones(PetscInt rows, PetscInt cols, const RowColumns &columns);      /* the same, but every value is 1 */
Sparse from_pairs(PetscInt rows, PetscInt cols, const std::vector<Pair> &pairs);

/* A's next row, by columns; terms of one column are added up in their order. */
using Terms = std::vector<std::pair<PetscInt, double>>;
void add_row(Sparse &A, Terms &row);

/* Row and column i become `number[i]` */
Sparse                renumbered(const Sparse &A, const std::vector<PetscInt> &number);
std::vector<PetscInt> random_numbering(PetscInt n, std::uint64_t seed);
std::vector<PetscInt> reverse_cuthill_mckee(const Sparse &A); /* A has a symmetric pattern */

/* Each entry becomes a dense b x b block */
Sparse in_blocks(const Sparse &A, PetscInt b);

/* What is on the diagonal and below */
Sparse lower_triangle(const Sparse &A);

/* Sequential aij with these arrays, which must outlive it. */
PetscErrorCode as_mat(Sparse &A, Mat *mat);

} // namespace goza_test
