/* Scans, reductions and sorts in either space: the standard library's on the host, Thrust's (CUB) on the device. */
#pragma once
#include "array.hpp"

namespace goza
{

void         exclusive_scan(Space space, std::int64_t *values, std::size_t n); // in place
std::int64_t sum(Space space, const std::int64_t *values, std::size_t n);

/* The rows of a CSR row pointer [nrows + 1] that hold an entry, ascending. */
Array<PetscInt> nonempty_rows(Space space, const PetscInt *ptr, PetscInt nrows);

/* Reorder rows[n] by descending row length inside windows of `window` consecutive places; rows of equal length keep their order. */
void sort_by_length(Space space, const PetscInt *ptr, PetscInt *rows, std::size_t n, PetscInt window);

} // namespace goza
