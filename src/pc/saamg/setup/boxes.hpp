/* The set-up on a lattice whose aggregates are boxes (box_grid.hpp): one rank, a node a row, one near-null vector, all entries edges. It makes what the general
   steps make, to rounding. */
#pragma once
#include "box_grid.hpp"
#include "core/sparse/csr_matrix.hpp"
#include "stored_rows.hpp"
#include <memory>

namespace goza::saamg
{

/* What depends on the pattern. */
struct Boxes {
  BoxGrid       grid{};
  Lattice       coarse;                            // of the boxes' roots
  Bits27        places = 0;                        // where each row has all of these that are inside the grid: then the stencil goes and comes by place
  Array<Bits27> stencil;                           // [nodes] which entries a row has, coupled_node
  Array<Bits8>  reach;                             // [nodes] which entries a row of P has, once there is one
  Array<Bits27> coarse_stencil;                    // [boxes] which entries a row of the product has, once there is one
  PetscInt      entries = -1, coarse_entries = -1; // of P and of the product, once there have been such

  std::size_t bytes() const { return stencil.bytes() + reach.bytes() + coarse_stencil.bytes(); }

  void find_stencil(); // before it is read
  void spare_stencil() // once a level is made, where it can be found again
  {
    if (places && reach.size()) stencil = Array<Bits27>(stencil.space());
  }
};

/* The aggregates of A's strength graph of threshold 0 where they are the boxes of the lattice, whose nodes are A's rows in their natural order; else none. */
std::shared_ptr<Boxes> find_boxes(const StoredRows &A, const Array<PetscScalar> &dinv, const Lattice &lattice);

Array<PetscInt> names_of(const Boxes &boxes, NodeIds ids);

/* T of B, one entry a row, and the boxes' part of B. B null: ones */
void normalise(Boxes &boxes, const PetscScalar *B, Array<PetscScalar> &T, Array<PetscScalar> &coarse_B);

/* P = (I - omega D^-1 A) T, and its values anew. A device reads its rows by place: there it has no columns until number_columns(). */
CsrMatrix smoothed_prolongator(Boxes &boxes, const StoredRows &A, const Array<PetscScalar> &T, const Array<PetscScalar> &dinv, PetscReal omega);
void      smooth_values(Boxes &boxes, const StoredRows &A, const Array<PetscScalar> &T, const Array<PetscScalar> &dinv, PetscReal omega, CsrMatrix &P);
void      number_columns(const Boxes &boxes, CsrMatrix &P);

/* The diagonal of P^H diag(m) P */
Array<PetscReal> squares_of_columns(const Boxes &boxes, const CsrMatrix &P, const Array<PetscReal> &m);

/* P^T A P, or P^H A P, by rows and by diagonals. */
struct BoxProduct {
  CsrMatrix                                           rows;
  std::unique_ptr<mat::Cds<PetscScalar, PetscScalar>> diagonals; // nullptr where the grid is too thin for them to be apart
  PetscScalar                                        *diagonal;  // the main one of these, or nullptr
};

BoxProduct galerkin(Boxes &boxes, const StoredRows &A, const CsrMatrix &P, bool conjugated);

} // namespace goza::saamg
