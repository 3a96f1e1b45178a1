/* Boxes on several ranks: what a rank knows of the lattice.

   Its grid is the part of the lattice around its nodes, one node wider to each side:

     . . . . . . . .       o  its nodes, whose rows it has
     . g g g g g . .       g  nodes of others that these rows reach (ghosts): coupled or not, without entries
     . g o o o g . .       .  of the grid, too, if a box around all o and g has it: as if it were coupled to nothing
     . g o o o o g .
     . g g g g g g .

   On that grid everything has its place as on one rank. The grid's boxes are all that its nodes reach, and those that the ghosts' rows of P reach: they have
   numbers, since they belong to the ranks of their roots, or to fewer ranks. The product comes in parts, one for each box that the rank's nodes reach, and the
   parts go to the owners. */
#pragma once
#include "box_grid.hpp"
#include "core/sparse/csr_matrix.hpp"
#include "parallel/column_map.hpp"
#include "strength_rows.hpp"

namespace goza::saamg {

struct Boxes;
struct CsrAggregates;

struct RankBoxes {
  MapPtr             columns;    // of the operator
  Array<PetscInt>    node;       // [local columns] where they are on the grid; -1: beyond it
  Array<PetscScalar> values;     // of the operator by place, or empty
  MapPtr             aggregates; // the boxes that this rank's nodes and ghosts are in
  Array<PetscInt>    number;     // [boxes] by the local numbers of these, -1: none of them

  std::unique_ptr<LocalColumns> reached; // columns of the parts of a product, once there is one
  Array<PetscInt>               column;  // [boxes] local numbers among these

  std::size_t bytes() const { return node.bytes() + values.bytes() + number.bytes() + column.bytes(); }

  /* on_grid[nodes]: those of ghosts become their owners'. T: Bits27, Bits8. coupled: all that counts is whether a node has any; a ghost has the bit of its own
     place then. Collective. */
  template <class T> void update(Array<T> &on_grid, bool coupled = false) const;

  /* [local columns] from [own rows]. Collective. */
  Array<PetscScalar> with_ghosts(const Array<PetscScalar> &values) const;

  /* [nodes of grid] from [local columns], or from [own rows]; 0 elsewhere. */
  Array<PetscScalar> on_grid(const BoxGrid &grid, const Array<PetscScalar> &values) const;
};

/* grid: that of the whole lattice, becomes this rank's. nullptr (on all ranks): the rows of a rank lie too far from one another. Collective. */
std::unique_ptr<RankBoxes> part_of_lattice(const Lattice &lattice, NodeIds ids, const MapPtr &columns, BoxGrid &grid);

/* Which entries this rank's rows have, which of them are strong, and their values by place. Of a ghost: whether it has any strong one. Collective. */
void find_places(const Csr &A, const BoxGrid &grid, RankBoxes &ranks, const Measure &measure, Array<Bits27> &stencil, Array<Bits27> &strong);

/* The values by place, of rows whose entries are known. */
CdsStencil values_by_place(const Csr &A, const BoxGrid &grid, RankBoxes &ranks);

/* Memory for such values, where there is none yet, and where in it they stand. */
CdsStencil places_for_values(const BoxGrid &grid, Array<PetscScalar> &values);

/* This rank's rows with the entries in boxes.kept, of these values, columns as of the operator. */
CsrMatrix rows_kept(const Boxes &boxes, const CdsStencil &values);

/* The boxes as other aggregates are: as of aggregate(). Collective. */
CsrAggregates aggregates_of_ranks(Boxes &boxes, NodeIds ids, PetscInt least);

/* This rank's rows of P from those on its grid. columns: of P. Collective. */
CsrMatrix own_rows_of(const Boxes &boxes, const CsrMatrix &on_grid, MapPtr &columns);

/* The rows of P on the grid, those of the ghosts among them. Collective. */
CsrMatrix rows_on_grid(Boxes &boxes, const CsrMatrix &P);

/* This rank's part of the product, from the values of the grid's boxes: rows by the local numbers of `rows`, columns by those of `reached`. Collective where
   these are not known yet. */
CsrMatrix parts_of_product(Boxes &boxes, const ColumnMap &rows, std::int64_t ld, const PetscScalar *val);

} // namespace goza::saamg
