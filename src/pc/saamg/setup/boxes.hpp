/* The set-up on a lattice whose aggregates are boxes (box_grid.hpp): a node a row, one near-null vector, all entries edges. It makes what the general steps
   make, to rounding. */
#pragma once
#include "box_lines.hpp"
#include "box_ranks.hpp"
#include "core/sparse/csr_matrix.hpp"
#include "stored_rows.hpp"
#include <memory>

namespace goza::saamg {

/* What P = (I - omega D^-1 A) T is made of, where its rows are not held: a product makes them as it comes to them. */
struct BoxSmoothing {
  Array<PetscScalar> ones; // T, where nobody else has it
  const PetscScalar *T, *dinv;
  PetscReal          omega;
};

/* What depends on the pattern. */
struct Boxes {
  BoxGrid       grid{};
  Lattice       coarse;                            // of the boxes' roots
  bool          stars    = false;                  // rows have no entries beyond a node and the six beside it
  bool          doubtful = false;                  // they are aggregate()'s where that finds them even
  Bits27        places   = 0;                      // where each row has all of these that are inside the grid: then the stencil goes and comes by place
  Array<Bits27> stencil;                           // [nodes] which entries a row has, coupled_node
  Array<Bits8>  reach;                             // [nodes] which entries a row of P has, once there is one
  Array<Bits27> coarse_stencil;                    // [boxes] which entries a row of the product has, once there is one
  PetscInt      entries = -1, coarse_entries = -1; // of P on the grid and of the product, or this rank's part, once there have been such

  Array<std::int64_t> exponents; // of P's rows, joined in several parts, once there is a product: see RowExponents

  /* Of what smooths P, where weak entries are left out of it: [nodes] the others, coupled_node, while P may be made again; the places and the number of all of
     them. Else empty. */
  Array<Bits27> kept;
  Bits27        kept_places  = 0;
  std::int64_t  kept_entries = 0;

  std::unique_ptr<RankBoxes> ranks; // of one rank: nullptr

  /* Of P, where the next product is to make its rows, and what it leaves of them for a cycle in half precision: see box_lines.hpp. wide: P has entries that
     this does not keep. */
  std::unique_ptr<BoxSmoothing> smoothing;
  Array<BoxPair<HalfScalar>>    pairs;
  bool                          wide = false;

  std::size_t bytes() const { return stencil.bytes() + kept.bytes() + reach.bytes() + coarse_stencil.bytes() + pairs.bytes() + (ranks ? ranks->bytes() : 0); }

  const Bits27 *smoothing_stencil() const { return kept.size() ? kept.data() : stencil.data(); }

  void find_stencil(); // before it is read
  void spare_stencil() // once a level is made, what can be found again
  {
    if (places && reach.size()) stencil = Array<Bits27>(stencil.space());
    if (ranks) ranks->values = Array<PetscScalar>(ranks->values.space());
  }
};

/* Which rows find_boxes() takes. */
struct BoxesWanted {
  bool      full, stars; // whose entries reach across a box's corners, and those in space that do not
  PetscReal threshold;   // of strength; beyond 0 weak entries are left out of what smooths P
};

/* The aggregates of A's strength graph where they are the boxes of the ids' lattice, each of whose points has a row, in natural order where one rank has them
   all; else none. Stars, which make smaller aggregates elsewhere, are in boxes where all nodes of a box are coupled to its root along its nodes and the
   threshold is 0; beyond that boxes are of one tile in directions in which all entries are weak. Where many nodes might be roots beside those of the boxes, as
   with 15 points of uneven coefficients, and the threshold is 0, the boxes are doubtful. Collective. */
std::shared_ptr<Boxes> find_boxes(const StoredRows &A, const Array<PetscScalar> &dinv, NodeIds ids, const MapPtr &columns, BoxesWanted wanted);

Array<PetscInt> names_of(const Boxes &boxes, NodeIds ids);

/* T of B, one entry a row, and the boxes' part of B. B null: ones */
void normalise(Boxes &boxes, const PetscScalar *B, Array<PetscScalar> &T, Array<PetscScalar> &coarse_B);

/* P = (I - omega D^-1 A) T, and one rank's values anew. A device reads its rows by place: there it has no columns until number_columns(). columns: of P, where
   there are several ranks. Collective. */
CsrMatrix smoothed_prolongator(Boxes &boxes, const StoredRows &A, const Array<PetscScalar> &T, const Array<PetscScalar> &dinv, PetscReal omega,
                               MapPtr &columns);
/* A without the weak entries, which are added to the diagonal, where boxes.kept has the others: one rank's by diagonals, else rows. As long as it lives P is
   smoothed with it. */
class WithoutWeak {
public:
  WithoutWeak(Boxes &boxes, const StoredRows &A);
  WithoutWeak(const WithoutWeak &) = delete;
  ~WithoutWeak()
  {
    if (boxes_.ranks) boxes_.ranks->values.swap(values_);
  }
  StoredRows rows() const { return {rows_.view(), cds_.get()}; }

private:
  Boxes                                              &boxes_;
  std::unique_ptr<mat::Cds<PetscScalar, PetscScalar>> cds_;
  CsrMatrix                                           rows_;
  Array<PetscScalar>                                  values_; // of several ranks: A's by place
};
/* No rows yet: the product makes them, by boxes.smoothing. */
CsrMatrix left_to_product(Boxes &boxes, Space space);
void      smooth_values(Boxes &boxes, const StoredRows &A, const Array<PetscScalar> &T, const Array<PetscScalar> &dinv, PetscReal omega, CsrMatrix &P);
void      number_columns(const Boxes &boxes, CsrMatrix &P);

/* Row lengths become the row pointer. *entries, how many there are, is known, and then nothing waits, or becomes so. */
void point_to_rows(Array<PetscInt> &ptr, PetscInt *entries);

/* P^T A P, or P^H A P, by rows and by diagonals. */
struct BoxProduct {
  CsrMatrix                                           rows;
  std::unique_ptr<mat::Cds<PetscScalar, PetscScalar>> diagonals; // nullptr where the grid is too thin for them to be apart
  PetscScalar                                        *diagonal;  // the main one of these, or nullptr
  Array<PetscReal>                                    magnitude; // the diagonal of P^H diag(m) P, m the magnitude of A's rows
};

BoxProduct galerkin(Boxes &boxes, const StoredRows &A, const CsrMatrix &P, bool conjugated, const Array<PetscReal> &magnitude);

/* Of several ranks this rank's part of it, with rows by the local numbers of P's columns. Collective. */
CsrMatrix galerkin_in_parts(Boxes &boxes, const StoredRows &A, const CsrMatrix &P, const ColumnMap &columns, bool conjugated);

} // namespace goza::saamg
