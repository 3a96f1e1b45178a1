#include "natural_numbers.hpp"
#include "core/launch/for_each_row.hpp"
#include "grid_of_rows.hpp"
#include "petsc/errors.hpp"
#include "parallel/agree.hpp"

namespace goza::saamg {

/* nodes: of a point */
static HD void natural_number(PetscInt i, const GridBox &box, PetscInt nodes, PetscInt *number) { number[i] = box.natural(i, nodes); }

PetscErrorCode NaturalNumbers(const GridBoxes &boxes, const OwnRows &rows, PetscInt bs, Array<PetscInt> &number, Lattice &lattice)
{
  const Space    space = rows.A.space;
  const MPI_Comm comm  = rows.columns->comm();
  const PetscInt m     = rows.A.nrows;
  bool           fits  = false;

  PetscFunctionBegin;
  if (boxes.empty()) {
    PetscCall(Together(comm, "look for a grid", [&] { lattice = lattice_of(rows.A, *rows.columns, bs); }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  const GridBox &first = boxes.front();

  PetscCall(Guarded([&] { fits = rows.columns->all(m == rows_of(boxes)); }));
  if (first.dof % bs || !fits) PetscFunctionReturn(PETSC_SUCCESS);
  for (int d = 0; d < 3 && first.dof == bs; d++) lattice.points[d] = lattice.tiles[d] = first.points[d];
  if (first.slabs) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Guarded([&] {
    number         = Array<PetscInt>(space, m / bs);
    PetscInt *next = number.data();

    for (const GridBox &box : boxes) {
      for_each_row(space, box.rows() / bs, bound<natural_number>(box, box.dof / bs, next));
      next += box.rows() / bs;
    }
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace goza::saamg
