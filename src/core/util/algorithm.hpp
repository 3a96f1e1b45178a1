/* Scans, reductions and sorts in either space: the standard library's on the host, CUB's on the device. */
#pragma once
#include "core/device/array.hpp"

namespace goza {

void         exclusive_scan(Space space, std::int64_t *values, std::size_t n); // in place
std::int64_t sum(Space space, const std::int64_t *values, std::size_t n);

/* Of numbers that are not negative; 0 of nothing. T: PetscInt, std::int64_t */
template <class T> T largest(Space space, const T *values, std::size_t n);

/* Of |x_i| of every so manieth entry; what is no number counts for nothing. */
PetscReal largest_magnitude(Space space, const PetscScalar *x, PetscInt n, PetscInt step);

/* Row lengths in ptr[0 .. n-1] become the row pointer ptr[0 .. n]; returns the number of entries. An error where PetscInt cannot count them. */
PetscInt lengths_to_pointer(Space space, Array<PetscInt> &ptr);
PetscInt lengths_to_pointer(Space space, const PetscInt *length, Array<PetscInt> &ptr); // the same from length[ptr.size() - 1]

/* The same from length[ptr.size() - 1]. False, and no error, where a length is negative or a PetscInt cannot count the entries. */
bool scan_lengths(Space space, const PetscInt *length, Array<PetscInt> &ptr, PetscInt *nnz);

/* The same where the number of entries is known or not asked for: nothing waits. More than a PetscInt counts are the most that it holds. */
void scan_lengths(Space space, const PetscInt *length, Array<PetscInt> &ptr);

/* packed[k] = x[index[k]]; of PetscInt and the vector types, of which index may be of 64 bits. */
template <class V, class Index> void gather(Space space, PetscInt n, const Index *index, const V *x, V *packed);

/* values[n] become sorted, each once; returns how many are left. */
PetscInt sort_unique(Space space, PetscInt *values, PetscInt n);

/* list[n] without the elements whose flag is 0, in order; returns how many are left. kept must not be list. */
PetscInt keep_flagged(Space space, const PetscInt *list, const char *flag, PetscInt n, PetscInt *kept);

void            fill(Space space, std::size_t n, PetscInt value, PetscInt *to);
Array<PetscInt> places(Space space, PetscInt n);                    // 0 .. n-1
Array<PetscInt> flagged(Space space, const char *flag, PetscInt n); // the places 0 .. n-1 whose flag is not 0, in order

/* The places 0 .. n-1 sorted by their keys, equal keys in order: those of key g are order[ptr[g]] .. order[ptr[g + 1] - 1]. ptr gets nkeys + 1 elements.
   Keys outside 0 .. nkeys-1 are left out (order's tail is theirs). */
void group_by(Space space, const PetscInt *key, PetscInt n, PetscInt nkeys, Array<PetscInt> &ptr, Array<PetscInt> &order);

/* The places 0 .. n-1 sorted by their keys, which are not negative; equal keys in order. */
Array<PetscInt> order_by(Space space, const PetscInt *key, PetscInt n);

/* The rows of a CSR row pointer [nrows + 1] that hold an entry, ascending. */
Array<PetscInt> nonempty_rows(Space space, const PetscInt *ptr, PetscInt nrows);

/* Reorder rows[n] by descending row length inside windows of `window` consecutive places; rows of equal length keep their order. */
void sort_by_length(Space space, const PetscInt *ptr, PetscInt *rows, std::size_t n, PetscInt window);

} // namespace goza
