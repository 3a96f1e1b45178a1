/* Orders of a matrix's unknowns that bring together in x what is read together. In either space, with the same result. */
#pragma once
#include "core/device/array.hpp"
#include "csr.hpp"

namespace goza {

/* Breadth first along the entries of the rows, as Cuthill and McKee; A is square. order[k] is the unknown that gets number k, the neighbours of one follow in
   its row's order. From the unknown that a first search met last; what is not connected to it is begun anew a few times, and what is then left keeps its order.
   Nothing is returned where the first search takes more than most_levels, each of which costs a few kernels on the device. */
Array<PetscInt> breadth_first_order(const Csr &A, PetscInt most_levels = PETSC_MAX_INT);

/* number[order[k]] = k */
Array<PetscInt> inverse_of(const Array<PetscInt> &order);

/* Entries whose column is farther than `reach` from their row, both numbered anew. */
std::int64_t far_entries(const Csr &A, PetscInt reach, const PetscInt *number);

/* Sectors of x, four unknowns long, that entries read so far from their row; one that the entry before or the row before reads as well counts once. */
std::int64_t far_sectors(const Csr &A, PetscInt reach);

} // namespace goza
