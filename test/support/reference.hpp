/* Comparisons with a rounding bound that is computed, component by component, and that NaN does not pass. */
#pragma once

#include "check.hpp"

namespace goza_test {

/* What two evaluations of y = A x + add in different orders may differ by, for A any aij matrix:
   2 (row length + 4) eps (|A| |x| + |add|), and 1.01 stored |A| |x| where each value of A is off by `stored` of itself. add may be null. */
VecHandle rounding_bound(Mat A, Vec x, Vec add, bool transpose = false, PetscReal eps = PETSC_MACHINE_EPSILON, PetscReal stored = 0);

/* got is finite, and as far from want as bound allows, everywhere. */
void check_close(Vec got, Vec want, Vec bound, const std::string &what);

/* Local rows have the same columns, and values within relative_eps * eps * max(|value|, floor). */
void check_entries(Mat got, Mat want, const std::string &what, PetscReal relative_eps = 4, PetscReal floor = 0);

/* A vector for the rows (or columns) of A, with values that depend on the global index only. */
VecHandle vector_like(Mat A, bool of_rows, const std::string &type, PetscInt seed);
VecHandle filled_with_nan(Mat A, bool of_rows, const std::string &type);

/* How often an event of PETSc's log was begun, so far, on this rank; -1: there is none of that name. */
long event_count(const char *name);

/* How often Goza's product kernels ran, so far, on this rank. */
long kernel_count();

} // namespace goza_test
