/* Orders of a matrix's unknowns that bring together in x what is read together. In either space, with the same result. */
#pragma once
#include "array.hpp"
#include "csr.hpp"

namespace goza
{

/* Breadth first along the entries of the rows, as Cuthill and McKee: order[k] is the unknown that gets number k; the neighbours of one follow in its row's order.
   From the unknown that a first search met last; what is not connected to it is begun anew a few times, and what is then left keeps its order. A is square. */
Array<PetscInt> breadth_first_order(const Csr &A);

/* The columns with most entries first, `hubs` of them or fewer, then the others; both in the order that they had. share: of the entries that are in the first. */
Array<PetscInt> hubs_first_order(const Csr &A, PetscInt hubs, double *share);

/* number[order[k]] = k */
Array<PetscInt> inverse_of(const Array<PetscInt> &order);

/* The share of the entries whose column is within `reach` of their row, both numbered anew; no number: as they are. */
double near_share(const Csr &A, PetscInt nnz, PetscInt reach, const PetscInt *number = nullptr);

} // namespace goza
